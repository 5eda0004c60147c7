//! SEARCH and CYCLE of WITH RECURSIVE, as PostgreSQL rewrites them: columns that say where a row was found.
//!
//! ```sql
//! WITH RECURSIVE r(a, b) AS (seed UNION ALL step) SEARCH DEPTH FIRST BY a SET s CYCLE a SET c USING p
//! -- is
//! WITH RECURSIVE r AS (
//!   SELECT *, ARRAY[ROW(a)] AS s, false AS c, ARRAY[ROW(a)] AS p FROM (seed) AS t(a, b)
//!   UNION ALL
//!   SELECT a, b, s || ROW(a) AS s, CASE WHEN ROW(a) = ANY (p) THEN true ELSE false END AS c, p || ROW(a) AS p
//!   FROM (step, with s, c and p of the round before, WHERE NOT c) AS t(a, b, s, c, p))
//! ```
//!
//! BREADTH FIRST has `ROW(0, a)`, and counts up in the step.

use super::binder::Binder;
use super::dialect::SqlDialect;
use super::parse::{parse_expression, parse_query};
use crate::error::{Error, ErrorKind, Position, Result};
use crate::evaluate::quote::identifier;
use crate::relation::builder::Scope;
use sqlparser::ast::{self, Expr, SelectItem, SetExpr, TableFactor};
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::Token;

/// SEARCH.
struct Search {
    is_depth_first: bool,
    columns: Vec<String>,
    name: String,
}

/// CYCLE.
struct Cycle {
    columns: Vec<String>,
    mark: String,
    value: String,
    default: String,
    path: String,
}

/// Both, as they are written.
struct Clauses {
    search: Option<Search>,
    cycle: Option<Cycle>,
}

/// What the derived tables of the rewritten query are called.
const ROWS: &str = "*search*";

fn word(parser: &mut Parser<'_>, wanted: &str) -> std::result::Result<(), ParserError> {
    let ident = parser.parse_identifier()?;
    if ident.value.eq_ignore_ascii_case(wanted) {
        return Ok(());
    }
    Err(ParserError::ParserError(format!("Expected: {}, found: {ident}", wanted.to_uppercase())))
}

fn names(parser: &mut Parser<'_>) -> std::result::Result<Vec<String>, ParserError> {
    let mut names = Vec::new();
    loop {
        names.push(Binder::fold(&parser.parse_identifier()?));
        if !parser.consume_token(&Token::Comma) {
            return Ok(names);
        }
    }
}

fn is_next(parser: &Parser<'_>, wanted: &str) -> bool {
    matches!(&parser.peek_token_ref().token, Token::Word(word) if word.value.eq_ignore_ascii_case(wanted))
}

impl Clauses {
    fn read(text: &str) -> std::result::Result<Clauses, ParserError> {
        let mut parser = Parser::new(&SqlDialect).try_with_sql(text)?;
        let mut clauses = Clauses { search: None, cycle: None };
        if is_next(&parser, "search") {
            word(&mut parser, "search")?;
            let is_depth_first = is_next(&parser, "depth");
            word(&mut parser, if is_depth_first { "depth" } else { "breadth" })?;
            word(&mut parser, "first")?;
            word(&mut parser, "by")?;
            let columns = names(&mut parser)?;
            word(&mut parser, "set")?;
            let name = Binder::fold(&parser.parse_identifier()?);
            clauses.search = Some(Search { is_depth_first, columns, name });
        }
        if is_next(&parser, "cycle") {
            word(&mut parser, "cycle")?;
            let columns = names(&mut parser)?;
            word(&mut parser, "set")?;
            let mark = Binder::fold(&parser.parse_identifier()?);
            let (mut value, mut default) = ("true".to_owned(), "false".to_owned());
            if is_next(&parser, "to") {
                word(&mut parser, "to")?;
                value = parser.parse_expr()?.to_string();
                word(&mut parser, "default")?;
                default = parser.parse_expr()?.to_string();
            }
            word(&mut parser, "using")?;
            let path = Binder::fold(&parser.parse_identifier()?);
            clauses.cycle = Some(Cycle { columns, mark, value, default, path });
        }
        parser.expect_token(&Token::EOF)?;
        Ok(clauses)
    }

    /// The columns that are added.
    fn added(&self) -> Vec<&str> {
        let search = self.search.iter().map(|search| search.name.as_str());
        let cycle = self.cycle.iter().flat_map(|cycle| [cycle.mark.as_str(), cycle.path.as_str()]);
        search.chain(cycle).collect()
    }
}

fn list(names: &[String]) -> String {
    names.iter().map(|name| identifier(name)).collect::<Vec<_>>().join(", ")
}

/// A SELECT whose only table is a query.
fn over(text: &str, rows: SetExpr) -> Result<SetExpr> {
    let odd = || Error::internal("a rewritten query has another form");
    let mut tree = parse_query(text)?;
    let SetExpr::Select(select) = &mut *tree.body else { return Err(odd()) };
    let Some(TableFactor::Derived { subquery, .. }) = select.from.first_mut().map(|from| &mut from.relation) else {
        return Err(odd());
    };
    *subquery.body = rows;
    Ok(*tree.body)
}

/// What a query is called where a FROM names it.
fn alias_in(from: &[ast::TableWithJoins], name: &str) -> Option<String> {
    fn of(factor: &TableFactor, wanted: &str) -> Option<String> {
        match factor {
            TableFactor::Table { name, alias, args: None, .. } => {
                let [ast::ObjectNamePart::Identifier(ident)] = name.0.as_slice() else { return None };
                let own = Binder::fold(ident);
                (own == wanted).then(|| alias.as_ref().map_or(own, |alias| Binder::fold(&alias.name)))
            }
            TableFactor::NestedJoin { table_with_joins, .. } => {
                alias_in(std::slice::from_ref(table_with_joins), wanted)
            }
            _ => None,
        }
    }
    let of_one = |item: &ast::TableWithJoins| {
        of(&item.relation, name).or_else(|| item.joins.iter().find_map(|join| of(&join.relation, name)))
    };
    from.iter().find_map(of_one)
}

impl Binder<'_, '_> {
    /// A query of WITH without SEARCH and CYCLE, which are in its `from`.
    pub(super) fn without_search(
        &mut self,
        cte: &ast::Cte,
        clauses: &ast::Ident,
        is_recursive: bool,
        parent: Option<&Scope<'_>>,
    ) -> Result<ast::Cte> {
        let position = self.position(clauses.span);
        let syntax = |message: &str| Error::new(ErrorKind::Syntax, message).at(position);
        let read = Clauses::read(&clauses.value);
        let clauses = read.map_err(|error| syntax(&format!("syntax error in SEARCH or CYCLE: {error}")))?;
        if !is_recursive {
            return Err(syntax("WITH query is not recursive"));
        }
        let SetExpr::SetOperation { left, op: ast::SetOperator::Union, set_quantifier, right } = &*cte.query.body
        else {
            return Err(syntax("a query with SEARCH or CYCLE must be a UNION"));
        };
        let SetExpr::Select(step) = &**right else {
            return Err(syntax("with a SEARCH or CYCLE clause, the right side of the UNION must be a SELECT"));
        };
        let columns = self.names_of_seed(cte, left, parent)?;
        self.check_clauses(&clauses, &columns, position)?;
        let name = Self::fold(&cte.alias.name);
        let Some(alias) = alias_in(&step.from, &name) else {
            let error = Error::unsupported("SEARCH or CYCLE of a step that names its query in no plain FROM is");
            return Err(error.at(position));
        };
        let seed = over(&self::seed(&clauses, &columns), SetExpr::clone(left))?;
        let mut inner = step.clone();
        for added in clauses.added() {
            let qualified = format!("{}.{}", identifier(&alias), identifier(added));
            inner.projection.push(SelectItem::UnnamedExpr(parse_expression(&qualified)?));
        }
        if let Some(cycle) = &clauses.cycle {
            let goes_on = format!("{}.{} <> {}", identifier(&alias), identifier(&cycle.mark), cycle.value);
            let goes_on = parse_expression(&goes_on)?;
            inner.selection = Some(match inner.selection.take() {
                None => goes_on,
                Some(own) => Expr::BinaryOp {
                    left: Box::new(Expr::Nested(Box::new(own))),
                    op: ast::BinaryOperator::And,
                    right: Box::new(goes_on),
                },
            });
        }
        let step = over(&self::step(&clauses, &columns), SetExpr::Select(inner))?;
        let mut changed = cte.clone();
        changed.from = None;
        changed.alias.columns.clear();
        let (op, set_quantifier) = (ast::SetOperator::Union, *set_quantifier);
        *changed.query.body = SetExpr::SetOperation { left: Box::new(seed), op, set_quantifier, right: Box::new(step) };
        Ok(changed)
    }

    /// The names of a recursive query's own columns.
    fn names_of_seed(&mut self, cte: &ast::Cte, seed: &SetExpr, parent: Option<&Scope<'_>>) -> Result<Vec<String>> {
        let rows = self.bind_set_expression(seed, parent, super::query::Unknown::AsText)?;
        let mut names: Vec<String> = rows.1.into_iter().map(|(name, _)| name).collect();
        for (name, given) in names.iter_mut().zip(self.alias_columns(&cte.alias)?) {
            *name = given;
        }
        Ok(names)
    }

    fn check_clauses(&self, clauses: &Clauses, columns: &[String], position: Option<Position>) -> Result<()> {
        let syntax = |message: String| Err(Error::new(ErrorKind::Syntax, message).at(position));
        let search = clauses.search.iter().map(|search| ("search", &search.columns));
        for (what, named) in search.chain(clauses.cycle.iter().map(|cycle| ("cycle", &cycle.columns))) {
            for (at, name) in named.iter().enumerate() {
                if !columns.contains(name) {
                    return syntax(format!("{what} column \"{name}\" not in WITH query column list"));
                }
                if named[..at].contains(name) {
                    let message = format!("{what} column \"{name}\" specified more than once");
                    return Err(Error::new(ErrorKind::DuplicateColumn, message).at(position));
                }
            }
        }
        let added = clauses.added();
        for (at, name) in added.iter().enumerate() {
            if columns.iter().any(|column| column == name) {
                return syntax(format!("column name \"{name}\" already used in WITH query column list"));
            }
            if added[..at].contains(name) {
                return syntax(format!("the name \"{name}\" is given to two columns of SEARCH and CYCLE"));
            }
        }
        Ok(())
    }
}

/// The seed's SELECT, over a table to be put in.
fn seed(clauses: &Clauses, columns: &[String]) -> String {
    let mut items = vec!["*".to_owned()];
    if let Some(Search { is_depth_first, columns, name }) = &clauses.search {
        let first = if *is_depth_first {
            format!("ARRAY[ROW({})]", list(columns))
        } else {
            format!("ROW(0::bigint, {})", list(columns))
        };
        items.push(format!("{first} AS {}", identifier(name)));
    }
    if let Some(Cycle { columns, mark, default, path, .. }) = &clauses.cycle {
        items.push(format!("{default} AS {}", identifier(mark)));
        items.push(format!("ARRAY[ROW({})] AS {}", list(columns), identifier(path)));
    }
    format!("SELECT {} FROM (SELECT 1) AS {}({})", items.join(", "), identifier(ROWS), list(columns))
}

/// The step's.
fn step(clauses: &Clauses, columns: &[String]) -> String {
    let mut items = vec![list(columns)];
    if let Some(Search { is_depth_first, columns, name }) = &clauses.search {
        let own = identifier(name);
        let next = if *is_depth_first {
            format!("{own} || ROW({})", list(columns))
        } else {
            format!("ROW(({own}).f1 + 1, {})", list(columns))
        };
        items.push(format!("{next} AS {own}"));
    }
    if let Some(Cycle { columns, mark, value, default, path }) = &clauses.cycle {
        let (row, path) = (list(columns), identifier(path));
        let mark = identifier(mark);
        items.push(format!("CASE WHEN ROW({row}) = ANY ({path}) THEN {value} ELSE {default} END AS {mark}"));
        items.push(format!("{path} || ROW({row}) AS {path}"));
    }
    let added: Vec<String> = clauses.added().into_iter().map(str::to_owned).collect();
    let all = [columns, &added].concat();
    format!("SELECT {} FROM (SELECT 1) AS {}({})", items.join(", "), identifier(ROWS), list(&all))
}
