/** The bar at the selection: how many rows, and what can be said about them. */
import { count, counted, el, menuButton } from "./dom.js";
import { actionButton, actions } from "./say.js";

/** Pixels between the selection and the bar, and between the bar and the edge of the map. */
const GAP = 12;

/**
 * @param {HTMLElement} element  the map
 * @param {import("./store.js").Store} store
 */
export function mountBar(element, store) {
  const title = el("strong");
  const buttons = el("div", { class: "bar-buttons" });
  const close = el("button", { class: "plain", "aria-label": "Clear the selection", title: "Clear the selection (Esc)",
    onclick: () => store.clear() }, "×");
  const bar = el("div", { id: "bar", role: "toolbar", "aria-label": "Say something about the selection", hidden: true },
    title, buttons, close);
  element.append(bar);
  const fill = () => {
    const n = store.selection.rows.length;
    const kept = store.kept?.rows.length;
    const focused = Boolean(bar.querySelector(":focus-visible"));
    bar.hidden = !n && !kept;
    title.textContent = !kept
      ? counted(n, "row")
      : n
        ? `A: ${count(kept)}, B: ${count(n)}`
        : `A: ${counted(kept, "row")}. Now select the rows to compare with A`;
    const can = n ? actions(store).filter(({ needs }) => !needs) : [];
    const rare = can.filter((action) => action.rare);
    buttons.replaceChildren(...can.filter((action) => !action.rare).map(actionButton));
    if (rare.length) {
      buttons.append(menuButton("More to say", () =>
        rare.map(({ id, label, title, run }) => ({ label, title, say: id, run: () => run().catch(() => undefined) }))));
    }
    if (kept) buttons.append(el("button", { title: "Compare with A no longer", onclick: () => store.unkeep() }, "Forget A"));
    close.hidden = !n;
    // who came here by the keyboard goes on from the map
    if (focused) /** @type {HTMLElement | null} */ (element.querySelector(".overlay"))?.focus({ preventScroll: true });
  };
  store.subscribe("selection", fill);
  store.subscribe("kept", fill);
  return {
    focus() {
      if (!bar.hidden) /** @type {HTMLElement | null} */ (buttons.querySelector("button:not(:disabled)"))?.focus();
    },
    hide() {
      bar.hidden = true;
    },
    /**
     * Put the bar below the selection, or above it where there is no room.
     * @param {{left: number, right: number, top: number, bottom: number} | null} box
     */
    place(box) {
      bar.hidden = !store.selection.rows.length && !store.kept;
      if (bar.hidden) return;
      const { clientWidth: width, clientHeight: height } = element;
      const room = (/** @type {number} */ at, /** @type {number} */ size, /** @type {number} */ most) =>
        Math.max(GAP, Math.min(at, most - size - GAP));
      const around = box ?? { left: width / 2, right: width / 2, top: height, bottom: height };
      const below = around.bottom + GAP;
      const fits = below + bar.offsetHeight + GAP < height;
      const top = fits ? below : around.top - GAP - bar.offsetHeight;
      // where neither side has room the bar keeps to the bottom edge
      const at = fits || top > GAP ? top : height;
      bar.style.left = `${room((around.left + around.right - bar.offsetWidth) / 2, bar.offsetWidth, width)}px`;
      bar.style.top = `${room(at, bar.offsetHeight, height)}px`;
    },
  };
}
