"""An arena of CodeClash with the games of `referee`, and its sandbox, clock, records and stop rule.

Put it into CodeClash's folder codeclash/arenas/referee/ with Referee.Dockerfile and one static program `referee`.
Settings below `game.args`, with the defaults:

    game: push            a game of `referee play --help`, or a judge's path in the container
    parameters: ""        its options, such as "--turns 20"
    opponents: []         house bots that also play
    sandbox: landlock     Docker denies programs namespaces; strict needs a privileged container

`sims_per_round` is the maximum number of games in a round. A round ends earlier if one bot is clearly the best.
"""

import json
import shlex

from codeclash.agents.player import Player
from codeclash.arenas.arena import CodeArena, RoundStats
from codeclash.constants import RESULT_TIE
from codeclash.utils.environment import assert_zero_exit_code


class RefereeArena(CodeArena):
    name: str = "Referee"
    submission: str = "bot"
    hill: str = "/tmp/referee-hill"
    published: tuple[str, ...] = ("hill.toml", "results.csv", "seasons.csv", "verdicts.csv", "logs")
    default_args: dict = {"game": "push", "parameters": "", "opponents": [], "sandbox": "landlock"}
    description: str = """Your bot is the executable file `bot`: a script with its first line, or a compiled program.
It reads one line of integers for each turn and prints one back. `referee docs` prints the documents: the game's page
describes the question and the answer of each turn, the page `wire` the rest. `referee check ./bot --game push` names
mistakes and how to fix them."""

    def _arg(self, name: str):
        return self.game_config.get("args", {}).get(name, self.default_args[name])

    def _home(self, agent: Player) -> str:
        """Returns the folder of an agent's files in the container of the games."""
        return f"/{agent.name}"

    def _parameters(self) -> list[str]:
        return shlex.split(self._arg("parameters"))

    def validate_code(self, agent: Player) -> tuple[bool, str | None]:
        listed = agent.environment.execute("ls")["output"].split()
        if self.submission not in listed:
            return False, f"there is no file `{self.submission}` in the root directory"
        command = ["chmod", "+x", self.submission]
        agent.environment.execute(shlex.join(command))
        command = ["referee", "check", f"./{self.submission}", "--game", self._arg("game")]
        command += ["--sandbox", self._arg("sandbox")]
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
        rows = [row for row in standings["rows"] if row["bot"] in names]
        for row in rows:
            name = names[row["bot"]]
            stats.scores[name] = stats.player_stats[name].score = row["mean_share"]
        # The stop rule must be sure of a winner. If a house bot is the best, no agent wins.
        verdict = standings["verdict"] or {"verdict": "not_separated", "kings": []}
        kings = [names.get(king["bot"]) for king in verdict["kings"]]
        is_clear = verdict["verdict"] == "clear_king" and kings[0] is not None
        stats.winner = kings[0] if is_clear else RESULT_TIE
        stats.details.append(f"verdict: {verdict['verdict']}, after {standings['round']} rounds")
