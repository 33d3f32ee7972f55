//! Hills on the web, from the command line: tokens for authors, and submissions to a server.

use std::ffi::OsString;
use std::fs::File;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use clap::Args;
use referee_contest::accounts;
use referee_contest::admission::sources;
use referee_contest::hill::Hill;
use referee_files::beneath::Spot;
use referee_record::error::{Error, ErrorKind};
use referee_record::names;
use referee_record::text::percent_encoded;
use referee_record::text::{visible, visible_line};
use serde_json::Value;

use crate::out::{note, say};

use crate::web::client;

/// Give an author a token for submitting over the web
///
/// The token is printed once. Only its SHA-256 is stored, in the hill's tokens.csv. The author puts it into
/// REFEREE_TOKEN, or into the form on the page. A name can be that of any person: pages show it, and records have the
/// account, which is the name itself if it is of letters, digits, - and _ of ASCII alone, else p1, p2 and so on.
#[derive(Debug, Args)]
pub(crate) struct Invite {
    /// The hill
    dir: PathBuf,
    /// The name of a person, or an account that is known
    name: String,
    /// The account: the author of the bots, in records
    #[arg(long, value_name = "ACCOUNT", conflicts_with = "revoke")]
    id: Option<String>,
    /// Withdraw all tokens of the account, and print none
    #[arg(long)]
    revoke: bool,
    /// Make a token that also opens the host's page
    #[arg(long, conflicts_with = "revoke")]
    host: bool,
}

impl Invite {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let Invite { dir, name, id, revoke, host } = self;
        let hill = Hill::open(&dir).map_err(crate::usage)?;
        if revoke {
            let account = accounts::account_of(hill.root(), &name).map_err(crate::usage)?;
            accounts::revoke(hill.root(), &account).map_err(crate::usage)?;
            say(format!(
                "{} has no token any more. Its bots still play.",
                accounts::describe(&account, &name)
            ));
            return Ok(());
        }
        let role = if host { accounts::Role::Host } else { accounts::Role::Author };
        let invited = accounts::invite(hill.root(), &name, id.as_deref(), role).map_err(crate::usage)?;
        note(format!(
            "The token of {}, shown only once:",
            accounts::describe(&invited.account, &invited.name)
        ));
        say(invited.token);
        Ok(())
    }
}

/// Time between two requests for the state of a submission.
const ASK_INTERVAL: Duration = Duration::from_millis(500);

/// Maximum length of the file with the token, in bytes.
const TOKEN_FILE_MAX: u64 = 4096;

/// The environment variable with the token.
const TOKEN: &str = "REFEREE_TOKEN";

/// Options of `referee hill submit` for a hill at an address.
#[derive(Debug, Args)]
pub(crate) struct Secrecy {
    /// Trust the authorities in this PEM file, and no others, when the hill is an address https://...
    #[arg(long, value_name = "FILE")]
    ca: Option<PathBuf>,
    /// Send the token to another machine without encryption, by http://...
    #[arg(long)]
    insecure: bool,
}

impl Secrecy {
    /// The names of these options, to refuse them if the hill is a folder.
    pub(crate) const NAMES: [&str; 2] = ["ca", "insecure"];
}

/// Submits a program to a hill at an address, waits for the verdict, and prints it. `host_option` is an option that
/// only the host of a hill can use, if the user gave one.
pub(crate) fn submit(
    address: &str,
    program: &str,
    name: Option<&str>,
    host_option: Option<&str>,
    secrecy: &Secrecy,
) -> anyhow::Result<()> {
    let address = client::checked(address)?;
    if let Some(option) = host_option {
        let option = option.replace('_', "-");
        let what = format!("--{option} is for the host, whose hill is a folder: leave it out");
        return Err(Error::input(what).into());
    }
    client::check_private(address, secrecy.insecure)?;
    let path = Path::new(program);
    let name = name.map_or_else(|| own_name(path), str::to_owned);
    let name =
        names::check_new(&name).map_err(|what| Error::input(format!("{what}; --name gives another")))?;
    let body = Body::open(path)?;
    let bearer = format!("Bearer {}", token()?);
    let agent = client::agent(secrecy.ca.as_deref())?;
    let accepted = body.send(&agent, address, path, &name, &bearer)?;
    let receipt = word(&accepted, "receipt");
    if !is_receipt(receipt) {
        let (address, receipt) = (visible_line(address), visible_line(receipt));
        let what = format!(
            "{address}: the server took the bot, but {receipt:?} is no receipt: the page of your bots tells what became of it"
        );
        return Err(Error::new(ErrorKind::System, what).into());
    }
    say(format!("Submission {}: {}", accepted["number"], message(&accepted)));
    loop {
        let asked = agent.get(format!("{address}/api/v1/submissions/{receipt}"));
        let state = answer(address, asked.header("authorization", &bearer).call())?;
        match word(&state, "state") {
            "waiting" | "checking" => thread::sleep(ASK_INTERVAL),
            "admitted" | "plays" => {
                say(message(&state));
                return Ok(());
            }
            _ => return Err(Error::new(ErrorKind::Failed, message(&state)).into()),
        }
    }
}

/// Returns the name of a program's file or folder, without its ending.
fn own_name(path: &Path) -> String {
    if path.is_dir() {
        let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        return real.file_name().unwrap_or_default().to_string_lossy().into_owned();
    }
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    stem.strip_suffix(".tar").map(str::to_owned).unwrap_or(stem)
}

/// The body of a submission: a file, or an archive of a folder.
enum Body {
    File(File),
    Archive(Vec<u8>),
}

impl Body {
    fn open(path: &Path) -> Result<Body, Error> {
        if path.is_dir() {
            return sources::packed(path).map(Body::Archive);
        }
        let file = Spot::from(path).open().map_err(Error::system(path, "open the program"))?;
        Ok(Body::File(file))
    }

    /// Sends it, and returns the server's answer about the submission.
    fn send(
        self,
        agent: &ureq::Agent,
        address: &str,
        path: &Path,
        name: &str,
        bearer: &str,
    ) -> Result<Value, Error> {
        let escaped = percent_encoded(name.as_bytes());
        // The server needs the name of a source to know its language. It knows an archive by its first bytes.
        let file = match path.file_name() {
            Some(name) if matches!(self, Body::File(_)) && path.extension().is_some() => {
                format!("&file={}", percent_encoded(name.as_bytes()))
            }
            _ => String::new(),
        };
        let request = agent
            .post(format!("{address}/api/v1/bots?name={escaped}{file}"))
            .header("authorization", bearer)
            .content_type("application/octet-stream")
            // With this header, a server can refuse before the program is sent.
            .header("expect", "100-continue");
        let asked = match self {
            Body::File(file) => request.send(file),
            Body::Archive(bytes) => request.send(bytes),
        };
        answer(address, asked)
    }
}

/// Returns a text of a server's answer; empty if there is none.
fn word<'a>(answer: &'a Value, key: &str) -> &'a str {
    answer[key].as_str().unwrap_or_default()
}

/// Returns the words about a submission. A verdict can have several lines, such as those of a compiler.
fn message(answer: &Value) -> String {
    visible(word(answer, "told")).into_owned()
}

/// Tells whether a server's word can be a receipt, and leads nowhere but to a submission.
fn is_receipt(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
}

/// Returns a server's answer, or its refusal as an error.
fn answer(
    address: &str,
    asked: Result<ureq::http::Response<ureq::Body>, ureq::Error>,
) -> Result<Value, Error> {
    let failed =
        |kind, what: String| Error::new(kind, format!("{}: {}", visible_line(address), visible_line(&what)));
    let mut response = asked.map_err(|error| failed(ErrorKind::System, client::reason(&error)))?;
    let status = response.status();
    let text = response.body_mut().read_to_string().unwrap_or_default();
    let json: Value = serde_json::from_str(&text).unwrap_or_default();
    if status.is_success() && json.is_object() {
        return Ok(json);
    }
    let refusal = json["error"]
        .as_str()
        .unwrap_or("`referee serve` does not answer like this: is it the address of a hill?");
    // One kind for all: the words of the server say what to do.
    Err(failed(ErrorKind::Input, format!("{status}: {refusal}")))
}

/// Finds the token: in the environment, or in the user's own file.
fn token() -> Result<String, Error> {
    if let Some(token) = std::env::var(TOKEN).ok().filter(|token| !token.trim().is_empty()) {
        return Ok(token.trim().to_owned());
    }
    let Some(config) = config_folder(std::env::var_os("XDG_CONFIG_HOME"), std::env::var_os("HOME")) else {
        return Err(Error::input(format!("no token: put it into the environment variable {TOKEN}")));
    };
    let path = config.join("referee/token");
    let spot = Spot::from(&path);
    if !spot.exists() {
        let what = format!(
            "no token: put it into the environment variable {TOKEN}, or into {} with mode 600",
            path.display()
        );
        return Err(Error::input(what));
    }
    let refused = || Error::system(&path, "read the token");
    let mode = spot.open().and_then(|file| file.metadata()).map_err(refused())?.permissions().mode();
    if mode & 0o077 != 0 {
        return Err(Error::file(&path, "other users can read this token: make it private with chmod 600"));
    }
    Ok(spot.read_text(TOKEN_FILE_MAX).map_err(refused())?.trim().to_owned())
}

/// Returns the user's folder of settings, by the values of `XDG_CONFIG_HOME` and `HOME`. An empty variable is as if it
/// were not set.
fn config_folder(config: Option<OsString>, home: Option<OsString>) -> Option<PathBuf> {
    let [config, home] = [config, home].map(|folder| folder.filter(|folder| !folder.is_empty()));
    config.map(PathBuf::from).or_else(|| Some(Path::new(&home?).join(".config")))
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::path::Path;

    use super::{config_folder, is_receipt};

    #[test]
    fn the_folder_of_settings_is_never_the_current_folder() {
        let folder = |config: Option<&str>, home: Option<&str>| {
            config_folder(config.map(OsString::from), home.map(OsString::from))
        };
        assert_eq!(folder(Some("/c"), Some("/h")).as_deref(), Some(Path::new("/c")));
        for unset in [None, Some("")] {
            assert_eq!(folder(unset, Some("/h")).as_deref(), Some(Path::new("/h/.config")));
            assert_eq!(folder(unset, unset), None);
        }
    }

    #[test]
    fn a_receipt_leads_to_no_other_address() {
        assert!(is_receipt("17-aZ_9-b"));
        for word in ["", "../../../admin", "1/2", "1?x", "1#", "%2e%2e", "1 2", "\u{e9}"] {
            assert!(!is_receipt(word), "{word}");
        }
    }
}
