//! Accounts of a hill on the web: `tokens.csv`, the digests of all tokens, `people.csv`, the names of accounts as they
//! are shown, and `events.csv`, the actions of accounts. A token is shown once and is stored nowhere.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use rand::TryRng;
use rand::rngs::SysRng;

use crate::admission::entrants::Entrants;
use referee_files::beneath::Spot;
use referee_files::{lock, small};
use referee_record::error::{Error, ErrorKind};
use referee_record::forms::Moment;
use referee_record::schema::{Column, Columns, Name, Sha256, Text, column};
use referee_record::text::{harmless, width};
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
            "`invited`; `host`, a token for the host's page as well; or `revoked`: no earlier token of the account \
             counts"
        ),
        column!("account", account, Name, "name of the account, the author of its bots"),
        column!("digest", digest, Sha256, "SHA-256 of the token; of nothing where tokens are revoked"),
    ];

    fn blank() -> TokenRow {
        let [date, event, account] = [const { String::new() }; 3];
        TokenRow { date, event, account, digest: Digest::blank() }
    }
}

/// A row of `people.csv`: how an account is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "its columns say it")]
pub struct PersonRow {
    pub date: String,
    pub account: String,
    pub name: String,
}

impl Columns for PersonRow {
    const WHAT: &'static str = "a row of people";
    const FORMAT: u32 = 1;
    const COLUMNS: &'static [Column<PersonRow>] = &[
        column!("date", date, Moment, "date and time (UTC)"),
        column!("account", account, Name, "the account"),
        column!("name", name, Text, "its name as pages show it, until a later row names it"),
    ];

    fn blank() -> PersonRow {
        let [date, account, name] = [const { String::new() }; 3];
        PersonRow { date, account, name }
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
            "`invited`, `host`, `revoked`, `uploaded`, `admitted`, `refused`, `withdrawn` or `too-late`; of a host: `banned`, \
             `banned the author of`, `lifted`, `retired`, `gave a token`, `ended tokens`, `paused`, `continued`, `extended` or \
             `message`"
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
    /// The account's name, as it is shown.
    pub name: String,
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

/// An account that has just got a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invited {
    /// The account.
    pub account: String,
    /// Its name, as it is shown.
    pub name: String,
    /// The token: 43 letters, digits, `_` and `-`. Only its digest is stored.
    pub token: String,
}

/// Describes an account to a host: its shown name, and the account itself, if that is not the same.
pub fn describe(account: &str, shown: &str) -> String {
    let suffix = format!("({account})");
    if shown == account || shown.ends_with(&suffix) { shown.to_owned() } else { format!("{shown} {suffix}") }
}

/// Makes a token for an account. `name` is how the account is shown: the name of a person, in any letters.
///
/// The account is `id`, if that is given; else the known account that is or has this name; else a new one. A new
/// account is the name itself, if that has plain letters alone, else `p1`, `p2` and so on.
///
/// # Errors
///
/// If the name or `id` is not allowed, several accounts have this name, or the system refuses.
pub fn invite(root: &Path, name: &str, id: Option<&str>, role: Role) -> Result<Invited, Error> {
    let mut bytes = [0; TOKEN_BYTES];
    SysRng
        .try_fill_bytes(&mut bytes)
        .map_err(|error| Error::new(ErrorKind::System, format!("no random number for a token: {error}")))?;
    let token = URL_SAFE_NO_PAD.encode(bytes);
    let mut name = shown_name(name)?;
    let _lock = lock::exclude(&Spot::below(root, "entrants.lock"), lock::WAIT_SHORT_MAX)?;
    let known = people(root)?;
    let account = if let Some(id) = id {
        plain(id)?
    } else if let Some(shown) = known.get(&name) {
        std::mem::replace(&mut name, shown.clone())
    } else if let Some(account) = account_with_name(&known, &name)? {
        account
    } else if plain(&name).is_ok() {
        name.clone()
    } else {
        // The account must not be an author for whom the host has submitted bots.
        let entrants = Entrants::read(root)?;
        let authors: BTreeSet<&str> = entrants.submissions().map(|event| &*event.bot.author).collect();
        let is_free = |account: &String| !known.contains_key(account) && !authors.contains(&**account);
        let mut numbers = (1..).map(|number| format!("p{number}"));
        numbers.find(is_free).expect("numbers do not end")
    };
    if known.get(&account).unwrap_or(&account) != &name {
        let row = PersonRow { date: clock::date(), account: account.clone(), name: name.clone() };
        small::append(people_of(root), &row)?;
    }
    let event = if role == Role::Host { HOST } else { "invited" };
    add_token_event(root, event, &account, Digest::of(token.as_bytes()))?;
    Ok(Invited { account, name, token })
}

/// Returns the account that is or has this name. A name that nobody has is returned as it is.
///
/// # Errors
///
/// If several accounts have this name, or a list is damaged.
pub fn account_of(root: &Path, name: &str) -> Result<String, Error> {
    let known = people(root)?;
    if known.contains_key(name) {
        return Ok(name.to_owned());
    }
    Ok(account_with_name(&known, name)?.unwrap_or_else(|| name.to_owned()))
}

/// Withdraws all tokens of an account. Its bots play on.
pub fn revoke(root: &Path, account: &str) -> Result<(), Error> {
    if end_tokens(root, account)? {
        Ok(())
    } else {
        Err(Error::file(tokens_of(root).path(), format!("no account {account} has a token")))
    }
}

/// Withdraws all tokens of an account, if it has one. Returns whether it had.
pub fn end_tokens(root: &Path, account: &str) -> Result<bool, Error> {
    let has_token = tokens(root)?.iter().any(|token| token.account == account);
    if has_token {
        add_token_event(root, "revoked", account, Digest::of(b""))?;
    }
    Ok(has_token)
}

/// Maximum length of a name that is shown, in columns.
const SHOWN_MAX: usize = 64;

/// Makes sure that pages can show a name.
///
/// # Errors
///
/// Says why not.
pub fn check_shown(name: &str) -> Result<(), Error> {
    shown_name(name).map(drop)
}

/// Returns a name as it is stored: composed (NFC), without blanks around it. Fails if pages cannot show it.
fn shown_name(name: &str) -> Result<String, Error> {
    // Blanks of any kind, as a spreadsheet has them, are one.
    let words = name.split_whitespace().collect::<Vec<&str>>().join(" ");
    let composed = names::composed(&words).into_owned();
    let why = if composed.is_empty() {
        "it is empty"
    } else if width(&composed) > SHOWN_MAX {
        "it is too long"
    } else if composed.starts_with(['=', '+', '-', '@']) {
        "a spreadsheet takes it for a formula"
    } else if harmless(&composed, SHOWN_MAX) != composed {
        "it has a character that cannot be seen"
    } else {
        return Ok(composed);
    };
    Err(Error::input(format!(
        "not a name for an account: {:?} ({why}; a name has letters, blanks and signs, in up to {SHOWN_MAX} columns)",
        harmless(&composed, SHOWN_MAX)
    )))
}

/// Returns an account that has plain letters alone.
fn plain(id: &str) -> Result<String, Error> {
    names::check_plain("an account", id).map(str::to_owned).map_err(Error::input)
}

/// Returns the account that is shown under this name, if there is one.
fn account_with_name(known: &BTreeMap<String, String>, name: &str) -> Result<Option<String>, Error> {
    let name = names::composed(name.trim());
    let accounts = known.iter().filter(|(_, shown)| **shown == name).map(|(account, _)| &**account);
    match &*accounts.collect::<Vec<&str>>() {
        [] => Ok(None),
        [account] => Ok(Some((*account).to_owned())),
        several => Err(Error::input(format!(
            "the accounts {} are all called {name}: give one of them",
            several.join(", ")
        ))),
    }
}

/// Returns the accounts that ever had a token, each with its name: the account itself, if no other was given.
fn people(root: &Path) -> Result<BTreeMap<String, String>, Error> {
    let tokens = small::read_whole::<TokenRow>(tokens_of(root))?;
    let mut people: BTreeMap<String, String> =
        tokens.into_iter().map(|row| (row.account.clone(), row.account)).collect();
    people.extend(
        small::read_whole::<PersonRow>(people_of(root))?.into_iter().map(|row| (row.account, row.name)),
    );
    Ok(people)
}

/// Returns accounts with their names as they are shown: if several have one name, the account is added to it. An
/// account that is not in this map is shown as it is.
pub fn shown(root: &Path) -> Result<BTreeMap<String, String>, Error> {
    if !people_of(root).exists() {
        return Ok(BTreeMap::new());
    }
    let mut people = people(root)?;
    let mut count_by_name: BTreeMap<String, u32> = BTreeMap::new();
    for name in people.values() {
        *count_by_name.entry(name.clone()).or_default() += 1;
    }
    for (account, name) in &mut people {
        if count_by_name[name] > 1 && name != account {
            *name = format!("{name} ({account})");
        }
    }
    Ok(people)
}

fn people_of(root: &Path) -> Spot {
    Spot::below(root, "people.csv")
}

/// Adds an event to the list of tokens, and to the list of events.
fn add_token_event(root: &Path, event: &str, account: &str, digest: Digest) -> Result<(), Error> {
    let (account, date, event) = (account.to_owned(), clock::date(), event.to_owned());
    small::append(
        tokens_of(root),
        &TokenRow { date, event: event.clone(), account: account.clone(), digest },
    )?;
    note(root, &account, &event, "")
}

/// Lists the tokens that count.
pub fn tokens(root: &Path) -> Result<Vec<Token>, Error> {
    let (mut tokens, shown) = (Vec::new(), shown(root)?);
    for row in small::read_whole::<TokenRow>(tokens_of(root))? {
        match &*row.event {
            "revoked" => tokens.retain(|token: &Token| token.account != row.account),
            event => {
                let is_host = event == HOST;
                let name = shown.get(&row.account).unwrap_or(&row.account).clone();
                tokens.push(Token { account: row.account, name, digest: row.digest, is_host });
            }
        }
    }
    Ok(tokens)
}

/// Adds an event to the list: an account, its action, and a detail in one line.
pub fn note(root: &Path, account: &str, event: &str, detail: &str) -> Result<(), Error> {
    let [account, event] = [account, event].map(str::to_owned);
    let detail = referee_record::text::harmless(detail, referee_record::text::SENTENCE);
    small::append(Spot::below(root, EVENTS), &EventRow { date: clock::date(), account, event, detail })
}

/// The event of an account of a class that has sent something after its end.
pub const TOO_LATE: &str = "too-late";

/// Adds an event of the host to the list, if the hill is on the web.
pub fn note_of_host(root: &Path, event: &str, detail: &str) -> Result<(), Error> {
    if Spot::below(root, EVENTS).exists() { note(root, HOST, event, detail) } else { Ok(()) }
}

/// Reads the list of events, oldest first.
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
