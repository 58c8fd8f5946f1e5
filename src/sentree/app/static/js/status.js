/** The bar at the bottom: what there is, what moved, what is going on; and messages. */
import { byId, counted, el } from "./dom.js";
import { EDITS } from "./statements.js";

/** Milliseconds that a note stays. Errors stay until they are closed. */
const STAYS = 4000;

/**
 * "3 clusters, 1,797 rows; 12 moved".
 * @param {import("./store.js").State} state
 */
export function summary(state) {
  if (!state.clusters.length) return "";
  const moved = state.moved?.n ? `; ${counted(state.moved.n, "row moved", "rows moved")}` : "";
  return `${counted(state.clusters.length, "cluster")}, ${counted(state.data.n, "row")}${moved}`;
}

/** Statements that may find the clusters as they say. */
const CLAIMS = ["same", "different", "is", "is_not", "stays", "answer"];

/**
 * What the last change has done, in words; "" if there is nothing to tell.
 * @param {import("./store.js").State} state
 * @param {boolean} isNew  whether the last statement was not there before
 */
export function effect({ moved, statements }, isNew) {
  const last = statements.at(-1);
  if (isNew && last?.verdict === "contradicting") {
    if (EDITS.includes(last.kind)) return "This cannot be done. The list of what was said tells why.";
    return "This contradicts what was said before and does not count. The list of what was said tells why.";
  }
  if (moved?.n) return `${counted(moved.n, "row")} moved`;
  return isNew && last && CLAIMS.includes(last.kind) ? "Nothing moved: the clusters were like this already" : "";
}

/**
 * @param {HTMLElement} element
 * @param {import("./store.js").Store} store
 */
export function mount(element, store) {
  const text = el("span", { id: "summary" });
  const stage = el("span");
  const bar = el("progress", { max: 1, "aria-label": "Progress" });
  const cancel = el("button", { onclick: () => store.call("POST", "/api/cancel", {}).catch(() => undefined) }, "Cancel");
  const busy = el("span", { class: "busy", hidden: true }, bar, stage, cancel);
  const lost = el("span", { class: "lost", hidden: true }, "Not connected: trying again …");
  const movedRows = () => Array.from(store.labels?.changed.keys() ?? []).filter((row) => store.labels?.changed[row]);
  const show = el("button", { id: "show-moved", title: "Select the rows that the last change has moved", hidden: true,
    onclick: () => store.select(movedRows(), "filter: moved by the last change") }, "Select them");
  element.append(text, show, busy, lost);
  const live = byId("live");

  /** @type {{path: string, version: number, id: number} | null} what was told last */
  let told = null;
  store.subscribe("state", () => {
    const { state } = store;
    if (!state) return;
    const { phase, stage: what, share, message } = state.status;
    element.dataset.version = String(state.version);
    element.dataset.phase = phase;
    busy.hidden = phase !== "fitting";
    stage.textContent = what || "Clustering …";
    if (share === null || share === undefined) bar.removeAttribute("value");
    else bar.value = share;
    text.textContent = phase === "failed" ? (message ?? "This went wrong.") : summary(state);
    show.hidden = phase === "failed" || !state.moved?.n;
    text.classList.toggle("bad", phase === "failed");
    byId("map").toggleAttribute("data-busy", phase === "fitting");
    if (phase === "ready") {
      const { path } = state.project;
      const id = state.statements.at(-1)?.id ?? 0;
      const words = told?.path === path && told.version !== state.version && effect(state, id > told.id);
      if (words) store.tell(words);
      told = { path, version: state.version, id };
    }
    if (phase === "ready" && live.textContent !== text.textContent) live.textContent = text.textContent;
  });
  store.subscribe("selection", () => {
    const n = store.selection.rows.length;
    live.textContent = n ? `${counted(n, "row")} selected. Press B for what can be said about them.` : "Nothing selected.";
  });
  store.subscribe("connected", () => {
    lost.hidden = store.connected;
  });

  const toast = el("div", { id: "toast", hidden: true });
  byId("map").append(toast);
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  store.subscribe("message", () => {
    const { text, kind } = store.message;
    clearTimeout(timer);
    toast.hidden = !text;
    toast.className = kind;
    toast.setAttribute("role", kind === "error" ? "alert" : "status");
    const hide = () => {
      toast.hidden = true;
    };
    toast.replaceChildren(el("span", {}, text));
    if (kind === "error") toast.append(el("button", { class: "plain", "aria-label": "Close", onclick: hide }, "×"));
    else timer = setTimeout(hide, STAYS);
  });
}
