"""The arena for CodeClash, with CodeClash's published interface, and commands that run on this machine."""

import importlib.util
import json
import logging
import os
import subprocess
import sys
import types
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
STEADY = "#!/usr/bin/env python3\nimport sys\nfor line in sys.stdin:\n    print('20 3', flush=True)\n"
SILENT = "#!/usr/bin/env python3\nraise SystemExit(7)\n"


class Environment:
    """Commands run in a folder, as in a container."""

    def __init__(self, folder: Path, path: str):
        folder.mkdir(parents=True)
        self.folder, self.path = folder, path

    def execute(self, command: str) -> dict:
        environment = dict(os.environ, PATH=self.path)
        ran = subprocess.run(
            ["bash", "-c", command], cwd=self.folder, env=environment, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )
        return {"output": ran.stdout, "returncode": ran.returncode}


class Stats:
    """Like CodeClash's RoundStats, which `get_results` fills in."""

    def __init__(self, names: list[str]):
        self.winner = None
        self.scores = {name: 0.0 for name in names}
        self.player_stats = {name: types.SimpleNamespace(score=0.0) for name in names}
        self.details: list[str] = []


def assert_zero_exit_code(result, *, logger=None):
    assert result["returncode"] == 0, result["output"]
    return result


@pytest.fixture
def arena(monkeypatch, tmp_path, program):
    """The arena, with stand-ins for the parts of CodeClash that it uses."""
    modules = {
        "codeclash": {},
        "codeclash.agents": {},
        "codeclash.agents.player": {"Player": object},
        "codeclash.arenas": {},
        "codeclash.arenas.arena": {"CodeArena": object, "RoundStats": Stats},
        "codeclash.constants": {"RESULT_TIE": "Tie"},
        "codeclash.utils": {},
        "codeclash.utils.environment": {"assert_zero_exit_code": assert_zero_exit_code},
    }
    for name, contents in modules.items():
        module = types.ModuleType(name)
        vars(module).update(contents)
        monkeypatch.setitem(sys.modules, name, module)
    spec = importlib.util.spec_from_file_location("referee_arena", ROOT / "scripts" / "codeclash" / "referee.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)

    path = f"{Path(program).parent}:{os.environ['PATH']}"
    arena = module.RefereeArena()
    arena.logger = logging.getLogger("arena")
    arena.log_env = tmp_path / "logs"
    arena.hill = str(tmp_path / "hill")
    arena.environment = Environment(tmp_path / "games", path)
    arena.game_config = {
        "sims_per_round": 4,
        "args": {"parameters": "--turns 10", "opponents": ["random"], "sandbox": "off"},
    }
    arena.log_round = lambda round_num: tmp_path / "logs"
    arena._home = lambda agent: str(tmp_path / agent.name)
    arena.make = lambda name, bot: agent_in(tmp_path / name, name, bot, path)
    return arena


def agent_in(folder: Path, name: str, bot: str | None, path: str):
    agent = types.SimpleNamespace(name=name, environment=Environment(folder, path))
    if bot is not None:
        (folder / "bot").write_text(bot)
    return agent


def test_a_round_is_played_and_its_scores_are_games_won(arena):
    agents = [arena.make("claude-4.5 (a)", STEADY), arena.make("b", STEADY.replace("20 3", "20 2"))]
    for agent in agents:
        assert arena.validate_code(agent) == (True, None)
    stats = Stats([agent.name for agent in agents])
    arena.execute_round(agents)
    arena.get_results(agents, 1, stats)
    standings = json.loads((arena.log_env / "standings.json").read_text())
    assert len(standings["rows"]) == 3
    assert sum(stats.scores.values()) == 4 and all(stats.player_stats[name].score == own for name, own in stats.scores.items())
    one, other = stats.scores.values()
    assert stats.winner == ("Tie" if one == other else "b" if other > one else "claude-4.5 (a)")
    assert stats.details == ["verdict: not_separated, after 4 rounds"]
    # A second round starts without any results of the first.
    arena.execute_round(agents)
    arena.get_results(agents, 2, Stats(["claude-4.5 (a)", "b"]))


def test_the_agent_with_the_most_games_wins_and_a_round_that_ended_early_is_scaled(arena):
    agents, rows = [arena.make("a", STEADY), arena.make("b", STEADY)], []
    shares = {"g1": [("agent0", 0.2), ("agent0", 0.1), ("agent1", 0.16), ("agent1", 0.16), ("house0", 0.9)]}
    shares |= {"g2": [("agent0", 0.3), ("agent1", 0.3)], "g3": [("agent1", 0.5), ("agent0", 0)]}
    rows = [f"{game},{bot},{share}" for game, each in shares.items() for bot, share in each]
    arena.log_env.mkdir()
    (arena.log_env / "standings.json").write_text(json.dumps({"rows": [], "verdict": None, "round": 3}))
    arena.game_config["sims_per_round"] = 6
    for lines, scores, winner in [
        (rows, {"a": 1, "b": 5}, "b"),
        # In a game with house bots alone, an agent has beaten no agent.
        ([*rows, "g4,agent0,1", "g4,house0,0"], {"a": 1, "b": 5}, "b"),
        (["g4,agent0,1", "g4,house0,0"], {"a": 3, "b": 3}, "Tie"),
        (rows[:5], {"a": 0, "b": 6}, "b"),
        (rows[5:7], {"a": 3, "b": 3}, "Tie"),
        ([], {"a": 3, "b": 3}, "Tie"),
    ]:
        (arena.log_env / "results.csv").write_text("\n".join(["game,bot,share", *lines]) + "\n")
        stats = Stats(["a", "b"])
        arena.get_results(agents, 1, stats)
        assert stats.scores == pytest.approx(scores) and stats.winner == winner


@pytest.mark.parametrize(("sims", "opponents", "is_early"), [(3, [], False), (7, [], False), (300, ["homeward"], True)])
def test_a_round_has_at_most_the_rounds_that_are_set_and_ends_early_if_one_bot_is_clearly_the_best(arena, sims, opponents, is_early):
    arena.game_config["sims_per_round"] = sims
    arena.game_config["args"] |= {"parameters": "--turns 6", "opponents": opponents}
    agents = [arena.make("a", STEADY), arena.make("b", STEADY)]
    for agent in agents:
        assert arena.validate_code(agent) == (True, None)
    arena.execute_round(agents)
    stats = Stats(["a", "b"])
    arena.get_results(agents, 1, stats)
    rounds = json.loads((arena.log_env / "standings.json").read_text())["round"]
    assert 1 <= rounds <= sims and (rounds < sims) == is_early
    assert sum(stats.scores.values()) == pytest.approx(sims), "scaled, whenever it ended"


GAMES = [("football", "-p 2 --max-turns=3", "*[4] * int(line.split()[3])"), ("foosball", "", "*[0] * 22, *[9] * 4")]


@pytest.mark.parametrize(("game", "parameters", "bot"), GAMES)
def test_the_game_is_a_setting(arena, game, parameters, bot):
    arena.game_config["args"] |= {"game": game, "parameters": parameters, "opponents": []}
    arena.game_config["sims_per_round"] = 1
    assert f"--game {game}` names" in arena.description
    program = STEADY.replace("'20 3'", bot)
    agents = [arena.make("a", program), arena.make("b", program)]
    for agent in agents:
        assert arena.validate_code(agent) == (True, None)
    arena.execute_round(agents)
    stats = Stats(["a", "b"])
    arena.get_results(agents, 1, stats)
    assert sum(stats.scores.values()) == 1 and stats.details[0].endswith("after 1 rounds")


@pytest.mark.parametrize(
    ("parameters", "settings"),
    [
        ("-p 2 --max-turns=9 --turn-ms 50", ["p=2", "max_turns=9", "turn_ms=50"]),
        ("-p2 --set turns=20 --set=seats=3", ["p=2", "turns=20", "seats=3"]),
        ("", []),
        ("--no-key --turns 20", None),
        ("turns 20", None),
    ],
)
def test_parameters_are_checked_as_the_hill_takes_them(arena, parameters, settings):
    arena.game_config["args"]["parameters"] = parameters
    if settings is None:
        with pytest.raises(ValueError, match="parameters: "):
            arena._settings()
    else:
        assert arena._settings() == [f"--set={setting}" for setting in settings]


def test_a_king_is_the_winner_if_the_rule_must_be_sure(arena):
    arena.game_config["args"]["winner"] = "sure"
    agents = [arena.make("a", STEADY), arena.make("b", STEADY)]
    stats = Stats(["a", "b"])
    arena.log_env.mkdir()
    for king, winner in [("agent1", "b"), ("house0", "Tie")]:
        verdict = {"verdict": "clear_king", "kings": [{"bot": king, "version": 1}], "round": 9}
        (arena.log_env / "standings.json").write_text(json.dumps({"rows": [], "verdict": verdict, "round": 9}))
        (arena.log_env / "results.csv").write_text("game,bot,share\ng1,agent0,0\ng1,agent1,1\n")
        arena.get_results(agents, 1, stats)
        assert stats.winner == winner
    assert stats.scores == {"a": 0, "b": 4}


def test_agents_find_no_program_and_no_standard_error_of_others(arena):
    agents = [arena.make("a", STEADY + "# a secret\n"), arena.make("b", STEADY.replace("20 3", "20 2"))]
    for agent in agents:
        assert arena.validate_code(agent)[0]
    arena.execute_round(agents)
    published = [path for path in arena.log_env.rglob("*") if path.is_file()]
    assert any(path.name == "results.csv" for path in published)
    assert sum(path.parent.name != arena.log_env.name and path.suffix == ".csv" for path in published) == 4
    assert not any(b"a secret" in path.read_bytes() or "stderr" in str(path) for path in published)


def test_a_bot_that_cannot_play_is_refused_with_a_reason(arena):
    valid, why = arena.validate_code(arena.make("none", None))
    assert not valid and "no file `bot`" in why
    valid, why = arena.validate_code(arena.make("silent", SILENT))
    assert not valid and "status 7" in why, why
