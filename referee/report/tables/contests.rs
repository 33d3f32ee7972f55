//! The tables of a season or a tournament, for the terminal, for programs and for pages.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::tables::measure::Measure;
use crate::tables::sheet::{Audience, Cells, Sheet, range, rounded, share};
use crate::tables::standing::{PairRow, Standings};
use referee_contest::fixture::game_id;
use referee_contest::hill::Hill;
use referee_contest::overall::TournamentAccount;
use referee_contest::plan::Contents;
use referee_contest::verdicts;
use referee_record::BotName;
use referee_record::error::Error;
use referee_statistics::affinity::Affinity;
use referee_statistics::fairness::{self, FairnessFinding};
use referee_statistics::rank_by::RankBy;
use referee_statistics::schedule::format::{Cup, CupMatch, Decided, Format};
use referee_statistics::season::{SeasonAccount, Surety};
use referee_statistics::stop_rule::{StopRule, Until};
use referee_statistics::verdict::VerdictRow;

/// Says how the standings of a season are to be read: which column decides, and how sure that is.
pub fn legend(season: &SeasonAccount, standings: &Standings) -> String {
    legend_as("season", season, standings)
}

/// Returns the legend of a season. `word` is what it is called: season or tournament.
fn legend_as(word: &str, season: &SeasonAccount, standings: &Standings) -> String {
    let rule = season.race.rule();
    let decides = match standings.scale().0 {
        Measure::Points(max) => {
            format!("mean_points, a bot's mean points of the {max} in a game, decides the place")
        }
        Measure::Wins => {
            "won_percent, the part of its games that a bot has won, decides the place".to_owned()
        }
        Measure::Shares => "mean_share decides the place".to_owned(),
    };
    let mut legend =
        decides + &end_of_mean_sentence(rule.rank_by) + &sureness(season) + &end_of_ranked(word, &rule);
    let sitting_out: Vec<&str> = season.sits_out().map(|bot| &*bot.name).collect();
    match &sitting_out[..] {
        [] => {}
        [one] => legend += &format!(" {one} sits out: each of its pairs is decided. It only fills tables."),
        names => {
            let names = names.join(", ");
            legend += &format!(" Bots of which each pair is decided sit out, and only fill tables: {names}.");
        }
    }
    match season.carried() {
        0 => {}
        1 => legend += " One game of earlier seasons counts, too: its bots have not changed.",
        games => {
            legend += &format!(" {games} games of earlier seasons count, too: their bots have not changed.");
        }
    }
    legend
}

/// Returns the end of a sentence about the mean share: of what it is the mean, if that is not the usual.
fn end_of_mean_sentence(rank_by: RankBy) -> String {
    match rank_by.meaning() {
        Some(meaning) => format!(": it is the mean of {meaning}."),
        None => ".".to_owned(),
    }
}

/// Says when a season ends that is played until it is ranked, and what a place is then; empty for other seasons.
fn end_of_ranked(word: &str, rule: &StopRule) -> String {
    let StopRule { until: Until::Ranked, epsilon, .. } = rule else { return String::new() };
    format!(
        " The {word} ends when it is ranked: of each two bots it is then known which is better, or that they differ by no \
         more than {epsilon}. A place is then 1 and the number of bots that are known to be better."
    )
}

/// Says how sure intervals and likely places are; empty if there are none.
fn sureness(season: &SeasonAccount) -> String {
    let percent = rounded(100.0 * season.confidence(), 2).as_f64().unwrap_or_default();
    let likely = "likely: the places that a bot has in 80 % of resamplings of the";
    let what = format!("With {percent} % confidence all intervals contain the true means");
    match season.surety() {
        Surety::Always => format!(" {likely} rounds. {what}."),
        Surety::Once => format!(" {likely} results. {what}, after the last game."),
        Surety::None => String::new(),
    }
}

/// Says how the standings of a tournament in this format are to be read.
pub fn legend_of(account: &TournamentAccount, standings: &Standings, format: &Format) -> String {
    match &account.sets[..] {
        [set] => legend_of_set(set, standings, format),
        _ => {
            let end = end_of_mean_sentence(format.rank_by());
            format!("mean_share, the mean over the sub-tournaments, decides the place{end}")
        }
    }
}

/// Says how the standings of a sub-tournament are to be read.
pub fn legend_of_set(set: &SeasonAccount, standings: &Standings, format: &Format) -> String {
    let mean = standings.scale().0.column().unwrap_or("mean_share");
    let what = match format.name() {
        "knockout" | "comfoosball" => format!("The matches decide the place, not {mean}"),
        "swiss" => format!(
            "points decide the place: 2 for a match that is won, 1 for one that is level; then the points of the \
             opponents, then {mean}"
        ),
        _ => return legend_as("tournament", set, standings),
    };
    format!("{what}.{}", sureness(set))
}

/// Returns a verdict as JSON.
pub fn verdict_json(row: &VerdictRow) -> Value {
    let kings = row.kings.0.iter().map(|(name, version)| json!({ "bot": name, "version": version }));
    let ranking = row
        .ranking
        .0
        .iter()
        .map(|(place, name, version)| json!({ "place": place, "bot": name, "version": version }));
    json!({
        "verdict": row.verdict.name(),
        "kings": kings.collect::<Vec<Value>>(),
        "ranking": ranking.collect::<Vec<Value>>(),
        "round": row.round,
    })
}

/// Returns how far the proof of a season is, as JSON; null if there is no proof.
pub fn evidence_json(season: &SeasonAccount) -> Value {
    if let Some(bots) = season.race.drift()
        && season.has_intervals()
    {
        let names: Vec<&str> = bots.iter().map(|bot| &*season.field.bots()[*bot].name).collect();
        return json!({ "drift": names });
    }
    let Some(proof) = season.proof() else { return Value::Null };
    json!({
        "leader": proof.leader,
        "rival": proof.rival,
        "odds": rounded(proof.odds, 3),
        "needed": rounded(proof.needed, 3),
        "open": proof.open,
        "done": proof.done,
        "open_pairs": proof.pairs.map(|(open, _)| open),
        "pairs": proof.pairs.map(|(_, all)| all),
        "games_left": proof.games,
        "games_left_least": proof.games_range.0,
        "games_left_most": proof.games_range.1,
        "joint_open_pairs": proof.joint.map(|joint| joint.open),
        "joint_pairs": proof.joint.map(|joint| joint.pairs),
        "joint_games_left": proof.joint.map(|joint| joint.games),
    })
}

/// How often each bot finished before each opponent: the part of their games, ties half. Bots are rows and opponents
/// are columns, both in the order of the standings. The columns have the numbers of the rows.
pub fn matrix_of(season: &SeasonAccount) -> Sheet {
    let standings = season.sums.standings();
    let bots: Vec<&BotName> = standings.iter().map(|standing| &standing.bot).collect();
    let numbers: Vec<String> = (1..=bots.len()).map(|number| number.to_string()).collect();
    let mut sheet = Sheet::new(["against", "bot"].map(str::to_owned).into_iter().chain(numbers));
    let name = |bot: &BotName| (bot.name.clone(), bot.version);
    let parts: BTreeMap<_, f64> =
        season.pairs.pairs().map(|pair| ((name(&pair.bot), name(&pair.company)), pair.before)).collect();
    for (bot, number) in bots.iter().zip(1..) {
        let part_before = |other: &&BotName| {
            parts.get(&(name(bot), name(other))).map_or(Value::Null, |part| rounded(*part, 2))
        };
        let head = [Value::from(number), Value::from(bot.name.as_str())];
        sheet.row(head.into_iter().chain(bots.iter().map(part_before)).collect());
    }
    sheet
}

/// Each bot against each opponent, a row for each pair: its mean share in their games, the difference of the two over
/// the season, and how often it finished before the other.
pub fn pairs_of(season: &SeasonAccount) -> Sheet {
    let columns = ["bot", "version", "company", "company_version", "games", "mean_share"];
    let mut sheet = Sheet::new(columns.into_iter().chain(["difference_low", "difference_high", "before"]));
    sheet = sheet.about("season", season.number);
    for pair in PairRow::of_season(season) {
        let bound = |end: fn((f64, f64)) -> f64| pair.difference.map_or(Value::Null, |both| share(end(both)));
        let (low, high) = (bound(|both| both.0), bound(|both| both.1));
        sheet.row(vec![
            Value::from(pair.bot.name),
            Value::from(pair.bot.version),
            Value::from(pair.company.name),
            Value::from(pair.company.version),
            Value::from(pair.games),
            share(pair.mean_share),
            low,
            high,
            share(pair.before),
        ]);
    }
    sheet
}

/// The matches of a cup, in the order of the schedule: won games, sums of shares, the winner, and what decided the
/// match. A bye has a row, too.
pub fn matches_of(cup: &Cup, names: &[&str]) -> Sheet {
    let columns = ["match", "first", "second", "won", "lost", "level", "first_shares", "second_shares"];
    let more = ["winner", "decided_by", "first_game", "games_to_play", "round", "table"];
    let mut sheet = Sheet::new(columns.into_iter().chain(more))
        .cells(Cells::Bots, &["first", "second", "winner"])
        .audience(Audience::Programs, &["round", "table"]);
    let first_of = |cup_match: &CupMatch| cup_match.games.first().map(|game| game.scheduled);
    let name = |entrant: usize| Value::from(names.get(entrant).copied().unwrap_or("?"));
    let mut byes = cup.byes.iter().peekable();
    for (number, cup_match) in (1..).zip(&cup.matches) {
        let ((won, lost, level), (one, other)) = (cup_match.wins(), cup_match.share_sums());
        let open = cup_match.games.iter().filter(|game| game.share_micros.is_none()).count();
        sheet.row(vec![
            Value::from(cup_match.name.clone()),
            name(cup_match.pair.0),
            name(cup_match.pair.1),
            Value::from(won),
            Value::from(lost),
            Value::from(level),
            rounded(one, 6),
            rounded(other, 6),
            cup_match.winner.map_or(Value::Null, name),
            cup.decided_by(cup_match).map_or(Value::Null, |decided| Value::from(decided.name())),
            cup_match.games.first().map_or(Value::Null, |game| Value::from(game_id(game.scheduled))),
            Value::from(open),
            first_of(cup_match).map_or(Value::Null, |place| Value::from(place.round)),
            first_of(cup_match).map_or(Value::Null, |place| Value::from(place.table)),
        ]);
        while let Some(bye) = byes.next_if(|bye| bye.matches <= number) {
            let mut row = vec![Value::from(bye.round.clone()), name(bye.entrant), Value::from("bye")];
            row.extend([Value::Null, Value::Null, Value::Null, Value::Null, Value::Null]);
            row.extend([name(bye.entrant), Value::from(Decided::Bye.name()), Value::Null, Value::from(0)]);
            row.extend([
                first_of(cup_match).map_or(Value::Null, |place| Value::from(place.round)),
                Value::Null,
            ]);
            sheet.row(row);
        }
    }
    sheet.drop_zeros(&["games_to_play"]);
    sheet
}

/// The state of many hills, a row for each: leader, number of the leader's games, rounds and games of the season, last
/// verdict.
pub fn hills_of(hills: &[Hill]) -> Result<Sheet, Error> {
    let columns = ["hill", "game", "bots", "season", "rounds", "season_games", "leader", "games", "verdict"];
    let of_programs = ["leader_version", "verdict_kind", "verdict_round", "title"];
    let mut sheet = Sheet::new(columns.into_iter().chain(of_programs))
        .cells(Cells::Prose, &["verdict"])
        .cells(Cells::Bots, &["leader"])
        .audience(Audience::Programs, &of_programs);
    for hill in hills {
        let account = hill.account(None, StopRule::default())?;
        let standings = account.as_ref().map(|(season, _)| season.sums.standings()).unwrap_or_default();
        let season = account.as_ref().map(|(season, _)| season.number);
        let verdict = verdicts::read(hill.root())?.into_iter().rfind(|row| Some(row.season) == season);
        sheet.row(vec![
            Value::from(hill.root().display().to_string()),
            Value::from(hill.entry().name),
            Value::from(hill.entrants()?.field().len()),
            season.map_or(Value::Null, Value::from),
            account.as_ref().map_or(Value::Null, |(season, _)| Value::from(season.rounds())),
            account.as_ref().map_or(Value::Null, |(season, _)| Value::from(season.games())),
            standings.first().map_or(Value::Null, |first| Value::from(first.bot.name.as_str())),
            standings.first().map_or(Value::Null, |first| Value::from(first.games)),
            verdict.as_ref().map_or(Value::Null, |row| Value::from(row.to_string())),
            standings.first().map_or(Value::Null, |first| Value::from(first.bot.version)),
            verdict.as_ref().map_or(Value::Null, |row| Value::from(row.verdict.name())),
            verdict.as_ref().map_or(Value::Null, |row| Value::from(row.round)),
            Value::from(hill.settings().title.as_str()),
        ]);
    }
    Ok(sheet)
}

/// Returns how often each bot played, sat in a seat and met another, as a table.
pub fn bots_of(season: &SeasonAccount) -> Sheet {
    let columns = ["bot", "version", "games", "blocks", "games_in_a_seat", "meetings_with_a_bot"];
    let of_programs = ["games_in_a_seat_least", "games_in_a_seat_most", "meetings_least", "meetings_most"];
    let mut sheet =
        Sheet::new(columns.into_iter().chain(of_programs)).audience(Audience::Programs, &of_programs);
    let range = |(least, most): (u64, u64)| range((least as usize, most as usize));
    for bot in season.fairness.bots() {
        sheet.row(vec![
            Value::from(bot.bot.name),
            Value::from(bot.bot.version),
            Value::from(bot.games),
            Value::from(bot.blocks),
            range(bot.games_by_seat),
            range(bot.meetings),
            Value::from(bot.games_by_seat.0),
            Value::from(bot.games_by_seat.1),
            Value::from(bot.meetings.0),
            Value::from(bot.meetings.1),
        ]);
    }
    sheet
}

/// Returns the results of each seat as a table.
pub fn seats_of(season: &SeasonAccount) -> Sheet {
    let mut sheet = Sheet::new(["seat", "games", "mean_share", "faults", "games_with_faults"]);
    for seat in season.fairness.seats() {
        sheet.row(vec![
            Value::from(seat.seat),
            Value::from(seat.games),
            share(seat.mean_share),
            Value::from(seat.faults),
            Value::from(seat.games_with_faults),
        ]);
    }
    sheet
}

/// Returns the questions about fairness with the findings as a table.
pub fn findings_of(findings: &[FairnessFinding]) -> Sheet {
    let of_programs = ["code", "state", "least", "most", "pairs", "bots", "is_suspicious"];
    let of_people = ["question", "found", "p_value", "sign_of_unfairness"];
    let mut sheet = Sheet::new(of_people.into_iter().chain(of_programs))
        .cells(Cells::Prose, &["question", "found"])
        .cells(Cells::Alarm, &["sign_of_unfairness"])
        .audience(Audience::People, &["question", "found", "sign_of_unfairness"])
        .audience(Audience::Programs, &of_programs);
    let of_pair = |pair: &Affinity| {
        json!({
            "bot": pair.bot.name,
            "company": pair.company.name,
            "share": rounded(pair.found, 6),
            "expected_share": rounded(pair.expected, 6),
            "t": rounded(pair.t, 4),
        })
    };
    for finding in findings {
        let [least, most] = match finding.range {
            Some((least, most)) => [rounded(least, 6), rounded(most, 6)],
            None => [Value::Null, Value::Null],
        };
        sheet.row(vec![
            Value::from(finding.question),
            Value::from(finding.found.clone()),
            finding.p_value.map_or(Value::Null, |p| rounded(p, 4)),
            Value::from(if finding.suspicious { "yes" } else { "no" }),
            Value::from(finding.code),
            Value::from(finding.state.name()),
            least,
            most,
            finding.pairs.iter().map(of_pair).collect(),
            Value::from(finding.bots.clone()),
            Value::from(finding.suspicious),
        ]);
    }
    sheet
}

/// Returns a line that says whether there is a sign of unfairness.
pub fn summary(findings: &[FairnessFinding]) -> String {
    let tested = findings.iter().filter_map(|finding| Some((finding.question, finding.p_value?)));
    let values: Vec<String> = tested.map(|(question, p)| format!("{question}: p = {p:.4}")).collect();
    let values = if values.is_empty() { "too few rounds for a test".to_owned() } else { values.join(", ") };
    let signs = findings.iter().filter(|finding| finding.suspicious).count();
    match signs {
        0 => format!("no sign of unfairness ({values})"),
        _ => format!("signs of unfairness: {signs} ({values}; suspicious below {})", fairness::SUSPICIOUS),
    }
}

/// Returns the parameters in which a sub-tournament differs from others.
pub fn name_of_set(contents: &Contents, set: &toml::Table) -> String {
    let differs = |name: &&String| contents.set.iter().any(|other| other.get(*name) != set.get(*name));
    let parameters: Vec<String> =
        set.keys().filter(differs).map(|name| format!("{name} = {}", set[name])).collect();
    parameters.join(", ")
}
