//! Facts: the properties of a module that the rewriting needs. Reading them validates the module, and refuses what is
//! not allowed.

use std::ops::Range;

use wasmparser::{
    Element, ElementItems, Export, ExternalKind, FuncToValidate, FuncType, FuncValidatorAllocations,
    FunctionBody, MemorySectionReader, Operator, OperatorsReader, Parser, Payload, TableSectionReader,
    TypeRef, ValType, ValidPayload, Validator, ValidatorResources, WasmFeatures,
};

use crate::costs::{
    self, COUNTING_MAX, ELEMENTS_MAX, FUNCTION_BYTES, FUNCTIONS_MAX, GLOBALS_MAX, LOCALS_MAX, MEMORY_PAGES,
    MODULE_BYTES, SLOTS_MAX, TABLE_ENTRIES, TYPES_MAX,
};
use crate::names::OWN;
use crate::refused::Refused;
use crate::wasi;

/// Features that a module may use: WebAssembly 2.0 and constant expressions. Not threads, relaxed SIMD,
/// exceptions, tail calls, several memories or memories of 64 bits.
const FEATURES: WasmFeatures =
    WasmFeatures::WASM2.union(WasmFeatures::EXTENDED_CONST).difference(WasmFeatures::GC_TYPES);

/// Properties of a module.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    pub(crate) types: Vec<FuncType>,
    /// Number of imported functions.
    pub(crate) imported: u32,
    pub(crate) has_import_section: bool,
    /// Number of globals.
    pub(crate) globals: u32,
    /// The number of the type of each function that is not imported.
    function_types: Vec<u32>,
    /// The functions that are not imported.
    pub(crate) functions: Vec<Function>,
    exports: Exports,
    sizes: Sizes,
}

/// Sizes of a module that engines pay for many times over.
#[derive(Debug, Default)]
struct Sizes {
    /// Number of locals of all functions.
    locals: u64,
    /// Number of entries of all elements.
    elements: u64,
    /// Number of bytes of code that the counter adds.
    counting_bytes: u64,
}

/// Properties of a function.
#[derive(Debug)]
pub(crate) struct Function {
    /// The number of its type.
    pub(crate) kind: u32,
    /// The number of its parameters and locals, which is the index of the next one.
    pub(crate) locals: u32,
    /// The size of its frame on the call stack, in bytes; `None` if it is not counted.
    pub(crate) frame: Option<i32>,
}

/// The instructions of a function.
#[derive(Default)]
struct CodeFacts {
    /// The maximum height of the stack of operands.
    operands: u32,
    /// The number of slots for constants.
    constants: u32,
    /// Whether it calls functions.
    has_calls: bool,
    /// Number of bytes that are added to count its branches.
    counting_bytes: u64,
}

impl CodeFacts {
    fn add(&mut self, operator: &Operator<'_>) {
        use Operator as O;
        self.counting_bytes += costs::added_bytes(operator);
        match operator {
            O::I32Const { .. } | O::I64Const { .. } | O::F32Const { .. } | O::F64Const { .. } => {
                self.constants += 1
            }
            O::V128Const { .. } => self.constants += 2,
            O::Call { .. } | O::CallIndirect { .. } => self.has_calls = true,
            _ => {}
        }
    }
}

#[derive(Debug, Default)]
struct Exports {
    /// The number of the function `_start`.
    start: Option<u32>,
    has_memory: bool,
}

impl Facts {
    /// Reads a module.
    ///
    /// # Errors
    ///
    /// If it is not valid, or needs something that a bot does not get.
    pub(crate) fn read(bytes: &[u8]) -> Result<Facts, Refused> {
        if !bytes.starts_with(b"\0asm") {
            return Err(Refused::new(
                0,
                "not a WebAssembly module; build the bot for wasm32-wasip1 (or wasm32-wasi)",
            ));
        }
        if bytes.get(4..8).is_some_and(|version| version == [13, 0, 1, 0]) {
            return Err(Refused::new(
                4,
                "a component, not a module; build it for wasm32-wasip1 instead of wasm32-wasip2",
            ));
        }
        if bytes.len() > MODULE_BYTES {
            let what = format!(
                "the module has {} bytes, and {MODULE_BYTES} is the maximum; strip it (wasm-strip)",
                bytes.len()
            );
            return Err(Refused::whole(what));
        }
        let mut facts = Facts::default();
        let mut validator = Validator::new_with_features(FEATURES);
        let mut allocations = FuncValidatorAllocations::default();
        for payload in Parser::new(0).parse_all(bytes) {
            let payload = payload?;
            match validator.payload(&payload)? {
                ValidPayload::Func(function, body) => facts.function(function, &body, &mut allocations)?,
                _ => facts.section(payload)?,
            }
        }
        facts.check_exports()?;
        Ok(facts)
    }

    /// Reads a section.
    fn section(&mut self, payload: Payload<'_>) -> Result<(), Refused> {
        match payload {
            Payload::TypeSection(types) => {
                check_size(types.range().start, "the module", types.count().into(), TYPES_MAX, "types")?;
                self.types = types.into_iter_err_on_gc_types().collect::<Result<_, _>>()?;
            }
            Payload::ImportSection(imports) => {
                self.has_import_section = true;
                for import in imports.into_imports_with_offsets() {
                    let (at, import) = import?;
                    self.import(at, import.module, import.name, import.ty)?;
                }
            }
            Payload::FunctionSection(kinds) => {
                let (at, count) = (kinds.range().start, kinds.count().into());
                check_size(at, "the code", count, FUNCTIONS_MAX, "functions")?;
                self.function_types = kinds.into_iter().collect::<Result<_, _>>()?;
            }
            Payload::ElementSection(elements) => {
                for element in elements.into_iter_with_offsets() {
                    let (at, element) = element?;
                    self.element(at, &element)?;
                }
            }
            Payload::TableSection(tables) => check_tables(tables)?,
            Payload::MemorySection(memories) => check_memories(memories)?,
            Payload::GlobalSection(globals) => {
                let (at, count) = (globals.range().start, globals.count().into());
                check_size(at, "the module", count, GLOBALS_MAX, "globals")?;
                self.globals = globals.count();
            }
            Payload::ExportSection(exports) => {
                for export in exports.into_iter_with_offsets() {
                    let (at, export) = export?;
                    self.export(at, &export)?;
                }
            }
            Payload::StartSection { range, .. } => {
                let what = "it has a start function, which would run before the first question; export it as `_start`";
                return Err(Refused::new(range.start, what));
            }
            _ => {}
        }
        Ok(())
    }

    fn element(&mut self, at: u64, element: &Element<'_>) -> Result<(), Refused> {
        self.sizes.elements += u64::from(match &element.items {
            ElementItems::Functions(items) => items.count(),
            ElementItems::Expressions(_, items) => items.count(),
        });
        check_total(at, "entries of elements", self.sizes.elements, ELEMENTS_MAX)
    }

    fn export(&mut self, at: u64, export: &Export<'_>) -> Result<(), Refused> {
        match (export.name, export.kind) {
            ("_start", ExternalKind::Func) => self.exports.start = Some(export.index),
            ("memory", ExternalKind::Memory) => self.exports.has_memory = true,
            (name, _) if name.starts_with(OWN) => {
                let what = format!("it exports {name:?}, a name that the referee uses; choose another name");
                return Err(Refused::new(at, what));
            }
            _ => {}
        }
        Ok(())
    }

    fn import(&mut self, at: u64, module: &str, name: &str, kind: TypeRef) -> Result<(), Refused> {
        let shown = format!("{}.{}", module.escape_debug(), name.escape_debug());
        let TypeRef::Func(kind) = kind else {
            let what = format!(
                "it imports {shown}, which is not a function; the referee provides no memory, table or global"
            );
            return Err(Refused::new(at, what));
        };
        self.imported += 1;
        let function = if module == wasi::MODULE { wasi::find(name) } else { None };
        let Some(function) = function else {
            let what = format!(
                "it imports {shown}; a bot has only standard input, output and error: leave out code that \
                 uses files, sockets or the host"
            );
            return Err(Refused::new(at, what));
        };
        if self.types.get(kind as usize) != Some(&function.kind()) {
            return Err(Refused::new(at, format!("it imports {shown} with types that differ from WASI's")));
        }
        Ok(())
    }

    /// Reads a function that is not imported.
    fn function(
        &mut self,
        function: FuncToValidate<ValidatorResources>,
        body: &FunctionBody<'_>,
        allocations: &mut FuncValidatorAllocations,
    ) -> Result<(), Refused> {
        let Range { start, end } = body.range();
        if end - start > FUNCTION_BYTES {
            let what = format!(
                "a function has {} bytes, and {FUNCTION_BYTES} is the maximum; divide it",
                end - start
            );
            return Err(Refused::new(start, what));
        }
        let kind = self.function_types[self.functions.len()];
        let wide = self.add_locals(kind, body)?;
        let mut validator = function.into_validator(std::mem::take(allocations));
        let mut reader = body.get_binary_reader();
        validator.read_locals(&mut reader)?;
        check_total(start, "locals", self.sizes.locals, LOCALS_MAX)?;
        let mut operators = OperatorsReader::new(reader);
        let mut code = CodeFacts::default();
        while !operators.eof() {
            let (operator, at) = operators.read_with_offset()?;
            validator.op(at, &operator)?;
            code.operands = code.operands.max(validator.operand_stack_height());
            code.add(&operator);
        }
        self.sizes.counting_bytes += code.counting_bytes;
        check_total(start, "bytes of code to count its branches", self.sizes.counting_bytes, COUNTING_MAX)?;
        let reader = operators.get_binary_reader();
        reader.finish_expression(&validator.visitor(reader.original_position()))?;
        let locals = validator.len_locals();
        // A wide local takes two slots. So may each operand.
        let slots = locals + wide as u32 + 2 * code.operands;
        if slots > SLOTS_MAX {
            let what = format!(
                "a function has {slots} locals and operands, and {SLOTS_MAX} is the maximum; divide it"
            );
            return Err(Refused::new(start, what));
        }
        let frame_size = costs::frame(slots, code.constants);
        let is_counted = code.has_calls || frame_size > costs::SMALL_FRAME;
        let frame = if is_counted { Some(frame_size) } else { None };
        self.functions.push(Function { kind, locals, frame });
        *allocations = validator.into_allocations();
        Ok(())
    }

    /// Counts the locals of a function of type `kind`. Returns the number of locals and parameters that are wide: 128
    /// bits.
    fn add_locals(&mut self, kind: u32, body: &FunctionBody<'_>) -> Result<u64, Refused> {
        let parameters = self.types.get(kind as usize).map(|kind| kind.params()).unwrap_or_default();
        let mut wide = parameters.iter().filter(|kind| **kind == ValType::V128).count() as u64;
        // Locals come in groups, and a group of a few bytes can have thousands.
        for group in body.get_locals_reader()? {
            let (count, kind) = group?;
            self.sizes.locals += u64::from(count);
            if kind == ValType::V128 {
                wide += u64::from(count);
            }
        }
        Ok(wide)
    }

    fn check_exports(&self) -> Result<(), Refused> {
        let missing = |what: &str| Err(Refused::whole(what));
        if !self.exports.has_memory {
            return missing("it exports no memory named `memory`; build it as a program, not as a library");
        }
        let Some(start) = self.exports.start else {
            return missing("it exports no function `_start`; build it as a program, not as a library");
        };
        let index = start.checked_sub(self.imported);
        let Some(function) = index.and_then(|index| self.functions.get(index as usize)) else {
            return missing("its `_start` is an imported function; build it as a program");
        };
        let kind = &self.types[function.kind as usize];
        if !kind.params().is_empty() || !kind.results().is_empty() {
            return missing("its `_start` takes or returns values; build it as a program");
        }
        Ok(())
    }
}

fn check_tables(tables: TableSectionReader<'_>) -> Result<(), Refused> {
    for table in tables.into_iter_with_offsets() {
        let (at, table) = table?;
        check_size(at, "a table", table.ty.initial, TABLE_ENTRIES, "entries")?;
    }
    Ok(())
}

fn check_memories(memories: MemorySectionReader<'_>) -> Result<(), Refused> {
    for memory in memories.into_iter_with_offsets() {
        let (at, memory) = memory?;
        check_size(at, "the memory", memory.initial, MEMORY_PAGES, "pages of 64 KiB")?;
    }
    Ok(())
}

/// Makes sure that the module has not too much of something, which grows with its code.
fn check_total(at: u64, what: &str, size: u64, max: u64) -> Result<(), Refused> {
    if size <= max {
        return Ok(());
    }
    Err(Refused::new(at, format!("the module has more than {max} {what}, the maximum; leave out code")))
}

/// Makes sure that the module does not declare too much of something.
fn check_size(at: u64, what: &str, size: u64, max: u64, unit: &str) -> Result<(), Refused> {
    if size <= max {
        return Ok(());
    }
    let what = format!("{what} begins with {size} {unit}, and {max} is the maximum; declare less");
    Err(Refused::new(at, what))
}
