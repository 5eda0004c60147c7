//! Several fields of one text, and whether it is JSON, in one scan of it.

use super::{Parser, Scan, Step, eight_at};

/// A field that is wanted.
#[derive(Clone, Copy, Debug)]
pub struct Field<'a> {
    step: Step<'a>,
    as_text: bool,
    /// The first eight bytes of its key, zeros behind the last.
    first_eight: u64,
}

impl<'a> Field<'a> {
    /// The field that a step leads to: as `->>` shows it, or as it is written.
    pub fn new(step: Step<'a>, as_text: bool) -> Self {
        let first_eight = if let Step::Key(key) = step { eight_at(key.as_bytes(), 0) } else { 0 };
        Field { step, as_text, first_eight }
    }

    /// What leads to it.
    pub fn step(&self) -> Step<'a> {
        self.step
    }

    /// Whether it is wanted as `->>` shows it.
    pub fn is_text(&self) -> bool {
        self.as_text
    }
}

/// Where a field stands in its text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Spot {
    /// From a byte, and up to one.
    At(u32, u32),
    /// Nowhere; so does null that is to be shown.
    #[default]
    Nowhere,
    /// In a string with escapes that is to be shown, or in an object or an array that is to be in its normal form.
    Unknown,
}

/// Makes `spots`, which has a place for each of `fields`, where these stand. False, and then `spots` are anything, where the scan does
/// not know, as of all that is no JSON. `is_strict` asks for fields of the jsonb that a text is: it knows only texts whose strings and
/// numbers are in their normal form as they are written, and fields that are neither objects nor arrays.
pub fn fields(text: &str, fields: &[Field<'_>], is_strict: bool, spots: &mut [Spot]) -> bool {
    let Some(scan) = Scan::new(text, 0) else { return false };
    let mut scan = Scan { is_strict, ..scan };
    spots.fill(Spot::Nowhere);
    scan.blanks();
    let is_known = match scan.next() {
        Some(b'{') => scan.members(fields, spots),
        Some(b'[') => scan.elements(fields, spots),
        _ => scan.value(),
    };
    scan.blanks();
    is_known.is_some() && scan.at == text.len()
}

/// A value that was passed: where it stands, and what `->>` shows of it.
#[derive(Clone, Copy)]
struct Passed {
    whole: Spot,
    shown: Spot,
}

impl Passed {
    #[inline(always)]
    fn of(self, field: &Field<'_>) -> Spot {
        if field.as_text { self.shown } else { self.whole }
    }
}

/// Bytes of a text that is scanned; these are few.
#[inline(always)]
fn at(start: usize, end: usize) -> Spot {
    Spot::At(start as u32, end as u32)
}

impl Scan<'_> {
    #[inline(always)]
    fn members(&mut self, fields: &[Field<'_>], spots: &mut [Spot]) -> Option<()> {
        self.at += 1;
        if self.accept(b'}') {
            return Some(());
        }
        loop {
            self.blanks();
            let quote = self.at;
            let (key, is_escaped) = self.string()?;
            if !self.accept(b':') {
                return None;
            }
            let value = self.passed()?;
            if is_escaped {
                self.put_escaped(quote, value, fields, spots)?;
            } else {
                let bytes = self.text.as_bytes();
                let length = key.len();
                let kept = if length < 8 { (1 << (8 * length)) - 1 } else { u64::MAX };
                let first_eight = eight_at(bytes, key.start) & kept;
                for (field, spot) in fields.iter().zip(&mut *spots) {
                    if field.first_eight == first_eight
                        && let Step::Key(wanted) = field.step
                        && wanted.len() == length
                        && (length <= 8 || wanted.as_bytes()[8..] == bytes[key.start + 8..key.end])
                    {
                        *spot = value.of(field);
                    }
                }
            }
            if self.accept(b'}') {
                return Some(());
            }
            if !self.accept(b',') {
                return None;
            }
        }
    }

    /// Notes a value whose key, which starts at a byte, has escapes.
    #[cold]
    fn put_escaped(&self, quote: usize, value: Passed, fields: &[Field<'_>], spots: &mut [Spot]) -> Option<()> {
        let mut parser = Parser { text: self.text, at: quote, depth: 0, keeps: true, signs: false };
        let key = parser.string().ok()?;
        for (field, spot) in fields.iter().zip(spots) {
            if matches!(field.step, Step::Key(wanted) if wanted == key) {
                *spot = value.of(field);
            }
        }
        Some(())
    }

    fn elements(&mut self, fields: &[Field<'_>], spots: &mut [Spot]) -> Option<()> {
        self.at += 1;
        let from_end = |field: &Field<'_>| matches!(field.step, Step::At(..0));
        let (counts_back, mut all, mut count) = (fields.iter().any(from_end), Vec::new(), 0i64);
        let mut ended = self.accept(b']');
        while !ended {
            let value = self.passed()?;
            for (field, spot) in fields.iter().zip(&mut *spots) {
                if matches!(field.step, Step::At(place) if place == count) {
                    *spot = value.of(field);
                }
            }
            count += 1;
            if counts_back {
                all.push(value);
            }
            ended = self.accept(b']');
            if !ended && !self.accept(b',') {
                return None;
            }
        }
        for (field, spot) in fields.iter().zip(spots) {
            if let Step::At(place @ ..0) = field.step
                && let Ok(place) = usize::try_from(count.saturating_add(place))
                && let Some(value) = all.get(place)
            {
                *spot = value.of(field);
            }
        }
        Some(())
    }

    /// Passes a value, and says what it was.
    #[inline(always)]
    fn passed(&mut self) -> Option<Passed> {
        self.blanks();
        let start = self.at;
        let shown = match self.next()? {
            b'"' => {
                let (inner, is_escaped) = self.string()?;
                if is_escaped { Spot::Unknown } else { at(inner.start, inner.end) }
            }
            b'{' | b'[' => {
                self.value()?;
                if self.is_strict {
                    return Some(Passed { whole: Spot::Unknown, shown: Spot::Unknown });
                }
                at(start, self.at)
            }
            first => {
                self.plain()?;
                if first == b'n' { Spot::Nowhere } else { at(start, self.at) }
            }
        };
        Some(Passed { whole: at(start, self.at), shown })
    }
}
