//! A keyboard and a screen for a program: a pseudo-terminal, and an emulator that knows the visible text.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;

use rustix::fs::OFlags;
use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Termios, Winsize, tcgetattr, tcsetwinsize};

use crate::support::comes_true;

/// Written to the terminal when the program has ended: a title, which is not visible.
const END: &[u8] = b"\x1b]2;end\x07";

/// A program at a terminal.
pub(crate) struct Keyboard {
    child: Child,
    master: File,
    /// The program's end: its settings can be read while it is open.
    terminal: OwnedFd,
    before: Termios,
    output: Receiver<Vec<u8>>,
    screen: vt100::Parser,
    written: Vec<u8>,
}

impl Keyboard {
    /// Starts a program at a terminal with this number of columns and rows.
    pub(crate) fn start(command: Command, size: (u16, u16)) -> Keyboard {
        Keyboard::start_with(command, size, None)
    }

    /// The same, with or without the variable that disables colours.
    pub(crate) fn start_with(
        mut command: Command,
        (columns, rows): (u16, u16),
        no_color: Option<&str>,
    ) -> Keyboard {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a pseudo-terminal");
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        let path = PathBuf::from(ptsname(&master, Vec::new()).unwrap().into_string().unwrap());
        let open = || -> OwnedFd {
            let mut options = File::options();
            options.read(true).write(true).custom_flags(OFlags::NOCTTY.bits() as i32);
            options.open(&path).expect("its other end").into()
        };
        let terminal = open();
        tcsetwinsize(&terminal, size(columns, rows)).unwrap();
        let before = tcgetattr(&terminal).unwrap();
        command.env_remove("COLORTERM").env_remove("NO_COLOR");
        command.envs(no_color.map(|value| ("NO_COLOR", value)));
        command.stdin(Stdio::from(open())).stdout(Stdio::from(open())).stderr(Stdio::from(open()));
        let child = command.env("TERM", "xterm-256color").spawn().expect("the program starts");
        let master = File::from(master);
        let (sender, output) = mpsc::channel();
        let mut reader = master.try_clone().unwrap();
        thread::spawn(move || {
            let mut buffer = [0; 65536];
            while let Ok(count @ 1..) = reader.read(&mut buffer) {
                if sender.send(buffer[..count].to_vec()).is_err() {
                    return;
                }
            }
        });
        // A terminal of unknown width has 80 columns.
        let screen = vt100::Parser::new(rows, if columns == 0 { 80 } else { columns }, 0);
        Keyboard { child, master, terminal, before, output, screen, written: Vec::new() }
    }

    /// Types.
    pub(crate) fn press(&mut self, keys: &str) {
        self.master.write_all(keys.as_bytes()).expect("the keys are taken");
    }

    /// Waits until the screen shows these words.
    #[track_caller]
    pub(crate) fn sees(&mut self, words: &str) -> String {
        let seen = comes_true(|| {
            self.take();
            self.is_whole() && self.screen.screen().contents().contains(words)
        });
        assert!(seen, "no {words:?} on\n{}", self.shown());
        self.shown()
    }

    /// Types, and waits until the screen shows these words.
    #[track_caller]
    pub(crate) fn press_and_see(&mut self, keys: &str, words: &str) -> String {
        self.press(keys);
        self.sees(words)
    }

    /// Resizes the window.
    pub(crate) fn resize(&mut self, columns: u16, rows: u16) {
        self.take();
        self.screen.screen_mut().set_size(rows, columns);
        tcsetwinsize(&self.terminal, size(columns, rows)).unwrap();
        self.signal(Signal::WINCH);
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).expect("the program is there");
    }

    /// Waits for the end of the program, and makes sure that the terminal is restored. Returns the exit
    /// status and the content of the screen.
    #[track_caller]
    pub(crate) fn ends(&mut self) -> (Option<i32>, String) {
        let mut status = None;
        assert!(
            comes_true(|| {
                self.take();
                status = self.child.try_wait().unwrap();
                status.is_some()
            }),
            "still there:\n{}",
            self.screen.screen().contents()
        );
        // Its last output is still on its way through another thread, and this follows it.
        File::from(self.terminal.try_clone().unwrap()).write_all(END).unwrap();
        assert!(
            comes_true(|| {
                self.take();
                self.written.ends_with(END)
            }),
            "nothing comes from the terminal"
        );
        self.written.truncate(self.written.len() - END.len());
        let screen = self.screen.screen();
        assert!(!screen.alternate_screen() && !screen.hide_cursor(), "the screen is not given back");
        let after = tcgetattr(&self.terminal).unwrap();
        let modes = |modes: &Termios| (modes.local_modes, modes.input_modes, modes.output_modes);
        assert_eq!(modes(&after), modes(&self.before), "the terminal is left as it was");
        (status.and_then(|status| status.code()), self.shown())
    }

    /// Returns the text of the screen, without blanks at the ends of lines: progress, which only a slow machine shows,
    /// is wiped with them.
    fn shown(&self) -> String {
        let text = self.screen.screen().contents();
        text.lines().map(str::trim_end).collect::<Vec<&str>>().join("\n")
    }

    /// Returns all bytes that the program has written.
    pub(crate) fn written(&mut self) -> &[u8] {
        self.take();
        &self.written
    }

    pub(crate) fn screen(&self) -> &vt100::Screen {
        self.screen.screen()
    }

    /// Tells whether the last page has come to its end.
    fn is_whole(&self) -> bool {
        let count = |mark: &[u8]| self.written.windows(mark.len()).filter(|part| *part == mark).count();
        count(b"\x1b[?2026h") == count(b"\x1b[?2026l")
    }

    fn take(&mut self) {
        for bytes in self.output.try_iter() {
            self.screen.process(&bytes);
            self.written.extend(bytes);
        }
    }
}

impl Drop for Keyboard {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn size(columns: u16, rows: u16) -> Winsize {
    Winsize { ws_col: columns, ws_row: rows, ws_xpixel: 0, ws_ypixel: 0 }
}
