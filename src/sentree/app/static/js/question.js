/** What the panel of questions shows, as plain data. */
import { counted } from "./dom.js";

/**
 * @typedef {{id: any, kind: string, point: number, group: number[], n_settled: number, text: string,
 *   options: {rows: number[], cluster: number, name: string | null, probability: number}[],
 *   differs: {feature: string, here: string, there: string}[]}} Question
 * @typedef {number | "new" | "unsure" | {class: string}} Reply A number is that of an option, from 0.
 * @typedef {import("./store.js").Progress} Progress
 * @typedef {import("./store.js").Cluster} Cluster
 */

/** Most rows in question that are shown, typical rows of an option, and features that differ. */
const SHOWN = 5,
  TYPICAL = 3,
  DIFFERS = 4;

/**
 * @param {number} share
 * @returns {string} In percent; never "0 %" or "100 %" of what is only nearly so.
 */
export function percent(share) {
  const rounded = Math.round(100 * share);
  if (share > 0 && rounded === 0) return "<1 %";
  if (share < 1 && rounded === 100) return ">99 %";
  return `${rounded} %`;
}

/**
 * @param {Progress | null | undefined} progress
 * @returns {string} Such as "81 % sure, about 4 more answers".
 */
export function progressText(progress) {
  if (!progress) return "";
  if (progress.text) return progress.text;
  const sure = `${percent(progress.certainty)} sure`;
  if (progress.left === null || progress.left === undefined) return sure;
  return progress.left > 0 ? `${sure}, about ${counted(progress.left, "more answer")}` : sure;
}

/**
 * @param {Question} question
 * @param {Pick<Cluster, "number" | "name" | "colour" | "size">[]} clusters
 */
export function view(question, clusters) {
  const asked = [question.point, ...question.group.filter((row) => row !== question.point)];
  const settled = Math.max(question.n_settled ?? 1, 1);
  const numbers = question.options.map((option) => option.cluster);
  // Several options may be parts of one cluster: then its name alone does not tell them apart.
  const alike = new Set(numbers.filter((number, at) => numbers.indexOf(number) !== at));
  const who = settled === 1 && asked.length === 1 ? "does this row" : "do these rows";
  const pair = question.options.length === 1;
  return {
    title: pair
      ? `${who[0].toUpperCase()}${who.slice(1)} belong to this group?`
      : `Which group ${who} belong to?`,
    none: pair ? "No: another group" : "None of these: a new group",
    rows: asked.slice(0, SHOWN),
    lit: asked,
    note: settled > asked.slice(0, SHOWN).length ? `They stand for ${counted(settled, "row")}.` : "",
    options: question.options.map((option, at) => {
      const cluster = clusters.find((found) => found.number === option.cluster);
      const name = option.name || cluster?.name || `Cluster ${option.cluster}`;
      return {
        reply: at,
        key: at < 9 ? String(at + 1) : "",
        name: alike.has(option.cluster) ? `Part of ${name}` : name,
        colour: cluster ? cluster.colour : null,
        size: cluster && !alike.has(option.cluster) ? counted(cluster.size, "row") : "",
        likely: percent(option.probability),
        share: Math.min(1, Math.max(0, option.probability)),
        rows: option.rows.slice(0, TYPICAL),
      };
    }),
    /** The rows that are compared: the one in question, and one of the likeliest group. */
    compared: [question.point, question.options[0]?.rows[0]],
    differs: (question.differs ?? []).slice(0, DIFFERS),
  };
}

/**
 * What a key means while a question is shown.
 * @param {string} key
 * @param {number} n_options
 * @returns {number | "new" | "unsure" | "undo" | null}
 */
export function replyOf(key, n_options) {
  if (/^[1-9]$/.test(key)) return Number(key) <= n_options ? Number(key) - 1 : null;
  /** @type {Record<string, "new" | "unsure" | "undo">} */
  const words = { n: "new", u: "unsure", z: "undo" };
  return words[key.toLowerCase()] ?? null;
}
