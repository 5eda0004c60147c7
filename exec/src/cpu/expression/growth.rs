//! Functions whose results are much longer than their arguments: memory is reserved before it is used, and a cancelled
//! statement gets out of them.
//!
//! A tile of 32768 tuples whose strings have ten megabytes each would take 300 GB. So where a loop calls such a function its
//! tiles begin with one tuple, and have four times as many each time as long as what they make stays small (`nest`). What one
//! call makes counts before it begins. If that is much though tiles are small, it goes value by value, and looks at the
//! statement's context on the way; so does one that is given long strings, whatever it makes of them. Within one value its function
//! looks at the statement (`planner/src/meter.rs`).
//!
//! Vectors have thousands of elements: what makes them, what shows them as text and what hands them to a program counts likewise.
//! Kernels of vectors look at the statement themselves (`kernels/vector_rows.rs`), and take all tuples at once.

use crate::Result;
use crate::column::TextView;
use crate::cpu::kernels::Call;
use crate::cpu::simd::kernel::kernel;
use crate::cpu::vector::builder::register_of;
use crate::cpu::vector::{Vector, VectorData};
use crate::plan::expressions::Expressions;
use crate::plan::nodes::Operation;
use crate::plan::register::Register;
use crate::workers::context::{Context, Reservation};
use multiloop_planner::evaluate::array::{Fixed, TAIL};
use multiloop_planner::function::{ArrayFunction, Function, JsonFunction, ListFunction, RowFunction, StructFunction};
use multiloop_planner::types::DataType;
use rustc_hash::FxHashMap;

/// Bytes that a call may make without a look at whether the statement goes on.
pub(super) const BYTES_LARGE: usize = 1 << 23;

/// Bytes of the strings that a call is given from which on it goes value by value, if one of them is long, and where they are many.
const GIVEN_LARGE: usize = 1 << 23;
const GIVEN_LONG: usize = 1 << 20;
const GIVEN_MAX: usize = 1 << 26;

/// Bytes of a value that is shown as text, at most.
const SHOWN_MAX: usize = 64;

/// Bytes of an element of an array that is a number.
const ELEMENT: usize = 17;

/// Bytes of an element of a vector that is shown, with its comma, at most.
const SHOWN_ELEMENT: usize = 25;

/// Bytes of one string, at most.
const STRING_MAX: usize = 1 << 30;

/// Bytes that a call makes, at most.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Growth {
    /// For all tuples.
    pub(super) total: usize,
}

/// What the calls of a tile hold, by node: the memory of their strings is kept from tile to tile.
#[derive(Debug, Default)]
pub(crate) struct Held {
    by_node: FxHashMap<u32, Reservation>,
    /// What the tile at hand has taken.
    pub(crate) bytes: usize,
}

impl Held {
    /// Counts what a call of a node is about to make.
    pub(super) fn room(&mut self, context: &Context, node: u32, bytes: usize) -> Result<()> {
        context.check()?;
        let held = self.by_node.entry(node).or_insert_with(|| Reservation::new(&context.memory));
        self.bytes += bytes;
        if bytes > held.bytes() { held.resize(bytes) } else { Ok(()) }
    }
}

impl Expressions {
    /// Whether some function may make strings much longer than those it is given, or makes or shows vectors.
    pub(crate) fn make_long_text(&self) -> bool {
        self.nodes.iter().any(|node| match &node.operation {
            Operation::Call { function, arguments } => {
                grows(*function, arguments.iter().map(|&at| self.nodes[at as usize].data_type), node.data_type)
            }
            _ => false,
        })
    }

    /// Whether some scalar asks a nested block.
    pub(crate) fn ask_blocks(&self) -> bool {
        self.nodes.iter().any(|node| matches!(node.operation, Operation::Nested { .. }))
    }
}

/// Bytes of the strings that a call is given, if they are so many that it has to look at whether its statement goes on: kernels pass
/// all strings of a tile at once. None for functions that do not pass over their bytes, or are done with most at the first.
pub(super) fn given(function: Function, arguments: &[&Vector]) -> Option<usize> {
    use Function as F;
    let is_quick = matches!(
        function,
        F::Equal
            | F::NotEqual
            | F::Less
            | F::LessEqual
            | F::Greater
            | F::GreaterEqual
            | F::IsNull
            | F::IsNotNull
            | F::OctetLength
            | F::Cast
            | F::Relabel
    );
    if is_quick || looks_itself(function) {
        return None;
    }
    let (mut total, mut most) = (0usize, 0usize);
    for argument in arguments {
        let VectorData::Text(texts) = &argument.data else { continue };
        // Every tile pays for this, and hardly any is large: the longest is looked for in those alone.
        let length = lengths(texts.views());
        total += length;
        if length >= GIVEN_LARGE {
            most = texts.views().iter().map(|view| view.length as usize).max().unwrap_or(0).max(most);
        }
    }
    (total >= GIVEN_LARGE && (most >= GIVEN_LONG || total >= GIVEN_MAX)).then_some(total)
}

/// Whether a function of arrays takes few bytes of each, or tells the statement of those that it passes over (`kernels/array/`).
fn looks_itself(function: Function) -> bool {
    use ArrayFunction as A;
    let Function::Array(function, _) = function else { return false };
    matches!(
        function,
        A::Nth
            | A::Element
            | A::Extract
            | A::Cardinality
            | A::Length
            | A::OfEntries
            | A::JoinPairs
            | A::Any(_)
            | A::All(_)
            | A::HasElement
            | A::Position
            | A::Contains
            | A::Overlaps
            | A::Total(_)
    )
}

kernel! {
    /// Bytes of all these strings.
    fn lengths[](views: &[TextView]) -> usize {
        views.iter().map(|view| u64::from(view.length)).sum::<u64>() as usize
    }
}

/// Whether a function makes strings much longer than those it is given, or vectors, or strings of vectors, or hands vectors to a
/// program. A vector that is chosen among others is not made.
pub(super) fn grows(function: Function, mut types: impl Iterator<Item = DataType>, result: DataType) -> bool {
    use ArrayFunction as A;
    use Function as F;
    if result.is_vector() {
        let casts = matches!(function, F::Cast | F::AssignCast | F::Array(A::ToVector, _) | F::User(_));
        return casts || matches!(function, F::Vector(_) | F::Struct(StructFunction::OfJson, _));
    }
    let takes_long = matches!(function, F::User(_)) || register_of(result) == Register::Text;
    if takes_long && types.any(DataType::is_vector) {
        return true;
    }
    matches!(
        function,
        F::Concat
            | F::ConcatSkipNull
            | F::ConcatWithSeparator
            | F::Repeat
            | F::LeftPad
            | F::RightPad
            | F::Replace
            | F::Array(
                A::Join
                    | A::JoinPairs
                    | A::Replace
                    | A::Make
                    | A::MakeOfArrays
                    | A::Concatenate
                    | A::Append
                    | A::Prepend,
                _
            )
            | F::Array(A::OfVector, _)
            | F::Array(A::List(ListFunction::Resize | ListFunction::Zip | ListFunction::ZipShortest), _)
            | F::Lambda(_)
            | F::Json(JsonFunction::Object | JsonFunction::Array)
            | F::Row(RowFunction::Make | RowFunction::Numbered)
            | F::Struct(StructFunction::Make, _)
    ) || matches!(function, F::JsonOf(of) if of.is_vector())
}

/// Whether a call makes vectors of vectors, or joins texts that were gathered: kernels do, which look at the statement on the way.
pub(super) fn has_kernel(call: &Call<'_>) -> bool {
    if let Function::Array(ArrayFunction::JoinPairs, _) = call.function {
        return true;
    }
    let is_call = matches!(call.function, Function::Vector(_) | Function::Cast | Function::AssignCast);
    is_call && call.result.is_vector() && call.types.iter().any(|of| of.is_vector())
}

impl Growth {
    /// Of a call for so many tuples; none of a function whose strings do not grow.
    pub(super) fn of(call: &Call<'_>, arguments: &[&Vector], len: usize) -> Option<Growth> {
        if !grows(call.function, call.types.iter().copied(), call.result) {
            return None;
        }
        let each = if arguments.iter().all(|argument| argument.constant) { len.min(1) } else { len };
        let elements = |data_type: DataType| data_type.vector_of().map_or(0, |(_, length)| length as usize);
        let is_user = matches!(call.function, Function::User(_));
        if call.result.is_vector() || is_user {
            // What a program is given stands beside the vectors as values, and once more as arrays.
            let given = if is_user { 2 * call.types.iter().map(|&of| elements(of)).sum::<usize>() } else { 0 };
            let most = (elements(call.result) + given) * size_of::<f64>();
            return Some(Growth { total: most.saturating_mul(each) });
        }
        let joins =
            matches!(call.function, Function::Concat | Function::ConcatSkipNull | Function::ConcatWithSeparator);
        if joins && !call.types.iter().any(|of| of.is_vector()) {
            let all = arguments.iter().fold(0usize, |all, argument| all.saturating_add(shown_bytes(argument)));
            let separators = match (call.function, arguments) {
                (Function::ConcatWithSeparator, [separator, rest @ ..]) => {
                    shown_bytes(separator).saturating_mul(rest.len())
                }
                _ => 0,
            };
            let all = all.saturating_add(separators);
            return Some(Growth { total: if each < len { all / len } else { all } });
        }
        if let Function::Array(ArrayFunction::Make, element) = call.function
            && let Some(fixed) = Fixed::of(element)
        {
            let most = arguments.len() * fixed.stride() + TAIL.len() + 1;
            return Some(Growth { total: most.saturating_mul(each) });
        }
        let bytes = |tuple: usize| bytes_of(call.function, arguments, tuple).min(STRING_MAX);
        Some(Growth { total: (0..each).map(bytes).fold(0, usize::saturating_add) })
    }
}

/// Bytes of the values of a vector as strings, at most; what is no string is no vector.
pub(super) fn shown_bytes(vector: &Vector) -> usize {
    if vector.constant {
        return if vector.is_null(0) {
            0
        } else {
            vector.text(0).map_or(SHOWN_MAX, str::len).saturating_mul(vector.len)
        };
    }
    match &vector.data {
        VectorData::Text(texts) => lengths(texts.views()),
        VectorData::Code { codes, dictionary } => codes.iter().map(|&code| dictionary.bytes_of(code).len()).sum(),
        _ => SHOWN_MAX.saturating_mul(vector.len),
    }
}

/// Bytes of the string that a function makes for a tuple, at most.
fn bytes_of(function: Function, arguments: &[&Vector], tuple: usize) -> usize {
    let length = |at: usize| match arguments.get(at) {
        Some(argument) if argument.is_null(tuple) => 0,
        Some(Vector { data: VectorData::Vectors(vectors), .. }) => vectors.length().saturating_mul(SHOWN_ELEMENT),
        Some(argument) => argument.text(tuple).map_or(SHOWN_MAX, str::len),
        None => 1,
    };
    let number = |at: usize| {
        let number =
            arguments.get(at).filter(|argument| !argument.is_null(tuple)).and_then(|argument| argument.integer(tuple));
        number.map_or(0, |number| usize::try_from(number.max(0)).unwrap_or(usize::MAX))
    };
    match function {
        Function::Repeat => length(0).saturating_mul(number(1)),
        // A character has four bytes at most.
        Function::LeftPad | Function::RightPad => {
            let is_ascii =
                |argument: &&Vector| argument.is_null(tuple) || argument.text(tuple).is_none_or(str::is_ascii);
            let each = if arguments.iter().all(is_ascii) { 1 } else { 4 };
            length(0).saturating_add(number(1).saturating_mul(each))
        }
        // Each element has a byte at least; it is replaced, or has a separator or the text for NULL beside it.
        Function::Array(ArrayFunction::Join | ArrayFunction::Replace, _) => {
            let more = (1..arguments.len()).map(length).sum::<usize>();
            length(0).saturating_mul(more.saturating_add(1))
        }
        Function::Replace => {
            let (text, from, to) = (length(0), length(1), length(2));
            if to <= from { text } else { text.saturating_add((text / from.max(1)).saturating_mul(to)) }
        }
        Function::Array(ArrayFunction::OfVector, _) | Function::JsonOf(_) => match arguments.first().map(|of| &of.data)
        {
            Some(VectorData::Vectors(vectors)) if matches!(function, Function::JsonOf(_)) => {
                vectors.length().saturating_mul(SHOWN_ELEMENT)
            }
            Some(VectorData::Vectors(vectors)) => vectors.length().saturating_mul(ELEMENT),
            _ => length(0),
        },
        // An element has so many bytes if it is not text.
        Function::Array(ArrayFunction::List(ListFunction::Resize), _) => {
            length(0).saturating_add(number(1).saturating_mul(length(2).saturating_add(ELEMENT)))
        }
        // A guess: nobody knows before it runs. What it makes counts as it is made (`kernels/fallback.rs`).
        Function::Lambda(_) => length(0).saturating_mul(2).saturating_add(ELEMENT),
        // A letter of a field may be written twice, and each has quotes and a comma.
        Function::Row(RowFunction::Make) | Function::Struct(StructFunction::Make, _) => {
            (0..arguments.len()).map(|at| length(at).saturating_mul(2).saturating_add(3)).sum()
        }
        // An element has two bytes at least, and gets a number and what is around them.
        Function::Row(_) => length(0).saturating_mul(16),
        _ => {
            let separators = if function == Function::ConcatWithSeparator { arguments.len() } else { 1 };
            (0..arguments.len()).map(length).sum::<usize>().saturating_add(length(0).saturating_mul(separators - 1))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::column::vectors::Vectors;
    use multiloop_planner::function::{UserBody, UserDefinition, VectorFunction, Volatility};
    use multiloop_planner::value::Value;

    fn growth(function: Function, arguments: &[(Value, Register)]) -> Option<Growth> {
        let vectors: Vec<Vector> = arguments
            .iter()
            .map(|(value, register)| {
                let mut vector = Vector::default();
                vector.set_values(&[value.clone(), value.clone()], *register);
                vector
            })
            .collect();
        let vectors: Vec<&Vector> = vectors.iter().collect();
        let types = vec![DataType::Text; vectors.len()];
        let call = Call { function, types: &types, result: DataType::Text, register: Register::Text, checked: true };
        Growth::of(&call, &vectors, 2)
    }

    /// A function that nobody calls.
    struct Body;

    impl UserBody for Body {
        fn call(&self, _: &[Vec<Value>], _: usize) -> Result<Vec<Value>> {
            Ok(Vec::new())
        }
    }

    #[test]
    fn vectors_grow_by_their_elements() {
        let vector = DataType::vector(DataType::Real, 1000);
        let given = Vector {
            data: VectorData::Vectors(Vectors::of_values(1000, &[Value::vector(vec![0.5; 1000]), Value::Null])),
            len: 2,
            ..Vector::default()
        };
        let of = |function: Function, result: DataType, given: &Vector| {
            let call = Call { function, types: &[vector], result, register: register_of(result), checked: true };
            Growth::of(&call, &[given], 2)
        };
        let growth = |most: usize, times: usize| Some(Growth { total: times * most });
        let normalize = Function::Vector(VectorFunction::Normalize);
        assert_eq!(of(normalize, vector, &given), growth(8 * 1000, 2));
        assert_eq!(of(Function::Cast, DataType::vector(DataType::Double, 1000), &given), growth(8 * 1000, 2));
        let array = Function::Array(ArrayFunction::OfVector, DataType::Real);
        assert_eq!(of(Function::Cast, DataType::Text, &given), growth(SHOWN_ELEMENT * 1000, 2));
        assert_eq!(of(array, DataType::list(DataType::Real), &given), growth(ELEMENT * 1000, 2));
        // One value for all tuples is made once.
        let constant = Vector { constant: true, ..given.clone() };
        assert_eq!(of(normalize, vector, &constant), growth(8 * 1000, 1));
        assert_eq!(of(Function::Vector(VectorFunction::Norm), DataType::Double, &given), None);
        assert_eq!(of(Function::Coalesce, vector, &given), None);
        // A program has what it is given twice beside the vectors, and what it gives.
        let how = (Volatility::Immutable, true);
        for (result, most) in [(DataType::Double, 2 * 8 * 1000), (vector, 3 * 8 * 1000)] {
            let user = UserDefinition::new("f".to_owned(), (vec![vector], result), how, Box::new(Body));
            assert_eq!(of(user.function(), result, &given), growth(most, 2));
        }
    }

    #[test]
    fn growth_is_known_before_it_happens() {
        let text = |text: &str| (Value::text(text), Register::Text);
        let number = |number: i64| (Value::Int(number), Register::I64);
        let of = |most: usize| Some(Growth { total: 2 * most });
        assert_eq!(growth(Function::Repeat, &[text("ab"), number(7)]), of(14));
        assert_eq!(growth(Function::Repeat, &[text("ab"), number(-7)]), of(0));
        assert_eq!(growth(Function::Repeat, &[text("ab"), number(i64::MAX)]), of(STRING_MAX));
        assert_eq!(growth(Function::LeftPad, &[text("ab"), number(9)]), of(11));
        assert_eq!(growth(Function::RightPad, &[text("ab"), number(9), text("é")]), of(38));
        assert_eq!(growth(Function::Replace, &[text("aaaa"), text("a"), text("xyz")]), of(16));
        assert_eq!(growth(Function::Replace, &[text("aaaa"), text("aa"), text("x")]), of(4));
        assert_eq!(growth(Function::Concat, &[text("abc"), number(5)]), of(67));
        assert_eq!(growth(Function::ConcatWithSeparator, &[text(", "), text("a"), text("b")]), of(8));
        let resize = Function::Array(ArrayFunction::List(ListFunction::Resize), DataType::Integer);
        assert_eq!(growth(resize, &[text("abc"), number(10)]), of(3 + 10 * 18));
        assert_eq!(growth(Function::Upper, &[text("abc")]), None);
    }
}
