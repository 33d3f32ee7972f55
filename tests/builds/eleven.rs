//! Eleven languages at one hill: each source is built, its program plays, and another version of the source takes its
//! place.

use std::collections::BTreeSet;
use std::sync::Mutex;

use referee_contest::audit::builds::{AuditedBuilds, audit_builds};
use referee_contest::fixture::Fixture;
use referee_contest::runner::GameEnd;
use referee_record::results::ResultRow;
use referee_rules::FaultKind;

use crate::Test;
use crate::hills::Place;
use crate::languages::{LONG, rust_folder, zig_folder};

pub(crate) const TESTS: &[Test] = &[(
    "eleven::languages_are_built_played_and_submitted_again",
    Some("needs g++, java, node, go, ocamlopt, mono-devel, ghc, zig"),
    eleven,
)];

/// Bots that answer each line with two numbers. Their other versions answer with `30 4`.
const BOTS: [(&str, &str, &str); 11] = [
    (
        "c",
        "bot.c",
        "#include <stdio.h>\nint main(void) { char b[9999]; while (fgets(b, 9999, stdin)) { puts(\"30 3\"); fflush(stdout); } }\n",
    ),
    (
        "cpp",
        "bot.cpp",
        "#include <iostream>\n#include <string>\n\
         int main() { std::string line; while (std::getline(std::cin, line)) std::cout << \"30 3\" << std::endl; }\n",
    ),
    (
        "csharp",
        "Bot.cs",
        "using System;\nclass Bot { static void Main() { while (Console.ReadLine() != null) Console.WriteLine(\"30 3\"); } }\n",
    ),
    (
        "go",
        "bot.go",
        "package main\nimport (\"bufio\"; \"fmt\"; \"os\")\n\
         func main() { lines := bufio.NewScanner(os.Stdin); for lines.Scan() { fmt.Println(\"30 3\") } }\n",
    ),
    (
        "haskell",
        "bot.hs",
        "import System.IO\n\
         main = hSetBuffering stdout LineBuffering >> interact (unlines . map (const \"30 3\") . lines)\n",
    ),
    (
        "java",
        "Bot.java",
        "public class Bot { public static void main(String[] a) { var lines = new java.util.Scanner(System.in);\n\
         while (lines.hasNextLine()) { lines.nextLine(); System.out.println(\"30 3\"); } } }\n",
    ),
    (
        "javascript",
        "bot.js",
        "require('readline').createInterface({input: process.stdin}).on('line', () => console.log('30 3'));\n",
    ),
    (
        "ocaml",
        "bot.ml",
        "let () = try while true do ignore (read_line ()); print_endline \"30 3\" done with End_of_file -> ()\n",
    ),
    ("python", "bot.py", "import sys\nfor line in sys.stdin: print('30 3', flush=True)\n"),
    ("rust", "bot.rs", "fn main() { for _ in std::io::stdin().lines() { println!(\"30 3\"); } }\n"),
    (
        "zig",
        "bot.zig",
        "const linux = @import(\"std\").os.linux;\n\
         pub fn main() void {\n    var byte: [1]u8 = undefined;\n    while (linux.read(0, &byte, 1) == 1) {\n\
         \x20       if (byte[0] == '\\n') _ = linux.write(1, \"30 3\\n\", 5);\n    }\n}\n",
    ),
];

fn eleven() {
    // Whatever else runs on this machine, no bot is late.
    let place = Place::with(&[("turns", 10), ("turn_ms", 600_000)]);
    let folder =
        |row: &str, at: std::path::PathBuf| format!("[{row}]\nfolders = [{:?}]\n", at.display().to_string());
    let own = [folder("rust", rust_folder()), folder("zig", zig_folder())].concat();
    place.write("h/languages.toml", &format!("{own}[limits]\nseconds = {LONG}\n"));
    for version in [1, 2] {
        for (language, file, source) in BOTS {
            let source = if version == 1 { source.to_owned() } else { source.replace("30 3", "30 4") };
            let path = place.write(&format!("{language}/{file}"), &source);
            let admitted =
                place.submit(language, &path).unwrap_or_else(|error| panic!("{language}: {error}"));
            let made = admitted.made.expect("it was built");
            assert_eq!((&*made.language, admitted.bot.version), (language, version), "{made:?}");
            assert!(
                !made.version.is_empty()
                    && admitted.warnings.iter().all(|warning| !warning.to_string().contains("late"))
            );
        }
    }
    let run = place.hill.begin_run(&place.setup).expect("a run");
    let played = Mutex::new(Vec::<ResultRow>::new());
    for round in 1..=2 {
        let keep = |_: &Fixture, end| match end {
            GameEnd::Over(game) => played.lock().expect("no panic").extend(game.iter().cloned()),
            GameEnd::Void(why) => panic!("{why}"),
        };
        run.play(run.fixtures_of(round), &place.setup, 2, keep).expect("played");
    }
    let played = played.into_inner().expect("no panic");
    let bots: BTreeSet<&str> = played.iter().map(|row| &*row.bot.name).collect();
    assert_eq!(bots, BTreeSet::from(BOTS.map(|(language, ..)| language)));
    for row in &played {
        let silent = FaultKind::ALL
            .iter()
            .zip(row.faults)
            .filter(|(kind, _)| kind.is_silence())
            .map(|(_, count)| count)
            .sum::<u64>();
        assert_eq!((row.bot.version, row.turns, silent), (2, 10, 0), "{row:?}");
    }
    // All but Zig's, which take long. `jar` writes the time into its archives.
    place.write("h/languages.toml", &format!("{own}offered = false\n"));
    let audited = audit_builds(&place.hill, &place.setup).expect("audited");
    assert!(audited.differ.iter().all(|bot| bot.starts_with("java version ")), "{audited:?}");
    let same = 20 - audited.differ.len() as u64;
    let due = AuditedBuilds {
        same,
        differ: audited.differ.clone(),
        other_toolchain: 2,
        ..AuditedBuilds::default()
    };
    assert_eq!(audited, due);
}
