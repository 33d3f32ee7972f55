//! Costs of instructions and of calls of the host, in units, and the other limits that affect a guest's
//! answers.
//!
//! Every change here changes the answers of guests, and when they are late. Then [`UNITS`] gets the next
//! number.

use referee_record::forms::UNITS;
use wasmparser::Operator;

/// The version of this file. Two referees with the same version count the same units.
pub const COSTS: u32 = UNITS;

/// Maximum memory of a guest, in pages of 64 KiB. A guest that requests more gets none.
pub const MEMORY_PAGES: u64 = 1024;

/// Maximum number of entries of a table.
pub const TABLE_ENTRIES: u64 = 100_000;

/// Size of the call stack, in bytes of frames as `frame` counts them.
pub const STACK_BYTES: i32 = 4 << 20;

/// Maximum number of bytes of a module: a compiler needs many times as much memory.
pub(crate) const MODULE_BYTES: usize = 32 << 20;

/// Maximum number of bytes of a function's code: a compiler takes more than twice as long for twice as much.
pub(crate) const FUNCTION_BYTES: u64 = 512 << 10;

/// Maximum number of locals and operands of a function: any engine has room for them.
pub(crate) const SLOTS_MAX: u32 = 16_000;

/// Maximum number of functions, globals and types of a module, of locals of all functions, and of entries of all
/// elements. A module can have millions of each in a few bytes, while large programs have a tenth of this.
pub(crate) const FUNCTIONS_MAX: u64 = 200_000;
pub(crate) const GLOBALS_MAX: u64 = 100_000;
pub(crate) const TYPES_MAX: u64 = 20_000;
pub(crate) const LOCALS_MAX: u64 = 4_000_000;
pub(crate) const ELEMENTS_MAX: u64 = 400_000;

/// Maximum number of bytes of code that the counter adds to a module: each branch of two bytes gets more than twenty.
pub(crate) const COUNTING_MAX: u64 = 64 << 20;

/// Cost of the counting itself, for each piece of code without branches: the counter is read, written and compared.
/// Without it, a loop that does nothing would take an interpreter 13 times its units.
pub(crate) const COUNTING: i64 = 4;

/// Cost of a call of the host, without its [`byte`](BYTE)s.
pub(crate) const HOST_CALL: i64 = 500;

/// Cost of a byte that the host reads or writes.
pub(crate) const BYTE: i64 = 1;

/// Bytes that memory operations move for one unit, as a power of two. Table operations cost a unit for each
/// entry.
pub(crate) const BYTES_SHIFT: i64 = 3;

/// Returns the cost of an instruction. Instructions that copy or fill cost more, by their length.
pub(crate) fn units(operator: &Operator<'_>) -> i64 {
    use Operator as O;
    match operator {
        O::Block { .. } | O::Loop { .. } | O::Else | O::End => 0,
        O::Call { .. } => 5,
        O::CallIndirect { .. }
        | O::MemoryCopy { .. }
        | O::MemoryFill { .. }
        | O::MemoryInit { .. }
        | O::TableCopy { .. }
        | O::TableFill { .. }
        | O::TableInit { .. } => 10,
        O::I32DivS | O::I32DivU | O::I32RemS | O::I32RemU => 10,
        O::I64DivS | O::I64DivU | O::I64RemS | O::I64RemU => 10,
        O::F32Div | O::F64Div | O::F32Sqrt | O::F64Sqrt => 10,
        O::F32x4Div | O::F64x2Div | O::F32x4Sqrt | O::F64x2Sqrt => 10,
        O::MemoryGrow { .. } | O::TableGrow { .. } => 1000,
        _ => 1,
    }
}

/// Returns about how many bytes the counter adds for an instruction.
pub(crate) fn added_bytes(operator: &Operator<'_>) -> u64 {
    use Operator as O;
    match operator {
        O::Loop { .. }
        | O::If { .. }
        | O::Else
        | O::End
        | O::Br { .. }
        | O::BrIf { .. }
        | O::BrTable { .. }
        | O::Return
        | O::Unreachable => 22,
        O::MemoryCopy { .. }
        | O::MemoryFill { .. }
        | O::MemoryInit { .. }
        | O::TableCopy { .. }
        | O::TableFill { .. }
        | O::TableInit { .. } => 32,
        _ => 0,
    }
}

/// Returns the cost of entering a function with this number of locals, which are set to zero.
pub(crate) fn entry(locals: u32) -> i64 {
    i64::from(locals / 8)
}

/// Returns the size of a function's frame on the call stack, in bytes: the maximum that any engine may need.
///
/// An interpreter keeps a function's constants in its frame, a compiler some of them.
pub(crate) fn frame(slots: u32, constants: u32) -> i32 {
    i32::try_from(64 + 8 * (u64::from(slots) + u64::from(constants))).unwrap_or(i32::MAX)
}

/// The largest frame of a function that is not counted, if it calls no other.
pub(crate) const SMALL_FRAME: i32 = 4096;
