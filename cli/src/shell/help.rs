//! What the commands are.

const INTRODUCTION: &str = "\
Statements end with a semicolon and may span lines. Ctrl-C stops the one that runs.
Tab completes words, Up and Ctrl-R find what was typed before.
SELECT … FROM 'file.parquet' reads a file where it is; COPY writes one.
";

/// A command: its name, its arguments, what it does. Names that are alike stand below each other.
pub(super) const COMMANDS: &[(&str, &str, &str)] = &[
    ("?", "", "this help; also help, .help for commands with a dot"),
    ("q", "", "leave; also exit, quit, Ctrl-D"),
    ("g", "[(OPTIONS)] [FILE]", "send what is typed, results to FILE or |COMMAND"),
    ("gx", "[(OPTIONS)] [FILE]", "the same, each value in a line of its own"),
    ("gset", "[PREFIX]", "send it, and keep its only row in variables"),
    ("gexec", "", "send it, and run each value as a statement"),
    ("gdesc", "", "the columns that it would give"),
    ("watch", "[[i=]SECONDS] [c=TIMES]", "send it again and again"),
    ("p", "", "print what is typed"),
    ("r", "", "forget it"),
    ("e", "[FILE]", "edit it, or a file, with $EDITOR"),
    ("w", "FILE", "write it to a file"),
    ("s", "[FILE]", "print what was typed before, or write it to a file"),
    ("d", "[NAME]", "tables and views; or the columns of one"),
    ("d+", "[NAME]", "the same, and more"),
    ("dt", "[PATTERN]", "tables; + shows more, S those of the system"),
    ("dv", "[PATTERN]", "views"),
    ("dm", "[PATTERN]", "materialized views"),
    ("di", "[PATTERN]", "indexes"),
    ("dn", "[PATTERN]", "schemas"),
    ("df", "[PATTERN]", "functions"),
    ("da", "[PATTERN]", "aggregates"),
    ("dT", "[PATTERN]", "types"),
    ("du", "[PATTERN]", "roles"),
    ("dp", "[PATTERN]", "who may do what"),
    ("dd", "[PATTERN]", "what COMMENT has said"),
    ("l", "[PATTERN]", "databases"),
    ("sv", "VIEW", "the statement that makes a view"),
    ("x", "[on|off|auto]", "each value in a line of its own"),
    ("t", "[on|off]", "rows alone, without names and counts"),
    ("a", "", "aligned, or not"),
    ("H", "", "HTML, or not"),
    ("f", "[TEXT]", "what stands between unaligned values"),
    ("C", "[TEXT]", "a title above tables"),
    ("pset", "[OPTION [VALUE]]", "how results are printed; alone it shows all options"),
    ("format", "FORMAT", "table, box, markdown, csv, tsv, json, ndjson, html, latex, line, insert, unaligned"),
    ("null", "TEXT", "what stands for NULL"),
    ("timing", "[on|off]", "print the time that statements take"),
    ("copy", "TABLE|(QUERY) FROM|TO FILE [(OPTIONS)]", "copy between a table and a file, a PROGRAM, STDIN, STDOUT"),
    ("o", "[FILE]", "results go to FILE or |COMMAND, or back"),
    ("i", "FILE", "run a script"),
    ("ir", "FILE", "run a script beside the one that runs"),
    ("echo", "[-n] TEXT", "print a text; \\qecho where results go, \\warn as an error"),
    ("set", "[NAME [VALUE]]", "set a variable: :NAME, :'NAME', :\"NAME\" stand for it"),
    ("unset", "NAME", "forget a variable"),
    ("prompt", "[TEXT] NAME", "ask for a variable"),
    ("if", "CONDITION", "what follows counts if it is true; \\elif, \\else, \\endif"),
    ("cd", "[FOLDER]", "change the folder"),
    ("!", "[COMMAND]", "run a command of the system"),
    ("conninfo", "", "where you are"),
    ("password", "[ROLE]", "ask for a new password"),
    ("getenv", "VARIABLE NAME", "a variable of the environment as one of the shell"),
    ("encoding", "", "how text is written: UTF8"),
    ("errverbose", "", "the last error once more"),
];

/// The commands with a dot: name, arguments, what it does.
pub(super) const DOT_COMMANDS: [(&str, &str, &str); 26] = [
    (".bail", "on|off", "stop a script at an error"),
    (".cd", "DIR", "change the folder"),
    (".columns", "", "tables with their rows beside each other"),
    (".databases", "", "list databases"),
    (".dump", "[TABLE]", "tables as statements that make them again"),
    (".echo", "on|off", "print statements before they run"),
    (".exit", "", "leave"),
    (".headers", "on|off", "print names of columns"),
    (".help", "", "this list"),
    (".import", "FILE TABLE", "add a file's rows to a table, which is made if it is not there"),
    (".indexes", "[PATTERN]", "list indexes"),
    (".maxrows", "N", "print at most N rows; 0 is all"),
    (".mode", "MODE [TABLE]", "how rows are printed: table, box, csv, json, insert …"),
    (".nullvalue", "TEXT", "what stands for NULL"),
    (".once", "FILE", "the next result goes to a file"),
    (".open", "FILE", "make a view of a file"),
    (".output", "[FILE]", "results go to a file, or back"),
    (".print", "TEXT", "print a text"),
    (".prompt", "TEXT", "change the prompt"),
    (".quit", "", "leave"),
    (".read", "FILE", "run a script"),
    (".schema", "[TABLE]", "statements that make tables and views"),
    (".separator", "TEXT", "what stands between values of a list"),
    (".shell", "COMMAND", "run a command of the system"),
    (".tables", "[PATTERN]", "list tables and views"),
    (".timer", "on|off", "print the time that statements take"),
];

/// The commands; of a word those that have it.
pub(super) fn text(word: Option<&str>) -> String {
    let word = word.map(|word| word.trim_start_matches('\\').to_ascii_lowercase());
    let has = |name: &str, what: &str| {
        word.as_ref()
            .is_none_or(|word| name.to_ascii_lowercase().contains(word.as_str()) || what.contains(word.as_str()))
    };
    let chosen = COMMANDS.iter().filter(|(name, _, what)| has(name, what));
    let lines: String = chosen.map(|(name, arguments, what)| line(&format!("\\{name} {arguments}"), what)).collect();
    if word.is_some() { lines } else { format!("{INTRODUCTION}{lines}") }
}

/// The commands with a dot.
pub(super) fn dots() -> String {
    DOT_COMMANDS.iter().map(|(name, arguments, what)| line(&format!("{name} {arguments}"), what)).collect()
}

fn line(command: &str, what: &str) -> String {
    format!("  {command:34} {what}\n")
}
