//! The functions of advisory locks: what they ask, and their values, which are known before the query runs.

use super::RowLocks;
use super::advisory::{Asked, Key, Manner};
use multiloop_planner::types::{DataType, SystemType};
use multiloop_planner::value::Value;

/// The types of the arguments of a function, and whether its value is a boolean; none if it is another function.
pub(crate) fn signature(name: &str, arguments: usize) -> Option<(Vec<DataType>, bool)> {
    if name == "pg_advisory_unlock_all" {
        return (arguments == 0).then_some((Vec::new(), false));
    }
    let (what, _) = parsed(name)?;
    let types = match arguments {
        1 => vec![DataType::BigInt],
        2 => vec![DataType::Integer, DataType::Integer],
        _ => return None,
    };
    Some((types, what != What::Take))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum What {
    Take,
    TryTake,
    GiveBack,
}

fn parsed(name: &str) -> Option<(What, Manner)> {
    let (plain, shared) = name.strip_suffix("_shared").map_or((name, false), |plain| (plain, true));
    let (what, transaction) = match plain {
        "pg_advisory_lock" => (What::Take, false),
        "pg_advisory_xact_lock" => (What::Take, true),
        "pg_try_advisory_lock" => (What::TryTake, false),
        "pg_try_advisory_xact_lock" => (What::TryTake, true),
        "pg_advisory_unlock" => (What::GiveBack, false),
        _ => return None,
    };
    Some((what, Manner { shared, transaction }))
}

/// The value of a call and its type, which adds to what the statement asks; none of another function.
pub(crate) fn value(
    call: (&str, &[Value]),
    locks: (u32, &RowLocks),
    pending: &mut Vec<Asked>,
) -> Option<(Value, DataType)> {
    let (asked, value) = self::call(call, locks, pending)?;
    pending.extend(asked);
    let of = match value {
        Value::Boolean(_) => DataType::Boolean,
        _ => DataType::System(SystemType::Void),
    };
    Some((value, of))
}

/// What a call asks of whom, and its value; `pending` is what the statement asks already. None of another function.
fn call(
    (name, arguments): (&str, &[Value]),
    (session, locks): (u32, &RowLocks),
    pending: &[Asked],
) -> Option<(Option<Asked>, Value)> {
    if name == "pg_advisory_unlock_all" && arguments.is_empty() {
        return Some((Some(Asked::GiveBackAll), Value::text("")));
    }
    let (what, manner) = parsed(name)?;
    let key = match arguments {
        [Value::Int(key)] => Key::One(*key),
        [Value::Int(first), Value::Int(second)] => Key::Two(i32::try_from(*first).ok()?, i32::try_from(*second).ok()?),
        _ => return Some((None, Value::Null)),
    };
    Some(match what {
        What::Take => (Some(Asked::Take(key, manner)), Value::text("")),
        What::TryTake => {
            let is_free = locks.is_advisory_free(session, key, manner);
            (is_free.then_some(Asked::TryTake(key, manner)), Value::Boolean(is_free))
        }
        What::GiveBack => {
            let takes = |asked: &Asked| match asked {
                Asked::Take(of, how) | Asked::TryTake(of, how) => *of == key && how.shared == manner.shared,
                _ => false,
            };
            let has = locks.has_advisory(session, key, manner.shared) || pending.iter().any(takes);
            (has.then_some(Asked::GiveBack(key, manner.shared)), Value::Boolean(has))
        }
    })
}
