//! A seat in one game, and a container with one thing for each seat.

use std::fmt;
use std::ops::{Index, IndexMut};

/// A seat in one game, counted from 0, independent of the bot that plays in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Seat(u8);

impl Seat {
    /// Returns the seat with this index.
    ///
    /// # Panics
    ///
    /// Panics if `index` is over 255.
    #[inline]
    pub const fn new(index: usize) -> Seat {
        assert!(index <= u8::MAX as usize, "a game has at most 256 seats");
        Seat(index as u8)
    }

    /// Returns the seat's index, from 0.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Lists the first `count` seats in order.
    #[inline]
    pub fn first(count: usize) -> impl DoubleEndedIterator<Item = Seat> + ExactSizeIterator {
        (0..count).map(Seat::new)
    }
}

impl fmt::Display for Seat {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// One thing for each seat of a game, in the order of the seats.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BySeat<T>(Vec<T>);

impl<T> BySeat<T> {
    /// Makes one thing for each of `count` seats.
    #[inline]
    pub fn from_fn(count: usize, make: impl FnMut(Seat) -> T) -> BySeat<T> {
        BySeat(Seat::first(count).map(make).collect())
    }

    /// Returns the number of seats.
    #[inline]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Tells whether there are no seats.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Iterates over the seats and their things, in order.
    #[inline]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (Seat, &T)> {
        self.0.iter().enumerate().map(|(index, thing)| (Seat::new(index), thing))
    }

    /// Iterates over the seats and their things, to change the things.
    #[inline]
    pub fn iter_mut(&mut self) -> impl ExactSizeIterator<Item = (Seat, &mut T)> {
        self.0.iter_mut().enumerate().map(|(index, thing)| (Seat::new(index), thing))
    }

    /// Returns the things alone, in the order of the seats.
    #[inline]
    pub fn as_slice(&self) -> &[T] {
        &self.0
    }
}

impl<T> From<Vec<T>> for BySeat<T> {
    #[inline]
    fn from(things: Vec<T>) -> BySeat<T> {
        BySeat(things)
    }
}

impl<T> FromIterator<T> for BySeat<T> {
    #[inline]
    fn from_iter<I: IntoIterator<Item = T>>(things: I) -> BySeat<T> {
        BySeat(things.into_iter().collect())
    }
}

impl<T> Index<Seat> for BySeat<T> {
    type Output = T;

    #[inline]
    fn index(&self, seat: Seat) -> &T {
        &self.0[seat.index()]
    }
}

impl<T> IndexMut<Seat> for BySeat<T> {
    #[inline]
    fn index_mut(&mut self, seat: Seat) -> &mut T {
        &mut self.0[seat.index()]
    }
}
