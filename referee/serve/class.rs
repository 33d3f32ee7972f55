//! A class on the web: the roll on the host's page, and what a student sees.

use maud::{Markup, html};
use referee_contest::class::contests::name_of;
use referee_contest::class::roll::{Deadlines, Entry, Roll};
use referee_record::error::Error;
use referee_record::text::count;
use referee_report::pages::parts::{named, time};
use referee_report::tables::class::{self, why_nothing_counts};
use referee_statistics::exam::Tally;
use referee_table::clock;

use crate::index::Filter;
use crate::pages::table;
use crate::refusal::Refusal;
use crate::site::Served;

/// Shows who has nothing valid, and why; then what each student has handed in.
pub(crate) fn on_host_page(served: &Served, roll: &Roll) -> Markup {
    let without: Vec<&Entry> = roll.entries.iter().filter(|entry| entry.counts.is_none()).collect();
    html! {
        section {
            h2 { "Students without a bot that counts" }
            @if without.is_empty() { p { "None: each of the " (count(roll.entries.len() as u64, "account")) " has one." } }
            ul { @for entry in without { li { (named(&entry.people())) ": " (why_nothing_counts(entry)) } } }
        }
        section {
            h2 { "Students" }
            (table(served, "The versions that count", &class::roll(roll, None).in_full(), None))
            form method="post" action={ "/" (served.name) "/host" } { p {
                label for="student" { "Student: id, name or account" }
                input id="student" name="name" required maxlength="64" autocomplete="off" spellcheck="false";
                label for="later" { "Deadline of its own" }
                input id="later" name="until" required maxlength="64" placeholder=(roll.settings.deadline);
                button type="submit" name="act" value="extend-student" { "Extend" }
            } }
        }
    }
}

/// Gives a student a later deadline. Returns the event and its detail.
///
/// # Errors
///
/// If there is no such student, or the deadline is no later one.
pub(crate) fn extend(
    served: &Served,
    host: &str,
    name: &str,
    until: &str,
) -> Result<(&'static str, String), Refusal> {
    let refused = |error: Error| Refusal::from_error(error, |text| served.without_path(text));
    let roll = Roll::read(&served.root).map_err(refused)?;
    let entry = roll.find(name).map_err(refused)?;
    let deadline = entry.extend(&served.root, until, host).map_err(refused)?;
    Ok(("extended", format!("{} {deadline}", entry.account())))
}

/// Reads the roll, if the hill is that of a class.
///
/// # Errors
///
/// If a file of the class is damaged.
pub(crate) fn roll_of(served: &Served) -> Result<Option<Roll>, Error> {
    if Deadlines::is_at(&served.root) { Roll::read(&served.root).map(Some) } else { Ok(None) }
}

/// Shows students what counts, until when they can hand in, and what stands between them and the next bot of the panel;
/// nothing to others.
pub(crate) fn on_own_page(class: Option<&(Roll, Met)>, account: &str) -> Markup {
    let Some((roll, met)) = class else { return html! {} };
    let Some(entry) = roll.entries.iter().find(|entry| entry.account() == account) else {
        return html! {};
    };
    let is_late = roll.settings.late_days > 0;
    let now = clock::date();
    let is_open = entry.closes >= now;
    let days_now = roll.late_days(entry, &now);
    html! {
        section {
            h2 { "What counts" }
            @match &entry.counts {
                Some(counted) => p.lead { (named(&counted.bot.name)) " version " (counted.bot.version) ", which came " (time(&counted.received))
                    @if counted.late_days > 0 { ", " (count(counted.late_days.into(), "day")) " late" } "."
                    @if is_open { " A later version that is admitted takes its place"
                        @if days_now > 0 { ", though it is " (count(days_now.into(), "day")) " late" } "." } },
                None => p.lead { "Nothing yet: " (why_nothing_counts(entry)) "." },
            }
            p { "Your deadline: " (time(&entry.deadline)) "." @if is_late { " Late versions count until " (time(&entry.closes)) "." } }
        }
        @if entry.counts.is_some() { (against_panel(met)) }
    }
}

/// A student's practice: each bot of the panel that plays on the hill, with the games of the version that counts.
pub(crate) type Met = Vec<(String, Tally)>;

/// Maximum number of games with a bot of the panel that are counted: the last ones.
const MET_MAX: usize = 1_000;

/// Counts the games of the version of an account that counts with each bot of the panel, in all seasons.
///
/// # Errors
///
/// If the results cannot be read.
pub(crate) fn met_by(served: &Served, roll: &Roll, account: &str) -> Result<Met, Error> {
    let entry = roll.entries.iter().find(|entry| entry.account() == account);
    let Some(counted) = entry.and_then(|entry| entry.counts.as_ref()) else { return Ok(Vec::new()) };
    let panel = roll.settings.panel.iter().filter(|one| !roll.settings.hidden.contains(one));
    let tallies = panel.map(|one| {
        let name = name_of(one).to_owned();
        let filter = Filter {
            bot: Some(counted.bot.name.clone()),
            version: Some(counted.bot.version),
            opponent: Some(name.clone()),
            ..Filter::default()
        };
        let mut tally = Tally::default();
        for (_, game) in served.followed.index().find(&filter, MET_MAX)? {
            let place = |bot: &str| {
                game.seats.iter().filter(|seat| seat.bot == bot && seat.counts).map(|seat| seat.place).min()
            };
            if let (Some(own), Some(other)) = (place(&counted.bot.name), place(&name)) {
                tally.add_places(own as usize, other as usize);
            }
        }
        Ok((name, tally))
    });
    tallies.collect()
}

/// Shows how often a bot finished before each bot of the panel.
fn against_panel(met: &Met) -> Markup {
    let met: Vec<(&str, Option<(u64, f64)>)> = met
        .iter()
        .map(|(name, tally)| (&**name, tally.part().map(|part| (u64::from(tally.games()), part))))
        .collect();
    let next = met.iter().find(|(_, pair)| pair.is_none_or(|(_, before)| before <= 0.5));
    html! {
        section {
            h2 { "Practice against the panel" }
            ul { @for (name, pair) in &met { li { (named(name)) ": "
                @match pair {
                    Some((games, before)) => { "before it in " (format!("{:.0} %", before * 100.0)) " of " (count(*games, "game")) },
                    None => { "no game yet" },
                }
            } } }
            @match next {
                Some((name, _)) => p { "Next: finish before " (named(name)) " in more than half of the games." },
                None => p { "Your bot is ahead of each of them. The exam says whether that is sure." },
            }
        }
    }
}
