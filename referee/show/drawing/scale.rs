//! The scale of an axis, and its round values.

use std::ops::Range;

/// A linear scale of values in pixels.
#[derive(Clone, Debug)]
pub struct Scale {
    /// The values at its ends.
    pub values: Range<f64>,
    /// The places of its ends, in pixels.
    pub pixels: (f64, f64),
}

impl Scale {
    /// Returns the place of a value in pixels. A value outside of the scale is put at its end.
    pub fn at(&self, value: f64) -> f64 {
        let Scale { values: Range { start, end }, pixels: (first, last) } = self;
        first + (value.clamp(*start, *end) - start) / (end - start) * (last - first)
    }

    /// Returns at most this number of round values, which are at least `step_min` apart.
    pub fn ticks(&self, most: usize, step_min: f64) -> Vec<f64> {
        let Range { start, end } = self.values;
        let size = 10f64.powf(((end - start) / most as f64).log10().floor());
        let steps = [1.0, 2.0, 5.0, 10.0, 20.0].map(|times| (times * size).max(step_min));
        let ticks = |step: f64| (start / step).ceil() as i64..=(end / step).floor() as i64;
        let fits = |step: &f64| ticks(*step).count() <= most;
        let step = steps.into_iter().find(fits).unwrap_or(steps[4]);
        ticks(step).map(|number| number as f64 * step).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_values_of_an_axis_are_round_few_and_far_enough_apart() {
        let scale = Scale { values: 0.0..90.0, pixels: (0.0, 1.0) };
        assert_eq!(scale.ticks(5, 0.0), [0.0, 20.0, 40.0, 60.0, 80.0]);
        assert_eq!(scale.ticks(5, 25.0), [0.0, 25.0, 50.0, 75.0]);
    }
}
