//! The reasons why a bot lost a game, for its author: who beat it, since when the winner was ahead, and its first
//! faults with their questions and answers.

use maud::{Markup, html};
use referee_files::beneath::Spot;
use referee_files::log;
use referee_record::Answer;
use referee_record::error::Error;
use referee_record::play::position::Position;
use referee_record::play::replay::{Replay, advance};
use referee_record::text::{NAME, count, harmless};
use referee_report::pages::parts;
use referee_report::pages::show::games::GameSummary;
use referee_rules::{Events, Fault, Seat};
use referee_show::page::Lead;

use crate::pages::folded;
use crate::site::Served;

/// Maximum number of faults of a game that are shown.
const FAULTS_SHOWN: usize = 3;

/// The facts about a seat's game that are only in its log.
#[derive(Debug, PartialEq)]
struct Loss {
    /// The turn since which the winner alone has had the highest score; `None` if that is unknown, or from the start.
    lead_since: Option<u32>,
    /// The first faults of the seat.
    faults: Vec<FaultInTurn>,
    /// The number of all its faults.
    fault_count: usize,
}

/// A fault of a seat.
#[derive(Debug, PartialEq)]
struct FaultInTurn {
    turn: u32,
    description: String,
    question: String,
    answer: String,
}

impl Loss {
    /// Reads the log of a game.
    fn read(log: &Spot, seat: Seat, winner: Seat) -> Result<Loss, Error> {
        let (mut replay, heading) = Replay::open(log::open(log)?)?;
        let seats = heading.bots.len();
        let (mut events, mut question) = (Events::default(), Vec::new());
        let (mut faults, mut fault_count) = (Vec::new(), 0);
        let mut lead = Lead::default();
        lead.take(0, seats, &Position::of(replay.game()));
        while let Some((game, answers)) = replay.next_turn()? {
            let turn = game.turn();
            let is_asked = answers.iter().any(|answer| answer.seat == seat);
            if is_asked && faults.len() < FAULTS_SHOWN {
                question.clear();
                game.question(seat, &mut question);
            }
            advance(game, answers, &mut events, None, |_, answer, verdict| {
                if answer.seat != seat {
                    return;
                }
                if let Some(fault) = verdict {
                    fault_count += 1;
                    if faults.len() < FAULTS_SHOWN {
                        faults.push(FaultInTurn::new(turn, &fault, &question, answer));
                    }
                }
            });
            lead.take(game.turn(), seats, &Position::of(game));
        }
        let lead_since = match lead.since {
            Some((seat, turn)) if seat == winner && turn > 0 => Some(turn),
            _ => None,
        };
        Ok(Loss { lead_since, faults, fault_count })
    }
}

impl FaultInTurn {
    fn new(turn: u32, fault: &Fault, question: &[u8], answer: &Answer) -> FaultInTurn {
        let question = String::from_utf8_lossy(question).trim_end().to_owned();
        let numbers = answer.integers.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
        FaultInTurn { turn, description: fault.to_string(), question, answer: numbers }
    }
}

/// Says why a bot lost a game, or which faults it made in one that it won.
pub(crate) fn reasons(served: &Served, game: &GameSummary, name: &str) -> Markup {
    let by_place = game.by_place();
    // A bot can have several seats: the one with most faults is shown, of equal ones the last by place.
    let seats_of_bot = by_place.iter().copied().filter(|seat| game.seats[*seat].bot == name);
    let Some(own_seat) = seats_of_bot.max_by_key(|seat| game.seats[*seat].faults) else { return html! {} };
    let winner_seat = by_place[0];
    let (own, winner) = (&game.seats[own_seat], &game.seats[winner_seat]);
    let is_lost = own.place > 1 && winner.bot != name;
    let is_shared = game.seats.iter().filter(|seat| seat.place == 1).count() > 1;
    let log = log::resolve_form(Spot::below(&served.root, &game.log));
    // Without a log, only the result is shown.
    let loss = Loss::read(&log, Seat::new(own_seat), Seat::new(winner_seat)).ok();
    let replay = format!("/{}/games/{}/replay", served.name, game.id);
    html! {
        p { a href=(replay) { (parts::time(&game.started)) } ": "
            @if is_lost { (parts::bot(served, &winner.bot)) " won with " (winner.score) ", it had " (own.score) "." }
            @else if own.place > 1 { "it won in another seat; here it had " (own.score) "." }
            @else if is_shared { "it shared the first place with " (own.score) "." }
            @else { "it won with " (own.score) "." }
            @if let Some(Loss { lead_since: Some(turn), .. }) = &loss { @if is_lost {
                " " (parts::named(&winner.bot)) " was ahead for good from "
                a href={ (replay) "#turn=" (turn) } { "turn " (turn) } "." } }
            @if let Some(Loss { fault_count: 0, .. }) = &loss { " It made no fault." }
        }
        @if let Some(Loss { faults, fault_count: count_of_all @ 1.., .. }) = &loss {
            ul { @for fault in faults { li {
                a href={ (replay) "#turn=" (fault.turn) } { "Turn " (fault.turn) } ": "
                (harmless(&fault.description, 4 * NAME)) "."
                @if !fault.answer.is_empty() { " Its answer: " code { (harmless(&fault.answer, 4 * NAME)) } }
                (folded(&fault.question))
            } } }
            @if *count_of_all > faults.len() {
                p.small { "And " (count((count_of_all - faults.len()) as u64, "fault")) " more in this game." }
            }
        }
    }
}
