//! Which closures functions are made of: what they take, and what they give.

use super::values::{Cells, settled};
use crate::parameters::Parameter;
use crate::row::FromSql;
use crate::{DataType, Error, ErrorKind, Result, ToParameter};
use arrow::array::RecordBatch;

/// Arguments of a closure: a tuple of up to eight types that are [`FromSql`] and [`ToParameter`], which says their SQL types.
pub trait Arguments: Sized {
    #[doc(hidden)]
    fn types() -> Vec<DataType>;

    /// Whether an argument of each type can be of another SQL type.
    #[doc(hidden)]
    fn takes(types: &[DataType]) -> bool;

    #[doc(hidden)]
    fn of_row(row: &ArgumentRow<'_>) -> Result<Self>;
}

/// A row of the values that a function is called with.
#[doc(hidden)]
#[allow(missing_debug_implementations, reason = "nobody outside has one")]
pub struct ArgumentRow<'r> {
    columns: &'r [Cells<'r>],
    row: usize,
}

impl<'r> ArgumentRow<'r> {
    pub(super) fn new(columns: &'r [Cells<'r>], row: usize) -> Self {
        ArgumentRow { columns, row }
    }

    fn get<T: FromSql<'r>>(&self, at: usize) -> Result<T> {
        let column = self.columns.get(at).ok_or_else(|| Error::internal("a function with too few arguments"))?;
        T::from_sql(column.value(self.row)).map_err(|error| {
            if error.kind() != ErrorKind::UnexpectedNull {
                return error;
            }
            let message = format!("argument {} is NULL, and the closure takes no Option there", at + 1);
            Error::new(ErrorKind::NullNotAllowed, message)
        })
    }
}

/// A closure over values of Rust: `Fn(A, B, …) -> R`.
pub trait Closure<A>: Send + Sync + 'static {
    /// What it gives.
    type Output;

    #[doc(hidden)]
    fn apply(&self, arguments: A) -> Self::Output;
}

macro_rules! arguments {
    ($($count:literal: $($argument:ident $at:tt)*;)*) => {
        $(
            impl<$($argument),*> Arguments for ($($argument,)*)
            where
                $($argument: ToParameter + for<'r> FromSql<'r>,)*
            {
                fn types() -> Vec<DataType> {
                    vec![$(settled($argument::sql_type())),*]
                }

                fn takes(types: &[DataType]) -> bool {
                    types.len() == $count $(&& <$argument as FromSql<'_>>::takes(types[$at]))*
                }

                fn of_row(_row: &ArgumentRow<'_>) -> Result<Self> {
                    Ok(($(_row.get::<$argument>($at)?,)*))
                }
            }

            impl<F, R, $($argument),*> Closure<($($argument,)*)> for F
            where
                F: Fn($($argument),*) -> R + Send + Sync + 'static,
            {
                type Output = R;

                #[allow(non_snake_case, reason = "the types' names are those of the values")]
                fn apply(&self, ($($argument,)*): ($($argument,)*)) -> R {
                    self($($argument),*)
                }
            }
        )*
    };
}

arguments! {
    0: ;
    1: A 0;
    2: A 0 B 1;
    3: A 0 B 1 C 2;
    4: A 0 B 1 C 2 D 3;
    5: A 0 B 1 C 2 D 3 E 4;
    6: A 0 B 1 C 2 D 3 E 4 G 5;
    7: A 0 B 1 C 2 D 3 E 4 G 5 H 6;
    8: A 0 B 1 C 2 D 3 E 4 G 5 H 6 I 7;
}

/// What a function gives: a value that is [`ToParameter`], `None` for NULL, or a `Result` of one.
pub trait FunctionOutput {
    #[doc(hidden)]
    fn sql_type() -> DataType;

    #[doc(hidden)]
    fn into_value(self) -> Result<Parameter>;
}

impl<T: ToParameter> FunctionOutput for T {
    fn sql_type() -> DataType {
        settled(T::sql_type())
    }

    fn into_value(self) -> Result<Parameter> {
        Ok(self.to_parameter())
    }
}

impl<T: ToParameter, E: Into<Box<dyn std::error::Error + Send + Sync>>> FunctionOutput for std::result::Result<T, E> {
    fn sql_type() -> DataType {
        settled(T::sql_type())
    }

    fn into_value(self) -> Result<Parameter> {
        self.map(|value| value.to_parameter()).map_err(raised)
    }
}

/// What a table function gives: record batches, or a `Result` of them.
pub trait TableOutput {
    #[doc(hidden)]
    fn into_batches(self) -> Result<Vec<RecordBatch>>;
}

impl TableOutput for Vec<RecordBatch> {
    fn into_batches(self) -> Result<Vec<RecordBatch>> {
        Ok(self)
    }
}

impl<E: Into<Box<dyn std::error::Error + Send + Sync>>> TableOutput for std::result::Result<Vec<RecordBatch>, E> {
    fn into_batches(self) -> Result<Vec<RecordBatch>> {
        self.map_err(raised)
    }
}

/// An error of a function: one of SQL's as it is, any other by what it says (38000).
pub(super) fn raised(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
    match error.into().downcast::<Error>() {
        Ok(own) => *own,
        Err(other) => Error::new(ErrorKind::ExternalRoutine, other.to_string()),
    }
}
