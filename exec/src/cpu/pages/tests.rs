//! Pages that are encoded here, whole and in pieces, and pages that are not what they say.

use super::*;
use crate::column::{Column, ColumnData};
use arrow::buffer::Buffer;
use multiloop_planner::types::DataType;
use multiloop_planner::value::Value;
use std::sync::Arc;

/// A run of one value and a packed group, in turns, of values of so many bits.
fn hybrid(values: &[u32], width: u32, packed_first: bool) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = values;
    let mut packs = packed_first;
    while !rest.is_empty() {
        let alike = rest.iter().take_while(|&&value| value == rest[0]).count();
        // Only the last group may be filled up.
        if !packs || (rest.len() > 8 && alike >= 8) {
            let mut header = alike << 1;
            while header >= 0x80 {
                out.push(header as u8 & 0x7f | 0x80);
                header >>= 7;
            }
            out.push(header as u8);
            out.extend(&rest[0].to_le_bytes()[..width.div_ceil(8) as usize]);
            rest = &rest[alike..];
            packs = true;
            continue;
        }
        let groups = (rest.len().div_ceil(8)).min(1 + values.len() % 5);
        let mut header = groups << 1 | 1;
        while header >= 0x80 {
            out.push(header as u8 & 0x7f | 0x80);
            header >>= 7;
        }
        out.push(header as u8);
        let (mut word, mut bits) = (0u64, 0);
        for at in 0..groups * 8 {
            word |= u64::from(rest.get(at).copied().unwrap_or(0)) << bits;
            bits += width;
            while bits >= 8 {
                out.push(word as u8);
                word >>= 8;
                bits -= 8;
            }
        }
        rest = &rest[rest.len().min(groups * 8)..];
        packs = false;
    }
    out
}

/// Values of a column that has been read.
fn values(column: &Column, data_type: DataType) -> Vec<Value> {
    (0..column.rows()).map(|row| column.value(row, data_type)).collect()
}

/// Row i has value i of this many, but for those that have none.
fn numbers(count: usize, distinct: u32) -> Vec<u32> {
    (0..count as u32)
        .map(|at| if at % 37 < 20 { at / 37 % distinct } else { at.wrapping_mul(2_654_435_761) % distinct })
        .collect()
}

#[test]
fn runs_and_packed_groups_of_every_width() {
    for width in 0..=32u32 {
        let mask = if width == 0 { 0 } else { u32::MAX >> (32 - width) };
        for count in [0, 1, 7, 8, 9, 255, 256, 257, 1_000] {
            let expected: Vec<u32> = numbers(count, u32::MAX).iter().map(|&value| value & mask).collect();
            for packed_first in [false, true] {
                let data = hybrid(&expected, width, packed_first);
                for (skip, most) in [(0, usize::MAX), (0, 3), (5, 100), (count / 2, 64), (count, 1)] {
                    if skip > count {
                        continue;
                    }
                    let mut decoder = hybrid::Hybrid::new(&data, width).unwrap();
                    decoder.skip(skip).unwrap();
                    let mut found = Vec::new();
                    while found.len() < count - skip {
                        match decoder.next(most.min(count - skip - found.len())).unwrap() {
                            hybrid::Next::Repeat(value, times) => found.extend(std::iter::repeat_n(value, times)),
                            hybrid::Next::Values(values) => found.extend_from_slice(values),
                        }
                    }
                    assert_eq!(found, expected[skip..], "{width} bits, {count} values, behind {skip}");
                }
            }
        }
    }
}

/// Levels, and which rows have a value.
fn levels(rows: usize, every: usize) -> (Option<Vec<u8>>, Vec<bool>) {
    let valid: Vec<bool> = (0..rows).map(|row| every == 0 || row % every != 1).collect();
    let bits: Vec<u32> = valid.iter().map(|&bit| bit.into()).collect();
    ((every > 0).then(|| hybrid(&bits, 1, rows.is_multiple_of(2))), valid)
}

/// Encoding, values, levels, rows.
type TestPage = (Encoding, Vec<u8>, Option<Vec<u8>>, usize);

/// Every way to cut rows of two pages gives the rows.
fn check(kind: Kind, data_type: DataType, pages: &[TestPage], dictionary: Option<&Dictionary>, expected: &[Value]) {
    let total: usize = pages.iter().map(|page| page.3).sum();
    for keep in [0..total, 0..total / 2, total / 2..total, total / 3..total - total / 5, 0..0, total..total] {
        let mut column = PageColumn::new(kind, keep.len());
        let mut first = 0;
        for (encoding, values, levels, rows) in pages {
            let rows = *rows;
            let within = |row: usize| row.clamp(first, first + rows) - first;
            let page = PageRows { rows, levels: levels.as_deref(), values, encoding: *encoding };
            if within(keep.start) < within(keep.end) {
                column.add(page, within(keep.start)..within(keep.end), dictionary).unwrap();
            }
            first += rows;
        }
        let column = column.finish();
        assert_eq!(values(&column, data_type), expected[keep.clone()], "{kind:?} {keep:?}");
    }
}

#[test]
fn values_of_every_kind_come_back() {
    for (rows, every) in [(1, 0), (2, 2), (100, 0), (100, 3), (1_000, 7), (3_000, 0), (700, 1)] {
        // Levels that have all rows, for 1.
        let (level, valid) = levels(rows, every);
        let present = valid.iter().filter(|&&bit| bit).count();
        let indices = numbers(present, 200);
        let width = 8;
        let mut coded = vec![width as u8];
        coded.extend(hybrid(&indices, width, true));
        let spread = |values: Vec<Value>| -> Vec<Value> {
            let mut values = values.into_iter();
            valid.iter().map(|&bit| if bit { values.next().unwrap() } else { Value::Null }).collect()
        };
        let twice = |values: Vec<Value>| [values.clone(), values].concat();
        let run = |kind: Kind, data_type: DataType, of: &dyn Fn(u32) -> (Vec<u8>, Value)| {
            let table: Vec<u8> = (0..200).flat_map(|index| of(index).0).collect();
            let plain: Vec<u8> = indices.iter().flat_map(|&index| of(index).0).collect();
            let expected = spread(indices.iter().map(|&index| of(index).1).collect());
            let page = |encoding, values: &Vec<u8>| (encoding, values.clone(), level.clone(), rows);
            let (by_index, by_value) = (page(Encoding::Dictionary, &coded), page(Encoding::Plain, &plain));
            let dictionary = Dictionary::new(kind, &table, 200).unwrap();
            let both = twice(expected);
            for pages in [
                [by_value.clone(), by_value.clone()],
                [by_index.clone(), by_index.clone()],
                [by_index.clone(), by_value.clone()],
                [by_value, by_index],
            ] {
                check(kind, data_type, &pages, Some(&dictionary), &both);
                if kind == Kind::Text {
                    let mut strings: Vec<&str> = dictionary.texts().collect();
                    strings.sort_unstable();
                    strings.dedup();
                    let all = Arc::new(crate::column::Dictionary::new(strings));
                    let coded = dictionary.coded(&all).unwrap();
                    check(kind, data_type, &pages, Some(&coded), &both);
                }
            }
        };
        let small = |index: u32| i64::from(index) * 3 - 100;
        let far = |index: u32| (i64::from(index) - 100) << 50;
        let int = |value: i64, bytes: Vec<u8>| (bytes, Value::Int(value));
        run(Kind::Int32 { unsigned: false, scale: Scale::One }, DataType::Integer, &|index| {
            int(small(index), (small(index) as i32).to_le_bytes().to_vec())
        });
        run(Kind::Int32 { unsigned: true, scale: Scale::One }, DataType::BigInt, &|index| {
            int(i64::from(u32::MAX - index), (u32::MAX - index).to_le_bytes().to_vec())
        });
        run(Kind::Int32 { unsigned: false, scale: Scale::Times(1_000) }, DataType::Time, &|index| {
            int(small(index) * 1_000, (small(index) as i32).to_le_bytes().to_vec())
        });
        run(Kind::Int64 { scale: Scale::One }, DataType::BigInt, &|index| {
            int(far(index), far(index).to_le_bytes().to_vec())
        });
        run(Kind::Int64 { scale: Scale::Part(1_000) }, DataType::Timestamp, &|index| {
            int(small(index), (small(index) * 1_000).to_le_bytes().to_vec())
        });
        for width in [1, 2, 7, 8, 9, 16] {
            let value = |index: u32| {
                if width == 1 {
                    i128::from(index as i8)
                } else if width > 8 {
                    (i128::from(index) - 100) << 60
                } else {
                    small(index).into()
                }
            };
            let value = move |index: u32| if width == 9 { value(index) >> 1 } else { value(index) };
            run(Kind::Fixed(width), DataType::decimal(38, 2), &|index| {
                (value(index).to_be_bytes()[16 - width..].to_vec(), Value::Decimal(value(index)))
            });
        }
        run(Kind::Float, DataType::Real, &|index| {
            ((index as f32 / 2.0).to_le_bytes().to_vec(), Value::Float(f64::from(index) / 2.0))
        });
        run(Kind::Double, DataType::Double, &|index| {
            ((f64::from(index) / 3.0).to_le_bytes().to_vec(), Value::Float(f64::from(index) / 3.0))
        });
        run(Kind::Text, DataType::Text, &|index| {
            let text = match index % 4 {
                0 => String::new(),
                1 => format!("text {index}"),
                2 => format!("é{index}"),
                _ => "long ".repeat(index as usize),
            };
            let length = (text.len() as u32).to_le_bytes();
            ([&length, text.as_bytes()].concat(), Value::text(text))
        });
        let bits: Vec<bool> = indices.iter().map(|&index| index % 3 == 0).collect();
        let packed: Vec<u8> =
            bits.chunks(8).map(|bits| bits.iter().rev().fold(0, |byte, &bit| byte << 1 | u8::from(bit))).collect();
        let runs = hybrid(&bits.iter().map(|&bit| bit.into()).collect::<Vec<u32>>(), 1, true);
        let runs = [&(runs.len() as u32).to_le_bytes()[..], &runs].concat();
        let expected = twice(spread(bits.into_iter().map(Value::Boolean).collect()));
        let page = |encoding, values: &Vec<u8>| (encoding, values.clone(), level.clone(), rows);
        check(
            Kind::Boolean,
            DataType::Boolean,
            &[page(Encoding::Plain, &packed), page(Encoding::Runs, &runs)],
            None,
            &expected,
        );
    }
}

#[test]
fn pages_of_nothing_but_nulls_need_no_bytes() {
    let int = Kind::Int32 { unsigned: false, scale: Scale::One };
    let seven = [7u8, 0, 0, 0];
    let text = [1u8, 0, 0, 0, b'x'];
    for (kind, data_type, plain, value) in [
        (int, DataType::Integer, &seven[..], Value::Int(7)),
        (Kind::Fixed(4), DataType::decimal(9, 0), &[0, 0, 0, 7], Value::Decimal(7)),
        (Kind::Text, DataType::Text, &text[..], Value::text("x")),
        (Kind::Boolean, DataType::Boolean, &[1], Value::Boolean(true)),
    ] {
        let levels = hybrid(&[0; 20], 1, false);
        let nothing = PageRows { rows: 20, levels: Some(&levels), values: &[], encoding: Encoding::Dictionary };
        let one = PageRows { rows: 1, levels: None, values: plain, encoding: Encoding::Plain };
        let mut column = PageColumn::new(kind, 41);
        column.add(nothing, 0..20, None).unwrap();
        column.add(one, 0..1, None).unwrap();
        column.add(nothing, 3..20, None).unwrap();
        let found = values(&column.finish(), data_type);
        assert_eq!((found.len(), found.iter().filter(|value| value.is_null()).count()), (38, 37), "{kind:?}");
        assert_eq!(found[20], value);
    }
}

#[test]
fn what_pages_do_not_hold_is_an_error() {
    let add = |kind: Kind, page: PageRows<'_>, keep: std::ops::Range<usize>, dictionary: Option<&Dictionary>| {
        PageColumn::new(kind, keep.len()).add(page, keep, dictionary).unwrap_err()
    };
    let int = Kind::Int32 { unsigned: false, scale: Scale::One };
    let page = |values: &'static [u8], encoding| PageRows { rows: 2, levels: None, values, encoding };
    let malformed = |error: PageError| assert!(matches!(error, PageError::Malformed(_)), "{error:?}");
    malformed(add(int, page(&[1, 0, 0, 0, 2], Encoding::Plain), 0..2, None));
    malformed(add(int, page(&[1, 0, 0, 0], Encoding::Plain), 0..3, None));
    malformed(add(int, page(&[1, 2, 0], Encoding::Dictionary), 0..2, None));
    malformed(add(Kind::Text, page(&[255, 255, 255, 255, b'a'], Encoding::Plain), 0..1, None));
    malformed(add(Kind::Boolean, page(&[], Encoding::Plain), 0..2, None));
    malformed(add(Kind::Boolean, page(&[1], Encoding::Runs), 0..2, None));
    let dictionary = Dictionary::new(int, &[7, 0, 0, 0], 1).unwrap();
    // An index of 1, twice; more bits than any index; nothing; a run that ends in its header.
    for values in [&[1, 4, 1][..], &[1, 3, 2], &[40, 2, 0], &[], &[1], &[1, 0x80], &[8, 5]] {
        let page = PageRows { rows: 2, levels: None, values, encoding: Encoding::Dictionary };
        malformed(add(int, page, 0..2, Some(&dictionary)));
    }
    malformed(Dictionary::new(int, &[7, 0, 0], 1).unwrap_err());
    malformed(Dictionary::new(int, &[7, 0, 0], usize::MAX).unwrap_err());
    malformed(Dictionary::new(Kind::Text, &[7, 0, 0, 0, b'a'], 1).unwrap_err());
    assert_eq!(Dictionary::new(Kind::Text, &[1, 0, 0, 0, 0xff], 1).unwrap_err(), PageError::Utf8);
    // Two halves of a letter are two strings of which neither is one.
    assert_eq!(
        add(Kind::Text, page(&[1, 0, 0, 0, 0xc3, 1, 0, 0, 0, 0xa9], Encoding::Plain), 0..2, None),
        PageError::Utf8
    );
    let nanos = Kind::Int64 { scale: Scale::Part(1_000) };
    assert!(matches!(Dictionary::new(nanos, &1_001i64.to_le_bytes(), 1).unwrap_err(), PageError::Range(_)));
    let seconds = Kind::Int64 { scale: Scale::Times(1_000_000) };
    assert!(matches!(Dictionary::new(seconds, &i64::MAX.to_le_bytes(), 1).unwrap_err(), PageError::Range(_)));
}

#[test]
fn long_strings_stay_in_their_pages() {
    let rows = 900;
    let text = |at: usize| match at % 9 {
        0 => String::new(),
        1 => "short".to_owned(),
        _ => format!("{at} é").repeat(400 + at % 7),
    };
    let plain = |texts: &[String]| -> Vec<u8> {
        texts.iter().flat_map(|text| [&(text.len() as u32).to_le_bytes(), text.as_bytes()].concat()).collect()
    };
    let (level, valid) = levels(rows, 5);
    let present: Vec<String> = (0..rows).filter(|&row| valid[row]).map(text).collect();
    let all: Vec<String> = (0..rows).map(text).collect();
    let value = |row: usize| Value::text(text(row));
    let with_nulls = (0..rows).map(|row| if valid[row] { value(row) } else { Value::Null });
    let few = plain(&["a".to_owned(), "b".to_owned()]);
    let dictionary = Dictionary::new(Kind::Text, &few, 2).unwrap();
    let codes = vec![1u8, 4, 1];
    let two = [Value::text("a"), Value::text("b"), Value::text("b"), Value::text("b")];
    let expected: Vec<Value> = with_nulls.chain((0..rows).map(value)).chain(two).collect();
    // In front of the values there may be levels.
    let buffers = [plain(&present), plain(&all), few, codes].map(|page| Buffer::from([vec![9; 7], page].concat()));
    let pages = [
        (level.as_deref(), rows, Encoding::Plain),
        (None, rows, Encoding::Plain),
        (None, 2, Encoding::Plain),
        (None, 2, Encoding::Dictionary),
    ];
    for (keep, shown) in [(0..2 * rows, true), (rows - 5..rows + 5, true), (3..rows, true), (0..2 * rows + 4, false)] {
        let mut column = PageColumn::new(Kind::Text, keep.len());
        let mut first = 0;
        for ((levels, rows, encoding), buffer) in pages.iter().zip(&buffers) {
            let within = |row: usize| row.clamp(first, first + rows) - first;
            let page = PageRows { rows: *rows, levels: *levels, values: &buffer[7..], encoding: *encoding };
            if within(keep.start) < within(keep.end) {
                let keep = within(keep.start)..within(keep.end);
                column.add_of(page, keep, Some(&dictionary), Some(buffer)).unwrap();
            }
            first += rows;
        }
        let column = column.finish();
        assert_eq!(matches!(column.data, ColumnData::Views { .. }), shown, "{keep:?}");
        assert!(values(&column, DataType::Text) == expected[keep.clone()], "{keep:?}");
    }
    let mut broken = plain(&all);
    *broken.last_mut().unwrap() = 0xff;
    let add = |values: &[u8], buffer: &Buffer| {
        let page = PageRows { rows, levels: None, values, encoding: Encoding::Plain };
        PageColumn::new(Kind::Text, rows).add_of(page, 0..rows, None, Some(buffer)).unwrap_err()
    };
    let buffer = Buffer::from(broken);
    assert_eq!(add(&buffer, &buffer), PageError::Utf8);
    assert!(matches!(add(&buffers[1][7..buffers[1].len() - 1], &buffers[1]), PageError::Malformed(_)));
    assert!(matches!(add(&buffers[1][7..], &buffers[0]), PageError::Malformed(_)));
}
