//! The shard of this runner: named on the command line, or taken from the job array that started it.

use std::fmt;
use std::str::FromStr;

use referee_contest::batch::shard::Shard;
use referee_record::error::Error;

/// A shard as the command line names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ShardChoice {
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
    /// How a user asks for an array, by the numbers of its first and last task.
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
        let Some(of) = text.strip_prefix("auto/") else {
            return text.parse().map(ShardChoice::Given).map_err(|error| format!("{error}, or auto/n"));
        };
        match of.parse() {
            Ok(of) if of > 0 => Ok(ShardChoice::Auto(of)),
            _ => Err(format!("not a shard: {text:?} (auto/n, where n is the number of shards)")),
        }
    }
}

impl fmt::Display for ShardChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ShardChoice::Given(shard) => shard.fmt(f),
            ShardChoice::Auto(of) => write!(f, "auto/{of}"),
        }
    }
}

impl ShardChoice {
    /// Finds out which shard this runner plays.
    ///
    /// # Errors
    ///
    /// If no variable names the shard. The error names the variable and the remedy.
    pub(super) fn shard(self) -> Result<Shard, Error> {
        match self {
            ShardChoice::Given(shard) => Ok(shard),
            ShardChoice::Auto(of) => {
                let value =
                    |name: &str| std::env::var_os(name).map(|value| value.to_string_lossy().into_owned());
                numbered(of, value).map_err(|what| Error::input(format!("--shard auto/{of}: {what}")))
            }
        }
    }
}

/// Finds the variables that are set, and the shard on which they agree.
fn numbered(of: usize, value: impl Fn(&str) -> Option<String>) -> Result<Shard, String> {
    let outright = format!("say which shard it is, from --shard 0/{of} to {}/{of}", of - 1);
    let mut found: Option<(&Engine, String, usize)> = None;
    for engine in &ENGINES {
        let Some(text) = value(engine.variable).filter(|text| !text.is_empty()) else { continue };
        let number = engine.number(&text, of)?;
        match &found {
            Some((other, said, before)) if *before != number => {
                return Err(format!(
                    "{} = {said} is shard {before}, but {} = {text} is shard {number}: unset the wrong \
                     one, or {outright}",
                    other.variable, engine.variable
                ));
            }
            Some(_) => {}
            None => found = Some((engine, text, number)),
        }
    }
    match found {
        Some((_, _, number)) => Ok(Shard { number, of }),
        None => {
            let names = ENGINES.map(|engine| engine.variable).join(", ");
            Err(format!(
                "none of the variables of job arrays is set ({names}): start it in a job array (see `referee tournament script`), or {outright}"
            ))
        }
    }
}

impl Engine {
    fn number(&self, text: &str, of: usize) -> Result<usize, String> {
        let Engine { variable, first, array } = self;
        let array = array(*first, *first + of - 1);
        let Ok(task) = text.parse::<usize>() else {
            return Err(format!(
                "{variable} is {text:?}, not the number of a task: is this a job array? ({array})"
            ));
        };
        match task.checked_sub(*first) {
            Some(number) if number < of => Ok(number),
            _ => Err(format!(
                "{variable} is {task}, but the tasks of {of} shards are {first} to {}: submit with {array}, or give the n that the array was made for",
                first + of - 1
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(variables: &[(&str, &str)], of: usize) -> Result<usize, String> {
        let value = |name: &str| {
            let found = variables.iter().find(|(variable, _)| *variable == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        numbered(of, value).map(|shard| shard.number)
    }

    #[test]
    fn each_engine_numbers_its_tasks_in_its_own_way() {
        for variable in ["SLURM_ARRAY_TASK_ID", "HQ_TASK_ID", "JOB_COMPLETION_INDEX", "PBS_ARRAY_INDEX"] {
            assert_eq!(with(&[(variable, "0")], 16), Ok(0), "{variable}");
            assert_eq!(with(&[(variable, "15")], 16), Ok(15), "{variable}");
            assert!(with(&[(variable, "16")], 16).is_err_and(|what| what.contains(variable)), "{variable}");
        }
        for variable in ["SGE_TASK_ID", "LSB_JOBINDEX", "PARALLEL_SEQ"] {
            assert_eq!(with(&[(variable, "1")], 16), Ok(0), "{variable}");
            assert_eq!(with(&[(variable, "16")], 16), Ok(15), "{variable}");
            assert!(with(&[(variable, "0")], 16).is_err_and(|what| what.contains(variable)), "{variable}");
            assert!(with(&[(variable, "17")], 16).is_err_and(|what| what.contains(variable)), "{variable}");
        }
    }

    #[test]
    fn what_does_not_say_which_shard_is_named_with_the_remedy() {
        let none = with(&[("SLURM_ARRAY_TASK_ID", "")], 4).unwrap_err();
        assert!(ENGINES.iter().all(|engine| none.contains(engine.variable)), "{none}");
        assert!(none.contains("--shard 0/4 to 3/4"), "{none}");

        let past = with(&[("SGE_TASK_ID", "5")], 4).unwrap_err();
        assert!(past.contains("SGE_TASK_ID is 5") && past.contains("qsub -t 1-4"), "{past}");
        let no_array = with(&[("SGE_TASK_ID", "undefined")], 4).unwrap_err();
        assert!(
            no_array.contains("SGE_TASK_ID is \"undefined\"") && no_array.contains("qsub -t 1-4"),
            "{no_array}"
        );

        let two = with(&[("SLURM_ARRAY_TASK_ID", "2"), ("PARALLEL_SEQ", "2")], 4).unwrap_err();
        assert!(two.contains("SLURM_ARRAY_TASK_ID = 2 is shard 2, but PARALLEL_SEQ = 2 is shard 1"), "{two}");
        assert_eq!(with(&[("SLURM_ARRAY_TASK_ID", "2"), ("PARALLEL_SEQ", "3")], 4), Ok(2));
    }

    #[test]
    fn a_shard_is_said_outright_or_left_to_the_engine() {
        assert_eq!("3/4".parse(), Ok(ShardChoice::Given(Shard { number: 3, of: 4 })));
        assert_eq!("auto/4".parse(), Ok(ShardChoice::Auto(4)));
        for wrong in ["4/4", "auto", "auto/", "auto/0", "auto/x", "Auto/4", "/4"] {
            assert!(wrong.parse::<ShardChoice>().is_err(), "{wrong}");
        }
    }
}
