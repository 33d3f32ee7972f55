//! `scripts/action`: the script of the action, run like on a runner.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use yaml_rust2::{Yaml, YamlLoader};

use crate::support::{Place, REFEREE};

/// Reads the action. Returns the script of its step, and the inputs' defaults by the variables that pass them
/// on.
fn step() -> (String, BTreeMap<String, String>) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/action/action.yml");
    let documents = YamlLoader::load_from_str(&fs::read_to_string(path).unwrap()).unwrap();
    let action = &documents[0];
    assert_eq!(action["runs"]["using"].as_str(), Some("composite"));
    let [step] = &action["runs"]["steps"].as_vec().unwrap()[..] else { panic!("one step") };
    assert_eq!(step["shell"].as_str(), Some("bash"));
    let input = |value: &str| {
        let name =
            value.strip_prefix("${{ inputs.").and_then(|rest| rest.strip_suffix(" }}")).expect("an input");
        let input = &action["inputs"][name];
        assert!(*input != Yaml::BadValue, "there is no input {name}");
        input["default"].as_str().unwrap_or_default().to_owned()
    };
    let environment = step["env"].as_hash().unwrap().iter();
    let environment =
        environment.map(|(name, value)| (name.as_str().unwrap().to_owned(), input(value.as_str().unwrap())));
    (step["run"].as_str().unwrap().to_owned(), environment.collect())
}

fn run(place: &Place, inputs: &[(&str, &str)]) -> Output {
    let (script, mut environment) = step();
    for (name, value) in inputs {
        assert!(environment.insert((*name).to_owned(), (*value).to_owned()).is_some(), "{name}");
    }
    fs::write(place.path("step.sh"), script).unwrap();
    let mut bash = Command::new("bash");
    bash.args(["--noprofile", "--norc", "-eo", "pipefail", "step.sh"]).current_dir(place.path(""));
    bash.envs(environment).env("REFEREE", &*REFEREE).env("TMPDIR", place.path("tmp"));
    for (name, file) in
        [("GITHUB_STEP_SUMMARY", "summary"), ("GITHUB_OUTPUT", "output"), ("RUNNER_TEMP", "tmp")]
    {
        bash.env(name, place.path(file));
    }
    bash.output().expect("bash")
}

#[test]
fn a_bot_is_built_and_played_against_the_best_of_a_hill() {
    let place = Place::new();
    place.referee(&["hill", "new", "hill", "push", "--turns", "5", "--seed", "4"]).with_status(0);
    for bot in ["random", "reader"] {
        place.referee(&["hill", "submit", "hill", bot]).with_status(0);
    }
    place.referee(&["hill", "run", "hill", "--rounds", "6"]).with_status(0);
    let bot = "#!/usr/bin/env python3\nimport sys\nfor line in sys.stdin:\n    print('20 3', flush=True)\n";
    place.program("source", bot);
    let ran = run(
        &place,
        &[
            ("GAME", "push"),
            ("BUILD", "cp source bot\ntest -x bot"),
            ("AGAINST", "hill"),
            ("OPTIONS", "--set turns=5 --seed 7"),
            ("MAX_ROUNDS", "4"),
        ],
    );
    assert!(ran.status.success(), "{ran:?}");
    let summary = fs::read_to_string(place.path("summary")).unwrap();
    assert!(summary.starts_with("## The bot against the best\n\n    not clear after 4 games: "), "{summary}");
    assert_eq!(fs::read_to_string(place.path("output")).unwrap(), "result=unclear\n");
    place.assert_no_process_stays();
}

#[test]
fn what_fails_is_in_the_summary_as_text_and_fails_the_job() {
    let place = Place::new();
    let ran = run(&place, &[("GAME", "push"), ("BUILD", "exit 9"), ("AGAINST", "random")]);
    assert_eq!(ran.status.code(), Some(9), "a build that fails ends the step");
    let bad = "#!/usr/bin/env python3\nraise SystemExit('::error::**pwned** `x`\\x1b[2J')\n";
    place.program("bot", bad);
    let ran = run(&place, &[("GAME", "push"), ("AGAINST", "random"), ("OPTIONS", "--set 'turns=5'")]);
    assert!(!ran.status.success(), "{ran:?}");
    let summary = fs::read_to_string(place.path("summary")).unwrap();
    assert!(summary.contains("**pwned**") && !summary.contains('\x1b'), "{summary}");
    let told = summary.lines().skip(2);
    assert!(told.filter(|line| !line.is_empty()).all(|line| line.starts_with("    ")), "{summary}");
    let printed = [ran.stdout, ran.stderr].concat();
    assert!(!String::from_utf8_lossy(&printed).contains("::error::"), "a bot gives the runner no commands");
    assert_eq!(fs::read_to_string(place.path("output")).unwrap(), "result=unclear\n");
}
