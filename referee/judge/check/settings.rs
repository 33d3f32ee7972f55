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

/// Lists the settings: first the usual one with the most and with the fewest seats. Also says what is left out.
///
/// # Errors
///
/// If a given value is none that the judge describes.
pub(super) fn settings(judge: &Judge, fixed: &Fixed) -> Result<(Vec<Setting>, Vec<String>), String> {
    let description = &judge.description;
    let (least, most) = (description.least, description.most);
    let mut usual = Parameters::defaults(description.parameters);
    for (name, value) in &fixed.set {
        if name == SEATS {
            return Err("--set seats: use --seats".to_owned());
        }
        usual.set_text(name, value).map_err(|error| format!("--set {name}={value}: {error}"))?;
    }
    if let Some(seats) = fixed.seats.filter(|seats| !(least..=most).contains(seats)) {
        return Err(format!("--seats {seats}: {} has {least} to {most} seats", judge.name));
    }
    let is_fixed = |name: &str| fixed.set.iter().any(|(known, _)| known == name);
    let mut left_out = Vec::new();
    let mut tables: Vec<usize> = match fixed.seats {
        Some(seats) => vec![seats],
        None => [most, least].into_iter().chain(least + 1..most).collect(),
    };
    tables.dedup();
    let with = |seats: usize, values: &[(&'static str, i64)]| {
        let mut parameters = usual.clone();
        let mut title = if seats == 1 { "1 seat".to_owned() } else { format!("{seats} seats") };
        if least < most {
            parameters.set(SEATS, seats as i64).expect("a number of its range");
        }
        for (name, value) in values {
            parameters.set(name, *value).expect("an end of its range");
        }
        for (name, value) in parameters.iter().filter(|(name, _)| description.told_parameters.contains(name))
        {
            if let Value::Integer(value) = value
                && (values.iter().any(|(varied, _)| *varied == name) || is_fixed(name))
            {
                title += &format!(", {name} {value}");
            }
        }
        Setting { parameters, title }
    };
    let mut all: Vec<Setting> = tables.iter().map(|seats| with(*seats, &[])).collect();
    if fixed.seats.is_some() && least < most {
        left_out.push(format!("other numbers of seats than {}", tables[0]));
    }
    let mut varied = Vec::new();
    for parameter in description.parameters {
        let ParameterKind::Integer { min: least, max: most } = parameter.kind else { continue };
        match description.told_parameters.contains(&parameter.name) && least < most {
            true if is_fixed(parameter.name) => left_out.push(format!("other values of {}", parameter.name)),
            true => varied.push((parameter.name, [least, most])),
            false => {}
        }
    }
    if !varied.is_empty() {
        let mut ends = vec![tables[0], *tables.get(1).unwrap_or(&tables[0])];
        ends.dedup();
        let factors = varied.len() + (ends.len() - 1);
        let rows = corners(factors);
        if rows.len() < 1 << factors.min(40) {
            left_out.push(format!(
                "most of the {} corners of the parameters: each pair of values is played",
                1u64 << factors.min(40)
            ));
        }
        all.extend(rows.iter().map(|row| {
            let values: Vec<(&'static str, i64)> = varied
                .iter()
                .zip(row)
                .map(|((name, ends), high)| (*name, ends[usize::from(*high)]))
                .collect();
            let seats = if ends.len() > 1 && row[factors - 1] { ends[1] } else { ends[0] };
            with(seats, &values)
        }));
        left_out.push("values of parameters between their ends, except the defaults".to_owned());
    }
    Ok((all, left_out))
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
