//! What was done in a game, for a copy in another process: it does the same.

/// A deed: a seat and its answer, `None` for silence; or one of the numbers below with what it needs.
pub(crate) type Deed = (i64, Option<Vec<i64>>);

/// The turn was played.
pub(crate) const PLAYED: i64 = -1;

/// All further chance follows from another seed.
pub(crate) const BRANCHED: i64 = -2;

/// A house bot sits on a seat: the seat, and its place in the list of house bots.
pub(crate) const SEATED: i64 = -3;

/// The house bot on a seat answered.
pub(crate) const THOUGHT: i64 = -4;

/// All deeds of a game, in one piece of memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct History(Vec<i64>);

/// The length of integers that are not there.
const NONE: i64 = -1;

impl History {
    /// Adds a deed.
    pub(crate) fn push(&mut self, what: i64, integers: Option<&[i64]>) {
        self.0.extend([what, integers.map_or(NONE, |integers| integers.len() as i64)]);
        self.0.extend_from_slice(integers.unwrap_or_default());
    }

    /// Returns all deeds, in order.
    pub(crate) fn deeds(&self) -> Vec<Deed> {
        let (mut left, mut deeds) = (&self.0[..], Vec::new());
        while let [what, length, rest @ ..] = left {
            let (integers, after) = rest.split_at((*length).max(0) as usize);
            deeds.push((*what, (*length != NONE).then(|| integers.to_vec())));
            left = after;
        }
        deeds
    }
}
