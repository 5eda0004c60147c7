//! Reductions: the monoids of the IR, aggregates that feed them, and what is known of each, as one table that rules, plans and
//! backends ask ([`Reduction::properties`]).

use super::{Scalar, ScalarId, Scalars};
pub use crate::evaluate::gather::Gather;
pub use crate::evaluate::statistic::Statistic;
use crate::function::Effects;
use crate::types::{DataType, SortOrder};
use crate::value::Value;
use serde::{Deserialize, Serialize};

/// Rows that no loop exceeds: a traversal of more would take centuries. 10^19 is more than 2^63.
const ROWS_DIGITS_MAX: u32 = 19;

/// A reduction and what it is fed.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Aggregate {
    /// Which monoid.
    pub reduction: Reduction,
    /// Its arguments: none for `CountRows`; the order keys and then the fields for `TopK`; else one.
    pub arguments: Vec<ScalarId>,
    /// FILTER: more conditions, for this aggregate only.
    pub condition: Vec<ScalarId>,
    /// Whether equal arguments count once (one argument only; not for TopK).
    pub distinct: bool,
    /// The type of the result (of `TopK`: Null, its fields have their own).
    pub data_type: DataType,
}

/// A monoid: an associative, commutative combination with an identity. NULL arguments are left out, except by
/// `CountRows`, `First`, `Single` and `TopK`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Reduction {
    /// Number of rows, bigint. Identity 0.
    CountRows,
    /// Number of arguments that are not NULL, bigint. Identity 0.
    Count,
    /// Sum in the result's type; an overflow of the final sum is an error, one on the way is not. Of no rows NULL.
    Sum,
    /// Smallest argument in SQL's order. Of no rows NULL.
    Min,
    /// Largest argument in SQL's order. Of no rows NULL.
    Max,
    /// Three-valued OR over all arguments: TRUE if one is TRUE, else NULL if one is NULL, else FALSE. FALSE of no
    /// rows. This is ANY's meaning; `bool_or` leaves NULLs out by a condition and maps no rows to NULL.
    Any,
    /// Three-valued AND: FALSE if one is FALSE, else NULL if one is NULL, else TRUE. TRUE of no rows.
    All,
    /// The argument of any one row (the caller knows that all are equal). Of no rows NULL.
    First,
    /// The argument of the only row; more than one row is an error (21000). Of no rows NULL.
    Single,
    /// Variance of doubles or numbers, by a stable method. NULL of no rows (sample: of one row, too).
    Variance {
        /// Divide by n - 1 rather than n.
        sample: bool,
    },
    /// The texts of all arguments as one, without what stands before the NUL in each; or one of all arguments. Of no rows NULL.
    Gather(Gather),
    /// What a state of its own says of all arguments. Of no rows NULL, but for an estimate of their number.
    Statistic(Statistic),
    /// The first `limit` rows in this order after leaving out `offset`, in order; ties broken by all fields.
    /// The only aggregate of a Reduce. The first `order.len()` arguments are the order keys.
    TopK {
        /// The order of the leading arguments; empty for LIMIT without ORDER BY (any rows may be chosen).
        order: Vec<SortOrder>,
        /// A bigint that reads no index; NULL means all.
        limit: ScalarId,
        /// A bigint that reads no index; NULL means 0.
        offset: ScalarId,
    },
}

/// What is known of a reduction, whatever it is fed. DISTINCT and conditions are the aggregate's: a distinct aggregate takes
/// a row that comes twice as one, and keeps its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Properties {
    /// What it gives of no rows, or of none that count.
    pub identity: Identity,
    /// Whether rows count whose argument is NULL.
    pub takes_nulls: bool,
    /// What gives the result of all rows from the results of parts of them, in any cut into parts that have rows; none if
    /// results say too little. States can always be merged. Of floats a sum of sums is rounded more than once, and a sum of
    /// a part may overflow where that of all rows does not: who minds merges states.
    pub merged_by: Option<Reduction>,
    /// Whether the order of the rows may show. The order of parts may show then, too.
    pub order_sensitive: bool,
    /// Whether a row that comes twice is as good as one.
    pub idempotent: bool,
    /// The argument of which one is enough: what other rows say does not count.
    pub decided_by: Option<bool>,
    /// What has to be kept of a group.
    pub state: State,
}

/// What a reduction gives of no rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Identity {
    /// 0; and a number of any rows.
    Zero,
    /// FALSE or TRUE.
    Boolean(bool),
    /// NULL.
    Null,
    /// No row: of top-k, which gives rows.
    Nothing,
}

/// The shape of what is kept of a group while rows come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// A number of rows: 8 bytes.
    Count,
    /// What was met: a byte.
    Flags,
    /// One of the arguments: as wide as these.
    Value,
    /// The exact sum: of integers 8 bytes while proofs about their ranges hold, else 20; of intervals 48; of floats and
    /// numerics as many as their exponents and digits ask for.
    Sum,
    /// How many, and the exact sums of the arguments and of their squares; or what statistics keep.
    Moments,
    /// Texts, or other values: those of all rows.
    Texts,
    /// Rows: as many as are to be given.
    Rows,
}

impl Reduction {
    /// What is known of it: the one place that says so.
    pub fn properties(&self) -> Properties {
        use Identity::{Boolean, Nothing, Null, Zero};
        use Reduction as R;
        let of = |identity, takes_nulls, merged_by, order_sensitive, idempotent, decided_by, state| Properties {
            identity,
            takes_nulls,
            merged_by,
            order_sensitive,
            idempotent,
            decided_by,
            state,
        };
        match self {
            //                        identity         NULLs  merged by        order  twice  decided by   state
            R::CountRows => of(Zero, true, Some(R::Sum), false, false, None, State::Count),
            R::Count => of(Zero, false, Some(R::Sum), false, false, None, State::Count),
            R::Sum => of(Null, false, Some(R::Sum), false, false, None, State::Sum),
            R::Min => of(Null, false, Some(R::Min), false, true, None, State::Value),
            R::Max => of(Null, false, Some(R::Max), false, true, None, State::Value),
            R::Any => of(Boolean(false), true, Some(R::Any), false, true, Some(true), State::Flags),
            R::All => of(Boolean(true), true, Some(R::All), false, true, Some(false), State::Flags),
            R::First => of(Null, true, Some(R::First), true, true, None, State::Value),
            R::Single => of(Null, true, Some(R::Single), false, false, None, State::Value),
            R::Variance { .. } => of(Null, false, None, false, false, None, State::Moments),
            R::Gather(how) => {
                let (arrived, distinct) = (*how == Gather::Arrived, *how == Gather::Distinct);
                of(Null, false, None, arrived, distinct, None, State::Texts)
            }
            R::Statistic(kind) => {
                let identity = if kind.is_count() { Zero } else { Null };
                of(identity, false, None, kind.is_order_sensitive(), kind.is_idempotent(), None, State::Moments)
            }
            // Without an order any rows are the first.
            R::TopK { order, .. } => of(Nothing, true, None, order.is_empty(), false, None, State::Rows),
        }
    }

    /// Whether its result is never NULL, of whatever rows: it is a number of rows.
    pub fn is_count(&self) -> bool {
        self.properties().identity == Identity::Zero
    }

    /// Whether it gives rows, and no value.
    pub fn gives_rows(&self) -> bool {
        self.properties().state == State::Rows
    }
}

impl Aggregate {
    /// An aggregate without condition and DISTINCT.
    pub fn new(reduction: Reduction, arguments: Vec<ScalarId>, data_type: DataType) -> Self {
        Aggregate { reduction, arguments, condition: Vec::new(), distinct: false, data_type }
    }

    /// Visits its scalars: arguments, condition, then top-k's limit and offset.
    pub fn for_each_scalar(&self, mut visit: impl FnMut(ScalarId)) {
        self.arguments.iter().chain(&self.condition).copied().for_each(&mut visit);
        if let Reduction::TopK { limit, offset, .. } = &self.reduction {
            visit(*limit);
            visit(*offset);
        }
    }

    /// Whether it asks whether there is a row: EXISTS as an aggregate.
    pub fn is_any_true(&self, scalars: &Scalars) -> bool {
        self.reduction == Reduction::Any
            && self.condition.is_empty()
            && *scalars.get(self.arguments[0]) == Scalar::Constant(Value::Boolean(true))
    }

    /// What the reduction itself may do, besides what its arguments do.
    pub fn own_effects(&self, scalars: &Scalars) -> Effects {
        let may_fail = match &self.reduction {
            Reduction::Gather(Gather::One { .. }) => false,
            Reduction::Statistic(kind) => kind.may_fail(),
            Reduction::Single | Reduction::Gather(_) => true,
            Reduction::Sum => !sum_is_total(scalars.data_type(self.arguments[0]), self.data_type),
            // A negative limit is an error.
            Reduction::TopK { limit, offset, .. } => {
                [limit, offset].iter().any(|&&id| !matches!(scalars.get(id), Scalar::Constant(_)))
            }
            _ => false,
        };
        Effects { may_fail, volatile: false }
    }

    /// Changes its scalars in place: arguments, condition, then top-k's limit and offset.
    pub fn for_each_scalar_mut(&mut self, mut change: impl FnMut(&mut ScalarId)) {
        self.arguments.iter_mut().chain(&mut self.condition).for_each(&mut change);
        if let Reduction::TopK { limit, offset, .. } = &mut self.reduction {
            change(limit);
            change(offset);
        }
    }
}

/// Whether no number of rows that a machine can go through makes this sum overflow.
pub(crate) fn sum_is_total(argument: DataType, result: DataType) -> bool {
    // What is beyond the largest element is an infinity.
    if argument.is_vector() {
        return true;
    }
    // 2^32 rows of the largest integer: beyond what one machine holds.
    if matches!(argument, DataType::SmallInt | DataType::Integer) && result == DataType::BigInt {
        return true;
    }
    let (Some((_, high)), Some((_, limit))) = (argument.integer_bounds(), result.integer_bounds()) else {
        return false;
    };
    argument.scale() == result.scale()
        && high.checked_mul(10i128.pow(ROWS_DIGITS_MAX)).is_some_and(|largest| largest <= limit)
}
