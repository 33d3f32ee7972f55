//! The deals of a hill's rounds. Each round is dealt by itself: a pure function of the settings, the season and its
//! field.

use crate::hill::Hill;
use crate::hill::seasons::Season;
use referee_statistics::schedule::deal::Pairing;
use referee_statistics::schedule::format::Contest;
use referee_statistics::season::Dealt;

impl Hill {
    /// Returns the games of a round of a season: those that are dealt, or, in a race, those that are played.
    pub fn games_of(&self, season: &Season, round: u32) -> Vec<Pairing> {
        let seed = season.seed(self.seed);
        let contest = Contest { seed, ..self.contest(season.number, &season.authors) };
        let games = self.settings.format().round_among(&contest, round, season.race_of(round));
        games.expect("a hill's deals are uniform")
    }

    /// Returns the number of games in a round of a season.
    pub fn games_in(&self, season: &Season, round: u32) -> usize {
        self.lengths(season)(round)
    }

    /// Returns the numbers of games in the rounds of a season. Only rounds of a race need a deal.
    pub fn lengths(&self, season: &Season) -> impl Fn(u32) -> usize {
        let full_length = self.round_games(season.bots.len());
        move |round| match season.race_of(round) {
            Some(_) => self.games_of(season, round).len(),
            None => full_length,
        }
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
            Dealt::WithoutRounds
        }
    }

    /// Says how the games of a season are dealt.
    pub(super) fn dealt_in(&self, season: &Season) -> Dealt {
        let dealt = self.dealt(season.bots.len());
        if season.terms.is_racing { dealt.with_race() } else { dealt }
    }

    /// Returns the number of games in a round of this number of entrants.
    pub fn round_games(&self, entrants: usize) -> usize {
        self.dealt(entrants).round_games()
    }

    /// Returns a season among bots of these authors as a contest.
    pub(super) fn contest(&self, season: u32, authors: &[String]) -> Contest {
        let (parameters, entrants, authors) = (self.parameters.clone(), authors.len(), authors.to_vec());
        Contest { entry: self.entry, parameters, entrants, authors, seed: self.seed, season }
    }
}
