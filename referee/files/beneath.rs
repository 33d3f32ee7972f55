//! Opens files of a record safely: as data of a stranger.
//!
//! A user names a folder or a file, perhaps by a link. Everything below that folder is a stranger's. It is opened
//! beneath the folder (`openat2`), through no link, without waiting, and only if it is a regular file.

use std::cell::RefCell;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;

use referee_record::error::{Error, refused};
use referee_record::text::size;
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{AtFlags, FileType, Gid, Mode, OFlags, ResolveFlags, Stat, Uid};
use rustix::io::Errno;
use rustix::process::geteuid;

/// The place of a file: named by the user, or below a folder that the user named.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Spot {
    pub(crate) path: PathBuf,
    /// The folder that the user named. Everything below it is a stranger's. `None`: the user named the file.
    pub(crate) root: Option<PathBuf>,
}

const LINK: &str =
    "the path has a symbolic link; links in a record are not followed: put the file or folder itself there";

const OUTSIDE: &str = "a path that leads out of its folder; records may only name files below their folder";

impl From<&Path> for Spot {
    fn from(path: &Path) -> Spot {
        Spot { path: path.to_owned(), root: None }
    }
}

impl From<&PathBuf> for Spot {
    fn from(path: &PathBuf) -> Spot {
        Spot::from(&**path)
    }
}

impl From<&Spot> for Spot {
    fn from(spot: &Spot) -> Spot {
        spot.clone()
    }
}

/// A spot of a file that the user named is made by `From`: such a file can be a link.
impl Spot {
    /// Returns the spot of a file below a folder. The way down is checked when the file is opened.
    pub fn below(root: &Path, way: impl AsRef<Path>) -> Spot {
        Spot { path: root.join(way), root: Some(root.to_owned()) }
    }

    /// Returns the spot of a file below a folder, whose whole path is known.
    pub fn within(root: &Path, path: impl Into<PathBuf>) -> Spot {
        Spot { path: path.into(), root: Some(root.to_owned()) }
    }

    /// Returns the spot of another file below the same folder. If the user named the file itself, that is the file's
    /// folder.
    pub fn at(&self, path: impl Into<PathBuf>) -> Spot {
        let root = self.root.clone().unwrap_or_else(|| parent_of(&self.path).to_owned());
        Spot { path: path.into(), root: Some(root) }
    }

    /// Returns the path, as it is shown.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the folder that the user named; `None` if it was the file.
    pub fn root(&self) -> Option<&Path> {
        self.root.as_deref()
    }

    /// Opens a regular file for reading.
    ///
    /// # Errors
    ///
    /// If the system refuses, a link is on the way, or it is no regular file.
    pub fn open(&self) -> io::Result<File> {
        regular(self.descriptor(OFlags::RDONLY, Mode::empty())?)
    }

    /// Opens a regular file for reading and appending; makes it if it is not there.
    pub fn append(&self) -> io::Result<File> {
        regular(self.descriptor(OFlags::RDWR | OFlags::APPEND | OFlags::CREATE, NEW_FILE)?)
    }

    /// Opens a file for reading and appending, which must not be there yet.
    pub fn append_new(&self) -> io::Result<File> {
        regular(self.descriptor(OFlags::RDWR | OFlags::APPEND | OFlags::CREATE | OFlags::EXCL, NEW_FILE)?)
    }

    /// Opens a file that serves as a lock; makes it if it is not there. Only users who may write to its folder can open
    /// it, since any process that can open a file can lock it.
    pub fn lock_file(&self) -> io::Result<File> {
        let flags = OFlags::RDWR | OFlags::APPEND | OFlags::CREATE;
        let file = regular(self.descriptor(flags, Mode::RUSR | Mode::WUSR)?)?;
        self.for_writers_alone(&file)?;
        Ok(file)
    }

    /// Lets only users who may write to this folder open one of its files: owner, group and others have on the file the
    /// rights that they have on the folder. It gets the folder's group and, if root does this, the folder's owner.
    ///
    /// # Errors
    ///
    /// If the system does not say who owns them.
    pub fn for_writers_alone(&self, file: &File) -> io::Result<()> {
        let (folder, _) = self.parent_and_name(OFlags::PATH)?;
        let (folder_stat, file_stat) = (rustix::fs::fstat(&folder)?, rustix::fs::fstat(file)?);
        let owner = geteuid().is_root().then(|| Uid::from_raw(folder_stat.st_uid));
        if file_stat.st_gid != folder_stat.st_gid
            || owner.is_some_and(|owner| owner.as_raw() != file_stat.st_uid)
        {
            let _ = rustix::fs::fchown(file, owner, Some(Gid::from_raw(folder_stat.st_gid))); // only a member may
        }
        let writers = folder_stat.st_mode & 0o222;
        let mode = Mode::from_raw_mode(writers | writers << 1 | 0o600);
        if Mode::from_raw_mode(file_stat.st_mode) & Mode::all() != mode {
            let _ = rustix::fs::fchmod(file, mode); // only its owner may
        }
        Ok(())
    }

    /// Makes an empty file. A regular file that is there is replaced.
    pub fn create(&self) -> io::Result<File> {
        let file = regular(self.descriptor(OFlags::WRONLY | OFlags::CREATE, NEW_FILE)?)?;
        file.set_len(0)?;
        Ok(file)
    }

    /// Makes an empty file that nobody but this user may read. It must not be there yet.
    pub fn create_private(&self) -> io::Result<File> {
        let owner = Mode::RUSR | Mode::WUSR;
        regular(self.descriptor(OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL, owner)?)
    }

    /// Reads a whole file of at most `max` bytes. A file that the user named can be a pipe.
    pub fn read(&self, max: u64) -> io::Result<Vec<u8>> {
        let file = match self.root {
            Some(_) => self.open()?,
            // The user may name a pipe, and waits for its content.
            None => File::open(&self.path)?,
        };
        let mut bytes = Vec::new();
        file.take(max + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > max {
            let what = format!("longer than {}, the maximum for such a file: check its contents", size(max));
            return Err(refused(what));
        }
        Ok(bytes)
    }

    /// Reads a whole file of at most `max` bytes as text.
    pub fn read_text(&self, max: u64) -> io::Result<String> {
        let not_text = |_| io::Error::new(io::ErrorKind::InvalidData, "not text in UTF-8");
        String::from_utf8(self.read(max)?).map_err(not_text)
    }

    /// Tells whether something is there. A link below a folder is something, wherever it leads.
    pub fn exists(&self) -> bool {
        match self.stat() {
            Ok(_) => true,
            // Opening it reports the link.
            Err(error) => error.to_string() == LINK,
        }
    }

    /// Looks at the file without opening it; `None` if nothing is there.
    ///
    /// # Errors
    ///
    /// If the system refuses, a link is on the way, or it is no regular file.
    pub fn look(&self) -> io::Result<Option<Look>> {
        match self.stat() {
            Ok(stat) => Look::of(&stat).map(Some),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn stat(&self) -> io::Result<Stat> {
        let flags = if self.root.is_some() { AtFlags::SYMLINK_NOFOLLOW } else { AtFlags::empty() };
        if self.is_directly_below_root() && self.path.file_name().is_some() {
            // No folder is between the one that the user named and the file: its name alone must be no link.
            return Ok(rustix::fs::statat(rustix::fs::CWD, &self.path, flags)?);
        }
        let (folder, name) = self.parent_and_name(OFlags::PATH)?;
        Ok(rustix::fs::statat(folder, name, flags)?)
    }

    /// Tells whether a regular file is there, with no link on the way.
    pub fn is_file(&self) -> bool {
        self.file_type().is_ok_and(|kind| kind == FileType::RegularFile)
    }

    /// Makes sure that a folder is there, with no link on the way to it.
    pub fn check_folder(&self) -> io::Result<()> {
        self.open_folder(OFlags::PATH | OFlags::DIRECTORY).map(drop)
    }

    /// Makes the folder of the file, and those above it up to the one that the user named.
    ///
    /// # Errors
    ///
    /// If the system refuses, or a link is on the way.
    pub fn make_folders(&self) -> io::Result<()> {
        let folder = parent_of(&self.path);
        let Some(root) = &self.root else { return fs::create_dir_all(folder) };
        if folder == or_here(root) {
            return fs::create_dir_all(folder);
        }
        let folder = self.at(folder);
        match folder.check_folder() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            checked => return checked,
        }
        // From the lowest folder that is there, since most are. The folder that the user named is not made again.
        let is_below_root = parent_of(&folder.path) == or_here(root);
        let (parent, name) = match folder.parent_and_name(OFlags::PATH) {
            Err(error) if error.kind() == io::ErrorKind::NotFound && !is_below_root => {
                folder.make_folders()?;
                folder.parent_and_name(OFlags::PATH)?
            }
            opened => opened?,
        };
        match rustix::fs::mkdirat(parent, name, Mode::from_raw_mode(0o777)) {
            Ok(()) | Err(Errno::EXIST) => folder.check_folder(),
            Err(error) => Err(error.into()),
        }
    }

    /// Gives the file another name, below the same folder.
    ///
    /// # Errors
    ///
    /// If the system refuses, or a link is on the way.
    pub fn rename(&self, to: &Spot) -> io::Result<()> {
        let (folder, name) = self.parent_and_name(OFlags::PATH)?;
        if self.root == to.root && self.path.parent() == to.path.parent() {
            let to_name = to.path.file_name().ok_or_else(|| refused(OUTSIDE))?;
            return Ok(rustix::fs::renameat(&folder, name, &folder, to_name)?);
        }
        let (to_folder, to_name) = to.parent_and_name(OFlags::PATH)?;
        Ok(rustix::fs::renameat(folder, name, to_folder, to_name)?)
    }

    /// Removes the file: a link itself, not what it leads to.
    ///
    /// # Errors
    ///
    /// If the system refuses, or a link is on the way.
    pub fn remove(&self) -> io::Result<()> {
        let (folder, name) = self.parent_and_name(OFlags::PATH)?;
        Ok(rustix::fs::unlinkat(folder, name, AtFlags::empty())?)
    }

    /// Waits until the current state of the file's folder is on the disk.
    ///
    /// # Errors
    ///
    /// If the system refuses, or a link is on the way.
    pub fn sync_folder(&self) -> io::Result<()> {
        let (folder, _) = self.parent_and_name(OFlags::RDONLY)?;
        Ok(rustix::fs::fsync(folder)?)
    }

    pub(crate) fn open_to_list(&self) -> io::Result<OwnedFd> {
        self.descriptor(OFlags::RDONLY | OFlags::DIRECTORY, Mode::empty())
    }

    /// Returns the kind of the file.
    fn file_type(&self) -> io::Result<FileType> {
        let flags = OFlags::PATH | if self.root.is_some() { OFlags::NOFOLLOW } else { OFlags::empty() };
        let stat = rustix::fs::fstat(self.descriptor(flags, Mode::empty())?)?;
        Ok(FileType::from_raw_mode(stat.st_mode))
    }

    /// Tells whether the file's folder is the one that the user named.
    fn is_directly_below_root(&self) -> bool {
        self.root.as_deref().is_none_or(|root| or_here(root) == parent_of(&self.path))
    }

    /// Returns the folder of the file, open, and the file's name.
    fn parent_and_name(&self, flags: OFlags) -> io::Result<(Rc<OwnedFd>, &OsStr)> {
        let name = self.path.file_name().ok_or_else(|| refused(OUTSIDE))?;
        let parent = parent_of(&self.path);
        let spot = if self.is_directly_below_root() {
            Spot::from(parent)
        } else {
            self.way()?;
            self.at(parent)
        };
        Ok((spot.open_folder(flags | OFlags::DIRECTORY)?, name))
    }

    /// Opens a folder, unless this thread keeps it open.
    fn open_folder(&self, flags: OFlags) -> io::Result<Rc<OwnedFd>> {
        let open = || self.descriptor(flags, Mode::empty());
        if !KEPT_FOLDERS.with_borrow(Option::is_some) {
            return open().map(Rc::new);
        }
        let is_it = |kept: &KeptFolder| kept.flags == flags && kept.spot == *self;
        let kept = KEPT_FOLDERS.with_borrow_mut(|all| {
            let all = all.as_mut()?;
            Some(all.remove(all.iter().position(is_it)?))
        });
        // The path can lead through a link by now. If it still leads to the folder that was opened through no link,
        // that one is right; else it is opened anew. No other folder can have the numbers of one that is open.
        let is_there =
            |kept: &KeptFolder| rustix::fs::stat(&self.path).is_ok_and(|stat| kept.has_identity_of(&stat));
        let kept = match kept.filter(is_there) {
            Some(kept) => kept,
            None => {
                let descriptor = open()?;
                let stat = rustix::fs::fstat(&descriptor)?;
                let identity = (stat.st_dev, stat.st_ino);
                KeptFolder { spot: self.clone(), flags, identity, descriptor: Rc::new(descriptor) }
            }
        };
        let descriptor = Rc::clone(&kept.descriptor);
        KEPT_FOLDERS.with_borrow_mut(|all| {
            if let Some(all) = all {
                all.truncate(KEPT_MAX - 1);
                all.insert(0, kept);
            }
        });
        Ok(descriptor)
    }

    /// Returns the way down from the folder that the user named, which consists of plain names.
    fn way(&self) -> io::Result<&Path> {
        let root = self.root.as_deref().unwrap_or(Path::new(""));
        let way = self.path.strip_prefix(root).map_err(|_| refused(OUTSIDE))?;
        let is_plain = way.components().all(|part| matches!(part, Component::Normal(_)));
        if is_plain && way != Path::new("") { Ok(way) } else { Err(refused(OUTSIDE)) }
    }

    fn descriptor(&self, flags: OFlags, mode: Mode) -> io::Result<OwnedFd> {
        let flags = flags | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let Some(root) = &self.root else {
            return Ok(rustix::fs::open(&self.path, path_only(flags), mode)?);
        };
        let way = self.way()?;
        let root = Spot::from(or_here(root)).open_folder(OFlags::PATH | OFlags::DIRECTORY)?;
        let opened = match beneath(root.as_fd(), way, path_only(flags), mode) {
            Err(Errno::NOSYS | Errno::PERM | Errno::INVAL) => {
                step_by_step(root.as_fd(), way, path_only(flags), mode)
            }
            opened => opened,
        };
        opened.map_err(|error| match error {
            Errno::LOOP | Errno::XDEV => refused(LINK),
            // With O_NOFOLLOW and O_DIRECTORY a link is no folder.
            Errno::NOTDIR if has_link(root.as_fd(), way) => refused(LINK),
            // A socket, or a pipe without a reader.
            Errno::NXIO => refused(not_regular(FileType::Socket)),
            error => error.into(),
        })
    }
}

/// The identity, length and times of change of a regular file. A file that looks the same has not changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    device: u64,
    number: u64,
    length: u64,
    written: (i64, i64),
    changed: (i64, i64),
}

impl Look {
    fn of(stat: &Stat) -> io::Result<Look> {
        let kind = FileType::from_raw_mode(stat.st_mode);
        if kind != FileType::RegularFile {
            return Err(refused(not_regular(kind)));
        }
        Ok(Look {
            device: stat.st_dev,
            number: stat.st_ino,
            length: stat.st_size as u64,
            // Signed in the C library's form, through which rustix gets it in Miri.
            written: (stat.st_mtime, stat.st_mtime_nsec as i64),
            changed: (stat.st_ctime, stat.st_ctime_nsec as i64),
        })
    }

    /// Returns the length, in bytes.
    pub fn length(&self) -> u64 {
        self.length
    }
}

/// File systems of one machine, by the kernel's numbers: ext, XFS, Btrfs, a disk in memory, layers of others, F2FS, ZFS
/// and bcachefs.
const LOCAL: [u64; 8] =
    [0xef53, 0x5846_5342, 0x9123_683e, 0x0102_1994, 0x794c_7630, 0xf2f5_2010, 0x2fc1_2fc1, 0xca45_1a4e];

/// Tells whether a folder is on a file system that no other machine writes to.
pub fn is_local(folder: &Path) -> bool {
    rustix::fs::statfs(folder).is_ok_and(|found| LOCAL.contains(&(found.f_type as u64 & 0xffff_ffff)))
}

/// A folder that a thread keeps open.
struct KeptFolder {
    spot: Spot,
    flags: OFlags,
    /// Its device and number.
    identity: (u64, u64),
    descriptor: Rc<OwnedFd>,
}

impl KeptFolder {
    fn has_identity_of(&self, stat: &Stat) -> bool {
        self.identity == (stat.st_dev, stat.st_ino)
    }
}

/// Number of folders that a thread keeps open: a contest's, its records' with two in them, and that of a log.
const KEPT_MAX: usize = 5;

thread_local! {
    /// The folders that this thread has used last, if it keeps them.
    static KEPT_FOLDERS: RefCell<Option<Vec<KeptFolder>>> = const { RefCell::new(None) };
}

/// Makes this thread keep the folders open that it has used last, so that it need not open a folder for each of its
/// files. If another folder has taken the place of one, that is opened.
pub fn keep_folders() {
    KEPT_FOLDERS.with_borrow_mut(|all| {
        all.get_or_insert_default();
    });
}

/// Creates a folder that the user named, and the folders above it.
///
/// # Errors
///
/// If the system refuses, or something else is there.
pub fn create_folder(path: &Path) -> Result<(), Error> {
    fs::create_dir_all(path).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory => {
            Error::file(path, "not a folder, or below a file; name another folder")
        }
        _ => Error::system(path, "create the folder")(error),
    })
}

/// The permissions of a new file, less those that the process's mask takes away.
const NEW_FILE: Mode = Mode::from_raw_mode(0o666);

/// Removes the flags that `openat2` refuses beside O_PATH, if that is set.
fn path_only(flags: OFlags) -> OFlags {
    let accepted = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    if flags.contains(OFlags::PATH) { flags & accepted } else { flags }
}

/// Opens a file below a folder, through no link.
fn beneath(root: BorrowedFd<'_>, way: &Path, flags: OFlags, mode: Mode) -> Result<OwnedFd, Errno> {
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    rustix::fs::openat2(root, way, flags, mode, resolve)
}

/// Opens a file below a folder, through no link, where there is no `openat2`: an old kernel, or a container that
/// forbids it.
fn step_by_step(root: BorrowedFd<'_>, way: &Path, flags: OFlags, mode: Mode) -> Result<OwnedFd, Errno> {
    let folder = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut here = root.try_clone_to_owned().map_err(|_| Errno::MFILE)?;
    for part in parent_of(way).components().filter(|part| *part != Component::CurDir) {
        here = rustix::fs::openat(&here, part.as_os_str(), folder, Mode::empty())?;
    }
    rustix::fs::openat(&here, way.file_name().ok_or(Errno::NOENT)?, flags | OFlags::NOFOLLOW, mode)
}

/// Tells whether a link is on the way.
fn has_link(root: BorrowedFd<'_>, way: &Path) -> bool {
    way.ancestors().filter(|part| *part != Path::new("")).any(|part| {
        let stat = rustix::fs::statat(root, part, AtFlags::SYMLINK_NOFOLLOW);
        stat.is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Symlink)
    })
}

/// Makes sure that it is a regular file.
fn regular(file: OwnedFd) -> io::Result<File> {
    let kind = FileType::from_raw_mode(rustix::fs::fstat(&file)?.st_mode);
    if kind == FileType::RegularFile { Ok(file.into()) } else { Err(refused(not_regular(kind))) }
}

/// Returns the message about a file of another kind than a regular one.
fn not_regular(kind: FileType) -> String {
    let what = match kind {
        FileType::Directory => "a folder",
        FileType::Fifo => "a named pipe",
        FileType::Socket => "a socket or a pipe",
        FileType::CharacterDevice | FileType::BlockDevice => "a device",
        _ => "something else",
    };
    format!("{what}, not a regular file: put the file itself there")
}

/// Returns the folder of a path.
fn parent_of(path: &Path) -> &Path {
    or_here(path.parent().unwrap_or(path))
}

fn or_here(folder: &Path) -> &Path {
    if folder == Path::new("") { Path::new(".") } else { folder }
}
