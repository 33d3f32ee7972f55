//! Accounts of a hill on the web.

use referee_contest::accounts::{self, EventRow, Role, revoke, tokens, tokens_of};
use referee_files::beneath::Spot;
use referee_files::small;
use referee_record::Digest;

#[test]
fn a_token_counts_until_its_account_is_revoked_and_is_stored_nowhere() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let invite = |account: &str, role| accounts::invite(root, account, role);
    let (first, other) = (invite("alice", Role::Author).unwrap(), invite("bob", Role::Host).unwrap());
    assert_eq!(first.len(), 43);
    let counts = |token: &str| {
        let digest = Digest::of(token.as_bytes());
        let found = tokens(root).unwrap().into_iter().find(|known| known.digest == digest);
        found.map(|token| (token.account, token.is_host))
    };
    let of = |account: &str, is_host| Some((account.to_owned(), is_host));
    assert_eq!((counts(&first), counts(&other)), (of("alice", false), of("bob", true)));
    let stored = tokens_of(root).read_text(1 << 20).unwrap();
    assert!(!stored.contains(&first) && !stored.contains(&other));
    revoke(root, "alice").unwrap();
    let second = invite("alice", Role::Author).unwrap();
    assert_eq!((counts(&first), counts(""), counts(&second)), (None, None, of("alice", false)));
    assert!(revoke(root, "carol").is_err() && invite("a b", Role::Author).is_err());
    let events: Vec<EventRow> = small::read(Spot::below(root, "events.csv")).unwrap();
    let told: Vec<_> = events.iter().map(|row| format!("{} {}", row.account, row.event)).collect();
    assert_eq!(told, ["alice invited", "bob host", "alice revoked", "alice invited"]);
}
