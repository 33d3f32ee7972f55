//! Random numbers for tests, independent of the dice that they test.

/// SplitMix64 (Steele, Lea, Flood 2014).
#[derive(Debug)]
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ (word >> 31)
    }

    /// A number from `low` to `high`, both included; the bias is far below what a test could see.
    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        low + (self.next() % (high - low + 1) as u64) as i64
    }

    /// A place in something of this length.
    pub fn below(&mut self, length: usize) -> usize {
        (self.next() % length as u64) as usize
    }

    pub fn percent(&mut self, chance: i64) -> bool {
        self.between(0, 99) < chance
    }

    pub fn pick<T: Copy>(&mut self, things: &[T]) -> T {
        things[self.between(0, things.len() as i64 - 1) as usize]
    }
}
