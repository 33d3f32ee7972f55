//! Guests: bots that play in this process, in simulated time. To the program they are modules of WebAssembly: a file
//! begins as a module does, then come the words that say how the bot plays.
//!
//! | words | how it plays |
//! | --- | --- |
//! | `house NAME` | as the house bot |
//! | `house` | as the house bot that its arguments name: so the program `referee` plays in a call |
//! | `says LINE` | with the same line each time |
//! | `each M ODD: LINE` | with the same line, but its Mth answers are another; `/` ends a line within it |
//! | `talks` | with `0 0`, and a line on standard error, except for its second question |
//! | `late M`, `silent` | its Mth answers are late; it never answers |
//! | `waits FILE: LINE` | with the same line, once the file exists |
//! | `void: LINE`, `void first: LINE` | with the same line; but against others (in seat 0 alone) it makes the game void |
//! | `leaves FILE: N M` | with `0`; it leaves its first game at question N, its second at M, as the file counts |
//! | `exits N STATUS`, `crashes N` | ends at its Nth question, counted from 0 |

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::support::comes_true;
use referee_bots::HOUSE_BOTS;
use referee_cli::MakeGuests;
use referee_record::Answer;
use referee_record::play::collect::Collector;
use referee_record::play::table::{Question, Table, TableError, Void};
use referee_rules::game::Game;
use referee_rules::moment::Moment;
use referee_rules::thinker::Thinker;
use referee_rules::{BySeat, Dice, Events, Fact, Fault, Info, Narrator, Outcome, Seat, Seed};
use referee_sandbox::fork_server::ForkServer;
use referee_sandbox::program::Opened;
use referee_table::excerpt::Excerpt;
use referee_table::game_table::GameTable;
use referee_table::guests::Guests;
use referee_table::process::{Leftovers, Program, Setup};

/// What plays these guests.
pub(super) const GUESTS: MakeGuests = || Arc::new(Simulated);

/// The beginning of a module.
const MODULE: &str = "\0asm";

/// How the program of house bots plays.
pub(super) const HOUSE: &str = "house";

/// Returns the file of a bot.
pub(super) fn file(name: &str, words: &str) -> String {
    Bot::of(words, None);
    format!("{MODULE}\n{words}\n{name}\n")
}

/// Returns a house bot in a seat: what it answers to each of its questions.
pub(crate) fn house_bot(name: &str, info: &Info, seat: Seat) -> impl FnMut(&[u8]) -> Vec<i64> + use<> {
    let mut bot = Bot::of(&format!("{HOUSE} {name}"), Some((info, seat)));
    move |question| match bot.answer(question, 0) {
        Said::Line(line) => line.split_whitespace().map(|word| word.parse().expect("an integer")).collect(),
        Said::Nothing | Said::Ended(_) => panic!("a house bot answers"),
    }
}

#[derive(Debug)]
struct Simulated;

impl Guests for Simulated {
    fn clock(&self) -> String {
        "units-2".to_owned()
    }

    fn check(&self, _module: &Opened, _server: &ForkServer) -> Result<(), String> {
        Ok(())
    }

    fn check_here(&self) -> i32 {
        panic!("a module is checked by a program")
    }

    fn open(
        &self,
        info: &Info,
        programs: &BySeat<Option<Program>>,
        _setup: &Setup,
    ) -> Result<Box<dyn GameTable>, TableError> {
        let seats = programs.iter().map(|(seat, program)| {
            let program = program.as_ref();
            let file = &program?.file;
            let text = fs::read_to_string(file).ok().filter(|text| text.starts_with(MODULE));
            let text = text.unwrap_or_else(|| panic!("{}: not a guest", file.display()));
            let words = text.lines().nth(1).expect("its words");
            let named = program?.arguments.get(2).filter(|_| words == HOUSE);
            let words = named.map_or_else(|| words.to_owned(), |name| format!("{HOUSE} {}", name.display()));
            let bot = Bot::of(&words, Some((info, seat)));
            Some(Sitting {
                bot,
                collector: Collector::new(1),
                now: Moment::default(),
                asked: 0,
                line: Vec::new(),
                errors: Excerpt::default(),
            })
        });
        Ok(Box::new(GuestTable { seats: seats.collect::<Vec<_>>().into(), asked: Vec::new() }))
    }
}

/// A table of guests.
#[derive(Debug)]
struct GuestTable {
    seats: BySeat<Option<Sitting>>,
    asked: Vec<Seat>,
}

/// A guest in its seat.
#[derive(Debug)]
struct Sitting {
    bot: Bot,
    /// Each guest has a clock of its own.
    collector: Collector,
    now: Moment,
    /// Number of its questions so far.
    asked: u64,
    line: Vec<u8>,
    errors: Excerpt,
}

/// The only seat of a guest's collector.
const OWN: Seat = Seat::new(0);

/// The time that each answer takes.
const THINKS: Duration = Duration::from_micros(250);

impl Table for GuestTable {
    fn ask(&mut self, questions: &[Question]) -> Result<(), TableError> {
        self.asked = questions.iter().map(|question| question.seat).collect();
        for question in questions {
            let sitting = self.seats[question.seat].as_mut().expect("a guest");
            if sitting.collector.is_gone(OWN) {
                sitting.collector.cannot_ask(OWN);
            } else {
                sitting.collector.ask(OWN, question.limit, sitting.now, 0);
                sitting.collector.written(OWN, sitting.now);
                sitting.line.clone_from(&question.line);
            }
        }
        Ok(())
    }

    fn collect(&mut self, answers: &mut Vec<Answer>) -> Result<(), TableError> {
        answers.resize_with(self.asked.len(), || Answer::empty(OWN));
        let is_alone = self.seats.iter().filter(|(_, sitting)| sitting.is_some()).count() == 1;
        for &seat in self.asked.iter().filter(|_| !is_alone) {
            let bot = self.seats[seat].as_ref().map(|sitting| &sitting.bot);
            if let Some(Bot::Void(first, _)) = bot
                && (!first || seat == OWN)
            {
                let why = "a guest says so".to_owned();
                return Err(TableError::Void(Void::SandboxError { seat, why }));
            }
        }
        for (answer, &seat) in answers.iter_mut().zip(&self.asked) {
            self.seats[seat].as_mut().expect("a guest").answer(answer);
            answer.seat = seat;
        }
        Ok(())
    }
}

impl GameTable for GuestTable {
    fn process(&self, _seat: Seat) -> Option<i32> {
        None
    }

    fn farewell(self: Box<Self>) -> BySeat<Leftovers> {
        let GuestTable { mut seats, .. } = *self;
        let count = seats.len();
        BySeat::from_fn(count, |seat| seats[seat].as_mut().map_or_else(Leftovers::default, Sitting::leave))
    }

    fn guests(&self) -> Vec<Seat> {
        self.seats.iter().filter(|(_, guest)| guest.is_some()).map(|(seat, _)| seat).collect()
    }
}

impl Sitting {
    fn leave(&mut self) -> Leftovers {
        if matches!(self.bot, Bot::Talks) {
            self.errors.push(b"bye\n");
        }
        self.end_turn();
        Leftovers { errors: std::mem::take(&mut self.errors), dropped: self.collector.dropped(OWN) }
    }

    /// Assigns the standard error so far to the turn of the last question.
    fn end_turn(&mut self) {
        if let Some(turn) = self.asked.checked_sub(1) {
            self.errors.end_turn(turn as u32, 0);
        }
    }

    fn answer(&mut self, answer: &mut Answer) {
        self.end_turn();
        if let Some(deadline) = self.collector.deadline(OWN) {
            if matches!(self.bot, Bot::Talks) && self.asked != 1 {
                let hello = if self.asked == 0 { "hello\n" } else { "" };
                self.errors.push(format!("{hello}turn {}\n", self.asked).as_bytes());
            }
            match self.bot.answer(&self.line, self.asked) {
                Said::Line(line) => {
                    self.now = self.now + THINKS;
                    self.collector.bytes(OWN, line.as_bytes(), self.now);
                }
                Said::Nothing => {
                    self.now = deadline + Duration::from_nanos(1);
                    self.collector.expire(self.now);
                }
                Said::Ended(fault) => self.collector.gone(OWN, fault, self.now),
            }
            self.asked += 1;
        }
        self.collector.take(OWN, answer);
    }
}

/// How a guest plays.
enum Bot {
    House(Option<Box<dyn Thinker>>, Option<(Info, Seat)>),
    Says(String),
    Each(u64, String, String),
    Talks,
    Late(u64),
    Silent,
    Exits(u64, i32),
    Crashes(u64),
    Leaves(u64),
    Waits(PathBuf, String),
    /// Whether in seat 0 alone, and its line.
    Void(bool, String),
}

/// An answer of a guest.
enum Said {
    Line(String),
    Nothing,
    Ended(Fault),
}

impl std::fmt::Debug for Bot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Bot")
    }
}

impl Bot {
    /// Reads the words of a bot, for a seat of a game.
    fn of(words: &str, place: Option<(&Info, Seat)>) -> Bot {
        let (kind, rest) = words.split_once(' ').unwrap_or((words, ""));
        let numbers: Vec<u64> = rest.split(' ').map_while(|word| word.parse().ok()).collect();
        match (kind, &numbers[..]) {
            ("house", _) => {
                let thinker = place.map(|(info, _)| {
                    let found = HOUSE_BOTS.iter().find(|bot| bot.game == info.name && bot.name == rest);
                    let bot = found.unwrap_or_else(|| panic!("no house bot {rest}"));
                    bot.thinker.unwrap_or_else(|| panic!("{rest} plays as a program alone"))()
                });
                Bot::House(thinker, place.map(|(info, seat)| (info.clone(), seat)))
            }
            ("says", _) => Bot::Says(format!("{rest}\n")),
            ("each", &[every, ..]) => {
                let (odd, line) = rest.split_once(": ").expect("two answers");
                let odd = odd.split_once(' ').expect("an odd answer").1.replace('/', "\n");
                Bot::Each(every, format!("{odd}\n"), format!("{line}\n"))
            }
            ("talks", []) => Bot::Talks,
            ("late", &[every]) => Bot::Late(every),
            ("silent", []) => Bot::Silent,
            ("waits", _) => {
                let (file, line) = rest.split_once(": ").expect("a line");
                Bot::Waits(file.into(), format!("{line}\n"))
            }
            ("void" | "void:", _) => {
                let (_, line) = words.split_once(": ").expect("a line");
                Bot::Void(rest.starts_with("first"), format!("{line}\n"))
            }
            ("leaves", _) => {
                let (file, turns) = rest.split_once(": ").expect("turns");
                let turns: Vec<u64> = turns.split(' ').map(|turn| turn.parse().expect("a turn")).collect();
                Bot::Leaves(place.map_or(0, |_| turns[counted(Path::new(file))]))
            }
            ("exits", &[at, status]) => Bot::Exits(at, status as i32),
            ("crashes", &[at]) => Bot::Crashes(at),
            _ => panic!("{words}: no way to play"),
        }
    }

    /// Answers a question, `number` counted from 0.
    fn answer(&mut self, question: &[u8], number: u64) -> Said {
        match self {
            Bot::House(thinker, place) => {
                let (info, seat) = place.as_ref().expect("a seat");
                let mut integers = Vec::new();
                let mut spoken = Spoken { info, question };
                thinker.as_mut().expect("a bot").answer(&mut spoken, *seat, &mut integers);
                Said::Line(integers.iter().map(i64::to_string).collect::<Vec<_>>().join(" ") + "\n")
            }
            Bot::Says(line) | Bot::Void(_, line) => Said::Line(line.clone()),
            Bot::Each(every, odd, _) if (number + 1).is_multiple_of(*every) => Said::Line(odd.clone()),
            Bot::Each(_, _, line) => Said::Line(line.clone()),
            Bot::Talks => Said::Line("0 0\n".to_owned()),
            Bot::Late(every) if (number + 1).is_multiple_of(*every) => Said::Nothing,
            Bot::Waits(file, line) => {
                assert!(comes_true(|| file.exists()), "{}: missing", file.display());
                Said::Line(line.clone())
            }
            Bot::Silent => Said::Nothing,
            Bot::Leaves(at) if number == *at => Said::Ended(Fault::Exited(0)),
            Bot::Leaves(_) => Said::Line("0\n".to_owned()),
            Bot::Exits(at, status) if number == *at => Said::Ended(Fault::Exited(*status)),
            Bot::Crashes(at) if number == *at => Said::Ended(Fault::Crashed(6)),
            Bot::Late(_) | Bot::Exits(..) | Bot::Crashes(_) => Said::Line("4 4\n".to_owned()),
        }
    }
}

/// Counts a game in a file. Returns the number of games before it.
fn counted(file: &Path) -> usize {
    let before = fs::read_to_string(file).map_or(0, |text| text.parse().expect("a number"));
    fs::write(file, (before + 1).to_string()).expect("a file");
    before
}

/// A game of which only the question to one seat is known.
#[derive(Debug)]
struct Spoken<'a> {
    info: &'a Info,
    question: &'a [u8],
}

const UNKNOWN: &str = "a guest knows its question alone";

impl Game for Spoken<'_> {
    fn info(&self) -> &Info {
        self.info
    }

    fn question(&mut self, _seat: Seat, line: &mut Vec<u8>) {
        line.extend_from_slice(self.question);
    }

    fn seed(&self) -> Seed {
        panic!("{UNKNOWN}")
    }

    fn turn(&self) -> u32 {
        panic!("{UNKNOWN}")
    }

    fn asked(&self) -> &[Seat] {
        panic!("{UNKNOWN}")
    }

    fn answer(&mut self, _seat: Seat, _given: Result<&[i64], &Fault>) -> Option<Fault> {
        panic!("{UNKNOWN}")
    }

    fn resolve(&mut self, _events: &mut Events) {
        panic!("{UNKNOWN}")
    }

    fn resolve_telling(&mut self, _events: &mut Events, _say: &mut Narrator<'_>) {
        panic!("{UNKNOWN}")
    }

    fn events_of_last_turn(&self) -> usize {
        panic!("{UNKNOWN}")
    }

    fn outcome(&self) -> Option<Outcome> {
        panic!("{UNKNOWN}")
    }

    fn describe(&self, _tell: &mut dyn FnMut(Fact)) {
        panic!("{UNKNOWN}")
    }

    fn describe_board(&self, _tell: &mut dyn FnMut(Fact)) {
        panic!("{UNKNOWN}")
    }

    fn describe_start(&self, _tell: &mut dyn FnMut(Fact)) {
        panic!("{UNKNOWN}")
    }

    fn sample(&self, _seat: Seat, _dice: &mut Dice, _integers: &mut Vec<i64>) {
        panic!("{UNKNOWN}")
    }

    fn copied(&self) -> Box<dyn Game> {
        panic!("{UNKNOWN}")
    }
}
