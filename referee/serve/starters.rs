//! The starters: small bots that play, an archive for each game and language. Each is made once and kept.

use std::fs;
use std::io::{self, Cursor};
use std::os::unix::fs::PermissionsExt;
use std::path::Path as FilePath;
use std::process::{Command, Output, Stdio};
use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::Path;
use axum::response::Response;
use maud::{Markup, html};
use referee_files::beneath::Spot;
use referee_files::walk;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::access::Visit;
use crate::api::archived;
use crate::refusal::Refusal;
use crate::site::{SERVER, Served};
use referee_judge as judge;

/// Languages of starters.
pub(crate) const LANGUAGES: [&str; 8] = ["c", "cpp", "go", "java", "javascript", "octave", "python", "rust"];

/// Runs the program `referee` for a text or some files. `None` if it fails, since it does not have them.
pub(crate) fn referee(
    program: &FilePath,
    arguments: &[&str],
    folder: &FilePath,
) -> Result<Option<Output>, Refusal> {
    let mut command = Command::new(program);
    let output = command.args(arguments).current_dir(folder).stdin(Stdio::null()).output();
    let output = output.map_err(|_| Refusal::busy())?;
    Ok(if output.status.success() { Some(output) } else { None })
}

/// Links to the starters, in one line.
pub(crate) fn links(served: &Served) -> Markup {
    html! {
        @for (number, language) in LANGUAGES.iter().enumerate() {
            @if number > 0 { ", " } a href={ "/" (served.name) "/starters/" (language) } { (language) }
        }
    }
}

/// Packs the files of a folder as a zip, which each system opens.
fn zip_folder(folder: &FilePath) -> anyhow::Result<Vec<u8>> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let mut files = Vec::new();
    walk::each_file(&Spot::from(folder), |entry| {
        files.push(entry.path);
        Ok(())
    })?;
    files.sort();
    for file in files {
        let mode = fs::metadata(&file)?.permissions().mode() & 0o777;
        let name = file.strip_prefix(folder)?.to_string_lossy();
        zip.start_file(name, SimpleFileOptions::default().unix_permissions(mode))?;
        io::copy(&mut Spot::within(folder, &file).open()?, &mut zip)?;
    }
    Ok(zip.finish()?.into_inner())
}

/// Sends a starter as an archive.
pub(crate) async fn starter(
    visit: Visit,
    Path((_, language)): Path<(String, String)>,
) -> Result<Response, Refusal> {
    let known = LANGUAGES.iter().find(|known| **known == language);
    let language =
        *known.ok_or_else(|| Refusal::missing(format!("starters are in {}", LANGUAGES.join(", "))))?;
    let (site, game) = (&visit.site, visit.served.game);
    let cached = Arc::clone(site.starters.lock().entry((game, language)).or_default());
    let archive = cached.get_or_try_init(|| make_starter(&visit, language)).await?;
    let archive =
        archive.clone().ok_or_else(|| Refusal::missing(format!("this game has no starter in {language}")))?;
    Ok(archived(&format!("mybot-{language}.zip"), "application/zip", archive))
}

/// Makes a starter; `None` if there is none for the game in this language.
async fn make_starter(visit: &Visit, language: &'static str) -> Result<Option<Bytes>, Refusal> {
    let (site, game) = (&visit.site, visit.served.game);
    let program = site.referee.clone();
    // A judge is known by its path, which is beside the records of its games.
    let game = if judge::is_name(game) {
        visit.served.root.join(judge::FOLDER).join(game).to_string_lossy().into_owned()
    } else {
        game.to_owned()
    };
    let make = move || {
        let folder = tempfile::tempdir().map_err(|_| Refusal::busy())?;
        let arguments = ["new", "mybot", "--game", &game, "--lang", language];
        if referee(&program, &arguments, folder.path())?.is_none() {
            return Ok(None);
        }
        zip_folder(folder.path()).map(|archive| Some(Bytes::from(archive))).map_err(|_| Refusal::busy())
    };
    site.reads.run(SERVER, make).await
}
