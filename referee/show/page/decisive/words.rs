//! The description of decisive turns in words.

use crate::page::decisive::{Causes, Decisive, Fall};
use crate::view::story::{Happening, HappeningKind, Remark, Vocabulary};
use referee_record::Heading;
use referee_rules::{Occurrence, OccurrenceName, Seat};

/// Maximum number of seats in a table of 80 columns.
const SEATS_MAX: usize = 8;

impl Decisive {
    /// Returns the falls as remarks about their first turns, in the order of turns.
    pub fn remarks(&self, vocabulary: &Vocabulary) -> Vec<Remark> {
        let remark = |fall: &Fall| {
            let occurrence = Occurrence::new(OccurrenceName::new("decisive")).by(fall.seat);
            let words = fall.words();
            let happening =
                Happening::of(HappeningKind::Fall, occurrence, format_args!("{words}"), vocabulary);
            Remark { turn: fall.turns.0, happening }
        };
        let mut remarks: Vec<Remark> = self.falls.iter().map(remark).collect();
        remarks.sort_by_key(|remark| remark.turn);
        remarks
    }

    /// Returns a table of the expected shares, and the falls, in lines of at most 80 columns.
    pub fn text(&self, heading: &Heading) -> String {
        let mut text = String::from("Expected share of each seat before a turn, and at the end:\n\n");
        let seats = self.seats_shown(heading.bots.len());
        let head: String = seats.iter().map(|seat| format!("{:>8}", format!("seat {seat}"))).collect();
        text += &format!("  turn{head}\n");
        for (turn, shares) in &self.expected {
            let cells: String = seats.iter().map(|seat| format!("{:>8.3}", shares[*seat].mean)).collect();
            text += &format!("{turn:>6}{cells}\n");
        }
        let errors = self.expected.iter().flat_map(|(_, all)| seats.iter().map(|seat| all[*seat].error));
        text += &format!("\nStandard errors are at most {:.3}.\n\n", errors.fold(0.0, f64::max));
        for fall in &self.falls {
            let name = &heading.bots[fall.seat].name;
            let turns = match fall.turns {
                (first, last) if first == last => format!("Turn {first}"),
                (first, last) => format!("Turns {first} to {last}"),
            };
            let (before, after, by, error) = fall.figures();
            text += &format!("{turns}: seat {} ({name}), expected share {before} -> {after}\n", fall.seat);
            text += &format!("    fell by {by}, standard error {error}{}\n", fall.causes_in_words(":\n    "));
        }
        if self.falls.is_empty() && (self.is_cut || !self.left_out.is_empty()) {
            text += "No decisive turn was found, but not all turns were examined closely.\n";
        } else if self.falls.is_empty() {
            text += "No turn is clearly decisive: no share falls by more than 3 standard errors.\n";
        }
        if self.falls.is_empty() {
            text += &self.lead_in_words(heading);
        }
        text
    }

    /// Says since when the winner led, which is in the record itself.
    fn lead_in_words(&self, heading: &Heading) -> String {
        let vocabulary = Vocabulary::of(heading);
        match self.lead {
            Some((seat, 0)) => format!("{} led from the start to the end.\n", vocabulary.bot(seat)),
            Some((seat, turn)) => {
                format!("From turn {turn} to the end, {} led alone.\n", vocabulary.bot(seat))
            }
            None => "The record names no turn since which the winner led alone.\n".to_owned(),
        }
    }

    /// Returns all seats; of many, those whose share fell, or the first ones if none did.
    fn seats_shown(&self, seats: usize) -> Vec<Seat> {
        if seats <= SEATS_MAX {
            return Seat::first(seats).collect();
        }
        let mut shown: Vec<Seat> = self.falls.iter().map(|fall| fall.seat).collect();
        shown.sort();
        shown.dedup();
        if shown.is_empty() { Seat::first(SEATS_MAX).collect() } else { shown }
    }
}

impl Fall {
    /// Returns a sentence without its full stop.
    pub fn words(&self) -> String {
        let (before, after, by, error) = self.figures();
        let turns = match self.turns {
            (first, last) if first == last => "in this turn".to_owned(),
            (first, last) => format!("in turns {first}-{last}"),
        };
        let causes = self.causes_in_words("; ");
        format!(
            "expected share of seat {} falls {turns}: {before} before, {after} after (fall {by}, standard error \
             {error}){causes}",
            self.seat
        )
    }

    /// Returns the share before and after, the fall and its standard error.
    fn figures(&self) -> (String, String, String, String) {
        let text = |value: f64| format!("{value:.3}");
        (text(self.before.mean), text(self.after.mean), text(self.fall.mean), text(self.fall.error))
    }

    /// Returns the causes behind a separator; empty if they are not known.
    fn causes_in_words(&self, separator: &str) -> String {
        let Some(Causes { own, others, chance }) = self.causes else { return String::new() };
        format!("{separator}own answer {own:+.3}, other seats' answers {others:+.3}, chance {chance:+.3}")
    }
}
