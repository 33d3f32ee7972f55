//! Each language of the table: a bot with a second file and a data file, built and run.

use std::fs;
use std::path::{Path, PathBuf};

use crate::Test;
use crate::support::{Builder, run};

pub(crate) const TESTS: &[Test] = &[
    ("languages::a_file_in_c_becomes_one_program", None, a_file_in_c_becomes_one_program),
    ("languages::a_python_folder_stays_a_folder", None, a_python_folder_stays_a_folder),
    ("languages::each_language_that_is_here_is_built_and_runs", Some("needs g++, java, node"), each_language),
    ("languages::a_package_in_rust_is_built", Some("needs cargo"), cargo),
    ("languages::files_and_modules_in_go_are_built", Some("needs go"), go),
    ("languages::a_program_in_ocaml_is_built", Some("needs ocamlopt"), ocaml),
    ("languages::a_program_in_csharp_is_built", Some("needs mono-devel"), csharp),
    ("languages::a_program_in_haskell_is_built", Some("needs ghc"), haskell),
    ("languages::a_program_in_zig_is_built", Some("needs zig"), zig),
];

fn a_file_in_c_becomes_one_program() {
    let source = "#include <stdio.h>\nint main(void) { int n; while (scanf(\"%d\", &n) == 1) printf(\"%d\\n\", n + 1); }\n";
    let built = Builder::new().build(&[("bot.c", source)]).expect("built");
    assert_eq!((built.files.len(), built.program().path.as_str()), (1, "bot"));
    assert!(built.program().bytes.starts_with(b"\x7fELF"));
    assert_eq!(run(&built.files, "41\n"), "42\n");
    let again = Builder::new().build(&[("bot.c", source)]).expect("built");
    assert_eq!(built.digest(), again.digest(), "the same source makes the same program");
}

fn a_python_folder_stays_a_folder() {
    let files = [
        ("bot.py", "import helper, sys\nfor line in sys.stdin: print(helper.next(int(line)), flush=True)\n"),
        (
            "helper.py",
            "import os\nw = open(os.path.join(os.path.dirname(__file__), 'w.txt')).read()\n\
          def next(n): return n + int(w)\n",
        ),
        ("w.txt", "1"),
    ];
    let built = Builder::new().build(&files).expect("built");
    let names: Vec<(&str, bool)> = built.files.iter().map(|file| (&*file.path, file.executable)).collect();
    assert_eq!(names, [("bot.py", true), ("helper.py", false), ("w.txt", false)]);
    assert!(built.program().bytes.starts_with(b"#!/usr/bin/env python3\n"));
    assert_eq!(run(&built.files, "41\n"), "42\n");
    let bad = Builder::new().refuse(&[("bot.py", "def f(:\n")]);
    assert!(bad.log.iter().any(|line| line.contains("SyntaxError")), "{bad}");
}

/// Sources that print each number of their input and one more.
const SOURCES: &[(&str, &[(&str, &str)])] = &[
    (
        "c",
        &[
            (
                "main.c",
                "#include <stdio.h>\n#include \"lib/a.h\"\nint main(void) { int n; while (scanf(\"%d\", &n) == 1) printf(\"%d\\n\", next(n)); }\n",
            ),
            ("lib/a.c", "#include \"a.h\"\nint next(int n) { return n + 1; }\n"),
            ("lib/a.h", "int next(int n);\n"),
        ],
    ),
    (
        "cpp",
        &[
            (
                "bot.cpp",
                "#include <iostream>\nint next(int);\nint main() { int n; while (std::cin >> n) std::cout << next(n) << std::endl; }\n",
            ),
            ("a.cc", "int next(int n) { return n + 1; }\n"),
        ],
    ),
    (
        "java",
        &[
            (
                "Bot.java",
                "public class Bot { public static void main(String[] a) { var s = new java.util.Scanner(System.in); while (s.hasNextInt()) System.out.println(Next.next(s.nextInt())); } }\n",
            ),
            ("Next.java", "class Next { static int next(int n) { return n + 1; } }\n"),
        ],
    ),
    (
        "java",
        &[
            ("Bot.java", "interface Bot { int next(int n); }\n"),
            (
                "MyBot.java",
                "package team.one;\nclass Fox { public static void main(String[] a) { var s = new java.util.Scanner(System.in); while (s.hasNextInt()) System.out.println(s.nextInt() + 1); } }\n",
            ),
        ],
    ),
    (
        "javascript",
        &[
            (
                "bot.js",
                "const {next} = require('./lib.js');\nrequire('readline').createInterface({input: process.stdin}).on('line', l => console.log(next(+l)));\n",
            ),
            ("lib.js", "exports.next = n => n + 1;\n"),
        ],
    ),
];

fn each_language() {
    for (language, files) in SOURCES {
        let builder = Builder::new();
        let built = builder.build(files).unwrap_or_else(|error| panic!("{language}: {error}"));
        assert_eq!(run(&built.files, "41\n"), "42\n", "{language}");
    }
}

fn go() {
    let main = "package main\nimport \"fmt\"\nfunc main() { var n int; for { if _, e := fmt.Scan(&n); e != nil { return }; \
                fmt.Println(next(n)) } }\n";
    let next = "package main\nfunc next(n int) int { return n + 1 }\n";
    for files in [
        &[("main.go", main), ("next.go", next)][..],
        &[("go.mod", "module bot\n"), ("a.go", main), ("b.go", next)],
    ] {
        let built = Builder::new().build(files).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(run(&built.files, "41\n"), "42\n");
    }
}

fn ocaml() {
    let source = "let () = try while true do Printf.printf \"%d\\n%!\" (read_int () + 1) done with End_of_file -> ()\n";
    let built = Builder::new().build(&[("bot.ml", source)]).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(run(&built.files, "41\n"), "42\n");
}

fn csharp() {
    let files = [
        (
            "Bot.cs",
            "using System;\nclass Bot { static void Main() { string line; while ((line = Console.ReadLine()) != null)\n\
             Console.WriteLine(Moves.Next(int.Parse(line))); } }\n",
        ),
        ("Moves.cs", "static class Moves { public static int Next(int n) { return n + 1; } }\n"),
    ];
    let built = Builder::new().build(&files).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(run(&built.files, "41\n"), "42\n");
}

fn haskell() {
    let files = [
        (
            "bot.hs",
            "import System.IO\nimport Moves (next)\n\
             main = hSetBuffering stdout LineBuffering >> interact (unlines . map (show . next . read) . lines)\n",
        ),
        ("Moves.hs", "module Moves (next) where\nnext :: Int -> Int\nnext n = n + 1\n"),
    ];
    let built = Builder::new().build(&files).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(run(&built.files, "41\n"), "42\n");
}

fn zig() {
    let mut builder = Builder::new();
    builder.languages.rows.get_mut("zig").expect("a row").folders = vec![zig_folder()];
    builder.languages.limits.seconds = LONG;
    let files = [
        (
            "bot.zig",
            "const std = @import(\"std\");\nconst next = @import(\"next.zig\").next;\n\
             pub fn main() !void {\n    var line: [64]u8 = undefined;\n    const read = std.os.linux.read(0, &line, 64);\n\
             \x20   const number = try std.fmt.parseInt(i64, line[0 .. read - 1], 10);\n\
             \x20   const text = try std.fmt.bufPrint(&line, \"{d}\\n\", .{next(number)});\n\
             \x20   _ = std.os.linux.write(1, text.ptr, text.len);\n}\n",
        ),
        ("next.zig", "pub fn next(n: i64) i64 {\n    return n + 1;\n}\n"),
    ];
    let built = builder.build(&files).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(run(&built.files, "41\n"), "42\n");
}

/// The folder of Zig: as `scripts/test` installs it, or that of the `zig` in the `PATH`.
pub(crate) fn zig_folder() -> PathBuf {
    let installed = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/builds/python/lib");
    let versions = fs::read_dir(installed).into_iter().flatten().flatten();
    let installed = versions.map(|version| version.path().join("site-packages/ziglang"));
    let of_path = std::env::var_os("PATH").unwrap_or_default();
    let of_path = std::env::split_paths(&of_path).map(|folder| folder.join("zig"));
    let of_path = of_path.filter_map(|zig| Some(zig.canonicalize().ok()?.parent()?.to_owned()));
    let found = installed.chain(of_path).find(|folder| folder.join("zig").is_file());
    found.expect("zig: scripts/test --only-install").canonicalize().expect("a folder")
}

/// Seconds for a build that a busy machine does not end: without a cache, Zig builds its own library for 20.
pub(crate) const LONG: u64 = 3600;

/// The folder of the toolchain that runs this test.
pub(crate) fn rust_folder() -> PathBuf {
    let output = std::process::Command::new("rustc").args(["--print", "sysroot"]).output().expect("rustc");
    String::from_utf8_lossy(&output.stdout).trim().into()
}

fn cargo() {
    let mut builder = Builder::new();
    for name in ["cargo", "rust"] {
        builder.languages.rows.get_mut(name).expect("a row").folders = vec![rust_folder()];
    }
    let main = "use std::io::BufRead;\nfn main() { for l in std::io::stdin().lock().lines() { println!(\"{}\", l.unwrap().parse::<i32>().unwrap() + 1); } }\n";
    let built = builder.build(&[("bot.rs", main)]).expect("built");
    assert_eq!(run(&built.files, "41\n"), "42\n");
    let manifest = "[package]\nname = \"mine\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";
    let built = builder.build(&[("Cargo.toml", manifest), ("src/main.rs", main)]).expect("built");
    assert_eq!(built.program().path, "mine");
    assert_eq!(run(&built.files, "41\n"), "42\n");

    // Programs of the build are executed in it: `build.rs`, a macro, and the `build.rs` of a package that the host has.
    let host = tempfile::tempdir_in(std::env::current_dir().expect("here")).expect("a folder");
    let vendored = host.path().join("vendored");
    fs::create_dir(&vendored).expect("a folder");
    for (name, content) in [
        ("Cargo.toml", "[package]\nname = \"vendored\"\nversion = \"1.0.0\"\nedition = \"2021\"\n"),
        ("lib.rs", "include!(concat!(env!(\"OUT_DIR\"), \"/made.rs\"));\n"),
        ("build.rs", MADE),
        (".cargo-checksum.json", "{\"files\":{},\"package\":null}"),
    ] {
        fs::write(vendored.join(name), content).expect("written");
    }
    let manifest =
        fs::read_to_string(vendored.join("Cargo.toml")).expect("read") + "[lib]\npath = \"lib.rs\"\n";
    fs::write(vendored.join("Cargo.toml"), manifest).expect("written");
    let row = builder.languages.rows.get_mut("cargo").expect("a row");
    row.folders.push(host.path().to_owned());
    let directory = format!("source.vendored.directory='{}'", host.path().display());
    let options = ["--config", "source.crates-io.replace-with='vendored'", "--config", &directory];
    row.build[0].extend(options.map(str::to_owned));
    let files = [
        (
            "Cargo.toml",
            "[package]\nname = \"mine\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[dependencies]\nvendored = \"1\"\n\
             own-macro = { path = \"own-macro\" }\n",
        ),
        ("build.rs", MADE),
        (
            "src/main.rs",
            "include!(concat!(env!(\"OUT_DIR\"), \"/made.rs\"));\n\
             fn main() { println!(\"{}\", made() + vendored::made() + own_macro::two!()); }\n",
        ),
        (
            "own-macro/Cargo.toml",
            "[package]\nname = \"own-macro\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[lib]\nproc-macro = true\n",
        ),
        (
            "own-macro/src/lib.rs",
            "#[proc_macro]\npub fn two(_: proc_macro::TokenStream) -> proc_macro::TokenStream { \"2\".parse().unwrap() }\n",
        ),
    ];
    let built = builder.build(&files).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(run(&built.files, ""), "42\n");
}

/// A `build.rs` that makes a part of its package.
const MADE: &str = "fn main() { let folder = std::env::var(\"OUT_DIR\").unwrap();\n\
    std::fs::write(folder + \"/made.rs\", \"pub fn made() -> i32 { 20 }\").unwrap(); }\n";
