//! The seats that are asked in a turn.

use super::Seat;

/// The seats that are asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToMove {
    /// All seats at once.
    All,
    /// These seats at once. An empty set is the same as [`Nobody`](ToMove::Nobody).
    Some(Seats),
    /// One seat alone.
    One(Seat),
    /// No seat: the game is over.
    Nobody,
}

/// A set of seats, without allocation.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Seats([u64; 4]);

impl Seats {
    /// Adds a seat.
    #[inline]
    pub fn insert(&mut self, seat: Seat) {
        self.0[seat.index() / 64] |= 1 << (seat.index() % 64);
    }

    /// Tells whether a seat is in the set.
    #[inline]
    pub fn contains(&self, seat: Seat) -> bool {
        self.0[seat.index() / 64] >> (seat.index() % 64) & 1 == 1
    }

    /// Iterates over the set in the order of the seats.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = Seat> {
        let mut words = self.0;
        std::iter::from_fn(move || {
            let word = words.iter().position(|word| *word > 0)?;
            let bit = words[word].trailing_zeros() as usize;
            words[word] &= words[word] - 1;
            Some(Seat::new(64 * word + bit))
        })
    }
}

impl FromIterator<Seat> for Seats {
    #[inline]
    fn from_iter<I: IntoIterator<Item = Seat>>(seats: I) -> Seats {
        let mut set = Seats::default();
        seats.into_iter().for_each(|seat| set.insert(seat));
        set
    }
}

impl std::fmt::Debug for Seats {
    #[inline]
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_has_what_was_put_into_it_in_the_order_of_the_seats() {
        let indices = [255, 0, 63, 64, 130, 64];
        let seats: Seats = indices.into_iter().map(Seat::new).collect();
        assert_eq!(seats.iter().map(Seat::index).collect::<Vec<_>>(), [0, 63, 64, 130, 255]);
        assert!((0..256).all(|index| seats.contains(Seat::new(index)) == indices.contains(&index)));
        assert_eq!(Seats::default().iter().next(), None);
    }
}
