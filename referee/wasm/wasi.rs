//! The functions of WASI preview 1 that a guest can import. Functions that would need files or other
//! processes always fail.

use wasmparser::{FuncType, ValType};

/// The module from which they are imported.
pub(crate) const MODULE: &str = "wasi_snapshot_preview1";

/// A function: its name, its parameters (`i` for 32 bits, `I` for 64), and its effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Function {
    pub(crate) name: &'static str,
    pub(crate) parameters: &'static str,
    pub(crate) call: Call,
}

/// The effect of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Call {
    ArgsGet,
    ArgsSizesGet,
    EnvironGet,
    EnvironSizesGet,
    ClockResGet,
    ClockTimeGet,
    FdClose,
    FdFdstatGet,
    FdRead,
    FdWrite,
    ProcExit,
    RandomGet,
    SchedYield,
    /// It fails with this error number.
    Fails(i32),
}

/// Error numbers.
pub(crate) const OK: i32 = 0;
pub(crate) const BADF: i32 = 8;
pub(crate) const FAULT: i32 = 21;
pub(crate) const INVAL: i32 = 28;
const NOSYS: i32 = 52;
const SPIPE: i32 = 70;
const NOTCAPABLE: i32 = 76;

const fn function(name: &'static str, parameters: &'static str, call: Call) -> Function {
    Function { name, parameters, call }
}

/// All functions.
pub(crate) const FUNCTIONS: [Function; 41] = [
    function("args_get", "ii", Call::ArgsGet),
    function("args_sizes_get", "ii", Call::ArgsSizesGet),
    function("environ_get", "ii", Call::EnvironGet),
    function("environ_sizes_get", "ii", Call::EnvironSizesGet),
    function("clock_res_get", "ii", Call::ClockResGet),
    function("clock_time_get", "iIi", Call::ClockTimeGet),
    function("fd_close", "i", Call::FdClose),
    function("fd_fdstat_get", "ii", Call::FdFdstatGet),
    function("fd_read", "iiii", Call::FdRead),
    function("fd_write", "iiii", Call::FdWrite),
    function("proc_exit", "i", Call::ProcExit),
    function("random_get", "ii", Call::RandomGet),
    function("sched_yield", "", Call::SchedYield),
    function("fd_seek", "iIii", Call::Fails(SPIPE)),
    function("fd_tell", "ii", Call::Fails(SPIPE)),
    function("fd_pread", "iiiIi", Call::Fails(SPIPE)),
    function("fd_pwrite", "iiiIi", Call::Fails(SPIPE)),
    // A program's start asks for folders until there is none.
    function("fd_prestat_get", "ii", Call::Fails(BADF)),
    function("fd_prestat_dir_name", "iii", Call::Fails(BADF)),
    function("fd_advise", "iIIi", Call::Fails(BADF)),
    function("fd_allocate", "iII", Call::Fails(BADF)),
    function("fd_datasync", "i", Call::Fails(BADF)),
    function("fd_fdstat_set_flags", "ii", Call::Fails(BADF)),
    function("fd_filestat_get", "ii", Call::Fails(BADF)),
    function("fd_filestat_set_size", "iI", Call::Fails(BADF)),
    function("fd_filestat_set_times", "iIIi", Call::Fails(BADF)),
    function("fd_readdir", "iiiIi", Call::Fails(BADF)),
    function("fd_renumber", "ii", Call::Fails(BADF)),
    function("fd_sync", "i", Call::Fails(BADF)),
    function("path_create_directory", "iii", Call::Fails(NOTCAPABLE)),
    function("path_filestat_get", "iiiii", Call::Fails(NOTCAPABLE)),
    function("path_filestat_set_times", "iiiiIIi", Call::Fails(NOTCAPABLE)),
    function("path_link", "iiiiiii", Call::Fails(NOTCAPABLE)),
    function("path_open", "iiiiiIIii", Call::Fails(NOTCAPABLE)),
    function("path_readlink", "iiiiii", Call::Fails(NOTCAPABLE)),
    function("path_remove_directory", "iii", Call::Fails(NOTCAPABLE)),
    function("path_rename", "iiiiii", Call::Fails(NOTCAPABLE)),
    function("path_symlink", "iiiii", Call::Fails(NOTCAPABLE)),
    function("path_unlink_file", "iii", Call::Fails(NOTCAPABLE)),
    function("poll_oneoff", "iiii", Call::Fails(NOSYS)),
    function("proc_raise", "i", Call::Fails(NOSYS)),
];

/// Maximum number of parameters of a function.
pub(crate) const PARAMETERS_MAX: usize = 9;

/// Returns the function with this name.
pub(crate) fn find(name: &str) -> Option<Function> {
    FUNCTIONS.into_iter().find(|function| function.name == name)
}

impl Function {
    /// Tells whether it returns an error number. Otherwise it returns nothing, if it returns at all.
    pub(crate) fn returns(&self) -> bool {
        self.call != Call::ProcExit
    }

    /// Returns its type.
    pub(crate) fn kind(&self) -> FuncType {
        let kind_of = |letter| if letter == b'I' { ValType::I64 } else { ValType::I32 };
        FuncType::new(self.parameters.bytes().map(kind_of), self.returns().then_some(ValType::I32))
    }
}
