//! Files for engines: their printed form, and the result of tasks that they start.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use referee_contest::plan;
use rustix::process::{Pid, Signal, kill_process};
use yaml_rust2::{Yaml, YamlLoader};

use crate::called::Calls;
use crate::support::{FAULTY, Place, Ran, comes_true, files_below};

use super::{FILE, ended, entrants, guests, plan as plan_it, plan_by_call, planned};

/// Prints the file for an engine.
fn script(place: &Place, engine: &str, more: &[&str]) -> String {
    let words = [&["tournament", "script", engine, "--dir", "T", "--n", "4"], more].concat();
    place.call(&words).with_status(0).out
}

/// Without the parts that differ from test to test.
fn shown(place: &Place, text: &str) -> String {
    let build = plan::open(&place.path("T")).expect("a plan").contents.build;
    let root = place.path("").to_string_lossy().trim_end_matches('/').to_owned();
    text.replace(&format!("{}/{build}", &build[..2]), "RE/REFEREE").replace(&root, "/games")
}

const K8S: [&str; 4] = ["--image", "debian:13", "--claim", "games"];

/// Writes a file for an engine, and makes sure that the shell can read it.
fn written(place: &Place, name: &str, text: &str) -> std::path::PathBuf {
    let path = place.path(name);
    fs::write(&path, text).expect("a file");
    let read = Command::new("bash").arg("-n").arg(&path).output().expect("bash");
    assert!(read.status.success() && read.stderr.is_empty(), "{read:?}\n{text}");
    path
}

#[test]
fn each_engine_is_given_a_file_of_its_own() {
    let place = Place::new();
    place.tournament_of_guests();
    for engine in ["slurm", "hq", "parallel"] {
        let text = script(&place, engine, &[]);
        written(&place, engine, &text);
        insta::assert_snapshot!(engine, shown(&place, &text));
    }
    insta::assert_snapshot!("k8s", shown(&place, &script(&place, "k8s", &K8S)));

    let options = ["--cpus", "3", "--time-limit", "1h 30m", "--directive=--first=1", "--directive=--second"];
    let of_slurm = [&options[..], &["--partition", "short", "--account", "games"]].concat();
    for (engine, options) in [("slurm", &of_slurm[..]), ("hq", &options), ("parallel", &options)] {
        let text = script(&place, engine, options);
        written(&place, engine, &text);
        let lines = text.lines().filter(|line| !line.starts_with("# "));
        let lines = lines.collect::<Vec<&str>>().join("\n");
        insta::assert_snapshot!(format!("{engine}-options"), shown(&place, &lines));
    }
}

#[test]
fn a_kubernetes_job_is_indexed_and_its_memory_is_above_that_of_all_bots() {
    let place = Place::new();
    place.tournament_of_guests();
    let options = [&K8S[..], &["--cpus", "2", "--time-limit", "2h", "--mount", "/the games"]].concat();
    let text = script(&place, "k8s", &options);
    let documents = YamlLoader::load_from_str(&text).expect("YAML");
    let [job] = &documents[..] else { panic!("one document: {text}") };
    let spec = &job["spec"];
    assert_eq!((job["kind"].as_str(), job["apiVersion"].as_str()), (Some("Job"), Some("batch/v1")));
    assert_eq!(spec["completionMode"].as_str(), Some("Indexed"));
    assert_eq!((spec["completions"].as_i64(), spec["backoffLimitPerIndex"].as_i64()), (Some(4), Some(5)));
    assert_eq!(spec["podReplacementPolicy"].as_str(), Some("TerminatingOrFailed"));
    assert!(spec["podFailurePolicy"].is_badvalue(), "it can block an index for ever");
    let pod = &spec["template"]["spec"];
    assert_eq!(pod["restartPolicy"].as_str(), Some("Never"), "else there is no limit per index");
    let container = &pod["containers"][0];
    let words = |list: &Yaml| -> Vec<String> {
        let words = list.as_vec().expect("a list").iter();
        words.map(|word| word.as_str().expect("a text").to_owned()).collect()
    };
    let command = words(&container["command"]);
    assert!(command[0].starts_with("/the games/store/"), "{command:?}");
    let due = [
        "tournament",
        "run",
        "--dir",
        "/the games",
        "--shard",
        "auto/4",
        "--max-seconds",
        "7080",
        "--jobs",
        "2",
    ];
    assert_eq!(command[1..], due);
    // Two games of four bots with 512, 8 and 16 MiB each: 4288, an eighth more, and 512.
    assert_eq!(container["resources"]["limits"]["memory"].as_str(), Some("5336Mi"));
    let little =
        [&["tournament", "script", "k8s", "--dir", "T", "--n", "4"], &K8S[..], &["--memory", "8192"]];
    place.call(&little.concat()).with_status(2).complaining(&["8192 MiB is not above the limits"]);
}

#[test]
fn all_limits_of_memory_count_for_a_container() {
    let place = Place::new();
    let limits = "[limits]\ndata_mib = 100\nstack_mib = 300\nfolder_mib = 600\n";
    let bots = guests(&place, &["one", "two", "three", "four"].map(|name| (name, "house still")));
    fs::write(place.path("short.toml"), format!("{FILE}{limits}{bots}")).expect("a file");
    plan_by_call(&place, "short.toml", "T");
    let options = [&K8S[..], &["--cpus", "2"]].concat();
    let text = script(&place, "k8s", &options);
    // Two games of four bots: 8,000, an eighth more, and 512.
    assert!(text.contains("9512Mi"), "{text}");
}

#[test]
fn only_what_is_missing_is_asked_for() {
    let place = Place::new();
    place.tournament_of_guests();
    place.call(&["tournament", "run", "--dir", "T", "--shard", "1/4"]).with_status(0);
    assert!(script(&place, "slurm", &[]).contains("\n#SBATCH --array=0,2-3\n"));
    assert!(script(&place, "hq", &[]).contains("\n#HQ --array=0,2-3\n"));
    assert!(script(&place, "parallel", &[]).ends_with(" ::: 0 $(seq 2 3)\n"));
    let status = place.call(&["tournament", "status", "--dir", "T", "--n", "4"]).with_status(0);
    assert!(
        status
            .out
            .contains("To play missing games, use --array=0,2-3 of 4 shards: referee tournament script"),
        "{status:?}"
    );
    let json = ["tournament", "status", "--dir", "T", "--n", "4", "--format", "json"];
    assert!(place.call(&json).with_status(0).out.contains(r#""array": "0,2-3""#));

    place.call(&["tournament", "run", "--dir", "T"]).with_status(0);
    let status = place.call(&["tournament", "status", "--dir", "T", "--n", "4"]).with_status(0);
    assert!(status.out.contains("Nothing is missing."), "{status:?}");
    let none = place.call(&["tournament", "script", "slurm", "--dir", "T", "--n", "4"]).with_status(2);
    none.complaining(&["nothing is left to play; next: referee tournament merge --dir T"]);
}

#[test]
fn what_an_engine_cannot_be_given_is_wrong_usage() {
    let place = Place::new();
    place.tournament_of_guests();
    let wrong: [(&[&str], &str); 6] = [
        (&["slurm", "--time-limit", "soon"], "not a length of time"),
        (&["slurm", "--directive=--one\n#SBATCH --two"], "an option for an engine is one line"),
        (&["hq", "--partition", "short"], "unexpected argument '--partition'"),
        (&["k8s", "--image", "debian:13"], "--claim"),
        (&["slurm", "--cpus", "0"], "must be at least 1"),
        (&["pbs"], "unrecognized subcommand 'pbs'"),
    ];
    for (words, complaint) in wrong {
        let words = [&["tournament", "script"], words, &["--dir", "T", "--n", "4"]].concat();
        place.call(&words).with_status(2).complaining(&[complaint]);
    }
}

/// Starts a script as an engine would. `scontrol` is a program that records its arguments.
fn task(place: &Place, path: &Path, variables: &[(&str, &str)]) -> Command {
    place.program("scontrol", format!("#!/bin/sh\necho \"$@\" >> {}\n", place.path("asked").display()));
    let mut command = Command::new("bash");
    let path_variable = format!("{}:{}", place.path("").display(), std::env::var("PATH").unwrap_or_default());
    command.arg(path).env("PATH", path_variable).env("TMPDIR", place.path("tmp")).env("SLURM_JOB_ID", "77");
    command.envs(variables.iter().copied()).stdin(Stdio::null());
    command
}

fn asked(place: &Place) -> String {
    fs::read_to_string(place.path("asked")).unwrap_or_default()
}

fn committed(place: &Place) -> Vec<String> {
    let names = files_below(&place.path("T/results"), "csv").into_iter();
    names.map(|path| path.file_stem().expect("a name").to_string_lossy().into_owned()).collect()
}

#[test]
fn a_task_of_an_array_plays_its_shard_from_wherever_it_is_started() {
    let place = Place::new();
    planned(&place);
    let slurm = written(&place, "slurm.sh", &script(&place, "slurm", &[]));
    let hq = written(&place, "hq.sh", &script(&place, "hq", &[]));
    let run = |path: &Path, variable: (&str, &str)| {
        let output = task(&place, path, &[variable]).current_dir("/").output().expect("bash");
        Ran::new(format!("{variable:?}"), &output).with_status(0);
    };
    run(&slurm, ("SLURM_ARRAY_TASK_ID", "2"));
    assert_eq!(committed(&place), ["0000002"]);
    run(&hq, ("HQ_TASK_ID", "0"));
    assert_eq!(committed(&place), ["0000000", "0000002"]);
    assert_eq!(asked(&place), "", "nothing is requeued");
    place.assert_nothing_stays();
}

#[test]
fn a_slurm_task_before_its_time_limit_is_queued_again_and_one_that_is_cancelled_is_not() {
    let place = Place::new();
    let slow = ["one", "two", "three"].map(|name| {
        format!(
            "[[entrant]]\nname = \"{name}\"\nprogram = \"{FAULTY}\"\narguments = [\"late\", \"--every\", \"1\", \"--ms\", \"20\"]\n"
        )
    });
    fs::write(place.path("slow.toml"), format!("{FILE}{}{}", slow.concat(), entrants(&[]))).expect("a file");
    plan_it(&place, "slow.toml", "T");
    let path = written(&place, "slurm.sh", &script(&place, "slurm", &["--time-limit", "2h"]));
    let cases = [
        (Signal::USR1, "0", 0, "requeue 77\n"),
        (Signal::USR1, "100", 75, "requeue 77\n"), // as often as that is enough
        (Signal::TERM, "0", 75, "requeue 77\n"),
    ];
    for (signal, restarts, status, asked_so_far) in cases {
        let before = ended(&place, "T");
        // With one game at a time the batch of eight is not over when the first is.
        let variables =
            [("SLURM_ARRAY_TASK_ID", "0"), ("SLURM_RESTART_COUNT", restarts), ("SLURM_CPUS_ON_NODE", "1")];
        let mut running = task(&place, &path, &variables)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("bash");
        assert!(comes_true(|| ended(&place, "T") > before), "a game ends");
        kill_process(Pid::from_child(&running), signal).expect("it runs");
        assert_eq!(running.wait().expect("its end").code(), Some(status), "{signal:?}");
        assert_eq!(asked(&place), asked_so_far, "{signal:?}");
        assert_eq!(committed(&place), [""; 0], "the batch was not done");
        place.assert_nothing_stays();
    }
}

#[test]
fn a_slurm_task_that_cannot_be_played_anywhere_is_not_queued_again() {
    let place = Place::new();
    planned(&place);
    let path = written(&place, "slurm.sh", &script(&place, "slurm", &[]));
    fs::write(place.path("T/schedule.idx"), "changed\n").expect("a file");
    let output = task(&place, &path, &[("SLURM_ARRAY_TASK_ID", "0")]).output().expect("bash");
    Ran::new("3".to_owned(), &output).with_status(3);
    let output = task(&place, &path, &[("SLURM_ARRAY_TASK_ID", "4")]).output().expect("bash");
    Ran::new("2".to_owned(), &output).with_status(2).complaining(&["SLURM_ARRAY_TASK_ID is 4"]);
    assert_eq!(asked(&place), "");
}

#[test]
fn without_the_number_of_a_task_nothing_is_played() {
    let place = Place::new();
    planned(&place);
    let run = |variables: &[(&str, &str)]| {
        let mut command = place.command(&["tournament", "run", "--dir", "T", "--shard", "auto/4"]);
        let output = command.envs(variables.iter().copied()).output().expect("referee");
        Ran::new(format!("{variables:?}"), &output).with_status(2)
    };
    run(&[])
        .complaining(&["--shard auto/4: none of the variables of job arrays is set (SLURM_ARRAY_TASK_ID, "]);
    run(&[("SGE_TASK_ID", "3"), ("HQ_TASK_ID", "3")])
        .complaining(&["HQ_TASK_ID = 3 is shard 3, but SGE_TASK_ID = 3 is shard 2"]);
    assert!(!place.path("T/records").exists() && !place.path("T/results").exists());
}
