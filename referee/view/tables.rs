//! What follows from the results of a season or a tournament, as tables: the same for the terminal, for programs and for pages.

use serde_json::Value;

use super::sheet::{Sheet, rounded};
use crate::record::BotName;
use crate::rules::FaultKind;
use crate::schedule::format::Cup;
use crate::statistics::fairness::{self, Finding};
use crate::statistics::rating::Ratings;
use crate::statistics::season::SeasonAccount;
use crate::statistics::standings::Standing;
use crate::tournament::fixture::game_id;
use crate::tournament::overall::{Account, Overall};
use crate::tournament::plan::Contents;

/// The standings of a season, best first, as these lines have them. `retired` tells who plays no more.
pub fn standings_of(
    season: &SeasonAccount,
    lines: &[Standing],
    ratings: &Ratings,
    retired: impl Fn(&BotName) -> bool,
) -> Sheet {
    let kinds = FaultKind::ALL.map(FaultKind::name);
    let has_points = lines.iter().any(|line| line.points.is_some());
    let mut columns = vec!["place", "ranks", "bot", "version"];
    columns.extend(has_points.then_some("points"));
    columns.extend(["mean_share", "mean_low", "mean_high"]);
    columns.extend(["mean_error", "mean_score", "win_share", "rating", "rating_sd", "games"]);
    columns.extend(kinds);
    columns.extend(["p99_ms", "max_ms"]);
    let mut sheet = Sheet::new(columns);
    for standing in lines {
        let gone = if retired(&standing.bot) { " (retired)" } else { "" };
        let mut values = vec![
            Value::from(standing.place),
            season.ranks(&standing.bot).map_or(Value::Null, range),
            Value::from(format!("{}{gone}", standing.bot.name)),
            Value::from(standing.bot.version),
        ];
        values.extend(has_points.then(|| standing.points.map_or(Value::Null, Value::from)));
        values.extend(numbers(season, ratings, standing));
        values.push(Value::from(standing.games));
        values.extend(standing.faults.map(Value::from));
        values.extend([standing.p99_us, standing.max_us].map(|time| rounded(time as f64 / 1000.0, 3)));
        sheet.row(values);
    }
    sheet.drop_zeros(&kinds);
    sheet
}

fn numbers(season: &SeasonAccount, ratings: &Ratings, standing: &Standing) -> [Value; 8] {
    // All that a share can be is nothing known: too few rounds.
    let mean = season.mean(&standing.bot).filter(|mean| mean.lower > 0.0 || mean.upper < 1.0);
    let rating = ratings.of(&standing.bot.digest);
    [
        rounded(standing.mean_share, 4),
        // Bounds lie on marks of half a thousandth: no digit is lost.
        mean.map_or(Value::Null, |mean| rounded(mean.lower, 4)),
        mean.map_or(Value::Null, |mean| rounded(mean.upper, 4)),
        season.standard_error(&standing.bot).map_or(Value::Null, |error| rounded(error, 4)),
        rounded(standing.mean_score, 2),
        rounded(standing.win_share, 3),
        rating.map_or(Value::Null, |rating| rounded(rating.rating, 2)),
        rating.map_or(Value::Null, |rating| rounded(rating.uncertainty, 2)),
    ]
}

/// Writes places as `1-3`, or as `2` where there is but one.
pub fn range((first, last): (usize, usize)) -> Value {
    Value::from(if first == last { first.to_string() } else { format!("{first}-{last}") })
}

/// Who scores how much in whose company.
pub fn pairs_of(season: &SeasonAccount) -> Sheet {
    let columns = ["bot", "version", "company", "company_version", "games", "mean_share"];
    let mut sheet = Sheet::new(columns.into_iter().chain(["difference_low", "difference_high"]));
    for pair in season.pairs.pairs() {
        // Of the mean shares of the whole season, not of these games alone.
        let difference = season.difference(&pair.bot, &pair.company);
        sheet.row(vec![
            Value::from(pair.bot.name),
            Value::from(pair.bot.version),
            Value::from(pair.company.name),
            Value::from(pair.company.version),
            Value::from(pair.games),
            rounded(pair.mean_share, 4),
            difference.map_or(Value::Null, |difference| rounded(difference.lower, 4)),
            difference.map_or(Value::Null, |difference| rounded(difference.upper, 4)),
        ]);
    }
    sheet
}

/// The standings over all sub-tournaments, with the mean share in each; of a single one, how sure that is.
pub fn overall_of(account: &Account, overall: &Overall) -> Sheet {
    let kinds = FaultKind::ALL.map(FaultKind::name);
    let single = match &account.sets[..] {
        [set] => Some(set),
        _ => None,
    };
    let sure = single.filter(|set| set.says_how_sure());
    let has_points = overall.total.iter().any(|total| total.points.is_some());
    let mut columns: Vec<String> = ["place", "bot", "games"].map(str::to_owned).to_vec();
    columns.extend(has_points.then(|| "points".to_owned()));
    columns.push("mean_share".to_owned());
    if sure.is_some() {
        columns.extend(["ranks", "mean_low", "mean_high"].map(str::to_owned));
    }
    match single {
        Some(_) => columns.extend(["mean_score", "win_share"].map(str::to_owned)),
        None => columns.extend((1..=account.sets.len()).map(|set| format!("share_{set}"))),
    }
    columns.extend(["rating", "rating_sd"].map(str::to_owned));
    columns.extend(kinds.map(str::to_owned));
    let mut sheet = Sheet::new(columns);
    for total in &overall.total {
        let lines: Vec<_> =
            overall.sets.iter().map(|lines| lines.iter().find(|line| line.bot.name == total.bot)).collect();
        let bot = lines.iter().flatten().map(|line| &line.bot).next();
        let mut values =
            vec![Value::from(total.place), Value::from(total.bot.clone()), Value::from(total.games)];
        values.extend(has_points.then(|| total.points.map_or(Value::Null, Value::from)));
        values.push(rounded(total.mean_share, 6));
        if let (Some(set), Some(bot)) = (sure, bot) {
            values.extend(how_sure(set, bot));
        }
        match (single, lines[0]) {
            (Some(_), Some(line)) => values.extend([rounded(line.mean_score, 4), rounded(line.win_share, 4)]),
            _ => values.extend(
                lines.iter().map(|line| line.map_or(Value::Null, |line| rounded(line.mean_share, 6))),
            ),
        }
        let rating = bot.and_then(|bot| account.ratings.of(&bot.digest));
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
        set.ranks(bot).map_or(Value::Null, range),
        mean.map_or(Value::Null, |mean| rounded(mean.lower, 4)),
        mean.map_or(Value::Null, |mean| rounded(mean.upper, 4)),
    ]
}

/// The matches of a cup, in the order of the schedule: who won how many games, the sums of shares, and the winner.
pub fn matches_of(cup: &Cup, names: &[&str]) -> Sheet {
    let columns = ["match", "first", "second", "won", "lost", "level", "first_shares", "second_shares"];
    let mut sheet = Sheet::new(columns.into_iter().chain(["winner", "first_game", "games_to_play"]));
    let name = |entrant: usize| Value::from(names.get(entrant).copied().unwrap_or("?"));
    for line in &cup.matches {
        let ((won, lost, level), (one, other)) = (line.wins(), line.shares());
        let open = line.games.iter().filter(|game| game.shares.is_none()).count();
        sheet.row(vec![
            Value::from(line.name.clone()),
            name(line.pair.0),
            name(line.pair.1),
            Value::from(won),
            Value::from(lost),
            Value::from(level),
            rounded(one, 6),
            rounded(other, 6),
            line.winner.map_or(Value::Null, name),
            line.games.first().map_or(Value::Null, |game| Value::from(game_id(game.scheduled))),
            Value::from(open),
        ]);
    }
    sheet.drop_zeros(&["games_to_play"]);
    sheet
}

/// How often each bot played, sat in a seat and met another.
pub fn bots_of(season: &SeasonAccount) -> Sheet {
    let columns = ["bot", "version", "games", "blocks", "games_in_a_seat", "meetings_with_a_bot"];
    let mut sheet = Sheet::new(columns);
    let range = |(least, most): (u64, u64)| range((least as usize, most as usize));
    for bot in season.fairness.bots() {
        sheet.row(vec![
            Value::from(bot.bot.name),
            Value::from(bot.bot.version),
            Value::from(bot.games),
            Value::from(bot.blocks),
            range(bot.games_by_seat),
            range(bot.meetings),
        ]);
    }
    sheet
}

/// What came of each seat.
pub fn seats_of(season: &SeasonAccount) -> Sheet {
    let mut sheet = Sheet::new(["seat", "games", "mean_share", "faults", "games_with_faults"]);
    for seat in season.fairness.seats() {
        sheet.row(vec![
            Value::from(seat.seat),
            Value::from(seat.games),
            rounded(seat.mean_share, 4),
            Value::from(seat.faults),
            Value::from(seat.games_with_faults),
        ]);
    }
    sheet
}

/// What was asked about fairness, and what was found.
pub fn findings_of(findings: &[Finding]) -> Sheet {
    let mut sheet = Sheet::new(["question", "found", "p_value", "sign_of_unfairness"]);
    for finding in findings {
        sheet.row(vec![
            Value::from(finding.question),
            Value::from(finding.found.clone()),
            finding.p_value.map_or(Value::Null, |p| rounded(p, 4)),
            Value::from(if finding.suspicious { "yes" } else { "no" }),
        ]);
    }
    sheet
}

/// Says in a line whether there is a sign of unfairness.
pub fn summary(findings: &[Finding]) -> String {
    let tested = findings.iter().filter_map(|finding| Some((finding.question, finding.p_value?)));
    let values: Vec<String> = tested.map(|(question, p)| format!("{question}: p = {p:.4}")).collect();
    let values = if values.is_empty() { "too few rounds for a test".to_owned() } else { values.join(", ") };
    let signs = findings.iter().filter(|finding| finding.suspicious).count();
    match signs {
        0 => format!("no sign of unfairness ({values})"),
        _ => format!("signs of unfairness: {signs} ({values}; suspicious below {})", fairness::SUSPICIOUS),
    }
}

/// Says in which parameters a sub-tournament differs from others.
pub fn name_of_set(contents: &Contents, set: &toml::Table) -> String {
    let differs = |name: &&String| contents.set.iter().any(|other| other.get(*name) != set.get(*name));
    let named: Vec<String> =
        set.keys().filter(differs).map(|name| format!("{name} = {}", set[name])).collect();
    named.join(", ")
}
