//! The grammar of statements of a session, over sqlparser's tokens; `role` has those about roles.

mod role;

use super::{Direction, Discarded, Isolation, Piece, SessionStatement, TransactionMode};
use crate::error::{Error, ErrorKind, Position, Result};
use crate::evaluate::interval::Fields;
use crate::evaluate::zone::offset_rule;
use crate::evaluate::{parse as parse_value, parse_fields};
use crate::function::DatePart;
use crate::sql::keyword::is_keyword;
use crate::sql::text::Text;
use crate::types::DataType;
use crate::value::Value;
use sqlparser::tokenizer::{Token, TokenWithSpan};

/// The first words of these statements.
const VERBS: [&str; 22] = [
    "begin",
    "start",
    "commit",
    "end",
    "rollback",
    "abort",
    "savepoint",
    "release",
    "set",
    "show",
    "reset",
    "discard",
    "prepare",
    "execute",
    "deallocate",
    "declare",
    "fetch",
    "move",
    "close",
    "listen",
    "unlisten",
    "notify",
];

/// The first words of statements about roles, and of others.
const ROLE_VERBS: [&str; 5] = ["create", "alter", "drop", "grant", "revoke"];

/// Reads one of these statements; none if the text is something else.
///
/// # Errors
/// 42601 where the text does not go on as PostgreSQL's grammar has it.
pub(in crate::sql) fn parse(text: &Text, tokens: &[TokenWithSpan]) -> Result<Option<SessionStatement>> {
    let is_solid = |token: &&TokenWithSpan| !matches!(token.token, Token::Whitespace(_) | Token::EOF);
    let first = tokens.iter().find(is_solid);
    let is_verb = |verb: &&str| first.is_some_and(|first| is_keyword(&first.token, verb));
    if is_verb(&"explain") {
        return Words::new(text, tokens).explained_execute();
    }
    let is_role_verb = ROLE_VERBS.iter().any(is_verb);
    if !is_role_verb && !VERBS.iter().any(is_verb) {
        return Ok(None);
    }
    if crate::sql::definition::sets_constraints(tokens) {
        return Ok(None);
    }
    let mut words = Words::new(text, tokens);
    if is_role_verb {
        if !role::is_about_roles(&words.tokens) {
            return Ok(None);
        }
        let statement = words.about_roles()?;
        words.end()?;
        return Ok(Some(statement));
    }
    // SHOW TABLES is no setting.
    if is_verb(&"show") && words.tokens.get(1).is_some_and(|token| is_keyword(&token.token, "tables")) {
        return Ok(None);
    }
    let statement = words.statement()?;
    words.end()?;
    Ok(Some(statement))
}

/// The tokens of a statement, and how far they are read.
pub(in crate::sql) struct Words<'t> {
    pub(in crate::sql) text: &'t Text,
    pub(in crate::sql) tokens: Vec<&'t TokenWithSpan>,
    pub(in crate::sql) at: usize,
}

impl<'t> Words<'t> {
    /// A statement's tokens, of which none is read.
    pub(in crate::sql) fn new(text: &'t Text, tokens: &'t [TokenWithSpan]) -> Self {
        let is_solid = |token: &&TokenWithSpan| !matches!(token.token, Token::Whitespace(_) | Token::EOF);
        Words { text, tokens: tokens.iter().filter(is_solid).collect(), at: 0 }
    }
}

impl Words<'_> {
    fn statement(&mut self) -> Result<SessionStatement> {
        let verb = self.name()?;
        Ok(match verb.as_str() {
            "begin" => {
                let _ = self.takes("work") || self.takes("transaction");
                SessionStatement::Begin(self.modes()?)
            }
            "start" => {
                self.needs("transaction")?;
                SessionStatement::Begin(self.modes()?)
            }
            "commit" | "end" => SessionStatement::Commit { chain: self.chain()? },
            "rollback" | "abort" => self.rollback(verb == "rollback")?,
            "savepoint" => SessionStatement::Savepoint(self.name()?),
            "release" => {
                let _ = self.takes("savepoint");
                SessionStatement::Release(self.name()?)
            }
            "set" => self.set()?,
            "show" => match self.setting()? {
                name if name == "all" => SessionStatement::ShowAll,
                name => SessionStatement::Show(name),
            },
            "reset" => match self.setting()? {
                name if name == "all" => SessionStatement::ResetAll,
                name => SessionStatement::Reset(name),
            },
            "discard" => self.discard()?,
            "prepare" => self.prepare()?,
            "execute" => self.execute()?,
            "deallocate" => {
                let _ = self.takes("prepare");
                SessionStatement::Deallocate(self.name_or_all()?)
            }
            "declare" => self.declare()?,
            "fetch" | "move" => self.fetch(verb == "move")?,
            "close" => SessionStatement::Close(self.name_or_all()?),
            "listen" => SessionStatement::Listen(self.name()?),
            "unlisten" if self.takes_token(&Token::Mul) => SessionStatement::Unlisten(None),
            "unlisten" => SessionStatement::Unlisten(Some(self.name()?)),
            _ => self.notify()?,
        })
    }

    fn rollback(&mut self, may_go_to: bool) -> Result<SessionStatement> {
        let _ = self.takes("work") || self.takes("transaction");
        if may_go_to && self.takes("to") {
            let _ = self.takes("savepoint");
            return Ok(SessionStatement::RollbackTo(self.name()?));
        }
        Ok(SessionStatement::Rollback { chain: self.chain()? })
    }

    fn chain(&mut self) -> Result<bool> {
        let _ = self.takes("work") || self.takes("transaction");
        if !self.takes("and") {
            return Ok(false);
        }
        let chain = !self.takes("no");
        self.needs("chain")?;
        Ok(chain)
    }

    fn modes(&mut self) -> Result<TransactionMode> {
        let mut modes = TransactionMode::default();
        while self.at < self.tokens.len() {
            if self.takes("isolation") {
                self.needs("level")?;
                modes.isolation = Some(self.isolation()?);
            } else if self.takes("read") {
                modes.read_only = Some(self.takes("only"));
                if modes.read_only == Some(false) {
                    self.needs("write")?;
                }
            } else if self.takes("not") {
                self.needs("deferrable")?;
                modes.deferrable = Some(false);
            } else {
                self.needs("deferrable")?;
                modes.deferrable = Some(true);
            }
            let _ = self.takes_token(&Token::Comma);
        }
        Ok(modes)
    }

    fn isolation(&mut self) -> Result<Isolation> {
        if self.takes("serializable") {
            return Ok(Isolation::Serializable);
        }
        if self.takes("repeatable") {
            self.needs("read")?;
            return Ok(Isolation::RepeatableRead);
        }
        self.needs("read")?;
        if self.takes("committed") {
            return Ok(Isolation::ReadCommitted);
        }
        self.needs("uncommitted")?;
        Ok(Isolation::ReadUncommitted)
    }

    fn set(&mut self) -> Result<SessionStatement> {
        let local = self.takes("local");
        let session = !local && self.takes("session");
        if session && self.takes("characteristics") {
            self.needs("as")?;
            self.needs("transaction")?;
            return Ok(SessionStatement::SetCharacteristics(self.modes()?));
        }
        // SET SESSION AUTHORIZATION is of a setting of that name.
        if session && self.takes("authorization") {
            let value = self.value_or_default()?;
            return Ok(SessionStatement::Set { name: "session_authorization".to_owned(), value, local });
        }
        if self.peeks("transaction") && !self.peeks_setter(1) {
            self.at += 1;
            return Ok(SessionStatement::SetTransaction(self.modes()?));
        }
        if self.takes("time") {
            self.needs("zone")?;
            let value = self.zone()?;
            return Ok(SessionStatement::Set { name: "timezone".to_owned(), value, local });
        }
        for (word, name) in [("names", "client_encoding"), ("role", "role"), ("schema", "search_path")] {
            if self.peeks(word) && !self.peeks_setter(1) {
                self.at += 1;
                let value = if self.at == self.tokens.len() { None } else { self.value_or_default()? };
                return Ok(SessionStatement::Set { name: name.to_owned(), value, local });
            }
        }
        let name = self.setting()?;
        if !self.takes("to") {
            self.needs_token(&Token::Eq)?;
        }
        Ok(SessionStatement::Set { name, value: self.value_or_default()?, local })
    }

    /// INTERVAL '+01:00' HOUR TO MINUTE, a name, a number of hours, LOCAL or DEFAULT.
    fn zone(&mut self) -> Result<Option<Vec<String>>> {
        if self.takes("local") {
            return Ok(None);
        }
        if !self.takes("interval") {
            return self.value_or_default();
        }
        let text = self.value()?;
        let interval = if self.takes("hour") {
            let last = if self.takes("to") {
                self.needs("minute")?;
                DatePart::Minute
            } else {
                DatePart::Hour
            };
            parse_fields(&text, Fields { last, minute_to_second: false, digits: None })?
        } else {
            match parse_value(&text, DataType::Interval)? {
                Value::Interval(interval) => interval,
                other => return Err(Error::internal(format!("{other:?} is no interval"))),
            }
        };
        if interval.months != 0 || interval.days != 0 {
            let what = if interval.months != 0 { "months" } else { "days" };
            let message = format!("invalid value for parameter \"TimeZone\": \"INTERVAL '{text}'\"");
            return Err(Error::new(ErrorKind::InvalidParameter, message)
                .with_detail(format!("Cannot specify {what} in time zone interval.")));
        }
        Ok(Some(vec![offset_rule(interval.micros / 1_000_000)]))
    }

    fn value_or_default(&mut self) -> Result<Option<Vec<String>>> {
        if self.takes("default") {
            return Ok(None);
        }
        let mut values = vec![self.value()?];
        while self.takes_token(&Token::Comma) {
            values.push(self.value()?);
        }
        Ok(Some(values))
    }

    pub(in crate::sql) fn value(&mut self) -> Result<String> {
        let sign = if self.takes_token(&Token::Minus) { "-" } else { "" };
        let _ = sign.is_empty() && self.takes_token(&Token::Plus);
        let value = match self.tokens.get(self.at).map(|token| &token.token) {
            Some(Token::SingleQuotedString(text) | Token::EscapedStringLiteral(text)) if sign.is_empty() => {
                text.clone()
            }
            Some(Token::Number(digits, _)) => format!("{sign}{digits}"),
            Some(Token::Word(word)) if sign.is_empty() => match word.quote_style {
                Some(_) => word.value.clone(),
                None => word.value.to_ascii_lowercase(),
            },
            _ => return Err(self.unexpected()),
        };
        self.at += 1;
        Ok(value)
    }

    fn discard(&mut self) -> Result<SessionStatement> {
        let known = [
            ("all", Discarded::All),
            ("plans", Discarded::Plans),
            ("sequences", Discarded::Sequences),
            ("temp", Discarded::Temporary),
            ("temporary", Discarded::Temporary),
        ];
        let found = known.into_iter().find(|(word, _)| self.takes(word));
        found.map(|(_, what)| SessionStatement::Discard(what)).ok_or_else(|| self.unexpected())
    }

    fn prepare(&mut self) -> Result<SessionStatement> {
        let name = self.name()?;
        let mut types = Vec::new();
        if self.peeks_token(&Token::LParen) {
            self.at += 1;
            while !self.takes_token(&Token::RParen) {
                types.push(self.until_comma()?);
                let _ = self.takes_token(&Token::Comma);
            }
        }
        self.needs("as")?;
        Ok(SessionStatement::Prepare { name, types, statement: self.rest()? })
    }

    /// The text up to a comma or the parenthesis that ends a list.
    fn until_comma(&mut self) -> Result<String> {
        let start = self.offset();
        let mut open = 0_usize;
        loop {
            match self.tokens.get(self.at).map(|token| &token.token) {
                None => return Err(self.unexpected()),
                Some(Token::LParen | Token::LBracket) => open += 1,
                Some(Token::RParen) if open == 0 => break,
                Some(Token::RParen | Token::RBracket) => open = open.saturating_sub(1),
                Some(Token::Comma) if open == 0 => break,
                Some(_) => {}
            }
            self.at += 1;
        }
        match self.text.as_str()[start..self.offset()].trim() {
            "" => Err(self.unexpected()),
            text => Ok(text.to_owned()),
        }
    }

    fn execute(&mut self) -> Result<SessionStatement> {
        let name = self.name()?;
        let mut values = Vec::new();
        if self.at < self.tokens.len() {
            self.needs_token(&Token::LParen)?;
            while !self.takes_token(&Token::RParen) {
                let start = self.offset() as u32;
                values.push(Piece { text: self.until_comma()?, start });
                let _ = self.takes_token(&Token::Comma);
            }
        }
        Ok(SessionStatement::Execute { explain: None, name, values })
    }

    /// EXPLAIN of EXECUTE; none of anything else.
    fn explained_execute(mut self) -> Result<Option<SessionStatement>> {
        let is = |at: usize, word: &str| self.tokens.get(at).is_some_and(|token| is_keyword(&token.token, word));
        let mut at = 1;
        if self.tokens.get(at).is_some_and(|token| token.token == Token::LParen) {
            let close = self.tokens.iter().position(|token| token.token == Token::RParen);
            at = close.map_or(at, |close| close + 1);
        }
        while ["analyze", "analyse", "verbose"].into_iter().any(|word| is(at, word)) {
            at += 1;
        }
        if !is(at, "execute") {
            return Ok(None);
        }
        self.at = at;
        let before = self.text.as_str()[..self.offset()].to_owned();
        self.at += 1;
        let statement = self.execute()?;
        self.end()?;
        Ok(Some(match statement {
            SessionStatement::Execute { name, values, .. } => {
                SessionStatement::Execute { explain: Some(before), name, values }
            }
            other => other,
        }))
    }

    fn declare(&mut self) -> Result<SessionStatement> {
        let name = self.name()?;
        let (mut scroll, mut binary) = (None, false);
        loop {
            if self.takes("binary") {
                binary = true;
            } else if self.takes("scroll") {
                scroll = Some(true);
            } else if self.takes("no") {
                self.needs("scroll")?;
                scroll = Some(false);
            } else if !(self.takes("asensitive") || self.takes("insensitive")) {
                break;
            }
        }
        self.needs("cursor")?;
        let mut hold = false;
        if self.takes("with") {
            self.needs("hold")?;
            hold = true;
        } else if self.takes("without") {
            self.needs("hold")?;
        }
        self.needs("for")?;
        Ok(SessionStatement::Declare { name, scroll, hold, binary, query: self.rest()? })
    }

    fn fetch(&mut self, is_move: bool) -> Result<SessionStatement> {
        let direction = self.direction()?;
        let _ = self.takes("from") || self.takes("in");
        Ok(SessionStatement::Fetch { name: self.name()?, direction, is_move })
    }

    fn direction(&mut self) -> Result<Direction> {
        // A cursor may have one of these names.
        if self.at + 1 == self.tokens.len() {
            return Ok(Direction::Count(1));
        }
        for (word, direction) in [
            ("next", Direction::Count(1)),
            ("prior", Direction::Count(-1)),
            ("first", Direction::Absolute(1)),
            ("last", Direction::Absolute(-1)),
            ("all", Direction::All),
        ] {
            if self.takes(word) {
                return Ok(direction);
            }
        }
        if self.takes("absolute") {
            return self.count().map(Direction::Absolute);
        }
        if self.takes("relative") {
            return self.count().map(Direction::Relative);
        }
        if self.takes("forward") {
            return self.count_or_all(1, Direction::All);
        }
        if self.takes("backward") {
            return self.count_or_all(-1, Direction::BackwardAll);
        }
        if self.peeks("from") || self.peeks("in") {
            return Ok(Direction::Count(1));
        }
        self.count().map(Direction::Count)
    }

    fn count_or_all(&mut self, sign: i64, all: Direction) -> Result<Direction> {
        let is_last = self.at + 1 == self.tokens.len();
        if is_last || self.peeks("from") || self.peeks("in") {
            return Ok(Direction::Count(sign));
        }
        if self.takes("all") {
            return Ok(all);
        }
        Ok(Direction::Count(self.count()?.saturating_mul(sign)))
    }

    fn count(&mut self) -> Result<i64> {
        let sign = if self.takes_token(&Token::Minus) { "-" } else { "" };
        let _ = sign.is_empty() && self.takes_token(&Token::Plus);
        let Some(Token::Number(digits, _)) = self.tokens.get(self.at).map(|token| &token.token) else {
            return Err(self.unexpected());
        };
        let count = format!("{sign}{digits}").parse().map_err(|_| self.unexpected())?;
        self.at += 1;
        Ok(count)
    }

    fn notify(&mut self) -> Result<SessionStatement> {
        let channel = self.name()?;
        let payload = if self.takes_token(&Token::Comma) { self.string()? } else { String::new() };
        Ok(SessionStatement::Notify { channel, payload })
    }

    /// A text in quotes.
    pub(in crate::sql) fn string(&mut self) -> Result<String> {
        let text = match self.tokens.get(self.at).map(|token| &token.token) {
            Some(Token::SingleQuotedString(text) | Token::EscapedStringLiteral(text)) => text.clone(),
            Some(Token::DollarQuotedString(text)) => text.value.clone(),
            _ => return Err(self.unexpected()),
        };
        self.at += 1;
        Ok(text)
    }

    /// The name of a setting, which may have dots; some have names of several words.
    fn setting(&mut self) -> Result<String> {
        for (words, name) in [
            (&["transaction", "isolation", "level"][..], "transaction_isolation"),
            (&["time", "zone"], "timezone"),
            (&["session", "authorization"], "session_authorization"),
        ] {
            let all = words.iter().enumerate().all(|(ahead, word)| {
                self.tokens.get(self.at + ahead).is_some_and(|token| is_keyword(&token.token, word))
            });
            if all {
                self.at += words.len();
                return Ok(name.to_owned());
            }
        }
        let mut name = self.name()?;
        while self.takes_token(&Token::Period) {
            name = format!("{name}.{}", self.name()?);
        }
        Ok(name.to_ascii_lowercase())
    }

    fn name_or_all(&mut self) -> Result<Option<String>> {
        if self.takes("all") { Ok(None) } else { self.name().map(Some) }
    }

    /// A word, folded unless it is quoted.
    pub(in crate::sql) fn name(&mut self) -> Result<String> {
        let Some(Token::Word(word)) = self.tokens.get(self.at).map(|token| &token.token) else {
            return Err(self.unexpected());
        };
        self.at += 1;
        Ok(if word.quote_style.is_some() { word.value.clone() } else { word.value.to_ascii_lowercase() })
    }

    /// All text from here.
    pub(in crate::sql) fn rest(&mut self) -> Result<Piece> {
        if self.at == self.tokens.len() {
            return Err(self.unexpected());
        }
        let start = self.offset();
        self.at = self.tokens.len();
        Ok(Piece { text: self.text.as_str()[start..].to_owned(), start: start as u32 })
    }

    pub(in crate::sql) fn peeks(&self, word: &str) -> bool {
        self.tokens.get(self.at).is_some_and(|token| is_keyword(&token.token, word))
    }

    /// Whether the token so far ahead is a word.
    pub(in crate::sql) fn peeks_at(&self, ahead: usize, word: &str) -> bool {
        self.tokens.get(self.at + ahead).is_some_and(|token| is_keyword(&token.token, word))
    }

    /// Whether the token so far ahead is a name or a keyword.
    pub(in crate::sql) fn peeks_word_at(&self, ahead: usize) -> bool {
        self.tokens.get(self.at + ahead).is_some_and(|token| matches!(token.token, Token::Word(_)))
    }

    /// Whether the token so far ahead sets a setting.
    fn peeks_setter(&self, ahead: usize) -> bool {
        self.tokens.get(self.at + ahead).is_some_and(|token| token.token == Token::Eq || is_keyword(&token.token, "to"))
    }

    pub(in crate::sql) fn peeks_token(&self, token: &Token) -> bool {
        self.tokens.get(self.at).is_some_and(|next| next.token == *token)
    }

    pub(in crate::sql) fn takes(&mut self, word: &str) -> bool {
        let takes = self.peeks(word);
        self.at += usize::from(takes);
        takes
    }

    pub(in crate::sql) fn takes_token(&mut self, token: &Token) -> bool {
        let takes = self.peeks_token(token);
        self.at += usize::from(takes);
        takes
    }

    pub(in crate::sql) fn needs(&mut self, word: &str) -> Result<()> {
        if self.takes(word) { Ok(()) } else { Err(self.unexpected()) }
    }

    pub(in crate::sql) fn needs_token(&mut self, token: &Token) -> Result<()> {
        if self.takes_token(token) { Ok(()) } else { Err(self.unexpected()) }
    }

    pub(in crate::sql) fn end(&self) -> Result<()> {
        if self.at == self.tokens.len() { Ok(()) } else { Err(self.unexpected()) }
    }

    /// The next token.
    pub(in crate::sql) fn next(&self) -> Option<&Token> {
        self.tokens.get(self.at).map(|token| &token.token)
    }

    /// Where the next token starts, as errors have it.
    pub(in crate::sql) fn position(&self) -> Option<Position> {
        u32::try_from(self.offset()).ok().map(Position)
    }

    /// Where the next token starts.
    fn offset(&self) -> usize {
        let next = self.tokens.get(self.at).and_then(|token| self.text.offset(token.span.start));
        next.unwrap_or(self.text.as_str().len())
    }

    pub(in crate::sql) fn unexpected(&self) -> Error {
        let message = match self.tokens.get(self.at) {
            Some(token) => format!("syntax error at or near \"{}\"", token.token),
            None => "syntax error at end of input".to_owned(),
        };
        Error::new(ErrorKind::Syntax, message).at(self.position())
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Direction, Discarded, Isolation, Piece, SessionStatement, TransactionMode};
    use crate::sql::{self, Tree};

    fn read(sql: &str) -> Result<SessionStatement, String> {
        let mut parsed = sql::parse(sql).map_err(|error| error.message().to_owned())?;
        match parsed.pop().map(|parsed| parsed.tree) {
            Some(Tree::Session(statement)) => Ok(statement),
            other => panic!("{sql} was read as {other:?}"),
        }
    }

    fn set(name: &str, values: &[&str]) -> SessionStatement {
        let values: Vec<String> = values.iter().map(|value| (*value).to_owned()).collect();
        SessionStatement::Set { name: name.to_owned(), value: Some(values), local: false }
    }

    #[test]
    fn transactions() {
        assert_eq!(read("begin work"), Ok(SessionStatement::Begin(TransactionMode::default())));
        let modes = TransactionMode {
            read_only: Some(true),
            isolation: Some(Isolation::RepeatableRead),
            deferrable: Some(false),
        };
        let text = "START TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY NOT DEFERRABLE";
        assert_eq!(read(text), Ok(SessionStatement::Begin(modes)));
        assert_eq!(read("END TRANSACTION"), Ok(SessionStatement::Commit { chain: false }));
        assert_eq!(read("commit and chain"), Ok(SessionStatement::Commit { chain: true }));
        assert_eq!(read("ABORT AND NO CHAIN"), Ok(SessionStatement::Rollback { chain: false }));
        assert_eq!(read("rollback work to savepoint \"A b\""), Ok(SessionStatement::RollbackTo("A b".to_owned())));
        assert_eq!(read("release x"), Ok(SessionStatement::Release("x".to_owned())));
        assert!(read("begin nonsense").is_err_and(|message| message.contains("nonsense")));
        assert!(read("rollback to").is_err_and(|message| message.contains("end of input")));
    }

    #[test]
    fn settings() {
        assert_eq!(read("SET search_path TO a, \"B\", 'c d'"), Ok(set("search_path", &["a", "B", "c d"])));
        assert_eq!(read("set extra_float_digits = -3"), Ok(set("extra_float_digits", &["-3"])));
        assert_eq!(read("set time zone interval '+00:00' hour to minute"), Ok(set("timezone", &["<+00>-00"])));
        assert_eq!(read("set time zone interval '+05:30' hour to minute"), Ok(set("timezone", &["<+05:30>-05:30"])));
        assert_eq!(read("set time zone interval '-08:00'"), Ok(set("timezone", &["<-08>+08"])));
        assert_eq!(read("set time zone -3"), Ok(set("timezone", &["-3"])));
        assert!(read("set time zone interval '1 day'").is_err());
        assert_eq!(read("SET NAMES 'utf8'"), Ok(set("client_encoding", &["utf8"])));
        assert_eq!(read("set my.Own = on"), Ok(set("my.own", &["on"])));
        assert_eq!(
            read("show transaction isolation level"),
            Ok(SessionStatement::Show("transaction_isolation".into()))
        );
        assert_eq!(read("show all"), Ok(SessionStatement::ShowAll));
        assert_eq!(read("reset all"), Ok(SessionStatement::ResetAll));
        assert_eq!(read("discard temp"), Ok(SessionStatement::Discard(Discarded::Temporary)));
        let value = None;
        let local = SessionStatement::Set { name: "role".to_owned(), value, local: true };
        assert_eq!(read("SET LOCAL role = DEFAULT"), Ok(local));
        assert!(read("set a").is_err());
        assert!(read("set a = 1 2").is_err());
    }

    #[test]
    fn statements_and_cursors() {
        let statement = Piece { text: "select $1 + 1".to_owned(), start: 30 };
        let types = vec!["int".to_owned(), "numeric(3, 1)".to_owned()];
        let prepare = SessionStatement::Prepare { name: "p".to_owned(), types, statement };
        assert_eq!(
            read("prepare p(int,numeric(3, 1)) as select $1 + 1").map(|found| match found {
                SessionStatement::Prepare { name, types, statement } => {
                    SessionStatement::Prepare { name, types, statement: Piece { start: 30, ..statement } }
                }
                other => other,
            }),
            Ok(prepare)
        );
        let piece = |text: &str, start| Piece { text: text.to_owned(), start };
        let values = vec![piece("1", 10), piece("f(2, 3)", 13)];
        assert_eq!(
            read("execute p(1, f(2, 3))"),
            Ok(SessionStatement::Execute { explain: None, name: "p".to_owned(), values })
        );
        assert_eq!(
            read("execute p()"),
            Ok(SessionStatement::Execute { explain: None, name: "p".to_owned(), values: Vec::new() })
        );
        assert_eq!(read("deallocate all"), Ok(SessionStatement::Deallocate(None)));
        let fetch = |direction| Ok(SessionStatement::Fetch { name: "c".to_owned(), direction, is_move: false });
        assert_eq!(read("fetch c"), fetch(Direction::Count(1)));
        assert_eq!(read("fetch 10 from c"), fetch(Direction::Count(10)));
        assert_eq!(read("fetch forward 10 in c"), fetch(Direction::Count(10)));
        assert_eq!(read("fetch backward all c"), fetch(Direction::BackwardAll));
        assert_eq!(read("fetch backward c"), fetch(Direction::Count(-1)));
        assert_eq!(read("fetch from c"), fetch(Direction::Count(1)));
        assert_eq!(read("fetch absolute -2 c"), fetch(Direction::Absolute(-2)));
        let query = Piece { text: "select 1".to_owned(), start: 46 };
        assert_eq!(
            read("declare \"C\" no scroll cursor with hold for /**/select 1").map(|found| match found {
                SessionStatement::Declare { query, .. } => query.text,
                other => panic!("{other:?}"),
            }),
            Ok(query.text)
        );
        let notify = SessionStatement::Notify { channel: "a".to_owned(), payload: "b".to_owned() };
        assert_eq!(read("notify a, 'b'"), Ok(notify));
        assert_eq!(read("unlisten *"), Ok(SessionStatement::Unlisten(None)));
    }
}
