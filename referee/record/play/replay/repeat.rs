//! Repeats: plays a recorded game again with the guests themselves, and compares each answer, fault and unit with the
//! record. Answers of other bots are taken from the record.
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
    let (mut questions, mut answers, mut repeated) = (Vec::new(), Vec::new(), Repetition::default());
    while let Some((game, recorded)) = replay.next_turn()? {
        questions.clear();
        for &seat in game.asked().to_vec().iter().filter(|seat| seats[**seat]) {
            let mut line = Vec::new();
            game.question(seat, &mut line);
            questions.push(Question { seat, line, limit: clocks[seat].next_limit(&info.time) });
        }
        table.ask(&questions).and_then(|()| table.collect(&mut answers)).map_err(Error::from)?;
        for now in &mut answers {
            let seat = now.seat;
            clocks[seat].charge(now.thinking);
            let Some(then) = recorded.iter().find(|then| then.seat == seat) else { continue };
            is_stopped[seat] |= then.fault == Some(Fault::Resource(Resource::Cpu));
            if is_stopped[seat] {
                continue;
            }
            let said = [judge_recorded(game, then), room.judge(game, now)];
            let said = [said_by(then, said[0].as_ref()), said_by(now, said[1].as_ref())];
            if said[0] != said[1] {
                let bot = &heading.bots[seat];
                let what = format!(
                    "turn {}, seat {seat}, {} version {}: the record says {}; the bot itself says {}",
                    game.turn(),
                    bot.name,
                    bot.version,
                    said[0],
                    said[1]
                );
                return Err(Error::new(ErrorKind::Failed, what).at(&path));
            }
            repeated.answers += 1;
        }
        advance(game, recorded, &mut events, None, |_, _, _| {});
    }
    repeated.stopped = is_stopped.iter().filter(|(_, stopped)| **stopped).count() as u64;
    Ok(repeated)
}

/// Returns an answer as a log keeps it.
fn said_by(answer: &Answer, verdict: Option<&Fault>) -> String {
    let mut said = verdict.map_or("ok".to_owned(), ToString::to_string);
    let integers: Vec<String> = answer.integers.iter().map(i64::to_string).collect();
    let _ = write!(said, " `{}` after {} us", integers.join(" "), answer.thinking.as_micros());
    for (kind, count) in answer.dropped.iter().filter(|(_, count)| *count > 0) {
        let _ = write!(said, ", {count} {} dropped", kind.name());
    }
    said
}
