/** The beginning: open a file or the example, and wait for the first clusters. */
import { byId, counted, el } from "./dom.js";
import { guide, wasGuided } from "./guide.js";
import { percent } from "./question.js";

/**
 * @typedef {import("./store.js").Store} Store
 * @typedef {{name: string, path: string, kind: "data" | "project", size: number}} File
 * @typedef {{folder: string, parent: string | null, folders: {name: string, path: string}[], files: File[],
 *   left_out: number}} Files
 */

/**
 * A size for people, such as 4.2 MB.
 * @param {number} bytes
 */
export function bytesText(bytes) {
  const units = ["bytes", "kB", "MB", "GB", "TB"];
  const power = bytes < 1000 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1000 ** power;
  return `${power && value < 10 ? value.toFixed(1) : Math.round(value)} ${units[power]}`;
}

/**
 * What the page shows at its beginning, if anything: "choose" a file, "wait" for the first clusters.
 * @param {import("./store.js").State | null} state
 * @param {boolean} asked Whether the person wants to open something else.
 * @returns {"choose" | "wait" | null}
 */
export function stage(state, asked) {
  if (!state) return null;
  if (state.status.phase === "fitting" && !state.clusters?.length) return "wait";
  return asked || !state.clusters?.length ? "choose" : null;
}

/**
 * @param {HTMLElement} element
 * @param {Store} store
 */
export function mount(element, store) {
  // Choosing
  const alarm = el("p", { class: "start-error", role: "alert", hidden: true });
  const picker = el("input", { type: "file", class: "unseen", id: "start-file" });
  const drop = el(
    "label",
    { class: "start-drop", for: "start-file" },
    el("strong", {}, "Drop a file here, or click to choose one"),
    el(
      "span",
      { class: "quiet" },
      "A table with one row for each thing: CSV, Excel, Parquet, NumPy, MATLAB or h5ad. It stays on this computer.",
    ),
  );
  const files = el("div", { class: "start-files" });
  const back = el(
    "button",
    { class: "start-back", hidden: true, onclick: () => ask(false) },
    "Back to the map",
  );
  const example = el(
    "button",
    {
      class: "primary",
      id: "start-example",
      onclick: () => open("/api/example", { name: "digits" }, "the digits"),
    },
    "Try it with handwritten digits",
  );
  const choosing = el(
    "div",
    { class: "start-card" },
    el("h2", {}, "Cluster by looking and clicking"),
    el("p", {}, "See your data as a map, say what belongs together, and watch the clusters follow."),
    alarm,
    el("div", { class: "start-drop-row" }, picker, drop),
    files,
    el(
      "div",
      { class: "buttons start-buttons" },
      el("span", { class: "quiet" }, "No data at hand?"),
      example,
      back,
    ),
  );
  // Waiting
  const heading = el("h2", {});
  const bar = el("progress", { "aria-label": "Progress of the first clusters", max: 1 });
  const doing = el("p", { class: "quiet", role: "status" });
  const cancel = el(
    "button",
    {
      onclick: () =>
        store.call("POST", "/api/cancel", {}).then(
          () => store.refresh(),
          () => {},
        ),
    },
    "Cancel",
  );
  const waiting = el(
    "div",
    { class: "start-card" },
    heading,
    bar,
    doing,
    el("div", { class: "buttons" }, cancel),
  );
  element.append(choosing, waiting);

  let asked = false;
  let listed = false;
  let sending = "";
  /** Whether first clusters were waited for, so that the tour can begin when they are there. */
  let began = false;

  /** @param {boolean} wanted */
  const ask = (wanted) => {
    asked = wanted;
    listed = false;
    tell("");
    show();
  };
  /** @param {string} text */
  const tell = (text) => {
    alarm.textContent = text;
    alarm.hidden = !text;
  };

  /**
   * @param {string} path
   * @param {any} body
   * @param {string} [name] What is being sent.
   */
  const open = async (path, body, name = "") => {
    if (sending) return;
    sending = name || "the data";
    tell("");
    show();
    try {
      await store.transport.call("POST", path, body);
      asked = false;
      listed = false;
    } catch (error) {
      tell(/** @type {Error} */ (error).message);
    }
    await store.refresh();
    sending = "";
    show();
  };
  /** @param {globalThis.File | undefined} file */
  const upload = (file) => file && open(`/api/upload?name=${encodeURIComponent(file.name)}`, file, file.name);

  const list = async (folder = "") => {
    listed = true;
    /** @type {Files} */
    let found;
    try {
      found = await store.transport.call("GET", `/api/files?folder=${encodeURIComponent(folder)}`);
    } catch (error) {
      files.replaceChildren(el("p", { class: "quiet" }, /** @type {Error} */ (error).message));
      return;
    }
    const empty = !found.folders.length && !found.files.length;
    /** @type {(name: string, about: string, act: () => void, kind: string) => HTMLElement} */
    const entry = (name, about, act, kind) =>
      el(
        "li",
        {},
        el(
          "button",
          { class: `plain start-${kind}`, onclick: act },
          el("span", {}, name),
          el("span", { class: "quiet small" }, about),
        ),
      );
    files.replaceChildren(
      el("h3", {}, found.folder ? `Files in ${found.folder}` : "Files in this folder"),
      empty ? el("p", { class: "quiet small" }, "There is none that can be opened.") : "",
      el(
        "ul",
        {},
        found.parent !== null && entry("..", "up", () => list(found.parent ?? ""), "folder"),
        ...found.folders.map((one) => entry(`${one.name}/`, "folder", () => list(one.path), "folder")),
        // Projects first: they are what someone has worked on.
        ...[...found.files]
          .sort((a, b) => Number(b.kind === "project") - Number(a.kind === "project"))
          .map((one) =>
            entry(
              one.name,
              one.kind === "project" ? "project" : bytesText(one.size),
              () => open("/api/open", { path: one.path }, one.name),
              one.kind,
            ),
          ),
        found.left_out > 0 &&
          el("li", { class: "quiet small" }, `and ${counted(found.left_out, "more entry", "more entries")}`),
      ),
    );
  };

  const show = () => {
    const state = store.state;
    const now = sending ? "wait" : stage(state, asked);
    const was = !element.hidden;
    element.hidden = now === null;
    choosing.hidden = now !== "choose";
    waiting.hidden = now !== "wait";
    byId("main").inert = now !== null;
    back.hidden = !state?.clusters?.length;
    if (now === "choose") {
      if (!listed) list();
      if (state?.status.phase === "failed" && state.status.message && !asked) tell(state.status.message);
    }
    if (now === "wait") {
      began = true;
      const fitting = state?.status.phase === "fitting" && !asked;
      heading.textContent = fitting
        ? `Finding the clusters of ${state.data?.name ?? "the data"}`
        : `Opening ${sending}`;
      const share = fitting ? state.status.share : null;
      if (share === null) bar.removeAttribute("value");
      else bar.value = share;
      doing.textContent = fitting
        ? [state.status.stage, share === null ? "" : percent(share)].filter(Boolean).join(", ")
        : "";
      cancel.hidden = !fitting;
    }
    if (now === null && was && began) {
      began = false;
      if (!wasGuided()) guide(store);
    }
  };

  picker.addEventListener("change", () => {
    upload(picker.files?.[0]);
    picker.value = "";
  });
  let inside = 0;
  /** @param {DragEvent} event */
  const hasFile = (event) => event.dataTransfer?.types.includes("Files") ?? false;
  document.addEventListener("dragenter", (event) => {
    if (hasFile(event) && ++inside === 1) document.body.classList.add("dropping");
  });
  document.addEventListener("dragleave", (event) => {
    if (hasFile(event) && --inside <= 0) document.body.classList.remove("dropping");
  });
  document.addEventListener("dragover", (event) => hasFile(event) && event.preventDefault());
  document.addEventListener("drop", (event) => {
    inside = 0;
    document.body.classList.remove("dropping");
    if (!hasFile(event)) return;
    event.preventDefault();
    upload(event.dataTransfer?.files[0]);
  });
  byId("project").append(
    el(
      "button",
      { id: "open", title: "Open other data or another project", onclick: () => ask(true) },
      "Open",
    ),
  );
  store.subscribe("state", show);
}
