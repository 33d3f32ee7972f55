//! A whole turn of the referee, including rules, record and clock.

use std::path::Path;
use std::thread;
use std::time::Instant;

use referee_files::audit::audit_log;
use referee_files::log::LogFile;
use referee_games::catalog::Entry;
use referee_record::Answer;
use referee_record::log::GameLog;
use referee_record::play::play as play_game;
use referee_record::play::table::{Question, Table, TableError};
use referee_record::{BotName, Digest, Heading};
use referee_rules::game::Game;
use referee_rules::{BySeat, FaultKind, Parameters, Seat};
use referee_table::game_table::GameTable;
use referee_table::open::open;
use referee_table::process::{Program, Setup};

use crate::floor::{game, game_of, per_turn};
use crate::{Outcome, pin};

/// How bots are started by default.
pub(crate) fn plain() -> Setup {
    Setup::with(env!("CARGO_BIN_EXE_referee"))
}

/// Microseconds a turn.
pub(crate) fn play(players: u32, turns: u32, setup: &Setup) -> Outcome<f64> {
    play_into(game(players, turns), &programs(players)?, setup, tempfile::tempdir()?.path())
}

/// The same bot in all seats.
fn programs(players: u32) -> Outcome<BySeat<Option<Program>>> {
    let arguments = vec!["--bot".into(), players.to_string().into()];
    let program = Program::new(std::env::current_exe()?, arguments);
    Ok(BySeat::from_fn(4, |_| Some(program.clone())))
}

/// Microseconds a turn of football by the rules of an entry.
pub(crate) fn play_by(entry: &Entry, players: u32, turns: u32) -> Outcome<f64> {
    let game = game_of(entry, players, turns);
    play_into(game, &programs(players)?, &plain(), tempfile::tempdir()?.path())
}

/// Microseconds a turn, played and then audited.
pub(crate) fn play_and_audit(players: u32, turns: u32) -> Outcome<(f64, f64)> {
    let folder = tempfile::tempdir()?;
    let played = play_into(game(players, turns), &programs(players)?, &plain(), folder.path())?;
    let start = Instant::now();
    let agreed = audit_log(&folder.path().join("log.csv"))?;
    assert_eq!(agreed.turns, turns + 1);
    Ok((played, per_turn(start.elapsed(), turns)))
}

/// Microseconds a turn, without the first.
fn play_into(
    (parameters, mut game): (Parameters, Box<dyn Game>),
    programs: &BySeat<Option<Program>>,
    setup: &Setup,
    folder: &Path,
) -> Outcome<f64> {
    let turns = parameters.get("max_turns") as u32;
    let bot = BotName { name: "bench".to_owned(), version: 1, digest: Digest::of(b"") };
    let heading = Heading::new("bench", &*game, &parameters, BySeat::from_fn(4, |_| bot.clone()));
    let mut log = GameLog::begin(&heading, LogFile::create(&folder.join("log.csv"))?);
    let mut table = Timed { table: open(game.info(), programs, setup)?, started: None };
    let outcome = play_game(&mut *game, &mut table, &mut log)?;
    let elapsed = table.started.ok_or("no turn was played")?.elapsed();
    assert_eq!(outcome.reason, "max_turns");
    drop(table);
    let (file, _, tally) = log.finish();
    file.publish()?;
    for (seat, kind) in Seat::first(4).flat_map(|seat| FaultKind::ALL.map(|kind| (seat, kind))) {
        assert_eq!(tally.faults(seat, kind), 0, "{}", kind.name());
    }
    Ok(per_turn(elapsed, turns))
}

/// A game on a core.
pub(crate) struct PinnedGame {
    pub(crate) core: usize,
    pub(crate) players: u32,
}

/// Turns a millisecond of all these games together, each on its core.
pub(crate) fn at_once(games: &[PinnedGame], turns: u32) -> Outcome<f64> {
    let play = |game: &PinnedGame| {
        pin(&[game.core])
            .and_then(|()| play(game.players, turns, &plain()))
            .map_err(|error| error.to_string())
    };
    let times: Result<Vec<f64>, String> = thread::scope(|scope| {
        let games: Vec<_> = games.iter().map(|game| scope.spawn(move || play(game))).collect();
        games.into_iter().map(|game| game.join().expect("no panic")).collect()
    });
    Ok(times?.iter().map(|time| 1e3 / time).sum())
}

/// The same for two games of ten players.
pub(crate) fn two(one: usize, other: usize, turns: u32) -> Outcome<f64> {
    at_once(&[one, other].map(|core| PinnedGame { core, players: 10 }), turns)
}

/// A table that notes the end of its first turn. All bots have started by then.
struct Timed {
    table: Box<dyn GameTable>,
    started: Option<Instant>,
}

impl Table for Timed {
    fn ask(&mut self, questions: &[Question]) -> Result<(), TableError> {
        self.table.ask(questions)
    }

    fn collect(&mut self, answers: &mut Vec<Answer>) -> Result<(), TableError> {
        self.table.collect(answers)?;
        self.started.get_or_insert_with(Instant::now);
        Ok(())
    }
}
