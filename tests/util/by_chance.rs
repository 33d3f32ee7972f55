//! Games between bots that answer at random.

use referee_files::log::LogFile;
use referee_record::log::GameLog;
use referee_record::{Answer, BotName, Digest, Heading, Page, Recorder};
use referee_rules::game::{Game, play_turn};
use referee_rules::{BySeat, Dice, Events, Parameters, Seed};
use std::path::Path;

/// Begins the log of a game.
pub fn begin_log(name: &str, game: &dyn Game, parameters: &Parameters, log: &Path) -> GameLog<LogFile> {
    let bot = BotName { name: "random".to_owned(), version: 1, digest: Digest::of(b"") };
    let bots = BySeat::from_fn(game.info().seats, |_| bot.clone());
    let heading = Heading::new(name, game, parameters, bots);
    GameLog::begin(&heading, LogFile::create(log).expect("a log"))
}

/// Plays a game to its end or for some turns, and records it. `each` is called after each turn.
pub fn play(
    game: &mut dyn Game,
    seed: Seed,
    turns: u32,
    log: &mut GameLog<LogFile>,
    mut each: impl FnMut(&dyn Game, &mut GameLog<LogFile>),
) {
    let (mut dice, mut events) = (Dice::for_start(seed), Events::default());
    while !game.asked().is_empty() && game.turn() < turns {
        let turn = game.turn();
        let (mut answers, mut verdicts) = (Vec::new(), Vec::new());
        play_turn(game, &mut events, |game, seat| {
            let mut answer = Answer::empty(seat);
            game.sample(seat, &mut dice, &mut answer.integers);
            verdicts.push(game.answer(seat, answer.given()));
            answers.push(answer);
        });
        log.turn(&Page { turn, answers: &answers, verdicts: &verdicts, events: &events });
        each(game, log);
    }
}
