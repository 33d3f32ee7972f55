//! The sessions of browsers: a visitor enters a token once, and gets a cookie for the later requests. Other sites can
//! neither read nor send that cookie. When a token is withdrawn, its sessions end.

use std::collections::BTreeMap;
use std::time::Duration;

use axum::http::{HeaderMap, header};
use parking_lot::Mutex;
use rand::TryRng;
use rand::rngs::SysRng;
use referee_record::Digest;
use referee_record::error::{Error, ErrorKind};
use referee_table::clock::Clock;

use crate::refusal::Refusal;

/// The name of the cookie.
const NAME: &str = "referee";

/// How long a session lasts.
const LIFE: Duration = Duration::from_secs(12 * 60 * 60);

/// Maximum number of sessions. A further one ends the oldest.
const SESSIONS_MAX: usize = 10_000;

/// Maximum number of sessions of a token on a hill. A further one ends the oldest of these, and nobody else's.
const SESSIONS_OF_ONE: usize = 20;

/// All sessions of a server. They end with it.
#[derive(Debug)]
pub(crate) struct Sessions {
    clock: Clock,
    /// By the digest of the cookie.
    all: Mutex<BTreeMap<String, Session>>,
}

#[derive(Debug)]
struct Session {
    hill: String,
    /// The digest of the token that it replaces.
    token: Digest,
    since: Duration,
}

impl Default for Sessions {
    fn default() -> Sessions {
        Sessions { clock: Clock::start(), all: Mutex::default() }
    }
}

impl Sessions {
    /// Begins a session on a hill, and returns the header line of its cookie.
    pub(crate) fn begin(&self, hill: &str, token: &Digest, is_secure: bool) -> Result<String, Refusal> {
        let (secret, now) = (random::<32>()?, self.clock.now().0);
        let mut all = self.all.lock();
        let of_token = all.iter().filter(|(_, session)| session.hill == hill && session.token == *token);
        let of_token: Vec<(Duration, String)> =
            of_token.map(|(key, session)| (session.since, key.clone())).collect();
        if of_token.len() >= SESSIONS_OF_ONE
            && let Some((_, oldest)) = of_token.iter().min()
        {
            all.remove(oldest);
        }
        if all.len() >= SESSIONS_MAX {
            all.retain(|_, session| now.saturating_sub(session.since) < LIFE);
        }
        if all.len() >= SESSIONS_MAX {
            let oldest = all.iter().min_by_key(|(_, session)| session.since).map(|(key, _)| key.clone());
            if let Some(oldest) = oldest {
                all.remove(&oldest);
            }
        }
        let session = Session { hill: hill.to_owned(), token: token.clone(), since: now };
        all.insert(key(&secret), session);
        Ok(line(hill, &secret, LIFE, is_secure))
    }

    /// Returns the digest of the token that a request's cookie replaces.
    pub(crate) fn token(&self, hill: &str, headers: &HeaderMap) -> Option<Digest> {
        let now = self.clock.now().0;
        let all = self.all.lock();
        let is_valid = |session: &&Session| session.hill == hill && now.saturating_sub(session.since) < LIFE;
        let mut sessions = cookies(headers).filter_map(|cookie| all.get(&key(cookie)));
        sessions.find(is_valid).map(|session| session.token.clone())
    }

    /// Returns the number of sessions.
    pub(crate) fn held(&self) -> usize {
        self.all.lock().len()
    }

    /// Ends the session of a request, and returns the line that removes its cookie.
    pub(crate) fn end(&self, hill: &str, headers: &HeaderMap) -> String {
        let mut all = self.all.lock();
        for key in cookies(headers).map(key) {
            if all.get(&key).is_some_and(|session| session.hill == hill) {
                all.remove(&key);
            }
        }
        line(hill, "", Duration::ZERO, false)
    }
}

/// Returns random bytes from the system, as hexadecimal digits, which nobody can guess.
pub(crate) fn random<const BYTES: usize>() -> Result<String, Error> {
    let mut bytes = [0; BYTES];
    let filled = SysRng.try_fill_bytes(&mut bytes);
    filled.map_err(|error| Error::new(ErrorKind::System, format!("no random number: {error}")))?;
    Ok(bytes.map(|byte| format!("{byte:02x}")).concat())
}

fn key(secret: &str) -> String {
    Digest::of(secret.as_bytes()).as_str().to_owned()
}

fn line(hill: &str, secret: &str, life: Duration, is_secure: bool) -> String {
    let secure = if is_secure { "; Secure" } else { "" };
    format!("{NAME}={secret}; Path=/{hill}; Max-Age={}; HttpOnly; SameSite=Strict{secure}", life.as_secs())
}

/// Lists the cookies of a request. There can be several: those of a path above come with those of a hill, and an old
/// one with a new one.
fn cookies(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    let lines = headers.get_all(header::COOKIE).iter().filter_map(|line| line.to_str().ok());
    lines.flat_map(|line| line.split(';')).filter_map(|pair| {
        let (name, value) = pair.trim().split_once('=')?;
        (name == NAME).then_some(value)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_number_of_sessions_takes_a_bounded_memory_and_the_oldest_ends_first() {
        let sessions = Sessions::default();
        let mut begin = |number: usize| {
            let token = Digest::of(&number.to_be_bytes());
            let line = sessions.begin("h", &token, false).expect("a session");
            let pair = line.split(';').next().expect("a cookie").parse().expect("a value");
            HeaderMap::from_iter([(header::COOKIE, pair)])
        };
        let cookies: Vec<HeaderMap> = (0..SESSIONS_MAX + 2).map(&mut begin).collect();
        assert_eq!(sessions.held(), SESSIONS_MAX);
        let is_there = |cookie: &HeaderMap| sessions.token("h", cookie).is_some();
        assert!(!cookies[..2].iter().any(is_there) && cookies[2..].iter().all(is_there));
    }
    #[test]
    fn an_account_that_signs_in_again_and_again_ends_its_own_sessions_alone() {
        let (sessions, [mine, others]) =
            (Sessions::default(), [b"mine", b"them"].map(|token| Digest::of(token)));
        let other = sessions.begin("h", &others, false).expect("a session");
        for _ in 0..SESSIONS_OF_ONE * 3 {
            sessions.begin("h", &mine, false).expect("a session");
        }
        assert_eq!(sessions.held(), SESSIONS_OF_ONE + 1);
        let pair = other.split(';').next().expect("a cookie").parse().expect("a value");
        let headers = HeaderMap::from_iter([(header::COOKIE, pair)]);
        assert_eq!(sessions.token("h", &headers), Some(others));
    }

    #[test]
    fn a_session_is_found_whatever_other_cookies_come_with_its_own() {
        let (sessions, token) = (Sessions::default(), Digest::of(b"token"));
        let line = sessions.begin("h", &token, false).expect("a session");
        let pair = line.split(';').next().expect("a cookie");
        for cookies in [
            pair.to_owned(),
            format!("referee=old; {pair}"),
            format!("{pair}; referee=old"),
            format!("a=b;{pair};c"),
        ] {
            let headers = HeaderMap::from_iter([(header::COOKIE, cookies.parse().expect("a value"))]);
            assert_eq!(sessions.token("h", &headers), Some(token.clone()), "{cookies}");
            assert_eq!(sessions.token("g", &headers), None, "of another hill");
        }
        let several = ["referee=old", pair].map(|line| (header::COOKIE, line.parse().expect("a value")));
        let mut headers = HeaderMap::new();
        for (name, line) in several {
            headers.append(name, line);
        }
        assert_eq!(sessions.token("h", &headers), Some(token));
        sessions.end("g", &headers);
        assert_eq!(sessions.held(), 1, "another hill's page does not end it");
        sessions.end("h", &headers);
        assert_eq!(sessions.held(), 0);
    }
}
