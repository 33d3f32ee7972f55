//! Mistakes of judges that show at some times, in some processes, or after some answers.

use std::process::{exit, id};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use referee_table::clock::seconds;
use rustix::time::{ClockId, clock_gettime};

use super::Moment;
use super::Point::{Answer, Any, Check, Over, Start};
use super::mistakes::{ENDED, Mistake, at};

const DIFFER: &str = "its replies differ between two runs";

/// Changes the result of a game if something is so at its end.
fn tell_if(is_so: bool, moment: &mut Moment<'_>) {
    if is_so {
        moment.first("effect so -1 1");
    }
}

/// Returns the number of seconds since the start of the machine.
fn uptime() -> i64 {
    clock_gettime(ClockId::Monotonic).tv_sec
}

/// When the game began.
static BEGUN: OnceLock<i64> = OnceLock::new();

/// Number of equal answers of a seat in a row.
static ROW: AtomicU32 = AtomicU32::new(0);

/// Judges that the check certifies unless it moves their clocks, counts their process numbers up, and tries all small
/// answers and the ends of ranges.
pub const RARE: &[Mistake] = &[
    at(
        Any,
        "after_three_seconds",
        |_, m| {
            if m.point == Start {
                BEGUN.get_or_init(uptime);
            }
            if m.point == Over {
                tell_if(uptime() - BEGUN.get().copied().unwrap_or_default() > 3, m);
            }
        },
        DIFFER,
    ),
    at(Over, "some_hour", |_, m| tell_if(seconds() / 3600 % 24 == 3, m), DIFFER),
    at(Over, "some_minutes", |_, m| tell_if(seconds() / 60 % 60 / 10 == 1, m), DIFFER),
    at(Over, "some_weekday", |_, m| tell_if(seconds() / 86_400 % 7 == 2, m), DIFFER),
    at(Over, "some_uptime", |_, m| tell_if(uptime() / 86_400 % 3 == 1, m), DIFFER),
    at(Over, "some_process", |_, m| tell_if(id() % 97 == 61, m), DIFFER),
    at(
        Answer,
        "three_fours",
        |_, m| {
            if m.seat == 1 {
                let row = if m.numbers == [4] { ROW.load(Ordering::Relaxed) + 1 } else { 0 };
                ROW.store(row, Ordering::Relaxed);
                assert!(row < 3, "of fours");
            }
        },
        "of fours",
    ),
    at(Check, "verdict_on_7777", |_, m| assert!(m.numbers != [7777]), "request: check"),
    at(
        Any,
        "answer_7777",
        |_, m| {
            if m.point == Check && (0..=10_000).contains(&m.numbers.first().copied().unwrap_or(-1)) {
                m.out[0] = "fine".into();
            }
            if m.point == Answer && m.numbers == [7777] {
                exit(1);
            }
        },
        ENDED,
    ),
    at(
        Any,
        "answer_at_an_edge",
        |_, m| {
            if m.point == Check && (0..=4321).contains(&m.numbers.first().copied().unwrap_or(-1)) {
                m.out[0] = "fine".into();
            }
            if m.point == Answer && m.numbers == [4321] {
                exit(1);
            }
        },
        ENDED,
    ),
];
