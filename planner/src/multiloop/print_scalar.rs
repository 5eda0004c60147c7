//! Scalars in the text form: operators by precedence, everything else as calls.

use super::infer::{aggregate_type, call_type, reduction_name};
use super::literal::literal_text;
use super::names::function_name;
use super::printer::Printer;
use super::{Aggregate, KeyPart, Scalar, ScalarId};
use crate::function::Function;
use crate::types::{DataType, Field};

/// How strongly each operator binds; what is no operator binds strongest.
pub(super) const BINDING_MAX: u8 = 7;

/// The operators: sign and binding. NOT, which stands in front, binds between AND (2) and comparisons.
pub(super) const NOT_BINDING: u8 = 3;

/// The sign and binding of an operator.
pub(super) fn operator(function: Function) -> Option<(&'static str, u8)> {
    Some(match function {
        Function::Or => ("OR", 1),
        Function::And => ("AND", 2),
        Function::Equal => ("=", 4),
        Function::NotEqual => ("<>", 4),
        Function::Less => ("<", 4),
        Function::LessEqual => ("<=", 4),
        Function::Greater => (">", 4),
        Function::GreaterEqual => (">=", 4),
        Function::Add => ("+", 5),
        Function::Subtract => ("-", 5),
        Function::Multiply => ("*", 6),
        Function::Divide => ("/", 6),
        Function::Modulo => ("%", 6),
        _ => return None,
    })
}

/// A name, in double quotes unless it is a plain word that means nothing else.
pub(super) fn identifier(name: &str) -> String {
    let plain = name.starts_with(|c: char| c.is_ascii_lowercase() || c == '_')
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
        && !RESERVED.contains(&name);
    if plain {
        return name.to_owned();
    }
    format!("\"{}\"", name.replace('\\', "\\\\").replace('\n', "\\n").replace('\r', "\\r").replace('"', "\"\""))
}

/// Words that begin a line or follow a name in the text form.
const RESERVED: [&str; 18] = [
    "as", "block", "by", "collect", "desc", "fields", "if", "is", "key", "limit", "loop", "nulls", "offset", "or",
    "output", "result", "row", "table",
];

/// A field by its name, by its position where the name is not its alone.
pub(super) fn field_reference(fields: &[Field], field: u32) -> String {
    let position = field as usize;
    let Some(found) = fields.get(position) else { return format!("#{field}") };
    if fields.iter().filter(|other| other.name == found.name).count() > 1 {
        return format!("#{field}");
    }
    identifier(&found.name)
}

impl Printer<'_> {
    /// A scalar at its weakest binding.
    pub(super) fn scalar(&self, id: ScalarId) -> String {
        self.scalar_within(id, 0)
    }

    /// Several, separated by commas.
    pub(super) fn scalars(&self, ids: &[ScalarId]) -> String {
        ids.iter().map(|&id| self.scalar(id)).collect::<Vec<_>>().join(", ")
    }

    /// A key's parts.
    pub(super) fn key(&self, key: &[KeyPart]) -> String {
        let parts = key.iter().map(|part| {
            let scalar = self.scalar(part.scalar);
            if part.null_matches { format!("is {scalar}") } else { scalar }
        });
        parts.collect::<Vec<_>>().join(", ")
    }

    /// A scalar as an operand of something that binds this strongly.
    fn scalar_within(&self, id: ScalarId, binding: u8) -> String {
        let node = self.program.scalars.node(id);
        match &node.scalar {
            Scalar::Column { index, field } => {
                let fields = self.shown.get(index).map_or(&[][..], |fields| fields);
                format!("{}.{}", self.index(*index), field_reference(fields, *field))
            }
            Scalar::Constant(value) => literal_text(value, node.data_type),
            Scalar::Parameter(number) => {
                let name = format!("${}", number + 1);
                let declared = self.program.parameters.get(*number as usize).copied();
                annotated(name, declared, node.data_type)
            }
            Scalar::Call { function, arguments } => self.call(*function, arguments, node.data_type, binding),
            Scalar::Lookup { collection, key, field } => {
                let fields = &self.program.collection(*collection).fields;
                let field = field_reference(fields, *field);
                format!("{}[{}].{field}", self.collection(*collection), self.key(key))
            }
            Scalar::Exists { collection, key } => format!("exists {}[{}]", self.collection(*collection), self.key(key)),
            Scalar::Element { collection, row, field } => {
                let field = field_reference(&self.program.collection(*collection).fields, *field);
                format!("element {}({}).{field}", self.collection(*collection), self.scalar(*row))
            }
            Scalar::Single { collection, field } => {
                let fields = &self.program.collection(*collection).fields;
                format!("{}.{}", self.collection(*collection), field_reference(fields, *field))
            }
            Scalar::Nested { block, field } => {
                let result = self.program.block(*block).result;
                let fields = &self.program.collection(result).fields;
                format!("{}.{}", self.block_name(*block), field_reference(fields, *field))
            }
        }
    }

    fn call(&self, function: Function, arguments: &[ScalarId], data_type: DataType, binding: u8) -> String {
        let types: Vec<DataType> = arguments.iter().map(|&id| self.program.scalars.data_type(id)).collect();
        let inferred = call_type(function, &types);
        if function == Function::Cast {
            return format!("cast({} as {data_type})", self.scalar(arguments[0]));
        }
        let (text, strength) = match operator(function) {
            Some((sign, strength)) if arguments.len() == 2 || (arguments.len() > 2 && strength <= 2) => {
                let operands = arguments.iter().map(|&id| self.scalar_within(id, strength + 1)).collect::<Vec<_>>();
                (operands.join(&format!(" {sign} ")), strength)
            }
            _ if function == Function::Not => {
                (format!("NOT {}", self.scalar_within(arguments[0], NOT_BINDING + 1)), NOT_BINDING)
            }
            _ => (format!("{}({})", function_name(function), self.scalars(arguments)), BINDING_MAX),
        };
        let needs_type = inferred != Some(data_type);
        let text =
            if strength < binding || (needs_type && strength < BINDING_MAX) { format!("({text})") } else { text };
        annotated(text, inferred, data_type)
    }

    /// An aggregate other than top-k.
    pub(super) fn aggregate(&self, aggregate: &Aggregate) -> String {
        let argument = aggregate.arguments.first().map(|&id| self.program.scalars.data_type(id));
        let distinct = if aggregate.distinct { "distinct " } else { "" };
        let arguments = self.scalars(&aggregate.arguments);
        let condition = if aggregate.condition.is_empty() {
            String::new()
        } else {
            let space = if aggregate.arguments.is_empty() { "" } else { " " };
            format!("{space}if {}", self.scalars(&aggregate.condition))
        };
        let text = format!("{}({distinct}{arguments}{condition})", reduction_name(aggregate));
        annotated(text, aggregate_type(&aggregate.reduction, argument), aggregate.data_type)
    }
}

fn annotated(text: String, usual: Option<DataType>, actual: DataType) -> String {
    if usual == Some(actual) { text } else { format!("{text}::{actual}") }
}
