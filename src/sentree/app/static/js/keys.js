/** Keyboard shortcuts, and the dialog that lists them. */
import { byId, el } from "./dom.js";
import { guide } from "./guide.js";

/**
 * @typedef {{keys: string[], text: string, group: string, run: (event: KeyboardEvent) => void,
 *   when?: () => boolean, shown?: string}} Shortcut `keys` are as events name them, with "Ctrl+" and
 *   "Shift+" before them; `shown` is what the help says instead of the keys.
 */

/** @type {WeakMap<object, Shortcut[]>} */
const known = new WeakMap();

/**
 * @param {object} store
 * @param {Shortcut[]} shortcuts Those added later are tried first.
 */
export function addKeys(store, shortcuts) {
  known.set(store, [...shortcuts, ...(known.get(store) ?? [])]);
}

/**
 * The name of what was pressed, such as "a", "?", "Ctrl+z", "Ctrl+Shift+z".
 * @param {{key: string, ctrlKey: boolean, metaKey: boolean, altKey: boolean, shiftKey: boolean}} event
 */
export function pressed({ key, ctrlKey, metaKey, altKey, shiftKey }) {
  const ctrl = ctrlKey || metaKey;
  const name = key.length === 1 ? key.toLowerCase() : key;
  const shift = shiftKey && (ctrl || key.length > 1);
  return `${ctrl ? "Ctrl+" : ""}${altKey ? "Alt+" : ""}${shift ? "Shift+" : ""}${name}`;
}

/**
 * Whether keys go into a field, and are no shortcuts.
 * @param {EventTarget | null} target
 */
export function isField(target) {
  if (!(target instanceof Element)) return false;
  if (target instanceof HTMLElement && target.isContentEditable) return true;
  if (!(target instanceof HTMLInputElement)) return target.matches("textarea, select");
  return !["button", "checkbox", "radio", "submit", "file"].includes(target.type);
}

/**
 * Shortcuts as the help lists them.
 * @param {Shortcut[]} shortcuts
 * @returns {{group: string, rows: {keys: string[], text: string}[]}[]}
 */
export function listed(shortcuts) {
  /** @type {Map<string, {keys: string[], text: string}[]>} */
  const groups = new Map();
  for (const { group, keys, text, shown } of shortcuts)
    groups.set(group, [...(groups.get(group) ?? []), { keys: shown ? [shown] : keys, text }]);
  return [...groups].map(([group, rows]) => ({ group, rows }));
}

/** @param {{keys: string[], text: string}} shortcut */
function line({ keys, text }) {
  return el("div", {}, el("dt", {}, ...keys.map((key) => el("kbd", {}, key))), el("dd", {}, text));
}

/**
 * The button of the help and its dialog; from here on shortcuts work.
 * @param {HTMLElement} element
 * @param {import("./store.js").Store} store
 */
export function mount(element, store) {
  const list = el("div", { class: "keys-list" });
  const close = () => dialog.close();
  const dialog = el(
    "dialog",
    { class: "keys-dialog", "aria-labelledby": "keys-title" },
    el("h2", { id: "keys-title" }, "Help"),
    list,
    el(
      "div",
      { class: "buttons" },
      el("button", { id: "guide-again", onclick: () => (close(), guide(store)) }, "Show me around"),
      el("button", { class: "primary", onclick: close }, "Close"),
    ),
  );
  // A click beside the dialog closes it.
  dialog.addEventListener("click", (event) => event.target === dialog && close());
  const show = () => {
    const groups = listed(known.get(store) ?? []);
    list.replaceChildren(
      ...groups.map(({ group, rows }) =>
        el("section", {}, el("h3", {}, group), el("dl", {}, ...rows.map(line))),
      ),
    );
    dialog.showModal();
  };
  element.append(dialog);
  const about = "Help and keyboard shortcuts";
  byId("tools").append(
    el("button", { id: "help", "aria-label": about, title: `${about} (?)`, onclick: show }, "?"),
  );
  /** @param {string} tab */
  const panel = (tab) => () => byId(`tab-${tab}`).click();
  addKeys(store, [
    { keys: ["s"], text: "Panel Say", group: "Page", run: panel("say") },
    { keys: ["a"], text: "Panel Ask", group: "Page", run: panel("ask") },
    { keys: ["t"], text: "Panel Tree", group: "Page", run: panel("tree") },
    { keys: ["?"], text: "This help", group: "Page", run: show },
    {
      keys: ["Ctrl+z"],
      shown: "Ctrl Z",
      text: "Undo",
      group: "Statements",
      run: () => store.state?.can_undo && store.undo(),
    },
    {
      keys: ["Ctrl+Shift+z", "Ctrl+y"],
      shown: "Ctrl Shift Z",
      text: "Redo",
      group: "Statements",
      run: () => store.state?.can_redo && store.redo(),
    },
  ]);
  document.addEventListener("keydown", (event) => {
    const open = document.querySelector("dialog:modal, :popover-open"); // has its own keys
    if (event.defaultPrevented || event.isComposing || isField(event.target) || open) return;
    const name = pressed(event);
    const found = (known.get(store) ?? []).find(({ keys, when }) => keys.includes(name) && (!when || when()));
    if (!found) return;
    event.preventDefault();
    found.run(event);
  });
}
