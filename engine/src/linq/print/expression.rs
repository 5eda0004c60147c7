//! Expressions as text.

use super::Printer;
use crate::linq::expression::Order;
use crate::linq::tree::{Bound, Call, Tree, Window, WindowFrame};
use crate::linq::walk::truth;
use multiloop_planner::evaluate::format;
use multiloop_planner::function::{Function, PatternFunction};
use multiloop_planner::relation::builder::{Operator, PatternOperator, Sign};
use multiloop_planner::window::{Exclude, FrameUnit};

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
        Operator::Distance => "<->",
        Operator::NegativeInnerProduct => "<#>",
        Operator::CosineDistance => "<=>",
        Operator::ManhattanDistance => "<+>",
    }
}

fn pattern(PatternOperator { function, negated }: PatternOperator) -> &'static str {
    match (function, negated) {
        (Function::ILike, false) => " ILIKE ",
        (Function::ILike, true) => " NOT ILIKE ",
        (Function::Pattern(PatternFunction::Matches), false) => " ~ ",
        (Function::Pattern(PatternFunction::Matches), true) => " !~ ",
        (Function::Pattern(PatternFunction::MatchesAnyCase), false) => " ~* ",
        (Function::Pattern(PatternFunction::MatchesAnyCase), true) => " !~* ",
        (_, false) => " LIKE ",
        (_, true) => " NOT LIKE ",
    }
}

/// Whether what stands around a part could be read otherwise without parentheses.
fn is_open(tree: &Tree) -> bool {
    matches!(
        tree,
        Tree::Not(_)
            | Tree::And(..)
            | Tree::Or(..)
            | Tree::Compare(..)
            | Tree::Distinct(..)
            | Tree::Unary(..)
            | Tree::Operator(..)
            | Tree::Between(..)
            | Tree::In(..)
            | Tree::Like(..)
            | Tree::AnyOf(..)
            | Tree::NullTest(..)
            | Tree::Truth(..)
            | Tree::InRows(..)
    )
}

impl Printer<'_> {
    /// A part of an expression.
    fn operand(&mut self, tree: &Tree) {
        if is_open(tree) {
            self.push("(");
            self.tree(tree);
            self.push(")");
        } else {
            self.tree(tree);
        }
    }

    fn operands(&mut self, left: &Tree, between: &str, right: &Tree) {
        self.operand(left);
        self.push(between);
        self.operand(right);
    }

    /// An expression.
    pub(super) fn tree(&mut self, tree: &Tree) {
        match tree {
            Tree::Column { table, name } => {
                if let Some(table) = table {
                    let survey = self.survey;
                    self.name(survey.name(table));
                    self.push(".");
                }
                self.name(name);
            }
            Tree::Number(digits) => self.push(digits),
            Tree::Text(text) => self.literal(text),
            Tree::Boolean(value) => self.push(if *value { "TRUE" } else { "FALSE" }),
            Tree::Null | Tree::Failure(_) => self.push("NULL"),
            Tree::Typed(data_type, text) => {
                self.push(&format!("{data_type} "));
                self.literal(text);
            }
            Tree::Value(value, data_type) if value.is_null() => self.push(&format!("CAST(NULL AS {data_type})")),
            Tree::Value(value, data_type) if value.fits(*data_type) => {
                self.push("CAST(");
                self.literal(&format(value, *data_type));
                self.push(&format!(" AS {data_type})"));
            }
            // It is refused when it is built.
            Tree::Value(_, data_type) => self.push(&format!("CAST(NULL AS {data_type})")),
            Tree::Parameter(number) => self.push(&format!("${number}")),
            nested => self.deeper(|printer| printer.nested(nested)),
        }
    }

    fn nested(&mut self, tree: &Tree) {
        match tree {
            Tree::Not(operand) => {
                self.push("NOT ");
                self.operand(operand);
            }
            Tree::And(..) => self.joined(tree.chain(), " AND ", Self::operand),
            Tree::Or(..) => self.joined(tree.chain(), " OR ", Self::operand),
            Tree::Compare(function, left, right) => self.operands(left, &format!(" {} ", comparison(*function)), right),
            Tree::Distinct(true, left, right) => self.operands(left, " IS DISTINCT FROM ", right),
            Tree::Distinct(false, left, right) => self.operands(left, " IS NOT DISTINCT FROM ", right),
            Tree::Unary(sign, operand) => {
                self.push(match sign {
                    Sign::Minus => "- ",
                    Sign::Plus => "+ ",
                    Sign::BitNot => "~ ",
                });
                self.operand(operand);
            }
            Tree::Operator(of, left, right) => self.operands(left, &format!(" {} ", operator(*of)), right),
            Tree::Between(value, low, high) => {
                self.operands(value, " BETWEEN ", low);
                self.push(" AND ");
                self.operand(high);
            }
            // SQL has no empty list.
            Tree::In(_, items) if items.is_empty() => self.push("FALSE"),
            Tree::In(value, items) => {
                self.operand(value);
                self.push(" IN (");
                self.joined(items.iter(), ", ", Self::tree);
                self.push(")");
            }
            Tree::Like(operator, value, wanted) => self.operands(value, pattern(*operator), wanted),
            Tree::AnyOf(value, array) => {
                self.operand(value);
                self.push(" = ANY (");
                self.tree(array);
                self.push(")");
            }
            Tree::NullTest(function, value) => {
                self.operand(value);
                self.push(if *function == Function::IsNull { " IS NULL" } else { " IS NOT NULL" });
            }
            Tree::Truth(function, negated, value) => {
                self.operand(value);
                self.push(if *negated { " IS NOT " } else { " IS " });
                self.push(truth(*function));
            }
            other => self.closed(other),
        }
    }

    /// What no operator around it can take apart.
    fn closed(&mut self, tree: &Tree) {
        match tree {
            Tree::Cast(value, data_type) => {
                self.push("CAST(");
                self.tree(value);
                self.push(&format!(" AS {data_type})"));
            }
            Tree::Case(branches, otherwise) if branches.is_empty() => self.operand(otherwise),
            Tree::Case(branches, otherwise) => {
                self.push("CASE");
                for (condition, result) in branches.iter() {
                    self.push(" WHEN ");
                    self.tree(condition);
                    self.push(" THEN ");
                    self.tree(result);
                }
                self.push(" ELSE ");
                self.tree(otherwise);
                self.push(" END");
            }
            Tree::Extract(field, value) => {
                self.push("EXTRACT(");
                let is_word = field.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'_');
                if is_word {
                    self.push(field)
                } else {
                    self.literal(field)
                }
                self.push(" FROM ");
                self.tree(value);
                self.push(")");
            }
            Tree::Array(items) => {
                self.push("ARRAY[");
                self.joined(items.iter(), ", ", Self::tree);
                self.push("]");
            }
            Tree::Subscript(array, indexes) => {
                self.push("(");
                self.tree(array);
                self.push(")");
                for index in indexes.iter() {
                    self.push("[");
                    self.tree(index);
                    self.push("]");
                }
            }
            Tree::Call(call) => self.call(call),
            other => self.subquery(other),
        }
    }

    fn subquery(&mut self, tree: &Tree) {
        match tree {
            Tree::Scalar(block) => self.in_parentheses(block),
            Tree::Exists(block) => {
                self.push("EXISTS ");
                self.in_parentheses(block);
            }
            Tree::InRows(fields, block) => {
                match &**fields {
                    [only] => self.operand(only),
                    fields => {
                        self.push("(");
                        self.joined(fields, ", ", Self::tree);
                        self.push(")");
                    }
                }
                self.push(" IN ");
                self.in_parentheses(block);
            }
            Tree::ArrayOf(block) => {
                self.push("ARRAY");
                self.in_parentheses(block);
            }
            leaf => self.tree(leaf),
        }
    }

    /// A call.
    pub(super) fn call(&mut self, call: &Call) {
        let Call { name, arguments, distinct, filter, order, over, ignore_nulls, of_group: _ } = call;
        let is_plain = name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
        if is_plain {
            self.push(name)
        } else {
            self.name(name)
        };
        self.push(if *distinct { "(DISTINCT " } else { "(" });
        match arguments {
            None => self.push("*"),
            Some(arguments) => self.joined(arguments.iter(), ", ", Self::tree),
        }
        if call.is_within_group() {
            self.push(") WITHIN GROUP (ORDER BY ");
            self.keys(order);
        } else if !order.is_empty() {
            self.push(" ORDER BY ");
            self.keys(order);
        }
        self.push(")");
        if let Some(filter) = filter {
            self.push(" FILTER (WHERE ");
            self.tree(filter);
            self.push(")");
        }
        if *ignore_nulls {
            self.push(" IGNORE NULLS");
        }
        if let Some(window) = over {
            self.push(" OVER (");
            self.window(window);
            self.push(")");
        }
    }

    fn window(&mut self, Window { partition, order, frame }: &Window) {
        let mut between = "";
        if !partition.is_empty() {
            self.push("PARTITION BY ");
            self.joined(partition, ", ", Self::tree);
            between = " ";
        }
        if !order.is_empty() {
            self.push(between);
            self.push("ORDER BY ");
            self.keys(order);
            between = " ";
        }
        let Some(WindowFrame { unit, start, end, exclude }) = frame else { return };
        self.push(between);
        self.push(match unit {
            FrameUnit::Rows => "ROWS BETWEEN ",
            FrameUnit::Groups => "GROUPS BETWEEN ",
            FrameUnit::Range => "RANGE BETWEEN ",
        });
        self.bound(start);
        self.push(" AND ");
        self.bound(end);
        self.push(match exclude {
            Exclude::NoOthers => "",
            Exclude::CurrentRow => " EXCLUDE CURRENT ROW",
            Exclude::Group => " EXCLUDE GROUP",
            Exclude::Ties => " EXCLUDE TIES",
        });
    }

    fn bound(&mut self, bound: &Bound) {
        match bound {
            Bound::First => self.push("UNBOUNDED PRECEDING"),
            Bound::Before(distance) => {
                self.operand(distance);
                self.push(" PRECEDING");
            }
            Bound::Current => self.push("CURRENT ROW"),
            Bound::Behind(distance) => {
                self.operand(distance);
                self.push(" FOLLOWING");
            }
            Bound::Last => self.push("UNBOUNDED FOLLOWING"),
        }
    }

    /// The keys of an order.
    pub(super) fn keys(&mut self, order: &[Order]) {
        self.joined(order, ", ", |printer, Order { tree, order }| {
            printer.tree(tree);
            printer.push(if order.descending { " DESC" } else { "" });
            printer.push(match (order.nulls_first, order.descending) {
                (true, false) => " NULLS FIRST",
                (false, true) => " NULLS LAST",
                _ => "",
            });
        });
    }
}
