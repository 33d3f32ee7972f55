//! Bots outside of hills that come as sources. They are built as those of a hill are, into a folder that is removed.

use std::path::Path;

use referee_builds::LOG_LINE;
use referee_contest::admission::sources::{self, BuiltAlone};
use referee_contest::fixture::Entrant;
use referee_games::catalog::Entry;
use referee_record::{BotName, identity};
use referee_table::process::Program;

use crate::bot::{self, NamedBot};
use crate::context::Context;
use crate::note;
use crate::progress::Task;

/// A bot that can be started. If it was built from its source, its program is removed when this is dropped.
#[derive(Debug)]
pub(super) struct Ready {
    pub(super) named: NamedBot,
    pub(super) entrant: Entrant,
    pub(super) built: Option<BuiltAlone>,
}

/// Finds a bot as [`bot::find_by`] does, and builds it if it is a source.
pub(super) fn find(context: &Context, entry: &Entry, words: &str) -> anyhow::Result<Ready> {
    let is_source = |path: &Path| sources::is_source_alone(path);
    let look = |path: &Path| if is_source(path) { bot::source(path) } else { bot::file(path) };
    let named = bot::find_by(context, entry, words, look)?;
    if named.is_house(context) || !is_source(&named.file) {
        let entrant = named.entrant(context, entry)?;
        return Ok(Ready { named, entrant, built: None });
    }
    let task = Task::new(format!("building {}", named.name));
    let built = sources::build_alone(&named.file, &context.setup()?)?;
    drop(task);
    let made = &built.made;
    let version = if made.version.is_empty() { String::new() } else { format!(", {}", made.version) };
    note(format!("{} was built from its source ({}{version})", named.name, made.language));
    made.notes.iter().for_each(|line| note(format!("  {line}")));
    made.log.iter().for_each(|line| note(format!("{LOG_LINE}{line}")));
    let arguments = named.arguments.iter().map(Into::into).collect();
    let program = Program { arguments, ..built.program.clone() };
    let digest = identity::bot_digest(&built.digest, &named.arguments);
    let name = BotName { name: named.name.clone(), version: 1, digest };
    Ok(Ready { named, entrant: Entrant { name, program, author: String::new() }, built: Some(built) })
}
