/**
 * Frames: how arrays travel from the server to the page.
 *
 * Bytes of a frame: the length of the header (uint32, little endian), the header (JSON, padded by
 * spaces so that 4 + length is a multiple of 8), then the arrays, each padded to a multiple of 8.
 */

/** @typedef {Float32Array | Int32Array | Uint8Array} FrameArray */
/** @typedef {{header: Record<string, any>, arrays: Record<string, FrameArray>}} Frame */

/** @type {Record<string, any>} */
const TYPES = { float32: Float32Array, int32: Int32Array, uint8: Uint8Array };

/**
 * Read a frame. The arrays are views of the buffer: nothing is copied.
 * @param {ArrayBuffer} buffer
 * @returns {Frame}
 */
export function decode(buffer) {
  const length = new DataView(buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  let at = 4 + length;
  /** @type {Record<string, FrameArray>} */
  const arrays = {};
  for (const entry of header.arrays) {
    const type = TYPES[entry.type];
    if (!type) throw new Error(`a frame with an array of the unknown type ${entry.type}`);
    const array = new type(buffer, at, entry.length);
    arrays[entry.name] = array;
    at += Math.ceil(array.byteLength / 8) * 8;
  }
  return { header, arrays };
}
