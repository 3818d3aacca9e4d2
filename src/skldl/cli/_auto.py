"""Options of AutoLDL, and what it says after a fit."""

from typing import Any

import click

_SHOWN = 8  # candidates in the short leaderboard
_SECONDS = 60.0


def auto_options(function: Any) -> Any:
    """How much AutoLDL may try."""
    for option in reversed(
        (
            click.option(
                "--time-limit", type=click.FloatRange(min=0, min_open=True),
                metavar="SECONDS", help="Time of AutoLDL. Default: 60.",
            ),
            click.option(
                "--preset", type=click.Choice(["fast", "medium", "best"]),
                help="How much AutoLDL tries. Default: medium.",
            ),
            click.option(
                "--jobs", type=click.IntRange(min=1), metavar="N",
                help="Fits of AutoLDL at the same time. Default: 1.",
            ),
            click.option(
                "--store", metavar="FILE",
                help="Where AutoLDL keeps its predictions, to go on after a stop.",
            ),
        )
    ):  # fmt: skip
        function = option(function)
    return function


def chosen_method(options: dict[str, Any]) -> Any:
    """The method that the options name, with AutoLDL's settings.

    Parameters
    ----------
    options : dict
        Options of the command; those of AutoLDL are taken out.

    Returns
    -------
    method : Method
    """
    from skldl.methods import make_method

    given = {
        "time_limit": options.pop("time_limit"),
        "preset": options.pop("preset"),
        "n_jobs": options.pop("jobs"),
        "store": options.pop("store"),
    }
    given = {name: value for name, value in given.items() if value is not None}
    name = options["method"]
    if name.lower() in ("auto", "autoldl"):
        if options["tune"]:
            raise click.UsageError(
                "--tune needs a --method. AutoLDL tunes automatically."
            )
        if options["scoring"]:
            given["metric"] = options["scoring"]
        settings = {"time_limit": _SECONDS, **given}
        return make_method("AutoLDL", params=settings)
    if given:
        option = f"--{next(iter(given))}".replace("_", "-").replace("n-jobs", "jobs")
        raise click.UsageError(
            f"{option} is only for AutoLDL; leave out --method {name}."
        )
    if options["scoring"] and not options["tune"]:
        raise click.UsageError("--scoring names what --tune optimises; give both.")
    return make_method(name)


def told(model: Any) -> list[str]:
    """What AutoLDL says about itself; nothing for other models.

    Parameters
    ----------
    model : estimator
        Fitted.

    Returns
    -------
    lines : list of str
    """
    board = getattr(model, "leaderboard_", None)
    if board is None:
        return []
    tried = board.drop(index="pool")
    good = int((tried["status"] == "ok").sum())
    width = max(map(len, board.index))
    lines = [
        model.verdict_,
        f"{model.metric}: {model.score_:.4f} ± {model.score_error_:.4f} is expected on "
        f"new rows; the average of all votes has {model.mean_score_:.4f}.",
        f"{good} of {len(tried)} candidates were finished. The best:",
    ]
    for name, row in board[board["status"] == "ok"].head(_SHOWN).iterrows():
        weight = f"  weight {row['weight']:.2f}" if name in model.weights_ else ""
        error = f"{row['score']:.4f} ± {row['standard_error']:.4f}"
        lines.append(f"  {name!s:<{width}}  {error}{weight}")
    return lines
