//! What there is: `\d` and its kin, asked of `pg_catalog`, in psql's words.

use super::lists::{LISTS, List, absent};
use super::{Flow, Shell, Source, send};
use crate::display::Format;
use crate::quote;
use multiloop::Error;

/// The relation of kinds to words.
const KINDS: &str = "CASE c.relkind WHEN 'r' THEN 'table' WHEN 'v' THEN 'view' WHEN 'm' THEN 'materialized view' \
                     WHEN 'i' THEN 'index' WHEN 'S' THEN 'sequence' WHEN 'f' THEN 'foreign table' ELSE 'other' END";

/// The statements that make the types that are no system's.
const ENUMS: &str = "SELECT 'CREATE TYPE ' || t.oid::regtype::text || ' AS ENUM (' || \
                     string_agg(quote_literal(e.enumlabel), ', ' ORDER BY e.enumsortorder) || ')' \
                     FROM pg_catalog.pg_type t JOIN pg_catalog.pg_enum e ON e.enumtypid = t.oid \
                     WHERE pg_type_is_visible(t.oid) GROUP BY t.oid, t.oid::regtype::text ORDER BY t.oid";

/// What a list may be asked for beside its names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct More {
    /// Those of the system, too.
    system: bool,
    /// `+`: more columns.
    verbose: bool,
}

/// A pattern: regular expressions of a schema, if there is one, and of a name.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Pattern {
    schema: Option<String>,
    name: String,
}

impl Pattern {
    /// `*` and `?` stand for characters, a dot parts schema and name, quotes keep what is in them; letters outside are small.
    fn parse(text: &str) -> Self {
        let (mut parts, mut is_quoted) = (vec![String::new()], false);
        let mut characters = text.chars().peekable();
        while let Some(character) = characters.next() {
            let Some(part) = parts.last_mut() else { break };
            match character {
                '"' if is_quoted && characters.next_if_eq(&'"').is_some() => part.push('"'),
                '"' => is_quoted = !is_quoted,
                other if is_quoted && "|*+?()[]{}.^$\\".contains(other) => part.extend(['\\', other]),
                '*' if !is_quoted => part.push_str(".*"),
                '?' if !is_quoted => part.push('.'),
                '.' if !is_quoted => parts.push(String::new()),
                '$' if !is_quoted => part.push_str("\\$"),
                other if is_quoted => part.push(other),
                other => part.extend(other.to_lowercase()),
            }
        }
        let name = parts.pop().unwrap_or_default();
        Pattern { schema: parts.pop().filter(|schema| !schema.is_empty()), name }
    }

    /// What holds of the names that fit; without a schema they have to be found without, as `visible` says.
    fn condition(&self, schema: &str, name: &str, visible: &str) -> String {
        let fits = |column: &str, expression: &str| format!("{column} ~ {}", quote::text(&format!("^({expression})$")));
        match &self.schema {
            Some(expression) => format!("{} AND {}", fits(schema, expression), fits(name, &self.name)),
            None if visible.is_empty() => fits(name, &self.name),
            None => format!("{} AND {visible}", fits(name, &self.name)),
        }
    }
}

impl Shell<'_> {
    /// `\d`, `\dt`, `\l` and so on.
    pub(super) fn describe(&mut self, name: &str, words: &[&str], _: &mut Source<'_>) -> Result<Flow, String> {
        let more = More { system: name.contains('S'), verbose: name.ends_with('+') };
        let kind = name.trim_end_matches('+').replace('S', "");
        let pattern = words.first().map(|text| Pattern::parse(text));
        let text = words.first().copied();
        let is_relations = kind.len() > 1 && kind[1..].chars().all(|letter| "tvmsi".contains(letter));
        match kind.as_str() {
            "d" => match pattern {
                None => self.relations("tvmsr", None, None, more),
                Some(pattern) => self.relation(&pattern, text.unwrap_or_default(), more),
            },
            _ if kind.starts_with('d') && is_relations => self.relations(&kind[1..], pattern, text, more),
            "l" | "list" => self.listed(&databases(pattern, more), Some("List of databases"), &[]),
            "dn" => self.listed(&schemas(pattern, more), Some("List of schemas"), &[]),
            "df" | "da" => self.listed(&functions(&kind, pattern, more), Some("List of functions"), &[]),
            "dT" => self.listed(&types(pattern, more), Some("List of data types"), &[]),
            "du" | "dg" => self.listed(&roles(pattern), Some("List of roles"), &[]),
            "dp" | "z" => self.listed(&privileges(pattern), Some("Access privileges"), &[]),
            "sv" => self.view_text(text.ok_or("\\sv: view name is required")?),
            "drg" => self.listed(&role_grants(pattern), Some("List of role grants"), &[]),
            _ if let Some(list) = LISTS.iter().find(|list| list.command == kind) => self.list(list, pattern.as_ref()),
            _ if let Some(what) = absent(&kind) => {
                warn!("Did not find any {what}.");
                Ok(Flow::Go)
            }
            _ => Err(format!("invalid command \\{name}; \\? for help")),
        }
    }

    /// Shows a list that is a query.
    fn list(&mut self, list: &List, pattern: Option<&Pattern>) -> Result<Flow, String> {
        let (schema, name) = list.names;
        let schema = if schema.is_empty() { "''" } else { schema };
        let condition = pattern.map_or_else(|| "true".to_owned(), |pattern| pattern.condition(schema, name, ""));
        self.listed(&format!("{} WHERE {condition} ORDER BY 1, 2", list.select), Some(list.title), &[])
    }

    /// Shows what a query of the catalog gives.
    fn listed(&mut self, sql: &str, title: Option<&str>, footers: &[String]) -> Result<Flow, String> {
        let said = |error: Error| error.message().to_owned();
        let mut style = self.style.clone();
        style.title = title.map(str::to_owned);
        style.footers = footers.to_vec();
        style.null = Some(String::new());
        if style.format == Format::Insert {
            // Nobody inserts what there is.
            style.format = Format::Table;
        }
        let shown = self.session.sql(sql).and_then(|result| self.show(result, &style));
        shown.map(|_| Flow::Go).map_err(said)
    }

    fn asked(&self, sql: &str) -> Result<Vec<Vec<String>>, String> {
        let (_, rows) = self.session.sql(sql).and_then(send::rows).map_err(|error| error.message().to_owned())?;
        Ok(rows.into_iter().map(|row| row.into_iter().map(Option::unwrap_or_default).collect()).collect())
    }

    /// A list of relations of the kinds that letters say.
    fn relations(
        &mut self,
        letters: &str,
        pattern: Option<Pattern>,
        text: Option<&str>,
        more: More,
    ) -> Result<Flow, String> {
        let kinds = letters.chars().map(|letter| match letter {
            't' => "'r', 'p'",
            'v' => "'v'",
            'm' => "'m'",
            'i' => "'i'",
            _ => "'S'",
        });
        let kinds = kinds.collect::<Vec<_>>().join(", ");
        let of_index = if letters == "i" { ", t.relname AS \"Table\"" } else { "" };
        let verbose = if more.verbose {
            ", greatest(c.reltuples, 0)::bigint AS \"Rows\", pg_size_pretty(pg_table_size(c.oid)) AS \"Size\", \
             obj_description(c.oid, 'pg_class') AS \"Description\""
        } else {
            ""
        };
        let sql = format!(
            "SELECT n.nspname AS \"Schema\", c.relname AS \"Name\", {KINDS} AS \"Type\", \
             pg_get_userbyid(c.relowner) AS \"Owner\"{of_index}{verbose} \
             FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
             LEFT JOIN pg_catalog.pg_index i ON i.indexrelid = c.oid LEFT JOIN pg_catalog.pg_class t ON t.oid = i.indrelid \
             WHERE c.relkind IN ({kinds}) AND {} ORDER BY 1, 2",
            chosen(pattern.as_ref(), more, "c.relname", "pg_table_is_visible(c.oid)")
        );
        if self.asked(&sql)?.is_empty() {
            match text {
                None => warn!("Did not find any relations."),
                Some(text) => warn!("Did not find any relation named \"{text}\"."),
            }
            return Ok(Flow::Go);
        }
        self.listed(&sql, Some("List of relations"), &[])
    }

    /// The columns of each relation that fits, and what else there is to say of it.
    fn relation(&mut self, pattern: &Pattern, text: &str, more: More) -> Result<Flow, String> {
        let condition = pattern.condition("n.nspname", "c.relname", "pg_table_is_visible(c.oid)");
        let found = self.asked(&format!(
            "SELECT c.oid, n.nspname, c.relname, c.relkind FROM pg_catalog.pg_class c \
             JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE {condition} ORDER BY 2, 3"
        ))?;
        if found.is_empty() {
            return Err(format!("Did not find any relation named \"{text}\"."));
        }
        for relation in found {
            let [oid, schema, name, kind] = &relation[..] else { continue };
            let description = match more.verbose {
                true => ", coalesce(col_description(a.attrelid, a.attnum), '') AS \"Description\"",
                false => "",
            };
            let sql = format!(
                "SELECT a.attname AS \"Column\", format_type(a.atttypid, a.atttypmod) AS \"Type\", \
                 CASE WHEN a.attnotnull THEN 'not null' ELSE '' END AS \"Nullable\", \
                 coalesce(pg_get_expr(d.adbin, d.adrelid), '') AS \"Default\"{description} \
                 FROM pg_catalog.pg_attribute a \
                 LEFT JOIN pg_catalog.pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum \
                 WHERE a.attrelid = {oid} AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum"
            );
            let what = match kind.as_str() {
                "v" => "View",
                "m" => "Materialized view",
                "i" => "Index",
                "S" => "Sequence",
                _ => "Table",
            };
            let footers = self.footers((oid, schema, name), kind, more)?;
            let title = format!("{what} \"{schema}.{name}\"");
            // Without a footer of its own a table of columns has none.
            let footer = std::mem::replace(&mut self.style.footer, false);
            let shown = self.listed(&sql, Some(&title), &footers);
            self.style.footer = footer;
            shown?;
        }
        Ok(Flow::Go)
    }

    /// What stands below a relation's columns: its indexes, its constraints, a view's query.
    fn footers(&self, (oid, schema, name): (&str, &str, &str), kind: &str, more: More) -> Result<Vec<String>, String> {
        let mut lines = Vec::new();
        let indexes = self.asked(&format!(
            "SELECT c.relname, i.indisprimary, i.indisunique, pg_get_indexdef(i.indexrelid) FROM pg_catalog.pg_index i \
             JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid WHERE i.indrelid = {oid} ORDER BY 2 DESC, 3 DESC, 1"
        ))?;
        let index = |row: &Vec<String>| {
            let is = |place: usize| row[place].starts_with('t');
            let word = match (is(1), is(2)) {
                (true, _) => "PRIMARY KEY, ",
                (_, true) => "UNIQUE, ",
                _ => "",
            };
            let how = row[3].split_once(" USING ").map_or(row[3].as_str(), |(_, how)| how);
            format!("    \"{}\" {word}{how}", row[0])
        };
        put(&mut lines, "Indexes:", indexes.iter().map(index).collect());
        let constraints = self.asked(&format!(
            "SELECT conname, contype, pg_get_constraintdef(oid), conrelid = {oid}, conrelid::regclass::text \
             FROM pg_catalog.pg_constraint WHERE (conrelid = {oid} OR confrelid = {oid}) AND contype IN ('c', 'f') ORDER BY 1"
        ))?;
        let of = |kind: &str, is_own: bool| {
            let fits = |row: &&Vec<String>| row[1] == kind && row[3].starts_with('t') == is_own;
            constraints.iter().filter(fits).collect::<Vec<_>>()
        };
        let own = |row: &Vec<String>| format!("    \"{}\" {}", row[0], row[2]);
        put(&mut lines, "Check constraints:", of("c", true).into_iter().map(own).collect());
        put(&mut lines, "Foreign-key constraints:", of("f", true).into_iter().map(own).collect());
        let others = |row: &Vec<String>| format!("    TABLE \"{}\" CONSTRAINT \"{}\" {}", row[4], row[0], row[2]);
        put(&mut lines, "Referenced by:", of("f", false).into_iter().map(others).collect());
        if more.verbose && matches!(kind, "v" | "m") {
            let query = self.asked(&format!("SELECT pg_get_viewdef({oid}::oid)"))?.concat().concat();
            put(&mut lines, "View definition:", query.trim().lines().map(|line| format!(" {line}")).collect());
        }
        if more.verbose && matches!(kind, "r" | "m") {
            let relation = format!("{}.{}", quote::name(schema), quote::name(name));
            let count = self.asked(&format!("SELECT count(*) FROM {relation}"))?.concat().concat();
            lines.push(format!("Rows: {count}"));
        }
        Ok(lines)
    }

    /// `\sv`: the statement that makes a view.
    fn view_text(&mut self, name: &str) -> Result<Flow, String> {
        say!("{}", self.statement_of_view(&Pattern::parse(name), name)?.trim_end());
        Ok(Flow::Go)
    }

    fn statement_of_view(&self, pattern: &Pattern, name: &str) -> Result<String, String> {
        let condition = pattern.condition("n.nspname", "c.relname", "pg_table_is_visible(c.oid)");
        let found = self.asked(&format!(
            "SELECT n.nspname, c.relname, pg_get_viewdef(c.oid) FROM pg_catalog.pg_class c \
             JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind = 'v' AND {condition} ORDER BY 1, 2"
        ))?;
        match &found[..] {
            [row, ..] => {
                let (schema, name) = (quote::name(&row[0]), quote::name(&row[1]));
                Ok(format!("CREATE OR REPLACE VIEW {schema}.{name} AS\n{}", row[2].trim().trim_end_matches(';')))
            }
            [] => Err(format!("relation \"{name}\" does not exist, or is no view")),
        }
    }

    /// `\gdesc`: the columns that a statement would give.
    pub(super) fn describe_statement(&mut self, text: &str) -> Flow {
        let text = self.variables.replaced(text);
        let fields = match self.session.prepare(&text) {
            Ok(prepared) => prepared.fields().map(<[_]>::to_vec).unwrap_or_default(),
            Err(error) => {
                self.tell(crate::failure::Trouble::of(&error, &text), &text, "");
                return Flow::Failed;
            }
        };
        if fields.is_empty() {
            say!("The command has no result, or the result has no columns.");
            return Flow::Go;
        }
        let row = |field: &multiloop::Field| {
            let data_type = field.data_type.to_string().replace("decimal", "numeric");
            format!("({}, {})", quote::text(&field.name), quote::text(&data_type))
        };
        let rows: Vec<String> = fields.iter().map(row).collect();
        let sql = format!("SELECT * FROM (VALUES {}) AS t (\"Column\", \"Type\")", rows.join(", "));
        self.listed(&sql, None, &[]).unwrap_or_else(|message| self.complain(&message))
    }

    /// `.schema`: the statements that make tables and views.
    pub(super) fn schema(&mut self, pattern: Option<&str>, _: &mut Source<'_>) -> Result<Flow, String> {
        for (_, statement, _) in self.statements(pattern)? {
            say!("{statement};");
        }
        Ok(Flow::Go)
    }

    /// `.dump`: the same, and the rows of tables.
    pub(super) fn dump(&mut self, pattern: Option<&str>, source: &mut Source<'_>) -> Result<Flow, String> {
        say!("BEGIN;");
        if pattern.is_none() {
            for row in self.asked(ENUMS)? {
                say!("{};", row.concat());
            }
        }
        for (name, statement, is_table) in self.statements(pattern)? {
            say!("{statement};");
            if is_table {
                let mut style = self.style.clone();
                (style.format, style.table, style.rows_max) = (Format::Insert, name.clone(), 0);
                let flow = self.send(&format!("SELECT * FROM {name}"), &send::Use::Show(style), source);
                if flow != Flow::Go {
                    return Ok(flow);
                }
            }
        }
        say!("COMMIT;");
        Ok(Flow::Go)
    }

    /// Tables and views that fit, tables first: the name, the statement that makes it, and whether it is a table.
    fn statements(&self, pattern: Option<&str>) -> Result<Vec<(String, String, bool)>, String> {
        let more = More { system: false, verbose: false };
        let pattern = pattern.map(Pattern::parse);
        let condition = chosen(pattern.as_ref(), more, "c.relname", "pg_table_is_visible(c.oid)");
        let found = self.asked(&format!(
            "SELECT c.oid, n.nspname, c.relname, c.relkind, c.oid::regclass::text FROM pg_catalog.pg_class c \
             JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
             WHERE c.relkind IN ('r', 'v') AND {condition} ORDER BY c.relkind, c.oid"
        ))?;
        let mut statements = Vec::new();
        for row in found {
            let [oid, _, _, kind, name] = &row[..] else { continue };
            let is_table = kind == "r";
            let statement = if is_table {
                self.statement_of_table(oid, name)?
            } else {
                let query = self.asked(&format!("SELECT pg_get_viewdef({oid}::oid)"))?.concat().concat();
                format!("CREATE VIEW {name} AS {}", query.trim().trim_end_matches(';'))
            };
            statements.push((name.clone(), statement, is_table));
        }
        Ok(statements)
    }

    fn statement_of_table(&self, oid: &str, name: &str) -> Result<String, String> {
        let columns = self.asked(&format!(
            "SELECT quote_ident(a.attname) || ' ' || format_type(a.atttypid, a.atttypmod) \
             || coalesce(' DEFAULT ' || pg_get_expr(d.adbin, d.adrelid), '') \
             || CASE WHEN a.attnotnull THEN ' NOT NULL' ELSE '' END FROM pg_catalog.pg_attribute a \
             LEFT JOIN pg_catalog.pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum \
             WHERE a.attrelid = {oid} AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum"
        ))?;
        let constraints = self.asked(&format!(
            "SELECT 'CONSTRAINT ' || quote_ident(conname) || ' ' || pg_get_constraintdef(oid) \
             FROM pg_catalog.pg_constraint WHERE conrelid = {oid} AND contype IN ('p', 'u', 'c', 'f') ORDER BY contype, 1"
        ))?;
        let parts: Vec<String> = columns.into_iter().chain(constraints).flatten().collect();
        Ok(format!("CREATE TABLE {name} ({})", parts.join(", ")))
    }
}

/// Adds lines below a head, if there are any.
fn put(lines: &mut Vec<String>, head: &str, more: Vec<String>) {
    if !more.is_empty() {
        lines.push(head.to_owned());
        lines.extend(more);
    }
}

/// Which objects of schemas `n` are listed: those that fit a pattern, or else those that are no system's.
fn chosen(pattern: Option<&Pattern>, more: More, name: &str, visible: &str) -> String {
    match pattern {
        Some(pattern) => pattern.condition("n.nspname", name, visible),
        None if more.system => visible.to_owned(),
        None => format!("n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast') AND {visible}"),
    }
}

/// Who is a member of which role.
fn role_grants(pattern: Option<Pattern>) -> String {
    let condition = pattern.map_or_else(|| "true".to_owned(), |pattern| pattern.condition("''", "r.rolname", ""));
    format!(
        "SELECT r.rolname AS \"Role name\", m.rolname AS \"Member of\" FROM pg_catalog.pg_auth_members a \
         JOIN pg_catalog.pg_roles r ON r.oid = a.member JOIN pg_catalog.pg_roles m ON m.oid = a.roleid \
         WHERE {condition} ORDER BY 1, 2"
    )
}

fn databases(pattern: Option<Pattern>, more: More) -> String {
    let verbose = if more.verbose { ", pg_size_pretty(pg_database_size(d.oid)) AS \"Size\"" } else { "" };
    let condition = pattern.map_or_else(|| "true".to_owned(), |pattern| pattern.condition("''", "d.datname", ""));
    format!(
        "SELECT d.datname AS \"Name\", pg_get_userbyid(d.datdba) AS \"Owner\", pg_encoding_to_char(d.encoding) AS \"Encoding\", \
         d.datcollate AS \"Collate\", d.datctype AS \"Ctype\"{verbose} \
         FROM pg_catalog.pg_database d WHERE {condition} ORDER BY 1"
    )
}

fn schemas(pattern: Option<Pattern>, more: More) -> String {
    let condition = match pattern {
        Some(pattern) => pattern.condition("''", "n.nspname", ""),
        None if more.system => "true".to_owned(),
        None => "n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'".to_owned(),
    };
    let verbose = match more.verbose {
        true => ", n.nspacl::text AS \"Access privileges\", obj_description(n.oid, 'pg_namespace') AS \"Description\"",
        false => "",
    };
    format!(
        "SELECT n.nspname AS \"Name\", pg_get_userbyid(n.nspowner) AS \"Owner\"{verbose} \
         FROM pg_catalog.pg_namespace n WHERE {condition} ORDER BY 1"
    )
}

/// Functions; nobody makes any, so that those of the system are what is asked for.
fn functions(kind: &str, pattern: Option<Pattern>, more: More) -> String {
    let condition = match pattern {
        Some(pattern) => pattern.condition("n.nspname", "p.proname", "pg_function_is_visible(p.oid)"),
        None => "pg_function_is_visible(p.oid)".to_owned(),
    };
    let aggregates = if kind == "da" { " AND p.prokind = 'a'" } else { "" };
    let verbose = if more.verbose {
        ", CASE p.provolatile WHEN 'i' THEN 'immutable' WHEN 's' THEN 'stable' ELSE 'volatile' END AS \"Volatility\", \
         obj_description(p.oid, 'pg_proc') AS \"Description\""
    } else {
        ""
    };
    format!(
        "SELECT n.nspname AS \"Schema\", p.proname AS \"Name\", pg_get_function_result(p.oid) AS \"Result data type\", \
         pg_get_function_arguments(p.oid) AS \"Argument data types\", \
         CASE p.prokind WHEN 'a' THEN 'agg' WHEN 'w' THEN 'window' WHEN 'p' THEN 'proc' ELSE 'func' END AS \"Type\"{verbose} \
         FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace \
         WHERE {condition}{aggregates} ORDER BY 1, 2, 4"
    )
}

fn types(pattern: Option<Pattern>, more: More) -> String {
    let verbose = match more.verbose {
        true => {
            ", (SELECT string_agg(e.enumlabel, chr(10) ORDER BY e.enumsortorder) FROM pg_catalog.pg_enum e \
             WHERE e.enumtypid = t.oid) AS \"Elements\""
        }
        false => "",
    };
    format!(
        "SELECT n.nspname AS \"Schema\", format_type(t.oid, NULL) AS \"Name\"{verbose}, \
         obj_description(t.oid, 'pg_type') AS \"Description\" \
         FROM pg_catalog.pg_type t JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace \
         WHERE t.typtype <> 'c' AND t.typelem = 0 AND {} ORDER BY 1, 2",
        chosen(pattern.as_ref(), more, "t.typname", "pg_type_is_visible(t.oid)")
    )
}

fn roles(pattern: Option<Pattern>) -> String {
    let condition = match pattern {
        Some(pattern) => pattern.condition("''", "r.rolname", ""),
        None => "r.rolname !~ '^pg_'".to_owned(),
    };
    format!(
        "SELECT r.rolname AS \"Role name\", concat_ws(', ', CASE WHEN r.rolsuper THEN 'Superuser' END, \
         CASE WHEN NOT r.rolinherit THEN 'No inheritance' END, CASE WHEN r.rolcreaterole THEN 'Create role' END, \
         CASE WHEN r.rolcreatedb THEN 'Create DB' END, CASE WHEN NOT r.rolcanlogin THEN 'Cannot login' END, \
         CASE WHEN r.rolreplication THEN 'Replication' END, CASE WHEN r.rolbypassrls THEN 'Bypass RLS' END) AS \"Attributes\" \
         FROM pg_catalog.pg_roles r WHERE {condition} ORDER BY 1"
    )
}

fn privileges(pattern: Option<Pattern>) -> String {
    let more = More { system: false, verbose: false };
    format!(
        "SELECT n.nspname AS \"Schema\", c.relname AS \"Name\", {KINDS} AS \"Type\", \
         array_to_string(c.relacl, chr(10)) AS \"Access privileges\" \
         FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
         WHERE c.relkind IN ('r', 'v', 'm') AND {} ORDER BY 1, 2",
        chosen(pattern.as_ref(), more, "c.relname", "pg_table_is_visible(c.oid)")
    )
}

#[cfg(test)]
mod tests {
    use super::Pattern;

    #[test]
    fn patterns_as_psql_has_them() {
        let pattern =
            |schema: Option<&str>, name: &str| Pattern { schema: schema.map(str::to_owned), name: name.to_owned() };
        assert_eq!(Pattern::parse("T*"), pattern(None, "t.*"));
        assert_eq!(Pattern::parse("s.t?"), pattern(Some("s"), "t."));
        assert_eq!(Pattern::parse("\"A.b*\".x$"), pattern(Some("A\\.b\\*"), "x\\$"));
        assert_eq!(Pattern::parse("*.*"), pattern(Some(".*"), ".*"));
        let condition = pattern(None, "t'").condition("s", "n", "seen(o)");
        assert_eq!(condition, "n ~ '^(t'')$' AND seen(o)");
    }
}
