/**
 * What can be said about the selection: the buttons (the bar at the selection has them, too), and the
 * panel that tells what is selected and how to select.
 */
import { ask, choose, count, counted, el, spot } from "./dom.js";
import { drawImage, rowsCard } from "./rowcard.js";

/** @typedef {import("./store.js").Store} Store */
/**
 * @typedef {{id: string, label: string, title: string, primary?: boolean, needs?: string | null,
 *   rare?: boolean, run: () => Promise<any>}} Action  needs: why it cannot be said now; rare: what the
 *   bar keeps in its menu
 */

/** Most rows of which all pairs can be said to differ. */
export const MOST_APART = 50;
/** Most selected rows whose values are shown, and most of these. */
const TABLED = 3;
const CELLS = 12;

/**
 * Ask for the name of a class.
 * @param {Store} store
 * @param {string} title
 * @param {boolean} known  whether the classes so far are offered
 */
function askClass(store, title, known) {
  return ask({
    title,
    label: "Class",
    choices: known ? (store.state?.classes ?? []) : [],
    ok: "Say it",
  });
}

/**
 * Where a selection can be moved to.
 * @param {Store} store
 * @returns {Promise<number | null | undefined>}  a row of the cluster, null: a new one
 */
function askTarget(store) {
  const clusters = store.state?.clusters ?? [];
  return choose({
    title: "Move to which cluster?",
    options: [
      { label: "A new cluster", value: null },
      ...clusters.map((cluster) => ({
        label: `${cluster.name} (${count(cluster.size)})`,
        colour: store.colourOf(cluster),
        value: /** @type {number | null} */ (cluster.typical[0]),
      })),
    ],
  });
}

/**
 * What can be said about the selection now.
 * @param {Store} store
 * @returns {Action[]}
 */
export function actions(store) {
  const { rows, origin } = store.selection;
  const kept = store.kept?.rows;
  const n = rows.length;
  const few = n < 2 ? "Select at least two rows" : null;
  /** @param {import("./store.js").Said} statement */
  const say = async (statement) => {
    await store.say({ origin, ...statement });
    store.clear();
    if (kept) store.unkeep();
  };
  if (kept) {
    const all = [...new Set([...kept, ...rows])];
    return [
      { id: "different", label: "A and B differ", primary: true,
        title: "The rows of A and those of the selection belong to different clusters",
        run: () => say({ kind: "different", rows: kept, others: rows }) },
      { id: "same", label: "A and B belong together", primary: true,
        title: "All these rows belong to one cluster",
        run: () => say({ kind: "same", rows: all }) },
    ];
  }
  return [
    { id: "same", label: "Belong together", primary: true, needs: few,
      title: "These rows belong to one cluster",
      run: () => say({ kind: "same", rows }) },
    { id: "different", label: "Are different",
      title: "Each of these rows belongs to another cluster than the others",
      needs: few ?? (n > MOST_APART
        ? `For 2 to ${MOST_APART} rows. To say that two groups differ: Compare …, then select the other group`
        : null),
      run: () => say({ kind: "different", rows }) },
    { id: "is", label: n === 1 ? "Is …" : "Are …", title: "These rows are of a class that you name",
      run: async () => {
        const name = await askClass(store, `What ${n === 1 ? "is it" : "are they"}?`, true);
        if (name) await say({ kind: "is", rows, class: name });
      } },
    { id: "is_not", label: n === 1 ? "Is not …" : "Are not …", rare: true, title: "These rows are not of a class that you name",
      run: async () => {
        const name = await askClass(store, `What ${n === 1 ? "is it" : "are they"} not?`, true);
        if (name) await say({ kind: "is_not", rows, class: name });
      } },
    { id: "new_class", label: "New class …", rare: true, title: "These rows are the first of a class of their own",
      run: async () => {
        const name = await askClass(store, "Name of the new class", false);
        if (!name) return;
        if (store.state?.classes.includes(name)) {
          store.tell(`There is a class ${name} already. To add to it choose “Are …”.`, "error");
          return;
        }
        await say({ kind: "is", rows, class: name });
      } },
    { id: "stays", label: n === 1 ? "Stays here" : "Stay here", rare: true,
      title: "These rows keep to the cluster they are in, whatever else is said",
      run: () => say({ kind: "stays", rows }) },
    { id: "move", label: "Move to …", title: "Put these rows into another cluster, or into a new one",
      run: async () => {
        const to = await askTarget(store);
        if (to !== undefined) await say({ kind: "move", rows, to_row: to });
      } },
    { id: "keep", label: "Compare …", rare: n > 1 && n <= MOST_APART,
      title: "Put these rows aside as A; then select others and say whether they differ from A",
      run: async () => store.keep() },
  ];
}

/**
 * @param {Action} action
 */
export function actionButton({ id, label, title, primary, needs, run }) {
  return el("button", {
    class: primary ? "primary" : null,
    "data-say": id,
    title: needs ?? title,
    disabled: Boolean(needs),
    // what goes wrong has been told by the store
    onclick: () => run().catch(() => undefined),
  }, label);
}

/**
 * In which clusters rows are, largest share first.
 * @param {Store} store
 * @param {number[]} rows
 */
export function composition(store, rows) {
  /** @type {Map<number, number>} */
  const sizes = new Map();
  for (const row of rows) {
    const number = store.labels?.cluster[row] ?? -1;
    sizes.set(number, (sizes.get(number) ?? 0) + 1);
  }
  return (store.state?.clusters ?? [])
    .flatMap((cluster) => {
      const size = sizes.get(cluster.number);
      return size ? { cluster, size } : [];
    })
    .sort((a, b) => b.size - a.size);
}

/**
 * @param {HTMLElement} element
 * @param {Store} store
 */
export function mount(element, store) {
  const title = el("h2");
  const hint = el("div", { class: "hint" },
    el("ol", {},
      el("li", {}, "Drag around points on the map, or click one. Shift adds more. A cluster of the list and Find select, too."),
      el("li", {}, "Say what you know about them: they belong together, they are different, they are of a class."),
      el("li", {}, "The clusters follow. Undo takes it back.")));
  const parts = el("ul", { class: "composition", "aria-label": "Clusters of the selection" });
  const images = el("div", { class: "thumbs" });
  const more = el("p", { class: "quiet small" }, "Shift and a click add more rows.");
  const clear = el("button", { onclick: () => store.clear() }, "Clear the selection");
  element.append(title, hint, parts, images, more, el("div", { class: "buttons left" }, clear));

  const draw = () => {
    const { rows } = store.selection;
    const n = rows.length;
    title.textContent = n ? `${counted(n, "row")} selected` : store.kept ? "Now select what to compare with A" : "Nothing selected";
    more.hidden = n !== 1;
    hint.hidden = n > 0 || Boolean(store.kept);
    clear.hidden = !n;
    const shares = composition(store, rows);
    parts.replaceChildren(...shares.slice(0, 6).map(({ cluster, size }) =>
      el("li", {}, spot(store.colourOf(cluster)), el("span", { class: "name" }, cluster.name), el("span", { class: "quiet" }, count(size)))));
    if (shares.length > 6) parts.append(el("li", { class: "quiet" }, `and ${counted(shares.length - 6, "further cluster")}`));
    drawImages(rows);
  };
  const drawImages = async (/** @type {number[]} */ rows) => {
    images.replaceChildren();
    if (!rows.length || !(store.state?.data?.image || rows.length <= TABLED)) return;
    const step = Math.max(1, Math.floor(rows.length / 24));
    const some = rows.filter((_, i) => i % step === 0).slice(0, 24);
    const cards = await store.rows(some).catch(() => []);
    if (store.selection.rows !== rows) return;
    if (store.state?.data?.image)
      images.replaceChildren(...cards.flatMap((card) => (card.image ? drawImage(card.image, `Row ${card.id}`) : [])));
    else images.replaceChildren(rowsCard(cards, { most: CELLS }));
  };
  store.subscribe("selection", draw);
  store.subscribe("kept", draw);
  store.subscribe("labels", draw);
  store.subscribe("theme", draw);
  draw();
}
