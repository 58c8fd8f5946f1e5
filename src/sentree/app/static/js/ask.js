/** The panel of questions: the next best question as a choice. */
import { drawDone, drawQuestion } from "./askview.js";
import { el } from "./dom.js";
import { addKeys } from "./keys.js";
import { percent, progressText, replyOf, view } from "./question.js";

/**
 * @typedef {import("./store.js").Store} Store
 * @typedef {import("./store.js").Row} Row
 * @typedef {import("./question.js").Question} Question
 * @typedef {import("./question.js").Reply} Reply
 */

/** How long clusters that are not being sought may be behind what was said, in milliseconds. */
const PATIENCE = 3000;

/**
 * @param {HTMLElement} element
 * @param {Store} store
 */
export function mount(element, store) {
  const sure = el("p", { class: "ask-sure" });
  const meter = el("progress", {
    class: "ask-meter",
    max: 1,
    value: 0,
    "aria-label": "How sure the clusters are",
  });
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
  let focused = false;
  let timer = 0;

  const isOpen = () => element.getClientRects().length > 0;
  /** @param {string} text */
  const think = (text) => {
    waiting = text !== "";
    if (waiting && body.contains(document.activeElement)) focused = true; // it is lost with the controls
    busy.textContent = text;
    body.setAttribute("aria-busy", String(waiting));
    for (const control of body.querySelectorAll("button, input"))
      control.toggleAttribute("disabled", waiting);
    offerUndo();
  };
  const offerUndo = () =>
    body.querySelector(".ask-undo")?.toggleAttribute("disabled", waiting || !store.state?.can_undo);
  /** @param {number[] | null} [rows] Without them, those in question. */
  const light = (rows = null) => {
    if (isOpen()) store.light(rows ?? (question ? view(question, []).lit : []));
  };

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
    if (!waiting && question)
      goOn(() => store.call("POST", "/api/answer", { question: question?.id, reply }));
  };
  const undo = () => {
    if (!waiting && store.state?.can_undo) goOn(() => store.undo());
  };

  const acts = { answer, undo, light };

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
    const rows = await store.rows([
      ...new Set([...shown.rows, ...shown.options.flatMap((option) => option.rows)]),
    ]);
    return new Map(rows.map((row) => [row.row, row]));
  };

  /**
   * @param {Question | null} found
   * @param {Map<number, Row>} rows
   * @param {import("./store.js").Progress} progress
   */
  const show = (found, rows, progress) => {
    const same = found && question && found.id === question.id;
    question = found;
    sure.textContent = progressText(progress);
    meter.value = progress?.certainty ?? 0;
    meter.title = percent(meter.value);
    body.replaceChildren(...(found ? drawQuestion(store, found, rows, acts) : drawDone(progress, acts)));
    if (focused && !same) /** @type {HTMLElement | null} */ (body.querySelector("h2"))?.focus();
    focused = false;
  };

  const isReady = () => Boolean(store.state?.clusters?.length) && store.state?.status.phase !== "fitting";
  const follow = () => {
    if (!isOpen()) return;
    offerUndo();
    if (!isReady()) {
      // While clusters are found again the question stays, for it is still the same to the eye.
      if (!question)
        body.replaceChildren(el("p", { class: "quiet" }, "Questions come when there are clusters."));
      return;
    }
    const version = store.state?.version ?? -1;
    if (fetching || version < wanted || asked === version) return;
    wanted = -1;
    next();
  };
  store.subscribe("state", follow);
  store.subscribe("map", () => {
    if (store.map) return; // the data are others
    question = null;
    asked = wanted = -1;
    body.replaceChildren();
  });
  // Hovering elsewhere lights other rows; afterwards those in question again.
  store.subscribe("lit", () => {
    if (!store.lit.length && question && isOpen()) light();
  });
  let wasOpen = false;
  new ResizeObserver(() => {
    if (isOpen() === wasOpen) return;
    wasOpen = isOpen();
    if (wasOpen) follow();
    else store.light([]);
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
    {
      keys: numbers,
      shown: "1-9",
      text: "They belong to that group",
      group: "Questions",
      when: open,
      run: press,
    },
    { keys: ["n"], text: "To none of them: a new group", group: "Questions", when: open, run: press },
    { keys: ["u"], text: "Not sure", group: "Questions", when: open, run: press },
    { keys: ["z"], text: "Undo the last answer", group: "Questions", when: isOpen, run: undo },
  ]);
}
