//! `referee doctor`: whether this machine can play strangers' programs.

use clap::Args;
use referee_table::examine::doctor;
use serde_json::Value;

use crate::context::Context;
use crate::sheet::{Cells, Print, Printed, Sheet};

/// Test whether this machine can host contests: what its sandbox prevents, and whether its clock is fair.
#[derive(Debug, Args)]
#[command(
    after_help = "Exit status: 0 all is good, 1 something is weaker than it could be, 2 no sandbox works here."
)]
pub(super) struct Doctor {
    #[command(flatten)]
    printed: Printed,
}

impl Doctor {
    /// Returns the exit status.
    pub(super) fn run(self, context: &Context) -> anyhow::Result<i32> {
        let findings = doctor::examine(&context.setup()?);
        let mut sheet = Sheet::new(["property", "state", "found", "remedy"])
            .cells(Cells::Prose, &["property", "found", "remedy"])
            .cells(Cells::Grade, &["state"]);
        for finding in &findings {
            let doctor::HostProperty { property, state, found, remedy } = finding;
            sheet.row([*property, state.name(), found.as_str(), remedy.as_str()].map(Value::from).to_vec());
        }
        sheet.print(self.printed)?;
        Ok(doctor::status(&findings))
    }
}
