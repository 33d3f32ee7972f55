//! The standings of a tournament: of each sub-tournament, and over all of them by the average of a bot's mean shares.
//! They are a function of results and rulings alone. Memory does not grow with the number of games.

use crate::plan::{self, Next, NextStep, Plan};
use crate::played;
use crate::rulings::{Rulings, Unruled};
use crate::runner::GameEnd;
use referee_record::BotName;
use referee_record::error::Error;
use referee_record::game_result::GameResult;
use referee_statistics::rating::Ratings;
use referee_statistics::schedule::deal::Pairing;
use referee_statistics::schedule::format::{Contest, FINAL_PLAYED, Ranking, places_beside};
use referee_statistics::season::SeasonAccount;
use referee_statistics::standings::Standing;

/// The account of a tournament.
#[derive(Debug)]
pub struct TournamentAccount {
    /// The accounts of the sub-tournaments, in their order.
    pub sets: Vec<SeasonAccount>,
    /// Over all of them.
    pub ratings: Ratings,
    /// Whether games are missing.
    pub is_partial: bool,
    /// Void games without a ruling. They do not count.
    pub unruled: Unruled,
    /// The bot that alone has met the others, in a gauntlet of two seats.
    pub challenger: Option<String>,
}

impl TournamentAccount {
    /// Reads all results up to this round, this one included.
    ///
    /// # Errors
    ///
    /// Names the first wrong line of the results.
    pub fn read(plan: &Plan) -> Result<TournamentAccount, Error> {
        TournamentAccount::read_with(plan, Vec::new())
    }

    /// As [`read`](TournamentAccount::read), with games that have ended and are not listed.
    pub fn read_with(plan: &Plan, live: Vec<(Pairing, GameResult)>) -> Result<TournamentAccount, Error> {
        let bots: Vec<BotName> = plan.entrants.iter().map(|bot| bot.name.clone()).collect();
        let mut sets = accounts_of(plan, &bots);
        for ((season, round), games) in plan.games_by_round()? {
            sets[season as usize - 1].shorten(round, games);
        }
        let mut ratings = Ratings::default();
        let rulings = Rulings::read(&plan.root)?;
        let mut unruled = Unruled::default();
        let is_whole = played::each_game(plan, |_, game, end| {
            let set = &mut sets[game.scheduled.season as usize - 1];
            match end {
                GameEnd::Over(rows) => set.add(rows, &mut ratings),
                GameEnd::Void(_) => {
                    let game = game.in_teams(plan.entry);
                    let bots = plan.who_counts(&game);
                    match rulings.shares(plan, &game) {
                        Some(shares) => {
                            let counting = shares.iter().filter(|(seat, _)| !game.fillers.contains(seat));
                            for (bot, (_, share)) in bots.iter().zip(counting) {
                                set.sums.add_ruled(bot, *share);
                            }
                        }
                        None => unruled.add(&game),
                    }
                    set.leave_out(game.scheduled, bots, &mut ratings);
                }
            }
            Ok(())
        })?;
        for (game, rows) in live {
            sets[game.scheduled.season as usize - 1].add(rows, &mut ratings);
        }
        for set in &mut sets {
            set.close(&mut ratings);
        }
        let challenger = plan.contests().first().and_then(|contest| plan.contents.format.challenger(contest));
        let challenger = challenger.map(|index| bots[index].name.clone());
        Ok(TournamentAccount { sets, ratings, is_partial: !is_whole, unruled, challenger })
    }

    /// Returns the standings.
    pub fn standings(&self) -> Overall {
        let mut sets: Vec<Vec<Standing>> = self.sets.iter().map(|set| set.sums.standings()).collect();
        let mut total = total(&sets);
        if let Some(challenger) = &self.challenger {
            for lines in &mut sets {
                let mean = |line: &Standing| (line.bot.name == *challenger, line.mean_share);
                place_beside_challenger(lines, mean, |line| &mut line.place);
                lines.sort_by_key(|line| line.place);
            }
            let mean = |line: &Total| (line.bot == *challenger, line.mean_share);
            place_beside_challenger(&mut total, mean, |line| &mut line.place);
            total.sort_by_key(|line| line.place);
        }
        Overall { sets, total, is_final: false }
    }

    /// Puts the bots in the order of the format, if the tournament is over. Returns notes: whether the standings are
    /// final, and why it is over.
    pub fn conclude(&self, plan: &Plan, overall: &mut Overall) -> Result<Vec<String>, Error> {
        let rankings = |next| match next {
            Next::Round(_) => None,
            Next::Over(rankings) => Some(rankings),
        };
        self.conclude_by(plan, overall, |plan| plan::following(plan).map(rankings))
    }

    /// As [`conclude`](TournamentAccount::conclude), for watchers: writes neither the plan of the next round nor a
    /// verdict.
    pub fn conclude_for_watchers(&self, plan: &Plan, overall: &mut Overall) -> Result<Vec<String>, Error> {
        let rankings = |step| match step {
            NextStep::Round(..) => None,
            NextStep::Over(rankings, _) => Some(rankings),
        };
        self.conclude_by(plan, overall, |plan| plan::step_after(plan).map(rankings))
    }

    /// As [`conclude`](TournamentAccount::conclude). `rankings` returns how the tournament ended; `None` if more rounds
    /// follow.
    fn conclude_by(
        &self,
        plan: &Plan,
        overall: &mut Overall,
        rankings: impl Fn(&Plan) -> Result<Option<Vec<Ranking>>, Error>,
    ) -> Result<Vec<String>, Error> {
        if self.is_partial {
            return Ok(vec!["not all games are played: these are not final standings".to_owned()]);
        }
        let mut notes = Vec::new();
        if !self.unruled.is_empty() {
            let what = "means leave out void games, so these are not final standings";
            notes.push(format!("{what}: {}", self.unruled));
            if plan.contents.format.is_adaptive() {
                return Ok(notes); // nobody knows what is played next
            }
        }
        let Some(rankings) = rankings(plan)? else {
            return Ok(vec!["more rounds follow: these are not final standings".to_owned()]);
        };
        let names: Vec<&str> = plan.entrants.iter().map(|bot| &*bot.name.name).collect();
        overall.rank(&rankings, &names);
        overall.is_final = self.unruled.is_empty();
        let note = |(ranking, set): (&Ranking, u32)| {
            let of_set = if rankings.len() > 1 { format!("sub-tournament {set}: ") } else { String::new() };
            match ranking.places.first().map(Vec::as_slice) {
                Some([winner]) if ranking.reason == FINAL_PLAYED => {
                    format!("{of_set}{} wins the cup", names[*winner])
                }
                _ => format!("{of_set}{}", ranking.reason),
            }
        };
        notes.extend(rankings.iter().zip(1..).map(note));
        Ok(notes)
    }
}

/// Begins the accounts of the sub-tournaments of a plan, among these bots.
fn accounts_of(plan: &Plan, bots: &[BotName]) -> Vec<SeasonAccount> {
    let format = &plan.contents.format;
    let stop = plan.contents.stop.unwrap_or_default();
    let rule = stop.rule(plan.sets.len(), format);
    let account = |contest: Contest| {
        let dealt = format.dealt(&contest);
        let dealt = if stop.racing { dealt.with_race() } else { dealt };
        let account = SeasonAccount::new(contest.season, bots, dealt, rule, stop.alpha);
        account.with_teams(contest.entry.teams())
    };
    plan.contests().into_iter().map(account).collect()
}

/// The standings of a tournament.
#[derive(Clone, Debug, PartialEq)]
pub struct Overall {
    /// The standings of each sub-tournament, in their order.
    pub sets: Vec<Vec<Standing>>,
    /// Over all, best first.
    pub total: Vec<Total>,
    /// Whether the tournament is over, and the places are those of its format.
    pub is_final: bool,
}

/// One bot's line over all sub-tournaments.
#[derive(Clone, Debug, PartialEq)]
pub struct Total {
    /// 1 and the number of bots with a greater mean.
    pub place: usize,
    /// The bot's name.
    pub bot: String,
    /// The points of the format, if it has some and there is one sub-tournament.
    pub points: Option<u32>,
    /// The points of its opponents, likewise.
    pub opponents_points: Option<u32>,
    /// The mean of its mean shares, each sub-tournament counting alike.
    pub mean_share: f64,
    /// The number of its games that count.
    pub games: u64,
}

impl Overall {
    /// Puts the bots in the order of the format, by a ranking for each sub-tournament. The order over several
    /// sub-tournaments stays that of the means.
    pub fn rank(&mut self, rankings: &[Ranking], names: &[&str]) {
        let place_of = |ranking: &Ranking, name: &str| {
            let index = names.iter().position(|other| *other == name);
            index.map_or(names.len(), |index| ranking.place_of(index))
        };
        let value_of = |values: &Option<Vec<u32>>, name: &str| {
            let index = names.iter().position(|other| *other == name)?;
            Some(values.as_ref()?[index])
        };
        for (lines, ranking) in self.sets.iter_mut().zip(rankings) {
            for line in lines.iter_mut() {
                line.place = place_of(ranking, &line.bot.name);
                line.points = value_of(&ranking.points, &line.bot.name);
                line.opponents_points = value_of(&ranking.opponents, &line.bot.name);
            }
            lines.sort_by_key(|line| line.place);
        }
        if let [ranking] = rankings {
            for line in &mut self.total {
                line.place = place_of(ranking, &line.bot);
                line.points = value_of(&ranking.points, &line.bot);
                line.opponents_points = value_of(&ranking.opponents, &line.bot);
            }
            self.total.sort_by_key(|line| line.place);
        }
    }
}

/// Gives places to bots that have met a challenger alone. `mean` tells whether a line is that of the challenger, and
/// returns its mean share.
fn place_beside_challenger<L>(
    lines: &mut [L],
    mean: impl Fn(&L) -> (bool, f64),
    place: impl Fn(&mut L) -> &mut usize,
) {
    let challenger = lines.iter().position(|line| mean(line).0);
    let means: Vec<f64> = lines.iter().map(|line| mean(line).1).collect();
    for (line, shared_place) in lines.iter_mut().zip(places_beside(challenger, &means)) {
        *place(line) = shared_place;
    }
}

/// Returns the standings over all sub-tournaments, best first.
fn total(sets: &[Vec<Standing>]) -> Vec<Total> {
    let mut names: Vec<&str> = sets.iter().flatten().map(|line| &*line.bot.name).collect();
    names.sort_unstable();
    names.dedup();
    let mut total: Vec<Total> = names
        .into_iter()
        .map(|name| {
            let lines: Vec<&Standing> = sets.iter().flatten().filter(|line| line.bot.name == name).collect();
            Total {
                place: 0,
                bot: name.to_owned(),
                points: None,
                opponents_points: None,
                mean_share: lines.iter().map(|line| line.mean_share).sum::<f64>() / lines.len() as f64,
                games: lines.iter().map(|line| line.games).sum(),
            }
        })
        .collect();
    total.sort_by(|one, other| {
        other.mean_share.total_cmp(&one.mean_share).then_with(|| one.bot.cmp(&other.bot))
    });
    for index in 0..total.len() {
        let better = total.iter().filter(|other| other.mean_share > total[index].mean_share).count();
        total[index].place = 1 + better;
    }
    total
}
