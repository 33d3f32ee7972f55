//! The vocabulary of a game's sentences: names of bots, places of a board of squares, and the ends of the game.

use std::collections::BTreeSet;
use std::ops::Range;

use referee_games::catalog::{self, Entry};
use referee_record::Heading;
use referee_record::text::count;
use referee_rules::{BySeat, Outcome, Seat};

/// Maximum number of bots that a sentence names.
const NAMED_MAX: usize = 4;

/// The facts about a game that its sentences need.
#[derive(Clone, Debug)]
pub struct Vocabulary {
    names: BySeat<String>,
    /// The names, each with the seat if another bot has the same name.
    distinct_names: BySeat<String>,
    columns: Option<i64>,
    entry: Option<&'static Entry>,
    parameters: Vec<(String, String)>,
}

/// A part of a sentence that differs from turn to turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Its place in the sentence, in bytes.
    pub place: Range<usize>,
    /// Its meaning.
    pub value: Value,
}

/// The meaning of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// A number.
    Number(i64),
    /// The name of the bot in a seat.
    Bot(Seat),
    /// A cell of a board of squares.
    Cell(i64),
}

impl Vocabulary {
    /// Returns the vocabulary of a game.
    pub fn of(heading: &Heading) -> Vocabulary {
        let bots = &heading.bots;
        let distinct_name = |seat: Seat| {
            let name = &bots[seat].name;
            let is_unique = bots.iter().filter(|(_, bot)| bot.name == *name).count() == 1;
            if is_unique { name.clone() } else { format!("{name} (seat {seat})") }
        };
        let entry = catalog::find(&heading.rules).ok();
        Vocabulary {
            names: bots.iter().map(|(_, bot)| bot.name.clone()).collect(),
            distinct_names: BySeat::from_fn(bots.len(), distinct_name),
            columns: entry.and_then(|entry| entry.columns),
            entry,
            parameters: heading.parameters.clone(),
        }
    }

    /// Returns the name of the bot in a seat, with the seat if another has the same name.
    pub fn bot(&self, seat: Seat) -> &str {
        &self.distinct_names[seat]
    }

    /// Returns the number of columns, if the places of the board are cells in rows.
    pub fn columns(&self) -> Option<i64> {
        self.columns
    }

    /// Returns why a game has ended, in words.
    pub fn end(&self, reason: &str) -> String {
        match self.entry {
            Some(entry) => entry.end(reason, &self.parameters),
            None => reason.replace('_', " "),
        }
    }

    /// Returns the parameters of the game and their values, in words.
    pub fn settings(&self) -> Vec<(String, String)> {
        let setting = |(name, value): &(String, String)| match self.entry {
            Some(entry) => entry.setting(name, value),
            None => (name.clone(), value.clone()),
        };
        self.parameters.iter().map(setting).collect()
    }

    /// Returns the names of those who play: `fox against owl`, or `fox, owl, gnu and 3 others`. A bot in several seats
    /// is named once.
    pub fn players(&self) -> String {
        let mut names: Vec<&str> = Vec::new();
        for (_, name) in self.names.iter() {
            if !names.contains(&&**name) {
                names.push(name);
            }
        }
        let named = names.len().min(NAMED_MAX);
        match (names.len() - named, &names[..named]) {
            (0, [one]) => format!("{one} against itself"),
            (0, [one, other]) => format!("{one} against {other}"),
            (0, [some @ .., last]) => format!("{} and {last}", some.join(", ")),
            (others, some) => format!("{} and {}", some.join(", "), count(others as u64, "other")),
        }
    }

    /// Returns a sentence about the first place: `fox wins`, or `fox and owl share the first place`. A team is named by
    /// the bots in its seats. The sentence about a bot that played alone has its score.
    pub fn first(&self, outcome: &Outcome) -> String {
        let seats = || Seat::first(self.distinct_names.len()).filter(|seat| outcome.place(*seat) == 1);
        let mut first: Vec<&str> = seats().map(|seat| self.bot(seat)).collect();
        let team = |seat: Seat| self.entry.map_or(seat.index(), |entry| entry.team(seat));
        let teams: BTreeSet<usize> = seats().map(team).collect();
        let is_team = teams.len() < first.len();
        if is_team {
            first = seats().map(|seat| &*self.names[seat]).collect();
            first.sort_unstable();
            first.dedup();
        }
        if self.distinct_names.len() == 1 {
            return format!("{} has {}", self.distinct_names[Seat::new(0)], outcome.scores[Seat::new(0)]);
        }
        let named = &first[..first.len().min(NAMED_MAX)];
        let verb = match (named.len(), is_team && teams.len() == 1) {
            (1, _) => "wins",
            (_, true) => "win",
            (_, false) => "share the first place",
        };
        match (first.len() - named.len(), named) {
            (0, [one]) => format!("{one} {verb}"),
            (0, [some @ .., last]) => format!("{} and {last} {verb}", some.join(", ")),
            (others, _) => format!("{} and {} {verb}", named.join(", "), count(others as u64, "other")),
        }
    }

    /// Replaces seats in a sentence by the names of their bots. `numbers` are the places of its numbers. Returns the
    /// sentence and its parts.
    pub(super) fn with_names(&self, words: &str, numbers: &[Range<usize>]) -> (String, Vec<Part>) {
        let (mut sentence, mut parts, mut end) = (String::with_capacity(words.len()), Vec::new(), 0);
        for Part { place, value } in self.parts(words, numbers) {
            sentence.push_str(&words[end..place.start]);
            let start = sentence.len();
            match value {
                Value::Bot(seat) => sentence.push_str(self.bot(seat)),
                Value::Number(_) | Value::Cell(_) => sentence.push_str(&words[place.clone()]),
            }
            end = place.end;
            parts.push(Part { place: start..sentence.len(), value });
        }
        sentence.push_str(&words[end..]);
        (sentence, parts)
    }

    /// Finds the parts of a sentence in which seats are numbers.
    fn parts(&self, words: &str, numbers: &[Range<usize>]) -> Vec<Part> {
        let mut parts: Vec<Part> = whole_numbers(words).filter_map(|place| self.part(words, place)).collect();
        let is_free = |place: &&Range<usize>| {
            !parts.iter().any(|part| part.place.start < place.end && place.start < part.place.end)
        };
        let plain = numbers.iter().filter(is_free).map(|place| Part {
            place: place.clone(),
            value: Value::Number(words[place.clone()].parse().expect("a number is there")),
        });
        let plain: Vec<Part> = plain.collect();
        parts.extend(plain);
        parts.sort_by_key(|part| part.place.start);
        parts
    }

    /// Returns the part that a number belongs to, by the word in front of it: `seat 3`, `to 17`, `from cell 17`.
    fn part(&self, words: &str, number: Range<usize>) -> Option<Part> {
        let value: i64 = words[number.clone()].parse().ok()?;
        let before = words[..number.start].strip_suffix(' ')?;
        if let Some(start) = before_word(before, "seat") {
            let seat = usize::try_from(value).ok().filter(|seat| *seat < self.distinct_names.len())?;
            return Some(Part { place: start..number.end, value: Value::Bot(Seat::new(seat)) });
        }
        self.columns?;
        let cell =
            before_word(before, "cell").and_then(|start| Some((start, words[..start].strip_suffix(' ')?)));
        let (start, before) = cell.unwrap_or((number.start, before));
        let is_place = ["from", "to", "on"].iter().any(|word| before_word(before, word).is_some());
        if is_place { Some(Part { place: start..number.end, value: Value::Cell(value) }) } else { None }
    }
}

/// Returns the start of the last word of a text, if it is this word.
fn before_word(text: &str, word: &str) -> Option<usize> {
    let before = text.strip_suffix(word)?;
    if before.ends_with(is_of_word) { None } else { Some(before.len()) }
}

/// Finds the numbers in a text that are words of their own.
fn whole_numbers(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut end = 0;
    std::iter::from_fn(move || {
        let start = end + text[end..].find(is_of_word)?;
        end = text[start..].find(|letter| !is_of_word(letter)).map_or(text.len(), |length| start + length);
        Some(start..end)
    })
    .filter(|place| text[place.clone()].bytes().all(|byte| byte.is_ascii_digit()))
}

fn is_of_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}
