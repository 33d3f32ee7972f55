//! Batches as ranges, in the notation of job arrays.

use std::fmt;
use std::ops::RangeInclusive;

/// Batches that are not done, as ranges.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Missing(pub Vec<RangeInclusive<usize>>);

impl Missing {
    /// Makes ranges of batches that come in order.
    pub fn from_batches(batches: impl IntoIterator<Item = usize>) -> Missing {
        let mut missing = Missing::default();
        for batch in batches {
            missing.add(batch);
        }
        missing
    }

    /// Adds a batch behind the last one.
    pub(super) fn add(&mut self, batch: usize) {
        match self.0.last_mut() {
            Some(last) if *last.end() + 1 == batch => *last = *last.start()..=batch,
            _ => self.0.push(batch..=batch),
        }
    }

    /// Returns the number of batches.
    pub fn count(&self) -> usize {
        self.0.iter().map(|range| range.end() - range.start() + 1).sum()
    }

    /// Returns the batches.
    pub fn batches(&self) -> impl Iterator<Item = usize> {
        self.0.iter().cloned().flatten()
    }

    /// Returns the shards, of this number of shards in all, that would play these batches, as ranges.
    pub fn shards(&self, count: usize) -> Missing {
        let mut shards: Vec<usize> = self.batches().map(|batch| batch % count).collect();
        shards.sort_unstable();
        shards.dedup();
        Missing::from_batches(shards)
    }
}

/// In the notation of job arrays: `0-3,7`.
impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, range) in self.0.iter().enumerate() {
            write!(f, "{}{}", if index > 0 { "," } else { "" }, range.start())?;
            if range.start() != range.end() {
                write!(f, "-{}", range.end())?;
            }
        }
        Ok(())
    }
}
