//! The words of a judge: its description, and the lines of its replies. Errors name the word that does not
//! fit; nothing is guessed.
//!
//! [`Words`] takes a line word by word, and `docs/reference/judge.md` says what each word means.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::session::Session;
use crate::start::Options;
use referee_games::catalog::SEATS;
use referee_record::text;
use referee_rules::wire;
use referee_rules::{Dice, Parameter};

/// A judge's description of its game.
#[derive(Debug, PartialEq)]
pub(super) struct Description {
    pub(super) name: String,
    pub(super) version: u32,
    pub(super) about: &'static str,
    pub(super) seats_min: usize,
    pub(super) seats_max: usize,
    /// The seats of each team; empty if each seat plays for itself.
    pub(super) teams: &'static [&'static [usize]],
    pub(super) turns_max: u32,
    /// All parameters: the number of seats where it varies, the judge's own, the limits of time.
    pub(super) parameters: &'static [Parameter],
    /// The names of the parameters that the judge gets in `start`: its own, and the time limits if it requests them.
    pub(super) start_parameters: &'static [&'static str],
    /// The texts that its scene shows at places.
    pub(super) labels: &'static [&'static str],
    /// The things whose facts are known to their seats alone.
    pub(super) hidden: &'static [&'static str],
    /// Whether it reads all checks of a turn before it replies with its verdicts.
    pub(super) checks_together: bool,
    /// Whether it plays the turn at once if none of the answers that it checks is malformed.
    pub(super) plays_ahead: bool,
    /// The judge's own limit: the time for each of its replies.
    pub(super) patience: Duration,
    /// The error if a parameter has the name of a command-line option. Such a judge is refused for new games, but old
    /// records by it can still be read.
    pub(super) option_conflict: Option<String>,
}

impl Description {
    /// Time limit of a judge for its description, and for each reply unless it sets another one.
    pub(super) const PATIENCE: Duration = Duration::from_secs(10);
}

/// Maximum number of seats in a judge's game.
const SEATS_MAX: usize = 64;

/// Maximum number of labels.
const LABELS_MAX: usize = 1000;

/// The names of the time limits of bots: parameters that every judge's game has.
const LIMITS: [&str; 2] = ["turn_ms", "first_ms"];

/// Maximum number of parameters.
const PARAMETERS_MAX: usize = 20;

/// Has a judge describe its game. `options` are the names that conflict with those of its parameters.
pub(super) fn describe(session: &mut Session, options: &Options) -> Result<Description, String> {
    session.ask(b"describe\n");
    let mut lines = DescriptionLines::default();
    loop {
        let line = session.read_line()?;
        let mut words = Words::new(&line);
        let word = words.word()?;
        if word == "end" {
            words.end()?;
            return lines.description();
        }
        lines.take(word, &mut words, options)?;
        words.end()?;
    }
}

/// The lines of a description so far.
#[derive(Default)]
struct DescriptionLines {
    /// The first words of the lines so far that can come only once.
    single_lines: BTreeSet<String>,
    /// The name of the game, and its version.
    game: Option<(&'static str, i64)>,
    about: Option<&'static str>,
    /// The smallest and the greatest number of seats.
    seats: Option<(usize, usize)>,
    teams: Vec<&'static [usize]>,
    turns_max: Option<i64>,
    /// The time limits of a turn, and of the first one, in milliseconds.
    time: Option<[i64; 2]>,
    patience: Option<Duration>,
    own_parameters: Vec<Parameter>,
    /// The names of the time limits if the judge requests them; else empty.
    limits: &'static [&'static str],
    labels: Vec<&'static str>,
    hidden: Vec<&'static str>,
    checks_together: bool,
    plays_ahead: bool,
    option_conflict: Option<String>,
}

impl DescriptionLines {
    /// Takes a line that begins with this word.
    fn take(&mut self, word: &str, words: &mut Words<'_>, options: &Options) -> Result<(), String> {
        // `ahead` says all that `together` says, so only one of these lines can come.
        let single = if word == "ahead" { "together" } else { word };
        if !matches!(word, "parameter" | "label" | "team" | "hidden")
            && !self.single_lines.insert(single.to_owned())
        {
            return Err(words.repeated());
        }
        match word {
            "game" => self.game = Some((words.name()?, words.number(1, 1_000_000)?)),
            "about" => self.about = Some(leak(&text::harmless(words.rest(), 100))),
            "seats" => {
                let min = words.number(1, SEATS_MAX as i64)?;
                self.seats = Some((min as usize, words.number(min, SEATS_MAX as i64)? as usize));
            }
            "team" if self.teams.len() < SEATS_MAX => self.teams.push(team(words)?),
            "turns" => self.turns_max = Some(words.number(1, 1_000_000)?),
            "time" => self.time = Some([words.number(1, 3_600_000)?, words.number(1, 3_600_000)?]),
            "label" if self.labels.len() < LABELS_MAX => {
                self.labels.push(leak(&text::harmless(words.rest(), 30)));
            }
            "together" => self.checks_together = true,
            "ahead" => (self.checks_together, self.plays_ahead) = (true, true),
            "limits" => self.limits = &LIMITS,
            "hidden" if self.hidden.len() < LABELS_MAX => self.hidden.push(words.name()?),
            "patience" => self.patience = Some(Duration::from_millis(words.number(1, 600_000)? as u64)),
            "parameter" => self.take_parameter(words, options)?,
            _ => {
                return Err(words.unknown(
                    "game, about, seats, team, turns, time, limits, hidden, together, ahead, label, patience, \
                     parameter, end",
                ));
            }
        }
        Ok(())
    }

    fn take_parameter(&mut self, words: &mut Words<'_>, options: &Options) -> Result<(), String> {
        let name = words.name()?;
        let [default, min, max] = [words.integer()?, words.integer()?, words.integer()?];
        if self.own_parameters.iter().any(|other| other.name == name) {
            return Err(words.repeated());
        }
        let name_is_taken =
            |why: &str| words.wrong(&format!("{name} is a name that is taken: {why}; choose another"));
        if name == SEATS || LIMITS.contains(&name) {
            return Err(name_is_taken("each game has it"));
        }
        if options.iter().any(|option| option == name) && self.option_conflict.is_none() {
            let why = format!("commands have an option --{}", name.replace('_', "-"));
            self.option_conflict = Some(name_is_taken(&why));
        }
        if !(min..=max).contains(&default) {
            return Err(words.wrong("a default out of its range"));
        }
        if self.own_parameters.len() == PARAMETERS_MAX {
            return Err(words.wrong(&format!("more than {PARAMETERS_MAX} parameters")));
        }
        let help = leak(&text::harmless(words.rest(), 100));
        self.own_parameters.push(Parameter::integer(name, default, min..=max, help));
        Ok(())
    }

    /// Returns the description, if it is whole.
    fn description(self) -> Result<Description, String> {
        let missing = |what: &str| format!("its description has no line {what}");
        let (name, version) = self.game.ok_or_else(|| missing("game"))?;
        let (seats_min, seats_max) = self.seats.ok_or_else(|| missing("seats"))?;
        let has_varying_seats = seats_min < seats_max;
        if !self.teams.is_empty() && (has_varying_seats || !are_teams(&self.teams, seats_max)) {
            return Err(format!(
                "its lines `team` do not share the seats 0 to {} out: at least two teams of the same size, each seat \
                 in one, and a line `seats` with one number twice",
                seats_max - 1
            ));
        }
        let turns_max = self.turns_max.ok_or_else(|| missing("turns"))?;
        let own_names = self.own_parameters.iter().map(|parameter| parameter.name);
        let start_parameters = own_names.chain(self.limits.iter().copied()).collect();
        let mut parameters = Vec::new();
        if has_varying_seats {
            let range = seats_min as i64..=seats_max as i64;
            parameters.push(Parameter::integer(SEATS, seats_max as i64, range, "seats"));
        }
        parameters.extend(self.own_parameters);
        let [turn_ms, first_ms] = self.time.unwrap_or([1000, 5000]);
        parameters.push(Parameter::turn_ms(turn_ms));
        parameters.push(Parameter { default: first_ms, ..Parameter::first_ms() });
        Ok(Description {
            name: name.to_owned(),
            version: version as u32,
            about: self.about.unwrap_or("a game of its own"),
            seats_min,
            seats_max,
            turns_max: turns_max as u32,
            teams: Vec::leak(self.teams),
            parameters: Vec::leak(parameters),
            labels: Vec::leak(self.labels),
            hidden: Vec::leak(self.hidden),
            checks_together: self.checks_together,
            plays_ahead: self.plays_ahead,
            start_parameters: Vec::leak(start_parameters),
            patience: self.patience.unwrap_or(Description::PATIENCE),
            option_conflict: self.option_conflict,
        })
    }
}

/// Takes the seats of a team.
fn team(words: &mut Words<'_>) -> Result<&'static [usize], String> {
    let numbers = words.integers()?;
    if numbers.is_empty() || numbers.iter().any(|seat| !(0..SEATS_MAX as i64).contains(seat)) {
        return Err(words.wrong("seats are due, each a number from 0"));
    }
    let seats: Vec<usize> = numbers.into_iter().map(|seat| seat as usize).collect();
    Ok(seats.leak())
}

/// Tells whether these are two or more teams of the same size that have each seat once.
fn are_teams(teams: &[&[usize]], seats: usize) -> bool {
    let all: BTreeSet<usize> = teams.iter().copied().flatten().copied().collect();
    let is_even = teams.iter().all(|team| team.len() == teams[0].len());
    is_even && teams.len() > 1 && teams.len() * teams[0].len() == seats && all.into_iter().eq(0..seats)
}

/// A line of a judge, taken word by word.
#[derive(Debug)]
pub(super) struct Words<'a> {
    line: &'a str,
    /// The part that was not taken.
    left: &'a str,
}

impl<'a> Words<'a> {
    pub(super) fn new(line: &'a str) -> Words<'a> {
        Words { line, left: line.trim_ascii() }
    }

    /// Takes the next word.
    pub(super) fn word(&mut self) -> Result<&'a str, String> {
        let (word, left) = self.left.split_once(|c: char| c.is_ascii_whitespace()).unwrap_or((self.left, ""));
        self.left = left.trim_ascii_start();
        if word.is_empty() { Err(self.wrong("the line ends too early")) } else { Ok(word) }
    }

    /// Takes an integer.
    pub(super) fn integer(&mut self) -> Result<i64, String> {
        let word = self.word()?;
        word.parse()
            .map_err(|_| self.wrong(&format!("{} is not an integer of 64 bits", text::harmless(word, 40))))
    }

    /// Takes an integer from `min` to `max`.
    pub(super) fn number(&mut self, min: i64, max: i64) -> Result<i64, String> {
        let number = self.integer()?;
        if (min..=max).contains(&number) {
            return Ok(number);
        }
        Err(self.wrong(&format!("{number} is not from {min} to {max}")))
    }

    /// Takes all remaining integers.
    pub(super) fn integers(&mut self) -> Result<Vec<i64>, String> {
        // A blank and a digit take two bytes.
        let mut integers = Vec::with_capacity(self.left.len() / 2 + 1);
        if wire::read_integers(self.left.as_bytes(), &mut integers).is_ok() {
            self.left = "";
            return Ok(integers);
        }
        // Read again, word by word, to name the wrong one.
        integers.clear();
        while !self.left.is_empty() {
            integers.push(self.integer()?);
        }
        Ok(integers)
    }

    /// Takes all remaining integers, and appends them, each with a blank before it. Returns their number.
    pub(super) fn integers_as_text(&mut self, text: &mut Vec<u8>) -> Result<usize, String> {
        if let Some(count) = count_plain(self.left.as_bytes()) {
            text.push(b' ');
            text.extend_from_slice(self.rest().as_bytes());
            return Ok(count);
        }
        let integers = self.integers()?;
        wire::push_integers(text, &integers);
        Ok(integers.len())
    }

    /// Takes the name of something: lower-case letters, digits and `_`.
    pub(super) fn name(&mut self) -> Result<&'static str, String> {
        let word = self.word()?;
        if !is_plain_name(word) {
            let what = format!(
                "{} is not a name: use 1 to 20 of a-z, 0-9 and _, and begin with a letter",
                text::harmless(word, 40)
            );
            return Err(self.wrong(&what));
        }
        interned(word).ok_or_else(|| self.wrong(&format!("more than {NAMES_MAX} different names")))
    }

    /// Takes the rest as text.
    pub(super) fn rest(&mut self) -> &'a str {
        std::mem::take(&mut self.left)
    }

    /// Makes sure that no word is left.
    pub(super) fn end(&self) -> Result<(), String> {
        if self.left.is_empty() { Ok(()) } else { Err(self.wrong("the line has too many words")) }
    }

    /// Returns the error for a word that is none of the known ones.
    pub(super) fn unknown(&self, known: &str) -> String {
        self.wrong(&format!("this word is not allowed here (allowed: {known})"))
    }

    /// Returns the error for a second line of a kind that can come once.
    pub(super) fn repeated(&self) -> String {
        self.wrong("this was said in an earlier line")
    }

    /// Returns the error for what is wrong with the line.
    pub(super) fn wrong(&self, what: &str) -> String {
        format!("`{}`: {what}", text::harmless(self.line, 80))
    }
}

/// Counts the integers of a text that is written as the referee writes: single blanks, no sign, no zero in front.
/// `None` for any other text.
fn count_plain(text: &[u8]) -> Option<usize> {
    let (mut count, mut left) = (0, text);
    loop {
        // Boards are mostly single digits: four of them, with their blanks, are compared at once.
        while let Some((four, after)) = left.split_first_chunk()
            && are_four_digits(u64::from_le_bytes(*four))
            && !after.is_empty()
        {
            (count, left) = (count + 4, after);
        }
        let digits = left.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if !(1..=DIGITS_MAX).contains(&digits) || (digits > 1 && left[0] == b'0') {
            return None;
        }
        count += 1;
        match &left[digits..] {
            [] => return Some(count),
            [b' ', after @ ..] => left = after,
            _ => return None,
        }
    }
}

/// An integer of this number of digits always fits 64 bits.
const DIGITS_MAX: usize = 18;

/// Tells whether these eight bytes are four digits, with a blank after each.
fn are_four_digits(eight: u64) -> bool {
    // Has the digit's value, 0 to 9, in the byte of each digit, and 0 in the byte of each blank. Any other byte has
    // another value there.
    let differing = eight ^ u64::from_le_bytes(*b"0 0 0 0 ");
    // The bits that none of these values has.
    let forbidden = u64::from_le_bytes([0xf0, 0xff, 0xf0, 0xff, 0xf0, 0xff, 0xf0, 0xff]);
    // The addition of 6 carries values from 10 to 15 into the high half of their byte. So all bytes fit if there is no
    // forbidden bit before it, nor after it.
    let carried = differing.wrapping_add(u64::from_le_bytes([6, 0, 6, 0, 6, 0, 6, 0]));
    (differing | carried) & forbidden == 0
}

/// Tells whether this is a name: 1 to 20 of a-z, 0-9 and `_`, beginning with a letter.
pub(super) fn is_plain_name(word: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    word.len() <= 20 && word.starts_with(|c: char| c.is_ascii_lowercase()) && word.bytes().all(fits)
}

/// Maximum number of different names that judges may use in the life of a process.
const NAMES_MAX: usize = 10_000;

/// Returns a name that is never freed. The same name is stored once: names live as long as the process, and so does
/// their list.
fn interned(word: &str) -> Option<&'static str> {
    static NAMES: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = names.get(word) {
        return Some(known);
    }
    if names.len() == NAMES_MAX {
        return None;
    }
    let name = leak(word);
    names.insert(name);
    Some(name)
}

/// Returns a text that is never freed. The description of a judge lives as long as the process.
pub(super) fn leak(text: &str) -> &'static str {
    Box::leak(text.to_owned().into_boxed_str())
}

/// A draw that was made for a judge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Draw {
    pub(super) name: &'static str,
    pub(super) at: i64,
    pub(super) candidates: Vec<i64>,
    pub(super) drawn: Vec<i64>,
}

/// Whether the order of several drawn candidates matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// In the order in which they were drawn: `draw`.
    AsDrawn,
    /// In the order of the candidates: `pick`.
    AsListed,
}

/// Makes the draw that the rest of a line `draw NAME AT COUNT CANDIDATES` requests, and tells the judge what was drawn.
pub(super) fn draw(
    words: &mut Words<'_>,
    order: Order,
    session: &mut Session,
    dice: &mut Dice,
) -> Result<Draw, String> {
    let (name, at, count) = (words.name()?, words.integer()?, words.number(1, 1 << 16)?);
    let candidates = words.integers()?;
    let count = count as usize;
    if count > candidates.len() {
        return Err(words.wrong("the draw requests more than there are candidates"));
    }
    let mut places: Vec<usize> = (0..candidates.len()).collect();
    dice.choose(&mut places, count);
    places.truncate(count);
    if order == Order::AsListed {
        places.sort_unstable();
    }
    let drawn: Vec<i64> = places.into_iter().map(|place| candidates[place]).collect();
    let mut line = b"drawn".to_vec();
    wire::push_integers(&mut line, &drawn);
    line.push(b'\n');
    session.write(&line);
    Ok(Draw { name, at, candidates, drawn })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_taken_word_by_word_and_what_is_wrong_names_the_line() {
        let mut words = Words::new(" ask 0\t-7 x ");
        assert_eq!((words.word(), words.integer(), words.integer()), (Ok("ask"), Ok(0), Ok(-7)));
        let wrong = words.integer().unwrap_err();
        assert!(wrong.contains("x is not an integer") && wrong.contains("ask 0"), "{wrong}");
        assert!(words.word().unwrap_err().contains("the line ends too early"));
        assert!(Words::new("a b").end().is_err() && Words::new("").end().is_ok());
        assert!(Words::new("9").number(0, 8).unwrap_err().contains("not from 0 to 8"));
    }

    #[test]
    fn integers_as_text_are_those_that_are_read() {
        for line in [
            "0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6",
            "1 2 3 4",
            "1 2 3 4 ",
            "1 2 3 4 5 6 7 8 -1",
            "1 2 3 4 17 1023 5 6 7 8 999999999999999999 9223372036854775807 -9223372036854775808",
            "1  2\t3 +4 007 00 0",
            "7",
            "",
        ] {
            let (mut text, mut read) = (b" 5".to_vec(), b" 5".to_vec());
            let integers = Words::new(line).integers().unwrap();
            wire::push_integers(&mut read, &integers);
            let count = Words::new(line).integers_as_text(&mut text);
            assert_eq!((count, text), (Ok(integers.len()), read), "{line}");
        }
        for wrong in ["1 2 3 4 x", "1 2 3 : 4 5 6 7 8", "1 2 3 4;5 6 7 8", "9223372036854775808", "1 2 3 /"] {
            assert!(Words::new(wrong).integers_as_text(&mut Vec::new()).is_err(), "{wrong}");
        }
    }

    #[test]
    fn names_are_words_of_small_letters() {
        for name in ["a", "wall_2", "no_balls"] {
            assert_eq!(Words::new(name).name(), Ok(name));
        }
        for wrong in ["A", "2a", "_", "a-b", "a,b", "caf\u{e9}", &"a".repeat(21)] {
            assert!(Words::new(wrong).name().is_err(), "{wrong}");
        }
    }
}
