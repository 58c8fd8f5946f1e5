// A row as a small card: its picture if it is an image, else its cells.

/**
 * @typedef {{row: number, id: string, cluster: number, strength: number, said: string | null,
 *   cells: {name: string, text: string}[], image: number[] | null}} Row
 * @typedef {{call: (method: string, path: string, body?: any) => Promise<any>}} Transport
 * @typedef {{state: any, transport: Transport}} RowSource
 */

/** What has been fetched, for each page; forgotten when what is known of rows may have changed.
 * @type {WeakMap<object, {version: any, rows: Map<number, Promise<Row | null>>}>} */
const kept = new WeakMap();

/**
 * Fetch rows, each once as long as nothing changes. Rows that the server does not know are left out.
 * @param {RowSource} store
 * @param {Iterable<number>} wanted
 * @returns {Promise<Row[]>} In the order asked for.
 */
export async function fetchRows(store, wanted) {
  const version = store.state?.version;
  let mine = kept.get(store);
  if (!mine || mine.version !== version) {
    mine = { version, rows: new Map() };
    kept.set(store, mine);
  }
  const known = mine.rows;
  const asked = [...wanted];
  const missing = [...new Set(asked)].filter((row) => !known.has(row));
  if (missing.length) {
    const reply = store.transport.call("POST", "/api/rows", { rows: missing });
    for (const row of missing) {
      const found = reply.then((all) => all.rows.find((/** @type {Row} */ one) => one.row === row) ?? null);
      found.catch(() => known.delete(row));
      known.set(row, found);
    }
  }
  const rows = await Promise.all(asked.map((row) => known.get(row) ?? null));
  return /** @type {Row[]} */ (rows.filter(Boolean));
}

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
  const canvas = document.createElement("canvas");
  const side = Math.round(Math.sqrt(levels.length));
  canvas.width = canvas.height = side;
  canvas.className = "row-image";
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", label);
  canvas.getContext("2d")?.putImageData(new ImageData(pixels(levels.slice(0, side * side)), side, side), 0, 0);
  return canvas;
}

/**
 * Choose the cells to show: those of the given features first, in their order, then the others.
 * @param {{name: string, text: string}[]} cells
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
 * @param {Row} row
 * @param {{cells?: number, first?: string[], title?: string, large?: boolean}} [options] `cells`: most
 *   cells to show; `first`: features to show first; `title`: instead of the id ("" for none).
 * @returns {HTMLElement}
 */
export function rowCard(row, { cells = 6, first = [], title, large = false } = {}) {
  const card = document.createElement("div");
  card.className = large ? "row-card large" : "row-card";
  const name = title ?? String(row.id);
  if (name) {
    const heading = document.createElement("div");
    heading.className = "row-title";
    heading.textContent = name;
    heading.title = name;
    card.append(heading);
  }
  if (row.image) {
    card.classList.add("is-image");
    card.append(drawImage(row.image, `Image of row ${row.id}`));
    return card;
  }
  const shown = chosenCells(row.cells, first, cells);
  const list = document.createElement("dl");
  list.className = "row-cells";
  for (const cell of shown) {
    const pair = document.createElement("div");
    const term = document.createElement("dt");
    term.textContent = cell.name;
    const value = document.createElement("dd");
    value.textContent = value.title = cell.text;
    pair.append(term, value);
    list.append(pair);
  }
  card.append(list);
  const hidden = row.cells.length - shown.length;
  if (hidden > 0) {
    const more = document.createElement("div");
    more.className = "row-more";
    more.textContent = `and ${hidden.toLocaleString("en")} more`;
    card.append(more);
  }
  return card;
}
