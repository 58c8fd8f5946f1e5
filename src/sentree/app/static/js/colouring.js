/** What the points are coloured by: a code for each row and the colours and legend of the codes. */
import { clusterColour, nothing, scaleColour, STEPS } from "./colours.js";

/**
 * @typedef {{label: string, colour: string}} Entry
 * @typedef {{codes: Uint16Array, palette: string[], legend: Entry[],
 *   range: [number, number] | null, title: string}} Colouring
 *   codes: of all rows; range: of numbers, whose legend is a scale
 * @typedef {import("./store.js").Store} Store
 */

/** Most entries of a legend; the others are summed up. */
const LEGEND = 14;

/**
 * Codes of numbers: 0 to STEPS - 1 by size, STEPS where there is none.
 * @param {ArrayLike<number>} values
 * @param {number} min
 * @param {number} max
 */
export function steps(values, min, max) {
  const width = max > min ? max - min : 1;
  return Uint16Array.from(values, (value) =>
    Number.isNaN(value)
      ? STEPS
      : Math.max(0, Math.min(STEPS - 1, Math.floor(((value - min) / width) * STEPS))),
  );
}

/**
 * @param {string} title
 * @param {ArrayLike<number>} values
 * @param {number} min
 * @param {number} max
 * @param {boolean} dark
 * @returns {Colouring}
 */
function byNumber(title, values, min, max, dark) {
  const palette = Array.from({ length: STEPS }, (_, i) => scaleColour(i / (STEPS - 1)));
  palette.push(nothing(dark));
  return { title, codes: steps(values, min, max), palette, legend: [], range: [min, max] };
}

/**
 * @param {string} title
 * @param {ArrayLike<number>} codes  -1: nothing
 * @param {string[]} names
 * @param {boolean} dark
 * @param {string} gapName  what no code means
 * @returns {Colouring}
 */
function byCategory(title, codes, names, dark, gapName) {
  const palette = names.map((_, i) => clusterColour(i, dark));
  const legend = names.slice(0, LEGEND).map((label, i) => ({ label, colour: palette[i] }));
  if (names.length > LEGEND) {
    legend.push({ label: `and ${names.length - LEGEND} more`, colour: "transparent" });
  }
  const gap = palette.push(nothing(dark)) - 1;
  const full = Uint16Array.from(codes, (code) => (code < 0 ? gap : code));
  if (full.includes(gap)) legend.push({ label: gapName, colour: palette[gap] });
  return { title, codes: full, palette, legend, range: null };
}

/**
 * The colours as the store asks for them.
 * @param {Store} store  with a state and labels
 * @returns {Promise<Colouring>}
 */
export async function colouring(store) {
  const { state, labels, colourBy, dark } = store;
  if (!state || !labels) throw new Error("there is nothing to colour yet");
  if (colourBy === "strength") {
    return byNumber("Strength of each row", labels.strength, 0, 1, dark);
  }
  if (colourBy === "changed") {
    const codes = Array.from(labels.changed, (yes) => (yes ? 0 : -1));
    return byCategory("The last change", codes, ["moved"], dark, "not moved");
  }
  if (colourBy === "said" || colourBy.startsWith("column:")) {
    const name = colourBy === "said" ? "said" : colourBy.slice("column:".length);
    const title = colourBy === "said" ? "What was said" : name;
    const { header, arrays } = await store.column(name);
    return header.kind === "number"
      ? byNumber(title, arrays.value, header.min, header.max, dark)
      : byCategory(title, arrays.code, header.legend, dark, colourBy === "said" ? "nothing said" : "no value");
  }
  return byCluster(store);
}

/**
 * The colours of the clusters: codes are their places in the state's list.
 * @param {Store} store
 * @returns {Colouring}
 */
export function byCluster({ state, labels, dark }) {
  const clusters = state?.clusters ?? [];
  const place = new Map(clusters.map((cluster, i) => [cluster.number, i]));
  const palette = clusters.map((cluster) => clusterColour(cluster.colour, dark));
  const gap = palette.push(nothing(dark)) - 1;
  const codes = Uint16Array.from(labels?.cluster ?? [], (number) => place.get(number) ?? gap);
  return { title: "Cluster", codes, palette, legend: [], range: null };
}

/**
 * Colours on the way from one to the next: rows that change get a code for each pair of colours, and
 * the palette at a time says where these are.
 * @param {{codes: Uint16Array, palette: string[]}} from
 * @param {{codes: Uint16Array, palette: string[]}} to
 * @param {(from: string, to: string, share: number) => string} mix
 * @returns {{codes: Uint16Array, at: (share: number) => string[], n: number}}
 */
export function blend(from, to, mix) {
  /** @type {Map<string, number>} */
  const places = new Map();
  /** @type {[string, string][]} */
  const pairs = [];
  let n = 0;
  const codes = Uint16Array.from(to.codes, (code, row) => {
    const [before, after] = [from.palette[from.codes[row]], to.palette[code]];
    if (before === after || before === undefined) return code;
    n++;
    const key = `${before}${after}`;
    let place = places.get(key);
    if (place === undefined) {
      place = to.palette.length + pairs.push([before, after]) - 1;
      places.set(key, place);
    }
    return place;
  });
  return {
    codes,
    n,
    at: (share) => [...to.palette, ...pairs.map(([before, after]) => mix(before, after, share))],
  };
}
