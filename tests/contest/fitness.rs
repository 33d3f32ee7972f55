//! Whether a machine goes on when games turn out void.

use std::collections::BTreeSet;

use referee_contest::runner::fitness::{Fitness, GIVEN_UP_MAX};

fn bots(names: &str) -> BTreeSet<String> {
    names.split(' ').map(str::to_owned).collect()
}

#[test]
fn games_that_are_given_up_in_a_row_by_several_bots_make_a_machine_unfit() {
    let fitness = Fitness::default();
    for _ in 0..GIVEN_UP_MAX - 1 {
        fitness.given_up(&bots("fox"), "void").unwrap();
    }
    let error = fitness.given_up(&bots("owl"), "void").unwrap_err();
    assert!(error.to_string().contains("5 games in a row"), "{error}");
    fitness.over();
    fitness.given_up(&bots("owl"), "void").unwrap();
}

#[test]
fn one_bot_that_is_in_all_of_them_does_not() {
    let fitness = Fitness::default();
    for other in ["hen", "owl", "cat"].iter().cycle().take(4 * GIVEN_UP_MAX) {
        fitness.given_up(&bots(&format!("fox {other}")), "void").unwrap();
    }
}
