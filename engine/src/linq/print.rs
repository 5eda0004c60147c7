//! The SQL that says the same as a frame: for people, and for engines beside this one.

use super::block::{Block, JoinStep, Source};
use super::expression::{Expression, Order};
use super::tree::{Call, Tree};
use multiloop_planner::function::Function;
use multiloop_planner::relation::builder::{Operator, Side};
use std::fmt::{self, Display, Formatter, Write as _};
use std::sync::Arc;

/// A name in quotes.
struct Quoted<'n>(&'n str);

impl Display for Quoted<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"", self.0.replace('"', "\"\""))
    }
}

/// A string literal.
struct Literal<'t>(&'t str);

impl Display for Literal<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "'{}'", self.0.replace('\'', "''"))
    }
}

/// A part of an expression: in parentheses, if what stands around it could be read otherwise.
struct Operand<'t>(&'t Tree);

impl Display for Operand<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            Tree::Not(_)
            | Tree::And(_)
            | Tree::Or(_)
            | Tree::Compare(..)
            | Tree::Operator(..)
            | Tree::Between(_)
            | Tree::In(..)
            | Tree::Like(_)
            | Tree::NullTest(..) => write!(f, "({})", self.0),
            closed => closed.fmt(f),
        }
    }
}

/// Parts with something between them.
fn joined<T: Display>(f: &mut Formatter<'_>, parts: impl IntoIterator<Item = T>, between: &str) -> fmt::Result {
    for (index, part) in parts.into_iter().enumerate() {
        if index > 0 {
            f.write_str(between)?;
        }
        part.fmt(f)?;
    }
    Ok(())
}

fn comparison(function: Function) -> &'static str {
    match function {
        Function::Equal => "=",
        Function::NotEqual => "<>",
        Function::Less => "<",
        Function::LessEqual => "<=",
        Function::Greater => ">",
        _ => ">=",
    }
}

fn operator(operator: Operator) -> &'static str {
    match operator {
        Operator::Add => "+",
        Operator::Subtract => "-",
        Operator::Multiply => "*",
        Operator::Divide => "/",
        Operator::Modulo => "%",
        Operator::Power => "^",
        Operator::BitAnd => "&",
        Operator::BitOr => "|",
        Operator::BitXor => "#",
        Operator::ShiftLeft => "<<",
        Operator::ShiftRight => ">>",
        Operator::Concatenate => "||",
        Operator::StartsWith => "^@",
        Operator::Contains => "@>",
        Operator::IsContained => "<@",
        Operator::Overlaps => "&&",
        Operator::Member => "->",
        Operator::MemberText => "->>",
        Operator::Path => "#>",
        Operator::PathText => "#>>",
        Operator::HasKey => "?",
        Operator::HasAny => "?|",
        Operator::HasAll => "?&",
        Operator::WithoutPath => "#-",
        Operator::PathExists => "@?",
        Operator::PathMatches => "@@",
    }
}

impl Display for Tree {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Tree::Column { table: None, name } => Quoted(name).fmt(f),
            Tree::Column { table: Some(table), name } => write!(f, "{}.{}", Quoted(table), Quoted(name)),
            Tree::Number(digits) => f.write_str(digits),
            Tree::Text(text) => Literal(text).fmt(f),
            Tree::Boolean(value) => f.write_str(if *value { "TRUE" } else { "FALSE" }),
            Tree::Null => f.write_str("NULL"),
            Tree::Typed(data_type, text) => write!(f, "{data_type} {}", Literal(text)),
            Tree::Parameter(number) => write!(f, "${number}"),
            Tree::Not(operand) => write!(f, "NOT {}", Operand(operand)),
            Tree::And(conditions) => joined(f, conditions.iter().map(Operand), " AND "),
            Tree::Or(conditions) => joined(f, conditions.iter().map(Operand), " OR "),
            Tree::Compare(function, sides) => {
                write!(f, "{} {} {}", Operand(&sides[0]), comparison(*function), Operand(&sides[1]))
            }
            Tree::Operator(of, sides) => {
                write!(f, "{} {} {}", Operand(&sides[0]), operator(*of), Operand(&sides[1]))
            }
            Tree::Between(parts) => {
                write!(f, "{} BETWEEN {} AND {}", Operand(&parts[0]), Operand(&parts[1]), Operand(&parts[2]))
            }
            // SQL has no empty list.
            Tree::In(_, items) if items.is_empty() => f.write_str("FALSE"),
            Tree::In(value, items) => {
                write!(f, "{} IN (", Operand(value))?;
                joined(f, items, ", ")?;
                f.write_char(')')
            }
            Tree::Like(sides) => write!(f, "{} LIKE {}", Operand(&sides[0]), Operand(&sides[1])),
            Tree::NullTest(Function::IsNull, value) => write!(f, "{} IS NULL", Operand(value)),
            Tree::NullTest(_, value) => write!(f, "{} IS NOT NULL", Operand(value)),
            Tree::Cast(value, data_type) => write!(f, "CAST({value} AS {data_type})"),
            Tree::Case(branches, otherwise) if branches.is_empty() => write!(f, "{}", Operand(otherwise)),
            Tree::Case(branches, otherwise) => {
                f.write_str("CASE")?;
                for (condition, result) in branches {
                    write!(f, " WHEN {condition} THEN {result}")?;
                }
                write!(f, " ELSE {otherwise} END")
            }
            Tree::Call(call) => call.fmt(f),
        }
    }
}

impl Display for Call {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Call { name, arguments, distinct, filter } = self;
        write!(f, "{name}({}", if *distinct { "DISTINCT " } else { "" })?;
        match arguments {
            None => f.write_char('*')?,
            Some(arguments) => joined(f, arguments, ", ")?,
        }
        f.write_char(')')?;
        match filter {
            Some(filter) => write!(f, " FILTER (WHERE {filter})"),
            None => Ok(()),
        }
    }
}

/// A column of the result.
struct Column<'e>(&'e Expression);

impl Display for Column<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Expression { tree, alias } = self.0;
        match alias {
            Some(alias) => write!(f, "{tree} AS {}", Quoted(alias)),
            None => tree.fmt(f),
        }
    }
}

/// A key of an order.
struct Key<'o>(&'o Order);

impl Display for Key<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Order { tree, order } = self.0;
        write!(f, "{tree}{}", if order.descending { " DESC" } else { "" })?;
        match (order.nulls_first, order.descending) {
            (true, false) => f.write_str(" NULLS FIRST"),
            (false, true) => f.write_str(" NULLS LAST"),
            _ => Ok(()),
        }
    }
}

/// The SQL of a block, with what it shares in front.
pub(super) fn sql(block: &Block) -> String {
    let mut shared = Vec::new();
    collect_shared(block, &mut shared);
    let mut text = String::new();
    for (index, definition) in shared.iter().enumerate() {
        let (before, part) = (if index == 0 { "WITH " } else { ", " }, Sql { part: &***definition, shared: &shared });
        let _ = write!(text, "{before}{} AS ({part})", Quoted(&shared_name(index)));
    }
    if !shared.is_empty() {
        text.push(' ');
    }
    let _ = write!(text, "{}", Sql { part: block, shared: &shared });
    text
}

/// The blocks that are shared, each behind those that it uses.
fn collect_shared<'b>(block: &'b Block, shared: &mut Vec<&'b Arc<Block>>) {
    for source in std::iter::once(&block.from).chain(block.joins.iter().map(|join| &join.source)) {
        match source {
            Source::Table { .. } => {}
            Source::Derived { block, .. } => collect_shared(block, shared),
            Source::Shared { block, .. } => {
                if !shared.iter().any(|known| Arc::ptr_eq(known, block)) {
                    collect_shared(block, shared);
                    shared.push(block);
                }
            }
        }
    }
}

fn shared_name(index: usize) -> String {
    format!("shared {}", index + 1)
}

/// A part of a query, and what the whole query shares.
struct Sql<'b, T> {
    part: &'b T,
    shared: &'b [&'b Arc<Block>],
}

impl Display for Sql<'_, Source> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let shared = self.shared;
        match self.part {
            Source::Table { name, alias: None } => Quoted(name).fmt(f),
            Source::Table { name, alias: Some(alias) } => write!(f, "{} AS {}", Quoted(name), Quoted(alias)),
            Source::Derived { block, alias } => {
                write!(f, "({}) AS {}", Sql { part: &**block, shared }, Quoted(alias))
            }
            Source::Shared { block, alias } => {
                let index = shared.iter().position(|known| Arc::ptr_eq(known, block)).unwrap_or_default();
                write!(f, "{} AS {}", Quoted(&shared_name(index)), Quoted(alias))
            }
        }
    }
}

impl Display for Sql<'_, JoinStep> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let JoinStep { source, side, on } = self.part;
        let side = match side {
            Side::Inner => "JOIN",
            Side::Left => "LEFT JOIN",
            Side::Right => "RIGHT JOIN",
            Side::Full => "FULL JOIN",
            Side::Semi => "SEMI JOIN",
            Side::Anti => "ANTI JOIN",
        };
        write!(f, " {side} {} ON {on}", Sql { part: source, shared: self.shared })
    }
}

impl Display for Sql<'_, Block> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let (block, shared) = (self.part, self.shared);
        f.write_str(if block.distinct { "SELECT DISTINCT " } else { "SELECT " })?;
        match &block.columns {
            None => f.write_char('*')?,
            Some(columns) => joined(f, columns.iter().map(Column), ", ")?,
        }
        write!(f, " FROM {}", Sql { part: &block.from, shared })?;
        joined(f, block.joins.iter().map(|part| Sql { part, shared }), "")?;
        if let Some(filter) = &block.filter {
            write!(f, " WHERE {filter}")?;
        }
        if !block.keys.is_empty() {
            f.write_str(" GROUP BY ")?;
            joined(f, &block.keys, ", ")?;
        }
        if let Some(having) = &block.having {
            write!(f, " HAVING {having}")?;
        }
        if !block.order.is_empty() {
            f.write_str(" ORDER BY ")?;
            joined(f, block.order.iter().map(Key), ", ")?;
        }
        if let Some((rows, offset)) = block.limit {
            write!(f, " LIMIT {}", rows.min(i64::MAX.unsigned_abs()))?;
            if offset > 0 {
                write!(f, " OFFSET {}", offset.min(i64::MAX.unsigned_abs()))?;
            }
        }
        Ok(())
    }
}
