//! The text form of the lets that are no loops over rows as they come: windows and iterations.
//!
//! ```text
//! %5 window %2 partition by k order by q desc, r
//!   number = row_number()
//!   before? = lag(q, #4, #5)                                     arguments are fields of the rows
//!   total? = sum(q) over rows 3 before to current                a frame, if it is not the usual one
//!   near? = sum(q, k, #4) over range key 1 to current exclude ties
//! %6 iterate distinct %5 through %7 as k?, q?                    seed, working collection, fields; `last 20`: a state
//!   loop                                                         the step: a block
//!     i0 in %7
//!     %8 collect
//!       k? = i0.k
//!       q? = i0.q
//!   result %8
//! ```

use super::infer::{aggregate_type, name_of_reduction, reduction_of};
use super::lexer::Token;
use super::parse::Parser;
use super::print::{field_name, order_text};
use super::print_scalar::field_reference;
use super::printer::Printer;
use super::{CollectionId, Enough, Let, Reduction, RowBound, Shape, WindowCallee, WindowField};
use crate::error::Result;
use crate::types::{DataType, Field, SortOrder};
use crate::window::{Exclude, Frame, FrameBound, FrameUnit, WindowFunction};

/// The type that a field usually has.
fn usual_type(function: &WindowCallee, argument: Option<DataType>) -> Option<DataType> {
    match function {
        WindowCallee::Function(function) => Some(function.data_type(argument)),
        WindowCallee::Aggregate(reduction) => aggregate_type(reduction, argument),
    }
}

fn unit_word(unit: FrameUnit) -> &'static str {
    match unit {
        FrameUnit::Rows => "rows",
        FrameUnit::Groups => "groups",
        FrameUnit::Range => "range",
    }
}

fn bound_text(bound: FrameBound) -> String {
    match bound {
        FrameBound::First => "first".to_owned(),
        FrameBound::Before(rows) => format!("{rows} before"),
        FrameBound::BeforeArgument(argument) => format!("argument {argument} before"),
        FrameBound::Key(argument) => format!("key {argument}"),
        FrameBound::Current => "current".to_owned(),
        FrameBound::Behind(rows) => format!("{rows} behind"),
        FrameBound::BehindArgument(argument) => format!("argument {argument} behind"),
        FrameBound::Last => "last".to_owned(),
    }
}

impl Printer<'_> {
    /// A window: its line, and one for each function.
    pub(super) fn window(
        &mut self,
        (define, input): (CollectionId, CollectionId),
        partition: &[u32],
        order: &[(u32, SortOrder)],
        functions: &[WindowField],
    ) {
        let program = self.program;
        let fields = &program.collection(input).fields;
        let mut text = format!("window {}", self.collection(input));
        if !partition.is_empty() {
            let keys: Vec<String> = partition.iter().map(|field| field_reference(fields, *field)).collect();
            text += &format!(" partition by {}", keys.join(", "));
        }
        if !order.is_empty() {
            let key = |(field, order): &(u32, SortOrder)| field_reference(fields, *field) + order_text(*order);
            text += &format!(" order by {}", order.iter().map(key).collect::<Vec<_>>().join(", "));
        }
        let number = self.number(define);
        self.line(&format!("{number} {text}"));
        let added = &program.collection(define).fields[fields.len()..];
        self.deeper(|printer| {
            for (field, function) in added.iter().zip(functions) {
                printer.line(&format!("{} = {}", field_name(field), window_field(function, fields)));
            }
        });
    }

    /// An iteration: its line, and its step.
    pub(super) fn iteration(
        &mut self,
        (define, seed, working): (CollectionId, CollectionId, CollectionId),
        step: super::BlockId,
        (distinct, enough, last): (bool, Option<Enough>, Option<RowBound>),
    ) {
        let program = self.program;
        let fields: Vec<String> = program.collection(define).fields.iter().map(field_name).collect();
        let seed = self.collection(seed);
        let (define, working) = (self.number(define), self.number(working));
        let distinct = if distinct { "distinct " } else { "" };
        let last = last.map(|rounds| format!("last {} ", row_bound_text(rounds))).unwrap_or_default();
        let enough = enough.map(enough_text).unwrap_or_default();
        let text =
            format!("{define} iterate {distinct}{last}{enough}{seed} through {working} as {}", fields.join(", "));
        self.line(text.trim_end());
        self.deeper(|printer| printer.lets(program.block(step)));
    }
}

/// `limit 3 offset all of 1 `: of the second field, if there is one.
fn enough_text(enough: Enough) -> String {
    let field = enough.field.map(|field| format!("of {field} ")).unwrap_or_default();
    format!("limit {} offset {} {field}", row_bound_text(enough.limit), row_bound_text(enough.offset))
}

fn row_bound_text(bound: RowBound) -> String {
    match bound {
        RowBound::All => "all".to_owned(),
        RowBound::Rows(rows) => rows.to_string(),
        RowBound::Parameter(number) => format!("parameter {number}"),
    }
}

fn window_field(field: &WindowField, fields: &[Field]) -> String {
    let name = match &field.function {
        WindowCallee::Function(function) => function.name().into(),
        WindowCallee::Aggregate(reduction) => name_of_reduction(reduction),
    };
    let arguments: Vec<String> = field.arguments.iter().map(|at| field_reference(fields, *at)).collect();
    let mut text = format!("{name}({})", arguments.join(", "));
    let argument = field.taken().first().and_then(|&at| fields.get(at as usize)).map(|field| field.data_type);
    if usual_type(&field.function, argument) != Some(field.data_type) {
        text += &format!("::{}", field.data_type);
    }
    if field.frame != Frame::default() {
        let Frame { unit, start, end, exclude, ignore_nulls } = field.frame;
        text += &format!(" over {} {} to {}", unit_word(unit), bound_text(start), bound_text(end));
        if exclude != Exclude::NoOthers {
            text += &format!(" exclude {}", exclude.words());
        }
        if ignore_nulls {
            text += " ignore nulls";
        }
    }
    text
}

impl Parser {
    /// What follows `%5 window`.
    pub(super) fn window(&mut self, number: u32) -> Result<Let> {
        let input = self.collection()?;
        let of_input = self.program.collection(input).fields.clone();
        let (mut partition, mut order) = (Vec::new(), Vec::new());
        if self.accept_word("partition") {
            self.word("by")?;
            partition = self.list(|parser| parser.field(&of_input))?;
        }
        if self.accept_word("order") {
            self.word("by")?;
            order = self.list(|parser| Ok((parser.field(&of_input)?, parser.order()?)))?;
        }
        self.line_end()?;
        let (mut fields, mut functions) = (of_input.clone(), Vec::new());
        while self.at_field() {
            let (name, nullable) = (self.name()?, self.accept_sign("?"));
            self.sign("=")?;
            let function = self.window_field(&of_input)?;
            self.line_end()?;
            fields.push(Field { name, data_type: function.data_type, nullable });
            functions.push(function);
        }
        Ok(Let::Window { define: self.define(number, fields, Shape::Rows), input, partition, order, functions })
    }

    fn window_field(&mut self, fields: &[Field]) -> Result<WindowField> {
        let name = self.name()?;
        let function = match (WindowFunction::named(&name), reduction_of(&name)) {
            (Some(function), _) => WindowCallee::Function(function),
            (None, Some(reduction)) => WindowCallee::Aggregate(reduction),
            (None, None) => return self.expected("a window function before this"),
        };
        self.sign("(")?;
        let mut arguments = Vec::new();
        if !self.accept_sign(")") {
            arguments = self.list(|parser| parser.field(fields))?;
            self.sign(")")?;
        }
        let argument = match function {
            WindowCallee::Aggregate(Reduction::CountRows) => None,
            _ => arguments.first().map(|&at| fields[at as usize].data_type),
        };
        let data_type = match (self.accept_sign("::"), usual_type(&function, argument)) {
            (true, _) => self.data_type()?,
            (false, Some(usual)) => usual,
            (false, None) => return self.expected("a type"),
        };
        let frame = if self.accept_word("over") { self.frame()? } else { Frame::default() };
        Ok(WindowField { function, arguments, frame, data_type })
    }

    fn frame(&mut self) -> Result<Frame> {
        let units = [FrameUnit::Rows, FrameUnit::Groups, FrameUnit::Range];
        let Some(unit) = units.into_iter().find(|unit| self.accept_word(unit_word(*unit))) else {
            return self.expected("rows, groups or range");
        };
        let start = self.frame_bound()?;
        self.word("to")?;
        let end = self.frame_bound()?;
        let mut frame = Frame::of(unit, start, end);
        if self.accept_word("exclude") {
            let mut accept = |exclude: &Exclude| {
                let (first, second) = exclude.words().split_once(' ').unwrap_or((exclude.words(), ""));
                self.accept_word(first) && (second.is_empty() || self.accept_word(second))
            };
            match Exclude::ALL.into_iter().find(&mut accept) {
                Some(exclude) => frame.exclude = exclude,
                None => return self.expected("what is left out"),
            }
        }
        frame.ignore_nulls = self.accept_word("ignore");
        if frame.ignore_nulls {
            self.word("nulls")?;
        }
        Ok(frame)
    }

    fn frame_bound(&mut self) -> Result<FrameBound> {
        let words = [FrameBound::First, FrameBound::Current, FrameBound::Last];
        if let Some(bound) = words.into_iter().find(|bound| self.accept_word(&bound_text(*bound))) {
            return Ok(bound);
        }
        let number = |number: u64| u8::try_from(number).unwrap_or(u8::MAX);
        if self.accept_word("key") {
            return Ok(FrameBound::Key(number(self.unsigned()?)));
        }
        let is_argument = self.accept_word("argument");
        let rows = self.unsigned()?;
        if is_argument && self.accept_word("before") {
            return Ok(FrameBound::BeforeArgument(number(rows)));
        }
        if is_argument {
            self.word("behind")?;
            return Ok(FrameBound::BehindArgument(number(rows)));
        }
        if self.accept_word("before") {
            return Ok(FrameBound::Before(rows));
        }
        self.word("behind")?;
        Ok(FrameBound::Behind(rows))
    }

    /// What follows `%6 iterate`.
    pub(super) fn iteration(&mut self, number: u32) -> Result<Let> {
        let distinct = self.accept_word("distinct");
        let last = if self.accept_word("last") { Some(self.row_bound()?) } else { None };
        let enough = if self.accept_word("limit") { Some(self.enough()?) } else { None };
        let seed = self.collection()?;
        self.word("through")?;
        let Some(Token::Collection(through)) = self.next() else { return self.expected("a collection before this") };
        self.word("as")?;
        let types = self.program.collection(seed).fields.clone();
        let fields = self.named_fields(&types)?;
        let working = self.define(through, fields.clone(), Shape::Rows);
        let block = self.block()?;
        let step = self.program.add_block(block);
        Ok(Let::Iterate {
            define: self.define(number, fields, Shape::Rows),
            seed,
            working,
            step,
            distinct,
            enough,
            last,
        })
    }

    /// What follows `limit`.
    fn enough(&mut self) -> Result<Enough> {
        let limit = self.row_bound()?;
        self.word("offset")?;
        let offset = self.row_bound()?;
        let field = if self.accept_word("of") { Some(self.unsigned()?) } else { None };
        Ok(Enough { limit, offset, field })
    }

    fn row_bound(&mut self) -> Result<RowBound> {
        if self.accept_word("all") {
            return Ok(RowBound::All);
        }
        if self.accept_word("parameter") {
            return Ok(RowBound::Parameter(self.unsigned()?));
        }
        Ok(RowBound::Rows(self.unsigned()?))
    }
}
