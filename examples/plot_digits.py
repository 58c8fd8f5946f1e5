"""
Pictures: digits with a few labels
==================================

We have 1797 pictures of handwritten digits, eight by eight pixels, and have named three
of each digit. What does sentree make of the others, and which ones does it get wrong?
"""

# %%
# Each picture is a row of 64 numbers. A label is -1 where nobody has looked.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from sentree import SSEPartition

X, digit = load_digits(return_X_y=True)
rng = np.random.default_rng(1)
known = np.full(len(X), -1)
for one in range(10):
    known[rng.choice(np.flatnonzero(digit == one), 3, replace=False)] = one

model = SSEPartition().fit(X, known)
print(model.n_clusters_, "clusters, called", model.cluster_names_)

# %%
# Clusters are called after the labels inside them. There is one cluster more than there
# are digits, and it has no name. What speaks for it?

unnamed = model.cluster_names_.index(None)
print(model.cluster_support_[unnamed])

# %%
# It holds together, but it is so small that it may have no label by chance: perhaps it
# is a way of writing one of the ten digits.
#
# We look at all clusters. Each row is one: at the left its firmest members, at the
# right those that are really another digit, with the right one in red. (Here we can
# tell: the set comes with all its labels.)

RED = "#D55E00"


def show_clusters(model, title):
    names = ["no name" if name is None else str(name) for name in model.cluster_names_]
    order = np.argsort(names)
    _, ax = plt.subplots(figsize=(10, 0.41 * len(names) + 0.4), layout="constrained")
    for row, cluster in enumerate(order):
        inside = np.flatnonzero(model.labels_ == cluster)
        inside = inside[np.argsort(-model.membership_strength_[inside], kind="stable")]
        name = model.cluster_names_[cluster]
        wrong = (digit[inside] != name) & (name is not None)
        shown = [
            *enumerate(inside[~wrong][:12]),
            *enumerate(inside[wrong][:8], start=13),
        ]
        for place, sample in shown:
            corners = (place, place + 0.9, row + 0.9, row)
            ax.imshow(
                X[sample].reshape(8, 8),
                "gray_r",
                interpolation="bilinear",
                extent=corners,
            )
            if place > 12:
                ax.text(
                    place + 0.9,
                    row + 0.95,
                    digit[sample],
                    color=RED,
                    weight="bold",
                    ha="right",
                )
        if wrong.sum() > 8:
            ax.text(
                21.1, row + 0.5, f"and {wrong.sum() - 8} more", color=RED, va="center"
            )
    ax.set(xlim=(-0.1, 23.6), ylim=(len(names), -0.1), xticks=[], aspect="equal")
    ax.set_title(title, loc="left", x=0)
    sizes = np.bincount(model.labels_)
    ax.set_yticks(
        np.arange(len(names)) + 0.5, [f"{names[c]}  ({sizes[c]})" for c in order]
    )
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)


def share_right(model):
    called = np.array(model.cluster_names_)[model.labels_]
    return np.mean((called == digit)[known == -1])


show_clusters(
    model,
    f"Three labels for each digit: {share_right(model):.1%} of the others are right",
)

# %%
# The cluster without a name are ones, written with a flag and a foot. (Most mistakes
# are nines in an unusual hand.) So we name one picture of it, the firmest, and fit
# again. ``refit`` keeps the graph and the numbers of the clusters.

inside = np.flatnonzero(model.labels_ == unnamed)
looked_at = inside[np.argmax(model.membership_strength_[inside])]
known[looked_at] = digit[looked_at]
model.refit(known)
show_clusters(model, f"And one label more: {share_right(model):.1%} are right")

# %%
# Which pictures would be worth naming next? Those that are held least firmly. Many of
# them are called wrong (red), and the others are hard to read.

unsure = np.argsort(model.membership_strength_, kind="stable")[:12]
figure, axes = plt.subplots(1, 12, figsize=(10, 1.3), layout="constrained")
for ax, sample in zip(axes, unsure, strict=True):
    ax.imshow(X[sample].reshape(8, 8), "gray_r", interpolation="bilinear")
    called = model.cluster_names_[model.labels_[sample]]
    ax.set_title(f"{called}?", color="black" if called == digit[sample] else RED)
    ax.set_axis_off()
