//! Checks PRIMARY KEY and UNIQUE: whether appended rows leave each key different in all rows.
//!
//! Where the statistics of the new table prove a column of the key unique there is nothing to do: so it is for serial numbers and
//! for most files. Else the new rows are looked up among themselves, and, if their range is not apart from the old ones', in an
//! index of the old rows, which the table's snapshots share: it is made when it is first asked for, and sees each row once
//! ([`RowIndex`]).

use crate::{Error, ErrorKind, Result};
use multiloop_exec::column::row_index::{RowIndex, RowPlaces, hash_value, hash_values};
use multiloop_exec::column::{Column, Table};
use multiloop_exec::workers::context::Context;
use multiloop_planner::catalog::{Key, TableHandle};
use multiloop_planner::evaluate;
use multiloop_planner::types::DataType;
use multiloop_planner::value::Value;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

/// To look through all rows so often takes about as long as to make an index of them.
const LOOKUPS_BEFORE_INDEX: u32 = 8;

/// Rows that an index sees before it hears a cancel.
const ROWS_AT_ONCE: usize = 1 << 16;

/// Rows of a table by its keys, for its snapshots as they follow each other.
#[derive(Debug)]
pub(crate) struct KeyIndexes(Mutex<Indexes>);

#[derive(Debug)]
struct Indexes {
    /// The last snapshot, with whose rows the indexes begin. Others may have gone on from one before it: what a transaction that
    /// was rolled back has appended is not theirs.
    last: TableHandle,
    /// An index a key that has been asked.
    by_key: Vec<Option<KeyIndex>>,
    /// How often somebody has looked for a row.
    asked: u32,
}

/// The first rows of a table, by a key of columns of these types.
#[derive(Debug)]
struct KeyIndex {
    types: Vec<DataType>,
    rows: RowIndex,
}

/// What is done to a table.
pub(crate) struct Change<'a> {
    /// The snapshot that is changed.
    pub(crate) snapshot: TableHandle,
    /// The rows that it had. Indexes know only such: whatever becomes of the change, they stay right.
    pub(crate) old: &'a Table,
    /// Those that come, stored as the old ones are.
    pub(crate) rows: &'a Table,
    /// Both.
    pub(crate) all: &'a Table,
    /// The rows that come, as values.
    pub(crate) shown: &'a Table,
    /// The column that marks rows that are deleted: they have no keys.
    pub(crate) marks: Option<usize>,
}

/// A row of a table: its columns, and its place in them.
type Row<'a> = (&'a [Column], usize);

impl KeyIndexes {
    /// Those of a snapshot that nothing is known of.
    pub(crate) fn new(last: TableHandle) -> Arc<Self> {
        Arc::new(KeyIndexes(Mutex::new(Indexes { last, by_key: Vec::new(), asked: 0 })))
    }

    fn lock(&self) -> MutexGuard<'_, Indexes> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Those of a snapshot that begins with the rows of another one: the same, unless somebody has gone on from that before.
    pub(crate) fn followed(self: &Arc<Self>, by: TableHandle, from: TableHandle) -> Arc<Self> {
        let mut indexes = self.lock();
        if indexes.last != from {
            return KeyIndexes::new(by);
        }
        indexes.last = by;
        Arc::clone(self)
    }

    /// Makes indexes, of a snapshot whose rows have got other numbers, of the keys of which those of the one before have some: before
    /// somebody waits for one.
    ///
    /// # Errors
    /// 53200, and 57014 if it is cancelled.
    pub(crate) fn follow(
        &self,
        before: &KeyIndexes,
        (snapshot, table): (TableHandle, &Table),
        keys: &[Key],
        context: &Context,
    ) -> Result<()> {
        if table.rows() > RowIndex::ROWS_MAX {
            return Ok(());
        }
        let (made, asked) = {
            let before = before.lock();
            (before.by_key.iter().map(Option::is_some).collect::<Vec<bool>>(), before.asked)
        };
        let places = RowPlaces::new(table);
        let mut own = self.lock();
        own.asked = asked;
        for (number, key) in keys.iter().enumerate().filter(|(number, _)| made.get(*number) == Some(&true)) {
            let types: Vec<DataType> = key.columns.iter().map(|&column| table.fields[column].data_type).collect();
            own.with((number, key, &types), (snapshot, &places, table.rows()), context, |_| Ok(()))?;
        }
        Ok(())
    }

    /// The error (23505) for the first row whose key another row has.
    pub(crate) fn check(&self, keys: &[Key], change: Change<'_>, context: &Context) -> Result<()> {
        for (number, key) in keys.iter().enumerate() {
            if is_proven(key, change.all) || is_found_proven(key, change.all, context)? {
                continue;
            }
            if let Some(row) = self.repeated((number, key), &change, context)? {
                let (columns, at) = RowPlaces::new(change.shown).of(row);
                return Err(violation(key, change.shown, columns, at).of_row(row as u64 + 1));
            }
        }
        Ok(())
    }

    /// The row of a snapshot that has these values, if one has; none where there is no index to ask. An index is made once that has
    /// been asked often enough to pay for it.
    pub(crate) fn lookup(
        &self,
        (number, key): (usize, &Key),
        values: &[Value],
        (snapshot, table, marks): (TableHandle, &Table, Option<usize>),
        context: &Context,
    ) -> Result<Option<Option<usize>>> {
        // Who makes an index has it to himself meanwhile.
        let mut known = match self.0.try_lock() {
            Ok(known) => known,
            Err(TryLockError::Poisoned(known)) => known.into_inner(),
            Err(TryLockError::WouldBlock) => return Ok(None),
        };
        // A snapshot that others have gone on from would have one of its own.
        if known.last != snapshot || table.rows() > RowIndex::ROWS_MAX {
            return Ok(None);
        }
        known.asked += 1;
        let is_there = known.by_key.get(number).is_some_and(Option::is_some);
        if !is_there && known.asked < LOOKUPS_BEFORE_INDEX {
            return Ok(None);
        }
        let types: Vec<DataType> = key.columns.iter().map(|&column| table.fields[column].data_type).collect();
        let fits = values.iter().zip(&types).all(|(value, data_type)| value.fits(*data_type));
        if !fits || values.iter().any(Value::is_null) {
            return Ok(None);
        }
        let asked: Vec<Column> =
            values.iter().zip(&types).map(|(value, data_type)| Column::from_values(*data_type, [value])).collect();
        let hash = hash_values(asked.iter().zip(&types).map(|(column, data_type)| hash_value(column, 0, *data_type)));
        let before = RowPlaces::new(table);
        let has_values = |row: usize| {
            let (columns, at) = before.of(row);
            !is_deleted((columns, at), marks)
                && key.columns.iter().zip(&asked).zip(&types).all(|((&column, asked), &data_type)| {
                    are_equal_values((&columns[column], at), (asked, 0), data_type)
                })
        };
        #[cfg(test)]
        tests::LOOKED_UP.with(|count| count.set(count.get() + 1));
        let find = |index: &KeyIndex| Ok(Some(index.rows.find(hash, has_values)));
        known.with((number, key, &types), (snapshot, &before, table.rows()), context, find)
    }

    /// Of each row the one of the table as it was that has its key, if there is one, by numbers; the rows are stored as those are.
    pub(crate) fn find(
        &self,
        (number, key): (usize, &Key),
        change: &Change<'_>,
        context: &Context,
    ) -> Result<Vec<Option<usize>>> {
        let Change { old, rows, marks, snapshot, .. } = *change;
        let types: Vec<DataType> = key.columns.iter().map(|&column| rows.fields[column].data_type).collect();
        let before = RowPlaces::new(old);
        if old.rows() > RowIndex::ROWS_MAX {
            return found_by_scan(key, &types, (&before, &RowPlaces::new(rows)), marks, context);
        }
        let find = |index: &KeyIndex| {
            let find = |(number, row): (usize, Row<'_>)| {
                check_often(number, context)?;
                let is = |other| !is_deleted(before.of(other), marks) && are_equal(key, &types, before.of(other), row);
                Ok(hash(key, &types, row, marks).and_then(|hash| index.rows.find(hash, is)))
            };
            RowPlaces::new(rows).from(0).enumerate().map(find).collect()
        };
        self.lock().with((number, key, &types), (snapshot, &before, old.rows()), context, find)
    }

    /// Whether each row is to come in: none is there that has its key (`there`), nor has one before it that comes in. Of each key there are
    /// the rows that it is of, and what marks those of them that have none.
    pub(crate) fn new_among(
        keys: &[(&Key, &Table, Option<usize>)],
        there: &[Option<usize>],
        context: &Context,
    ) -> Result<Vec<bool>> {
        let mut indexes = Vec::with_capacity(keys.len());
        for &(key, rows, marks) in keys {
            let types: Vec<DataType> = key.columns.iter().map(|&column| rows.fields[column].data_type).collect();
            indexes.push((key, types, RowPlaces::new(rows), marks, RowIndex::new(context)));
        }
        let mut are_new = Vec::with_capacity(there.len());
        for (number, there) in there.iter().enumerate() {
            check_often(number, context)?;
            let is_new = there.is_none()
                && indexes.iter().all(|(key, types, places, marks, index)| {
                    let row = places.of(number);
                    let is = |other| are_equal(key, types, places.of(other), row);
                    hash(key, types, row, *marks).is_none_or(|hash| index.find(hash, is).is_none())
                });
            for (key, types, places, marks, index) in &mut indexes {
                index.push(hash(key, types, places.of(number), *marks).filter(|_| is_new))?;
            }
            are_new.push(is_new);
        }
        Ok(are_new)
    }

    /// The error (23505) for a row among `changed` ones, whose numbers ascend, that has a key of another row of the table as it is
    /// now; `shown` gives the changed rows as values.
    pub(crate) fn check_changed(
        key: &Key,
        all: &Table,
        (changed, marks): (&[usize], Option<usize>),
        shown: impl FnOnce() -> Result<Table>,
        context: &Context,
    ) -> Result<()> {
        if is_proven(key, all) {
            return Ok(());
        }
        let types: Vec<DataType> = key.columns.iter().map(|&column| all.fields[column].data_type).collect();
        let places = RowPlaces::new(all);
        let mut index = RowIndex::new(context);
        let mut repeated = None;
        for (at, &row) in changed.iter().enumerate() {
            check_often(at, context)?;
            let row = places.of(row);
            let hash = hash(key, &types, row, marks);
            let is = |other: usize| are_equal(key, &types, places.of(changed[other]), row);
            if repeated.is_none() && hash.is_some_and(|hash| index.find(hash, is).is_some()) {
                repeated = Some(at);
            }
            index.push(hash)?;
        }
        let mut next = changed.iter().peekable();
        for (number, row) in places.from(0).enumerate() {
            check_often(number, context)?;
            if next.next_if(|&&changed| changed == number).is_some() {
                continue;
            }
            let hash = hash(key, &types, row, marks);
            let is = |other: usize| are_equal(key, &types, places.of(changed[other]), row);
            if repeated.is_some() {
                break;
            }
            repeated = hash.and_then(|hash| index.find(hash, is));
        }
        let Some(row) = repeated else { return Ok(()) };
        let shown = shown()?;
        let (columns, at) = RowPlaces::new(&shown).of(row);
        Err(violation(key, &shown, columns, at))
    }

    /// The first new row whose key another row has.
    fn repeated(&self, (number, key): (usize, &Key), change: &Change<'_>, context: &Context) -> Result<Option<usize>> {
        let Change { old, rows, marks, .. } = *change;
        let types: Vec<DataType> = key.columns.iter().map(|&column| rows.fields[column].data_type).collect();
        let places = RowPlaces::new(rows);
        let mut new = RowIndex::new(context);
        for (number, row) in places.from(0).enumerate() {
            check_often(number, context)?;
            let hash = hash(key, &types, row, marks);
            if hash.is_some_and(|hash| new.find(hash, |other| are_equal(key, &types, places.of(other), row)).is_some())
            {
                return Ok(Some(number));
            }
            new.push(hash)?;
        }
        if is_apart(key, old, rows) {
            return Ok(None);
        }
        let before = RowPlaces::new(old);
        if old.rows() > RowIndex::ROWS_MAX {
            for (number, row) in before.from(0).enumerate() {
                check_often(number, context)?;
                let hash = hash(key, &types, row, marks);
                let found = hash.and_then(|hash| new.find(hash, |new| are_equal(key, &types, places.of(new), row)));
                if found.is_some() {
                    return Ok(found);
                }
            }
            return Ok(None);
        }
        let find = |index: &KeyIndex| {
            for (number, row) in places.from(0).enumerate() {
                check_often(number, context)?;
                // It knows rows that have been deleted since.
                let is = |other| !is_deleted(before.of(other), marks) && are_equal(key, &types, before.of(other), row);
                if hash(key, &types, row, marks).is_some_and(|hash| index.rows.find(hash, is).is_some()) {
                    return Ok(Some(number));
                }
            }
            Ok(None)
        };
        self.lock().with((number, key, &types), (change.snapshot, &before, old.rows()), context, find)
    }
}

impl Indexes {
    /// An index of all of the rows of a snapshot by a key.
    fn with<T>(
        &mut self,
        (number, key, types): (usize, &Key, &[DataType]),
        (snapshot, before, rows): (TableHandle, &RowPlaces<'_>, usize),
        context: &Context,
        ask: impl FnOnce(&KeyIndex) -> Result<T>,
    ) -> Result<T> {
        // Each change of an index leaves it right.
        let mut own = Vec::new();
        let indexes = if self.last == snapshot { &mut self.by_key } else { &mut own };
        while indexes.len() <= number {
            indexes.push(None);
        }
        let index = indexes[number].take().filter(|index| are_alike(&index.types, types));
        let index = indexes[number]
            .insert(index.unwrap_or_else(|| KeyIndex { types: types.to_vec(), rows: RowIndex::new(context) }));
        while index.rows.rows() < rows {
            context.check()?;
            let seen = index.rows.rows();
            let count = ROWS_AT_ONCE.min(rows - seen);
            index.rows.extend(before.from(seen).map(|row| hash(key, types, row, None)), count)?;
        }
        ask(index)
    }
}

/// Of each row one that was before it and has its key, where rows are more than an index has numbers for.
fn found_by_scan(
    key: &Key,
    types: &[DataType],
    (before, rows): (&RowPlaces<'_>, &RowPlaces<'_>),
    marks: Option<usize>,
    context: &Context,
) -> Result<Vec<Option<usize>>> {
    let mut index = RowIndex::new(context);
    for row in rows.from(0) {
        index.push(hash(key, types, row, None))?;
    }
    let mut found = vec![None; index.rows()];
    for (number, row) in before.from(0).enumerate() {
        check_often(number, context)?;
        let Some(hash) = hash(key, types, row, marks) else { continue };
        // Each that has the key, and not the first alone.
        index.find(hash, |new| {
            if are_equal(key, types, rows.of(new), row) {
                found[new] = Some(number);
            }
            false
        });
    }
    Ok(found)
}

/// An error once the statement is cancelled; it is asked for each row.
fn check_often(row: usize, context: &Context) -> Result<()> {
    if row.is_multiple_of(1 << 12) { context.check() } else { Ok(()) }
}

/// Whether keys of some types have the hashes that those of others have: decimals do that have more digits.
fn are_alike(a: &[DataType], b: &[DataType]) -> bool {
    a.iter().zip(b).all(|(a, b)| a == b || (a.is_decimal() && b.is_decimal() && a.scale() == b.scale()))
}

fn is_deleted((columns, at): Row<'_>, marks: Option<usize>) -> bool {
    marks.is_some_and(|marks| Table::is_marked(columns, at, marks))
}

/// The hash of a row's key; none if a NULL makes it unlike any, or it is deleted.
fn hash(key: &Key, types: &[DataType], (columns, at): Row<'_>, marks: Option<usize>) -> Option<u64> {
    if is_deleted((columns, at), marks) {
        return None;
    }
    if !key.nulls_equal && key.columns.iter().any(|&column| columns[column].is_null(at)) {
        return None;
    }
    let hash = |(&column, &data_type): (&usize, &DataType)| match columns[column].is_null(at) {
        true => 0,
        false => hash_value(&columns[column], at, data_type),
    };
    Some(hash_values(key.columns.iter().zip(types).map(hash)))
}

/// Whether two rows have a key that SQL finds equal, NULLs that are alike among it.
fn are_equal(key: &Key, types: &[DataType], (a, at): Row<'_>, (b, row): Row<'_>) -> bool {
    let mut columns = key.columns.iter().zip(types);
    columns.all(|(&column, &data_type)| are_equal_values((&a[column], at), (&b[column], row), data_type))
}

fn are_equal_values((a, at): (&Column, usize), (b, row): (&Column, usize), data_type: DataType) -> bool {
    match (a.integer(at), b.integer(row)) {
        _ if a.is_null(at) || b.is_null(row) => a.is_null(at) && b.is_null(row),
        (Some(a), Some(b)) => a == b,
        _ if data_type.is_text() || matches!(data_type, DataType::Uuid | DataType::Bytea) => {
            a.data.text_bytes(at) == b.data.text_bytes(row)
        }
        _ => a.value(at, data_type).group_key() == b.value(row, data_type).group_key(),
    }
}

/// Whether statistics say that no two rows share the key: one column of it is enough.
fn is_proven(key: &Key, all: &Table) -> bool {
    key.columns.iter().any(|&column| {
        let statistics = &all.statistics.columns[column];
        statistics.proofs.is_unique()
            || (statistics.proofs.has_unique_values() && (!key.nulls_equal || statistics.proofs.nulls <= 1))
    })
}

/// The same once it is found out what has been asked.
fn is_found_proven(key: &Key, all: &Table, context: &Context) -> Result<bool> {
    for &column in &key.columns {
        if all.settle(column, context)? && is_proven(key, all) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether the new rows' keys are all below or all above the old ones.
fn is_apart(key: &Key, old: &Table, rows: &Table) -> bool {
    old.rows() == 0
        || key.columns.iter().any(|&column| {
            let (old, new) = (&old.statistics.columns[column], &rows.statistics.columns[column]);
            let below = |a: &Option<Value>, b: &Option<Value>| match (a, b) {
                (Some(a), Some(b)) => a.compare(b).is_lt(),
                _ => false,
            };
            let nulls_meet = key.nulls_equal && old.proofs.nulls > 0 && new.proofs.nulls > 0;
            !nulls_meet && (below(&old.proofs.max, &new.proofs.min) || below(&new.proofs.max, &old.proofs.min))
        })
}

fn violation(key: &Key, table: &Table, columns: &[Column], row: usize) -> Error {
    let names: Vec<&str> = key.columns.iter().map(|&column| table.fields[column].name.as_str()).collect();
    let shown = key.columns.iter().map(|&column| {
        let data_type = table.fields[column].data_type;
        match columns[column].value(row, data_type) {
            Value::Null => "null".to_owned(),
            value => evaluate::format(&value, data_type),
        }
    });
    let (names, shown) = (names.join(", "), shown.collect::<Vec<_>>().join(", "));
    let message = format!("duplicate key value violates unique constraint \"{}\"", key.name);
    let error = Error::new(ErrorKind::UniqueViolation, message).of_constraint(&key.name);
    error.with_detail(format!("Key ({names})=({shown}) already exists."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Engine, Session};
    use multiloop_exec::workers::context::Memory;
    use multiloop_planner::types::Field;
    use std::cell::Cell;

    #[test]
    fn rows_are_found_without_an_index_as_with_one() {
        let context = Context::new(Memory::new(usize::MAX));
        let table = |rows: &[Option<i64>]| {
            let rows: Vec<_> = rows.iter().map(|value| vec![value.map_or(Value::Null, Value::Int)]).collect();
            Table::from_values(vec![Field::new("a", DataType::BigInt, true)], &rows)
        };
        let old = table(&[Some(1), None, Some(2), Some(3)]).with_marks().marked(&[3], 1, &context).expect("memory");
        let rows = table(&[Some(2), Some(9), Some(2), None, Some(3), Some(1)]);
        let types = [DataType::BigInt];
        for (nulls_equal, wanted) in [
            (false, [Some(2), None, Some(2), None, None, Some(0)]),
            (true, [Some(2), None, Some(2), Some(1), None, Some(0)]),
        ] {
            let key = Key { name: "k".into(), columns: vec![0], primary: false, nulls_equal, is_index: false };
            let snapshot = TableHandle(1);
            let change = Change { snapshot, old: &old, rows: &rows, all: &old, shown: &rows, marks: Some(1) };
            let by_index = KeyIndexes::new(snapshot).find((0, &key), &change, &context).expect("memory");
            let places = (&RowPlaces::new(&old), &RowPlaces::new(&rows));
            let by_scan = found_by_scan(&key, &types, places, Some(1), &context).expect("memory");
            assert_eq!((by_index.as_slice(), by_scan.as_slice()), (wanted.as_slice(), wanted.as_slice()));
        }
    }

    thread_local! {
        /// How often this thread has asked an index for a row.
        pub(super) static LOOKED_UP: Cell<u64> = const { Cell::new(0) };
    }

    /// How often an index is asked while something is done.
    fn looked_up(work: impl FnOnce()) -> u64 {
        let before = LOOKED_UP.get();
        work();
        LOOKED_UP.get() - before
    }

    const ROWS: i64 = 20_000;

    /// A table whose keys are in no order.
    fn keyed(definition: &str, row: &str) -> Session {
        let session = Engine::builder().threads(2).build().expect("an engine").session();
        let series = format!("generate_series(1, {ROWS}) AS g (i), LATERAL (SELECT i * 7919 % {ROWS} AS n) AS s");
        session
            .sql(&format!("CREATE TABLE t ({definition}); INSERT INTO t SELECT {row} FROM {series}"))
            .expect("a table");
        session
    }

    fn text(session: &Session, sql: &str) -> String {
        session.query_scalar::<Option<String>>(sql, ()).expect(sql).unwrap_or_else(|| "NULL".to_owned())
    }

    #[test]
    fn rows_are_found_by_keys_of_any_type() {
        for (definition, row, key, none) in [
            ("k int PRIMARY KEY, v int", "n, i", "k = 77", "k = -1"),
            ("k bigint PRIMARY KEY, v int", "n * 1000000007::bigint, i", "k = 77000000539", "k = 5"),
            ("k text UNIQUE, v int", "'key ' || n, i", "k = 'key 77'", "k = 'key'"),
            ("k varchar(20) PRIMARY KEY, v int", "'key ' || n, i", "'key 77' = k", "k = 'key'"),
            (
                "k uuid PRIMARY KEY, v int",
                "md5(n::text)::uuid, i",
                "k = md5('77')::uuid",
                "k = '00000000-0000-0000-0000-000000000001'",
            ),
            (
                "k date PRIMARY KEY, v int",
                "date '2000-01-01' + n::int, i",
                "k = date '2000-03-18'",
                "k = date '1999-01-01'",
            ),
            (
                "a int, b text, v int, PRIMARY KEY (b, a)",
                "n % 100, (n / 100)::text, i",
                "a = 77 AND b = '0'",
                "a = 100 AND b = '0'",
            ),
            ("k int UNIQUE, v int", "nullif(n, 5), i", "k = 77", "k = 5"),
        ] {
            let session = keyed(definition, row);
            let wanted = text(&session, "SELECT v::text FROM t WHERE v * 7919 % 20000 = 77");
            let asked = format!("SELECT v::text FROM t WHERE {key}");
            let asks = looked_up(|| {
                for _ in 0..20 {
                    assert_eq!(text(&session, &asked), wanted, "{definition}");
                    assert_eq!(
                        text(&session, &format!("SELECT max(v)::text FROM t WHERE {none}")),
                        "NULL",
                        "{definition}"
                    );
                }
            });
            assert!(asks > 30, "{definition}: {asks}");
            for (change, wanted) in [
                (format!("UPDATE t SET v = -1 WHERE {key}"), "-1"),
                (format!("UPDATE t SET v = v - 1 WHERE {key} AND v < 0"), "-2"),
                (format!("DELETE FROM t WHERE {key} AND v > 0"), "-2"),
                (format!("DELETE FROM t WHERE {key}"), "NULL"),
            ] {
                assert!(looked_up(|| drop(session.sql(&change).expect(&change))) > 0, "{change}");
                assert_eq!(text(&session, &format!("SELECT max(v)::text FROM t WHERE {key}")), wanted, "{change}");
            }
            assert_eq!(text(&session, "SELECT count(*)::text FROM t"), (ROWS - 1).to_string());
        }
    }

    #[test]
    fn keys_that_move_are_found_where_they_are() {
        let session = keyed("k int PRIMARY KEY, v int", "n, i");
        let other = session.engine().session();
        let find = session.prepare("SELECT max(v)::text FROM t WHERE k = $1").expect("a query");
        let v = |session: &Session, k: i64| {
            let rows = find.execute(session, &[Value::Int(k)]).expect("it runs").collect_batches().expect("a row");
            use arrow::array::{Array as _, AsArray as _};
            let column = rows[0].column(0);
            (!column.is_null(0)).then(|| column.as_string::<i32>().value(0).to_owned())
        };
        (0..20).for_each(|k| drop(v(&session, k)));
        let first = v(&session, 3).expect("a row");
        session.sql("BEGIN; UPDATE t SET k = -3 WHERE k = 3").expect("it");
        assert_eq!((v(&session, 3), v(&session, -3), v(&other, 3)), (None, Some(first.clone()), Some(first.clone())));
        session.sql("INSERT INTO t VALUES (3, 1)").expect("it");
        (0..20).for_each(|_| assert_eq!((v(&session, 3).as_deref(), v(&other, 3)), (Some("1"), Some(first.clone()))));
        session.sql("ROLLBACK").expect("it");
        assert_eq!((v(&session, 3), v(&session, -3)), (Some(first.clone()), None));
        // Two go on from one snapshot.
        session.sql("BEGIN; INSERT INTO t VALUES (-10, 1); DELETE FROM t WHERE k = 4").expect("it");
        other.sql("BEGIN; INSERT INTO t VALUES (-11, 2); DELETE FROM t WHERE k = 5").expect("it");
        for _ in 0..20 {
            assert_eq!((v(&session, -10).as_deref(), v(&session, -11), v(&session, 4)), (Some("1"), None, None));
            assert_eq!((v(&other, -10), v(&other, -11).as_deref(), v(&other, 5)), (None, Some("2"), None));
        }
        session.sql("COMMIT").expect("it");
        other.sql("COMMIT").expect("it");
        for _ in 0..20 {
            assert_eq!((v(&other, -10).as_deref(), v(&session, -11).as_deref()), (Some("1"), Some("2")));
            assert_eq!((v(&session, 4), v(&other, 5), v(&other, 3)), (None, None, Some(first.clone())));
        }
    }

    #[test]
    fn what_no_index_is_asked_for() {
        let session = keyed("k int PRIMARY KEY, v int", "n, i");
        for sql in [
            // Rows of other keys, too.
            "SELECT max(v) FROM t WHERE k = 5 OR v = 3",
            "SELECT max(v) FROM t WHERE k > 5",
            "SELECT max(v) FROM t WHERE k <> 5",
            "SELECT count(*) FROM t a JOIN t b ON a.v = b.v WHERE a.k = 5",
            "SELECT max(v) FROM t WHERE k = 5 AND v IN (SELECT v FROM t)",
            "SELECT max(v) FROM t WHERE v = 5",
            "SELECT max(v) FROM t WHERE k = NULL::int",
            // Of other rows it fails.
            "SELECT max(v) FROM t WHERE 10 / (v + 1) >= 0 AND k = 5",
        ] {
            let asks =
                looked_up(|| (0..20).for_each(|_| drop(session.sql(sql).expect(sql).collect_batches().expect(sql))));
            assert_eq!(asks, 0, "{sql}");
        }
        // What stands in order is searched.
        let session = keyed("k int PRIMARY KEY, v int", "i, n");
        let find = || drop(session.sql("SELECT v FROM t WHERE k = 5").expect("it").collect_batches().expect("a row"));
        assert_eq!(looked_up(|| (0..20).for_each(|_| find())), 0);
    }
}
