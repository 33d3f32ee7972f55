//! `referee hill`: commands that submit bots, play rounds and show standings.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use referee_contest::accounts;
use referee_contest::admission::by::By;
use referee_contest::hill::{Hill, HillSettings};
use referee_files::beneath::Spot;
use referee_files::walk;
use referee_record::error::Error;
use referee_record::file::Form;
use referee_report::tables::contests::hills_of;
use referee_rules::Seed;
use referee_sandbox::Interpreters;
use referee_statistics::rank_by::RankBy;
use referee_statistics::stop_rule::Until;
use serde_json::Value;

use crate::addition::Event;
use crate::context::Context;
use crate::game::GameWith;
use crate::hill_submit::Submit;
use crate::host::{InterpreterOptions, check_apart};
use crate::sheet::{Audience, Cells, Format, Print, Printed, Sheet};
use crate::verbs::{Fairness, Repair, Standings, Status};
use crate::{bot, hill_log, note, play, say, shell};

/// King of the hill.
#[derive(Debug, Subcommand)]
#[command(help_template = super::CLOSE)]
pub(super) enum HillCommand {
    /// Create a hill: a folder with a game and its parameters
    New(New),
    /// Submit a bot; a file of the same name, submitted again, replaces it
    Submit(Submit),
    /// Play rounds; in each, every bot plays at one table
    ///
    /// Several runners can play one hill at the same time: start the command again, here or on another machine that
    /// shares the folder. The results are those that one runner would get.
    #[command(after_help = crate::run::STATUS)]
    Run(crate::run::Run),
    /// Show the bots by mean share, or against each opponent
    Standings(Standings),
    /// Test whether all bots had the same chances
    Fairness(Fairness),
    /// Show the progress of the season, or lost and void games
    Status(Status),
    /// Make results.csv and voids.csv again from the records of the runners
    ///
    /// What was there is kept beside them. Signed checkpoints are compared with the new results.
    Repair(Repair),
    /// Show present and former bots
    Bots(Bots),
    /// Remove a bot from the field; its history stays
    Retire(Retire),
    /// Remove a bot from the field, and refuse its name and its programs
    ///
    /// A program is refused under every name, with all arguments, and from every author; so is another one that is
    /// built from the same source. Bots that play with it are retired, also those of others, and have to be submitted
    /// again after a ban was lifted.
    Ban(Ban),
    /// List the hills of a folder
    List(List),
    /// Show the events of a game: scores, faults, files
    Log(Log),
}

#[derive(Debug, Args)]
pub(super) struct New {
    /// The folder
    dir: PathBuf,
    #[command(subcommand)]
    game: GameWith<NewOptions>,
}

#[derive(Debug, Args)]
struct NewOptions {
    /// Random seed of all deals, seats and draws; keep it secret [default: a new one]
    #[arg(long)]
    seed: Option<Seed>,
    /// Games of a table: one-game (which needs the fewest games until clear), one-seating (one seating, rotated through
    /// all seats), or 12, for tables of four (all three seatings)
    #[arg(long, default_value = "one-game")]
    block: String,
    /// What a season is played for: clear (which bot is the best), or ranked (of each two bots, which is better)
    #[arg(long, value_name = "WHAT", default_value = "clear", value_parser = Until::ALL.map(Until::of_hill))]
    until: String,
    /// With --until ranked: bots whose pairs are all decided sit out, which saves games
    #[arg(long, hide_short_help = true)]
    racing: bool,
    /// What counts for places and verdicts: score (the share of the score), place (the part of the opponents that a bot
    /// beats in a game), or win (1 for a win, divided by the number of winners)
    #[arg(long, value_name = "WHAT", default_value = "score", value_parser = RankBy::ALL.map(RankBy::name))]
    rank_by: String,
    /// Maximum number of bots; after a run, once there are ten rounds, bots leave that are hardly ever within it
    #[arg(long, value_name = "BOTS", value_parser = super::number::whole::<u32>(2..=u32::MAX.into()))]
    capacity: Option<u32>,
    /// Maximum number of bots of one author at a table (0: any number)
    #[arg(long, value_name = "BOTS", default_value_t = 0, value_parser = super::number::index)]
    author_seats: u32,
    /// Maximum number of bots of one author on the hill (0: any number)
    #[arg(long, value_name = "BOTS", default_value_t = 0, value_parser = super::number::index)]
    author_bots: u32,
    /// Compress logs as they are written (.csv.gz); every command can read them
    #[arg(long)]
    compress: bool,
    /// Create no key: rounds are not signed (`referee docs proof`), and several users can run them
    #[arg(long)]
    no_key: bool,
    #[command(flatten)]
    interpreters: InterpreterOptions,
}

#[derive(Debug, Args)]
pub(super) struct Bots {
    /// The hill
    dir: PathBuf,
    #[command(flatten)]
    printed: Printed,
}

#[derive(Debug, Args)]
pub(super) struct Retire {
    /// The hill
    dir: PathBuf,
    /// The bot's name
    #[arg(value_parser = bot::composed)]
    name: String,
}

#[derive(Debug, Args)]
pub(super) struct Ban {
    /// The hill
    dir: PathBuf,
    /// The bot's name
    #[arg(value_parser = bot::composed)]
    name: String,
    /// Ban all bots of its author in the same way
    #[arg(long, conflicts_with = "lift")]
    with_author: bool,
    /// End the tokens of its author's account as well: nobody submits with them over the web
    #[arg(long, requires = "with_author")]
    end_tokens: bool,
    /// Lift the ban: the bot can be submitted again, unless another ban applies
    #[arg(long)]
    lift: bool,
}

#[derive(Debug, Args)]
pub(super) struct List {
    /// The folder that the hills are in
    #[arg(default_value = ".")]
    dir: PathBuf,
    #[command(flatten)]
    printed: Printed,
}

#[derive(Debug, Args)]
pub(super) struct Log {
    /// The hill, or any other folder of games
    dir: PathBuf,
    /// The game's name, as in the column `game` of results.csv
    game: String,
    /// Print the log itself
    #[arg(long)]
    raw: bool,
}

impl HillCommand {
    pub(super) fn run(self, context: &Context) -> anyhow::Result<()> {
        match self {
            HillCommand::New(new) => new.run(context),
            HillCommand::Submit(submit) => submit.run(context),
            HillCommand::Run(run) => run.run(context),
            HillCommand::Standings(standings) => standings.run(),
            HillCommand::Fairness(fairness) => fairness.run(),
            HillCommand::Status(status) => status.run(),
            HillCommand::Repair(repair) => repair.run(context),
            HillCommand::Bots(bots) => bots.run(),
            HillCommand::Retire(retire) => retire.run(),
            HillCommand::Ban(ban) => ban.run(),
            HillCommand::List(list) => list.run(),
            HillCommand::Log(log) => hill_log::tell(&log.dir, &log.game, log.raw),
        }
    }
}

impl New {
    fn run(self, context: &Context) -> anyhow::Result<()> {
        let GameWith { entry, parameters, rest, .. } = self.game;
        let seed = rest.seed.map_or_else(play::random_seed, Ok)?;
        let mut settings = HillSettings::default();
        settings.capacity = rest.capacity;
        settings.contest.author_bots = rest.author_bots;
        let host = &mut settings.contest.host;
        host.log = Form::compressed_if(rest.compress);
        host.interpreters = rest.interpreters.listed()?;
        let listed = Interpreters::listed(&host.interpreters).map_err(|why| Error::input(why.to_string()))?;
        let parent = self.dir.parent().filter(|parent| !parent.as_os_str().is_empty());
        check_apart(&listed, parent.unwrap_or(Path::new(".")))?;
        settings.until = Until::by_hill(&rest.until).map_err(Error::input)?;
        settings.racing = rest.racing;
        if settings.racing && settings.until != Until::Ranked {
            return Err(Error::input("--racing is for --until ranked: leave it out").into());
        }
        let author_seats = rest.author_seats.to_string();
        for (name, word) in
            [("block", &rest.block), ("author_seats", &author_seats), (RankBy::KEY, &rest.rank_by)]
        {
            settings.set(name, word).map_err(|error| Error::input(error.to_string()))?;
        }
        settings.contest.host.signed = !rest.no_key && context.signs_records();
        let hill = Hill::create(&self.dir, entry, parameters, seed, settings).map_err(super::usage)?;
        say(format!("{}: a hill for {} ({})", hill.root().display(), entry.name, hill.parameters()));
        if hill.host().signed {
            context.tell(hill.root(), Event::Made)?;
        }
        say(format!("Submit a bot: referee hill submit {} ./mybot", shell(&self.dir)));
        Ok(())
    }
}

impl Bots {
    fn run(self) -> anyhow::Result<()> {
        let hill = Hill::open(&self.dir).map_err(super::usage)?;
        let mut sheet = Sheet::new(["bot", "version", "author", "since", "source", "digest", "contact"])
            .about("hill", hill.root().display().to_string())
            .cells(Cells::Digest, &["digest"])
            .audience(Audience::Wide, &["contact"]);
        let entrants = hill.entrants()?;
        for bot in entrants.field() {
            let since = entrants.last_submission(&bot.name).map_or("", |submitted| &submitted.date);
            sheet.row(vec![
                Value::from(bot.name.clone()),
                Value::from(bot.version),
                Value::from(bot.author.clone()),
                Value::from(since),
                Value::from(bot.source.clone()),
                Value::from(bot.digest.as_str()),
                Value::from(bot.contact.as_str()),
            ]);
        }
        sheet.print(self.printed)
    }
}

impl Retire {
    fn run(self) -> anyhow::Result<()> {
        let hill = Hill::open(&self.dir).map_err(super::usage)?;
        let bot = hill.retire(&self.name, By::Host).map_err(super::usage)?.bot;
        accounts::note_of_host(hill.root(), "retired", &self.name)?;
        say(format!("{} version {} is retired; its games stay in the results", bot.name, bot.version));
        Ok(())
    }
}

impl Ban {
    fn run(self) -> anyhow::Result<()> {
        let hill = Hill::open(&self.dir).map_err(super::usage)?;
        say(if self.lift { self.lift_ban(&hill)? } else { self.ban(&hill)? });
        Ok(())
    }

    /// Lifts the ban. Returns the sentence to say.
    fn lift_ban(&self, hill: &Hill) -> anyhow::Result<String> {
        let (lifted, other_ban) = hill.lift_ban(&self.name).map_err(super::usage)?;
        accounts::note_of_host(hill.root(), "lifted", &self.name)?;
        let name = lifted.bot.name;
        Ok(match other_ban.map(|ban| ban.bot.name) {
            Some(other) => {
                format!(
                    "the ban of {name} is lifted; that of {other} still holds for a program or the author"
                )
            }
            None => format!("{name} is no longer banned, and can be submitted again"),
        })
    }

    /// Bans the bot. Returns the lines to say.
    fn ban(&self, hill: &Hill) -> anyhow::Result<String> {
        let banned = hill.ban(&self.name, self.with_author).map_err(super::usage)?;
        let (event, names) = banned.noted();
        accounts::note_of_host(hill.root(), event, &names)?;
        let (bot, others) = (banned.event.bot, banned.others);
        let whose = if self.with_author {
            format!(", nor any bot of {} or a program of one,", bot.author)
        } else {
            String::new()
        };
        let mut text = format!(
            "{} is banned: neither the name nor a program that it has had{whose} is admitted again; its games stay in \
             the results",
            bot.name
        );
        if self.end_tokens {
            let had_tokens = accounts::end_tokens(hill.root(), &bot.author)?;
            let what = if had_tokens { "has no token any more" } else { "had no token" };
            text += &format!("\n  the account {} {what}", bot.author);
        }
        if !others.is_empty() {
            let names: Vec<&str> = others.iter().map(|other| &*other.name).collect();
            text += &format!("\n  bots that are banned by that, and are retired: {}", names.join(", "));
        }
        Ok(text)
    }
}

impl List {
    fn run(self) -> anyhow::Result<()> {
        if !self.dir.is_dir() {
            return Err(Error::input(format!("{}: no such folder", self.dir.display())).into());
        }
        let (hills, unreadable) = all_in(&self.dir)?;
        unreadable.iter().for_each(note);
        let sheet = hills_of(&hills)?;
        if !sheet.rows().is_empty() || self.printed.format != Format::Table {
            sheet.print(self.printed)?;
        } else if unreadable.is_empty() {
            say(format!(
                "there is no hill in {}; make one: referee hill new myhill GAME",
                self.dir.display()
            ));
        }
        if unreadable.is_empty() {
            return Ok(());
        }
        let (wrong, all) = (unreadable.len(), unreadable.len() + hills.len());
        Err(Error::input(format!("{wrong} of {all} hills cannot be read")).into())
    }
}

/// Returns the length of the results of a hill in bytes, which grows with every game.
pub fn length_of(hill: &Hill) -> u64 {
    let results = referee_contest::folder::results_of(hill.root());
    let length = |spot: Spot| Some(spot.open().ok()?.metadata().ok()?.len());
    length(results).unwrap_or(0)
}

/// Opens the hills in a folder, in the order of their names; the folder itself if it is one.
pub fn hills_in(dir: &Path) -> anyhow::Result<Vec<Hill>> {
    let (hills, unreadable) = all_in(dir)?;
    match unreadable.into_iter().next() {
        Some(error) => Err(super::usage(error)),
        None => Ok(hills),
    }
}

/// As [`hills_in`], with the errors of the hills that cannot be read.
fn all_in(dir: &Path) -> anyhow::Result<(Vec<Hill>, Vec<Error>)> {
    let mut folders = vec![dir.to_owned()];
    folders.extend(walk::folders(&Spot::from(dir))?);
    folders.sort();
    let (mut hills, mut unreadable) = (Vec::new(), Vec::new());
    for folder in folders.iter().filter(|folder| Spot::below(folder, "hill.toml").exists()) {
        match Hill::open(folder) {
            Ok(hill) => hills.push(hill),
            Err(error) => unreadable.push(error),
        }
    }
    Ok((hills, unreadable))
}
