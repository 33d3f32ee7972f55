//! The client of hills on the web: the addresses that it reaches, the authorities that it trusts, and the servers that
//! it shows a token.

use std::net::IpAddr;
use std::path::Path;
use std::time::Duration;

use referee_files::beneath::Spot;
use referee_record::error::{Error, ErrorKind};
use referee_record::text::visible_line;
use ureq::http::Uri;
use ureq::tls::{PemItem, RootCerts, TlsConfig, parse_pem};

/// Time limit for an answer of the server.
const ANSWER_MAX: Duration = Duration::from_secs(120);

/// Maximum length of a file that is fetched, in bytes.
const FILE_MAX: u64 = 1 << 20;

/// Maximum length of a file with authorities, in bytes. That of a whole system has some 200 KiB.
const CA_MAX: u64 = 4 << 20;

/// Returns an address that this program can reach, without a slash at its end.
///
/// # Errors
///
/// If it is not an address of `http` or `https` with a host, or if it has a user, a query or a fragment.
pub fn checked(address: &str) -> Result<&str, Error> {
    let refused = |what: &str| Err(Error::input(format!("{}: {what}", visible_line(address))));
    let Ok(uri) = address.parse::<Uri>() else { return refused("not an address") };
    if !matches!(uri.scheme_str(), Some("http" | "https")) {
        return refused("an address of a hill begins with http:// or https://");
    }
    if uri.host().is_none_or(str::is_empty) || uri.authority().is_some_and(|part| part.as_str().contains('@'))
    {
        return refused("after http:// or https:// comes the name of a host, without a user");
    }
    if address.contains(['?', '#']) {
        return refused("the address of a hill has no ? and no #");
    }
    Ok(address.trim_end_matches('/'))
}

/// Makes sure that nobody on the way can read a token: that the address is encrypted or on this machine, or that the
/// user wants it otherwise.
pub(crate) fn check_private(address: &str, is_insecure: bool) -> Result<(), Error> {
    let uri: Uri = address.parse().unwrap_or_default();
    if uri.scheme_str() == Some("https") || is_insecure || uri.host().is_some_and(is_this_machine) {
        return Ok(());
    }
    let what = "everybody on the way could read the token: use https://, or name --insecure in a network that you trust";
    Err(Error::input(format!("{}: {what}", visible_line(address))))
}

fn is_this_machine(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    let is_loopback = |address: IpAddr| address.to_canonical().is_loopback();
    bare.parse().map_or_else(|_| bare.eq_ignore_ascii_case("localhost"), is_loopback)
}

/// Returns a client. It trusts the authorities of the system, or those of a file alone.
pub(crate) fn agent(ca: Option<&Path>) -> Result<ureq::Agent, Error> {
    let roots = match ca {
        Some(file) => authorities(file)?,
        None => RootCerts::PlatformVerifier,
    };
    let tls = TlsConfig::builder().root_certs(roots).build();
    let config = ureq::Agent::config_builder().http_status_as_error(false).max_redirects(0);
    Ok(config.timeout_global(Some(ANSWER_MAX)).tls_config(tls).build().into())
}

fn authorities(path: &Path) -> Result<RootCerts, Error> {
    let text = Spot::from(path).read_text(CA_MAX).map_err(Error::system(path, "read the certificates"))?;
    let mut found = Vec::new();
    for item in parse_pem(text.as_bytes()) {
        match item {
            Ok(PemItem::Certificate(certificate)) => found.push(certificate),
            Ok(_) => {}
            Err(error) => return Err(Error::file(path, format!("not a PEM file: {error}"))),
        }
    }
    if found.is_empty() {
        let what = "no certificate is in this file: it begins with -----BEGIN CERTIFICATE-----";
        return Err(Error::file(path, what));
    }
    Ok(found.into())
}

/// Returns the reason why there is no answer.
pub(crate) fn reason(error: &ureq::Error) -> String {
    match error {
        // TLS reports a certificate that it refuses as invalid data.
        ureq::Error::Io(why) if why.kind() == std::io::ErrorKind::InvalidData => {
            format!(
                "no answer: {why}; --ca FILE names the authority of its certificate, SSL_CERT_FILE those of the system"
            )
        }
        why => format!("no answer: {why}"),
    }
}

/// Returns the file at an address.
///
/// # Errors
///
/// If there is no answer, or the server refuses.
pub fn fetch(address: &str) -> Result<Vec<u8>, Error> {
    let failed =
        |kind, what: String| Error::new(kind, format!("{}: {}", visible_line(address), visible_line(&what)));
    let asked = agent(None)?.get(address).call();
    let mut response = asked.map_err(|error| failed(ErrorKind::System, reason(&error)))?;
    let status = response.status();
    if !status.is_success() {
        let what = format!("{status}: is this the address of a hill, and does the hill have a key?");
        return Err(failed(ErrorKind::Input, what));
    }
    let body = response.body_mut().with_config().limit(FILE_MAX).read_to_vec();
    body.map_err(|error| failed(ErrorKind::System, format!("the answer is incomplete: {error}")))
}

#[cfg(test)]
mod tests {
    use super::{check_private, checked};

    #[test]
    fn an_address_is_of_http_and_has_a_host() {
        for good in ["http://a/h", "https://a.example:8443/h", "http://[::1]:80/h", "https://A.example"] {
            assert_eq!(checked(good).expect(good), good);
        }
        assert_eq!(checked("https://a/h//").expect("a hill"), "https://a/h");
        for bad in [
            "ftp://a/h",
            "HTTP:/a",
            "https://",
            "https:///h",
            "http://u:p@a/h",
            "http://a/h?x=1",
            "http://a/#",
            "://",
        ] {
            assert!(checked(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_token_travels_in_the_clear_on_this_machine_alone() {
        for near in
            ["http://127.0.0.1:80/h", "http://127.9.8.7/h", "http://[::1]/h", "http://LOCALHOST:8080/h"]
        {
            check_private(near, false).expect(near);
        }
        let far = [
            "http://192.168.0.7/h",
            "http://example.org/h",
            "http://localhost.example.org/h",
            "http://127.0.0.1.example.org/h",
            "http://[::2]/h",
            "http://0.0.0.0/h",
            "http://2130706433/h",
        ];
        for far in far {
            assert!(check_private(far, false).is_err(), "{far}");
            check_private(far, true).expect("as the user wants");
            check_private(&far.replace("http:", "https:"), false).expect("nobody can read it");
        }
    }
}
