//! Versions of Push: a record is replayed by the version that it names.

use referee_games::catalog;
use referee_rules::{Fault, Parameters, Seat, Seed};

#[test]
fn a_line_that_is_too_long_is_an_invalid_attempt_and_was_silence_by_version_1() {
    let entry = catalog::find("push").expect("a game");
    let parameters = Parameters::defaults(entry.parameters);
    let scores = [1, 2].map(|version| {
        let seed = Seed(1);
        let mut game = entry.start_by_version(&parameters, seed, version).expect("a version that is known");
        assert_eq!(game.info().version, version);
        game.answer(Seat::new(0), Err(&Fault::TooLong));
        game.resolve(&mut Default::default());
        let mut score = 0;
        game.describe(&mut |fact| {
            if fact.thing.as_str() == "void" {
                score += fact.value;
            }
        });
        score
    });
    assert_eq!(scores, [0, 1]);
    assert!(entry.start_by_version(&parameters, Seed(1), 3).is_none());
}
