//! A round of comFoosball in words. Rows are as HOME sees them.

use std::fmt;

use super::{Contest, Foosball, MEN, Seat, State, TEAMS, Variant, strength};
use referee_rules::{Completion, Event, Events, Narrator, Occurrence, OccurrenceName};

pub(super) const CONTEST: OccurrenceName = OccurrenceName::new("contest");

/// The ends of a game in words.
pub(super) const ENDS: &[(&str, &str)] = &[
    ("forfeit", "the other team has left"),
    ("out_of_time", "the other team has used up its time"),
    ("full_time", "full time"),
];

/// Narrates the moves of the men, then silent teams, the contest and its effects.
pub(super) fn tell(rules: &Foosball, before: &State, after: &State, events: &Events, say: &mut Narrator<'_>) {
    for (seat, team) in Seat::first(TEAMS).zip(0..) {
        for man in 0..MEN {
            let (from, to) = (before.row_of(team, man), after.row_of(team, man));
            if from != to {
                let occurrence = Occurrence {
                    index: Some(man),
                    from,
                    to,
                    ..Occurrence::new(OccurrenceName::new("move")).by(seat)
                };
                let (from, to) = (RowOrBench(from), RowOrBench(to));
                say(occurrence, format_args!("man {man} of seat {seat} goes from {from} to {to}"));
            }
        }
        if after.teams[team].silence.is_some() {
            let occurrence = Occurrence {
                completion: Completion::Refused,
                ..Occurrence::new(OccurrenceName::new("silence")).by(seat)
            };
            say(occurrence, format_args!("seat {seat} is silent and loses the game"));
        }
    }
    for event in events.iter() {
        match event {
            Event::Draw { at, candidates, drawn, .. } => {
                // Fatigue that counted in the contest: competitors tire after it by the text, before it on
                // the server.
                let then = if rules.variant == Variant::Text { before } else { after };
                tell_contest(then, at, candidates, drawn[0], say);
            }
            Event::Effect { name, seat, values } => tell_effect(name, seat, values, say),
        }
    }
}

fn tell_contest(state: &State, row: i64, men: &[i64], direction: i64, say: &mut Narrator<'_>) {
    let (mut counts, mut powers) = ([0; TEAMS], [0; TEAMS]);
    for man in men.iter().map(|man| *man as usize) {
        let (team, man) = (man / MEN, man % MEN);
        counts[team] += 1;
        powers[team] += strength(state.teams[team].fatigues[man]);
    }
    let contest = Contest { row, home: powers[0], away: powers[1] };
    let chance = match contest.home + contest.away {
        0 => 0.5,
        sum => contest.home as f64 / sum as f64,
    };
    let [home, away] = counts;
    let occurrence = Occurrence { from: Some(row), to: Some(row + direction), ..Occurrence::new(CONTEST) };
    let chance = 100.0 * chance;
    if direction == 0 {
        say(occurrence, format_args!("{home} : {away} men on row {row}; the ball stays"));
    } else {
        let winner = if direction > 0 { 0 } else { 1 };
        let chance = if winner == 0 { chance } else { 100.0 - chance };
        say(
            Occurrence { seat: Some(Seat::new(winner)), ..occurrence },
            format_args!(
                "{home} : {away} men on row {row}; seat {winner} wins the ball (chance {chance:.0} %)"
            ),
        );
    }
}

fn tell_effect(name: &'static str, seat: Option<Seat>, values: &[i64], say: &mut Narrator<'_>) {
    match (name, seat, values) {
        ("goal", Some(seat), [home, away]) => {
            say(
                Occurrence::new(OccurrenceName::new(name)).by(seat),
                format_args!("goal for seat {seat}: {home} to {away}"),
            );
        }
        ("warning", Some(seat), _) => {
            let occurrence = Occurrence {
                completion: Completion::Refused,
                ..Occurrence::new(OccurrenceName::new(name)).by(seat)
            };
            say(occurrence, format_args!("seat {seat} is warned: no valid roster, the last one stays"));
        }
        ("quarter", _, [quarter]) => {
            say(
                Occurrence::new(OccurrenceName::new(name)),
                format_args!("quarter {quarter} is over: the ball goes to the middle"),
            );
        }
        _ => {}
    }
}

struct RowOrBench(Option<i64>);

impl fmt::Display for RowOrBench {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(row) => write!(f, "row {row}"),
            None => f.write_str("the bench"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use referee_rules::{Dice, Parameters, Rules, Seed};

    #[test]
    fn a_contest_is_told_with_the_men_the_winner_and_its_chance() {
        let rules = Foosball::new(&Parameters::defaults(crate::foosball::PARAMETERS));
        let mut state = rules.start(&mut Dice::for_start(Seed(1)));
        state.teams[1].fatigues[4] = 69; // Half as strong as a man who is fresh.
        let fresh_and_tired = [0, 1, MEN as i64 + 4];
        let other = [2, MEN as i64, MEN as i64 + 1, MEN as i64 + 2];
        for (men, direction, to, expected) in [
            (&fresh_and_tired[..], 1, 3, "2 : 1 men on row 2; seat 0 wins the ball (chance 80 %)"),
            (&fresh_and_tired, -1, 1, "2 : 1 men on row 2; seat 1 wins the ball (chance 20 %)"),
            (&other, 1, 3, "1 : 3 men on row 2; seat 0 wins the ball (chance 25 %)"),
            (&other, 0, 2, "1 : 3 men on row 2; the ball stays"),
            (&[], 1, 3, "0 : 0 men on row 2; seat 0 wins the ball (chance 50 %)"),
        ] {
            let mut narrated = Vec::new();
            tell_contest(&state, 2, men, direction, &mut |occurrence, words| {
                narrated.push((occurrence.from, occurrence.to, words.to_string()));
            });
            assert_eq!(narrated, [(Some(2), Some(to), expected.to_owned())]);
        }
    }

    #[test]
    fn moves_silence_warnings_goals_and_quarters_are_told() {
        let rules = Foosball::new(&Parameters::defaults(crate::foosball::PARAMETERS));
        let before = rules.start(&mut Dice::for_start(Seed(1)));
        let mut after = before.clone();
        after.teams[0].roster[3] = 2;
        after.teams[1].silence = Some(crate::foosball::Silence::Gone);
        let mut events = Events::default();
        let [home, away] = [0, 1].map(Seat::new);
        events.effect("goal", Some(away), &[4, 9]);
        events.effect("warning", Some(home), &[]);
        events.effect("quarter", None, &[3]);
        let mut narrated = Vec::new();
        tell(&rules, &before, &after, &events, &mut |occurrence, words| {
            narrated.push((occurrence.seat, occurrence.completion, words.to_string()));
        });
        let expected = [
            (Some(home), Completion::Done, "man 3 of seat 0 goes from the bench to row 2"),
            (Some(away), Completion::Refused, "seat 1 is silent and loses the game"),
            (Some(away), Completion::Done, "goal for seat 1: 4 to 9"),
            (Some(home), Completion::Refused, "seat 0 is warned: no valid roster, the last one stays"),
            (None, Completion::Done, "quarter 3 is over: the ball goes to the middle"),
        ];
        assert_eq!(narrated, expected.map(|(seat, completion, words)| (seat, completion, words.to_owned())));
    }
}
