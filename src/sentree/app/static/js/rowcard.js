/** A row as a small card: its picture if it is an image, else its cells. */
import { el, spot } from "./dom.js";

/**
 * @typedef {import("./store.js").Row} Row
 * @typedef {import("./store.js").Store} Store
 */

/** Most columns of a table. */
const COLUMNS = 4;
/** Room between the pointer and the card, in pixels. */
const GAP = 14;

/**
 * Grey levels as the bytes of a picture; gaps are transparent.
 * @param {number[]} levels 0 is black, 1 is white.
 * @returns {Uint8ClampedArray<ArrayBuffer>} Four bytes for each.
 */
export function pixels(levels) {
  const bytes = new Uint8ClampedArray(4 * levels.length);
  levels.forEach((level, at) => {
    const known = Number.isFinite(level);
    const grey = known ? Math.round(255 * Math.min(1, Math.max(0, level))) : 0;
    bytes.set([grey, grey, grey, known ? 255 : 0], 4 * at);
  });
  return bytes;
}

/**
 * Draw an image; the page's style says how large.
 * @param {number[]} levels
 * @param {string} label What it is, for those who do not see it.
 * @returns {HTMLCanvasElement}
 */
export function drawImage(levels, label) {
  const side = Math.round(Math.sqrt(levels.length));
  const canvas = el("canvas", {
    class: "row-image",
    width: side,
    height: side,
    role: "img",
    "aria-label": label,
  });
  const image = new ImageData(pixels(levels.slice(0, side * side)), side, side);
  canvas.getContext("2d")?.putImageData(image, 0, 0);
  return canvas;
}

/**
 * Choose the cells to show: those of the given features first, in their order, then the others.
 * @param {Row["cells"]} cells
 * @param {string[]} first
 * @param {number} most
 */
export function chosenCells(cells, first, most) {
  const rank = new Map(first.map((name, at) => [name, at]));
  return cells
    .map((cell, at) => ({ cell, rank: rank.get(cell.name) ?? first.length + at }))
    .sort((a, b) => a.rank - b.rank)
    .slice(0, most)
    .map((one) => one.cell);
}

/**
 * Rows beside each other: pictures, or a table with a column for each row.
 * @param {Row[]} rows
 * @param {{first?: string[], most?: number}} [options] `first`: features to show first; `most`: how many.
 * @returns {HTMLElement}
 */
export function rowsCard(rows, { first = [], most = 6 } = {}) {
  if (rows.some((row) => row.image)) {
    const figures = rows.map((row) =>
      el(
        "figure",
        {},
        row.image && drawImage(row.image, `Image of row ${row.id}`),
        el("figcaption", {}, row.id),
      ),
    );
    return el("div", { class: "row-images" }, ...figures);
  }
  const shown = rows.slice(0, COLUMNS);
  const features = rows.length ? chosenCells(rows[0].cells, first, most).map((cell) => cell.name) : [];
  const text = (/** @type {Row} */ row, /** @type {string} */ name) =>
    row.cells.find((cell) => cell.name === name)?.text ?? "";
  return el(
    "table",
    { class: "row-table" },
    el(
      "thead",
      {},
      el("tr", {}, el("td"), ...shown.map((row) => el("th", { scope: "col", title: row.id }, row.id))),
    ),
    el(
      "tbody",
      {},
      ...features.map((name) =>
        el(
          "tr",
          {},
          el("th", { scope: "row", title: name }, name),
          ...shown.map((row) => el("td", { title: text(row, name) }, text(row, name))),
        ),
      ),
    ),
  );
}

/**
 * A row with all that is known of it.
 * @param {Row} row
 * @param {Store} store
 * @param {number} [most] Most cells to show.
 */
export function rowCard(row, store, most = 8) {
  const cluster = store.clusterOf(row.row);
  const cells = row.image ? [] : chosenCells(row.cells, [], most);
  const hidden = row.image ? 0 : row.cells.length - cells.length;
  return el(
    "div",
    { class: "row-card" },
    el("div", { class: "row-title" }, row.id),
    row.image && drawImage(row.image, `Image of row ${row.id}`),
    cells.length > 0 &&
      el(
        "dl",
        { class: "row-cells" },
        ...cells.map(({ name, text }) => el("div", {}, el("dt", {}, name), el("dd", {}, text))),
      ),
    hidden > 0 && el("div", { class: "quiet small" }, `and ${hidden.toLocaleString("en")} more`),
    cluster &&
      el(
        "div",
        { class: "row-cluster" },
        spot(store.colourOf(cluster)),
        el("span", {}, cluster.name),
        el("span", { class: "quiet" }, `strength ${row.strength.toFixed(2)}`),
      ),
    row.said && el("div", { class: "small" }, `Said: ${row.said}`),
  );
}

/**
 * Where a card goes: beside the point, on the side that has room, inside the window.
 * @param {{x: number, y: number}} at
 * @param {{width: number, height: number}} card
 * @param {{width: number, height: number}} room
 */
export function beside(at, card, room) {
  const right = at.x + GAP + card.width <= room.width;
  const x = right ? at.x + GAP : at.x - GAP - card.width;
  const y = Math.min(at.y + GAP, room.height - card.height - 4);
  return { x: Math.max(4, Math.min(x, room.width - card.width - 4)), y: Math.max(4, y) };
}

/**
 * The card of the row under the pointer.
 * @param {HTMLElement} element
 * @param {Store} store
 */
export function mount(element, store) {
  const hide = () => {
    element.hidden = true;
  };
  const place = () => {
    const at = store.hoveredAt ?? { x: 0, y: 0 };
    const { x, y } = beside(at, element.getBoundingClientRect(), { width: innerWidth, height: innerHeight });
    element.style.left = `${x}px`;
    element.style.top = `${y}px`;
  };
  /** @type {number | null} */
  let drawn = null;
  store.subscribe("hover", async () => {
    const wanted = store.hovered;
    if (wanted === null) return hide();
    if (wanted === drawn && !element.hidden) return place();
    const [row] = await store.rows([wanted]).catch(() => []);
    if (store.hovered !== wanted) return;
    if (!row) return hide();
    drawn = wanted;
    element.replaceChildren(rowCard(row, store));
    element.hidden = false;
    place();
  });
  store.subscribe("labels", hide);
}
