//! Rewrites spellings that need lookahead into words that sqlparser reads: see [`super::spelling`].
//!
//! | written | parsed as |
//! |---|---|
//! | `TRIM(BOTH FROM a, b)`, `TRIM(LEADING a)` | `btrim(a, b)`, `ltrim(a)` |
//! | `SUBSTRING(a SIMILAR b ESCAPE c)` | `SUBSTRING(a, b, c)` |
//! | `FETCH FIRST (n) ROWS ONLY` | `LIMIT (n)` |
//! | `INTERVAL (2) '…'` | `INTERVAL '…' SECOND (2)` |
//! | `x IN (VALUES …)` | `x IN (SELECT * FROM (VALUES …) AS "*VALUES*")` |
//! | `INSERT INTO t (VALUES …)` | `INSERT INTO t VALUES …` |
//! | `CREATE TABLE t (a, b) AS …` | `CREATE TABLE t (a "as", b "as") AS …` |
//! | `ROWS FROM (f(a), g(b))` | `"rows from"(f(a), g(b))` |
//! | `{'a': 1, b: 2}` | `"struct in braces"('a', 1, 'b', 2)` |
//! | `+-+a`, `a>-b` | `+ - + a`, `a > - b` |

use super::keyword::is_keyword;
use sqlparser::tokenizer::{Token, TokenWithSpan};

/// The type of the columns of CREATE TABLE AS, which have only names.
pub(super) const NAMED_ONLY: &str = "as";

/// The name of the function whose arguments are the functions of ROWS FROM.
pub(super) const ROWS_FROM: &str = "rows from";

/// The name of the function that stands for a struct in braces, which may be an option of a file, too.
pub(super) const BRACES: &str = "struct in braces";

/// The words of set operations.
const SETS: [&str; 3] = ["union", "except", "intersect"];

/// Words in front of an expression.
const BEFORE_VALUE: [&str; 17] = [
    "select", "in", "any", "some", "when", "then", "else", "case", "and", "or", "not", "where", "having", "on",
    "between", "limit", "offset",
];

/// The same tokens, respelled where that takes a look ahead.
pub(super) fn respell(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let mut statement = Statement { tokens };
    statement.split_operators();
    statement.insert_of_values();
    statement.create_as();
    statement.calls();
    statement.values_as_query();
    statement.structs();
    super::frame_spelling::respell(&mut statement.tokens);
    statement.tokens
}

struct Statement {
    tokens: Vec<TokenWithSpan>,
}

impl Statement {
    /// Where the next token stands that is no space, from a place on.
    fn solid(&self, from: usize) -> Option<usize> {
        (from..self.tokens.len()).find(|&at| !matches!(self.tokens[at].token, Token::Whitespace(_)))
    }

    fn is(&self, at: Option<usize>, keyword: &str) -> bool {
        at.is_some_and(|at| is_keyword(&self.tokens[at].token, keyword))
    }

    fn drop_token(&mut self, at: usize) {
        self.tokens[at].token = Token::Whitespace(sqlparser::tokenizer::Whitespace::Space);
    }

    /// The parenthesis that closes the one at a place, and whether FROM stands between them, in no other parentheses.
    fn closing(&self, open: usize) -> Option<(usize, bool)> {
        let (mut depth, mut has_from) = (0usize, false);
        for (at, token) in self.tokens.iter().enumerate().skip(open) {
            match &token.token {
                Token::LParen => depth += 1,
                Token::RParen => depth -= 1,
                word if depth == 1 => has_from |= is_keyword(word, "from"),
                _ => {}
            }
            if depth == 0 {
                return Some((at, has_from));
            }
        }
        None
    }

    /// PostgreSQL ends an operator of these characters before a sign at its end.
    fn split_operators(&mut self) {
        let is_run = |token: &TokenWithSpan| {
            matches!(&token.token, Token::CustomBinaryOperator(run)
                if run.ends_with(['+', '-']) && run.bytes().all(|byte| b"+-*/<>=".contains(&byte)))
        };
        if !self.tokens.iter().any(is_run) {
            return;
        }
        let mut split = Vec::with_capacity(self.tokens.len() + 4);
        for token in std::mem::take(&mut self.tokens) {
            match &token.token {
                Token::CustomBinaryOperator(run) if is_run(&token) => {
                    let parts = operators(run).into_iter();
                    split.extend(parts.map(|part| TokenWithSpan::new(part, token.span)));
                }
                _ => split.push(token),
            }
        }
        self.tokens = split;
    }

    /// `INSERT INTO t (VALUES …)`: parentheses around all of the rows go.
    fn insert_of_values(&mut self) {
        let insert = self.solid(0);
        if !self.is(insert, "insert") {
            return;
        }
        let Some(first) = self.tokens.iter().position(|token| token.token == Token::LParen) else { return };
        let mut open = vec![first];
        loop {
            let next = self.solid(open[open.len() - 1] + 1);
            match next {
                Some(at) if self.tokens[at].token == Token::LParen => open.push(at),
                _ if self.is(next, "values") || self.is(next, "table") => break,
                _ => return,
            }
        }
        let Some((last, _)) = self.closing(first) else { return };
        let behind = self.solid(last + 1);
        let ends = behind.is_none_or(|at| self.tokens[at].token == Token::EOF)
            || self.is(behind, "on")
            || self.is(behind, "returning");
        let all =
            open.iter().map(|&open| self.closing(open).map(|(close, _)| (open, close))).collect::<Option<Vec<_>>>();
        let Some(pairs) = all.filter(|_| ends) else { return };
        for (open, close) in pairs {
            self.drop_token(open);
            self.drop_token(close);
        }
    }

    /// `CREATE TABLE t (a, b) AS`: the columns get a type that says that they have none.
    fn create_as(&mut self) {
        let create = self.solid(0);
        if !self.is(create, "create") {
            return;
        }
        let Some(open) = self.tokens.iter().position(|token| token.token == Token::LParen) else { return };
        let Some((close, _)) = self.closing(open) else { return };
        let before = |keyword| self.tokens[..open].iter().any(|token| is_keyword(&token.token, keyword));
        // Behind AS it is the query's.
        if !before("table") || before("as") || !self.is(self.solid(close + 1), "as") {
            return;
        }
        // Names with nothing but commas between them.
        let solid: Vec<usize> = (open + 1..close).filter(|&at| self.solid(at) == Some(at)).collect();
        let is_name = |&at: &usize| matches!(self.tokens[at].token, Token::Word(_));
        let names: Vec<usize> = solid.iter().copied().filter(is_name).collect();
        let plain = solid.len() + 1 == 2 * names.len()
            && solid.iter().enumerate().all(|(at, token)| is_name(token) == (at % 2 == 0))
            && solid.iter().skip(1).step_by(2).all(|&at| self.tokens[at].token == Token::Comma);
        if !plain {
            return;
        }
        for at in names.into_iter().rev() {
            let data_type = TokenWithSpan::new(Token::make_word(NAMED_ONLY, Some('"')), self.tokens[at].span);
            self.tokens.insert(at + 1, data_type);
        }
    }

    /// `x IN (VALUES …)` and `(VALUES …)` as a value: sqlparser takes it for a function.
    fn values_as_query(&mut self) {
        for open in (0..self.tokens.len()).rev() {
            let is_values = self.tokens[open].token == Token::LParen && self.is(self.solid(open + 1), "values");
            if !is_values || !self.stands_for_value(open) {
                continue;
            }
            let Some((close, _)) = self.closing(open) else { continue };
            let span = self.tokens[open].span;
            let put = |token| TokenWithSpan::new(token, span);
            let behind = [Token::RParen, Token::make_keyword("AS"), Token::make_word("*VALUES*", Some('"'))];
            self.tokens.splice(close..close, behind.map(put));
            let before = [Token::make_keyword("SELECT"), Token::Mul, Token::make_keyword("FROM"), Token::LParen];
            self.tokens.splice(open + 1..open + 1, before.map(put));
        }
    }

    /// Whether an expression begins at a parenthesis, by what stands before it: not what FROM names, or a query.
    fn stands_for_value(&self, open: usize) -> bool {
        let mut before = self.before(open);
        while let Some(at) = before.filter(|&at| self.tokens[at].token == Token::LParen) {
            before = self.before(at);
        }
        let Some(at) = before else { return false };
        let is = |keyword: &&str| is_keyword(&self.tokens[at].token, keyword);
        match &self.tokens[at].token {
            Token::Comma => self.lists_values(at),
            Token::Word(_) if is(&"all") => {
                !SETS.iter().any(|set| self.is(self.before(at), set)) && !self.is(self.before(at), "select")
            }
            Token::Word(_) => BEFORE_VALUE.iter().any(is),
            Token::Eq | Token::Neq | Token::Lt | Token::Gt | Token::LtEq | Token::GtEq => true,
            Token::Plus | Token::Minus | Token::Mul | Token::Div | Token::StringConcat => true,
            _ => false,
        }
    }

    /// Whether a comma stands in a list of values, not in FROM.
    fn lists_values(&self, comma: usize) -> bool {
        let mut depth = 0usize;
        for token in self.tokens[..comma].iter().rev() {
            match &token.token {
                Token::RParen => depth += 1,
                // The arguments of a function, or a row.
                Token::LParen if depth == 0 => return true,
                Token::LParen => depth -= 1,
                word if depth == 0 && is_keyword(word, "from") => return false,
                word if depth == 0 && (is_keyword(word, "select") || is_keyword(word, "by")) => return true,
                _ => {}
            }
        }
        false
    }

    /// Braces around names and values with colons between.
    fn structs(&mut self) {
        if !self.tokens.iter().any(|token| token.token == Token::LBrace) {
            return;
        }
        // For each open brace whether it begins a struct, and the parentheses within; and where one is put behind a name.
        let mut open: Vec<(bool, usize)> = Vec::new();
        let mut behind: Vec<usize> = Vec::new();
        for at in 0..self.tokens.len() {
            let innermost = open.last_mut();
            match &self.tokens[at].token {
                Token::LBrace => {
                    let colon = self.solid(at + 1).and_then(|name| self.solid(name + 1));
                    let is_struct = colon.is_some_and(|colon| self.tokens[colon].token == Token::Colon);
                    open.push((is_struct, 0));
                    if is_struct {
                        self.tokens[at].token = Token::make_word(BRACES, Some('"'));
                        behind.push(at);
                    }
                }
                Token::RBrace => {
                    let is_struct = open.pop().is_some_and(|(is_struct, _)| is_struct);
                    if is_struct {
                        self.tokens[at].token = Token::RParen;
                    }
                }
                Token::LParen | Token::LBracket => innermost.into_iter().for_each(|(_, within)| *within += 1),
                Token::RParen | Token::RBracket => {
                    innermost.into_iter().for_each(|(_, within)| *within = within.saturating_sub(1));
                }
                Token::Colon if innermost.is_some_and(|of| of.0 && of.1 == 0) => {
                    self.tokens[at].token = Token::Comma;
                    if let Some(name) = self.before(at)
                        && let Token::Word(word) = &self.tokens[name].token
                    {
                        self.tokens[name].token = Token::SingleQuotedString(word.value.clone());
                    }
                }
                _ => {}
            }
        }
        let mut tokens = Vec::with_capacity(self.tokens.len() + behind.len());
        let mut behind = behind.into_iter().peekable();
        for (at, token) in std::mem::take(&mut self.tokens).into_iter().enumerate() {
            let span = token.span;
            tokens.push(token);
            if behind.next_if_eq(&at).is_some() {
                tokens.push(TokenWithSpan::new(Token::LParen, span));
            }
        }
        self.tokens = tokens;
    }

    /// Where the token before a place stands that is no space.
    fn before(&self, from: usize) -> Option<usize> {
        (0..from).rev().find(|&at| !matches!(self.tokens[at].token, Token::Whitespace(_)))
    }

    /// TRIM, SUBSTRING, FETCH, INTERVAL and ROWS FROM.
    fn calls(&mut self) {
        for at in (0..self.tokens.len()).rev() {
            if is_keyword(&self.tokens[at].token, "trim") {
                self.trim(at);
            } else if is_keyword(&self.tokens[at].token, "substring") {
                self.substring(at);
            } else if is_keyword(&self.tokens[at].token, "fetch") {
                self.fetch(at);
            } else if is_keyword(&self.tokens[at].token, "rows") {
                self.rows_from(at);
            } else if is_keyword(&self.tokens[at].token, "interval") {
                self.interval(at);
            }
        }
    }

    /// TRIM without characters in front of FROM is a function like any.
    fn trim(&mut self, at: usize) {
        let Some(open) = self.solid(at + 1).filter(|&open| self.tokens[open].token == Token::LParen) else { return };
        let Some((_, has_from)) = self.closing(open) else { return };
        let Some(first) = self.solid(open + 1) else { return };
        let sides = [("both", "btrim"), ("leading", "ltrim"), ("trailing", "rtrim")];
        let side = sides.into_iter().find(|(side, _)| self.is(Some(first), side));
        let start = if side.is_some() { self.solid(first + 1) } else { Some(first) };
        let from_first = self.is(start, "from");
        if has_from && !from_first {
            return;
        }
        if side.is_some() {
            self.drop_token(first);
        }
        if let Some(start) = start.filter(|_| from_first) {
            self.drop_token(start);
        }
        let name = side.map_or("btrim", |(_, name)| name);
        self.tokens[at].token = Token::make_word(name, None);
    }

    /// SUBSTRING of a pattern of SQL's own.
    fn substring(&mut self, at: usize) {
        let Some(open) = self.solid(at + 1).filter(|&open| self.tokens[open].token == Token::LParen) else { return };
        let mut depth = 0usize;
        let mut is_similar = false;
        for at in open..self.tokens.len() {
            match &self.tokens[at].token {
                Token::LParen => depth += 1,
                Token::RParen if depth == 1 => return,
                Token::RParen => depth -= 1,
                word if depth == 1 && is_keyword(word, "similar") && !self.is(self.solid(at + 1), "to") => {
                    is_similar = true;
                    self.tokens[at].token = Token::Comma;
                }
                word if depth == 1 && is_similar && is_keyword(word, "escape") => self.tokens[at].token = Token::Comma,
                _ => {}
            }
        }
    }

    /// `ROWS FROM (…)`: functions in lock step, as arguments of one.
    fn rows_from(&mut self, at: usize) {
        let from = self.solid(at + 1);
        let Some(from) = from.filter(|_| self.is(from, "from")) else { return };
        let opens = self.solid(from + 1).is_some_and(|open| self.tokens[open].token == Token::LParen);
        // Behind what is selected FROM is the clause: `rows` is a column there.
        let starts = self.before(at).is_some_and(|before| {
            let token = &self.tokens[before].token;
            ["from", "join", "lateral"].iter().any(|keyword| is_keyword(token, keyword)) || *token == Token::Comma
        });
        if opens && starts && self.stands_in_from(at) {
            self.tokens[at].token = Token::make_word(ROWS_FROM, Some('"'));
            self.drop_token(from);
        }
    }

    /// Whether the nearest clause in front, in the same parentheses, is FROM.
    fn stands_in_from(&self, place: usize) -> bool {
        let mut depth = 0usize;
        for token in self.tokens[..place].iter().rev() {
            match &token.token {
                Token::RParen => depth += 1,
                Token::LParen if depth == 0 => return false,
                Token::LParen => depth -= 1,
                word if depth == 0 && is_keyword(word, "from") => return true,
                word if depth == 0 && is_keyword(word, "select") => return false,
                _ => {}
            }
        }
        false
    }

    /// `INTERVAL (n) 'text'`: sqlparser takes digits of seconds behind the text only.
    fn interval(&mut self, at: usize) {
        let Some(open) = self.solid(at + 1).filter(|&open| self.tokens[open].token == Token::LParen) else { return };
        let Some((close, _)) = self.closing(open) else { return };
        let is_text = |&at: &usize| matches!(self.tokens[at].token, Token::SingleQuotedString(_));
        let Some(text) = self.solid(close + 1).filter(is_text) else { return };
        let precision: Vec<TokenWithSpan> = self.tokens.drain(open..=close).collect();
        let behind = text - precision.len() + 1;
        let second = TokenWithSpan::new(Token::make_keyword("SECOND"), self.tokens[behind - 1].span);
        self.tokens.splice(behind..behind, std::iter::once(second).chain(precision));
    }

    /// `FETCH FIRST (n) ROWS ONLY`: sqlparser takes a literal only.
    fn fetch(&mut self, at: usize) {
        let order = self.solid(at + 1);
        let Some(order) = order.filter(|_| self.is(order, "first") || self.is(order, "next")) else { return };
        let Some(open) = self.solid(order + 1).filter(|&open| self.tokens[open].token == Token::LParen) else { return };
        let Some((close, _)) = self.closing(open) else { return };
        let rows = self.solid(close + 1);
        let Some(rows) = rows.filter(|_| self.is(rows, "rows") || self.is(rows, "row")) else { return };
        let Some(only) = self.solid(rows + 1).filter(|&only| self.is(Some(only), "only")) else { return };
        self.tokens[at].token = Token::make_keyword("LIMIT");
        for gone in [order, rows, only] {
            self.drop_token(gone);
        }
    }
}

/// The operators in a run of their characters: each as long as can be, without signs at its end.
fn operators(run: &str) -> Vec<Token> {
    let mut operators = Vec::new();
    let mut rest = run;
    while !rest.is_empty() {
        let mut length = rest.len();
        while length > 1 && rest[..length].ends_with(['+', '-']) {
            length -= 1;
        }
        operators.push(match &rest[..length] {
            "+" => Token::Plus,
            "-" => Token::Minus,
            "*" => Token::Mul,
            "/" => Token::Div,
            "<" => Token::Lt,
            ">" => Token::Gt,
            "=" => Token::Eq,
            "<=" => Token::LtEq,
            ">=" => Token::GtEq,
            "<>" => Token::Neq,
            other => Token::CustomBinaryOperator(other.to_owned()),
        });
        rest = &rest[length..];
    }
    operators
}
