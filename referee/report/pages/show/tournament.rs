//! The summary of a tournament: its standings, those of its sub-tournaments, and its matches.

use crate::tables::contests as tables;
use crate::tables::lead::Lead;
use crate::tables::standing::Standings;
use referee_contest::batch::list;
use referee_contest::overall::TournamentAccount;
use referee_contest::plan::Plan;
use referee_record::error::Error;
use referee_record::text::count;
use referee_rules::Parameters;
use referee_statistics::schedule::format::Cup;
use referee_statistics::season::SeasonAccount;
use referee_statistics::standings::Standing;

use super::season::verdicts_of;
use super::{ContestSummary, CupSummary, SeasonSummary};
use crate::pages::parts::Links;

/// Reads the summary of a tournament with this number of listed games. `entrants` has its field.
pub fn read(
    plan: &Plan,
    links: &dyn Links,
    entrants: ContestSummary,
    games: usize,
) -> Result<ContestSummary, Error> {
    let void = list::void_games(plan)?.len();
    if games + void == 0 {
        return Ok(entrants);
    }
    let account = TournamentAccount::read(plan)?;
    of_account(plan, &account, links, entrants, (games, void))
}

/// Returns the summary of a tournament with this account, and these numbers of listed and of void games.
pub fn of_account(
    plan: &Plan,
    account: &TournamentAccount,
    links: &dyn Links,
    entrants: ContestSummary,
    (games, void): (usize, usize),
) -> Result<ContestSummary, Error> {
    let mut overall = account.standings();
    let notes = account.conclude_for_watchers(plan, &mut overall)?;
    let has_matches = plan.contents.format.is_adaptive();
    let note_on_order = if has_matches && !overall.is_final {
        " Before the last one, the order is that of mean_share."
    } else {
        ""
    };
    let of_set = |set: &SeasonAccount, lines: &[Standing]| {
        let standings = Standings::of_season(set, lines, &account.ratings, None);
        // Where matches decide, the means say neither who leads nor who has which place.
        let lead = if has_matches { None } else { Lead::find(set, lines) };
        let legend = tables::legend_of_set(set, &standings, &plan.contents.format) + note_on_order;
        let summary = SeasonSummary::new(set, standings, lead, legend);
        let looks = if has_matches { Vec::new() } else { summary.looks };
        Ok(SeasonSummary { verdicts: verdicts_of(&plan.root, set.number)?, looks, ..summary })
    };
    let sets = account.sets.iter().zip(&overall.sets).map(|(set, lines)| of_set(set, lines));
    let mut sets = sets.collect::<Result<Vec<SeasonSummary>, Error>>()?;
    let mut whole = match &sets[..] {
        [_] => sets.remove(0),
        _ => {
            let standings = Standings::of_tournament(account, &overall);
            let legend = tables::legend_of(account, &standings, &plan.contents.format);
            SeasonSummary::of_many(standings, legend)
        }
    };
    let rounds = account.sets.iter().map(|set| set.race.rounds()).max().unwrap_or(0);
    whole.so_far = so_far(plan, rounds, games, void);
    (whole.sentences, whole.is_final) = (notes, overall.is_final);
    let names = plan.contents.set.iter().map(|set| tables::name_of_set(&plan.contents, set));
    let cups = plan.cups()?.iter().map(|cup| cup_summary(plan, links, cup)).collect();
    Ok(ContestSummary { season: Some(whole), sets: names.zip(sets).collect(), cups, ..entrants })
}

/// Returns the parameters of a contest's games as text, or those of each sub-tournament.
pub fn parameters_of(sets: &[Parameters]) -> String {
    let of_set = |(number, set): (usize, &Parameters)| format!("Sub-tournament {}: {set}.", number + 1);
    match sets {
        [parameters] => parameters.to_string(),
        sets => sets.iter().enumerate().map(of_set).collect::<Vec<String>>().join(" "),
    }
}

impl SeasonSummary {
    /// Several sub-tournaments as a whole.
    fn of_many(standings: Standings, legend: String) -> SeasonSummary {
        SeasonSummary { number: 1, standings, legend, ..SeasonSummary::default() }
    }
}

/// Says how far a tournament is. The number of all its games is known only if its format plans all of them at once, and
/// it ends by no other rule.
fn so_far(plan: &Plan, rounds: u32, games: usize, void: usize) -> String {
    let contents = &plan.contents;
    let played = count(games as u64, "game");
    let so_far = match (contents.format.is_adaptive(), contents.stop.is_some()) {
        (true, _) => format!("Round {}, {played}", contents.round),
        (false, true) => format!("{}, {played}", count(rounds.into(), "round")),
        (false, false) => format!("{games} of {}", count(contents.games.into(), "game")),
    };
    if void > 0 { format!("{so_far}, {void} void") } else { so_far }
}

fn cup_summary(plan: &Plan, links: &dyn Links, cup: &Cup) -> CupSummary {
    let names: Vec<&str> = plan.entrants.iter().map(|bot| &*bot.name.name).collect();
    CupSummary {
        matches: tables::matches_of(cup, &names),
        bracket: crate::pages::bracket::draw(cup, &names, links),
    }
}
