//! All functions, as they are listed: in `docs/sql.md`, by `\df`, for completion.

use super::{FAMILIES, FunctionKind, Signature, VECTORS};
use crate::types::DataType;

/// What is said of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionSummary {
    /// Its name; a function of several names is there once for each.
    pub name: &'static str,
    /// Where it can stand.
    pub kind: FunctionKind,
    /// The types of its arguments; those in brackets may be left out.
    pub arguments: String,
    /// The type of what it gives.
    pub result: String,
    /// The topic under which it is listed.
    pub family: &'static str,
    /// What it does, in a line.
    pub summary: &'static str,
}

impl FunctionSummary {
    /// Whether it is a function of vectors, so that a program may register functions of its name for other types.
    pub fn is_of_vectors(&self) -> bool {
        self.family == VECTORS
    }
}

/// All functions: family by family, in the order in which each lists them.
pub fn functions() -> Vec<FunctionSummary> {
    let mut all = Vec::new();
    for family in FAMILIES {
        all.extend(family.signatures.iter().map(|signature| FunctionSummary {
            name: signature.name,
            kind: FunctionKind::Plain,
            arguments: arguments_of(signature),
            result: type_name(signature.result),
            family: family.title,
            summary: signature.summary,
        }));
        for of in family.described {
            all.extend(of.names.iter().map(|name| FunctionSummary {
                name,
                kind: of.kind,
                arguments: of.arguments.to_owned(),
                result: of.result.to_owned(),
                family: family.title,
                summary: of.summary,
            }));
        }
    }
    all
}

/// `text, integer [, text]`.
fn arguments_of(signature: &Signature) -> String {
    let mut shown = String::new();
    for (at, &parameter) in signature.parameters.iter().enumerate() {
        let comma = if at > 0 { ", " } else { "" };
        if at == signature.required {
            shown.push_str(if at > 0 { " [" } else { "[" });
        }
        shown.push_str(comma);
        shown.push_str(&type_name(parameter));
    }
    if signature.required < signature.parameters.len() {
        shown.push(']');
    }
    shown
}

/// The name that PostgreSQL shows.
fn type_name(data_type: DataType) -> String {
    match data_type {
        DataType::Decimal { .. } => "numeric".to_owned(),
        DataType::Timestamp => "timestamp".to_owned(),
        DataType::TimestampTz => "timestamptz".to_owned(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_function_is_described() {
        let all = functions();
        for function in &all {
            assert!(!function.summary.is_empty() && !function.summary.ends_with('.'), "{}", function.name);
        }
        let listed = |kind: FunctionKind, name: &str| all.iter().any(|of| of.kind == kind && of.name == name);
        for name in crate::relation::builder::expression::aggregate::names() {
            assert!(listed(FunctionKind::Aggregate, name), "{name} is an aggregate that registry/aggregate.rs lacks");
        }
        for function in crate::window::WindowFunction::ALL {
            assert!(listed(FunctionKind::Window, function.name()), "{}", function.name());
        }
        for name in crate::relation::builder::expression::set_function::NAMES {
            assert!(listed(FunctionKind::Rows, name), "{name} gives rows and registry/rows.rs lacks it");
        }
    }

    #[test]
    fn arguments_that_may_be_left_out() {
        let of = |name: &str| functions().into_iter().find(|of| of.name == name).map(|of| of.arguments);
        assert_eq!(of("lpad").as_deref(), Some("text, integer [, text]"));
        assert_eq!(of("random").as_deref(), Some(""));
    }
}
