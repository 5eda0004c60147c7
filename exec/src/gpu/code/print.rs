//! The text of a source.

use super::expression::{Binary, Expression, Place, Variable};
use super::helpers::{FUNCTIONS, NUMERIC, NUMERIC_FUNCTIONS, OF_DEVICE, TYPES};
use super::statement::{Kernel, Statement};
use super::types::{Kind, Type};
use std::fmt::{self, Write};

/// The text of some kernels, without what stands in front of all sources.
pub(crate) fn kernels(kernels: &[Kernel]) -> String {
    let mut text = String::new();
    for each in kernels {
        kernel(&mut text, each).expect("a string takes all that is written to it");
    }
    if text.contains(NUMERIC) {
        text.insert_str(0, NUMERIC_FUNCTIONS);
    }
    text
}

/// A whole source for the device.
pub(crate) fn of_device(kernels: &str) -> String {
    format!("{TYPES}{OF_DEVICE}{FUNCTIONS}\n{kernels}")
}

fn kernel(text: &mut String, kernel: &Kernel) -> fmt::Result {
    write!(text, "KERNEL {}(", kernel.name)?;
    let mut written = Vec::new();
    kernel.body.iter().for_each(|statement| note_written(statement, &mut written));
    for (at, parameter) in kernel.parameters.iter().enumerate() {
        let separator = if at == 0 { "" } else { ", " };
        match parameter.kind {
            Kind::Value(of) => write!(text, "{separator}const {} v{}", of.name(), parameter.number)?,
            // What nobody writes may be read ahead, and through the cache for that.
            Kind::Pointer(of) if !written.contains(&parameter.number) => {
                write!(text, "{separator}const {}* __restrict__ v{}", of.name(), parameter.number)?;
            }
            Kind::Pointer(of) => write!(text, "{separator}{}* v{}", of.name(), parameter.number)?,
            Kind::Shared => unreachable!("a block's memory is no parameter"),
        }
    }
    text.push_str(") {\n");
    if let Some(shared) = kernel.shared {
        writeln!(text, "  SHARED(v{})", shared.number)?;
    }
    statements(text, &kernel.body, 1)?;
    text.push_str("}\n");
    Ok(())
}

/// The arrays that a statement writes, or may write: those whose addresses it hands to functions that do not only read.
fn note_written(of: &Statement, written: &mut Vec<u32>) {
    match of {
        Statement::Declare(_, value) | Statement::Assign(_, value) => note_handed(value, true, written),
        Statement::Store(array, index, value) => {
            written.push(array.number);
            [index, value].into_iter().for_each(|part| note_handed(part, true, written));
        }
        Statement::If(condition, then, otherwise) => {
            note_handed(condition, true, written);
            then.iter().chain(otherwise).for_each(|each| note_written(each, written));
        }
        Statement::For { from, below, step, body, .. } => {
            [from, below, step].into_iter().for_each(|part| note_handed(part, true, written));
            body.iter().for_each(|each| note_written(each, written));
        }
        Statement::While(condition, body) => {
            note_handed(condition, true, written);
            body.iter().for_each(|each| note_written(each, written));
        }
        Statement::Call(helper, arguments) => {
            arguments.iter().for_each(|argument| note_handed(argument, helper.only_reads(), written));
        }
        Statement::Lanes { row, .. } => note_handed(row, true, written),
        Statement::Words { first, .. } => note_handed(first, true, written),
        Statement::Array(..) | Statement::Barrier => {}
    }
}

/// The arrays whose addresses an expression hands to functions that write; `reads` if the function around it does not.
fn note_handed(of: &Expression, reads: bool, written: &mut Vec<u32>) {
    match of {
        Expression::Variable(_) | Expression::Number(..) | Expression::Place(_) => {}
        Expression::Not(inner) | Expression::Cast(_, inner) | Expression::Load(_, inner) => {
            note_handed(inner, true, written);
        }
        Expression::Binary(_, parts) => parts.iter().for_each(|part| note_handed(part, true, written)),
        Expression::Select(parts) => parts.iter().for_each(|part| note_handed(part, true, written)),
        Expression::Address(array, index) => {
            if !reads {
                written.push(array.number);
            }
            note_handed(index, true, written);
        }
        Expression::Call(helper, arguments) => {
            arguments.iter().for_each(|argument| note_handed(argument, helper.only_reads(), written));
        }
    }
}

fn statements(text: &mut String, all: &[Statement], depth: usize) -> fmt::Result {
    all.iter().try_for_each(|each| statement(text, each, depth))
}

fn statement(text: &mut String, of: &Statement, depth: usize) -> fmt::Result {
    let indent = "  ".repeat(depth);
    match of {
        Statement::Declare(variable, value) => {
            writeln!(text, "{indent}{} v{} = {};", type_of(*variable), variable.number, shown(value))
        }
        Statement::Assign(variable, value) => writeln!(text, "{indent}v{} = {};", variable.number, shown(value)),
        Statement::Store(array, index, value) => {
            writeln!(text, "{indent}v{}[{}] = {};", array.number, shown(index), shown(value))
        }
        Statement::If(condition, then, otherwise) => {
            writeln!(text, "{indent}if ({}) {{", shown(condition))?;
            statements(text, then, depth + 1)?;
            if !otherwise.is_empty() {
                writeln!(text, "{indent}}} else {{")?;
                statements(text, otherwise, depth + 1)?;
            }
            writeln!(text, "{indent}}}")
        }
        Statement::Lanes { array, column, row } => {
            let bytes = Expression::Variable(*column).data_type().bytes();
            let (array, column) = (array.number, column.number);
            writeln!(text, "{indent}u64 v{array}[{bytes}];")?;
            writeln!(text, "{indent}lanes{}(v{array}, v{column}, {});", bytes * 8, shown(row))
        }
        Statement::Array(array, count) => {
            let of = Expression::Variable(*array).data_type();
            writeln!(text, "{indent}{} v{}[{count}];", of.name(), array.number)
        }
        Statement::Words { array, from, first, count } => {
            let (array, from) = (array.number, from.number);
            writeln!(text, "{indent}u64 v{array}[{count}];\n#pragma unroll")?;
            let first = shown(first);
            writeln!(text, "{indent}for (u32 at = 0; at < {count}u; at++) v{array}[at] = v{from}[{first} + at];")
        }
        Statement::For { unrolled, variable, from, below, step, body } => {
            if *unrolled {
                writeln!(text, "#pragma unroll")?;
            }
            let (name, of) = (variable.number, type_of(*variable));
            writeln!(
                text,
                "{indent}for ({of} v{name} = {}; v{name} < {}; v{name} += {}) {{",
                shown(from),
                shown(below),
                shown(step)
            )?;
            statements(text, body, depth + 1)?;
            writeln!(text, "{indent}}}")
        }
        Statement::While(condition, body) => {
            writeln!(text, "{indent}while ({}) {{", shown(condition))?;
            statements(text, body, depth + 1)?;
            writeln!(text, "{indent}}}")
        }
        Statement::Call(helper, arguments) => writeln!(text, "{indent}{}({});", helper.name(), list(arguments)),
        Statement::Barrier => writeln!(text, "{indent}__syncthreads();"),
    }
}

fn type_of(variable: Variable) -> &'static str {
    match variable.kind {
        Kind::Value(of) => of.name(),
        Kind::Pointer(_) | Kind::Shared => unreachable!("arrays are parameters"),
    }
}

fn list(all: &[Expression]) -> String {
    all.iter().map(shown).collect::<Vec<_>>().join(", ")
}

fn shown(of: &Expression) -> String {
    match of {
        Expression::Variable(variable) => format!("v{}", variable.number),
        Expression::Number(number, data_type) => number_text(*number, *data_type),
        Expression::Place(place) => match place {
            Place::Thread => "threadIdx.x",
            Place::Threads => "blockDim.x",
            Place::Block => "blockIdx.x",
            Place::Blocks => "gridDim.x",
        }
        .to_owned(),
        Expression::Not(inner) => format!("!{}", shown(inner)),
        Expression::Binary(operator, operands) => binary(*operator, operands),
        Expression::Cast(to, inner) => format!("(({}){})", to.name(), shown(inner)),
        Expression::Select(parts) => format!("({} ? {} : {})", shown(&parts[0]), shown(&parts[1]), shown(&parts[2])),
        Expression::Load(array, index) => format!("v{}[{}]", array.number, shown(index)),
        Expression::Address(array, index) => format!("(v{} + {})", array.number, shown(index)),
        Expression::Call(helper, arguments) => format!("{}({})", helper.name(), list(arguments)),
    }
}

fn binary(operator: Binary, operands: &[Expression; 2]) -> String {
    let [left, right] = operands;
    let (sign, of) = (operator.sign(), left.data_type());
    let goes_round = matches!(operator, Binary::Add | Binary::Subtract | Binary::Multiply | Binary::ShiftLeft);
    match of.unsigned().filter(|_| goes_round) {
        Some(unsigned) => {
            let right = match operator {
                Binary::ShiftLeft => shown(right),
                _ => format!("({unsigned}){}", shown(right)),
            };
            format!("(({})(({unsigned}){} {sign} {right}))", of.name(), shown(left))
        }
        None => format!("({} {sign} {})", shown(left), shown(right)),
    }
}

fn number_text(number: i128, data_type: Type) -> String {
    match data_type {
        Type::Bool => (number != 0).to_string(),
        Type::F64 => format!("{number}.0"),
        Type::U64 => format!("{number}ull"),
        Type::U32 | Type::U16 | Type::U8 => format!("{number}u"),
        Type::I32 if number > i128::from(i32::MIN) && number <= i128::from(i32::MAX) => format!("({number})"),
        Type::I64 | Type::I32 if number > i128::from(i64::MIN) && number <= i128::from(i64::MAX) => {
            format!("(({}){number}ll)", data_type.name())
        }
        Type::I32 | Type::I64 => format!("(({})(-{}ll - 1))", data_type.name(), i64::MAX),
        Type::I128 => {
            let (high, low) = ((number >> 64) as i64, number as u64);
            format!("((i128)((u128)(u64){}ull << 64 | {low}ull))", high as u64)
        }
    }
}
