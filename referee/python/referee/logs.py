"""Recorded games and results as arrays, and the page of a game in a notebook."""

from __future__ import annotations

import csv
import hashlib
import html
from os import PathLike, environ, fspath
from subprocess import DEVNULL, run
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._native import RecordError, page, record

Path = str | PathLike[str]


class Table(dict[str, NDArray[Any]]):
    """Columns by name, all of the same length."""

    def to_pandas(self) -> Any:
        import pandas

        return pandas.DataFrame(dict(self))

    def to_polars(self) -> Any:
        import polars

        return polars.DataFrame(dict(self))

    def to_arrow(self) -> Any:
        import pyarrow

        return pyarrow.table(dict(self))


class Log:
    """A recorded game. It is replayed by its rules, so it also contains everything that follows from the answers.

    `thinking_us` is the charged time, `wall_us` the elapsed time and `cpu_us` the CPU time, in microseconds. Seats,
    indices and places that do not apply are -1, and so is a CPU time that was not measured. `scores`, `shares` and
    `end` are None if the game was given up. The log is audited, as by `referee audit`, unless `verify` is False. Raises
    RecordError for a file that is not a log, is damaged, or was changed.

    `answers`: turn, seat, thinking_us, wall_us, cpu_us, verdict.
    `moves`: turn, seat, index, order: each integer of each answer.
    `positions`: turn, seat, index, value, thing: the position before each turn, and the final one.
    `events`: turn, event, at, number, name, role: a row for each number of a draw ("candidate", "drawn") and an effect.
    """

    def __init__(self, path: Path, *, verify: bool = True) -> None:
        (self.game, self.version, self.seed, parameters, self.bots), ended, tables = record(path, verify)
        self.path, self.parameters = fspath(path), dict(parameters)
        self.scores: list[int] | None = ended and ended[0]
        self.shares: list[float] | None = ended and ended[1]
        self.end: str | None = ended and ended[2]
        columns = [
            ["turn", "seat", "thinking_us", "wall_us", "cpu_us", "verdict"],
            ["turn", "seat", "index", "order"],
            ["turn", "seat", "index", "value", "thing"],
            ["turn", "event", "at", "number", "name", "role"],
        ]
        self.answers, self.moves, self.positions, self.events = (
            Table(zip(names, [*numbers.T, *map(np.array, words)])) for names, (numbers, words) in zip(columns, tables)
        )

    def __repr__(self) -> str:
        return f"Log({self.path!r}: {self.game}, {' '.join(self.bots)}, scores {self.scores})"

    def _repr_html_(self) -> str:
        return Page(page(self.path))._repr_html_()


class Page(str):
    """The page of a game: HTML. A notebook shows it."""

    def _repr_html_(self) -> str:
        style = "width: 100%; height: 720px; border: 0"
        return f'<iframe sandbox="allow-scripts" style="{style}" srcdoc="{html.escape(self)}"></iframe>'


def replay(path: Path, *, judge: Path | None = None) -> Page:
    """Returns the page of a recorded game, as `referee replay LOG --html` writes it.

    A game whose rules are a judge needs the path of that program. The program `referee` then makes the page: the one on
    PATH, or the one that the environment variable REFEREE names. Raises RecordError with its reason if it cannot, and
    FileNotFoundError if there is no such program.
    """
    if judge is None:
        return Page(page(path))
    program = environ.get("REFEREE", "referee")
    with TemporaryDirectory(prefix="referee-") as folder:
        words = [program, "replay", fspath(path), "--judge", fspath(judge), "--html", f"{folder}/game.html"]
        try:
            told = run(words, stdin=DEVNULL, capture_output=True, text=True)
        except FileNotFoundError as error:
            remedy = "put it on PATH, or name it in the environment variable REFEREE"
            raise FileNotFoundError(f"{program}: no such program, which a judge's game is replayed by; {remedy}") from error
        if told.returncode != 0:
            raise RecordError(told.stderr.strip())
        with open(f"{folder}/game.html", encoding="utf-8") as file:
            return Page(file.read())


def results(path: Path, *, verify: bool = True) -> Table:
    """Reads `results.csv` or another table of games: numbers become arrays of numbers, an empty cell NaN.

    The digests of its column `chain` are checked, unless `verify` is False. Raises RecordError if the file cannot be
    read, is not such a table, or was changed.
    """
    try:
        with open(path, newline="", encoding="utf-8") as file:
            lines = file.readlines()
        header, *rows = list(csv.reader(lines)) or [[]]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise RecordError(f"{fspath(path)}: {error}") from error
    if "game" not in header or any(len(row) != len(header) for row in rows):
        raise RecordError(f"{fspath(path)}: not a table of results: needs a header with `game`, and equal rows")
    if verify and header[-1] == "chain":
        check_chain(path, lines)
    return Table((name, array(list(column))) for name, column in zip(header, zip(*rows) if rows else [()] * len(header)))


def check_chain(path: Path, lines: list[str]) -> None:
    """Raises RecordError if a row was changed, removed or moved: each has the digest of itself and the row before."""
    chain = hashlib.sha256(lines[0].encode()).hexdigest()
    for number, line in enumerate(lines[1:], 2):
        cells, _, told = line.rstrip("\r\n").rpartition(",")
        chain = hashlib.sha256(f"{chain}{cells},".encode()).hexdigest()
        if told != chain:
            why = f"line {number}: this row or one before it was changed, removed or moved; verify=False reads it"
            raise RecordError(f"{fspath(path)}, {why}")


def array(cells: list[str]) -> NDArray[Any]:
    for numbers in (cells, [cell or "nan" for cell in cells]):
        for kind in (np.int64, np.float64):
            try:
                return np.array(numbers, kind) if any(cells) else np.array(cells)
            except (ValueError, OverflowError):
                pass
    return np.array(cells)
