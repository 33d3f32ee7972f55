//! `referee tournament standings` and `fairness`: tables of what was played.

use std::path::PathBuf;

use anyhow::Context;
use clap::Args;
use referee::record::BotName;
use referee::rules::FaultKind;
use referee::tournament::merge::merged_of;
use referee::tournament::overall::{Account, Overall};
use referee::tournament::plan::{self, Next, Plan};
use referee::tournament::season::SeasonAccount;
use serde_json::Value;

use super::{Format, plan_error};
use crate::cli::sheet::{Sheet, rounded};
use crate::cli::standings::{pairs_of, print_fairness, standings_of};
use crate::cli::{note, say};

#[derive(Debug, Args)]
pub(in crate::cli) struct Standings {
    #[command(flatten)]
    which: Which,
    /// Those of one sub-tournament, from 1: with places, intervals, scores
    #[arg(long, value_name = "N")]
    set: Option<usize>,
    /// Instead: who scores how much in whose company, in one sub-tournament
    #[arg(long)]
    pairs: bool,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct Fairness {
    #[command(flatten)]
    which: Which,
    /// That of another sub-tournament than the first
    #[arg(long, value_name = "N")]
    set: Option<usize>,
}

/// Which tournament, and how it is printed.
#[derive(Debug, Args)]
struct Which {
    /// The tournament's folder
    #[arg(long, value_name = "T")]
    dir: PathBuf,
    /// How it is printed
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

impl Standings {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let plan = plan::open(&self.which.dir).map_err(plan_error)?;
        if self.set.is_none() && !self.pairs {
            return print_standings(&plan, self.which.format);
        }
        let account = Account::read(&plan).map_err(plan_error)?;
        let set = set_of(&account, self.set)?;
        let sheet = if self.pairs {
            pairs_of(set)
        } else {
            final_note(&plan, &account, &mut account.standings())?;
            standings_of(set, &account.ratings, |_: &BotName| false)
        };
        sheet.print(self.which.format)
    }
}

impl Fairness {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let plan = plan::open(&self.which.dir).map_err(plan_error)?;
        let account = Account::read(&plan).map_err(plan_error)?;
        print_fairness(set_of(&account, self.set)?, None, self.which.format)
    }
}

fn set_of(account: &Account, set: Option<usize>) -> anyhow::Result<&SeasonAccount> {
    let found = set.unwrap_or(1).checked_sub(1).and_then(|index| account.sets.get(index));
    found.with_context(|| format!("there are sub-tournaments 1 to {}", account.sets.len()))
}

/// Prints the standings over all sub-tournaments, with the mean share in each; of a single one, how sure that is.
pub(super) fn print_standings(plan: &Plan, format: Format) -> anyhow::Result<()> {
    let account = Account::read(plan).map_err(plan_error)?;
    let mut overall = account.standings();
    final_note(plan, &account, &mut overall)?;
    sheet_of(plan, &account, &overall).print(format)?;
    if plan.sets.len() > 1 && format == Format::Table {
        for (set, number) in plan.contents.set.iter().zip(1..) {
            let differs =
                |name: &&String| plan.contents.set.iter().any(|other| other.get(*name) != set.get(*name));
            let named: Vec<String> =
                set.keys().filter(differs).map(|name| format!("{name} = {}", set[name])).collect();
            say(format!("  share_{number}: {}", named.join(", ")));
        }
    }
    Ok(())
}

fn sheet_of(plan: &Plan, account: &Account, overall: &Overall) -> Sheet {
    let kinds = FaultKind::ALL.map(FaultKind::name);
    let single = match &account.sets[..] {
        [set] => Some(set),
        _ => None,
    };
    let sure = single.filter(|set| set.says_how_sure());
    let mut columns: Vec<String> = ["place", "bot", "games", "mean_share"].map(str::to_owned).to_vec();
    if sure.is_some() {
        columns.extend(["ranks", "mean_low", "mean_high"].map(str::to_owned));
    }
    match single {
        Some(_) => columns.extend(["mean_score", "win_share"].map(str::to_owned)),
        None => columns.extend((1..=plan.sets.len()).map(|set| format!("share_{set}"))),
    }
    columns.extend(["rating", "rating_sd"].map(str::to_owned));
    columns.extend(kinds.map(str::to_owned));
    let mut sheet = Sheet::new(columns);
    for total in &overall.total {
        let lines: Vec<_> =
            overall.sets.iter().map(|lines| lines.iter().find(|line| line.bot.name == total.bot)).collect();
        let bot = lines.iter().flatten().map(|line| &line.bot).next();
        let mut values = vec![
            Value::from(total.place),
            Value::from(total.bot.clone()),
            Value::from(total.games),
            rounded(total.mean_share, 6),
        ];
        if let (Some(set), Some(bot)) = (sure, bot) {
            values.extend(how_sure(set, bot));
        }
        match (single, lines[0]) {
            (Some(_), Some(line)) => values.extend([rounded(line.mean_score, 4), rounded(line.win_share, 4)]),
            _ => values.extend(
                lines.iter().map(|line| line.map_or(Value::Null, |line| rounded(line.mean_share, 6))),
            ),
        }
        let rating = bot.map(|bot| account.ratings.of(&bot.digest));
        values.extend([
            rating.map_or(Value::Null, |rating| rounded(rating.rating, 2)),
            rating.map_or(Value::Null, |rating| rounded(rating.uncertainty, 2)),
        ]);
        values.extend(FaultKind::ALL.iter().map(|kind| {
            let faults = lines.iter().flatten().map(|line| line.faults[*kind as usize]);
            Value::from(faults.sum::<u64>())
        }));
        sheet.row(values);
    }
    sheet.drop_zeros(&kinds);
    sheet
}

/// Ranks, and the bounds of the mean share.
fn how_sure(set: &SeasonAccount, bot: &BotName) -> [Value; 3] {
    let mean = set.mean(bot);
    [
        set.ranks(bot).map_or(Value::Null, crate::cli::standings::range),
        mean.map_or(Value::Null, |mean| rounded(mean.lower, 4)),
        mean.map_or(Value::Null, |mean| rounded(mean.upper, 4)),
    ]
}

/// Says whether these are the final standings, and why it is over; then puts the bots in the order of the format.
fn final_note(plan: &Plan, account: &Account, overall: &mut Overall) -> anyhow::Result<()> {
    if account.is_partial || !merged_of(plan).exists() {
        note("not all is played and merged: these are no final standings");
        return Ok(());
    }
    match plan::following(plan).map_err(plan_error)? {
        Next::Round(_) => note("there are rounds to come: these are no final standings"),
        Next::Over(rankings) => {
            let names: Vec<&str> = plan.entrants.iter().map(|bot| &*bot.name.name).collect();
            overall.rank(&rankings, &names);
            for (ranking, set) in rankings.iter().zip(1..) {
                let of_set =
                    if rankings.len() > 1 { format!("sub-tournament {set}: ") } else { String::new() };
                note(format!("{of_set}{}", ranking.reason));
            }
        }
    }
    Ok(())
}
