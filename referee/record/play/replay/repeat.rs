//! Repeats: a recorded game is played again with the guests themselves, and each answer, fault and thinking time (which
//! a guest's work decides) is compared with the record. Answers of other bots are taken from the record.
//!
//! A guest's answers depend on its module and on its questions alone. So a difference means that the record is not of
//! this game, or not of this program.

use std::fmt::Write as _;

use crate::Answer;
use crate::contents::Contents;
use crate::error::{Error, ErrorKind};
use crate::play::replay::{Replay, advance};
use crate::play::table::{Question, Table};
use crate::play::turns::SeatClock;
use crate::play::wrong::{Room, judge_recorded};
use referee_rules::game::Game;
use referee_rules::{BySeat, Events, Fault, Info, Resource};

/// The repeated answers of a game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Repetition {
    /// Answers that are as they were recorded.
    pub answers: u64,
    /// Guests that were stopped for the processor time that they took, which no other machine can repeat.
    pub stopped: u64,
}

/// Plays a recorded game again with the guests in some seats, at a table that `open` makes for them.
///
/// # Errors
///
/// Names the first turn and seat where the record differs from the guest. Also if the log cannot be read, or the system
/// refuses.
pub fn repeat(
    log: Contents,
    seats: &BySeat<bool>,
    open: impl FnOnce(&Info) -> Result<Box<dyn Table>, Error>,
) -> Result<Repetition, Error> {
    let path = log.name().to_owned();
    let (mut replay, heading) = Replay::open_whole(log)?;
    let info = replay.game().info().clone();
    let mut table = open(&info)?;
    let mut clocks = BySeat::from_fn(info.seats, |_| SeatClock::default());
    let mut is_stopped = BySeat::from_fn(info.seats, |_| false);
    let (mut room, mut events) = (Room::new(info.seats), Events::default());
    let (mut questions, mut answers, mut repetition) = (Vec::new(), Vec::new(), Repetition::default());
    while let Some((game, recorded)) = replay.next_turn()? {
        questions.clear();
        for &seat in game.asked().to_vec().iter().filter(|seat| seats[**seat]) {
            let mut line = Vec::new();
            game.question(seat, &mut line);
            questions.push(Question { seat, line, limit: clocks[seat].next_limit(&info.time) });
        }
        table.ask(&questions)?;
        table.collect(&mut answers)?;
        for repeated in &mut answers {
            let seat = repeated.seat;
            clocks[seat].charge(repeated.thinking);
            // There is one recorded and one repeated answer for each question.
            let Some(recorded) = recorded.iter().find(|recorded| recorded.seat == seat) else { continue };
            is_stopped[seat] |= recorded.fault == Some(Fault::Resource(Resource::Cpu));
            if is_stopped[seat] {
                continue;
            }
            // Long wrong answers were shortened when they were recorded; `room` shortens the repeated ones likewise.
            let recorded_verdict = judge_recorded(game, recorded);
            let repeated_verdict = room.judge(game, repeated);
            let in_record = in_words(recorded, recorded_verdict.as_ref());
            let by_bot = in_words(repeated, repeated_verdict.as_ref());
            if in_record != by_bot {
                let bot = &heading.bots[seat];
                let place =
                    format!("turn {}, seat {seat}, {} version {}", game.turn(), bot.name, bot.version);
                let what = format!("{place}: the record says {in_record}; the bot itself says {by_bot}");
                return Err(Error::new(ErrorKind::Failed, what).at(&path));
            }
            repetition.answers += 1;
        }
        let (say, judged) = (None, |_: &dyn Game, _: &Answer, _: Option<Fault>| {});
        advance(game, recorded, &mut events, say, judged);
    }
    repetition.stopped = is_stopped.iter().filter(|(_, is_stopped)| **is_stopped).count() as u64;
    Ok(repetition)
}

/// Returns all that a log keeps of an answer, in words.
fn in_words(answer: &Answer, verdict: Option<&Fault>) -> String {
    let mut words = verdict.map_or("ok".to_owned(), ToString::to_string);
    let integers: Vec<String> = answer.integers.iter().map(i64::to_string).collect();
    let _ = write!(words, " `{}` after {} us", integers.join(" "), answer.thinking.as_micros());
    for (kind, count) in answer.dropped.iter().filter(|(_, count)| *count > 0) {
        let _ = write!(words, ", {count} {} dropped", kind.name());
    }
    words
}
