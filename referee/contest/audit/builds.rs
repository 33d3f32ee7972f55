//! The audit of builds: builds the sources of a hill's bots again, and compares what comes out.

use std::collections::BTreeSet;

use crate::admission::entrants::Event;
use crate::admission::room;
use crate::admission::sources::{self, Rebuilt};
use crate::hill::Hill;
use referee_record::error::Error;
use referee_table::process::Setup;

/// The outcome of building the sources of a hill again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuditedBuilds {
    /// Programs that were built again and are the same.
    pub same: u64,
    /// Names and versions of those that were built again and are not the same.
    pub differ: Vec<String>,
    /// Names and versions of those that the same toolchain does not build any more, each with the reason.
    pub not_built: Vec<String>,
    /// Programs whose toolchain is not that of this machine.
    pub other_toolchain: u64,
    /// Names and versions of bots whose sources are missing, though they play, or though their sources were not removed
    /// to make room.
    pub missing: Vec<String>,
    /// Programs of bots that play no more, and whose sources were removed to make room.
    pub removed: u64,
    /// Names and versions of those whose stored source was changed, each with the reason.
    pub changed: Vec<String>,
    /// Programs that were handed in ready to run.
    pub ready: u64,
}

/// Builds each submitted source of a hill again.
pub fn audit_builds(hill: &Hill, setup: &Setup) -> Result<AuditedBuilds, Error> {
    let (mut audited, mut builds) = (AuditedBuilds::default(), BTreeSet::new());
    let removed = room::removed(hill.root())?;
    let entrants = hill.entrants()?;
    let field = entrants.field();
    for Event { bot: built, .. } in entrants.submissions() {
        if !builds.insert((&built.digest, &built.source_digest, &built.toolchain)) {
            continue;
        }
        let (Some(source), Some(toolchain)) = (&built.source_digest, &built.toolchain) else {
            audited.ready += 1;
            continue;
        };
        let bot = format!("{} version {}", built.name, built.version);
        let rebuilt = sources::rebuild(hill.root(), setup, [source, toolchain, &built.digest]);
        match rebuilt.map_err(|error| error.context(&bot))? {
            Rebuilt::Same => audited.same += 1,
            Rebuilt::Differs => audited.differ.push(bot),
            Rebuilt::NotBuilt(why) => audited.not_built.push(format!("{bot} ({why})")),
            Rebuilt::Missing
                if !removed.contains(source)
                    || field.iter().any(|plays| plays.source_digest == built.source_digest) =>
            {
                audited.missing.push(bot);
            }
            Rebuilt::Missing => audited.removed += 1,
            Rebuilt::Changed(why) => audited.changed.push(format!("{bot} ({why})")),
            Rebuilt::OtherToolchain => audited.other_toolchain += 1,
        }
    }
    Ok(audited)
}
