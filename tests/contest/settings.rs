//! Errors of files of settings, in plain words.

use referee_contest::settings::in_plain_words;

#[test]
fn messages_of_the_toml_reader_are_translated() {
    for (line, message, said) in [
        (
            "turns = \"two\"",
            "invalid type: string \"two\", expected u32",
            "turns must be a whole number, not \"two\"",
        ),
        (
            "bots = -1",
            "invalid value: integer `-1`, expected u32",
            "bots must be a whole number from 0 to 4294967295, not -1",
        ),
        (
            "bots = 2.5 # few",
            "invalid type: floating point `2.5`, expected u32",
            "bots must be a whole number, not 2.5",
        ),
        ("live = 1", "invalid type: integer `1`, expected a boolean", "live must be true or false, not 1"),
        (
            "paths = \"x\"",
            "invalid type: string \"x\", expected a sequence",
            "paths must be a list, such as [\"a\", \"b\"], not \"x\"",
        ),
        (
            "bots = \"python\"",
            "unknown variant `python`, expected `any` or `wasm`",
            "bots must be one of any, wasm, not python",
        ),
        (
            "lives = 9",
            "unknown field `lives`, expected one of `game`, `live`",
            "no such setting: lives (there are: game, live)",
        ),
        ("x = 1", "missing field `game`", "the setting game is missing"),
        ("x = 1", "missing field `entrant`", "no bots: write an [[entrant]] for each"),
        (
            "[entrant]",
            "invalid type: map, expected a sequence",
            "write [[entrant]], in double brackets, for each bot",
        ),
        ("[entrant]", "duplicate key", "write [[entrant]], in double brackets, for each bot"),
        ("[limits] # again", "duplicate key", "[limits] is there twice: remove one"),
        (
            "live = yes",
            "string values must be quoted, expected literal string",
            "write live = true or live = false, not yes",
        ),
        (
            "name = cup",
            "string values must be quoted, expected literal string",
            "not a number: cup; write a word in quotation marks: name = \"cup\"",
        ),
        ("name =", "string values must be quoted, expected literal string", "name has no value"),
        ("k == 10", "extra `=`, expected nothing", "one = too many: write NAME = VALUE"),
        ("x = 1", "recursion limit", "recursion limit"),
    ] {
        let text = format!("first = 1\n{line}\nlast = 2\n");
        assert_eq!(in_plain_words(&text, "first = 1\n".len(), message), said, "{line}");
        assert_eq!(in_plain_words(line, line.len(), message), said, "{line}, at its end");
    }
}
