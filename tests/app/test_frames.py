"""Frames: bytes as a browser reads them."""

import json

import numpy as np

from sentree.app import Frame


def test_the_bytes_are_as_written_down():
    frame = Frame(
        {"n": 3}, {"a": np.array([1, 2, 255], np.uint8), "b": np.array([1.5], np.float32)}
    )
    data = frame.to_bytes()
    length = int.from_bytes(data[:4], "little")
    assert (4 + length) % 8 == 0
    header = json.loads(data[4 : 4 + length])
    assert header["arrays"] == [
        {"name": "a", "type": "uint8", "length": 3},
        {"name": "b", "type": "float32", "length": 1},
    ]
    assert data[4 + length :] == bytes([1, 2, 255, 0, 0, 0, 0, 0, 0, 0, 192, 63, 0, 0, 0, 0])
    again = Frame.from_bytes(data)
    assert again.header == {"n": 3}
    assert again.arrays["b"].tolist() == [1.5]
