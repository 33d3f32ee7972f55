//! Options of a host that a program needs. They are found by trying, since runtimes report what they lack in many ways,
//! or not at all.

use crate::examine::{Subject, game};
use crate::process::{Program, Setup};
use referee_record::error::Error;
use referee_rules::Fault;
use referee_sandbox::{Tier, probe};

/// An option as a host types it, and what it changes in how a program is started.
type Choice = (&'static str, fn(&mut Program, &mut Setup));

/// The options that are tried. None of them lets a program out of the sandbox.
const CHOICES: [Choice; 5] = [
    ("--sandbox strict", |_, setup| setup.sandbox = Tier::Strict),
    ("--allow-fork", |program, _| program.may_fork = true),
    ("--tasks 256", |_, setup| setup.limits.tasks = setup.limits.tasks.max(256)),
    ("--descriptors 256", |_, setup| setup.limits.descriptors = setup.limits.descriptors.max(256)),
    ("--memory 2048", |_, setup| setup.limits.data_mib = setup.limits.data_mib.max(2048)),
];

/// Returns the options that a program needs to answer the first question; `None` if they do not help, or if
/// it did not end.
pub(super) fn that_help(subject: &Subject<'_>, fault: &Fault) -> Result<Option<String>, Error> {
    if !matches!(fault, Fault::Exited(_) | Fault::Crashed(_) | Fault::Closed | Fault::Resource(_)) {
        return Ok(None);
    }
    let mut needed: Vec<Choice> =
        CHOICES.into_iter().filter(|choice| changes_something(subject, choice)).collect();
    if needed.is_empty() || !answers(subject, &needed)? {
        return Ok(None);
    }
    let mut index = 0;
    while index < needed.len() && needed.len() > 1 {
        let without = [&needed[..index], &needed[index + 1..]].concat();
        if answers(subject, &without)? {
            needed = without;
        } else {
            index += 1;
        }
    }
    Ok(Some(needed.iter().map(|(words, _)| *words).collect::<Vec<_>>().join(" ")))
}

/// Tells whether an option is not set already, and works on this machine.
fn changes_something(subject: &Subject<'_>, (_, change): &Choice) -> bool {
    let (mut program, mut setup) = (subject.program.clone(), subject.setup.clone());
    change(&mut program, &mut setup);
    if setup.sandbox != subject.setup.sandbox {
        let is_stricter = setup.sandbox < subject.setup.sandbox && subject.setup.sandbox != Tier::Off;
        return is_stricter
            && probe::probe(setup.sandbox, &setup.fork_server, setup.landlock_version_max).is_ok();
    }
    program != *subject.program || setup.limits != subject.setup.limits
}

/// Tells whether a program answers the first question with these options, be the answer legal or not.
fn answers(subject: &Subject<'_>, options: &[Choice]) -> Result<bool, Error> {
    let (mut program, mut setup) = (subject.program.clone(), subject.setup.clone());
    for (_, change) in options {
        change(&mut program, &mut setup);
    }
    let first = game::first(&Subject {
        entry: subject.entry,
        parameters: subject.parameters.clone(),
        program: &program,
        setup: &setup,
    })?;
    Ok(matches!(first.verdict, None | Some(Fault::Illegal(_))))
}
