//! Draws by seat: whether chance favoured a seat. An audit shows that draws follow from the seeds; this test
//! shows whether seeds or seats were chosen to favour a bot.

use statrs::distribution::{ContinuousCDF, Normal};

use crate::fairness::{FairnessFinding, FairnessState, SUSPICIOUS};
use referee_record::error::Error;
use referee_record::read::LogReader;
use referee_rules::game::Game;

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
    /// Adds the draws of a game from its log, starting before the first turn.
    ///
    /// # Errors
    ///
    /// If the log cannot be read.
    pub fn add_log(&mut self, game: &dyn Game, log: &mut LogReader) -> Result<(), Error> {
        self.seats.resize(self.seats.len().max(game.info().seats), SeatDraws::default());
        log.each_draw(|name, candidates, drawn| self.add(game, name, candidates, drawn))
    }

    /// Adds one draw. A draw among things without an owner does not count.
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

    /// Tests whether a seat was drawn more or less often than expected.
    pub fn finding(&self) -> FairnessFinding {
        let tested: Vec<&SeatDraws> =
            self.seats.iter().filter(|seat| seat.variance >= VARIANCE_MIN).collect();
        let distance = |seat: &&SeatDraws| (seat.won as f64 - seat.due).abs() / seat.variance.sqrt();
        let farthest = tested.iter().map(distance).fold(0.0, f64::max);
        // The most extreme of several seats: the p-value is multiplied by their number (Bonferroni).
        let p_value = Normal::new(0.0, 1.0)
            .ok()
            .filter(|_| !tested.is_empty())
            .map(|normal| (2.0 * normal.sf(farthest) * tested.len() as f64).min(1.0));
        let ratios: Vec<f64> =
            self.seats.iter().filter(|seat| seat.due > 0.0).map(|seat| seat.won as f64 / seat.due).collect();
        let range = ratios.iter().copied().reduce(f64::min).zip(ratios.iter().copied().reduce(f64::max));
        let found = match range {
            Some((least, most)) => {
                format!("{least:.3} to {most:.3} of the expected number, in {} draws", self.draws)
            }
            None => "no draws".to_owned(),
        };
        FairnessFinding {
            code: "draws_of_a_seat",
            question: "how often a seat was drawn",
            found,
            state: if range.is_some() { FairnessState::Measured } else { FairnessState::TooFew },
            range,
            p_value,
            suspicious: p_value.is_some_and(|p| p < SUSPICIOUS),
            ..FairnessFinding::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use referee_games::catalog;
    use referee_rules::{Parameters, Seed};

    /// Draws of Push, where a number is a seat: candidates and drawn ones, each this number of times.
    fn draws(all: &[(&[i64], &[i64], u32)]) -> Draws {
        let entry = catalog::find("push").expect("a game");
        let game = entry.start(&Parameters::defaults(entry.parameters), Seed(1));
        let mut draws = Draws { seats: vec![SeatDraws::default(); 3], draws: 0 };
        for (candidates, drawn, times) in all {
            (0..*times).for_each(|_| draws.add(&*game, "coin", candidates, drawn));
        }
        draws
    }

    #[test]
    fn what_is_due_and_its_variance_are_those_of_draws_without_replacement() {
        // Seat 0 has two of four tickets, of which two are drawn.
        let found = draws(&[(&[0, 0, 1, 2], &[0, 2], 1), (&[1], &[1], 1), (&[0, 9], &[0], 1)]);
        let seat = |won, due, variance| SeatDraws { won, due, variance };
        let pair = 2.0 * 0.25 * 0.75 * 2.0 / 3.0;
        let due = [seat(1, 1.0, 2.0 * 0.25 * 2.0 / 3.0), seat(1, 1.5, pair), seat(1, 0.5, pair)];
        assert_eq!(found.seats(), due, "a draw of something without an owner does not count");
        assert_eq!(found.finding().found, "0.667 to 2.000 of the expected number, in 2 draws");
        assert_eq!(draws(&[]).finding().found, "no draws");
    }

    #[test]
    fn the_farthest_seat_is_tested_among_all_that_were_drawn_often_enough() {
        // The variance of one draw of two is a quarter.
        let one_of_two = |won, lost| draws(&[(&[0, 1], &[0], won), (&[0, 1], &[1], lost)]).finding();
        assert_eq!(one_of_two(10, 9).p_value, None);
        assert_eq!(one_of_two(10, 10).p_value, Some(1.0));
        // 3 standard errors: 0.0027, for two seats.
        let three = one_of_two(65, 35);
        assert!((three.p_value.expect("enough draws") - 2.0 * 0.002_699_796).abs() < 1e-8, "{three:?}");
        assert!(!three.suspicious);
        let four = one_of_two(35 - 5, 65 + 5);
        assert!((four.p_value.expect("enough draws") - 2.0 * 0.000_063_342).abs() < 1e-8, "{four:?}");
        assert!(four.suspicious);
    }
}
