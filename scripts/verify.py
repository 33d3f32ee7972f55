#!/usr/bin/env python3
"""Verifies the records of contests without the program that made them.

A second implementation of the four games and of the files, in Python's standard library alone. It was written from the
documents (docs/records.md, protocol.md, docs/games, docs/explanation/proof.md), so what it accepts follows from them.
"""

import argparse
import base64
import csv
import gzip
import hashlib
import os
import re
import sys
import zlib

COLUMNS = ["row", "turn", "seat", "name", "time_us", "wall_us", "cpu_us", "values", "detail"]
KINDS = "late exited crashed closed deaf early extra too_long malformed illegal resource start_failed".split()
ENDS = {"exited", "crashed", "closed", "resource", "start_failed"}
SILENCE = ENDS | {"late", "deaf"}


class Differs(Exception):
    """A record is not what follows from the documents."""

    def __init__(self, path, line, what):
        super().__init__(f"{path}, line {line}: {what}" if line else f"{path}: {what}")


class Unknown(Exception):
    """This program cannot tell: a file is not there, or of a kind that it does not know."""


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
# `asked` lists the seats of the next turn; it is empty if the game is over. `judge` says what is wrong with the integers
# of an answer: None, ("malformed", right number), or ("illegal", wrong parts, parts). `play` takes the turn's answers by
# seat, each a list of integers or the kind of a fault, and returns the rows `draw` and `effect` of the turn.


def draw(name, at, candidates, drawn):
    return "draw", "", name, joined(candidates), f"at {at} drawn {joined(drawn)}"


def effect(name, seat, *values):
    return "effect", str(seat), name, joined(values), ""


def joined(numbers):
    return " ".join(map(str, numbers))


class Football:
    """Parallel Football: docs/games/football.md."""

    versions = {1}
    limits = {"p": (1, 255), "k": (1, 46), "max_turns": (1, 10**6), "stall_turns": (0, 10**6)}
    homes = [0, 31, 992, 1023]

    def __init__(self, settings, seats, seed, _version):
        self.p, self.k = settings["p"], settings["k"]
        self.max_turns, self.stall_turns = settings["max_turns"], settings["stall_turns"]
        self.seed, self.seats, self.turn, self.goalless = seed, 4, 0, 0
        self.balls = [1] * 1024
        for home in self.homes:
            self.balls[home] = 0
        self.scores, self.players = [0] * 4, []

    def start(self):
        return []

    def reason(self):
        if sum(self.scores) == 1020:
            return "no_balls"
        if self.turn > self.max_turns:
            return "max_turns"
        return "stalled" if 0 < self.stall_turns <= self.goalless else None

    def asked(self):
        return [] if self.reason() else range(4)

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


class Foosball:
    """comFoosball: docs/games/foosball.md. Rows are those that HOME sees."""

    versions = {1}
    limits = {"variant": ("text", "server2013"), "bank_ms": (1, 3600000)}

    def __init__(self, settings, seats, seed, _version):
        self.server = settings["variant"] == "server2013"
        self.seed, self.seats, self.turn, self.ball = seed, 2, 0, 0
        self.rosters, self.fatigues = [[100] * 26, [100] * 26], [[0] * 26, [0] * 26]
        self.scores, self.silence = [0, 0], [None, None]

    def start(self):
        return []

    def reason(self):
        if "forfeit" in self.silence:
            return "forfeit"
        if "out_of_time" in self.silence:
            return "out_of_time"
        return "full_time" if self.turn == 800 else None

    def asked(self):
        return [] if self.reason() else range(2)

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


def strengths():
    """Returns the strength of a man by his fatigue, in units of 2^-53."""
    power, table = 1.0, []
    for _ in range(801):
        table.append(int(power * 2.0**53))
        power *= 0.99
    return table


STRENGTHS = strengths()


class Push:
    """Push: docs/games/push.md. A slot is at (row, x); the next one in its row is at x + 2."""

    versions = {1, 2}
    limits = {"turns": (1, 10**6)}
    homes = [0, 4, 34, 60, 56, 26]
    ways = [{3, 4, 5}, {2, 4, 5}, {0, 2, 4}, {0, 1, 2}, {0, 1, 3}, {1, 3, 5}]
    places = [(row, abs(row - 4) + 2 * i) for row in range(9) for i in range(9 - abs(row - 4))]
    steps = [(-1, -1), (-1, 1), (0, -2), (0, 2), (1, -1), (1, 1)]

    def __init__(self, settings, seats, seed, version):
        self.seed, self.seats, self.turn, self.turns, self.version = seed, 6, 0, settings["turns"], version
        self.coins, self.void = [1] * 61, [False] * 6
        slots = {place: slot for slot, place in enumerate(self.places)}
        self.next = [[slots.get((row + down, x + right)) for down, right in self.steps] for row, x in self.places]

    def start(self):
        return []

    def reason(self):
        return "turns" if self.turn == self.turns else None

    def asked(self):
        return [] if self.reason() else range(6)

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


class Target:
    """Invisible Target: docs/games/target.md."""

    versions = {1}
    limits = {"seats": (2, 164), "wall_one_in": (0, 10**6), "idle_rounds": (0, 10**6), "max_rounds": (1, 10**6)}
    limits["ponder"] = 0, 1
    sides = {0: (-1, 0), 1: (0, -1), 3: (0, 1), 4: (1, 0)}  # in the order of the search: up, left, right, down

    def __init__(self, settings, seats, seed, _version):
        self.seats, self.one_in = settings["seats"], settings["wall_one_in"]
        self.idle_rounds, self.max_rounds = settings["idle_rounds"], settings["max_rounds"]
        self.seed, self.turn, self.stays, self.idle, self.last_wall = seed, 0, 0, None, None
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


# Logs -----------------------------------------------------------------------------------------------------------------


class Log:
    """The log of a game that has ended, replayed from its seed and answers. A line that differs is an error."""

    def __init__(self, path):
        self.path, self.line, self.draws = path, 0, 0
        data = contents(path)
        self.digest = hashlib.sha256(data).hexdigest()
        self.lines = text_lines(path, data)
        before = data[: data.rfind(b"\n", 0, -1) + 1]
        last = f"digest,,,sha256,,,,,{hashlib.sha256(before).hexdigest()}"
        if self.lines[-1] != last:
            raise Differs(path, len(self.lines), f"found `{self.lines[-1]}`, expected `{last}`")
        self.due(",".join(COLUMNS))
        self.heading()
        self.clocks = [Clock(self.settings) for _ in range(self.seats)]
        self.faults = [dict.fromkeys(KINDS, 0) for _ in range(self.seats)]
        self.turns()
        self.ending()

    def wrong(self, what):
        raise Differs(self.path, self.line, what)

    def peek(self):
        """Returns the kind of the next row."""
        return self.lines[self.line].split(",", 1)[0] if self.line < len(self.lines) else ""

    def row(self, kind):
        """Returns the cells of the next row by their columns."""
        self.line += 1
        line = self.lines[self.line - 1] if self.line <= len(self.lines) else ""
        cells = cells_of(line)
        if cells is None or len(cells) != len(COLUMNS) or cells[0] != kind or line != written(cells):
            self.wrong(f"found `{line}`, expected a row `{kind}`")
        return dict(zip(COLUMNS, cells))

    def due(self, line):
        """Makes sure that the next row is this one."""
        self.line += 1
        found = self.lines[self.line - 1] if self.line <= len(self.lines) else "the end of the file"
        if found != line:
            self.wrong(f"found `{found}`, expected `{line}`")

    def only(self, row, *columns):
        """Makes sure that no other cell of a row is filled."""
        for column in COLUMNS[1:]:
            if row[column] and column not in columns:
                self.wrong(f"the column {column} is not used in a row `{row['row']}`")

    def heading(self):
        self.due("format,,,referee-log,,,,5,whole_us")
        row = self.row("game")
        self.only(row, "name", "values", "detail")
        self.rules, self.version, self.name = row["name"], row["values"], row["detail"]
        game = GAMES.get(self.rules)
        if game is None or not self.version.isdecimal() or int(self.version) not in game.versions:
            raise Unknown(f"{self.path}: {self.rules} version {self.version} is no game of this program")
        self.settings, times = {}, ["first_ms"] if game is Foosball else ["turn_ms", "first_ms"]
        limits = {**game.limits, **dict.fromkeys(times, (1, 3600000))}
        while self.peek() == "set":
            row = self.row("set")
            self.only(row, "name", "values", "detail")
            name, value, limit = row["name"], row["values"], limits.pop(row["name"], None)
            if name == "variant":
                value = row["detail"]
                is_right = limit and value in limit and not row["values"]
            else:
                is_right = limit and is_number(value) and limit[0] <= int(value) <= limit[1] and not row["detail"]
            if not is_right:
                self.wrong(f"no value of a parameter of {self.rules}: `{name}`")
            self.settings[name] = value if name == "variant" else int(value)
        if limits:
            self.wrong(f"the parameter {list(limits)[0]} is missing")
        self.parameters = " ".join(f"{name}={value}" for name, value in self.settings.items())
        row = self.row("seed")
        self.only(row, "detail")
        if not re.fullmatch("0x[0-9a-f]{16}", row["detail"]):
            self.wrong("expected a seed: 0x and 16 digits")
        self.seed = row["detail"]
        self.bots, self.arguments = [], {}
        while self.peek() == "seat":
            row = self.row("seat")
            self.only(row, "seat", "name", "values", "detail")
            if row["seat"] != str(len(self.bots)) or not is_number(row["values"]):
                self.wrong(f"expected the bot of seat {len(self.bots)}")
            self.bots.append((row["name"], row["values"], row["detail"]))
        while self.peek() == "arguments":
            row = self.row("arguments")
            self.only(row, "seat", "detail")
            if not is_number(row["seat"]) or not max(self.arguments, default=-1) < int(row["seat"]) < len(self.bots):
                self.wrong("expected the arguments of a later seat")
            self.arguments[int(row["seat"])] = row["detail"]
        self.game = game(self.settings, len(self.bots), int(self.seed, 16), int(self.version))
        self.seats = self.game.seats
        if len(self.bots) != self.seats:
            self.wrong(f"{len(self.bots)} seats instead of {self.seats}")
        for seat, name, value in self.game.start():
            self.due(f"start,,{seat},{name},,,,{value},")

    def turns(self):
        while self.game.asked():
            turn, answers = self.game.turn, {}
            for seat in self.game.asked():
                answers[seat] = self.answer(turn, seat)
            for kind, seat, name, values, detail in self.game.play(answers):
                self.due(f"{kind},{turn},{seat},{name},,,,{values},{detail}")
                self.draws += kind == "draw" or name == "wall"

    def answer(self, turn, seat):
        """Reads an answer with its dropped lines: its integers, or the fault that stands for it."""
        row = self.row("answer")
        if (row["turn"], row["seat"]) != (str(turn), str(seat)):
            self.wrong(f"expected the answer of seat {seat} in turn {turn}")
        fault, detail, line = row["name"], row["detail"], self.line
        integers = self.integers(row["values"])
        if fault in ("ok", "illegal") or integers:
            judged = self.game.judge(seat, integers) if integers else None
            due, count = "ok", 1
            if judged and judged[0] == "illegal":
                due, count = f"illegal {judged[1]} of {judged[2]}", judged[1]
            elif judged:
                due = f"malformed {judged[1]}"
            said = fault
            if fault == "illegal":
                said += " " + detail.split(":")[0]
            elif fault == "malformed":
                said += self.shape(detail, integers, row["values"])
            if said != due or not integers:
                self.wrong(f"found the verdict `{said}`, expected `{due}`")
        else:
            self.silent(fault, detail)
            count = 1
        dropped = {}
        while self.peek() == "dropped":
            row_of_lines = self.row("dropped")
            self.only(row_of_lines, "turn", "seat", "name", "values")
            kind, number = row_of_lines["name"], row_of_lines["values"]
            is_of_seat = (row_of_lines["turn"], row_of_lines["seat"]) == (str(turn), str(seat))
            later = ["late", "early", "extra"][len(dropped) and 1 + ["late", "early", "extra"].index(list(dropped)[-1]) :]
            if not is_of_seat or kind not in later or not is_number(number) or not 0 < int(number) < 1 << 32:
                self.wrong(f"expected lines of seat {seat} that were dropped in turn {turn}")
            dropped[kind] = int(number)
        for kind, number in dropped.items():
            if kind != "late":
                self.faults[seat][kind] += number
        if fault != "ok":
            self.faults[seat][fault] += count
        what = self.clocks[seat].take(row, dropped)
        if what:
            raise Differs(self.path, line, what)
        return integers if fault in ("ok", "illegal") else fault

    def integers(self, text):
        integers = [int(word) for word in text.split(" ")] if re.fullmatch("-?[0-9]+( -?[0-9]+)*", text) else []
        if joined(integers) != text or any(not -(1 << 63) <= integer < 1 << 63 for integer in integers):
            self.wrong(f"expected integers, found `{text}`")
        return integers

    def shape(self, detail, integers, text):
        """Returns the number of integers that a malformed answer should have had, by its mistake."""
        match = re.fullmatch("([0-9]+) integers instead of ([0-9]+)(; ([0-9]+) bytes, sha256 ([0-9a-f]{64}))?", detail)
        if not match:
            self.wrong(f"expected the number of integers, found `{detail}`")
        count, wanted, note, length, digest = match.groups()
        if not note:
            is_right = int(count) == len(integers) and len(text) <= 128
        elif int(count) == len(integers):
            is_right = (int(length), digest) == (len(text), hashlib.sha256(text.encode()).hexdigest())
        else:
            is_right = int(count) > len(integers) >= 64 and int(length) >= len(text) + 2 * (int(count) - len(integers))
        if not is_right:
            self.wrong(f"the mistake does not fit the answer: `{detail}`")
        return f" {wanted}"

    def silent(self, fault, detail):
        """Makes sure that a verdict without integers is one, and that its details have their form."""
        note = "(; [0-9]+ bytes, sha256 [0-9a-f]{64})?"
        forms = {"late": "", "closed": "", "deaf": "", "too_long": "", "start_failed": ".*"}
        forms.update(exited="status -?[0-9]+", crashed="signal -?[0-9]+", resource="cpu|file|memory")
        wanted = self.game.judge(0, [0] * 1000)[1]
        forms["malformed"] = f"an empty line|word [0-9]+ is not an integer: .*?{note}|[0-9]+ integers instead of {wanted}{note}"
        if fault not in forms:
            self.wrong(f"no verdict of an answer: `{fault}`")
        if not re.fullmatch(forms[fault], detail):
            self.wrong(f"no detail of the verdict {fault}: `{detail}`")

    def ending(self):
        scores, self.shares = self.game.outcome()
        self.places = [1 + sum(other > share for other in self.shares) for share in self.shares]
        self.scores, self.reason = scores, self.game.reason()
        for seat, (score, place) in enumerate(zip(scores, self.places)):
            self.due(f"score,,{seat},place,,,,{score},{place}")
        self.due(f"end,{self.game.turn},,{self.reason},,,,,")
        self.line += 1  # the digest is known to be right
        if self.line != len(self.lines):
            self.line += 1
            self.wrong("there are rows after the end of the game")


class Clock:
    """The times of a seat, and whether they fit its limits and verdicts."""

    def __init__(self, settings):
        self.first, self.bank = settings["first_ms"] * 1000, settings.get("bank_ms", 0) * 1000
        self.limit = settings.get("turn_ms", 0) * 1000
        self.times, self.walls, self.used, self.gone = [], [], 0, None

    def take(self, row, dropped):
        """Takes an answer. Returns what is impossible about it, or None."""
        cells = [row[column] for column in ("time_us", "wall_us", "cpu_us")]
        if not all(is_number(cell) or (not cell and at) for at, cell in enumerate(cells)) or cells[0] == cells[1]:
            return "expected times in microseconds, and an elapsed time only if it is another"
        time = int(cells[0])
        wall, cpu = int(cells[1] or time), int(cells[2] or 0)
        limit = self.first if not self.times else self.limit or max(0, self.bank - self.used)
        self.used += time if self.times else 0
        self.times.append(time)
        self.walls.append(wall)
        if not cpu <= time <= max(wall, cpu):
            return f"charged {time} us: less than the CPU time {cpu}, or more than it and the elapsed time {wall}"
        verdict = row["name"], row["detail"]
        if self.gone:
            is_same = verdict == self.gone and wall == 0 and not dropped
            return None if is_same else f"its program has ended in an earlier turn: {self.gone[0]} {self.gone[1]}"
        if row["name"] in ENDS:
            self.gone = verdict
        elif row["name"] == "late" or (row["name"] == "deaf" and wall > 0):
            return None if time > limit else f"{row['name']} after {time} us, within the limit of {limit} us"
        elif row["name"] != "deaf" and time > limit:
            return f"not late after {time} us, beyond the limit of {limit} us"
        return None

    def columns(self):
        """Returns the columns of times in the results."""
        times = sorted(self.times) or [0]
        yield "thinking_us", sum(times)
        yield "thinking_p99_us", times[-(-len(times) * 99 // 100) - 1]
        yield "thinking_max_us", times[-1]
        yield "wall_us", sum(self.walls)
        yield "wall_max_us", max(self.walls, default=0)


def is_number(cell):
    return re.fullmatch("0|[1-9][0-9]*", cell) is not None


def contents(path):
    """Returns the bytes of a file, unpacked."""
    try:
        with gzip.open(path) if path.endswith(".gz") else open(path, "rb") as file:
            return file.read()
    except FileNotFoundError as error:
        raise Unknown(f"{path}: there is no such file") from error
    except (OSError, EOFError, zlib.error) as error:
        raise Differs(path, 0, f"unreadable: {error}") from error


def text_lines(path, data):
    """Returns the lines of a table; each ends with a line feed."""
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise Differs(path, 0, f"not UTF-8: {error}") from error
    if not text.endswith("\n") or "\r" in text:
        raise Differs(path, text.count("\n") + 1, "the file does not end with a whole line, or has carriage returns")
    return text[:-1].split("\n")


def cells_of(line):
    """Returns the cells of a row; None if it is none."""
    if '"' not in line:
        return line.split(",")
    try:
        rows = list(csv.reader([line], strict=True))
    except csv.Error:
        return None
    return rows[0] if len(rows) == 1 else None


def written(cells):
    """Returns cells as a row."""
    return ",".join('"' + cell.replace('"', '""') + '"' if re.search('[,"]', cell) else cell for cell in cells)


# Results --------------------------------------------------------------------------------------------------------------


def table(path, kind="game"):
    """Reads a table by the names of its columns: (line, row) for each row."""
    lines = text_lines(path, contents(path))
    names = lines[0].split(",")
    if kind not in names or len(set(names)) < len(names):
        raise Differs(path, 1, f"expected the names of the columns, each once, with `{kind}`")
    for number, line in enumerate(lines[1:], 2):
        cells = cells_of(line)
        if cells is None or len(cells) != len(names):
            raise Differs(path, number, f"expected {len(names)} cells")
        yield number, dict(zip(names, cells), text=line)


def chained(path):
    """Checks the chain of results. Returns the games: lists of (line, row)."""
    header = contents(path).split(b"\n", 1)[0] + b"\n"
    if not header.endswith(b",chain\n"):
        raise Differs(path, 1, "the last column is not `chain`")
    chain, games, known = hashlib.sha256(header).hexdigest(), [], set()
    for line, row in table(path):
        before = row["text"][: row["text"].rindex(",") + 1]
        chain = hashlib.sha256((chain + before).encode()).hexdigest()
        if row["chain"] != chain:
            raise Differs(path, line, f"found the chain {row['chain']}, expected {chain}")
        if row.get("format") != "3":
            raise Unknown(f"{path}, line {line}: a row of format {row.get('format')}, not 3")
        row["text"] = before[:-1]
        if not games or games[-1][0][1]["game"] != row["game"]:
            if row["game"] in known:
                raise Differs(path, line, f"the game {row['game']} is entered twice")
            known.add(row["game"])
            games.append([])
        games[-1].append((line, row))
    return games


class Verified:
    """What was verified so far: numbers, mean shares, and what was left out."""

    def __init__(self):
        self.games, self.rows, self.logs, self.draws, self.notes = 0, 0, 0, 0, 0
        self.said, self.left_out = [], {}

    def counts(self):
        names = ["game", "row", "log", "draw", "note"]
        numbers = zip([self.games, self.rows, self.logs, self.draws, self.notes], names)
        return [f"{number} {name}{'s' if number != 1 else ''}" for number, name in numbers if number] or ["no games"]

    def leave_out(self, what):
        self.left_out[what] = None

    def results(self, path):
        """Replays the log of each game, and compares the rows. Returns the games."""
        games, logs = chained(path), set()
        for game in games:
            line, first = game[0]
            log = log_beside(path, first["log"])
            if log is None:
                raise Differs(path, line, f"its log is missing: {first['log']}")
            logs.add(os.path.realpath(log))
            replayed = Log(log)
            if [row["seat"] for _, row in game] != [str(seat) for seat in range(replayed.seats)]:
                raise Differs(path, line, f"expected a row for each of the seats 0 to {replayed.seats - 1}")
            for seat, (line, row) in enumerate(game):
                check_row(path, line, row, seat, replayed, first)
            self.games, self.rows, self.draws = self.games + 1, self.rows + len(game), self.draws + replayed.draws
        return games, logs

    def folder(self, path, standings):
        for name in "results.csv", "merged.csv", "partial.csv":
            file = os.path.join(path, name)
            if not os.path.exists(file):
                continue
            games, logs = self.results(file)
            if name == "results.csv":
                self.orphans(path, file, logs)
            self.voids(os.path.join(path, "voids.csv"))
            if os.path.exists(os.path.join(path, "hill.toml")):
                Hill(path, file, games, self).verify(standings)
            elif name != "results.csv":
                Tournament(path, file, games, self).verify()
            else:
                self.means(games, standings)
            return file
        logs = sorted(file for file in files_below(path) if is_log(file))
        if not logs:
            raise Unknown(f"{path}: neither results nor logs")
        for log in logs:
            self.log(log)
        return logs[0]

    def log(self, path):
        self.draws += Log(path).draws
        self.logs += 1

    def orphans(self, path, file, logs):
        """Makes sure that each finished log has its rows."""
        for log in sorted(files_below(os.path.join(path, "logs"))):
            if re.search(r"\.csv(\.gz)?$", log) and os.path.realpath(log) not in logs:
                raise Differs(file, 0, f"the rows of a finished game are missing: its log is {log}")

    def voids(self, path):
        if not os.path.exists(path):
            return
        for line, row in table(path):
            log = log_beside(path, row["log"]) if row["log"] else None
            if row["log"] and (log is None or hashlib.sha256(contents(log)).hexdigest() != row["log_digest"]):
                raise Differs(path, line, f"the log of a void game is missing or was changed: {row['log']}")
        self.leave_out("void games: only that their logs have the recorded SHA-256")

    def means(self, games, standings, is_counted=lambda game: True):
        """Says the mean share of each bot, and compares them with a table of standings."""
        sums = {}
        for game in filter(is_counted, games):
            for _, row in game:
                if row["counts"] == "1":
                    micros, count = sums.get((row["bot"], row["bot_version"]), (0, 0))
                    sums[row["bot"], row["bot_version"]] = micros + millionths(row["share"]), count + 1
        means = {bot: (micros / 1e6 / count, count) for bot, (micros, count) in sums.items()}
        for (name, version), (mean, count) in sorted(means.items(), key=lambda bot: (-bot[1][0], bot[0])):
            self.said.append(f"  {name} version {version}: mean share {mean:.4f} in {count} games")
        if standings is None:
            return
        seen = set()
        for line, row in table(standings, "mean_share"):
            bot = row["bot"], row.get("version") or max((other[1] for other in means if other[0] == row["bot"]), default="")
            mean, count = means.get(bot, (None, 0))
            if row["games"] != str(count) or (count and abs(float(row["mean_share"]) - mean) > 0.00005001):
                what = f"{count} games" + (f" and a mean share of {mean:.4f}" if count else "")
                raise Differs(standings, line, f"the results give {row['bot']} {what}")
            seen.add(bot)
        if set(means) - seen:
            raise Differs(standings, 0, f"{sorted(set(means) - seen)[0][0]} is missing")
        self.leave_out("standings: only games and mean_share")


def check_row(path, line, row, seat, log, first):
    """Compares a row of results with the one that follows from its log."""
    name, version, digest = log.bots[seat]
    faults = " ".join(f"{kind}={count}" for kind, count in log.faults[seat].items() if count)
    due = {"game": log.name, "rules": log.rules, "rules_version": log.version, "parameters": log.parameters}
    due.update(seed=log.seed, seats=str(log.seats), bot=name, bot_version=version, bot_digest=digest)
    due.update(score=str(log.scores[seat]), share=f"{log.shares[seat]:.6f}", place=str(log.places[seat]))
    due.update(end=log.reason, turns=str(log.game.turn), faults=faults, log_digest=log.digest)
    due.update((column, str(time)) for column, time in log.clocks[seat].columns())
    same = ["started", "season", "round", "table", "rotation", "log", "rules_digest"]
    due.update((column, first[column]) for column in same if column in first)
    for column, cell in due.items():
        if row.get(column) != cell:
            raise Differs(path, line, f"column {column} is `{row.get(column)}`, expected `{cell}`")
    arguments = log.arguments.get(seat, "")
    if row["arguments"] not in (arguments, re.sub('[,"]', ";", arguments)):
        raise Differs(path, line, f"column arguments is `{row['arguments']}`, expected `{arguments}`")
    if row["counts"] not in ("0", "1"):
        raise Differs(path, line, f"column counts is `{row['counts']}`, expected 0 or 1")


def millionths(share):
    whole, _, part = share.partition(".")
    return int(whole) * 10**6 + int(part)


def log_beside(path, name):
    """Returns the log that a table names: compressed or not."""
    log = os.path.join(os.path.dirname(path), name)
    other = log[:-3] if log.endswith(".gz") else log + ".gz"
    return next((file for file in (log, other) if os.path.isfile(file)), None)


def files_below(path):
    for folder, _, files in os.walk(path):
        yield from (os.path.join(folder, file) for file in files)


def is_log(path):
    if not re.search(r"\.csv(\.gz)?$", path):
        return False
    return contents(path).startswith(",".join(COLUMNS).encode())


# Schedules ------------------------------------------------------------------------------------------------------------


def settings_of(path):
    """Returns the plain values of a TOML file that stand before its first table."""
    text = contents(path).decode(errors="replace").split("\n[", 1)[0]
    return {name: value.strip('"') for name, value in re.findall(r'^(\w+) = ("[^"]*"|\w+)', text, re.M)}


def derived(seed, purpose, *numbers):
    """Returns the seed of a deal or a game."""
    text = b"referee seed " + seed.to_bytes(8, "big") + purpose.encode()
    return int.from_bytes(hashlib.sha256(text + b"".join(n.to_bytes(4, "big") for n in numbers)).digest()[:8], "big")


class Hill:
    """The schedule of a hill, and which games count for its standings."""

    rings = {"football": [0, 1, 3, 2]}
    squares = [[0, 1, 2, 3], [0, 1, 3, 2], [0, 2, 1, 3]]

    def __init__(self, path, file, games, verified):
        self.path, self.file, self.games, self.verified = path, file, games, verified
        self.settings = settings_of(os.path.join(path, "hill.toml"))
        self.seasons = {}
        for _, row in table(os.path.join(path, "seasons.csv"), "season"):
            self.seasons.setdefault(row["season"], []).append(row)

    def verify(self, standings):
        self.schedule()
        if self.settings.get("rank_by", "score") != "score":
            self.verified.leave_out("mean shares: rank_by is not `score`")
            return
        last = self.seasons[max(self.seasons, key=int)] if self.seasons else []
        field = {(row["name"], row["version"], row["digest"]) for row in last}

        def is_counted(game):
            season = self.seasons[game[0][1]["season"]]
            bots = {(row["bot"], row["bot_version"], row["bot_digest"]) for _, row in game}
            return self.terms(season) == self.terms(last) and bots <= field

        self.verified.means(self.games, standings, is_counted)

    @staticmethod
    def terms(season):
        """Returns the terms of a season's games, without the rule of its verdict."""
        rule = ("method", "edition", "alpha", "epsilon", "until", "rank_by", "bands", "racing")
        return [word for word in season[0]["terms"].split(" ") if word.split("=")[0] not in rule]

    def schedule(self):
        seed = self.settings.get("seed", "")
        if not re.fullmatch("0x[0-9a-f]{16}", seed):
            self.verified.leave_out("the schedule: hill.toml has no seed")
            return
        if self.settings.get("deal", "uniform") != "uniform" or self.settings.get("author_seats", "0") != "0":
            self.verified.leave_out("the seats: rounds are balanced, or authors sit apart")
        else:
            self.deals(int(seed, 16))
        for game in self.games:
            line, row = game[0]
            numbers = [int(row[column]) for column in ("season", "round", "table")]
            due = f"0x{derived(int(seed, 16), 'game', *numbers):016x}"
            if row["seed"] != due:
                raise Differs(self.file, line, f"the seed is {row['seed']}, by the schedule {due}")

    def deals(self, seed):
        """Makes sure that the bots of each game are those that the deal seats there, and that no game is left out."""
        racing = os.path.exists(os.path.join(self.path, "races.csv"))
        given_up = set()
        if os.path.exists(os.path.join(self.path, "voids.csv")):
            rows = table(os.path.join(self.path, "voids.csv"))
            given_up = {row["game"] for _, row in rows if row["reason"] == "given_up"}
        rounds, place = {}, {}
        for game in self.games:
            line, row = game[0]
            at = row["season"], int(row["round"])
            if row["season"] not in self.seasons:
                raise Differs(self.file, line, f"seasons.csv has no season {row['season']}")
            if at not in rounds:
                rounds[at] = self.round(seed, row["season"], at[1], row["rules"], len(game))
            due = rounds[at].get((row["table"], row["rotation"]))
            found = [(row["bot"], row["bot_version"], row["bot_digest"]) for _, row in game]
            bots = [(bot["name"], bot["version"], bot["digest"]) for bot, _ in due or []]
            if found != bots:
                what = " ".join(bot[0] for bot in bots) or "no game"
                raise Differs(self.file, line, f"the schedule has {what} at this table, not {' '.join(bot[0] for bot in found)}")
            if not racing and [row["counts"] for _, row in game] != [str(int(counts)) for _, counts in due]:
                raise Differs(self.file, line, "the seats that count are not those of the schedule")
            place.setdefault(at, []).append((int(row["table"]), int(row["rotation"])))
        if racing:
            self.verified.leave_out("races.csv: which seats count, and which games are left out by the race")
            return
        for (season, number), dealt in rounds.items():
            names = [(int(one), int(other)) for one, other in dealt]
            missing = [name for name in names if name not in place[season, number]]
            is_last = (season, number) == max(rounds, key=lambda at: (int(at[0]), at[1]))
            for one, other in missing:
                name = f"s{int(season):03}-r{number:05}-t{one:03}-g{other}"
                if name not in given_up and not (is_last and (one, other) > max(place[season, number])):
                    raise Differs(self.file, 0, f"the game {name} is missing")

    def round(self, seed, season, number, rules, seats):
        """Deals a round: for each table and rotation the bots by seat, each with whether it counts."""
        field = self.seasons[season]
        dice = Dice(derived(seed, "deal", int(season), number, 0), 0)
        if rules == "target":
            bots = [(field[seat % len(field)], True) for seat in range(-(-16 // len(field)) * len(field))]
            dice.choose(bots, len(bots))
            tables, block = [bots], 1
        else:
            dealt, block = list(range(len(field))), seats
            dice.choose(dealt, len(dealt))
            parts = [dealt[at : at + seats] for at in range(0, len(dealt), seats)]
            tables = [[(field[bot], counts) for bot, counts in filled(part, len(field), seats, dice)] for part in parts]
        kind = self.settings.get("block", "one-seating")
        squares = self.squares if kind != "one-game" and kind != "one-seating" and seats == 4 else [list(range(len(tables[0])))]
        ring, games = self.rings.get(rules, list(range(len(tables[0])))), {}
        for number_of, bots in enumerate(tables, 1):
            for game in range(1 if kind == "one-game" else block * len(squares)):
                order = [bots[place] for place in squares[game // block]]
                turned = {seat: order[(place - game % block) % len(order)] for place, seat in enumerate(ring)}
                games[str(number_of), str(game + 1)] = [turned[seat] for seat in range(len(order))]
        return games


def filled(bots, field, seats, dice):
    """Fills a table up with bots that do not count: with as few copies of a bot as possible."""
    at_table = [(bot, True) for bot in bots]
    while len(at_table) < seats:
        copies = [sum(other == bot for other, _ in at_table) for bot in range(field)]
        fewest = [bot for bot in range(field) if copies[bot] == min(copies)]
        at_table.append((fewest[dice.below(len(fewest))], False))
    if len(bots) < seats:
        dice.choose(at_table, seats)
    return at_table


class Tournament:
    """The plan of a tournament: its schedule, its batches, and the merged results."""

    def __init__(self, path, file, games, verified):
        self.path, self.file, self.games, self.verified = path, file, games, verified

    def verify(self):
        rounds = [self.path]
        for number in range(2, 10**4):
            folder = os.path.join(self.path, "rounds", f"{number:04}")
            if not os.path.exists(os.path.join(folder, "plan.toml")):
                break
            rounds.append(folder)
        schedule, entered = {}, []
        for folder in rounds:
            schedule.update(self.plan(folder))
            entered += self.batches(folder)
        for game in self.games:
            line, row = game[0]
            due = schedule.get(tuple(int(row[column]) for column in ("season", "round", "table", "rotation")))
            found = row["seed"], [(row["bot"], row["bot_digest"], row["counts"]) for _, row in game]
            if found != due:
                raise Differs(self.file, line, f"the schedule has another game there: found {found}, expected {due}")
        found = {row["game"]: [self.cells(row) for _, row in game] for game in self.games for _, row in game[:1]}
        for path, line, game, rows in entered:
            if found.get(game) != rows:
                raise Differs(path, line, f"the rows of game {game} are not those in {os.path.basename(self.file)}")
        for game in set(found) - {game for _, _, game, _ in entered}:
            raise Differs(self.file, 0, f"no batch has the game {game}")
        self.verified.leave_out("the plan: whether schedule.txt follows from the seed and the format; rulings")

    @staticmethod
    def cells(row):
        return {name: cell for name, cell in row.items() if name not in ("log", "chain", "text")}

    def plan(self, folder):
        """Returns the schedule of a round: seed and bots by the place of each game."""
        path = os.path.join(folder, "plan.toml")
        data = contents(path)
        entrants = re.findall(r'^\[\[entrant\]\]\n(.*?)(?=^\[\[|\Z)', data.decode(), re.M | re.S)
        field = [[re.search(rf'^{key} = "(.*)"$', text, re.M).group(1) for key in ("name", "identity")] for text in entrants]
        index, file = os.path.join(folder, "schedule.idx"), os.path.join(folder, "schedule.txt")
        first, *body = text_lines(index, contents(index))
        plan = hashlib.sha256(data).hexdigest()
        if not first.startswith(f"plan {plan} "):
            raise Differs(index, 1, f"expected the SHA-256 of plan.toml, {plan}")
        digest = hashlib.sha256("".join(line + "\n" for line in body).encode()).hexdigest()
        if settings_of(path).get("schedule") != digest:
            raise Differs(path, 0, f"expected the SHA-256 of schedule.idx without its first line, {digest}")
        lines, schedule = text_lines(file, contents(file)), {}
        for number, line in enumerate(body, 2):
            _, start, count, due = line.split()
            batch = "".join(line + "\n" for line in lines[int(start) : int(start) + int(count)])
            if hashlib.sha256(batch.encode()).hexdigest() != due:
                raise Differs(file, int(start) + 1, f"the batch does not have the SHA-256 of {index}, line {number}")
        for line in lines:
            _, season, number, at, rotation, seed, _, *bots = line.split()
            seated = [(*field[int(bot.rstrip("*"))], "0" if bot.endswith("*") else "1") for bot in bots]
            schedule[int(season), int(number), int(at), int(rotation)] = seed, seated
        return schedule

    def batches(self, folder):
        """Returns the games of all batches of a round: file, line, name and rows."""
        games = []
        for path in sorted(files_below(os.path.join(folder, "results"))):
            lines = text_lines(path, contents(path))
            before = "".join(line + "\n" for line in lines[:-1]).encode()
            if lines[-1] != f"end,{hashlib.sha256(before).hexdigest()}":
                raise Differs(path, len(lines), "expected `end` and the SHA-256 of all lines before")
            rows = [(number, line) for number, line in enumerate(lines[:-1], 1) if not re.match("plan,|void,", line)]
            names = rows[0][1].split(",") if rows else []
            for number, line in rows[1:]:
                row = dict(zip(names, cells_of(line) or []))
                if not games or games[-1][2] != row.get("game"):
                    games.append((path, number, row.get("game"), []))
                games[-1][3].append(self.cells(row))
        return games


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
    if key is None or r is None or s >= ORDER or len(signature) != 64:
        return False
    h = int.from_bytes(hashlib.sha512(signature[:32] + public + text).digest(), "little") % ORDER
    base = point((4 * pow(5, P - 2, P) % P).to_bytes(32, "little"))
    left, right = times(s, base), plus(r, times(h, key))
    return all((left[i] * right[2] - right[i] * left[2]) % P == 0 for i in (0, 1))


def leaf(text):
    return hashlib.sha256(b"\0" + text).digest()


def node(left, right):
    return hashlib.sha256(b"\1" + left + right).digest()


def root(leaves):
    """Returns the root of a Merkle tree (RFC 6962, 2.1)."""
    if len(leaves) < 2:
        return leaves[0] if leaves else hashlib.sha256().digest()
    split = 1 << (len(leaves) - 1).bit_length() - 1
    return node(root(leaves[:split]), root(leaves[split:]))


def root_by_proof(index, size, hashed, beside):
    """Returns the root that an entry and the hashes beside its way lead to; None if their number is wrong."""
    last = size - 1
    for hash in beside:
        if last == 0:
            return None
        if index & 1 or index == last:
            hashed = node(hash, hashed)
            while not index & 1 and index:
                index, last = index >> 1, last >> 1
        else:
            hashed = node(hashed, hash)
        index, last = index >> 1, last >> 1
    return None if last else hashed


class Key:
    """A public key, `NAME+NUMBER+KEY` (C2SP signed-note)."""

    def __init__(self, text):
        self.text = text
        self.name, self.number, data = (text.split("+", 2) + ["", ""])[:3]
        data = unpacked(data)
        if data[:1] != b"\1" or hashlib.sha256(self.name.encode() + b"\n" + data).hexdigest()[:8] != self.number:
            raise ValueError("this is not an Ed25519 key")
        self.public = data[1:]

    def opened(self, note):
        """Returns the lines of a note that the key has signed."""
        text, empty, signatures = note.rpartition("\n\n")
        if not empty or not signatures.endswith("\n"):
            raise ValueError("this is not a signed note")
        known = 0
        for line in signatures[:-1].split("\n"):
            dash, signer, signature = (line.split(" ") + ["", ""])[:3]
            signature = unpacked(signature)
            if dash != "\u2014" or len(signature) < 5:
                raise ValueError("this is not a signed note")
            if signer == self.name and signature[:4].hex() == self.number:
                known += 1
                if not is_signed(self.public, (text + "\n").encode(), signature[4:]):
                    raise ValueError("the signature is not that of the key")
        if not known:
            raise ValueError(f"the key {self.text} has not signed it")
        return text.split("\n")


def unpacked(text):
    try:
        return base64.b64decode(text, validate=True)
    except ValueError:
        return b""


class Proof:
    """The notes about a list: their signatures, and whether the records are those that were signed."""

    def __init__(self, folder, known, entries, verified):
        """`entries` are pairs: the name and the bytes of each entry of the list."""
        self.folder, self.entries, self.verified = folder, entries, verified
        self.leaves = [leaf(text) for _, text in entries]
        path = os.path.join(folder, "key")
        self.commitment = []
        self.keys, self.until = [self.at(path, Key, contents(path).decode().strip())], []
        for path in sorted(files_below(os.path.join(folder, "rotations"))):
            self.at(path, self.rotate, contents(path).decode())
        if known and known not in [key.text for key in self.keys]:
            raise Differs(path, 0, f"the keys of this list do not include {known}")
        if not known:
            verified.leave_out("the owner of the key: name the announced one with --key")

    def at(self, path, call, *words):
        """Calls a function; what it refuses is an error of this file."""
        try:
            self.verified.notes += 1
            return call(*words)
        except (ValueError, IndexError) as error:
            raise Differs(path, 0, str(error)) from error

    def rotate(self, note):
        lines = self.keys[-1].opened(note)
        if [lines[0], lines[1], lines[3]] != ["referee rotation of a key", self.keys[0].name, self.keys[-1].text]:
            raise ValueError("this is not a rotation of the last key")
        new = Key(lines[4])
        new.opened(note)
        self.until.append(int(lines[2]))
        self.keys.append(new)

    def all(self, notes):
        checkpoints = os.path.join(self.folder, "checkpoints")
        for path in sorted(files_below(checkpoints)) + notes:
            self.at(path, self.note, contents(path).decode(errors="replace"))
        path = os.path.join(self.folder, "seed")
        if os.path.exists(path):
            self.at(path, self.seed, contents(path))

    def note(self, note):
        """Checks a checkpoint or a receipt."""
        for key in self.keys:
            try:
                lines = key.opened(note)
                break
            except ValueError as error:
                if key is self.keys[-1]:
                    raise error
        if lines[0] == "referee receipt of a submission":
            return self.submission(lines)
        if lines[0] == "referee receipt of a game":
            return self.receipt(lines)
        if lines[0] != self.keys[0].name:
            raise ValueError(f"the note is for another list: {lines[0]}")
        size = int(lines[1])
        due = self.keys[sum(until < size for until in self.until)]
        due.opened(note)
        if size > len(self.leaves) or lines[2] != base64.b64encode(root(self.leaves[:size])).decode():
            raise ValueError(f"the records do not begin with the {size} entries that were signed")
        self.commitment = [line for line in lines if line.startswith("seed ")]

    def submission(self, lines):
        _, origin, bot, digest, date, arguments = lines
        rows = table(os.path.join(os.path.dirname(self.folder), "entrants.csv"), "identity")
        rows = [row for _, row in rows if row["event"] == "submitted" and f"{row['name']} {row['version']}" == bot]
        due = [(row["digest"], row["date"], "arguments: " + row["arguments"]) for row in rows]
        if origin != self.keys[0].name or due != [(digest, date, arguments)]:
            raise ValueError(f"entrants.csv does not have the submission of {bot} as it was signed")

    def receipt(self, lines):
        _, origin, game, index, hashed, size, whole, *beside = lines
        entry, index = unpacked(hashed), int(index)
        beside = [unpacked(line.split("beside ")[1]) for line in beside]
        if origin != self.keys[0].name or root_by_proof(index, int(size), entry, beside) != unpacked(whole):
            raise ValueError("the proof of the receipt does not lead to its root")
        if self.entries[index : index + 1] != [(game, self.entries[index][1])] or self.leaves[index] != entry:
            raise ValueError(f"entry {index} of the list is not {game} as it was signed")

    def seed(self, text):
        lines = text.decode().split("\n")
        digest = hashlib.sha256(text).hexdigest()
        if self.commitment != [f"seed {digest}"] or lines[1] != self.keys[0].name:
            raise ValueError("the published seed is not the one that the checkpoints commit to")
        home = os.path.dirname(self.folder)
        name = next(name for name in ("hill.toml", "plan.toml") if os.path.exists(os.path.join(home, name)))
        if settings_of(os.path.join(home, name)).get("seed") != lines[2]:
            raise ValueError(f"{name} has another seed than the one that the checkpoints commit to")


def entries_of(home, results):
    """Returns the entries of the signed list: the rows of each game, or the lines of a tournament's list."""
    listed = os.path.join(home, "proof", "list.csv")
    if os.path.exists(listed):
        lines = contents(listed).decode().splitlines(keepends=True)[1:]
        return [(line.rpartition(",")[0], line.encode()) for line in lines]
    games = []
    for line in contents(results).decode().splitlines(keepends=True)[1:] if os.path.exists(results) else []:
        game = (cells_of(line.rstrip("\n")) or [""])[0]
        if not games or games[-1][0] != game:
            games.append((game, b""))
        games[-1] = game, games[-1][1] + line.encode()
    return games


# The command ----------------------------------------------------------------------------------------------------------


def verify(path, options):
    verified = Verified()
    file = path
    if os.path.isdir(path):
        file = verified.folder(path, options.standings)
    elif is_log(path):
        verified.log(path)
    else:
        verified.means(verified.results(path)[0], options.standings)
    home = path if os.path.isdir(path) else os.path.dirname(path)
    folder = os.path.join(home, "proof")
    if os.path.exists(os.path.join(folder, "key")) and not is_log(file):
        Proof(folder, options.key, entries_of(home, file), verified).all(options.note)
    elif options.key or options.note:
        raise Differs(folder, 0, "there is no key, so nothing was signed here, or it was removed")
    elif not is_log(file):
        verified.leave_out("signed notes: there are none")
    return verified


def main():
    parser = argparse.ArgumentParser(
        formatter_class=lambda prog: argparse.HelpFormatter(prog, width=80),
        description="Verifies records of games without the program that made them: replays each log from its seed and "
        "answers, and recomputes draws, verdicts, scores, results, the chain, schedules, means and signed notes.",
        epilog="Exit status: 0 if all agrees, 3 if something differs, 2 if it cannot tell. The last lines say what was "
        "not checked.",
    )
    parser.add_argument("path", nargs="+", metavar="PATH", help="a log, results.csv, or the folder of games, a hill or a tournament")
    parser.add_argument("--standings", metavar="FILE", help="compare games and mean shares with these standings in CSV")
    parser.add_argument("--key", help="the announced key; the records must be signed by it or its successors")
    parser.add_argument("--note", metavar="FILE", action="append", default=[], help="a receipt or a checkpoint that somebody kept")
    options, left_out = parser.parse_args(), {}
    for path in options.path:
        try:
            verified = verify(path, options)
        except Differs as error:
            print(f"differs: {error}", file=sys.stderr)
            return 3
        except Unknown as error:
            print(f"cannot tell: {error}", file=sys.stderr)
            return 2
        print(f"{path}: agrees: " + ", ".join(verified.counts()))
        for line in verified.said:
            print(line)
        left_out.update(verified.left_out)
    for what in [*left_out, *NEVER]:
        print(f"not checked: {what}")
    return 0


NEVER = ["whether bots gave the recorded answers in the recorded times", "programs in the store, and the runners' records"]

if __name__ == "__main__":
    sys.exit(main())
