//! An estimate of the time that the rest of some work takes: a range, from the times of the parts that are done.

use std::time::Duration;

/// The times between the ends of parts, in seconds. There is one for each part, also if several run at a time.
#[derive(Clone, Copy, Debug, Default)]
pub struct Gaps {
    count: f64,
    mean: f64,
    /// The sum of the squares of the differences from the mean.
    squares: f64,
}

/// Minimum number of parts for an estimate.
const PARTS_LEAST: f64 = 3.0;

impl Gaps {
    /// Adds the time that these parts took together.
    pub fn add(&mut self, time: Duration, parts: u64) {
        let gap = time.as_secs_f64() / parts.max(1) as f64;
        for _ in 0..parts {
            self.count += 1.0;
            let from_mean = gap - self.mean;
            self.mean += from_mean / self.count;
            self.squares += from_mean * (gap - self.mean);
        }
    }

    /// Returns the range of the time that this number of further parts will take, in 19 of 20 cases if parts are alike
    /// and independent of each other. `None` before three parts have ended.
    pub fn left(&self, parts: u64) -> Option<(Duration, Duration)> {
        if self.count < PARTS_LEAST {
            return None;
        }
        let (parts, variance) = (parts as f64, self.squares / (self.count - 1.0));
        // The parts themselves vary, and so does the mean of those that have ended.
        let spread = 2.0 * (variance * (parts + parts * parts / self.count)).sqrt();
        let time = |seconds: f64| Duration::try_from_secs_f64(seconds.max(0.0)).unwrap_or(Duration::MAX);
        Some((time(parts * self.mean - spread), time(parts * self.mean + spread)))
    }
}

/// Writes a range of times: `20 to 40 s`, `about 3 min`, `50 s to 2 min`.
pub fn range((min, max): (Duration, Duration)) -> String {
    let ((low, low_unit), (high, high_unit)) = (rounded(min), rounded(max));
    match (low == high, low_unit == high_unit) {
        (true, true) => format!("about {high} {high_unit}"),
        (false, true) => format!("{low} to {high} {high_unit}"),
        (_, false) if low == "0" => format!("0 to {high} {high_unit}"),
        (_, false) => format!("{low} {low_unit} to {high} {high_unit}"),
    }
}

/// Writes a time in the largest unit of which it has at least two.
pub fn time(time: Duration) -> String {
    let (number, unit) = rounded(time);
    format!("{number} {unit}")
}

/// Rounds a time. Returns the number, and its unit.
fn rounded(time: Duration) -> (String, &'static str) {
    let seconds = time.as_secs();
    let (length, unit) = match seconds {
        0..120 => (1, "s"),
        120..7200 => (60, "min"),
        7200..172_800 => (3600, "h"),
        _ => (86_400, "days"),
    };
    (((seconds + length / 2) / length).to_string(), unit)
}
