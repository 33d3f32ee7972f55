//! The tables of questions against the questions themselves: the value at an index is the one that its row
//! describes.
//!
//! The words of a row select its check. The check computes the expected value from the position and from
//! earlier answers and draws, without a codec. So a row that is moved, changed or new fails here.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use referee_games::catalog;
use referee_rules::game::{Game, play_turn};
use referee_rules::wire;
use referee_rules::{Dice, Event, Events, Fact, Fault, Malformed, Parameters, Seat, Seed};

use crate::docs::document::{Document, Table};

/// The meaning of a row of a table.
struct Row {
    game: &'static str,
    field: &'static str,
    /// The beginning of its text.
    words: &'static str,
    /// The expected value for a seat.
    due: fn(&Scene, Seat) -> Vec<i64>,
}

/// A row of the table of this game.
const fn row(
    game: &'static str,
    field: &'static str,
    words: &'static str,
    due: fn(&Scene, Seat) -> Vec<i64>,
) -> Row {
    Row { game, field, words, due }
}

/// All rows of all tables.
const ROWS: &[Row] = &[
    row("football", "turn", "the number of the turn", |scene, _| vec![scene.turn()]),
    row("football", "seat", "your corner", |_, seat| vec![seat.index() as i64]),
    row("football", "p", "players of each team", |scene, _| vec![scene.set("p")]),
    row("football", "k", "kick range", |scene, _| vec![scene.set("k")]),
    row("football", "max_turns", "the last turn", |scene, _| vec![scene.set("max_turns")]),
    row("football", "turn_ms", "milliseconds for an answer", |scene, _| vec![scene.set("turn_ms")]),
    row("football", "scores", "goals by seat", |scene, _| scene.by_seat("score")),
    row("football", "players", "the cell of each player, seat by seat", |scene, _| match scene.turn() {
        0 => vec![1024; 4 * scene.set("p") as usize],
        _ => scene.by_seat("player"),
    }),
    row("football", "balls", "how many balls lie on each cell", |scene, _| scene.counts("balls", 1024)),
    row("foosball", "score", "your goals", |scene, seat| scene.facts("score", Some(seat))),
    row("foosball", "other_score", "the other's goals", |scene, seat| {
        scene.facts("score", Some(other(seat)))
    }),
    row("foosball", "round", "rounds played so far", |scene, _| vec![scene.turn()]),
    row("foosball", "ball", "the ball's row", |scene, seat| {
        scene.facts("ball", None).iter().map(|row| if seat == HOME { *row } else { -row }).collect()
    }),
    row(
        "foosball",
        "rows",
        "your men: the row of each as you sent it; before your first roster all are 100",
        |scene, seat| scene.roster(seat),
    ),
    row("foosball", "fatigues", "your men: the fatigue of each", |scene, seat| {
        scene.facts("fatigue", Some(seat))
    }),
    row("foosball", "other_rows", "the other's men: the row of each, negated", |scene, seat| {
        scene.roster(other(seat)).iter().map(|row| -row).collect()
    }),
    row("foosball", "other_fatigues", "the other's men: the fatigue of each", |scene, seat| {
        scene.facts("fatigue", Some(other(seat)))
    }),
    row("push", "turn", "the number of the turn", |scene, _| vec![scene.turn()]),
    row("push", "turns", "how many turns the game has", |scene, _| vec![scene.set("turns")]),
    row("push", "seat", "your corner, clockwise", |_, seat| vec![seat.index() as i64]),
    row("push", "coins", "how many coins lie on each slot; 61 in all", |scene, _| scene.counts("coins", 61)),
    row(
        "push",
        "attempts",
        "for each seat the slot, the direction and the fate of its attempt in the last turn",
        |scene, _| Seat::first(6).flat_map(|seat| scene.attempt(seat)).collect(),
    ),
    row("target", "own", "your cell", |scene, seat| scene.facts("player", Some(seat))),
    row(
        "target",
        "wall",
        "the wall that was put since your last turn; 4096 if there was none",
        |scene, seat| vec![scene.news[seat.index()].unwrap_or(4096)],
    ),
    row("target", "enemies", "the cells of all others, in the order of the seats", |scene, seat| {
        let others = scene.seats().filter(|other| *other != seat);
        others.flat_map(|other| scene.facts("player", Some(other))).collect()
    }),
];

/// A game, its number of turns, and its settings.
type Played = (&'static str, u32, &'static [(&'static str, i64)]);

/// The games that are played for this test: many short ones in which everything happens, and their settings.
const PLAYED: [Played; 9] = [
    ("football", 40, &[("p", 1)]),
    ("football", 40, &[("p", 3), ("k", 17), ("max_turns", 44), ("turn_ms", 70)]),
    ("foosball", 450, &[]),
    ("foosball", 450, &[("variant", 1)]),
    ("push", 100, &[]),
    ("push", 12, &[("turns", 12)]),
    ("target", 300, &[("seats", 2), ("wall_one_in", 1)]),
    ("target", 300, &[("seats", 5), ("wall_one_in", 2)]),
    ("target", 300, &[("seats", 16)]),
];

#[test]
fn every_integer_of_a_question_is_what_its_row_says() {
    let mut seen = Seen::default();
    for ((game, turns, set), seed) in PLAYED.iter().zip(0..) {
        let page = Document::of_game(game);
        let table = page.table("The question", "index");
        let rows = rows_of(game, table);
        let mut scene = Scene::new(game, set, Seed(seed));
        for _ in 0..*turns {
            for seat in scene.game.asked().to_vec() {
                check_question(&mut scene, seat, table, &rows, &mut seen);
            }
            scene.play_turn();
        }
    }
    seen.assert_that_rows_differ();
}

/// Finds the meaning of each row of a table. None is left over on either side.
fn rows_of(game: &str, table: &Table) -> Vec<&'static Row> {
    let fields = table.column("field").into_iter().zip(table.column("meaning"));
    let find = |(field, meaning): (String, String)| {
        let fits = |row: &&Row| row.game == game && row.field == field && meaning.starts_with(row.words);
        ROWS.iter().find(fits).unwrap_or_else(|| panic!("{game}: nothing checks the row {field}: {meaning}"))
    };
    let rows: Vec<&Row> = fields.map(find).collect();
    assert_eq!(rows.len(), ROWS.iter().filter(|row| row.game == game).count(), "{game}: a row is missing");
    rows
}

fn check_question(scene: &mut Scene, seat: Seat, table: &Table, rows: &[&'static Row], seen: &mut Seen) {
    let question = scene.question(seat);
    let columns = ["index", "integers", "range"].map(|name| table.column(name));
    let mut next = 0;
    for (number, row) in rows.iter().enumerate() {
        let [index, length, range] = columns.each_ref().map(|column| column[number].as_str());
        let place = format!("{} turn {} seat {seat}: {}", row.game, scene.turn(), row.field);
        assert_eq!(scene.sum(index), next, "{place}: where it begins");
        let end = next + scene.sum(length);
        let values = &question[next as usize..end as usize];
        assert_eq!(values, (row.due)(scene, seat), "{place}");
        check_range(scene, row, range, values, &place);
        seen.take(row, values);
        next = end;
    }
    assert_eq!(next, question.len() as i64, "{}: a row for every integer", scene.info_name());
}

/// Compares values with a range of the table.
fn check_range(scene: &Scene, row: &Row, range: &str, values: &[i64], place: &str) {
    let parameters = catalog::find(row.game).unwrap().parameters;
    if let Some(parameter) = parameters.iter().find(|parameter| parameter.name == row.field) {
        assert_eq!(range, parameter.kind.to_string(), "{place}: the range of the parameter");
    }
    let holds = |range: &str, values: &mut dyn Iterator<Item = i64>| {
        let range = scene.range(range);
        values.for_each(|value| assert!(range.contains(&value), "{place}: {value} is not in {range:?}"));
    };
    let values = &mut values.iter().copied();
    match range {
        // Any other number is the bench, so there is nothing to compare.
        "-4 to 4, else the bench" => {}
        "0 to 1023; in turn 0 all are 1024" if scene.turn() == 0 => holds("1024 to 1024", values),
        "0 to 1023; in turn 0 all are 1024" => holds("0 to 1023", values),
        "slot 0 to 61, 61 is none; direction 0 to 6, 6 is none; fate 0 to 5" => {
            let values: Vec<i64> = values.collect();
            for (part, range) in ["0 to 61", "0 to 6", "0 to 5"].into_iter().enumerate() {
                holds(range, &mut values.iter().copied().skip(part).step_by(3));
            }
        }
        range => holds(range, values),
    }
}

/// The values of each row in all questions, one after the other.
#[derive(Default)]
struct Seen(Vec<(&'static Row, Vec<i64>)>);

impl Seen {
    fn take(&mut self, row: &'static Row, values: &[i64]) {
        match self.0.iter_mut().find(|(other, _)| std::ptr::eq(*other, row)) {
            Some((_, seen)) => seen.extend(values),
            None => self.0.push((row, values.to_vec())),
        }
    }

    /// If two rows were always equal, a swap would go unnoticed; and a row that never changes shows nothing.
    fn assert_that_rows_differ(&self) {
        for (index, (row, seen)) in self.0.iter().enumerate() {
            let place = format!("{} {}", row.game, row.field);
            assert!(seen.iter().collect::<BTreeSet<_>>().len() > 1, "{place} is always {}", seen[0]);
            for (other, seen_of_other) in &self.0[..index] {
                assert!(row.game != other.game || seen != seen_of_other, "{place} is as {}", other.field);
            }
        }
    }
}

/// A game with random answers, and the memory of its seats.
struct Scene {
    game: Box<dyn Game>,
    parameters: Parameters,
    /// The position: thing, seat, index and value.
    facts: Vec<(&'static str, Option<Seat>, Option<usize>, i64)>,
    dice: Dice,
    /// By seat: the answer in the last turn, and its fault.
    answers: Vec<(Vec<i64>, Option<Fault>)>,
    /// By seat: the last valid roster.
    rosters: Vec<Option<Vec<i64>>>,
    /// By seat: the wall that was placed since its last turn.
    news: Vec<Option<i64>>,
    /// The effects of the last turn.
    events: Events,
}

const HOME: Seat = Seat::new(0);

fn other(seat: Seat) -> Seat {
    Seat::new(1 - seat.index())
}

impl Scene {
    fn new(game: &str, set: &[(&str, i64)], seed: Seed) -> Scene {
        let entry = catalog::find(game).unwrap();
        let mut parameters = Parameters::defaults(entry.parameters);
        set.iter().for_each(|(name, value)| parameters.set(name, *value).unwrap());
        let game = entry.start(&parameters, seed);
        let seats = game.info().seats;
        let mut scene = Scene {
            game,
            parameters,
            facts: Vec::new(),
            dice: Dice::for_turn(seed, 1_000_000),
            answers: vec![(Vec::new(), None); seats],
            rosters: vec![None; seats],
            news: vec![None; seats],
            events: Events::default(),
        };
        scene.look();
        scene
    }

    /// Plays a turn. One answer in six is a blunder.
    fn play_turn(&mut self) {
        let Scene { game, dice, answers, rosters, news, events, .. } = self;
        play_turn(&mut **game, events, |game, seat| {
            let mut answer = Vec::new();
            game.sample(seat, dice, &mut answer);
            let fault = match dice.below(18) {
                0 => {
                    answer[0] = 77_777;
                    game.answer(seat, Ok(&answer))
                }
                1 => game.answer(seat, Err(&Fault::Malformed(Malformed::new("nonsense")))),
                // In foosball silence ends the game.
                2 if game.info().name != "foosball" => game.answer(seat, Err(&Fault::Late)),
                _ => game.answer(seat, Ok(&answer)),
            };
            if fault.is_none() {
                rosters[seat.index()] = Some(answer.clone());
            }
            answers[seat.index()] = (answer, fault);
            news[seat.index()] = None;
        });
        for event in self.events.iter() {
            if let Event::Effect { name: "wall", values, .. } = event {
                self.news.fill(Some(values[0]));
            }
        }
        self.look();
    }

    fn look(&mut self) {
        self.facts.clear();
        let Scene { game, facts, .. } = self;
        game.describe(&mut |Fact { thing, seat, index, value }| {
            facts.push((thing.as_str(), seat, index, value))
        });
    }

    /// Returns the integers after the count of the question to a seat.
    fn question(&mut self, seat: Seat) -> Vec<i64> {
        let (mut line, mut integers) = (Vec::new(), Vec::new());
        self.game.question(seat, &mut line);
        wire::read_integers(line.trim_ascii_end(), &mut integers).unwrap();
        assert_eq!(integers.remove(0), integers.len() as i64);
        integers
    }

    fn info_name(&self) -> &'static str {
        self.game.info().name
    }

    fn turn(&self) -> i64 {
        self.game.turn().into()
    }

    fn set(&self, name: &str) -> i64 {
        self.parameters.get(name)
    }

    fn seats(&self) -> impl Iterator<Item = Seat> {
        Seat::first(self.game.info().seats)
    }

    /// Returns all values in the position for a thing of a seat.
    fn facts(&self, thing: &str, seat: Option<Seat>) -> Vec<i64> {
        let facts = self.facts.iter().filter(|fact| fact.0 == thing && fact.1 == seat);
        facts.map(|fact| fact.3).collect()
    }

    fn by_seat(&self, thing: &str) -> Vec<i64> {
        self.seats().flat_map(|seat| self.facts(thing, Some(seat))).collect()
    }

    /// Returns the number of things of a kind in each place.
    fn counts(&self, thing: &str, places: usize) -> Vec<i64> {
        let mut counts = vec![0; places];
        for (_, _, place, count) in self.facts.iter().filter(|fact| fact.0 == thing) {
            counts[place.expect("a place")] = *count;
        }
        counts
    }

    /// Returns the last roster of a seat as it was sent, compared with the position.
    fn roster(&self, seat: Seat) -> Vec<i64> {
        let roster = self.rosters[seat.index()].clone().unwrap_or(vec![100; 26]);
        let on_rows = roster.iter().filter(|row| (-4..=4).contains(*row));
        let on_rows: Vec<i64> = on_rows.map(|row| if seat == HOME { *row } else { -row }).collect();
        assert_eq!(on_rows, self.facts("row", Some(seat)), "where the men of seat {seat} stand");
        roster
    }

    /// Returns the attempt of a seat in the last turn, and its result.
    fn attempt(&self, seat: Seat) -> [i64; 3] {
        let (answer, fault) = &self.answers[seat.index()];
        match (fault, &answer[..]) {
            _ if self.turn() == 0 => [61, 6, 0],
            (None, &[slot, direction]) => [slot, direction, if self.lost(seat, direction) { 2 } else { 1 }],
            // The blunder is a slot that does not exist; the direction is valid.
            (Some(Fault::Illegal(_)), &[_, direction]) => [61, direction, 3],
            (Some(Fault::Late), _) => [61, 6, 5],
            _ => [61, 6, 3],
        }
    }

    /// Tells whether another seat was drawn that pushed the same pile another way.
    fn lost(&self, seat: Seat, direction: i64) -> bool {
        self.events.iter().any(|event| match event {
            Event::Draw { name: "push", candidates, drawn: &[winner], .. } => {
                candidates.contains(&(seat.index() as i64)) && self.answers[winner as usize].0[1] != direction
            }
            _ => false,
        })
    }

    /// Evaluates `10 + 4p`, `N - 1` and the like: numbers, parameters, and N for the seats.
    fn sum(&self, text: &str) -> i64 {
        let mut sum = 0;
        let mut sign = 1;
        for word in text.split_whitespace() {
            let value = |word: &str| match word {
                "N" => self.game.info().seats as i64,
                name => name.parse().unwrap_or_else(|_| self.set(name)),
            };
            match word {
                "+" => sign = 1,
                "-" => sign = -1,
                "4p" => sum += sign * 4 * self.set("p"),
                word => sum += sign * value(word),
            }
        }
        sum
    }

    /// Reads `A to B`.
    fn range(&self, text: &str) -> RangeInclusive<i64> {
        let (least, most) = text.split_once(" to ").unwrap_or_else(|| panic!("{text}: not a range"));
        self.sum(least)..=self.sum(most)
    }
}
