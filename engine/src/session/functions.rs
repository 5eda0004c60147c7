//! How functions of the program's own come to an engine.

use super::Session;
use crate::engine::Engine;
use crate::functions::{AggregateFunction, ScalarFunction, TableFunction};
use crate::{Result, guard};

impl Engine {
    /// Lets statements of all sessions call a function of a row's values; see [`ScalarFunction`](crate::ScalarFunction).
    ///
    /// # Errors
    /// 42723 for a name of SQL's own functions, 42809 for that of an aggregate or a table function, 22023 for a type that no
    /// function is declared with, 42804 for types that the closure does not take.
    ///
    /// ```
    /// use multiloop::{Engine, ScalarFunction};
    ///
    /// let engine = Engine::new()?;
    /// engine.register_scalar(ScalarFunction::new("twice", |n: i64| n.checked_mul(2).ok_or("too large")))?;
    /// assert_eq!(engine.session().query_scalar::<i64>("SELECT twice(21)", ())?, 42);
    /// let taken = ScalarFunction::new("length", |n: i64| n);
    /// assert_eq!(engine.register_scalar(taken).unwrap_err().sqlstate(), "42723");
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    pub fn register_scalar(&self, function: ScalarFunction) -> Result<()> {
        guard::caught(|| self.0.change_functions(|functions| functions.add_scalar(function)))
    }

    /// Lets statements of all sessions call an aggregate; see [`Aggregate`](crate::Aggregate).
    ///
    /// # Errors
    /// As those of [`Engine::register_scalar`]; 0A000 for one without arguments, or of arrays.
    pub fn register_aggregate(&self, function: AggregateFunction) -> Result<()> {
        guard::caught(|| self.0.change_functions(|functions| functions.add_aggregate(function)))
    }

    /// Lets statements of all sessions call a function that gives rows; see [`TableFunction`].
    ///
    /// # Errors
    /// As those of [`Engine::register_scalar`].
    pub fn register_table_function(&self, function: TableFunction) -> Result<()> {
        guard::caught(|| self.0.change_functions(|functions| functions.add_table(function)))
    }

    /// Takes the functions of a name away that the program registered; whether there were any. Statements that run may have an error
    /// (42883), and so have views that call one from then on.
    ///
    /// ```
    /// use multiloop::{Engine, ScalarFunction};
    ///
    /// let engine = Engine::new()?;
    /// engine.register_scalar(ScalarFunction::new("answer", || 42))?;
    /// let session = engine.session();
    /// session.sql("CREATE VIEW v AS SELECT answer() AS a")?;
    /// assert_eq!(session.query_scalar::<i32>("SELECT a FROM v", ())?, 42);
    /// assert!(engine.remove_function("answer") && !engine.remove_function("answer"));
    /// assert_eq!(session.query_scalar::<i32>("SELECT a FROM v", ()).unwrap_err().sqlstate(), "42883");
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    pub fn remove_function(&self, name: &str) -> bool {
        self.0.change_functions(|functions| Ok(functions.remove(name))).unwrap_or(false)
    }
}

impl Session {
    /// As [`Engine::register_scalar`]: a function belongs to the engine.
    ///
    /// # Errors
    /// Those of [`Engine::register_scalar`].
    pub fn register_scalar(&self, function: ScalarFunction) -> Result<()> {
        self.engine().register_scalar(function)
    }

    /// As [`Engine::register_aggregate`].
    ///
    /// # Errors
    /// Those of [`Engine::register_aggregate`].
    pub fn register_aggregate(&self, function: AggregateFunction) -> Result<()> {
        self.engine().register_aggregate(function)
    }

    /// As [`Engine::register_table_function`].
    ///
    /// # Errors
    /// Those of [`Engine::register_table_function`].
    pub fn register_table_function(&self, function: TableFunction) -> Result<()> {
        self.engine().register_table_function(function)
    }
}
