"""Data sets and draws of constraints: what is read, what is refused, and that draws are uniform."""

import io
import itertools
import os
import shutil
import subprocess
import sys
import zipfile
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import scipy.io
from scipy.stats import chisquare

import sentree.datasets as module
from sentree.datasets import (
    EMBEDDED_SETS,
    PAPER_SETS,
    PaperSet,
    held_out,
    load_embedded,
    load_paper,
    sample_class_pairs,
    sample_labels,
    sample_pairs,
    sample_seeds,
)

SHARED = Path(__file__).parents[2] / "shared" / "data"
needs_data = pytest.mark.skipif(not SHARED.is_dir(), reason=f"the data folder {SHARED} is absent")

TINY = np.array([0, 1, 0, 2, 0, 1])
CLASS_SIZES = {
    "wine": [57, 71, 47],
    "heart": [150, 120],
    "breast-cancer": [444, 239],
    "australian": [383, 307],
}


def mat(**variables):
    buffer = io.BytesIO()
    scipy.io.savemat(buffer, variables)
    return buffer.getvalue()


def write(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


@pytest.fixture(autouse=True)
def nothing_found_by_default(monkeypatch, tmp_path_factory):
    """Hide the data of this machine: an empty current directory, no variable, no checkout."""
    current = tmp_path_factory.mktemp("outer") / "current"
    current.mkdir()
    monkeypatch.chdir(current)
    monkeypatch.delenv("SENTREE_DATA", raising=False)
    monkeypatch.setattr(module, "__file__", "/nowhere/site-packages/sentree/datasets.py")


@pytest.fixture
def toy(monkeypatch):
    """A made-up set in place of each kind: 4 samples, 2 features, classes 3 and 7."""
    records = {
        "Yale": PaperSet("Yale", "clustering", 4, 2, 2),
        "10X_PBMC": PaperSet("10X_PBMC", "rna", 4, 2, 2),
        "wine": PaperSet("wine", "hierarchical", 4, 2, 2),
    }
    monkeypatch.setattr(module, "PAPER_SETS", records)
    return mat(fea=np.arange(8, dtype=np.uint8).reshape(4, 2), gnd=np.array([[7, 3, 3, 7]]))


def is_toy(loaded):
    X, y = loaded
    return X.tolist() == [[0, 1], [2, 3], [4, 5], [6, 7]] and y.tolist() == [1, 0, 0, 1]


# Sets on disk -------------------------------------------------------------------------------------


@pytest.mark.golden
@needs_data
@pytest.mark.parametrize("name", PAPER_SETS)
def test_paper_sets_have_the_published_shape(name):
    record = PAPER_SETS[name]
    X, y = load_paper(name, SHARED)
    assert X.shape == (record.n, record.d)
    assert X.dtype == np.float64
    assert X.flags.c_contiguous
    assert y.dtype == np.int64
    assert y.shape == (record.n,)
    assert np.unique(y).tolist() == list(range(record.k))
    if name in CLASS_SIZES:
        assert np.bincount(y).tolist() == CLASS_SIZES[name]


@pytest.mark.golden
@needs_data
def test_embedded_digits_are_the_optical_digits_of_the_paper():
    for ours, theirs in zip(load_paper("digits", SHARED), load_embedded("digits"), strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_records_name_the_thirteen_sets():
    assert Counter(record.kind for record in PAPER_SETS.values()) == {
        "clustering": 5,
        "rna": 4,
        "hierarchical": 4,
    }
    assert all(record.name == name for name, record in PAPER_SETS.items())


def test_aliases_lead_to_known_sets():
    assert set(module._PAPER_ALIASES.values()) <= set(PAPER_SETS)
    assert all(alias == module._plain(alias) for alias in module._PAPER_ALIASES)


@pytest.mark.parametrize(
    ("spelling", "name"),
    [
        ("YALE", "Yale"),
        ("isolet", "Isolet1"),
        ("coil-20", "COIL20"),
        ("pbmc", "10X_PBMC"),
        ("10x pbmc", "10X_PBMC"),
        ("breast_cancer", "breast-cancer"),
        ("Human Kidney", "human_kidney"),
    ],
)
def test_spellings_and_aliases_are_understood(spelling, name):
    with pytest.raises(FileNotFoundError, match=f"data set '{name}' not found"):
        load_paper(spelling)


def test_unknown_name_lists_all_names_and_suggests_a_close_one():
    with pytest.raises(ValueError, match="did you mean 'Isolet1'") as error:
        load_paper("Isolte")
    assert all(name in str(error.value) for name in PAPER_SETS)


def test_unknown_name_far_from_all_suggests_nothing():
    with pytest.raises(ValueError, match="unknown data set 'zzzz'") as error:
        load_paper("zzzz")
    assert "did you mean" not in str(error.value)


def test_missing_file_message_says_where_and_how(tmp_path, monkeypatch):
    monkeypatch.delenv("SENTREE_DATA", raising=False)
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.setattr(module, "__file__", "/nowhere/site-packages/sentree/datasets.py")
    with pytest.raises(FileNotFoundError) as error:
        load_paper("pbmc")
    message = str(error.value)
    folder = tmp_path / "shared" / "data"
    places = [str(folder / place) for place in ("RNA-seq/10X_PBMC.mat", "RNA-seq.zip")]
    assert [line.strip() for line in message.splitlines() if line.startswith("  ")] == places
    for part in ("SELGroup/SSE", "'datasets'", "data_dir", "SENTREE_DATA"):
        assert part in message


def test_argument_wins_over_variable_over_default_folder(tmp_path, monkeypatch, toy):
    default, variable, argument = (
        tmp_path / "shared" / "data",
        tmp_path / "variable",
        tmp_path / "argument",
    )
    current = tmp_path / "checkout"
    current.mkdir()
    monkeypatch.chdir(current)
    monkeypatch.setenv("SENTREE_DATA", str(variable))
    monkeypatch.setattr(module, "_read", lambda record, path: path)

    paths = [write(f / "clustering" / "Yale.mat", toy) for f in (default, variable, argument)]
    assert load_paper("Yale", data_dir=argument) == paths[2]
    assert load_paper("Yale") == paths[1]
    monkeypatch.delenv("SENTREE_DATA")
    assert load_paper("Yale") == paths[0]


def test_a_mistyped_folder_is_not_made_up_for_by_another(tmp_path, monkeypatch, toy):
    write(tmp_path / "right" / "clustering" / "Yale.mat", toy)
    monkeypatch.setenv("SENTREE_DATA", str(tmp_path / "right"))
    with pytest.raises(FileNotFoundError, match="wrong"):
        load_paper("Yale", data_dir=tmp_path / "wrong")


def test_variable_leads_to_the_data(tmp_path, monkeypatch, toy):
    write(tmp_path / "hierarchical" / "wine.mat", toy)
    monkeypatch.setenv("SENTREE_DATA", str(tmp_path))
    assert is_toy(load_paper("wine"))


def test_empty_variable_is_no_place(monkeypatch):
    monkeypatch.setenv("SENTREE_DATA", "")
    assert module._data_folders(None) == [Path.cwd().parent / "shared" / "data"]


def test_home_directory_is_expanded(monkeypatch):
    monkeypatch.setenv("HOME", "/home/someone")
    assert module._data_folders("~/data")[0] == Path("/home/someone/data")


def test_source_tree_is_searched_only_when_it_is_one(tmp_path, monkeypatch):
    beside = tmp_path / "shared" / "data"
    monkeypatch.setattr(module, "__file__", str(tmp_path / "checkout/src/sentree/datasets.py"))
    assert beside not in module._data_folders(None)
    write(tmp_path / "checkout" / "pyproject.toml", b"")
    assert module._data_folders(None)[-1] == beside
    monkeypatch.setattr(module, "__file__", str(tmp_path / "checkout/lib/sentree/datasets.py"))
    assert beside not in module._data_folders(None)


def test_rna_sets_are_read_from_the_zip_without_unpacking(tmp_path, toy):
    with zipfile.ZipFile(tmp_path / "RNA-seq.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("RNA-seq/10X_PBMC.mat", toy)
    assert is_toy(load_paper("pbmc", tmp_path))
    assert [path.name for path in tmp_path.iterdir()] == ["RNA-seq.zip"]


def test_rna_sets_are_read_from_an_unpacked_folder(tmp_path, toy):
    write(tmp_path / "RNA-seq" / "10X_PBMC.mat", toy)
    assert is_toy(load_paper("pbmc", tmp_path))


def test_a_column_of_classes_and_float_classes_are_read(tmp_path, toy):
    X = np.arange(8.0).reshape(4, 2)
    write(tmp_path / "clustering" / "Yale.mat", mat(fea=X, gnd=np.c_[[7.0, 3.0, 3.0, 7.0]]))
    assert is_toy(load_paper("Yale", tmp_path))


GOOD_X, GOOD_Y = np.arange(8.0).reshape(4, 2), np.array([[1, 1, 2, 2]])


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "MATLAB file"),
        (b"this is not a mat file" * 20, "MATLAB file"),
        (mat(fea=GOOD_X, gnd=GOOD_Y)[:200], "MATLAB file"),
        (mat(gnd=GOOD_Y), "no variable fea"),
        (mat(fea=GOOD_X), "no variable gnd"),
        (mat(fea="text", gnd=GOOD_Y), "fea is not an array of real numbers"),
        (mat(fea=GOOD_X, gnd="text"), "gnd is not an array of real numbers"),
        (mat(fea=GOOD_X * np.nan, gnd=GOOD_Y), "finite"),
        (mat(fea=GOOD_X, gnd=np.array([[1.0, 2.0, np.nan, 2.0]])), "index 2"),
        (mat(fea=GOOD_X, gnd=np.empty((0, 0))), "empty"),
        (mat(fea=GOOD_X.T, gnd=GOOD_Y), "2 samples with 4 features"),
        (mat(fea=GOOD_X, gnd=GOOD_Y[:, :3]), "3 labels"),
        (mat(fea=GOOD_X, gnd=np.array([[1, 2, 3, 3]])), "3 classes"),
    ],
)
@pytest.mark.usefixtures("toy")
def test_broken_mat_files_are_named_with_the_reason(tmp_path, content, reason):
    path = write(tmp_path / "clustering" / "Yale.mat", content)
    with pytest.raises(ValueError, match=reason) as error:
        load_paper("Yale", tmp_path)
    assert str(path) in str(error.value)


@pytest.mark.parametrize("damage", ["truncated", "other member", "flipped"])
def test_broken_zip_files_are_named(tmp_path, toy, damage):
    path = tmp_path / "RNA-seq.zip"
    member = "RNA-seq/other.mat" if damage == "other member" else "RNA-seq/10X_PBMC.mat"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(member, toy)
    content = bytearray(path.read_bytes())
    if damage == "truncated":
        content = content[: len(content) // 2]
    elif damage == "flipped":
        content[80] ^= 0xFF
    path.write_bytes(content)
    with pytest.raises(ValueError, match="cannot read the zip file") as error:
        load_paper("pbmc", tmp_path)
    assert str(path) in str(error.value)


@pytest.mark.golden
@needs_data
def test_truncated_copies_of_the_real_files_are_named(tmp_path):
    for name in ("clustering/Yale.mat", "RNA-seq.zip"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(SHARED / name, tmp_path / name)
        (tmp_path / name).chmod(0o600)
        with (tmp_path / name).open("r+b") as file:
            file.truncate(100_000)
    for name, path in (("Yale", "clustering/Yale.mat"), ("pbmc", "RNA-seq.zip")):
        with pytest.raises(ValueError, match="cannot read") as error:
            load_paper(name, tmp_path)
        assert str(tmp_path / path) in str(error.value)


@pytest.mark.parametrize(
    ("name", "shape", "k"),
    [
        ("digits", (1797, 64), 10),
        ("wine", (178, 13), 3),
        ("breast_cancer", (569, 30), 2),
        ("iris", (150, 4), 3),
    ],
)
def test_embedded_sets(name, shape, k):
    X, y = load_embedded(name)
    assert X.shape == shape
    assert X.dtype == np.float64
    assert X.flags.c_contiguous
    assert y.dtype == np.int64
    assert np.unique(y).tolist() == list(range(k))


def test_embedded_names_are_forgiving_and_unknown_ones_are_not():
    assert load_embedded("Breast-Cancer")[0].shape == (569, 30)
    with pytest.raises(ValueError, match="did you mean 'iris'") as error:
        load_embedded("irsi")
    assert all(name in str(error.value) for name in EMBEDDED_SETS)


def test_import_loads_neither_readers_nor_scikit_learn():
    code = (
        "import sys, sentree.datasets; "
        "print(sorted({'sklearn', 'scipy.io', 'pandas'} & set(sys.modules)))"
    )
    path = os.pathsep.join(filter(None, sys.path))
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "[]"


# Pairs --------------------------------------------------------------------------------------------


def ordered_pairs(y, same):
    pairs = itertools.permutations(range(len(y)), 2)
    return [(i, j) for i, j in pairs if (y[i] == y[j]) == same]


def uniform_p_value(drawn, outcomes):
    """Chi-square test of the draws against equal chances for the enumerated outcomes."""
    counts = Counter(drawn)
    assert set(counts) <= set(outcomes)
    return chisquare([counts[outcome] for outcome in outcomes]).pvalue


@pytest.mark.parametrize("same", [True, False], ids=["must", "cannot"])
def test_pairs_are_uniform_over_all_ordered_pairs(same):
    constraints = sample_pairs(TINY, 20_000, 20_000, random_state=7)
    pairs = constraints.must_link if same else constraints.cannot_link
    outcomes = ordered_pairs(TINY, same)
    assert len(outcomes) == (8 if same else 22)
    assert uniform_p_value(map(tuple, pairs.tolist()), outcomes) > 0.01


def test_the_uniformity_test_sees_a_draw_of_the_class_first():
    rng = np.random.default_rng(0)
    biased = []
    for c in rng.integers(2, size=20_000):
        biased.append(tuple(rng.permutation(np.flatnonzero(c == TINY))[:2].tolist()))
    assert uniform_p_value(biased, ordered_pairs(TINY, True)) < 1e-6


def test_pairs_obey_the_classes_and_come_in_the_number_asked():
    y = np.random.default_rng(1).permutation(np.repeat(["x", "y", "z"], [50, 30, 1]))
    constraints = sample_pairs(y, 400, 300, random_state=2)
    must, cannot = constraints.must_link, constraints.cannot_link
    assert must.shape == (400, 2)
    assert cannot.shape == (300, 2)
    assert must.dtype == cannot.dtype == np.int64
    assert (must[:, 0] != must[:, 1]).all()
    assert (y[must[:, 0]] == y[must[:, 1]]).all()
    assert (y[cannot[:, 0]] != y[cannot[:, 1]]).all()


def test_no_pairs_asked_gives_none_even_where_none_exist():
    constraints = sample_pairs([0], 0, 0)
    assert constraints.must_link.shape == constraints.cannot_link.shape == (0, 2)


def test_large_classes_do_not_overflow():
    y = np.repeat([0, 1], [150_000, 150_000])
    constraints = sample_pairs(y, 1000, 1000, random_state=0)
    for pairs in (constraints.must_link, constraints.cannot_link):
        assert pairs.min() >= 0
        assert pairs.max() < y.size
    assert len(np.unique(constraints.must_link)) > 1900


def test_shares_are_floored():
    y = np.repeat([0, 1], [83, 82])
    constraints = sample_pairs(y, 0.2, np.float64(0.199), random_state=0)
    assert len(constraints.must_link) == int(0.2 * 165) == 33
    assert len(constraints.cannot_link) == 32
    labels = sample_labels(y, 0.1, 0.05, random_state=0)
    assert labels.label_index.size == 16
    assert labels.negative_index.size == 8


def test_class_pairs_tell_all_classes_apart_then_fill_up():
    y = np.random.default_rng(1).permutation(np.repeat(["x", "y", "z"], [50, 30, 1]))
    constraints = sample_class_pairs(y, 200, random_state=2)
    must, cannot = constraints.must_link, constraints.cannot_link
    assert len(must) + len(cannot) == 200
    assert y[cannot[:3]].tolist() == [["x", "y"], ["x", "z"], ["y", "z"]]
    assert np.unique(cannot[:3]).size == 3
    assert (must[:, 0] != must[:, 1]).all()
    assert (y[must[:, 0]] == y[must[:, 1]]).all()
    assert (y[cannot[:, 0]] != y[cannot[:, 1]]).all()


def test_class_pairs_draw_representatives_and_the_rest_uniformly():
    rng = np.random.default_rng(3)
    first = [int(sample_class_pairs(TINY, 0, rng).cannot_link[0, 0]) for _ in range(1000)]
    assert uniform_p_value(first, [0, 2, 4]) > 0.01
    constraints = sample_class_pairs(TINY, 20_000, random_state=8)
    drawn = np.concatenate((constraints.must_link, constraints.cannot_link[3:]))
    everything = list(itertools.permutations(range(6), 2))
    assert uniform_p_value(map(tuple, drawn.tolist()), everything) > 0.01


def test_class_pairs_may_be_more_than_asked():
    y = np.repeat(np.arange(15), 11)
    constraints = sample_class_pairs(y, 0.4, random_state=0)
    assert len(constraints.must_link) == 0
    assert len(constraints.cannot_link) == 105 > 0.4 * y.size
    assert np.unique(constraints.cannot_link).size == 15


def test_class_pairs_of_one_class_are_must_links():
    assert len(sample_class_pairs([4, 4, 4], 5).must_link) == 5
    assert len(sample_class_pairs([4], 0)) == 0
    with pytest.raises(ValueError, match="one sample only"):
        sample_class_pairs([4], 1)


# Labels -------------------------------------------------------------------------------------------


def test_labels_are_distinct_true_and_declare_all_classes():
    y = np.random.default_rng(3).integers(5, size=200) * 10
    constraints = sample_labels(y, 40, 500, random_state=4)
    positive, negative = constraints.label_index, constraints.negative_index
    classes = np.asarray(constraints.classes)
    assert constraints.declared
    assert classes.tolist() == [0, 10, 20, 30, 40]
    assert np.unique(positive).size == 40
    assert (classes[constraints.label_code] == y[positive]).all()
    assert len({*zip(negative.tolist(), constraints.negative_code.tolist(), strict=True)}) == 500
    assert not np.isin(negative, positive).any()
    assert (classes[constraints.negative_code] != y[negative]).all()


def test_all_possible_labels_can_be_asked():
    constraints = sample_labels(TINY, 2, 8, random_state=0)
    free = np.setdiff1d(np.arange(6), constraints.label_index)
    drawn = set(
        zip(constraints.negative_index.tolist(), constraints.negative_code.tolist(), strict=True)
    )
    assert drawn == {(int(i), c) for i in free for c in range(3) if c != TINY[i]}
    assert sample_labels(TINY, 6, 0).label_index.tolist() == list(range(6))


def test_labels_are_uniform_over_all_outcomes():
    y = np.array([0, 1, 2, 1])
    classes, rng = module._Classes.of(y), np.random.default_rng(11)
    outcomes = []
    for labelled in itertools.combinations(range(4), 2):
        slots = [(i, c) for i in range(4) if i not in labelled for c in range(3) if c != y[i]]
        outcomes += [(labelled, pair) for pair in itertools.combinations(slots, 2)]
    assert len(outcomes) == 36

    drawn = []
    for _ in range(7200):
        labelled = rng.choice(4, size=2, replace=False)
        points, wrong = module._draw_negative_labels(classes, labelled, 2, rng)
        negative = sorted(zip(points.tolist(), wrong.tolist(), strict=True))
        drawn.append((tuple(sorted(labelled.tolist())), tuple(negative)))
    assert uniform_p_value(drawn, outcomes) > 0.01


def test_public_label_draws_are_uniform_over_samples_and_over_wrong_classes():
    positive, negative = Counter(), Counter()
    rng = np.random.default_rng(5)
    for _ in range(2000):
        constraints = sample_labels(TINY, 1, 1, random_state=rng)
        positive[int(constraints.label_index[0])] += 1
        negative[int(constraints.negative_index[0]), int(constraints.negative_code[0])] += 1
    slots = [(i, c) for i in range(6) for c in range(3) if c != TINY[i]]
    assert uniform_p_value(positive.elements(), list(range(6))) > 0.01
    assert uniform_p_value(negative.elements(), slots) > 0.01


def test_string_classes_stay_strings():
    y = np.array(["cat", "dog", "cat", "eel"])
    constraints = sample_labels(y, 3, 2, random_state=0)
    classes = np.asarray(constraints.classes)
    assert classes.tolist() == ["cat", "dog", "eel"]
    assert (classes[constraints.label_code] == y[constraints.label_index]).all()
    assert (classes[constraints.negative_code] != y[constraints.negative_index]).all()


def test_negative_numbers_are_classes_like_any_other():
    y = np.array([-1, -5, -1, 3, -5, 3])
    constraints = sample_labels(y, 5, 2, random_state=0)
    classes = np.asarray(constraints.classes)
    assert classes.tolist() == [-5, -1, 3]
    assert constraints.label_index.size == 5
    assert (classes[constraints.label_code] == y[constraints.label_index]).all()


def test_seeds_reach_every_class_in_proportion():
    y = np.random.default_rng(2).permutation(np.repeat([7, 5, 9], [100, 41, 3]))
    constraints = sample_seeds(y, 0.1, random_state=1)
    assert constraints.declared
    assert constraints.classes == (5, 7, 9)
    assert np.bincount(constraints.label_code).tolist() == [3, 9, 1]  # 41 * 14 // 144 and so on
    assert np.unique(constraints.label_index).size == 13
    classes = np.asarray(constraints.classes)
    assert (classes[constraints.label_code] == y[constraints.label_index]).all()
    assert sample_seeds(y, 144).label_index.tolist() == list(range(144))
    with pytest.raises(ValueError, match="145 positive labels for 144 samples"):
        sample_seeds(y, 145)


def test_seeds_are_uniform_within_a_class():
    rng = np.random.default_rng(4)
    drawn = [int(i) for _ in range(1000) for i in sample_seeds(TINY, 0, rng).label_index]
    assert uniform_p_value([i for i in drawn if i in (0, 2, 4)], [0, 2, 4]) > 0.01
    assert uniform_p_value([i for i in drawn if i in (1, 5)], [1, 5]) > 0.01


def test_held_out_is_what_no_positive_label_names():
    constraints = sample_labels(TINY, 2, 3, random_state=0)
    mask = held_out(constraints, 6)
    assert mask.dtype == np.bool_
    assert np.flatnonzero(~mask).tolist() == sorted(constraints.label_index.tolist())
    assert held_out(sample_pairs(TINY, 3, 3), 6).all()
    with pytest.raises(ValueError, match="n is 1"):
        held_out(sample_labels(TINY, 6, 0), 1)


# Requests that cannot be met ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sample", "y", "first", "second", "message"),
    [
        (sample_pairs, [0, 1, 2], 1, 0, "every class has one member"),
        (sample_pairs, [4, 4, 4], 0, 1, "one class only"),
        (sample_labels, [4, 4, 4], 0, 1, "one class only"),
        (sample_labels, [0, 1, 1], 4, 0, "4 positive labels for 3 samples"),
        (sample_labels, [0, 1, 2], 1, 5, "2 samples .* 2 wrong classes each allow 4"),
        (sample_labels, [0, 1, 1], 3, 1, "0 samples .* allow 0"),
        (sample_pairs, [0, 0, 1], -1, 0, "n_must must not be negative"),
        (sample_pairs, [0, 0, 1], 0, -1, "n_cannot must not be negative"),
        (sample_labels, [0, 0, 1], -1, 0, "n_positive must not be negative"),
        (sample_labels, [0, 0, 1], 0, -1, "n_negative must not be negative"),
        (sample_pairs, [0, 0, 1], 1.0, 0, r"n_must must be an int, or a float in \[0, 1\)"),
        (sample_pairs, [0, 0, 1], 0, -0.5, "n_cannot must be an int, or a float"),
        (sample_labels, [0, 0, 1], float("nan"), 0, "n_positive must be an int, or a float"),
        (sample_pairs, [0.0, np.nan, 1.0], 1, 1, "no class at index 1"),
        (sample_labels, ["a", "b", None], 1, 1, "no class at index 2"),
        (sample_pairs, [[0, 1], [0, 1]], 1, 1, r"one-dimensional, got shape \(2, 2\)"),
        (sample_labels, 3, 1, 1, r"one-dimensional, got shape \(\)"),
        (sample_pairs, [], 0, 0, "y is empty"),
    ],
)
def test_impossible_requests_fail_at_once(sample, y, first, second, message):
    with pytest.raises(ValueError, match=message):
        sample(y, first, second, random_state=0)


@pytest.mark.parametrize("amount", ["3", None, True])
def test_amounts_that_are_not_numbers_are_refused(amount):
    with pytest.raises(TypeError, match="n_must must be an int or a float"):
        sample_pairs(TINY, amount, 1)


# Random states ------------------------------------------------------------------------------------


SAMPLERS = [sample_pairs, sample_class_pairs, sample_labels, sample_seeds]


def drawn(sample, random_state):
    amounts = (10, 10) if sample in (sample_pairs, sample_labels) else (10,)
    c = sample(np.repeat([0, 1, 2], 20), *amounts, random_state)
    arrays = (c.must_link, c.cannot_link, c.label_index, c.negative_index, c.negative_code)
    return [array.tolist() for array in arrays]


@pytest.mark.parametrize("sample", SAMPLERS)
@pytest.mark.parametrize(
    "make", [int, np.int64, np.random.default_rng, np.random.RandomState], ids=lambda m: m.__name__
)
def test_same_seed_gives_the_same_draw(sample, make):
    assert drawn(sample, make(5)) == drawn(sample, make(5))
    assert drawn(sample, make(5)) != drawn(sample, make(6))


@pytest.mark.parametrize("make", [np.random.default_rng, np.random.RandomState])
@pytest.mark.parametrize("sample", SAMPLERS)
def test_a_shared_source_moves_on(sample, make):
    source = make(0)
    assert drawn(sample, source) != drawn(sample, source)


def test_no_seed_gives_fresh_draws():
    assert drawn(sample_pairs, None) != drawn(sample_pairs, None)
