//! Mistakes of judges that everybody notices: of descriptions, and in each game.

use std::process::{abort, exit};
use std::{io, thread};

use rustix::process::{Signal, getpid, kill_process};
use rustix::stdio::dup2_stdout;

use super::Point::{Ahead, Ask, Check, Describe, Go, Over, Start};
use super::checking::{CHECKING, CORNERS, OTHERS};
use super::rare::RARE;
use super::{Game, Moment, Point, write};

/// A mistake of a judge.
#[derive(Clone, Copy, Debug)]
pub struct Mistake {
    pub name: &'static str,
    /// Where the judge makes it.
    pub point: Point,
    /// Lines of its description that this needs.
    pub lines: &'static [&'static str],
    pub act: Act,
    /// A part of the referee's error; several parts that are possible have a `|` between them.
    pub due: &'static str,
}

type Act = fn(&mut Game, &mut Moment<'_>);

pub(super) const fn at(point: Point, name: &'static str, act: Act, due: &'static str) -> Mistake {
    Mistake { name, point, lines: &[], act, due }
}

/// A mistake after which the judge is waited for. An answer that is late for another reason is the same error.
pub(super) const fn slow(point: Point, name: &'static str, act: Act) -> Mistake {
    Mistake { name, point, lines: &["patience 300"], act, due: "no reply within 300 ms" }
}

/// A judge that writes more lines than a reply can have. On a busy machine they can take longer than the usual patience.
const fn flood(point: Point, name: &'static str) -> Mistake {
    Mistake { lines: &["patience 600000"], ..at(point, name, floods, "more than 100000 lines") }
}

pub(super) const fn ahead(point: Point, name: &'static str, act: Act, due: &'static str) -> Mistake {
    Mistake { name, point, lines: &["ahead"], act, due }
}

/// Finds a mistake by its name. What follows a colon is for the mistake.
pub fn find(name: &str) -> Option<&'static Mistake> {
    let name = name.split(':').next();
    let all = [OPENING, PLAYING, CHECKING, CORNERS, RARE, OTHERS];
    all.into_iter().flatten().find(|mistake| Some(mistake.name) == name)
}

pub(super) const ENDED: &str = "it has ended, with status 1";
pub(super) const NOT_ALLOWED: &str = "this word is not allowed here";
const NEVER_OVER: &str = "not over after 6 turns, the maximum in its description";
pub(super) const NOBODY_ASKED: &str = "no seat is asked, but the game is not over";
const NO_TEAMS: &str = "do not share the seats";
const NOT_64_BITS: &str = "is not an integer of 64 bits";
const BOTH: &str = "a game that is over needs `over` and `scores`";
const SHARE: &str = "a share must be from 0 to the first number";
const CANDIDATES: &str = "the draw requests more than there are candidates";

pub(super) fn dies(_: &mut Game, _: &mut Moment<'_>) {
    exit(1);
}

fn complains(_: &mut Game, _: &mut Moment<'_>) {
    eprintln!("oh no");
    exit(1);
}

fn crashes(_: &mut Game, _: &mut Moment<'_>) {
    abort();
}

pub(super) fn stalls(_: &mut Game, _: &mut Moment<'_>) {
    sleep();
}

fn half(_: &mut Game, _: &mut Moment<'_>) {
    write(b"ask 0 1");
    sleep();
}

pub(super) fn closes(_: &mut Game, _: &mut Moment<'_>) {
    dup2_stdout(io::stderr()).expect("another output");
    sleep();
}

pub(super) fn floods(_: &mut Game, _: &mut Moment<'_>) {
    loop {
        write(b"say 0 again and again\n");
    }
}

fn greets(_: &mut Game, _: &mut Moment<'_>) {
    write(b"hello\n");
}

fn not_text(_: &mut Game, _: &mut Moment<'_>) {
    write(b"\xff\xfe\n");
}

fn much(_: &mut Game, _: &mut Moment<'_>) {
    write(format!("say 0 {}\n", "x".repeat(1 << 20)).as_bytes());
}

pub(super) fn sleep() -> ! {
    loop {
        thread::park();
    }
}

pub(super) fn killed(signal: Signal) {
    kill_process(getpid(), signal).expect("a signal to itself");
}

/// Repeats a number for each seat.
pub(super) fn each(game: &Game, word: &str, number: i128) -> String {
    format!("{word} {}", vec![number.to_string(); game.seats].join(" "))
}

/// Judges that describe no game: they are not opened.
pub const OPENING: &[Mistake] = &[
    at(Describe, "no_game", |_, m| drop(m.out.remove(0)), "no line game"),
    at(Describe, "no_seats", |_, m| drop(m.out.remove(1)), "no line seats"),
    at(Describe, "no_turns", |_, m| drop(m.out.remove(2)), "no line turns"),
    at(Describe, "name_great", |_, m| m.out[0] = "game Sums 1".into(), "Sums is not a name"),
    at(Describe, "name_long", |_, m| m.out[0] = "game sssssssssssssssssssss 1".into(), "is not a name"),
    at(Describe, "version_none", |_, m| m.out[0] = "game sums".into(), "the line ends too early"),
    at(Describe, "version_zero", |_, m| m.out[0] = "game sums 0".into(), "0 is not from 1"),
    at(Describe, "seats_none", |_, m| m.out[1] = "seats 0 2".into(), "0 is not from 1 to 64"),
    at(Describe, "seats_many", |_, m| m.out[1] = "seats 2 65".into(), "65 is not from 2 to 64"),
    at(Describe, "seats_reversed", |_, m| m.out[1] = "seats 3 2".into(), "2 is not from 3 to 64"),
    at(Describe, "seats_words", |_, m| m.out[1] = "seats two two".into(), "two is not an integer"),
    at(Describe, "team_of_none", |_, m| m.out[1] = "seats 2 2\nteam".into(), "seats are due"),
    at(Describe, "team_of_words", |_, m| m.out[1] = "seats 2 2\nteam us".into(), "us is not an integer"),
    at(Describe, "team_twice", |_, m| m.out[1] = "seats 2 2\nteam 0\nteam 0".into(), NO_TEAMS),
    at(Describe, "team_alone", |_, m| m.out[1] = "seats 2 2\nteam 0 1".into(), NO_TEAMS),
    at(Describe, "team_elsewhere", |_, m| m.out[1] = "seats 2 2\nteam 0\nteam 2".into(), NO_TEAMS),
    at(Describe, "team_larger", |_, m| m.out[1] = "seats 3 3\nteam 0\nteam 1 2".into(), NO_TEAMS),
    at(Describe, "team_of_a_range", |_, m| m.out[1] = "seats 2 3\nteam 0\nteam 1".into(), NO_TEAMS),
    at(Describe, "turns_huge", |_, m| m.out[2] = "turns 99999999999999999999".into(), NOT_64_BITS),
    at(
        Describe,
        "parameter_of_each_game",
        |_, m| m.out[3] = "parameter turn_ms 1 1 9 mine".into(),
        "a name that is taken",
    ),
    at(
        Describe,
        "parameter_default",
        |_, m| m.out[3] = "parameter side 10 1 9 too much".into(),
        "a default out of its range",
    ),
    at(
        Describe,
        "parameter_twice",
        |_, m| m.out[4] = "parameter side 1 0 9 again".into(),
        "`parameter side 1 0 9 again`: this was said in an earlier line",
    ),
    at(Describe, "parameter_short", |_, m| m.out[3] = "parameter side 1".into(), "the line ends too early"),
    at(
        Describe,
        "game_twice",
        |_, m| m.out.insert(1, "game sums 2".into()),
        "`game sums 2`: this was said in an earlier line",
    ),
    at(
        Describe,
        "seats_twice",
        |_, m| m.out.insert(2, "seats 2 3".into()),
        "`seats 2 3`: this was said in an earlier line",
    ),
    ahead(
        Describe,
        "together_ahead",
        |_, m| m.out.insert(1, "together".into()),
        "`ahead`: this was said in an earlier line",
    ),
    at(Describe, "patience_none", |_, m| m.first("patience 0"), "0 is not from 1"),
    at(
        Describe,
        "word_unknown",
        |_, m| m.first("hello world"),
        "this word is not allowed here (allowed: game,",
    ),
    at(Describe, "words_more", |_, m| m.out[2] = "turns 3 4".into(), "the line has too many words"),
    at(Describe, "describe_exit", |_, _| exit(3), "it has ended, with status 3"),
    at(Describe, "describe_killed", |_, _| killed(Signal::KILL), "signal 9"),
    at(Describe, "describe_flood", floods, NOT_ALLOWED),
    at(Describe, "describe_bytes", not_text, "not text in UTF-8"),
];

/// Judges that fail in each game, whatever is answered.
pub const PLAYING: &[Mistake] = &[
    at(Start, "start_exit", complains, "with status 1 (last line on standard error: oh no)"),
    at(Start, "start_crash", crashes, "signal 6"),
    at(Start, "start_panic", |_, _| panic!("of its own"), "standard error: of its own"),
    slow(Start, "start_silent", stalls),
    slow(Start, "start_half", half),
    at(Start, "start_closed", closes, "it has closed its output"),
    flood(Start, "start_flood"),
    at(Start, "start_unknown", greets, "`hello`: this word is not allowed"),
    at(Start, "start_empty", |_, _| write(b"\n"), "the line ends too early"),
    at(Start, "start_bytes", not_text, "not text in UTF-8"),
    at(Start, "start_long", much, "a line of more than 1 MiB, which begins `say 0 xxx"),
    at(Start, "start_effect", |_, _| write(b"effect early 0 1\n"), "an effect before the first turn"),
    at(
        Start,
        "start_draws",
        |_, m| m.first((0..300).fold("draw place 0 300".to_owned(), |line, at| format!("{line} {at}"))),
        "more than 256 draws",
    ),
    at(Start, "start_twice", |_, m| m.out.extend(["ask 0 0 0".into(), "end".into()]), "`ask 0"),
    at(Go, "turn_exit", complains, "with status 1"),
    at(Go, "turn_end", |_, _| exit(0), "it has ended, with status 0"),
    at(Go, "turn_crash", crashes, "signal 6"),
    slow(Go, "turn_silent", stalls),
    slow(Go, "turn_half", half),
    at(Go, "turn_closed", closes, "it has closed its output"),
    flood(Go, "turn_flood"),
    at(Go, "turn_unknown", greets, "`hello`: this word is not allowed"),
    at(Go, "turn_bytes", not_text, "not text in UTF-8"),
    at(Go, "turn_long", much, "a line of more than 1 MiB"),
    at(Check, "check_exit", complains, "with status 1"),
    slow(Check, "check_silent", stalls),
    at(Check, "check_flood", floods, "`say 0 again and again`: this word is not allowed here (allowed: fine"),
    at(Check, "check_long", much, "a line of more than 1 MiB"),
    at(Check, "check_word", |_, m| m.out[0] = "well".into(), "`well`: this word is not allowed here"),
    at(Check, "check_none", |_, m| m.out[0] = "illegal 0 0 nothing".into(), "0 is not from 1"),
    at(Check, "check_more", |_, m| m.out[0] = "illegal 2 1 too much".into(), "1 is not from 2"),
    at(Check, "check_short", |_, m| m.out[0] = "illegal".into(), "the line ends too early"),
    at(Check, "check_words", |_, m| m.out[0] = "fine 1".into(), "too many words"),
    at(Check, "check_two", |_, m| m.out.push("fine".into()), "`fine`: this word is not allowed here"),
    at(Check, "check_before", |_, m| m.first("seat 0"), "`seat 0`: this word is not allowed here"),
    Mistake {
        lines: &["together", "patience 300"],
        ..slow(Check, "together_silent", |_, m| m.out.truncate(if m.seat == 1 { 0 } else { 1 }))
    },
    Mistake { lines: &["ahead", "patience 300"], ..slow(Ahead, "ahead_silent", stalls) },
    Mistake { lines: &["ahead", "patience 300"], ..slow(Ahead, "ahead_half", half) },
    ahead(Ahead, "ahead_exit", complains, "with status 1"),
    ahead(Ahead, "ahead_unknown", greets, "`hello`: this word is not allowed"),
    at(Ask, "ask_absent", |_, m| m.first("ask 9 1"), "9 is not from 0 to 3"),
    at(Ask, "ask_negative", |_, m| m.first("ask -1 5"), "`ask -1 5`: -1 is not from 0 to 3"),
    at(Ask, "ask_twice", |_, m| m.first("ask 1 0"), "this seat is asked twice"),
    at(Ask, "ask_nobody", |_, m| m.out = vec!["end".into()], NOBODY_ASKED),
    at(Ask, "ask_huge", |_, m| m.first("ask 0 1000000000000000000000000000000"), NOT_64_BITS),
    at(Ask, "ask_words", |_, m| m.first("ask 0 x"), "x is not an integer"),
    at(Ask, "ask_null", |_, m| m.first("\0"), NOT_ALLOWED),
    at(Ask, "ask_end", |_, m| m.out.push("end".into()), "`end`: this word is not allowed here"),
    at(Ask, "ask_and_over", |g, m| m.before_end(each(g, "over early\nscores", 1)), BOTH),
    at(Ask, "scores_early", |g, m| m.before_end(each(g, "scores", 1)), BOTH),
    at(Ask, "shared_words", |_, m| m.before_end("shared 1 x"), "x is not an integer"),
    at(
        Ask,
        "shared_much",
        |_, m| (0..5).for_each(|_| m.before_end(format!("shared{}", " 1".repeat(490_000)))),
        "the questions of the turn are longer than 16 MiB",
    ),
    at(Over, "over_asks", |_, m| m.first("ask 0 1"), "must not ask a seat"),
    at(
        Over,
        "over_twice",
        |_, m| m.before_end("over again"),
        "`over again`: this was said in an earlier line",
    ),
    at(Over, "reason_great", |_, m| m.replace(2, "over Turns"), "Turns is not a name"),
    at(Over, "reason_none", |_, m| m.replace(2, "over"), "the line ends too early"),
    at(Over, "scores_none", |_, m| m.replace(1, "say 0 nothing"), BOTH),
    at(Over, "scores_short", |_, m| m.replace(1, "scores 1"), "1 scores and 1 shares for 4 seats"),
    at(Over, "scores_long", |_, m| m.replace(1, "scores 1 2 3 4 5"), "5 scores and 5 shares for 4 seats"),
    at(Over, "scores_words", |_, m| m.replace(1, "scores nan nan nan nan"), "nan is not an integer"),
    at(Over, "scores_null", |_, m| m.replace(1, "scores 1\0 1\0 1\0 1\0"), "is not an integer"),
    at(Over, "scores_huge", |g, m| m.replace(1, each(g, "scores", 1 << 64)), NOT_64_BITS),
    at(Over, "scores_float", |_, m| m.replace(1, "scores 0.5 1 1 1"), "0.5 is not an integer"),
    at(
        Over,
        "scores_great",
        |_, m| m.replace(1, "scores 1 2 3 1000000000001"),
        "1000000000001 is not from -1000000000000 to 1000000000000",
    ),
    at(Over, "scores_small", |g, m| m.replace(1, each(g, "scores", -1 << 63)), "is not from -1000000000000"),
    at(
        Over,
        "scores_twice",
        |_, m| m.before_end("scores 1 2 3 4"),
        "`scores 1 2 3 4`: this was said in an earlier line",
    ),
    at(
        Over,
        "shares_twice",
        |_, m| m.before_end("shares 1 1 0 0 0\nshares 1 0 1 0 0"),
        "`shares 1 0 1 0 0`: this was said in an earlier line",
    ),
    at(Over, "shares_over", |_, m| m.before_end("shares 5 6 0 0 0"), SHARE),
    at(Over, "shares_negative", |_, m| m.before_end("shares 5 -1 0 0 0"), SHARE),
    at(Over, "shares_short", |_, m| m.before_end("shares 5 1"), "4 scores and 1 shares for 4 seats"),
    at(Over, "shares_zero", |g, m| m.before_end(each(g, "shares 0", 0)), "0 is not from 1"),
    at(Over, "shares_huge", |g, m| m.before_end(each(g, "shares 9223372036854775808", 1)), NOT_64_BITS),
    at(Over, "shares_words", |_, m| m.before_end("shares all of it"), "all is not an integer"),
    at(Go, "never_over", |g, _| g.length = 1_000, NEVER_OVER),
    at(Go, "turn_again", |g, _| g.turn -= i64::from(g.turn == 3), NEVER_OVER),
    at(Go, "effect_seat", |_, m| m.first("effect sum 9 1"), "9 is not from -1 to 3"),
    at(Go, "effect_name", |_, m| m.first("effect Sum! 0 1"), "Sum! is not a name"),
    at(Go, "effect_words", |_, m| m.first("effect sum 0 one"), "one is not an integer"),
    at(Go, "say_seat", |_, m| m.first("say 7 hello"), "7 is not from -1 to 3"),
    at(Go, "draw_none", |_, m| m.first("draw x 0 0 1 2"), "0 is not from 1"),
    at(Go, "draw_more", |_, m| m.first("draw x 0 3 1 2"), CANDIDATES),
    at(Go, "draw_empty", |_, m| m.first("draw x 0 1"), CANDIDATES),
    at(Go, "draw_words", |_, m| m.first("draw x 0 1 a b"), "a is not an integer"),
    at(Go, "pick_more", |_, m| m.first("pick x 0 3 1 2"), CANDIDATES),
    at(
        Go,
        "memory",
        |g, _| g.given.extend(vec![1u8; 3 << 30].iter().map(|byte| (0, i64::from(*byte)))),
        "signal 6",
    ),
];
