/**
 * The store: all that the panels share. A panel is a module with `mount(element, store)`.
 *
 * Read:
 *   store.state      the state as the server tells it (`State`, null before the first answer)
 *   store.labels     {version, cluster, strength, changed}: arrays of all rows (null before)
 *   store.map        {xy, rows, density, n}: the map; rows is null unless it is sampled (null before)
 *   store.selection  {rows, origin}: the rows that are selected (sorted) and how
 *   store.kept       the selection that was put aside as A, or null
 *   store.colourBy   "cluster", "strength", "said", "changed" or "column:NAME"
 *   store.hovered    the row under the pointer, or null
 * Listen: `store.subscribe(topic, callback)` calls back at every change; the result ends it. Topics:
 *   "state", "labels", "map", "selection", "kept", "colour", "hover", "lit", "show", "theme",
 *   "message", "connected".
 * Do:
 *   store.select(rows, origin, how)  how: "replace" (default), "add", "remove"
 *   store.clear(), store.keep() (the selection becomes A), store.unkeep()
 *   store.light(rows)     rows to light up on the map for a while (hovering a list); [] ends it
 *   store.show(rows)      moves the map so that these rows are seen
 *   store.hover(row, at)  shows the card of a row; at: {x, y} on the screen; null hides it
 *   store.say(statement)  POST /api/say; store.undo(), store.redo(), store.remove(id)
 *   store.call(method, path, body)  any other request; errors are shown as a message and rethrown
 *   store.tell(text, kind)  a message for people; kind: "note" (default) or "error"
 * Ask (replies are kept until the next version):
 *   store.column(name), store.tree() -> Promise of a Frame; store.profiles() -> Promise
 *   store.rows(rows) -> Promise of the cards {row, id, cluster, strength, said, cells, image}
 *   store.rowsOf(number) -> the rows of a cluster; store.clusterOf(row) -> its entry in the state
 *   store.colourOf(cluster entry) -> the colour of a cluster as CSS, as the map draws it
 */
import { clusterColour } from "./colours.js";

/**
 * @typedef {{number: number, colour: number, name: string, size: number, strength: number,
 *   support: number | null, typical: number[]}} Cluster
 * @typedef {{id: number, kind: string, text: string, rows: number[], n_rows: number,
 *   links: [number, number][], origin: string, who: string, when: string,
 *   state: "active" | "undone", verdict: "kept" | "broken" | "contradicting" | "applied" | "pending",
 *   broken: number, proof: string[]}} Statement
 * @typedef {{answers: number, certainty: number, left: number | null, text: string}} Progress
 * @typedef {{phase: "empty" | "fitting" | "ready" | "failed", stage: string, share: number | null,
 *   message: string | null}} Status
 * @typedef {{name: string, kind: "number" | "category"}} Feature
 * @typedef {object} State
 * @property {number} version
 * @property {{name: string, path: string}} project
 * @property {{name: string, n: number, features: Feature[], columns: string[],
 *   id_name: string, image: {side: number} | null}} data
 * @property {Status} status
 * @property {Cluster[]} clusters
 * @property {Statement[]} statements
 * @property {boolean} can_undo
 * @property {boolean} can_redo
 * @property {string[]} classes
 * @property {{asked: number | null, found: number, text: string,
 *   evidence: {k: number, value: number}[]}} scale
 * @property {{n: number, by: number | null}} moved
 * @property {Progress} progress
 *
 * @typedef {{version: number, cluster: Int32Array, strength: Float32Array, changed: Uint8Array}} Labels
 * @typedef {{n: number, xy: Float32Array, rows: Int32Array | null, source: string,
 *   density: {width: number, height: number, value: Float32Array} | null}} Points
 * @typedef {{rows: number[], origin: string}} Selection
 * @typedef {{row: number, id: string, cluster: number, strength: number, said: string | null,
 *   cells: {name: string, text: string}[], image: number[] | null}} Row
 * @typedef {{kind: string, rows?: number[], others?: number[], class?: string, row?: number,
 *   to_row?: number | null, into?: number, name?: string, k?: number | null, origin?: string}} Said
 * @typedef {{profiles: {version: number,
 *   clusters: {number: number, sentence: string, traits: {feature: string, text: string}[]}[]}}} Replies
 * @typedef {"state" | "labels" | "map" | "selection" | "kept" | "colour" | "hover" | "lit" | "show"
 *   | "theme" | "message" | "connected"} Topic
 */

/** How many row cards are kept. */
const ROWS_KEPT = 5000;
/** Milliseconds within which clusters usually follow a statement. */
const SOON = 400;

/**
 * The rows of `rows` and of `more` together, sorted and each once.
 * @param {Iterable<number>} rows
 * @param {Iterable<number>} [more]
 */
export function union(rows, more = []) {
  const all = new Set(rows);
  for (const row of more) all.add(row);
  return Int32Array.from(all).sort();
}

export class Store {
  /** @param {import("./transport.js").Transport} transport */
  constructor(transport) {
    this.transport = transport;
    /** @type {State | null} */
    this.state = null;
    /** @type {Labels | null} */
    this.labels = null;
    /** @type {Points | null} */
    this.map = null;
    /** @type {Selection} */
    this.selection = { rows: [], origin: "click" };
    /** @type {Selection | null} */
    this.kept = null;
    this.colourBy = "cluster";
    this.dark = false;
    /** @type {number | null} */
    this.hovered = null;
    /** @type {{x: number, y: number} | null} */
    this.hoveredAt = null;
    /** @type {number[]} */
    this.lit = [];
    /** @type {number[]} */
    this.shown = [];
    this.message = { text: "", kind: "note" };
    this.connected = true;
    /** @type {Map<string, Set<() => void>>} */
    this.listeners = new Map();
    /** @type {Map<string, Promise<any>>} */
    this.replies = new Map();
    /** @type {Map<number, Row>} */
    this.cards = new Map();
    /** @type {string | null} */
    this.mapKey = null;
    this.refreshing = false;
    this.stale = false;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.soon = undefined;
  }

  /**
   * @param {Topic} topic
   * @param {() => void} callback
   * @returns {() => void}
   */
  subscribe(topic, callback) {
    let set = this.listeners.get(topic);
    if (!set) this.listeners.set(topic, (set = new Set()));
    set.add(callback);
    return () => set.delete(callback);
  }

  /** @param {Topic} topic */
  emit(topic) {
    for (const callback of this.listeners.get(topic) ?? []) callback();
  }

  // ---- what the server knows

  /** Fetch the state and follow its changes. */
  async start() {
    this.transport.onChange(
      ({ status }) => (status.phase === "fitting" ? this.refreshSoon() : this.refresh()),
      (yes) => {
        if (yes === this.connected) return;
        this.connected = yes;
        this.emit("connected");
        if (yes) this.refresh();
      },
    );
    await this.refresh();
  }

  /** Fetch what is new in a moment, unless there are new clusters before: to be asked now would delay them. */
  refreshSoon() {
    this.soon ??= setTimeout(() => this.refresh(), SOON);
  }

  /** Fetch what is new. Calls while one is under way are taken together. */
  async refresh() {
    clearTimeout(this.soon);
    this.soon = undefined;
    this.stale = true;
    if (this.refreshing) return;
    this.refreshing = true;
    try {
      while (this.stale) {
        this.stale = false;
        await this.fetchState();
      }
    } catch (error) {
      this.tell(/** @type {Error} */ (error).message, "error");
    } finally {
      this.refreshing = false;
    }
  }

  async fetchState() {
    /** @type {State} */
    const state = await this.transport.call("GET", "/api/state");
    for (const cluster of state.clusters ?? []) cluster.name ||= `Cluster ${cluster.number}`;
    const key = `${state.project?.path} ${state.data?.name} ${state.data?.n}`;
    const isNewData = key !== this.mapKey;
    if (isNewData) {
      this.map = this.labels = this.kept = null;
      this.selection = { rows: [], origin: "click" };
      this.mapKey = key;
    }
    if (isNewData || state.version !== this.state?.version) {
      this.replies.clear();
      this.cards.clear();
    }
    if (state.clusters?.length) {
      if (!this.map) await this.fetchMap();
      if (this.labels?.version !== state.version) {
        const { header, arrays } = await this.transport.frame("/api/labels");
        this.labels = /** @type {any} */ ({ version: header.version, ...arrays });
        if (header.version !== state.version) this.stale = true; // the clusters have changed meanwhile
      }
    }
    this.state = state;
    if (isNewData) {
      this.emit("map");
      this.emit("selection");
      this.emit("kept");
    }
    this.emit("state");
    this.emit("labels");
  }

  async fetchMap() {
    const { header, arrays } = await this.transport.frame("/api/map");
    const density = header.density && {
      ...header.density,
      value: /** @type {Float32Array} */ (arrays.density),
    };
    this.map = {
      n: header.n,
      source: header.source,
      xy: /** @type {Float32Array} */ (arrays.xy),
      rows: header.sampled ? /** @type {Int32Array} */ (arrays.rows) : null,
      density,
    };
    this.emit("map");
  }

  /**
   * A reply that holds for this version.
   * @param {string} key
   * @param {() => Promise<any>} ask
   */
  once(key, ask) {
    let reply = this.replies.get(key);
    if (!reply) {
      reply = ask();
      this.replies.set(key, reply);
      reply.catch(() => this.replies.delete(key));
    }
    return reply;
  }

  /**
   * @param {string} name
   * @returns {Promise<import("./frames.js").Frame>}
   */
  column(name) {
    const path = `/api/column?name=${encodeURIComponent(name)}`;
    return this.once(path, () => this.transport.frame(path));
  }

  /** @returns {Promise<import("./frames.js").Frame>} */
  tree() {
    return this.once("tree", () => this.transport.frame("/api/tree"));
  }

  /** @returns {Promise<Replies["profiles"]>} */
  profiles() {
    return this.once("profiles", () => this.transport.call("GET", "/api/profiles"));
  }

  /**
   * @param {number[]} rows
   * @returns {Promise<Row[]>}
   */
  async rows(rows) {
    const missing = rows.filter((row) => !this.cards.has(row));
    if (missing.length) {
      const cards = this.cards;
      if (cards.size > ROWS_KEPT) cards.clear();
      const reply = await this.transport.call("POST", "/api/rows", { rows: missing });
      for (const row of reply.rows) cards.set(row.row, row);
      return rows.flatMap((row) => cards.get(row) ?? []);
    }
    return rows.flatMap((row) => this.cards.get(row) ?? []);
  }

  /**
   * @param {number} number
   * @returns {number[]}
   */
  rowsOf(number) {
    /** @type {number[]} */
    const rows = [];
    this.labels?.cluster.forEach((cluster, row) => {
      if (cluster === number) rows.push(row);
    });
    return rows;
  }

  /**
   * @param {number} row
   * @returns {Cluster | undefined}
   */
  clusterOf(row) {
    const number = this.labels?.cluster[row];
    return this.state?.clusters.find((cluster) => cluster.number === number);
  }

  /** @param {Cluster} cluster */
  colourOf(cluster) {
    return clusterColour(cluster.colour, this.dark);
  }

  // ---- what people do

  /**
   * A request. What goes wrong is told and thrown again.
   * @param {string} method
   * @param {string} path
   * @param {any} [body]
   */
  async call(method, path, body) {
    try {
      return await this.transport.call(method, path, body);
    } catch (error) {
      this.tell(/** @type {Error} */ (error).message, "error");
      throw error;
    }
  }

  /** @param {Said} statement */
  async say(statement) {
    const reply = await this.call("POST", "/api/say", statement);
    this.refreshSoon();
    return reply;
  }

  async undo() {
    const reply = await this.call("POST", "/api/undo", {});
    this.refreshSoon();
    return reply;
  }

  async redo() {
    const reply = await this.call("POST", "/api/redo", {});
    this.refreshSoon();
    return reply;
  }

  /** @param {number} id  of a statement */
  async remove(id) {
    await this.call("DELETE", `/api/statements/${id}`);
    this.refreshSoon();
  }

  /**
   * @param {string} text
   * @param {"note" | "error"} [kind]
   */
  tell(text, kind = "note") {
    this.message = { text, kind };
    this.emit("message");
  }

  // ---- what is selected and shown

  /**
   * @param {Iterable<number>} rows
   * @param {string} origin  "lasso", "click", "cluster", "branch", "filter: TEXT" or "list"
   * @param {"replace" | "add" | "remove"} [how]
   */
  select(rows, origin, how = "replace") {
    /** @type {Iterable<number>} */
    let chosen = rows;
    if (how === "remove") {
      const gone = new Set(rows);
      chosen = this.selection.rows.filter((row) => !gone.has(row));
    }
    const all = how === "add" ? union(this.selection.rows, chosen) : union(chosen);
    this.selection = { rows: Array.from(all), origin };
    this.emit("selection");
  }

  clear() {
    if (!this.selection.rows.length) return;
    this.select([], "click");
  }

  /** Put the selection aside as A: the next one is compared with it. */
  keep() {
    this.kept = this.selection;
    this.selection = { rows: [], origin: "click" };
    this.emit("kept");
    this.emit("selection");
  }

  unkeep() {
    this.kept = null;
    this.emit("kept");
  }

  /** @param {number[]} rows */
  light(rows) {
    this.lit = rows;
    this.emit("lit");
  }

  /** @param {number[]} rows */
  show(rows) {
    this.shown = rows;
    this.emit("show");
  }

  /**
   * @param {number | null} row
   * @param {{x: number, y: number} | null} [at]
   */
  hover(row, at = null) {
    if (row === this.hovered && row === null) return;
    this.hovered = row;
    this.hoveredAt = at;
    this.emit("hover");
  }

  /** @param {string} by */
  colour(by) {
    this.colourBy = by;
    this.emit("colour");
  }

  /** @param {boolean} dark */
  theme(dark) {
    this.dark = dark;
    this.emit("theme");
  }
}
