//! Accounts of a hill on the web.

use referee_contest::accounts::{self, EventRow, Role, revoke, tokens, tokens_of};
use referee_files::beneath::Spot;
use referee_files::small;
use referee_record::Digest;

#[test]
fn a_token_counts_until_its_account_is_revoked_and_is_stored_nowhere() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let invite =
        |account: &str, role| accounts::invite(root, account, None, role).map(|invited| invited.token);
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
    assert!(
        !accounts::end_tokens(root, "carol").unwrap()
            && revoke(root, "carol").is_err()
            && invite("a\u{202e}b", Role::Author).is_err()
    );
    let events: Vec<EventRow> = small::read(Spot::below(root, "events.csv")).unwrap();
    let told: Vec<_> = events.iter().map(|row| format!("{} {}", row.account, row.event)).collect();
    assert_eq!(told, ["alice invited", "bob host", "alice revoked", "alice invited"]);
}

#[test]
fn an_account_has_any_name_of_a_class_list_and_a_key_that_stays() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let invite = |name: &str, id: Option<&str>| {
        let invited = accounts::invite(root, name, id, Role::Author).unwrap();
        (invited.account, invited.name)
    };
    let of = |account: &str, name: &str| (account.to_owned(), name.to_owned());
    let long = "Ng\u{169} Th\u{1ecb} Minh Khai-\u{d8}stergaard y de la Cruz";
    for (number, name) in [
        "\u{17b}\u{f3}\u{142}\u{107}",
        "\u{674e}\u{96f7}",
        "Shaun O'Neil",
        "'t Hooft",
        "Jos\u{e9} (B)",
        "\u{5d3}\u{5e0}\u{5d4}",
        long,
    ]
    .into_iter()
    .enumerate()
    {
        let account = format!("p{}", number + 1);
        assert_eq!(invite(name, None), of(&account, name));
        assert_eq!(invite(name, None), of(&account, name), "a second token, no second account");
        assert_eq!(invite(&account, None), of(&account, name), "likewise by its key");
    }
    // Composed letters and other blanks are no other name.
    assert_eq!(invite("Shaun\u{a0} O'Neil", None), of("p3", "Shaun O'Neil"));
    assert_eq!(invite(" Z\u{307}o\u{301}\u{142}c\u{301} ", None), of("p1", "\u{17b}\u{f3}\u{142}\u{107}"));
    // Two people of one name have two keys, and are told apart where they are shown.
    assert_eq!(invite("Shaun O'Neil", Some("s17")), of("s17", "Shaun O'Neil"));
    assert_eq!(accounts::shown(root).unwrap()["s17"], "Shaun O'Neil (s17)");
    assert_eq!(accounts::shown(root).unwrap()["p3"], "Shaun O'Neil (p3)");
    let refused = accounts::invite(root, "Shaun O'Neil", None, Role::Author).unwrap_err().to_string();
    assert!(refused.contains("the accounts p3, s17 are all called Shaun O'Neil"), "{refused}");
    // Another name for a key.
    assert_eq!(invite("Shaun", Some("s17")), of("s17", "Shaun"));
    assert_eq!(tokens(root).unwrap().last().unwrap().name, "Shaun");
    assert_eq!(accounts::account_of(root, "Shaun").unwrap(), "s17");
    revoke(root, "s17").unwrap();
    for bad in ["", "  ", "=1+1", "@sum", "a\u{202e}b", "a\u{7}b", "a\u{200b}b", &"x".repeat(65)] {
        assert!(accounts::invite(root, bad, None, Role::Author).is_err(), "{bad:?}");
    }
    assert!(
        accounts::invite(root, "Ann", Some("\u{17b}"), Role::Author).is_err(),
        "a key is of plain letters"
    );
}
