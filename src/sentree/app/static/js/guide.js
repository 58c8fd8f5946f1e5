/** A minute's tour of the page, which can be left at any time. */
import { byId, el } from "./dom.js";

/** @typedef {import("./store.js").Store} Store */

/** What is pointed at, and what is said of it; `tab` is the panel that must be in front. */
const STEPS = [
  {
    at: "map",
    title: "Each point is a row",
    text: "Rows that are alike lie close together; each colour is a cluster. Point at one to see it.",
  },
  {
    at: "map",
    title: "Select some",
    text: "Draw around points, or click one. A click on a cluster of the list selects all of it.",
  },
  {
    at: "side",
    tab: "say",
    title: "Say what you know",
    text: "A bar appears at the selection: they belong together, they are different … The clusters follow at once. Just try: everything can be undone.",
  },
  {
    at: "side",
    tab: "ask",
    title: "Or be asked",
    text: "Here is the question whose answer helps most. The keys 1 to 9 answer it.",
  },
  {
    at: "export",
    title: "Take it away",
    text: "Clusters, report, model, and a script that makes them again. What you say is saved as you go.",
  },
];
const SEEN = "sentree-guide-seen";

/** Whether the tour was already taken or skipped here. */
export const wasGuided = () => localStorage.getItem(SEEN) !== null;

/**
 * Where the note stands: inside what it points at if that is large, else below it; always in the window.
 * @param {{left: number, top: number, right: number, bottom: number}} target
 * @param {{width: number, height: number}} note
 * @param {{width: number, height: number}} room
 */
export function placed(target, note, room) {
  const gap = 12;
  const middle = (target.left + target.right - note.width) / 2;
  const tops = [target.bottom + gap, target.top - gap - note.height, target.bottom - gap - note.height];
  const left = target.left - gap - note.width;
  const fits = (/** @type {number} */ top) => top >= gap && top + note.height <= room.height - gap;
  const top = tops.find(fits);
  if (top !== undefined && top !== tops[2]) return { x: inside(middle, note.width, room.width, gap), y: top };
  // A tall target: beside it where there is room, else over its lower end.
  const right = target.right + gap;
  if (left < gap && right + note.width <= room.width - gap) {
    return { x: right, y: inside(target.top + gap, note.height, room.height, gap) };
  }
  const beside = left >= gap && target.right - target.left < room.width / 2;
  return beside
    ? { x: left, y: inside(target.top + gap, note.height, room.height, gap) }
    : { x: inside(middle, note.width, room.width, gap), y: inside(tops[2], note.height, room.height, gap) };
}

/** @type {(at: number, size: number, room: number, gap: number) => number} */
const inside = (at, size, room, gap) => Math.max(gap, Math.min(at, room - size - gap));

/** @param {Store} store */
export function guide(store) {
  document.querySelector(".guide")?.remove();
  let at = 0;
  const title = el("h2", { id: "guide-title", tabindex: -1 });
  const text = el("p", {});
  const where = el("span", { class: "quiet small" });
  const back = el("button", { onclick: () => go(at - 1) }, "Back");
  const forward = el("button", { class: "primary", onclick: () => go(at + 1) });
  const note = el(
    "div",
    { class: "guide", role: "dialog", "aria-labelledby": "guide-title" },
    title,
    text,
    el(
      "div",
      { class: "buttons" },
      where,
      el("button", { class: "plain guide-skip", onclick: () => end() }, "Skip"),
      back,
      forward,
    ),
  );
  const target = () => byId(STEPS[at].at);
  const place = () => {
    const { x, y } = placed(target().getBoundingClientRect(), note.getBoundingClientRect(), {
      width: innerWidth,
      height: innerHeight,
    });
    note.style.left = `${x}px`;
    note.style.top = `${y}px`;
  };
  /** @param {number} step */
  const go = (step) => {
    target().classList.remove("guided");
    if (step >= STEPS.length) return end();
    at = Math.max(0, step);
    const { title: heading, text: told, tab } = STEPS[at];
    if (tab) byId(`tab-${tab}`).click();
    title.textContent = heading;
    text.textContent = told;
    where.textContent = `${at + 1} of ${STEPS.length}`;
    back.hidden = at === 0;
    forward.textContent = at + 1 < STEPS.length ? "Next" : "Start";
    target().classList.add("guided");
    place();
    title.focus();
  };
  const end = () => {
    target().classList.remove("guided");
    removeEventListener("resize", place);
    stop();
    note.remove();
    localStorage.setItem(SEEN, "yes");
    if (at > 2) byId("tab-say").click();
  };
  // The tour is over when the data are others.
  const stop = store.subscribe("map", () => !store.map && end());
  note.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    end();
  });
  addEventListener("resize", place);
  document.body.append(note);
  go(0);
}
