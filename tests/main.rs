//! The integration tests: one crate, a module for each subject. (Those that need the machine for themselves are in `busy`.)

#[cfg(feature = "cli")]
mod allocations;
#[cfg(feature = "cli")]
mod bad_input;
#[cfg(feature = "cli")]
mod balanced;
#[cfg(feature = "cli")]
mod browser;
#[cfg(feature = "cli")]
mod check_game;
#[cfg(feature = "cli")]
mod compressed;
#[cfg(feature = "cli")]
mod confidence;
#[cfg(feature = "cli")]
mod conformance;
#[cfg(feature = "cli")]
mod doctor;
#[cfg(feature = "cli")]
mod draws;
#[cfg(feature = "cli")]
mod examine;
#[cfg(feature = "cli")]
mod export;
#[cfg(feature = "cli")]
mod faulty_bots;
mod foosball_bank;
mod foosball_bots;
mod foosball_original;
mod foosball_rules;
mod football_answers;
mod football_draws;
mod football_rules;
mod football_twin;
#[cfg(feature = "cli")]
mod formats;
#[cfg(feature = "cli")]
mod freezing;
#[cfg(feature = "cli")]
mod fuzz;
#[cfg(feature = "cli")]
mod grown;
#[cfg(feature = "cli")]
mod handed_in;
mod hexagon;
#[cfg(feature = "cli")]
mod hill_conduct;
#[cfg(feature = "cli")]
mod hostile;
mod house_bots;
#[cfg(feature = "cli")]
mod identity;
#[cfg(feature = "cli")]
mod kill;
#[cfg(feature = "cli")]
mod languages;
#[cfg(feature = "cli")]
mod layers;
mod look_ahead;
#[cfg(feature = "cli")]
mod narrow_hosts;
#[cfg(feature = "cli")]
mod new_bot;
#[cfg(feature = "cli")]
mod old_logs;
mod old_records;
mod original;
#[cfg(feature = "cli")]
mod output;
mod pitch;
#[cfg(feature = "cli")]
mod play_options;
#[cfg(feature = "cli")]
mod playthroughs;
#[cfg(feature = "cli")]
mod protocol;
mod push_bots;
mod push_original;
mod push_rules;
mod push_versions;
mod random;
#[cfg(feature = "cli")]
mod ranges;
#[cfg(feature = "cli")]
mod records_page;
#[cfg(feature = "cli")]
mod replay;
#[cfg(feature = "cli")]
mod report;
#[cfg(feature = "cli")]
mod rerun;
#[cfg(feature = "cli")]
mod resident;
#[cfg(feature = "cli")]
mod same_games;
#[cfg(feature = "cli")]
mod sandbox;
#[cfg(feature = "cli")]
mod season;
mod serial;
#[cfg(feature = "cli")]
mod simulation;
#[cfg(feature = "cli")]
mod starters;
#[cfg(feature = "cli")]
mod stop_rule;
#[cfg(feature = "cli")]
mod story;
#[cfg(feature = "cli")]
mod support;
#[cfg(feature = "cli")]
mod survival;
#[cfg(feature = "cli")]
mod tampering;
mod target_bots;
mod target_rules;
mod target_walls;
mod test_script;
mod tidy;
mod times;
mod torus;
#[cfg(feature = "cli")]
mod tournament;
#[cfg(feature = "cli")]
mod unsent;
#[cfg(feature = "cli")]
mod until_clear;
#[cfg(feature = "cli")]
mod voids;
#[cfg(feature = "cli")]
mod waits;
