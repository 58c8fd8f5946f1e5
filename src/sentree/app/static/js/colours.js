/**
 * Colours. Clusters: seven of Okabe and Ito and three more, told apart by people with any kind of
 * colour vision; further slots repeat them lighter and darker. Numbers: viridis.
 */

/** Okabe and Ito without black, and three more; grey is kept for "nothing". */
const BASE = [
  "#0072b2", // blue
  "#e69f00", // orange
  "#009e73", // green
  "#cc79a7", // pink
  "#56b4e9", // sky
  "#d55e00", // vermilion
  "#d6c700", // yellow, a little darker than the original so that it is seen on white
  "#6a3d9a", // violet
  "#8c6d46", // brown
  "#882255", // wine
];
/** How much of white (above 0) or black (below 0) is mixed in at each round of the slots. */
const ROUNDS = [0, 0.45, -0.4, 0.7, -0.65];

/** Five points of viridis. */
const VIRIDIS = ["#440154", "#3b528b", "#21918c", "#5ec962", "#fde725"];
/** Steps of a colour scale. */
export const STEPS = 64;

/**
 * @param {string} colour  #rrggbb
 * @returns {[number, number, number]}
 */
export function parse(colour) {
  const value = parseInt(colour.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

/**
 * @param {string} from
 * @param {string} to
 * @param {number} share  0: from, 1: to
 */
export function mix(from, to, share) {
  const [a, b] = [parse(from), parse(to)];
  const parts = a.map((value, i) => Math.round(value + (b[i] - value) * share));
  return `#${parts.map((value) => value.toString(16).padStart(2, "0")).join("")}`;
}

/**
 * The colour of a slot.
 * @param {number} slot
 * @param {boolean} dark  whether the page is dark: dark colours are lifted a little
 */
export function clusterColour(slot, dark) {
  const colour = BASE[slot % BASE.length];
  const round = ROUNDS[Math.floor(slot / BASE.length) % ROUNDS.length];
  const mixed = mix(colour, round > 0 ? "#ffffff" : "#000000", Math.abs(round));
  return dark ? mix(mixed, "#ffffff", 0.18) : mixed;
}

/** @param {boolean} dark  the colour of what has no value or is not meant */
export function nothing(dark) {
  return dark ? "#4a5058" : "#c9ced4";
}

/**
 * A colour of the scale of numbers.
 * @param {number} share  0 to 1
 */
export function scaleColour(share) {
  const at = Math.min(Math.max(share, 0), 1) * (VIRIDIS.length - 1);
  const i = Math.min(Math.floor(at), VIRIDIS.length - 2);
  return mix(VIRIDIS[i], VIRIDIS[i + 1], at - i);
}
