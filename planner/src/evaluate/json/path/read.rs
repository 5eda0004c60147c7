//! Paths of SQL/JSON, read of their words: a tree by descent, an operator a level.

use super::tree::{Arithmetic, Comparison, Method, Node, Path, Step};
use super::words::{Word, words, wrong};
use crate::error::{Error, ErrorKind, Result};
use crate::stack;

/// Levels of nesting, at most.
const DEPTH_MAX: u32 = 2_000;

/// Reads a path.
///
/// # Errors
/// 42601 for what is none; 42601 for `@` outside of filters and `last` outside of brackets.
pub(super) fn read(text: &str) -> Result<Path> {
    if text.trim().is_empty() {
        let message = format!("invalid input syntax for type jsonpath: \"{text}\"");
        return Err(Error::new(ErrorKind::InvalidText, message));
    }
    let mut reader = Reader { text, words: words(text)?, at: 0, depth: 0, filters: 0, brackets: 0 };
    let is_strict = match reader.words.first() {
        Some(Word::Name(mode)) if mode == "strict" || mode == "lax" => {
            reader.at = 1;
            mode == "strict"
        }
        _ => false,
    };
    let expression = reader.or()?;
    if reader.at < reader.words.len() { Err(reader.wrong()) } else { Ok(Path { is_strict, expression }) }
}

struct Reader<'t> {
    text: &'t str,
    words: Vec<Word>,
    at: usize,
    depth: u32,
    /// Filters and brackets around what is read.
    filters: u32,
    brackets: u32,
}

impl Reader<'_> {
    fn wrong(&self) -> Error {
        let shown = self.words.get(self.at).map(|word| match word {
            Word::Name(text) | Word::Text(text) | Word::Number(text) | Word::Variable(text) => text.clone(),
            Word::Sign(sign) => (*sign).to_owned(),
        });
        wrong(self.text, shown.as_deref())
    }

    fn sign(&self) -> Option<&'static str> {
        match self.words.get(self.at) {
            Some(Word::Sign(sign)) => Some(sign),
            _ => None,
        }
    }

    fn accept(&mut self, sign: &str) -> bool {
        let found = self.sign() == Some(sign);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, sign: &str) -> Result<()> {
        if self.accept(sign) { Ok(()) } else { Err(self.wrong()) }
    }

    fn is_name(&self, offset: usize, name: &str) -> bool {
        matches!(self.words.get(self.at + offset), Some(Word::Name(found)) if found == name)
    }

    fn or(&mut self) -> Result<Node> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err(Error::new(ErrorKind::TooComplex, "a path of JSON nests too deeply"));
        }
        let node = stack::more(|| self.disjunction());
        self.depth -= 1;
        node
    }

    fn predicate(&self, node: Node) -> Result<Node> {
        if node.is_predicate() { Ok(node) } else { Err(self.wrong()) }
    }

    fn value(&self, node: Node) -> Result<Node> {
        if node.is_predicate() { Err(self.wrong()) } else { Ok(node) }
    }

    fn disjunction(&mut self) -> Result<Node> {
        let mut left = self.conjunction()?;
        while self.accept("||") {
            let right = self.conjunction()?;
            left = Node::Or(Box::new(self.predicate(left)?), Box::new(self.predicate(right)?));
        }
        Ok(left)
    }

    fn conjunction(&mut self) -> Result<Node> {
        let mut left = self.negation()?;
        while self.accept("&&") {
            let right = self.negation()?;
            left = Node::And(Box::new(self.predicate(left)?), Box::new(self.predicate(right)?));
        }
        Ok(left)
    }

    fn negation(&mut self) -> Result<Node> {
        if self.accept("!") {
            // What is negated has brackets of its own.
            let is_delimited = self.sign() == Some("(") || self.is_name(0, "exists");
            if !is_delimited {
                return Err(self.wrong());
            }
            let inner = self.comparison()?;
            return Ok(Node::Not(Box::new(self.predicate(inner)?)));
        }
        self.comparison()
    }

    fn comparison(&mut self) -> Result<Node> {
        let left = self.sum()?;
        let comparison = match self.sign() {
            Some("==" | "=") => Comparison::Equal,
            Some("!=" | "<>") => Comparison::NotEqual,
            Some("<") => Comparison::Less,
            Some("<=") => Comparison::LessEqual,
            Some(">") => Comparison::Greater,
            Some(">=") => Comparison::GreaterEqual,
            _ => return self.text_test(left),
        };
        self.at += 1;
        let right = self.sum()?;
        Ok(Node::Compare(comparison, Box::new(self.value(left)?), Box::new(self.value(right)?)))
    }

    /// `starts with`, `like_regex`, `is unknown`.
    fn text_test(&mut self, left: Node) -> Result<Node> {
        if self.is_name(0, "starts") && self.is_name(1, "with") {
            self.at += 2;
            let right = match self.words.get(self.at).cloned() {
                Some(Word::Text(text)) => Node::Text(text),
                Some(Word::Variable(name)) => Node::Variable(name),
                _ => return Err(self.wrong()),
            };
            self.at += 1;
            return Ok(Node::StartsWith(Box::new(self.value(left)?), Box::new(right)));
        }
        if self.is_name(0, "like_regex") {
            self.at += 1;
            let pattern = self.text_word()?;
            let mut flags = String::new();
            if self.is_name(0, "flag") {
                self.at += 1;
                flags = self.text_word()?;
            }
            let options = options(&flags)?;
            crate::evaluate::pattern::is_match_with("", &pattern, &options)?;
            let flags = "ismxq".chars().filter(|flag| flags.contains(*flag)).collect();
            return Ok(Node::Like { value: Box::new(self.value(left)?), pattern, options, flags });
        }
        Ok(left)
    }

    fn text_word(&mut self) -> Result<String> {
        match self.words.get(self.at).cloned() {
            Some(Word::Text(text)) => {
                self.at += 1;
                Ok(text)
            }
            _ => Err(self.wrong()),
        }
    }

    fn sum(&mut self) -> Result<Node> {
        let mut left = self.product()?;
        loop {
            let operator = match self.sign() {
                Some("+") => Arithmetic::Add,
                Some("-") => Arithmetic::Subtract,
                _ => return Ok(left),
            };
            self.at += 1;
            let right = self.product()?;
            left = Node::Arithmetic(operator, Box::new(self.value(left)?), Box::new(self.value(right)?));
        }
    }

    fn product(&mut self) -> Result<Node> {
        let mut left = self.signed()?;
        loop {
            let operator = match self.sign() {
                Some("*") => Arithmetic::Multiply,
                Some("/") => Arithmetic::Divide,
                Some("%") => Arithmetic::Modulo,
                _ => return Ok(left),
            };
            self.at += 1;
            let right = self.signed()?;
            left = Node::Arithmetic(operator, Box::new(self.value(left)?), Box::new(self.value(right)?));
        }
    }

    fn signed(&mut self) -> Result<Node> {
        let is_minus = self.sign() == Some("-");
        if is_minus || self.sign() == Some("+") {
            self.at += 1;
            self.depth += 1;
            if self.depth > DEPTH_MAX {
                return Err(Error::new(ErrorKind::TooComplex, "a path of JSON nests too deeply"));
            }
            let inner = stack::more(|| self.signed())?;
            self.depth -= 1;
            return Ok(Node::Sign(is_minus, Box::new(self.value(inner)?)));
        }
        self.path()
    }

    /// A primary with the steps behind it.
    fn path(&mut self) -> Result<Node> {
        let word = self.words.get(self.at).cloned().ok_or_else(|| self.wrong())?;
        self.at += 1;
        let primary = match word {
            Word::Sign("$") => Node::Root,
            Word::Sign("@") if self.filters > 0 => Node::Current,
            Word::Sign("@") => {
                return Err(Error::new(ErrorKind::Syntax, "@ is not allowed in root expressions"));
            }
            Word::Variable(name) => Node::Variable(name),
            Word::Text(text) => Node::Text(text),
            Word::Number(digits) => Node::Plain(digits),
            Word::Sign("(") => {
                let inner = self.or()?;
                self.expect(")")?;
                if inner.is_predicate() && self.is_name(0, "is") && self.is_name(1, "unknown") {
                    self.at += 2;
                    return Ok(Node::IsUnknown(Box::new(inner)));
                }
                inner
            }
            Word::Name(name) => match name.as_str() {
                "null" | "true" | "false" => Node::Plain(name),
                "last" if self.brackets > 0 => Node::Last,
                "last" => {
                    return Err(Error::new(ErrorKind::Syntax, "LAST is allowed only in array subscripts"));
                }
                "exists" => {
                    self.expect("(")?;
                    let inner = self.or()?;
                    self.expect(")")?;
                    return Ok(Node::Exists(Box::new(self.value(inner)?)));
                }
                _ => {
                    self.at -= 1;
                    return Err(self.wrong());
                }
            },
            Word::Sign(_) => {
                self.at -= 1;
                return Err(self.wrong());
            }
        };
        let mut steps = Vec::new();
        while let Some(step) = self.step()? {
            steps.push(step);
        }
        Ok(if steps.is_empty() { primary } else { Node::Steps(Box::new(primary), steps) })
    }

    fn step(&mut self) -> Result<Option<Step>> {
        if self.accept("?") {
            self.expect("(")?;
            self.filters += 1;
            let inner = self.or()?;
            self.filters -= 1;
            let inner = self.predicate(inner)?;
            self.expect(")")?;
            return Ok(Some(Step::Filter(inner)));
        }
        if self.accept("[") {
            if self.accept("*") {
                self.expect("]")?;
                return Ok(Some(Step::AnyElement));
            }
            return self.elements().map(Some);
        }
        if !self.accept(".") {
            return Ok(None);
        }
        if self.accept("*") {
            return Ok(Some(Step::AnyKey));
        }
        if self.accept("**") {
            return self.levels().map(Some);
        }
        let word = self.words.get(self.at).cloned().ok_or_else(|| self.wrong())?;
        self.at += 1;
        match word {
            Word::Text(key) => Ok(Some(Step::Key(key))),
            Word::Name(name) => {
                if self.sign() != Some("(") {
                    return Ok(Some(Step::Key(name)));
                }
                self.at += 1;
                if name == "datetime" {
                    let template = if self.sign() == Some(")") { None } else { Some(self.text_word()?) };
                    self.expect(")")?;
                    return Ok(Some(Step::Datetime(template)));
                }
                let method = Method::named(&name).ok_or_else(|| self.wrong())?;
                self.expect(")")?;
                Ok(Some(Step::Method(method)))
            }
            _ => {
                self.at -= 1;
                Err(self.wrong())
            }
        }
    }

    fn elements(&mut self) -> Result<Step> {
        self.brackets += 1;
        let mut all = Vec::new();
        loop {
            let from = self.sum()?;
            let from = self.value(from)?;
            let mut to = None;
            if self.is_name(0, "to") {
                self.at += 1;
                let end = self.sum()?;
                to = Some(self.value(end)?);
            }
            all.push((from, to));
            if !self.accept(",") {
                break;
            }
        }
        self.brackets -= 1;
        self.expect("]")?;
        Ok(Step::Elements(all))
    }

    /// `{level}` or `{level to level}` behind `**`.
    fn levels(&mut self) -> Result<Step> {
        if !self.accept("{") {
            return Ok(Step::Any(0, u32::MAX));
        }
        let first = self.level()?;
        let last = if self.is_name(0, "to") {
            self.at += 1;
            self.level()?
        } else {
            first
        };
        self.expect("}")?;
        Ok(Step::Any(first, last))
    }

    fn level(&mut self) -> Result<u32> {
        let level = match self.words.get(self.at) {
            Some(Word::Number(digits)) => digits.parse().ok(),
            Some(Word::Name(name)) if name == "last" => Some(u32::MAX),
            _ => None,
        };
        let level = level.ok_or_else(|| self.wrong())?;
        self.at += 1;
        Ok(level)
    }
}

/// XQuery's flags as PostgreSQL's options of regular expressions.
fn options(flags: &str) -> Result<String> {
    let mut options = String::new();
    let has = |flag: char| flags.contains(flag);
    if let Some(unknown) = flags.chars().find(|flag| !"ismxq".contains(*flag)) {
        let error = Error::new(ErrorKind::Syntax, "invalid input syntax for type jsonpath");
        let detail = format!("Unrecognized flag character \"{unknown}\" in LIKE_REGEX predicate.");
        return Err(error.with_detail(detail));
    }
    if has('i') {
        options.push('i');
    }
    if has('q') {
        options.push('q');
        return Ok(options);
    }
    if has('x') {
        return Err(Error::unsupported("the flag \"x\" of LIKE_REGEX is"));
    }
    // XQuery's `.` leaves lines out but for `s`; its anchors are those of lines with `m`.
    match (has('s'), has('m')) {
        (true, true) => options.push('w'),
        (true, false) => {}
        (false, true) => options.push('n'),
        (false, false) => options.push('p'),
    }
    Ok(options)
}
