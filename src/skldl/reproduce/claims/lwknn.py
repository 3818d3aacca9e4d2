"""Claims of LWkNN-LDL and LDkNN-LDL."""

import numpy as np
import pandas as pd

from skldl.benchmark import stats
from skldl.reproduce._columns import fold_values
from skldl.reproduce.claims._claim import (
    FAILS,
    HOLDS,
    IN_PART,
    Claim,
    Evidence,
    count_below,
    count_first,
    judge_cases,
    judge_share,
    published_table,
    wide_tables,
    with_forms,
)
from skldl.reproduce.figures.lwknn import margin_tests

_LW, _LD = "LWkNN-LDL", "LDkNN-LDL"
_AVERAGES, _LEARNED = ("AA-kNN", "DAA-kNN"), ("WkNN-LDL", "DkNN-LDL")
_CLASS_METRICS = ("zero_one_loss", "error_probability")
_MARGIN_RIVALS = ("RWLM-LDL", "LDLM")
_NEAR, _STEPS = 1e-2, 20
#: Whose mean margin is small, among the sets of Fig. 12.
_SMALL_MARGIN = ("SBU_3DFE", "Movie")
#: The least number of neighbours that the paper finds good.
_MANY = 11


def _class_tables(evidence: Evidence) -> dict[str, pd.DataFrame]:
    rows = evidence.counted("lwknn")
    return wide_tables(rows[rows["metric"].isin(_CLASS_METRICS)])


def _first_by(metric: str, printed: float, evidence: Evidence) -> tuple[str, str]:
    rows = evidence.counted("lwknn", metric)
    judged = judge_share(*count_first(wide_tables(rows), _LD), printed)
    return with_forms(judged, rows)


def _first_zero_one(evidence: Evidence) -> tuple[str, str]:
    return _first_by("zero_one_loss", 12 / 17, evidence)


def _first_probability(evidence: Evidence) -> tuple[str, str]:
    return _first_by("error_probability", 14 / 17, evidence)


def _wins(evidence: Evidence) -> tuple[str, str]:
    rows = evidence.counted("lwknn")
    rows = rows[rows["n_folds"] == rows["n_expected"]]
    won, total = 0, 0
    for metric in _CLASS_METRICS:
        part = rows[rows["metric"] == metric]
        scores = pd.DataFrame(
            [
                (row.dataset, 0, fold, row.published, metric, value)
                for row, values in zip(
                    part.itertuples(), fold_values(part), strict=True
                )
                for fold, value in enumerate(values)
                if not np.isnan(value)
            ],
            columns=["dataset", "repetition", "fold", "method", "metric", "value"],
        )
        tests = stats.paired_t_tests(
            scores, metric=metric, control=_LD, greater_is_better=False
        )
        counts = stats.win_tie_loss(tests)
        won += int(counts["win"].sum())
        total += int(counts[["win", "tie", "loss"]].to_numpy().sum())
    return judge_share(won, total, 0.772)


def _ranks(evidence: Evidence) -> tuple[str, str]:
    words, places = [], []
    for metric, table in _class_tables(evidence).items():
        ranks = table.rank(axis=1).mean().sort_values(kind="stable")
        order = list(ranks.index)
        places.append((order.index(_LD) + 1, order.index(_LW) + 1))
        name = metric.replace("_", " ")
        words.append(f"{name}: places {places[-1][0]} and {places[-1][1]}")
    verdict = FAILS
    if all(place == (1, 2) for place in places):
        verdict = HOLDS
    elif any(min(place) == 1 for place in places):
        verdict = IN_PART
    n_methods = len(order)
    return f"{'; '.join(words)}, of {n_methods}", verdict


def _learned_wins(table: pd.DataFrame) -> tuple[int, int]:
    return count_below(table, _LEARNED, _AVERAGES)


def _published_learned() -> str:
    won, total = _learned_wins(published_table("LWkNN-LDL", "kl_divergence"))
    return f"{won} of {total} comparisons"


def _learned(evidence: Evidence) -> tuple[str, str]:
    won, total = _learned_wins(published_table("LWkNN-LDL", "kl_divergence"))
    rows = evidence.counted("lwknn", "kl_divergence")
    table = wide_tables(rows)["kl_divergence"]
    return judge_share(*_learned_wins(table), won / total)


def _margin_gain(evidence: Evidence) -> tuple[str, str]:
    table = margin_tests(evidence.rows("lwknn-margin-gain"))
    won, total = int(table["win"].sum()), int(table[["win", "tie", "loss"]].sum().sum())
    ours, verdict = judge_share(won, total, 67 / 68)
    return f"{ours} won, {int(table['loss'].sum())} lost", verdict


def _few_samples(evidence: Evidence) -> tuple[str, str]:
    rows, good, total = evidence.rows("lwknn-training-size"), 0, 0
    for _, part in rows.groupby("panel", sort=False):
        few, all_of_them = part["x"].min(), part["x"].max()
        rivals = part[part["series"].isin(_AVERAGES) & (part["x"] == all_of_them)]
        own = part[part["series"].isin(_LEARNED) & (part["x"] == few)]
        good += int((own["y"] < rivals["y"].min()).sum())
        total += len(own)
    return judge_cases(good, total)


def _fewer(evidence: Evidence) -> tuple[str, str]:
    rows = evidence.rows("lwknn-fewer-samples")
    table = rows.pivot_table(index="dataset", columns="method", values="value")
    won, total = count_below(table, (_LW, _LD), _MARGIN_RIVALS)
    ours, verdict = judge_cases(won, total)
    return f"{ours} comparisons", verdict


def _convergence(evidence: Evidence) -> tuple[str, str]:
    rows, steps = evidence.rows("lwknn-convergence"), []
    for _, part in rows.groupby(["panel", "series"], sort=False):
        steps.append(int(part[part["y"] <= _NEAR]["x"].min()))
    _, verdict = judge_cases(sum(n <= _STEPS for n in steps), len(steps))
    return f"within 1 % of the optimum after {min(steps)} to {max(steps)}", verdict


def _search(evidence: Evidence) -> tuple[str, str]:
    rows, slopes = evidence.rows("lwknn-search-time"), {}
    for series, part in rows.groupby("series", sort=False):
        last = part.nlargest(2, "x")
        slope = np.diff(np.log(last["y"])) / np.diff(np.log(last["x"]))
        slopes[str(series)] = float(slope[0])
    exact = [v for k, v in slopes.items() if "approximate" not in k]
    near = [v for k, v in slopes.items() if "approximate" in k]
    verdict = FAILS
    if max(near) < min(exact):
        verdict = HOLDS if max(near) <= 1.3 and min(exact) >= 1.7 else IN_PART
    text = f"exponents {min(exact):.1f} to {max(exact):.1f} exact, "
    return text + f"{min(near):.1f} to {max(near):.1f} approximate", verdict


def _margin_sizes(evidence: Evidence) -> tuple[str, str]:
    rows = evidence.rows("lwknn-margin-size")
    spread = rows.groupby(["series", "panel"])["y"].agg(
        lambda values: (values.max() - values.min()) / values.mean()
    )
    table = spread.unstack()
    small = [name for name in _SMALL_MARGIN if name in table]
    large = [name for name in table if name not in small]
    wider = [table[a] > table[b] for a in small for b in large]
    ours, verdict = judge_cases(
        sum(int(w.sum()) for w in wider), len(table) * len(wider)
    )
    words = ", ".join(f"{x} {table[x].max():.0%}" for x in [*small, *large])
    return f"loss varies by up to: {words} ({ours} comparisons)", verdict


def _margins(evidence: Evidence) -> tuple[str, str]:
    facts = evidence.rows("lwknn-data-sets").set_index("dataset")["mean margin"]
    first = facts[facts.index.str.startswith("Yeast_")]
    last = facts.drop(first.index)
    above = int((last > first.max()).sum())
    ours, verdict = judge_cases(above, len(last))
    text = f"{ours} of them above all of the first nine"
    return f"{text}; from {last.min():.3f}, the others up to {first.max():.3f}", verdict


def _weight(evidence: Evidence) -> tuple[str, str]:
    rows = evidence.rows("lwknn-margin-weight")
    good, total = 0, 0
    for _, part in rows.groupby(["panel", "series"], sort=False):
        good += bool(part.loc[part["y"].idxmin(), "x"] == part["x"].max())
        total += 1
    ours, verdict = judge_cases(good, total)
    return f"best in {ours} curves", verdict


def _neighbors(evidence: Evidence) -> tuple[str, str]:
    rows = evidence.rows("lwknn-neighbors")
    best, clear, total = 0, 0, 0
    for _, part in rows.groupby(["panel", "series"], sort=False):
        is_many = part["x"] >= _MANY
        many, few = (part.loc[part["y"][w].idxmin()] for w in (is_many, ~is_many))
        gain = few["y"] - many["y"]
        best += bool(gain > 0)
        clear += bool(gain > np.hypot(few["error"], many["error"]))
        total += 1
    ours, verdict = judge_cases(clear, total)
    tried = rows["x"].drop_duplicates()
    chance = f"{int((tried >= _MANY).sum())} of {len(tried)} values are there"
    text = f"by more than a standard error in {ours} curves"
    return f"{text}; best k is there in {best} ({chance})", verdict


def _published_time() -> str:
    table = published_table("LWkNN-LDL", "total_s")
    won, total = count_below(table, (_LW, _LD), _MARGIN_RIVALS)
    return f"{won} of {total} comparisons"


def _time(evidence: Evidence) -> tuple[str, str]:
    rows = evidence.counted("lwknn", "total_s", least_folds=1)
    table = wide_tables(rows)["total_s"]
    judged = judge_cases(*count_below(table, (_LW, _LD), _MARGIN_RIVALS))
    seconds = [
        " and ".join(f"{table[name].mean():.1f}" for name in names)
        for names in ((_LW, _LD), _MARGIN_RIVALS)
    ]
    least = int(rows["n_folds"].min())
    text = f"{judged[0]}: {seconds[0]} s against {seconds[1]} s, {least} splits"
    return with_forms((text, judged[1]), rows)


CLAIMS = [
    Claim("LDkNN-LDL has the lowest 0/1 loss of 9 methods", "on 12 of 17 data sets",
          _first_zero_one, "table III"),
    Claim("LDkNN-LDL has the lowest error probability", "on 14 of 17 data sets",
          _first_probability, "table IV"),
    Claim("LDkNN-LDL is significantly better by t-tests", "210 of 272 (77.2 %)", _wins,
          "tables III and IV, both metrics together"),
    Claim("LDkNN-LDL and LWkNN-LDL have the best average ranks", "places 1 and 2",
          _ranks, "tables III and IV"),
    Claim("Learned weights have lower KL divergence than averages",
          _published_learned, _learned, "table V"),
    Claim("The large margin is significantly better than none",
          "67 of 68 t-tests won", _margin_gain, "table VII"),
    Claim("A tenth of the samples with learned weights is better than all without",
          "on Flickr_LDL", _few_samples, "Fig. 6 on three other sets"),
    Claim("With 70 % for training both are better than RWLM-LDL and LDLM",
          "on all 8 data sets", _fewer, "Fig. 5 on 6 data sets"),
    Claim("The objective converges", "after about 20 iterations", _convergence,
          "Fig. 10, another solver"),
    Claim("Training is quadratic, and nearly linear with approximate search",
          "exponents 2 and 1", _search, "Fig. 11, generated data"),
    Claim("Both need less time in all than RWLM-LDL and LDLM", _published_time,
          _time, "table VIII, Movie"),
    Claim("The last eight data sets have larger margins than the first nine",
          "8 of 8", _margins, "table II, 6 of the 8 sets"),
    Claim("Small margins of the data make the margin parameter matter, large do not",
          "Fig. 12, by eye", _margin_sizes, "Fig. 12"),
    Claim("A margin weight of 1 is best", "on Cold, Dtt and Spo", _weight, "Fig. 13"),
    Claim("k from 11 to 21 is better than fewer neighbours",
          "on Flickr_LDL and Twitter_LDL", _neighbors, "Fig. 14 on other sets"),
]  # fmt: skip
