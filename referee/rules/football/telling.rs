//! A turn of football in words.

use super::order::BadOrder;
use super::{Action, Football, HOMES, Order, State};
use crate::rules::deed::Few;
use crate::rules::{Deed, DeedName, Event, Events, Narrator, Rules, Seat, Step, Thing, Upshot};

use std::fmt;

/// A kick that is done has taken a ball along.
pub(super) const KICK: DeedName = DeedName::carrying("kick", Thing::BALLS);

/// Tells what each player did who did not just stay, then the draws and the goals.
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

/// Who wanted to kick a ball that a draw has given to others.
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
    let place = Deed { index: Some(who.number), ..Deed::new(DeedName::new("place")).by(who.seat) };
    match order {
        Some(Order::Place(cell)) => {
            let deed = Deed { to: Some(cell.index() as i64), ..place };
            say(deed, format_args!("{who} starts on cell {cell}"));
        }
        _ => {
            let home = HOMES[who.seat.index()];
            let deed = Deed { to: Some(home.index() as i64), upshot: Upshot::Refused, ..place };
            say(deed, format_args!("{who} has no cell to start on: at home, on {home}"));
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
    let deed = |name| Deed { index: Some(who.number), from: Some(from), ..Deed::new(name).by(who.seat) };
    match (order, bad) {
        (Order::Step(step), None) if step == Step::STAY => {}
        (Order::Step(step), None) => {
            let to = from + 32 * (step.number() as i64 / 3 - 1) + step.number() as i64 % 3 - 1;
            say(
                Deed { to: Some(to), ..deed(DeedName::new("step")) },
                format_args!("{who} goes from {from} to {to}"),
            );
        }
        (Order::Kick(to), None) => {
            let kick = Deed { to: Some(to.index() as i64), ..deed(KICK) };
            if has_lost {
                let kick = Deed { upshot: Upshot::LostDraw, ..kick };
                say(kick, format_args!("{who} would kick from {from} to {to}, but another got the ball"));
            } else {
                say(kick, format_args!("{who} kicks from {from} to {to}"));
            }
        }
        (order, Some(bad)) => {
            let to = if let Order::Kick(to) = order { Some(to.index() as i64) } else { None };
            let name = if to.is_some() { KICK } else { DeedName::new("order") };
            say(
                Deed { to, upshot: Upshot::Refused, ..deed(name) },
                format_args!("{who} stays on {from}: {bad}"),
            );
        }
        (Order::Place(_) | Order::Other(_), None) => {}
    }
}

fn tell_event(rules: &Football, event: Event<'_>, say: &mut Narrator<'_>) {
    let player = |number: &i64| {
        let seat = rules.drawn_seat("", *number).expect("a player's number");
        Player { seat, number: *number as usize % rules.players }
    };
    match event {
        Event::Draw { at, candidates, drawn, .. } => {
            let (all, won): (Vec<_>, Vec<_>) =
                (candidates.iter().map(player).collect(), drawn.iter().map(player).collect());
            let balls = if won.len() == 1 { "one ball".to_owned() } else { format!("{} balls", won.len()) };
            say(
                Deed { from: Some(at), ..Deed::new(DeedName::new("draw")) },
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
            let deed =
                Deed { from: Some(from), to: Some(home), ..Deed::new(DeedName::new("goal")).by(owner) };
            say(deed, format_args!("goal for seat {owner}, by {} from {from}", player(&number)));
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
