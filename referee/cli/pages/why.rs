//! `referee replay --why`: which turns decided a recorded game. House bots finish the game from recorded turns.

use std::time::Duration;

use referee_contest::node;
use referee_files::beneath::Spot;
use referee_files::log;
use referee_files::threads::together;
use referee_record::error::Error;
use referee_record::play::replay::Replay;
use referee_record::{BotName, Heading, identity};
use referee_rules::thinker::{self, Thinker};
use referee_rules::{BySeat, Seat, Seed};
use referee_show::page::decisive::{self, Decisive, Terms};
use referee_show::view::story::{Remark, Vocabulary};
use referee_table::clock::{Clock, Moment};

use crate::bot;
use crate::progress::Task;

/// The default number of games to finish.
const GAMES: u32 = 4000;

/// The default time limit for all these games together, in seconds.
const SECONDS: u32 = 60;

/// The bots that play on, and the number of games.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct WhyOptions {
    /// Find the decisive turns, after which a seat could expect a much smaller share. House bots play in all seats and
    /// finish the game from recorded turns
    #[arg(long)]
    pub(crate) why: bool,
    /// With --why: number of games to finish from recorded turns [default: 4000, or as many as --seconds allows]
    #[arg(long, value_name = "N", requires = "why", hide_short_help = true,
          value_parser = crate::number::whole::<u32>(decisive::GAMES_LEAST.into()..=1_000_000))]
    games: Option<u32>,
    /// With --why: time limit in seconds [default: 60, or none with --games]
    #[arg(long, value_name = "N", requires = "why", hide_short_help = true,
          value_parser = crate::number::count)]
    seconds: Option<u32>,
    /// With --why: look only at this seat
    #[arg(long, value_name = "S", requires = "why", hide_short_help = true,
          value_parser = crate::number::whole::<usize>(0..=u32::MAX.into()))]
    seat: Option<usize>,
    /// With --why: the house bot that takes the seat of any other program [default: the second strongest]
    #[arg(long, value_name = "BOT", requires = "why", hide_short_help = true)]
    stand_in: Option<String>,
}

/// The decisive turns of a game, and the bots that played it on.
pub(crate) struct Why {
    pub(crate) decisive: Decisive,
    heading: Heading,
    /// The bots that play on, by seat.
    cast: BySeat<Player>,
    /// The number of games that the user wants.
    games: u32,
}

/// The bot that plays on in a seat.
#[derive(Clone)]
struct Player {
    /// Its name; empty if legal answers are drawn at random.
    name: String,
    /// Whether it is the bot that has played there.
    is_itself: bool,
    thinker: fn() -> Box<dyn Thinker>,
}

impl WhyOptions {
    /// Finds the decisive turns.
    pub(crate) fn find(&self, log: &Spot) -> anyhow::Result<Why> {
        let (_, heading) = log::open(log).and_then(Replay::open).map_err(crate::usage)?;
        let seats = heading.bots.len();
        if let Some(seat) = self.seat.filter(|seat| *seat >= seats) {
            let what = format!("there is no seat {seat}: seats are 0 to {}", seats - 1);
            return Err(Error::file(log.path(), what).into());
        }
        let stand_in = self.stand_in(&heading)?;
        let cast: BySeat<Player> =
            heading.bots.iter().map(|(seat, bot)| player(&heading, seat, bot, &stand_in)).collect();
        let games = self.games.unwrap_or(GAMES);
        let seconds = self.seconds.or(self.games.is_none().then_some(SECONDS));
        let time = seconds.map(|seconds| Duration::from_secs(seconds.into()));
        let terms = Terms { games, seat: self.seat.map(Seat::new), threads: node::cores(), time };
        let log = log::open(log).map_err(crate::usage)?;
        let task = Task::counted("", "game", Some(games.into())).at_most(time);
        let clock = Clock::start();
        let thinkers = |_: &Heading| cast.iter().map(|(_, player)| (player.thinker)()).collect();
        let now = || clock.now() - Moment::default();
        let found = decisive::find(log, thinkers, &terms, &together, &now, &mut |games| task.count(games));
        drop(task);
        Ok(Why { decisive: found.map_err(crate::usage)?, heading, cast, games })
    }

    /// Returns the house bot that plays on for other programs: the one with the given name, or the second strongest.
    fn stand_in(&self, heading: &Heading) -> anyhow::Result<Player> {
        if let Some(name) = &self.stand_in {
            bot::known_house_bot(&heading.rules, name)?;
        }
        let players: Vec<Player> = bot::house_bots(&heading.rules)
            .filter_map(|bot| {
                Some(Player { name: bot.name.to_owned(), is_itself: false, thinker: bot.thinker? })
            })
            .collect();
        if let Some(name) = &self.stand_in {
            let player = players.into_iter().find(|player| player.name == *name);
            let cannot = || Error::input(format!("{name} cannot play on within this process"));
            return Ok(player.ok_or_else(cannot)?);
        }
        let at_random =
            Player { name: String::new(), is_itself: false, thinker: || thinker::at_random(Seed(0)) };
        // House bots are listed from the weakest to the strongest.
        Ok(players.get(players.len().saturating_sub(2)).cloned().unwrap_or(at_random))
    }
}

/// Returns the bot that plays on in a seat: the house bot that has played there, or the one that stands in.
fn player(heading: &Heading, seat: Seat, recorded: &BotName, stand_in: &Player) -> Player {
    // Those of a house bot are `bot GAME NAME`, with more behind them.
    let arguments: Vec<String> = heading.arguments[seat].split(' ').map(str::to_owned).collect();
    let digest = identity::of_house(&heading.rules, heading.version, &arguments);
    let itself = bot::house_bots(&heading.rules).find(|bot| {
        digest.as_ref() == Some(&recorded.digest) && arguments.get(2).is_some_and(|name| name == bot.name)
    });
    match itself.and_then(|bot| Some((bot.name, bot.thinker?))) {
        Some((name, thinker)) => Player { name: name.to_owned(), is_itself: true, thinker },
        None => stand_in.clone(),
    }
}

impl Why {
    /// Returns the findings as remarks about turns.
    pub(crate) fn remarks(&self) -> Vec<Remark> {
        self.decisive.remarks(&Vocabulary::of(&self.heading))
    }

    /// Returns the findings as text. Long names make its lines longer than 80 columns.
    pub(crate) fn text(&self) -> String {
        let mut text = self.decisive.text(&self.heading);
        text +=
            &format!("\n{} games were finished from recorded turns, with other dice.\n", self.decisive.games);
        let Decisive { games, games_planned, left_out, is_cut, .. } = &self.decisive;
        // If the time ran out before all games that were planned, those that were played; else those that were planned,
        // by the pace of the first games.
        let in_time = if *is_cut { *games } else { (*games_planned).into() };
        let is_short = in_time < self.games.into();
        if is_short {
            text += &format!(
                "There was time for only {in_time} of {} games, so a small fall can be missed.\n",
                self.games
            );
        }
        if !left_out.is_empty() {
            let ranges = left_out.iter().map(|(first, last)| format!("{first}-{last}"));
            let ranges = ranges.collect::<Vec<String>>().join(", ");
            text += &format!("There was no time for a closer look at turns {ranges}.\n");
        }
        if is_short || !left_out.is_empty() {
            text += "To set more time: --seconds.\n";
        }
        for (seat, player) in self.cast.iter().filter(|(_, player)| !player.is_itself) {
            let name = &self.heading.bots[seat].name;
            text += &match &*player.name {
                "" => {
                    format!("Seat {seat}: {name} cannot play on here; random legal answers play on for it.\n")
                }
                stand_in => format!("Seat {seat}: {name} cannot play on here; {stand_in} plays on for it.\n"),
            };
        }
        text
    }
}
