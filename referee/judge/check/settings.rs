//! The settings of an examination: every number of seats, and the corners of the parameters, where each parameter has
//! the smallest or the greatest of its values.

use std::fmt;

use crate::Judge;
use referee_games::catalog::SEATS;
use referee_rules::{ParameterKind, Parameters, Value};

/// What the author of a judge fixes on the command line for all games of an examination.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fixed {
    /// Parameters: names and values.
    pub set: Vec<(String, String)>,
    /// The number of seats.
    pub seats: Option<usize>,
}

/// A number of seats and values of parameters.
#[derive(Clone, Debug)]
pub(super) struct Setting {
    parameters: Parameters,
    /// The number of seats, and the parameters that are varied or fixed, of those that the judge gets at the start.
    title: String,
}

impl Setting {
    pub(super) fn parameters(&self) -> &Parameters {
        &self.parameters
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.title)
    }
}

/// Maximum number of corners that are all played. Of more, some are, in which each pair of values occurs.
const CORNERS_ALL_MAX: usize = 16;

/// Lists the settings: first the usual one with the most and with the fewest seats. Also says what is left out. The
/// error is a given value that the judge does not describe.
pub(super) fn settings(judge: &Judge, fixed: &Fixed) -> Result<(Vec<Setting>, Vec<String>), String> {
    let (seats_min, seats_max) = (judge.description.seats_min, judge.description.seats_max);
    let source = SettingSource { judge, fixed, usual: checked_parameters(judge, fixed)? };
    let mut left_out = Vec::new();
    let mut seat_counts: Vec<usize> = match fixed.seats {
        Some(seats) => vec![seats],
        None => [seats_max, seats_min].into_iter().chain(seats_min + 1..seats_max).collect(),
    };
    seat_counts.dedup();
    let mut all: Vec<Setting> = seat_counts.iter().map(|seats| source.setting(*seats, &[])).collect();
    if fixed.seats.is_some() && seats_min < seats_max {
        left_out.push(format!("other numbers of seats than {}", seat_counts[0]));
    }
    let ranges = source.ranges(&mut left_out);
    if !ranges.is_empty() {
        all.extend(source.corner_settings(&seat_counts, &ranges, &mut left_out));
        left_out.push("values of parameters between their ends, except the defaults".to_owned());
    }
    Ok((all, left_out))
}

/// Returns the parameters of the usual setting. Refuses fixed values and numbers of seats that the judge does not have.
fn checked_parameters(judge: &Judge, fixed: &Fixed) -> Result<Parameters, String> {
    let description = &judge.description;
    let (min, max) = (description.seats_min, description.seats_max);
    let mut usual = Parameters::defaults(description.parameters);
    for (name, value) in &fixed.set {
        if name == SEATS {
            return Err("--set seats: use --seats".to_owned());
        }
        usual.set_text(name, value).map_err(|error| format!("--set {name}={value}: {error}"))?;
    }
    match fixed.seats {
        Some(seats) if !(min..=max).contains(&seats) => {
            Err(format!("--seats {seats}: {} has {min} to {max} seats", judge.name))
        }
        _ => Ok(usual),
    }
}

/// What settings are made from.
struct SettingSource<'a> {
    judge: &'a Judge,
    fixed: &'a Fixed,
    usual: Parameters,
}

/// A parameter that takes different values, and both ends of its range.
type Range = (&'static str, [i64; 2]);

impl SettingSource<'_> {
    /// Returns the usual setting with this number of seats, and with these values of some parameters.
    fn setting(&self, seats: usize, values: &[(&'static str, i64)]) -> Setting {
        let description = &self.judge.description;
        let mut parameters = self.usual.clone();
        let mut title = if seats == 1 { "1 seat".to_owned() } else { format!("{seats} seats") };
        // A judge with one number of seats has no such parameter.
        if description.seats_min < description.seats_max {
            parameters.set(SEATS, seats as i64).expect("a number of its range");
        }
        for (name, value) in values {
            parameters.set(name, *value).expect("an end of its range");
        }
        for (name, value) in parameters.iter() {
            if description.start_parameters.contains(&name)
                && let Value::Integer(value) = value
                && (values.iter().any(|(varied, _)| *varied == name) || self.is_fixed(name))
            {
                title += &format!(", {name} {value}");
            }
        }
        Setting { parameters, title }
    }

    fn is_fixed(&self, name: &str) -> bool {
        self.fixed.set.iter().any(|(known, _)| known == name)
    }

    /// Lists the parameters whose ends are played: those that the judge gets at the start. All of them are integers.
    fn ranges(&self, left_out: &mut Vec<String>) -> Vec<Range> {
        let description = &self.judge.description;
        let mut ranges = Vec::new();
        for parameter in description.parameters {
            let ParameterKind::Integer { min, max } = parameter.kind else { continue };
            if !description.start_parameters.contains(&parameter.name) || min >= max {
                continue;
            }
            if self.is_fixed(parameter.name) {
                left_out.push(format!("other values of {}", parameter.name));
            } else {
                ranges.push((parameter.name, [min, max]));
            }
        }
        ranges
    }

    /// Returns settings at the corners of the parameters, with the first two of these numbers of seats.
    fn corner_settings(
        &self,
        seat_counts: &[usize],
        ranges: &[Range],
        left_out: &mut Vec<String>,
    ) -> Vec<Setting> {
        let seat_counts = &seat_counts[..seat_counts.len().min(2)];
        // Each parameter is a factor. If there are two numbers of seats, they are the last factor.
        let factors = ranges.len() + (seat_counts.len() - 1);
        let rows = corners(factors);
        // A judge has fewer parameters than 40: the shift does not overflow.
        let corner_count = 1u64 << factors.min(40);
        if (rows.len() as u64) < corner_count {
            left_out.push(format!(
                "most of the {corner_count} corners of the parameters: each pair of values is played"
            ));
        }
        let setting = |row: &Vec<bool>| {
            let value = |((name, ends), is_high): (&Range, &bool)| (*name, ends[usize::from(*is_high)]);
            let values: Vec<(&'static str, i64)> = ranges.iter().zip(row).map(value).collect();
            let has_second_count = seat_counts.len() > 1 && row[factors - 1];
            self.setting(seat_counts[usize::from(has_second_count)], &values)
        };
        rows.iter().map(setting).collect()
    }
}

/// Returns rows that say of each factor whether it is high: all rows, or rows in which each pair of factors has all
/// four combinations.
fn corners(factors: usize) -> Vec<Vec<bool>> {
    // More than 20 are too many in any case, and could overflow the shift.
    if factors < 20 && 1 << factors <= CORNERS_ALL_MAX {
        let row_of = |row: usize| (0..factors).map(|factor| row >> factor & 1 == 1).collect();
        return (0..1usize << factors).map(row_of).collect();
    }
    // One row of lows, and one for each bit of the factors' numbers. Two factors differ in a bit, so they differ in its
    // row, and in the opposite of that row the other way round.
    let bits = usize::BITS - (factors - 1).leading_zeros();
    let mut rows = vec![vec![false; factors]];
    rows.extend((0..bits).map(|bit| (0..factors).map(|factor| factor >> bit & 1 == 1).collect()));
    let opposites: Vec<Vec<bool>> =
        rows.iter().map(|row| row.iter().map(|is_high| !is_high).collect()).collect();
    rows.extend(opposites);
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn all_corners_are_listed_or_each_pair_of_values_occurs() {
        assert_eq!(corners(1), [[false], [true]]);
        assert_eq!(corners(4).len(), 16);
        for factors in [5, 6, 8, 16, 21, 32] {
            let rows = corners(factors);
            let different: BTreeSet<&Vec<bool>> = rows.iter().collect();
            assert_eq!(rows.len(), different.len(), "{factors}");
            assert!(rows.len() <= 14, "{factors}: {}", rows.len());
            for one in 0..factors {
                for other in 0..one {
                    for pair in [(false, false), (false, true), (true, false), (true, true)] {
                        assert!(
                            rows.iter().any(|row| (row[one], row[other]) == pair),
                            "{one} {other} {pair:?}"
                        );
                    }
                }
            }
        }
    }
}
