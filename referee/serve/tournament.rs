//! What a server shows of a tournament: its standings, those of its sub-tournaments, and its matches.

use std::collections::BTreeMap;

use referee_contest::batch::list;
use referee_contest::overall::TournamentAccount;
use referee_contest::plan::Plan;
use referee_record::error::Error;
use referee_record::text::{count, percent_encoded};
use referee_statistics::schedule::format::Cup;
use referee_statistics::season::SeasonAccount;
use referee_statistics::standings::Standing;
use referee_tables::contests as tables;
use referee_tables::lead::Lead;
use referee_tables::standing::Standings;

use crate::season::verdicts_of;
use crate::snapshot::{CupSeen, SeasonSeen, Snapshot};

/// Returns the snapshot of a tournament with this name on the server and this number of listed games. `entrants` has its
/// field.
///
/// # Errors
///
/// If its results are damaged.
pub(crate) fn seen(plan: &Plan, name: &str, entrants: Snapshot, games: usize) -> Result<Snapshot, Error> {
    let void = list::void_games(plan)?.len();
    if games + void == 0 {
        return Ok(entrants);
    }
    let account = TournamentAccount::read(plan)?;
    let mut overall = account.standings();
    let notes = account.conclude_for_watchers(plan, &mut overall)?;
    let has_matches = plan.contents.format.is_adaptive();
    let so_far_by_means = if has_matches && !overall.is_final {
        " Before the last one, the order is that of mean_share."
    } else {
        ""
    };
    let of_set = |set: &SeasonAccount, lines: &[Standing]| {
        let standings = Standings::of_season(set, lines, &account.ratings, None);
        // Where matches decide, the means say neither who leads nor who has which place.
        let lead = Lead::of(set, lines).filter(|_| !has_matches);
        let legend = tables::legend_of_set(set, &plan.contents.format) + so_far_by_means;
        let seen = SeasonSeen::of(set, standings, lead, legend);
        let looks = if has_matches { Vec::new() } else { seen.looks };
        Ok(SeasonSeen { verdicts: verdicts_of(&plan.root, set.number)?, looks, ..seen })
    };
    let sets = account.sets.iter().zip(&overall.sets).map(|(set, lines)| of_set(set, lines));
    let mut sets = sets.collect::<Result<Vec<SeasonSeen>, Error>>()?;
    let mut whole = match &sets[..] {
        [_] => sets.remove(0),
        _ => {
            let legend = tables::legend_of(&account, &plan.contents.format);
            SeasonSeen::of_many(Standings::of_tournament(&account, &overall), legend)
        }
    };
    let rounds = account.sets.iter().map(|set| set.race.rounds()).max().unwrap_or(0);
    whole.so_far = so_far(plan, rounds, games, void);
    whole.told = notes;
    let names = plan.contents.set.iter().map(|set| tables::name_of_set(&plan.contents, set));
    let cups = plan.cups()?.iter().map(|cup| cup_seen(plan, name, cup)).collect();
    Ok(Snapshot { season: Some(whole), sets: names.zip(sets).collect(), cups, ..entrants })
}

impl SeasonSeen {
    /// Several sub-tournaments as a whole.
    fn of_many(standings: Standings, legend: String) -> SeasonSeen {
        SeasonSeen {
            number: 1,
            so_far: String::new(),
            rounds: 0,
            carried: false,
            standings,
            lead: None,
            legend,
            pairs: Vec::new(),
            told: Vec::new(),
            verdicts: Vec::new(),
            bots: Vec::new(),
            looks: Vec::new(),
        }
    }
}

/// Says how far a tournament is. Only the first plan of some formats has all games.
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

fn cup_seen(plan: &Plan, name: &str, cup: &Cup) -> CupSeen {
    let names: Vec<&str> = plan.entrants.iter().map(|bot| &*bot.name.name).collect();
    let page = |bot: &&str| ((*bot).to_owned(), format!("/{name}/bots/{}", percent_encoded(bot.as_bytes())));
    let pages: BTreeMap<String, String> = names.iter().map(page).collect();
    let bracket = referee_report::bracket(cup, &names, &pages);
    CupSeen { matches: tables::matches_of(cup, &names), bracket }
}
