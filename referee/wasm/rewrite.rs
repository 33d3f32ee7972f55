//! The rewriting of a module: each piece of code without branches first pays for its instructions, each call
//! for its frame on the stack.
//!
//! The counter is a global. Below zero, the code calls the host for more units. The depth is another global; below zero
//! the code traps. Custom sections are left out.

use std::convert::Infallible;

use wasm_encoder::reencode::{self, Reencode, utils};
use wasm_encoder::{
    BlockType, CodeSection, ConstExpr, EntityType, ExportKind, ExportSection, Function, GlobalSection,
    GlobalType, ImportSection, Instruction, MemoryType, SectionId, TableType, TypeSection, ValType,
};
use wasmparser::{FunctionBody, Operator};

use crate::costs::{self, BYTES_SHIFT, MEMORY_PAGES, STACK_BYTES, TABLE_ENTRIES};
use crate::facts::{self, Facts};
use crate::names::{DEPTH, MORE, UNITS};
use crate::refused::Refused;

/// Returns the module with the counter in it.
pub(crate) fn rewrite(bytes: &[u8], facts: &Facts) -> Result<Vec<u8>, Refused> {
    let mut module = wasm_encoder::Module::new();
    let mut rewriter = Rewriter { facts, next: 0 };
    rewriter
        .parse_core_module(&mut module, wasmparser::Parser::new(0), bytes)
        .map_err(|error| Refused::whole(format!("it cannot be rewritten: {error}")))?;
    Ok(module.finish())
}

type Rewritten = Result<(), reencode::Error<Infallible>>;

struct Rewriter<'a> {
    facts: &'a Facts,
    /// The function whose body comes next.
    next: usize,
}

impl Rewriter<'_> {
    /// The type of a function without parameters or results.
    fn plain_type(&self) -> u32 {
        self.facts.types.len() as u32
    }

    /// The type of a function without parameters that has the results of type `kind`.
    fn results_type(&self, kind: u32) -> u32 {
        self.plain_type() + 1 + kind
    }

    fn units(&self) -> u32 {
        self.facts.globals
    }

    fn depth(&self) -> u32 {
        self.facts.globals + 1
    }

    fn add_globals(&self, globals: &mut GlobalSection) {
        let kind = |val_type| GlobalType { val_type, mutable: true, shared: false };
        globals.global(kind(ValType::I64), &ConstExpr::i64_const(0));
        globals.global(kind(ValType::I32), &ConstExpr::i32_const(STACK_BYTES));
    }

    fn add_import(&self, imports: &mut ImportSection) {
        imports.import(MORE.0, MORE.1, EntityType::Function(self.plain_type()));
    }
}

impl Reencode for Rewriter<'_> {
    type Error = Infallible;

    /// The function of the host comes after the other imported functions.
    fn function_index(&mut self, function: u32) -> Result<u32, reencode::Error<Infallible>> {
        Ok(if function < self.facts.imported { function } else { function + 1 })
    }

    fn parse_type_section(
        &mut self,
        types: &mut TypeSection,
        section: wasmparser::TypeSectionReader<'_>,
    ) -> Rewritten {
        utils::parse_type_section(self, types, section)?;
        types.ty().function([], []);
        for kind in &self.facts.types {
            let results = self.val_types(kind.results().into())?;
            types.ty().function([], results);
        }
        Ok(())
    }

    fn parse_import_section(
        &mut self,
        imports: &mut ImportSection,
        section: wasmparser::ImportSectionReader<'_>,
    ) -> Rewritten {
        utils::parse_import_section(self, imports, section)?;
        self.add_import(imports);
        Ok(())
    }

    fn parse_global_section(
        &mut self,
        globals: &mut GlobalSection,
        section: wasmparser::GlobalSectionReader<'_>,
    ) -> Rewritten {
        utils::parse_global_section(self, globals, section)?;
        self.add_globals(globals);
        Ok(())
    }

    fn parse_export_section(
        &mut self,
        exports: &mut ExportSection,
        section: wasmparser::ExportSectionReader<'_>,
    ) -> Rewritten {
        utils::parse_export_section(self, exports, section)?;
        exports.export(UNITS, ExportKind::Global, self.units());
        exports.export(DEPTH, ExportKind::Global, self.depth());
        Ok(())
    }

    fn memory_type(
        &mut self,
        memory: wasmparser::MemoryType,
    ) -> Result<MemoryType, reencode::Error<Infallible>> {
        let memory = utils::memory_type(self, memory);
        Ok(MemoryType { maximum: Some(memory.maximum.unwrap_or(u64::MAX).min(MEMORY_PAGES)), ..memory })
    }

    fn table_type(&mut self, table: wasmparser::TableType) -> Result<TableType, reencode::Error<Infallible>> {
        let table = utils::table_type(self, table)?;
        Ok(TableType { maximum: Some(table.maximum.unwrap_or(u64::MAX).min(TABLE_ENTRIES)), ..table })
    }

    fn parse_custom_section(
        &mut self,
        _module: &mut wasm_encoder::Module,
        _section: wasmparser::CustomSectionReader<'_>,
    ) -> Rewritten {
        Ok(())
    }

    /// Adds the sections that the module lacks. Every module has functions and exports: `_start`.
    fn intersperse_section_hook(
        &mut self,
        module: &mut wasm_encoder::Module,
        _after: Option<SectionId>,
        before: Option<SectionId>,
    ) -> Rewritten {
        if before == Some(SectionId::Function) && !self.facts.has_import_section {
            let mut imports = ImportSection::new();
            self.add_import(&mut imports);
            module.section(&imports);
        }
        if before == Some(SectionId::Export) && self.facts.globals == 0 {
            let mut globals = GlobalSection::new();
            self.add_globals(&mut globals);
            module.section(&globals);
        }
        Ok(())
    }

    fn parse_function_body(&mut self, code: &mut CodeSection, body: FunctionBody<'_>) -> Rewritten {
        let facts = &self.facts.functions[self.next];
        self.next += 1;
        let operators: Vec<Operator<'_>> =
            body.get_operators_reader()?.into_iter().collect::<Result<_, _>>()?;
        let mut locals = Vec::new();
        for local in body.get_locals_reader()? {
            let (count, kind) = local?;
            locals.push((count, self.val_type(kind)?));
        }
        // One more, for the lengths of copies.
        locals.push((1, ValType::I32));
        let code_of = Code { function: Function::new(locals), rewriter: self, facts };
        code.function(&code_of.write(operators)?);
        Ok(())
    }
}

/// A function's code while it is written.
struct Code<'a, 'b> {
    function: Function,
    rewriter: &'a mut Rewriter<'b>,
    facts: &'b facts::Function,
}

impl Code<'_, '_> {
    fn write(mut self, operators: Vec<Operator<'_>>) -> Result<Function, reencode::Error<Infallible>> {
        let charges = charges(&operators, costs::entry(self.facts.locals));
        let last = operators.len() - 1;
        self.enter();
        // Number of blocks around the instruction.
        let mut nesting = 0;
        for (index, operator) in operators.into_iter().enumerate() {
            if charges[index] > 0 {
                self.charge(charges[index]);
            }
            match &operator {
                Operator::Block { .. } | Operator::Loop { .. } | Operator::If { .. } => nesting += 1,
                Operator::End if index < last => nesting -= 1,
                _ => self.charge_length(&operator),
            }
            let instruction = match operator {
                Operator::Return if self.facts.frame.is_some() => Instruction::Br(nesting),
                Operator::End if index == last => {
                    self.leave();
                    Instruction::End
                }
                operator => self.rewriter.instruction(operator)?,
            };
            self.function.instruction(&instruction);
        }
        Ok(self.function)
    }

    /// Takes the frame from the call stack, and opens a block around the body. All ways out lead through this
    /// block.
    fn enter(&mut self) {
        let Some(frame) = self.facts.frame else { return };
        let depth = self.rewriter.depth();
        let block = BlockType::FunctionType(self.rewriter.results_type(self.facts.kind));
        self.function
            .instructions()
            .global_get(depth)
            .i32_const(frame)
            .i32_sub()
            .global_set(depth)
            .global_get(depth)
            .i32_const(0)
            .i32_lt_s()
            .if_(BlockType::Empty)
            .unreachable()
            .end()
            .block(block);
    }

    /// Closes that block, and returns the frame.
    fn leave(&mut self) {
        let Some(frame) = self.facts.frame else { return };
        let depth = self.rewriter.depth();
        self.function.instructions().end().global_get(depth).i32_const(frame).i32_add().global_set(depth);
    }

    fn charge(&mut self, cost: i64) {
        let units = self.rewriter.units();
        self.function.instructions().global_get(units).i64_const(cost).i64_sub().global_set(units);
        self.ask_for_more();
    }

    /// Charges for the length of a copy or a fill: the operand on top of the stack.
    fn charge_length(&mut self, operator: &Operator<'_>) {
        use Operator as O;
        let shift = match operator {
            O::MemoryCopy { .. } | O::MemoryFill { .. } | O::MemoryInit { .. } => BYTES_SHIFT,
            O::TableCopy { .. } | O::TableFill { .. } | O::TableInit { .. } => 0,
            _ => return,
        };
        let (units, length) = (self.rewriter.units(), self.facts.locals);
        self.function
            .instructions()
            .local_set(length)
            .global_get(units)
            .local_get(length)
            .i64_extend_i32_u()
            .i64_const(shift)
            .i64_shr_u()
            .i64_sub()
            .global_set(units);
        self.ask_for_more();
        self.function.instructions().local_get(length);
    }

    fn ask_for_more(&mut self) {
        let (units, more) = (self.rewriter.units(), self.rewriter.facts.imported);
        self.function
            .instructions()
            .global_get(units)
            .i64_const(0)
            .i64_lt_s()
            .if_(BlockType::Empty)
            .call(more)
            .end();
    }
}

/// Returns the charge before each instruction: the cost of all instructions from there to the next place
/// where code can be entered or left. It is 0 except at the first instruction of each such piece of code.
fn charges(operators: &[Operator<'_>], entry: i64) -> Vec<i64> {
    use Operator as O;
    let mut charges = vec![0; operators.len()];
    let (mut start, mut cost) = (0, entry);
    // For each open block, whether it is a loop: no branch leads to the end of a loop.
    let mut loops = Vec::new();
    for (index, operator) in operators.iter().enumerate() {
        cost += costs::units(operator);
        let ends_piece = match operator {
            O::Block { .. } => {
                loops.push(false);
                false
            }
            O::Loop { .. } => {
                loops.push(true);
                true
            }
            O::If { .. } => {
                loops.push(false);
                true
            }
            O::End => !loops.pop().unwrap_or(false),
            O::Else | O::Br { .. } | O::BrIf { .. } | O::BrTable { .. } | O::Return | O::Unreachable => true,
            _ => false,
        };
        if ends_piece {
            charges[start] += std::mem::take(&mut cost);
            if charges[start] > 0 {
                charges[start] += costs::COUNTING;
            }
            start = index + 1;
        }
    }
    charges
}
