//! The contest and the visitor of each request: the visitor's address, and the account of the token.

use std::sync::Arc;

use axum::extract::{FromRequestParts, RawPathParams};
use axum::http::HeaderMap;
use axum::http::header::{AUTHORIZATION, HOST};
use axum::http::request::Parts;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use referee_contest::accounts::Token;
use referee_record::Digest;

use crate::connections::Connection;
use crate::refusal::Refusal;
use crate::site::{Served, Site};
use crate::throttle::{Visitor, group};

/// The longest token that is compared, in bytes.
const TOKEN_MAX: usize = 256;

/// A visit to a contest: the hill or tournament that a request names, who sent it, and the account of its token. A
/// private hill refuses requests without a token.
#[derive(Debug)]
pub(crate) struct Visit {
    pub(crate) site: Arc<Site>,
    pub(crate) served: Arc<Served>,
    /// The account of the token; `None` without a token.
    pub(crate) account: Option<String>,
    /// The account's name as it is shown; empty without an account.
    pub(crate) name: String,
    /// Whether the token is a host's.
    pub(crate) is_host: bool,
    pub(crate) visitor: Visitor,
    /// Whether the account follows from a cookie: the browser has signed in.
    pub(crate) is_signed_in: bool,
    /// The connection; `None` if the request comes from this process.
    pub(crate) connection: Option<Arc<Connection>>,
}

impl FromRequestParts<Arc<Site>> for Visit {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, site: &Arc<Site>) -> Result<Visit, Refusal> {
        let missing = || Refusal::missing("there is no such hill or tournament here");
        let names = RawPathParams::from_request_parts(parts, site).await.map_err(|_| missing())?;
        let name = names.iter().find(|(key, _)| *key == "hill").map(|(_, name)| name);
        let served = name.and_then(|name| site.contests.get(name)).cloned().ok_or_else(missing)?;
        let visitor = *parts.extensions.get::<Visitor>().expect("the frame names the visitor");
        let mut visit = Visit {
            site: Arc::clone(site),
            served,
            account: None,
            name: String::new(),
            is_host: false,
            visitor,
            is_signed_in: false,
            connection: parts.extensions.get().cloned(),
        };
        if let Some(token) = visit.token(&parts.headers).await? {
            (visit.account, visit.is_host) = (Some(token.account.clone()), token.is_host);
            visit.name.clone_from(&token.name);
            visit.is_signed_in = !parts.headers.contains_key(AUTHORIZATION);
        } else if site.options.private {
            return Err(Refusal::unauthorized("this hill is private: your token is the password"));
        }
        Ok(visit)
    }
}

impl Visit {
    /// Returns the account of the request.
    ///
    /// # Errors
    ///
    /// The refusal `what`, if the request has no token.
    pub(crate) fn account(&self, what: &str) -> Result<&str, Refusal> {
        self.account.as_deref().ok_or_else(|| Refusal::unauthorized(what))
    }

    /// Returns the token of the request: in its header, or that of its session. `None` if it has none.
    async fn token(&self, headers: &HeaderMap) -> Result<Option<Arc<Token>>, Refusal> {
        if let Some(header) = headers.get(AUTHORIZATION) {
            let text = header.to_str().ok().and_then(token_of).unwrap_or_default();
            return self.check_token(&text).await.map(Some);
        }
        let Some(digest) = self.site.sessions.token(&self.served.name, headers) else { return Ok(None) };
        let token = self.served.tokens.find(&digest).await?;
        if token.is_some() {
            self.mark_connection();
        }
        Ok(token)
    }

    /// Marks the connection as one with a right token.
    fn mark_connection(&self) {
        if let Some(connection) = &self.connection {
            connection.mark_right_token();
        }
    }

    /// Returns the address of the server, for commands to copy: the one that the host has set, else as the visitor has
    /// written it.
    pub(crate) fn origin(&self, headers: &HeaderMap) -> String {
        if let Some(address) = &self.site.options.address {
            return address.clone();
        }
        let host = headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
        let is_plain = host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-:[]".contains(&byte));
        let host = if is_plain && !host.is_empty() { host } else { "HOST:PORT" };
        format!("{}://{host}", if self.is_secure(headers) { "https" } else { "http" })
    }

    /// Tells whether browsers speak TLS with this server or the proxy in front: the address that the host has set says
    /// so, else the proxy that the host has named.
    pub(crate) fn is_secure(&self, headers: &HeaderMap) -> bool {
        if let Some(address) = &self.site.options.address {
            return address.starts_with("https://");
        }
        let is_https = headers.get("x-forwarded-proto").is_some_and(|scheme| scheme == "https");
        is_https && self.site.is_proxy(self.visitor.peer)
    }

    /// Returns the name by which the places of the visitor in pools are counted: the account, else the address.
    pub(crate) fn who(&self) -> String {
        self.account.as_ref().map_or_else(|| self.address(), |account| self.who_is(account))
    }

    /// Returns the name by which jobs that read are counted: the address. By account and address, one person would have
    /// places of both.
    pub(crate) fn address(&self) -> String {
        group(self.visitor.from).to_string()
    }

    /// Returns the name by which the places of an account of this hill are counted.
    pub(crate) fn who_is(&self, account: &str) -> String {
        format!("{}/{account}", self.served.name)
    }

    /// Runs a short job that reads files for the visitor.
    pub(crate) async fn work<T, E>(
        &self,
        job: impl FnOnce() -> Result<T, E> + Send + 'static,
    ) -> Result<T, Refusal>
    where
        T: Send + 'static,
        E: Into<Refusal> + Send + 'static,
    {
        self.site.reads.run(&self.address(), job).await
    }

    /// Runs a job that reads the whole log of a game for the visitor.
    pub(crate) async fn long_work<T, E>(
        &self,
        job: impl FnOnce() -> Result<T, E> + Send + 'static,
    ) -> Result<T, Refusal>
    where
        T: Send + 'static,
        E: Into<Refusal> + Send + 'static,
    {
        self.site.replays.run(&self.address(), job).await
    }

    /// Returns the token with this text, or refuses it. A right token counts, however many wrong ones came from its
    /// address.
    pub(crate) async fn check_token(&self, text: &str) -> Result<Arc<Token>, Refusal> {
        let token = match text.trim() {
            text if text.is_empty() || text.len() > TOKEN_MAX => None,
            text => self.served.tokens.find(&Digest::of(text.as_bytes())).await?,
        };
        let token = token.ok_or_else(|| self.site.throttle.refuse(group(self.visitor.from)))?;
        self.mark_connection();
        Ok(token)
    }
}

/// Returns the token of a header: `Bearer TOKEN`, or the password of any user, as browsers send it.
fn token_of(header: &str) -> Option<String> {
    let (scheme, rest) = header.split_once(' ')?;
    if scheme.eq_ignore_ascii_case("bearer") {
        return Some(rest.trim().to_owned());
    }
    if !scheme.eq_ignore_ascii_case("basic") {
        return None;
    }
    let decoded = String::from_utf8(STANDARD.decode(rest.trim()).ok()?).ok()?;
    let (_user, password) = decoded.split_once(':')?;
    Some(password.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_read_as_programs_and_as_browsers_send_it() {
        for (header, token) in [
            ("Bearer abc", Some("abc")),
            ("bearer  abc ", Some("abc")),
            ("Basic YW55Ym9keTphYmM=", Some("abc")),
            ("Basic !!!", None),
            ("Basic YWJj", None),
            ("Digest abc", None),
            ("abc", None),
        ] {
            assert_eq!(token_of(header).as_deref(), token, "{header}");
        }
    }

    #[tokio::test]
    async fn one_person_reads_in_the_places_of_one_address_with_and_without_a_token() {
        use std::time::Duration;

        use clap::Parser as _;
        use referee_contest::hill::{Hill, HillSettings};
        use referee_games::catalog;
        use referee_rules::{Parameters, Seed};
        use tokio::time::timeout;

        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().join("h");
        let entry = catalog::find("push").expect("a game");
        let parameters = Parameters::defaults(entry.parameters);
        Hill::create(&root, entry, parameters, Seed(7), HillSettings::default()).expect("a hill");
        let words = ["referee serve", root.to_str().expect("text"), "--referee", "/bin/sh"];
        let site = Site::open(crate::Options::parse_from(words), |_| ()).expect("a site");
        let visit = |account: Option<&str>, from: &str| {
            let from = from.parse().expect("an address");
            Arc::new(Visit {
                site: Arc::clone(&site),
                served: Arc::clone(&site.contests["h"]),
                account: account.map(str::to_owned),
                name: String::new(),
                is_host: false,
                visitor: Visitor { from, peer: from },
                is_signed_in: false,
                connection: None,
            })
        };
        let person = [None, Some("alice"), Some("bob")].map(|account| visit(account, "192.0.2.1"));
        for is_long in [false, true] {
            let run = move |visit: Arc<Visit>, job: Box<dyn FnOnce() + Send>| async move {
                let job = move || {
                    job();
                    Ok::<(), Refusal>(())
                };
                if is_long { visit.long_work(job).await } else { visit.work(job).await }
            };
            let (end, ends) = std::sync::mpsc::channel::<()>();
            let ends = Arc::new(parking_lot::Mutex::new(ends));
            let open: Vec<_> = (0..9)
                .map(|number| {
                    let (visit, ends) = (Arc::clone(&person[number % 3]), Arc::clone(&ends));
                    // Each lasts until the last one of another address is done.
                    tokio::spawn(run(visit, Box::new(move || _ = ends.lock().recv())))
                })
                .collect();
            tokio::task::yield_now().await;
            let other = run(visit(None, "192.0.2.9"), Box::new(|| ()));
            timeout(Duration::from_secs(9), other).await.expect("a place at once").expect("done");
            drop(end);
            for one in open {
                one.await.expect("no panic").expect("each has its turn");
            }
        }
    }
}
