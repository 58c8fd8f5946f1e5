/**
 * What puts the points on a canvas: the GPU by regl-scatterplot, or the plain canvas where there is
 * no WebGL. Both only draw; the map looks after the pointer, the view and the selection.
 */
import createScatterplot from "../vendor/regl-scatterplot.js";

/**
 * @typedef {object} Painter
 * @property {(xy: Float32Array, codes: Uint16Array, palette: string[]) => Promise<void>} points
 * @property {(palette: string[]) => void} palette  new colours for the same codes
 * @property {(which: number[]) => void} select
 * @property {(view: import("./geometry.js").View) => void} view
 * @property {(width: number, height: number) => void} resize
 * @property {() => void} destroy
 */

/**
 * The width of a point in pixels: smaller where there are more of them or less room.
 * @param {number} n
 * @param {number} area  of the map in pixels
 */
export function pointSize(n, area) {
  return Math.max(2, Math.min(8, 1.6 * (area / Math.max(n, 1)) ** 0.23));
}

/** Whether the browser draws with WebGL. */
export function hasWebGL() {
  try {
    const gl = document.createElement("canvas").getContext("webgl");
    return Boolean(gl?.getExtension("OES_texture_float"));
  } catch {
    return false;
  }
}

/**
 * @param {HTMLCanvasElement} canvas
 * @param {number} n  how many points will be drawn
 * @returns {Painter}
 */
export function gpuPainter(canvas, n) {
  const plot = createScatterplot({
    canvas,
    spatialIndexUseWorker: false,
    cameraIsFixed: true,
    lassoInitiator: false,
    deselectOnEscape: false,
    deselectOnDblClick: false,
    backgroundColor: [0, 0, 0, 0],
    colorBy: "valueA",
    opacity: 0.85,
    opacityInactiveMax: 0.22,
    pointSizeSelected: n > 20000 ? 0 : 1,
    pointOutlineWidth: 0.5,
  });
  /** @type {Promise<void>} */
  let queue = Promise.resolve();
  /** @type {ArrayBuffer | undefined} */
  let index;
  /** @type {Float32Array | null} */
  let drawn = null;
  /** @param {string[]} palette */
  const colours = (palette) => {
    // one colour would be read as no category at all
    const all = palette.length > 1 ? palette : [...palette, ...palette];
    // its types know one colour for what is selected, it takes one for each category as well
    plot.set(/** @type {any} */ ({ pointColor: all, pointColorActive: all, pointColorHover: all }));
  };
  return {
    points(xy, codes, palette) {
      queue = queue.then(async () => {
        const m = xy.length / 2;
        const x = new Float32Array(m);
        const y = new Float32Array(m);
        for (let i = 0; i < m; i++) {
          x[i] = xy[2 * i];
          y[i] = xy[2 * i + 1];
        }
        if (drawn !== xy) index = undefined;
        colours(palette);
        await plot.draw({ x, y, valueA: codes }, { zDataType: "categorical", spatialIndex: index });
        drawn = xy;
        index = plot.get("spatialIndex");
      });
      return queue;
    },
    palette: colours,
    select(which) {
      queue = queue.then(() => {
        if (which.length) plot.select(which, { preventEvent: true });
        else plot.deselect({ preventEvent: true });
      });
    },
    view(view) {
      plot.set({ cameraView: view.matrix() });
    },
    resize(width, height) {
      plot.set({ width, height, pointSize: pointSize(n, width * height) });
    },
    destroy() {
      plot.destroy();
    },
  };
}

/**
 * @param {HTMLCanvasElement} canvas
 * @param {number} n
 * @returns {Painter}
 */
export function plainPainter(canvas, n) {
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  /** @type {{xy: Float32Array, codes: Uint16Array, palette: string[]}} */
  const what = { xy: new Float32Array(), codes: new Uint16Array(), palette: [] };
  /** @type {Set<number>} */
  let chosen = new Set();
  /** @type {import("./geometry.js").View | null} */
  let seen = null;
  let waiting = 0;
  const draw = () => {
    waiting = 0;
    if (!seen) return;
    const ratio = canvas.width / seen.width;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, seen.width, seen.height);
    const side = pointSize(n, seen.width * seen.height);
    for (let i = 0; i < what.codes.length; i++) {
      const [x, y] = seen.toScreen(what.xy[2 * i], what.xy[2 * i + 1]);
      context.globalAlpha = !chosen.size || chosen.has(i) ? 0.85 : 0.22;
      context.fillStyle = what.palette[what.codes[i]];
      context.fillRect(x - side / 2, y - side / 2, side, side);
    }
  };
  const later = () => {
    if (!waiting) waiting = requestAnimationFrame(draw);
  };
  return {
    async points(xy, codes, palette) {
      Object.assign(what, { xy, codes, palette });
      later();
    },
    palette(palette) {
      what.palette = palette;
      later();
    },
    select(which) {
      chosen = new Set(which);
      later();
    },
    view(view) {
      seen = view;
      later();
    },
    resize(width, height) {
      canvas.width = width * devicePixelRatio;
      canvas.height = height * devicePixelRatio;
      later();
    },
    destroy() {
      cancelAnimationFrame(waiting);
    },
  };
}
