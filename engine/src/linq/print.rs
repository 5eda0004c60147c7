//! The SQL that says the same as a frame: for people, and for engines beside this one.

use super::block::{Block, JoinStep, SetOperation, Source};
use super::expression::{Expression, Order};
use super::named::Names;
use super::tree::{Bound, Call, Tree, Window, WindowFrame};
use crate::sight::Sight;
use multiloop_planner::function::Function;
use multiloop_planner::relation::builder::{Operator, PatternOperator, Side};
use multiloop_planner::window::{Exclude, FrameUnit};
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

/// What the parts of a query's text share.
struct Text<'b> {
    shared: Vec<&'b Arc<Block>>,
    names: Names,
}

/// A part of a query.
struct Sql<'t, T: ?Sized> {
    part: &'t T,
    text: &'t Text<'t>,
}

impl<'t> Text<'t> {
    fn of<T: ?Sized>(&'t self, part: &'t T) -> Sql<'t, T> {
        Sql { part, text: self }
    }

    /// A part of an expression: in parentheses, if what stands around it could be read otherwise.
    fn operand(&'t self, tree: &'t Tree) -> Operand<'t> {
        Operand(self.of(tree))
    }

    /// Parts with something between them.
    fn joined<T>(&'t self, f: &mut Formatter<'_>, parts: impl IntoIterator<Item = &'t T>, between: &str) -> fmt::Result
    where
        T: 't,
        Sql<'t, T>: Display,
    {
        joined(f, parts.into_iter().map(|part| self.of(part)), between)
    }
}

/// See [`Text::operand`].
struct Operand<'t>(Sql<'t, Tree>);

impl Display for Operand<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0.part {
            Tree::Not(_)
            | Tree::Minus(_)
            | Tree::And(_)
            | Tree::Or(_)
            | Tree::Compare(..)
            | Tree::Operator(..)
            | Tree::Between(_)
            | Tree::In(..)
            | Tree::InRows(..)
            | Tree::Like(..)
            | Tree::NullTest(..) => write!(f, "({})", self.0),
            // A sign binds less than what may stand behind the number.
            Tree::Number(digits) if digits.starts_with('-') => write!(f, "({digits})"),
            _ => self.0.fmt(f),
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

fn pattern(PatternOperator { function, negated }: PatternOperator) -> &'static str {
    match (function, negated) {
        (Function::Like, false) => "LIKE",
        (Function::Like, true) => "NOT LIKE",
        (Function::ILike, false) => "ILIKE",
        (Function::ILike, true) => "NOT ILIKE",
        (_, false) => "~",
        (_, true) => "!~",
    }
}

fn comparison(function: Function) -> &'static str {
    match function {
        Function::Equal => "=",
        Function::NotEqual => "<>",
        Function::Less => "<",
        Function::LessEqual => "<=",
        Function::Greater => ">",
        Function::GreaterEqual => ">=",
        Function::IsDistinct => "IS DISTINCT FROM",
        _ => "IS NOT DISTINCT FROM",
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

impl Display for Sql<'_, Tree> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let text = self.text;
        match self.part {
            Tree::Column { table: None, name } => Quoted(name).fmt(f),
            Tree::Column { table: Some(table), name } => {
                write!(f, "{}.{}", Quoted(&text.names.of(table)), Quoted(name))
            }
            Tree::Number(digits) => f.write_str(digits),
            Tree::Text(value) => Literal(value).fmt(f),
            Tree::Boolean(value) => f.write_str(if *value { "TRUE" } else { "FALSE" }),
            Tree::Null => f.write_str("NULL"),
            Tree::Typed(data_type, value) => write!(f, "{data_type} {}", Literal(value)),
            Tree::Value(value, data_type) if value.is_null() => write!(f, "CAST(NULL AS {data_type})"),
            Tree::Value(value, data_type) => {
                write!(f, "CAST({} AS {data_type})", Literal(&Sight::default().text_of(value, *data_type)))
            }
            Tree::Parameter(number) => write!(f, "${number}"),
            Tree::Exists(block) => write!(f, "EXISTS ({})", text.of(&**block)),
            Tree::Scalar(block) => write!(f, "({})", text.of(&**block)),
            Tree::Call(call) => text.of(call).fmt(f),
            Tree::Cast(value, data_type) => write!(f, "CAST({} AS {data_type})", text.of(&**value)),
            Tree::Extract(field, value) => write!(f, "EXTRACT({field} FROM {})", text.of(&**value)),
            Tree::Case(branches, otherwise) if branches.is_empty() => text.operand(otherwise).fmt(f),
            Tree::Case(branches, otherwise) => {
                f.write_str("CASE")?;
                for (condition, result) in branches {
                    write!(f, " WHEN {} THEN {}", text.of(condition), text.of(result))?;
                }
                write!(f, " ELSE {} END", text.of(&**otherwise))
            }
            _ => self.fmt_operation(f),
        }
    }
}

impl Sql<'_, Tree> {
    /// What has operands.
    fn fmt_operation(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let text = self.text;
        let operand = |tree| text.operand(tree);
        match self.part {
            Tree::Not(value) => write!(f, "NOT {}", operand(value)),
            Tree::Minus(value) => write!(f, "- {}", operand(value)),
            Tree::And(conditions) => joined(f, conditions.iter().map(operand), " AND "),
            Tree::Or(conditions) => joined(f, conditions.iter().map(operand), " OR "),
            Tree::Compare(function, sides) => {
                write!(f, "{} {} {}", operand(&sides[0]), comparison(*function), operand(&sides[1]))
            }
            Tree::Operator(of, sides) => {
                write!(f, "{} {} {}", operand(&sides[0]), operator(*of), operand(&sides[1]))
            }
            Tree::Between(parts) => {
                let [value, low, high] = &**parts;
                write!(f, "{} BETWEEN {} AND {}", operand(value), operand(low), operand(high))
            }
            // SQL has no empty list.
            Tree::In(_, items) if items.is_empty() => f.write_str("FALSE"),
            Tree::In(value, items) => {
                write!(f, "{} IN (", operand(value))?;
                text.joined(f, items, ", ")?;
                f.write_char(')')
            }
            Tree::InRows(values, block) => {
                match &**values {
                    [value] => operand(value).fmt(f)?,
                    values => {
                        f.write_char('(')?;
                        text.joined(f, values, ", ")?;
                        f.write_char(')')?;
                    }
                }
                write!(f, " IN ({})", text.of(&**block))
            }
            Tree::Like(of, sides) => write!(f, "{} {} {}", operand(&sides[0]), pattern(*of), operand(&sides[1])),
            Tree::NullTest(Function::IsNull, value) => write!(f, "{} IS NULL", operand(value)),
            Tree::NullTest(_, value) => write!(f, "{} IS NOT NULL", operand(value)),
            _ => Ok(()),
        }
    }
}

impl Display for Sql<'_, Call> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Call { name, arguments, distinct, filter, order, over, ignore_nulls } = self.part;
        let text = self.text;
        write!(f, "{name}({}", if *distinct { "DISTINCT " } else { "" })?;
        match arguments {
            None => f.write_char('*')?,
            Some(arguments) => text.joined(f, arguments, ", ")?,
        }
        if !order.is_empty() {
            f.write_str(" ORDER BY ")?;
            text.joined(f, order, ", ")?;
        }
        f.write_char(')')?;
        if let Some(filter) = filter {
            write!(f, " FILTER (WHERE {})", text.of(&**filter))?;
        }
        if *ignore_nulls {
            f.write_str(" IGNORE NULLS")?;
        }
        match over {
            Some(window) => write!(f, " OVER ({})", text.of(&**window)),
            None => Ok(()),
        }
    }
}

impl Display for Sql<'_, Window> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Window { partition, order, frame } = self.part;
        let text = self.text;
        let mut before = "";
        if !partition.is_empty() {
            f.write_str("PARTITION BY ")?;
            text.joined(f, partition, ", ")?;
            before = " ";
        }
        if !order.is_empty() {
            write!(f, "{before}ORDER BY ")?;
            text.joined(f, order, ", ")?;
            before = " ";
        }
        let Some(WindowFrame { unit, start, end, exclude }) = frame else { return Ok(()) };
        let unit = match unit {
            FrameUnit::Rows => "ROWS",
            FrameUnit::Groups => "GROUPS",
            FrameUnit::Range => "RANGE",
        };
        write!(f, "{before}{unit} BETWEEN {} AND {}", text.of(start), text.of(end))?;
        f.write_str(match exclude {
            Exclude::NoOthers => "",
            Exclude::CurrentRow => " EXCLUDE CURRENT ROW",
            Exclude::Group => " EXCLUDE GROUP",
            Exclude::Ties => " EXCLUDE TIES",
        })
    }
}

impl Display for Sql<'_, Bound> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.part {
            Bound::First => f.write_str("UNBOUNDED PRECEDING"),
            Bound::Before(distance) => write!(f, "{} PRECEDING", self.text.operand(distance)),
            Bound::Current => f.write_str("CURRENT ROW"),
            Bound::Behind(distance) => write!(f, "{} FOLLOWING", self.text.operand(distance)),
            Bound::Last => f.write_str("UNBOUNDED FOLLOWING"),
        }
    }
}

/// A column of the result.
impl Display for Sql<'_, Expression> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Expression { tree, alias } = self.part;
        match alias {
            Some(alias) => write!(f, "{} AS {}", self.text.of(tree), Quoted(alias)),
            None => self.text.of(tree).fmt(f),
        }
    }
}

/// A key of an order.
impl Display for Sql<'_, Order> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Order { tree, order } = self.part;
        write!(f, "{}{}", self.text.of(tree), if order.descending { " DESC" } else { "" })?;
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
    SharedBlocks(&mut shared).of_block(block);
    let text = Text { shared, names: Names::default() };
    let mut written = String::new();
    for (index, definition) in text.shared.iter().enumerate() {
        let before = if index == 0 { "WITH " } else { ", " };
        let _ = write!(written, "{before}{} AS ({})", Quoted(&shared_name(index)), text.of(&***definition));
    }
    if !text.shared.is_empty() {
        written.push(' ');
    }
    let _ = write!(written, "{}", text.of(block));
    written
}

/// The blocks that are shared, each behind those that it uses.
struct SharedBlocks<'s, 'b>(&'s mut Vec<&'b Arc<Block>>);

impl<'b> SharedBlocks<'_, 'b> {
    fn of_block(&mut self, block: &'b Block) {
        self.of_source(&block.from);
        for JoinStep { source, on, .. } in &block.joins {
            self.of_source(source);
            self.of_tree(on);
        }
        let columns = block.columns.iter().flatten().map(|column| &column.tree);
        let order = block.order.iter().map(|key| &key.tree);
        let conditions = block.filter.iter().chain(&block.having);
        conditions.chain(&block.keys).chain(columns).chain(order).for_each(|tree| self.of_tree(tree));
    }

    fn of_source(&mut self, source: &'b Source) {
        match source {
            Source::Table { .. } => {}
            Source::Derived { block, .. } => self.of_block(block),
            Source::Set { left, right, .. } => {
                self.of_block(left);
                self.of_block(right);
            }
            Source::Values { rows, .. } => rows.iter().flatten().for_each(|tree| self.of_tree(tree)),
            Source::Shared { block, .. } => {
                if !self.0.iter().any(|known| Arc::ptr_eq(known, block)) {
                    self.of_block(block);
                    self.0.push(block);
                }
            }
        }
    }

    fn of_tree(&mut self, tree: &'b Tree) {
        if let Tree::Scalar(block) | Tree::Exists(block) | Tree::InRows(_, block) = tree {
            self.of_block(block);
        }
        tree.parts(&mut |part| self.of_tree(part));
    }
}

fn shared_name(index: usize) -> String {
    format!("shared {}", index + 1)
}

impl Display for Sql<'_, Source> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let text = self.text;
        let alias = self.part.alias().map(|alias| text.names.of(alias));
        match self.part {
            Source::Table { name, .. } => Quoted(name).fmt(f)?,
            Source::Derived { block, .. } => write!(f, "({})", text.of(&**block))?,
            Source::Shared { block, .. } => {
                let index = text.shared.iter().position(|known| Arc::ptr_eq(known, block)).unwrap_or_default();
                Quoted(&shared_name(index)).fmt(f)?;
            }
            Source::Set { operation, all, left, right, .. } => {
                let operation = match operation {
                    SetOperation::Union => "UNION",
                    SetOperation::Intersect => "INTERSECT",
                    SetOperation::Except => "EXCEPT",
                };
                let all = if *all { " ALL" } else { "" };
                write!(f, "(({}) {operation}{all} ({}))", text.of(&**left), text.of(&**right))?;
            }
            Source::Values { rows, .. } => {
                f.write_str("(VALUES ")?;
                for (index, row) in rows.iter().enumerate() {
                    f.write_str(if index > 0 { ", (" } else { "(" })?;
                    text.joined(f, row, ", ")?;
                    f.write_char(')')?;
                }
                f.write_char(')')?;
            }
        }
        if let Some(alias) = alias
            && !matches!(self.part, Source::Table { name, .. } if **name == *alias)
        {
            write!(f, " AS {}", Quoted(&alias))?;
        }
        if let Source::Values { columns, .. } = self.part {
            f.write_str(" (")?;
            joined(f, columns.iter().map(|name| Quoted(name)), ", ")?;
            f.write_char(')')?;
        }
        Ok(())
    }
}

impl Display for Sql<'_, JoinStep> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let JoinStep { source, side, on, lateral } = self.part;
        let side = match side {
            Side::Inner => "JOIN",
            Side::Left => "LEFT JOIN",
            Side::Right => "RIGHT JOIN",
            Side::Full => "FULL JOIN",
            Side::Semi => "SEMI JOIN",
            Side::Anti => "ANTI JOIN",
        };
        let lateral = if *lateral { "LATERAL " } else { "" };
        write!(f, " {side} {lateral}{} ON {}", self.text.of(source), self.text.of(on))
    }
}

impl Display for Sql<'_, Block> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let (block, text) = (self.part, self.text);
        f.write_str(if block.distinct { "SELECT DISTINCT " } else { "SELECT " })?;
        match &block.columns {
            None => f.write_char('*')?,
            Some(columns) => text.joined(f, columns, ", ")?,
        }
        write!(f, " FROM {}", text.of(&block.from))?;
        text.joined(f, &block.joins, "")?;
        if let Some(filter) = &block.filter {
            write!(f, " WHERE {}", text.of(filter))?;
        }
        if !block.keys.is_empty() {
            f.write_str(" GROUP BY ")?;
            text.joined(f, &block.keys, ", ")?;
        }
        if let Some(having) = &block.having {
            write!(f, " HAVING {}", text.of(having))?;
        }
        if !block.order.is_empty() {
            f.write_str(" ORDER BY ")?;
            text.joined(f, &block.order, ", ")?;
        }
        if let Some((rows, offset)) = block.limit {
            if rows < i64::MAX.unsigned_abs() {
                write!(f, " LIMIT {rows}")?;
            }
            if offset > 0 {
                write!(f, " OFFSET {}", offset.min(i64::MAX.unsigned_abs()))?;
            }
        }
        Ok(())
    }
}
