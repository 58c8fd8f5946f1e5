/** Where the blocks of an icicle stand. */

/**
 * @typedef {{id: number, parent: number | null, depth: number, size: number, start: number, end: number,
 *   cluster: number | null, name: string | null}} Node
 * @typedef {{key: string, node: Node | null, gathered: Node[], parent: string | null, children: string[],
 *   level: number, from: number, to: number, size: number}} Block `from` and `to` are shares of the whole;
 *   `node` is null where small branches are gathered into one block.
 */

/**
 * Lay out a tree: a block is as long as it has rows, large branches are opened first, siblings stand from
 * the largest to the smallest, and those too small to be seen are gathered into one block at the end.
 * @param {Node[]} nodes
 * @param {{most?: number, smallest?: number, root?: number | null}} [options] `most`: blocks to draw;
 *   `smallest`: share of the whole that can be seen; `root`: the branch that is the whole.
 * @returns {Block[]} Parents before children.
 */
export function icicle(nodes, { most = 300, smallest = 1 / 150, root = null } = {}) {
  /** @type {Map<number | null, Node[]>} */
  const below = new Map();
  const ids = new Set(nodes.map((node) => node.id));
  for (const node of nodes) {
    const parent =
      node.parent !== null && node.parent !== node.id && ids.has(node.parent) ? node.parent : null;
    const siblings = below.get(parent);
    if (siblings) siblings.push(node);
    else below.set(parent, [node]);
  }
  const tops = root === null ? (below.get(null) ?? []) : nodes.filter((node) => node.id === root);
  const total = tops.reduce((sum, node) => sum + node.size, 0);
  /** @type {Block[]} */
  const blocks = [];
  if (!total) return blocks;

  /** @type {(children: Node[], parent: Block | null, from: number, level: number) => Block[]} */
  const place = (children, parent, from, level) => {
    const sorted = [...children].sort((a, b) => b.size - a.size || a.start - b.start);
    const seen = sorted.filter((node) => node.size / total >= smallest);
    const small = sorted.slice(seen.length);
    if (small.length === 1) seen.push(/** @type {Node} */ (small.pop()));
    let at = from;
    /** @type {(node: Node | null, gathered: Node[]) => Block} */
    const block = (node, gathered) => {
      const size = node ? node.size : gathered.reduce((sum, one) => sum + one.size, 0);
      const key = node ? String(node.id) : `small-${parent ? parent.key : "top"}`;
      const made = {
        key,
        node,
        gathered,
        parent: parent ? parent.key : null,
        children: [],
        level,
        from: at,
        to: at + size / total,
        size,
      };
      at = made.to;
      return made;
    };
    const placed = seen.map((node) => block(node, []));
    if (small.length) placed.push(block(null, small));
    return placed;
  };

  const waiting = place(tops, null, 0, 0);
  blocks.push(...waiting);
  while (waiting.length) {
    waiting.sort((a, b) => a.size - b.size || b.from - a.from);
    const next = /** @type {Block} */ (waiting.pop());
    if (!next.node) continue;
    const children = place(below.get(next.node.id) ?? [], next, next.from, next.level + 1);
    // Branches that are all too small would only repeat their parent.
    if (!children.some((child) => child.node) || blocks.length + children.length > most) continue;
    next.children = children.map((child) => child.key);
    blocks.push(...children);
    waiting.push(...children);
  }
  return blocks;
}

/** @typedef {{start: number, deep: number, kind: "union" | "cluster" | "part"}} Column */

/** Most pixels of a level of unions, and most and least of clusters, which have names. */
const UNION = 20,
  CLUSTER = 170,
  NAMED = 92;

/**
 * Where blocks stand across the levels: unions of clusters in narrow columns, all clusters up to the same
 * line, whatever their level, and their parts beyond it.
 * @param {Block[]} blocks
 * @param {number} room
 * @returns {Map<string, Column>}
 */
export function columns(blocks, room) {
  /** @type {Map<string, {kind: Column["kind"], inside: number}>} */
  const known = new Map();
  let unions = 0;
  let parts = 0;
  for (const block of blocks) {
    const above = block.parent === null ? undefined : known.get(block.parent);
    const cluster = (block.node ?? block.gathered[0]).cluster;
    const union =
      cluster === null ||
      cluster < 0 ||
      (!block.node && above?.kind === "union" && block.gathered.length > 1);
    const inside = above && above.kind !== "union" ? above.inside + 1 : 0;
    known.set(block.key, { kind: inside ? "part" : union ? "union" : "cluster", inside });
    if (inside) parts = Math.max(parts, inside);
    else unions = Math.max(unions, block.level);
  }
  const narrow = unions ? Math.min(UNION, (0.4 * room) / unions) : 0;
  const rest = room - unions * narrow;
  const wide = parts ? Math.min(CLUSTER, Math.max(Math.min(NAMED, rest / 2), rest / (parts + 1))) : rest;
  const line = unions * narrow + wide;
  const thin = parts ? (room - line) / parts : 0;
  /** @type {Map<string, Column>} */
  const found = new Map();
  for (const block of blocks) {
    const { kind, inside } = /** @type {{kind: Column["kind"], inside: number}} */ (known.get(block.key));
    const start = inside ? line + (inside - 1) * thin : block.level * narrow;
    const next = kind === "union" ? start + narrow : kind === "cluster" ? line : start + thin;
    // What is not opened goes on to the end.
    found.set(block.key, { kind, start, deep: (block.children.length ? next : room) - start });
  }
  return found;
}

/**
 * @param {Block} block
 * @param {ArrayLike<number>} order Rows in the order of leaves.
 * @returns {number[]} The rows of a block.
 */
export function rowsOf(block, order) {
  const rows = [];
  for (const node of block.node ? [block.node] : block.gathered)
    for (let at = node.start; at < node.end; at++) rows.push(order[at]);
  return rows;
}

/**
 * The block to go to by an arrow key: before and after among those at the same level, in and out.
 * @param {Block[]} blocks
 * @param {string} from Key of a block.
 * @param {"before" | "after" | "in" | "out" | "first" | "last"} way
 * @returns {string} The same key where there is nothing that way.
 */
export function step(blocks, from, way) {
  const here = blocks.find((block) => block.key === from);
  if (!here) return blocks[0]?.key ?? from;
  if (way === "out") return here.parent ?? from;
  if (way === "in") return here.children[0] ?? from;
  const row = blocks.filter((block) => block.level === here.level).sort((a, b) => a.from - b.from);
  const at = row.indexOf(here);
  const to = { before: at - 1, after: at + 1, first: 0, last: row.length - 1 }[way];
  return row[to]?.key ?? from;
}
