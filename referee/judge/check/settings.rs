//! The settings of an examination: every number of seats, and the corners of the parameters.

use std::fmt;

use crate::Judge;
use referee_games::catalog::SEATS;
use referee_rules::{ParameterKind, Parameters, Value};

/// What the author gives for all games of an examination.
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

/// Maximum number of settings in which all corners are combined; above it, each pair of values occurs.
const ALL_MAX: usize = 16;

/// Lists the settings: first the usual one with the most and with the fewest seats. Also says what is left out. The error
/// is a given value that the judge does not describe.
pub(super) fn settings(judge: &Judge, fixed: &Fixed) -> Result<(Vec<Setting>, Vec<String>), String> {
    let (least, most) = (judge.description.least, judge.description.most);
    let source = SettingSource { judge, fixed, usual: usual_parameters(judge, fixed)? };
    let mut left_out = Vec::new();
    let mut tables: Vec<usize> = match fixed.seats {
        Some(seats) => vec![seats],
        None => [most, least].into_iter().chain(least + 1..most).collect(),
    };
    tables.dedup();
    let mut all: Vec<Setting> = tables.iter().map(|seats| source.setting(*seats, &[])).collect();
    if fixed.seats.is_some() && least < most {
        left_out.push(format!("other numbers of seats than {}", tables[0]));
    }
    let ranges = source.ranges(&mut left_out);
    if !ranges.is_empty() {
        all.extend(source.corners(&tables, &ranges, &mut left_out));
        left_out.push("values of parameters between their ends, except the defaults".to_owned());
    }
    Ok((all, left_out))
}

/// Returns the parameters of the usual setting.
fn usual_parameters(judge: &Judge, fixed: &Fixed) -> Result<Parameters, String> {
    let description = &judge.description;
    let (least, most) = (description.least, description.most);
    let mut usual = Parameters::defaults(description.parameters);
    for (name, value) in &fixed.set {
        if name == SEATS {
            return Err("--set seats: use --seats".to_owned());
        }
        usual.set_text(name, value).map_err(|error| format!("--set {name}={value}: {error}"))?;
    }
    match fixed.seats {
        Some(seats) if !(least..=most).contains(&seats) => {
            Err(format!("--seats {seats}: {} has {least} to {most} seats", judge.name))
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
    /// Makes the usual setting with this number of seats, and with some other values.
    fn setting(&self, seats: usize, values: &[(&'static str, i64)]) -> Setting {
        let description = &self.judge.description;
        let mut parameters = self.usual.clone();
        let mut title = if seats == 1 { "1 seat".to_owned() } else { format!("{seats} seats") };
        if description.least < description.most {
            parameters.set(SEATS, seats as i64).expect("a number of its range");
        }
        for (name, value) in values {
            parameters.set(name, *value).expect("an end of its range");
        }
        for (name, value) in parameters.iter().filter(|(name, _)| description.told_parameters.contains(name))
        {
            if let Value::Integer(value) = value
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

    /// Lists the parameters whose ends are played.
    fn ranges(&self, left_out: &mut Vec<String>) -> Vec<Range> {
        let description = &self.judge.description;
        let mut ranges = Vec::new();
        for parameter in description.parameters {
            let ParameterKind::Integer { min, max } = parameter.kind else { continue };
            if !description.told_parameters.contains(&parameter.name) || min >= max {
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

    /// Makes settings at the corners of the parameters, with the first two numbers of seats in `tables`.
    fn corners(&self, tables: &[usize], ranges: &[Range], left_out: &mut Vec<String>) -> Vec<Setting> {
        let mut seats = vec![tables[0], *tables.get(1).unwrap_or(&tables[0])];
        seats.dedup();
        let factors = ranges.len() + (seats.len() - 1);
        let rows = corners(factors);
        let corner_count = 1u64 << factors.min(40);
        if (rows.len() as u64) < corner_count {
            left_out.push(format!(
                "most of the {corner_count} corners of the parameters: each pair of values is played"
            ));
        }
        let setting = |row: &Vec<bool>| {
            let values: Vec<(&'static str, i64)> = ranges
                .iter()
                .zip(row)
                .map(|((name, ends), high)| (*name, ends[usize::from(*high)]))
                .collect();
            let seats = if seats.len() > 1 && row[factors - 1] { seats[1] } else { seats[0] };
            self.setting(seats, &values)
        };
        rows.iter().map(setting).collect()
    }
}

/// Returns rows of lows and highs: all, or rows in which each pair of factors has all four combinations.
fn corners(factors: usize) -> Vec<Vec<bool>> {
    if factors < 20 && 1 << factors <= ALL_MAX {
        return (0..1usize << factors)
            .map(|row| (0..factors).map(|at| row >> at & 1 == 1).collect())
            .collect();
    }
    // Two factors differ in a bit of their numbers.
    let bits = usize::BITS - factors.leading_zeros();
    let by_bit = (0..bits).map(|bit| (0..factors).map(|at| at >> bit & 1 == 1).collect::<Vec<bool>>());
    let rows: Vec<Vec<bool>> = [vec![false; factors]].into_iter().chain(by_bit).collect();
    rows.iter().cloned().chain(rows.iter().map(|row| row.iter().map(|high| !high).collect())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_corners_are_listed_or_each_pair_of_values_occurs() {
        assert_eq!(corners(1), [[false], [true]]);
        assert_eq!(corners(4).len(), 16);
        for factors in [5, 6, 8, 21] {
            let rows = corners(factors);
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
