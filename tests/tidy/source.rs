//! The reader of sources reads correctly.

use referee_testutil::source::Source;

#[test]
fn paths_are_read_from_use_lines_and_from_code() {
    let text = "use super::{Answer, excerpt::{self, Excerpt as E}};\nuse std::fs as files;\nmod child;\n\
        // use crate::play;\nconst A: &str = \"crate::play\"; const B: char = '\"'; const C: &str = r#\"a::b\"#;\n\
        fn f<'a>(x: &'a E) { files::read(x); child::g(); E::new(); crate::wire::read(x) }\n\
        #[cfg(test)]\nmod tests { use crate::play; }\nuse crate::rules::*;\n";
    let source = Source { file: "referee/table/collect.rs".to_owned(), text: text.to_owned() };
    let found: Vec<String> =
        source.paths().into_iter().map(|named| format!("{}:{}", named.path, named.line)).collect();
    let expected = [
        "crate::table::Answer:1",
        "crate::table::excerpt:1",
        "crate::table::excerpt::Excerpt:1",
        "std::fs:2",
        "std::fs::read:6",
        "crate::table::collect::child::g:6",
        "crate::table::excerpt::Excerpt::new:6",
        "crate::table::wire::read:6",
        "crate::table::rules::*:9",
    ];
    assert_eq!(found, expected);
    assert_eq!(source.strings(), [("crate::play".to_owned(), 5), ("a::b".to_owned(), 5)]);
}
