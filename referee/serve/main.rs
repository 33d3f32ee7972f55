//! The program `referee-serve`. `referee serve` replaces itself by it.

use std::io::Write;
use std::process::ExitCode;

use clap::Parser;
use referee_serve::{Exported, Options};
use tokio::signal::unix::{SignalKind, signal};

fn main() -> ExitCode {
    let options = Options::parse();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let served = runtime.map_err(anyhow::Error::from).and_then(|runtime| runtime.block_on(serve(options)));
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "error: {error:#}");
            ExitCode::from(2)
        }
    }
}

async fn serve(options: Options) -> anyhow::Result<()> {
    if let Some(to) = options.export.clone() {
        let Exported { written, kept } = referee_serve::export(options, to).await?;
        writeln!(std::io::stdout(), "{written} files written, {kept} unchanged")?;
        return Ok(());
    }
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    let stop = async {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    };
    let say = |what: &str| {
        let _ = writeln!(std::io::stdout(), "{what}");
    };
    referee_serve::serve(options, say, stop).await
}
