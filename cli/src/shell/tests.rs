//! Scripts as the shell reads them: what reaches the engine, and what is left.

use super::{Flow, Shell, Source};
use crate::display::Style;
use crate::progress::Bar;
use multiloop::{Engine, Session};
use std::path::Path;

fn session() -> Session {
    Engine::builder().threads(1).build().expect("an engine starts").session()
}

/// Feeds a shell with a text, as a script or as if it was typed, and looks at what it is then.
fn fed<T>(text: &str, is_typed: bool, look: impl FnOnce(&mut Shell<'_>, Flow) -> T) -> T {
    let mut session = session();
    let bar = Bar::show_on_terminals(&mut session);
    let mut shell = Shell::new(&session, bar, Style::default());
    shell.set_variable("QUIET", "on");
    let path = Path::new("script");
    let flow = shell.feed(&mut if is_typed { Source::typed(text) } else { Source::script(text, path) });
    look(&mut shell, flow)
}

/// The only value of a query after a script.
fn value_after(script: &str, query: &str) -> Option<String> {
    fed(script, false, |shell, _| {
        let result = shell.session.sql(query).expect("it runs");
        super::send::first_text(result).expect("it gives a value")
    })
}

#[test]
fn scripts_are_split_at_semicolons() {
    let script = "CREATE TABLE t (a text); -- ; no\nINSERT INTO t VALUES (';'), ($$;$$), (E'\\';');\n/* ; */ INSERT INTO t VALUES ('last')";
    assert_eq!(value_after(script, "SELECT string_agg(a, '/') FROM t").as_deref(), Some(";/;/';/last"));
}

#[test]
fn commands_stand_between_statements_and_behind_them() {
    let script = "CREATE TABLE t (a int)\\g /dev/null\n\\set x 5\nINSERT INTO t VALUES (:x) \\g /dev/null\n\\set x 6 \\\\ INSERT INTO t VALUES (:x);";
    assert_eq!(value_after(script, "SELECT string_agg(a::text, ',') FROM t").as_deref(), Some("5,6"));
}

#[test]
fn variables_come_from_rows_and_make_statements() {
    let script = "SELECT 7 AS a, 'it''s' AS b, NULL AS c \\gset p_\nCREATE TABLE t AS SELECT :p_a AS a, :'p_b' AS b;";
    assert_eq!(value_after(script, "SELECT a || b FROM t").as_deref(), Some("7it's"));
    let script = "SELECT format('CREATE TABLE t%s (a int)', k) FROM generate_series(1, 3) s (k) \\gexec\n";
    assert_eq!(value_after(script, "SELECT count(*) FROM pg_class WHERE relname ~ '^t[123]$'").as_deref(), Some("3"));
}

#[test]
fn conditions_leave_parts_out() {
    let script = "CREATE TABLE t (a int);\n\\if false\nINSERT INTO t VALUES (1);\n\\echo `false`\n\\elif yes\nINSERT INTO t VALUES (2);\n\
                  \\if 0\nINSERT INTO t VALUES (3);\n\\endif\n\\else\nINSERT INTO t VALUES (4);\n\\endif\nINSERT INTO t VALUES (5);";
    assert_eq!(value_after(script, "SELECT string_agg(a::text, ',') FROM t").as_deref(), Some("2,5"));
}

#[test]
fn data_stands_behind_a_copy() {
    let script = "CREATE TABLE t (a int, b text);\nCOPY t FROM STDIN;\n1\tone; \\\\ x\n2\t\\N\n\\.\nINSERT INTO t VALUES (3, 'three');\n\
                  \\copy t from stdin csv\n4,\"a,b\"\n\\.\n";
    let rows = value_after(script, "SELECT string_agg(a || coalesce(b, '-'), '/' ORDER BY a) FROM t");
    assert_eq!(rows.as_deref(), Some("1one; \\ x/2-/3three/4a,b"));
}

#[test]
fn what_stands_behind_a_copy_on_its_line_runs_when_the_data_is_read() {
    let cases = [
        ("COPY t FROM STDIN; INSERT INTO t VALUES (7);\n1\n\\.\nINSERT INTO t VALUES (8);", "1,7,8"),
        ("BEGIN; COPY t FROM STDIN; ROLLBACK;\n1\n\\.\nINSERT INTO t VALUES (2);", "2"),
        ("COPY t FROM STDIN; COPY t FROM STDIN; COPY t FROM STDIN;\n1\n\\.\n2\n\\.\n3\n\\.\n", "1,2,3"),
        ("COPY t FROM STDIN; COPY t FROM STDIN;\n1\n\\.\n2", "1,2"),
        ("COPY t FROM STDIN; INSERT INTO t\n1\n\\.\nVALUES (2); INSERT INTO t VALUES (3);", "1,2,3"),
        ("COPY t FROM STDIN; INSERT INTO t SELECT (2 +\n1\n\\.\n3); INSERT INTO t VALUES (9);", "1,5,9"),
        ("COPY t FROM STDIN; INSERT INTO t SELECT length('a;\n1\n\\.\nb;'); INSERT INTO t VALUES (9);", "1,5,9"),
        ("COPY t FROM STDIN; /* ;\n1\n\\.\n; */ INSERT INTO t VALUES (2); -- ;\nINSERT INTO t VALUES (3);", "1,2,3"),
        ("COPY t FROM STDIN; -- SELECT\n1\n\\.\nINSERT INTO t VALUES (2);", "1,2"),
        ("COPY t FROM STDIN; \\set x 5\n1\n\\.\nINSERT INTO t VALUES (:x);", "1,5"),
        ("COPY t FROM STDIN \\g\n1\n\\.\nINSERT INTO t VALUES (2);", "1,2"),
        ("COPY t FROM STDIN; COPY t\n1\n\\.\n FROM STDIN; INSERT INTO t VALUES (3);\n2\n\\.\n", "1,2,3"),
        ("COPY t FROM STDIN; \\copy t from stdin\n1\n\\.\n2\n\\.\nINSERT INTO t VALUES (3);", "1,2,3"),
        ("COPY nope FROM STDIN; INSERT INTO t VALUES (7);\n1\n\\.\nINSERT INTO t VALUES (8);", "7,8"),
        ("COPY t FROM STDIN;\r\n1\r\n\\.\r\nINSERT INTO t VALUES (8);\r\n", "1,8"),
        ("COPY t FROM STDIN; ;;\n1\n\\.", "1"),
    ];
    for (text, rows) in cases {
        let script = format!("CREATE TABLE t (a int);\n{text}");
        let found = value_after(&script, "SELECT string_agg(a::text, ',' ORDER BY a) FROM t");
        assert_eq!(found.as_deref(), Some(rows), "{text}");
    }
}

#[test]
fn data_is_as_it_is_written() {
    let script = "CREATE TABLE t (a text);\r\nCOPY t FROM STDIN (FORMAT csv);\r\n\"a\r\nb\"\r\n\\.\r\n.mode csv\r\n\\set x 1\r\nINSERT INTO t VALUES (:x);\r\n";
    assert_eq!(value_after(script, "SELECT string_agg(a, '/') FROM t").as_deref(), Some("a\r\nb/1"));
}

#[test]
fn data_of_a_copy_that_fails_is_no_statement() {
    let script = "CREATE TABLE t (a int);\nCOPY nope FROM STDIN;\nINSERT INTO t VALUES (1);\n\\.\nCOPY t FROM STDIN;\nx\nINSERT INTO t VALUES (2);\n\\.\nINSERT INTO t VALUES (3);";
    assert_eq!(value_after(script, "SELECT string_agg(a::text, ',') FROM t").as_deref(), Some("3"));
}

#[test]
fn errors_stop_a_script_if_they_are_to() {
    let script = "CREATE TABLE t (a int); SELECT 1/0; INSERT INTO t VALUES (1);";
    assert_eq!(value_after(script, "SELECT count(*) FROM t").as_deref(), Some("1"));
    let script = format!("\\set ON_ERROR_STOP on\n{script}");
    assert_eq!(value_after(&script, "SELECT count(*) FROM t").as_deref(), Some("0"));
    fed(&script, false, |shell, flow| {
        assert_eq!(flow, Flow::Failed);
        assert_eq!(shell.variables.get("SQLSTATE"), Some("22012"));
        assert!(shell.buffer.is_empty());
    });
}

#[test]
fn what_is_typed_waits_for_its_end() {
    fed("SELECT 1\n", true, |shell, flow| {
        assert_eq!((flow, shell.buffer.trim()), (Flow::Go, "SELECT 1"));
        shell.feed(&mut Source::typed("\\r\n"));
        assert!(shell.buffer.is_empty());
    });
    fed("exit\n", true, |_, flow| assert_eq!(flow, Flow::Quit));
    fed("-- only a comment\n", true, |shell, _| assert!(shell.buffer.is_empty()));
    fed("\\q\nCREATE TABLE t (a int);", true, |shell, flow| {
        assert_eq!(flow, Flow::Quit);
        assert!(shell.session.sql("SELECT * FROM t").is_err());
    });
}

#[test]
fn dots_begin_commands_at_the_start_of_a_line_alone() {
    let script = ".headers off\nCREATE TABLE t AS SELECT\n.5 AS a;\n.mode csv\n";
    fed(script, false, |shell, flow| {
        assert_eq!(flow, Flow::Go);
        assert!(!shell.style.header);
        assert_eq!(shell.style.format, crate::display::Format::Csv);
        let value = shell.session.sql("SELECT a FROM t").and_then(super::send::first_text);
        assert_eq!(value.expect("it runs").as_deref(), Some("0.5"));
    });
    fed(".nope\n", false, |_, flow| assert_eq!(flow, Flow::Failed));
}

#[test]
fn options_are_those_of_psql() {
    use crate::display::{Expanded, Format};
    fed(
        "\\pset format markdown\n\\x auto\n\\t on\n\\pset null -\n\\pset border 2\n\\f ;\n\\C 'A title'\n",
        false,
        |shell, flow| {
            assert_eq!(flow, Flow::Go);
            assert_eq!((shell.style.format, shell.style.expanded), (Format::Markdown, Expanded::Auto));
            assert_eq!((shell.style.tuples_only, shell.style.border), (true, 2));
            assert_eq!((shell.style.null.as_deref(), shell.style.title.as_deref()), (Some("-"), Some("A title")));
            assert_eq!(shell.style.field_separator, ";");
        },
    );
    for wrong in [
        "\\pset nope 1",
        "\\pset format nope",
        "\\x maybe",
        "\\pset border x",
        "\\nope",
        "\\timing x",
        "\\i",
        "\\if",
        "\\endif",
    ] {
        fed(wrong, false, |_, flow| assert_eq!(flow == Flow::Failed, wrong != "\\if", "{wrong}"));
    }
}
