//! The tests of tournaments on more than one machine: on a real Slurm of two nodes, with HyperQueue and GNU
//! parallel, over a network file system. A program of their own, since each starts daemons. `scripts/test`
//! installs what they need.

mod array;
mod contest;
mod found;
mod hyperqueue;
mod parallel;
mod python;
mod slurm;
mod sshfs;
mod time_limit;

use referee_testutil::support;
