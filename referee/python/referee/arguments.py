"""Checks of arguments. An error names the argument, and what is due."""

from __future__ import annotations

import operator
from typing import Any, Mapping, Sequence

import numpy as np

SEED_MAX = 2**64 - 1


def whole(name: str, value: Any, low: int, high: int) -> int:
    """Returns a whole number in a range, also one of numpy's. Raises TypeError or ValueError."""
    try:
        if isinstance(value, (bool, np.bool_)):
            raise TypeError
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} must be a whole number, not {value!r}") from None
    if not low <= number <= high:
        raise ValueError(f"{name} must be {low} to {high}, not {number}")
    return number


def name_of_game(value: Any) -> str:
    """Returns the name of a game, or the path of a judge."""
    if not isinstance(value, str):
        raise TypeError(f"game must be the name of a game, or the path of a judge, not {value!r}")
    return value


def parameters(given: Mapping[str, Any]) -> None:
    """Checks the names of the parameters of an environment's game."""
    if "seed" in given:
        raise TypeError(f"seed: an environment gets it from reset(seed={given['seed']!r})")


def seed_or_none(value: Any) -> int | None:
    """Returns a random seed, or None."""
    return None if value is None else whole("seed", value, 0, SEED_MAX)


def seeds_or_none(value: Any, n: int) -> int | list[int | None] | None:
    """Returns a random seed, a list with a seed or None for each of n games, or None."""
    if not isinstance(value, (list, tuple)):
        return seed_or_none(value)
    if len(value) != n:
        raise ValueError(f"seed: a list needs a seed for each of {n} games, not {len(value)}")
    return [None if each is None else whole(f"seed[{at}]", each, 0, SEED_MAX) for at, each in enumerate(value)]


def truth(name: str, value: Any) -> bool:
    """Returns True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} must be True or False, not {value!r}")
    return bool(value)


def options_or_none(value: Any) -> Mapping[str, Any]:
    """Returns the options of a reset."""
    if value is not None and not isinstance(value, Mapping):
        raise TypeError(f"options must be a dictionary or None, not {value!r}")
    return value or {}


def names(rivals: Any, game: str, others: int) -> list[str]:
    """Returns the name of the house bot on each other seat: one for all of them, or a list."""
    named = [rivals] * others if isinstance(rivals, str) else rivals
    if not isinstance(named, Sequence) or not all(isinstance(name, str) for name in named):
        raise TypeError(f"rivals must be the name of a house bot, a list of names, a function or None, not {rivals!r}")
    if len(named) != others:
        raise ValueError(f"rivals: {game} has {others} other seats, not {len(named)}")
    return list(named)


def integers(name: str, value: Any, shape: tuple[int, ...], due: str) -> np.ndarray[Any, np.dtype[Any]]:
    """Returns an array of integers of a shape. Raises TypeError that says what is due."""
    try:
        array = np.asarray(value)
    except (TypeError, ValueError, OverflowError):
        raise TypeError(f"{name} {due}, not {value!r}") from None
    if array.shape != shape or array.dtype.kind not in "iu":
        raise TypeError(f"{name} {due}, not {array.dtype} of shape {array.shape}")
    return array
