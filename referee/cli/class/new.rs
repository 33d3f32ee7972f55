//! `referee class new`: the folder of a class, with accounts, tokens and slips.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use clap::Args;
use referee_contest::class::contests::name_of;
use referee_contest::class::settings::{ClassSettings, ExamSettings, file_of, moment};
use referee_contest::class::{self, students};
use referee_contest::hill::{Hill, HillSettings};
use referee_contest::publish;
use referee_record::error::Error;
use referee_record::text::count;
use referee_rules::Seed;
use referee_table::clock;

use crate::addition::Event;
use crate::bot::house_bots;
use crate::class::slips;
use crate::context::Context;
use crate::game::GameWith;
use crate::hill_submit::{HowSubmitted, submit};
use crate::host::HostOptions;
use crate::{play, say, shell};

#[derive(Debug, Args)]
pub(crate) struct New {
    /// The folder
    dir: PathBuf,
    #[command(subcommand)]
    game: GameWith<NewOptions>,
}

#[derive(Debug, Args)]
struct NewOptions {
    /// The list of students: a CSV file with the columns id and name, and perhaps mail and team
    #[arg(long, value_name = "FILE")]
    students: PathBuf,
    /// The end of submissions, with a time zone: "2026-12-15 23:59 Europe/Berlin"
    #[arg(long, value_name = "TIME")]
    deadline: String,
    /// The panel of the exam, weakest first: house bots, and programs by their path from the folder [default: all house
    /// bots of the game]
    #[arg(long, value_name = "BOTS", value_delimiter = ',')]
    panel: Vec<String>,
    /// The address at which the class will be served, for the slips: https://bots.example.org
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:8080")]
    address: String,
    /// Pages show a nickname for each student, or team; grades and the host's page show people
    #[arg(long)]
    nicknames: bool,
    /// Random seed of the practice, the exam and the final; keep it secret [default: a new one]
    #[arg(long)]
    seed: Option<Seed>,
    /// Create no key: results are not signed (`referee docs proof`)
    #[arg(long)]
    no_key: bool,
    #[command(flatten)]
    host: HostOptions,
}

impl New {
    pub(super) fn run(self, context: &Context) -> anyhow::Result<()> {
        let GameWith { entry, parameters, rest, .. } = self.game;
        // All that can be wrong is found before there is a folder.
        let mut students = students::read_list(&rest.students).map_err(crate::usage)?;
        if moment(&rest.deadline).map_err(Error::input)? <= clock::date() {
            return Err(
                Error::input(format!("the deadline {} is over: give one that comes", rest.deadline)).into()
            );
        }
        if entry.table(&parameters).is_none_or(|seats| seats < 2) {
            let what = format!("{}: an exam is for games whose tables have two or more seats", entry.name);
            return Err(Error::input(what).into());
        }
        let panel = panel_of(entry.name, &rest.panel)?;
        let names: Vec<&str> = panel.iter().map(|bot| name_of(bot)).collect();
        students::give_accounts(&mut students, &names, rest.nicknames).map_err(crate::usage)?;
        let seed = rest.seed.map_or_else(play::random_seed, Ok)?;
        let mut settings = HillSettings::default();
        settings.set("block", "one-game").map_err(|error| Error::input(error.to_string()))?;
        settings.contest.author_bots = 1;
        settings.contest.host.signed = !rest.no_key && context.signs_records();
        let hill = Hill::create(&self.dir, entry, parameters, seed, settings).map_err(crate::usage)?;
        // Deadlines of students, and the seeds of the exam, are nobody else's business.
        let private = fs::set_permissions(&self.dir, Permissions::from_mode(0o700));
        private.map_err(Error::system(&self.dir, "make the folder private"))?;
        if hill.host().signed {
            context.tell(hill.root(), Event::Made)?;
        }
        let class = ClassSettings {
            address: rest.address,
            nicknames: rest.nicknames,
            exam: ExamSettings::of_game(entry.info(hill.parameters()).block as u32),
            ..ClassSettings::new(rest.deadline, panel)
        };
        publish::replace(file_of(hill.root()), class.text().as_bytes())?;
        let enrolled = class::enroll(hill.root(), &students, 0, rest.nicknames)?;
        say(format!(
            "{}: a class of {} for {} ({})",
            self.dir.display(),
            count(enrolled.len() as u64, "student"),
            entry.name,
            hill.parameters()
        ));
        say(format!("Submissions end at {} (UTC)", moment(&class.deadline).map_err(Error::input)?));
        slips::write(&self.dir, &class, &enrolled)?;
        enter_panel(context, &hill, &class, rest.host)?;
        say(format!("Take submissions, and play: referee serve {} --run 1000000", shell(&self.dir)));
        Ok(())
    }
}

/// Returns the panel as `class.toml` has it: the house bots and programs that were named, or all house bots of a game.
fn panel_of(game: &str, named: &[String]) -> Result<Vec<String>, Error> {
    let house: Vec<&str> = house_bots(game).map(|bot| bot.name).collect();
    if named.is_empty() && house.is_empty() {
        return Err(Error::input("this game has no house bots: name the panel with --panel"));
    }
    let chosen = if named.is_empty() { house.clone() } else { named.iter().map(String::as_str).collect() };
    let mut panel: Vec<String> = Vec::new();
    for bot in chosen {
        if panel.iter().any(|other| name_of(other) == name_of(bot)) {
            return Err(Error::input(format!("two bots of the panel are called {}", name_of(bot))));
        }
        panel.push(match (house.contains(&bot), bot.contains('/')) {
            (true, _) => format!("house:{bot}"),
            (false, true) => bot.to_owned(),
            (false, false) => {
                let what = format!(
                    "no house bot of {game} is called {bot} (there are: {}); a program is named by its path from the \
                     folder of the class, such as staff/{bot}",
                    house.join(", ")
                );
                return Err(Error::input(what));
            }
        });
    }
    Ok(panel)
}

/// Enters the house bots of the panel, and says how the others are entered.
fn enter_panel(
    context: &Context,
    hill: &Hill,
    class: &ClassSettings,
    host: HostOptions,
) -> anyhow::Result<()> {
    let setup = host.setup_on(context, hill)?;
    for bot in &class.panel {
        match bot.strip_prefix("house:") {
            Some(house) => say(submit(context, hill, house, HowSubmitted::default(), &setup)?.message),
            None => say(format!(
                "Copy a program to {0}/{bot}. Let it play on the hill, unless it is hidden: referee hill submit {0} {0}/{bot}",
                shell(hill.root())
            )),
        }
    }
    Ok(())
}
