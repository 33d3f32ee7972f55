//! `referee tournament script`: prints a job file for a cluster's engine, which then plays a tournament in shards. It
//! submits nothing.

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::{Args, Subcommand};
use referee_contest::batch::missing;
use referee_contest::batch::ranges::Missing;
use referee_contest::plan::{self, Plan};
use referee_record::error::Error;

use crate::{say, shell};

/// Print a job file that plays the remaining games of a tournament in shards. Nothing is submitted.
///
/// The tournament's folder, and the referee in its store, must be reachable from every machine under the same path.
#[derive(Debug, Subcommand)]
pub(crate) enum Script {
    /// A Slurm job array, which stops before the time limit and is queued again until all games are played
    Slurm(Slurm),
    /// A HyperQueue task array
    Hq(Hq),
    /// A line for GNU parallel, on one machine or many
    Parallel(Parallel),
    /// A Kubernetes Indexed Job
    K8s(K8s),
}

/// Options of every engine.
#[derive(Debug, Args)]
struct Common {
    /// The tournament's folder
    #[arg(long, value_name = "T")]
    dir: PathBuf,
    /// Number of shards: 4 to 16 for each machine
    #[arg(long, value_name = "N", value_parser = crate::number::count)]
    n: u32,
}

/// A task's share of a machine, its time limit, and further options of the engine.
#[derive(Debug, Args)]
struct Task {
    /// Cores for each task [default: a whole machine]
    #[arg(long, value_name = "C", value_parser = crate::number::jobs)]
    cpus: Option<u16>,
    /// Time limit of a task, such as 90m, 2h or 02:30:00 [default: none, or the site's]
    #[arg(long, value_name = "TIME", value_parser = crate::number::time)]
    time_limit: Option<u64>,
    /// A further option for the engine, such as --directive=--mail-type=END; can be given several times
    #[arg(long, value_name = "OPTION", allow_hyphen_values = true)]
    directive: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Slurm {
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    task: Task,
    /// The partition to submit to [default: the site's]
    #[arg(long, value_name = "NAME")]
    partition: Option<String>,
    /// The account that is charged [default: the user's own]
    #[arg(long, value_name = "NAME")]
    account: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Hq {
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    task: Task,
}

#[derive(Debug, Args)]
pub(crate) struct Parallel {
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    task: Task,
}

#[derive(Debug, Args)]
pub(crate) struct K8s {
    #[command(flatten)]
    common: Common,
    /// A Linux image in which the referee and the bots can run
    #[arg(long)]
    image: String,
    /// The claim of the volume with the tournament's folder, writable from many nodes (ReadWriteMany)
    #[arg(long, value_name = "NAME")]
    claim: String,
    /// The tournament's folder inside the containers
    #[arg(long, value_name = "PATH", default_value = "/tournament")]
    mount: PathBuf,
    /// Cores for each task, and games at a time
    #[arg(long, value_name = "C", default_value_t = 4, value_parser = crate::number::jobs)]
    cpus: u16,
    /// Time limit of a task, after which it is stopped and tried again [default: none]
    #[arg(long, value_name = "TIME", value_parser = crate::number::time)]
    time_limit: Option<u64>,
    /// Memory of each container in MiB [default: well above the limits of all its bots together]
    #[arg(long, value_name = "MIB", value_parser = crate::number::whole::<u64>(0..=u64::MAX))]
    memory: Option<u64>,
}

impl Script {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let text = match &self {
            Script::Slurm(slurm) => slurm.text()?,
            Script::Hq(hq) => hq.text()?,
            Script::Parallel(parallel) => parallel.text()?,
            Script::K8s(k8s) => k8s.text()?,
        };
        say(text.trim_end());
        Ok(())
    }
}

/// A tournament to be played in shards.
struct Job {
    plan: Plan,
    /// The tournament's folder, from `/`.
    dir: PathBuf,
    n: u32,
    /// Shards with something left to play.
    left: Missing,
}

impl Common {
    fn job(&self) -> anyhow::Result<Job> {
        let plan = plan::open(&self.dir)?;
        // Not canonical: other machines may know the folder only by this path, with its links.
        let dir = std::path::absolute(&self.dir).context("the tournament's folder")?;
        if dir.to_string_lossy().contains(['\n', '\r']) {
            return Err(Error::input(
                "a path with a line break cannot be written into a job file".to_owned(),
            )
            .into());
        }
        let left = missing(&plan).shards(self.n as usize);
        if left.0.is_empty() {
            let again = format!("referee tournament merge --dir {}", shell(&self.dir));
            return Err(Error::input(format!(
                "all batches are committed, nothing is left to play; next: {again}"
            ))
            .into());
        }
        Ok(Job { plan, dir, n: self.n, left })
    }
}

impl Job {
    /// Fills in a template: first the words for all engines, then `more`, which overrides them.
    fn fill(&self, template: &str, more: &[(&str, String)]) -> String {
        let plan::Contents { name, round, games, batches, .. } = &self.plan.contents;
        let n = self.n;
        let mut words = vec![
            ("TITLE", format!("{name}, round {round}: {games} games in {batches} batches, by {n} shards")),
            ("N", n.to_string()),
            ("STATUS", format!("referee tournament status --dir {} --n {n}", shell(&self.dir))),
            ("MERGE", format!("{} tournament merge --dir {}", self.referee(), shell(&self.dir))),
            ("NAME", format!("referee-{name}")),
            ("ARRAY", self.left.to_string()),
            ("REFEREE", self.referee()),
            ("DIR", shell(&self.dir)),
        ];
        for (name, text) in more {
            words.retain(|(other, _)| other != name);
            words.push((name, text.clone()));
        }
        filled(template, &words)
    }

    /// The referee that the plan is for, in the tournament's store.
    fn referee(&self) -> String {
        shell(&self.dir.join(self.plan.referee_in_store()))
    }

    /// Returns the path of a file in the tournament's folder for an engine to write, as a directive takes it. Engines
    /// replace parts of its name.
    fn output(&self, name: &str) -> String {
        let dir = self.dir.display().to_string();
        if shell(&self.dir) == dir { format!("{dir}/{name}") } else { shell(&self.dir.join(name)) }
    }
}

/// Replaces `@NAME@` by words, and `@@` by `@`. Leaves out a line of words that are all empty.
fn filled(template: &str, words: &[(&str, String)]) -> String {
    let mut text = String::new();
    for line in template.lines() {
        let before = text.len();
        let mut rest = line;
        while let Some((plain, after)) = rest.split_once('@') {
            text.push_str(plain);
            let (name, after) = after.split_once('@').expect("a word is between two signs");
            let word = words.iter().find(|(other, _)| *other == name).map(|(_, word)| &**word);
            text.push_str(word.unwrap_or(if name.is_empty() { "@" } else { name }));
            rest = after;
        }
        text.push_str(rest);
        if line.is_empty() || text.len() > before {
            text.push('\n');
        }
    }
    text
}

fn lines(start: &str, options: impl IntoIterator<Item = String>) -> String {
    let lines = options.into_iter().map(|option| format!("{start} {option}"));
    lines.collect::<Vec<String>>().join("\n")
}

/// Seconds before the end of their time at which runners stop by themselves.
const LEAD: u64 = 120;

/// Returns the runner's options. With a time limit it begins no game in the last minutes, so that it ends by itself.
fn options(time_limit: Option<u64>, jobs: Option<u16>) -> String {
    let time = time_limit.map(|seconds| format!(" --max-seconds {}", seconds - lead(seconds)));
    let jobs = jobs.map(|jobs| format!(" --jobs {jobs}"));
    time.into_iter().chain(jobs).collect()
}

fn lead(seconds: u64) -> u64 {
    LEAD.min(seconds / 2)
}

fn no_line_breaks<'a>(options: impl IntoIterator<Item = &'a String>) -> Result<(), Error> {
    match options.into_iter().find(|option| option.contains(['\n', '\r'])) {
        Some(option) => Err(Error::input(format!("{option:?}: an option for an engine is one line"))),
        None => Ok(()),
    }
}

impl Slurm {
    fn text(&self) -> anyhow::Result<String> {
        let Slurm { common, task, partition, account } = self;
        no_line_breaks(task.directive.iter().chain(partition).chain(account))?;
        let job = common.job()?;
        let room = match task.cpus {
            None => lines("#SBATCH", ["--exclusive".to_owned(), "--mem=0".to_owned()]),
            Some(cpus) => lines("#SBATCH", [format!("--cpus-per-task={cpus}")]),
        };
        let time = task.time_limit.map(|seconds| {
            let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
            format!("--time={hours:02}:{minutes:02}:{seconds:02}")
        });
        let partition = partition.iter().map(|name| format!("--partition={name}"));
        let account = account.iter().map(|name| format!("--account={name}"));
        let more = partition.chain(account).chain(time).chain(task.directive.iter().cloned());
        let merge = format!("{} tournament merge --dir {}", job.referee(), shell(&job.dir));
        Ok(job.fill(
            include_str!("slurm.sh"),
            &[
                ("MERGE", shell(Path::new(&merge))),
                ("ROOM", room),
                ("LEAD", task.time_limit.map_or(LEAD, lead).to_string()),
                ("OUTPUT", job.output("slurm-%A_%a.out")),
                ("DIRECTIVES", lines("#SBATCH", more)),
            ],
        ))
    }
}

impl Hq {
    fn text(&self) -> anyhow::Result<String> {
        let Hq { common, task } = self;
        no_line_breaks(&task.directive)?;
        let job = common.job()?;
        let cpus = task.cpus.map_or("--cpus=all".to_owned(), |cpus| format!("--cpus={cpus}"));
        let time = task.time_limit.map(|seconds| format!("--time-limit={seconds}s"));
        let more = time.into_iter().chain(task.directive.iter().cloned());
        Ok(job.fill(
            include_str!("hq.sh"),
            &[
                ("ROOM", lines("#HQ", [cpus])),
                ("OUTPUT", job.output("hq-%{JOB_ID}-%{TASK_ID}.out")),
                ("DIRECTIVES", lines("#HQ", more)),
                ("OPTIONS", options(task.time_limit, task.cpus)),
            ],
        ))
    }
}

impl Parallel {
    fn text(&self) -> anyhow::Result<String> {
        let Parallel { common, task } = self;
        no_line_breaks(&task.directive)?;
        let job = common.job()?;
        let shards = job.left.0.iter().map(|range| match range.end() - range.start() {
            0 => range.start().to_string(),
            _ => format!("$(seq {} {})", range.start(), range.end()),
        });
        let more = task.directive.iter().map(|option| format!(" {}", shell(Path::new(option))));
        Ok(job.fill(
            include_str!("parallel.sh"),
            &[
                ("ARRAY", shards.collect::<Vec<String>>().join(" ")),
                ("OUTPUT", job.output("parallel.log")),
                ("DIRECTIVES", more.collect()),
                ("OPTIONS", options(task.time_limit, task.cpus)),
            ],
        ))
    }
}

/// Memory that a container needs beside its bots, in MiB.
const OWN_MIB: u64 = 512;

impl K8s {
    fn text(&self) -> anyhow::Result<String> {
        let K8s { common, image, claim, mount, cpus, time_limit, memory } = self;
        let job = common.job()?;
        let seats = job.plan.seats_max() as u64;
        let games = u64::from(*cpus);
        let bot = job.plan.contents.limits.resident_mib();
        let bots = bot.saturating_mul(seats * games);
        let memory = memory.unwrap_or(bots.saturating_add(bots / 8).saturating_add(OWN_MIB));
        if memory <= bots {
            let what = format!(
                "{memory} MiB is not above the limits of all bots together ({bots} MiB): one bot out of \
                 memory would end all of them"
            );
            return Err(Error::input(what).into());
        }
        let yaml = |text: &str| serde_json::to_string(text); // JSON's texts are YAML's, too
        let (mount, n) = (mount.to_string_lossy().into_owned(), job.n);
        let referee = Path::new(&mount).join(job.plan.referee_in_store());
        let (referee, shard) = (referee.to_string_lossy(), format!("auto/{n}"));
        let options = options(*time_limit, Some(*cpus));
        let command = [&*referee, "tournament", "run", "--dir", &mount, "--shard", &shard];
        let command = command.into_iter().chain(options.split_whitespace());
        let command: Vec<String> = command
            .map(|word| Ok(format!("            - {}", yaml(word)?)))
            .collect::<anyhow::Result<_>>()?;
        // As Kubernetes wants names: small letters, digits and hyphens, the last of them no hyphen.
        let name = format!("referee-{}", job.plan.contents.name.to_lowercase().replace('_', "-"));
        Ok(job.fill(
            include_str!("k8s.yaml"),
            &[
                ("NAME", name.trim_end_matches('-').to_owned()),
                ("MERGE", format!("referee tournament merge --dir {}", shell(&job.dir))),
                ("IMAGE", yaml(image)?),
                ("CLAIM", yaml(claim)?),
                ("COMMAND", command.join("\n")),
                ("MOUNT", yaml(&mount)?),
                ("BOT", bot.to_string()),
                ("SEATS", seats.to_string()),
                ("JOBS", cpus.to_string()),
                ("MEMORY", memory.to_string()),
            ],
        ))
    }
}
