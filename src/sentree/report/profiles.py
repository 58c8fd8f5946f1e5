"""What makes each cluster: a picture of all, then each one in words, figures and a rule."""

from __future__ import annotations

from typing import Any

from sentree.plots.lettering import clean
from sentree.plots.profiles import hue, telling_features, typical_value
from sentree.plots.style import shortened
from sentree.profiles.profile import ClusterProfile, Profile
from sentree.profiles.traits import Trait
from sentree.profiles.words import percent
from sentree.report.blocks import (
    Bullets,
    Card,
    Cards,
    Document,
    Folded,
    Paragraph,
    Span,
    Table,
)
from sentree.report.subject import Subject, brief

#: Clusters that are told one by one; more are folded, and more than the second number left out.
_TOLD, _MOST = 20, 200
#: Features in the table of a cluster.
_FEATURES = 6
#: Features in the table of all clusters, and most letters of the name of one.
_COMPARED, _LETTERS = 12, 40


def profile_section(subject: Subject, profile: Profile) -> Document:
    """Tell what makes each cluster, the largest first, after a table of all of them."""
    order = sorted(profile.clusters, key=lambda one: -one.size)
    document: list[Any] = []
    if profile.order and len(order) > 1:
        document.append(_heat_map(subject, profile, order))
    document.append(Cards([_told(subject, one) for one in order[:_TOLD]]))
    if len(order) > _TOLD:
        rest: list[Any] = [Cards([_told(subject, one) for one in order[_TOLD:_MOST]])]
        if len(order) > _MOST:
            rest.append(Paragraph(f"The {len(order) - _MOST:,} smallest are left out."))
        document.append(Folded(f"The other {len(order) - _TOLD:,} clusters", rest))
    document.append(Folded("How to read effects and rules", [Paragraph(_how_to_read(profile))]))
    return document


def _heat_map(subject: Subject, profile: Profile, order: list[ClusterProfile]) -> Table:
    """Compare the clusters by the features that tell most, coloured by effect."""
    features = telling_features(profile, order[:_TOLD], _COMPARED)
    rows: list[list[Any]] = []
    for one in order[:_MOST]:
        traits = [profile.trait(one.cluster, name) for name in features]
        rows.append([[subject.dot(one.cluster)], *([_cell(trait)] for trait in traits)])
    caption = (
        "The clusters by the columns that tell most of them. A cell holds what is typical of a "
        f"cluster, the median or a share of its {subject.noun}s. It is orange where the cluster "
        "has more than the others, blue where it has less, green where it has a narrow range, and "
        "not coloured where it differs too little."
    )
    names = shortened([clean(name) for name in features], _LETTERS)
    return Table(caption, ["cluster", *names], rows, tall=True)


def _cell(trait: Trait) -> Span:
    """Write the typical value of a cluster, coloured where it sets the cluster apart."""
    share = 0.1 + 0.5 * abs(trait.effect) if trait.telling else 0.0
    return Span(brief(typical_value(trait)), "heat", hue(trait), share)


def _told(subject: Subject, one: ClusterProfile) -> Card:
    """Tell what makes one cluster."""
    size = Span(f" {subject.counted(one.size)}, {percent(one.share)}", "small")
    sentence = brief(one.sentence)
    document: list[Any] = [Paragraph(f"{sentence[:1].upper()}{sentence[1:]}.")]
    if one.telling:
        document.append(_table(one))
    items: list[Any] = []
    if one.rule is not None:
        quality = Span(f" ({one.rule.quality}).")
        items.append([Span("Rule: "), Span(brief(one.rule), "strong"), quality])
    for what, chosen in (("Typical", one.typical), ("Unusual", one.unusual)):
        if chosen:
            named = ", ".join(subject.sample(row) for row in chosen)
            items.append(f"{what} {subject.noun}s: {named}.")
    title = [subject.title(one.cluster), size]
    return Card(title, [*document, Bullets(items)], subject.colours[one.cluster])


def _table(one: ClusterProfile) -> Table:
    """List the features that set a cluster apart."""
    rows: list[list[Any]] = []
    for x in one.telling[:_FEATURES]:
        title = shortened([clean(x.title)], _LETTERS)[0]
        figures = (_figure(text) for text in (x.inside, x.outside, x.effect_text))
        rows.append([[Span(f"{title} "), Span(x.here, "small")], *figures])
    left = len(one.telling) - len(rows)
    note = f"The {_FEATURES} strongest of {len(one.telling)} features." if left > 0 else ""
    return Table(note, ["feature", "in this cluster", "in all others", "effect"], rows)


def _figure(text: str) -> list[Span]:
    """Write a figure, and its range in brackets small."""
    figure, _, between = brief(text).partition(" (")
    return [Span(figure), Span(f" ({between}", "small")] if between else [Span(figure)]


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
