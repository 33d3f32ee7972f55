//! Accounts of a hill on the web: `tokens.csv`, the digests of all tokens, and `events.csv`, the actions of accounts.
//! A token is shown once and is stored nowhere.

use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use rand::TryRng;
use rand::rngs::SysRng;

use referee_files::beneath::Spot;
use referee_files::small;
use referee_record::error::{Error, ErrorKind};
use referee_record::forms::Moment;
use referee_record::schema::{Column, Columns, Name, Sha256, Text, column};
use referee_record::{Digest, names};
use referee_table::clock;

/// Bytes of a token, before they are written as text.
const TOKEN_BYTES: usize = 32;

/// The event of a host's token; also the account of events on the host's machine.
const HOST: &str = "host";

/// The list of events.
const EVENTS: &str = "events.csv";

/// A row of `tokens.csv`: a token was given out, or all tokens of an account were withdrawn.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "its columns say it")]
pub struct TokenRow {
    pub date: String,
    pub event: String,
    pub account: String,
    pub digest: Digest,
}

impl Columns for TokenRow {
    const WHAT: &'static str = "a row of tokens";
    const FORMAT: u32 = 1;
    const COLUMNS: &'static [Column<TokenRow>] = &[
        column!("date", date, Moment, "date and time (UTC)"),
        column!(
            "event",
            event,
            Text,
            "`invited`; `host`, a token for the host's page as well; or `revoked`: no earlier token of the account counts"
        ),
        column!("account", account, Name, "name of the account, the author of its bots"),
        column!("digest", digest, Sha256, "SHA-256 of the token; of nothing where tokens are revoked"),
    ];

    fn blank() -> TokenRow {
        let [date, event, account] = [const { String::new() }; 3];
        TokenRow { date, event, account, digest: Digest::blank() }
    }
}

/// A row of `events.csv`: an account and its action.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "its columns say it")]
pub struct EventRow {
    pub date: String,
    pub account: String,
    pub event: String,
    pub detail: String,
}

impl Columns for EventRow {
    const WHAT: &'static str = "a row of events";
    const FORMAT: u32 = 1;
    const COLUMNS: &'static [Column<EventRow>] = &[
        column!("date", date, Moment, "date and time (UTC)"),
        column!("account", account, Name, "name of the account"),
        column!(
            "event",
            event,
            Text,
            "`invited`, `host`, `revoked`, `uploaded`, `admitted`, `refused` or `withdrawn`; of a host: `banned`, `banned the author of`, `lifted`, `retired`, `gave a token`, `ended tokens`, `paused`, `continued`, `extended` or `message`"
        ),
        column!(
            "detail",
            detail,
            Text,
            "the bot and its number in the queue, the reason, or what a host has set"
        ),
    ];

    fn blank() -> EventRow {
        let [date, account, event, detail] = [const { String::new() }; 4];
        EventRow { date, account, event, detail }
    }
}

/// A token that counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// Whose it is.
    pub account: String,
    /// The digest of the token.
    pub digest: Digest,
    /// Whether it opens the host's page.
    pub is_host: bool,
}

/// The role of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It submits bots.
    Author,
    /// It shows the host's page besides.
    Host,
}

/// Makes a token for an account, and returns it: 43 letters, digits, `_` and `-`. Only its digest is stored.
///
/// # Errors
///
/// If the name is not allowed, or the system refuses.
pub fn invite(root: &Path, account: &str, role: Role) -> Result<String, Error> {
    let mut bytes = [0; TOKEN_BYTES];
    let random = SysRng.try_fill_bytes(&mut bytes);
    random
        .map_err(|error| Error::new(ErrorKind::System, format!("no random number for a token: {error}")))?;
    let token = URL_SAFE_NO_PAD.encode(bytes);
    let event = if role == Role::Host { HOST } else { "invited" };
    enter(root, event, account, Digest::of(token.as_bytes()))?;
    Ok(token)
}

/// Withdraws all tokens of an account. Its bots play on.
///
/// # Errors
///
/// If there is no such account, or the system refuses.
pub fn revoke(root: &Path, account: &str) -> Result<(), Error> {
    if !tokens(root)?.iter().any(|known| known.account == account) {
        return Err(Error::file(tokens_of(root).path(), format!("no account {account} has a token")));
    }
    enter(root, "revoked", account, Digest::of(b""))
}

fn enter(root: &Path, event: &str, account: &str, digest: Digest) -> Result<(), Error> {
    let account = names::check_plain("an account", account).map_err(Error::input)?;
    let (account, date, event) = (account.to_owned(), clock::date(), event.to_owned());
    small::append(
        tokens_of(root),
        &TokenRow { date, event: event.clone(), account: account.clone(), digest },
    )?;
    note(root, &account, &event, "")
}

/// Lists the tokens that count.
///
/// # Errors
///
/// If the file is damaged.
pub fn tokens(root: &Path) -> Result<Vec<Token>, Error> {
    let mut tokens = Vec::new();
    for row in small::read_whole::<TokenRow>(tokens_of(root))? {
        match &*row.event {
            "revoked" => tokens.retain(|token: &Token| token.account != row.account),
            event => {
                let is_host = event == HOST;
                tokens.push(Token { account: row.account, digest: row.digest, is_host });
            }
        }
    }
    Ok(tokens)
}

/// Adds an event to the list: an account, its action, and a detail in one line.
///
/// # Errors
///
/// If the system refuses.
pub fn note(root: &Path, account: &str, event: &str, detail: &str) -> Result<(), Error> {
    let [account, event] = [account, event].map(str::to_owned);
    let detail = referee_record::text::harmless(detail, referee_record::text::SENTENCE);
    small::append(Spot::below(root, EVENTS), &EventRow { date: clock::date(), account, event, detail })
}

/// Adds an event of the host to the list, if the hill is on the web.
///
/// # Errors
///
/// If the system refuses.
pub fn note_of_host(root: &Path, event: &str, detail: &str) -> Result<(), Error> {
    if Spot::below(root, EVENTS).exists() { note(root, HOST, event, detail) } else { Ok(()) }
}

/// Reads the list of events, oldest first.
///
/// # Errors
///
/// If the file is damaged.
pub fn events(root: &Path) -> Result<Vec<EventRow>, Error> {
    let mut events = Vec::new();
    small::each(Spot::below(root, EVENTS), |event| {
        events.push(event);
        Ok(())
    })?;
    Ok(events)
}

/// Returns the list of tokens of a hill.
pub fn tokens_of(root: &Path) -> Spot {
    Spot::below(root, "tokens.csv")
}
