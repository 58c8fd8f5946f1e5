/** Find rows by id, value or condition, or from a list of ids: what is found is selected. */
import { ask, count, counted, el } from "./dom.js";
import { addKeys } from "./keys.js";

/** @typedef {import("./store.js").Store} Store */

/** Most ids in one request, so that its address stays short. */
const AT_ONCE = 1000;
/** How long it is told what was found, in milliseconds. */
const STAYS = 8000;

/**
 * The ids of a pasted list: one a line, or separated by commas, semicolons or tabs; quotes are left out.
 * @param {string} text
 * @returns {string[]} Each once.
 */
export function idsOf(text) {
  const parts = text.split(/[\n\r,;\t]+/).map((part) => part.trim().replace(/^(["'])(.*)\1$/, "$2"));
  return [...new Set(parts.filter(Boolean))];
}

/**
 * @template T
 * @param {T[]} items
 * @param {number} size
 * @returns {T[][]}
 */
export function chunks(items, size) {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) =>
    items.slice(at * size, (at + 1) * size),
  );
}

/**
 * @param {HTMLElement} element
 * @param {Store} store
 */
export function mount(element, store) {
  const field = el("input", {
    type: "search",
    name: "text",
    list: "find-features",
    autocomplete: "off",
    spellcheck: "false",
    placeholder: "Find rows",
    "aria-label": "Find rows by id, value or condition",
    "aria-describedby": "find-told",
    title: "An id, a value, or a condition such as age > 40",
  });
  const told = el("p", { id: "find-told", class: "find-told", role: "status" });
  const features = el("datalist", { id: "find-features" });
  const form = el(
    "form",
    { class: "find-form" },
    field,
    features,
    el("button", { type: "button", title: "Select rows by a list of ids", onclick: () => list("") }, "List"),
  );
  element.append(form, told);

  let timer = 0;
  /** @param {string} text */
  const tell = (text, bad = false) => {
    told.textContent = text;
    told.classList.toggle("bad", bad);
    clearTimeout(timer);
    if (!bad) timer = setTimeout(() => (told.textContent = ""), STAYS);
  };
  /** @param {string} text */
  const look = (text) => store.transport.call("GET", `/api/find?text=${encodeURIComponent(text)}`);
  /**
   * @param {number[]} rows
   * @param {string} origin
   */
  const choose = (rows, origin) => {
    store.select(rows, origin);
    if (rows.length) store.show(rows);
  };

  const find = async () => {
    const text = field.value.trim();
    if (!text) {
      tell("");
      if (store.selection.origin.startsWith("filter: ")) store.clear();
      return;
    }
    tell("Looking …");
    try {
      const found = await look(text);
      if (text !== field.value.trim()) return;
      tell(found.n ? `${counted(found.n, "row")}: ${found.text}` : `No row: ${found.text}`, !found.n);
      choose(found.rows, `filter: ${text}`);
    } catch (error) {
      tell(/** @type {Error} */ (error).message, true);
    }
  };

  /** @param {string} given */
  const list = async (given) => {
    const name = store.state?.data?.id_name;
    const text =
      given ||
      (await ask({
        title: "Select rows by a list",
        label: `${name ? `Ids (${name})` : "Row numbers, from 0"}, one a line or separated by commas`,
        ok: "Select",
        lines: true,
      }));
    if (!text) return;
    const ids = idsOf(text);
    field.value = "";
    tell(`Looking for ${counted(ids.length, "id")} …`);
    try {
      const found = [];
      for (const some of chunks(ids, AT_ONCE)) found.push(await look(`${some.join("\n")}\n`));
      const rows = new Set(found.flatMap((one) => one.rows));
      const of = `${count(rows.size)} of ${counted(ids.length, "id")}`;
      tell(found.length === 1 ? found[0].text : of, rows.size < ids.length);
      choose([...rows], "list");
    } catch (error) {
      tell(/** @type {Error} */ (error).message, true);
    }
  };

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    find();
  });
  field.addEventListener("input", () => tell(""));
  field.addEventListener("search", () => field.value || find());
  field.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !field.value) field.blur();
  });
  field.addEventListener("paste", (event) => {
    const text = event.clipboardData?.getData("text") ?? "";
    if (!/[\n\r]\s*\S/.test(text.trim())) return;
    event.preventDefault();
    list(text);
  });
  store.subscribe("selection", () => {
    const { origin } = store.selection;
    if (!origin.startsWith("filter: ") && origin !== "list") tell("");
  });
  store.subscribe("map", () => {
    if (store.map) return; // else the data are others
    field.value = "";
    tell("");
  });
  store.subscribe("state", () => {
    const { features: known = [], columns = [] } = store.state?.data ?? {};
    const names = [...known.map((one) => one.name), ...columns];
    features.replaceChildren(...names.slice(0, 200).map((name) => el("option", { value: name })));
  });
  addKeys(store, [{ keys: ["/"], text: "Find rows", group: "Page", run: () => field.focus() }]);
}
