//! The commands of `docs/guides/web.md` run, and print what the guide shows.

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::Duration;

use referee_table::clock::Clock;
use tempfile::TempDir;

use crate::support::{PATIENCE, program, said};

/// The address of the page.
const ADDRESS: &str = "127.0.0.1:8080";

/// A server that ends with the test.
struct Served(Child);

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn shell(place: &TempDir, commands: &str) -> Command {
    let programs = program("referee").parent().expect("a folder").to_owned();
    let inherited = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths([programs].into_iter().chain(std::env::split_paths(&inherited)));
    let mut shell = Command::new("sh");
    shell.args(["-ec", commands]).current_dir(place.path()).env("PATH", path.expect("folders"));
    shell
}

#[test]
fn the_guide_runs() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/guides/web.md");
    let page = fs::read_to_string(page).expect("the page");
    let free = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a port");
    let page = page.replace(ADDRESS, &free.to_string());
    let place = tempfile::Builder::new().prefix("referee-guide-").tempdir().expect("a folder");
    let (mut served, mut printed, mut ran) = (None, String::new(), 0);
    for block in page.split("```").skip(1).step_by(2) {
        let (kind, commands) = block.split_once('\n').expect("a block");
        match kind {
            "sh served" if commands.contains(" --listen ") => {
                let mut command = shell(&place, &format!("exec {commands}"));
                served = Some(Served(command.stdout(Stdio::null()).spawn().expect("the server")));
                let clock = Clock::start();
                while TcpStream::connect(free).is_err() {
                    assert!(clock.now().0 < PATIENCE, "nobody listens");
                    thread::sleep(Duration::from_millis(20));
                }
            }
            "sh served" => {
                let output: Output = shell(&place, commands).output().expect("sh");
                assert!(output.status.success(), "{commands}{}", said(&output));
                printed = String::from_utf8_lossy(&output.stdout).into_owned();
                ran += 1;
            }
            "output" => {
                let shown: Vec<&str> =
                    commands.lines().map(|line| line.split("...").next().expect("a start")).collect();
                let tail: Vec<&str> = printed.lines().rev().take(shown.len()).collect();
                let fits = tail.into_iter().rev().zip(&shown).all(|(line, due)| line.starts_with(due));
                assert!(fits, "{printed} is not {commands}");
            }
            "sh by-hand" | "caddy by-hand" | "toml" | "text" => {}
            // Run by another test.
            "nginx by-hand" => {}
            other => panic!("no test runs {other:?}"),
        }
    }
    assert!(served.is_some() && ran == 7, "{ran} blocks ran");
}

#[test]
fn the_page_of_the_command_line_is_what_help_says() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/server.md");
    let text = fs::read_to_string(path).expect("the page");
    let (head, _) = text.split_once("```text\n").expect("a block");
    let output = Command::new(program("referee-serve")).arg("--help").output().expect("the program");
    let due = format!("{head}```text\n{}\n```\n", String::from_utf8_lossy(&output.stdout).trim_end());
    if std::env::var_os("REFEREE_WRITE_DOCS").is_some() {
        fs::write(path, &due).expect("the page");
    }
    assert!(text == due, "docs/reference/server.md is of other help: REFEREE_WRITE_DOCS=1 writes it anew");
}

#[test]
fn the_short_help_fits_a_small_terminal() {
    let mut command = Command::new(program("referee-serve"));
    let help = command.arg("-h").env("COLUMNS", "80").output().expect("the program").stdout;
    let help = String::from_utf8(help).expect("text");
    assert!(help.lines().count() <= 24 && help.lines().all(|line| line.chars().count() <= 80), "{help}");
}
