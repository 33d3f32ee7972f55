//! Mistakes of judges that only the check of a judge finds, and those that single tests need.

#![expect(clippy::disallowed_types, reason = "an order that is not the same twice is a mistake of a judge")]

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};
use std::os::unix::fs::MetadataExt;
use std::process::{Command, exit, id};
use std::{env, fs};

use referee_table::clock::{CpuClock, seconds};
use rustix::process::Signal;
use rustix::time::{ClockId, clock_gettime};

use super::Point::{Ahead, Answer, Any, Ask, Check, Describe, Facts, Fault, Go, Over, Sample, Start};
use super::mistakes::{
    ENDED, Mistake, NOBODY_ASKED, NOT_ALLOWED, ahead, at, closes, dies, each, floods, killed, sleep, slow,
    stalls,
};
use super::{Moment, write};

const DIFFER: &str = "its replies differ between two runs";

/// What is noticed first depends on where the second is crossed, or on faults that are drawn.
const EITHER: &str = "its replies differ between two runs|the same answers led to another position";

/// Returns a random number.
fn luck() -> u64 {
    RandomState::new().hash_one(0) % 1_000_000_000
}

/// Returns a number of the clock that is another one at each call.
fn clock() -> i64 {
    clock_gettime(ClockId::Monotonic).tv_nsec
}

/// Returns a number of an address, which differs from start to start.
fn address() -> usize {
    std::ptr::from_ref(&*Box::new(1u8)).addr() % 1_000_000_000
}

/// Returns the path of the program.
fn program() -> String {
    env::args().next().expect("a path")
}

/// Makes the game a long one.
fn long(moment: &mut Moment<'_>) {
    if moment.point == Describe {
        moment.out[2] = "turns 1000".to_owned();
        moment.out[4] = "parameter length 1000 900 1000 turns".to_owned();
    }
}

/// Judges whose mistake only the check of a judge finds, with four seats at a side of 5 and 6 turns.
pub const CHECKING: &[Mistake] = &[
    // Faults of bots.
    at(
        Fault,
        "late_at_last",
        |g, m| {
            if m.seat == 1 && m.kind == "late" && g.turn == g.length - 1 {
                exit(1);
            }
        },
        ENDED,
    ),
    at(
        Fault,
        "resource_at_last",
        |g, m| {
            if m.seat == 3 && m.kind == "resource" && g.turn == g.length - 1 {
                exit(1);
            }
        },
        "fault 3 resource",
    ),
    at(
        Fault,
        "third_fault",
        |g, m| assert!(g.lost[&m.seat] != 3, "of its own"),
        "last line on standard error: of its own",
    ),
    at(Fault, "all_at_fault", |g, _| assert!(g.lost.len() < g.seats), "with status 101"),
    at(Go, "no_answer", |g, _| assert!(!g.given.is_empty()), "with status 101"),
    at(Go, "two_answers_at_last", |g, _| assert!(g.turn < 5 || g.given.len() != 2), "with status 101"),
    at(
        Go,
        "equal_answers",
        |g, _| assert!(g.given.len() < 4 || g.given.values().any(|answer| *answer != g.given[&0])),
        "with status 101",
    ),
    // Answers that are nonsense.
    at(Check, "answer_empty", |_, m| assert!(!m.numbers.is_empty()), "with status 101"),
    at(Check, "answer_small", |_, m| assert!(m.numbers.iter().all(|n| *n > i64::MIN)), "with status 101"),
    at(Check, "answer_long", |_, m| assert!(m.numbers.len() <= 100), "with status 101"),
    at(
        Check,
        "answer_great_at_last",
        |g, m| {
            let is_great = m.numbers.first().is_some_and(|number| *number > 9);
            assert!(m.seat != 1 || !is_great || g.turn < g.length - 1, "of its own");
        },
        "last line on standard error: of its own",
    ),
    at(Check, "all_fine", |_, m| m.out[0] = "fine".into(), "standard error: index out of bounds"),
    at(
        Check,
        "nine_refused",
        |_, m| {
            if m.numbers == [9] {
                m.out[0] = "illegal 2 1 too much".into();
            }
        },
        "1 is not from 2",
    ),
    at(
        Check,
        "nine_of_many",
        |_, m| {
            if m.numbers == [9] {
                m.out[0] = "illegal 4294967296 4294967296 x".into();
            }
        },
        "is not from 1 to 4294967295",
    ),
    at(
        Check,
        "now_and_then",
        |g, m| {
            if g.checks % 7 == 0 {
                m.out[0] = "malformed now and then".into();
            }
        },
        "has a fault: ",
    ),
    at(
        Answer,
        "great_answers",
        |g, m| {
            if m.numbers[0] > 5 && g.turn == 2 {
                exit(1);
            }
        },
        "turn 2: it has ended, with status 1",
    ),
    at(Answer, "great_sum", |g, m| assert!(g.sums[m.seat] <= 20), "request: answer"),
    // What must change nothing does.
    at(Check, "check_counts", |g, _| g.sums[0] += 1, EITHER),
    at(Check, "check_answers", |g, m| *g.given.entry(m.seat).or_default() = 5, EITHER),
    at(Sample, "sample_counts", |g, _| g.sums[0] += 1, "the same answers led to another position"),
    at(Facts, "facts_count", |g, _| g.sums[0] += 1, EITHER),
    at(
        Facts,
        "facts_of_checks",
        |g, m| {
            g.checks += 1;
            m.first(format!("fact checks -1 -1 {}", g.checks));
        },
        DIFFER,
    ),
    ahead(Ahead, "ahead_counts", |g, _| g.sums[0] += 1, DIFFER),
    ahead(
        Ahead,
        "ahead_always",
        |g, _| g.checked = Some(g.checked.take().unwrap_or_default()),
        "this word is not allowed here (allowed: ",
    ),
    // Samples.
    at(Sample, "sample_malformed", |_, m| m.out[0] = "answer 77".into(), "its own sample [77] for seat"),
    at(Sample, "sample_prompt", |_, m| m.out[0].insert_str(0, "> "), "`> answer"),
    at(Sample, "sample_words", |_, m| m.out[0].push_str(" x"), "x is not an integer"),
    // The end of the game.
    at(Go, "longer", |g, _| g.length += i64::from(g.turn == g.length - 1), "not over after 6 turns"),
    at(Over, "shares_none", |g, m| m.before_end(each(g, "shares 1", 0)), "no seat has any share"),
    at(
        Over,
        "over_and_out",
        |_, m| {
            write((m.out.join("\n") + "\n").as_bytes());
            exit(0);
        },
        "it has ended, with status 0",
    ),
    at(Over, "over_goodbye", |_, m| m.out.push("goodbye".into()), "`goodbye`: this word is not allowed here"),
    at(Over, "over_flood", |_, m| m.out.extend(vec!["x".repeat(1000); 20_000]), NOT_ALLOWED),
    slow(Over, "over_half", |_, _| {
        write(b"over tur");
        sleep();
    }),
    at(
        Facts,
        "facts_goodbye",
        |g, m| m.out.extend((g.turn == g.length).then(|| "goodbye".into())),
        "`goodbye`: this word is not allowed here",
    ),
    at(Facts, "facts_of_the_end", |g, _| assert!(g.turn < g.length), "request: facts"),
    // Long games.
    at(
        Any,
        "long_dies",
        |g, m| {
            long(m);
            if m.point == Go && g.turn == 850 {
                exit(1);
            }
        },
        "turn 850: it has ended, with status 1",
    ),
    at(
        Any,
        "long_luck",
        |g, m| {
            long(m);
            if m.point == Go && g.turn == 850 {
                m.first(format!("effect luck -1 {}", luck()));
            }
        },
        DIFFER,
    ),
    at(
        Any,
        "long_longer",
        |g, m| {
            long(m);
            if m.point == Go && g.turn == 899 {
                g.length = 2_000;
            }
        },
        "not over after 1000 turns",
    ),
    at(
        Any,
        "long_scores",
        |_, m| {
            long(m);
            if m.point == Over {
                m.replace(1, "scores");
            }
        },
        "0 scores and 0 shares",
    ),
    at(
        Any,
        "long_asks",
        |g, m| {
            long(m);
            if m.point == Ask && g.turn == 890 {
                m.first("ask 9 1");
            }
        },
        "turn 889: `ask 9 1`: 9 is not from 0",
    ),
    // Chance, time and surroundings.
    at(Start, "luck_at_start", |g, _| g.sums[0] = luck() as i64, DIFFER),
    at(
        Go,
        "luck_at_last",
        |g, m| m.out.extend((g.turn == 5).then(|| format!("effect luck -1 {}", luck()))),
        DIFFER,
    ),
    at(Start, "second_at_start", |g, _| g.sums[0] = (seconds() * 2_654_435_761 % 999_999_937) as i64, EITHER),
    at(Go, "second", |_, m| m.first(format!("effect time -1 {}", seconds())), EITHER),
    at(Over, "clock_at_last", |_, m| m.first(format!("effect time -1 {}", clock())), DIFFER),
    at(
        Over,
        "core_at_last",
        |_, m| m.first(format!("effect time -1 {}", CpuClock::of_this_thread().read().unwrap().as_nanos())),
        DIFFER,
    ),
    at(Start, "environment", |g, _| g.sums[0] = env::vars_os().count() as i64, DIFFER),
    at(Start, "path", |g, _| g.sums[0] = env::var_os("PATH").map_or(0, |path| path.len() as i64), DIFFER),
    at(Start, "own_name", |g, _| g.sums[0] = program().len() as i64, DIFFER),
    at(
        Start,
        "own_inode",
        |g, _| g.sums[0] = (fs::metadata(program()).unwrap().ino() % 1_000_000_000) as i64,
        DIFFER,
    ),
    at(
        Start,
        "folder_time",
        |g, _| {
            let folder = fs::metadata(".").unwrap();
            g.sums[0] = (7 * folder.mtime() + folder.mtime_nsec()) % 1_000_000_000;
        },
        DIFFER,
    ),
    at(Start, "address", |g, _| g.sums[0] = address() as i64, DIFFER),
    at(
        Describe,
        "about_the_clock",
        |_, m| m.out.insert(1, format!("about {}", clock())),
        "changes from start to start",
    ),
    at(
        Describe,
        "about_itself",
        |_, m| m.out.insert(1, format!("about {}", program())),
        "changes from start to start",
    ),
    at(
        Describe,
        "parameter_of_the_process",
        |_, m| m.out[3] = format!("parameter side 5 1 {} unused", 9 + id()),
        "changes from start to start",
    ),
    // Lines that do not belong there, at first or later.
    at(
        Ask,
        "late_ask",
        |g, m| {
            if g.turn == 5 {
                m.first("ask 7 1");
            }
        },
        "7 is not from 0",
    ),
    at(
        Ask,
        "late_shared",
        |g, m| {
            if g.turn == 3 {
                m.out = vec!["shared 1 2 3".into(), "end".into()];
            }
        },
        NOBODY_ASKED,
    ),
    at(Facts, "facts_null", |_, m| m.first("fact sco\0re 0 -1 1"), "is not a name"),
    at(Facts, "facts_end", |_, m| m.out.push("end".into()), "`end`: this word is not allowed here"),
    at(Facts, "facts_draw", |_, m| m.first("draw x 0 1 1 2"), "(allowed: fact, end)"),
    at(Facts, "facts_word", |_, m| m.first("hello"), "`hello`: this word is not allowed here"),
    at(Facts, "facts_short", |_, m| m.first("fact x"), "the line ends too early"),
    at(Facts, "facts_seat", |_, m| m.first("fact sums 5 -1 1"), "5 is not from -1 to 3"),
    at(Facts, "facts_twice", |_, m| m.first("fact score 0 -1 1"), "this fact is given twice"),
    at(
        Describe,
        "description_end",
        |_, m| m.out.push("end".into()),
        "`end`: a line after the end of its reply",
    ),
    // No reply, or no end of it, later.
    slow(Go, "late_silence", |g, _| {
        if g.turn == 5 {
            sleep();
        }
    }),
    slow(Facts, "facts_silent", |g, _| {
        if g.turn == 5 {
            sleep();
        }
    }),
    slow(Fault, "fault_busy", |_, _| {
        loop {
            std::hint::spin_loop();
        }
    }),
    slow(Go, "late_errors", |g, _| {
        if g.turn == 3 {
            loop {
                eprint!("{}", "x".repeat(65_536));
            }
        }
    }),
    slow(Go, "late_stop", |g, _| {
        if g.turn == 3 {
            killed(Signal::STOP);
        }
    }),
    at(
        Go,
        "late_close",
        |g, m| {
            if g.turn == 4 {
                closes(g, m);
            }
        },
        "it has closed its output",
    ),
    Mistake {
        lines: &["patience 600000"],
        ..at(
            Go,
            "late_flood",
            |g, m| {
                if g.turn == 4 {
                    floods(g, m);
                }
            },
            "more than 100000 lines",
        )
    },
    at(
        Go,
        "late_kill",
        |g, _| {
            if g.turn == 5 {
                killed(Signal::KILL);
            }
        },
        "signal 9",
    ),
    // A child that holds the output, where the sandbox lets it be.
    at(
        Go,
        "late_child",
        |g, _| {
            if g.turn == 3 {
                let _ = Command::new(program()).arg("asleep").spawn();
                exit(0);
            }
        },
        "turn 3: ",
    ),
    // Pictures.
    at(
        Facts,
        "facts_many",
        |_, m| m.out.splice(1..1, (0..100_100).map(|cell| format!("fact wall -1 {cell} 1"))).for_each(drop),
        "a reply of more than 100000 lines|no reply within",
    ),
    at(
        Facts,
        "rows_many",
        |_, m| m.board(&["fact rows -1 -1 201", "fact columns -1 -1 4"]),
        "`fact rows -1 -1 201`: a grid has 1 to 200 rows",
    ),
    at(
        Facts,
        "columns_none",
        |_, m| m.board(&["fact rows -1 -1 4", "fact columns -1 -1 0"]),
        "`fact columns -1 -1 0`: a grid has 1 to 200 columns",
    ),
    at(Facts, "rows_alone", |_, m| m.board(&["fact rows -1 -1 4"]), "a grid needs a fact `columns`, too"),
    at(Facts, "columns_alone", |_, m| m.board(&["fact columns -1 -1 4"]), "a grid needs a fact `rows`, too"),
    at(Facts, "grid_and_points", |_, m| m.first("fact points -1 -1 4"), "a grid or points, not both"),
    at(Facts, "points_many", |_, m| m.board(&["fact points -1 -1 2001"]), "1 to 2000 points"),
    at(
        Facts,
        "point_outside",
        |_, m| m.board(&["fact points -1 -1 2", "fact x -1 0 1001"]),
        "`fact x -1 0 1001`: 1001 is not from 0 to 1000",
    ),
    at(
        Facts,
        "point_absent",
        |_, m| m.board(&["fact points -1 -1 2", "fact y -1 2 10"]),
        "`fact y -1 2 10`: 2 is no place",
    ),
    at(
        Facts,
        "points_torus",
        |_, m| m.board(&["fact points -1 -1 2", "fact torus -1 -1 1"]),
        "only a grid has this",
    ),
    at(Facts, "cell_absent", |_, m| m.first("fact cell -1 12 1"), "`fact cell -1 12 1`: 12 is no place"),
    at(
        Facts,
        "cell_absent_at_last",
        |g, m| {
            if g.turn == g.length {
                m.first("fact cell -1 12 1");
            }
        },
        "12 is no place",
    ),
    at(Facts, "cell_negative", |_, m| m.first("fact cell 0 -1 1"), "-1 is no place"),
    at(Facts, "token_absent", |_, m| m.first("fact player 1 1 12"), "`fact player 1 1 12`: 12 is no place"),
    at(Facts, "token_negative", |_, m| m.first("fact player 1 1 -2"), "-2 is no place"),
    at(
        Facts,
        "glyph_unseen",
        |_, m| m.first("fact glyph 1 0 7"),
        "7 is not the code of a visible ASCII character",
    ),
    at(Facts, "line_absent", |_, m| m.first("fact to 1 0 99"), "99 is no place"),
    at(Facts, "line_nameless", |_, m| m.first("fact from 1 -1 1"), "a line needs an index"),
    at(Facts, "label_absent", |_, m| m.first("fact label -1 1 2"), "2 is no label: the description has 1"),
];

/// Judges whose mistake the check finds only with some numbers of seats or some values of the parameters.
pub const CORNERS: &[Mistake] = &[
    at(Start, "seats_4", |g, _| assert!(g.seats != 4), "4 seats"),
    at(Start, "seats_3", |g, _| assert!(g.seats != 3), "3 seats"),
    at(Start, "seats_2", |g, _| assert!(g.seats != 2), "2 seats"),
    at(Start, "side_1", |g, _| assert!(g.side != 1), "side 1, "),
    at(Start, "side_9_length_1", |g, _| assert!((g.side, g.length) != (9, 1)), "side 9, length 1"),
    at(
        Start,
        "seats_2_side_9_length_6",
        |g, _| assert!((g.seats, g.side, g.length) != (2, 9, 6)),
        "2 seats, side 9, length 6",
    ),
    at(
        Over,
        "scores_with_3_seats",
        |g, m| {
            if g.seats == 3 {
                m.replace(1, "scores 1 2 3 4");
            }
        },
        "4 scores and 4 shares for 3 seats",
    ),
    at(
        Over,
        "scores_with_side_1_length_6",
        |g, m| {
            if (g.side, g.length) == (1, 6) {
                m.replace(1, "scores 1");
            }
        },
        "side 1, length 6",
    ),
];

/// Judges with replies that are never the same twice.
pub const CHANCE: [&str; 4] = ["luck", "clock", "place", "order"];

/// Judges that single tests need.
pub(super) const OTHERS: &[Mistake] = &[
    at(Any, "none", |_, _| (), ""),
    ahead(Any, "ahead", |_, _| (), ""),
    at(Go, "luck", |_, m| m.first(format!("effect luck -1 {}", luck())), DIFFER),
    at(Go, "clock", |_, m| m.first(format!("effect time -1 {}", clock())), DIFFER),
    at(Go, "place", |_, m| m.first(format!("effect place -1 {}", address())), DIFFER),
    at(
        Go,
        "order",
        |_, m| {
            let numbers: Vec<String> = HashSet::<u32>::from_iter(0..100).iter().map(u32::to_string).collect();
            m.first(format!("effect order -1 {}", numbers.join(" ")));
        },
        DIFFER,
    ),
    at(
        Fault,
        "dies_of",
        |g, m| {
            if m.kind == g.object {
                exit(1);
            }
        },
        ENDED,
    ),
    at(Go, "always", dies, ENDED),
    at(
        Answer,
        "seven",
        |_, m| {
            if m.numbers == [7] {
                eprintln!("on the way\nof a seven");
                exit(1);
            }
        },
        ENDED,
    ),
    at(
        Answer,
        "seven_later",
        |g, m| {
            // In a check game no other seat answers.
            if m.numbers == [7] && g.turn == 3 && g.sums.contains(&3) {
                eprintln!("on the way\nof a seven");
                exit(1);
            }
        },
        ENDED,
    ),
    at(Check, "seven_checked", |_, m| assert!(m.numbers != [7]), ENDED),
    ahead(
        Ahead,
        "seven_ahead",
        |g, _| assert!(!g.checked.iter().any(|all| all.values().any(|answer| *answer == 7))),
        ENDED,
    ),
    at(Go, "two_sevens", |g, _| assert!(g.given.values().filter(|answer| **answer == 7).count() != 2), ENDED),
    at(
        Go,
        "wall",
        |g, _| {
            if g.side == 7 && g.turn == 2 {
                eprintln!("of a wall");
                exit(1);
            }
        },
        ENDED,
    ),
    at(Describe, "parameter", |g, m| m.out[3] = format!("parameter {} 5 1 9 mine", g.object), "taken"),
    at(Ask, "deluge", |_, m| m.out.push("fine\n".repeat(700_000)), "more than 1 MiB without a request"),
    Mistake { lines: &["patience 600000"], ..at(Start, "asleep", stalls, "") },
    at(
        Facts,
        "picture",
        |g, m| {
            let side: u32 = g.object.parse().expect("a number");
            m.out = vec![format!("fact score 0 -1 1\nfact rows -1 -1 {side}\nfact columns -1 -1 {side}")];
            m.out.extend((0..side * side).map(|cell| format!("fact wall -1 {cell} 1")));
            m.out.push("end".into());
        },
        "",
    ),
    at(Any, "alone", |_, m| alone(m), ""),
    at(
        Any,
        "alone_with_shares",
        |g, m| {
            alone(m);
            if m.point == Over {
                m.before_end(format!("shares 60 {}", g.sums[0]));
            }
        },
        "",
    ),
    at(
        Describe,
        "short",
        |_, m| {
            m.out[2] = "turns 1".into();
            m.out[4] = "parameter length 1 1 1 turns".into();
        },
        "",
    ),
];

/// Makes the game one of one seat.
fn alone(moment: &mut Moment<'_>) {
    match moment.point {
        Describe => moment.out[1] = "seats 1 1".into(),
        Facts => drop(moment.out.remove(moment.out.len() - 2)),
        _ => {}
    }
}
