//! The tests of tournaments past one machine: on a real Slurm of two nodes, with HyperQueue and GNU parallel, over a network file system. A
//! program of their own, since each starts daemons; what they need, `scripts/test` installs.

#[path = "../random.rs"]
#[expect(dead_code, reason = "shared with the other tests, which use more of it")]
mod random;
#[path = "../support.rs"]
#[expect(dead_code, reason = "shared with the other tests, which use more of it")]
mod support;

mod array;
mod contest;
mod found;
mod hyperqueue;
mod kubernetes;
mod parallel;
mod python;
mod slurm;
mod sshfs;
mod time_limit;
