//! Reads the text form of programs back (see `print` for its grammar).
//!
//! Statistics, which the printer leaves out, may be given to a table, so that tests can have them:
//! `table %0 part(p_partkey#0 bigint unique, p_size#5 integer) rows 200`.

use super::lexer::{Token, tokens};
use super::{
    Aggregate, Block, BlockId, CollectionId, Generator, Index, IndexId, Let, Multiloop, Program, Reduction, ScalarId,
    Shape, Source,
};
use crate::catalog::{ColumnStatistics, TableHandle, TableStatistics};
use crate::error::{Error, ErrorKind, Result};
use crate::types::{DataType, Field, SortOrder, VECTOR_LENGTH_MAX};
use crate::value::Value;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The program of a text that `print` wrote, or that a test's author did.
pub fn parse(text: &str) -> Result<Program> {
    let mut parser = Parser {
        tokens: tokens(text)?,
        at: 0,
        program: Program::new(),
        collections: FxHashMap::default(),
        indices: FxHashMap::default(),
        blocks: FxHashMap::default(),
        handles: FxHashMap::default(),
    };
    parser.program()?;
    Ok(parser.program)
}

/// Where the parser stands, and what the numbers of the text stand for.
pub(super) struct Parser {
    tokens: Vec<(Token, usize)>,
    at: usize,
    pub(super) program: Program,
    pub(super) collections: FxHashMap<u32, CollectionId>,
    pub(super) indices: FxHashMap<String, (IndexId, Vec<Field>)>,
    pub(super) blocks: FxHashMap<String, BlockId>,
    handles: FxHashMap<String, u64>,
}

/// The fields of a generator, and what each is given.
type Fields<T> = (Vec<Field>, Vec<T>);

impl Parser {
    pub(super) fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at).map(|(token, _)| token)
    }

    pub(super) fn next(&mut self) -> Option<Token> {
        let token = self.peek().cloned();
        self.at += 1;
        token
    }

    /// Goes back so many words.
    pub(super) fn rewind(&mut self, words: usize) {
        self.at -= words;
    }

    pub(super) fn expected<T>(&self, what: &str) -> Result<T> {
        let line = self.tokens.get(self.at.min(self.tokens.len().saturating_sub(1))).map_or(0, |(_, line)| *line);
        let found = self.peek().map_or_else(|| "the end".to_owned(), |token| format!("{token:?}"));
        Err(Error::new(ErrorKind::Syntax, format!("loop text, line {line}: expected {what}, found {found}")))
    }

    pub(super) fn accept_sign(&mut self, sign: &str) -> bool {
        let found = matches!(self.peek(), Some(Token::Sign(next)) if *next == sign);
        self.at += usize::from(found);
        found
    }

    pub(super) fn sign(&mut self, sign: &str) -> Result<()> {
        if self.accept_sign(sign) { Ok(()) } else { self.expected(sign) }
    }

    pub(super) fn accept_word(&mut self, word: &str) -> bool {
        let found = self.at_word(word);
        self.at += usize::from(found);
        found
    }

    fn at_word(&self, word: &str) -> bool {
        matches!(self.peek(), Some(Token::Word(next)) if next == word)
    }

    pub(super) fn word(&mut self, word: &str) -> Result<()> {
        if self.accept_word(word) { Ok(()) } else { self.expected(word) }
    }

    pub(super) fn line_end(&mut self) -> Result<()> {
        if self.peek() == Some(&Token::LineEnd) {
            self.at += 1;
            return Ok(());
        }
        self.expected("the end of the line")
    }

    fn at_line_end(&self) -> bool {
        matches!(self.peek(), Some(Token::LineEnd) | None)
    }

    /// A plain or quoted name.
    pub(super) fn name(&mut self) -> Result<String> {
        match self.peek().cloned() {
            Some(Token::Word(name) | Token::Quoted(name)) => {
                self.at += 1;
                Ok(name)
            }
            _ => self.expected("a name"),
        }
    }

    pub(super) fn unsigned<T: std::str::FromStr>(&mut self) -> Result<T> {
        if let Some(Token::Number(digits)) = self.peek()
            && let Ok(number) = digits.parse()
        {
            self.at += 1;
            return Ok(number);
        }
        self.expected("a number")
    }

    /// Reads items until one is not followed by a comma.
    pub(super) fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        let mut items = vec![item(self)?];
        while self.accept_sign(",") {
            items.push(item(self)?);
        }
        Ok(items)
    }

    /// A collection that has been defined.
    pub(super) fn collection(&mut self) -> Result<CollectionId> {
        if let Some(Token::Collection(number)) = self.peek()
            && let Some(&id) = self.collections.get(number)
        {
            self.at += 1;
            return Ok(id);
        }
        self.expected("a collection defined above")
    }

    pub(super) fn define(&mut self, number: u32, fields: Vec<Field>, shape: Shape) -> CollectionId {
        let id = self.program.add_collection(fields, shape);
        self.collections.insert(number, id);
        id
    }

    /// The position of a field, given by name or by `#position`.
    pub(super) fn field(&mut self, fields: &[Field]) -> Result<u32> {
        if let Some(&Token::Position(position)) = self.peek()
            && (position as usize) < fields.len()
        {
            self.at += 1;
            return Ok(position);
        }
        if let Some(Token::Word(name) | Token::Quoted(name)) = self.peek()
            && let Some(position) = fields.iter().position(|field| field.name == *name)
        {
            self.at += 1;
            return Ok(position as u32);
        }
        let names: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
        self.expected(&format!("one of the fields {}", names.join(", ")))
    }

    /// A type's name, and in brackets what makes lists of it.
    pub(super) fn data_type(&mut self) -> Result<DataType> {
        let mut data_type = self.plain_type()?;
        while self.accept_sign("[") {
            self.sign("]")?;
            data_type = DataType::list(data_type);
        }
        Ok(data_type)
    }

    fn plain_type(&mut self) -> Result<DataType> {
        let Some(Token::Word(name)) = self.next() else {
            self.at -= 1;
            return self.expected("a type");
        };
        Ok(match name.as_str() {
            "unknown" => DataType::Null,
            "boolean" => DataType::Boolean,
            "smallint" => DataType::SmallInt,
            "integer" => DataType::Integer,
            "bigint" => DataType::BigInt,
            "real" => DataType::Real,
            "double" => {
                self.word("precision")?;
                DataType::Double
            }
            "decimal" => {
                self.sign("(")?;
                let precision: u8 = self.unsigned()?;
                self.sign(",")?;
                let scale: u8 = self.unsigned()?;
                self.sign(")")?;
                if !(1..=38).contains(&precision) || scale > precision {
                    return self.expected("a decimal of 1 to 38 digits before this");
                }
                DataType::decimal(precision, scale)
            }
            "numeric" => DataType::Numeric,
            "text" => DataType::Text,
            "bpchar" => DataType::BPCHAR,
            "varchar" if !self.accept_sign("(") => DataType::VARCHAR,
            "char" if !self.accept_sign("(") => return self.expected("("),
            "varchar" | "char" => {
                let length = self.unsigned()?;
                self.sign(")")?;
                if name == "char" { DataType::Char(length) } else { DataType::Varchar(length) }
            }
            "date" => DataType::Date,
            "time" => DataType::Time,
            "timestamp" => DataType::Timestamp,
            "interval" => DataType::Interval,
            "struct" => self.structure()?,
            "vector" => self.vector()?,
            _ => {
                self.at -= 1;
                return self.expected("a type");
            }
        })
    }

    /// A vector's length, and `double` where its elements are doubles, in parentheses.
    fn vector(&mut self) -> Result<DataType> {
        self.sign("(")?;
        let length = self.unsigned()?;
        if !(1..=VECTOR_LENGTH_MAX).contains(&length) {
            return self.expected("a vector of 1 to 16000 elements before this");
        }
        let of = if self.accept_sign(",") {
            self.word("double")?;
            DataType::Double
        } else {
            DataType::Real
        };
        self.sign(")")?;
        Ok(DataType::vector(of, length))
    }

    /// The fields of a struct, in parentheses.
    fn structure(&mut self) -> Result<DataType> {
        self.sign("(")?;
        let mut fields: Vec<(String, DataType)> = Vec::new();
        loop {
            let name = self.name()?;
            if fields.iter().any(|(other, _)| *other == name) {
                return self.expected("another name before this: that one is there");
            }
            fields.push((name, self.data_type()?));
            if !self.accept_sign(",") {
                break;
            }
        }
        self.sign(")")?;
        Ok(DataType::structure(fields))
    }

    fn program(&mut self) -> Result<()> {
        if self.accept_word("parameters") {
            self.program.parameters = self.list(Self::data_type)?;
            self.line_end()?;
        }
        while self.accept_word("table") {
            self.table()?;
        }
        let body = self.block()?;
        self.word("output")?;
        let fields = self.program.collection(body.result).fields.clone();
        if !self.at_line_end() {
            self.program.output = self.list(|parser| {
                let before = parser.at;
                let name = parser.name()?;
                if !parser.accept_sign("=") {
                    parser.at = before;
                }
                Ok((name, parser.field(&fields)?))
            })?;
        }
        self.line_end()?;
        self.program.blocks[0] = body;
        if self.peek().is_some() { self.expected("nothing more") } else { Ok(()) }
    }

    fn table(&mut self) -> Result<()> {
        let Some(Token::Collection(number)) = self.next() else { return self.expected("a collection before this") };
        let name = self.name()?;
        self.sign("(")?;
        let (mut fields, mut columns, mut statistics) = (Vec::new(), Vec::new(), TableStatistics::default());
        while !self.accept_sign(")") {
            let field = self.name()?;
            let Some(Token::Position(position)) = self.next() else {
                return self.expected("the column's position before this");
            };
            fields.push(self.typed_field(field)?);
            columns.push(position);
            let column = self.column_statistics()?;
            let columns = &mut statistics.columns;
            columns.resize(columns.len().max(position as usize + 1), ColumnStatistics::default());
            columns[position as usize] = column;
            self.accept_sign(",");
        }
        if self.accept_word("rows") {
            statistics.rows = self.unsigned()?;
        }
        self.line_end()?;
        let next = self.handles.len() as u64;
        let handle = TableHandle(*self.handles.entry(name.clone()).or_insert(next));
        self.define(number, fields, Shape::Table { name, handle, columns, statistics: Arc::new(statistics) });
        Ok(())
    }

    fn typed_field(&mut self, name: String) -> Result<Field> {
        let data_type = self.data_type()?;
        let nullable = self.accept_sign("?");
        Ok(Field { name, data_type, nullable })
    }

    fn column_statistics(&mut self) -> Result<ColumnStatistics> {
        let mut column = ColumnStatistics::default();
        loop {
            if self.accept_word("unique") {
                column.proofs.unique = true;
            } else if self.accept_word("sorted") {
                (column.proofs.sorted, column.proofs.clustered) = (true, true);
            } else if self.accept_word("clustered") {
                column.proofs.clustered = true;
            } else if self.accept_word("nulls") {
                column.proofs.nulls = self.unsigned()?;
            } else if self.accept_word("least") {
                column.proofs.min = Some(Value::Int(self.unsigned()?));
            } else if self.accept_word("most") {
                column.proofs.max = Some(Value::Int(self.unsigned()?));
            } else if self.accept_word("distinct") {
                column.estimates.distinct = Some(self.unsigned()?);
            } else {
                return Ok(column);
            }
        }
    }

    /// Lets up to `result`.
    pub(super) fn block(&mut self) -> Result<Block> {
        let mut lets = Vec::new();
        loop {
            self.nested_blocks()?;
            if self.accept_word("result") {
                let result = self.collection()?;
                self.line_end()?;
                return Ok(Block { lets, result });
            }
            lets.push(self.definition()?);
        }
    }

    /// Blocks that stand in front of the line that uses them.
    fn nested_blocks(&mut self) -> Result<()> {
        while self.accept_word("block") {
            let name = self.name()?;
            self.line_end()?;
            let block = self.block()?;
            let id = self.program.add_block(block);
            self.blocks.insert(name, id);
        }
        Ok(())
    }

    fn definition(&mut self) -> Result<Let> {
        if self.accept_word("loop") {
            self.line_end()?;
            return self.multiloop();
        }
        let Some(Token::Collection(number)) = self.next() else {
            self.at -= 1;
            return self.expected("loop, a collection or result");
        };
        if self.accept_word("sort") {
            let input = self.collection()?;
            let fields = self.program.collection(input).fields.clone();
            self.word("by")?;
            let order = self.list(|parser| Ok((parser.field(&fields)?, parser.order()?)))?;
            self.line_end()?;
            return Ok(Let::Sort { define: self.define(number, fields, Shape::Rows), input, order });
        }
        if self.accept_word("window") {
            return self.window(number);
        }
        if self.accept_word("iterate") {
            return self.iteration(number);
        }
        if self.accept_word("concat") {
            let inputs = self.list(Self::collection)?;
            self.word("as")?;
            let types = self.program.collection(inputs[0]).fields.clone();
            let fields = self.named_fields(&types)?;
            return Ok(Let::Concat { define: self.define(number, fields, Shape::Rows), inputs });
        }
        self.word("values")?;
        self.line_end()?;
        self.values(number)
    }

    /// Names up to the end of the line, of fields of the same types as these.
    pub(super) fn named_fields(&mut self, types: &[Field]) -> Result<Vec<Field>> {
        let mut fields = Vec::new();
        while !self.at_line_end() {
            let Some(like) = types.get(fields.len()) else { return self.expected("no more fields") };
            let (name, nullable) = (self.name()?, self.accept_sign("?"));
            fields.push(Field { name, data_type: like.data_type, nullable });
            self.accept_sign(",");
        }
        self.line_end()?;
        Ok(fields)
    }

    fn values(&mut self, number: u32) -> Result<Let> {
        self.word("fields")?;
        let mut fields = Vec::new();
        while !self.at_line_end() {
            let name = self.name()?;
            fields.push(self.typed_field(name)?);
            self.accept_sign(",");
        }
        self.line_end()?;
        let mut rows = Vec::new();
        while self.accept_word("row") {
            rows.push(if self.at_line_end() { Vec::new() } else { self.list(Self::scalar)? });
            self.line_end()?;
        }
        Ok(Let::Values { define: self.define(number, fields, Shape::Rows), rows })
    }

    pub(super) fn order(&mut self) -> Result<SortOrder> {
        let descending = self.accept_word("desc");
        let nulls_first = self.accept_word("nulls");
        if nulls_first {
            self.word("first")?;
        }
        Ok(SortOrder { descending, nulls_first })
    }

    fn multiloop(&mut self) -> Result<Let> {
        let (mut nest, mut generators, mut defines) = (Vec::new(), Vec::new(), Vec::new());
        loop {
            self.nested_blocks()?;
            let is_index = matches!(self.peek(), Some(Token::Word(word)) if word.starts_with('i'))
                && matches!(self.tokens.get(self.at + 1), Some((Token::Word(word), _)) if word == "in");
            if is_index {
                nest.push(self.nest_index()?);
                continue;
            }
            let name = match self.tokens.get(self.at..self.at + 2) {
                Some([(Token::Collection(_), _), (Token::Word(name), _)]) => name.clone(),
                _ => break,
            };
            if !matches!(name.as_str(), "collect" | "reduce" | "bucket_collect" | "bucket_reduce" | "top_k") {
                break;
            }
            let Some(Token::Collection(number)) = self.next() else { return self.expected("a collection") };
            self.at += 1;
            let (define, generator) =
                if name == "top_k" { self.top_k(number)? } else { self.generator(number, &name)? };
            defines.push(define);
            generators.push(generator);
        }
        Ok(Let::Loop { defines, multiloop: Multiloop { nest, generators } })
    }

    fn nest_index(&mut self) -> Result<Index> {
        let name = self.name()?;
        self.word("in")?;
        let id = self.program.add_index();
        let mut source = if self.accept_word("count") {
            self.sign("(")?;
            let count = self.scalar()?;
            self.sign(")")?;
            Source::Count(count)
        } else {
            let collection = self.collection()?;
            if self.accept_sign("[") {
                let key = self.key()?;
                if self.accept_word("or") {
                    self.word("null")?;
                    Source::BucketOrNull { collection, key, condition: Vec::new() }
                } else if self.accept_word("and") {
                    self.word("rest")?;
                    Source::BucketAndRest { collection, key, condition: Vec::new() }
                } else {
                    Source::Bucket { collection, key }
                }
            } else {
                Source::Rows(collection)
            }
        };
        self.line_end()?;
        self.indices.insert(name, (id, self.program.source_fields(&source)));
        if let Some(condition) = source.condition_mut() {
            *condition = self.conditions()?;
        }
        Ok(Index { id, source })
    }

    fn conditions(&mut self) -> Result<Vec<ScalarId>> {
        let mut conditions = Vec::new();
        self.nested_blocks()?;
        while self.accept_word("if") {
            conditions.push(self.scalar()?);
            self.line_end()?;
            self.nested_blocks()?;
        }
        Ok(conditions)
    }

    /// `name? = item` lines.
    fn fields<T>(&mut self, item: fn(&mut Self) -> Result<(T, DataType)>) -> Result<Fields<T>> {
        let (mut fields, mut items) = (Vec::new(), Vec::new());
        self.nested_blocks()?;
        while self.at_field() {
            let (name, nullable) = (self.name()?, self.accept_sign("?"));
            self.sign("=")?;
            let (value, data_type) = item(self)?;
            self.line_end()?;
            fields.push(Field { name, data_type, nullable });
            items.push(value);
            self.nested_blocks()?;
        }
        Ok((fields, items))
    }

    /// Whether `name? =` comes next.
    pub(super) fn at_field(&self) -> bool {
        matches!(self.peek(), Some(Token::Word(_) | Token::Quoted(_)))
            && matches!(self.tokens.get(self.at + 1), Some((Token::Sign("=" | "?"), _)))
    }

    fn typed_scalar(&mut self) -> Result<(ScalarId, DataType)> {
        let scalar = self.scalar()?;
        Ok((scalar, self.program.scalars.data_type(scalar)))
    }

    fn generator(&mut self, number: u32, name: &str) -> Result<(CollectionId, Generator)> {
        self.line_end()?;
        let condition = self.conditions()?;
        let (mut fields, mut key) = (Vec::new(), Vec::new());
        self.nested_blocks()?;
        while name.starts_with("bucket_") && self.accept_word("key") {
            let (name, nullable) = (self.name()?, self.accept_sign("?"));
            self.sign("=")?;
            let (scalar, data_type) = self.typed_scalar()?;
            self.line_end()?;
            fields.push(Field { name, data_type, nullable });
            key.push(scalar);
            self.nested_blocks()?;
        }
        let keys = key.len() as u32;
        Ok(match name {
            "collect" => {
                let (fields, value) = self.fields(Self::typed_scalar)?;
                (self.define(number, fields, Shape::Rows), Generator::Collect { condition, value })
            }
            "bucket_collect" => {
                let (members, value) = self.fields(Self::typed_scalar)?;
                let define = self.define(number, fields, Shape::Buckets { members });
                (define, Generator::BucketCollect { condition, key, value })
            }
            _ => {
                let (more, aggregates) = self.fields(Self::typed_aggregate)?;
                fields.extend(more);
                if name == "reduce" {
                    (self.define(number, fields, Shape::Single), Generator::Reduce { condition, aggregates })
                } else {
                    let define = self.define(number, fields, Shape::Groups { keys });
                    (define, Generator::BucketReduce { condition, key, aggregates })
                }
            }
        })
    }

    fn typed_aggregate(&mut self) -> Result<(Aggregate, DataType)> {
        let aggregate = self.aggregate()?;
        let data_type = aggregate.data_type;
        Ok((aggregate, data_type))
    }

    fn top_k(&mut self, number: u32) -> Result<(CollectionId, Generator)> {
        self.word("limit")?;
        let limit = self.scalar()?;
        self.word("offset")?;
        let offset = self.scalar()?;
        self.line_end()?;
        let condition = self.conditions()?;
        let (mut arguments, mut order) = (Vec::new(), Vec::new());
        self.nested_blocks()?;
        while self.accept_word("by") {
            arguments.push(self.scalar()?);
            order.push(self.order()?);
            self.line_end()?;
            self.nested_blocks()?;
        }
        let (fields, values) = self.fields(Self::typed_scalar)?;
        arguments.extend(values);
        let top_k = Aggregate::new(Reduction::TopK { order, limit, offset }, arguments, DataType::Null);
        let define = self.define(number, fields, Shape::Rows);
        Ok((define, Generator::Reduce { condition, aggregates: vec![top_k] }))
    }
}
