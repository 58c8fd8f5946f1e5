/** The number of clusters: a slider, and why the automatic choice is what it is. */
import { counted, el } from "./dom.js";
import { popover } from "./popover.js";
import { percent } from "./question.js";

/**
 * @typedef {import("./store.js").Store} Store
 * @typedef {import("./store.js").State} State
 */

/** How long to wait for a further key on the slider, in milliseconds. */
const PATIENCE = 500;
/** The slider reaches at least so far. */
const REACH = 20;
/** Most numbers whose support is shown. */
const SHOWN = 8;

/**
 * The largest number of clusters on the slider.
 * @param {State["scale"]} scale
 * @param {number} n Number of rows.
 */
export function most(scale, n) {
  const known = Math.max(0, ...scale.evidence.map((one) => one.k));
  return Math.max(2, Math.min(Math.max(REACH, known, 2 * scale.found), n - 1));
}

/**
 * The numbers that the data support most, in their order.
 * @param {State["scale"]["evidence"]} evidence
 */
export function supported(evidence) {
  const best = [...evidence].sort((a, b) => b.value - a.value || a.k - b.k).slice(0, SHOWN);
  return best.sort((a, b) => a.k - b.k);
}

/**
 * @param {HTMLElement} element
 * @param {Store} store
 */
export function mount(element, store) {
  const number = el("output", { class: "scale-number", for: "scale-slider" });
  const slider = el("input", {
    id: "scale-slider",
    type: "range",
    min: 2,
    max: REACH,
    step: 1,
    "aria-label": "Number of clusters",
  });
  const why = el(
    "button",
    { class: "scale-why", title: "Why this number of clusters" },
    "auto",
  );
  const text = el("p", {});
  const told = el("p", { class: "quiet small" });
  const list = el("div", { class: "scale-list" });
  const exact = el("input", {
    type: "number",
    min: 2,
    "aria-label": "Exact number of clusters",
    required: true,
  });
  const automatic = el("button", { type: "button", onclick: () => choose(null) }, "Choose automatically");
  const panel = popover(
    why,
    { class: "scale-panel", label: "Number of clusters", onopen: () => show() },
    el("h2", {}, "Number of clusters"),
    text,
    told,
    list,
    el(
      "form",
      {
        class: "scale-exact",
        onsubmit: (/** @type {Event} */ event) => (event.preventDefault(), choose(Number(exact.value))),
      },
      exact,
      el("button", {}, "Set"),
      automatic,
    ),
  );
  element.append(el("label", { for: "scale-slider" }, "Clusters"), slider, number, why, panel);

  /** @param {number | null} k */
  const choose = (k) => {
    if (k === (store.state?.scale?.asked ?? null)) return;
    store.say({ kind: "scale", k }).catch(show);
  };

  const show = () => {
    const state = store.state;
    const ready = Boolean(state?.clusters?.length);
    for (const control of [slider, why]) control.disabled = !ready;
    if (!state || !ready) return;
    const { asked, evidence } = state.scale;
    const now = counted(state.clusters.length, "cluster");
    slider.max = String(most(state.scale, state.data.n));
    exact.max = String(Math.max(2, state.data.n - 1));
    if (!moving) slider.value = String(state.clusters.length);
    number.textContent = moving ? slider.value : String(state.clusters.length);
    why.textContent = asked === null ? "auto" : "set";
    why.setAttribute("aria-label", `${why.textContent}: why this number of clusters`);
    exact.value = String(state.clusters.length);
    automatic.disabled = asked === null;
    const by = state.statements.length ? "chosen automatically and by what was said" : "chosen automatically";
    text.textContent = `${now}, ${asked === null ? by : "as you have set"}.`;
    told.textContent = state.scale.text && `By the data alone: ${state.scale.text}.`;
    list.replaceChildren(...(evidence.length > 1 ? supported(evidence).map(entry) : []));
  };

  /** @param {State["scale"]["evidence"][number]} candidate */
  const entry = ({ k, value }) => {
    const bar = el("span", { class: "scale-bar", "aria-hidden": "true" }, el("span"));
    /** @type {HTMLElement} */ (bar.firstChild).style.width = percent(Math.min(1, value)).replace(
      /[<> ]/g,
      "",
    );
    const shown = k === store.state?.clusters.length;
    return el(
      "button",
      { class: "plain", "aria-pressed": String(shown), onclick: () => choose(k) },
      el("span", {}, counted(k, "cluster")),
      bar,
      el("span", { class: "small" }, percent(value)),
    );
  };

  let moving = false;
  slider.addEventListener("input", () => {
    moving = true;
    number.textContent = slider.value;
  });
  // Each press of an arrow key is a change; what counts is where they stop.
  let patience = 0;
  let timer = 0;
  slider.addEventListener("keydown", () => (patience = PATIENCE));
  slider.addEventListener("pointerdown", () => (patience = 0));
  slider.addEventListener("change", () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      moving = false;
      choose(Number(slider.value));
    }, patience);
  });
  store.subscribe("state", show);
  show();
}
