//! A network file system on this machine: sshfs by TCP to an SFTP server, mounted once for each simulated
//! machine.

use std::fs;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;

use rustix::process::{Pid, Signal, kill_process};

use crate::support::comes_true;

/// The path in Debian's `openssh-sftp-server`.
const SERVER: &str = "/usr/lib/openssh/sftp-server";

/// A folder as another machine sees it, as long as this value lives.
#[derive(Debug)]
pub(crate) struct Mount {
    at: PathBuf,
    sshfs: Child,
}

impl Mount {
    /// Mounts a folder at another place, with sshfs's default caches.
    pub(crate) fn new(folder: &Path, at: &Path) -> Mount {
        fs::create_dir(at).expect("a folder");
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let port = listener.local_addr().expect("an address").port();
        // sshfs makes only one connection.
        thread::spawn(move || listener.accept().map(|(stream, _)| serve(stream)));
        let mut command = Command::new("sshfs");
        command.arg("-f").args(["-o", &format!("directport={port}")]);
        let started =
            command.arg(format!("127.0.0.1:{}", folder.display())).arg(at).stdin(Stdio::null()).spawn();
        let sshfs = started.unwrap_or_else(|error| panic!("sshfs: {error} (scripts/test installs it)"));
        let mount = Mount { at: at.to_owned(), sshfs };
        assert!(comes_true(|| mount.is_mounted()), "sshfs needs /dev/fuse");
        mount
    }

    fn is_mounted(&self) -> bool {
        let mounts = fs::read_to_string("/proc/self/mounts").expect("the mounts");
        let at = self.at.display().to_string();
        mounts.lines().any(|line| {
            let words: Vec<&str> = line.split(' ').collect();
            words[1] == at && words[2] == "fuse.sshfs"
        })
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        // It unmounts and ends, and so does its server.
        let _ = kill_process(Pid::from_child(&self.sshfs), Signal::TERM);
        if !comes_true(|| !matches!(self.sshfs.try_wait(), Ok(None))) {
            let _ = self.sshfs.kill();
            let _ = self.sshfs.wait();
            let _ = Command::new("fusermount3").arg("-uz").arg(&self.at).status();
        }
    }
}

fn serve(stream: TcpStream) {
    let output = OwnedFd::from(stream.try_clone().expect("a copy"));
    let mut command = Command::new(SERVER);
    let started = command.arg("-e").stdin(OwnedFd::from(stream)).stdout(output).stderr(Stdio::null()).spawn();
    let mut server = started.unwrap_or_else(|error| panic!("{SERVER}: {error} (scripts/test installs it)"));
    drop(command); // otherwise this process would hold the connection open
    let _ = server.wait();
}
