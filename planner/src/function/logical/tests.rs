//! The words of functions read back.

use super::*;

#[test]
fn words_read_back() {
    let mood = DataType::enumeration("mood", vec!["sad".to_owned(), "so so".to_owned()]);
    let types = [
        DataType::Integer,
        DataType::Double,
        DataType::decimal(9, 2),
        DataType::VARCHAR,
        DataType::Varchar(3),
        DataType::Char(4),
        DataType::BPCHAR,
        DataType::BIT,
        DataType::Bit(3),
        DataType::VARBIT,
        DataType::VarBit(3),
        DataType::JsonPath,
        DataType::InternalChar,
        DataType::TimestampTz,
        DataType::Oid(crate::types::OidKind::Class),
        DataType::list(DataType::Text),
        DataType::vector(DataType::Real, 3),
        DataType::list(DataType::vector(DataType::Double, 16_000)),
        mood,
        DataType::list(mood),
        DataType::int2vector(),
        DataType::oidvector(),
    ];
    let mut functions: Vec<Function> = Vec::new();
    for data_type in types {
        functions.extend([Function::ReadAs(data_type), Function::ShowAs(data_type), Function::JsonOf(data_type)]);
        functions.extend(array_functions().map(|function| Function::Array(function, data_type)));
        functions.push(Function::Array(ArrayFunction::Cast(mood), data_type));
        functions.push(Function::Attempt(AttemptFunction::Array(data_type, mood)));
    }
    functions.push(Function::Decode(ByteFormat::Base64));
    functions.extend(JsonFunction::ALL.map(Function::Json));
    functions.extend(RowFunction::ALL.map(Function::Row));
    functions.extend(crate::types::OidKind::ALL.map(Function::NoObject));
    functions.extend(PatternFunction::ALL.map(Function::Pattern));
    functions.extend(FrameFunction::ALL.map(Function::Frame));
    functions.extend(StatisticFunction::ALL.map(Function::Statistic));
    functions.extend(TemplateFunction::ALL.map(Function::Template));
    functions.extend(MomentFunction::all().map(Function::Moment));
    functions.extend(ShaBits::ALL.map(Function::Sha));
    functions.extend(BitsFunction::ALL.map(Function::Bits));
    functions.extend(BytesFunction::ALL.map(Function::Bytes));
    functions.extend(JsonbFunction::ALL.map(Function::Jsonb));
    functions.extend(TextFunction::ALL.map(Function::Text));
    functions.extend(MathFunction::ALL.map(Function::Math));
    functions.extend(VectorFunction::ALL.map(Function::Vector));
    functions.extend(LambdaFunction::ALL.map(Function::Lambda));
    functions.extend([AttemptFunction::Cast, AttemptFunction::ReadAs(DataType::TimestampTz)].map(Function::Attempt));
    functions.extend([AttemptFunction::BitsToInteger, AttemptFunction::FitDigits].map(Function::Attempt));
    for function in functions {
        let word = word_of(function).expect("it has a word");
        assert!(word.chars().all(|letter| letter.is_alphanumeric() || letter == '_'), "{word}");
        assert_eq!(function_of_word(&word), Some(function), "{word}");
    }
}
