"""
Penguins: a mixed table and a few names
=======================================

Measures, words and gaps in one table. It can be divided in more than one sensible way,
and nothing in the data says which one we want. A few names do.
"""

# %%
# The birds are generated after the well-known Palmer penguins: 340 of three species, on
# three islands. The species is not a column of the table.

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from sentree import SSEPartition, plots

# sphinx_gallery_start_ignore
rng = np.random.default_rng(0)
species = np.repeat(["Adelie", "Chinstrap", "Gentoo"], [150, 70, 120])
male = rng.random(340) < 0.5


def measure(adelie, chinstrap, gentoo, spread, of_males):
    mean = np.repeat([adelie, chinstrap, gentoo], [150, 70, 120])
    return (mean + of_males * (male - 0.5) + rng.normal(0, spread, 340)).round(1)


islands = {
    "Adelie": ["Biscoe", "Dream", "Torgersen"],
    "Chinstrap": ["Dream"],
    "Gentoo": ["Biscoe"],
}
penguins = pd.DataFrame(
    {
        "island": [rng.choice(islands[one]) for one in species],
        "bill length mm": measure(38.8, 48.8, 47.5, 2.0, 3.5),
        "bill depth mm": measure(18.3, 18.4, 15.0, 0.8, 1.5),
        "flipper length mm": measure(190, 196, 217, 5.5, 7),
        "body mass g": measure(3700, 3730, 5080, 300, 700).round(-1),
        "sex": np.where(male, "male", "female"),
        "year": rng.choice([2007, 2008, 2009], 340),
    }
)
for column in penguins.columns[1:6]:  # some birds would not be measured
    penguins.loc[rng.random(340) < 0.06, column] = None
# sphinx_gallery_end_ignore
penguins.sample(5, random_state=2)

# %%
# Told nothing, sentree finds four clusters. They are sensible: females and males, the
# large Gentoo apart from the two smaller species. But we want the species.

model = SSEPartition(prepare="auto").fit(penguins)
print(model.preparation_.summary())
print()
print(model.scale_)
sex = penguins["sex"].fillna("unknown")
pd.crosstab(
    [species, sex], model.labels_, rownames=["species", "sex"], colnames=["cluster"]
)

# %%
# So we name five birds of each species, and leave the number of clusters open. The
# labels also say which columns matter: the island does, the sex and the year do not.

known = np.full(len(penguins), None)
rng = np.random.default_rng(1)
for one in ("Adelie", "Chinstrap", "Gentoo"):
    known[rng.choice(np.flatnonzero(species == one), 5, replace=False)] = one
told = SSEPartition(prepare="auto").fit(penguins, known)
called = np.array(told.cluster_names_)[told.labels_]
print(told.features_)
pd.crosstab(species, called, rownames=["species"], colnames=["called"])

# %%
# Both answers on the bills, with rings around the birds that we have named. (Gaps are
# filled with the median, hence the straight lines.) On these two measures the species
# overlap: the model has used the others, too.

bills = told.preparation_.transform(penguins)[["bill length mm", "bill depth mm"]]
figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
sexes = {"0": "#9ECAE1", "1": "#2171B5", "2": "#BDBDBD", "3": "#636363"}
plots.partition(bills, model.labels_, colors=sexes, title="told nothing", ax=left)
kinds = {"Adelie": "#E69F00", "Chinstrap": "#AA4499", "Gentoo": "#009E73"}
named = told.constraints_
plots.partition(bills, called, named, colors=kinds, title="told 15 names", ax=right)

# %%
# And what makes each species, in the units of the table:

profile = told.profile()
for one, name in zip(profile.clusters, told.cluster_names_, strict=True):
    print(f"{name}: {one.sentence}")
_, ax = plt.subplots(figsize=(7, 3.2), layout="constrained")
plots.profile(profile, ax=ax)
