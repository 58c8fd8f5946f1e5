"""Data sets on disk and embedded ones, and the draws of constraints of the paper's experiments."""

from __future__ import annotations

import difflib
import io
import numbers
import os
import zipfile
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sentree.constraints import Constraints
from sentree.constraints.parsing import is_unknown

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
Seed = int | np.random.Generator | np.random.RandomState | None

__all__ = [
    "EMBEDDED_SETS",
    "PAPER_SETS",
    "PaperSet",
    "held_out",
    "load_embedded",
    "load_paper",
    "paper_set",
    "sample_class_pairs",
    "sample_labels",
    "sample_pairs",
    "sample_seeds",
]

_ENVIRONMENT_VARIABLE = "SENTREE_DATA"
_SOURCE = "https://github.com/SELGroup/SSE"
_RNA_FOLDER = "RNA-seq"


class PaperSet(NamedTuple):
    """What is known of one of the paper's data sets before it is read."""

    name: str
    """Name of the file, without its ending."""
    kind: Literal["clustering", "rna", "hierarchical"]
    """Which of the paper's experiments it belongs to."""
    n: int
    """Number of samples."""
    d: int
    """Number of features."""
    k: int
    """Number of classes."""


#: The 13 data sets of the paper by name.
PAPER_SETS: Mapping[str, PaperSet] = MappingProxyType(
    {
        record.name: record
        for record in (
            PaperSet("Yale", "clustering", 165, 1024, 15),
            PaperSet("ORL", "clustering", 400, 1024, 40),
            PaperSet("COIL20", "clustering", 1440, 1024, 20),
            PaperSet("Isolet1", "clustering", 1560, 617, 26),
            PaperSet("OpticalDigits", "clustering", 1797, 64, 10),
            PaperSet("10X_PBMC", "rna", 2100, 2000, 8),
            PaperSet("mouse_bladder", "rna", 2100, 2001, 16),
            PaperSet("worm_neuron", "rna", 2100, 2000, 10),
            PaperSet("human_kidney", "rna", 2100, 2000, 11),
            PaperSet("wine", "hierarchical", 175, 13, 3),
            PaperSet("heart", "hierarchical", 270, 13, 2),
            PaperSet("breast-cancer", "hierarchical", 683, 10, 2),
            PaperSet("australian", "hierarchical", 690, 14, 2),
        )
    }
)

#: The data sets that come with scikit-learn.
EMBEDDED_SETS = ("digits", "wine", "breast_cancer", "iris")

#: Further names, spelled as :func:`_plain` spells them.
_PAPER_ALIASES = {
    "coil": "COIL20",
    "isolet": "Isolet1",
    "digits": "OpticalDigits",
    "optdigits": "OpticalDigits",
    "pbmc": "10X_PBMC",
    "bladder": "mouse_bladder",
    "worm": "worm_neuron",
    "kidney": "human_kidney",
}


def paper_set(name: str) -> PaperSet:
    """Return what is known of a data set of the paper, by any spelling of its name.

    Case and punctuation do not matter, and short forms such as ``"pbmc"`` or ``"isolet"`` will do;
    a ValueError suggests the nearest name.
    """
    return PAPER_SETS[_resolve(name, PAPER_SETS, _PAPER_ALIASES)]


def load_paper(
    name: str, data_dir: str | os.PathLike[str] | None = None
) -> tuple[FloatArray, IntArray]:
    """Read one of the data sets of the paper's experiments from disk.

    Parameters
    ----------
    name : str
        A key of :data:`PAPER_SETS` or a short form such as ``"pbmc"``, ``"isolet"`` or
        ``"breast_cancer"``; case and punctuation do not matter.
    data_dir : path, optional
        Folder with ``clustering/``, ``hierarchical/`` and ``RNA-seq.zip`` (or ``RNA-seq/``).
        Without it, the folder that the environment variable ``SENTREE_DATA`` names; without that,
        ``../shared/data`` as seen from the current directory and from the source tree, where the
        package runs from one.

    Returns
    -------
    X : float64 array of shape (n, d)
        The features as stored, neither scaled nor centred.
    y : int64 array of shape (n,)
        The classes 0..k-1, in the order of the stored values.

    Raises
    ------
    FileNotFoundError
        Where no place holds the set; the message lists the places.
    ValueError
        For an unknown name, and for a file that cannot be read or is not the set of the paper.
    """
    record = paper_set(name)
    looked_at = []
    for folder in _data_folders(data_dir):
        for path in _candidates(record, folder):
            if path.is_file():
                return _read(record, path)
            looked_at.append(path)
    places = "".join(f"\n  {path}" for path in looked_at)
    raise FileNotFoundError(
        f"data set {record.name!r} not found. Looked at:{places}\n"
        f"The sets are public: folder 'datasets' of {_SOURCE}. Download that folder, then pass its "
        f"path as data_dir or set the environment variable {_ENVIRONMENT_VARIABLE} to it."
    )


def load_embedded(name: str) -> tuple[FloatArray, IntArray]:
    """Load a small data set that comes with scikit-learn; nothing is downloaded.

    Parameters
    ----------
    name : {"digits", "wine", "breast_cancer", "iris"}
        Case and punctuation do not matter. The digits are OpticalDigits of the paper; its wine
        (175 samples, scaled) and breast cancer (10 other features) are not the ones here.

    Returns
    -------
    X : float64 array of shape (n, d)
        The features, neither scaled nor centred.
    y : int64 array of shape (n,)
        The classes 0..k-1.
    """
    from sklearn import datasets

    load = getattr(datasets, f"load_{_resolve(name, EMBEDDED_SETS)}")
    X, y = load(return_X_y=True)
    return np.ascontiguousarray(X, dtype=np.float64), np.asarray(y, dtype=np.int64)


def sample_pairs(
    y: ArrayLike,
    n_must: int | float,
    n_cannot: int | float,
    random_state: Seed = None,
) -> Constraints:
    """Draw must-link and cannot-link pairs from known classes, as the paper does.

    Pairs are drawn uniformly and with replacement: must-links among all ordered pairs of two
    different samples of one class, cannot-links among all ordered pairs of samples of two classes.

    Parameters
    ----------
    y : array-like of shape (n,)
        The class of every sample.
    n_must, n_cannot : int or float
        How many pairs; a float in [0, 1) is a share of n, rounded down.
    random_state : int, Generator, RandomState or None
        Seed or source of the draw.

    Returns
    -------
    Constraints
        With exactly ``n_must`` must-links and ``n_cannot`` cannot-links, in the order drawn.

    Examples
    --------
    >>> from sentree.datasets import sample_pairs
    >>> pairs = sample_pairs(["a", "a", "b", "b"], n_must=3, n_cannot=0.5, random_state=0)
    >>> pairs.must_link.shape, pairs.cannot_link.shape
    ((3, 2), (2, 2))
    """
    classes = _Classes.of(y)
    must, cannot = _amount(n_must, classes.n, "n_must"), _amount(n_cannot, classes.n, "n_cannot")
    if must and classes.sizes.max() == 1:
        raise ValueError(f"cannot draw {must} must-links: every class has one member only")
    if cannot and classes.k == 1:
        raise ValueError(f"cannot draw {cannot} cannot-links: y has one class only")
    rng = _generator(random_state)
    return Constraints.from_pairs(
        must_link=_draw_must_links(classes, must, rng),
        cannot_link=_draw_cannot_links(classes, cannot, rng),
    )


def sample_labels(
    y: ArrayLike,
    n_positive: int | float,
    n_negative: int | float,
    random_state: Seed = None,
) -> Constraints:
    """Draw positive labels ("is of class c") and negative ones ("is not of class c"), as the paper.

    Positive labels go to distinct samples, drawn uniformly. Negative labels are distinct pairs of a
    sample and a class that is not its own, drawn uniformly among the samples without a positive
    label; one sample may get several.

    Parameters
    ----------
    y : array-like of shape (n,)
        The class of every sample.
    n_positive, n_negative : int or float
        How many labels; a float in [0, 1) is a share of n, rounded down.
    random_state : int, Generator, RandomState or None
        Seed or source of the draw.

    Returns
    -------
    Constraints
        With these labels; all classes of `y` are declared, also those that no label names.
    """
    classes = _Classes.of(y)
    positive = _amount(n_positive, classes.n, "n_positive")
    negative = _amount(n_negative, classes.n, "n_negative")
    if positive > classes.n:
        raise ValueError(f"cannot draw {positive} positive labels for {classes.n} samples")
    if negative and classes.k == 1:
        raise ValueError(f"cannot draw {negative} negative labels: y has one class only")
    possible = (classes.n - positive) * (classes.k - 1)
    if negative > possible:
        raise ValueError(
            f"cannot draw {negative} negative labels: {classes.n - positive} samples without a "
            f"positive label and {classes.k - 1} wrong classes each allow {possible}"
        )
    rng = _generator(random_state)
    labelled = np.sort(rng.choice(classes.n, size=positive, replace=False))
    free, wrong = _draw_negative_labels(classes, labelled, negative, rng)
    return Constraints(
        label_index=labelled,
        label_code=classes.codes[labelled],
        negative_index=free,
        negative_code=wrong,
        classes=tuple(classes.values.tolist()),
        declared=True,
    )


def sample_class_pairs(
    y: ArrayLike, total: int | float = 0.4, random_state: Seed = None
) -> Constraints:
    """Draw pairs that tell all classes apart, as the paper's study did for mean shift.

    One sample of each class is drawn, and every two of them get a cannot-link. Pairs of two
    different samples, drawn uniformly and with replacement, follow until there are ``total``: a
    must-link where both are of one class, else a cannot-link.

    Parameters
    ----------
    y : array-like of shape (n,)
        The class of every sample.
    total : int or float, default=0.4
        How many pairs; a float in [0, 1) is a share of n, rounded down. The k(k-1)/2 cannot-links
        between k classes are drawn even where they are more.
    random_state : int, Generator, RandomState or None
        Seed or source of the draw.

    Returns
    -------
    Constraints
        With these pairs, those of the classes first.

    Examples
    --------
    >>> from sentree.datasets import sample_class_pairs
    >>> sample_class_pairs(["a", "a", "b", "c"], random_state=0)
    Constraints(cannot_link=3)
    """
    classes = _Classes.of(y)
    wanted = _amount(total, classes.n, "total")
    rng = _generator(random_state)
    one_of_each = classes.members[classes.starts + rng.integers(classes.sizes)]
    between = one_of_each[np.column_stack(np.triu_indices(classes.k, k=1))]
    more = max(wanted - len(between), 0)
    if more and classes.n == 1:
        raise ValueError(f"cannot draw {more} pairs: y has one sample only")
    first = rng.integers(classes.n, size=more)
    second = (first + rng.integers(1, max(classes.n, 2), size=more)) % classes.n
    drawn = np.column_stack((first, second))
    same = classes.codes[first] == classes.codes[second]
    return Constraints.from_pairs(
        must_link=drawn[same], cannot_link=np.concatenate((between, drawn[~same]))
    )


def sample_seeds(y: ArrayLike, share: int | float = 0.1, random_state: Seed = None) -> Constraints:
    """Draw positive labels in every class, as the paper's study did for seeded k-means.

    A class with n_c of the n samples gets ``n_c * amount / n`` labels, rounded down but at least
    one, on distinct samples drawn uniformly.

    Parameters
    ----------
    y : array-like of shape (n,)
        The class of every sample.
    share : int or float, default=0.1
        About how many labels in all; a float in [0, 1) is a share of n, rounded down.
    random_state : int, Generator, RandomState or None
        Seed or source of the draw.

    Returns
    -------
    Constraints
        With these labels, which name all classes of `y`.

    Examples
    --------
    >>> from sentree.datasets import sample_seeds
    >>> sample_seeds(["a", "a", "b", "c"], 0.5, random_state=0)
    Constraints(labels=3, classes=3 declared)
    """
    classes = _Classes.of(y)
    amount = _amount(share, classes.n, "share")
    if amount > classes.n:
        raise ValueError(f"cannot draw {amount} positive labels for {classes.n} samples")
    rng = _generator(random_state)
    order = rng.permutation(classes.n)
    shuffled = order[np.argsort(classes.codes[order], kind="stable")]
    place = np.arange(classes.n) - np.repeat(classes.starts, classes.sizes)
    quota = np.maximum(classes.sizes * amount // classes.n, 1)
    labelled = np.sort(shuffled[place < np.repeat(quota, classes.sizes)])
    return Constraints(
        label_index=labelled,
        label_code=classes.codes[labelled],
        classes=tuple(classes.values.tolist()),
        declared=True,
    )


def held_out(constraints: Constraints, n: int) -> NDArray[np.bool_]:
    """Tell which samples have no positive label, to score a clustering on them alone.

    Parameters
    ----------
    constraints : Constraints
        What the clustering was told.
    n : int
        Number of samples.

    Returns
    -------
    bool array of shape (n,)
        True where no positive label names the sample.

    Notes
    -----
    Only labels as given count. Samples in pairs or with negative labels stay in the mask although
    something is known of them; with two classes, one negative label already tells the class.
    """
    labelled = constraints.label_index
    if labelled.size and labelled.max() >= n:
        raise ValueError(f"sample {int(labelled.max())} has a label but n is {n}")
    mask = np.ones(n, dtype=np.bool_)
    mask[labelled] = False
    return mask


def _plain(name: str) -> str:
    """Spell a name without case and punctuation, so that all its spellings are equal."""
    return "".join(filter(str.isalnum, name.casefold()))


def _resolve(name: str, known: Iterable[str], aliases: Mapping[str, str] | None = None) -> str:
    """Find the known name that `name` is another spelling or an alias of."""
    names = {**(aliases or {}), **{_plain(each): each for each in known}}
    found = names.get(_plain(name))
    if found is None:
        close = difflib.get_close_matches(_plain(name), names, n=1)
        hint = f"; did you mean {names[close[0]]!r}?" if close else "."
        raise ValueError(f"unknown data set {name!r}{hint} The names are: {', '.join(known)}")
    return found


def _data_folders(data_dir: str | os.PathLike[str] | None) -> list[Path]:
    """List the folders to search: only the one that was named, else the usual places."""
    named = data_dir or os.environ.get(_ENVIRONMENT_VARIABLE)
    if named:
        return [Path(named).expanduser().absolute()]
    parents = [Path.cwd().parent]
    source = Path(__file__).resolve().parents[1]
    if source.name == "src" and (source.parent / "pyproject.toml").is_file():  # a source tree
        parents.append(source.parent.parent)
    return list(dict.fromkeys(parent / "shared" / "data" for parent in parents))


def _candidates(record: PaperSet, folder: Path) -> tuple[Path, ...]:
    """List the files of a data folder that may hold the set."""
    if record.kind == "rna":
        return folder / _RNA_FOLDER / f"{record.name}.mat", folder / f"{_RNA_FOLDER}.zip"
    return (folder / record.kind / f"{record.name}.mat",)


def _read(record: PaperSet, path: Path) -> tuple[FloatArray, IntArray]:
    """Read a set from its file and check that it is the one of the paper."""
    try:
        content = _unzipped(path, record) if path.suffix == ".zip" else path.read_bytes()
        X, y = _parse(content)
        found = (*X.shape, int(y.max()) + 1)
        if found != (record.n, record.d, record.k) or len(y) != len(X):
            raise ValueError(
                f"it holds {found[0]} samples with {found[1]} features, {len(y)} labels and "
                f"{found[2]} classes, expected {record.n} x {record.d} and {record.k} classes"
            )
    except ValueError as error:
        raise ValueError(f"{path} is not a good copy of {record.name!r}: {error}") from error
    return X, y


def _unzipped(path: Path, record: PaperSet) -> bytes:
    """Read the set's member of a zip file into memory."""
    try:
        with zipfile.ZipFile(path) as archive:
            return archive.read(f"{_RNA_FOLDER}/{record.name}.mat")
    except (zipfile.BadZipFile, zlib.error, EOFError, KeyError, RuntimeError) as error:
        raise ValueError(f"cannot read the zip file ({error})") from error


def _parse(content: bytes) -> tuple[FloatArray, IntArray]:
    """Take features and classes out of the bytes of a MATLAB file."""
    from scipy.io import loadmat

    try:
        file: Any = io.BytesIO(content)  # the stubs of scipy know paths only
        stored = loadmat(file, variable_names=("fea", "gnd"))
    except Exception as error:  # damaged files make scipy fail in more ways than it documents
        raise ValueError(f"cannot read it as a MATLAB file ({error})") from error
    X = np.ascontiguousarray(_numbers(stored, "fea"), dtype=np.float64)
    if X.ndim != 2 or not np.isfinite(X).all():
        raise ValueError("fea is not a matrix of finite numbers")
    return X, _Classes.of(_numbers(stored, "gnd").ravel()).codes


def _numbers(stored: Mapping[str, Any], key: str) -> NDArray[Any]:
    """Take a dense array of real numbers out of the variables of a MATLAB file."""
    if key not in stored:
        raise ValueError(f"it has no variable {key}")
    array = stored[key]
    if not isinstance(array, np.ndarray) or array.dtype.kind not in "buif":
        raise ValueError(f"its variable {key} is not an array of real numbers")
    return array


class _Classes(NamedTuple):
    """The class of every sample, coded 0..k-1 by sorted value, and the size of every class."""

    values: NDArray[Any]
    codes: IntArray
    sizes: IntArray

    @classmethod
    def of(cls, y: ArrayLike) -> _Classes:
        """Code checked class labels."""
        given = np.asarray(y)
        if given.ndim != 1:
            raise ValueError(f"y must be one-dimensional, got shape {given.shape}")
        if given.size == 0:
            raise ValueError("y is empty")
        missing = is_unknown(given, None)
        if missing.any():
            raise ValueError(f"y has no class at index {int(np.argmax(missing))} (NaN or None)")
        values, codes, sizes = np.unique(given, return_inverse=True, return_counts=True)
        return cls(values, codes.astype(np.int64), sizes.astype(np.int64))

    @property
    def n(self) -> int:
        """Number of samples."""
        return len(self.codes)

    @property
    def k(self) -> int:
        """Number of classes."""
        return len(self.values)

    @property
    def members(self) -> IntArray:
        """Samples sorted by class."""
        return np.argsort(self.codes, kind="stable")

    @property
    def starts(self) -> IntArray:
        """Position in `members` of the first sample of every class."""
        return np.cumsum(self.sizes) - self.sizes


def _amount(value: int | float, n: int, name: str) -> int:
    """Turn a number, or a share of n, into a number."""
    if isinstance(value, numbers.Integral) and not isinstance(value, bool):
        if value < 0:
            raise ValueError(f"{name} must not be negative, got {value}")
        return int(value)
    if isinstance(value, numbers.Real) and not isinstance(value, bool):
        if not 0 <= value < 1:
            raise ValueError(f"{name} must be an int, or a float in [0, 1) as share, got {value}")
        return int(value * n)
    raise TypeError(f"{name} must be an int or a float, got {type(value).__name__}")


def _generator(random_state: Seed) -> np.random.Generator:
    """Make a generator of any accepted random state."""
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**32, size=4, dtype=np.uint32))
    return np.random.default_rng(random_state)


def _draw_blocks(
    blocks: IntArray, size: int, rng: np.random.Generator
) -> tuple[IntArray, IntArray]:
    """Draw from numbered items that lie in blocks of these sizes: the block, and the place in it.

    One integer below the total number of items decides both, so that every item is exactly as
    likely as any other.
    """
    ends = np.cumsum(blocks)
    items = rng.integers(ends[-1], size=size) if size else np.empty(0, dtype=np.int64)
    block = np.searchsorted(ends, items, side="right")
    return block, items - (ends - blocks)[block]


def _draw_must_links(classes: _Classes, size: int, rng: np.random.Generator) -> IntArray:
    """Draw ordered pairs of two members of a class; class c has n_c (n_c - 1) of them."""
    others = classes.sizes - 1
    c, place = _draw_blocks(classes.sizes * others, size, rng)
    first, second = np.divmod(place, others[c])
    second += second >= first  # step over the first member
    places: IntArray = np.column_stack((first, second)) + classes.starts[c, np.newaxis]
    return classes.members[places]


def _draw_cannot_links(classes: _Classes, size: int, rng: np.random.Generator) -> IntArray:
    """Draw ordered pairs of a member of class c and another sample: n_c (n - n_c) of them."""
    others = classes.n - classes.sizes
    c, place = _draw_blocks(classes.sizes * others, size, rng)
    first, second = np.divmod(place, others[c])
    first += classes.starts[c]
    second += classes.sizes[c] * (second >= classes.starts[c])  # step over the whole class
    places: IntArray = np.column_stack((first, second))
    return classes.members[places]


def _draw_negative_labels(
    classes: _Classes, labelled: IntArray, size: int, rng: np.random.Generator
) -> tuple[IntArray, IntArray]:
    """Draw distinct pairs of a sample that is not labelled and the code of a class not its own."""
    if size == 0:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    free = np.delete(np.arange(classes.n, dtype=np.int64), labelled)
    items = rng.choice(free.size * (classes.k - 1), size=size, replace=False)
    place, wrong = np.divmod(items, classes.k - 1)
    points = free[place]
    wrong += wrong >= classes.codes[points]  # step over the sample's own class
    return points, wrong
