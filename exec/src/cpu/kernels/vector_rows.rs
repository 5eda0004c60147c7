//! The elements of vectors as slices of their type, for the kernels of vectors.
//!
//! Columns are read where they are. That includes reals of which doubles are computed, as of a vector of reals beside one of doubles:
//! kernels have the type that elements are stored in beside the one that is computed with ([`Rows::are_reals`], [`Reads`]). All else
//! that is not of the type itself is copied, into memory that is there for all rows of a tile: doubles that are exactly reals, as
//! constants and what comes value by value are (`column/vectors.rs`), and tiles of which some vectors are reals.

use crate::Result;
use crate::column::vectors::{Block, Elements, Vectors};
use crate::cpu::simd::kernel::append;
use crate::cpu::vector::{Vector, VectorData};
use multiloop_planner::evaluate::vector::Element;
use multiloop_planner::meter;
use std::marker::PhantomData;
use std::ops::Range;

/// Elements that a kernel passes between two looks at its statement: a tile may have hundreds of millions.
const PIECE: usize = 1 << 16;

/// Rows that a kernel may take together.
pub(super) const LANES: usize = 8;

/// What an element costs a kernel that computes, and one that calls the standard library for each, in the meter's units.
pub(super) const QUICK: usize = 1;
pub(super) const DEAR: usize = 16;

/// All tuples of a tile in ranges, each of which is spent before it is given: 57014 if the statement was cancelled.
pub(super) fn pieces(len: usize, length: usize, cost: usize) -> impl Iterator<Item = Result<Range<usize>>> {
    let each = length.max(1) * cost;
    let rows = (PIECE / each).max(1).next_multiple_of(LANES);
    (0..len).step_by(rows).map(move |start| {
        let tuples = start..len.min(start + rows);
        meter::spend(tuples.len() * each)?;
        Ok(tuples)
    })
}

/// An element that columns have.
pub(in crate::cpu) trait Stored: Element {
    /// The elements where they are, if they are of this type.
    fn slice(elements: Elements<'_>) -> Option<&[Self]>;
    /// Elements as a block.
    fn block(values: Vec<Self>) -> Block;
}

impl Stored for f32 {
    #[inline(always)]
    fn slice(elements: Elements<'_>) -> Option<&[Self]> {
        if let Elements::F32(values) = elements { Some(values) } else { None }
    }

    fn block(values: Vec<Self>) -> Block {
        Block::F32(values.into())
    }
}

impl Stored for f64 {
    #[inline(always)]
    fn slice(elements: Elements<'_>) -> Option<&[Self]> {
        if let Elements::F64(values) = elements { Some(values) } else { None }
    }

    fn block(values: Vec<Self>) -> Block {
        Block::F64(values.into())
    }
}

/// Elements that are stored as `S` and computed with as `T`, which is the same or double precision. Kernels infer their types from it.
#[derive(Clone, Copy, Debug)]
pub(in crate::cpu) struct Reads<S, T>(PhantomData<(S, T)>);

impl<S: Stored, T: Stored> Reads<S, T> {
    pub(in crate::cpu) const NEW: Self = Reads(PhantomData);

    /// An element.
    #[inline(always)]
    pub(in crate::cpu) fn read(self, element: S) -> T {
        T::of(element.double())
    }
}

/// The vectors of a tile, by tuple.
#[derive(Clone, Copy)]
pub(in crate::cpu) struct Rows<'a> {
    pub(in crate::cpu) vector: &'a Vector,
    pub(in crate::cpu) vectors: &'a Vectors,
}

impl<'a> Rows<'a> {
    /// Those of an argument; none of one that is not of vectors.
    pub(in crate::cpu) fn of(vector: &'a Vector) -> Option<Self> {
        if let VectorData::Vectors(vectors) = &vector.data { Some(Rows { vector, vectors }) } else { None }
    }

    /// Elements of each.
    pub(in crate::cpu) fn length(self) -> usize {
        self.vectors.length()
    }

    /// An element of a tuple's vector.
    pub(in crate::cpu) fn at(self, tuple: usize, place: usize) -> f64 {
        self.vectors.get(self.vector.position(tuple)).at(place)
    }

    /// Whether the vectors of these tuples are all stored as reals, whatever their type is.
    pub(in crate::cpu) fn are_reals(self, tuples: impl Iterator<Item = usize>) -> bool {
        self.vectors.are_reals(tuples.map(|tuple| self.vector.position(tuple)))
    }

    /// The elements of a tuple's vector, which are copied to `own` if they are of another type.
    #[inline(always)]
    pub(in crate::cpu) fn get<'b, T: Stored>(self, tuple: usize, own: &'b mut Vec<T>) -> &'b [T]
    where
        'a: 'b,
    {
        let elements = self.vectors.get(self.vector.position(tuple));
        match T::slice(elements) {
            Some(elements) => elements,
            None => {
                own.clear();
                append_elements(elements, own);
                own
            }
        }
    }

    /// Appends the elements of a tuple's vector.
    #[inline(always)]
    pub(in crate::cpu) fn append<T: Stored>(self, tuple: usize, to: &mut Vec<T>) {
        append_elements(self.vectors.get(self.vector.position(tuple)), to);
    }
}

#[inline(always)]
fn append_elements<T: Stored>(elements: Elements<'_>, to: &mut Vec<T>) {
    match elements {
        Elements::F32(elements) => append(to, elements, |element: f32| T::of(element.into())),
        Elements::F64(elements) => append(to, elements, |element: f64| T::of(element)),
    }
}
