/** What can be taken away, as a menu of downloads. */
import { el } from "./dom.js";
import { popover } from "./popover.js";

/** @typedef {import("./store.js").Store} Store */

/** By heading: what is exported, what it is called, and what it is for. */
const EXPORTS = [
  {
    heading: "Clusters of the rows",
    files: [
      ["labels.csv", "CSV", "for spreadsheets and everything else"],
      ["labels.parquet", "Parquet", "for pandas, Polars, DuckDB"],
      ["labels.h5ad", "h5ad", "for Scanpy: a column of AnnData"],
    ],
  },
  { heading: "What was said", files: [["constraints.json", "Constraints", "for sentree, to be used again"]] },
  {
    heading: "Tree",
    files: [
      ["tree.nwk", "Newick", "for tree viewers"],
      ["tree.json", "JSON", "with names and sizes"],
    ],
  },
  {
    heading: "To read and to repeat",
    files: [
      ["report.html", "Report", "a page with pictures"],
      ["model.sentree", "Model", "to load in Python"],
      ["script.py", "Python script", "makes these clusters again"],
      ["command.sh", "Command", "the same for a terminal"],
    ],
  },
];

/**
 * @param {Blob} data
 * @param {string} name
 */
function save(data, name) {
  const address = URL.createObjectURL(data);
  el("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

/**
 * @param {HTMLElement} element
 * @param {Store} store
 */
export function mount(element, store) {
  const button = el("button", { class: "export-open", disabled: true }, "Export");
  /**
   * @param {string} what
   * @param {HTMLButtonElement} entry
   */
  const take = async (what, entry) => {
    entry.setAttribute("aria-busy", "true");
    entry.disabled = true;
    try {
      const name = (store.state?.data?.name ?? "data").replace(/^.*[\\/]/, "").replace(/\.[^.]*$/, "");
      save(await store.transport.file(`/api/export/${what}`), `${name}-${what}`);
      panel.hidePopover();
      store.tell(`Saved ${name}-${what}.`);
    } catch (error) {
      panel.hidePopover();
      store.tell(/** @type {Error} */ (error).message, "error");
    } finally {
      entry.disabled = false;
      entry.removeAttribute("aria-busy");
    }
  };
  const panel = popover(
    button,
    { class: "export-panel", label: "Take the result away" },
    ...EXPORTS.map(({ heading, files }) =>
      el(
        "section",
        {},
        el("h2", {}, heading),
        ...files.map(([what, name, about]) => {
          const entry = el(
            "button",
            { class: "plain", "data-export": what, onclick: () => take(what, entry) },
            el("span", {}, name),
            el("span", { class: "quiet small" }, about),
          );
          return entry;
        }),
      ),
    ),
  );
  element.append(button, panel);
  store.subscribe("state", () => {
    button.disabled = !store.state?.clusters?.length;
  });
}
