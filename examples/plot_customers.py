"""
Customers: how many kinds are there, and what makes each one?
=============================================================

A table of customers as it comes out of a shop's system: dates as text, amounts with
signs, shares with %, words, gaps and ids. Nobody has sorted these customers yet.
"""

# %%
# The table is made up (the script below has how). Four kinds of customers are hidden in
# it; sentree is not told.

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from sentree import SSEPartition, plots

# sphinx_gallery_start_ignore
rng = np.random.default_rng(0)
n = 800
kinds = ["regular", "big", "bargain", "sleeping"]
kind = rng.choice(kinds, n, p=[0.4, 0.15, 0.25, 0.2])


def by_kind(*values):
    return np.array(values)[[kinds.index(one) for one in kind]]


today = pd.Timestamp("2026-06-30")
years = rng.gamma(by_kind(8, 6, 2, 6), 0.7)
silent = by_kind(0, 0, 0, 200) + rng.exponential(by_kind(20, 60, 40, 420))
orders = 1 + rng.poisson(by_kind(30, 8, 7, 4))
basket = np.exp(rng.normal(by_kind(3.6, 6.2, 3.0, 3.8), 0.45))
discount = rng.beta(2, by_kind(12, 25, 2, 10))
online = rng.random(n) < by_kind(0.4, 0.3, 0.95, 0.5)
letter = rng.random(n) < by_kind(0.7, 0.4, 0.9, 0.2)


def day(days_ago):
    return (today - pd.to_timedelta(days_ago, "D")).strftime("%Y-%m-%d")


customers = pd.DataFrame(
    {
        "customer": [f"C{number:05}" for number in rng.permutation(n)],
        "first order": day(365 * years + silent),
        "last order": day(silent),
        "orders": orders,
        "spending": [f"€ {amount:,.2f}" for amount in orders * basket],
        "discount": [f"{share:.0%}" for share in discount],
        "channel": np.where(online, rng.choice(["app", "web"], n), "shop"),
        "newsletter": np.where(letter, "yes", "no"),
        "region": rng.choice(["north", "south", "east", "west"], n),
        "age": np.where(rng.random(n) < 0.25, np.nan, rng.normal(45, 14, n).round()),
    }
)
# sphinx_gallery_end_ignore
customers.head()

# %%
# With ``prepare="auto"`` the table goes in as it is. The model tells what was done to
# the columns, and how many kinds there are.

model = SSEPartition(prepare="auto").fit(customers)
print(model.preparation_.summary())
print()
print(model.scale_)

# %%
# What makes each kind? The profile tells it in the units of the table, with a rule that
# picks the cluster out.

profile = model.profile()
profile

# %%
# The same as a picture, beside a map on which similar customers are near each other.
# The region and the age say nothing about the kinds, and are left out.

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.3), layout="constrained")
plots.profile(profile, ax=left)
plots.map(model, ax=right)

# %%
# Now the clusters can have names: bargain hunters, regulars, sleepers, and those who
# buy rarely but much. Were these the kinds that the table was made of?

names = ["bargain hunters", "regulars", "sleepers", "big spenders"]
pd.crosstab(
    kind, np.array(names)[model.labels_], rownames=["made as"], colnames=["called"]
)

# %%
# Two clusters beside each other, and a new customer:

print(profile.compare(1, 3)[3].sentence)
new = customers.iloc[[0]].assign(orders=40, discount="5 %", spending="€ 1,900")
print("the new one is among the", names[model.predict(new)[0]])

# %%
# From a shell, ``sentree cluster customers.csv --report customers.html`` does all of
# this and writes one page that can be sent on (:doc:`/guide/command-line`).
