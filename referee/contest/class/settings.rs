//! `class.toml`: what a teacher decides about a class. Its practice is a hill, with settings of its own.

use std::path::Path;

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::schema::{self, Settings};
use crate::settings;
use referee_files::beneath::Spot;
use referee_record::error::Error;

/// A class: deadline, exam, final, points. Edit it at any time; see `referee class --help`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(title = "class.toml of referee", deny_unknown_fields)]
pub struct ClassSettings {
    /// The end of submissions: date, time and time zone, such as "2026-12-15 23:59 Europe/Berlin".
    #[schemars(example = "2026-12-15 23:59 Europe/Berlin")]
    pub deadline: String,
    /// A version that comes at most this number of minutes after the deadline is not late.
    #[serde(default = "grace")]
    #[schemars(range(max = 1440))]
    pub grace_minutes: u32,
    /// Number of days after the deadline on which a version still counts. It is then late, and grades name the days.
    #[serde(default)]
    #[schemars(range(max = 365))]
    pub late_days: u32,
    /// The address at which the class is served, for slips.
    #[serde(default = "address")]
    pub address: String,
    /// Whether pages show nicknames, so that a student who is added gets one. Those of `class new` stay as they are.
    #[serde(default)]
    pub nicknames: bool,
    /// The panel of the exam, weakest first: "house:NAME" (see: referee bots), or a path from this file's folder.
    #[schemars(length(min = 1, max = 12))]
    pub panel: Vec<String>,
    /// Bots of the panel that do not play on the hill, so that students meet them in the exam for the first time.
    #[serde(default)]
    pub hidden: Vec<String>,
    /// The exam.
    #[serde(default)]
    pub exam: ExamSettings,
    /// The final.
    #[serde(default, rename = "final")]
    pub last: FinalSettings,
    /// Points for grades.
    #[serde(default)]
    pub points: Points,
}

/// `[exam]`
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ExamSettings {
    /// Number of the exam. Another number is a new exam, with other games, in the folder `exam2`, `exam3`, ...
    #[schemars(range(min = 1, max = 99))]
    pub number: u32,
    /// Maximum number of rounds of a student. In a round it has each seat once, with each group of the panel.
    #[schemars(range(min = 1, max = 10_000))]
    pub rounds: u32,
    /// The maximum probability that any grade of the class is wrong.
    #[schemars(extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 1))]
    pub alpha: f64,
}

/// `[final]`
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct FinalSettings {
    /// Number of rounds. In a round each bot plays one game.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub rounds: u32,
}

/// `[points]`: the points of a grade.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Points {
    /// Points of a student who is above none of the panel, above its first bot, above the first two, and so on.
    /// Empty: one point a bot.
    pub above: Vec<f64>,
    /// Points that each late day takes away; there are never fewer than 0.
    #[schemars(range(min = 0))]
    pub late_day: f64,
}

fn grace() -> u32 {
    10
}

fn address() -> String {
    "http://127.0.0.1:8080".to_owned()
}

impl Default for ExamSettings {
    fn default() -> ExamSettings {
        ExamSettings { number: 1, rounds: 20, alpha: 0.05 }
    }
}

impl Default for FinalSettings {
    fn default() -> FinalSettings {
        FinalSettings { rounds: 100 }
    }
}

impl Default for Points {
    fn default() -> Points {
        Points { above: Vec::new(), late_day: 1.0 }
    }
}

impl ExamSettings {
    /// Games with each bot of the panel by which most students are decided who are clearly better than it, or worse.
    const GAMES: u32 = 120;

    /// Returns the exam of a new class, whose game has this number of games in a round: one for each seat.
    pub fn of_game(seats: u32) -> ExamSettings {
        ExamSettings { rounds: ExamSettings::GAMES.div_ceil(seats.max(1)), ..ExamSettings::default() }
    }
}

impl Settings for ClassSettings {}

impl ClassSettings {
    /// Returns the settings of a new class.
    pub fn new(deadline: String, panel: Vec<String>) -> ClassSettings {
        ClassSettings {
            deadline,
            grace_minutes: grace(),
            late_days: 0,
            address: address(),
            nicknames: false,
            panel,
            hidden: Vec::new(),
            exam: ExamSettings::default(),
            last: FinalSettings::default(),
            points: Points::default(),
        }
    }

    /// Reads the settings of a class.
    ///
    /// # Errors
    ///
    /// Names the wrong line.
    pub fn read(root: &Path) -> Result<ClassSettings, Error> {
        let spot = file_of(root);
        let path = spot.path();
        let text = spot.read_text(settings::FILE_MAX).map_err(Error::system(path, "read the class"))?;
        let read: ClassSettings = settings::read(path, &text)?;
        read.check().map_err(|(key, what)| settings::wrong(path, &text, key, what))?;
        Ok(read)
    }

    /// Writes these settings as a file, with the meaning of each.
    pub fn text(&self) -> String {
        let values = toml::Table::try_from(self).expect("plain values");
        let tables = [
            ("exam", schema::keys_of(&self.exam)),
            ("final", schema::keys_of(&self.last)),
            ("points", schema::keys_of(&self.points)),
        ];
        schema::written(&schema::with_markdown::<ClassSettings>(), &values, &schema::keys_of(self), &tables)
    }

    fn check(&self) -> Result<(), (&'static str, String)> {
        moment(&self.deadline).map_err(|what| ("deadline", what))?;
        if let Some(other) = self.hidden.iter().find(|bot| !self.panel.contains(bot)) {
            return Err(("hidden", format!("{other} is not in panel")));
        }
        if self.exam.number == 0 {
            return Err(("exam.number", "the first exam has number 1".to_owned()));
        }
        let due = self.panel.len() + 1;
        if !self.points.above.is_empty() && self.points.above.len() != due {
            let what = format!(
                "above has {} numbers; with a panel of {} it has {due}: for none of the panel, for its first bot, and so on",
                self.points.above.len(),
                self.panel.len()
            );
            return Err(("points.above", what));
        }
        Ok(())
    }

    /// Returns the points of a student who is surely above this number of bots of the panel.
    pub fn points_of(&self, passed: usize, late_days: u32) -> f64 {
        let earned = self.points.above.get(passed).copied().unwrap_or(passed as f64);
        (earned - self.points.late_day * f64::from(late_days)).max(0.0)
    }
}

/// Returns the settings' file of a class.
pub fn file_of(root: &Path) -> Spot {
    Spot::below(root, "class.toml")
}

/// Reads a date and time with a time zone; without one it is in UTC. The result is in UTC, as records have it.
///
/// # Errors
///
/// Says how it is written.
pub fn moment(text: &str) -> Result<String, String> {
    let how = |why: String| {
        format!(
            "{text:?} is not a date, a time and a time zone, such as \"2026-12-15 23:59 Europe/Berlin\": {why}"
        )
    };
    let (date, rest) =
        text.trim().split_once([' ', 'T']).ok_or_else(|| how("there is no time".to_owned()))?;
    let (time, zone) = rest.trim().split_once(' ').unwrap_or((rest, "UTC"));
    let local: DateTime =
        format!("{date}T{}", time.trim_end_matches('Z')).parse().map_err(|error| how(format!("{error}")))?;
    let zone = match zone.trim() {
        "UTC" | "Z" => TimeZone::UTC,
        name => TimeZone::get(name).map_err(|_| how(format!("no time zone {name}")))?,
    };
    let at = zone.to_timestamp(local).map_err(|error| how(format!("{error}")))?;
    Ok(at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string())
}
