from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

_Table = tuple[NDArray[np.int64], list[list[str]]]
_Bytes = NDArray[np.uint8]
_Arrays = tuple[_Bytes, _Bytes, NDArray[np.float32], NDArray[np.bool_], NDArray[np.bool_], _Bytes]
_Ended = tuple[list[int], list[float], str]
_Flags = dict[str, bool]
_Step = tuple[dict[str, _Bytes], dict[str, float], _Flags, _Flags, dict[str, dict[str, Any]]]

CUT: list[str]

class RecordError(ValueError):
    """The file is not a record of games, or is damaged."""

class Game:
    """A game in progress. Each turn: a question and an answer for each asked seat, then `play`."""

    name: str
    version: int
    seats: int
    parameters: list[tuple[str, str]]
    seed: int
    turn: int
    asked: list[int]
    scores: list[int]
    outcome: _Ended | None
    facts: list[tuple[str, int | None, int | None, int]]
    events: list[tuple[str, int | None, list[int], list[int]]]
    def __init__(self, game: str, *, seed: int = ..., **parameters: Any) -> None: ...
    def question(self, seat: int) -> list[int]: ...
    def looks(self) -> tuple[list[_Bytes], list[Any], list[int]] | None: ...
    def step(
        self, agents: list[str], actions: list[Any], before: list[int] | None
    ) -> tuple[_Step, list[int]] | None: ...
    def answer(self, seat: int, integers: list[int] | None) -> str | None: ...
    def seat_bot(self, seat: int, name: str) -> None: ...
    def think(self, seat: int) -> str | None: ...
    def play(self) -> None: ...
    def sample(self, seat: int, seed: int) -> NDArray[np.int64]: ...
    def branch(self, seed: int | None = None) -> Game: ...
    def text(self, *, hidden: bool = True) -> str: ...
    def pixels(self, *, hidden: bool = True) -> NDArray[np.uint8]: ...

class Vector:
    layout: tuple[int, int, int, list[int], int]
    def __init__(
        self, game: str, n: int, seat: int | None = ..., rivals: list[str] | None = ..., **parameters: int | str
    ) -> None: ...
    def reset(self, seeds: NDArray[np.uint64] | None, which: NDArray[np.bool_] | None, arrays: _Arrays) -> None: ...
    def step(
        self, actions: NDArray[np.int32], by_share: bool, threads: int, autoreset: str, arrays: _Arrays
    ) -> bool: ...
    def kept(self) -> list[list[int]]: ...
    def restore(self, kept: list[list[int]], threads: int) -> None: ...

def record(
    path: str | PathLike[str],
    verify: bool = True,
) -> tuple[
    tuple[str, int, int, list[tuple[str, str]], list[str]],
    tuple[list[int], list[float], str] | None,
    tuple[_Table, _Table, _Table, _Table],
]: ...
def page(path: str | PathLike[str]) -> str: ...
