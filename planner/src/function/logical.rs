//! The functions of values that a carrier stands for. A program knows carriers alone, so such a function says itself what the
//! values are: `Array(ArrayFunction::Append, integer)` appends integers.

pub use super::bytes::{ByteFormat, ShaBits};
use super::{
    AttemptFunction, BitsFunction, BytesFunction, FrameFunction, Function, JsonbFunction, LambdaFunction, ListFunction,
    ListTotal, MathFunction, MomentFunction, PatternFunction, StatisticFunction, TemplateFunction, TextFunction,
    UserFunction, VectorFunction, structure,
};
use crate::types::{DataType, SortOrder, SystemType};
use serde::{Deserialize, Serialize};

/// A function of arrays, whose elements are of the type that stands beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum ArrayFunction {
    /// `ARRAY[a, b, …]` of elements. NULLs are elements.
    Make,
    /// `ARRAY[a, b, …]` of arrays, which become one of a dimension more. NULL counts as an empty array.
    MakeOfArrays,
    /// (array of texts, each of which stands for an array): all of them as an array of a dimension more. Different dimensions, an
    /// empty array and NULL are errors.
    OfArrays,
    /// `a[i]`, `a[i][j]`: NULL where there is no such element.
    Element,
    /// `a[i:j]…`: array, then a lower and an upper bound (bigints) for each dimension; a bound left out is the least or the
    /// largest bigint. The result's lower bounds are 1.
    Slice,
    /// `array_append(array, element)`; a NULL array counts as empty.
    Append,
    /// `array_prepend(element, array)`.
    Prepend,
    /// `array_cat(a, b)`: a NULL is as if it were not there.
    Concatenate,
    /// `a @> b`: each element of b is one of a. NULLs equal nothing.
    Contains,
    /// `a && b`: some element of b is one of a.
    Overlaps,
    /// `array_length(array, dimension)`.
    Length,
    /// `array_lower(array, dimension)`.
    Lower,
    /// `array_upper(array, dimension)`.
    Upper,
    /// `array_ndims(array)`: NULL of an empty one.
    DimensionCount,
    /// `array_dims(array)`: `[1:2][1:3]`.
    Dimensions,
    /// `cardinality(array)`: elements in all dimensions.
    Cardinality,
    /// The element at a bigint position from 0, whatever the dimensions; NULL behind the last.
    Nth,
    /// `array_position(array, element[, start])`: NULL equals NULL.
    Position,
    /// `array_positions(array, element)`.
    Positions,
    /// `array_remove(array, element)`: NULL equals NULL.
    Remove,
    /// `array_replace(array, from, to)`.
    Replace,
    /// `array_to_string(array, separator[, null])`.
    Join,
    /// `string_to_array(text, separator[, null])`: of texts.
    Split,
    /// `x op ANY (array)`: arguments x, array.
    Any(Comparison),
    /// `x op ALL (array)`.
    All(Comparison),
    /// One element as an array has it, NULL, too: what aggregates gather.
    Entry,
    /// The array of such elements behind each other.
    OfEntries,
    /// Of separators and texts in turn the texts, each but the first behind its separator.
    JoinPairs,
    /// The element that is there most often, of several the first: `mode`. Equal elements lie side by side.
    Mode,
    /// What compares as the array does where elements that are equal can differ: numerics by their scale, intervals by their
    /// form.
    Key,
    /// `array_fill(element, lengths[, lower bounds])`, of arrays of integers.
    Fill,
    /// `trim_array(array, n)`: without the last n elements.
    Trim,
    /// `array_sort(array)`, in an order.
    Sort(SortKeyOrder),
    /// `array_reverse(array)`.
    Reverse,
    /// `list_distinct(array)`: each value that is not NULL once, where it is first.
    Distinct,
    /// `flatten(array)`: of one dimension.
    Flatten,
    /// `list_contains(array, element)`: FALSE where it is not there, whatever NULLs are.
    HasElement,
    /// `list_intersect(a, b)`: the distinct elements of a that b has, too.
    Intersect,
    /// `list_extract(array, place)`: from 1, or from the end; NULL where there is none.
    Extract,
    /// `list_slice(array, first, last[, step])`: places from 1, or from the end.
    SliceOfList,
    /// One value of all that are not NULL.
    Total(ListTotal),
    /// A function that only DuckDB has.
    List(ListFunction),
    /// `range(start, stop, step)` of bigints, without the end; and `generate_series`, with it.
    Range {
        /// Whether the end is among them.
        with_end: bool,
    },
    /// `width_bucket(value, thresholds)`: how many elements of a sorted array are not greater.
    BucketAmong,
    /// `enum_range(first, last)`, of which either may be NULL: the labels from one to the other.
    Labels,
    /// The elements at fractions, an array of doubles, of an array in order: an array as theirs is. `percentile_cont` and
    /// `percentile_disc` of fractions that rows say.
    Percentiles {
        /// Whether what lies between two elements counts.
        continuous: bool,
    },
    /// The vector of an array of numbers, of the call's type.
    ToVector,
    /// The array of a vector's elements.
    OfVector,
    /// The same elements as another type's: each is cast to the node's element type; the type beside it is what they are.
    Cast(DataType),
}

/// What `ANY` and `ALL` ask of each element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the variants are named as the functions are")]
pub enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Like,
    NotLike,
    ILike,
    NotILike,
    Matches,
    NotMatches,
    MatchesAnyCase,
    NotMatchesAnyCase,
}

impl Comparison {
    /// Every comparison.
    pub const ALL: [Comparison; 14] = [
        Comparison::Equal,
        Comparison::NotEqual,
        Comparison::Less,
        Comparison::LessEqual,
        Comparison::Greater,
        Comparison::GreaterEqual,
        Comparison::Like,
        Comparison::NotLike,
        Comparison::ILike,
        Comparison::NotILike,
        Comparison::Matches,
        Comparison::NotMatches,
        Comparison::MatchesAnyCase,
        Comparison::NotMatchesAnyCase,
    ];

    /// The comparison that a function makes, or its negation.
    pub fn of(function: Function, negated: bool) -> Option<Comparison> {
        Some(match (function, negated) {
            (Function::Equal, false) => Comparison::Equal,
            (Function::NotEqual, false) => Comparison::NotEqual,
            (Function::Less, false) => Comparison::Less,
            (Function::LessEqual, false) => Comparison::LessEqual,
            (Function::Greater, false) => Comparison::Greater,
            (Function::GreaterEqual, false) => Comparison::GreaterEqual,
            (Function::Like, false) => Comparison::Like,
            (Function::Like, true) => Comparison::NotLike,
            (Function::ILike, false) => Comparison::ILike,
            (Function::ILike, true) => Comparison::NotILike,
            (Function::Pattern(PatternFunction::Matches), false) => Comparison::Matches,
            (Function::Pattern(PatternFunction::Matches), true) => Comparison::NotMatches,
            (Function::Pattern(PatternFunction::MatchesAnyCase), false) => Comparison::MatchesAnyCase,
            (Function::Pattern(PatternFunction::MatchesAnyCase), true) => Comparison::NotMatchesAnyCase,
            _ => return None,
        })
    }

    /// Whether it is a match against a pattern, which may fail.
    pub fn is_pattern(self) -> bool {
        use Comparison as C;
        let is_like = matches!(self, C::Like | C::NotLike | C::ILike | C::NotILike);
        is_like || matches!(self, C::Matches | C::NotMatches | C::MatchesAnyCase | C::NotMatchesAnyCase)
    }
}

/// A function of JSON. Its arguments and its result are texts of JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum JsonFunction {
    /// `json_build_object(key, value, …)`: keys are texts, and may not be NULL; NULL values are `null`.
    Object,
    /// `json_build_array(value, …)`.
    Array,
    /// `row_to_json(row)`: names of fields and their values, as for `Object`.
    Row,
    /// `json_typeof(json)`.
    Kind,
    /// `json_array_length(json)`.
    Length,
    /// `json -> key`, or a place in an array: NULL where there is none.
    Member,
    /// `json ->> key`: as a text, and NULL of null.
    MemberText,
    /// `json #> path`, an array of texts.
    Path,
    /// `json #>> path`.
    PathText,
    /// `jsonb ? key`.
    HasKey,
    /// `json_agg`: the array of JSON of an array of texts that are JSON.
    OfArray,
    /// The same with each element on a line of its own.
    OfLines,
    /// `json_object_agg`: the object of an array of keys and values in turn.
    OfPairs,
    /// The elements of a json array, an array of json; 22023 for anything else.
    Elements,
    /// The same as texts: strings as they read, NULL for null.
    ElementTexts,
    /// The elements of a jsonb array.
    BinaryElements,
    /// The same as texts.
    BinaryElementTexts,
}

impl JsonFunction {
    /// Every function.
    pub const ALL: [JsonFunction; 17] = [
        JsonFunction::Object,
        JsonFunction::Array,
        JsonFunction::Row,
        JsonFunction::Kind,
        JsonFunction::Length,
        JsonFunction::Member,
        JsonFunction::MemberText,
        JsonFunction::Path,
        JsonFunction::PathText,
        JsonFunction::HasKey,
        JsonFunction::OfArray,
        JsonFunction::OfLines,
        JsonFunction::OfPairs,
        JsonFunction::Elements,
        JsonFunction::ElementTexts,
        JsonFunction::BinaryElements,
        JsonFunction::BinaryElementTexts,
    ];

    /// Whether it makes JSON of values, of which any may be NULL.
    pub fn builds(self) -> bool {
        matches!(self, JsonFunction::Object | JsonFunction::Array | JsonFunction::Row)
    }
}

/// A function of rows, which are texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum RowFunction {
    /// The row of the texts of its fields, any of which may be NULL.
    Make,
    /// The text of a field by its place, a bigint from 0.
    Field,
    /// Of an array of texts the array of rows of a text and its place, from 1.
    Numbered,
    /// What an array of rows compares by: of it, and of the words of the types of the rows' fields with semicolons between.
    Key,
}

impl RowFunction {
    /// Every function.
    pub const ALL: [RowFunction; 4] = [RowFunction::Make, RowFunction::Field, RowFunction::Numbered, RowFunction::Key];
}

/// An order, as part of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the variants are SQL's own words")]
pub enum SortKeyOrder {
    AscendingNullsFirst,
    AscendingNullsLast,
    DescendingNullsFirst,
    DescendingNullsLast,
}

impl SortKeyOrder {
    const ALL: [SortKeyOrder; 4] = [
        SortKeyOrder::AscendingNullsFirst,
        SortKeyOrder::AscendingNullsLast,
        SortKeyOrder::DescendingNullsFirst,
        SortKeyOrder::DescendingNullsLast,
    ];
}

impl From<SortOrder> for SortKeyOrder {
    fn from(order: SortOrder) -> Self {
        match (order.descending, order.nulls_first) {
            (false, true) => SortKeyOrder::AscendingNullsFirst,
            (false, false) => SortKeyOrder::AscendingNullsLast,
            (true, true) => SortKeyOrder::DescendingNullsFirst,
            (true, false) => SortKeyOrder::DescendingNullsLast,
        }
    }
}

impl From<SortKeyOrder> for SortOrder {
    fn from(order: SortKeyOrder) -> Self {
        use SortKeyOrder as O;
        SortOrder {
            descending: matches!(order, O::DescendingNullsFirst | O::DescendingNullsLast),
            nulls_first: matches!(order, O::AscendingNullsFirst | O::DescendingNullsFirst),
        }
    }
}

impl Function {
    /// Whether a NULL among the arguments need not make NULL, of the functions of this file.
    pub fn sees_nulls(self) -> bool {
        use ArrayFunction as A;
        match self {
            Function::Array(function, _) => matches!(
                function,
                A::Make
                    | A::Entry
                    | A::MakeOfArrays
                    | A::Append
                    | A::Prepend
                    | A::Concatenate
                    | A::Position
                    | A::Positions
                    | A::Remove
                    | A::Replace
                    | A::Join
                    | A::Split
                    | A::Any(_)
                    | A::All(_)
                    | A::Fill
                    | A::Labels
                    | A::List(ListFunction::Resize | ListFunction::Zip | ListFunction::ZipShortest)
            ),
            Function::Text(function) => function == TextFunction::Hash,
            Function::Json(function) => function.builds(),
            Function::Row(function) => function == RowFunction::Make,
            Function::Struct(function, _) => function.sees_nulls(),
            Function::Format | Function::SortKey(..) | Function::Lambda(_) => true,
            Function::Moment(function) => function.sees_nulls(),
            Function::Frame(function) => function.checks(),
            Function::User(function) => !function.strict,
            _ => false,
        }
    }

    /// Whether a call can be NULL though no argument is, of the functions of this file.
    pub(crate) fn makes_null(self) -> bool {
        use ArrayFunction as A;
        match self {
            Function::User(_) => true,
            Function::Array(function, _) => !matches!(
                function,
                A::Make
                    | A::Entry
                    | A::OfEntries
                    | A::JoinPairs
                    | A::MakeOfArrays
                    | A::Append
                    | A::Prepend
                    | A::Contains
                    | A::Overlaps
                    | A::Cardinality
                    | A::Key
                    | A::Trim
                    | A::Sort(_)
                    | A::Reverse
                    | A::Distinct
                    | A::Flatten
                    | A::HasElement
                    | A::Intersect
                    | A::SliceOfList
                    | A::Range { .. }
                    | A::BucketAmong
            ),
            Function::Attempt(_) | Function::Lambda(_) => true,
            Function::Pattern(function) => function.makes_null(),
            Function::Jsonb(function) => function.makes_null(),
            Function::Json(function) => {
                use JsonFunction as J;
                matches!(function, J::Member | J::MemberText | J::Path | J::PathText)
            }
            Function::Row(function) => function == RowFunction::Field,
            Function::Struct(function, _) => function.makes_null(),
            Function::Template(function) => function.makes_null(),
            Function::Moment(function) => function.makes_null(),
            Function::Vector(function) => function.makes_null(),
            _ => false,
        }
    }

    /// Whether it cannot fail, of the functions of this file.
    pub(crate) fn is_total_of_logical(self) -> bool {
        use ArrayFunction as A;
        use ListTotal as L;
        match self {
            Function::Attempt(_) | Function::Vector(_) => true,
            Function::Statistic(StatisticFunction::Pair | StatisticFunction::PairText) => true,
            Function::Relabel | Function::ShowAs(_) | Function::JsonOf(_) | Function::SortKey(..) => true,
            Function::QuoteIdentifier | Function::QuoteLiteral | Function::ToHex | Function::Row(_) => true,
            Function::Json(JsonFunction::Array | JsonFunction::Row | JsonFunction::Kind) => true,
            Function::Json(JsonFunction::OfArray | JsonFunction::OfLines) => true,
            Function::Moment(function) => function.is_total(),
            Function::Struct(function, _) => function.is_total(),
            Function::Encode(_) | Function::Utf8 | Function::Md5 | Function::Sha(_) | Function::ByteLength => true,
            Function::Array(A::Any(comparison) | A::All(comparison), _) => !comparison.is_pattern(),
            Function::Bits(function) => function.is_total(),
            Function::Bytes(function) => function.is_total(),
            Function::Jsonb(function) => function.is_total(),
            Function::Text(function) => function.is_total(),
            Function::Math(function) => function.is_total(),
            Function::Array(A::Total(L::Sum), element) if element.is_integer() => true,
            Function::Array(function, _) => matches!(
                function,
                A::Make
                    | A::Entry
                    | A::OfEntries
                    | A::JoinPairs
                    | A::Element
                    | A::Slice
                    | A::Contains
                    | A::Overlaps
                    | A::Length
                    | A::Lower
                    | A::Upper
                    | A::DimensionCount
                    | A::Dimensions
                    | A::Cardinality
                    | A::Nth
                    | A::Replace
                    | A::Join
                    | A::Split
                    | A::Key
                    | A::Mode
                    | A::Sort(_)
                    | A::Reverse
                    | A::Distinct
                    | A::Flatten
                    | A::HasElement
                    | A::Intersect
                    | A::Extract
                    | A::Labels
                    | A::Total(L::Min | L::Max | L::AnyValue | L::Mode | L::Count | L::CountDistinct | L::All | L::Any)
            ),
            _ => false,
        }
    }
}

/// The word of a function of this file in a program's text form.
pub(crate) fn word_of(function: Function) -> Option<String> {
    let of = |name: &str, data_type: DataType| format!("{name}_of_{}", type_word(data_type));
    Some(match function {
        Function::Attempt(AttemptFunction::Cast) => "attempt_cast".to_owned(),
        Function::Attempt(AttemptFunction::ReadAs(data_type)) => of("attempt_read", data_type),
        Function::Attempt(AttemptFunction::Array(from, to)) => {
            format!("attempt_array_cast_of_{}_to_{}", type_word(from), type_word(to))
        }
        Function::Attempt(function) => format!("attempt_{}", debug_word(&function)),
        Function::ReadAs(data_type) => of("read", data_type),
        Function::ShowAs(data_type) => of("show", data_type),
        Function::JsonOf(data_type) => of("json", data_type),
        Function::SortKey(order, data_type) => of(&format!("sort_key_{}", debug_word(&order)), data_type),
        Function::Array(ArrayFunction::Cast(to), from) => {
            format!("array_cast_of_{}_to_{}", type_word(from), type_word(to))
        }
        Function::Array(function, data_type) => of(&format!("array_{}", debug_word(&function)), data_type),
        Function::Json(function) => format!("json_{}", debug_word(&function)),
        Function::Row(function) => format!("row_{}", debug_word(&function)),
        Function::Struct(function, of) => structure::word_of(function, of),
        Function::NoObject(kind) => format!("no_object_{}", debug_word(&kind)),
        Function::Encode(format) => format!("encode_{}", debug_word(&format)),
        Function::Decode(format) => format!("decode_{}", debug_word(&format)),
        Function::Pattern(function) => format!("pattern_{}", debug_word(&function)),
        Function::Frame(function) => format!("frame_{}", debug_word(&function)),
        Function::Statistic(function) => format!("statistic_{}", debug_word(&function)),
        Function::Template(function) => format!("template_{}", debug_word(&function)),
        Function::Moment(function) => format!("moment_{}", debug_word(&function)),
        Function::Sha(bits) => format!("sha_{}", debug_word(&bits)),
        Function::Bits(function) => format!("bits_{}", debug_word(&function)),
        Function::Bytes(function) => format!("bytes_{}", debug_word(&function)),
        Function::Jsonb(function) => format!("jsonb_{}", debug_word(&function)),
        Function::Text(function) => format!("text_{}", debug_word(&function)),
        Function::Math(function) => format!("math_{}", debug_word(&function)),
        Function::Vector(function) => format!("vector_{}", debug_word(&function)),
        Function::Lambda(function) => function.word(),
        Function::User(function) => function.word(),
        _ => return None,
    })
}

/// The function of a word that [`word_of`] made.
pub(crate) fn function_of_word(word: &str) -> Option<Function> {
    const FORMATS: [ByteFormat; 3] = [ByteFormat::Hex, ByteFormat::Base64, ByteFormat::Escape];
    let mut known: Vec<Function> = JsonFunction::ALL.map(Function::Json).to_vec();
    known.extend(RowFunction::ALL.map(Function::Row));
    known.extend(crate::types::OidKind::ALL.map(Function::NoObject));
    known.extend(FORMATS.map(Function::Encode));
    known.extend(FORMATS.map(Function::Decode));
    known.extend(PatternFunction::ALL.map(Function::Pattern));
    let attempts = [AttemptFunction::Cast, AttemptFunction::BitsToInteger, AttemptFunction::FitDigits];
    known.extend(attempts.map(Function::Attempt));
    known.extend(FrameFunction::ALL.map(Function::Frame));
    known.extend(StatisticFunction::ALL.map(Function::Statistic));
    known.extend(TemplateFunction::ALL.map(Function::Template));
    known.extend(MomentFunction::all().map(Function::Moment));
    known.extend(ShaBits::ALL.map(Function::Sha));
    known.extend(BitsFunction::ALL.map(Function::Bits));
    known.extend(BytesFunction::ALL.map(Function::Bytes));
    known.extend(JsonbFunction::ALL.map(Function::Jsonb));
    known.extend(TextFunction::ALL.map(Function::Text));
    known.extend(MathFunction::ALL.map(Function::Math));
    known.extend(VectorFunction::ALL.map(Function::Vector));
    known.extend(LambdaFunction::ALL.map(Function::Lambda));
    if let Some(found) = known.into_iter().find(|&function| word_of(function).as_deref() == Some(word)) {
        return Some(found);
    }
    if let Some(found) = UserFunction::of_word(word) {
        return Some(Function::User(found));
    }
    if word.starts_with("struct_") {
        return structure::function_of_word(word);
    }
    if let Some(types) = word.strip_prefix("attempt_array_cast_of_").or(word.strip_prefix("array_cast_of_")) {
        // Labels are in hexadecimal digits, so that no type's word has `_to_` in it.
        let (from, to) = types.split_once("_to_")?;
        let cast = Function::Array(ArrayFunction::Cast(type_of_word(to)?), type_of_word(from)?);
        return if word.starts_with("attempt") { AttemptFunction::of(cast) } else { Some(cast) };
    }
    // `array_slice_of_list_of_…` and `array_total_…_of_all_of_…` have the words between their own, too.
    let (name, of) = match (word.strip_prefix("array_slice_of_list_of_"), word.split_once("_of_all_of_")) {
        (Some(of), _) => ("array_slice_of_list", of),
        (None, Some((name, of))) => (&word[..name.len() + "_of_all".len()], of),
        (None, None) => word.split_once("_of_")?,
    };
    // `array_make_of_arrays_of_…` and `array_of_entries_of_…` have the words between their parts, too.
    let (name, of) = match (of.strip_prefix("arrays_of_"), of.strip_prefix("entries_of_")) {
        (Some(of), _) if name == "array_make" => ("array_make_of_arrays", of),
        (_, Some(of)) if name == "array" => ("array_of_entries", of),
        (Some(of), _) if name == "array" => ("array_of_arrays", of),
        // As `array_of_vector_of_…` has.
        _ if name == "array" => ("array_of_vector", of.strip_prefix("vector_of_")?),
        _ => (name, of),
    };
    let data_type = type_of_word(of)?;
    match name {
        "read" => return Some(Function::ReadAs(data_type)),
        "attempt_read" => return Some(Function::Attempt(AttemptFunction::ReadAs(data_type))),
        "show" => return Some(Function::ShowAs(data_type)),
        "json" => return Some(Function::JsonOf(data_type)),
        _ => {}
    }
    if let Some(order) = name.strip_prefix("sort_key_") {
        let order = SortKeyOrder::ALL.into_iter().find(|each| debug_word(each) == order)?;
        return Some(Function::SortKey(order, data_type));
    }
    let name = name.strip_prefix("array_")?;
    array_functions().find(|function| debug_word(function) == name).map(|function| Function::Array(function, data_type))
}

fn array_functions() -> impl Iterator<Item = ArrayFunction> {
    use ArrayFunction as A;
    let plain = [
        A::Make,
        A::MakeOfArrays,
        A::OfArrays,
        A::Element,
        A::Slice,
        A::Append,
        A::Prepend,
        A::Concatenate,
        A::Contains,
        A::Overlaps,
        A::Length,
        A::Lower,
        A::Upper,
        A::DimensionCount,
        A::Dimensions,
        A::Cardinality,
        A::Nth,
        A::Position,
        A::Positions,
        A::Remove,
        A::Replace,
        A::Join,
        A::Split,
        A::Entry,
        A::OfEntries,
        A::JoinPairs,
        A::Key,
        A::Mode,
        A::Fill,
        A::Trim,
        A::Reverse,
        A::Distinct,
        A::Flatten,
        A::HasElement,
        A::Intersect,
        A::Extract,
        A::SliceOfList,
        A::Range { with_end: false },
        A::Range { with_end: true },
        A::Labels,
        A::BucketAmong,
        A::ToVector,
        A::OfVector,
        A::Percentiles { continuous: false },
        A::Percentiles { continuous: true },
    ];
    let plain = plain.into_iter().chain(ListTotal::ALL.map(A::Total)).chain(SortKeyOrder::ALL.map(A::Sort));
    let graded = SortKeyOrder::ALL.map(ListFunction::GradeUp);
    let plain = plain.chain(ListFunction::PLAIN.into_iter().chain(graded).map(A::List));
    plain.chain(Comparison::ALL.into_iter().flat_map(|comparison| [A::Any(comparison), A::All(comparison)]))
}

/// A variant's name in snake case, with what stands in its parentheses.
pub(crate) fn debug_word(of: &impl std::fmt::Debug) -> String {
    let mut name = String::new();
    for letter in format!("{of:?}").chars() {
        match letter {
            '(' => name.push('_'),
            ')' | '{' | '}' | ':' | ' ' => {}
            _ if letter.is_ascii_uppercase() => {
                if !name.is_empty() && !name.ends_with('_') {
                    name.push('_');
                }
                name.push(letter.to_ascii_lowercase());
            }
            _ => name.push(letter),
        }
    }
    name
}

/// A type in one word: `integer`, `decimal_9_2`, `integer_array`, `enum_` and its name and labels in hexadecimal digits.
pub(crate) fn type_word(data_type: DataType) -> String {
    if let Some(element) = data_type.element().filter(|_| !data_type.is_zero_based()) {
        return format!("{}_array", type_word(element));
    }
    if let (Some(labels), Some(crate::types::NestedType::Enum { name, .. })) = (data_type.labels(), data_type.nested())
    {
        let hex = |text: &str| text.bytes().map(|byte| format!("{byte:02x}")).collect::<String>();
        let words: Vec<String> = std::iter::once(name).chain(labels).map(|text| hex(text)).collect();
        return format!("enum_{}", words.join("_"));
    }
    if let Some(fields) = data_type.struct_fields() {
        return structure::type_word_of(fields);
    }
    match data_type {
        DataType::Decimal { precision, scale } => format!("decimal_{precision}_{scale}"),
        DataType::BPCHAR => "bpchar".to_owned(),
        DataType::Char(length) => format!("char_{length}"),
        DataType::Varchar(length) if data_type != DataType::VARCHAR => format!("varchar_{length}"),
        DataType::InternalChar => "char".to_owned(),
        DataType::VARBIT => "varbit".to_owned(),
        DataType::Bit(length) if data_type != DataType::BIT => format!("bit_{length}"),
        DataType::VarBit(length) => format!("varbit_{length}"),
        DataType::Double => "double".to_owned(),
        plain => plain.vector_word().unwrap_or_else(|| plain.to_string()),
    }
}

/// The type of a word that [`type_word`] made.
pub(crate) fn type_of_word(word: &str) -> Option<DataType> {
    if let Some(element) = word.strip_suffix("_array") {
        return type_of_word(element).map(DataType::list);
    }
    if let Some(words) = word.strip_prefix("enum_") {
        let text = |hex: &str| {
            let bytes = (0..hex.len() / 2).map(|at| u8::from_str_radix(hex.get(2 * at..2 * at + 2)?, 16).ok());
            String::from_utf8(bytes.collect::<Option<Vec<u8>>>()?).ok()
        };
        let mut words = words.split('_').map(text).collect::<Option<Vec<String>>>()?.into_iter();
        return Some(DataType::enumeration(words.next()?, words.collect()));
    }
    if let Some(fields) = word.strip_prefix("struct_") {
        return structure::type_of(fields);
    }
    if let Some(of) = SystemType::named(word) {
        return Some(DataType::System(of));
    }
    if let Some((name, numbers)) = word.split_once('_') {
        let mut numbers = numbers.split('_').map(|number| number.parse::<u32>().ok());
        let first = numbers.next()??;
        return match name {
            "decimal" => {
                let (precision, scale) = (u8::try_from(first).ok()?, u8::try_from(numbers.next()??).ok()?);
                let fits = (1..=crate::types::DECIMAL_DIGITS_MAX).contains(&precision) && scale <= precision;
                fits.then(|| DataType::decimal(precision, scale))
            }
            "char" => Some(DataType::Char(first)),
            "varchar" => Some(DataType::Varchar(first)),
            "bit" => Some(DataType::Bit(first)),
            "varbit" => Some(DataType::VarBit(first)),
            _ => DataType::vector_of_word(name, first),
        };
    }
    let plain = [
        DataType::Null,
        DataType::Boolean,
        DataType::SmallInt,
        DataType::Integer,
        DataType::BigInt,
        DataType::Real,
        DataType::Double,
        DataType::Numeric,
        DataType::Text,
        DataType::VARCHAR,
        DataType::BPCHAR,
        DataType::Date,
        DataType::Time,
        DataType::Timestamp,
        DataType::Interval,
        DataType::Name,
        DataType::InternalChar,
        DataType::Bytea,
        DataType::Uuid,
        DataType::Json,
        DataType::Jsonb,
        DataType::TimestampTz,
        DataType::TimeTz,
        DataType::BIT,
        DataType::VARBIT,
        DataType::JsonPath,
        DataType::int2vector(),
        DataType::oidvector(),
    ];
    let oids = crate::types::OidKind::ALL.map(DataType::Oid);
    plain.into_iter().chain(oids).find(|data_type| type_word(*data_type) == word)
}

#[cfg(test)]
mod tests;
