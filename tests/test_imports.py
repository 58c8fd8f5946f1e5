"""What the package imports of others: declared, and from public places."""

import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

from rooms import MODULES, imports

PROJECT = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]
#: Extras that add to what the package can do; the others are for its makers.
EXTRAS = (
    "anndata",
    "app",
    "dask",
    "excel",
    "interactive",
    "networkx",
    "notebook",
    "parquet",
    "zarr",
)
#: Each imported distribution's module beside the module that imports it.
FOREIGN = {
    (module.split(".")[0], name)
    for name, path in MODULES.items()
    for module, _ in imports(path)
    if module.split(".")[0] not in {*sys.stdlib_module_names, "sentree", "__future__"}
}


def names(requirements):
    return {re.match(r"[\w-]+", one)[0].lower() for one in requirements}


def test_what_is_imported_is_declared_and_the_reverse():
    extras = PROJECT["optional-dependencies"]
    optional = names(one for extra in EXTRAS for one in extras[extra])
    distributions = packages_distributions()
    used = {}
    late = {
        (module.split(".")[0], name)
        for name, path in MODULES.items()
        for module in re.findall(r'\boptional\(\s*"([\w.]+)"', path.read_text())
    }
    for module, name in FOREIGN | late:
        (distribution,) = set(distributions.get(module, [module]))
        used.setdefault(distribution.lower(), set()).add(name)
    declared = names(PROJECT["dependencies"])
    assert {one: used[one] for one in used.keys() - declared - optional} == {}
    assert (declared | optional) - used.keys() == set()


def test_one_file_imports_private_names_of_scikit_learn():
    private = {
        name
        for name, path in MODULES.items()
        for module, one in imports(path)
        if module.split(".")[0] == "sklearn" and re.search(r"\._", f"{module}.{one}")
    }
    assert private == {"sentree._util.sklearn"}
