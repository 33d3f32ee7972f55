//! Words of the command line: numbers and shards.

use referee_cli::number::{fraction, whole};
use referee_cli::shard::{ShardChoice, numbered};
use referee_contest::batch::shard::Shard;

use crate::called::Calls;
use crate::support::Place;

/// The variables that number the tasks of job arrays.
const VARIABLES: [&str; 7] = [
    "SLURM_ARRAY_TASK_ID",
    "HQ_TASK_ID",
    "JOB_COMPLETION_INDEX",
    "PBS_ARRAY_INDEX",
    "SGE_TASK_ID",
    "LSB_JOBINDEX",
    "PARALLEL_SEQ",
];

#[test]
fn what_is_wrong_with_a_number_is_said_in_plain_words() {
    let wrong = |word: &str| whole::<u16>(2..=9)(word).unwrap_err();
    assert_eq!(whole::<u16>(2..=9)("9"), Ok(9));
    assert_eq!(wrong("abc"), "not a whole number");
    assert_eq!((wrong("1"), wrong("-1")), ("must be at least 2".to_owned(), "must be at least 2".to_owned()));
    assert_eq!(
        (wrong("10"), wrong("1e9")),
        ("must be at most 9".to_owned(), "not a whole number".to_owned())
    );
    assert_eq!(wrong("18446744073709551616"), "must be at most 9");
    assert_eq!(fraction("x"), Err("not a number".to_owned()));
}

fn with(variables: &[(&str, &str)], of: usize) -> Result<usize, String> {
    let value = |name: &str| {
        let found = variables.iter().find(|(variable, _)| *variable == name);
        found.map(|(_, value)| (*value).to_owned())
    };
    numbered(of, value).map(|shard| shard.number)
}

#[test]
fn each_engine_numbers_its_tasks_in_its_own_way() {
    let (from_0, from_1) = VARIABLES.split_at(4);
    for variable in from_0 {
        assert_eq!(with(&[(variable, "0")], 16), Ok(0), "{variable}");
        assert_eq!(with(&[(variable, "15")], 16), Ok(15), "{variable}");
        assert!(with(&[(variable, "16")], 16).is_err_and(|what| what.contains(variable)), "{variable}");
    }
    for variable in from_1 {
        assert_eq!(with(&[(variable, "1")], 16), Ok(0), "{variable}");
        assert_eq!(with(&[(variable, "16")], 16), Ok(15), "{variable}");
        assert!(with(&[(variable, "0")], 16).is_err_and(|what| what.contains(variable)), "{variable}");
        assert!(with(&[(variable, "17")], 16).is_err_and(|what| what.contains(variable)), "{variable}");
    }
}

#[test]
fn what_does_not_say_which_shard_is_named_with_the_remedy() {
    let none = with(&[("SLURM_ARRAY_TASK_ID", "")], 4).unwrap_err();
    assert!(none.contains(&VARIABLES.join(", ")), "{none}");
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
    assert_eq!("3/4".parse(), Ok(ShardChoice::Given(Shard { number: 3, count: 4 })));
    assert_eq!("auto/4".parse(), Ok(ShardChoice::Auto(4)));
    for wrong in ["4/4", "auto", "auto/", "auto/0", "auto/x", "Auto/4", "/4"] {
        assert!(wrong.parse::<ShardChoice>().is_err(), "{wrong}");
    }
}

#[test]
fn a_command_in_a_wrong_place_is_shown_where_it_is() {
    let place = Place::new();
    for (words, there) in [
        (&["submit", "h", "./fox"][..], "submit is no command here; there is `referee hill submit`"),
        (&["fairness", "h"], "there is `referee tournament fairness` and `referee hill fairness`"),
        (&["hill", "audit", "h"], "there is `referee audit`"),
    ] {
        place.call(words).with_status(2).complaining(&[there]);
    }
    place.call(&["subbmit"]).with_status(2).complaining(&["unrecognized subcommand"]);
}
