"""Tables of papers: what is written is read back and compared with the numbers."""

import io
import re
import shutil
import subprocess

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from skldl.benchmark import Store, latex_escape, paper_table, stats, summarize
from skldl.cli.table import command

ODD = "a_b & c%{x}"
# offsets of the scores of each method on three data sets; "worst" failed once
LEVELS = {"ours": (0.2, 0.3, 0.25), "near": (0.2001, 0.2, 0.25), ODD: (0.5, 0.6, 0.7)}


def results(n_folds=5, split="kfold-5", datasets=("d_1", "d2", "d3")):
    rng = np.random.default_rng(0)
    rows = []
    for d, dataset in enumerate(datasets):
        for method, levels in {**LEVELS, "worst": (0.9, 0.9, 0.9)}.items():
            for fold in range(n_folds):
                failed = method == "worst" and d == 1 and fold == 0
                noise = 0.01 * rng.normal()
                row = {
                    "job": f"{dataset}/{method}/{fold}", "dataset": dataset,
                    "method": method, "repetition": 0, "fold": fold, "seed": 0,
                    "split": split, "tuned": False,
                    "status": "timeout" if failed else "ok",
                }  # fmt: skip
                scores = {"clark": levels[d] + noise, "cosine": 1 - levels[d] - noise}
                scores = {None: None} if failed else scores
                for name, value in scores.items():
                    rows.append({**row, "metric": name, "value": value})
    return pd.DataFrame(rows)


ROWS = results()


def latex_blocks(text):
    """Titles to rows of cells, read from a tabular."""
    inside = re.search(r"\\begin\{tabular\}\{(\w+)\}(.*)\\end\{tabular\}", text, re.S)
    blocks, head = {}, None
    for line in inside[2].splitlines():
        if title := re.match(
            r"\\multicolumn\{\d+\}\{l\}\{\\textit\{(.*)\}\} \\\\", line
        ):
            rows = blocks[title[1]] = []
        elif line.endswith(r"\\"):
            cells = [cell.strip() for cell in line[:-2].split(" & ")]
            assert len(cells) == len(inside[1])
            if head is None:
                head = cells
            else:
                rows.append(cells)
    return head, blocks


def markdown_blocks(text):
    blocks = {}
    for title, table in re.findall(r"\*\*(.*)\*\*\n\n((?:\|.*\n)+)", text):
        lines = [line.strip("| ").split(" | ") for line in table.splitlines()]
        assert set(lines[1]) == {"---"}
        assert len({len(line) for line in lines}) == 1
        blocks[title] = [lines[0], *lines[2:]]
    return blocks


def number(cell):
    return float(re.sub(r"\\textbf\{|[*}]", "", cell).split("$")[0].split("±")[0])


def test_latex_has_the_numbers_the_best_and_the_marks():
    table = paper_table(ROWS, metrics=["clark", "cosine"], control="ours", test="t")
    text = table.to_latex(digits=3)
    head, blocks = latex_blocks(text)
    assert head == ["Data set", "ours", "near", latex_escape(ODD), "worst"]
    assert list(blocks) == [r"Clark $\downarrow$", r"Cosine $\uparrow$"]
    expected = summarize(ROWS, metrics=["clark"]).set_index(["dataset", "method"])
    rows = {row[0]: row[1:] for row in blocks[r"Clark $\downarrow$"]}
    means = expected["mean"].loc[[("d_1", m) for m in LEVELS]]
    assert_allclose([number(c) for c in rows[r"d\_1"][:3]], means, atol=5e-4)
    assert rows["d2"][3] == "--"  # a fold failed
    tests = stats.paired_t_tests(
        ROWS, metric="clark", control="ours", greater_is_better=False
    ).set_index(["dataset", "method"])["outcome"]
    mark = {"win": r"$\bullet$", "loss": r"$\circ$", "tie": ""}
    for dataset in ("d_1", "d2", "d3"):
        for place, method in enumerate(LEVELS):
            cell = rows[latex_escape(dataset)][place]
            sign = mark[tests.get((dataset, method), "tie")]
            assert cell.endswith(sign) if sign else "bullet" not in cell
    assert r"\circ" in rows["d2"][1]  # near is better there
    assert rows["d2"][1].startswith(r"\textbf{0.")
    near = tests.xs("near", level="method").value_counts()
    counts = "/".join(str(near.get(name, 0)) for name in ("win", "tie", "loss"))
    assert rows["win/tie/loss"] == ["--", counts, "3/0/0", "2/0/0"]
    # ranks are over d_1 and d3, where every method has a score
    ranks = [float(cell) for cell in rows["average rank"]]
    means = expected["mean"].unstack("method")[[*LEVELS, "worst"]].loc[["d_1", "d3"]]
    assert_allclose(ranks, means.rank(axis=1).mean())


def test_latex_is_a_whole_document_part():
    text = paper_table(ROWS).to_latex(caption=r"My \emph{own}.", label="tab:x")
    begins = re.findall(r"\\begin\{(\w+)\}", text)
    assert begins == re.findall(r"\\end\{(\w+)\}", text)[::-1]
    assert r"\caption{My \emph{own}.}" in text
    assert r"\label{tab:x}" in text
    for rule in ("toprule", "midrule", "bottomrule"):
        assert rf"\{rule}" in text
    plain = re.sub(r"\\[{}]", "", text)
    assert plain.count("{") == plain.count("}")


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="needs pdflatex")
def test_latex_compiles(tmp_path):
    body = paper_table(ROWS).to_latex()
    (tmp_path / "t.tex").write_text(
        "\\documentclass{article}\n\\usepackage{booktabs}\n\\usepackage[T1]{fontenc}\n"
        f"\\begin{{document}}\n{body}\\end{{document}}\n"
    )
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "t.tex"],
        cwd=tmp_path, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout


@given(st.text())
def test_escaped_text_has_no_bare_sign_of_latex(text):
    escaped = latex_escape(text)
    commands = r"\\text\w+\{\}|\$\\\w+\$|\\[&%$#_{}]"
    assert not set("\\&%$#_{}~^\n") & set(re.sub(commands, "", escaped))


def test_markdown_and_latex_say_the_same():
    table = paper_table(ROWS, metrics=["clark"], control="ours")
    _, latex = latex_blocks(table.to_latex())
    (markdown,) = markdown_blocks(table.to_markdown()).values()
    assert markdown[0][3] == r"a\_b & c%{x}"
    ours = [number(cell) for cell in markdown[1][1:]]
    assert ours == [number(cell) for cell in latex[r"Clark $\downarrow$"][0][1:]]
    turned = markdown_blocks(table.to_markdown(transpose=True))["Clark ↓"]
    assert [list(row) for row in zip(*turned, strict=True)][1:] == markdown[1:]
    assert turned[0] == ["Method", *(row[0] for row in markdown[1:])]


def test_csv_has_all_numbers():
    table = paper_table(ROWS, control="ours")
    read = pd.read_csv(io.StringIO(table.to_csv()))
    cells = read.dropna(subset="dataset")
    assert len(cells) == 2 * 3 * 4
    expected = summarize(ROWS).set_index(["metric", "dataset", "method"])["mean"]
    whole = cells.dropna(subset="mean").set_index(["metric", "dataset", "method"])
    assert_allclose(whole["mean"], expected.reindex(whole.index))
    totals = read[read["dataset"].isna()].set_index(["metric", "method"])
    wins = (cells["outcome"] == "win").groupby([cells["metric"], cells["method"]]).sum()
    assert_allclose(totals["win"], wins.reindex(totals.index))


def test_one_data_set_has_metrics_as_rows():
    table = paper_table(ROWS, datasets=["d_1"], methods=["near", "ours"])
    (block,) = markdown_blocks(table.to_markdown()).values()
    assert block[0] == ["Metric", "near", "ours"]
    assert [row[0] for row in block[1:3]] == ["Clark ↓", "Cosine ↑"]
    assert block[-1][0] == "average rank"


def test_many_methods_become_rows():
    parts = [ROWS]
    for i in range(6):
        more = ROWS[ROWS["method"] == "near"].copy()
        parts.append(more.assign(method=f"m{i}", job=more["job"] + str(i)))
    text = paper_table(pd.concat(parts), metrics=["clark"]).to_markdown()
    (block,) = markdown_blocks(text).values()
    assert block[0] == ["Method", "d\\_1", "d2", "d3", "win/tie/loss", "average rank"]
    assert len(block) == 11


def test_the_best_ranked_is_the_control_and_tests_can_be_left_out():
    table = paper_table(ROWS)
    ranks = table.totals.query("metric == 'clark'").set_index("method")
    assert table.control == ranks["average_rank"].idxmin()
    plain = paper_table(ROWS, test=None)
    assert plain.cells["outcome"].isna().all()
    assert "win/tie/loss" not in plain.to_markdown()
    corrected = paper_table(ROWS, control="ours").cells["p_value"]
    usual = paper_table(ROWS, control="ours", test="t").cells["p_value"]
    assert (corrected.dropna() >= usual.dropna()).all()


def test_fixed_splits_have_scores_only():
    table = paper_table(results(n_folds=1, split="fixed", datasets=("a",)))
    text = table.to_markdown()
    assert "±" not in text
    assert "Scores on the test part (fixed)" in text
    assert table.cells["outcome"].isna().all()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"methods": ["nobody"]}, "no results of 'nobody'; stored are ours, near"),
        ({"datasets": ["d9"]}, "no results of 'd9'"),
        ({"metrics": ["emd"]}, "no results of 'emd'; stored are clark, cosine"),
        ({"metrics": ["clarc"]}, "Did you mean 'clark'"),
        ({"metrics": "clark"}, "metrics must be a list"),
        ({"methods": "ours"}, "methods must be a list"),
        ({"control": "nobody"}, "control 'nobody' is not among the methods"),
        ({"test": "z"}, "test must be"),
        ({"seed": 3}, "no results with seed=3"),
    ],
)
def test_bad_wishes(wrong, message):
    with pytest.raises(ValueError, match=message):
        paper_table(ROWS, **wrong)


def test_bad_sources(tmp_path):
    with pytest.raises(TypeError, match="store, the path of one, or a table"):
        paper_table(3)
    with pytest.raises(ValueError, match="no column 'status'"):
        paper_table(ROWS.drop(columns="status"))
    with pytest.raises(FileNotFoundError, match="no store"):
        paper_table(tmp_path / "none.sqlite")
    failed = ROWS[ROWS["metric"].isna()]
    with pytest.raises(ValueError, match="Every fold failed"):
        paper_table(failed)
    with (
        Store(tmp_path / "empty.sqlite") as store,
        pytest.raises(ValueError, match="has no results"),
    ):
        paper_table(store)


@pytest.fixture
def path(tmp_path, monkeypatch):
    """Where a store would be; what is read from it are the rows above."""
    monkeypatch.setattr("skldl.benchmark._paper_table.read_rows", lambda _: ROWS)
    return tmp_path / "s.sqlite"


def call(*words):
    return CliRunner().invoke(command, [str(word) for word in words])


@pytest.mark.parametrize(
    ("words", "begin"),
    [
        ((), "**Clark ↓**"),
        (("--markdown",), "**Clark ↓**"),
        (("--latex",), "% needs"),
        (("--csv",), "metric,dataset,method,mean"),
        (("--latex", "--caption", "Mine"), "% needs"),
    ],
)
def test_command_prints(path, words, begin):
    done = call(path, *words)
    assert done.exit_code == 0, done.output
    assert done.stdout.startswith(begin)


@pytest.mark.parametrize(
    ("name", "begin"), [("t.tex", "% needs"), ("t.md", "**"), ("t.csv", "metric,")]
)
def test_the_name_of_the_file_says_the_format(path, tmp_path, name, begin):
    done = call(path, "-o", tmp_path / name, "--metrics", "Clark", "--digits", 2)
    assert done.exit_code == 0, done.output
    assert (tmp_path / name).read_text().startswith(begin)


def test_command_refuses_what_does_not_fit(path, tmp_path):
    done = call(path, "--latex", "-o", tmp_path / "t.html")
    assert done.exit_code == 2
    assert "must end in .tex" in done.output
    assert call(path, "--csv", "--caption", "x").exit_code == 2
    assert call(path, "-o", tmp_path / "t.pdf").exit_code == 2
    assert not list(tmp_path.glob("t.*"))
