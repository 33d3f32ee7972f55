//! Trust in paths: where a path leads, and whether anyone except root and this user could make it lead
//! elsewhere.
//!
//! The path is walked folder by folder from `/`, link by link, and every step is checked through the
//! descriptor from which the next step starts. So the checked file is the one that the caller holds open.

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs::{self, File};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{CWD, FileType, Mode, OFlags, Stat, fstat, openat, readlinkat};

use super::capabilities::maps;
use super::root::is_of_the_system;
use crate::program::shown;

/// The end of a path on which no other user can change anything.
#[derive(Debug)]
pub(super) struct Trusted {
    /// The path with all links resolved.
    pub(super) real: PathBuf,
    /// The path with all links resolved, except a link at its very end.
    pub(super) place: PathBuf,
    /// The file or folder itself. A file can be read.
    pub(super) file: File,
}

/// Why a path is not trusted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Distrust {
    /// The path does not exist.
    Missing,
    /// Another user could replace it, or it is the wrong kind of file: in words, with a remedy.
    Because(String),
}

impl fmt::Display for Distrust {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Distrust::Missing => f.write_str("no such file or folder"),
            Distrust::Because(why) => f.write_str(why),
        }
    }
}

/// Maximum number of links that are followed: as in the kernel.
const LINKS_MAX: u32 = 40;

/// Folders below which no interpreter counts. The first three change while they are checked, or mean something else to
/// each process. In the strict tier, a bot has its own program below the fourth, and the old root is below the last
/// while a root is made.
const NEVER: [&str; 5] = ["/proc", "/sys", "/dev", "/bot", "/old"];

/// Walks an absolute path to its end, or to the first step that cannot be trusted.
pub(super) fn walk(path: &Path) -> Result<Trusted, Distrust> {
    if !path.is_absolute() {
        return Err(because("not an absolute path"));
    }
    let mut way = Way::from_the_root()?;
    let mut names_left: VecDeque<OsString> = names(path);
    let mut link_count = 0;
    let mut place = None;
    while let Some(name) = names_left.pop_front() {
        if name == ".." {
            way.up();
            continue;
        }
        let path = way.path.join(&name);
        if let Some(never) = NEVER.iter().find(|never| path.starts_with(never)) {
            return Err(because(format!("interpreters below {never} are not allowed")));
        }
        let opened = open(way.last(), &name, OFlags::PATH | OFlags::NOFOLLOW)?;
        let stat = check_step(&opened, &path)?;
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::Symlink => {
                link_count += 1;
                if link_count > LINKS_MAX {
                    return Err(because("too many symbolic links"));
                }
                if names_left.is_empty() {
                    place.get_or_insert(path);
                }
                let target = readlinkat(&opened, c"", Vec::new()).map_err(refused)?;
                let target = Path::new(OsStr::from_bytes(target.to_bytes()));
                if target.is_absolute() {
                    way = Way::from_the_root()?;
                }
                for name in names(target).into_iter().rev() {
                    names_left.push_front(name);
                }
            }
            FileType::Directory => way.down(opened, name),
            FileType::RegularFile if names_left.is_empty() => {
                let file = way.open_file(&name, &path, &stat)?;
                let place = place.unwrap_or_else(|| path.clone());
                return Ok(Trusted { real: path, place, file });
            }
            FileType::RegularFile => return Err(because(format!("{} is not a folder", shown(&path)))),
            _ => return Err(because(format!("{} is not a regular file", shown(&path)))),
        }
    }
    way.end_in_folder(place)
}

/// The folders from the root to the present step of the walk.
struct Way {
    folders: Vec<OwnedFd>,
    path: PathBuf,
}

impl Way {
    fn from_the_root() -> Result<Way, Distrust> {
        let path = PathBuf::from("/");
        let root = open(CWD, path.as_os_str(), OFlags::PATH | OFlags::DIRECTORY)?;
        check_step(&root, &path)?;
        Ok(Way { folders: vec![root], path })
    }

    fn last(&self) -> &OwnedFd {
        self.folders.last().expect("the root stays")
    }

    fn down(&mut self, folder: OwnedFd, name: OsString) {
        self.folders.push(folder);
        self.path.push(name);
    }

    fn up(&mut self) {
        if self.folders.len() > 1 {
            self.folders.pop();
            self.path.pop();
        }
    }

    /// Opens a file of the last folder for reading, if it is still the one that was inspected.
    fn open_file(&self, name: &OsStr, path: &Path, inspected: &Stat) -> Result<File, Distrust> {
        let file = open(self.last(), name, OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK)?;
        let opened = check_step(&file, path)?;
        if (opened.st_dev, opened.st_ino) != (inspected.st_dev, inspected.st_ino) {
            return Err(because("it was replaced just now"));
        }
        Ok(file.into())
    }

    /// Ends the walk in its last folder. Other users may not write to it, even if it has the sticky bit.
    fn end_in_folder(mut self, place: Option<PathBuf>) -> Result<Trusted, Distrust> {
        let stat = fstat(self.last()).map_err(refused)?;
        if stat.st_mode & OTHERS_WRITE != 0 {
            return Err(writable(&self.path));
        }
        let folder = self.folders.pop().ok_or(Distrust::Missing)?;
        let place = place.unwrap_or_else(|| self.path.clone());
        Ok(Trusted { real: self.path, place, file: folder.into() })
    }
}

fn names(path: &Path) -> VecDeque<OsString> {
    let name = |component: Component<'_>| match component {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some("..".into()),
        _ => None,
    };
    path.components().filter_map(name).collect()
}

fn open(folder: impl std::os::fd::AsFd, name: &OsStr, flags: OFlags) -> Result<OwnedFd, Distrust> {
    openat(folder, name, flags | OFlags::CLOEXEC, Mode::empty()).map_err(refused)
}

fn refused(error: rustix::io::Errno) -> Distrust {
    let error = io::Error::from(error);
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Distrust::Missing,
        _ => because(error.to_string()),
    }
}

const OTHERS_WRITE: u32 = 0o022;
const STICKY: u32 = 0o1000;

/// Checks that no other user can change a step of the walk. In a sticky folder that all may write, such as `/tmp`,
/// users can exchange only their own files, so the owner of the next step decides. An access control list that lets
/// others write shows in the group's bits.
fn check_step(step: &OwnedFd, path: &Path) -> Result<Stat, Distrust> {
    let stat = fstat(step).map_err(refused)?;
    if !is_trusted(stat.st_uid, path) {
        let user = stat.st_uid;
        let what = format!("{} belongs to user {user}, who is neither root nor you", shown(path));
        return Err(because(what));
    }
    let kind = FileType::from_raw_mode(stat.st_mode);
    let is_sticky_folder = kind == FileType::Directory && stat.st_mode & STICKY != 0;
    if kind != FileType::Symlink && stat.st_mode & OTHERS_WRITE != 0 && !is_sticky_folder {
        return Err(writable(path));
    }
    Ok(stat)
}

fn writable(path: &Path) -> Distrust {
    because(format!("other users can write {0}: fix it with chmod go-w {0}", shown(path)))
}

/// Tells whether a file's owner is root or this very user. In a user namespace without the host's root, the files of
/// root belong to the overflow user, who stands for all users without a number there. In the system's folders, that
/// user counts as root.
fn is_trusted(owner: u32, path: &Path) -> bool {
    if owner == 0 || owner == rustix::process::geteuid().as_raw() {
        return true;
    }
    (path == Path::new("/") || is_of_the_system(path)) && owner == overflow_user() && !knows_root()
}

fn overflow_user() -> u32 {
    let number = fs::read_to_string("/proc/sys/kernel/overflowuid").ok();
    number.and_then(|number| number.trim().parse().ok()).unwrap_or(65_534)
}

/// Tells whether the host's root has a number here. A rootless container has its own root, which is another user: then
/// the system's folders belong to a user without a number.
fn knows_root() -> bool {
    let Ok(map) = fs::read_to_string("/proc/self/uid_map") else { return true };
    let of_usr = || fs::metadata("/usr").map_or(0, |usr| usr.uid());
    maps(&map, 0) && (maps(&map, overflow_user()) || of_usr() != overflow_user())
}

fn because(why: impl Into<String>) -> Distrust {
    Distrust::Because(why.into())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, chown, symlink};

    use super::*;

    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("bin")).unwrap();
        fs::write(folder.path().join("bin/tool"), "\x7fELF").unwrap();
        fs::set_permissions(folder.path().join("bin/tool"), fs::Permissions::from_mode(0o755)).unwrap();
        folder
    }

    fn chmod(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn links_are_followed_and_the_last_one_stays_known() {
        let folder = folder();
        let real = fs::canonicalize(folder.path().join("bin/tool")).unwrap();
        symlink("bin", folder.path().join("programs")).unwrap();
        symlink("../bin/./tool", folder.path().join("bin/other")).unwrap();
        let found = walk(&folder.path().join("programs/../programs/other")).unwrap();
        assert_eq!(found.real, real);
        assert_eq!(found.place, real.with_file_name("other"));
        assert_eq!(walk(&folder.path().join("bin")).unwrap().real, real.parent().unwrap());
        let link = |number: u32| folder.path().join(format!("link{number}"));
        symlink("bin/tool", link(1)).unwrap();
        for number in 2..=LINKS_MAX + 1 {
            symlink(link(number - 1).file_name().unwrap(), link(number)).unwrap();
        }
        assert_eq!(walk(&link(LINKS_MAX)).unwrap().real, real);
        assert!(walk(&link(LINKS_MAX + 1)).is_err());
    }

    #[test]
    fn what_others_can_change_is_not_trusted() {
        let folder = folder();
        let (bin, tool) = (folder.path().join("bin"), folder.path().join("bin/tool"));
        for (path, mode) in [(&tool, 0o775), (&tool, 0o757), (&bin, 0o775), (&bin, 0o757)] {
            chmod(path, mode);
            let why = walk(&tool).unwrap_err().to_string();
            assert!(why.contains(&format!("chmod go-w {}", path.display())), "{why}");
            chmod(path, 0o755);
        }
        chmod(&bin, 0o1777); // as /tmp: what is theirs cannot be exchanged there by others
        assert!(walk(&tool).is_ok());
        assert!(walk(&bin).is_err(), "but not everything below it is theirs");
        if rustix::process::geteuid().is_root() {
            for path in [&tool, &bin] {
                chown(path, Some(12_345), None).unwrap();
                assert!(walk(&tool).unwrap_err().to_string().contains("belongs to user 12345"));
                chown(path, Some(0), None).unwrap();
            }
            let link = folder.path().join("link");
            symlink(&tool, &link).unwrap();
            std::os::unix::fs::lchown(&link, Some(12_345), None).unwrap();
            assert!(walk(&link).is_err(), "whoever owns a link can point it elsewhere");
        }
    }

    #[test]
    fn what_means_something_else_to_each_process_is_not_followed() {
        for path in
            ["/proc/self/exe", "/proc/self/cwd/tool", "/dev/fd/0", "/dev/shm/x", "/bot/tool", "/old/tool"]
        {
            assert!(walk(Path::new(path)).is_err(), "{path}");
        }
        let folder = folder();
        symlink("/proc/self/exe", folder.path().join("self")).unwrap();
        symlink("circle", folder.path().join("circle")).unwrap();
        assert!(walk(&folder.path().join("self")).is_err());
        assert!(walk(&folder.path().join("circle")).is_err());
        assert!(walk(Path::new("bin/sh")).is_err());
        let why = walk(&folder.path().join("bin/tool/more")).unwrap_err().to_string();
        assert!(why.contains("bin/tool is not a folder"), "{why}");
        assert_eq!(walk(&folder.path().join("none")).unwrap_err(), Distrust::Missing);
    }
}
