"""
Penguins: a mixed table and a few names
=======================================
"""

# %%

import numpy as np
import pandas as pd

from sentree import SSEPartition

rng = np.random.default_rng(0)
species = np.repeat(["Adelie", "Chinstrap", "Gentoo"], [150, 70, 120])
male = rng.random(340) < 0.5


def measure(adelie, chinstrap, gentoo, spread, of_males):
    mean = pd.Series(species).map({"Adelie": adelie, "Chinstrap": chinstrap, "Gentoo": gentoo})
    return (mean + of_males * (male - 0.5) + rng.normal(0, spread, 340)).round(1).to_numpy()


islands = {"Adelie": ["Biscoe", "Dream", "Torgersen"], "Chinstrap": ["Dream"], "Gentoo": ["Biscoe"]}
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
print(penguins.head().to_string())
from sklearn.metrics import adjusted_rand_score as ari
m = SSEPartition(prepare="auto").fit(penguins)
print(m.preparation_.summary()); print(m.scale_); print(m.graph_settings_)
print(pd.crosstab([species, male], m.labels_), ari(species, m.labels_))
for s in range(5):
    for k in (4,6,10):
        r=np.random.default_rng(s)
        known=np.full(340,None)
        for one in set(species): known[r.choice(np.flatnonzero(species==one),k,replace=False)]=one
        t = SSEPartition(prepare="auto").fit(penguins, known)
        print(s,k,ari(species,t.labels_), t.cluster_names_, t.features_ if s==0 else '')
        known[species=="Chinstrap"]=None
        t = SSEPartition(prepare="auto").fit(penguins, known)
        print('      without', s,k,ari(species,t.labels_), t.cluster_names_)
