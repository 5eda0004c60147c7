//! The programs.

use super::check;

/// Two tables with every type.
const TABLES: &str = "\
table %0 t(a#0 integer, b#1 bigint?, c#2 text?, d#3 double precision?, e#4 decimal(15,2)?, f#5 boolean?, g#6 date?, h#7 interval?, i#8 real?)
table %1 u(a#0 integer?, b#1 bigint, c#2 text, d#3 double precision?, e#4 decimal(38,0)?)
";

fn with_tables(program: &str) {
    check(&format!("{TABLES}{program}"));
}

#[test]
fn collects() {
    with_tables(
        "loop
  i0 in %0
  %2 collect
    if i0.a > 0
    if i0.f
    a = i0.a
    c? = i0.c
    h? = i0.h
    next = i0.a + 1
  %3 collect
    if i0.a > 0
    c? = i0.c
result %2
output x = a, c, h, next
",
    );
    with_tables("result %0\noutput c, a, i\n");
    with_tables(
        "loop\n  i0 in %0\n  i1 in %1\n  %2 collect\n    if i0.a < i1.a\n    a = i0.a\n    b = i1.b\nresult %2\noutput a, b\n",
    );
    with_tables(
        "loop\n  i0 in %0\n  i1 in count(i0.b)\n  %2 collect\n    a = i0.a\n    n = i1.position\nresult %2\noutput a, n\n",
    );
}

#[test]
fn errors_are_raised_only_where_rows_reach_them() {
    with_tables("loop\n  i0 in %0\n  %2 collect\n    if i0.a <> 0\n    a = 100 / i0.a\nresult %2\noutput a\n");
    with_tables("loop\n  i0 in %0\n  %2 collect\n    a = 100 / i0.a\nresult %2\noutput a\n");
    with_tables(
        "loop\n  i0 in %0\n  i1 in %1\n  %2 collect\n    if i0.b = i1.b\n    if 5 / i0.a > 0\n    if i1.b > 3::bigint\n    a = i0.a\nresult %2\noutput a\n",
    );
    // What reads no index fails behind an inner index.
    with_tables(
        "loop\n  i0 in %0\n  i1 in %1\n  %2 collect\n    if i0.b = i1.b\n    a = i0.a + 1 / 0\nresult %2\noutput a\n",
    );
    with_tables(
        "loop\n  i0 in %0\n  %2 reduce\n    s? = max(100 / i0.a)\nloop\n  i1 in %1\n  %3 collect\n    if i1.b > 100::bigint\n    s? = %2.s\nresult %3\noutput s\n",
    );
}

#[test]
fn reductions() {
    let aggregates = "    n = count_rows()
    na = count(i0.b)
    s? = sum(i0.a)::bigint
    sb? = sum(i0.b)::decimal(38,0)
    se? = sum(i0.e)::decimal(38,2)
    sd? = sum(i0.d)
    si? = sum(i0.i)
    sh? = sum(i0.h)
    lo? = min(i0.b)
    hi? = max(i0.e)
    lod? = min(i0.d)
    hid? = max(i0.d)
    loc? = min(i0.c)
    hic? = max(i0.c)
    log? = min(i0.g)
    hih? = max(i0.h)
    lof? = min(i0.f)
    any? = any(i0.f)
    all? = all(i0.f)
    v? = variance_sample(i0.d if i0.a > 0)
    k = count(distinct i0.c)
    kd = count(distinct i0.d)
    ks? = sum(distinct i0.e)::decimal(38,2)
    few = count_rows(if i0.f)
    fs? = sum(i0.a if i0.b > 2::bigint)::bigint
    dense = count_rows(if i0.a <> 3)
    ds? = sum(i0.b if i0.a <> 3)::decimal(38,0)
    dlo? = min(i0.a if i0.a <> 3)
    dhi? = max(i0.g if i0.a <> 3)
    dany? = any(i0.f if i0.a <> 3)
    dk = count(distinct i0.c if i0.a <> 3)
    quotient? = sum(100 / i0.a if i0.a <> 0)::bigint
    never? = sum(i0.a if i0.a > 1000000)::bigint
";
    let outputs = "n, na, s, sb, se, sd, si, sh, lo, hi, lod, hid, loc, hic, log, hih, lof, any, all, v, k, kd, ks, few, fs, dense, ds, dlo, dhi, dany, dk, quotient, never";
    with_tables(&format!("loop\n  i0 in %0\n  %2 reduce\n    if i0.a > -1\n{aggregates}result %2\noutput {outputs}\n"));
    for (keys, names) in [
        ("    key k0 = i0.a\n", "k0"),
        ("    key k0? = i0.c\n    key k1? = i0.f\n", "k0, k1"),
        ("    key k0? = i0.b\n    key k1? = i0.g\n", "k0, k1"),
        ("    key k0? = i0.d\n", "k0"),
        ("    key k0? = i0.d\n    key k1? = i0.i\n    key k2? = i0.c\n", "k0, k1, k2"),
        ("    key k0? = i0.h\n    key k1 = i0.a\n", "k0, k1"),
        ("    key k0? = i0.e\n    key k1? = lower(i0.c)\n", "k0, k1"),
        ("    key k0? = cast(i0.b as decimal(38,0))\n", "k0"),
    ] {
        with_tables(&format!(
            "loop\n  i0 in %0\n  %2 bucket_reduce\n    if i0.a > -1\n{keys}{aggregates}result %2\noutput {names}, {outputs}\n"
        ));
    }
    with_tables(
        "loop\n  i0 in %0\n  %2 bucket_reduce\n    key k0? = i0.c\n    key k1? = i0.f\nresult %2\noutput k0, k1\n",
    );
    with_tables("loop\n  i0 in %0\n  %2 bucket_reduce\n    n = count_rows()\nresult %2\noutput n\n");
    with_tables("loop\n  i0 in %0\n  %2 reduce\n    n? = single(i0.a)\nresult %2\noutput n\n");
    with_tables(
        "loop\n  i0 in %0\n  %2 bucket_reduce\n    key k? = i0.b\n    n? = single(i0.c)\nresult %2\noutput k, n\n",
    );
    with_tables(
        "loop\n  i0 in %1\n  %2 reduce\n    s? = sum(i0.e * 12345678901234567890123456789::decimal(38,0))::decimal(38,0)\nresult %2\noutput s\n",
    );
}

#[test]
fn joins() {
    for (build, probe) in [
        ("i0.a", "i1.a"),
        ("i0.c", "i1.c"),
        ("i0.d", "i1.d"),
        ("i0.b", "i1.b"),
        ("i0.b", "is i1.b"),
        // Keys too far apart for Direct: Ranked; and for that: Hash.
        ("i0.b * 1000::bigint", "i1.b * 1000::bigint"),
        ("i0.b * 1000000::bigint", "is i1.b * 1000000::bigint"),
        ("cast(i0.e as decimal(38,0))", "is i1.e"),
    ] {
        let part = probe.trim_start_matches("is ");
        let null = if build == "i0.a" { "" } else { "?" };
        for kind in ["", " or null", " or null\n    if i2.a > i1.b AND i2.f"] {
            let kind = kind.replace("i2.a > i1.b", "i2.b > i1.b");
            with_tables(&format!(
                "loop
  i0 in %0
  %2 bucket_collect
    if i0.a < 9
    key k{null} = {build}
    b? = i0.b
    f? = i0.f
    c? = i0.c
    h? = i0.h
loop
  i1 in %1
  i2 in %2[{probe}]{kind}
  %3 collect
    if i1.b < 6::bigint
    b = i1.b
    p? = {part}
    x? = i2.b
    f? = i2.f
    c? = i2.c
    h? = i2.h
    found = exists %2[{probe}]
result %3
output b, p, x, f, c, h, found
"
            ));
        }
    }
    // Buckets of two parts, of none, of a unique key, and their keys as rows.
    with_tables(
        "loop\n  i0 in %0\n  %2 bucket_collect\n    key k = i0.a\n    key c? = i0.c\n    b? = i0.b\nloop\n  i1 in %1\n  i2 in %2[i1.a, i1.c]\n  %3 collect\n    b = i1.b\n    x? = i2.b\nresult %3\noutput b, x\n",
    );
    with_tables(
        "loop\n  i0 in %0\n  %2 bucket_collect\n    b? = i0.b\nloop\n  i1 in %1\n  i2 in %2[] or null\n  %3 collect\n    b = i1.b\n    x? = i2.b\nresult %3\noutput b, x\n",
    );
    with_tables(
        "loop\n  i0 in %0\n  %2 bucket_collect\n    key k? = i0.b\n    key c? = i0.c\n    a = i0.a\nloop\n  i1 in %2\n  i2 in %2[is i1.k, is i1.c]\n  %3 bucket_reduce\n    key k? = i1.k\n    key c? = i1.c\n    s? = sum(i2.a)::bigint\nresult %3\noutput k, c, s\n",
    );
    with_tables(
        "loop\n  i0 in %0\n  %2 bucket_reduce\n    key a = i0.a\n    key b? = i0.b\n    n = count_rows()\nloop\n  i3 in %2\n  %4 bucket_collect\n    key a = i3.a\n    key b? = i3.b\n    n = i3.n\nloop\n  i1 in %1\n  i2 in %4[i1.a, i1.b] or null\n  %3 collect\n    a? = i1.a\n    n? = i2.n\nresult %3\noutput a, n\n",
    );
}

#[test]
fn lookups() {
    for key in ["    key k? = i0.b\n", "    key k? = i0.b\n    key c? = i0.c\n"] {
        let probe = if key.contains("key c") { "i1.b, i1.c" } else { "i1.b" };
        with_tables(&format!(
            "loop
  i0 in %0
  %2 bucket_reduce
    if i0.a > 0
{key}    n = count_rows()
    s? = sum(i0.e)::decimal(38,2)
    m? = max(i0.c)
    any? = any(i0.f)
    all? = all(i0.f)
    d? = min(i0.d)
loop
  i1 in %1
  %3 collect
    if %2[{probe}].n < 5::bigint
    b = i1.b
    n = %2[{probe}].n
    s? = %2[{probe}].s
    m? = %2[{probe}].m
    any? = %2[{probe}].any
    all? = %2[{probe}].all
    d? = %2[{probe}].d
    found = exists %2[{probe}]
result %3
output b, n, s, m, any, all, d, found
"
        ));
    }
}

#[test]
fn order() {
    with_tables(
        "loop\n  i0 in %0\n  %2 top_k limit 5::bigint offset 2::bigint\n    by i0.b desc nulls first\n    by i0.c\n    a = i0.a\n    d? = i0.d\n    h? = i0.h\nresult %2\noutput a, d, h\n",
    );
    with_tables(
        "loop\n  i0 in %0\n  %2 top_k limit NULL::bigint offset 1::bigint\n    by i0.d\n    d? = i0.d\n    c? = i0.c\n    i? = i0.i\nresult %2\noutput d, c, i\n",
    );
    with_tables(
        "loop\n  i0 in %0\n  %2 top_k limit 0::bigint offset 0::bigint\n    by i0.d\n    d? = i0.d\nresult %2\noutput d\n",
    );
    with_tables(
        "loop\n  i0 in %0\n  %2 top_k limit negate(1::bigint) offset 0::bigint\n    by i0.d\n    d? = i0.d\nresult %2\noutput d\n",
    );
    with_tables("loop\n  i0 in %0\n  %2 top_k limit 7::bigint offset 3::bigint\n    a = 1\nresult %2\noutput a\n");
    with_tables(
        "%2 sort %0 by a desc nulls first, b desc nulls first, c, d, e, f, g, h, i\nresult %2\noutput a, b, c, d, e, f, g\n",
    );
    with_tables(
        "loop\n  i0 in %0\n  %2 collect\n    c? = i0.c\n  %3 collect\n    if i0.a > 1\n    c? = lower(i0.c)\n%4 concat %2, %3 as c?\n%5 sort %4 by c desc nulls first\nresult %5\noutput c\n",
    );
    with_tables(
        "%2 values\n  fields a bigint?, b text?\n  row NULL::bigint, 'x'\n  row 3::bigint, NULL::text\nloop\n  i0 in %2\n  i1 in %1\n  %3 collect\n    if i0.a = i1.b\n    a? = i0.a\n    b? = i0.b\nresult %3\noutput a, b\n",
    );
}

#[test]
fn nested_blocks() {
    with_tables(
        "loop
  i0 in %0
  %2 collect
    block b0
      loop
        i1 in %1
        %3 bucket_collect
          key k? = i1.a
          b = i1.b
      loop
        i2 in %3[i0.a]
        %4 reduce
          if i2.b > i0.b
          n = count_rows()
          s? = sum(i2.b)::decimal(38,0)
      result %4
    block b1
      loop
        i3 in %1
        %5 reduce
          m? = max(i3.b)
      result %5
    if i0.f
    a = i0.a
    n = b0.n
    s? = b0.s
    m? = b1.m
result %2
output a, n, s, m
",
    );
    with_tables(
        "loop
  i0 in %0
  %2 collect
    block b0
      loop
        i1 in %1
        %3 reduce
          block b1
            loop
              i2 in %0
              %4 reduce
                if i2.b = i1.b
                if i2.a > i0.a
                n = count_rows()
            result %4
          if i1.a = i0.a
          s? = sum(b1.n)::decimal(38,0)
      result %3
    a = i0.a
    s? = b0.s
result %2
output a, s
",
    );
    with_tables(
        "loop\n  i0 in %0\n  %2 collect\n    block b0\n      loop\n        i1 in %1\n        %3 reduce\n          if i1.a = i0.a\n          s? = single(i1.b)\n      result %3\n    a = i0.a\n    s? = b0.s\nresult %2\noutput a, s\n",
    );
    with_tables(
        "loop\n  i0 in %0\n  %2 collect\n    block b0\n      %3 values\n        fields x integer, y bigint?\n        row i0.a, i0.b\n        row i0.a + 1, 7::bigint\n      loop\n        i1 in %3\n        %4 reduce\n          s? = sum(i1.y if i1.x > 2)::decimal(38,0)\n      result %4\n    a = i0.a\n    s? = b0.s\nresult %2\noutput a, s\n",
    );
}
