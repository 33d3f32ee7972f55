//! Editions of the stop rule in plans.

use referee_contest::stages::Stop;
use referee_statistics::schedule::format::Format;
use referee_statistics::stop_rule::Method;

#[test]
fn a_plan_without_an_edition_keeps_the_first_one_and_a_new_plan_has_the_last() {
    let former: Stop = toml::from_str("method = 'betting'").unwrap();
    assert_eq!(former.rule(1, &Format::default()).edition, 1);
    assert!(!toml::to_string(&former).unwrap().contains("edition"), "its digest stays");
    let planned = toml::to_string(&former.of_today()).unwrap();
    let planned: Stop = toml::from_str(&planned).unwrap();
    assert_eq!(planned.rule(1, &Format::default()).edition, Method::default().edition());
    let unknown = toml::from_str::<Stop>("edition = 9").unwrap_err();
    assert!(unknown.to_string().contains("edition 9"), "{unknown}");
}
