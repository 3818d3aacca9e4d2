"""``skldl votes``: from the raw answers of a crowd to a table to learn from."""

import json
import shlex
from pathlib import Path
from typing import Any

import click

from skldl._text import quoted
from skldl.cli._options import (
    how_option,
    json_option,
    output_option,
    raw_cells_option,
    reading_options,
    seed_option,
    split_commas,
)

EXAMPLES = """
\b
Examples:
  skldl votes annotations.csv --item picture --label emotion
  skldl votes annotations.csv --item picture --label emotion --annotator who
    --features pictures.csv -o votes.csv
  skldl votes annotations.csv --item picture --label emotion --annotator who
    --how dawid_skene --annotators annotators.csv -o votes.csv
  skldl votes task_train.json -o votes.csv
"""


@click.command(
    epilog=EXAMPLES,
    help="Turn the long table ANNOTATIONS, with one answer of one annotator in each "
    "row, into a table with a row for each item and a column for each label. Says how "
    "far the crowd agrees, and what a perfect model would score against so few votes.",
)
@click.argument("annotations")
@click.option("--item", metavar="COLUMN", help="What was judged. Not for JSON.")
@click.option("--label", metavar="COLUMN", help="The answer. Not for JSON.")
@click.option("--annotator", metavar="COLUMN", help="Who answered.")
@click.option("--weight", metavar="COLUMN", help="How often the answer counts.")
@click.option("--time", metavar="COLUMN", help="When; the last answer is the newest.")
@click.option(
    "--labels", metavar="A,B,...", help="All labels in their order, also unused ones."
)
@click.option(
    "--features", type=click.Path(), help="A table of the items, to be joined."
)
@how_option("counts")
@click.option(
    "--duplicates", type=click.Choice(["once", "last", "all", "error"]),
    default="once", show_default=True,
    help="Several answers of one annotator on one item: count a repeated one once, "
    "only the last, all, or refuse.",
)  # fmt: skip
@click.option(
    "--annotators", type=click.Path(path_type=Path),
    help="A .csv, .tsv or .parquet file for a table of the annotators.",
)  # fmt: skip
@reading_options
@seed_option
@output_option("A .csv, .tsv or .parquet file for the table.")
@raw_cells_option
@json_option
def command(
    annotations: str,
    features: str | None,
    how: str,
    annotators: Path | None,
    output: Path | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Read, aggregate, join, write, tell."""
    from skldl.cli._votes import aggregate, join_features, read_votes
    from skldl.cli._write import check_output, write_table
    from skldl.crowd import annotator_table

    inputs = [annotations, *([features] if features else [])]
    check_output(output, *inputs)
    check_output(annotators, *inputs)
    roles = ("item", "label", "annotator", "weight", "time")
    columns = {role: options[role] for role in roles}
    reading = {name: options[name] for name in ("sep", "decimal", "encoding", "sheet")}
    votes = read_votes(
        annotations,
        columns,
        reading,
        labels=split_commas(options["labels"]) or None,
        duplicates=options["duplicates"],
    )
    table, model = aggregate(votes, how)
    item = columns["item"] or "item"
    if features:
        joined = join_features(votes, table, features, item, reading)
    else:
        joined = table.assign(n_votes=votes.n_votes).rename_axis(item).reset_index()
    if how == "counts":  # their sum says it
        joined = joined.drop(columns="n_votes")
    if annotators is not None:
        write_table(annotators, annotator_table(votes, model).reset_index())
    if output is not None:
        write_table(output, joined)
    facts = _facts_of(votes, options["seed"])
    if as_json:
        click.echo(json.dumps(facts, indent=1, ensure_ascii=False))
    else:
        _print_summary(facts, joined, output, votes.label_names.tolist(), item)


def _facts_of(votes: Any, seed: int) -> dict[str, Any]:
    from skldl.crowd import annotator_table, krippendorff_alpha, noise_floor
    from skldl.crowd import split_half as halves

    n_votes = votes.n_votes
    facts: dict[str, Any] = {
        "items": votes.n_items,
        "labels": votes.label_names.tolist(),
        "annotators": votes.n_annotators or None,
        "votes": float(n_votes.sum()),
        "votes_per_item": [float(n_votes.min()), float(n_votes.max())],
    }
    if (n_votes >= 2).any():
        alpha = krippendorff_alpha(votes)
        facts["krippendorff_alpha"] = alpha if alpha == alpha else None
        if (votes.weight == votes.weight.round()).all():
            facts["split_half"] = halves(votes, random_state=seed).value
    floor = ("sorensen", "kl_divergence")
    facts["noise_floor"] = {
        name: noise_floor(votes, metric=name, random_state=seed).value for name in floor
    }
    if votes.annotator is not None:
        people = annotator_table(votes)
        facts["outliers"] = [str(name) for name in people.index[people["outlier"]]]
    return facts


def _print_summary(
    facts: dict[str, Any], joined: Any, output: Path | None, labels: Any, item: str
) -> None:
    least, most = facts["votes_per_item"]
    crowd = f" by {facts['annotators']} annotators" if facts["annotators"] else ""
    click.echo(
        f"{facts['votes']:g} votes on {facts['items']} items{crowd}: from {least:g} to "
        f"{most:g} for each, {len(labels)} labels."
    )
    if facts.get("krippendorff_alpha") is not None:
        click.echo(
            f"Krippendorff's alpha is {facts['krippendorff_alpha']:.3f}: 1 is perfect "
            "agreement, 0 is chance."
        )
    if "split_half" in facts:
        click.echo(
            f"One half of the votes is off the other by {facts['split_half']:.3f} "
            "(total variation)."
        )
    floor = facts["noise_floor"]
    click.echo(
        f"A perfect model would be off these votes by {floor['sorensen']:.3f} (total "
        f"variation), its divergence would be {floor['kl_divergence']:.3f}."
    )
    if facts.get("outliers"):
        click.echo(f"Out of line with the others: {', '.join(facts['outliers'])}.")
    if output is None:
        click.echo(joined.head(5).to_string(index=False))
        click.echo("-o FILE writes the whole table.")
        return
    ignore = ",".join([item, *(["n_votes"] if "n_votes" in joined else [])])
    click.echo(f"The table is in {output}.")
    if joined.shape[1] > len(labels) + ignore.count(",") + 1:
        names = ",".join(quoted(str(label)) for label in labels)
        words = ["--labels", names, "--ignore", ignore, "-o", "model.skldl"]
        click.echo(f"Next: {shlex.join(['skldl', 'fit', str(output), *words])}")
