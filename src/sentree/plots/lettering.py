"""Text of users in pictures: shown literally, in fonts that have its letters."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

#: Fonts with letters that matplotlib's own lacks; those that are installed are used.
_FURTHER = (
    *("Noto Sans CJK JP", "Noto Sans CJK SC", "Noto Sans JP", "Noto Sans SC", "Noto Sans KR"),
    *("Source Han Sans", "WenQuanYi Micro Hei", "WenQuanYi Zen Hei", "IPAexGothic", "NanumGothic"),
    *("Hiragino Sans", "PingFang SC", "Apple SD Gothic Neo", "Yu Gothic", "Microsoft YaHei"),
    *("Malgun Gothic", "SimHei", "Noto Sans Devanagari", "Noto Sans", "Arial Unicode MS"),
)

#: Characters that XML does not allow, or that change the direction of text.
_UNFIT = re.compile("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")


def literal(text: object) -> str:
    """Return text that matplotlib shows as it is: a dollar sign begins no formula."""
    from matplotlib import rcParams

    shown = "" if text is None else str(text)
    return shown.replace("$", r"\$") if rcParams["text.parse_math"] else shown


def clean(value: object) -> str:
    """Return text of users in one line, without control characters."""
    return _UNFIT.sub("\ufffd", " ".join(str(value).split()))


def class_title(name: str) -> str:
    """Return what a class is called among other words; a number alone would say nothing."""
    is_number = name.removeprefix("-").replace(".", "", 1).isdecimal()
    return f"class {name}" if is_number else name


def with_class(cluster: object, name: str) -> str:
    """Return what a cluster is called that has the name of a class."""
    return f"{cluster}: {class_title(name)}"


@contextmanager
def lettering() -> Iterator[None]:
    """Draw with further fonts where some are installed; missing letters are no reason to warn."""
    import matplotlib as mpl

    usual = mpl.rcParams["font.family"]
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        mpl.rcParams["font.family"] = [*usual, *(x for x in _further_fonts() if x not in usual)]
        try:
            yield
        finally:
            mpl.rcParams["font.family"] = usual


@cache
def _further_fonts() -> tuple[str, ...]:
    """Return those of the further fonts that are installed."""
    from matplotlib.font_manager import fontManager

    installed = {font.name for font in fontManager.ttflist}
    return tuple(name for name in _FURTHER if name in installed)
