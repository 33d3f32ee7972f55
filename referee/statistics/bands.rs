//! Grade bands: a ranked field in few parts, best first. A season until ranked can end when each bot's band is known.

use std::fmt;
use std::str::FromStr;

use serde::de::Error as _;
use serde::ser::SerializeSeq as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Maximum number of bands.
const MOST: usize = 12;

/// The bands of a field: parts of it that add up to 1, such as 0.1, 0.3 and 0.6; or numbers of places, such as 3 and 9,
/// after which the rest of the field is one more band.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bands {
    sizes: [f64; MOST],
    count: usize,
}

impl Bands {
    /// Makes bands of these sizes, best first.
    ///
    /// # Errors
    ///
    /// Says what is wrong with them.
    pub fn new(sizes: &[f64]) -> Result<Bands, String> {
        let is_part = |size: &f64| *size > 0.0 && *size < 1.0;
        let is_number = |size: &f64| (1.0..=1e6).contains(size) && size.fract() == 0.0;
        let wrong = |why: &str| {
            Err(format!(
                "bands are parts of the field that add up to 1, such as [0.1, 0.3, 0.6], or numbers of places, such as \
                 [3, 9]: {why}"
            ))
        };
        if sizes.is_empty() || sizes.len() > MOST {
            return wrong(&format!("there are 1 to {MOST}, not {}", sizes.len()));
        }
        let sum: f64 = sizes.iter().sum();
        if sizes.iter().all(is_part) {
            if (sum - 1.0).abs() > 1e-6 {
                return wrong(&format!("these add up to {}", (sum * 1e6).round() / 1e6));
            }
        } else if !sizes.iter().all(is_number) {
            return wrong("these are neither");
        }
        let mut all = [0.0; MOST];
        all[..sizes.len()].copy_from_slice(sizes);
        Ok(Bands { sizes: all, count: sizes.len() })
    }

    fn sizes(&self) -> &[f64] {
        &self.sizes[..self.count]
    }

    /// Returns the band of a place, from 1, in a field of this number of bots. Bands that are parts of it end at the
    /// nearest place.
    pub fn of(&self, place: usize, bots: usize) -> usize {
        let of_part = if self.sizes[0] < 1.0 { bots as f64 } else { 1.0 };
        let mut end = 0.0;
        // 0.1 + 0.2 is a little more than 0.3.
        let is_within = |end: f64| place as f64 <= (end * of_part + 1e-6).round();
        let found = self.sizes().iter().position(|size| {
            end += size;
            is_within(end)
        });
        1 + found.unwrap_or(if of_part > 1.0 { self.count - 1 } else { self.count })
    }

    /// Says which places each band has: `1: places 1 to 3, 2: places 4 to 12`.
    pub fn told(&self, bots: usize) -> String {
        let places: Vec<usize> = (1..=bots).collect();
        let bands = places.chunk_by(|one, next| self.of(*one, bots) == self.of(*next, bots));
        let told = bands.map(|places| match places {
            [only] => format!("{}: place {only}", self.of(*only, bots)),
            [first, .., last] => format!("{}: places {first} to {last}", self.of(*first, bots)),
            [] => unreachable!("a band has a place"),
        });
        told.collect::<Vec<String>>().join(", ")
    }
}

/// `0.1;0.3;0.6`, as in files.
impl fmt::Display for Bands {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sizes: Vec<String> = self.sizes().iter().map(f64::to_string).collect();
        f.write_str(&sizes.join(";"))
    }
}

/// Reads sizes with `;` or `,` between them.
impl FromStr for Bands {
    type Err = String;

    fn from_str(text: &str) -> Result<Bands, String> {
        let size =
            |word: &str| word.trim().parse::<f64>().map_err(|_| format!("bands: not a number: {word:?}"));
        Bands::new(&text.split([';', ',']).map(size).collect::<Result<Vec<f64>, String>>()?)
    }
}

impl Serialize for Bands {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let is_text = serializer.is_human_readable();
        let mut list = serializer.serialize_seq(Some(self.count))?;
        for size in self.sizes() {
            // People read places as whole numbers.
            if size.fract() == 0.0 && is_text {
                list.serialize_element(&(*size as i64))?
            } else {
                list.serialize_element(size)?
            }
        }
        list.end()
    }
}

impl<'de> Deserialize<'de> for Bands {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Bands, D::Error> {
        Bands::new(&Vec::<f64>::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}
