//! Rows as places of their fields' bytes: what is between taking a block of data apart and reading its values. Rows are found
//! one after the other, values are read column by column.

/// How long a field is that is NULL.
const NULL: u32 = u32::MAX;

/// In [`Place::start`]: the bytes are aside.
const ASIDE: u32 = 1 << 31;

/// Bytes of a block, at most: so many have places.
pub(super) const BLOCK_BYTES_MAX: usize = (1 << 31) - 1;

/// Where a field's bytes are: in the block, or aside if they do not stand there as they are to be read.
#[derive(Clone, Copy, Debug)]
struct Place {
    start: u32,
    length: u32,
}

/// Rows of so many fields.
#[derive(Debug)]
pub(super) struct Rows {
    columns: usize,
    /// Whole rows.
    count: usize,
    /// Row by row, and fields of one that is not whole.
    places: Vec<Place>,
    /// Bytes of fields that had something in them that stands for something else.
    aside: Vec<u8>,
}

impl Rows {
    /// No rows yet, of so many columns.
    pub(super) fn new(columns: usize) -> Self {
        Rows { columns, count: 0, places: Vec::new(), aside: Vec::new() }
    }

    /// The number of columns.
    pub(super) fn columns(&self) -> usize {
        self.columns
    }

    /// The number of whole rows.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Forgets all rows.
    pub(super) fn clear(&mut self) {
        self.count = 0;
        self.places.clear();
        self.aside.clear();
    }

    /// The next field of the next row: these bytes of the block, of which there are at most [`BLOCK_BYTES_MAX`].
    #[inline(always)]
    pub(super) fn put(&mut self, start: usize, end: usize) {
        self.places.push(Place { start: start as u32, length: (end - start) as u32 });
    }

    /// The next field of the next row is NULL.
    #[inline(always)]
    pub(super) fn put_null(&mut self) {
        self.places.push(Place { start: 0, length: NULL });
    }

    /// The next field of the next row: bytes that `write` appends. None is NULL, and then what is appended is no field's.
    pub(super) fn put_aside(&mut self, write: impl FnOnce(&mut Vec<u8>) -> Option<()>) {
        let start = self.aside.len();
        if write(&mut self.aside).is_none() {
            self.aside.truncate(start);
            return self.put_null();
        }
        self.places.push(Place { start: ASIDE | start as u32, length: (self.aside.len() - start) as u32 });
    }

    /// How many fields of the next row there are.
    #[inline(always)]
    pub(super) fn fields(&self) -> usize {
        self.places.len() - self.count * self.columns
    }

    /// The next row is whole: it has as many fields as there are columns.
    #[inline(always)]
    pub(super) fn end_row(&mut self) {
        debug_assert_eq!(self.fields(), self.columns, "rows have a field of each column");
        self.count += 1;
    }

    /// Forgets the fields of a row that is not whole.
    pub(super) fn drop_row(&mut self) {
        self.places.truncate(self.count * self.columns);
    }

    /// A column's fields, of the first so many rows of this block.
    pub(super) fn column<'a>(&'a self, block: &'a [u8], column: usize, count: usize) -> Fields<'a> {
        let places = &self.places[..count.min(self.count) * self.columns];
        Fields { block, aside: &self.aside, places, columns: self.columns, column }
    }
}

/// The fields of a column.
#[derive(Clone, Copy)]
pub(super) struct Fields<'a> {
    block: &'a [u8],
    aside: &'a [u8],
    places: &'a [Place],
    columns: usize,
    column: usize,
}

/// A field: bytes, and what they stand among.
#[derive(Clone, Copy)]
pub(super) struct Field<'a> {
    among: &'a [u8],
    start: usize,
    length: usize,
}

impl<'a> Fields<'a> {
    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.places.len() / self.columns
    }

    /// One after the other, none for NULL.
    #[inline(always)]
    pub(super) fn iter(&self) -> impl Iterator<Item = Option<Field<'a>>> {
        let Fields { block, aside, places, columns, column } = *self;
        places.chunks_exact(columns).map(move |row| {
            let Place { start, length } = row[column];
            if length == NULL {
                return None;
            }
            let (among, start) = if start & ASIDE == 0 { (block, start) } else { (aside, start & !ASIDE) };
            Some(Field { among, start: start as usize, length: length as usize })
        })
    }
}

impl<'a> Field<'a> {
    /// Its bytes.
    #[inline(always)]
    pub(super) fn bytes(&self) -> &'a [u8] {
        &self.among[self.start..self.start + self.length]
    }

    /// Appends its bytes. To copy as many as the compiler knows, and forget some, takes less than to copy a few.
    #[inline(always)]
    pub(super) fn append_to(&self, out: &mut Vec<u8>) {
        const FEW: usize = 16;
        match self.among[self.start..].first_chunk::<FEW>() {
            Some(more) if self.length <= FEW => {
                let end = out.len() + self.length;
                out.extend_from_slice(more);
                out.truncate(end);
            }
            _ => out.extend_from_slice(self.bytes()),
        }
    }
}
