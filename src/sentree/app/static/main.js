/** The page: makes the store and mounts every panel where index.html has a place for it. */
import { byId, el } from "./js/dom.js";
import { Store } from "./js/store.js";
import { http } from "./js/transport.js";

/** Panels in the order of the page: the module js/NAME.js is mounted in the element NAME. */
const PANELS = [
  "map", "say", "clusters", "statements", "status",
  "find", "scale", "export", "ask", "tree", "rowcard", "start", "keys",
];

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
  const undo = el("button", { id: "undo", title: "Undo the last statement (Ctrl Z)", onclick: () => store.undo() }, "↶ Undo");
  const redo = el("button", { id: "redo", title: "Redo (Ctrl Shift Z)", onclick: () => store.redo() }, "↷ Redo");
  byId("history").append(undo, redo);
  store.subscribe("state", () => {
    undo.disabled = !store.state?.can_undo;
    redo.disabled = !store.state?.can_redo;
    byId("project-name").textContent = store.state?.data?.name ?? "";
    document.title = store.state?.data?.name ? `${store.state.data.name} · sentree` : "sentree";
  });
}

/** @param {string} name */
async function panel(name) {
  try {
    return await import(`./js/${name}.js`);
  } catch (error) {
    console.warn(`no panel ${name}`, error);
    return null;
  }
}

const store = new Store(http());
mountTabs(byId("main"));
mountTheme(store);
mountHistory(store);
for (const name of PANELS) (await panel(name))?.mount(byId(name), store);
await store.start();
