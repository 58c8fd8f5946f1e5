/** The list of clusters: select, rename, merge, split. */
import { ask, choose, count, counted, el, menuButton, spot } from "./dom.js";
import { drawImage } from "./rowcard.js";

/**
 * @typedef {import("./store.js").Store} Store
 * @typedef {import("./store.js").Cluster} Cluster
 */

/** Typical rows of a cluster that are shown where rows are images, and most of all clusters. */
const TYPICAL = 5;
const MOST = 500;

/**
 * @param {HTMLElement} element
 * @param {Store} store
 */
export function mount(element, store) {
  const title = el("h2");
  const list = el("ul", { class: "cluster-list" });
  element.append(title, list);
  /** @type {Map<number, string>} */
  let sentences = new Map();
  /** @type {Map<number, import("./store.js").Row>} typical rows, where rows are images */
  let images = new Map();
  const draw = () => {
    const clusters = store.state?.clusters ?? [];
    title.textContent = clusters.length ? counted(clusters.length, "cluster") : "Clusters";
    const focused = /** @type {HTMLElement | null} */ (document.activeElement)?.dataset.cluster;
    list.replaceChildren(...[...clusters].sort((a, b) => b.size - a.size)
      .map((cluster) => item(store, cluster, sentences.get(cluster.number), images)));
    if (focused) /** @type {HTMLElement | null} */ (list.querySelector(`[data-cluster="${focused}"]`))?.focus();
    mark();
  };
  const mark = () => {
    const all = store.selection.origin === "cluster" ? new Set(store.selection.rows.map((row) => store.labels?.cluster[row])) : new Set();
    for (const button of /** @type {NodeListOf<HTMLElement>} */ (list.querySelectorAll("[data-cluster]"))) {
      button.setAttribute("aria-pressed", String(all.has(Number(button.dataset.cluster))));
    }
  };
  store.subscribe("state", async () => {
    draw();
    if (!store.state?.clusters?.length || store.state.status.phase !== "ready") return;
    const { version } = store.state;
    if (store.state.data.image) {
      // values of pixels would tell nobody what makes a cluster
      const typical = store.state.clusters.flatMap((cluster) => cluster.typical.slice(0, TYPICAL)).slice(0, MOST);
      const rows = await store.rows(typical).catch(() => []);
      if (store.state?.version !== version) return;
      images = new Map(rows.map((row) => [row.row, row]));
      sentences = new Map();
      return draw();
    }
    images = new Map();
    const profiles = await store.profiles().catch(() => null);
    if (!profiles || store.state?.version !== version) return;
    sentences = new Map(profiles.clusters.map(({ number, sentence }) => [number, sentence]));
    draw();
  });
  store.subscribe("theme", draw);
  store.subscribe("selection", mark);
}

/**
 * @param {Store} store
 * @param {Cluster} cluster
 * @param {string | undefined} sentence
 * @param {Map<number, import("./store.js").Row>} images
 */
function item(store, cluster, sentence, images) {
  const pictures = cluster.typical.slice(0, TYPICAL).flatMap((row) => {
    const image = images.get(row)?.image;
    return image ? drawImage(image, `Row ${row}`) : [];
  });
  const light = () => store.light(cluster.typical);
  const dark = () => store.light([]);
  const facts = [`strength ${cluster.strength.toFixed(2)}`];
  if (cluster.support !== null) facts.push(`support ${Math.round(100 * cluster.support)} %`);
  const strength = el("span", { class: "meter", "aria-hidden": "true" }, el("span"));
  const bar = /** @type {HTMLElement} */ (strength.firstChild);
  bar.style.width = `${Math.round(100 * Math.max(0, Math.min(1, cluster.strength)))}%`;
  bar.style.background = store.colourOf(cluster);
  return el("li", { onpointerenter: light, onpointerleave: dark },
    el("button", {
      class: "cluster", "data-cluster": cluster.number, "aria-pressed": "false",
      title: "Select the points of this cluster. With Shift: add them to the selection",
      onclick: (/** @type {MouseEvent} */ event) => store.select(store.rowsOf(cluster.number), "cluster", event.shiftKey ? "add" : "replace"),
      onfocus: light, onblur: dark,
    },
      el("span", { class: "line" }, spot(store.colourOf(cluster)), el("span", { class: "name" }, cluster.name), el("span", { class: "size" }, count(cluster.size))),
      strength,
      el("span", { class: "small quiet" }, facts.join(", ")),
      pictures.length ? el("span", { class: "thumbs", "aria-hidden": "true" }, ...pictures) : null,
      sentence ? el("span", { class: "small sentence", title: sentence }, sentence) : null),
    menuButton(`More about ${cluster.name}`, () => [
      { label: "Rename …", run: () => rename(store, cluster) },
      { label: "Merge with …", disabled: (store.state?.clusters.length ?? 0) < 2, run: () => merge(store, cluster) },
      { label: "Split …", disabled: cluster.size < 2, run: () => split(store, cluster) },
      { label: "Select its points", run: () => store.select(store.rowsOf(cluster.number), "cluster") },
      { label: "Show on the map", run: () => store.show(store.rowsOf(cluster.number)) },
    ]));
}

/**
 * Say it; what goes wrong has been told by the store.
 * @param {Store} store
 * @param {import("./store.js").Said} statement
 */
const say = (store, statement) => store.say({ origin: "cluster", ...statement }).catch(() => undefined);

/**
 * @param {Store} store
 * @param {Cluster} cluster
 */
async function rename(store, cluster) {
  const name = await ask({ title: `Rename ${cluster.name}`, label: "New name", value: cluster.name, ok: "Rename" });
  if (name && name !== cluster.name) await say(store, { kind: "rename", row: cluster.typical[0], name });
}

/**
 * @param {Store} store
 * @param {Cluster} cluster
 */
async function merge(store, cluster) {
  const others = (store.state?.clusters ?? []).filter((other) => other.number !== cluster.number);
  const row = await choose({
    title: `Merge ${cluster.name} with which cluster?`,
    options: others.map((other) => ({
      label: `${other.name} (${count(other.size)})`, colour: store.colourOf(other), value: other.typical[0],
    })),
  });
  if (row !== undefined) await say(store, { kind: "merge", rows: [cluster.typical[0], row] });
}

/**
 * @param {Store} store
 * @param {Cluster} cluster
 */
async function split(store, cluster) {
  const into = await ask({ title: `Split ${cluster.name}`, label: "Into how many clusters?", value: "2", type: "number", ok: "Split" });
  if (into) await say(store, { kind: "split", row: cluster.typical[0], into: Number(into) });
}
