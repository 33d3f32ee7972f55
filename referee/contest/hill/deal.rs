//! The deals of a hill's rounds: each by itself, or in spans within which all bots meet as evenly as possible. A pure
//! function of the settings, the season and its field.

use std::sync::PoisonError;

use crate::hill::Hill;
use crate::hill::seasons::Season;
use referee_statistics::schedule::deal::{self, Occupant, Pairing};
use referee_statistics::schedule::format::Contest;
use referee_statistics::season::Dealt;

/// Number of rounds that are balanced together, since a hill has no last round.
pub(super) const SPAN: u32 = 12;

/// The tables of a span, kept from one round to the next, with their key: season, number of the span, entrants.
pub(super) type Span = ((u32, u32, usize), Vec<Vec<Vec<Occupant>>>);

impl Hill {
    /// Deals a round of a season.
    pub fn round(&self, season: &Season, round: u32) -> Vec<Pairing> {
        let seed = season.seed(self.seed);
        let contest = Contest { seed, ..self.contest(season.number, &season.authors) };
        let (season, entrants) = (season.number, season.authors.len());
        if let Some(games) = self.settings.format().uniform_round(&contest, round) {
            return games;
        }
        let key = (season, (round - 1) / SPAN, entrants);
        let mut span = self.span.lock().unwrap_or_else(PoisonError::into_inner);
        let (_, tables) = match span.take() {
            Some(known) if known.0 == key => span.insert(known),
            _ => span.insert((key, self.deal_span(&contest, key.1))),
        };
        let tables = &tables[((round - 1) % SPAN) as usize];
        let block = self.settings.format().block();
        deal::pairings(seed, (season, round), self.entry, &self.parameters, tables, block)
    }

    /// Says how its games are dealt.
    pub(super) fn dealt(&self, entrants: usize) -> Dealt {
        let can_play = match self.entry.table(&self.parameters) {
            Some(_) => entrants > 0,
            None => self.entry.seat(&self.parameters, entrants).is_ok(),
        };
        if can_play {
            self.settings.format().dealt(&self.contest(1, &vec![String::new(); entrants]))
        } else {
            Dealt::Otherwise
        }
    }

    /// Says how the games of a season are dealt.
    pub(super) fn dealt_in(&self, season: &Season) -> Dealt {
        let dealt = self.dealt(season.bots.len());
        if season.is_racing() { dealt.with_race() } else { dealt }
    }

    /// Returns the number of games in a round of this number of entrants.
    pub fn round_games(&self, entrants: usize) -> usize {
        self.dealt(entrants).round_games()
    }

    /// Tells whether every deal is equally likely, independent of earlier deals, as `--until-clear` requires.
    pub fn is_dealt_uniformly(&self) -> bool {
        self.dealt(2).says_how_sure()
    }

    fn deal_span(&self, contest: &Contest, number: u32) -> Vec<Vec<Vec<Occupant>>> {
        let Some(seats) = contest.seats() else {
            unreachable!("if the whole field fits one table, every deal is uniform");
        };
        deal::balanced_tables(contest.seed, (contest.season, number), SPAN, contest.entrants, seats)
    }

    /// Returns a season among bots of these authors as a contest.
    pub(super) fn contest(&self, season: u32, authors: &[String]) -> Contest {
        let (parameters, entrants, authors) = (self.parameters.clone(), authors.len(), authors.to_vec());
        Contest { entry: self.entry, parameters, entrants, authors, seed: self.seed, season }
    }
}
