"""
Customers: how many kinds are there, and what makes each one?
=============================================================
"""

# %%
# A table of 800 customers.

import numpy as np
import pandas as pd

from sentree import SSEPartition

rng = np.random.default_rng(0)
n = 800
kind = rng.choice(
    ["regular", "big", "bargain", "sleeping"], n, p=[0.4, 0.15, 0.25, 0.2]
)


def by_kind(**values):
    """Return the value of each customer's kind."""
    return np.array([values[one] for one in kind])


today = pd.Timestamp("2026-06-30")
years = rng.gamma(by_kind(regular=8, big=6, bargain=2, sleeping=6), 0.7)
silent = rng.exponential(
    by_kind(regular=20, big=60, bargain=40, sleeping=420)
) + by_kind(regular=0, big=0, bargain=0, sleeping=200)
orders = 1 + rng.poisson(by_kind(regular=30, big=8, bargain=7, sleeping=4))
basket = np.exp(
    rng.normal(by_kind(regular=3.6, big=6.2, bargain=3.0, sleeping=3.8), 0.45)
)
discount = rng.beta(2, by_kind(regular=12, big=25, bargain=2, sleeping=10))
online = rng.random(n) < by_kind(regular=0.4, big=0.3, bargain=0.95, sleeping=0.5)
letter = rng.random(n) < by_kind(regular=0.7, big=0.4, bargain=0.9, sleeping=0.2)

customers = pd.DataFrame(
    {
        "customer": [f"C{number:05}" for number in rng.permutation(n)],
        "joined": (today - pd.to_timedelta(365 * years, "D")).strftime("%Y-%m-%d"),
        "last order": (today - pd.to_timedelta(silent, "D")).strftime("%Y-%m-%d"),
        "orders": orders,
        "spent": [f"€ {amount:,.2f}" for amount in orders * basket],
        "discounted": [f"{share:.0%}" for share in discount],
        "channel": np.where(online, rng.choice(["app", "web"], n), "shop"),
        "newsletter": np.where(letter, "yes", "no"),
        "region": rng.choice(["north", "south", "east", "west"], n),
        "age": np.where(rng.random(n) < 0.25, np.nan, rng.normal(45, 14, n).round()),
    }
)
print(customers.head().to_string())
# %%
model = SSEPartition(prepare="auto").fit(customers)
print(model.preparation_.summary())
print(model.scale_, model.graph_settings_)
print(pd.crosstab(kind, model.labels_))
