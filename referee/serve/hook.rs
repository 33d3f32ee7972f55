//! The webhook of a hill: another server receives a signed POST for each new leader, verdict and refused bot. Nothing
//! waits for the answer of that server. The host is shown its status.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use parking_lot::Mutex;
use referee_contest::schema::Settings;
use referee_contest::settings;
use referee_files::beneath::Spot;
use referee_record::error::Error;
use referee_table::clock;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use sha2::Sha256;
use tokio::sync::{mpsc, watch};
use ureq::tls::{RootCerts, TlsConfig};

use crate::session::random;

/// The file of a hill with the address and secret of its webhook, and its maximum length in bytes.
const FILE: &str = "webhook.toml";
const FILE_MAX: u64 = 4096;

/// Minimum length of a secret, in bytes.
const SECRET_MIN: usize = 16;

/// Maximum number of waiting messages. Further ones are dropped.
const WAITING_MAX: usize = 64;

/// Time limit of a message.
const TIME_MAX: Duration = Duration::from_secs(10);

/// The address and the secret of a webhook.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Target {
    /// Where messages are sent to.
    url: String,
    /// The secret that signs them.
    secret: String,
}

impl Settings for Target {}

/// The webhook of a hill.
#[derive(Debug)]
pub(crate) struct Hook {
    target: Option<Target>,
    sender: mpsc::Sender<Value>,
    /// The other end of the queue, until the task that sends messages takes it.
    receiver: Mutex<Option<mpsc::Receiver<Value>>>,
    /// The result of the last message, for the host.
    last_result: Mutex<String>,
}

impl Hook {
    /// Reads the webhook of a hill, if it has one.
    pub(crate) fn open(root: &Path) -> Result<Hook, Error> {
        let spot = Spot::below(root, FILE);
        let target = if spot.exists() { Some(read(&spot)?) } else { None };
        let (sender, receiver) = mpsc::channel(WAITING_MAX);
        Ok(Hook { target, sender, receiver: Mutex::new(Some(receiver)), last_result: Mutex::default() })
    }

    /// Queues a message, and returns at once.
    pub(crate) fn queue(&self, event: &str, mut message: Value) {
        if self.target.is_none() {
            return;
        }
        message["event"] = event.into();
        message["date"] = clock::date().into();
        if self.sender.try_send(message).is_err() {
            self.set_last_result("a message was dropped: too many are waiting");
        }
    }

    /// Returns the number of messages that wait.
    #[cfg(test)]
    pub(crate) fn queued(&self) -> usize {
        self.sender.max_capacity() - self.sender.capacity()
    }

    /// Sends the queued messages, one after the other, until the server stops.
    pub(crate) async fn send_queued(&self, hill: &str, say: fn(&str), mut stop: watch::Receiver<bool>) {
        let receiver = self.receiver.lock().take();
        let (Some(mut receiver), Some(target)) = (receiver, &self.target) else { return };
        loop {
            let mut message = tokio::select! {
                Some(message) = receiver.recv() => message,
                _ = stop.wait_for(|stop| *stop) => return,
            };
            (message["schema"], message["hill"]) = (json!(1), json!(hill));
            let target = target.clone();
            let sending = tokio::task::spawn_blocking(move || send(&target, &message.to_string(), TIME_MAX));
            match sending.await {
                Ok(Ok(status)) => {
                    let date = clock::date();
                    self.set_last_result(&format!("the last message was answered with {status}, at {date}"));
                }
                Ok(Err(error)) => {
                    let sentence = format!("the last message was lost at {}: {error}", clock::date());
                    self.set_last_result(&sentence);
                    say(&format!("Webhook of {hill}: {sentence}."));
                }
                Err(_) => {}
            }
        }
    }

    /// Returns the address and the result of the last message, for the host.
    pub(crate) fn status(&self) -> String {
        match &self.target {
            None => format!("none (to set one, write {FILE} in the hill's folder)"),
            Some(Target { url, .. }) => {
                format!("{url}; {}", self.last_result.lock())
            }
        }
    }

    fn set_last_result(&self, sentence: &str) {
        sentence.clone_into(&mut self.last_result.lock());
    }
}

fn read(spot: &Spot) -> Result<Target, Error> {
    let refused = || Error::system(spot.path(), "read the webhook");
    let mode = spot.open().and_then(|file| file.metadata()).map_err(refused())?.permissions().mode();
    if mode & 0o077 != 0 {
        return Err(Error::file(
            spot.path(),
            "other users can read its secret: make it private with chmod 600",
        ));
    }
    let text = spot.read_text(FILE_MAX).map_err(refused())?;
    let target: Target = settings::read(spot.path(), &text)?;
    if !["http://", "https://"].iter().any(|scheme| target.url.starts_with(scheme)) {
        let what = "url must begin with http:// or https://";
        return Err(settings::wrong(spot.path(), &text, "url", what));
    }
    if target.secret.len() < SECRET_MIN {
        let what = format!("secret must have at least {SECRET_MIN} bytes");
        return Err(settings::wrong(spot.path(), &text, "secret", what));
    }
    Ok(target)
}

/// Sends a message, signed according to Standard Webhooks: HMAC-SHA-256 of number, time and text. Returns the
/// status of the answer, if it comes within `limit`.
fn send(target: &Target, body: &str, limit: Duration) -> Result<u16, String> {
    let number = format!("msg_{}", random::<12>().map_err(|error| error.to_string())?);
    let seconds = clock::seconds().to_string();
    let mut mac = Hmac::<Sha256>::new_from_slice(target.secret.as_bytes()).expect("a key of any length");
    mac.update(format!("{number}.{seconds}.{body}").as_bytes());
    let signature = format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()));
    let config = ureq::Agent::config_builder().http_status_as_error(false).max_redirects(0);
    // The certificate authorities are those of the system, so that a host can add one.
    let tls = TlsConfig::builder().root_certs(RootCerts::PlatformVerifier).build();
    let agent: ureq::Agent = config.timeout_global(Some(limit)).tls_config(tls).build().into();
    let request = agent.post(&target.url).content_type("application/json");
    let request = request.header("webhook-id", number).header("webhook-timestamp", seconds);
    let answer = request.header("webhook-signature", signature).send(body);
    answer.map(|answer| answer.status().as_u16()).map_err(|error| match error {
        // The library reports a certificate that it refuses as invalid data.
        ureq::Error::Io(why) if why.kind() == std::io::ErrorKind::InvalidData => {
            format!(
                "{why}; the trusted authorities are those of this system, or of the file in SSL_CERT_FILE"
            )
        }
        error => error.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(url: String) -> Target {
        Target { url, secret: "of sixteen bytes".to_owned() }
    }

    #[test]
    fn a_message_that_finds_the_queue_full_is_dropped_and_the_host_is_told() {
        let (sender, receiver) = mpsc::channel(WAITING_MAX);
        let target = Some(target("http://127.0.0.1:9/".to_owned()));
        let receiver = Mutex::new(Some(receiver));
        let hook = Hook { target, sender, receiver, last_result: Mutex::default() };
        for number in 0..WAITING_MAX {
            hook.queue("leader", json!({ "number": number }));
        }
        assert!(!hook.status().contains("dropped"), "{}", hook.status());
        hook.queue("leader", json!({}));
        assert!(hook.status().contains("a message was dropped: too many are waiting"), "{}", hook.status());
        let mut receiver = hook.receiver.lock().take().expect("the other end");
        let queued = std::iter::from_fn(|| receiver.try_recv().ok()).count();
        assert_eq!(queued, WAITING_MAX);
    }

    #[test]
    fn a_message_without_an_answer_in_time_is_lost() {
        let silent = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        let target = target(format!("http://{}/", silent.local_addr().expect("a port")));
        let error = send(&target, "{}", Duration::from_millis(50)).expect_err("nobody answers");
        assert!(error.contains("timeout"), "{error}");
    }

    #[test]
    fn the_guide_names_the_limits() {
        let guide = include_str!("../../docs/guides/web.md").replace('\n', " ");
        assert_eq!(TIME_MAX, Duration::from_secs(10));
        let expected = format!("if nobody answers within ten seconds, or if {WAITING_MAX} others wait");
        assert!(guide.contains(&expected), "{expected}");
        assert!(guide.contains(&format!("a secret of at least {SECRET_MIN} characters")));
    }
}
