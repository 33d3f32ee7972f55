//! `referee check`: tests of a bot, for its author.

use std::collections::BTreeSet;

use clap::Args;
use referee_files::work;
use referee_games::catalog::{self, Entry};
use referee_record::error::{Error, ErrorKind};
use referee_record::text::{self, count};
use referee_rules::Parameters;
use referee_table::examine::{Examined, Grade, Mistake, Reader, Step, Subject, examine};
use serde_json::{Value, json};

use crate::context::Context;
use crate::host::{BotOptions, note_passed_over};
use crate::out::say_as_it_is;
use crate::sheet::{Audience, Cells, Format, Print, Printed, Sheet};
use crate::{built, note, say};

/// Test a bot in friendly and unfriendly ways, and name its mistakes and their fixes.
#[derive(Debug, Args)]
pub(super) struct Check {
    /// The program, or its source, or a house bot's name
    bot: String,
    /// The game that it plays
    #[arg(long, value_name = "GAME")]
    game: String,
    /// Set a parameter of the game: name=value; see `referee play GAME --help`
    #[arg(long = "set", value_name = "NAME=VALUE")]
    settings: Vec<String>,
    #[command(flatten)]
    bots: BotOptions,
    #[command(flatten)]
    printed: Printed,
}

impl Check {
    pub(super) fn run(self, context: &Context) -> anyhow::Result<()> {
        let entry = catalog::find(&self.game).map_err(|error| Error::input(error.to_string()))?;
        let parameters = parameters(entry, &self.settings)?;
        let ready = built::find(context, entry, &self.bot)?;
        let program = self.bots.permit(ready.entrant.program);
        let setup = self.bots.setup(context)?;
        note_passed_over(&setup, std::iter::once(&program));
        let subject = Subject { entry, parameters, program: &program, setup: &setup };
        let reader = Reader::Here(entry.name);
        let examined = examine(&subject, |step| match step {
            Step::Test(test) => note(format!("{test} ...")),
            Step::Question => work::question_put(),
        })?;
        match self.printed.format {
            Format::Json => {
                say_as_it_is(text::visible_json(&serde_json::to_string_pretty(&json_of(&examined, reader))?))
            }
            _ => sheet_of(&examined, reader).print(self.printed)?,
        }
        if self.printed.format == Format::Table {
            say_cures(&examined, reader);
            say_errors(&examined);
            say(times_of(&examined));
        }
        let failed = examined.findings.iter().filter(|finding| finding.grade == Grade::Failed).count();
        if failed > 0 {
            return Err(Error::new(
                ErrorKind::Failed,
                format!("{}: {failed} of {} failed", self.bot, count(examined.findings.len() as u64, "test")),
            )
            .into());
        }
        if self.printed.format == Format::Table {
            say(format!("{} can play {}.", self.bot, entry.name));
        }
        Ok(())
    }
}

/// Returns the parameters of a game with settings such as `turn_ms=50`.
pub(super) fn parameters(entry: &Entry, settings: &[String]) -> anyhow::Result<Parameters> {
    let mut parameters = Parameters::defaults(entry.parameters);
    for setting in settings {
        let (name, value) = setting.split_once('=').ok_or_else(|| {
            Error::input(format!("--set {setting}: not NAME=VALUE, as in --set turn_ms=50"))
        })?;
        parameters
            .set_text(name, value)
            .map_err(|error| Error::input(format!("--set {setting}: {error}")))?;
    }
    Ok(parameters)
}

/// Makes the table of findings. The cures are a column for programs only: people read them below the table.
fn sheet_of(examined: &Examined, reader: Reader<'_>) -> Sheet {
    let mut sheet = Sheet::new(["test", "grade", "mistake", "what was seen", "what helps"])
        .audience(Audience::Programs, &["what helps"])
        .cells(Cells::Prose, &["test", "mistake", "what was seen"])
        .cells(Cells::Grade, &["grade"]);
    for finding in &examined.findings {
        sheet.row(vec![
            finding.test.into(),
            finding.grade.name().into(),
            finding.mistake().map_or("", Mistake::name).into(),
            Value::from(finding.what.as_str()),
            finding.cause.as_ref().map_or(String::new(), |cause| cause.cure(reader)).into(),
        ]);
    }
    sheet
}

fn say_cures(examined: &Examined, reader: Reader<'_>) {
    let causes = examined.findings.iter().filter_map(|finding| finding.cause.as_ref());
    let causes: BTreeSet<(Mistake, &str, String)> =
        causes.map(|cause| (cause.mistake, &*cause.what, cause.cure(reader))).collect();
    for (mistake, what, cure) in causes {
        say(format!("{}: {what}.\n    Fix: {cure}.", mistake.name()));
    }
}

/// Shows the last lines on standard error of the first test that failed and has some.
fn say_errors(examined: &Examined) {
    let failed = examined.findings.iter().filter(|finding| finding.grade == Grade::Failed);
    let Some(finding) = failed.into_iter().find(|finding| !finding.errors.is_empty()) else { return };
    let lines: Vec<String> =
        finding.errors.iter().map(|line| format!("    {}", text::visible_line(line))).collect();
    say(format!("Last on standard error ({}):\n{}", finding.test, lines.join("\n")));
}

/// Limits for which the number of late answers is estimated.
const LIMITS_MS: [u64; 6] = [5, 10, 20, 50, 100, 500];

/// Returns the minimum and the maximum part of answers that would have been late under a limit, in percent. The length
/// of the answers that were cut off is unknown.
fn late_percent(examined: &Examined, limit_ms: u64) -> (f64, f64) {
    let late = examined.times.iter().filter(|time| time.as_secs_f64() * 1000.0 > limit_ms as f64).count();
    let percent = |count: usize| 100.0 * count as f64 / examined.times.len().max(1) as f64;
    (percent(late), percent(late.max(examined.cut_off)))
}

/// Returns the time within which this part of the answers came. The times are in order.
fn quantile_ms(examined: &Examined, part: f64) -> f64 {
    let index = (examined.times.len() as f64 * part) as usize;
    examined.times.get(index).or(examined.times.last()).map_or(0.0, |time| time.as_secs_f64() * 1000.0)
}

fn times_of(examined: &Examined) -> String {
    if examined.times.is_empty() {
        return "No time was measured.".to_owned();
    }
    const PARTS: [f64; 3] = [0.5, 0.99, 1.0];
    let [median, p99, max] = PARTS.map(|part| quantile_ms(examined, part));
    if examined.is_guest {
        let [median, p99, max] = [median, p99, max].map(|ms| ms * 1000.0);
        return format!(
            "Units of {}, in thousands: median {median:.0}, 99 % within {p99:.0}, most {max:.0}; the limit is {}.\n\
             They are the same on every machine.",
            count(examined.times.len() as u64, "answer"),
            examined.limit.as_micros()
        );
    }
    let late = LIMITS_MS.map(|limit| match late_percent(examined, limit) {
        (min, max) if min < max => format!("{min:.1} to {max:.1} % at {limit} ms"),
        (min, _) => format!("{min:.1} % at {limit} ms"),
    });
    // Answers that were cut off are the last ones.
    let all = examined.times.len();
    let is_cut_off = |part: f64| ((all as f64 * part) as usize).min(all - 1) + examined.cut_off >= all;
    let [before_median, before_p99, before_max] =
        PARTS.map(|part| if is_cut_off(part) { "more than " } else { "" });
    format!(
        "Times of {}: median {before_median}{median:.3} ms, 99 % within {before_p99}{p99:.3} ms, longest \
         {before_max}{max:.3} ms; the limit is {} ms.\n\
         Late answers on this machine, by limit: {}.",
        count(all as u64, "answer"),
        examined.limit.as_millis(),
        late.join(", ")
    )
}

fn json_of(examined: &Examined, reader: Reader<'_>) -> Value {
    let findings = examined.findings.iter().map(|finding| {
        json!({
            "test": finding.test,
            "grade": finding.grade.name(),
            "mistake": finding.mistake().map(Mistake::name),
            "what": finding.what,
            "standard_error": finding.errors,
            "cure": finding.cause.as_ref().map(|cause| cause.cure(reader)),
        })
    });
    let missed = LIMITS_MS.map(|limit| {
        let (min, max) = late_percent(examined, limit);
        json!({ "limit_ms": limit, "percent": min, "percent_at_most": max })
    });
    json!({
        "findings": findings.collect::<Vec<_>>(),
        "answers": examined.times.len(),
        "cut_off": examined.cut_off,
        "limit_ms": examined.limit.as_millis() as u64,
        "p50_ms": quantile_ms(examined, 0.5),
        "p99_ms": quantile_ms(examined, 0.99),
        "max_ms": quantile_ms(examined, 1.0),
        "missed": missed.to_vec(),
    })
}
