//! A turn of football in words.

use super::order::BadOrder;
use super::{Action, Football, HOMES, Order, State};
use referee_rules::occurrence::Few;
use referee_rules::{Completion, Event, Events, Narrator, Occurrence, OccurrenceName, Seat, Step, Thing};

use std::fmt;

/// A successful kick has taken a ball along.
pub(super) const KICK: OccurrenceName = OccurrenceName::carrying("kick", Thing::BALLS);

/// The ends of a game in words.
pub(super) const ENDS: &[(&str, &str)] = &[
    ("no_balls", "no ball is left"),
    ("max_turns", "the last turn was played"),
    ("stalled", "there was no goal for {stall_turns} turns"),
];

/// Narrates the orders of all players except those who stay, then the draws and the goals.
pub(super) fn tell(
    rules: &Football,
    before: &State,
    actions: &[(Seat, Action)],
    events: &Events,
    say: &mut Narrator<'_>,
) {
    let losers = losers(events);
    for (seat, action) in actions {
        for player in 0..rules.players {
            let who = Player { seat: *seat, number: player };
            match rules.team(before, *seat).get(player) {
                None => tell_place(who, action.get(player), say),
                Some(cell) => {
                    let order = action.get(player).copied().unwrap_or(Order::STAY);
                    let bad = rules.bad_order(&before.balls, *cell, order);
                    let number = (seat.index() * rules.players + player) as i64;
                    tell_order(who, cell.index() as i64, order, bad, losers.contains(&number), say);
                }
            }
        }
    }
    for event in events.iter() {
        tell_event(rules, event, say);
    }
}

/// The players who lost a draw for a ball.
fn losers(events: &Events) -> Vec<i64> {
    let mut losers = Vec::new();
    for event in events.iter() {
        if let Event::Draw { candidates, drawn, .. } = event {
            losers.extend(candidates.iter().filter(|number| !drawn.contains(number)));
        }
    }
    losers
}

fn tell_place(who: Player, order: Option<&Order>, say: &mut Narrator<'_>) {
    let place =
        Occurrence { index: Some(who.number), ..Occurrence::new(OccurrenceName::new("place")).by(who.seat) };
    match order {
        Some(Order::Place(cell)) => {
            let occurrence = Occurrence { to: Some(cell.index() as i64), ..place };
            say(occurrence, format_args!("{who} starts on cell {cell}"));
        }
        _ => {
            let home = HOMES[who.seat.index()];
            let occurrence =
                Occurrence { to: Some(home.index() as i64), completion: Completion::Refused, ..place };
            say(occurrence, format_args!("{who} has no cell to start on and starts at home, on {home}"));
        }
    }
}

fn tell_order(
    who: Player,
    from: i64,
    order: Order,
    bad: Option<BadOrder>,
    has_lost: bool,
    say: &mut Narrator<'_>,
) {
    let occurrence =
        |name| Occurrence { index: Some(who.number), from: Some(from), ..Occurrence::new(name).by(who.seat) };
    match (order, bad) {
        (Order::Step(step), None) if step == Step::STAY => {}
        (Order::Step(step), None) => {
            let to = from + 32 * (step.number() as i64 / 3 - 1) + step.number() as i64 % 3 - 1;
            say(
                Occurrence { to: Some(to), ..occurrence(OccurrenceName::new("step")) },
                format_args!("{who} goes from {from} to {to}"),
            );
        }
        (Order::Kick(to), None) => {
            let kick = Occurrence { to: Some(to.index() as i64), ..occurrence(KICK) };
            if has_lost {
                let kick = Occurrence { completion: Completion::LostDraw, ..kick };
                say(kick, format_args!("{who} would kick from {from} to {to}, but another got the ball"));
            } else {
                say(kick, format_args!("{who} kicks from {from} to {to}"));
            }
        }
        (order, Some(bad)) => {
            let to = if let Order::Kick(to) = order { Some(to.index() as i64) } else { None };
            let name = if to.is_some() { KICK } else { OccurrenceName::new("order") };
            say(
                Occurrence { to, completion: Completion::Refused, ..occurrence(name) },
                format_args!("{who} stays on {from}: {bad}"),
            );
        }
        (Order::Place(_) | Order::Other(_), None) => {}
    }
}

fn tell_event(rules: &Football, event: Event<'_>, say: &mut Narrator<'_>) {
    let player = |number: &i64| {
        // Players are numbered seat by seat.
        let number = usize::try_from(*number).expect("a player's number");
        Player { seat: Seat::new(number / rules.players), number: number % rules.players }
    };
    match event {
        Event::Draw { at, candidates, drawn, .. } => {
            let (all, won): (Vec<_>, Vec<_>) =
                (candidates.iter().map(player).collect(), drawn.iter().map(player).collect());
            let balls = if won.len() == 1 { "one ball".to_owned() } else { format!("{} balls", won.len()) };
            say(
                Occurrence { from: Some(at), ..Occurrence::new(OccurrenceName::new("draw")) },
                format_args!(
                    "{balls} on {at} for {} kickers ({}): drawn {}",
                    all.len(),
                    Few(&all),
                    Few(&won)
                ),
            );
        }
        Event::Effect { seat: Some(owner), values: &[number, from], .. } => {
            let home = HOMES[owner.index()].index() as i64;
            let occurrence = Occurrence {
                from: Some(from),
                to: Some(home),
                ..Occurrence::new(OccurrenceName::new("goal")).by(owner)
            };
            say(occurrence, format_args!("goal for seat {owner}, by {} from {from}", player(&number)));
        }
        Event::Effect { .. } => {}
    }
}

#[derive(Clone, Copy)]
struct Player {
    seat: Seat,
    number: usize,
}

impl fmt::Display for Player {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "player {} of seat {}", self.number, self.seat)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::football::{Cell, PARAMETERS};
    use referee_rules::Parameters;

    fn rules(players: usize) -> Football {
        Football { players, ..Football::new(&Parameters::defaults(PARAMETERS)) }
    }

    #[test]
    fn each_step_is_told_with_the_cell_to_which_it_leads() {
        let from = Cell::at(3, 4);
        let who = Player { seat: Seat::new(2), number: 1 };
        for (number, to) in [67, 68, 69, 99, 100, 101, 131, 132, 133].into_iter().enumerate() {
            let mut narrated = Vec::new();
            let order = Order::Step(Step::from_number(number as i64).expect("a step"));
            tell_order(who, from.index() as i64, order, None, false, &mut |occurrence, words| {
                narrated.push((occurrence.to, words.to_string()));
            });
            let expected = (Some(to), format!("player 1 of seat 2 goes from 100 to {to}"));
            assert_eq!(narrated, if to == 100 { vec![] } else { vec![expected] }, "staying is not narrated");
        }
    }

    #[test]
    fn draws_and_goals_name_the_players_and_the_losers_are_those_not_drawn() {
        let mut events = Events::default();
        events.draw("ball", 77, [0, 3, 7, 11], [3, 11]);
        events.draw("ball", 78, [4, 5], [5]);
        events.effect("goal", Some(Seat::new(1)), &[7, 50]);
        assert_eq!(losers(&events), [0, 7, 4]);
        let mut narrated = Vec::new();
        for event in events.iter() {
            tell_event(&rules(3), event, &mut |_, words| narrated.push(words.to_string()));
        }
        let expected = [
            "2 balls on 77 for 4 kickers (player 0 of seat 0, player 0 of seat 1, player 1 of seat 2 and player 2 of \
             seat 3): drawn player 0 of seat 1 and player 2 of seat 3",
            "one ball on 78 for 2 kickers (player 1 of seat 1 and player 2 of seat 1): drawn player 2 of seat 1",
            "goal for seat 1, by player 1 of seat 2 from 50",
        ];
        assert_eq!(narrated, expected);
    }

    #[test]
    fn who_has_no_cell_to_start_on_starts_at_home() {
        let who = Player { seat: Seat::new(1), number: 4 };
        let narrated = |order: Option<Order>| {
            let mut narrated = Vec::new();
            tell_place(who, order.as_ref(), &mut |occurrence, words| {
                narrated.push((occurrence.to, occurrence.completion, words.to_string()));
            });
            narrated
        };
        let starts = "player 4 of seat 1 starts on cell 100".to_owned();
        assert_eq!(narrated(Some(Order::Place(Cell::at(3, 4)))), [(Some(100), Completion::Done, starts)]);
        let home = "player 4 of seat 1 has no cell to start on and starts at home, on 31".to_owned();
        assert_eq!(narrated(None), [(Some(31), Completion::Refused, home)]);
    }
}
