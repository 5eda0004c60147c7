//! AND, OR or XOR of bit strings of one length, which are texts of digits.

use multiloop_planner::error::Result;
use multiloop_planner::evaluate::bits::combined;
use multiloop_planner::evaluate::statistic::Statistic;
use multiloop_planner::function::BitsFunction;

/// All bit strings together; none of no rows.
#[derive(Clone, Debug, Default)]
pub(crate) struct BitStrings(Option<String>);

fn function(kind: Statistic) -> BitsFunction {
    match kind {
        Statistic::BitStringAnd => BitsFunction::And,
        Statistic::BitStringOr => BitsFunction::Or,
        _ => BitsFunction::Xor,
    }
}

impl BitStrings {
    /// Adds another one; 22026 if it is of another length.
    pub(crate) fn add(&mut self, kind: Statistic, bits: &str) -> Result<()> {
        self.0 = Some(match &self.0 {
            None => bits.to_owned(),
            Some(all) => combined(function(kind), all, bits)?,
        });
        Ok(())
    }

    pub(crate) fn merge(&mut self, kind: Statistic, other: &Self) -> Result<()> {
        other.0.as_ref().map_or(Ok(()), |bits| self.add(kind, bits))
    }

    /// What they are together.
    pub(crate) fn finish(&self) -> Option<&str> {
        self.0.as_deref()
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        self.0.as_ref().map_or(0, String::capacity)
    }

    pub(crate) fn write_to(&self, bytes: &mut Vec<u8>) {
        bytes.push(self.0.is_some().into());
        self.0.iter().for_each(|bits| super::write_text(bits, bytes));
    }

    pub(crate) fn read_from(bytes: &mut &[u8]) -> Option<Self> {
        if !super::flag(bytes)? {
            return Some(BitStrings(None));
        }
        let bits = super::text(bytes)?;
        bits.bytes().all(|bit| matches!(bit, b'0' | b'1')).then_some(BitStrings(Some(bits)))
    }
}
