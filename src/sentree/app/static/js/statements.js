/** The list of what was said: the sentence, who and when, whether it is kept, and why not. */
import { count, el } from "./dom.js";

/**
 * @typedef {import("./store.js").Store} Store
 * @typedef {import("./store.js").Statement} Statement
 */

/** @type {Record<string, string>} */
const HOW = { lasso: "by lasso", click: "by clicking", cluster: "on a cluster", branch: "on a branch of the tree", list: "by a list of ids" };

/** Statements that change clusters and say nothing about rows. */
export const EDITS = ["merge", "split", "move", "scale"];

/**
 * The verdict in words.
 * @param {Statement} statement
 */
export function verdict({ kind, state, verdict, broken }) {
  if (state === "undone") return "undone";
  if (verdict === "contradicting" && EDITS.includes(kind)) return "cannot be done; does not count";
  if (verdict === "contradicting") return "contradicts what was said before; does not count";
  if (verdict === "broken") return broken > 1 ? `broken at ${count(broken)} places` : "broken";
  if (verdict === "pending") return "being taken in";
  return verdict === "kept" ? "kept" : "done";
}

/**
 * "19:58" of today, "16 Nov 19:58" of another day.
 * @param {string} when  ISO 8601
 * @param {Date} [now]
 */
export function clock(when, now = new Date()) {
  const date = new Date(when);
  if (Number.isNaN(date.getTime())) return when;
  const time = date.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
  if (date.toDateString() === now.toDateString()) return time;
  return `${date.toLocaleDateString("en-GB", { day: "numeric", month: "short" })} ${time}`;
}

/**
 * @param {HTMLElement} element
 * @param {Store} store
 */
export function mount(element, store) {
  const title = el("h2");
  const empty = el("p", { class: "quiet" }, "What you say is listed here. Each statement can be deleted again.");
  const list = el("ol", { class: "statement-list", reversed: true });
  element.append(title, empty, list);
  const draw = () => {
    const statements = store.state?.statements ?? [];
    title.textContent = statements.length ? `What was said (${count(statements.length)})` : "What was said";
    empty.hidden = statements.length > 0;
    list.replaceChildren(...[...statements].reverse().map((statement) => item(store, statement)));
  };
  store.subscribe("state", draw);
  draw();
}

/**
 * @param {Store} store
 * @param {Statement} statement
 */
function item(store, statement) {
  const rows = [...new Set([...statement.rows, ...statement.links.flat()])];
  const light = () => store.light(rows);
  const dark = () => store.light([]);
  const how = HOW[statement.origin] ?? statement.origin;
  const told = [statement.who, clock(statement.when), how].filter(Boolean).join(", ");
  return el("li", {
    class: "statement", "data-id": statement.id, "data-kind": statement.kind, "data-state": statement.state,
    "data-verdict": statement.verdict, onpointerenter: light, onpointerleave: dark,
  },
    el("div", { class: "line" },
      el("button", { class: "plain sentence", title: "Show these rows on the map", onfocus: light, onblur: dark,
        onclick: () => store.show(rows) }, statement.text),
      el("button", { class: "plain", "aria-label": `Delete: ${statement.text}`, title: "Delete this statement",
        onclick: () => store.remove(statement.id).catch(() => undefined) }, "×")),
    el("div", { class: "small" },
      el("span", { class: "verdict" }, verdict(statement)), el("span", { class: "quiet" }, ` · ${told}`)),
    statement.proof?.length
      ? el("details", { open: statement.verdict === "contradicting" }, el("summary", { class: "small" }, "Why"),
        el("ol", { class: "proof small" }, ...statement.proof.map((step) => el("li", {}, step))))
      : null);
}
