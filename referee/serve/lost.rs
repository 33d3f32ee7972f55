//! Why a bot lost a game, in words for its author: who beat it, since when the winner was ahead, and its first faults with
//! their questions and answers.

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

/// Number of faults of a game that are told.
const FAULTS_TOLD: usize = 3;

/// What its log tells of a game that a seat lost.
#[derive(Debug, PartialEq)]
struct Loss {
    /// The turn since which the first seat alone has had the highest score; `None` if that is unknown, or from the start.
    ahead: Option<u32>,
    /// The first faults of the seat.
    faults: Vec<FaultInTurn>,
    /// The number of all.
    all: usize,
}

/// A fault of a seat.
#[derive(Debug, PartialEq)]
struct FaultInTurn {
    turn: u32,
    what: String,
    question: String,
    answer: String,
}

impl Loss {
    /// Reads the log of a game.
    fn read(log: &Spot, seat: Seat, winner: Seat) -> Result<Loss, Error> {
        let (mut replay, heading) = Replay::open(log::open(log)?)?;
        let seats = heading.bots.len();
        let (mut events, mut faults, mut all, mut question) = (Events::default(), Vec::new(), 0, Vec::new());
        let mut lead = Lead::default();
        lead.take(0, seats, &Position::of(replay.game()));
        while let Some((game, answers)) = replay.next_turn()? {
            let turn = game.turn();
            let mine = answers.iter().find(|answer| answer.seat == seat);
            if mine.is_some() && faults.len() < FAULTS_TOLD {
                question.clear();
                game.question(seat, &mut question);
            }
            advance(game, answers, &mut events, None, |_, answer, verdict| {
                let Some(fault) = verdict.filter(|_| answer.seat == seat) else { return };
                all += 1;
                if faults.len() < FAULTS_TOLD {
                    faults.push(FaultInTurn::new(turn, &fault, &question, answer));
                }
            });
            lead.take(game.turn(), seats, &Position::of(game));
        }
        let ahead = lead.since.filter(|(seat, turn)| *seat == winner && *turn > 0).map(|(_, turn)| turn);
        Ok(Loss { ahead, faults, all })
    }
}

impl FaultInTurn {
    fn new(turn: u32, fault: &Fault, question: &[u8], answer: &Answer) -> FaultInTurn {
        let question = String::from_utf8_lossy(question).trim_end().to_owned();
        let numbers = answer.integers.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
        FaultInTurn { turn, what: fault.to_string(), question, answer: numbers }
    }
}

/// Says why a bot lost a game, or which faults it made in one that it won.
pub(crate) fn reasons(served: &Served, game: &GameSummary, name: &str) -> Markup {
    // Of several seats the one with most faults, else the last one.
    let mine = game.by_place().into_iter().filter(|seat| game.seats[*seat].bot == name);
    let Some(number) = mine.max_by_key(|seat| game.seats[*seat].faults) else { return html! {} };
    let (own, won) = (&game.seats[number], game.by_place()[0]);
    let (first, is_lost) = (&game.seats[won], own.place > 1 && game.seats[won].bot != name);
    let shares_it = game.seats.iter().filter(|seat| seat.place == 1).count() > 1;
    let log = log::resolve_form(Spot::below(&served.root, &game.log));
    // Without a log, the result is told alone.
    let loss = Loss::read(&log, Seat::new(number), Seat::new(won)).ok();
    let replay = format!("/{}/games/{}/replay", served.name, game.id);
    html! {
        p { a href=(replay) { (parts::time(&game.started)) } ": "
            @if is_lost { (parts::bot(served, &first.bot)) " won with " (first.score) ", it had " (own.score) "." }
            @else if own.place > 1 { "it won in another seat; here it had " (own.score) "." }
            @else if shares_it { "it shared the first place with " (own.score) "." }
            @else { "it won with " (own.score) "." }
            @if let Some(turn) = loss.as_ref().and_then(|loss| loss.ahead).filter(|_| is_lost) {
                " " (parts::named(&first.bot)) " was ahead for good from " a href={ (replay) "#turn=" (turn) } { "turn " (turn) } "." }
            @if let Some(Loss { all: 0, .. }) = &loss { " It made no fault." }
        }
        @if let Some(Loss { faults, all, .. }) = loss.filter(|loss| loss.all > 0) {
            ul { @for fault in &faults { li {
                a href={ (replay) "#turn=" (fault.turn) } { "Turn " (fault.turn) } ": " (harmless(&fault.what, 4 * NAME)) "."
                @if !fault.answer.is_empty() { " Its answer: " code { (harmless(&fault.answer, 4 * NAME)) } }
                (folded(&fault.question))
            } } }
            @if all > faults.len() { p.small { "And " (count((all - faults.len()) as u64, "fault")) " more in this game." } }
        }
    }
}
