//! The parts of the texts of rows that aggregates gather (`planner/src/evaluate/gather.rs`): sort keys, and values as elements.

use super::make::{is_of, push};
use crate::cpu::kernels::Call;
use crate::cpu::vector::{Vector, VectorData};
use multiloop_planner::evaluate::array::Form;
use multiloop_planner::evaluate::gather::{DOWN_END, UP_END};
use multiloop_planner::types::SortOrder;

/// The values of a type as elements of arrays of it, NULL among them.
pub(super) fn entry(form: Form, value: &Vector, len: usize, out: &mut Vector) -> bool {
    if !is_of(form, value) {
        return false;
    }
    let mut texts = out.take_text();
    // An element is ASCII, or a text with marks, which are ASCII.
    (0..len).for_each(|tuple| texts.push_written(|text| push(form, value, tuple, text)));
    out.set(len, VectorData::Text(texts), None);
    true
}

/// Texts that sort, byte by byte, as values are to be ordered.
pub(in crate::cpu::kernels) fn sort_key(
    call: &Call<'_>,
    order: SortOrder,
    value: &Vector,
    len: usize,
    out: &mut Vector,
) -> bool {
    let Some(form) = Form::of(call.types[0]).filter(|&form| is_of(form, value)) else { return false };
    let SortOrder { descending, nulls_first } = order;
    let mut texts = out.take_text();
    let mut element = Vec::new();
    for tuple in 0..len {
        texts.push_written(|text| {
            if value.is_null(tuple) {
                return text.push(if nulls_first { b'1' } else { b'3' });
            }
            text.push(b'2');
            element.clear();
            push(form, value, tuple, &mut element);
            // What an element compares by is it without its mark.
            let bare = &element[1..];
            if !descending {
                text.extend_from_slice(bare);
                return text.push(UP_END as u8);
            }
            const HEXADECIMAL: &[u8; 16] = b"0123456789abcdef";
            text.extend(
                bare.iter()
                    .flat_map(|byte| [HEXADECIMAL[usize::from(!byte >> 4)], HEXADECIMAL[usize::from(!byte & 15)]]),
            );
            text.push(DOWN_END as u8);
        });
    }
    out.set(len, VectorData::Text(texts), None);
    true
}
