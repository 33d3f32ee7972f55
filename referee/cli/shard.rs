//! The shard of this runner: named on the command line, or taken from the job array that started it.

use std::str::FromStr;

use referee_contest::batch::shard::Shard;
use referee_record::error::Error;

/// A shard as the command line names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShardChoice {
    /// This one.
    Given(Shard),
    /// One of this number of shards: the one that the engine's variable names.
    Auto(usize),
}

/// A program that starts the tasks of an array, and numbers them by a variable of the environment.
struct Engine {
    variable: &'static str,
    /// The number of the first task.
    first: usize,
    /// Returns the words by which a user asks for an array, from the numbers of its first and last task.
    array: fn(usize, usize) -> String,
}

const ENGINES: [Engine; 7] = [
    Engine { variable: "SLURM_ARRAY_TASK_ID", first: 0, array: |k, n| format!("sbatch --array={k}-{n}") },
    Engine { variable: "HQ_TASK_ID", first: 0, array: |k, n| format!("hq submit --array={k}-{n}") },
    Engine {
        variable: "JOB_COMPLETION_INDEX",
        first: 0,
        array: |_, n| format!("completionMode: Indexed and completions: {}", n + 1),
    },
    Engine { variable: "PBS_ARRAY_INDEX", first: 0, array: |k, n| format!("qsub -J {k}-{n}") },
    Engine { variable: "SGE_TASK_ID", first: 1, array: |k, n| format!("qsub -t {k}-{n}") },
    Engine { variable: "LSB_JOBINDEX", first: 1, array: |k, n| format!("bsub -J \"referee[{k}-{n}]\"") },
    Engine { variable: "PARALLEL_SEQ", first: 1, array: |k, n| format!("parallel ... ::: $(seq {k} {n})") },
];

impl FromStr for ShardChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<ShardChoice, String> {
        let Some(count) = text.strip_prefix("auto/") else {
            return text.parse().map(ShardChoice::Given).map_err(|error| format!("{error}, or auto/n"));
        };
        match count.parse() {
            Ok(count) if count > 0 => Ok(ShardChoice::Auto(count)),
            _ => Err(format!("not a shard: {text:?} (auto/n, where n is the number of shards)")),
        }
    }
}

impl ShardChoice {
    /// Finds out which shard this runner plays.
    ///
    /// # Errors
    ///
    /// If no variable names the shard. The error names the variable and the remedy.
    pub fn shard(self) -> Result<Shard, Error> {
        match self {
            ShardChoice::Given(shard) => Ok(shard),
            ShardChoice::Auto(count) => {
                let value =
                    |name: &str| std::env::var_os(name).map(|value| value.to_string_lossy().into_owned());
                numbered(count, value).map_err(|what| Error::input(format!("--shard auto/{count}: {what}")))
            }
        }
    }
}

/// Returns the shard on which the variables agree that are set. `value` returns the value of a variable.
///
/// # Errors
///
/// If none is set, or one names no shard, or two do not agree. The error names them and the remedy.
pub fn numbered(count: usize, value: impl Fn(&str) -> Option<String>) -> Result<Shard, String> {
    let outright = format!("say which shard it is, from --shard 0/{count} to {}/{count}", count - 1);
    // The variable that was found first, its value and the shard that it names.
    let mut first: Option<(&str, String, usize)> = None;
    for engine in &ENGINES {
        let Some(text) = value(engine.variable).filter(|text| !text.is_empty()) else { continue };
        let number = engine.number(&text, count)?;
        match &first {
            Some((variable, first_text, first_number)) if *first_number != number => {
                return Err(format!(
                    "{variable} = {first_text} is shard {first_number}, but {} = {text} is shard {number}: unset the \
                     wrong one, or {outright}",
                    engine.variable
                ));
            }
            Some(_) => {}
            None => first = Some((engine.variable, text, number)),
        }
    }
    match first {
        Some((.., number)) => Ok(Shard { number, count }),
        None => {
            let names = ENGINES.map(|engine| engine.variable).join(", ");
            Err(format!(
                "none of the variables of job arrays is set ({names}): start it in a job array (see `referee docs \
                 cluster`), or {outright}"
            ))
        }
    }
}

impl Engine {
    fn number(&self, text: &str, count: usize) -> Result<usize, String> {
        let Engine { variable, first, array } = self;
        let array = array(*first, *first + count - 1);
        let Ok(task) = text.parse::<usize>() else {
            return Err(format!(
                "{variable} is {text:?}, not the number of a task: is this a job array? ({array})"
            ));
        };
        match task.checked_sub(*first) {
            Some(number) if number < count => Ok(number),
            _ => Err(format!(
                "{variable} is {task}, but the tasks of {count} shards are {first} to {}: submit with {array}, or give the \
                 n that the array was made for",
                first + count - 1
            )),
        }
    }
}
