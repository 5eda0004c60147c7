//! The functions of an engine by their names, and how they get there.

use super::aggregate::AggregateFunction;
use super::scalar::ScalarFunction;
use super::table::{SharedTable, TableFunction};
use crate::{DataType, Error, ErrorKind, Result};
use multiloop_planner::catalog::UserCallee;
use multiloop_planner::function::is_same;
use multiloop_planner::relation::builder::functions;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, LazyLock};

/// The functions that a program has registered: one state of them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Functions {
    /// Counts changes; two states of an engine with one version are one.
    version: u64,
    by_name: Arc<BTreeMap<String, Vec<UserCallee>>>,
    tables: Arc<BTreeMap<u32, SharedTable>>,
}

impl PartialEq for Functions {
    fn eq(&self, other: &Self) -> bool {
        self.version == other.version
    }
}

impl Eq for Functions {}

/// Whether SQL has functions of a name. Those of vectors leave it to functions of a row's values: the arguments' types say which
/// of them is called.
fn is_taken(name: &str, is_scalar: bool) -> bool {
    static NAMES: LazyLock<HashMap<&'static str, bool>> =
        LazyLock::new(|| functions().into_iter().map(|known| (known.name, known.is_of_vectors())).collect());
    NAMES.get(name).is_some_and(|of_vectors| !(*of_vectors && is_scalar))
}

impl Functions {
    /// The state's number.
    pub(crate) fn version(&self) -> u64 {
        self.version
    }

    /// What is called by a name.
    pub(crate) fn named(&self, name: &str) -> Vec<UserCallee> {
        self.by_name.get(name).cloned().unwrap_or_default()
    }

    /// All of them with their names, in the order of these.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &UserCallee)> {
        self.by_name.iter().flat_map(|(name, all)| all.iter().map(move |known| (name.as_str(), known)))
    }

    /// The table function of a number.
    pub(crate) fn table(&self, number: u32) -> Result<SharedTable> {
        self.tables.get(&number).cloned().ok_or_else(|| Error::internal("a table function that nobody registered"))
    }

    /// Adds a function of a row's values.
    pub(crate) fn add_scalar(&mut self, function: ScalarFunction) -> Result<()> {
        let name = function.signature.name.clone();
        self.check(&name, true, |known| matches!(known, UserCallee::Scalar(_)))?;
        self.add(name, UserCallee::Scalar(function.define()?))
    }

    /// Adds an aggregate.
    pub(crate) fn add_aggregate(&mut self, function: AggregateFunction) -> Result<()> {
        let name = function.name().to_owned();
        self.check(&name, false, |known| matches!(known, UserCallee::Aggregate(_)))?;
        self.add(name, UserCallee::Aggregate(function.define()?))
    }

    /// Adds a table function.
    pub(crate) fn add_table(&mut self, function: TableFunction) -> Result<()> {
        let name = function.name.clone();
        self.check(&name, false, |known| matches!(known, UserCallee::Table { .. }))?;
        function.check()?;
        let number = self.tables.last_key_value().map_or(0, |(last, _)| last + 1);
        let parameters = function.parameters.clone();
        Arc::make_mut(&mut self.tables).insert(number, Arc::new(function));
        let added = self.add(name, UserCallee::Table { number, parameters });
        self.keep_tables();
        added
    }

    /// Takes all overloads of a name away; whether there were any.
    pub(crate) fn remove(&mut self, name: &str) -> bool {
        let removed = Arc::make_mut(&mut self.by_name).remove(&name.to_lowercase());
        self.version += u64::from(removed.is_some());
        self.keep_tables();
        removed.is_some()
    }

    /// An error for a name that no function can get, or that one of another kind has.
    fn check(&self, name: &str, is_scalar: bool, is_of_kind: impl Fn(&UserCallee) -> bool) -> Result<()> {
        if name.is_empty() || name.contains('\0') {
            return Err(Error::new(ErrorKind::InvalidParameter, "a function needs a name"));
        }
        if is_taken(name, is_scalar) {
            let message = format!("function {name} is one of SQL's own");
            return Err(Error::new(ErrorKind::DuplicateFunction, message));
        }
        if !self.named(name).iter().all(is_of_kind) {
            let message = format!("function {name} is of another kind already");
            return Err(Error::new(ErrorKind::WrongObjectType, message));
        }
        Ok(())
    }

    /// Adds an overload, in the place of one for the same types. One that no call could tell from another is an error (42723).
    fn add(&mut self, name: String, function: UserCallee) -> Result<()> {
        let types: Vec<DataType> = function.parameters().to_vec();
        let is_like = |(a, b): (&DataType, &DataType)| is_same(*a, *b) || is_same(*b, *a);
        let is_blurred = |known: &&UserCallee| {
            let known = known.parameters();
            known != types && known.len() == types.len() && known.iter().zip(&types).all(is_like)
        };
        if let Some(known) = self.by_name.get(&name).and_then(|all| all.iter().find(is_blurred)) {
            let types: Vec<String> = known.parameters().iter().map(DataType::to_string).collect();
            let message = format!("calls could not tell it from function {name}({}), which is there", types.join(", "));
            return Err(Error::new(ErrorKind::DuplicateFunction, message));
        }
        let overloads = Arc::make_mut(&mut self.by_name).entry(name).or_default();
        overloads.retain(|known| known.parameters() != types);
        overloads.push(function);
        self.version += 1;
        self.keep_tables();
        Ok(())
    }

    /// Forgets table functions that no name has.
    fn keep_tables(&mut self) {
        let numbers: HashSet<u32> = self
            .by_name
            .values()
            .flatten()
            .filter_map(|known| if let UserCallee::Table { number, .. } = known { Some(*number) } else { None })
            .collect();
        if self.tables.len() > numbers.len() {
            Arc::make_mut(&mut self.tables).retain(|number, _| numbers.contains(number));
        }
    }
}
