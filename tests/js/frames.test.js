import assert from "node:assert/strict";
import { test } from "node:test";
import { decode } from "../../src/sentree/app/static/js/frames.js";

/**
 * A frame as the server writes it.
 * @param {object} header
 * @param {{name: string, type: string, array: Float32Array | Int32Array | Uint8Array}[]} arrays
 */
function encode(header, arrays) {
  const entries = arrays.map(({ name, type, array }) => ({ name, type, length: array.length }));
  let text = JSON.stringify({ ...header, arrays: entries });
  const bytes = () => new TextEncoder().encode(text);
  while ((4 + bytes().length) % 8) text += " ";
  const parts = [new Uint8Array(new Uint32Array([bytes().length]).buffer), bytes()];
  for (const { array } of arrays) {
    parts.push(new Uint8Array(array.buffer), new Uint8Array((8 - (array.byteLength % 8)) % 8));
  }
  return Uint8Array.from(parts.flatMap((part) => [...part])).buffer;
}

test("a frame is read back", () => {
  const buffer = encode({ version: 3, name: "Größe" }, [
    { name: "value", type: "float32", array: new Float32Array([0.5, NaN, -2]) },
    { name: "code", type: "int32", array: new Int32Array([7, -1]) },
    { name: "flag", type: "uint8", array: new Uint8Array([1, 0, 1]) },
  ]);
  const { header, arrays } = decode(buffer);
  assert.equal(header.version, 3);
  assert.equal(header.name, "Größe");
  assert.deepEqual([...arrays.value], [0.5, NaN, -2]);
  assert.deepEqual([...arrays.code], [7, -1]);
  assert.deepEqual([...arrays.flag], [1, 0, 1]);
});

test("a frame without arrays, and one of an unknown type", () => {
  assert.deepEqual(decode(encode({ n: 0 }, [])).arrays, {});
  const wrong = encode({}, [{ name: "x", type: "float64", array: new Uint8Array(8) }]);
  assert.throws(() => decode(wrong), /float64/);
});
