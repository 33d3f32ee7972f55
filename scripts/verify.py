#!/usr/bin/env python3
"""Verifies the records of contests without the program that made them.

A second implementation of the four games and of the files, in Python's standard library alone. It was written from the
documents (docs/records.md, protocol.md, docs/games, docs/explanation/proof.md), so what it accepts follows from them.
It needs Python 3.11.
"""

import argparse
import base64
import csv
import datetime
import gzip
import hashlib
import os
import re
import shlex
import sys
import tomllib
import unicodedata
import zlib

COLUMNS = ["row", "turn", "seat", "name", "time_us", "wall_us", "cpu_us", "values", "detail"]
KINDS = "late exited crashed closed deaf early extra too_long malformed illegal resource start_failed".split()
ENDS = {"exited", "crashed", "closed", "resource", "start_failed"}
SILENCE = ENDS | {"late", "deaf"}


# The terms of a season: of its seed and verdict, and of its games without the limits.
OF_VERDICT = ("method", "edition", "alpha", "epsilon", "until", "rank_by", "racing", "seed")
OF_GAMES = ("sandbox", "clock", "block", "rules")


class Differs(Exception):
    """A record is not what follows from the documents."""

    def __init__(self, path, line, what):
        super().__init__(f"{path}, line {line}: {what}" if line else f"{path}: {what}")


class Unknown(Exception):
    """This program cannot tell: the records are of a kind that it does not know."""


# Chance ---------------------------------------------------------------------------------------------------------------


class Dice:
    """ChaCha with 8 rounds: the draws of a turn, or (stream 0) those before the game."""

    def __init__(self, seed, stream):
        key = seed.to_bytes(8, "little") + b"referee1" + bytes(16)
        start = b"expand 32-byte k" + key + bytes(8) + stream.to_bytes(8, "little")
        self.state = [int.from_bytes(start[at : at + 4], "little") for at in range(0, 64, 4)]
        self.words = []

    def word(self):
        if not self.words:
            x = list(self.state)
            for _ in range(4):
                for a, b, c, d in QUARTERS:
                    x[a] = x[a] + x[b] & 0xFFFFFFFF
                    t = x[d] ^ x[a]
                    x[d] = (t << 16 | t >> 16) & 0xFFFFFFFF
                    x[c] = x[c] + x[d] & 0xFFFFFFFF
                    t = x[b] ^ x[c]
                    x[b] = (t << 12 | t >> 20) & 0xFFFFFFFF
                    x[a] = x[a] + x[b] & 0xFFFFFFFF
                    t = x[d] ^ x[a]
                    x[d] = (t << 8 | t >> 24) & 0xFFFFFFFF
                    x[c] = x[c] + x[d] & 0xFFFFFFFF
                    t = x[b] ^ x[c]
                    x[b] = (t << 7 | t >> 25) & 0xFFFFFFFF
            self.words = [one + other & 0xFFFFFFFF for one, other in zip(x, self.state)][::-1]
            self.state[12] = self.state[12] + 1 & 0xFFFFFFFF
            self.state[13] = self.state[13] + (self.state[12] == 0) & 0xFFFFFFFF
        return self.words.pop()

    def below(self, end):
        fair = (1 << 32) // end * end
        while True:
            word = self.word()
            if word < fair:
                return word % end

    def choose(self, things, count):
        """Moves the drawn things to the front."""
        for front in range(count):
            other = front + self.below(len(things) - front)
            things[front], things[other] = things[other], things[front]


QUARTERS = [(i, 4 + i, 8 + i, 12 + i) for i in range(4)]
QUARTERS += [(i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4) for i in range(4)]


# The games ------------------------------------------------------------------------------------------------------------
#
# `asked` lists the seats of the next turn; it is empty if the game is over. `judge` says what is wrong with the
# integers of an answer: None, ("malformed", right number), or ("illegal", wrong parts, parts). `play` takes the turn's
# answers by seat, each a list of integers or the kind of a fault, and returns the rows `draw` and `effect`.


def draw(name, at, candidates, drawn):
    return "draw", "", name, joined(candidates), f"at {at} drawn {joined(drawn)}"


def effect(name, seat, *values):
    return "effect", str(seat), name, joined(values), ""


def joined(numbers):
    return " ".join(map(str, numbers))


class Game:
    """What the games share."""

    turn = 0

    def start(self):
        """Lists the rows `start`: seat, thing, place."""
        return []

    def asked(self):
        return [] if self.reason() else range(self.seats)


class Football(Game):
    """Parallel Football: docs/games/football.md."""

    versions = {"1"}
    # Of each parameter the least, the most and the usual value.
    limits = {"p": (1, 255, 10), "k": (1, 46, 10), "max_turns": (1, 10**6, 50000), "stall_turns": (0, 10**6, 2000)}
    limits.update(turn_ms=(1, 3600000, 100), first_ms=(1, 3600000, 5000))
    homes = [0, 31, 992, 1023]

    def __init__(self, settings, seed, _version):
        self.p, self.k = settings["p"], settings["k"]
        self.max_turns, self.stall_turns = settings["max_turns"], settings["stall_turns"]
        self.seed, self.seats, self.goalless = seed, 4, 0
        self.balls = [1] * 1024
        for home in self.homes:
            self.balls[home] = 0
        self.scores, self.players = [0] * 4, []

    def reason(self):
        if sum(self.scores) == 1020:
            return "no_balls"
        if self.turn > self.max_turns:
            return "max_turns"
        return "stalled" if 0 < self.stall_turns <= self.goalless else None

    def stepped(self, cell, order):
        """Returns the cell that a step leads to; None if it leads off the grid."""
        row, column = cell // 32 + order // 3 - 1, cell % 32 + order % 3 - 1
        return 32 * row + column if 0 <= row < 32 and 0 <= column < 32 else None

    def is_kick(self, cell, order):
        to = order - 9
        if not 0 <= to < 1024 or not self.balls[cell]:
            return False
        return (to // 32 - cell // 32) ** 2 + (to % 32 - cell % 32) ** 2 <= self.k**2

    def is_order(self, cell, order):
        return self.stepped(cell, order) is not None if 0 <= order < 9 else self.is_kick(cell, order)

    def judge(self, seat, answer):
        if len(answer) > self.p or (self.turn and len(answer) < self.p):
            return "malformed", self.p
        if self.turn == 0:
            good = sum(0 <= cell < 1024 for cell in answer)
        else:
            good = sum(map(self.is_order, self.players[seat * self.p :], answer))
        return ("illegal", self.p - good, self.p) if good < self.p else None

    def play(self, answers):
        rows = []
        if self.turn == 0:
            for seat, home in enumerate(self.homes):
                cells = [] if isinstance(answers[seat], str) else answers[seat]
                cells = [cell if 0 <= cell < 1024 else home for cell in cells]
                self.players += cells + [home] * (self.p - len(cells))
        else:
            rows, goals = self.orders(answers), sum(self.scores)
            rows += self.land()
            self.goalless = 0 if sum(self.scores) > goals else self.goalless + 1
        self.turn += 1
        return rows

    def orders(self, answers):
        """Moves the players and takes the kicked balls."""
        kicks = {}
        for player, cell in enumerate(self.players):
            answer = answers[player // self.p]
            order = 4 if isinstance(answer, str) else answer[player % self.p]
            if 0 <= order < 9:
                to = self.stepped(cell, order)
                self.players[player] = cell if to is None else to
            elif self.is_kick(cell, order):
                kicks.setdefault(cell, []).append((player, cell, order - 9))
        # Where every kick has a ball, the balls land in the order of the players; then those that were drawn for.
        self.flying = sorted(kick for cell in kicks if len(kicks[cell]) <= self.balls[cell] for kick in kicks[cell])
        dice, rows = Dice(self.seed, self.turn + 1), []
        for cell in sorted(kicks):
            balls, rivals = self.balls[cell], kicks[cell]
            if len(rivals) > balls:
                players = [player for player, _, _ in rivals]
                dice.choose(rivals, balls)
                rivals[:] = sorted(rivals[:balls])
                rows.append(draw("kick", cell, players, [player for player, _, _ in rivals]))
                self.flying += rivals
            self.balls[cell] -= len(rivals)
        return rows

    def land(self):
        rows = []
        for player, cell, to in self.flying:
            if to in self.homes:
                owner = self.homes.index(to)
                self.scores[owner] += 1
                rows.append(effect("goal", owner, player, cell))
            else:
                self.balls[to] += 1
        return rows

    def outcome(self):
        return self.scores, [score / 1020 for score in self.scores]


class Foosball(Game):
    """comFoosball: docs/games/foosball.md. Rows are those that HOME sees."""

    versions = {"1"}
    limits = {"variant": ("text", "server2013", "text"), "bank_ms": (1, 3600000, 60000), "first_ms": (1, 3600000, 5000)}

    def __init__(self, settings, seed, _version):
        self.server = settings["variant"] == "server2013"
        self.seed, self.seats, self.ball = seed, 2, 0
        self.rosters, self.fatigues = [[100] * 26, [100] * 26], [[0] * 26, [0] * 26]
        self.scores, self.silence = [0, 0], [None, None]

    def reason(self):
        if "forfeit" in self.silence:
            return "forfeit"
        if "out_of_time" in self.silence:
            return "out_of_time"
        return "full_time" if self.turn == 800 else None

    def judge(self, seat, answer):
        if len(answer) != 26:
            return "malformed", 26
        steps = sum(abs(old - new) for old, new in zip(self.rosters[seat], answer))
        is_bad = sum(-4 <= row <= 4 for row in answer) != 22 or (self.turn % 200 and steps > 1)
        return ("illegal", 1, 1) if is_bad else None

    def play(self, answers):
        for seat, answer in answers.items():
            if isinstance(answer, str) and answer in SILENCE:
                self.silence[seat] = "forfeit" if answer in ENDS else "out_of_time"
        rows = [] if any(self.silence) else self.round(answers)
        self.turn += 1
        if self.turn % 200 == 0 and not any(self.silence):
            self.ball = 0
            rows.append(effect("quarter", "", self.turn // 200))
        return rows

    def men_on(self, row, seat):
        row = -row if seat else row
        return [man for man in range(26) if self.rosters[seat][man] == row]

    def tire(self, row):
        for seat in 0, 1:
            for man in self.men_on(row, seat):
                self.fatigues[seat][man] += 1

    def round(self, answers):
        rows, row = [], self.ball
        if self.server:
            self.tire(row)
        taken = {}
        for seat, answer in answers.items():
            if isinstance(answer, str) or self.judge(seat, answer):
                rows.append(effect("warning", seat))
            else:
                taken[seat] = answer
        for seat, answer in taken.items():
            self.rosters[seat] = answer
        if self.turn % 200 == 0:
            for roster, fatigues in zip(self.rosters, self.fatigues):
                fatigues[:] = [fatigue if -4 <= row <= 4 else 0 for row, fatigue in zip(roster, fatigues)]
        men = [self.men_on(row, seat) for seat in (0, 1)]
        strengths = [sum(STRENGTHS[self.fatigues[seat][man]] for man in men[seat]) for seat in (0, 1)]
        direction = self.contest(*strengths)
        rows.append(draw("contest", row, men[0] + [26 + man for man in men[1]], [direction]))
        self.ball += direction
        if abs(self.ball) > 4:
            scorer = int(self.ball < 0)
            self.scores[scorer] += 1
            self.ball = 0
            rows.append(effect("goal", scorer, *self.scores))
        if not self.server:
            self.tire(row)
        return rows

    def contest(self, home, away):
        dice = Dice(self.seed, self.turn + 1)
        if home + away == 0:
            return -1 if dice.below(2) else 1
        high = dice.below(1 << 27)
        left, right = (high << 26 | dice.below(1 << 26)) * (home + away), home << 53
        return (left < right) - (left > right)

    def outcome(self):
        if any(self.silence):
            ahead = bool(self.silence[1]) - bool(self.silence[0])
        else:
            ahead = (self.scores[0] > self.scores[1]) - (self.scores[0] < self.scores[1])
        return self.scores, [(1 + ahead) / 2, (1 - ahead) / 2]


POWERS = [1.0]  # the strength of a man by his fatigue, then in units of 2^-53
for _ in range(800):
    POWERS.append(POWERS[-1] * 0.99)
STRENGTHS = [int(power * 2.0**53) for power in POWERS]


class Push(Game):
    """Push: docs/games/push.md. A slot is at (row, x); the next one in its row is at x + 2."""

    versions = {"1", "2"}
    limits = {"turns": (1, 10**6, 100), "turn_ms": (1, 3600000, 1000), "first_ms": (1, 3600000, 5000)}
    homes = [0, 4, 34, 60, 56, 26]
    ways = [{3, 4, 5}, {2, 4, 5}, {0, 2, 4}, {0, 1, 2}, {0, 1, 3}, {1, 3, 5}]
    places = [(row, abs(row - 4) + 2 * i) for row in range(9) for i in range(9 - abs(row - 4))]
    steps = [(-1, -1), (-1, 1), (0, -2), (0, 2), (1, -1), (1, 1)]

    def __init__(self, settings, seed, version):
        self.seed, self.seats, self.turns, self.version = seed, 6, settings["turns"], version
        self.coins, self.void = [1] * 61, [False] * 6
        slots = {place: slot for slot, place in enumerate(self.places)}
        self.next = [[slots.get((row + down, x + right)) for down, right in self.steps] for row, x in self.places]

    def reason(self):
        return "turns" if self.turn == self.turns else None

    def is_push(self, seat, slot, way):
        if not 0 <= slot < 61 or way not in self.ways[seat]:
            return False
        return self.coins[slot] > 0 and self.next[slot][way] is not None

    def can_push(self, seat):
        return any(self.is_push(seat, slot, way) for slot in range(61) for way in self.ways[seat])

    def judge(self, seat, answer):
        if len(answer) != 2:
            return "malformed", 2
        return None if self.is_push(seat, *answer) or not self.can_push(seat) else ("illegal", 1, 1)

    def play(self, answers):
        rows, pushes = [], {}
        for seat, answer in answers.items():
            if isinstance(answer, str):
                # In version 1 of the rules, a line that was too long counted as no answer.
                is_bad = answer in (["malformed"] if self.version == 1 else ["malformed", "too_long"])
            elif self.is_push(seat, *answer):
                pushes.setdefault(answer[0], []).append((seat, answer[1]))
                is_bad = False
            else:
                is_bad = True
            if is_bad and self.can_push(seat) and not self.void[seat]:
                self.void[seat] = True
                rows.append(effect("void", seat))
        dice, arriving = Dice(self.seed, self.turn + 1), [0] * 61
        for slot, rivals in sorted(pushes.items()):
            way = rivals[0][1]
            if any(other != way for _, other in rivals):
                winner, way = rivals[dice.below(len(rivals))]
                rows.append(draw("push", slot, [seat for seat, _ in rivals], [winner]))
            arriving[self.next[slot][way]] += self.coins[slot]
        for slot in pushes:
            self.coins[slot] = 0
        self.coins = [here + more for here, more in zip(self.coins, arriving)]
        self.turn += 1
        return rows

    def distance(self, one, other):
        (row, x), (to_row, to_x) = self.places[one], self.places[other]
        rows = abs(row - to_row)
        return max(rows, (rows + abs(x - to_x)) // 2)

    def bonus(self, slot, seat):
        own, *others = [self.distance(slot, self.homes[(seat + i) % 6]) for i in range(6)]
        return max(0, min(others) - own)

    def outcome(self):
        points = [sum(self.coins[slot] * self.bonus(slot, seat) for slot in range(61)) for seat in range(6)]
        scores = [0 if void else score for void, score in zip(self.void, points)]
        return scores, [score / 244 for score in scores]


class Target(Game):
    """Invisible Target: docs/games/target.md."""

    versions = {"1"}
    limits = {"seats": (2, 164, 16), "wall_one_in": (0, 10**6, 7), "idle_rounds": (0, 10**6, 10)}
    limits.update(max_rounds=(1, 10**6, 20000), turn_ms=(1, 3600000, 50), first_ms=(1, 3600000, 5000), ponder=(0, 1, 0))
    sides = {0: (-1, 0), 1: (0, -1), 3: (0, 1), 4: (1, 0)}  # in the order of the search: up, left, right, down

    def __init__(self, settings, seed, _version):
        self.seats, self.one_in = settings["seats"], settings["wall_one_in"]
        self.idle_rounds, self.max_rounds = settings["idle_rounds"], settings["max_rounds"]
        self.seed, self.stays, self.idle, self.last_wall = seed, 0, None, None
        dice, free, self.players = Dice(seed, 0), list(range(4096)), []
        for _ in range(self.seats):
            player = free[dice.below(len(free))]
            free = [cell for cell in free if max(self.apart(cell, player)) >= 3]
            self.players.append(player)
        dice.choose(self.players, self.seats)
        self.target, self.walls, self.over = dice.below(4096), set(), None

    @staticmethod
    def apart(one, other):
        """Returns the rows and the columns between two cells, each the shorter way round."""
        rows, columns = abs(one // 64 - other // 64), abs(one % 64 - other % 64)
        return min(rows, 64 - rows), min(columns, 64 - columns)

    def start(self):
        return [("", "target", self.target)] + [(str(seat), "player", cell) for seat, cell in enumerate(self.players)]

    def reason(self):
        return self.over

    def asked(self):
        return [] if self.over else [self.turn % self.seats]

    def moved(self, seat, move):
        """Returns the cell that a move leads to; None if something blocks it, or it is no move."""
        cell = self.players[seat]
        if move == 2:
            return cell
        to = NEXT[cell][[0, 1, 3, 4].index(move)] if move in self.sides else None
        return None if to in self.walls or to in self.players else to

    def judge(self, seat, answer):
        if len(answer) != 1:
            return "malformed", 1
        return ("illegal", 1, 1) if self.moved(seat, answer[0]) is None else None

    def play(self, answers):
        rows = [effect("target", "", self.target)] if self.turn == 0 else []
        [(seat, answer)] = answers.items()
        move = None if isinstance(answer, str) else answer[0]
        self.stays = self.stays + 1 if move == 2 else 0
        to = self.moved(seat, move)
        self.players[seat] = self.players[seat] if to is None else to
        rows += self.put_wall()
        self.turn += 1
        self.over = self.end()
        if self.over:
            rows += [effect("distance", seat, self.distance(cell)) for seat, cell in enumerate(self.players)]
        return rows

    def put_wall(self):
        if self.last_wall is not None and self.turn - self.last_wall < self.seats:
            return []
        dice = Dice(self.seed, self.turn + 1)
        is_due = self.one_in > 0 and dice.below(self.one_in) == 0
        if not is_due and self.idle is None:
            return []
        cells = self.cells_for_a_wall()
        self.idle = None if cells else (self.idle or 0) + 1
        if not (is_due and cells):
            return []
        cell = cells[dice.below(len(cells))]
        self.walls.add(cell)
        self.last_wall = self.turn
        return [effect("wall", "", cell, len(cells))]

    def cells_for_a_wall(self):
        """Lists the cells that can have a wall, as the search from the target comes to them.

        A wall cuts off the part of the search's tree below a neighbour from which no way leads past the cell.
        """
        players, number, low = set(self.players), {self.target: 0}, {self.target: 0}
        order, kept, peopled = [self.target], {self.target} | players, {self.target: self.target in players}
        path = [(self.target, iter(NEXT[self.target]))]
        while path:
            cell, sides = path[-1]
            for to in sides:
                if to in self.walls:
                    continue
                if to not in number:
                    number[to] = low[to] = len(order)
                    order.append(to)
                    peopled[to] = to in players
                    path.append((to, iter(NEXT[to])))
                    break
                low[cell] = min(low[cell], number[to])
            else:
                path.pop()
                if path:
                    above = path[-1][0]
                    if peopled[cell] and low[cell] >= number[above]:
                        kept.add(above)
                    low[above] = min(low[above], low[cell])
                    peopled[above] = peopled[above] or peopled[cell]
        return [cell for cell in order if cell not in kept]

    def end(self):
        taken = self.walls | set(self.players)
        if all(to in taken for cell in self.players for to in NEXT[cell]):
            return "no_room"
        if self.stays >= self.seats:
            return "all_stay"
        if self.idle_rounds and (self.idle or 0) >= self.idle_rounds * self.seats:
            return "no_wall"
        return "max_rounds" if self.turn >= self.max_rounds * self.seats else None

    def distance(self, cell):
        return sum(self.apart(cell, self.target))

    def outcome(self):
        nearest = min(map(self.distance, self.players))
        scores = [int(self.distance(cell) == nearest) for cell in self.players]
        return scores, [float(score) for score in scores]


NEXT = [
    [(cell // 64 + down) % 64 * 64 + (cell % 64 + right) % 64 for down, right in Target.sides.values()]
    for cell in range(4096)
]
GAMES = {"football": Football, "foosball": Foosball, "push": Push, "target": Target}


# Files ----------------------------------------------------------------------------------------------------------------


def contents(path):
    """Returns the bytes of a file, unpacked."""
    try:
        with gzip.open(path) if path.endswith(".gz") else open(path, "rb") as file:
            return file.read()
    except FileNotFoundError as error:
        raise Differs(path, 0, "missing: put it back") from error
    except (OSError, EOFError, zlib.error) as error:
        raise Differs(path, 0, f"unreadable: {error}") from error


def text_of(path):
    try:
        return contents(path).decode()
    except UnicodeDecodeError as error:
        raise Differs(path, 0, f"not UTF-8: {error}") from error


def lines_of(path):
    """Returns the lines of a table; each ends with a line feed."""
    text = text_of(path)
    if not text.endswith("\n") or "\r" in text:
        raise Differs(path, text.count("\n") + 1, "the file does not end with a whole line, or has carriage returns")
    return text[:-1].split("\n")


def cells_of(line):
    """Returns the cells of a row; none if it is no row."""
    try:
        return list(csv.reader([line], strict=True))[0] if '"' in line else line.split(",")
    except csv.Error:
        return []


def written(cells):
    return ",".join('"' + cell.replace('"', '""') + '"' if re.search('[,"]', cell) else cell for cell in cells)


def table(path, kind="game"):
    """Reads a table by the names of its columns: (line, row) for each row. The row's whole line is its `text`."""
    lines = lines_of(path)
    names = lines[0].split(",")
    if kind not in names or len(set(names)) < len(names):
        raise Differs(path, 1, f"expected the names of the columns, each once, with `{kind}`")
    for number, line in enumerate(lines[1:], 2):
        cells = cells_of(line)
        if len(cells) != len(names):
            raise Differs(path, number, f"expected {len(names)} cells")
        yield number, dict(zip(names, cells), text=line)


def files_below(path):
    return sorted(os.path.join(folder, file) for folder, _, files in os.walk(path) for file in files)


def is_log(path):
    return re.search(r"\.csv(\.gz)?$", path) and contents(path).startswith(",".join(COLUMNS).encode())


def sha256(data):
    return hashlib.sha256(data.encode() if isinstance(data, str) else data).hexdigest()


def is_name(cell):
    """Tells whether a bot can have this name: letters, marks and digits of any script, composed, _ and -."""
    kinds = [unicodedata.category(letter)[0] for letter in cell if letter not in "_-"]
    return 1 <= len(cell) <= 32 and unicodedata.is_normalized("NFC", cell) and set(kinds) <= set("LMN")


def is_number(cell):
    return re.fullmatch("0|[1-9][0-9]{0,18}", cell) is not None


# Logs -----------------------------------------------------------------------------------------------------------------


class Log:
    """The log of a game that has ended, replayed from its seed and answers. A line that differs is an error."""

    def __init__(self, path):
        self.path, self.line, self.draws = path, 0, 0
        self.digest, self.lines = sha256(contents(path)), lines_of(path)
        last = "digest,,,sha256,,,,," + sha256("".join(line + "\n" for line in self.lines[:-1]))
        if self.lines[-1] != last:
            raise Differs(path, len(self.lines), f"found `{self.lines[-1]}`, expected `{last}`")
        self.heading()
        self.clocks = [Clock(self.settings) for _ in self.bots]
        self.faults = [dict.fromkeys(KINDS, 0) for _ in self.bots]
        while self.game.asked():
            turn = self.game.turn
            answers = {seat: self.answer(turn, seat) for seat in self.game.asked()}
            for kind, seat, name, values, detail in self.game.play(answers):
                self.due(f"{kind},{turn},{seat},{name},,,,{values},{detail}")
                self.draws += kind == "draw" or name == "wall"
        (self.scores, self.shares), self.reason = self.game.outcome(), self.game.reason()
        self.places = [1 + sum(other > share for other in self.shares) for share in self.shares]
        for seat, (score, place) in enumerate(zip(self.scores, self.places)):
            self.due(f"score,,{seat},place,,,,{score},{place}")
        self.due(f"end,{self.game.turn},,{self.reason},,,,,")
        self.due(last)
        if self.line < len(self.lines):
            self.wrong("there are rows after the digest")

    def wrong(self, what):
        raise Differs(self.path, self.line, what)

    def next(self):
        self.line += 1
        return self.lines[self.line - 1] if self.line <= len(self.lines) else "the end of the file"

    def due(self, line):
        """Makes sure that the next row is this one."""
        found = self.next()
        if found != line:
            self.wrong(f"found `{found}`, expected `{line}`")

    def is_next(self, kind):
        return self.line < len(self.lines) and self.lines[self.line].startswith(kind + ",")

    def row(self, kind, *columns):
        """Returns the cells of the next row in these columns. All others must be empty."""
        line = self.next()
        cells = cells_of(line)
        row = dict(zip(COLUMNS, cells))
        others = [column for column in COLUMNS[1:] if column not in columns and row.get(column)]
        if len(cells) != len(COLUMNS) or cells[0] != kind or line != written(cells) or others:
            self.wrong(f"found `{line}`, expected a row `{kind}` with {', '.join(columns)}")
        return [row[column] for column in columns]

    def heading(self):
        self.due(",".join(COLUMNS))
        self.due("format,,,referee-log,,,,5,whole_us")
        self.rules, self.version, self.name = self.row("game", "name", "values", "detail")
        game = GAMES.get(self.rules)
        if game is None or self.version not in game.versions:
            raise Unknown(f"{self.path}: {self.rules} version {self.version} is no game of this program")
        self.settings, limits = {}, dict(game.limits)
        while self.is_next("set"):
            name, number, word = self.row("set", "name", "values", "detail")
            limit = limits.pop(name, None)
            if name == "variant" and word in limit and not number:
                self.settings[name] = word
            elif limit and is_number(number) and limit[0] <= int(number) <= limit[1] and not word:
                self.settings[name] = int(number)
            else:
                self.wrong(f"no value of a parameter of {self.rules}: `{name}`")
        if limits:
            self.wrong(f"the parameter {list(limits)[0]} is missing")
        [self.seed] = self.row("seed", "detail")
        if not re.fullmatch("0x[0-9a-f]{16}", self.seed):
            self.wrong("expected a seed: 0x and 16 digits")
        self.game = game(self.settings, int(self.seed, 16), int(self.version))
        self.bots, self.arguments = [], {}
        for due in range(self.game.seats):
            seat, *bot = self.row("seat", "seat", "name", "values", "detail")
            self.bots.append(bot)
            is_bot = is_name(bot[0]) and re.fullmatch("[0-9]+ [0-9a-f]{64}", " ".join(bot[1:]))
            if seat != str(due) or not is_bot or not is_number(bot[1]):
                self.wrong(f"expected the bot of seat {due}: name, version and SHA-256")
        while self.is_next("arguments"):
            seat, detail = self.row("arguments", "seat", "detail")
            last = max(self.arguments, default=-1)
            if not is_number(seat) or not last < int(seat) < len(self.bots) or not detail:
                self.wrong("expected the arguments of a later seat")
            self.arguments[int(seat)] = detail
        for seat, name, value in self.game.start():
            self.due(f"start,,{seat},{name},,,,{value},")

    def answer(self, turn, seat):
        """Reads an answer with its dropped lines: its integers, or the fault that stands for it."""
        columns = ["turn", "seat", "name", *COLUMNS[4:]]
        *at, fault, time, wall, cpu, text, detail = self.row("answer", *columns)
        if at != [str(turn), str(seat)]:
            self.wrong(f"expected the answer of seat {seat} in turn {turn}")
        line, integers = self.line, [int(word) for word in text.split(" ")] if INTEGERS.fullmatch(text) else []
        if joined(integers) != text or any(not -(1 << 63) <= integer < 1 << 63 for integer in integers):
            self.wrong(f"expected integers, found `{text}`")
        count = self.verdict(seat, fault, integers, text, detail)
        dropped = {}
        while self.is_next("dropped"):
            *at, kind, number = self.row("dropped", "turn", "seat", "name", "values")
            dropped[kind] = int(number) if is_number(number) and kind not in dropped else 0
            is_sorted = list(dropped) == [kind for kind in ("late", "early", "extra") if kind in dropped]
            if at != [str(turn), str(seat)] or not is_sorted or not dropped[kind]:
                self.wrong(f"expected lines of seat {seat} that were dropped in turn {turn}")
            self.faults[seat][kind] += dropped[kind] if kind != "late" else 0
        self.faults[seat][fault] = self.faults[seat].get(fault, 0) + count
        what = self.clocks[seat].take(fault, detail, [time, wall, cpu], dropped)
        if what:
            raise Differs(self.path, line, what)
        return integers if fault in ("ok", "illegal") else fault

    def verdict(self, seat, fault, integers, text, detail):
        """Checks the verdict about an answer. Returns how many faults it counts."""
        count, judged = int(fault != "ok"), self.game.judge(seat, integers) if integers else ("malformed", "nothing")
        note = "(?:; ([0-9]+) bytes, sha256 ([0-9a-f]{64}))"
        wrong = re.fullmatch(f"([0-9]+) integers instead of ([0-9]+){note}?", detail)
        said = f"{fault} {detail.split(':')[0]}" if fault == "illegal" else fault
        if fault == "ok" and detail:
            self.wrong(f"the verdict `ok` with a mistake: `{detail}`")
        if fault == "malformed" and wrong and integers:
            said, judged = f"{fault} {wrong[2]}", judged or ["ok"]
            self.shape(integers, text, int(wrong[1]), wrong[3], wrong[4])
        elif fault not in ("ok", "illegal") and not integers:
            wanted = f"[0-9]+ integers instead of {self.game.judge(seat, [0] * 1000)[1]}{note}"
            words = f"word [0-9]+ is not an integer: .*?{note}?|an empty line|{wanted}"
            forms = {"malformed": words, "exited": "status -?[0-9]+", "crashed": "signal -?[0-9]+"}
            forms.update(resource="cpu|file|memory", start_failed=".*")
            if fault not in SILENCE | {"malformed", "too_long"} or not re.fullmatch(forms.get(fault, ""), detail):
                self.wrong(f"no verdict, or no detail of one: `{fault}`, `{detail}`")
            return count
        due = {"illegal": "illegal {1} of {2}", "malformed": "malformed {1}"}
        due = due.get(judged[0], "ok").format(*judged) if judged else "ok"
        if said != due:
            self.wrong(f"found the verdict `{said}`, expected `{due}`")
        return judged[1] if fault == "illegal" else count

    def shape(self, integers, text, count, length, digest):
        """Makes sure that the kept integers of a malformed answer fit its number of integers, length and digest."""
        if not length:
            is_right = count == len(integers) and len(text) <= 128
        elif count == len(integers):
            is_right = (int(length), digest) == (len(text), sha256(text))
        else:
            is_right = count > len(integers) >= 64 and int(length) >= len(text) + 2 * (count - len(integers))
        if not is_right:
            self.wrong(f"{len(integers)} integers do not fit the mistake: {count} integers, {length} bytes")


INTEGERS = re.compile("-?[0-9]{1,19}( -?[0-9]{1,19})*")


class Clock:
    """The times of a seat, and whether they fit its limits and verdicts."""

    def __init__(self, settings):
        self.first, self.bank = settings["first_ms"] * 1000, settings.get("bank_ms", 0) * 1000
        self.limit = settings.get("turn_ms", 0) * 1000
        self.times, self.walls, self.used, self.gone = [], [], 0, None

    def take(self, fault, detail, cells, dropped):
        """Takes an answer. Returns what is impossible about it, or None."""
        if not is_number(cells[0]) or not all(is_number(cell or "0") for cell in cells) or cells[0] == cells[1]:
            return "expected times in microseconds, and an elapsed time only if it is another"
        time, wall, cpu = int(cells[0]), int(cells[1] or cells[0]), int(cells[2] or 0)
        limit = self.first if not self.times else self.limit or max(0, self.bank - self.used)
        self.used += time if self.times else 0
        self.times.append(time)
        self.walls.append(wall)
        if not cpu <= time <= max(wall, cpu):
            return f"charged {time} us: less than the CPU time {cpu}, or more than it and the elapsed time {wall}"
        if self.gone:
            is_same = (fault, detail, wall) == (*self.gone, 0) and not dropped
            return None if is_same else f"its program has ended in an earlier turn: {' '.join(self.gone)}"
        if fault in ENDS:
            self.gone = fault, detail
        elif fault == "late" or (fault == "deaf" and wall > 0):
            return None if time > limit else f"{fault} after {time} us, within the limit of {limit} us"
        elif fault != "deaf" and time > limit:
            return f"not late after {time} us, beyond the limit of {limit} us"
        return None

    def columns(self):
        """Returns the columns of times in the results."""
        times = sorted(self.times)
        names = ["thinking_us", "thinking_p99_us", "thinking_max_us", "wall_us", "wall_max_us"]
        values = [sum(times), times[-(-len(times) * 99 // 100) - 1] if times else 0, max(times, default=0)]
        return dict(zip(names, map(str, values + [sum(self.walls), max(self.walls, default=0)])))


# Results --------------------------------------------------------------------------------------------------------------


def chained(path):
    """Checks the chain of results. Returns the games: lists of (line, row)."""
    header = lines_of(path)[0]
    if not header.endswith(",chain"):
        raise Differs(path, 1, "the last column is not `chain`")
    chain, games = sha256(header + "\n"), {}
    for line, row in table(path):
        before = row["text"][: row["text"].rindex(",") + 1]
        chain = sha256(chain + before)
        if row["chain"] != chain:
            raise Differs(path, line, f"found the chain {row['chain']}, expected {chain}")
        if row.get("format") != "3":
            raise Unknown(f"{path}, line {line}: a row of format {row.get('format')}, not 3")
        if row["game"] in games and list(games)[-1] != row["game"]:
            raise Differs(path, line, f"the game {row['game']} is entered twice")
        games.setdefault(row["game"], []).append((line, row))
    return list(games.values())


def has(path, *names):
    return any(os.path.exists(os.path.join(path, name)) for name in names)


def is_hill(path):
    return has(path, "hill.toml", "entrants.csv", "seasons.csv")


class Verified:
    """What was verified so far: numbers, mean shares, and what was left out."""

    def __init__(self):
        self.counts = dict.fromkeys(["game", "row", "log", "draw", "note"], 0)
        self.said, self.left_out, self.games = [], [], []

    def results(self, path):
        """Replays the log of each game, and compares the rows. Returns the games and the logs."""
        games = self.games = chained(path) if os.path.exists(path) else []
        logs = set()
        for game in games:
            line, first = game[0]
            file = log_beside(path, line, first["log"])
            logs.add(os.path.realpath(file))
            log = Log(file)
            if [row["seat"] for _, row in game] != [str(seat) for seat in range(log.game.seats)]:
                raise Differs(path, line, f"expected a row for each of the seats 0 to {log.game.seats - 1}")
            for seat, (line, row) in enumerate(game):
                check_row(path, line, row, seat, log, first)
            self.counts["game"] += 1
            self.counts["row"] += len(game)
            self.counts["draw"] += log.draws
        return games, logs

    def log(self, path):
        self.counts["draw"] += Log(path).draws
        self.counts["log"] += 1

    def folder(self, path, standings):
        """Verifies a folder. Returns its results, if there are any."""
        file = os.path.join(path, "results.csv")
        plans = plans_of(path)
        if not plans and not is_hill(path) and not os.path.exists(file):
            logs = list(filter(is_log, files_below(path)))
            if not logs:
                raise Unknown(f"{path}: neither results nor logs")
            for log in logs:
                self.log(log)
            return None
        games, logs = self.results(file)
        for log in files_below(os.path.join(path, "logs")) if not plans else []:
            if re.search(r"\.csv(\.gz)?$", log) and os.path.realpath(log) not in logs:
                twin = log.removesuffix(".gz") if log.endswith(".gz") else f"{log}.gz"
                if os.path.realpath(twin) in logs:
                    raise Differs(log, 0, f"a second copy of {twin}: remove one of the two")
                raise Differs(file, 0, f"the rows of a finished game are missing: its log is {log}")
        voids = os.path.join(path, "voids.csv")
        void = list(table(voids)) if os.path.exists(voids) else []
        for line, row in void:
            if row["log"] and sha256(contents(log_beside(voids, line, row["log"]))) != row["log_digest"]:
                raise Differs(voids, line, f"the log of a void game was changed: {row['log']}")
            self.left_out.append("void games, except for the SHA-256 of their logs")
        given_up = {row["game"] for _, row in void if row["reason"] == "given_up"}
        if plans:
            tournament(plans, file, games, given_up, self)
        elif is_hill(path):
            Hill(path, file, games, given_up, self).verify(standings)
        else:
            self.means(games, standings)
        return file

    def means(self, games, standings):
        """Says the mean share of each bot, and compares them with a table of standings."""
        sums = {}
        for row in (row for game in games for _, row in game if row["counts"] == "1"):
            millionths, count = sums.get((row["bot"], row["bot_version"]), (0, 0))
            sums[row["bot"], row["bot_version"]] = millionths + int(row["share"].replace(".", "")), count + 1
        means = {bot: (millionths / 1e6 / count, count) for bot, (millionths, count) in sums.items()}
        for (name, version), (mean, count) in sorted(means.items(), key=lambda bot: (-bot[1][0], bot[0])):
            self.said.append(f"  {name} version {version}: mean share {mean:.4f} in {count} games")
        if standings is None:
            return
        listed = {}
        for line, row in table(standings, "mean_share"):
            bot = row["bot"], row["version"]
            mean, count = means.get(bot, (0, 0))
            if row["games"] != str(count) or (count and abs(float(row["mean_share"]) - mean) > 0.00005001):
                what = f"{count} games and a mean share of {mean:.4f}"
                raise Differs(standings, line, f"the results give {row['bot']} {what}")
            listed[bot] = line
        for name, version in sorted(set(means) - set(listed)):
            raise Differs(standings, 0, f"{name} version {version} is missing")
        self.left_out.append("columns of standings other than games and mean_share")


def check_row(path, line, row, seat, log, first):
    """Compares a row of results with the one that follows from its log."""
    name, version, digest = log.bots[seat]
    due = {"game": log.name, "rules": log.rules, "rules_version": log.version, "seed": log.seed, "end": log.reason}
    due["parameters"] = " ".join(f"{name}={value}" for name, value in log.settings.items())
    due.update(seats=str(log.game.seats), bot=name, bot_version=version, bot_digest=digest, log_digest=log.digest)
    due.update(score=str(log.scores[seat]), share=f"{log.shares[seat]:.6f}", place=str(log.places[seat]))
    due.update(log.clocks[seat].columns(), turns=str(log.game.turn))
    due["faults"] = " ".join(f"{kind}={log.faults[seat][kind]}" for kind in KINDS if log.faults[seat][kind])
    due.update((column, first[column]) for column in "started season round table rotation log".split())
    due["rules_digest"] = ""
    for column, cell in due.items():
        if row.get(column) != cell:
            raise Differs(path, line, f"column {column} is `{row.get(column)}`, expected `{cell}`")
    arguments = log.arguments.get(seat, "")
    if row["arguments"] not in (arguments, re.sub('[,"]', ";", arguments)) or row["counts"] not in ("0", "1"):
        raise Differs(path, line, f"expected the arguments `{arguments}`, and 0 or 1 in the column counts")


def log_beside(path, line, name):
    """Returns the log that a table names: compressed or not."""
    log = os.path.join(os.path.dirname(path), name)
    other = log[:-3] if log.endswith(".gz") else log + ".gz"
    for file in filter(os.path.isfile, (log, other)):
        return file
    raise Differs(path, line, f"its log is missing: {name}")


# Schedules ------------------------------------------------------------------------------------------------------------


def settings_of(path):
    try:
        return tomllib.loads(text_of(path))
    except tomllib.TOMLDecodeError as error:
        raise Differs(path, 0, f"unreadable: {error}") from error


def known(settings):
    if settings["game"] not in GAMES:
        raise Unknown(f"{settings['game']} is no game of this program")
    return settings


def seed_in(settings):
    return int(str(settings["seed"]), 0)


def derived(seed, purpose, *numbers):
    """Returns the seed of a deal or a game."""
    text = b"referee seed " + seed.to_bytes(8, "big") + purpose.encode()
    return int(sha256(text + b"".join(number.to_bytes(4, "big") for number in numbers))[:16], 16)


PLACE, BOT = ["season", "round", "table", "rotation"], ["name", "version", "digest"]


def place_of(game):
    return [int(game[0][1][column]) for column in PLACE]


def bots_of(game):
    return [[row["bot"], row["bot_version"], row["bot_digest"]] for _, row in game]


def follow(file, rest, schedule, given_up, is_last, in_flight=0):
    """Takes the games of a part of a schedule from the end of `rest`. Each must be there, in its order, unless it was
    given up, or was one of some in flight. The last part may be unfinished. Returns how many are missing.
    """
    missing = 0
    for place, seed, bots, counts in schedule:
        name = "s{:03}-r{:05}-t{:03}-g{}".format(*place)
        if not rest or rest[-1][0][1]["game"] != name:
            missing += name not in given_up
            if missing > in_flight and (rest or not is_last):
                line = rest[-1][0][0] if rest else len(lines_of(file)) + 1
                raise Differs(file, line, f"{name} is expected here, unless voids.csv says that it was given up")
            continue
        game = rest.pop()
        line, row = game[0]
        for column, due in zip([*PLACE, "seed"], [*map(str, place), f"0x{seed:016x}"]):
            if row[column] != due:
                raise Differs(file, line, f"the {column} is {row[column]}, by the schedule {due}")
        if bots_of(game) != bots:
            names = [" ".join(bot[0] for bot in some) for some in (bots_of(game), bots)]
            raise Differs(file, line, f"the bots are {names[0]}, by the schedule {names[1]}")
        if [row["counts"] == "1" for _, row in game] != counts:
            raise Differs(file, line, "the seats that count are not those of the schedule")
    if rest and is_last:
        raise Differs(file, rest[-1][0][0], f"the schedule has no {rest[-1][0][1]['game']} here")
    return missing


def check_terms(file, game, sandboxes, clock, rules, settings):
    """Makes sure that a game was played by these terms. Modules have a sandbox and a clock of their own."""
    line, first = game[0]
    parameters = dict(settings.get("parameters", {}))
    limits = GAMES[first["rules"]].limits if first["rules"] in GAMES else {}
    due = {"rules": settings["game"], "rules_version": rules}
    due["parameters"] = " ".join(f"{name}={parameters.pop(name, limit[2])}" for name, limit in limits.items())
    for column, cell in due.items():
        if first[column] != cell:
            raise Differs(file, line, f"column {column} is `{first[column]}`, by the settings `{cell}`")
    if parameters:
        raise Differs(file, line, f"the settings have a parameter {list(parameters)[0]}, which the game has not")
    for line, row in game:
        if row["sandbox"] != "wasm" and (row["sandbox"] not in sandboxes or row["clock"] != clock):
            raise Differs(file, line, f"sandbox or clock is not {' or '.join(sandboxes)}, {clock}, as the terms say")
        if (row["sandbox"] == "wasm") != row["clock"].startswith("units-"):
            raise Differs(file, line, f"the clock {row['clock']} does not go with the sandbox {row['sandbox']}")


def check_recorded(home, file, games, plan=None):
    """Compares games with the ends that runners have recorded: a tournament has each, a hill those that are left."""
    ends, folder = {}, os.path.join(home, "records", "runs")
    for path in files_below(folder):
        lines, columns = text_of(path).split("\n"), ""
        for number, line in enumerate(lines, 1):
            kind, *cells = cells_of(line[9:]) or [""]
            if line[:9] != f"{zlib.crc32(line[9:].encode() + bytes([10])):08x},":
                if number < len(lines) - 1:
                    raise Differs(path, number, "the check sum is not that of the record")
            elif kind == "note" and cells[3] == "columns":
                columns = cells[4]
            elif kind == "note" and cells[3] == "plan" and plan and cells[4] != plan:
                raise Differs(path, number, "the records of another plan than plan.toml")
            elif kind == "over":
                ends.setdefault(cells[2], []).append((columns, cells[3:]))
    header = lines_of(file)[0][: -len(",chain")] if games else ""
    for game in games:
        (line, first), rows = game[0], [row["text"][: row["text"].rindex(",")] for _, row in game]
        found = [end for columns, end in ends.get(first["game"], []) if columns == header]
        if rows not in found and (found or plan):
            raise Differs(file, line, "no runner has recorded the game so")
    return sum(game[0][1]["game"] not in ends for game in games)


def words_of(arguments):
    return shlex.split(arguments) if arguments.startswith(" ") else arguments.split()


def identity_of(*words):
    return sha256("".join(word + "\0" for word in words))


def check_stored(home, digest, is_optional):
    """Compares a program in the store, a file or a folder, with its SHA-256."""
    path = os.path.join(home, "store", digest[:2], digest)
    found = sha256(contents(path)) if os.path.isfile(path) else None
    if os.path.isdir(path):
        names = sorted(os.path.relpath(file, path) for file in files_below(path))
        files = [(name, os.path.join(path, name)) for name in names]
        runs = [name for name, file in files if "/" not in name and os.stat(file).st_mode & 0o111][:1]
        found = sha256("".join(f"{'-x'[name in runs]} {sha256(contents(file))} {name}\n" for name, file in files))
    if found != digest and (found or not is_optional):
        raise Differs(path, 0, "the program was changed" if found else "missing: the program of a bot that plays")
    return found and os.path.isfile(path) and contents(path)[:4] == b"\0asm"


def check_bots(file, games, bots):
    """Compares arguments, and makes sure that modules were played as modules, and programs as programs."""
    for line, row in (row for game in games for row in game):
        is_module, words = bots.get((row["bot"], row["bot_version"]), (None, [row["arguments"]]))
        shown = " ".join(words)
        shown = f"'{shown}" if re.match("[=+@\uff1d\uff0b\uff0d\uff20-]", shown) else shown
        shown = shown if len(shown) <= 200 else f"{shown[:200]}..."
        if row["arguments"] not in (shown, re.sub('[,"]', ";", shown)) and shown.isprintable():
            raise Differs(file, line, f"the arguments of {row['bot']} are not those that were handed in: {shown}")
        if is_module is not None and is_module != (row["sandbox"] == "wasm"):
            what = "is a module of WebAssembly, and was not played as one"
            raise Differs(file, line, f"{row['bot']} {what if is_module else 'is no module of WebAssembly'}")


class Hill:
    """The schedule of a hill, and which games count for its standings."""

    def __init__(self, path, file, games, given_up, verified):
        self.file, self.games, self.given_up, self.verified, self.seasons = file, games, given_up, verified, {}
        self.path, self.settings = path, known(settings_of(os.path.join(path, "hill.toml")))
        self.last = {int(game[0][1]["season"]): game for game in games}
        self.racing = {}
        for game in games:
            for _, row in game:
                if row["counts"] == "1":
                    look = int(row["season"]), (int(row["round"]) - 1) // 10
                    self.racing.setdefault(look, set()).add((row["bot"], row["bot_version"]))
        for _, row in table(os.path.join(path, "seasons.csv"), "season") if games or has(path, "seasons.csv") else []:
            self.seasons.setdefault(int(row["season"]), []).append(row)

    def verify(self, standings):
        for game in self.games:
            season = int(game[0][1]["season"])
            if season not in self.seasons:
                raise Differs(self.file, game[0][0], f"seasons.csv has no season {season}")
            terms = dict(word.split("=", 1) for word in self.seasons[season][0]["terms"].split(" "))
            if terms["block"] != self.settings.get("block", "one-seating"):
                raise Differs(self.file, game[0][0], f"its season has block={terms['block']}, hill.toml another")
            check_terms(self.file, game, [terms["sandbox"]], terms["clock"], terms["rules"], self.settings)
        self.entrants()
        known = sum("seed=entrants" not in field[0]["terms"].split(" ") for field in self.seasons.values())
        if known:
            self.verified.said.append(f"  seasons whose draws follow from the hill's seed alone: {known}")
        if any(self.is_racing(season) for season in self.seasons):
            self.verified.left_out.append("who is in the race: the bots that count are taken from the results")
        rest = self.games[::-1]
        for season in sorted(self.seasons):
            # When a season was closed, games of it were in flight.
            in_flight = 64 if season < max(self.seasons) else 0
            schedule = self.schedule(season) if season in self.last else []
            follow(self.file, rest, schedule, self.given_up, not in_flight, in_flight)
        unrecorded = check_recorded(self.path, self.file, self.games)
        if unrecorded:
            self.verified.said.append(f"  games that no runner has recorded: {unrecorded}")
        if self.settings.get("rank_by", "score") != "score":
            self.verified.left_out.append("mean shares: rank_by is not `score`")
            return
        last = self.seasons[max(self.seasons)] if self.seasons else []
        field = [[row[key] for key in BOT] for row in last]

        def counts(game):
            terms = [self.terms(season) for season in (last, self.seasons[int(game[0][1]["season"])])]
            return terms[0] == terms[1] and all(bot in field for bot in bots_of(game))

        self.verified.means(filter(counts, self.games), standings)

    def entrants(self):
        """Compares entrants.csv with the programs in the store, and with the bots of the seasons."""
        file, submitted, field = os.path.join(self.path, "entrants.csv"), {}, {}
        for line, row in table(file, "identity") if self.seasons or os.path.exists(file) else []:
            name, words = row["name"], words_of(row["arguments"])
            identities = {identity_of(row["digest"], *words) if words else row["digest"]}
            if words[:2] == ["bot", self.settings["game"]] and len(words) > 2:
                versions = GAMES[words[1]].versions
                identities |= {identity_of("house", *words[1:3], version, *words[3:]) for version in versions}
            if row["identity"] not in identities:
                raise Differs(file, line, f"the identity is not that of {name}'s program and arguments")
            if row["event"] == "submitted":
                due = 1 + sum(known == name for known, _ in submitted)
                if row["version"] != str(due):
                    raise Differs(file, line, f"the version is {row['version']}; this one of {name} is {due}")
                submitted[name, row["version"]], field[name] = row, row["digest"]
            elif row["event"] != "admitted":
                field.pop(name, None)
        for row in (row for rows in self.seasons.values() for row in rows):
            found = submitted.get((row["name"], row["version"]))
            if found is None or [found["identity"], found["author"]] != [row["digest"], row["author"]]:
                what = f"{row['name']} version {row['version']}, as seasons.csv lists it, was never submitted"
                raise Differs(file, 0, what)
        optional = lambda digest: digest not in field.values()
        stored = {row["digest"]: 0 for row in submitted.values()}
        stored = {digest: check_stored(self.path, digest, optional(digest)) for digest in stored}
        bots = {bot: (stored[row["digest"]], words_of(row["arguments"])) for bot, row in submitted.items()}
        check_bots(self.file, self.games, bots)

    @staticmethod
    def terms(season):
        """Returns the terms of a season's games, without the rule of its verdict."""
        return [word for word in season[0]["terms"].split(" ") if word.split("=")[0] not in OF_VERDICT]

    def seed_of(self, season):
        """Returns the seed of a season: that of the hill, or what follows from it and the entrants."""
        seed, field = seed_in(self.settings), self.seasons[season]
        if "seed=entrants" not in field[0]["terms"].split(" "):
            return seed
        bots = [f"{row['name']} {row['version']} {row['digest']}\n" for row in field]
        return int(sha256(f"referee seed of a season 1\n0x{seed:016x}\n" + "".join(bots))[:16], 16)

    def schedule(self, season):
        """Lists the games of a season up to the last one in the results, as `deal` does."""
        game, seed = self.last[season], self.seed_of(season)
        deals = Deals(self.settings, self.seasons[season], game[0][1]["rules"], len(game))
        for number in range(1, place_of(game)[1] + 1):
            for due in deals.deal(seed, season, number, self.race(season, number)):
                if due[0] <= place_of(game):
                    yield due

    def race(self, season, number):
        """Returns the bots in the race in a round: all, if there is none; else those that count up to the next look."""
        field = self.seasons[season]
        if number <= 10 or not self.is_racing(season):
            return range(len(field))
        racing = self.racing.get((season, (number - 1) // 10), ())
        return [at for at, row in enumerate(field) if (row["name"], row["version"]) in racing]

    def is_racing(self, season):
        return "racing=true" in self.seasons[season][0]["terms"].split(" ")


class Deals:
    """The deals of a format of rounds among the bots of a field."""

    def __init__(self, settings, field, rules, seats):
        self.settings, self.field, self.rules, self.seats = settings, field, rules, seats

    def deal(self, seed, season, number, racing):
        """Deals the games of a round: place, seed, bots by seat, and whether each counts."""
        field, rules, seats = self.field, self.rules, self.seats
        dice = Dice(derived(seed, "deal", season, number, 0), 0)
        bots = list(range(len(field))) * (-(-16 // len(field)) if rules == "target" else 1)
        dice.choose(bots, len(bots))
        if rules != "target" and self.settings.get("author_seats"):
            self.part(bots, dice)
        tables = [[(bot, True) for bot in bots[at : at + seats]] for at in range(0, len(bots), seats)]
        kind, squares = self.settings.get("block", "one-seating"), [list(range(seats))]
        if kind == "12" and seats == 4:
            squares = [[0, 1, 2, 3], [0, 1, 3, 2], [0, 2, 1, 3]]
        block = 1 if kind == "one-game" or rules == "target" else seats
        ring = [0, 1, 3, 2] if rules == "football" else list(range(seats))
        for at, bots in enumerate(tables, 1):
            is_full = len(bots) == seats
            while len(bots) < seats:
                seated = [bot for bot, _ in bots]
                may = [bot for bot in range(len(field)) if len(seated) not in self.surplus([*seated, bot])]
                copies = {bot: seated.count(bot) for bot in may or range(len(field))}
                fewest = [bot for bot, count in copies.items() if count == min(copies.values())]
                bots.append((fewest[dice.below(len(fewest))], False))
            dice.choose(bots, 0 if is_full else seats)
            for game in range(block * len(squares)):
                order = [bots[place] for place in squares[game // block]]
                turned = {seat: order[(place - game % block) % seats] for place, seat in enumerate(ring)}
                counts = [turned[seat][1] and turned[seat][0] in racing for seat in range(seats)]
                if any(counts):
                    seated = [[field[turned[seat][0]][key] for key in BOT] for seat in range(seats)]
                    yield [season, number, at, game + 1], derived(seed, "game", season, number, at), seated, counts

    def surplus(self, bots):
        """Lists the places of a table at which an author has more bots than may sit together."""
        most, authors = self.settings.get("author_seats", 0), [self.field[bot]["author"] for bot in bots]
        return [at for at, author in enumerate(authors) if most and author and authors[:at].count(author) >= most]

    def part(self, bots, dice):
        """Seats authors apart: exchanges surplus bots with others."""
        seats = self.seats
        tables = range(0, len(bots), seats)
        for _ in range(1000 * len(bots)):
            over = [first + at for first in tables for at in self.surplus(bots[first : first + seats])]
            if not over:
                break
            one, other, counts = over[dice.below(len(over))], dice.below(len(bots)), []
            for _ in range(2):
                both = [bots[at - at % seats :][:seats] for at in (one, other)]
                counts.append(sum(len(self.surplus(table)) for table in both))
                bots[one], bots[other] = bots[other], bots[one]
            if counts[1] <= counts[0]:
                bots[one], bots[other] = bots[other], bots[one]
        for first in tables:
            table = bots[first : first + seats]
            dice.choose(table, len(table))
            bots[first : first + seats] = table


def tournament(plans, file, games, given_up, verified):
    """Makes sure that the games are those of the schedule, and that each round was planned from those before it."""
    rest, played, chain, missing, bots = games[::-1], [], None, -len(games) - len(given_up), {}
    for plan in map(Plan, plans):
        missing += plan.settings["games"]
        for bot in plan.settings["entrant"]:
            is_build = bot["digest"] == plan.settings["build"]
            is_module = check_stored(os.path.dirname(plans[0]), bot["digest"], is_build)
            bots[bot["name"], "1"] = is_module, bot["arguments"]
        if plan.settings.get("earlier") != chain:
            raise Differs(plan.path, 0, f"`earlier` is not the chain of the last row of the rounds before, {chain}")
        if plan.is_dealt and games:
            schedule = list(plan.schedule(games))
            if len(schedule) != plan.settings["games"]:
                raise Differs(plan.path, 0, f"{len(schedule)} games follow from it, but it says another number")
            follow(file, rest, schedule, given_up, plan.path == plans[-1])
        elif games:
            plan.listed(file, rest)
            verified.left_out.append(f"how a schedule of kind {plan.format['kind']} follows from the seed")
        before, played = len(played), games[: len(games) - len(rest)]
        check_recorded(os.path.dirname(plan.path), file, played[before:], sha256(contents(plan.path)))
        sandbox, clock = plan.settings["sandbox"], plan.settings["clock"]
        for game in played[before:]:
            sets = {"game": plan.settings["game"], "parameters": plan.settings["set"][place_of(game)[0] - 1]}
            sandboxes = ["strict", "landlock"] if sandbox == "auto" else [sandbox]
            check_terms(file, game, sandboxes, clock, str(plan.settings["rules_version"]), sets)
        if played or os.path.exists(file):
            chain = played[-1][-1][1]["chain"] if played else sha256(lines_of(file)[0] + "\n")
    if rest:
        raise Differs(file, rest[-1][0][0], f"the schedule has no {rest[-1][0][1]['game']} here")
    check_bots(file, games, bots)
    if missing:
        raise Differs(file, 0, f"incomplete: games of the schedule that are not listed: {missing}")
    verified.left_out.append("what the results decided of a later round of a tournament; rulings; standings")


def plans_of(path):
    """Lists the plans of a tournament, round by round."""
    plans = [os.path.join(path, "plan.toml")]
    is_left = has(path, "plan.lock", "rounds", "records", "proof") and not is_hill(path)
    while os.path.exists(plans[-1]) or (len(plans) == 1 and is_left):
        layout = settings_of(plans[-1]).get("layout")
        if layout != 5:
            raise Unknown(f"{plans[-1]}: a plan of layout {layout}, not 5")
        plans.append(os.path.join(path, "rounds", f"{len(plans) + 1:04}", "plan.toml"))
    return plans[:-1]


class Plan:
    """The plan of a round of a tournament, and the games that follow from it."""

    def __init__(self, path):
        self.path, self.settings = path, known(settings_of(path))
        self.seed, self.format = seed_in(self.settings), self.settings["format"]
        of_bot = lambda bot: {**bot, "version": "1", "digest": bot["identity"], "author": bot.get("author", "")}
        self.field = list(map(of_bot, self.settings["entrant"]))
        self.numbers = {bot["name"]: number for number, bot in enumerate(self.field)}
        self.meetings, kind = self.settings.get("meeting", []), self.format["kind"]
        is_uniform = self.settings["game"] == "target" or self.format.get("deal") == "uniform"
        self.is_dealt = self.meetings or (kind == "rounds" and is_uniform)

    def schedule(self, games):
        """Lists the games: place, seed, bots by seat, and whether each counts."""
        for meeting in self.meetings:
            season, number = meeting["set"], meeting["round"]
            for at, pair in enumerate(meeting["pairs"], 1):
                for game in range(meeting["games"]):
                    bots = [self.field[self.numbers[name]] for name in pair[:: 1 - 2 * (game % 2)]]
                    seated = [[bot[key] for key in BOT] for bot in bots]
                    yield [season, number, at, game + 1], self.seed_of(season, number, at, game), seated, [True, True]
        if self.meetings:
            return
        stages = self.settings.get("stage") or [
            {"set": season, "rounds": [1, self.format["rounds"]]} for season in range(1, len(self.settings["set"]) + 1)
        ]
        # Of a sub-tournament without a game, those of another one.
        seats = {place_of(game)[0]: len(game) for game in games}
        ends = [end for stage in stages for end in stage["rounds"]]
        for number in range(min(ends), max(ends) + 1):
            for stage in stages:
                season, (start, end) = stage["set"], stage["rounds"]
                if start <= number <= end:
                    racing = [self.numbers[name] for name in stage.get("racing", self.numbers)]
                    deals = Deals(self.format, self.field, self.settings["game"], seats.get(season, len(games[0])))
                    yield from deals.deal(self.seed, season, number, racing)

    def seed_of(self, season, number, at, game):
        """Returns the seed of a game of a match."""
        block = game // 2
        seed = derived(self.seed, "block of a match", block, 0, 0) if block else self.seed
        seed = derived(seed, "game", season, number, at)
        is_new = self.format["kind"] == "comfoosball" and self.format["paired_seeds"] == 0
        return derived(seed, "game of a match", game + 1, 0, 0) if is_new else seed

    def listed(self, file, rest):
        """Takes games whose deals are not repeated here: their places ascend, and their bots are those of the plan."""
        field, last = [[bot[key] for key in BOT] for bot in self.field], []
        stages = {stage["set"]: stage["rounds"] for stage in self.settings.get("stage", [])}
        while rest:
            (season, *place), (line, row) = place_of(rest[-1]), rest[-1][0]
            start, end = stages.get(season, [1, 0] if stages else [1, place[0]])
            if not start <= place[0] <= end:
                break
            if [place[0], season, *place] <= last or any(bot not in field for bot in bots_of(rest[-1])):
                raise Differs(file, line, f"{row['game']} is not the next game of bots of the plan")
            last = [place[0], season, *place]
            rest.pop()


# Signed notes ---------------------------------------------------------------------------------------------------------

P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P


def point(data):
    """Returns the point of Ed25519 (RFC 8032) that 32 bytes stand for; None if there is none."""
    number = int.from_bytes(data, "little")
    y, sign = number & (1 << 255) - 1, number >> 255
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * pow(2, (P - 1) // 4, P) % P
    if y >= P or (x * x - square) % P or (x == 0 and sign):
        return None
    x = P - x if x & 1 != sign else x
    return x, y, 1, x * y % P


def plus(a, b):
    e, f = (a[1] - a[0]) * (b[1] - b[0]) % P, (a[1] + a[0]) * (b[1] + b[0]) % P
    g, h = 2 * a[3] * b[3] * D % P, 2 * a[2] * b[2] % P
    return (f - e) * (h - g) % P, (h + g) * (f + e) % P, (h - g) * (h + g) % P, (f - e) * (f + e) % P


def times(number, a):
    total = 0, 1, 1, 0
    while number:
        total, a, number = plus(total, a) if number & 1 else total, plus(a, a), number >> 1
    return total


def is_signed(public, text, signature):
    key, r, s = point(public), point(signature[:32]), int.from_bytes(signature[32:], "little")
    if key is None or r is None or s >= ORDER or len(public) != 32 or len(signature) != 64:
        return False
    h = int.from_bytes(hashlib.sha512(signature[:32] + public + text).digest(), "little") % ORDER
    base = point((4 * pow(5, P - 2, P) % P).to_bytes(32, "little"))
    left, right = times(s, base), plus(r, times(h, key))
    return all((left[i] * right[2] - right[i] * left[2]) % P == 0 for i in (0, 1))


def node(*parts):
    """Returns a hash of a Merkle tree (RFC 6962, 2.1): of an entry, or of two hashes."""
    return hashlib.sha256(bytes([len(parts) - 1]) + b"".join(parts)).digest()


def root(leaves):
    if len(leaves) < 2:
        return leaves[0] if leaves else hashlib.sha256().digest()
    split = 1 << (len(leaves) - 1).bit_length() - 1
    return node(root(leaves[:split]), root(leaves[split:]))


def root_by_proof(index, size, leaf, beside):
    """Returns the root that an entry and the hashes beside its way lead to; None if their number is wrong."""
    if size == 1 or not beside:
        return leaf if size == 1 and not beside else None
    split = 1 << (size - 1).bit_length() - 1
    if index < split:
        left = root_by_proof(index, split, leaf, beside[:-1])
        return left and node(left, beside[-1])
    right = root_by_proof(index - split, size - split, leaf, beside[:-1])
    return right and node(beside[-1], right)


def unpacked(text):
    return base64.b64decode(text, validate=True)


class Key:
    """A public key, `NAME+NUMBER+KEY` (C2SP signed-note)."""

    def __init__(self, text):
        self.text = text
        self.name, self.number, data = text.split("+", 2)
        data = unpacked(data)
        if data[:1] != b"\1" or sha256(self.name.encode() + b"\n" + data)[:8] != self.number:
            raise ValueError("this is not an Ed25519 key")
        self.public = data[1:]

    def opened(self, note):
        """Returns the lines of a note that the key has signed."""
        text, empty, signatures = note.rpartition("\n\n")
        lines = [line.split(" ") for line in signatures.split("\n")]
        if not empty or lines.pop() != [""] or any(len(line) != 3 or line[0] != "\u2014" for line in lines):
            raise ValueError("this is not a signed note")
        signed = [unpacked(signature) for _, signer, signature in lines if signer == self.name]
        signed = [signature[4:] for signature in signed if signature[:4].hex() == self.number]
        if not signed:
            raise ValueError(f"the key {self.text} has not signed it")
        if not all(is_signed(self.public, f"{text}\n".encode(), signature) for signature in signed):
            raise ValueError("the signature is not that of the key")
        return text.split("\n")


# What each signed beginning names, so that no record chooses it.
OF_HILL, OF_TOURNAMENT = ("clock", "rules", "seeds", "sources", "units"), ("units",)


def is_dated_back(time, before):
    """Tells whether a time is before another one by more than the ten minutes by which clocks can differ."""
    time, before = map(datetime.datetime.fromisoformat, (time, before))
    return time + datetime.timedelta(minutes=10) < before


class Proof:
    """The notes about a list: their signatures, and whether the records are those that were signed."""

    def __init__(self, home, file, known, verified):
        self.home, self.file, self.verified, self.times = home, file, verified, []
        if has(home, "proof/rotations"):
            raise Unknown(f"{home}: its key was replaced by another one, which this program does not follow")
        self.entries = entries_of(home, file)
        self.leaves = [node(text) for _, text in self.entries]
        path = os.path.join(home, "proof", "key")
        self.at(path, self.opens)
        if known and known != self.key.text:
            raise Differs(path, 0, f"the key of this list is not {known}")
        self.at(os.path.join(home, "proof", "beginning"), self.beginning)
        if not known:
            verified.left_out.append("whose key it is: name the announced one with --key")

    def at(self, path, check):
        """Checks a file. What is refused is an error of it."""
        try:
            check(text_of(path))
            self.verified.counts["note"] += 1
        except (ValueError, IndexError) as error:
            raise Differs(path, 0, str(error)) from error

    def opens(self, text):
        self.key = Key(text.strip())

    def beginning(self, text):
        """Makes sure that the lasting settings are those that were signed, and the seasons as well."""
        heading, origin, *lines = text.rstrip("\n").split("\n")
        if (heading, origin) != ("referee beginning 1", self.key.name):
            raise ValueError("this is not the beginning of the list of this key")
        self.commitment, plans, path = lines[0], plans_of(self.home), os.path.join(self.home, "hill.toml")
        named = dict(line.split(" ", 2)[1:] for line in lines if line.startswith("edition "))
        lines = [line for line in lines[1:] if not line.startswith("edition ")]
        self.editions(named, OF_TOURNAMENT if plans else OF_HILL)
        if plans:
            if lines != [f"plan {sha256(contents(plans[0]))}"]:
                raise ValueError("plan.toml is not the one that was signed")
            return
        settings = {"deal": "uniform", "block": "one-seating", "author_seats": 0} | settings_of(path)
        parameters = {name: limit[2] for name, limit in GAMES[settings["game"]].limits.items()}
        settings["parameters"] = parameters | settings.get("parameters", {})
        for key, value in (line.split(" ", 1) for line in lines):
            table, name = settings, key
            if key.startswith("parameters."):
                table, name = settings["parameters"], key.removeprefix("parameters.")
            if str(table.get(name)) != value:
                raise ValueError(f"{key} in hill.toml is not {value}, as it was signed")
        for name, text in self.entries:
            if name.startswith("season,") and text:
                self.season(text.decode().rstrip("\n").split("\n"), name.split(",")[1], "sources" in named)

    def editions(self, named, due):
        """Makes sure that no record was made by an older edition of a rule than the beginning names."""
        if set(named) - set(due) or any(named.get(name, "1") != "1" for name in ("seeds", "sources")):
            path = os.path.join(self.home, "proof", "beginning")
            raise Differs(path, 0, f"it names an edition that this program does not know: {named}")
        missing = [name for name in due if name not in named]
        if missing:
            what = f"editions that the signed beginning does not name, so that the records choose them: {', '.join(missing)}"
            self.verified.left_out.append(what)
        for line, row in (row for game in self.verified.games for row in game):
            if row["sandbox"] == "wasm" and int(row["clock"].split("-")[1]) < int(named.get("units", "1")):
                raise Differs(self.file, line, f"the clock {row['clock']} is older than units-{named['units']}, as signed")
        path = os.path.join(self.home, "seasons.csv")
        for line, row in table(path, "season") if due == OF_HILL and os.path.exists(path) else []:
            terms = dict(word.split("=", 1) for word in row["terms"].split(" "))
            is_older = "seeds" in named and terms.get("seed") != "entrants"
            is_older = is_older or int(terms["rules"]) < int(named.get("rules", "1"))
            if is_older or terms["clock"] != named.get("clock", terms["clock"]):
                raise Differs(path, line, f"the terms are not of the editions that were signed: {named}")

    def season(self, lines, number, has_sources):
        rows = table(os.path.join(self.home, "seasons.csv"), "season")
        rows, built = [row for _, row in rows if int(row["season"]) == int(number)], {}
        for _, row in table(os.path.join(self.home, "entrants.csv"), "identity") if has_sources else []:
            if row.get("source_digest"):
                built[row["name"], row["version"]] = f"{row['source_digest']} {row['toolchain']}"
        due = ["referee season 1", f"season {int(number)}", f"began {rows[0]['date']}"] if rows else []
        for row in rows:
            due.append(" ".join(["bot", row["name"], row["version"], row["digest"], row["author"]]).rstrip())
            due += [f"built {built[row['name'], row['version']]}"] if built.get((row["name"], row["version"])) else []
        terms = [line[len("terms ") :].split(" ") for line in lines[3:4]]
        now = rows[0]["terms"].split(" ") if rows else []
        # A later version may name more limits, and nothing else.
        more = [word.split("=")[0] for word in now if terms and word not in terms[0]]
        is_same = terms and set(terms[0]) <= set(now) and not set(more) & {*OF_VERDICT, *OF_GAMES}
        if lines[:3] + lines[4:] != due or not is_same:
            raise ValueError(f"season {number} in seasons.csv or entrants.csv is not the one that was signed")

    def all(self, notes):
        folder = os.path.join(self.home, "proof", "checkpoints")
        kept = [path for path in files_below(folder) if path.endswith(".note")]
        if not kept:
            raise Differs(folder, 0, "no checkpoint, but the first one was made with the key: they were removed")
        for path in kept:
            self.at(path, self.note)
        self.times.sort()
        signed, latest = self.times[-1][0], ""
        for size, time in self.times:
            if latest and is_dated_back(time, latest):
                raise Differs(folder, 0, f"a checkpoint of {size} entries says {time}, one of fewer {latest}")
            latest = max(latest, time)
        if signed < len(self.leaves):
            self.verified.left_out.append(f"entries that are not signed yet: {len(self.leaves) - signed}")
        for path in notes:
            self.at(path, self.note)
        path = os.path.join(self.home, "proof", "seed")
        if os.path.exists(path):
            self.at(path, self.seed)

    def note(self, note):
        """Checks a checkpoint, the file of a witness, or a receipt."""
        trusted, _, rest = note.partition("\n\n")
        if trusted.count("+") >= 2 and "\n" not in trusted:
            if trusted != self.key.text:
                raise ValueError(f"the witness trusts another key, {trusted}")
            note = rest
        heading, *rest = self.key.opened(note)
        if heading == "referee receipt of a submission":
            self.submission(*rest)
        elif heading == "referee receipt of a game":
            self.receipt(*rest)
        elif heading == self.key.name:
            size, [time] = int(rest[0]), [line[5:] for line in rest if line.startswith("time ")]
            self.begins(rest[2])
            for name, text in self.entries[:size]:
                if name.startswith("season,") and not text:
                    number = int(name.split(",")[1])
                    raise ValueError(f"proof/seasons/{number:03} is missing, which was signed")
            if size > len(self.leaves) or unpacked(rest[1]) != root(self.leaves[:size]):
                raise ValueError(f"the records do not begin with the {size} entries that were signed")
            name, text = self.entries[size - 1]
            started = [row["started"] for game in self.verified.games for _, row in game[:1] if row["game"] == name]
            if is_dated_back(time, (started or [time])[0]):
                raise ValueError(f"it says {time}, but its last game started at {started[0]}: it was dated back")
            self.times.append((size, time))
        else:
            raise ValueError(f"the note is for another list: {heading}")

    def begins(self, line):
        if line != "beginning " + base64.b64encode(self.leaves[0]).decode():
            raise ValueError("the note names another beginning than proof/beginning")

    def submission(self, origin, beginning, bot, digest, date, author, arguments, *built):
        self.begins(beginning)
        rows = table(os.path.join(self.home, "entrants.csv"), "identity")
        rows = [row for _, row in rows if row["event"] == "submitted" and f"{row['name']} {row['version']}" == bot]
        words = [(f"author: {row['author']}", f"arguments: {row['arguments']}") for row in rows]
        found = [(row["digest"], row["date"], *words[at]) for at, row in enumerate(rows)]
        of_rows = [f"built {row['source_digest']} {row['toolchain']}" for row in rows if row.get("source_digest")]
        is_right = found == [(digest, date, author, arguments)] and (not built or [*built] == of_rows)
        if origin != self.key.name or not is_right:
            raise ValueError(f"entrants.csv does not have the submission of {bot} as it was signed")

    def receipt(self, origin, beginning, name, index, leaf, size, whole, *beside):
        self.begins(beginning)
        index, leaf, beside = int(index), unpacked(leaf), [unpacked(line[len("beside ") :]) for line in beside]
        if origin != self.key.name or root_by_proof(index, int(size), leaf, beside) != unpacked(whole):
            raise ValueError("the proof of the receipt does not lead to its root")
        if [(entry[0], node(entry[1])) for entry in self.entries[index : index + 1]] != [(name, leaf)]:
            raise ValueError(f"entry {index} of the list is not {name} as it was signed")

    def seed(self, text):
        _, origin, seed, _, _ = text.split("\n")
        if origin != self.key.name or self.commitment != f"seed {sha256(text)}":
            raise ValueError("the published seed is not the one that the beginning commits to")
        files = [os.path.join(self.home, name) for name in ("plan.toml", "hill.toml")]
        if f"0x{seed_in(settings_of(next(filter(os.path.exists, files)))):016x}" != seed:
            raise ValueError("the records have another seed than the one that the beginning commits to")


def entries_of(home, results):
    """Returns the names and bytes of the entries of the signed list (docs/explanation/proof.md)."""
    entries, plans, behind = {"beginning": text_of(os.path.join(home, "proof", "beginning"))}, plans_of(home), {}
    for number, plan in enumerate(plans[1:], 2):
        text = f"plan,{number},{sha256(contents(plan))}\n"
        behind.setdefault(settings_of(plan)["earlier"], {})[f"plan,{number}"] = text
    if not os.path.exists(results):
        return [("beginning", entries["beginning"].encode())]
    entries.update(behind.get(sha256(lines_of(results)[0] + "\n"), {}))
    for _, row in table(results):
        season = f"season,{row['season']}"
        if not plans and season not in entries:
            path = os.path.join(home, "proof", "seasons", f"{int(row['season']):03}")
            # It is written when a game of the season is signed.
            entries[season] = text_of(path) if os.path.exists(path) else ""
        entries[row["game"]] = entries.get(row["game"], "") + row["text"] + "\n"
        entries.update(behind.get(row["chain"], {}))
    return [(name, text.encode()) for name, text in entries.items()]


# The command ----------------------------------------------------------------------------------------------------------


def verify(path, options):
    verified, file = Verified(), path
    if not os.path.exists(path):
        raise Unknown(f"{path}: there is no such file")
    if os.path.isdir(path):
        file = verified.folder(path, options.standings)
    elif is_log(path):
        verified.log(path)
        file = None
    else:
        verified.means(verified.results(path)[0], options.standings)
    home = path if os.path.isdir(path) else os.path.dirname(path)
    if file and os.path.exists(os.path.join(home, "proof", "key")):
        Proof(home, file, options.key, verified).all(options.note)
    elif options.key or options.note or says_signed(path):
        raise Differs(home, 0, "there is no proof/key: nothing was signed here, or it was removed")
    elif file:
        verified.left_out.append("signed notes: there are none")
    return verified


def says_signed(path):
    """Tells whether the settings of a hill or the plan of a tournament say that it is signed."""
    files = [os.path.join(path, name) for name in ("plan.toml", "hill.toml")]
    return any(settings_of(file).get("signed") for file in files if os.path.exists(file))


NEVER = ["whether bots gave the recorded answers in the recorded times", "claims and seals of runners, dates"]
NEVER += ["the words of a mistake after its numbers; verdicts, rulings, and columns that are told nowhere else"]


def main():
    parser = argparse.ArgumentParser(
        formatter_class=lambda prog: argparse.HelpFormatter(prog, width=80),
        description="Verifies records of games without the program that made them: replays each log from its seed and "
        "answers, and recomputes draws, verdicts, scores, results, the chain, schedules, means and signed notes.",
        epilog="Exit status: 0 if all agrees, 3 if something differs, 2 if it cannot tell. The last lines say what was "
        "not checked.",
    )
    files = "a log, results.csv, a folder of games or of logs, a hill, a tournament"
    parser.add_argument("path", nargs="+", metavar="PATH", help=files)
    means = "standings of a hill in CSV: compare games and mean shares"
    parser.add_argument("--standings", metavar="FILE", help=means)
    parser.add_argument("--key", help="the announced key, which must have signed the records")
    notes = "a receipt, a checkpoint or the file of a witness that somebody kept"
    parser.add_argument("--note", metavar="FILE", action="append", default=[], help=notes)
    options, left_out = parser.parse_args(), []
    for path in options.path:
        try:
            verified = verify(path, options)
        except Differs as error:
            sys.exit(said(3, f"differs: {error}"))
        except Unknown as error:
            sys.exit(said(2, f"cannot tell: {error}"))
        except (ValueError, LookupError, TypeError) as error:
            sys.exit(said(3, f"differs: {path}: a row, a column or a value has another form ({error!r})"))
        counts = [f"{count} {name}{'s' if count > 1 else ''}" for name, count in verified.counts.items() if count]
        print(f"{path}: agrees: {', '.join(counts) or 'no games'}")
        for line in verified.said:
            print(line)
        left_out += verified.left_out
    for what in dict.fromkeys(left_out + NEVER):
        print(f"not checked: {what}")


def said(status, what):
    print(what, file=sys.stderr)
    return status


if __name__ == "__main__":
    main()
