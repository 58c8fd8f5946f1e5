"""``sentree predict``: new samples into the clusters of a saved model."""

from __future__ import annotations

from typing import Annotated

import typer

from sentree.cli import options as o


@o.grouped
def predict(
    model: Annotated[
        str, typer.Argument(metavar="MODEL", help="What --model of 'cluster' or 'tree' wrote.")
    ],
    data: o.SampleFile,
    *,
    table: o.Table,
    out: o.Out = None,
    append: o.Append = False,
    probabilities: Annotated[
        bool,
        typer.Option("--probabilities", help="Write the probability of every cluster as well."),
    ] = False,
    verbosity: o.Verbosity,
) -> None:
    """Say to which clusters of a saved model new samples belong.

    Strength is the probability of the cluster, and 0 where nothing is known about the sample.
    Columns that the model was not fitted with are left out, and said so; one that is missing is an
    error.

    Examples:

      sentree cluster flowers.csv --labels species --model flowers.npz

      sentree predict flowers.npz new-flowers.csv --out new-clusters.csv
    """
    from sentree.cli import inputs as given
    from sentree.cli import outputs as results

    out = out or results.default_name(data, results.table_named("predicted", data, append))
    with verbosity.console(to_stderr=out == "-") as talk:
        results.check_table("--out", out)
        given.refuse_overwriting([model, data], [out])

        import sentree
        from sentree import io

        fitted = sentree.load(model)
        if fitted.affinity == "precomputed":
            raise io.InputError(
                f"{model} was fitted to a graph, and a table does not tell how new samples join "
                "it: cluster a table with --model instead"
            )
        prepared = fitted.preparation_
        wanted = getattr(fitted, "feature_names_in_", None)
        features = None if wanted is None else wanted.tolist()
        if prepared is not None:
            features = prepared.used_columns
        samples = given.read_data(
            data,
            table,
            [],
            talk,
            features=features,
            as_text=() if prepared is None else prepared.word_columns,
            again=append,
            raw=prepared is not None,
        )
        width = samples.X.shape[1]
        if samples.layer is not None and width != fitted.n_features_in_:
            raise io.InputError(
                f"{samples.source}: {samples.layer} has {width} features, the model has "
                f"{fitted.n_features_in_}: say with --layer what it was fitted to"
            )
        with talk.step("placing the samples", "placing"):
            labels, strength = fitted.predict(samples.X, return_strength=True)
        names = fitted.cluster_names_
        results.tell_sizes(labels, strength, names, talk)
        uncertain = int((strength < 0.5).sum())
        talk.say(f"uncertain: {uncertain} of {samples.n} (strength below 0.5)")
        columns = results.cluster_columns(labels, strength, names)
        if probabilities:
            found = fitted.predict_proba(samples.X).T.round(4)
            columns |= {f"probability_{k}": column for k, column in enumerate(found)}
        results.write_clusters(out, columns, samples, talk, table if append else None)
