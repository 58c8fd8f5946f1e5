/** How a question is drawn. */
import { counted, el, spot } from "./dom.js";
import { view } from "./question.js";
import { drawImage, rowsCard } from "./rowcard.js";

/**
 * @typedef {import("./store.js").Store} Store
 * @typedef {import("./store.js").Row} Row
 * @typedef {import("./question.js").Question} Question
 * @typedef {import("./question.js").Reply} Reply
 * @typedef {ReturnType<typeof view>["options"][number]} Option
 * @typedef {{answer: (reply: Reply) => void, undo: () => void, light: (rows: number[] | null) => void}} Acts
 *   `light` takes rows to light up on the map; null is those in question.
 */

/** Features that are shown of a row in question, and of a typical row of a group. */
const FEATURES = 5,
  TYPICAL = 3;

/**
 * Typical rows of a group: pictures, or a few values of the first one.
 * @param {Row[]} rows
 * @param {string[]} features
 */
function typical(rows, features) {
  if (rows.some((row) => row.image))
    return el(
      "span",
      { class: "ask-typical row-images" },
      ...rows.map((row) => row.image && drawImage(row.image, `Image of row ${row.id}`)),
    );
  const cells = features.slice(0, TYPICAL).map((name) => rows[0]?.cells.find((cell) => cell.name === name));
  return el(
    "span",
    { class: "ask-typical quiet small" },
    cells.flatMap((cell) => (cell ? `${cell.name} ${cell.text}` : [])).join(" · "),
  );
}

/**
 * What is shown when there is nothing more to ask.
 * @param {import("./store.js").Progress} progress
 * @param {Acts} acts
 */
export const drawDone = (progress, acts) => [
  el("h2", { tabindex: -1 }, "No more questions"),
  el(
    "p",
    { class: "quiet" },
    progress?.answers
      ? `After ${counted(progress.answers, "answer")}, another one would hardly change the clusters.`
      : "An answer would hardly change the clusters.",
  ),
  el(
    "p",
    { class: "quiet" },
    "You can still select rows on the map and say what you know, or export the result.",
  ),
  undoButton(acts),
];

/** @param {Acts} acts */
const undoButton = ({ undo }) =>
  el(
    "button",
    {
      class: "ask-undo",
      onclick: undo,
      title: "Undo the last statement",
    },
    el("kbd", {}, "z"),
    "Undo",
  );

/**
 * @param {Store} store
 * @param {Question} question
 * @param {Map<number, Row>} rows What is known of the rows that it names.
 * @param {Acts} acts
 * @returns {Node[]}
 */
export function drawQuestion(store, question, rows, acts) {
  const shown = view(question, store.state?.clusters ?? []);
  const features = shown.differs.map((one) => one.feature);
  /** @param {number[]} wanted */
  const these = (wanted) => wanted.flatMap((row) => rows.get(row) ?? []);
  return [
    el("h2", { tabindex: -1 }, shown.title),
    el("div", { class: "ask-rows" }, rowsCard(these(shown.rows), { first: features, most: FEATURES })),
    el(
      "p",
      { class: "ask-note quiet small" },
      shown.note,
      " ",
      el("button", { class: "plain link", onclick: () => store.show(shown.lit) }, "Show on the map"),
    ),
    el(
      "ol",
      { class: "ask-options" },
      ...shown.options.map((option) =>
        el("li", {}, choice(store, option, these(option.rows), features, acts)),
      ),
    ),
    el(
      "div",
      { class: "ask-others" },
      el("button", { onclick: () => acts.answer("new") }, el("kbd", {}, "n"), shown.none),
      el("button", { onclick: () => acts.answer("unsure") }, el("kbd", {}, "u"), "Not sure"),
      undoButton(acts),
    ),
    naming(store.state?.classes ?? [], acts),
    shown.differs.length > 0 && differing(shown, these(shown.compared)),
  ].filter((one) => one instanceof Node);
}

/**
 * @param {Store} store
 * @param {Option} option
 * @param {Row[]} rows
 * @param {string[]} features
 * @param {Acts} acts
 */
function choice(store, option, rows, features, { answer, light }) {
  const cluster = store.state?.clusters?.find((one) => one.colour === option.colour);
  const pictures = rows.some((row) => row.image);
  const bar = el("span", { class: "ask-bar", "aria-hidden": "true" }, el("span"));
  /** @type {HTMLElement} */ (bar.firstChild).style.width = `${100 * option.share}%`;
  return el(
    "button",
    {
      class: "ask-option",
      onclick: () => answer(option.reply),
      onpointerenter: () => light(option.rows),
      onpointerleave: () => light(null),
    },
    el(
      "span",
      { class: "ask-line" },
      option.key && el("kbd", {}, option.key),
      cluster && spot(store.colourOf(cluster)),
      el(
        "span",
        { class: "ask-group" },
        el("span", { class: "ask-name" }, option.name),
        el("span", { class: "quiet small" }, option.size),
      ),
      pictures && typical(rows, features),
      el("span", { class: "ask-likely small" }, el("span", { class: "unseen" }, "likely: "), option.likely),
    ),
    !pictures && typical(rows, features),
    bar,
  );
}

/**
 * Instead of a group, the name of a class.
 * @param {string[]} classes
 * @param {Acts} acts
 */
function naming(classes, { answer }) {
  const field = el("input", {
    list: "ask-classes",
    placeholder: "a class by name",
    "aria-label": "Their class by name",
    autocomplete: "off",
    required: true,
    maxlength: 200,
  });
  return el(
    "form",
    {
      class: "ask-naming",
      onsubmit: (/** @type {Event} */ event) => {
        event.preventDefault();
        if (field.value.trim()) answer({ class: field.value.trim() });
      },
    },
    el("span", {}, "It is"),
    field,
    el("datalist", { id: "ask-classes" }, ...classes.map((name) => el("option", { value: name }))),
    el("button", { type: "submit" }, "Say"),
  );
}

/**
 * @param {ReturnType<typeof view>} shown
 * @param {Row[]} compared
 */
const differing = (shown, compared) =>
  el(
    "table",
    { class: "ask-differs row-table" },
    el("caption", {}, "What differs most"),
    el(
      "thead",
      {},
      el("tr", {}, el("td"), ...compared.map((row) => el("th", { scope: "col", title: row.id }, row.id))),
    ),
    el(
      "tbody",
      {},
      ...shown.differs.map((one) =>
        el(
          "tr",
          {},
          el("th", { scope: "row", title: one.feature }, one.feature),
          el("td", {}, one.here),
          el("td", {}, one.there),
        ),
      ),
    ),
  );
