"""An arena of CodeClash with the games of `referee`, and its sandbox, clock, records and stop rule.

Put it into CodeClash's folder codeclash/arenas/referee/ with Referee.Dockerfile and one static program `referee`.
Settings below `game.args`, with the defaults:

    game: push            a game of `referee play --help`, or a judge's path in the container
    parameters: ""        its parameters as options of `referee hill new`, such as "--turns 20"
    opponents: []         house bots that also play
    sandbox: landlock     Docker denies programs namespaces; strict needs a privileged container
    winner: most          most: of a round, the agent with the highest score; sure: only if the stop rule is sure of it

`sims_per_round` is the maximum number of rounds of the hill, each with a game at every table. It ends earlier if one bot
is clearly the best. As in CodeClash's other arenas, scores are games won, scaled to `sims_per_round`: of the games of two
agents or more, each is won by the one with the highest mean share, and equal ones divide it.

For another game than Push, build the image with `--build-arg GAME=football`, so that agents begin with a bot for it.
"""

import csv
import json
import re
import shlex
from fractions import Fraction

from codeclash.agents.player import Player
from codeclash.arenas.arena import CodeArena, RoundStats
from codeclash.constants import RESULT_TIE
from codeclash.utils.environment import assert_zero_exit_code


class RefereeArena(CodeArena):
    name: str = "Referee"
    submission: str = "bot"
    hill: str = "/tmp/referee-hill"
    published: tuple[str, ...] = ("hill.toml", "results.csv", "seasons.csv", "verdicts.csv", "logs")
    default_args: dict = {"game": "push", "parameters": "", "opponents": [], "sandbox": "landlock", "winner": "most"}

    @property
    def description(self) -> str:
        game = shlex.quote(self._arg("game"))
        return f"""Your bot is the executable file `bot`: a script with its first line, or a compiled program.
It reads one line of integers for each turn and prints one back. `referee docs` prints the documents: the game's page
describes the question and the answer of each turn, the page `wire` the rest. `referee check ./bot --game {game}` names
mistakes and how to fix them."""

    def _arg(self, name: str):
        return self.game_config.get("args", {}).get(name, self.default_args[name])

    def _home(self, agent: Player) -> str:
        """Returns the folder of an agent's files in the container of the games."""
        return f"/{agent.name}"

    def _parameters(self) -> list[str]:
        return shlex.split(self._arg("parameters"))

    def _settings(self) -> list[str]:
        """Returns the parameters as `referee check` takes them: `-p 2 --max-turns=9` is p=2 and max_turns=9."""
        words, settings = iter(self._parameters()), []
        for word in words:
            if word == "--set":
                settings.append(f"--set={next(words, '')}")
                continue
            if word.startswith("--set="):
                settings.append(word)
                continue
            # `-p2` is `-p 2`.
            is_joined = re.fullmatch(r"-[A-Za-z]=?[0-9].*", word)
            name, _, value = (word[:2], "", word[2:].lstrip("=")) if is_joined else word.partition("=")
            if not name.startswith("-") or not (value or (value := next(words, ""))):
                raise ValueError(f"parameters: {word!r} is no option with a value, as in `-p 2 --max-turns 9`")
            settings.append(f"--set={name.lstrip('-').replace('-', '_')}={value}")
        return settings

    def validate_code(self, agent: Player) -> tuple[bool, str | None]:
        listed = agent.environment.execute("ls")["output"].split()
        if self.submission not in listed:
            return False, f"there is no file `{self.submission}` in the root directory"
        command = ["chmod", "+x", self.submission]
        agent.environment.execute(shlex.join(command))
        command = ["referee", "check", f"./{self.submission}", "--game", self._arg("game")]
        command += [*self._settings(), "--sandbox", self._arg("sandbox")]
        checked = agent.environment.execute(shlex.join(command))
        if checked["returncode"] != 0:
            return False, checked["output"].strip() or "referee check failed"
        return True, None

    def execute_round(self, agents: list[Player]) -> None:
        # All agents can read the folder of the logs. The hill contains their programs and standard errors, so it is elsewhere.
        hill = self.hill
        games = int(self.game_config["sims_per_round"])
        sandbox = ["--sandbox", self._arg("sandbox")]
        commands = [["rm", "-rf", hill]]
        commands += [["referee", "hill", "new", hill, self._arg("game"), *self._parameters()]]
        for number, agent in enumerate(agents):
            # CodeClash's names may contain characters that a bot's name cannot.
            bot = shlex.quote(f"{self._home(agent)}/{self.submission}")
            commands.append(["referee", "hill", "submit", hill, bot, "--name", f"agent{number}", *sandbox])
        for number, bot in enumerate(self._arg("opponents")):
            commands.append(["referee", "hill", "submit", hill, bot, "--name", f"house{number}", *sandbox])
        commands.append(["referee", "hill", "run", hill, "--until-clear", "--min-rounds", "1"])
        commands[-1] += ["--max-rounds", str(games), *sandbox]
        commands.append(["mkdir", "-p", str(self.log_env)])
        commands.append(["cp", "-r", *(f"{hill}/{name}" for name in self.published), str(self.log_env)])
        for command in commands:
            self.logger.info(f"Running: {shlex.join(command)}")
            assert_zero_exit_code(self.environment.execute(shlex.join(command)), logger=self.logger)
        standings = shlex.join(["referee", "hill", "standings", hill, "--format", "json"])
        assert_zero_exit_code(self.environment.execute(f"{standings} > {self.log_env}/standings.json"))

    def get_results(self, agents: list[Player], round_num: int, stats: RoundStats) -> None:
        with open(self.log_round(round_num) / "standings.json") as file:
            standings = json.load(file)
        names = {f"agent{number}": agent.name for number, agent in enumerate(agents)}
        scores = self._scores(self.log_round(round_num) / "results.csv", names)
        for name, score in scores.items():
            stats.scores[name] = stats.player_stats[name].score = score
        # The stop rule must be sure of a winner. If a house bot is the best, no agent wins.
        verdict = standings["verdict"] or {"verdict": "not_separated", "kings": []}
        kings = [names.get(king["bot"]) for king in verdict["kings"]]
        if self._arg("winner") == "most":
            # Of those whose score is the highest.
            kings = [name for name, score in scores.items() if score == max(scores.values())]
            is_clear = len(kings) == 1
        else:
            is_clear = verdict["verdict"] == "clear_king" and kings[0] is not None
        stats.winner = kings[0] if is_clear else RESULT_TIE
        stats.details.append(f"verdict: {verdict['verdict']}, after {standings['round']} rounds")

    def _scores(self, results, names: dict[str, str]) -> dict[str, float]:
        """Returns the games won by each agent, scaled to `sims_per_round`. A game counts if two agents or more play in it."""
        games: dict[str, dict[str, list[Fraction]]] = {}
        with open(results, newline="") as file:
            for row in csv.DictReader(file):
                if row["bot"] in names:
                    game = games.setdefault(row["game"], {})
                    game.setdefault(names[row["bot"]], []).append(Fraction(row["share"]))
        met = [shares for shares in games.values() if len(shares) > 1]
        won = dict.fromkeys(names.values(), Fraction(0))
        for shares in met:
            means = {name: sum(own) / len(own) for name, own in shares.items()}
            best = [name for name, mean in means.items() if mean == max(means.values())]
            for name in best:
                won[name] += Fraction(1, len(best))
        sims = int(self.game_config["sims_per_round"])
        return {name: float(sims * own / len(met) if met else Fraction(sims, len(won))) for name, own in won.items()}
