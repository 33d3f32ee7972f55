//! A full disk: what does not fit is refused clearly, and the server continues.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::kills::NO_LIMITS;
use crate::submissions::{accepted, good, post, verdict};
use crate::support::{Place, Server};

/// Starts a server with a hill on a small disk of its own.
const ON_A_SMALL_DISK: &str = "mount -t tmpfs -o size=$(($(du -sb h | cut -f1) + ROOM)) tmpfs disk && \
    cp -r h disk/h && exec \"$@\" --listen 127.0.0.1:0";

#[test]
#[ignore = "needs a user who may mount a disk"]
fn on_a_full_disk_a_program_is_refused_clearly_and_is_taken_when_there_is_room() {
    let place = Place::new();
    let token = place.token("alice");
    fs::create_dir(place.path("disk")).expect("a folder");
    let size = good().len() as u64;
    let may_mount = |flags: &&str| {
        let mut tried = Command::new("unshare");
        tried.args([*flags, "sh", "-c", "mount -t tmpfs tmpfs disk"]).current_dir(place.path(""));
        tried.output().is_ok_and(|output| output.status.success())
    };
    let flags = ["-m", "-rm"].into_iter().find(|flags| may_mount(flags));
    let flags = flags.expect("a user who may mount a disk, by `unshare -m` or `unshare -rm`");
    let serve = place.command(&["serve"]);
    let mut command = Command::new("unshare");
    command
        .args([flags, "sh", "-c", ON_A_SMALL_DISK, "sh"])
        .arg(serve.get_program())
        .args(["serve", "disk/h"]);
    command.args(NO_LIMITS).current_dir(place.path("")).env("ROOM", (8 * size + (8 << 20)).to_string());
    let server = Server::of(command);
    let disk = PathBuf::from(format!("/proc/{}/root{}", server.id(), place.path("disk").display()));
    let filler = disk.join("filler");
    // Leaves this much space.
    let fill = |room: u64| {
        let _ = fs::remove_file(&filler);
        let left = rustix::fs::statvfs(&disk).expect("the disk");
        fs::write(&filler, vec![0; (left.f_bavail * left.f_frsize - room) as usize]).expect("it fits");
    };
    let mut program = good();
    fill(size / 2);
    for _ in 0..3 {
        let reply = post(&server, &token, "mybot", &program);
        assert!(reply.status == 507 && reply.text().contains("disk of the host is full"), "{}", reply.text());
    }
    let names = |folder: &str| -> Vec<String> {
        let entries = fs::read_dir(disk.join(folder)).expect("a folder").flatten();
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
    };
    assert_eq!(names("h/inbox"), ["lock"], "nothing of the refused upload stays");
    assert_eq!(server.get("/h").status, 200);
    fill(4 * size);
    let taken = accepted(&post(&server, &token, "mybot", &program));
    assert_eq!(verdict(&server, &taken)["state"], "admitted");
    // There is space for the program in the inbox, but not in the store.
    program.push(b'.');
    fill(size + size / 2);
    let taken = accepted(&post(&server, &token, "mybot", &program));
    let path = format!("/h/api/v1/submissions/{}", taken["receipt"].as_str().expect("a receipt"));
    let told =
        server.until(&path, |now| now["told"].as_str().is_some_and(|told| told.contains("tries again")));
    fill(4 * size);
    let admitted = verdict(&server, &taken);
    assert_eq!(admitted["state"], "admitted", "{told} {admitted}");
    let entrants = fs::read_to_string(disk.join("h/entrants.csv")).expect("entrants");
    assert_eq!(entrants.matches(",mybot,").count(), 2, "{entrants}");
}
