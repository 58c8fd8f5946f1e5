/**
 * How the page reaches the program that clusters: here by HTTP. The notebook widget brings another
 * object with the same methods.
 */
import { decode } from "./frames.js";

/**
 * @typedef {object} Transport
 * @property {(method: string, path: string, body?: any) => Promise<any>} call  a request and its
 *   JSON reply; a refusal rejects with an Error whose message is for people. A body that is a Blob
 *   goes as it is, anything else as JSON. Paths start with "/api/"
 * @property {(path: string) => Promise<import("./frames.js").Frame>} frame  a request for arrays
 * @property {(path: string) => Promise<Blob>} file  a request for a file (the exports)
 * @property {(callback: (event: {version: number, status: any}) => void,
 *   connected: (yes: boolean) => void) => (() => void)} onChange  calls back whenever the state on
 *   the other side is a new one; the result ends it
 */

/** What the page says when no answer comes at all. */
const UNREACHABLE =
  "The program that draws this page does not answer. Is `sentree app` still running?";

/**
 * @param {string} path
 * @param {RequestInit} options
 * @returns {Promise<Response>}
 */
async function request(path, options) {
  /** @type {Response} */
  let response;
  try {
    response = await fetch(path, options);
  } catch {
    throw new Error(UNREACHABLE);
  }
  if (!response.ok) {
    const reply = await response.json().catch(() => ({}));
    throw new Error(reply.error || `The request failed (${response.status}).`);
  }
  return response;
}

/**
 * Tabs that are not seen do not listen: browsers have six connections for each address, and a tab
 * that listens keeps one.
 * @returns {Transport}
 */
export function http() {
  return {
    async call(method, path, body) {
      /** @type {RequestInit} */
      const options = { method };
      if (body instanceof Blob) {
        options.body = body;
      } else if (body !== undefined) {
        options.body = JSON.stringify(body);
        options.headers = { "Content-Type": "application/json" };
      }
      return (await request(path, options)).json();
    },
    async frame(path) {
      return decode(await (await request(path, {})).arrayBuffer());
    },
    async file(path) {
      return (await request(path, {})).blob();
    },
    onChange(callback, connected) {
      /** @type {EventSource | null} */
      let events = null;
      const listen = () => {
        if (document.hidden) {
          events?.close();
          events = null;
        } else if (!events) {
          events = new EventSource("/api/events"); // begins with the present state
          events.addEventListener("state", (event) => callback(JSON.parse(event.data)));
          events.addEventListener("open", () => connected(true));
          events.addEventListener("error", () => connected(false));
        }
      };
      document.addEventListener("visibilitychange", listen);
      listen();
      return () => {
        document.removeEventListener("visibilitychange", listen);
        events?.close();
      };
    },
  };
}
