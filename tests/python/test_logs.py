"""Logs, results and pages of recorded games."""

import numpy as np
import pandas
import polars
import pyarrow
import pytest
import referee


def test_a_log_is_tables(game_log):
    log = referee.Log(game_log)
    assert (log.game, log.seed, log.bots) == ("football", 7, ["greedy", "random", "sweeper", "still"])
    assert log.parameters["p"] == "2" and log.end in ("max_turns", "stalled", "no_balls")
    turns = int(log.answers["turn"].max()) + 1
    assert len(log.answers["verdict"]) == 4 * turns and set(log.answers["verdict"]) <= {"ok", "late", "illegal"}
    moves = log.moves
    assert moves["order"].dtype == np.int64 and len(moves["turn"]) == 8 * turns
    scores = [
        log.positions["value"][(log.positions["thing"] == "score") & (log.positions["seat"] == seat)]
        for seat in range(4)
    ]
    assert [int(score[-1]) for score in scores] == log.scores and len(scores[0]) == turns + 1
    drawn = log.events["role"] == "drawn"
    assert {"candidate", "drawn", "effect"} >= set(log.events["role"]) and (log.events["name"][drawn] == "kick").all()
    goals = (log.events["name"] == "goal") & (log.events["role"] == "effect")
    assert goals.sum() == 2 * sum(log.scores), "an effect of a goal has two numbers"


def test_a_log_played_again_through_python_ends_alike(game_log):
    log = referee.Log(game_log)
    game = referee.Game(log.game, seed=log.seed, **log.parameters)
    for turn in range(int(log.moves["turn"].max()) + 1):
        for seat in game.asked:
            rows = (log.moves["turn"] == turn) & (log.moves["seat"] == seat)
            late = (log.answers["turn"] == turn) & (log.answers["seat"] == seat) & (log.answers["verdict"] == "late")
            game.answer(seat, None if late.any() else log.moves["order"][rows].tolist())
        game.play()
    assert game.outcome == (log.scores, log.shares, log.end)


def test_tables_are_frames_of_other_libraries(game_log):
    log, results = referee.Log(game_log), referee.results(game_log.parents[1] / "results.csv")
    for table in (log.answers, log.moves, log.positions, log.events, results):
        frames = [table.to_pandas(), table.to_polars(), table.to_arrow()]
        assert [type(frame) for frame in frames] == [pandas.DataFrame, polars.DataFrame, pyarrow.Table]
        lists = {name: np.where(column == column, column, None).tolist() for name, column in table.items()}
        pandas_lists = {name: np.where(frames[0][name].isna(), None, frames[0][name]).tolist() for name in frames[0]}
        assert pandas_lists == lists
        for frame in (frames[1].to_dict(as_series=False), frames[2].to_pydict()):
            cells = {name: [None if cell != cell else cell for cell in column] for name, column in frame.items()}
            assert cells == lists


def test_quoted_cells_are_read_as_they_were_written(tmp_path):
    file = tmp_path / "results.csv"
    file.write_text('game,arguments,score\ng1,"a,b ""c""",3\ng2,--level 1,4\n')
    results = referee.results(file)
    assert results["arguments"].tolist() == ['a,b "c"', "--level 1"] and results["score"].tolist() == [3, 4]


def test_results_are_a_table(game_log):
    results = referee.results(game_log.parents[1] / "results.csv")
    assert results["score"].tolist() == referee.Log(game_log).scores
    assert results["share"].dtype == np.float64 and results["bot"].tolist() == ["greedy", "random", "sweeper", "still"]


def test_the_page_of_a_game_is_a_frame_in_a_notebook(game_log):
    page = referee.replay(game_log)
    assert page.startswith("<!") and "greedy" in page or "tape" in page
    shown = page._repr_html_()
    assert shown.startswith('<iframe sandbox="allow-scripts"') and shown.count("<") == 2


def test_what_is_no_record_is_one_error(game_log, tmp_path):
    whole = game_log.read_bytes()
    cases = {
        "none.csv": None,
        "text.csv": b"hello\n",
        "empty.csv": b"",
        "bytes.csv": bytes(range(256)),
        # Within a row: cut at the end of a row, it would be the log of a game that was given up.
        "cut.csv": whole[: whole.index(b"\n", len(whole) // 2) + 4],
        "changed.csv": whole.replace(b"answer,3,1", b"answer,3,9", 1),
    }
    for name, content in cases.items():
        path = tmp_path / name
        if content is not None:
            path.write_bytes(content)
        for read in (referee.Log, referee.replay):
            with pytest.raises(referee.RecordError, match=name):
                read(path)
        if name not in ("cut.csv", "changed.csv"):
            with pytest.raises(referee.RecordError, match=name):
                referee.results(path)
    assert issubclass(referee.RecordError, ValueError)


def test_a_log_that_was_changed_is_refused_unless_it_is_not_verified(game_log, tmp_path):
    text = game_log.read_text()
    rows = text.splitlines(keepends=True)
    answer = next(number for number, row in enumerate(rows) if ",ok," in row)
    changes = {
        "verdict": text.replace(",ok,", ",late,", 1),
        "time": "".join([*rows[:answer], rows[answer].replace(",ok,", ",ok,1", 1), *rows[answer + 1 :]]),
        "digest": text[:-2] + ("0" if text[-2] != "0" else "1") + "\n",
    }
    for name, changed in changes.items():
        assert changed != text, name
        file = tmp_path / f"{name}.csv"
        file.write_text(changed)
        with pytest.raises(referee.RecordError):
            referee.Log(file)
    assert referee.Log(tmp_path / "time.csv", verify=False).scores == referee.Log(game_log).scores


def test_results_that_were_changed_are_refused_unless_they_are_not_verified(game_log, tmp_path):
    rows = (game_log.parents[1] / "results.csv").read_text().splitlines(keepends=True)
    file = tmp_path / "results.csv"
    file.write_text("".join(rows))
    assert len(referee.results(file)["score"]) == 4
    for changed in (rows[:1] + rows[2:], [rows[0], rows[2], rows[1], *rows[3:]], [*rows[:2], rows[2].replace("football", "fotball", 1), *rows[3:]]):
        file.write_text("".join(changed))
        with pytest.raises(referee.RecordError, match="was changed, removed or moved"):
            referee.results(file)
        assert len(referee.results(file, verify=False)["score"]) == len(changed) - 1
