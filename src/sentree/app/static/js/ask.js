/** The panel of questions: the next best question as a choice. */
import { counted, el, spot } from "./dom.js";
import { addKeys } from "./keys.js";
import { percent, progressText, replyOf, view } from "./question.js";
import { drawImage, rowsCard } from "./rowcard.js";

/**
 * @typedef {import("./store.js").Store} Store
 * @typedef {import("./store.js").Row} Row
 * @typedef {import("./question.js").Question} Question
 * @typedef {import("./question.js").Reply} Reply
 * @typedef {ReturnType<typeof view>["options"][number]} Option
 */

/** Features that are shown of a row in question, and of a typical row of a group. */
const FEATURES = 5, TYPICAL = 3;
/** How long clusters that are not being sought may be behind what was said, in milliseconds. */
const PATIENCE = 3000;

/**
 * Typical rows of a group: pictures, or a few values of the first one.
 * @param {Row[]} rows
 * @param {string[]} features
 */
function typical(rows, features) {
  if (rows.some((row) => row.image))
    return el("span", { class: "ask-typical row-images" }, ...rows.map((row) => row.image && drawImage(row.image, `Image of row ${row.id}`)));
  const cells = features.slice(0, TYPICAL).map((name) => rows[0]?.cells.find((cell) => cell.name === name));
  return el("span", { class: "ask-typical quiet small" }, cells.flatMap((cell) => (cell ? `${cell.name} ${cell.text}` : [])).join(" · "));
}

/**
 * @param {HTMLElement} element
 * @param {Store} store
 */
export function mount(element, store) {
  const sure = el("p", { class: "ask-sure" });
  const meter = el("progress", { class: "ask-meter", max: 1, value: 0, "aria-label": "How sure the clusters are" });
  const busy = el("p", { class: "ask-busy quiet", role: "status" });
  const body = el("div", { class: "ask-body" });
  element.append(el("div", { class: "ask-head" }, busy, sure), meter, body);

  /** @type {Question | null} */
  let question = null;
  /** The version that was asked last, the one that follows what was said, and whether to wait. */
  let asked = -1;
  let wanted = -1;
  let waiting = false;
  let fetching = false;
  let timer = 0;

  const isOpen = () => element.getClientRects().length > 0;
  /** @param {string} text */
  const think = (text) => {
    waiting = text !== "";
    busy.textContent = text;
    body.setAttribute("aria-busy", String(waiting));
    for (const control of body.querySelectorAll("button, input")) control.toggleAttribute("disabled", waiting);
  };
  const light = () => store.light(question && isOpen() ? view(question, []).lit : []);

  /**
   * Say something, and go on to the next question when the clusters have followed.
   * @param {() => Promise<any>} say
   */
  const goOn = async (say) => {
    think("Thinking …");
    try {
      wanted = (await say())?.version ?? -1;
    } catch {
      return think(""); // the store has told it
    }
    asked = -1;
    store.refresh();
    follow();
    giveUp();
  };
  /** Ask even so, should the clusters never reach the version that follows what was said. */
  const giveUp = () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      if ((store.state?.version ?? -1) >= wanted) return;
      if (!isReady()) return giveUp();
      wanted = -1;
      follow();
    }, PATIENCE);
  };
  /** @param {Reply} reply */
  const answer = (reply) => {
    if (!waiting && question) goOn(() => store.call("POST", "/api/answer", { question: question?.id, reply }));
  };
  const undo = () => {
    if (!waiting && store.state?.can_undo) goOn(() => store.undo());
  };

  /** Fetch the next question. The one before stays, so that nothing jumps. */
  const next = async () => {
    fetching = true;
    asked = store.state?.version ?? -1;
    think("Thinking …");
    try {
      const reply = await store.transport.call("GET", "/api/question");
      const rows = reply.question ? await rowsFor(reply.question) : new Map();
      show(reply.question, rows, reply.progress);
    } catch (error) {
      question = null;
      body.replaceChildren(
        el("p", { class: "ask-failed" }, /** @type {Error} */ (error).message),
        el("button", { onclick: next }, "Try again"),
      );
    }
    fetching = false;
    think("");
    light();
    follow(); // the clusters may be others by now
  };

  /** @param {Question} about */
  const rowsFor = async (about) => {
    const shown = view(about, []);
    const rows = await store.rows([...new Set([...shown.rows, ...shown.options.flatMap((option) => option.rows)])]);
    return new Map(rows.map((row) => [row.row, row]));
  };

  /**
   * @param {Question | null} found
   * @param {Map<number, Row>} rows
   * @param {import("./store.js").Progress} progress
   */
  const show = (found, rows, progress) => {
    const same = found && question && found.id === question.id;
    const focused = body.contains(document.activeElement);
    question = found;
    sure.textContent = progressText(progress);
    meter.value = progress?.certainty ?? 0;
    meter.title = percent(meter.value);
    body.replaceChildren(...(found ? asking(found, rows) : done(progress)));
    if (focused && !same) /** @type {HTMLElement | null} */ (body.querySelector("h2"))?.focus();
  };

  /** @param {import("./store.js").Progress} progress */
  const done = (progress) => [
    el("h2", { tabindex: -1 }, "No more questions"),
    el("p", { class: "quiet" }, progress?.answers
      ? `After ${counted(progress.answers, "answer")}, another one would hardly change the clusters.`
      : "An answer would hardly change the clusters."),
    el("p", { class: "quiet" }, "You can still select rows on the map and say what you know, or export the result."),
    undoButton(),
  ];

  const undoButton = () =>
    el("button", { class: "ask-undo", disabled: !store.state?.can_undo, onclick: undo, title: "Undo the last statement" }, el("kbd", {}, "z"), "Undo");

  /**
   * @param {Question} about
   * @param {Map<number, Row>} rows
   */
  const asking = (about, rows) => {
    const shown = view(about, store.state?.clusters ?? []);
    const features = shown.differs.map((one) => one.feature);
    /** @param {number[]} wanted */
    const these = (wanted) => wanted.flatMap((row) => rows.get(row) ?? []);
    return [
      el("h2", { tabindex: -1 }, shown.title),
      shown.doubt && el("p", { class: "ask-doubt" }, shown.doubt),
      el("div", { class: "ask-rows" }, rowsCard(these(shown.rows), { first: features, most: FEATURES })),
      el("p", { class: "ask-note quiet small" }, shown.note, " ",
        el("button", { class: "plain link", onclick: () => store.show(shown.lit) }, "Show on the map")),
      el("ol", { class: "ask-options" }, ...shown.options.map((option) => el("li", {}, choice(option, these(option.rows), features)))),
      el("div", { class: "ask-others" },
        el("button", { onclick: () => answer("new") }, el("kbd", {}, "n"), shown.none),
        el("button", { onclick: () => answer("unsure") }, el("kbd", {}, "u"), "Not sure"),
        undoButton()),
      naming(),
      shown.differs.length > 0 && differing(shown),
    ].filter((one) => one instanceof Node);
  };

  /**
   * @param {Option} option
   * @param {Row[]} rows
   * @param {string[]} features
   */
  const choice = (option, rows, features) => {
    const cluster = store.state?.clusters?.find((one) => one.colour === option.colour);
    const pictures = rows.some((row) => row.image);
    const bar = el("span", { class: "ask-bar", "aria-hidden": "true" }, el("span"));
    /** @type {HTMLElement} */ (bar.firstChild).style.width = `${100 * option.share}%`;
    return el(
      "button",
      {
        class: "ask-option",
        onclick: () => answer(option.reply),
        onpointerenter: () => store.light(option.rows),
        onpointerleave: light,
      },
      el("span", { class: "ask-line" },
        option.key && el("kbd", {}, option.key),
        cluster && spot(store.colourOf(cluster)),
        el("span", { class: "ask-group" }, el("span", { class: "ask-name" }, option.name), el("span", { class: "quiet small" }, option.size)),
        pictures && typical(rows, features),
        el("span", { class: "ask-likely small" }, el("span", { class: "unseen" }, "likely: "), option.likely)),
      !pictures && typical(rows, features),
      bar,
    );
  };

  /** Instead of a group, the name of a class. */
  const naming = () => {
    const field = el("input", { list: "ask-classes", placeholder: "a class by name", "aria-label": "Their class by name", autocomplete: "off", required: true, maxlength: 200 });
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
      el("datalist", { id: "ask-classes" }, ...(store.state?.classes ?? []).map((name) => el("option", { value: name }))),
      el("button", { type: "submit" }, "Say"),
    );
  };

  /** @param {ReturnType<typeof view>} shown */
  const differing = (shown) =>
    el(
      "table",
      { class: "ask-differs row-table" },
      el("caption", {}, "What differs most"),
      el("thead", {}, el("tr", {}, el("td"), el("th", { scope: "col" }, shown.here), el("th", { scope: "col" }, shown.there))),
      el("tbody", {}, ...shown.differs.map((one) => el("tr", {}, el("th", { scope: "row", title: one.feature }, one.feature), el("td", {}, one.here), el("td", {}, one.there)))),
    );

  const isReady = () => store.state?.status.phase === "ready";
  const follow = () => {
    if (!isOpen()) return;
    if (!isReady()) {
      // While clusters are found again the question stays, for it is still the same to the eye.
      if (!question) body.replaceChildren(el("p", { class: "quiet" }, "Questions come when there are clusters."));
      return;
    }
    const version = store.state?.version ?? -1;
    if (!fetching && version >= wanted && asked !== version) next();
  };
  store.subscribe("state", follow);
  // Hovering elsewhere lights other rows; afterwards those in question again.
  store.subscribe("lit", () => {
    if (!store.lit.length && question && isOpen()) light();
  });
  let wasOpen = false;
  new ResizeObserver(() => {
    if (isOpen() === wasOpen) return;
    wasOpen = isOpen();
    if (wasOpen) follow();
    light();
  }).observe(element);

  const open = () => isOpen() && question !== null;
  /** @param {KeyboardEvent} event */
  const press = (event) => {
    const reply = question && replyOf(event.key, question.options.length);
    if (reply === "undo") undo();
    else if (reply !== null) answer(reply);
  };
  const numbers = ["1", "2", "3", "4", "5", "6", "7", "8", "9"];
  addKeys(store, [
    { keys: numbers, shown: "1-9", text: "They belong to that group", group: "Questions", when: open, run: press },
    { keys: ["n"], text: "To none of them: a new group", group: "Questions", when: open, run: press },
    { keys: ["u"], text: "Not sure", group: "Questions", when: open, run: press },
    { keys: ["z"], text: "Undo the last answer", group: "Questions", when: isOpen, run: undo },
  ]);
}
