//! What a runner knows of its machine.

use std::fs;
use std::path::Path;

use referee_contest::node::{MachineLoad, Machines, cpu_model, network_file_system, room, throttling};

#[test]
fn a_machine_is_fit_if_it_is_within_the_plans_band() {
    let band = |slower_max, calibration_us| Machines { slower_max, calibration_us };
    // Everything takes longer than a nanosecond, and less than an hour.
    let why = band(0.001, Some(1)).slowness().unwrap_err();
    assert!(why.contains("times the plan's 0.0 ms; the plan allows at most 0.001 times"), "{why}");
    assert!(band(1.0, Some(3_600_000_000)).slowness().unwrap().is_some_and(|slowness| slowness < 1.0));
    assert_eq!(band(0.0, Some(1)).slowness(), Ok(None));
    assert_eq!(band(4.0, None).slowness(), Ok(None), "an old plan says nothing");
}

#[test]
fn the_reference_is_laid_down_or_known_or_measured_here() {
    let default = Machines::default();
    assert_eq!(Machines { calibration_us: Some(7), ..default }.measured(Some(8)).calibration_us, Some(7));
    assert_eq!(default.measured(Some(8)).calibration_us, Some(8));
    assert!(default.measured(None).calibration_us.is_some_and(|time| time > 1));
    assert_eq!(Machines { slower_max: 0.0, ..default }.measured(Some(8)), Machines::any());
}

#[test]
fn throttling_is_read_from_both_kinds_of_control_groups() {
    let folder = tempfile::tempdir().unwrap();
    let group = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::create_dir(&path).unwrap();
        fs::write(path.join("cpu.stat"), text).unwrap();
        path
    };
    let none = group("none", "usage_usec 5\n");
    let two = group("two", "usage_usec 5\nnr_periods 9\nnr_throttled 3\nthrottled_usec 4500\n");
    let one = group("one", "nr_periods 9\nnr_throttled 2\nthrottled_time 7000000\n");
    assert_eq!(throttling(&[none.clone(), two.clone(), one.clone()]), (3, 4), "the innermost that knows");
    assert_eq!(throttling(&[one]), (2, 7));
    assert_eq!(throttling(&[none, folder.path().join("gone")]), (0, 0));
    let (before, after) = (
        MachineLoad { throttled: 3, ..MachineLoad::default() },
        MachineLoad { throttled: 5, load: 1.0, ..MachineLoad::default() },
    );
    assert_eq!(after.since(before), MachineLoad { throttled: 2, load: 1.0, ..MachineLoad::default() });
}

#[test]
fn room_and_models_are_read() {
    assert_eq!(room(Path::new("/"), 0), Ok(()));
    assert!(
        room(Path::new("/"), 1 << 60)
            .is_err_and(|why| why.ends_with(" MiB are free, 1099511627776 MiB are needed"))
    );
    assert_eq!(cpu_model("processor\t: 0\nmodel name\t: A B\nx: y\n"), Some("A B".to_owned()));
    assert_eq!(cpu_model("processor\t: 0\n"), None);
    assert_eq!(network_file_system(Path::new("/proc")), None);
}
