/** The tree as an icicle, linked with the map: a block is a branch, as long as it has rows. */
import { mix, parse } from "./colours.js";
import { counted, el } from "./dom.js";
import { columns, icicle, rowsOf, step } from "./icicle.js";
import { percent } from "./question.js";
import { svg } from "./svg.js";

/**
 * @typedef {import("./store.js").Store} Store
 * @typedef {import("./icicle.js").Block} Block
 * @typedef {import("./icicle.js").Node} Branch
 */

/** Blocks below this many pixels are gathered, and lines of text need so many. */
const SEEN = 3,
  LINE = 14;
/** Width of a letter, and most rows of a branch that are lit by pointing at it. */
const LETTER = 6.5,
  LIT = 60;

/**
 * Black or white, whichever is read better on a colour.
 * @param {string} colour #rrggbb
 */
export function inkOn(colour) {
  const [r, g, b] = parse(colour).map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.179 ? "#000000" : "#ffffff";
}

/**
 * How many of the first rows in the order of leaves are selected, for each number of rows.
 * @param {ArrayLike<number>} order
 * @param {number[]} selected
 * @returns {Int32Array}
 */
export function sums(order, selected) {
  const chosen = new Uint8Array(order.length);
  for (const row of selected) chosen[row] = 1;
  const found = new Int32Array(order.length + 1);
  for (let at = 0; at < order.length; at++) found[at + 1] = found[at] + chosen[order[at]];
  return found;
}

/**
 * @param {number[]} rows
 * @param {number} most
 * @returns {number[]} Some of them, from everywhere.
 */
export function thinned(rows, most) {
  const every = Math.ceil(rows.length / most);
  return every > 1 ? rows.filter((_, at) => at % every === 0) : rows;
}

/**
 * @param {HTMLElement} element
 * @param {Store} store
 */
export function mount(element, store) {
  const about = el("p", { class: "tree-about quiet small" });
  const all = el(
    "button",
    { class: "tree-all", hidden: true, onclick: () => zoom(null) },
    "Show the whole tree",
  );
  const into = el("button", { class: "tree-into", disabled: true, onclick: () => zoom(here) }, "Zoom in");
  const where = el(
    "button",
    { disabled: true, title: "Show on the map", onclick: () => store.show(rowsHere()) },
    "Show",
  );
  const picture = svg("svg", { class: "tree-picture", role: "tree", "aria-label": "Tree of clusters" });
  const frame = el("div", { class: "tree-frame" }, picture);
  element.append(
    el("p", { class: "quiet small" }, "Click a branch to select its rows; Shift adds them."),
    frame,
    el("div", { class: "tree-foot" }, about, where, into, all),
  );

  /** @type {{nodes: Branch[], order: ArrayLike<number>} | null} */
  let tree = null;
  /** @type {Block[]} */
  let blocks = [];
  /** @type {ReturnType<typeof columns>} */
  let placed = new Map();
  let drawn = "";
  /** The block that has the focus, and the branch that is the whole. */
  let here = "";
  /** @type {number | null} */
  let root = null;

  const isOpen = () => element.getClientRects().length > 0;
  /** @param {string} key */
  const block = (key) => blocks.find((one) => one.key === key);
  /** @param {Block} one */
  const clusterOf = (one) => {
    const number = (one.node ?? one.gathered[0])?.cluster;
    return store.state?.clusters?.find((cluster) => cluster.number === number);
  };
  /** @param {Block} one */
  const kindOf = (one) => placed.get(one.key)?.kind;

  /** @param {Block} one */
  const nameOf = (one) => {
    if (!one.node) return counted(one.gathered.length, "small branch", "small branches");
    const cluster = clusterOf(one);
    if (!cluster)
      return one.node.name || (one.parent === null && root === null ? "All rows" : "Several clusters");
    return kindOf(one) === "part" ? one.node.name || `Part of ${cluster.name}` : cluster.name;
  };

  /** @param {Block} one */
  const describe = (one) => {
    const n = store.state?.data?.n ?? one.size;
    return `${nameOf(one)}: ${counted(one.size, "row")} (${percent(one.size / n)})`;
  };

  /** @param {Block} one */
  const fill = (one) => {
    const paper = store.dark ? "#16191d" : "#ffffff";
    const cluster = kindOf(one) === "union" ? null : clusterOf(one);
    if (!cluster) return mix(store.dark ? "#59616a" : "#aab2bb", paper, one.level % 2 ? 0.35 : 0.5);
    const pale = { union: 0, cluster: 0, part: one.node ? (one.level % 2 ? 0.5 : 0.35) : 0.75 }[
      kindOf(one) ?? "part"
    ];
    return mix(store.colourOf(cluster), paper, pale);
  };

  /** @param {string} key */
  const focus = (key) => {
    here = key;
    for (const item of picture.querySelectorAll("g"))
      item.setAttribute("tabindex", item.dataset.key === key ? "0" : "-1");
    const item = /** @type {SVGGElement | null} */ (
      picture.querySelector(`g[data-key="${CSS.escape(key)}"]`)
    );
    item?.focus();
  };

  /** @param {Block | undefined} one */
  const tell = (one) => {
    about.textContent = one ? describe(one) : "";
    where.disabled = !one;
    into.disabled = !one?.node || one.parent === null || !one.children.length;
  };

  const rowsHere = () => {
    const one = block(here);
    return one && tree ? rowsOf(one, tree.order) : [];
  };

  /** @param {Block} one */
  const select = (one, add = false) => {
    if (!tree) return;
    here = one.key;
    tell(one);
    store.select(rowsOf(one, tree.order), "branch", add ? "add" : "replace");
  };

  /** @param {string | null} key */
  const zoom = (key) => {
    root = key === null ? null : (block(key)?.node?.id ?? null);
    all.hidden = root === null;
    draw();
    focus(blocks[0]?.key ?? "");
    tell(blocks[0]);
  };

  /** Draw the blocks: rows downward, levels to the right. */
  const draw = () => {
    const { width, height } = frame.getBoundingClientRect();
    if (!tree || !width || !height) return;
    blocks = icicle(tree.nodes, { smallest: SEEN / height, root });
    placed = columns(blocks, width);
    if (!block(here)) here = blocks[0]?.key ?? "";
    const hadFocus = picture.contains(document.activeElement);
    picture.setAttribute("width", String(width));
    picture.setAttribute("height", String(height));
    picture.replaceChildren(...blocks.map((one) => drawBlock(one, height)));
    mark();
    if (hadFocus) focus(here);
  };

  /**
   * @param {Block} one
   * @param {number} height
   */
  const drawBlock = (one, height) => {
    const { start, deep, kind } = /** @type {import("./icicle.js").Column} */ (placed.get(one.key));
    const [from, tall] = [one.from * height, (one.to - one.from) * height];
    const colour = fill(one);
    const box = {
      x: start,
      y: from,
      width: Math.max(1, deep - 1),
      height: Math.max(0.5, tall - Math.min(1, tall / 4)),
    };
    const item = svg(
      "g",
      {
        role: "treeitem",
        "data-key": one.key,
        tabindex: one.key === here ? 0 : -1,
        "aria-label": describe(one),
        "aria-level": one.level + 1,
        "aria-expanded": one.children.length ? "true" : null,
        "aria-selected": "false",
        class: "tree-block",
      },
      svg("rect", { ...box, rx: Math.min(2, tall / 4), fill: colour }),
      svg("rect", { class: "tree-chosen", x: box.x, y: box.y, width: 0, height: 0 }),
    );
    const letters = Math.floor((box.width - 12) / LETTER);
    const name = nameOf(one);
    if (kind === "cluster" && tall >= LINE && letters >= 3)
      item.append(
        svg(
          "text",
          { x: box.x + 8, y: from + Math.min(tall / 2 + 4, LINE + 2), fill: inkOn(colour) },
          name.length > letters ? `${name.slice(0, letters - 1)}…` : name,
        ),
      );
    return item;
  };

  /** Show in every block which share of it is selected. */
  const mark = () => {
    if (!tree || !isOpen()) return;
    const before = store.selection.rows.length ? sums(tree.order, store.selection.rows) : null;
    for (const item of picture.querySelectorAll("g")) {
      const one = block(item.dataset.key ?? "");
      const [back, bar] = item.querySelectorAll("rect");
      if (!one) continue;
      const nodes = one.node ? [one.node] : one.gathered;
      const chosen = before ? nodes.reduce((sum, node) => sum + before[node.end] - before[node.start], 0) : 0;
      const share = chosen / one.size;
      item.setAttribute("aria-selected", String(share === 1));
      item.classList.toggle("faded", before !== null && !chosen);
      if (kindOf(one) === "part") continue;
      bar.setAttribute("width", String(Math.min(4, share && Number(back.getAttribute("width")))));
      bar.setAttribute("height", String(share * Number(back.getAttribute("height"))));
    }
  };

  let fetched = -1;
  const follow = async () => {
    if (!isOpen() || !store.state?.clusters?.length) return;
    const version = store.state.version;
    if (fetched !== version) {
      fetched = version;
      try {
        const { header, arrays } = await store.tree();
        if (version !== store.state.version) return;
        tree = { nodes: header.nodes, order: arrays.order };
        root = null; // branches have other numbers now
        all.hidden = true;
      } catch (error) {
        fetched = -1;
        about.textContent = /** @type {Error} */ (error).message;
        return;
      }
      draw();
    }
  };

  /** @param {Event} event */
  const under = (event) => {
    const item = event.target instanceof Element ? event.target.closest("g") : null;
    return item ? block(item.dataset.key ?? "") : undefined;
  };
  picture.addEventListener("click", (event) => {
    const one = under(event);
    if (!one) return;
    focus(one.key);
    select(one, event.shiftKey);
    store.light([]); // the selection shows them now
  });
  picture.addEventListener("dblclick", (event) => {
    const one = under(event);
    if (one?.node && one.children.length) zoom(one.key);
  });
  picture.addEventListener("pointerover", (event) => {
    const one = under(event);
    if (!one || !tree) return;
    tell(one);
    store.light(thinned(rowsOf(one, tree.order), LIT));
  });
  picture.addEventListener("pointerleave", () => {
    tell(block(here));
    store.light([]);
  });
  picture.addEventListener("focusin", (event) => tell(under(event)));
  picture.addEventListener("keydown", (event) => {
    const one = under(event);
    if (!one) return;
    /** @type {Record<string, Parameters<typeof step>[2]>} */
    const ways = {
      ArrowUp: "before",
      ArrowDown: "after",
      ArrowRight: "in",
      ArrowLeft: "out",
      Home: "first",
      End: "last",
    };
    const way = ways[event.key];
    if (way) focus(step(blocks, one.key, way));
    else if (event.key === "Enter" || event.key === " ") select(one, event.shiftKey);
    else return;
    event.preventDefault();
    event.stopPropagation();
  });

  store.subscribe("labels", follow);
  store.subscribe("selection", mark);
  store.subscribe("theme", draw);
  new ResizeObserver(() => {
    const { width, height } = frame.getBoundingClientRect();
    const room = `${Math.round(width)} ${Math.round(height)}`;
    if (room === drawn) return;
    drawn = room;
    follow();
    draw();
  }).observe(frame);
}
