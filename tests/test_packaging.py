"""The source distribution, and the wheel built from it, work where nothing else is."""

import os
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
#: As a user has it: nothing of this environment shines through.
CLEAN = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}


def run(*command, **options):
    done = subprocess.run(
        [str(part) for part in command],
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
        env=CLEAN,
        **options,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def sdist(tmp_path_factory):
    reachable = subprocess.run(
        [sys.executable, "-m", "pip", "download", "--no-deps", "--quiet", "typer"],
        cwd=tmp_path_factory.mktemp("reachable"),
        capture_output=True,
        check=False,
        timeout=300,
    )
    if reachable.returncode:
        pytest.skip("a clean environment needs packages, and none can be fetched here")
    folder = tmp_path_factory.mktemp("sdist")
    run(sys.executable, "-m", "build", "--sdist", "--outdir", folder, ROOT)
    (made,) = folder.iterdir()
    return made


@pytest.fixture(scope="module")
def wheel(sdist, tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    quickly = "cmake.define.CMAKE_CXX_FLAGS_RELEASE=-O0"  # the compiler's work, not the kernels'
    pip = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--config-settings", quickly]
    run(*pip, "--wheel-dir", folder, sdist)
    (made,) = folder.iterdir()
    return made


def test_the_source_distribution_holds_what_is_needed_and_no_more(sdist):
    with tarfile.open(sdist) as archive:
        inside = [name.split("/", 1)[1] for name in archive.getnames()]
    for name in ("native/bindings.cpp", "CMakeLists.txt", "pyproject.toml", "LICENSE", "README.md"):
        assert name in inside
    assert "src/sentree/app/static/index.html" in inside
    unwanted = (".venv", "build/", "benchmarks/", "demo-output/", "node_modules/", ".so", ".pyc")
    assert not [name for name in inside for part in unwanted if part in name]


def test_the_wheel_holds_the_package_and_no_more(wheel):
    inside = zipfile.ZipFile(wheel).namelist()
    written = {
        path.relative_to(ROOT / "src").as_posix()
        for path in (ROOT / "src/sentree").rglob("*")
        if path.is_file() and path.suffix not in (".pyc", ".so")
    }
    held = {name for name in inside if not name.startswith("sentree-")}
    assert written <= held
    (kernels,) = held - written
    assert kernels.startswith("sentree/_kernels.")


def test_a_clean_environment_runs_the_demo_and_clusters_a_table(wheel, tmp_path):
    venv.create(tmp_path / "clean")
    binaries = tmp_path / "clean" / ("Scripts" if sys.platform == "win32" else "bin")
    pip = [sys.executable, "-m", "pip", "--python", binaries / "python"]
    run(*pip, "install", "--quiet", "--no-compile", wheel)
    told = run(binaries / "sentree", "demo", "--out", "demo", cwd=tmp_path)
    assert "labels and pairs" in told
    assert {path.name for path in (tmp_path / "demo").iterdir()} == {
        "labels.csv",
        "partition.png",
        "tree.nwk",
    }
    # Nothing optional is needed for the everyday.
    rows = "\n".join(f"r{k},{k // 10 * 5 + k % 3},{k % 7}" for k in range(40))
    (tmp_path / "data.csv").write_text(f"id,a,b\n{rows}\n")
    run(
        *(binaries / "sentree", "cluster", "data.csv", "--out", "found.csv"),
        *("--plot", "found.png", "--report", "found.html", "--model", "found.npz"),
        cwd=tmp_path,
    )
    assert (tmp_path / "found.csv").read_text().startswith("id,cluster,strength\nr0,")
    assert "sentree 0." in run(binaries / "sentree", "version", "--all", cwd=tmp_path)
