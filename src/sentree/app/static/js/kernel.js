/** How the page in a notebook reaches the kernel: the requests of HTTP as messages of a widget. */
import { decode } from "./frames.js";

/**
 * @typedef {object} Channel  what a widget's model offers
 * @property {(message: any) => void} send
 * @property {(event: string, callback: (...values: any[]) => void) => void} on
 * @property {(name: string) => any} get
 * @property {(name: string, value: any) => void} set
 * @property {() => void} save_changes
 */

/**
 * @param {Channel} channel
 * @returns {import("./transport.js").Transport}
 */
export function kernel(channel) {
  const page = Math.random().toString(36).slice(2); // the same widget may be shown several times
  let asked = 0;
  /** @type {Map<string, {resolve: (value: any) => void, reject: (error: Error) => void}>} */
  const waiting = new Map();
  /** @type {Set<(event: any) => void>} */
  const listeners = new Set();
  channel.on("msg:custom", (/** @type {any} */ message, /** @type {DataView[]} */ buffers) => {
    if (message.state) for (const callback of listeners) callback(message.state);
    const one = waiting.get(message.id);
    if (!one) return;
    waiting.delete(message.id);
    if (message.error) one.reject(new Error(message.error));
    else one.resolve({ reply: message.reply, buffers });
  });

  /** @type {(method: string, path: string, body?: any) => Promise<{reply: any, buffers: DataView[]}>} */
  const request = (method, path, body) =>
    new Promise((resolve, reject) => {
      const id = `${page}-${asked++}`;
      waiting.set(id, { resolve, reject });
      channel.send({ id, method, path, body: body instanceof Blob ? null : body });
    });
  /** @param {string} path */
  const bytes = async (path) => {
    const { buffer, byteOffset, byteLength } = (await request("GET", path)).buffers[0];
    return /** @type {ArrayBuffer} */ (buffer.slice(byteOffset, byteOffset + byteLength));
  };
  return {
    call: async (method, path, body) => (await request(method, path, body)).reply,
    frame: async (path) => decode(await bytes(path)),
    file: async (path) => new Blob([await bytes(path)]),
    onChange(callback, connected) {
      listeners.add(callback);
      connected(true);
      return () => listeners.delete(callback);
    },
  };
}

/** @typedef {import("./store.js").Store} Store */

/**
 * Let the selection of the page and that of the widget be one.
 * @param {Channel} channel
 * @param {Store} store
 */
export function shareSelection(channel, store) {
  const given = () => {
    const { buffer, byteOffset, byteLength } = channel.get("_selected");
    return Array.from(new Int32Array(buffer.slice(byteOffset, byteOffset + byteLength)));
  };
  const differ = () => String(given()) !== String(Array.from(store.selection.rows));
  const take = () => differ() && store.select(given(), "notebook");
  store.subscribe("selection", () => {
    if (!differ()) return;
    channel.set("_selected", new DataView(Int32Array.from(store.selection.rows).buffer));
    channel.save_changes();
  });
  channel.on("change:_selected", take);
  take();
}
