//! Draws by seat: whether chance favoured one. An audit shows that draws follow from the seeds; this test shows whether
//! seeds or seats were chosen to favour a bot.

use statrs::distribution::{ContinuousCDF, Normal};

use crate::error::Error;
use crate::game::Game;
use crate::record::beneath::Spot;
use crate::record::read::LogReader;
use crate::replay;
use crate::statistics::fairness::{FairnessFinding, SUSPICIOUS};

/// The draws of many games, seat by seat.
#[derive(Clone, Debug, Default)]
pub struct Draws {
    seats: Vec<SeatDraws>,
    draws: u64,
}

/// The draws of one seat.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SeatDraws {
    /// The number of times that it was drawn.
    pub won: u64,
    /// The expected number.
    pub due: f64,
    /// The variance of that number.
    variance: f64,
}

/// Minimum variance of a seat's number of draws for a test.
const VARIANCE_MIN: f64 = 5.0;

impl Draws {
    /// Takes the draws of a game.
    ///
    /// # Errors
    ///
    /// If its log cannot be read.
    pub fn add_log(&mut self, log: impl Into<Spot>) -> Result<(), Error> {
        let log = log.into();
        let (mut reader, heading) = LogReader::open(&log)?;
        let game = replay::game_of(log.path(), &heading)?;
        self.seats.resize(self.seats.len().max(game.info().seats), SeatDraws::default());
        reader.each_draw(|name, candidates, drawn| self.add(&*game, name, candidates, drawn))
    }

    /// Takes one draw. A draw among things without an owner does not count.
    fn add(&mut self, game: &dyn Game, name: &str, candidates: &[i64], drawn: &[i64]) {
        let seats_of = |numbers: &[i64]| -> Option<Vec<usize>> {
            numbers.iter().map(|number| Some(game.drawn_seat(name, *number)?.index())).collect()
        };
        let Some((candidates, drawn)) = seats_of(candidates).zip(seats_of(drawn)) else { return };
        self.draws += 1;
        let (all, taken) = (candidates.len() as f64, drawn.len() as f64);
        for (seat, sum) in self.seats.iter_mut().enumerate() {
            let own = candidates.iter().filter(|candidate| **candidate == seat).count() as f64;
            let part = own / all;
            sum.won += drawn.iter().filter(|winner| **winner == seat).count() as u64;
            sum.due += taken * part;
            // The variance of drawing without replacement.
            sum.variance += taken * part * (1.0 - part) * (all - taken) / (all - 1.0).max(1.0);
        }
    }

    /// Lists the seats.
    pub fn seats(&self) -> &[SeatDraws] {
        &self.seats
    }

    /// Tests whether a seat was drawn more or less often than was due.
    pub fn finding(&self) -> FairnessFinding {
        let tested: Vec<&SeatDraws> =
            self.seats.iter().filter(|seat| seat.variance >= VARIANCE_MIN).collect();
        let distance = |seat: &&SeatDraws| (seat.won as f64 - seat.due).abs() / seat.variance.sqrt();
        let farthest = tested.iter().map(distance).fold(0.0, f64::max);
        // The farthest of several seats: the p-value is multiplied by their number (Bonferroni).
        let p_value = Normal::new(0.0, 1.0)
            .ok()
            .filter(|_| !tested.is_empty())
            .map(|normal| (2.0 * normal.sf(farthest) * tested.len() as f64).min(1.0));
        let ratios: Vec<f64> =
            self.seats.iter().filter(|seat| seat.due > 0.0).map(|seat| seat.won as f64 / seat.due).collect();
        let found = match ratios.iter().copied().reduce(f64::min).zip(ratios.iter().copied().reduce(f64::max))
        {
            Some((least, most)) => format!("{least:.3} to {most:.3} of what is due, in {} draws", self.draws),
            None => "there were none".to_owned(),
        };
        FairnessFinding {
            question: "how often a seat was drawn",
            found,
            p_value,
            suspicious: p_value.is_some_and(|p| p < SUSPICIOUS),
        }
    }
}
