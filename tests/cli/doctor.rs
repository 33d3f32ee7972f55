//! `referee doctor` tries things for real, and its exit status is their result.

use referee_sandbox::fork_server::ForkServer;
use referee_sandbox::{Tier, probe};
use referee_table::examine::doctor::{self, Health, HostProperty};
use referee_table::process::Setup;

use crate::support::{Place, REFEREE, rows_of_json};

fn succeeded(tier: Tier) -> Vec<&'static str> {
    let attempts = probe::examine(tier, &ForkServer::of(&*REFEREE), i32::MAX).expect("the tier works here");
    attempts.into_iter().filter(|attempt| attempt.succeeded).map(|attempt| attempt.what).collect()
}

#[test]
fn what_is_refused_in_a_sandbox_works_without_one() {
    let off = succeeded(Tier::Off);
    for attempt in ["read files", "connect", "send signals", "start processes"] {
        assert!(off.contains(&attempt), "{attempt} shows nothing if it works nowhere: {off:?}");
    }
    // These are limits, which hold in any case.
    assert!(!off.contains(&"use more memory than it may") && !off.contains(&"leave a core dump"), "{off:?}");
    for tier in [Tier::Strict, Tier::Landlock] {
        assert_eq!(succeeded(tier), Vec::<&str>::new(), "{tier}");
        assert_eq!(probe::leaves_somebody(tier, &ForkServer::of(&*REFEREE), i32::MAX), Ok(false), "{tier}");
    }
}

#[test]
fn the_doctor_prints_a_line_for_each_property_and_exits_by_what_it_found() {
    let place = Place::new();
    let ran = place.command(&["doctor", "--format", "json"]).output().expect("referee");
    let findings = rows_of_json(&String::from_utf8_lossy(&ran.stdout));
    let properties: Vec<&str> = findings.iter().filter_map(|finding| finding["property"].as_str()).collect();
    for due in [
        "sandbox strict",
        "sandbox landlock",
        "files, reading",
        "network",
        "kill",
        "memory",
        "clock",
        "load",
        "core dumps",
        "user",
    ] {
        assert!(properties.contains(&due), "{due} is missing: {properties:?}");
    }
    let all_good = findings.iter().all(|finding| finding["state"] == "good");
    assert_eq!(ran.status.code(), Some(i32::from(!all_good)), "{findings:#?}");
    for finding in findings.iter().filter(|finding| finding["state"] != "good") {
        assert_ne!(finding["remedy"], "", "{finding}");
    }
    place.assert_nothing_stays();
}

#[test]
fn without_landlock_the_doctor_says_so_and_what_to_do() {
    let setup = Setup { landlock_version_max: 0, ..Setup::with(&*REFEREE) };
    let findings = doctor::examine(&setup);
    let landlock = findings.iter().find(|finding| finding.property == "sandbox landlock").expect("a line");
    assert_ne!(landlock.state, Health::Good, "{landlock:?}");
    assert!(landlock.remedy.contains("landlock"), "{landlock:?}");
    let none: Vec<HostProperty> = findings
        .into_iter()
        .map(|finding| {
            let is_sandbox = finding.property.starts_with("sandbox");
            HostProperty { state: if is_sandbox { Health::Bad } else { finding.state }, ..finding }
        })
        .collect();
    assert_eq!(doctor::status(&none), 2);
}
