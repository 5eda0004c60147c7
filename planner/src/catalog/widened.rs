//! Plans that outlive a snapshot: statistics with room for changes, and whether the next snapshot is within them.
//!
//! A plan relies on what is proven of one snapshot, and the next commit ends that snapshot. A statement that takes microseconds would
//! take most of its time for planning then. So it is planned once more for [widened](TableInfo::widened) statistics, which the next
//! snapshots have room in, and stays good for each that they [cover](TableInfo::covers). What is exact is given up for that: the
//! number of rows is a bound, as a table provider's is, and so are smallest and largest values.

use super::{ColumnStatistics, Domain, Estimates, Proofs, TableInfo, TableStatistics};
use crate::types::DataType;
use crate::value::Value;
use std::sync::Arc;

/// Rows that a table has room for, however few it has.
const ROWS_MIN: u64 = 1 << 6;

/// A largest value is never taken for smaller than this.
const VALUE_MIN: i128 = 1 << 10;

impl TableInfo {
    /// The same with room for changes.
    #[must_use]
    pub fn widened(&self) -> TableInfo {
        let widened = |domain: &Domain| Domain { table: Arc::new(domain.table.widened()), lineage: domain.lineage };
        let domains: Vec<Option<Domain>> = self.domains.iter().map(|domain| domain.as_ref().map(widened)).collect();
        let rows = self.statistics.rows;
        let column = |(position, of): (usize, &ColumnStatistics)| {
            // The statistics of a column of codes are those of the codes.
            let data_type = match self.domain(position) {
                Some(_) => DataType::BigInt,
                None => self.stored_field(position).data_type,
            };
            ColumnStatistics { proofs: widened_proofs(&of.proofs, data_type), estimates: estimates_of(of) }
        };
        let statistics = TableStatistics {
            rows: rows.saturating_mul(2).max(ROWS_MIN),
            columns: self.statistics.columns.iter().enumerate().map(column).collect(),
            about_rows: Some(self.statistics.likely_rows().max(1)),
        };
        TableInfo { statistics: Arc::new(statistics), domains, ..self.clone() }
    }

    /// Whether another snapshot has the same columns, declared alike.
    pub fn is_alike(&self, other: &TableInfo) -> bool {
        let is_declared_alike = || Arc::ptr_eq(&self.declared, &other.declared) || self.declared == other.declared;
        self.fields == other.fields && is_declared_alike()
    }

    /// Whether a plan for this snapshot is right for the rows of another one, too: it has the same columns, declared alike, and
    /// whatever is proven here is so there.
    pub fn covers(&self, other: &TableInfo) -> bool {
        let covers = |pair: (&Option<Domain>, &Option<Domain>)| match pair {
            (None, None) => true,
            (Some(own), Some(other)) => {
                own.lineage == other.lineage
                    && (own.table.handle == other.table.handle || own.table.covers(&other.table))
            }
            _ => false,
        };
        self.is_alike(other)
            && self.hidden == other.hidden
            && self.domains.len() == other.domains.len()
            && self.domains.iter().zip(&other.domains).all(covers)
            && self.statistics.covers(&other.statistics)
    }
}

impl TableStatistics {
    /// Whether all that is proven here is so of rows with these statistics. What counts exactly covers nothing but itself.
    fn covers(&self, other: &TableStatistics) -> bool {
        let column = |(own, of): (&ColumnStatistics, &ColumnStatistics)| covers(&own.proofs, &of.proofs, other.rows);
        self.about_rows.is_some()
            && other.rows <= self.rows
            && self.columns.len() == other.columns.len()
            && self.columns.iter().zip(&other.columns).all(column)
    }
}

fn widened_proofs(proofs: &Proofs, data_type: DataType) -> Proofs {
    let Proofs { nulls, min, max, unique, unique_values, sorted, clustered, .. } = proofs.settled();
    let bounds = data_type.integer_bounds();
    let room =
        |value: i128| value.unsigned_abs().checked_next_power_of_two().and_then(|bits| i128::try_from(bits).ok());
    let room = |value: i128| room(value)?.checked_mul(2).map(|room| room.max(VALUE_MIN));
    let low = |value: i128| if value < 0 { room(value).map(|room| -room) } else { Some(0) };
    let high = |value: i128| if value > 0 { room(value) } else { Some(0) };
    let at = |value: Option<i128>, make: &dyn Fn(i128) -> Option<Value>| {
        let (least, most) = bounds?;
        make(value?.clamp(least, most))
    };
    let (min, max) = match (min, max) {
        (Some(Value::Int(min)), Some(Value::Int(max))) => {
            let int = |value: i128| i64::try_from(value).ok().map(Value::Int);
            (at(low(min.into()), &int), at(high(max.into()), &int))
        }
        (Some(Value::Decimal(min)), Some(Value::Decimal(max))) => {
            let decimal = |value: i128| Some(Value::Decimal(value));
            (at(low(min), &decimal), at(high(max), &decimal))
        }
        (Some(Value::Boolean(_)), Some(Value::Boolean(_))) => (Some(Value::Boolean(false)), Some(Value::Boolean(true))),
        _ => (None, None),
    };
    let (min, max) = if min.is_some() && max.is_some() { (min, max) } else { (None, None) };
    let nulls = nulls.min(1);
    Proofs { nulls, min, max, step: None, unique, unique_values, sorted, clustered, conjecture: None }
}

/// Estimates that choose the same plan, however few rows there are now.
fn estimates_of(of: &ColumnStatistics) -> Estimates {
    let range = of.likely_range().filter(|(min, max)| min.is_finite() && max.is_finite());
    Estimates { range, ..of.estimates.clone() }
}

/// Whether what is proven of a column by `own` is so of one with these proofs, of so many rows.
fn covers(own: &Proofs, of: &Proofs, rows: u64) -> bool {
    if rows == 0 {
        return true;
    }
    let answered = || of.conjecture.as_ref().and_then(|conjecture| conjecture.answer()) == Some(true);
    let is_unique = || of.unique || (answered() && of.is_likely_unique());
    let at_most = |low: &Option<Value>, high: &Option<Value>| match (low, high) {
        (Some(Value::Int(low)), Some(Value::Int(high))) => low <= high,
        (Some(Value::Decimal(low)), Some(Value::Decimal(high))) => low <= high,
        (Some(Value::Boolean(low)), Some(Value::Boolean(high))) => low <= high,
        _ => false,
    };
    let has_no_bounds = own.min.is_none() && own.max.is_none();
    (own.nulls > 0 || of.nulls == 0)
        && (has_no_bounds || of.nulls == rows || (at_most(&own.min, &of.min) && at_most(&of.max, &own.max)))
        && own.step.is_none_or(|step| of.step == Some(step) && own.min == of.min)
        && (!own.unique || is_unique())
        && (!own.unique_values || of.unique_values || is_unique())
        && (!own.sorted || of.sorted)
        && (!own.clustered || of.clustered || answered())
        && own.conjecture.is_none()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::{Conjecture, Declared, Hidden, TableHandle};
    use crate::types::Field;

    fn proofs(min: i64, max: i64) -> Proofs {
        Proofs { min: Some(Value::Int(min)), max: Some(Value::Int(max)), ..Proofs::default() }
    }

    fn table(rows: u64, columns: Vec<(DataType, Proofs)>) -> TableInfo {
        let fields = columns.iter().map(|(data_type, _)| Field::new("c", *data_type, true)).collect();
        let columns = columns.into_iter();
        let columns = columns.map(|(_, proofs)| ColumnStatistics { proofs, estimates: Estimates::default() }).collect();
        TableInfo {
            name: "t".to_owned(),
            fields,
            statistics: Arc::new(TableStatistics { rows, columns, about_rows: None }),
            handle: TableHandle(1),
            domains: Vec::new(),
            declared: Arc::new(Declared::default()),
            hidden: Hidden::default(),
        }
    }

    fn one(rows: u64, proofs: Proofs) -> TableInfo {
        table(rows, vec![(DataType::Integer, proofs)])
    }

    #[test]
    fn what_is_exact_covers_nothing() {
        let exact = one(10, proofs(1, 10));
        assert!(!exact.covers(&exact) && exact.widened().covers(&exact));
        assert!(exact.widened().widened().covers(&exact));
    }

    #[test]
    fn there_is_room_for_rows_and_values() {
        let wide = one(100, proofs(1, 1000)).widened();
        let covered = [(0, 5, 5), (100, 1, 1000), (200, 0, 2047), (1, 1, 1)];
        assert!(covered.iter().all(|&(rows, min, max)| wide.covers(&one(rows, proofs(min, max)))));
        let beyond = [(201, 1, 1000), (100, -1, 1000), (100, 1, 2049)];
        assert!(!beyond.iter().any(|&(rows, min, max)| wide.covers(&one(rows, proofs(min, max)))));
        // Where nothing is known of a column nothing is proven, unless it has no values.
        assert!(!wide.covers(&one(5, Proofs::default())) && wide.covers(&one(0, Proofs::default())));
        let below = one(100, proofs(-1000, -5)).widened();
        assert!(below.covers(&one(100, proofs(-2000, 0))) && !below.covers(&one(100, proofs(-1000, 1))));
    }

    #[test]
    fn room_is_within_the_type() {
        for (data_type, min, max) in [
            (DataType::SmallInt, i64::from(i16::MIN), i64::from(i16::MAX)),
            (DataType::Integer, i64::from(i32::MIN), i64::from(i32::MAX)),
            (DataType::BigInt, i64::MIN, i64::MAX),
            (DataType::Timestamp, i64::MIN, i64::MAX),
        ] {
            let wide = table(10, vec![(data_type, proofs(min, max))]).widened();
            assert_eq!(wide.statistics.columns[0].proofs, proofs(min, max));
        }
        let decimal =
            |min, max| Proofs { min: Some(Value::Decimal(min)), max: Some(Value::Decimal(max)), ..Proofs::default() };
        let wide = table(10, vec![(DataType::decimal(4, 2), decimal(-9000, 9999))]).widened();
        assert_eq!(wide.statistics.columns[0].proofs, decimal(-9999, 9999));
        let text = Proofs { min: Some(Value::text("a")), max: Some(Value::text("b")), ..Proofs::default() };
        let wide = table(10, vec![(DataType::Text, text)]).widened();
        assert_eq!(wide.statistics.columns[0].proofs, Proofs::default());
    }

    #[test]
    fn each_proof_counts() {
        let all = Proofs { unique: true, unique_values: true, sorted: true, clustered: true, ..proofs(1, 10) };
        let wide = one(10, all.clone()).widened();
        assert!(wide.covers(&one(10, all.clone())));
        for less in [
            Proofs { unique: false, ..all.clone() },
            Proofs { unique: false, unique_values: false, ..all.clone() },
            Proofs { sorted: false, ..all.clone() },
            Proofs { clustered: false, ..all.clone() },
            Proofs { nulls: 1, ..all.clone() },
        ] {
            assert!(!wide.covers(&one(10, less.clone())), "{less:?}");
            assert!(one(10, less).widened().covers(&one(10, all.clone())));
        }
        // What may yet be found out is not known; once it is, it is.
        let conjecture = Arc::new(Conjecture::new(10, 10));
        let open = Proofs { conjecture: Some(Arc::clone(&conjecture)), sorted: true, ..proofs(1, 10) };
        assert!(!wide.covers(&one(10, open.clone())));
        conjecture.settle(true);
        assert!(wide.covers(&one(10, open)));
    }

    #[test]
    fn other_tables_are_not_covered() {
        let wide = one(10, proofs(1, 10)).widened();
        let other = table(10, vec![(DataType::BigInt, proofs(1, 10))]);
        let more = table(10, vec![(DataType::Integer, proofs(1, 10)), (DataType::Integer, proofs(1, 10))]);
        let marked = TableInfo { hidden: Hidden { deleted: Some(1), ..Hidden::default() }, ..one(10, proofs(1, 10)) };
        let held = Declared { defaults: vec![Some(Arc::from("5"))], ..Declared::default() };
        let held = TableInfo { declared: Arc::new(held), ..one(10, proofs(1, 10)) };
        assert!(![other, more, marked, held].iter().any(|other| wide.covers(other)));
    }

    #[test]
    fn domains_count() {
        let domain = |lineage, handle, rows: u64| {
            let table = TableInfo { handle: TableHandle(handle), ..one(rows, proofs(0, rows as i64 - 1)) };
            Some(Domain { table: Arc::new(table), lineage })
        };
        let with = |domains: Vec<Option<Domain>>| TableInfo { domains, ..one(10, proofs(0, 9)) };
        let wide = with(vec![domain(7, 3, 10)]).widened();
        // The same one, and one that has grown.
        assert!(wide.covers(&with(vec![domain(7, 3, 10)])) && wide.covers(&with(vec![domain(7, 4, 12)])));
        let others = [
            vec![domain(8, 3, 10)],
            vec![domain(7, 4, 2000)],
            vec![None],
            Vec::new(),
            vec![domain(7, 3, 10), None],
            vec![domain(7, 3, 10), domain(7, 3, 10)],
        ];
        for other in others {
            assert!(!wide.covers(&with(other.clone())), "{other:?}");
        }
        assert!(!with(vec![None]).widened().covers(&with(vec![domain(7, 3, 10)])));
        // Without room one is itself alone.
        let exact = TableInfo { domains: vec![domain(7, 3, 10)], ..with(vec![None]).widened() };
        assert!(exact.covers(&with(vec![domain(7, 3, 10)])) && !exact.covers(&with(vec![domain(7, 4, 10)])));
    }

    #[test]
    fn steps_conjectures_and_columns_count() {
        let stepped = |min, step| Proofs { step: Some(step), ..proofs(min, 8) };
        let own = stepped(0, 2);
        assert!(covers(&own, &stepped(0, 2), 5));
        assert!(
            !covers(&own, &stepped(0, 4), 3) && !covers(&own, &stepped(2, 2), 4) && !covers(&own, &proofs(0, 8), 9)
        );
        let open = Proofs { conjecture: Some(Arc::new(Conjecture::new(10, 10))), ..proofs(0, 8) };
        assert!(!covers(&open, &proofs(0, 8), 9) && covers(&open, &proofs(0, 8), 0));
        // Of rows that are NULL alone there are no bounds to keep.
        let nulls = Proofs { nulls: 3, ..Proofs::default() };
        let may_be_null = Proofs { nulls: 1, ..proofs(0, 8) };
        assert!(
            covers(&may_be_null, &nulls, 3) && !covers(&may_be_null, &nulls, 4) && !covers(&proofs(0, 8), &nulls, 3)
        );
        let wide = one(10, proofs(1, 10)).widened();
        let fewer =
            TableStatistics { columns: Vec::new(), ..TableStatistics::clone(&one(10, proofs(1, 10)).statistics) };
        assert!(!wide.covers(&TableInfo { statistics: Arc::new(fewer), ..one(10, proofs(1, 10)) }));
        let numbered = TableInfo { hidden: Hidden { number: Some(1), ..Hidden::default() }, ..one(10, proofs(1, 10)) };
        assert!(!wide.covers(&numbered) && numbered.widened().covers(&numbered));
    }
}
