//! Statements with parameters of Rust's types, and their results as rows.
//!
//! A statement with parameters is bound first to see of which types they are to be, and once more with the types of those that are
//! no values of these (`parameters/convert.rs`), and with the digits of numerics, which a query that runs once knows as those of
//! literals. It is planned once, when all of that is known. A prepared statement keeps what it was bound to for a few combinations
//! of types.

use super::prepared::Prepared;
use super::{Session, Statement};
use crate::parameters::{Numbered, Parameter, ParameterList, Parameters, highest_number, with_numbers};
use crate::row::{FromRow, FromSql, MappedRows, Row, Rows, TypedRows};
use crate::stream::ResultStream;
use crate::{DataType, Error, ErrorKind, Result, Value};
use std::sync::{Arc, PoisonError};

/// Bindings that a prepared statement keeps for other types than it was prepared with.
const VARIANTS_MAX: usize = 8;

impl Session {
    /// Runs a statement with parameters for `$1`, `$2`, …, or `:name`; see [`Parameters`]. Without parameters it may be a script,
    /// whose last result is given; with parameters it is one statement (42601 for several).
    ///
    /// # Errors
    /// 42P02 for too few or too many parameters and unknown names, 22P02, 22003 and their kin for values that do not fit: before
    /// anything is run; those of the statement.
    ///
    /// ```
    /// use multiloop::{Engine, named_params, params};
    ///
    /// let session = Engine::new()?.session();
    /// session.sql("CREATE TABLE trips AS SELECT * FROM (VALUES ('Bern', 12.5), ('Basel', 90.0)) v(city, km)")?;
    /// for row in session.query("SELECT city FROM trips WHERE km > $1", params![50])? {
    ///     assert_eq!(row?.get::<String>("city")?, "Basel");
    /// }
    /// let mut rows = session.query("SELECT km FROM trips WHERE city = :city", named_params! { ":city": "Bern" })?;
    /// assert_eq!(rows.next().expect("a row")?.get::<f64>("km")?, 12.5);
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    pub fn query(&self, sql: &str, parameters: impl Parameters) -> Result<Rows> {
        self.run_with(sql, parameters.into_list()).map(ResultStream::into_rows)
    }

    /// Runs a statement, and says how many rows it changed; of one that gives rows, how many these are.
    ///
    /// # Errors
    /// As those of [`Session::query`].
    ///
    /// ```
    /// use multiloop::{Engine, params};
    ///
    /// let session = Engine::new()?.session();
    /// session.execute("CREATE TABLE fruit (name text, price decimal(6,2))", ())?;
    /// assert_eq!(session.execute("INSERT INTO fruit VALUES ($1, $2), ('pear', 0.95)", params!["apple", 1.2])?, 2);
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    pub fn execute(&self, sql: &str, parameters: impl Parameters) -> Result<u64> {
        self.query(sql, parameters)?.count()
    }

    /// What a function makes of the only row.
    ///
    /// # Errors
    /// 02000 if there is no row, 21000 if there are several; those of [`Session::query`] and of the function.
    ///
    /// ```
    /// use multiloop::{Engine, params};
    ///
    /// let session = Engine::new()?.session();
    /// let length = session.query_row("SELECT length($1) AS n", params!["Bern"], |row| row.get::<usize>("n"))?;
    /// assert_eq!(length, 4);
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    pub fn query_row<T>(
        &self,
        sql: &str,
        parameters: impl Parameters,
        map: impl FnOnce(&Row) -> Result<T>,
    ) -> Result<T> {
        self.query(sql, parameters)?.single(map)
    }

    /// What a function makes of each row.
    ///
    /// # Errors
    /// As those of [`Session::query`].
    ///
    /// ```
    /// use multiloop::{Engine, params};
    ///
    /// let session = Engine::new()?.session();
    /// let all = session.query_map("SELECT i FROM generate_series(1, $1) g(i)", params![3], |row| row.get::<i32>(0))?;
    /// assert_eq!(all.collect::<Result<Vec<_>, _>>()?, [1, 2, 3]);
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    pub fn query_map<T, F: FnMut(&Row) -> Result<T>>(
        &self,
        sql: &str,
        parameters: impl Parameters,
        map: F,
    ) -> Result<MappedRows<F>> {
        Ok(self.query(sql, parameters)?.mapped(map))
    }

    /// The rows as a type, as tuples are.
    ///
    /// # Errors
    /// 42804 if rows do not become the type; those of [`Session::query`].
    ///
    /// ```
    /// use multiloop::Engine;
    ///
    /// let session = Engine::new()?.session();
    /// let all = session.query_as::<(String, i32)>("VALUES ('a', 1), ('b', 2)", ())?.collect::<Result<Vec<_>, _>>()?;
    /// assert_eq!(all, [("a".to_owned(), 1), ("b".to_owned(), 2)]);
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    pub fn query_as<T: FromRow>(&self, sql: &str, parameters: impl Parameters) -> Result<TypedRows<T>> {
        self.query(sql, parameters)?.typed()
    }

    /// The only row as a type.
    ///
    /// # Errors
    /// As those of [`Session::query_row`] and [`Session::query_as`].
    ///
    /// ```
    /// let session = multiloop::Engine::new()?.session();
    /// let (count, most) = session.query_one::<(i64, Option<i32>)>("SELECT count(a), max(a) FROM (VALUES (1)) v(a)", ())?;
    /// assert_eq!((count, most), (1, Some(1)));
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    pub fn query_one<T: FromRow>(&self, sql: &str, parameters: impl Parameters) -> Result<T> {
        self.query(sql, parameters)?.one()
    }

    /// The only value of the only row.
    ///
    /// # Errors
    /// As those of [`Session::query_one`].
    ///
    /// ```
    /// let session = multiloop::Engine::new()?.session();
    /// assert_eq!(session.query_scalar::<String>("SELECT upper($1)", ["bern"])?, "BERN");
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    pub fn query_scalar<T: for<'r> FromSql<'r>>(&self, sql: &str, parameters: impl Parameters) -> Result<T> {
        self.query(sql, parameters)?.scalar()
    }

    /// Prepares a statement whose parameters have names, `:name` or `$name`; by number they are in the order in which the names
    /// first stand in the text.
    ///
    /// # Errors
    /// 42P02 for names and numbers in one text; those of [`Session::prepare`].
    ///
    /// ```
    /// use multiloop::{Engine, named_params, params};
    ///
    /// let session = Engine::new()?.session();
    /// let sum = session.prepare_named("SELECT :a::int + :b::int")?;
    /// assert_eq!(sum.query_scalar::<i32>(&session, named_params! { "b": 2, "a": 40 })?, 42);
    /// assert_eq!(sum.query_scalar::<i32>(&session, params![40, 2])?, 42);
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    pub fn prepare_named(&self, sql: &str) -> Result<Prepared> {
        let Numbered { text, names, moves } = with_numbers(&self.respelled(sql)).inspect_err(|_| self.fail())?;
        let mut prepared = self.prepare_moved(&text, &moves)?;
        prepared.names = names;
        Ok(prepared)
    }

    fn run_with(&self, sql: &str, list: ParameterList) -> Result<ResultStream> {
        if list.is_empty() && !list.is_named() {
            return self.sql(sql);
        }
        // A cancel between the binding and the run means both, and so does the time that a statement may take.
        self.as_whole(|| {
            let (prepared, values) = self.failing(|| {
                // What a backslash means is known before names are looked for.
                let sql = self.respelled(sql);
                let numbered = match list.is_named() {
                    true => with_numbers(&sql)?,
                    false => Numbered { text: sql.into_owned(), ..Numbered::default() },
                };
                let list = list.ordered(&numbered.names)?;
                let statement = Statement::only_moved(&numbered.text, &numbered.moves)?;
                self.bound(&statement, &list).map_err(|error| error.shifted(statement.start()))
            })?;
            prepared.execute(self, &values)
        })
    }

    /// A statement that is bound for these parameters, and their values.
    fn bound(&self, statement: &Statement, list: &[Parameter]) -> Result<(Arc<Prepared>, Vec<Value>)> {
        let mut knows_digits = true;
        let prepared = match self.bound_to(statement, &[], &Prepared::no_literals()) {
            // Nothing says what they are but they themselves.
            Err(error) if is_of_types(error.kind()) => {
                let mut own: Vec<DataType> = list.iter().map(|each| each.own_type(DataType::Null)).collect();
                if own.iter().all(|of| *of == DataType::Null) {
                    return Err(error);
                }
                // Those that are too many would be of no place, and missed by nobody.
                own.truncate(highest_number(statement.text()));
                knows_digits = false;
                self.bound_to(statement, &own, &Prepared::no_literals())?
            }
            bound => bound?,
        };
        let (other, values) = prepared.fitted(self, list, knows_digits && prepared.is_query())?;
        Ok((other.unwrap_or_else(|| Arc::new(prepared)), values))
    }

    /// As [`Session::prepare_statement`], without a plan; an error is none of the transaction yet.
    fn bound_to(
        &self,
        statement: &Statement,
        types: &[DataType],
        literals: &super::prepared::KnownLiterals,
    ) -> Result<Prepared> {
        self.seen(statement, || {
            self.as_statement(|| {
                if !statement.is_about_transactions() {
                    self.work.check()?;
                }
                Prepared::bound(self, statement.clone(), types, Arc::clone(literals))
            })
        })
    }
}

/// Whether binding a statement may fail with it for want of its parameters' types.
fn is_of_types(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::IndeterminateType
            | ErrorKind::AmbiguousFunction
            | ErrorKind::UnknownFunction
            | ErrorKind::TypeMismatch
            | ErrorKind::CannotCast
    )
}

impl Prepared {
    /// Runs it with parameters; see [`Session::query`].
    ///
    /// # Errors
    /// As those of [`Session::query`].
    ///
    /// ```
    /// use multiloop::{Engine, params};
    ///
    /// let session = Engine::new()?.session();
    /// let series = session.prepare("SELECT i FROM generate_series(1, $1) g(i)")?;
    /// assert_eq!(series.query(&session, params![3])?.count(), 3);
    /// assert_eq!(series.query(&session, params!["2"])?.count(), 2);
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    pub fn query(&self, session: &Session, parameters: impl Parameters) -> Result<Rows> {
        let list = parameters.into_list();
        let fit = || {
            if list.is_named() && self.names.is_empty() && !self.parameter_types().is_empty() {
                let message = "the statement was prepared without names: prepare_named takes them";
                return Err(Error::new(ErrorKind::UnknownParameter, message));
            }
            self.fitted(session, &list.ordered(&self.names)?, false)
        };
        let rows = session.as_whole_within(self.room(), || {
            let (other, values) = session.failing(fit)?;
            other.as_deref().unwrap_or(self).execute(session, &values)
        });
        rows.map(ResultStream::into_rows)
    }

    /// Runs it, and says how many rows it changed; see [`Session::execute`].
    ///
    /// # Errors
    /// As those of [`Session::query`].
    ///
    /// ```
    /// use multiloop::{Engine, params};
    ///
    /// let session = Engine::new()?.session();
    /// session.sql("CREATE TABLE fruit (name text, price decimal(6,2))")?;
    /// let insert = session.prepare("INSERT INTO fruit VALUES ($1, $2)")?;
    /// for (name, price) in [("apple", Some(1.2)), ("pear", None)] {
    ///     assert_eq!(insert.execute_with(&session, params![name, price])?, 1);
    /// }
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    pub fn execute_with(&self, session: &Session, parameters: impl Parameters) -> Result<u64> {
        self.query(session, parameters)?.count()
    }

    /// What a function makes of the only row; see [`Session::query_row`].
    ///
    /// # Errors
    /// As those of [`Session::query_row`].
    ///
    /// ```
    /// let session = multiloop::Engine::new()?.session();
    /// let half = session.prepare("SELECT $1 / 2.0")?;
    /// assert_eq!(half.query_row(&session, (3,), |row| row.get::<f64>(0))?, 1.5);
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    pub fn query_row<T>(
        &self,
        session: &Session,
        parameters: impl Parameters,
        map: impl FnOnce(&Row) -> Result<T>,
    ) -> Result<T> {
        self.query(session, parameters)?.single(map)
    }

    /// What a function makes of each row; see [`Session::query_map`].
    ///
    /// # Errors
    /// As those of [`Session::query`].
    ///
    /// ```
    /// let session = multiloop::Engine::new()?.session();
    /// let series = session.prepare("SELECT i FROM generate_series(1, $1) g(i)")?;
    /// let mut all = series.query_map(&session, (3,), |row| row.get::<i32>(0))?;
    /// assert_eq!(all.next().expect("a row")?, 1);
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    pub fn query_map<T, F: FnMut(&Row) -> Result<T>>(
        &self,
        session: &Session,
        parameters: impl Parameters,
        map: F,
    ) -> Result<MappedRows<F>> {
        Ok(self.query(session, parameters)?.mapped(map))
    }

    /// The rows as a type; see [`Session::query_as`].
    ///
    /// # Errors
    /// As those of [`Session::query_as`].
    ///
    /// ```
    /// let session = multiloop::Engine::new()?.session();
    /// let series = session.prepare("SELECT i, i::text FROM generate_series(1, $1) g(i)")?;
    /// let last = series.query_as::<(i32, String)>(&session, (3,))?.last().expect("a row")?;
    /// assert_eq!(last, (3, "3".to_owned()));
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    pub fn query_as<T: FromRow>(&self, session: &Session, parameters: impl Parameters) -> Result<TypedRows<T>> {
        self.query(session, parameters)?.typed()
    }

    /// The only row as a type; see [`Session::query_one`].
    ///
    /// # Errors
    /// As those of [`Session::query_one`].
    ///
    /// ```
    /// let session = multiloop::Engine::new()?.session();
    /// let both = session.prepare("SELECT $1::int, $2::text")?;
    /// assert_eq!(both.query_one::<(i32, Option<String>)>(&session, (1, None::<&str>))?, (1, None));
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    pub fn query_one<T: FromRow>(&self, session: &Session, parameters: impl Parameters) -> Result<T> {
        self.query(session, parameters)?.one()
    }

    /// The only value of the only row; see [`Session::query_scalar`].
    ///
    /// # Errors
    /// As those of [`Session::query_one`].
    ///
    /// ```
    /// let session = multiloop::Engine::new()?.session();
    /// let sum = session.prepare("SELECT $1::int + $2")?;
    /// assert_eq!(sum.query_scalar::<i32>(&session, (40, 2))?, 42);
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    pub fn query_scalar<T: for<'r> FromSql<'r>>(&self, session: &Session, parameters: impl Parameters) -> Result<T> {
        self.query(session, parameters)?.scalar()
    }

    /// The names of its parameters in order, of one that [`Session::prepare_named`] made; else there are none.
    ///
    /// ```
    /// let session = multiloop::Engine::new()?.session();
    /// assert_eq!(session.prepare_named("SELECT :b::int, :a::int, :b")?.parameter_names(), ["b", "a"]);
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    pub fn parameter_names(&self) -> &[String] {
        &self.names
    }

    /// The values of these parameters, and the statement bound for them if that is another one. One that `knows_digits` is bound
    /// with those of its numerics.
    fn fitted(
        &self,
        session: &Session,
        list: &[Parameter],
        knows_digits: bool,
    ) -> Result<(Option<Arc<Prepared>>, Vec<Value>)> {
        // A text is a literal, as `today` is.
        let sight = session.sight().at(session.work.times().transaction);
        let mut own: Vec<DataType> = vec![DataType::Null; list.len()];
        let mut bound: Option<Arc<Prepared>> = None;
        if knows_digits && list.len() == self.parameter_types().len() {
            for ((own, parameter), &data_type) in own.iter_mut().zip(list).zip(self.parameter_types()) {
                *own = parameter.digits_as(data_type).unwrap_or(DataType::Null);
            }
            if own.iter().any(|of| *of != DataType::Null) {
                bound = Some(self.variant(session, &own)?);
            }
        }
        // Each time one parameter at least gets its own type, and keeps it.
        loop {
            let prepared = bound.as_deref().unwrap_or(self);
            let types = prepared.parameter_types();
            prepared.check_count(list.len())?;
            let mut values = Vec::with_capacity(list.len());
            let mut is_other = false;
            for (at, (parameter, &data_type)) in list.iter().zip(types).enumerate() {
                let value = parameter.value_as(data_type, &sight).map_err(|error| of_parameter(error, at))?;
                match value {
                    Some(value) => values.push(value),
                    None => {
                        let of = parameter.own_type(data_type);
                        if own[at] != DataType::Null || of == DataType::Null || of == data_type {
                            return Err(parameter.mismatch(at, data_type));
                        }
                        own[at] = of;
                        is_other = true;
                    }
                }
            }
            if !is_other {
                return Ok((bound, values));
            }
            bound = Some(self.variant(session, &own)?);
        }
    }

    /// The statement bound with these types, where they are known, and those of its other parameters.
    fn variant(&self, session: &Session, own: &[DataType]) -> Result<Arc<Prepared>> {
        // What was text for want of another type may get one now.
        let kept = |known: DataType| if known == DataType::Text { DataType::Null } else { known };
        let known = self.parameter_types().iter();
        let types: Vec<DataType> =
            own.iter().zip(known).map(|(&own, &known)| if own == DataType::Null { kept(known) } else { own }).collect();
        let variants = || self.variants.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, variant)) = variants().iter().find(|(of, _)| *of == types) {
            return Ok(Arc::clone(variant));
        }
        let variant = Arc::new(session.bound_to(&self.statement, &types, &self.literals)?);
        let mut variants = variants();
        if variants.len() >= VARIANTS_MAX {
            variants.remove(0);
        }
        variants.push((types, Arc::clone(&variant)));
        Ok(variant)
    }
}

/// The error, which says which parameter it is about.
fn of_parameter(error: Error, at: usize) -> Error {
    if error.detail().is_some() {
        return error;
    }
    error.with_detail(format!("The value is that of parameter ${}.", at + 1))
}
