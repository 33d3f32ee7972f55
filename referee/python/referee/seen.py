"""Observations from a bot's questions, and answers from actions.

Bytes, without numpy: `to_bot` copies this file into bots. `../planes.rs` does the same for many games at once, for all
seats.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Sequence

Steps = [(row, column) for row in (-1, 0, 1) for column in (-1, 0, 1)]


class Seen:
    """One seat's view of one game. An answer is `width` numbers, each one of `choices`."""

    shape: tuple[int, ...]
    integer = "u1"  # The numpy name of the type of the integers.
    choices: int
    width = 1

    def __init__(self, **parameters: int | str) -> None:
        self.width = int(parameters.get("p", self.width))

    def see(self, question: Sequence[int]) -> tuple[bytes, bytes]:
        """Returns the observation, and the mask: for each number of an answer, 1 for each legal choice, else 0."""
        raise NotImplementedError

    def integers(self, numbers: Sequence[int]) -> list[int]:
        """Returns the integers of an answer on the wire from the numbers of an action."""
        return list(numbers)

    def numbers(self, integers: Sequence[int]) -> list[int]:
        """Returns the numbers of an action from the integers of an answer on the wire."""
        return list(integers)


@lru_cache(maxsize=None)
def kicks(cell: int, reach: int) -> bytes:
    """Returns a mask of the 1,024 cells: 1 where a kick from a cell can reach."""
    row, column = divmod(cell, 32)
    return bytes((to // 32 - row) ** 2 + (to % 32 - column) ** 2 <= reach * reach for to in range(1024))


@lru_cache(maxsize=None)
def steps(cell: int) -> bytes:
    """Returns a mask of the nine steps: 1 for a step that stays on the field."""
    return bytes(0 <= cell // 32 + row < 32 and 0 <= cell % 32 + column < 32 for row, column in Steps)


class Football(Seen):
    """Planes of 32 x 32: own players, those of the next three seats in turn, balls, own home, numbers.

    The last plane begins with six numbers of three bytes: the turn, the last turn, own goals, those of the next seats.
    """

    shape = (7, 32, 32)
    choices = 1033
    width = 10

    def see(self, question: Sequence[int]) -> tuple[bytes, bytes]:
        turn, seat, p, reach = question[:4]
        cells, balls = question[10 : 10 + 4 * p], question[10 + 4 * p :]
        teams = [bytearray(1024) for _ in range(5)]
        for player, cell in enumerate(cells):
            if cell < 1024:
                teams[player // p][cell] += 1
        teams[4][(0, 31, 992, 1023)[seat]] = 1
        own = teams[seat:4] + teams[:seat]
        told = [turn, question[4], *question[6 + seat : 10], *question[6 : 6 + seat]]
        numbers = b"".join(number.to_bytes(3, "big") for number in told).ljust(1024, b"\0")
        observation = b"".join([*own, bytes(min(pile, 255) for pile in balls), teams[4], numbers])
        if turn == 0:
            return observation, (b"\1" * 1024 + bytes(9)) * p
        mask = (steps(c) + (kicks(c, reach) if balls[c] else bytes(1024)) for c in cells[seat * p :][:p])
        return observation, b"".join(mask)


def rosters(played: int, rows: Sequence[int], tired: Sequence[int]) -> bytes:
    """Returns a mask of rosters in which each man can choose by himself.

    All rosters within it are legal; not all legal ones are within it. When a quarter begins, the four most tired men
    are benched, the last of equals first, and the others go anywhere. In all other rounds one of the men on rows can
    step, another one in each round.
    """
    if played % 200 == 0:
        benched = sorted(range(26), key=lambda man: (-tired[man], -man))[:4]
        return b"".join(b"\1" + bytes(9) if man in benched else b"\0" + b"\1" * 9 for man in range(26))
    fielded = [man for man, row in enumerate(rows) if row]
    free = fielded[played % len(fielded)] if fielded else None
    near = ([abs(to - row) <= (man == free) and (to > 0) == (row > 0) for to in range(10)] for man, row in enumerate(rows))
    return b"".join(map(bytes, near))


class Foosball(Seen):
    """Own and other goals, quarter, round, ball, own rows and fatigue, the other's. Rows are 1 to 9, the bench is 0."""

    shape = (109,)
    choices = 10
    width = 26

    def see(self, question: Sequence[int]) -> tuple[bytes, bytes]:
        own, other, played, ball = question[:4]
        men = [self.numbers(question[at : at + 26]) for at in (4, 56)]
        tired = [[min(fatigue, 255) for fatigue in question[at : at + 26]] for at in (30, 82)]
        head = [min(own, 255), min(other, 255), *divmod(played, 200), ball + 5]
        observation = bytes([*head, *men[0], *tired[0], *men[1], *tired[1]])
        return observation, rosters(played, men[0], tired[0])

    def integers(self, numbers: Sequence[int]) -> list[int]:
        return [number - 5 if number else 100 for number in numbers]

    def numbers(self, integers: Sequence[int]) -> list[int]:
        return [row + 5 if -4 <= row <= 4 else 0 for row in integers]


@lru_cache(maxsize=None)
def pushes(seat: int) -> list[bytes]:
    """Returns, for each slot, a mask of the six directions: 1 if the seat has it and the push ends on the board."""
    ways = ((3, 5, 4), (5, 4, 2), (4, 2, 0), (2, 0, 1), (0, 1, 3), (1, 3, 5))[seat]
    slots = [(row, slant) for row in range(-4, 5) for slant in range(max(-4, -4 - row), min(4, 4 - row) + 1)]
    around = ((-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0))
    to = [[(row + down, slant + right) for down, right in around] for row, slant in slots]
    return [bytes(way in ways and to[slot][way] in slots for way in range(6)) for slot in range(61)]


class Push(Seen):
    """Coins of 61 slots, three numbers of each seat's last attempt, turns left, own seat. A choice is 6 * slot + way."""

    shape = (86,)
    choices = 366

    def see(self, question: Sequence[int]) -> tuple[bytes, bytes]:
        turn, turns, seat = question[:3]
        own = bytes(index == seat for index in range(6))
        mask = b"".join(way if coins else bytes(6) for way, coins in zip(pushes(seat), question[3:64]))
        return bytes([*question[3:], min(turns - turn, 255)]) + own, mask if any(mask) else b"\1" * 366

    def integers(self, numbers: Sequence[int]) -> list[int]:
        return list(divmod(numbers[0], 6))

    def numbers(self, integers: Sequence[int]) -> list[int]:
        return [6 * integers[0] + integers[1]]


class Target(Seen):
    """Planes of 64 x 64: own cell, the others, the walls that the seat was told."""

    shape = (3, 64, 64)
    choices = 5

    def __init__(self, **parameters: int | str) -> None:
        super().__init__(**parameters)
        self.walls = bytearray(4096)

    def see(self, question: Sequence[int]) -> tuple[bytes, bytes]:
        own, wall, *others = question
        if wall < 4096:
            self.walls[wall] = 1
        planes = bytearray(4096), bytearray(4096)
        planes[0][own] = 1
        for other in others:
            planes[1][other] = 1
        row, column = divmod(own, 64)
        moves = ((-1, 0), (0, -1), (0, 0), (0, 1), (1, 0))
        to = [(row + down) % 64 * 64 + (column + right) % 64 for down, right in moves]
        return b"".join([*planes, self.walls]), bytes(not (self.walls[c] or planes[1][c]) for c in to)


GAMES: dict[str, type[Seen]] = {
    "football": Football,
    "foosball": Foosball,
    "push": Push,
    "target": Target,
}
