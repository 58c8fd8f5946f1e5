"""A table of flowers, and the command line called on it."""

import csv

from sklearn.datasets import load_iris

from command import sentree_command

IRIS = load_iris()
SPECIES = IRIS.target_names[IRIS.target]
IDS = [f"flower{k:03d}" for k in range(150)]
KNOWN = [str(name) if k % 10 == 0 else "" for k, name in enumerate(SPECIES)]


def write_csv(path, header, *columns):
    with open(path, "w", newline="") as file:
        table = csv.writer(file)
        table.writerow(header)
        table.writerows(zip(*columns, strict=True))
    return path


def call(folder, *arguments, code=0, **options):
    done = sentree_command(*arguments, cwd=folder, **options)
    assert done.returncode == code, done.stdout + done.stderr
    return done


def rows_of(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))
