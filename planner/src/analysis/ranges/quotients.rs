//! Bounds of quotients that are rounded to few digits: `narrow_down(round(a / b, 2))` of decimals is a decimal, whatever digits the
//! quotient shows on the way, and what is known of its operands says how many the result has. So it is a narrow integer, and a key
//! of groups in as few bits.

use super::Analysis;
use crate::evaluate::decimal;
use crate::function::Function;
use crate::multiloop::{Scalar, ScalarId};
use crate::types::DataType;
use crate::value::Value;

type Interval = (i128, i128);

/// What a quotient is below, in units of the digits that it is rounded to: then PostgreSQL shows a digit more than these, and it is
/// at least 16 significant digits. Rounded to those first, and then once more, it is at most one unit away.
const ROUNDED_MAX: u128 = 10u128.pow(15);

impl Analysis<'_> {
    /// The bounds of such a call; None if it is none, or if they are not known.
    pub(super) fn rounded_quotient(
        &mut self,
        function: Function,
        arguments: &[ScalarId],
        result: DataType,
    ) -> Option<Interval> {
        use Function as F;
        let &[rounded] = arguments else { return None };
        if !matches!(function, F::NarrowUp | F::NarrowDown | F::NarrowSame) || !result.is_decimal() {
            return None;
        }
        let (F::Round, &[quotient, digits]) = self.called(rounded)? else { return None };
        let (F::Divide | F::Average, &[a, b]) = self.called(quotient)? else { return None };
        let Scalar::Constant(Value::Int(digits)) = self.program.scalars.get(digits) else { return None };
        let (a_type, b_type) = (self.program.scalars.data_type(a), self.program.scalars.data_type(b));
        let is_exact = |data_type: DataType| data_type.is_decimal() || data_type.is_integer();
        if *digits != i64::from(result.scale()) || !is_exact(a_type) || !is_exact(b_type) {
            return None;
        }
        let (a, b) = (self.fact(a).bounds?, self.fact(b).bounds?);
        // Where the divisor is 0 there is no quotient.
        let divisors =
            [b.0, b.1, 1, -1].into_iter().filter(|&divisor| divisor != 0 && b.0 <= divisor && divisor <= b.1);
        let mut bounds: Option<Interval> = None;
        for divisor in divisors {
            for dividend in [a.0, a.1] {
                let quotient = decimal::divide(dividend, a_type.scale(), divisor, b_type.scale(), result.scale())?;
                let (low, high) = bounds.unwrap_or((quotient, quotient));
                bounds = Some((low.min(quotient), high.max(quotient)));
            }
        }
        let ((low, high), (least, most)) = (bounds?, result.integer_bounds()?);
        let is_small = low.unsigned_abs().max(high.unsigned_abs()) < ROUNDED_MAX;
        (is_small && a.0 <= a.1).then(|| ((low - 1).max(least), (high + 1).min(most)))
    }

    fn called(&self, scalar: ScalarId) -> Option<(Function, &[ScalarId])> {
        let Scalar::Call { function, arguments } = self.program.scalars.get(scalar) else { return None };
        Some((*function, arguments))
    }
}

#[cfg(test)]
mod tests {
    use crate::analysis::ranges::Ranges;
    use crate::multiloop::Shape;
    use crate::multiloop::parse::parse;
    use crate::value::Value;
    use std::sync::Arc;

    fn bounds(digits: u8, quotient: &str) -> Option<(i128, i128)> {
        let scalar = format!("narrow_down(round({quotient}, {digits})::numeric)::decimal(19,2)");
        let text = format!(
            "table %0 t(a#0 bigint, b#1 bigint, c#2 bigint, d#3 bigint) rows 100\n\
             loop\n  i0 in %0\n  %1 collect\n    x? = {scalar}\nresult %1\noutput x\n"
        );
        let mut program = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let ranges = [(-10, 50), (1, 7), (-3, 9), (10_000_000_000, 20_000_000_000_000_000)];
        for collection in &mut program.collections {
            let Shape::Table { statistics, .. } = &mut collection.shape else { continue };
            for (column, (min, max)) in Arc::make_mut(statistics).columns.iter_mut().zip(ranges) {
                (column.proofs.min, column.proofs.max) = (Some(Value::Int(min)), Some(Value::Int(max)));
            }
        }
        Ranges::analyse(&program).field(program.body().result, 0)
    }

    #[test]
    fn quotients_lie_between_those_of_the_ends() {
        let quotient = |a: &str, b: &str| {
            let decimal = |column: &str| format!("cast(i0.{column} as decimal(19,2))");
            format!("{} / {}", decimal(a), decimal(b))
        };
        let type_bounds = Some((-(10i128.pow(19) - 1), 10i128.pow(19) - 1));
        assert_eq!(bounds(2, &quotient("a", "b")), Some((-1001, 5001)));
        assert_eq!(bounds(2, "average(i0.a, i0.b)"), Some((-1001, 5001)));
        // The divisor may be 0.01.
        assert_eq!(bounds(2, &quotient("a", "c")), Some((-500_001, 500_001)));
        // So large a quotient shows fewer digits; and the digits must be the type's.
        assert_eq!(bounds(2, &quotient("d", "b")), type_bounds);
        assert_eq!(bounds(1, &quotient("a", "b")), type_bounds);
    }
}
