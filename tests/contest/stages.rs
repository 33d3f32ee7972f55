//! The edition of the stop rule in plans.

use referee_contest::stages::Stop;
use referee_statistics::stop_rule::EDITION;

#[test]
fn a_plan_names_the_edition_of_its_rule_and_another_one_is_refused() {
    let planned = toml::to_string(&Stop::default().of_today()).unwrap();
    assert!(planned.contains(&format!("edition = {EDITION}\n")), "{planned}");
    assert_eq!(toml::from_str::<Stop>(&planned).unwrap(), Stop::default().of_today());
    for (text, complaint) in [
        (format!("edition = {}", EDITION - 1), "commit 5bab9c5d of the referee reads such records"),
        (format!("edition = {}", EDITION + 1), "of a later version"),
        ("method = 'hedged'".to_owned(), "hedged"),
    ] {
        let refused = toml::from_str::<Stop>(&text).unwrap_err();
        assert!(refused.to_string().contains(complaint), "{refused}");
    }
}
