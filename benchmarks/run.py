"""Speed and memory of treewright beside its peers, both measured in the same run.

python benchmarks/run.py                                   everything
python benchmarks/run.py --only exact iris                 some of it
python benchmarks/run.py --quick                           tiny tables: does it run at all?
python benchmarks/run.py --write docs/benchmarks.md        also put the table into the documentation
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path

from report import Result, machine, markdown, write_section
from settings import Settings

# Name → module and function. Modules are imported when their turn comes: a peer that is not asked for need not exist.
BENCHMARKS = {
    "exact": ("exact", "classification"),
    "scaling": ("exact", "scaling"),
    "regression": ("exact", "regression"),
    "absolute_error": ("exact", "absolute_error"),
    "mixed": ("mixed", "mixed"),
    "histogram": ("histogram", "histogram"),
    "c45_weka": ("c45", "against_weka"),
    "c45_growth": ("c45", "growth"),
    "c45_predict": ("c45", "predicting"),
    "predict": ("predicting", "predict"),
    "iris": ("predicting", "iris"),
    "pruning_path": ("pruning", "sequence"),
    "pruning_choice": ("pruning", "choice"),
    "chaid": ("chaid", "chaid"),
    "merging": ("chaid", "merging"),
    "forest": ("forest", "classification"),
    "forest_mixed": ("forest", "mixed"),
    "extra_trees": ("forest", "extra_trees"),
    "forest_regression": ("forest", "regression"),
    "forest_predict": ("forest", "predicting"),
    "forest_importance": ("forest", "importance"),
    "forest_growth": ("forest", "growth"),
    "forest_memory": ("forest", "memory"),
    "c50": ("quinlan", "c50"),
    "cubist": ("quinlan", "cubist"),
    "model_trees": ("quinlan", "model_trees"),
    "linear_memory": ("quinlan", "linear_memory"),
    "search": ("tree_search", "against_greedy"),
    "neighbours": ("neighbors", "trees"),
    "choice_of_k": ("neighbors", "choice_of_k"),
    "mixed_neighbours": ("neighbors", "mixed_neighbours"),
    "memory": ("memory", "memory"),
    "import": ("startup", "importing"),
    "first_fit": ("startup", "first_fit"),
    "cli": ("cli", "startup"),
    "cli_files": ("cli", "files"),
}


def main(arguments: Sequence[str] | None = None) -> None:
    options = _parser().parse_args(arguments)
    repeats = 1 if options.quick else options.repeats
    settings = Settings(quick=options.quick, threads=options.threads, repeats=repeats, long=options.long)
    results: list[Result] = []
    for name in options.only or BENCHMARKS:
        found = _benchmark(name)(settings)
        results.extend(found)
        print(f"{name}\n{markdown(found)}\n", flush=True)
    summary = f"{markdown(results)}\n\n{machine()}"
    print(summary)
    if options.write:
        write_section(options.write, summary)


def _benchmark(name: str) -> Callable[[Settings], list[Result]]:
    module, function = BENCHMARKS[name]
    found: Callable[[Settings], list[Result]] = getattr(import_module(module), function)
    return found


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", nargs="+", choices=BENCHMARKS, metavar="NAME", help=f"of {', '.join(BENCHMARKS)}")
    parser.add_argument(
        "--quick", action="store_true", help="tiny tables, one turn: tries the scripts, measures nothing"
    )
    parser.add_argument("--long", action="store_true", help="also the rows that need a million rows of forests")
    parser.add_argument("--threads", type=int, default=2, help="for treewright, LightGBM and YDF (default 2)")
    parser.add_argument("--repeats", type=int, default=3, help="turns of each side; the best counts (default 3)")
    parser.add_argument("--write", type=Path, metavar="FILE", help="replace the section between the markers of FILE")
    return parser


if __name__ == "__main__":
    main()
