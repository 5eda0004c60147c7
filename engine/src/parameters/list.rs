//! All parameters of one statement.

use super::{Parameter, ToParameter};
use crate::tuples::for_tuples;
use crate::{Error, ErrorKind, Result};

/// The parameters of a statement, in order or by name: what `params!` and `named_params!` make.
///
/// ```
/// use multiloop::{ParameterList, ToParameter};
///
/// let mut list = ParameterList::default();
/// for price in [10, 20] {
///     list.push(price);
/// }
/// assert_eq!(list.len(), 2);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ParameterList {
    values: Vec<Parameter>,
    /// As many as there are values; without their marks.
    names: Option<Vec<String>>,
}

impl ParameterList {
    /// These parameters in order.
    ///
    /// ```
    /// use multiloop::{ParameterList, ToParameter};
    ///
    /// assert_eq!(ParameterList::of(vec![1.to_parameter()]).len(), 1);
    /// ```
    pub fn of(values: Vec<Parameter>) -> Self {
        ParameterList { values, names: None }
    }

    /// These parameters by name; a name may have its mark, `:` or `$`.
    ///
    /// ```
    /// use multiloop::{Engine, ParameterList, ToParameter};
    ///
    /// let session = Engine::new()?.session();
    /// let list = ParameterList::named(vec![(":a", 1.to_parameter())]);
    /// assert_eq!(session.query_scalar::<i32>("SELECT :a::int", list)?, 1);
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    pub fn named(all: Vec<(&str, Parameter)>) -> Self {
        let bare = |name: &str| name.strip_prefix([':', '$']).unwrap_or(name).to_owned();
        let (names, values) = all.into_iter().map(|(name, value)| (bare(name), value)).unzip();
        ParameterList { values, names: Some(names) }
    }

    /// One more behind the others, of a list without names.
    ///
    /// ```
    /// let mut list = multiloop::params![1];
    /// list.push("two");
    /// assert_eq!(list.len(), 2);
    /// ```
    pub fn push(&mut self, value: impl ToParameter) {
        if let Some(names) = &mut self.names {
            names.push((self.values.len() + 1).to_string());
        }
        self.values.push(value.to_parameter());
    }

    /// How many there are.
    ///
    /// ```
    /// assert_eq!(multiloop::params![1, "two"].len(), 2);
    /// ```
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there are none.
    ///
    /// ```
    /// assert!(multiloop::params![].is_empty());
    /// ```
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Whether they have names.
    pub(crate) fn is_named(&self) -> bool {
        self.names.is_some()
    }

    /// The values for a statement whose parameters have these names, in order; those of a list without names as they are.
    ///
    /// # Errors
    /// 42P02 for a name without a value, a value without a place, and two values of a name.
    pub(crate) fn ordered(self, places: &[String]) -> Result<Vec<Parameter>> {
        let Some(names) = self.names else { return Ok(self.values) };
        let unknown = |message: String| Err(Error::new(ErrorKind::UnknownParameter, message));
        for (at, name) in names.iter().enumerate() {
            if names[..at].contains(name) {
                return unknown(format!("parameter \"{name}\" is given twice"));
            }
            if !places.contains(name) {
                return unknown(format!("the statement has no parameter \"{name}\""));
            }
        }
        let mut ordered = Vec::with_capacity(places.len());
        for place in places {
            match names.iter().position(|name| name == place) {
                Some(at) => ordered.push(self.values[at].clone()),
                None => return unknown(format!("there is no value for parameter \"{place}\"")),
            }
        }
        Ok(ordered)
    }
}

/// What can be given as the parameters of a statement: `params!`, `named_params!`, a tuple of up to twelve values, an array or a
/// slice of values of one type, `()` for none.
///
/// ```
/// use multiloop::{Engine, params};
///
/// let session = Engine::new()?.session();
/// let sql = "SELECT $1::int + $2";
/// assert_eq!(session.query_scalar::<i32>(sql, (40, 2))?, 42);
/// assert_eq!(session.query_scalar::<i32>(sql, [40, 2])?, 42);
/// assert_eq!(session.query_scalar::<i32>(sql, params![40, "2"])?, 42);
/// assert_eq!(session.query_scalar::<i32>("SELECT 42", ())?, 42);
/// # Ok::<(), multiloop::Error>(())
/// ```
pub trait Parameters {
    /// As a list.
    fn into_list(self) -> ParameterList;
}

impl Parameters for ParameterList {
    fn into_list(self) -> ParameterList {
        self
    }
}

impl Parameters for &ParameterList {
    fn into_list(self) -> ParameterList {
        self.clone()
    }
}

impl Parameters for () {
    fn into_list(self) -> ParameterList {
        ParameterList::default()
    }
}

impl<T: ToParameter> Parameters for &[T] {
    fn into_list(self) -> ParameterList {
        ParameterList::of(self.iter().map(T::to_parameter).collect())
    }
}

impl<T: ToParameter, const N: usize> Parameters for [T; N] {
    fn into_list(self) -> ParameterList {
        self.as_slice().into_list()
    }
}

impl<T: ToParameter, const N: usize> Parameters for &[T; N] {
    fn into_list(self) -> ParameterList {
        self.as_slice().into_list()
    }
}

impl<T: ToParameter> Parameters for Vec<T> {
    fn into_list(self) -> ParameterList {
        self.as_slice().into_list()
    }
}

macro_rules! tuple_parameters {
    ($($of:ident $at:tt),*) => {
        impl<$($of: ToParameter),*> Parameters for ($($of,)*) {
            fn into_list(self) -> ParameterList {
                ParameterList::of(vec![$(self.$at.to_parameter()),*])
            }
        }
    };
}

for_tuples!(tuple_parameters);
