/** Small helpers for making elements. Text is always set as text, never as markup. */

/**
 * Make an element: `el("button", {class: "quiet", onclick: go, title: "…"}, "Go")`.
 * Keys that start with "on" are listeners; `true` sets an empty attribute; false, null and
 * undefined leave it out.
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {Record<string, any>} [attributes]
 * @param {...(Node | string | number | null | undefined | false)} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : String(child));
  }
  return element;
}

/**
 * A spot of a colour.
 * @param {string} colour
 */
export function spot(colour) {
  const element = el("span", { class: "spot", "aria-hidden": "true" });
  element.style.backgroundColor = colour;
  return element;
}

/**
 * A number for people: 1,797.
 * @param {number} value
 */
export function count(value) {
  return value.toLocaleString("en");
}

/**
 * "1 row", "1,797 rows".
 * @param {number} n
 * @param {string} noun
 * @param {string} [plural]
 */
export function counted(n, noun, plural = `${noun}s`) {
  return `${count(n)} ${n === 1 ? noun : plural}`;
}

/**
 * The element with this id, which is in the page.
 * @param {string} id
 * @returns {HTMLElement}
 */
export function byId(id) {
  const element = document.getElementById(id);
  if (!element) throw new Error(`the page has no element ${id}`);
  return element;
}

/**
 * Ask for a line of text in a small dialog (the page's own, so that it is styled and tested).
 * @param {{title: string, label: string, value?: string, choices?: string[], ok?: string,
 *   type?: "text" | "number", lines?: boolean}} what
 * @returns {Promise<string | null>}  null if it was dismissed
 */
export function ask({ title, label, value = "", choices = [], ok = "OK", type = "text", lines }) {
  return new Promise((resolve) => {
    const field = lines
      ? el("textarea", { name: "value", rows: 8, "aria-label": label })
      : el("input", {
          name: "value", type, value, list: "dialog-choices", autocomplete: "off", min: 2, required: true,
        });
    /** @type {string | null} */
    let result = null;
    const form = el(
      "form",
      { method: "dialog", onsubmit: () => (result = field.value.trim() || null) },
      el("h2", {}, title),
      el("label", {}, el("span", {}, label), field),
      el("datalist", { id: "dialog-choices" }, ...choices.map((choice) => el("option", { value: choice }))),
      el("div", { class: "buttons" },
        el("button", { type: "button", onclick: () => dialog.close() }, "Cancel"),
        el("button", { class: "primary", type: "submit" }, ok)),
    );
    const dialog = el("dialog", { class: "ask", "aria-label": title }, form);
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(result);
    });
    document.body.append(dialog);
    dialog.showModal();
    field.focus();
    field.select();
  });
}

/**
 * Let one of several things be chosen in a dialog.
 * @template T
 * @param {{title: string, options: {label: string, colour?: string, value: T}[]}} what
 * @returns {Promise<T | undefined>}  undefined if it was dismissed
 */
export function choose({ title, options }) {
  return new Promise((resolve) => {
    /** @type {T | undefined} */
    let result;
    const buttons = options.map(({ label, colour, value }) =>
      el("button", { class: "choice", onclick: () => { result = value; dialog.close(); } },
        colour ? spot(colour) : null, el("span", {}, label)));
    const dialog = el("dialog", { class: "choose", "aria-label": title },
      el("h2", {}, title),
      el("div", { class: "choices" }, ...buttons),
      el("div", { class: "buttons" }, el("button", { onclick: () => dialog.close() }, "Cancel")));
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(result);
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}

/**
 * A button that opens a menu.
 * @param {string} label  what the button is for
 * @param {() => {label: string, title?: string, disabled?: boolean, say?: string,
 *   run: () => void}[]} entries
 */
export function menuButton(label, entries) {
  const button = el("button", { class: "plain menu-button", "aria-label": label, title: label,
    "aria-haspopup": "menu", "aria-expanded": "false" }, "⋯");
  button.addEventListener("click", () => {
    const menu = el("div", { class: "menu", role: "menu", popover: "auto", "aria-label": label },
      ...entries().map(({ label, title, disabled, say, run }) =>
        el("button", { role: "menuitem", title, disabled, "data-say": say, onclick: () => { menu.hidePopover(); run(); } }, label)));
    menu.addEventListener("toggle", () => {
      if (menu.matches(":popover-open")) return;
      button.setAttribute("aria-expanded", "false");
      menu.remove();
    });
    menu.addEventListener("keydown", (event) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (!step) return;
      event.preventDefault();
      const items = /** @type {HTMLElement[]} */ ([...menu.querySelectorAll("button:not(:disabled)")]);
      const now = items.indexOf(/** @type {HTMLElement} */ (document.activeElement));
      items[(now + step + items.length) % items.length]?.focus();
    });
    document.body.append(menu); // lists are drawn anew while it is open
    menu.showPopover();
    button.setAttribute("aria-expanded", "true");
    const { left, bottom, top } = button.getBoundingClientRect();
    const { offsetWidth: width, offsetHeight: height } = menu;
    menu.style.left = `${Math.max(4, Math.min(left, innerWidth - width - 8))}px`;
    menu.style.top = `${bottom + height + 4 > innerHeight ? Math.max(4, top - height) : bottom}px`;
    /** @type {HTMLElement | null} */ (menu.querySelector("button:not(:disabled)"))?.focus();
  });
  return button;
}
