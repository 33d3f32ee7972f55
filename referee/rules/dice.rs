//! All chance in a game. Every turn has a random stream of its own, so that any turn can be replayed alone.
//!
//! The generator is ChaCha with 8 rounds (named and portable: its values never change). Ranges and shuffles
//! are implemented here, so that no change of a library alters a recorded game.

use std::fmt;
use std::str::FromStr;

use rand::rngs::ChaCha8Rng;
use rand::{Rng, SeedableRng};

/// The random seed of a game. Bots never see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Seed(pub u64);

/// Written as `0x` and 16 digits: a spreadsheet would round a number of this size.
impl fmt::Display for Seed {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#018x}", self.0)
    }
}

/// A text that is not a seed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotASeed(String);

impl fmt::Display for NotASeed {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "not a seed: {:?} (a whole number from 0 to 2^64 - 1, or 0x and hexadecimal digits)",
            self.0
        )
    }
}

impl std::error::Error for NotASeed {}

impl FromStr for Seed {
    type Err = NotASeed;

    #[inline]
    fn from_str(text: &str) -> Result<Seed, NotASeed> {
        let number = match text.strip_prefix("0x") {
            Some(digits) => u64::from_str_radix(digits, 16),
            None => text.parse(),
        };
        number.map(Seed).map_err(|_| NotASeed(text.to_owned()))
    }
}

/// The dice of one turn of one game.
#[derive(Debug)]
pub struct Dice {
    seed: Seed,
    stream: u64,
    /// Created at the first draw, since most turns have none.
    generator: Option<ChaCha8Rng>,
}

impl Dice {
    /// Returns the dice that set up the game.
    #[inline]
    pub fn for_start(seed: Seed) -> Dice {
        Dice { seed, stream: 0, generator: None }
    }

    /// Returns the dice of one turn, counted from 0.
    #[inline]
    pub fn for_turn(seed: Seed, turn: u32) -> Dice {
        Dice { seed, stream: u64::from(turn) + 1, generator: None }
    }

    /// Draws a whole number from 0 to `end - 1`, each equally likely.
    ///
    /// # Panics
    ///
    /// Panics if `end` is 0.
    #[inline]
    pub fn below(&mut self, end: u32) -> u32 {
        assert!(end > 0, "a draw among nothing");
        // The highest multiple of `end` that fits; draws beyond it would favour the low numbers.
        let fair = u32::MAX - (u32::MAX % end + 1) % end;
        let generator = self.generator.get_or_insert_with(|| generator(self.seed, self.stream));
        loop {
            let word = generator.next_u32();
            if word <= fair {
                return word % end;
            }
        }
    }

    /// Moves a uniformly random subset of `count` things to the front, in random order.
    ///
    /// # Panics
    ///
    /// Panics if there are fewer than `count` things.
    #[inline]
    pub fn choose<T>(&mut self, things: &mut [T], count: usize) {
        for front in 0..count {
            let rest = things.len() - front;
            things.swap(front, front + self.below(rest as u32) as usize);
        }
    }

    /// Puts the things into a random order, each equally likely.
    #[inline]
    pub fn shuffle<T>(&mut self, things: &mut [T]) {
        self.choose(things, things.len());
    }
}

#[inline]
fn generator(seed: Seed, stream: u64) -> ChaCha8Rng {
    let mut key = [0; 32];
    key[..8].copy_from_slice(&seed.0.to_le_bytes());
    key[8..16].copy_from_slice(b"referee1");
    let mut generator = ChaCha8Rng::from_seed(key);
    generator.set_stream(stream);
    generator
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_and_turn_give_these_numbers_for_ever() {
        let mut dice = Dice::for_turn(Seed(7), 3);
        let drawn: Vec<u32> = (0..8).map(|_| dice.below(1000)).collect();
        assert_eq!(drawn, PINNED);
    }

    const PINNED: [u32; 8] = [227, 819, 772, 363, 580, 710, 644, 598];

    #[test]
    fn every_number_is_drawn_equally_often() {
        let mut dice = Dice::for_start(Seed(1));
        let mut counts = [0f64; 7];
        for _ in 0..70_000 {
            counts[dice.below(7) as usize] += 1.0;
        }
        let chi_squared: f64 = counts.iter().map(|count| (count - 10_000.0).powi(2) / 10_000.0).sum();
        assert!(chi_squared < 22.5, "{chi_squared} is over the 99.9 % point for 6 degrees");
    }

    #[test]
    fn no_low_number_is_favoured_where_the_range_is_no_part_of_all_words() {
        // Without rejection the lowest third would be drawn in half of all cases.
        let mut dice = Dice::for_start(Seed(3));
        let low = (0..30_000).filter(|_| dice.below(3 << 30) < 1 << 30).count();
        assert!((9_500..10_500).contains(&low), "{low} of 30,000; six standard deviations are 490");
    }

    #[test]
    fn every_subset_is_chosen_equally_often() {
        let mut dice = Dice::for_start(Seed(2));
        let mut counts = std::collections::BTreeMap::new();
        for _ in 0..60_000 {
            let mut things = [0, 1, 2, 3];
            dice.choose(&mut things, 2);
            let mut pair = [things[0], things[1]];
            pair.sort_unstable();
            *counts.entry(pair).or_insert(0f64) += 1.0;
        }
        assert_eq!(counts.len(), 6);
        let chi_squared: f64 = counts.values().map(|count| (count - 10_000.0).powi(2) / 10_000.0).sum();
        assert!(chi_squared < 20.6, "{chi_squared} is over the 99.9 % point for 5 degrees");
    }

    #[test]
    fn a_seed_reads_back_what_it_prints() {
        for seed in [Seed(0), Seed(7), Seed(u64::MAX)] {
            assert_eq!(seed.to_string().parse(), Ok(seed));
        }
        assert_eq!("12".parse(), Ok(Seed(12)));
        assert!("-1".parse::<Seed>().is_err());
    }
}
