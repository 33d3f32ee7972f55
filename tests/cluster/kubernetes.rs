//! The manifest for Kubernetes against the schemas of Kubernetes, which allow no unknown fields.

use std::fs;
use std::process::Command;

use crate::array::{FILE, STILL};
use crate::python;
use crate::support::{Place, Ran};

/// From the first version in which an index has a limit of its own by default, to the last with a schema.
const VERSIONS: [&str; 4] = ["1.29", "1.31", "1.34", "1.37"];

#[test]
#[ignore = "needs schemas of Kubernetes"]
fn the_manifest_validates_strictly() {
    let place = Place::new();
    fs::write(place.path("house.toml"), [FILE, STILL].concat()).expect("a file");
    place.referee(&["tournament", "plan", "house.toml", "--dir", "T"]).with_status(0);
    let words =
        ["tournament", "script", "k8s", "--dir", "T", "--n", "4", "--image", "debian:13", "--claim", "games"];
    let manifest = place.referee(&words).with_status(0).out;
    let more = place
        .referee(&[&words[..], &["--time-limit", "2h", "--cpus", "3", "--mount", "/the games"]].concat());
    let more = more.with_status(0).out;
    let validates = |text: &str, version: &str| {
        fs::write(place.path("job.yaml"), text).expect("a file");
        let mut command = Command::new(python::program("kubernetes-validate"));
        command.args(["--strict", "--kubernetes-version", version]).arg(place.path("job.yaml"));
        Ran::new(format!("{version}: {text}"), &command.output().expect("kubernetes-validate"))
    };
    for version in VERSIONS {
        validates(&manifest, version).with_status(0);
        validates(&more, version).with_status(0);
        for (right, wrong) in [
            ("backoffLimitPerIndex: 5", "backoffLimitPerIndexes: 5"),
            ("completionMode: Indexed", "completionMode: 1"),
            ("mountPath:", "mountpath:"),
        ] {
            assert!(manifest.contains(right));
            validates(&manifest.replace(right, wrong), version).with_status(1);
        }
    }
}
