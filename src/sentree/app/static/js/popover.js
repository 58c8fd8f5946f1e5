/** A button that opens a small panel below itself. */
import { el } from "./dom.js";

/**
 * @param {HTMLButtonElement} button
 * @param {{class: string, label: string, onopen?: () => void}} options
 * @param {...(Node | false | null)} children
 * @returns {HTMLElement} The panel, to be put into the page beside the button.
 */
export function popover(button, { class: name, label, onopen }, ...children) {
  const panel = el(
    "div",
    { class: `popover ${name}`, popover: "auto", role: "dialog", "aria-label": label },
    ...children,
  );
  button.setAttribute("aria-haspopup", "dialog");
  button.setAttribute("aria-expanded", "false");
  button.popoverTargetElement = panel;
  panel.addEventListener("toggle", (event) => {
    const open = /** @type {ToggleEvent} */ (event).newState === "open";
    button.setAttribute("aria-expanded", String(open));
    if (!open) return;
    onopen?.();
    const { left, bottom } = button.getBoundingClientRect();
    const { width } = panel.getBoundingClientRect();
    panel.style.left = `${Math.max(8, Math.min(left, innerWidth - width - 8))}px`;
    panel.style.top = `${bottom + 4}px`;
  });
  return panel;
}
