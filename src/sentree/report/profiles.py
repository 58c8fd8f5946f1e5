"""What makes each cluster: a picture of all, then each one in words, figures and a rule."""

from __future__ import annotations

from typing import Any

from sentree import plots
from sentree.plots.lettering import clean
from sentree.profiles.profile import ClusterProfile, Profile
from sentree.profiles.words import percent
from sentree.report.blocks import (
    Bullets,
    Document,
    Folded,
    Heading,
    Paragraph,
    Span,
    Table,
    counted,
)
from sentree.report.pictures import Pictures
from sentree.report.subject import Subject

#: Clusters that are told one by one; more are folded, and more than the second number left out.
_TOLD, _MOST = 20, 200
#: Features in the table of a cluster.
_FEATURES = 6
#: How a cluster differs, in few words.
_DIRECTIONS = {
    "high": "higher",
    "low": "lower",
    "between": "narrow range",
    "more": "more often",
    "less": "rarer",
}


def profile_section(subject: Subject, pictures: Pictures, profile: Profile) -> Document:
    """Tell what makes each cluster, the largest first, after a picture of all of them."""
    order = sorted(profile.clusters, key=lambda one: -one.size)
    document: list[Any] = []
    if profile.order and len(order) > 1:
        shown, rows = min(len(order), 20), min(len(profile.order), 15)
        document.append(
            pictures.draw(
                "profile",
                "The features that tell most of the clusters. A cell holds the typical value of a "
                "cluster (the median, or a share of its samples), coloured where it sets the "
                "cluster apart, the darker the more; what is grey differs too little, or too "
                "uncertainly.",
                (3.0 + 0.62 * shown, 1.2 + 0.3 * rows),
                lambda ax: plots.profile(profile, ax=ax),
            )
        )
    for one in order[:_TOLD]:
        document += _told(subject, profile, one)
    if len(order) > _TOLD:
        rest = [block for one in order[_TOLD:_MOST] for block in _told(subject, profile, one)]
        document.append(Folded(f"The other {len(order) - _TOLD:,} clusters", rest))
    document.append(Paragraph(_how_to_read(profile)))
    return document


def _told(subject: Subject, profile: Profile, one: ClusterProfile) -> list[Any]:
    """Tell what makes one cluster."""
    sentence = clean(one.sentence)
    document: list[Any] = [
        Heading(
            3, f"Cluster {clean(one.name)}: {counted(one.size, 'sample')}, {percent(one.share)}"
        ),
        Paragraph(f"{sentence[:1].upper()}{sentence[1:]}."),
    ]
    if one.telling:
        document.append(_table(one))
    items: list[Any] = []
    if one.rule is not None:
        quality = Span(f" ({one.rule.quality}).")
        items.append([Span("Rule: "), Span(clean(one.rule), "strong"), quality])
    for title, chosen in (("Typical", one.typical), ("Unusual", one.unusual)):
        if chosen:
            named = ", ".join(subject.sample(row) for row in chosen)
            items.append(f"{title} samples: {named}.")
    return [*document, Bullets(items)]


def _table(one: ClusterProfile) -> Table:
    """List the features that set a cluster apart."""
    rows = [
        [
            clean(x.feature if x.level is None else f"{x.feature} = {x.level}"),
            _DIRECTIONS[x.direction],
            clean(x.inside),
            clean(x.outside),
            f"{x.effect:+.2f} ({x.low:+.2f} to {x.high:+.2f})".replace("-", "−"),
        ]
        for x in one.telling[:_FEATURES]
    ]
    left = len(one.telling) - len(rows)
    note = f"The {_FEATURES} strongest of {len(one.telling)} features." if left > 0 else ""
    columns = ["feature", "here", "in this cluster", "in all others", "effect (interval)"]
    return Table(note, columns, rows, words=(1,))


def _how_to_read(profile: Profile) -> str:
    """Say what effects, intervals and rules are."""
    told = (
        "An effect of +1 means that every sample of the cluster has a higher value than all others "
        "(or that all have something which no other has), −1 the opposite, 0 no difference; for a "
        "narrow range it is the share of the cluster within it less that of all others. Intervals "
        "hold for all features and clusters together, with 95 % confidence. Numbers are medians "
        "with the middle half of the samples in brackets."
    )
    if profile.accuracy == profile.accuracy:
        told += (
            " Rules were judged on samples that they were not made from; all together they place "
            f"{percent(profile.accuracy)} of the samples right (the largest cluster alone is "
            f"{percent(profile.chance)})."
        )
    return f"{told} {profile.note}"
