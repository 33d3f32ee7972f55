//! Small numbers in few bytes: seven bits a byte, the lowest first, the eighth bit says that more follow. What may be below zero
//! is folded: 0, -1, 1, -2, 2.

/// Numbers, one behind the other.
#[derive(Debug, Default)]
pub(super) struct Column(pub(super) Vec<u8>);

impl Column {
    /// Appends a number.
    pub(super) fn push(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }

    /// Appends a number that may be below zero.
    pub(super) fn push_signed(&mut self, number: i64) {
        self.push(folded(number));
    }

    /// Appends a value that may not be there.
    pub(super) fn push_option(&mut self, number: Option<i64>) {
        self.push(number.map_or(0, |number| folded(number) + 1));
    }
}

fn folded(number: i64) -> u64 {
    (number << 1 ^ number >> 63) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_near_zero_take_one_byte_and_the_greatest_ten() {
        let bytes = |number| {
            let mut column = Column::default();
            column.push_signed(number);
            column.0
        };
        assert_eq!(bytes(0), [0]);
        assert_eq!(bytes(-1), [1]);
        assert_eq!(bytes(63), [126]);
        assert_eq!(bytes(64), [128, 1]);
        assert_eq!(bytes(i64::MIN), [255, 255, 255, 255, 255, 255, 255, 255, 255, 1]);
    }
}
