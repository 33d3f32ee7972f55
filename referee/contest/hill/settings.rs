//! `hill.toml`: the settings of a hill. The program writes it once; people can edit it.

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use serde::{Deserialize, Serialize};

use crate::admission::handed_in;
use crate::hill::Hill;
use crate::runner::tries::{LOST_BEHIND_MAX, LOST_MAX, LossSettings};
use crate::settings::SeedLine;
use crate::{publish, settings};
use referee_files::beneath::{self, Spot};
use referee_games::catalog::{self, Entry};
use referee_judge as judge;
use referee_record::error::Error;
use referee_record::file::Form;
use referee_rules::{Parameters, Seed, Value};
use referee_sandbox::{Choice, Limits};
use referee_statistics::bands::Bands;
use referee_statistics::rank_by::RankBy;
use referee_statistics::schedule::format::{Contest, Format};
use referee_statistics::stop_rule::{Method, StopRule, Until};
use referee_table::process::Timekeeping;

/// Settings of a hill for deals, capacity, authors, logs and verdicts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HillSettings {
    /// The format `rounds`, with its `deal`, its `block` and what counts. Its number of rounds has no meaning here.
    pub format: Format,
    /// Maximum number of bots: the last of the standings are dropped after a run.
    pub capacity: Option<u32>,
    /// Maximum number of bots of one author; 0 for any number.
    pub author_bots: u32,
    /// How logs are kept.
    pub log: Form,
    /// When a game is given up whose attempts are lost with their runner.
    pub losses: LossSettings,
    /// Whether spectators can follow a game while it is played.
    pub live: bool,
    /// The kinds of programs that can be submitted.
    pub bots: Bots,
    /// How it is found which bot is the best, unless a run sets another method.
    pub method: Method,
    /// What a new season is played for, unless a run asks for something else.
    pub until: Until,
    /// Whether, in a new season until ranked, bots leave the race once all their pairs are decided.
    pub racing: bool,
    /// In a new season until ranked: the bands, if it ends when that of each bot is known.
    pub bands: Option<Bands>,
}

/// The kinds of programs that can be submitted to a hill.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Bots {
    /// Any program, and modules of WebAssembly.
    #[default]
    Any,
    /// Only modules of WebAssembly, whose games anybody can repeat.
    Wasm,
}

/// The file as it is written.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    game: String,
    seed: SeedLine,
    #[serde(default = "auto")]
    sandbox: String,
    clock: Option<String>,
    #[serde(default)]
    interpreters: Vec<PathBuf>,
    deal: Option<toml::Value>,
    block: Option<toml::Value>,
    method: Option<String>,
    until: Option<String>,
    #[serde(default)]
    racing: bool,
    bands: Option<Bands>,
    rank_by: Option<toml::Value>,
    capacity: Option<u32>,
    author_seats: Option<u32>,
    #[serde(default)]
    author_bots: u32,
    program_mib: Option<toml::Value>,
    #[serde(default)]
    bots: Bots,
    #[serde(default)]
    compress: bool,
    lost_max: Option<u32>,
    lost_behind_max: Option<u32>,
    #[serde(default)]
    live: bool,
    #[serde(default)]
    parameters: toml::Table,
    #[serde(default)]
    limits: settings::LimitLines,
}

fn auto() -> String {
    Choice::Auto.name().to_owned()
}

impl HillSettings {
    /// Returns the rule of a season's verdict, unless a run sets another one.
    pub fn rule(&self) -> StopRule {
        self.rule_until(self.until)
    }

    /// Returns the rule of a season that is played for this, unless a run sets another one.
    pub fn rule_until(&self, until: Until) -> StopRule {
        let (method, bands) = match until {
            Until::Winner => (self.method, None),
            Until::Ranked => (until.method(), self.bands),
        };
        StopRule { until, method, bands, rank_by: self.format.rank_by(), ..StopRule::default() }
    }

    /// Returns the word for the games that a table plays in a round.
    pub(super) fn block(&self) -> String {
        let block = self.format.parameters().iter().find(|(name, _)| *name == "block");
        block.expect("rounds have a block").1.to_string()
    }

    /// Returns the first setting that does not suit this game, if there is one.
    fn fault(&self, entry: &'static Entry, parameters: &Parameters) -> Option<String> {
        let (parameters, authors) = (parameters.clone(), Vec::new());
        let contest = Contest { entry, parameters, entrants: 1, authors, seed: Seed(0), season: 1 };
        self.format.check(&contest).err().map(|error| error.to_string())
    }
}

impl Hill {
    /// Makes a hill.
    ///
    /// # Errors
    ///
    /// If there is a hill or a tournament already, the settings do not suit the game, or the system refuses.
    pub fn create(
        root: &Path,
        entry: &'static Entry,
        parameters: Parameters,
        seed: Seed,
        conduct: HillSettings,
    ) -> Result<Hill, Error> {
        let spot = settings_of(root);
        let path = spot.path();
        if spot.exists() {
            return Err(Error::file(path, "there is a hill already; choose another folder"));
        }
        if root.join("plan.toml").exists() {
            return Err(Error::file(root, "there is a tournament in it; choose another folder"));
        }
        if let Some(fault) = conduct.fault(entry, &parameters) {
            return Err(Error::file(path, fault));
        }
        beneath::create_folder(root)?;
        judge::keep(entry, root)?;
        let set = |name: &str| conduct.format.parameters().iter().find(|(known, _)| *known == name);
        let value = |name: &str| match set(name) {
            Some((_, Value::Word(word))) => format!("{word:?}"),
            Some((_, Value::Integer(number))) => number.to_string(),
            None => unreachable!("rounds have a deal, a block, seats of an author, and what counts"),
        };
        let line = |key: &str, set: Option<u32>, by_default: u32| match set {
            Some(number) => format!("{key} = {number}"),
            None => format!("# {key} = {by_default}"),
        };
        let mut text = format!(
            "# A hill: what is played here. See `referee hill --help`.\n\
             game = \"{}\"\n\
             # The random seed, which decides deals, seats and draws. Bots must not know it.\n\
             seed = \"{seed}\"\n\
             # How bots are confined: auto (the strictest that works), strict, landlock, off.\n\
             sandbox = \"{}\"\n\
             # What bots are charged: \"charged\", elapsed time minus time spent waiting for a core; \"serial\",\n\
             # the same with one bot thinking at a time; or \"wall\", elapsed time.\n\
             clock = \"charged\"\n\
             # Interpreters for scripts, besides those that PATH finds: programs, each shown to bots by itself,\n\
             # and folders (a virtual environment, a runtime), shown whole. You or root must own them, and nobody\n\
             # else may write to them.\n\
             interpreters = []\n\
             # Who meets whom: uniform (every deal is equally likely, which --until-clear requires), or balanced\n\
             # (opponents who have met least often are paired first).\n\
             deal = {}\n\
             # Games of a table: one-seating (one seating, rotated), 12, for tables of four (all three seatings,\n\
             # each rotated), or one-game (one game, seats drawn by lot).\n\
             block = {}\n\
             # How --until-clear reaches a verdict: betting (valid for any results), or asymptotic (sooner, but\n\
             # valid only if nothing that matters is rare).\n\
             method = \"{}\"\n\
             # What a new season is played for: clear (which bot is the best, or that some are equally good), or ranked\n\
             # (of each two bots, which is better, or that they differ by no more than epsilon).\n\
             until = \"{}\"\n\
             # With until = \"ranked\": whether bots whose pairs are all decided sit out, which saves games.\n\
             racing = {}\n\
             # With until = \"ranked\": grade bands, best first, as parts of the field or numbers of places. The season ends\n\
             # when each bot's band is known, which takes fewer games than all places.\n\
             {}\n\
             # What counts for ranks and verdicts: score (the share of the score), place (the part of the opponents\n\
             # that a bot beats in a game), or win (1 for a win, divided by the number of winners).\n\
             rank_by = {}\n\
             # Maximum number of bots; after a run, bots leave whose ranks say that they are not among that many.\n\
             {}\n\
             # Maximum number of bots of one author (`submit --author`) at a table, and on the hill; 0: any number.\n\
             author_seats = {}\n\
             author_bots = {}\n\
             # The largest program that can be submitted, in MiB.\n\
             program_mib = {}\n\
             # What can be submitted: any program (\"any\"), or only WebAssembly (\"wasm\"): anybody can then repeat\n\
             # the games with the bots themselves.\n\
             bots = {}\n\
             # Whether logs are compressed as they are written: .csv.gz, a third to a tenth of the size.\n\
             compress = {}\n\
             # Attempts at a game that are lost with their runner, after which it is given up; 0: never;\n\
             # by default 10, in weaker tiers than strict 2.\n\
             {}\n\
             # The same for lost attempts whose logs tell the scores, if the same bot alone was last in all of them;\n\
             # 0: never; by default 3.\n\
             {}\n\
             # Whether `referee serve` can show a game while it is played, a turn late.\n\
             live = {}\n\n[parameters]\n",
            entry.name,
            Choice::Auto,
            value("deal"),
            value("block"),
            conduct.method,
            conduct.until.of_hill(),
            conduct.racing,
            conduct.bands.map_or("# bands = [0.1, 0.3, 0.6]".to_owned(), |bands| {
                format!("bands = [{}]", bands.to_string().replace(';', ", "))
            }),
            value(RankBy::KEY),
            conduct.capacity.map_or("# capacity = 16".to_owned(), |bots| format!("capacity = {bots}")),
            value("author_seats"),
            conduct.author_bots,
            handed_in::MIB,
            toml::Value::try_from(conduct.bots).expect("a word"),
            conduct.log == Form::Gzip,
            line("lost_max", conduct.losses.max, LOST_MAX),
            line("lost_behind_max", conduct.losses.behind_max, LOST_BEHIND_MAX),
            conduct.live,
        );
        for (parameter, (name, value)) in entry.parameters.iter().zip(parameters.iter()) {
            let value = match value {
                Value::Integer(number) => number.to_string(),
                Value::Word(word) => format!("{word:?}"),
            };
            text += &format!("{name} = {value} # {} ({})\n", parameter.help, parameter.kind);
        }
        let limits = Limits::default();
        text += "\n# What each bot may use; cpu_seconds = 0: three times what the game gives it.\n[limits]\n";
        text += &toml::to_string(&limits).expect("whole numbers");
        publish::replace(path, text.as_bytes())?;
        Hill::open(root)
    }

    /// Tells whether a folder is a hill, or was one that has lost its settings.
    pub fn is_at(root: &Path) -> bool {
        settings_of(root).exists() || is_left_of_hill(root)
    }

    /// Opens a hill.
    ///
    /// # Errors
    ///
    /// If the folder is not a hill, or its settings are wrong: names the line.
    pub fn open(root: &Path) -> Result<Hill, Error> {
        let spot = settings_of(root);
        let path = spot.path();
        let text = spot.read_text(settings::FILE_MAX).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound if root.join("plan.toml").exists() => {
                Error::file(root, "a tournament, not a hill: see `referee tournament --help`")
            }
            std::io::ErrorKind::NotFound if is_left_of_hill(root) => {
                Error::file(path, "missing, but bots were submitted to this hill: put it back")
            }
            std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory => {
                Error::file(root, "not a hill: there is no hill.toml in it; make one with `referee hill new`")
            }
            _ => Error::system(path, "read the hill's settings")(error),
        })?;
        let settings: Settings =
            toml::from_str(&text).map_err(|error| settings::unreadable(path, &text, &error))?;
        let wrong = |key: &str, what: String| Error::line(path, settings::line_of_key(&text, key), what);
        let entry = catalog::find(&settings.game).map_err(|error| wrong("game", error.to_string()))?;
        let seed = settings.seed.seed().map_err(|what| wrong("seed", what))?;
        let mut parameters = Parameters::defaults(entry.parameters);
        for (name, value) in &settings.parameters {
            settings::set(&mut parameters, name, value).map_err(|what| wrong(name, what))?;
        }
        let sandbox = settings.sandbox.parse().map_err(|error| wrong("sandbox", format!("{error}")))?;
        settings::interpreters(&settings.interpreters).map_err(|what| wrong("interpreters", what))?;
        let timekeeping = match settings.clock {
            None => Timekeeping::default(),
            Some(word) => settings::clock(&word).map_err(|what| wrong("clock", what))?,
        };
        let mut conduct = HillSettings {
            capacity: settings.capacity,
            author_bots: settings.author_bots,
            log: Form::compressed_if(settings.compress),
            losses: LossSettings { max: settings.lost_max, behind_max: settings.lost_behind_max },
            live: settings.live,
            bots: settings.bots,
            racing: settings.racing,
            bands: settings.bands,
            ..HillSettings::default()
        };
        let author_seats = settings.author_seats.map(|seats| toml::Value::Integer(seats.into()));
        let dealt = [
            ("deal", settings.deal),
            ("block", settings.block),
            ("author_seats", author_seats),
            (RankBy::KEY, settings.rank_by),
        ];
        for (name, value) in dealt {
            let Some(value) = value else { continue };
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            conduct.format.set(name, &text).map_err(|error| wrong(name, error.to_string()))?;
        }
        if let Some(word) = settings.method {
            conduct.method = word.parse().map_err(|what| wrong("method", what))?;
            let rule = conduct.rule_until(Until::Winner);
            rule.fault().map_or(Ok(()), |what| Err(wrong("method", what)))?;
        }
        if let Some(word) = settings.until {
            conduct.until = Until::by_hill(&word).map_err(|what| wrong("until", what))?;
        }
        if conduct.bands.is_some() && conduct.until != Until::Ranked {
            return Err(wrong("bands", "bands are for until = \"ranked\": leave them out".to_owned()));
        }
        if conduct.racing && conduct.until != Until::Ranked {
            return Err(wrong("racing", "racing is for until = \"ranked\": leave it out".to_owned()));
        }
        if let Some(fault) = conduct.fault(entry, &parameters) {
            return Err(wrong("block", fault));
        }
        if conduct.capacity.is_some_and(|bots| bots < 2) {
            return Err(wrong("capacity", "capacity must be at least 2".to_owned()));
        }
        let program_mib = settings::program_mib(settings.program_mib.as_ref())
            .map_err(|what| wrong("program_mib", what))?;
        let limits = settings::limits(&settings.limits)
            .map_err(|(span, what)| Error::line(path, settings::line_at(&text, span.start), what))?;
        let (root, span) = (root.to_owned(), Mutex::new(None));
        let interpreters = settings.interpreters;
        Ok(Hill {
            root,
            entry,
            parameters,
            seed,
            sandbox,
            interpreters,
            limits,
            timekeeping,
            settings: conduct,
            program_mib,
            span,
        })
    }
}

fn settings_of(root: &Path) -> Spot {
    Spot::below(root, "hill.toml")
}

/// Tells whether a folder has the other files of a hill.
fn is_left_of_hill(root: &Path) -> bool {
    ["entrants.csv", "seasons.csv"].iter().any(|name| Spot::below(root, name).exists())
}
