/** The page: makes the store and mounts every panel where index.html has a place for it. */
import { byId, el } from "./js/dom.js";
import { Store } from "./js/store.js";
import * as ask from "./js/ask.js";
import * as clusters from "./js/clusters.js";
import * as exportPanel from "./js/export.js";
import * as find from "./js/find.js";
import * as keys from "./js/keys.js";
import * as map from "./js/map.js";
import * as rowcard from "./js/rowcard.js";
import * as say from "./js/say.js";
import * as scale from "./js/scale.js";
import * as start from "./js/start.js";
import * as statements from "./js/statements.js";
import * as status from "./js/status.js";
import * as tree from "./js/tree.js";

/** The panels: each is mounted in the element of its name. */
const PANELS = {
  map, say, clusters, statements, status, find, scale, export: exportPanel, ask, tree, rowcard, start, keys,
};

/**
 * The tabs of the right column; on narrow screens the clusters are a tab, too.
 * @param {HTMLElement} main
 */
function mountTabs(main) {
  const tabs = /** @type {HTMLButtonElement[]} */ ([...byId("tabs").querySelectorAll("[role=tab]")]);
  /** @param {HTMLButtonElement} chosen */
  const choose = (chosen) => {
    main.dataset.tab = chosen.id.slice("tab-".length);
    for (const tab of tabs) {
      tab.setAttribute("aria-selected", String(tab === chosen));
      tab.tabIndex = tab === chosen ? 0 : -1;
    }
  };
  for (const [i, tab] of tabs.entries()) {
    tab.addEventListener("click", () => choose(tab));
    tab.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      let next = i;
      do next = (next + step + tabs.length) % tabs.length;
      while (!tabs[next].offsetParent);
      choose(tabs[next]);
      tabs[next].focus();
    });
  }
  choose(tabs[1]);
}

/** @param {Store} store */
function mountTheme(store) {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const button = el("button", { id: "theme", onclick: () => set(store.dark ? "light" : "dark") });
  /** @param {string | null} chosen */
  const set = (chosen) => {
    if (chosen) localStorage.setItem("sentree-theme", chosen);
    const theme = chosen ?? localStorage.getItem("sentree-theme") ?? (system.matches ? "dark" : "light");
    document.documentElement.dataset.theme = theme;
    button.textContent = theme === "dark" ? "☀" : "☾";
    button.title = theme === "dark" ? "Light colours" : "Dark colours";
    button.setAttribute("aria-label", button.title);
    store.theme(theme === "dark");
  };
  system.addEventListener("change", () => set(null));
  byId("tools").append(button);
  set(null);
}

/** @param {Store} store */
function mountHistory(store) {
  const undo = el("button", { "aria-label": "Undo", id: "undo", title: "Undo the last statement (Ctrl Z)", onclick: () => store.undo().catch(() => undefined) },
    "↶ ", el("span", {}, "Undo"));
  const redo = el("button", { "aria-label": "Redo", id: "redo", title: "Redo (Ctrl Shift Z)", onclick: () => store.redo().catch(() => undefined) },
    "↷ ", el("span", {}, "Redo"));
  byId("history").append(undo, redo);
  store.subscribe("state", () => {
    undo.disabled = !store.state?.can_undo;
    redo.disabled = !store.state?.can_redo;
    byId("project-name").textContent = store.state?.data?.name ?? "";
    document.title = store.state?.data?.name ? `${store.state.data.name} · sentree` : "sentree";
  });
}

/**
 * Show the page in this document, which has the places of index.html.
 * @param {import("./js/transport.js").Transport} transport
 */
export async function show(transport) {
  const store = new Store(transport);
  mountTabs(byId("main"));
  mountTheme(store);
  mountHistory(store);
  for (const [name, panel] of Object.entries(PANELS)) panel.mount(byId(name), store);
  await store.start();
  return store;
}
