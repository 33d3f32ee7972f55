//! Where rounds are signed, the checkpoints notice every change of results.

use super::super::forge::{self, Folder};
use super::wrong::{self, Wrong};
use crate::called::Calls;
use crate::support::Place;

#[test]
fn checkpoints_notice_each_change_of_results() {
    let place = Place::new();
    let short = ["-p", "1", "--max-turns", "3", "--turn-ms", "30000", "--first-ms", "30000", "--seed", "3"];
    place.hill_of_guests("hill", &short, &[("one", "says 4"), ("two", "says 4")]);
    place.call(&["hill", "run", "hill"]).with_status(0);
    place.call(&["proof", "verify", "hill"]).with_status(0);
    let mut folder = Folder::read(&place.path("hill"));
    let table = forge::cells(folder.results());
    let (header, rows) = table.split_first().expect("a header");
    let last = rows.last().expect("a row");
    for (column, cell) in header.iter().zip(last).take(header.len() - 1) {
        let values = wrong::values(column, cell, &[]);
        for (_, value) in values.into_iter().filter(|(wrong, _)| *wrong == Wrong::Another) {
            folder.change_rows(|row| {
                if row["game"] == last[0] && row[column] == *cell {
                    row.insert(column.clone(), value.clone());
                }
            });
            folder.put();
            let verified = place.call(&["proof", "verify", "hill"]);
            folder.restore();
            assert_eq!(verified.status, Some(3), "{column} is {value}: {}{}", verified.out, verified.err);
        }
    }
    place.call(&["proof", "verify", "hill"]).with_status(0);
}
