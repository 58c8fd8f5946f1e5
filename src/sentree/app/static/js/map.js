/**
 * The map: the points, and on a second canvas above them the lasso, the links that were said, the
 * names of the clusters and what is lit up. While the pointer is dragged nothing is searched.
 */
import { byCluster, blend, colouring } from "./colouring.js";
import { mix, scaleColour } from "./colours.js";
import { count, el, spot } from "./dom.js";
import { box, Grid, pointsInPolygon, View } from "./geometry.js";
import { addKeys } from "./keys.js";
import { gpuPainter, hasWebGL, plainPainter } from "./painter.js";
import { mountBar } from "./selection.js";

/** @typedef {import("./store.js").Store} Store */

/** Pixels around a point that belong to it. */
const REACH = 12;
/** Milliseconds that changed colours and rings take. */
const CHANGE = 900;
/** Most rings and lines drawn at once. */
const MOST_RINGS = 3000;
const MOST_LINES = 600;
/** Selections up to here are drawn above the others, with rings, so that a single point is seen. */
const FEW = 30;
/** Pixels at the top that the controls cover. */
const STRIP = 44;
/** @type {Record<string, string>} links that are not kept, by the verdict */
const LINK_COLOURS = { broken: "--warn", contradicting: "--bad" };

/**
 * @param {HTMLElement} element
 * @param {Store} store
 */
export function mount(element, store) {
  new PointMap(element, store);
}

class PointMap {
  /**
   * @param {HTMLElement} element
   * @param {Store} store
   */
  constructor(element, store) {
    this.element = element;
    this.store = store;
    this.view = new View();
    this.canvas = el("canvas", { class: "points", "aria-hidden": "true" });
    this.density = el("canvas", { class: "density", "aria-hidden": "true" });
    this.overlay = el("canvas", {
      class: "overlay",
      tabindex: 0,
      role: "application",
      "aria-label":
        "Map of the rows. Arrow keys move it, plus and minus zoom, 0 shows all. Rows can also be selected by the list of clusters or by Find.",
    });
    this.context = /** @type {CanvasRenderingContext2D} */ (this.overlay.getContext("2d"));
    this.legend = el("div", { class: "legend", hidden: true });
    this.note = el("p", { class: "map-note quiet" });
    element.append(this.density, this.canvas, this.overlay, this.mountControls(), this.note);
    this.bar = mountBar(element, store);
    /** @type {import("./painter.js").Painter | null} */
    this.painter = null;
    /** @type {import("./store.js").Points | null} */
    this.drawn = null;
    /** @type {Grid | null} */
    this.grid = null;
    /** @type {Map<number, number> | null} */
    this.places = null;
    /** @type {number[]} the lasso in pixels */
    this.lasso = [];
    /** @type {number[]} points that have just moved */
    this.rings = [];
    this.ringsSince = 0;
    /** @type {import("./store.js").Labels | null} */
    this.ringsFor = null;
    /** @type {{codes: Uint16Array, palette: string[]} | null} */
    this.colours = null;
    this.painted = "";
    /** @type {{text: string, colour: string, x: number, y: number}[]} */
    this.names = [];
    /** The box of all points in the plane, and whether all of it is shown as large as can be. */
    this.bounds = { left: -1, right: 1, bottom: -1, top: 1 };
    this.fitted = true;
    this.waiting = 0;
    this.fade = 0;
    this.tool = "lasso";
    /** @type {number | null} */
    this.clicked = null;
    /** @type {ReturnType<typeof box>} the box of the selection in the plane */
    this.selected = null;

    this.mountPointer();
    this.mountKeys();
    store.subscribe("map", () => this.setMap());
    store.subscribe("labels", () => this.setColours());
    store.subscribe("colour", () => this.setColours());
    store.subscribe("theme", () => this.setColours());
    store.subscribe("selection", () => this.setSelection());
    for (const topic of /** @type {const} */ (["kept", "lit", "hover"])) {
      store.subscribe(topic, () => this.redraw());
    }
    store.subscribe("show", () => this.show(store.shown));
    new ResizeObserver(() => this.resize()).observe(element);
  }

  // ---- controls

  mountControls() {
    this.select = el("select", { id: "colour-by", "aria-label": "Colour by", onchange: () => this.store.colour(this.select?.value ?? "cluster") });
    /**
     * @param {string} tool
     * @param {string} text
     * @param {string} title
     */
    const tool = (tool, text, title) => {
      const button = el("button", { title, "aria-pressed": String(tool === "lasso"), id: `tool-${tool}`,
        onclick: () => this.setTool(tool) }, text);
      return button;
    };
    this.tools = {
      lasso: tool("lasso", "Lasso", "Drag around points to select them (L). With Shift: add to the selection"),
      move: tool("move", "Move", "Drag to move the map (M). The wheel zooms with either tool"),
    };
    this.store.subscribe("state", () => this.setChoices());
    return el("div", { class: "map-controls" },
      el("div", { class: "group", role: "group", "aria-label": "What dragging does" }, this.tools.lasso, this.tools.move),
      el("div", { class: "group", role: "group", "aria-label": "Zoom" },
        el("button", { title: "Zoom in (+)", "aria-label": "Zoom in", onclick: () => this.zoom(1.5) }, "+"),
        el("button", { title: "Zoom out (−)", "aria-label": "Zoom out", onclick: () => this.zoom(1 / 1.5) }, "−"),
        el("button", { title: "Show all points (0)", onclick: () => this.fit() }, "All")),
      el("label", { class: "colour-by" }, el("span", {}, "Colour by"), this.select),
      el("div", { class: "break" }),
      this.legend);
  }

  /** @param {string} tool */
  setTool(tool) {
    this.tool = tool;
    for (const [name, button] of Object.entries(this.tools ?? {})) {
      button.setAttribute("aria-pressed", String(name === tool));
    }
    this.element.dataset.tool = tool;
  }

  setChoices() {
    const { state, colourBy } = this.store;
    if (!state?.data || !this.select) return;
    const key = JSON.stringify([state.data.features, state.data.columns]);
    if (this.select.dataset.key === key) return;
    this.select.dataset.key = key;
    /** @param {string[]} names */
    const options = (names) => names.map((name) => el("option", { value: `column:${name}` }, name));
    this.select.replaceChildren(
      el("option", { value: "cluster" }, "cluster"),
      el("option", { value: "strength" }, "strength"),
      el("option", { value: "said" }, "what was said"),
      el("option", { value: "changed" }, "what changed"),
    );
    if (state.data.columns?.length) {
      this.select.append(el("optgroup", { label: "Columns" }, ...options(state.data.columns)));
    }
    if (state.data.features?.length) {
      this.select.append(el("optgroup", { label: "Features" }, ...options(state.data.features.map(({ name }) => name))));
    }
    this.select.value = colourBy;
    if (this.select.value !== colourBy) {
      this.select.value = "cluster";
      this.store.colour("cluster");
    }
  }

  /** @param {import("./colouring.js").Colouring} colours */
  setLegend({ title, legend, range }) {
    this.legend.replaceChildren();
    this.legend.hidden = !legend.length && !range;
    if (this.legend.hidden) return;
    this.legend.append(el("div", { class: "legend-title" }, title));
    if (range) {
      const scale = el("span", { class: "scale-bar", "aria-hidden": "true" });
      const stops = [0, 0.25, 0.5, 0.75, 1].map(scaleColour).join(", ");
      scale.style.background = `linear-gradient(to right, ${stops})`;
      const [low, high] = range.map((value) => Number(value.toPrecision(4)).toLocaleString("en"));
      this.legend.append(el("div", { class: "scale" }, el("span", {}, low), scale, el("span", {}, high)));
    }
    for (const { label, colour } of legend) {
      this.legend.append(el("div", { class: "legend-entry" }, spot(colour), label));
    }
  }

  // ---- what is drawn

  setMap() {
    const { map } = this.store;
    if (map === this.drawn) return;
    this.painter?.destroy();
    this.painter = null;
    this.drawn = map;
    this.colours = null;
    this.names = [];
    this.rings = [];
    this.painted = "";
    this.grid = map && new Grid(map.xy);
    this.places = map?.rows ? new Map(Array.from(map.rows, (row, i) => [row, i])) : null;
    const fresh = /** @type {HTMLCanvasElement} */ (this.canvas.cloneNode());
    this.canvas.replaceWith(fresh);
    this.canvas = fresh;
    if (!map) {
      if (this.select) this.select.value = "cluster"; // the data are others
      this.store.colour("cluster");
      return this.redraw();
    }
    this.bounds = (!map.density && box(map.xy)) || { left: -1, right: 1, bottom: -1, top: 1 };
    const n = map.xy.length / 2;
    const gpu = hasWebGL();
    this.painter = gpu ? gpuPainter(this.canvas, n) : plainPainter(this.canvas, n);
    this.note.textContent = [
      gpu ? "" : "This browser has no WebGL: the map is drawn in a slower way.",
      map.rows ? `${count(n)} of ${count(map.n)} rows are drawn as points; the shade shows where all are.` : "",
    ].join(" ").trim();
    this.resize();
    this.fit();
    this.drawDensity();
    this.setColours();
  }

  async setColours() {
    const { store, painter, drawn } = this;
    if (!painter || !drawn || !store.labels || !store.state) return;
    // labels may come before the state that has their clusters
    const key = `${store.colourBy} ${store.dark} ${store.labels.version} ${store.state.version}`;
    if (key === this.painted) return;
    this.painted = key;
    this.redraw();
    /** @type {import("./colouring.js").Colouring} */
    let all;
    try {
      all = await colouring(store);
    } catch (error) {
      store.tell(/** @type {Error} */ (error).message, "error");
      all = byCluster(store);
    }
    if (key !== this.painted || painter !== this.painter) return;
    const before = this.colours;
    const now = { codes: drawn.rows ? drawn.rows.map((row) => all.codes[row]) : all.codes, palette: all.palette };
    this.colours = { codes: Uint16Array.from(now.codes), palette: now.palette };
    this.setLegend(all);
    this.setNames();
    this.drawDensity();
    cancelAnimationFrame(this.fade);
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const way = before && before.codes.length === now.codes.length && !still && blend(before, this.colours, mix);
    if (way && way.n && way.n < now.codes.length && way.at(0).length < 400) {
      await painter.points(drawn.xy, way.codes, way.at(0));
      this.change(way.at);
    } else {
      await painter.points(drawn.xy, this.colours.codes, this.colours.palette);
    }
    this.setSelection();
    this.startRings();
  }

  /**
   * Move the colours to their new values.
   * @param {(share: number) => string[]} at
   */
  change(at) {
    const start = performance.now();
    const step = () => {
      const share = Math.min(1, (performance.now() - start) / CHANGE);
      this.painter?.palette(at(share));
      if (share < 1) this.fade = requestAnimationFrame(step);
    };
    step();
  }

  /** Rings around the points that the last change has moved. */
  startRings() {
    const { store, drawn } = this;
    const labels = store.labels;
    if (!drawn || !labels || this.ringsFor === labels) return;
    const first = !this.ringsFor;
    this.ringsFor = labels;
    if (first) return;
    this.rings = [];
    for (let i = 0; i < drawn.xy.length / 2 && this.rings.length < MOST_RINGS; i++) {
      if (labels.changed[drawn.rows ? drawn.rows[i] : i]) this.rings.push(i);
    }
    this.ringsSince = performance.now();
    this.redraw();
  }

  /** The place of each cluster's name: the typical place of its points. */
  setNames() {
    const { store, drawn } = this;
    if (!drawn || !store.labels || !store.state) return;
    /** @type {Map<number, [number, number, number]>} */
    const sums = new Map(store.state.clusters.map((cluster) => [cluster.number, [0, 0, 0]]));
    const n = drawn.xy.length / 2;
    const clusterAt = (/** @type {number} */ i) => store.labels?.cluster[drawn.rows ? drawn.rows[i] : i] ?? -1;
    for (let i = 0; i < n; i++) {
      const sum = sums.get(clusterAt(i));
      if (!sum) continue;
      sum[0] += drawn.xy[2 * i];
      sum[1] += drawn.xy[2 * i + 1];
      sum[2]++;
    }
    /** @type {Map<number, [number, number]>} the point of the cluster nearest to its mean, and how near */
    const best = new Map();
    for (let i = 0; i < n; i++) {
      const number = clusterAt(i);
      const sum = sums.get(number);
      if (!sum) continue;
      const d = (drawn.xy[2 * i] - sum[0] / sum[2]) ** 2 + (drawn.xy[2 * i + 1] - sum[1] / sum[2]) ** 2;
      if (d < (best.get(number)?.[1] ?? Infinity)) best.set(number, [i, d]);
    }
    this.names = store.state.clusters.flatMap((cluster) => {
      const at = best.get(cluster.number)?.[0];
      if (at === undefined) return [];
      return { text: cluster.name, colour: store.colourOf(cluster), x: drawn.xy[2 * at], y: drawn.xy[2 * at + 1] };
    });
  }

  setSelection() {
    const points = this.pointsOf(this.store.selection.rows);
    this.selected = this.drawn && points.length ? box(this.drawn.xy, points) : null;
    // to draw all points anew takes time without a graphics card, and few are seen by their rings
    this.painter?.select(points.length > FEW ? points : []);
    this.redraw();
  }

  /**
   * The points of rows (rows that are not in the sample have none).
   * @param {Iterable<number>} rows
   * @returns {number[]}
   */
  pointsOf(rows) {
    if (!this.drawn) return [];
    const { places } = this;
    return places ? [...rows].flatMap((row) => places.get(row) ?? []) : [...rows];
  }

  /** @param {number} point */
  rowOf(point) {
    return this.drawn?.rows ? this.drawn.rows[point] : point;
  }

  /** The shade below the points of a sample. */
  drawDensity() {
    const density = this.drawn?.density;
    this.density.hidden = !density;
    if (!density) return;
    const { width, height, value } = density;
    this.density.width = width;
    this.density.height = height;
    const context = /** @type {CanvasRenderingContext2D} */ (this.density.getContext("2d"));
    const image = context.createImageData(width, height);
    const most = value.reduce((a, b) => Math.max(a, b), 0) || 1;
    const grey = this.store.dark ? 220 : 60;
    for (let i = 0; i < value.length; i++) {
      // the first row of the image is the top
      const at = 4 * ((height - 1 - Math.floor(i / width)) * width + (i % width));
      image.data[at] = image.data[at + 1] = image.data[at + 2] = grey;
      image.data[at + 3] = value[i] > 0 ? 20 + 110 * Math.sqrt(value[i] / most) : 0;
    }
    context.putImageData(image, 0, 0);
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.element;
    if (!width || !height) return;
    const first = this.view.width === 1;
    this.view.width = width;
    this.view.height = height;
    this.overlay.width = width * devicePixelRatio;
    this.overlay.height = height * devicePixelRatio;
    this.painter?.resize(width, height);
    if (first || this.fitted) this.fit();
    else this.moved();
  }

  /** Show all points, below the controls. */
  fit() {
    const { bottom, top } = this.bounds;
    const covered = ((top - bottom) * STRIP) / Math.max(this.view.height - STRIP, STRIP);
    this.view.fit({ ...this.bounds, top: top + covered }, 0.94);
    this.moved(true);
  }

  /** @param {number[]} rows */
  show(rows) {
    const around = this.drawn && box(this.drawn.xy, this.pointsOf(rows));
    if (!around) return;
    this.fit();
    const least = this.view.scale;
    this.view.fit(around, 0.5);
    if (this.view.scale <= least) return this.fit(); // they are spread over all of it
    this.view.scale = Math.max(least, Math.min(this.view.scale, 6));
    this.view.x = (-this.view.scale * (around.left + around.right)) / 2;
    this.view.y = (-this.view.scale * (around.bottom + around.top)) / 2;
    this.moved();
  }

  /**
   * @param {number} factor
   * @param {number} [x]
   * @param {number} [y]
   */
  zoom(factor, x = this.view.width / 2, y = this.view.height / 2) {
    this.view.zoom(factor, x, y);
    this.moved();
  }

  /** The view has changed. */
  moved(fitted = false) {
    this.fitted = fitted;
    this.painter?.view(this.view);
    if (this.drawn?.density) {
      const [left, top] = this.view.toScreen(-1, 1);
      const side = 2 * this.view.pixels;
      this.density.style.transform = `translate(${left}px, ${top}px)`;
      this.density.style.width = this.density.style.height = `${side}px`;
    }
    this.redraw();
  }

  redraw() {
    if (!this.waiting) this.waiting = requestAnimationFrame(() => this.drawOverlay());
  }

  /** @param {number} point */
  screen(point) {
    const xy = /** @type {import("./store.js").Points} */ (this.drawn).xy;
    return this.view.toScreen(xy[2 * point], xy[2 * point + 1]);
  }

  drawOverlay() {
    this.waiting = 0;
    const { context, view, store } = this;
    context.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
    context.clearRect(0, 0, view.width, view.height);
    if (this.drawn) {
      const style = getComputedStyle(this.element);
      const ink = style.getPropertyValue("--ink");
      const paper = style.getPropertyValue("--paper");
      this.drawLinks(style);
      const age = (performance.now() - this.ringsSince) / (2 * CHANGE);
      if (this.rings.length && age < 1) {
        // many rings would hide what they point at
        this.circles(this.rings, 5 + 7 * age, ink, (1 - age) * Math.min(1, Math.sqrt(200 / this.rings.length)));
        this.redraw();
      }
      const chosen = store.selection.rows;
      if (chosen.length <= FEW) this.discs(this.pointsOf(chosen), ink, paper);
      if (store.kept) this.circles(this.pointsOf(store.kept.rows), 5, ink, 0.8);
      this.circles(this.pointsOf(store.lit), 6, ink, 1, 2);
      if (store.hovered !== null) this.circles(this.pointsOf([store.hovered]), 7, ink, 1, 2);
      if (store.colourBy === "cluster") this.drawNames(ink, paper);
      this.drawLasso(style.getPropertyValue("--accent"));
    }
    if (!this.lasso.length) this.bar.place(this.selectionBox());
  }

  /**
   * @param {number[]} points
   * @param {number} radius
   * @param {string} colour
   * @param {number} alpha
   * @param {number} [width]
   */
  circles(points, radius, colour, alpha, width = 1.25) {
    const { context } = this;
    context.beginPath();
    for (const point of points.slice(0, MOST_RINGS)) {
      const [x, y] = this.screen(point);
      context.moveTo(x + radius, y);
      context.arc(x, y, radius, 0, 2 * Math.PI);
    }
    context.globalAlpha = alpha;
    context.strokeStyle = colour;
    context.lineWidth = width;
    context.stroke();
    context.globalAlpha = 1;
  }

  /**
   * A few points, large and with rings.
   * @param {number[]} points
   * @param {string} ink
   * @param {string} paper
   */
  discs(points, ink, paper) {
    const { context, colours } = this;
    for (const point of points) {
      const own = colours?.palette[colours.codes[point]] ?? ink;
      for (const [radius, colour] of /** @type {const} */ ([[9, paper], [8, ink], [6, paper], [5, own]])) {
        context.fillStyle = colour;
        context.beginPath();
        context.arc(...this.screen(point), radius, 0, 2 * Math.PI);
        context.fill();
      }
    }
  }

  /**
   * The links that were said: solid: together; dashed: apart; orange: broken; red: contradicting.
   * @param {CSSStyleDeclaration} style
   */
  drawLinks(style) {
    const { context, store } = this;
    const active = (store.state?.statements ?? []).filter(({ state, links }) => state === "active" && links?.length);
    const all = active.reduce((sum, { links }) => sum + links.length, 0);
    const lit = new Set(store.lit);
    let lines = 0;
    for (const { kind, verdict, links } of active) {
      context.beginPath();
      for (const link of links) {
        const ends = this.pointsOf(link);
        if (ends.length < 2 || ++lines > MOST_LINES) continue;
        context.moveTo(...this.screen(ends[0]));
        context.lineTo(...this.screen(ends[1]));
      }
      const colour = LINK_COLOURS[verdict] ?? "--ink";
      const strong = links.every(([a, b]) => lit.has(a) && lit.has(b));
      context.setLineDash(["different", "is_not"].includes(kind) ? [5, 4] : []);
      context.strokeStyle = style.getPropertyValue(colour);
      // the more lines there are, the fainter
      const most = colour === "--ink" ? 0.4 : 0.95;
      context.globalAlpha = strong ? 1 : Math.min(most, Math.max(0.14, (most * 5) / Math.sqrt(all)));
      context.lineWidth = colour === "--ink" ? 1 : 1.6;
      context.stroke();
    }
    context.setLineDash([]);
    context.globalAlpha = 1;
  }

  /**
   * @param {string} ink
   * @param {string} paper
   */
  drawNames(ink, paper) {
    const { context } = this;
    context.font = "600 13px system-ui, sans-serif";
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.lineJoin = "round";
    /** @type {[number, number, number][]} */
    const taken = [];
    for (const { text, x, y } of this.names) {
      const short = text.length > 26 ? `${text.slice(0, 25)}…` : text;
      const half = context.measureText(short).width / 2;
      const [sx, py] = this.view.toScreen(x, y);
      if (sx < 0 || sx > this.view.width) continue;
      const px = Math.max(half + 4, Math.min(this.view.width - half - 4, sx));
      // names that would cover one that is there already are left out
      if (taken.some(([tx, ty, th]) => Math.abs(ty - py) < 15 && Math.abs(tx - px) < th + half)) continue;
      taken.push([px, py, half]);
      context.strokeStyle = paper;
      context.lineWidth = 4;
      context.globalAlpha = 0.85;
      context.strokeText(short, px, py);
      context.globalAlpha = 1;
      context.fillStyle = ink;
      context.fillText(short, px, py);
    }
  }

  /** @param {string} colour */
  drawLasso(colour) {
    const { context, lasso } = this;
    if (lasso.length < 4) return;
    context.beginPath();
    context.moveTo(lasso[0], lasso[1]);
    for (let i = 2; i < lasso.length; i += 2) context.lineTo(lasso[i], lasso[i + 1]);
    context.closePath();
    context.globalAlpha = 0.12;
    context.fillStyle = colour;
    context.fill();
    context.globalAlpha = 1;
    context.strokeStyle = colour;
    context.lineWidth = 1.5;
    context.stroke();
  }

  /** The box of the selection on the screen, or null. */
  selectionBox() {
    const around = this.selected;
    if (!around) return null;
    const [left, top] = this.view.toScreen(around.left, around.top);
    const [right, bottom] = this.view.toScreen(around.right, around.bottom);
    return { left, right, top, bottom };
  }

  // ---- pointer and keys

  mountPointer() {
    const { overlay, store } = this;
    /** @type {Map<number, [number, number]>} */
    const fingers = new Map();
    /** @type {{x: number, y: number, far: boolean, lasso: boolean, pinch: boolean} | null} */
    let drag = null;
    let hovering = 0;
    const at = (/** @type {PointerEvent | WheelEvent} */ event) => {
      const area = overlay.getBoundingClientRect();
      return /** @type {[number, number]} */ ([event.clientX - area.left, event.clientY - area.top]);
    };
    overlay.addEventListener("pointerdown", (event) => {
      overlay.setPointerCapture(event.pointerId);
      const [x, y] = at(event);
      fingers.set(event.pointerId, [x, y]);
      cancelAnimationFrame(hovering);
      store.hover(null);
      if (fingers.size === 2) {
        this.lasso = [];
        drag = { x, y, far: true, lasso: false, pinch: true };
        return;
      }
      const lasso = (this.tool === "lasso" || event.shiftKey || event.altKey) && event.button === 0;
      drag = { x, y, far: false, lasso, pinch: false };
    });
    overlay.addEventListener("pointermove", (event) => {
      const [x, y] = at(event);
      if (!drag) {
        // looking for a row waits for the next frame, however many events come
        cancelAnimationFrame(hovering);
        hovering = requestAnimationFrame(() => this.hoverAt(x, y, event));
        return;
      }
      const before = fingers.get(event.pointerId);
      if (!before) return;
      if (drag.pinch) {
        const other = [...fingers].find(([id]) => id !== event.pointerId)?.[1];
        fingers.set(event.pointerId, [x, y]);
        if (!other) return;
        const was = Math.hypot(before[0] - other[0], before[1] - other[1]);
        const is = Math.hypot(x - other[0], y - other[1]);
        this.view.pan((x - before[0]) / 2, (y - before[1]) / 2);
        this.zoom(was ? is / was : 1, (x + other[0]) / 2, (y + other[1]) / 2);
        return;
      }
      fingers.set(event.pointerId, [x, y]);
      drag.far ||= Math.hypot(x - drag.x, y - drag.y) > 4;
      if (!drag.far) return;
      if (drag.lasso) {
        if (!this.lasso.length) this.lasso.push(drag.x, drag.y);
        this.lasso.push(x, y);
        this.bar.hide();
        this.redraw();
      } else {
        this.view.pan(x - before[0], y - before[1]);
        this.moved();
      }
    });
    const end = (/** @type {PointerEvent} */ event) => {
      fingers.delete(event.pointerId);
      const done = drag;
      if (drag?.pinch && fingers.size) return;
      drag = null;
      if (!done || done.pinch || event.type === "pointercancel") {
        this.lasso = [];
        return this.redraw();
      }
      if (done.far && done.lasso) this.endLasso(event);
      else if (!done.far && event.button === 0) this.click(done.x, done.y, event);
    };
    overlay.addEventListener("pointerup", end);
    overlay.addEventListener("pointercancel", end);
    overlay.addEventListener("pointerleave", () => {
      cancelAnimationFrame(hovering);
      store.hover(null);
    });
    overlay.addEventListener("contextmenu", (event) => event.preventDefault());
    overlay.addEventListener("wheel", (event) => {
      event.preventDefault();
      const step = event.deltaMode === 1 ? 20 : 1;
      this.zoom(Math.exp(-event.deltaY * step * 0.0015), ...at(event));
    }, { passive: false });
  }

  /**
   * @param {number} x
   * @param {number} y
   */
  pick(x, y) {
    const [px, py] = this.view.toPlane(x, y);
    return this.grid?.nearest(px, py, REACH / this.view.pixels) ?? -1;
  }

  /**
   * @param {number} x
   * @param {number} y
   * @param {PointerEvent} event
   */
  hoverAt(x, y, event) {
    if (event.pointerType === "touch") return;
    const point = this.pick(x, y);
    const row = point < 0 ? null : this.rowOf(point);
    // the card of a row that was just clicked would cover the bar
    if (row !== this.clicked) this.clicked = null;
    if (row === this.store.hovered || (row !== null && row === this.clicked)) return;
    this.store.hover(row, row === null ? null : { x: event.clientX, y: event.clientY });
  }

  /**
   * @param {number} x
   * @param {number} y
   * @param {PointerEvent} event
   */
  click(x, y, event) {
    const { store } = this;
    const point = this.pick(x, y);
    const more = event.shiftKey || event.ctrlKey || event.metaKey;
    if (point < 0) {
      if (!more) store.clear();
      return;
    }
    const row = this.rowOf(point);
    const has = store.selection.rows.includes(row);
    this.clicked = row;
    store.select([row], "click", more ? (has ? "remove" : "add") : "replace");
  }

  /** @param {PointerEvent} event */
  endLasso(event) {
    const { drawn, lasso, store } = this;
    this.lasso = [];
    if (!drawn) return;
    /** @type {number[]} */
    const polygon = [];
    for (let i = 0; i < lasso.length; i += 2) polygon.push(...this.view.toPlane(lasso[i], lasso[i + 1]));
    const rows = pointsInPolygon(drawn.xy, polygon).map((point) => this.rowOf(point));
    store.select(rows, "lasso", event.altKey ? "remove" : event.shiftKey ? "add" : "replace");
  }

  mountKeys() {
    const step = 60;
    this.overlay.addEventListener("keydown", (event) => {
      /** @type {Record<string, [number, number]>} */
      const ways = { ArrowLeft: [step, 0], ArrowRight: [-step, 0], ArrowUp: [0, step], ArrowDown: [0, -step] };
      const way = ways[event.key];
      if (!way || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      this.view.pan(...way);
      this.moved();
    });
    const group = "Map";
    addKeys(this.store, [
      { keys: ["l"], text: "Lasso: drag around points to select them", group, run: () => this.setTool("lasso") },
      { keys: ["m"], text: "Move: drag to move the map", group, run: () => this.setTool("move") },
      { keys: ["+", "="], shown: "+", text: "Zoom in", group, run: () => this.zoom(1.3) },
      { keys: ["-"], text: "Zoom out", group, run: () => this.zoom(1 / 1.3) },
      { keys: ["0"], text: "Show all points", group, run: () => this.fit() },
      { keys: ["b"], text: "Go to the bar at the selection", group, run: () => this.bar.focus() },
      { keys: ["Escape"], shown: "Esc", text: "Clear the selection", group, run: () => this.store.clear() },
    ]);
  }
}
