//! Text of so many strings that it has no codes: what reads it, by row, beside the host.

use super::{PIECE_OF_CARD, Random, card, compare, emulated, program, with_statistics};
use crate::column::Table;
use crate::gpu::backend::Gpu;
use crate::gpu::driver::emulated::Emulated;
use crate::workers::pool::Pool;
use multiloop_planner::types::Field;
use multiloop_planner::value::Value;
use std::sync::Arc;

const T: &str = "table %0 t(a#0 integer, s#1 text?)\n";

/// Devices to which two strings are many.
fn devices() -> Vec<Arc<Gpu>> {
    let like_a_card = Gpu::with_pieces(Arc::new(Emulated::like_a_card(64)), PIECE_OF_CARD);
    let mut all = vec![emulated(1, 16), emulated(4, 8), like_a_card];
    all.extend(card(Some(PIECE_OF_CARD)).and_then(Arc::into_inner));
    all.into_iter().map(|gpu| Arc::new(gpu.that_carries_text())).collect()
}

/// A table of a number and a text, in chunks of so many rows; as it is, since text that is loaded may have a dictionary.
fn table(fields: &[Field], texts: &[Option<String>], chunk: usize) -> Arc<Table> {
    let row =
        |(text, at): (&Option<String>, i64)| vec![Value::Int(at), text.as_deref().map_or(Value::Null, Value::text)];
    let rows: Vec<Vec<Value>> = texts.iter().zip(0..).map(row).collect();
    let mut table = Table::from_values(fields.to_vec(), &rows);
    table.chunks = rows.chunks(chunk).flat_map(|rows| Table::from_values(fields.to_vec(), rows).chunks).collect();
    Arc::new(table)
}

/// Runs a program over some texts; the loops that were declined, and why.
fn run(text: &str, texts: &[Option<String>], gpus: &[Arc<Gpu>], pool: &Pool) -> Vec<String> {
    let program = program(text);
    let mut declined = Vec::new();
    for (gpu, chunk) in gpus.iter().zip([7, 64, 19, 64]) {
        let tables = [table(&program.collections[0].fields, texts, chunk)];
        let program = with_statistics(&program, &tables);
        declined.extend(compare(&program, &tables, &[], (gpu, pool), text));
    }
    declined.retain(|note| !note.ends_with(": ran"));
    declined
}

/// Checks expressions, some that may be NULL and some that may not, over many tables: they all run on the device.
fn check(nullable: &[String], others: &[&str]) {
    let mut text = format!("{T}loop\n  i0 in %0\n  %1 collect\n    a = i0.a\n    s? = i0.s\n");
    nullable.iter().zip(0..).for_each(|(of, at)| text.push_str(&format!("    p{at}? = {of}\n")));
    others.iter().zip(0..).for_each(|(of, at)| text.push_str(&format!("    q{at} = {of}\n")));
    let names = (0..nullable.len()).map(|at| format!(", p{at}")).chain((0..others.len()).map(|at| format!(", q{at}")));
    text.push_str(&format!("result %1\noutput a, s{}\n", names.collect::<String>()));
    let (gpus, pool) = (devices(), Pool::new(1).expect("threads start"));
    for texts in tables() {
        let declined = run(&text, &texts, &gpus, &pool);
        assert!(declined.is_empty(), "{declined:?} of\n{text}");
    }
}

/// Texts of each kind: none, one, NULL alone, such as look like patterns, long ones, random ones.
fn tables() -> Vec<Vec<Option<String>>> {
    let some = |text: &str| Some(text.to_owned());
    let mut directed: Vec<Option<String>> = [
        "",
        "a",
        "aa",
        "aab",
        "aaab",
        "aaaab",
        "baaab",
        "ab",
        "abab",
        "ababab",
        "%",
        "_",
        "\\",
        "a%b",
        "a_b",
        "é",
        "éé",
        "aéb",
        "日本",
        "日",
        "😀",
        "😀a",
        "a😀",
        "x special requests",
        "special",
        "requests special",
        "specialrequests",
        "specialspecial requests x",
        "sp\u{e9}cial requests",
        "13-555",
        "31",
        "3",
        "forest green",
        "aforest",
        "lime green forest",
        "gree",
        "greengreen",
        "\u{7f}",
    ]
    .map(some)
    .to_vec();
    directed.push(None);
    directed.push(Some("ab".repeat(4000) + "special é requests"));
    directed.extend([some("behind"), None, some(""), some("b")]);
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let mut made = || match random.below(9) {
        0 => None,
        _ => Some((0..random.below(14)).map(|_| letter(&mut random)).collect()),
    };
    let many = (0..150).map(|_| made()).collect();
    vec![Vec::new(), vec![some("aab")], vec![None, None, None], directed, many]
}

fn letter(random: &mut Random) -> char {
    ['a', 'a', 'b', 'a', 'é', '日', '😀', '%', '_', '\\'][random.below(10) as usize]
}

/// The text of programs has escapes of its own.
fn like(pattern: &str) -> String {
    format!("like(i0.s, '{}')", pattern.replace('\\', "\\\\"))
}

#[test]
fn patterns() {
    let patterns = [
        "%",
        "",
        "_",
        "__",
        "%_",
        "_%",
        "%%",
        "a",
        "a%",
        "%a",
        "%a%",
        "%aa%aab",
        "aa%aab",
        "%aa%aa%",
        "%ab%ab",
        "a_",
        "_a",
        "%_a%",
        "%a_b%",
        "_%_%_",
        "%é%",
        "é_",
        "%日_%",
        "_😀%",
        "%😀",
        "%\\%%",
        "%\\_%",
        "\\\\",
        "%\\\\%",
        "a\\%b",
        "%special%requests%",
        "forest%",
        "%green%",
        "%gree",
        "ababab%",
        "%e_t%",
        "%r_q%s%",
        "%abababababababababababababababababababababababababab%",
    ];
    let of = |pattern: &&str| like(pattern);
    check(&patterns.iter().map(of).collect::<Vec<_>>(), &["is_null(i0.s)"]);
}

#[test]
fn random_patterns() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut pattern = || {
        let mut text = String::new();
        for _ in 0..random.below(9) {
            match letter(&mut random) {
                '\\' => text.push_str(["\\%", "\\_", "\\\\", "\\é"][random.below(4) as usize]),
                'b' => text.push('%'),
                letter => text.push(letter),
            }
        }
        like(&text)
    };
    check(&(0..60).map(|_| pattern()).collect::<Vec<_>>(), &["is_not_null(i0.s)"]);
}

#[test]
fn sentences() {
    let mut random = Random(0x1234_5678_9abc_def1);
    const WORDS: [&str; 12] = [
        "special",
        "requests",
        "packages",
        "sp",
        "cial",
        "reque",
        "sts",
        "spcial",
        "carefully",
        "é",
        "special requests",
        "rqu",
    ];
    let mut sentence = || {
        let words = (0..random.below(11)).map(|_| WORDS[random.below(WORDS.len() as u64) as usize]);
        let words: Vec<&str> = words.collect();
        Some(words.join([" ", "", ", "][random.below(3) as usize]))
    };
    let mut texts: Vec<Option<String>> = (0..220).map(|_| sentence()).collect();
    for (at, text) in texts.iter_mut().enumerate() {
        match at % 16 {
            0 => *text = None,
            1 | 2 if at > 100 => *text = Some(String::new()),
            _ => {}
        }
    }
    // Rows of more bytes than a block looks through at once.
    let long = "final deposits x ".repeat(60_000);
    texts[40] = Some(format!("{long}special{long}requests"));
    texts[41] = Some(format!("special{long}request"));
    texts[150] = Some(format!("{long}requests special{long}"));
    let patterns = [
        "%special%requests%",
        "%requests%special%",
        "%special requests",
        "special%requests%",
        "special%requests",
        "%requests%",
        "%s_ecial%",
        "%packages%special%",
        "%cialreq%",
        "%s%",
        "%é%special%",
        "_%special_requests%_",
        "special",
        "%carefully%carefully%carefully%",
        "%specialspecialspecialspecialspecial%",
        "%final deposits x final deposits x final deposits x%requests",
    ];
    let mut text = format!("{T}loop\n  i0 in %0\n  %1 collect\n    a = i0.a\n");
    patterns.iter().zip(0..).for_each(|(of, at)| text.push_str(&format!("    p{at}? = {}\n", like(of))));
    let names = (0..patterns.len()).map(|at| format!(", p{at}")).collect::<String>();
    text.push_str(&format!("result %1\noutput a{names}\n"));
    let (gpus, pool) = (devices(), Pool::new(1).expect("threads start"));
    let declined = run(&text, &texts, &gpus, &pool);
    assert!(declined.is_empty(), "{declined:?}");
}

#[test]
fn rows_that_are_pruned_are_not_asked() {
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let mut text = |at: u64| match random.below(7) {
        0 => None,
        _ => Some(format!("{}special {}", "x".repeat(random.below(9) as usize), at % 10)),
    };
    let texts: Vec<Option<String>> = (0..400).map(&mut text).collect();
    let (gpus, pool) = (devices(), Pool::new(1).expect("threads start"));
    let ranges =
        ["i0.a >= 130 AND i0.a < 270", "i0.a < 3", "i0.a > 397", "in_list(i0.a, 70, 71, 300, 399)", "i0.a > 900"];
    for range in ranges {
        let text = format!(
            "{T}loop\n  i0 in %0\n  %1 collect\n    if {range}\n    if like(i0.s, '%special%') OR i0.s < 'xx'\n    a = i0.a\n    \
             p? = like(i0.s, '%l _')\n    n? = length(i0.s)\n    k? = left(i0.s, 2)\nresult %1\noutput a, p, n, k\n"
        );
        let declined = run(&text, &texts, &gpus, &pool);
        assert!(declined.is_empty(), "{declined:?} of\n{text}");
    }
}

#[test]
fn parts_and_comparisons() {
    let texts = [
        "like(i0.s, 'a!%b', '!')",
        "like(i0.s, 'a\\\\%', '')",
        "NOT like(i0.s, '%a%')",
        "like(substring(i0.s, 2, 3), '%b')",
        "starts_with(i0.s, 'a')",
        "starts_with(i0.s, '')",
        "ends_with(i0.s, 'requests')",
        "contains(i0.s, 'special')",
        "contains(i0.s, '')",
        "i0.s = 'aab'",
        "i0.s = ''",
        "'aab' = i0.s",
        "i0.s <> 'é'",
        "i0.s < 'aab'",
        "i0.s <= 'aab'",
        "'aab' < i0.s",
        "i0.s > 'é'",
        "i0.s >= '日本'",
        "substring(i0.s, 2) = 'ab'",
        "substring(i0.s, 0, 2) = 'a'",
        "substring(i0.s, -1, 3) < 'b'",
        "left(i0.s, 2) = '😀a'",
        "left(i0.s, 0) = ''",
        "in_list(i0.s, 'aab', '', '日', 'b')",
        "in_list(substring(i0.s, 1, 2), '13', '31', 'éé', '日本')",
        "length(i0.s)",
        "octet_length(i0.s)",
        "length(substring(i0.s, 2, 5))",
        "substring(i0.s, 1, 1)",
        "substring(i0.s, 3, 1)",
        "left(i0.s, 1)",
        "i0.s > 'a' AND like(i0.s, '%b') OR length(i0.s) = 2",
    ];
    check(
        &texts.map(str::to_owned),
        &[
            "is_null(substring(i0.s, 1, 2))",
            "is_not_null(i0.s)",
            "is_distinct(i0.s, 'aab')",
            "is_not_distinct('', i0.s)",
        ],
    );
}

#[test]
fn parts_as_keys() {
    let text = format!(
        "{T}\
loop
  i0 in %0
  %1 bucket_reduce
    if i0.s <> 'b' OR is_null(i0.s)
    key k? = substring(i0.s, 1, 1)
    n = count_rows()
    f? = first(i0.s)
  %2 bucket_collect
    key k? = left(i0.s, 1)
    a = i0.a
loop
  i1 in %0
  i2 in %2[substring(i1.s, 2, 1)]
  %3 bucket_reduce
    key k? = substring(i1.s, 1, 1)
    n = count_rows()
    s? = sum(i2.a)::bigint
    m? = max(%1[substring(i1.s, 3, 1)].n)
RESULT
"
    );
    let (gpus, pool) = (devices(), Pool::new(1).expect("threads start"));
    for result in ["result %1\noutput k, n", "result %3\noutput k, n, s, m"] {
        for texts in tables() {
            let declined = run(&text.replace("RESULT", result), &texts, &gpus, &pool);
            assert!(declined.is_empty(), "{declined:?}");
        }
    }
}

#[test]
fn long_parts_are_declined() {
    let text = format!("{T}loop\n  i0 in %0\n  %1 collect\n    p? = substring(i0.s, 1, 8)\nresult %1\noutput p\n");
    let (gpus, pool) = (devices(), Pool::new(1).expect("threads start"));
    let texts = ["one string", "and another"].map(|text| Some(text.to_owned()));
    let declined = run(&text, &texts, &gpus, &pool);
    assert!(!declined.is_empty() && declined.iter().all(|note| note.contains("more than 7 bytes")), "{declined:?}");
}

#[test]
fn a_new_pattern_compiles_and_uploads_nothing() {
    let (gpus, pool) = (devices(), Pool::new(1).expect("threads start"));
    let texts: Vec<Option<String>> = (0..40).map(|at| Some(format!("text {at}"))).collect();
    let gpu = &gpus[1];
    let mut known = None;
    let tables: Vec<Arc<Table>> = vec![table(&program(&with("%x%")).collections[0].fields, &texts, 16)];
    for pattern in ["%x%", "text _", "%1%2", "", "text%"] {
        let program = with_statistics(&program(&with(pattern)), &tables);
        let notes = compare(&program, &tables, &[], (gpu, &pool), pattern);
        assert_eq!(notes, ["%1: ran"]);
        let now = (gpu.device().cache.len(), gpu.device().resident.uploaded());
        assert_eq!(*known.get_or_insert(now), now, "the same sources and columns for all");
    }
}

/// A program that counts what is like a pattern.
fn with(pattern: &str) -> String {
    format!(
        "{T}loop\n  i0 in %0\n  %1 reduce\n    if like(i0.s, '{pattern}')\n    n = count_rows()\nresult %1\noutput n\n"
    )
}
