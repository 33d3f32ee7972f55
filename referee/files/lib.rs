//! The files of records: opened safely, read, and written.
//!
//! A record is data of a stranger: [`beneath`] opens its files below their folder, through no link, and [`walk`] lists
//! them. [`log`] opens the log of a game and writes it, [`results`] the rows of many games, [`small`] other tables,
//! [`standard_error`] the output of bots; [`reread`] has what was read of a file until it changes, [`lock`] waits for
//! others who write. Their contents are read and written by `referee-record`. [`audit`] and [`export`] play the games
//! of files again with its `play`, [`threads`] several at a time; [`altered`] finds what another program did to them.
//!
//! Start reading with [`beneath::Spot`], the place of a file.
//!
//! A file of a record is opened below its folder, and not through a link that a stranger has put there:
//!
//! ```
//! use referee_files::beneath::Spot;
//! use referee_files::digest;
//! use referee_record::Digest;
//!
//! let folder = tempfile::tempdir()?;
//! std::fs::write(folder.path().join("results.csv"), "game,seat\n")?;
//! let results = Spot::below(folder.path(), "results.csv");
//! assert_eq!(results.read_text(1000)?, "game,seat\n");
//! assert_eq!(digest::of_file(&results)?, Digest::of(b"game,seat\n"));
//! assert!(results.read_text(5).is_err(), "the file is longer than 5 bytes");
//!
//! std::os::unix::fs::symlink("/etc/passwd", folder.path().join("log.csv"))?;
//! let refused = Spot::below(folder.path(), "log.csv").open().expect_err("a link");
//! assert!(refused.to_string().contains("has a symbolic link"), "{refused}");
//! assert!(Spot::below(folder.path(), "../results.csv").open().is_err(), "a way out of the folder");
//! # Ok::<(), std::io::Error>(())
//! ```

#![forbid(unsafe_code)]

pub mod altered;
pub mod audit;
pub mod beneath;
pub mod digest;
pub mod export;
pub mod grown;
pub mod lock;
pub mod log;
pub mod reread;
pub mod results;
pub mod small;
pub mod source;
pub mod standard_error;
pub mod threads;
pub mod voids;
pub mod walk;
pub mod work;
