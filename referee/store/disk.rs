//! A disk, as the store uses it: the operations, and what each must guarantee.

use std::io;

/// A folder on a disk, with the few operations that the store needs. All names are below that folder, with `/` between
/// their parts. An operation that was interrupted by a signal is tried again below this trait.
///
/// What the store relies on: a file and its name are on the disk after [`sync`](Disk::sync) of the file and
/// [`sync_folder`](Disk::sync_folder) of its folder, and not before; [`create`](Disk::create) and [`link`](Disk::link)
/// give a name once; [`list`](Disk::list) shows the names that are there, also those that others gave.
pub trait Disk {
    /// An open file to append to.
    type File: Clone;

    /// Makes an empty file. Its name must not be taken.
    fn create(&self, name: &str) -> io::Result<Self::File>;

    /// Appends bytes.
    ///
    /// # Errors
    ///
    /// If the system refuses. Any part of the bytes can then be there.
    fn append(&self, file: &Self::File, bytes: &[u8]) -> io::Result<()>;

    /// Reserves room on the disk for this number of bytes behind the end of a file; 0 gives it back. Does nothing on a
    /// system that cannot reserve room.
    fn keep_room(&self, _file: &Self::File, _bytes: u64) -> io::Result<()> {
        Ok(())
    }

    /// Waits until the bytes of a file are on the disk.
    ///
    /// # Errors
    ///
    /// If the system refuses. To try again is no use: it may then report success for bytes that are lost.
    fn sync(&self, file: &Self::File) -> io::Result<()>;

    /// As [`sync`](Disk::sync), of a file that another process has written.
    fn sync_named(&self, name: &str) -> io::Result<()>;

    /// Waits until the names in a folder are on the disk, and no longer there if they were removed. The empty name is
    /// the folder of the contest itself.
    fn sync_folder(&self, folder: &str) -> io::Result<()>;

    /// Locks a file for as long as this process holds it open.
    fn lock(&self, file: &Self::File) -> io::Result<()>;

    /// Tells whether a process that lives has locked a file. Where locks do not reach, between machines, it may say no
    /// of a file that is locked: then work is done twice, and counts once.
    fn is_locked(&self, name: &str) -> io::Result<bool>;

    /// Reads at most `max` bytes of a file from a place on: none at its end.
    fn read(&self, name: &str, from: u64, max: u64) -> io::Result<Vec<u8>>;

    /// Returns the length of a file, in bytes.
    fn length(&self, name: &str) -> io::Result<u64>;

    /// Lists the names in a folder, in any order. A folder that is not there has none.
    fn list(&self, folder: &str) -> io::Result<Vec<String>>;

    /// Tells a runner whether a name is in a folder now. A network file system may show an old listing for a while, so
    /// it is asked anew, and what is listed or read afterwards is as new. For that, a file that is named after the
    /// runner may be made and removed.
    fn is_there_now(&self, folder: &str, name: &str, _runner: &str) -> io::Result<bool> {
        Ok(self.list(folder)?.iter().any(|listed| listed == name))
    }

    /// Makes a folder, if it is not there.
    fn make_folder(&self, folder: &str) -> io::Result<()>;

    /// Gives a file a second name, which must not be taken. What is there afterwards decides, not what this returns:
    /// over a network a link that was made can be reported as refused.
    fn link(&self, from: &str, to: &str) -> io::Result<()>;

    /// Removes a name.
    fn remove(&self, name: &str) -> io::Result<()>;
}
