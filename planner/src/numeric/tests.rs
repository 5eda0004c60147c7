//! Numbers: what they read as, print as and sort as. What their functions give is tested against PostgreSQL's own
//! results, in `tests/slt/numeric`.

use super::Numeric;
use super::small::SmallNumeric;
use num_bigint::BigInt;

fn number(text: &str) -> Numeric {
    Numeric::parse(text).unwrap()
}

#[test]
fn texts() {
    for (text, expected) in [
        ("3.10", "3.10"),
        (" -0.00 ", "0.00"),
        ("+.5", "0.5"),
        ("5.", "5"),
        ("1e3", "1000"),
        ("1.25e1", "12.5"),
        ("1e-20", "0.00000000000000000001"),
        ("-inf", "-Infinity"),
        ("+Infinity", "Infinity"),
        ("nan", "NaN"),
        ("123456789012345678901234567890123456789012345", "123456789012345678901234567890123456789012345"),
    ] {
        assert_eq!(number(text).to_string(), expected);
    }
    for text in ["", "-", ".", "1e", "1.2.3", "0x1", "--1", "-nan", "1 2"] {
        assert_eq!(Numeric::parse(text).unwrap_err().sqlstate(), "22P02", "{text:?}");
    }
    assert_eq!(Numeric::parse("1e131072").unwrap_err().sqlstate(), "22003");
    assert_eq!(Numeric::parse("1e999999999").unwrap_err().sqlstate(), "22003");
}

#[test]
fn stored_texts_sort_as_numbers() {
    let ordered = [
        "-Infinity",
        "-1e40",
        "-100",
        "-99.9",
        "-10",
        "-1.25",
        "-1.2",
        "-1",
        "-0.5",
        "-0.05",
        "-1e-30",
        "0",
        "1e-30",
        "0.05",
        "0.5",
        "0.55",
        "1",
        "1.2",
        "1.25",
        "9",
        "10",
        "99.9",
        "100",
        "101",
        "1e40",
        "Infinity",
        "NaN",
    ];
    let numbers: Vec<Numeric> = ordered.iter().map(|text| number(text)).collect();
    for (at, a) in numbers.iter().enumerate() {
        assert_eq!(Numeric::decode(&a.encode()).unwrap(), *a);
        assert_shown(a);
        for (other, b) in numbers.iter().enumerate() {
            assert_eq!(a.compare(b), at.cmp(&other), "{a} and {b}");
            assert_eq!(a.key().cmp(&b.key()), at.cmp(&other), "keys of {a} and {b}");
            assert_eq!(a.encode().cmp(&b.encode()), at.cmp(&other), "texts of {a} and {b}");
        }
    }
    for equal in [["3.1", "3.100"], ["0", "0.00"], ["-7", "-7.0"], ["100", "100.00"]] {
        let [a, b] = equal.map(number);
        assert_eq!(a.key(), b.key());
        assert!(a.encode() < b.encode());
        assert_eq!(Numeric::decode(&b.encode()).unwrap().to_string(), equal[1]);
    }
}

/// What is shown of a stored text is what the number shows.
fn assert_shown(number: &Numeric) {
    let mut shown = String::from("behind ");
    assert!(Numeric::show_encoded(&number.encode(), &mut shown));
    assert_eq!(shown, format!("behind {number}"));
}

#[test]
fn texts_that_nobody_stored_show_nothing() {
    for text in
        ["", "G", "B", "D", "C", "D500001", "D500001x 00000", "Dx00001 00000", "B500001 00000", "D500001\u{e9} 00001"]
    {
        let mut shown = String::new();
        assert!(!Numeric::show_encoded(text, &mut shown) && shown.is_empty(), "{text}");
    }
    for (unscaled, scale) in [(0, 0), (0, 5), (0, 16_383), (1, 16_383), (-1, 100), (120, 1), (-12_000, 3)] {
        assert_shown(&Numeric::new(unscaled, scale));
    }
}

#[test]
fn stored_texts_hold_every_digit() {
    for power in 0..45 {
        for nearby in -1..=1 {
            let unscaled: BigInt = BigInt::from(10u8).pow(power) + nearby;
            for (unscaled, scale) in
                [(unscaled.clone(), 0), (-&unscaled, 3), (unscaled * 7, 20), (BigInt::from(1) << power, 60)]
            {
                let number = Numeric::new(unscaled, scale);
                let text = number.encode();
                assert_eq!(Numeric::decode(&text).unwrap(), number);
                assert_shown(&number);
                match (number.small(), SmallNumeric::decode(&text)) {
                    (Some(small), found) if power < 37 => {
                        assert_eq!(found, Some(small), "{text}");
                        let mut again = String::new();
                        small.encode_into(&mut again);
                        assert_eq!(again, text);
                    }
                    (small, Some(found)) => assert_eq!(small, Some(found), "{text}"),
                    (_, None) => {}
                }
            }
        }
    }
}

#[test]
fn small_numbers_become_the_nearest_doubles() {
    let (mut found, mut of) = (0, 0);
    for power in 0..38 {
        for nearby in [-1, 0, 1, 7, 333_333_333] {
            for scale in [0, 1, 2, 16, 20, 22, 23, 30, 38, 60] {
                let bits = (1i128 << (power * 3 + 2)) + nearby;
                for unscaled in [10i128.pow(power) + nearby, bits, -bits, 0, i128::MIN, i128::MAX] {
                    let small = SmallNumeric::new(unscaled, scale);
                    of += 1;
                    if let Some(double) = small.to_double() {
                        assert_eq!(double.to_bits(), Numeric::from(small).to_double().to_bits(), "{small:?}");
                        found += 1;
                    }
                }
            }
        }
    }
    assert!(found > of / 2, "{found} of {of}");
}

#[test]
fn roots_and_quotients_of_small_numbers_have_every_digit() {
    let unscaled =
        || (0..37).flat_map(|power| [-1, 0, 1, 7].map(|nearby| 10i128.pow(power) * (1 + power as i128 % 3) + nearby));
    let (mut roots, mut quotients) = (0, 0);
    for scale in [0, 1, 2, 11, 12, 16, 17, 20, 24, 30] {
        for unscaled in unscaled().filter(|&unscaled| unscaled >= 0) {
            let small = SmallNumeric::new(unscaled, scale);
            let number = Numeric::from(small);
            if let Some(root) = small.deviation() {
                assert_eq!(Numeric::from(root), number.deviation(), "{number}");
                roots += 1;
            }
            if let Some(root) = small.square_root() {
                assert_eq!(Numeric::from(root), number.square_root().unwrap(), "{number}");
            }
            for divisor in [3, -7, 10i128.pow(19) + 7, 10i128.pow(25) / 3, i128::MAX / 5] {
                let divisor = SmallNumeric::new(divisor, 16);
                if let Some(quotient) = small.checked_divide(divisor) {
                    assert_eq!(
                        Numeric::from(quotient),
                        number.divide(&divisor.into()).unwrap(),
                        "{number} / {divisor:?}"
                    );
                    quotients += 1;
                }
            }
        }
    }
    assert!(roots > 1_000 && quotients > 4_000, "{roots} {quotients}");
}

#[test]
fn keys_are_those_of_their_numbers() {
    for text in [
        "-1e40",
        "-100",
        "-99.90",
        "-0.05",
        "0.00",
        "1e-30",
        "0.5",
        "1",
        "1.20",
        "10",
        "123456789012345678901234567890.125",
    ] {
        let number = number(text);
        let found = super::key::number_of_key(&number.key()).unwrap();
        assert_eq!((found.compare(&number), found.key()), (std::cmp::Ordering::Equal, number.key()), "{text}");
    }
    for key in [
        "",
        "A",
        "E",
        "F",
        "D",
        "D500001",
        "D50000110",
        "D5000011 00000",
        "B499998",
        "B499998x~",
        "C0",
        "x",
        "D5000x11",
        "Dé",
    ] {
        assert!(super::key::number_of_key(key).is_none(), "{key:?}");
    }
}
