/** Points in the plane: which lie inside a polygon, which is nearest, how the view maps them. */

/**
 * Whether a point lies inside a polygon (even-odd rule).
 * @param {number} x
 * @param {number} y
 * @param {ArrayLike<number>} polygon  x, y of its corners one after the other
 */
export function inPolygon(x, y, polygon) {
  let inside = false;
  const n = polygon.length;
  for (let i = 0, j = n - 2; i < n; j = i, i += 2) {
    const [yi, yj] = [polygon[i + 1], polygon[j + 1]];
    if (yi > y !== yj > y && x < ((polygon[j] - polygon[i]) * (y - yi)) / (yj - yi) + polygon[i]) {
      inside = !inside;
    }
  }
  return inside;
}

/**
 * The box around points.
 * @param {ArrayLike<number>} xy
 * @param {Iterable<number>} [which]  all if not given
 * @returns {{left: number, right: number, bottom: number, top: number} | null}
 */
export function box(xy, which) {
  let [left, right, bottom, top] = [Infinity, -Infinity, Infinity, -Infinity];
  for (const i of which ?? Array.from({ length: xy.length / 2 }, (_, k) => k)) {
    const [x, y] = [xy[2 * i], xy[2 * i + 1]];
    if (x < left) left = x;
    if (x > right) right = x;
    if (y < bottom) bottom = y;
    if (y > top) top = y;
  }
  return left <= right ? { left, right, bottom, top } : null;
}

/**
 * The points inside a polygon, in their order.
 * @param {Float32Array} xy
 * @param {number[]} polygon
 * @returns {number[]}
 */
export function pointsInPolygon(xy, polygon) {
  const around = box(polygon);
  /** @type {number[]} */
  const found = [];
  if (!around || polygon.length < 6) return found;
  const { left, right, bottom, top } = around;
  for (let i = 0; i < xy.length; i += 2) {
    const [x, y] = [xy[i], xy[i + 1]];
    if (x < left || x > right || y < bottom || y > top) continue;
    if (inPolygon(x, y, polygon)) found.push(i / 2);
  }
  return found;
}

/** Finds the nearest point quickly: points sorted into the cells of a grid over -1 to 1. */
export class Grid {
  /** @param {Float32Array} xy */
  constructor(xy) {
    this.xy = xy;
    const n = xy.length / 2;
    this.side = Math.max(1, Math.min(512, Math.round(Math.sqrt(n / 2))));
    this.starts = new Uint32Array(this.side * this.side + 1);
    this.points = new Uint32Array(n);
    const cells = new Uint32Array(n);
    for (let i = 0; i < n; i++) {
      cells[i] = this.cell(xy[2 * i]) + this.side * this.cell(xy[2 * i + 1]);
      this.starts[cells[i] + 1]++;
    }
    for (let c = 0; c < this.side * this.side; c++) this.starts[c + 1] += this.starts[c];
    const next = this.starts.slice();
    for (let i = 0; i < n; i++) this.points[next[cells[i]]++] = i;
  }

  /** @param {number} value */
  cell(value) {
    return Math.max(0, Math.min(this.side - 1, Math.floor(((value + 1) / 2) * this.side)));
  }

  /**
   * The point nearest to (x, y) and at most `reach` away, or -1.
   * @param {number} x
   * @param {number} y
   * @param {number} reach
   */
  nearest(x, y, reach) {
    let best = -1;
    let least = reach * reach;
    for (let row = this.cell(y - reach); row <= this.cell(y + reach); row++) {
      const from = this.starts[row * this.side + this.cell(x - reach)];
      const to = this.starts[row * this.side + this.cell(x + reach) + 1];
      for (let k = from; k < to; k++) {
        const i = this.points[k];
        const distance = (this.xy[2 * i] - x) ** 2 + (this.xy[2 * i + 1] - y) ** 2;
        if (distance <= least) {
          least = distance;
          best = i;
        }
      }
    }
    return best;
  }
}

/** What part of the plane is seen: screen = (scale * plane + shift), as in the painter's matrix. */
export class View {
  constructor() {
    this.width = 1;
    this.height = 1;
    this.scale = 1;
    this.x = 0;
    this.y = 0;
  }

  /** Pixels of one unit of the plane. */
  get pixels() {
    return (this.scale * this.height) / 2;
  }

  /**
   * @param {number} x
   * @param {number} y
   * @returns {[number, number]}
   */
  toScreen(x, y) {
    const half = this.height / 2;
    return [this.width / 2 + (this.scale * x + this.x) * half, half - (this.scale * y + this.y) * half];
  }

  /**
   * @param {number} px
   * @param {number} py
   * @returns {[number, number]}
   */
  toPlane(px, py) {
    const half = this.height / 2;
    return [((px - this.width / 2) / half - this.x) / this.scale, ((half - py) / half - this.y) / this.scale];
  }

  /**
   * @param {number} dx  pixels to the right
   * @param {number} dy  pixels down
   */
  pan(dx, dy) {
    this.x += dx / (this.height / 2);
    this.y -= dy / (this.height / 2);
  }

  /**
   * Zoom so that the place under a pixel stays there.
   * @param {number} factor
   * @param {number} px
   * @param {number} py
   */
  zoom(factor, px, py) {
    const [x, y] = this.toPlane(px, py);
    this.scale = Math.max(0.2, Math.min(500, this.scale * factor));
    const [qx, qy] = this.toScreen(x, y);
    this.pan(px - qx, py - qy);
  }

  /**
   * Show a box with some room around.
   * @param {{left: number, right: number, bottom: number, top: number}} box
   * @param {number} [room]  the share of the view that the box fills
   */
  fit({ left, right, bottom, top }, room = 0.9) {
    const across = (2 * room * (this.width / this.height)) / Math.max(right - left, 1e-3);
    const upright = (2 * room) / Math.max(top - bottom, 1e-3);
    this.scale = Math.min(across, upright, 40);
    this.x = (-this.scale * (left + right)) / 2;
    this.y = (-this.scale * (bottom + top)) / 2;
  }

  /** The view as a matrix for the GPU (columns one after the other). */
  matrix() {
    const s = this.scale;
    return new Float32Array([s, 0, 0, 0, 0, s, 0, 0, 0, 0, 1, 0, this.x, this.y, 0, 1]);
  }
}
