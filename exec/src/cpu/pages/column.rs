//! Rows of pages as one column.

use super::dictionary::{Dictionary, Values};
use super::hybrid::{Bits, Hybrid, Next};
use super::plain::{self, Texts};
use super::{Kind, PageError, Result, Scale};
use crate::column::PIECE_ROWS;
use crate::column::{Column, ColumnData, Dictionary as Strings, TextView};
use crate::cpu::simd::kernel::{append, kernel};
use arrow::array::BooleanBufferBuilder;
use arrow::buffer::{Buffer, NullBuffer, OffsetBuffer};
use std::ops::Range;
use std::sync::Arc;

/// Strings of a page that are shown where they lie, at least: bytes of all, and of one, in the mean.
const SHOWN_BYTES: usize = 1 << 20;
const SHOWN_LENGTH: usize = 1 << 8;

/// How the values of a data page are encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// PLAIN.
    Plain,
    /// Indices into the dictionary: RLE_DICTIONARY, and PLAIN_DICTIONARY.
    Dictionary,
    /// RLE, of booleans.
    Runs,
}

/// Rows of a data page.
#[derive(Clone, Copy, Debug)]
pub struct PageRows<'a> {
    /// How many rows.
    pub rows: usize,
    /// For each row whether it has a value, as RLE of one bit; none where all have one.
    pub levels: Option<&'a [u8]>,
    /// The values, as they are encoded.
    pub values: &'a [u8],
    /// How.
    pub encoding: Encoding,
}

/// Gathers rows of pages.
#[derive(Debug)]
pub struct PageColumn {
    kind: Kind,
    /// For how many rows there is to be room.
    rows: usize,
    /// How many are there.
    done: usize,
    /// A bit a row, once one is NULL.
    valid: Option<BooleanBufferBuilder>,
    data: Data,
}

/// What has been gathered.
#[derive(Debug)]
enum Data {
    None,
    Offsets8(i64, Vec<u8>),
    Offsets16(i64, Vec<u16>),
    Offsets32(i64, Vec<u32>),
    Int32(Vec<i32>),
    Int64(Vec<i64>),
    Int128(Vec<i128>),
    Float(Vec<f32>),
    Double(Vec<f64>),
    Boolean(Vec<bool>),
    Codes8(Arc<Strings>, Vec<u8>),
    Codes16(Arc<Strings>, Vec<u16>),
    Codes32(Arc<Strings>, Vec<u32>),
    Texts(Vec<i32>, Vec<u8>),
    /// Strings of these pages.
    Views(Vec<TextView>, Vec<Buffer>),
}

/// Where the values of some rows are among those of a page.
#[derive(Clone, Copy)]
struct Present {
    /// Values in front of them.
    skip: usize,
    /// How many they are.
    count: usize,
}

impl PageColumn {
    /// A column of so many rows.
    pub fn new(kind: Kind, rows: usize) -> Self {
        // Whoever says how many there are need not be right.
        let rows = rows.min(PIECE_ROWS);
        PageColumn { kind, rows, done: 0, valid: None, data: Data::None }
    }

    /// Adds some rows of a page. Whoever has an error throws the column away.
    pub fn add(&mut self, page: PageRows<'_>, keep: Range<usize>, dictionary: Option<&Dictionary>) -> Result<()> {
        self.add_of(page, keep, dictionary, None)
    }

    /// The same of a page whose values lie in a buffer. Long strings stay there, as views: for a column of which all is copied
    /// soon, as the page lives as long.
    pub fn add_of(
        &mut self,
        page: PageRows<'_>,
        keep: Range<usize>,
        dictionary: Option<&Dictionary>,
        buffer: Option<&Buffer>,
    ) -> Result<()> {
        if keep.end > page.rows || keep.start > keep.end {
            return Err(PageError::Malformed("a page has too few rows"));
        }
        let valid = match page.levels {
            Some(levels) if !all_present(levels, keep.end)? => Some(levels_of(levels, &keep)?),
            _ => None,
        };
        let present = match &valid {
            Some((_, present)) => *present,
            None => Present { skip: keep.start, count: keep.len() },
        };
        let before = self.done;
        self.values(&page, &present, dictionary, buffer)?;
        match valid.filter(|(_, present)| present.count < keep.len()) {
            Some((bits, _)) => {
                spread(&mut self.data, before, &bits);
                let rows = self.rows;
                let valid = self.valid.get_or_insert_with(|| {
                    let mut valid = BooleanBufferBuilder::new(rows);
                    valid.append_n(before, true);
                    valid
                });
                bits.iter().for_each(|&bit| valid.append(bit));
            }
            None => {
                if let Some(valid) = &mut self.valid {
                    valid.append_n(keep.len(), true);
                }
            }
        }
        self.done += keep.len();
        Ok(())
    }

    /// Appends the values that are there of some rows.
    fn values(
        &mut self,
        page: &PageRows<'_>,
        present: &Present,
        dictionary: Option<&Dictionary>,
        buffer: Option<&Buffer>,
    ) -> Result<()> {
        let rows = self.rows;
        if present.count == 0 {
            // There need not be a byte, nor a dictionary.
            if matches!(self.data, Data::None) {
                self.data = Data::start(self.kind);
            }
            return Ok(());
        }
        match (page.encoding, dictionary) {
            (Encoding::Plain, _) => match buffer.filter(|_| self.may_show(page.values, present.count)) {
                Some(buffer) => self.data.show(page.values, present, buffer),
                None => self.plain(page.values, present),
            },
            (Encoding::Dictionary, Some(dictionary)) => {
                let (&width, indices) =
                    page.values.split_first().ok_or(PageError::Malformed("a page without indices"))?;
                let mut indices = Hybrid::new(indices, width.into())?;
                indices.skip(present.skip)?;
                self.data.indexed(&dictionary.values, indices, present.count, rows)
            }
            (Encoding::Dictionary, None) => Err(PageError::Malformed("indices without a dictionary")),
            (Encoding::Runs, _) if self.kind == Kind::Boolean => {
                let runs = page.values.get(4..).ok_or(PageError::Malformed("a page without a length"))?;
                let mut runs = Hybrid::new(runs, 1)?;
                runs.skip(present.skip)?;
                bits_of(&mut runs, present.count, self.data.booleans())
            }
            (Encoding::Runs, _) => Err(PageError::Malformed("runs of other values than booleans")),
        }
    }

    /// Whether strings of a page may stay where they are.
    fn may_show(&self, values: &[u8], count: usize) -> bool {
        self.kind == Kind::Text
            && matches!(self.data, Data::None | Data::Views(..))
            && values.len() >= SHOWN_BYTES.max(count.saturating_mul(SHOWN_LENGTH))
    }

    fn plain(&mut self, values: &[u8], &Present { skip, count }: &Present) -> Result<()> {
        let rows = self.rows;
        match self.kind {
            Kind::Boolean => {
                let bits = values.len().saturating_mul(8);
                if skip.checked_add(count).is_none_or(|end| end > bits) {
                    return Err(PageError::Malformed("there are too few values"));
                }
                self.data.booleans().extend((skip..skip + count).map(|bit| values[bit / 8] >> (bit % 8) & 1 == 1));
            }
            Kind::Int32 { unsigned: false, scale: Scale::One } => {
                let values = plain::i32s(plain::fixed(values, 4, skip, count)?);
                match &mut self.data {
                    Data::Int32(data) => data.extend(values),
                    data @ Data::None => {
                        let mut all = Vec::with_capacity(rows);
                        all.extend(values);
                        *data = Data::Int32(all);
                    }
                    data => data.integers(rows).extend(values.map(i64::from)),
                }
            }
            Kind::Int32 { unsigned, scale } => {
                let values = plain::wide(plain::fixed(values, 4, skip, count)?, unsigned);
                extend_scaled(self.data.integers(rows), values, scale)?;
            }
            Kind::Int64 { scale } => {
                let values = plain::i64s(plain::fixed(values, 8, skip, count)?);
                extend_scaled(self.data.integers(rows), values, scale)?;
            }
            Kind::Fixed(width) => {
                let values = plain::fixed(values, width, skip, count)?;
                if width <= 8 && !matches!(self.data, Data::Int128(_)) {
                    plain::append_short(values, width, self.data.integers(rows));
                } else {
                    self.data.wide_integers(rows).extend(plain::fixed_numbers(values, width));
                }
            }
            Kind::Float => {
                let bits = plain::i32s(plain::fixed(values, 4, skip, count)?);
                self.data.floats(rows).extend(bits.map(|bits| f32::from_bits(bits as u32)));
            }
            Kind::Double => {
                let bits = plain::i64s(plain::fixed(values, 8, skip, count)?);
                self.data.doubles(rows).extend(bits.map(|bits| f64::from_bits(bits as u64)));
            }
            Kind::Text => {
                let mut texts = Texts(values);
                for _ in 0..skip {
                    texts.next()?;
                }
                let (ends, bytes) = self.data.texts(rows)?;
                let (first, start) = (ends.len(), bytes.len());
                bytes.reserve(texts.0.len());
                for _ in 0..count {
                    bytes.extend_from_slice(texts.next()?);
                    ends.push(text_end(bytes.len())?);
                }
                plain::check_utf8(&bytes[start..], ends[first..].iter().map(|&end| end as usize - start))?;
            }
        }
        Ok(())
    }

    /// The column.
    pub fn finish(self) -> Column {
        let nulls = self.valid.map(|mut valid| NullBuffer::new(valid.finish())).filter(|nulls| nulls.null_count() > 0);
        let data = match self.data {
            Data::None => PageColumn { data: Data::start(self.kind), ..PageColumn::new(self.kind, 0) }.finish().data,
            Data::Offsets8(base, offsets) => ColumnData::Frame8 { base, offsets: offsets.into() },
            Data::Offsets16(base, offsets) => ColumnData::Frame16 { base, offsets: offsets.into() },
            Data::Offsets32(base, offsets) => ColumnData::Frame32 { base, offsets: offsets.into() },
            Data::Int32(values) => ColumnData::Int32(values.into()),
            Data::Int64(values) => ColumnData::Int64(values.into()),
            Data::Int128(values) => ColumnData::Int128(values.into()),
            Data::Float(values) => ColumnData::Float32(values.into()),
            Data::Double(values) => ColumnData::Float64(values.into()),
            Data::Boolean(values) => ColumnData::Boolean(values.into()),
            Data::Codes8(dictionary, codes) => ColumnData::Dictionary8 { codes: codes.into(), dictionary },
            Data::Codes16(dictionary, codes) => ColumnData::Dictionary16 { codes: codes.into(), dictionary },
            Data::Codes32(dictionary, codes) => ColumnData::Dictionary32 { codes: codes.into(), dictionary },
            Data::Texts(ends, bytes) => {
                ColumnData::Text { offsets: OffsetBuffer::new(ends.into()), bytes: bytes.into() }
            }
            Data::Views(views, buffers) => ColumnData::Views { views: views.into(), buffers: buffers.into() },
        };
        Column::new(data, nulls)
    }
}

fn text_end(bytes: usize) -> Result<i32> {
    i32::try_from(bytes).map_err(|_| PageError::TooLarge)
}

fn extend_scaled(to: &mut Vec<i64>, values: impl Iterator<Item = i64>, scale: Scale) -> Result<()> {
    if scale == Scale::One {
        to.extend(values);
        return Ok(());
    }
    for value in values {
        to.push(plain::scaled(value, scale)?);
    }
    Ok(())
}

/// Whether each of the first rows of a page, of which there are so many, has a value.
fn all_present(levels: &[u8], rows: usize) -> Result<bool> {
    let (mut levels, mut left) = (Hybrid::new(levels, 1)?, rows);
    while left > 0 {
        left -= match levels.next_bits(left)? {
            Bits::Repeat(true, rows) => rows,
            Bits::Packed { data, start, end } if ones(data, start, end) == end - start => end - start,
            _ => return Ok(false),
        };
    }
    Ok(true)
}

/// Which of some rows of a page have a value, and where these are among the values.
fn levels_of(levels: &[u8], keep: &Range<usize>) -> Result<(Vec<bool>, Present)> {
    let mut levels = Hybrid::new(levels, 1)?;
    let (mut skip, mut left) = (0, keep.start);
    while left > 0 {
        let (rows, values) = match levels.next_bits(left)? {
            Bits::Repeat(bit, rows) => (rows, if bit { rows } else { 0 }),
            Bits::Packed { data, start, end } => (end - start, ones(data, start, end)),
        };
        (skip, left) = (skip + values, left - rows);
    }
    let mut valid = Vec::with_capacity(keep.len());
    bits_of(&mut levels, keep.len(), &mut valid)?;
    let count = valid.iter().filter(|&&bit| bit).count();
    Ok((valid, Present { skip, count }))
}

fn ones(data: &[u8], start: usize, end: usize) -> usize {
    let (mut at, mut ones) = (start, 0);
    while at < end {
        let (bit, rows) = (at % 8, (8 - at % 8).min(end - at));
        let mask = (u16::MAX >> (16 - rows)) as u8;
        ones += (data[at / 8] >> bit & mask).count_ones() as usize;
        at += rows;
    }
    ones
}

fn bits_of(levels: &mut Hybrid<'_>, mut left: usize, to: &mut Vec<bool>) -> Result<()> {
    while left > 0 {
        left -= match levels.next_bits(left)? {
            Bits::Repeat(bit, rows) => {
                to.resize(to.len() + rows, bit);
                rows
            }
            Bits::Packed { data, start, end } => {
                to.extend((start..end).map(|at| data[at / 8] >> (at % 8) & 1 == 1));
                end - start
            }
        };
    }
    Ok(())
}

/// Moves values, which lie side by side from a row on, to the rows that have one.
fn spread(data: &mut Data, first: usize, valid: &[bool]) {
    fn values<T: Copy + Default>(values: &mut Vec<T>, first: usize, valid: &[bool]) {
        let mut from = values.len();
        // One that is there anyway widens no range.
        let fill = values.get(first).copied().unwrap_or_default();
        values.resize(first + valid.len(), fill);
        for (at, &bit) in valid.iter().enumerate().rev() {
            values[first + at] = if bit {
                from -= 1;
                values[from]
            } else {
                fill
            };
        }
    }
    match data {
        Data::None => {}
        Data::Offsets8(_, offsets) => values(offsets, first, valid),
        Data::Offsets16(_, offsets) => values(offsets, first, valid),
        Data::Offsets32(_, offsets) => values(offsets, first, valid),
        Data::Int32(integers) => values(integers, first, valid),
        Data::Int64(integers) => values(integers, first, valid),
        Data::Int128(integers) => values(integers, first, valid),
        Data::Float(floats) => values(floats, first, valid),
        Data::Double(floats) => values(floats, first, valid),
        Data::Boolean(bits) => values(bits, first, valid),
        Data::Codes8(_, codes) => values(codes, first, valid),
        Data::Codes16(_, codes) => values(codes, first, valid),
        Data::Codes32(_, codes) => values(codes, first, valid),
        Data::Views(views, _) => values(views, first, valid),
        Data::Texts(ends, _) => {
            // A string that is none ends where the one before does.
            let mut from = ends.len();
            let start = ends[first];
            ends.resize(first + 1 + valid.len(), 0);
            let mut last = from.checked_sub(1).map_or(start, |last| ends[last]);
            for (at, &bit) in valid.iter().enumerate().rev() {
                ends[first + 1 + at] = last;
                if bit {
                    from -= 1;
                    last = ends[from - 1];
                }
            }
        }
    }
}

impl Data {
    /// No values of a kind.
    fn start(kind: Kind) -> Self {
        match kind {
            Kind::Boolean => Data::Boolean(Vec::new()),
            Kind::Int32 { .. } | Kind::Int64 { .. } | Kind::Fixed(_) => Data::Int64(Vec::new()),
            Kind::Float => Data::Float(Vec::new()),
            Kind::Double => Data::Double(Vec::new()),
            Kind::Text => Data::Texts(vec![0], Vec::new()),
        }
    }

    fn booleans(&mut self) -> &mut Vec<bool> {
        if !matches!(self, Data::Boolean(_)) {
            *self = Data::Boolean(Vec::new());
        }
        let Data::Boolean(bits) = self else { unreachable!("made above") };
        bits
    }

    fn floats(&mut self, rows: usize) -> &mut Vec<f32> {
        if !matches!(self, Data::Float(_)) {
            *self = Data::Float(Vec::with_capacity(rows));
        }
        let Data::Float(floats) = self else { unreachable!("made above") };
        floats
    }

    fn doubles(&mut self, rows: usize) -> &mut Vec<f64> {
        if !matches!(self, Data::Double(_)) {
            *self = Data::Double(Vec::with_capacity(rows));
        }
        let Data::Double(floats) = self else { unreachable!("made above") };
        floats
    }

    /// Integers of 64 bits, whatever they were.
    fn integers(&mut self, rows: usize) -> &mut Vec<i64> {
        fn all(rows: usize, values: impl Iterator<Item = i64>) -> Vec<i64> {
            let mut all = Vec::with_capacity(rows);
            all.extend(values);
            all
        }
        let widened = match self {
            Data::Int64(_) => None,
            Data::Offsets8(base, offsets) => Some(all(rows, offsets.iter().map(|&at| *base + i64::from(at)))),
            Data::Offsets16(base, offsets) => Some(all(rows, offsets.iter().map(|&at| *base + i64::from(at)))),
            Data::Offsets32(base, offsets) => Some(all(rows, offsets.iter().map(|&at| *base + i64::from(at)))),
            Data::Int32(values) => Some(all(rows, values.iter().map(|&value| value.into()))),
            _ => Some(Vec::with_capacity(rows)),
        };
        if let Some(widened) = widened {
            *self = Data::Int64(widened);
        }
        let Data::Int64(values) = self else { unreachable!("made above") };
        values
    }

    /// Integers of 128 bits, whatever they were.
    fn wide_integers(&mut self, rows: usize) -> &mut Vec<i128> {
        if !matches!(self, Data::Int128(_)) {
            let narrow = std::mem::take(self.integers(rows));
            *self = Data::Int128(narrow.into_iter().map(i128::from).collect());
        }
        let Data::Int128(values) = self else { unreachable!("made above") };
        values
    }

    /// Where strings end, one more than there are, and the strings, whatever they were.
    fn texts(&mut self, rows: usize) -> Result<(&mut Vec<i32>, &mut Vec<u8>)> {
        fn of_codes(rows: usize, strings: &Strings, codes: impl Iterator<Item = u32>) -> Data {
            let (mut ends, mut bytes) = (Vec::with_capacity(rows + 1), Vec::new());
            ends.push(0);
            for code in codes {
                bytes.extend_from_slice(strings.bytes_of(code));
                ends.push(bytes.len() as i32);
            }
            Data::Texts(ends, bytes)
        }
        fn of_views(views: &[TextView], buffers: &[Buffer]) -> Result<Data> {
            let (mut ends, mut bytes) = (vec![0], Vec::new());
            for view in views {
                bytes.extend_from_slice(view.bytes_in(&buffers[view.buffer as usize]));
                ends.push(text_end(bytes.len())?);
            }
            Ok(Data::Texts(ends, bytes))
        }
        let made = match self {
            Data::Texts(..) => None,
            Data::Codes8(strings, codes) => Some(of_codes(rows, strings, codes.iter().map(|&code| code.into()))),
            Data::Codes16(strings, codes) => Some(of_codes(rows, strings, codes.iter().map(|&code| code.into()))),
            Data::Codes32(strings, codes) => Some(of_codes(rows, strings, codes.iter().copied())),
            Data::Views(views, buffers) => Some(of_views(views, buffers)?),
            _ => Some(of_codes(rows, &Strings::default(), std::iter::empty())),
        };
        if let Some(made) = made {
            *self = made;
        }
        let Data::Texts(ends, bytes) = self else { unreachable!("made above") };
        Ok((ends, bytes))
    }

    /// Appends strings of a page where they lie, in a buffer.
    fn show(&mut self, values: &[u8], &Present { skip, count }: &Present, buffer: &Buffer) -> Result<()> {
        const OUTSIDE: PageError = PageError::Malformed("values lie outside of their page");
        if matches!(self, Data::None) {
            *self = Data::Views(Vec::new(), Vec::new());
        }
        let Data::Views(views, buffers) = self else { unreachable!("the caller has looked") };
        let start = (values.as_ptr() as usize).checked_sub(buffer.as_ptr() as usize).ok_or(OUTSIDE)?;
        u32::try_from(start + values.len()).ok().filter(|&end| end as usize <= buffer.len()).ok_or(OUTSIDE)?;
        let number = buffers.len() as u32;
        let mut texts = Texts(values);
        for _ in 0..skip {
            texts.next()?;
        }
        views.reserve(count);
        for _ in 0..count {
            let text = texts.next()?;
            std::str::from_utf8(text).map_err(|_| PageError::Utf8)?;
            plain::check_zero(text)?;
            // What is left ends where the page's values do.
            let offset = (start + values.len() - texts.0.len() - text.len()) as u32;
            views.push(TextView { buffer: number, offset, length: text.len() as u32 });
        }
        buffers.push(buffer.clone());
        Ok(())
    }

    /// Appends so many values of a dictionary, by their indices.
    fn indexed(&mut self, dictionary: &Values, mut indices: Hybrid<'_>, count: usize, rows: usize) -> Result<()> {
        // The form of the dictionary, unless there are rows of another one already.
        macro_rules! narrow {
            ($form:ident, $base:expr, $table:expr) => {{
                if let Data::None = self {
                    *self = Data::$form($base.clone(), Vec::with_capacity(rows));
                }
                match self {
                    Data::$form(base, data) if *base == *$base => return gather($table, indices, count, data),
                    _ => {}
                }
            }};
        }
        match dictionary {
            Values::Offsets8(base, table) => narrow!(Offsets8, base, table),
            Values::Offsets16(base, table) => narrow!(Offsets16, base, table),
            Values::Offsets32(base, table) => narrow!(Offsets32, base, table),
            Values::Int64(table) if !matches!(self, Data::Int128(_)) => {
                return gather(table, indices, count, self.integers(rows));
            }
            Values::Int64(_) => {}
            Values::Int128(table) => return gather(table, indices, count, self.wide_integers(rows)),
            Values::Float(table) => return gather(table, indices, count, self.floats(rows)),
            Values::Double(table) => return gather(table, indices, count, self.doubles(rows)),
            Values::Codes8(strings, table) => narrow!(Codes8, strings, table),
            Values::Codes16(strings, table) => narrow!(Codes16, strings, table),
            Values::Codes32(strings, table) => narrow!(Codes32, strings, table),
            Values::Texts(spans, strings) => {
                let (ends, bytes) = self.texts(rows)?;
                return gather_texts((spans, strings), indices, count, (ends, bytes));
            }
        }
        // Rows of several forms.
        let mut integer = |table: &dyn Fn(usize) -> Option<i64>| -> Result<()> {
            let value = |index| table(index).ok_or(PageError::Malformed("an index beyond the dictionary"));
            if let Data::Int128(data) = self {
                return each(&mut indices, count, |index| {
                    data.push(value(index)?.into());
                    Ok(())
                });
            }
            let data = self.integers(rows);
            each(&mut indices, count, |index| {
                data.push(value(index)?);
                Ok(())
            })
        };
        match dictionary {
            Values::Offsets8(base, table) => integer(&|at| Some(*base + i64::from(*table.get(at)?))),
            Values::Offsets16(base, table) => integer(&|at| Some(*base + i64::from(*table.get(at)?))),
            Values::Offsets32(base, table) => integer(&|at| Some(*base + i64::from(*table.get(at)?))),
            Values::Int64(table) => integer(&|at| table.get(at).copied()),
            Values::Codes8(strings, table) => {
                self.spelled(strings, (indices, count, rows), |at| table.get(at).map(|&code| code.into()))
            }
            Values::Codes16(strings, table) => {
                self.spelled(strings, (indices, count, rows), |at| table.get(at).map(|&code| code.into()))
            }
            Values::Codes32(strings, table) => {
                self.spelled(strings, (indices, count, rows), |at| table.get(at).copied())
            }
            _ => unreachable!("of one form whatever came before"),
        }
    }

    /// Appends strings of codes, in full.
    fn spelled(
        &mut self,
        strings: &Strings,
        (mut indices, count, rows): (Hybrid<'_>, usize, usize),
        code: impl Fn(usize) -> Option<u32>,
    ) -> Result<()> {
        let (ends, bytes) = self.texts(rows)?;
        each(&mut indices, count, |index| {
            let code = code(index).ok_or(PageError::Malformed("an index beyond the dictionary"))?;
            bytes.extend_from_slice(strings.bytes_of(code));
            ends.push(text_end(bytes.len())?);
            Ok(())
        })
    }
}

/// Does something for each index.
fn each(indices: &mut Hybrid<'_>, mut count: usize, mut work: impl FnMut(usize) -> Result<()>) -> Result<()> {
    while count > 0 {
        count -= match indices.next(count)? {
            Next::Repeat(index, times) => {
                (0..times).try_for_each(|_| work(index as usize))?;
                times
            }
            Next::Values(values) => {
                values.iter().try_for_each(|&index| work(index as usize))?;
                values.len()
            }
        };
    }
    Ok(())
}

kernel! {
/// Appends what a table has for indices, none of which is beyond it.
fn look_up[T: Copy](table: &[T], indices: &[u32], to: &mut Vec<T>) {
    // SAFETY: the caller has compared the greatest one.
    append(to, indices, |index| unsafe { *table.get_unchecked(index as usize) });
}
}

/// Appends what a table has for so many indices.
fn gather<T: Copy>(table: &[T], mut indices: Hybrid<'_>, mut count: usize, to: &mut Vec<T>) -> Result<()> {
    const BEYOND: PageError = PageError::Malformed("an index beyond the dictionary");
    to.reserve(count);
    while count > 0 {
        count -= match indices.next(count)? {
            Next::Repeat(index, times) => {
                let value = *table.get(index as usize).ok_or(BEYOND)?;
                to.resize(to.len() + times, value);
                times
            }
            Next::Values(values) => {
                let last = values.iter().fold(0, |last, &index| last.max(index));
                if last as usize >= table.len() {
                    return Err(BEYOND);
                }
                look_up(table, values, to);
                values.len()
            }
        };
    }
    Ok(())
}

/// The same of strings.
fn gather_texts(
    (spans, strings): (&[u32], &[u8]),
    mut indices: Hybrid<'_>,
    count: usize,
    (ends, bytes): (&mut Vec<i32>, &mut Vec<u8>),
) -> Result<()> {
    each(&mut indices, count, |index| {
        let beyond = || PageError::Malformed("an index beyond the dictionary");
        let (start, end) = (*spans.get(index).ok_or_else(beyond)?, *spans.get(index + 1).ok_or_else(beyond)?);
        bytes.extend_from_slice(&strings[start as usize..end as usize]);
        ends.push(text_end(bytes.len())?);
        Ok(())
    })
}
