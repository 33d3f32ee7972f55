//! Hills and tournaments of an earlier version: today's program reads, audits and continues them.

use std::path::Path;

use crate::support::{Place, copy_folder, results_in};

pub(crate) const HILLS: [(&str, usize); 5] =
    [("football", 8), ("push", 6), ("foosball", 2), ("target", 1), ("push-format-2", 6)];
pub(crate) const TOURNAMENTS: [(&str, usize); 2] = [("rounds", 12), ("cup", 4)];

/// Copies the records of a hill or a tournament into a place of its own.
pub(crate) fn copied(name: &str) -> Place {
    let place = Place::new();
    let records = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/record/old_records");
    copy_folder(&records.join(name), &place.path(name));
    place
}

#[test]
fn old_records_are_audited() {
    for (name, games) in HILLS.into_iter().chain(TOURNAMENTS) {
        let audited = copied(name).referee(&["audit", name]).with_status(0);
        assert!(audited.out.contains(&format!("agrees: {games} game")), "{name}: {}", audited.out);
    }
}

#[test]
fn old_records_have_standings_and_a_report() {
    for (name, _) in HILLS {
        let place = copied(name);
        let standings = place.referee(&["hill", "standings", name, "--format", "csv"]).with_status(0);
        assert!(standings.out.lines().count() > 2, "{}", standings.out);
        place.referee(&["report", name, "--html", "report"]).with_status(0);
    }
    for (name, _) in TOURNAMENTS {
        let place = copied(name);
        place.referee(&["tournament", "status", "--dir", name]).with_status(0);
        let standings = place.referee(&["tournament", "standings", "--dir", name, "--format", "csv"]);
        assert!(standings.with_status(0).out.lines().count() > 2);
        place.referee(&["report", name, "--html", "report"]).with_status(0);
    }
}

#[test]
fn an_old_hill_is_played_on_and_then_audited_as_one() {
    for (name, games) in HILLS {
        if name == "foosball" {
            continue; // its bots sleep through their time bank
        }
        let place = copied(name);
        place.referee(&["hill", "run", name, "--rounds", "1"]).with_status(0);
        let rows = results_in(&place.path(name));
        let mut ids: Vec<_> = rows.iter().map(|row| row.game.clone()).collect();
        ids.dedup();
        assert!(ids.len() > games, "{name}: {ids:?}");
        place.referee(&["audit", name]).with_status(0);
        place.assert_nothing_stays();
    }
}
