/** The number of clusters: a slider, and why the automatic choice is what it is. */
import { counted, el } from "./dom.js";
import { popover } from "./popover.js";
import { svg } from "./svg.js";

/**
 * @typedef {import("./store.js").Store} Store
 * @typedef {import("./store.js").State} State
 */

/** How long to wait for a further key on the slider, in milliseconds. */
const PATIENCE = 500;
/** The slider reaches at least so far. */
const REACH = 20;
const WIDTH = 280,
  HEIGHT = 110,
  LEFT = 6,
  BOTTOM = 18;

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
 * Where the bars of the evidence stand, as shares of the picture. Values may be below 0.
 * @param {State["scale"]["evidence"]} evidence
 * @returns {{k: number, value: number, x: number, width: number, y: number, height: number}[]}
 */
export function bars(evidence) {
  const values = evidence.map((one) => one.value).filter(Number.isFinite);
  const low = Math.min(0, ...values);
  const high = Math.max(0, ...values);
  const range = high - low || 1;
  const width = 1 / Math.max(1, evidence.length);
  return [...evidence]
    .sort((a, b) => a.k - b.k)
    .map(({ k, value }, at) => {
      const known = Number.isFinite(value) ? value : 0;
      const top = (high - Math.max(known, 0)) / range;
      return { k, value, x: at * width, width, y: top, height: Math.abs(known) / range };
    });
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
    { class: "scale-why", title: "Why this number of clusters", "aria-label": "Why this number of clusters" },
    "auto",
  );
  const text = el("p", {});
  const chart = el("div", { class: "scale-chart" });
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
    chart,
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
    const { asked, found, evidence } = state.scale;
    slider.max = exact.max = String(most(state.scale, state.data.n));
    exact.max = String(Math.max(2, state.data.n - 1));
    if (!moving) slider.value = String(state.clusters.length);
    number.textContent = moving ? slider.value : String(state.clusters.length);
    why.textContent = asked === null ? "auto" : "set";
    exact.value = String(state.clusters.length);
    automatic.disabled = asked === null;
    text.textContent =
      state.scale.text ||
      (asked === null
        ? `${counted(found, "cluster")} found by themselves.`
        : `${counted(asked, "cluster")}, as you have set.`);
    chart.replaceChildren(...(evidence.length > 1 ? [picture(state)] : []));
  };

  /** @param {State} state */
  const picture = (state) => {
    const { evidence, found } = state.scale;
    const now = state.clusters.length;
    const drawn = svg("svg", {
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
      role: "group",
      "aria-label": "Evidence for each number of clusters",
    });
    const room = { width: WIDTH - 2 * LEFT, height: HEIGHT - BOTTOM - 4 };
    const placed = bars(evidence);
    const every = Math.ceil(placed.length / 12);
    placed.forEach(({ k, value, x, width, y, height }, at) => {
      const says = `${counted(k, "cluster")}: ${value.toPrecision(3)}${k === found ? ", the automatic choice" : ""}${k === now ? ", as shown" : ""}`;
      const left = LEFT + x * room.width;
      const bar = svg(
        "g",
        {
          class: `scale-bar${k === found ? " found" : ""}${k === now ? " now" : ""}`,
          role: "button",
          tabindex: 0,
          "aria-label": says,
        },
        svg("title", {}, says),
        svg("rect", { class: "back", x: left, y: 0, width: width * room.width, height: HEIGHT }),
        svg("rect", {
          class: "bar",
          x: left + 1,
          y: 4 + y * room.height,
          width: Math.max(1, width * room.width - 2),
          height: Math.max(1, height * room.height),
          rx: 1.5,
        }),
      );
      if (at % every === 0 || k === found || k === now)
        bar.append(svg("text", { x: left + (width * room.width) / 2, y: HEIGHT - 4 }, String(k)));
      bar.addEventListener("click", () => choose(k));
      bar.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        choose(k);
      });
      drawn.append(bar);
    });
    return drawn;
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
