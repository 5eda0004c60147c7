//! Lists of the catalog that are one query each, and psql's commands that have no counterpart here.

/// Commands that list what only the system has: the query's title, what it selects, from where, and what a pattern is held against.
pub(super) struct List {
    pub(super) command: &'static str,
    pub(super) title: &'static str,
    pub(super) select: &'static str,
    /// The schema's column, if it has one, and the name's.
    pub(super) names: (&'static str, &'static str),
}

/// The lists.
pub(super) const LISTS: &[List] = &[
    List {
        command: "dd",
        title: "Object descriptions",
        select: "SELECT * FROM (SELECT n.nspname AS \"Schema\", c.relname || coalesce('.' || a.attname, '') AS \"Name\", \
                 CASE WHEN d.objsubid > 0 THEN 'column' WHEN c.relkind = 'v' THEN 'view' WHEN c.relkind = 'm' THEN 'materialized view' \
                 WHEN c.relkind = 'i' THEN 'index' WHEN c.relkind = 'S' THEN 'sequence' ELSE 'table' END AS \"Object\", d.description AS \"Description\" \
                 FROM pg_catalog.pg_description d JOIN pg_catalog.pg_class c ON c.oid = d.objoid \
                 JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
                 LEFT JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum = d.objsubid AND d.objsubid > 0 \
                 WHERE d.classoid = 'pg_class'::regclass AND n.nspname NOT IN ('pg_catalog', 'information_schema') \
                 UNION ALL SELECT n.nspname, t.typname, 'type', d.description FROM pg_catalog.pg_description d \
                 JOIN pg_catalog.pg_type t ON t.oid = d.objoid JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace \
                 WHERE d.classoid = 'pg_type'::regclass AND n.nspname NOT IN ('pg_catalog', 'information_schema')) l",
        names: ("\"Schema\"", "\"Name\""),
    },
    List {
        command: "db",
        title: "List of tablespaces",
        select: "SELECT spcname AS \"Name\", pg_get_userbyid(spcowner) AS \"Owner\", '' AS \"Location\" \
                 FROM pg_catalog.pg_tablespace",
        names: ("", "spcname"),
    },
    List {
        command: "dx",
        title: "List of installed extensions",
        select: "SELECT e.extname AS \"Name\", e.extversion AS \"Version\", n.nspname AS \"Schema\" \
                 FROM pg_catalog.pg_extension e LEFT JOIN pg_catalog.pg_namespace n ON n.oid = e.extnamespace",
        names: ("", "e.extname"),
    },
    List {
        command: "dL",
        title: "List of languages",
        select: "SELECT lanname AS \"Name\", pg_get_userbyid(lanowner) AS \"Owner\", lanpltrusted AS \"Trusted\" \
                 FROM pg_catalog.pg_language",
        names: ("", "lanname"),
    },
    List {
        command: "dO",
        title: "List of collations",
        select: "SELECT n.nspname AS \"Schema\", c.collname AS \"Name\", c.collcollate AS \"Collate\", c.collctype AS \"Ctype\" \
                 FROM pg_catalog.pg_collation c JOIN pg_catalog.pg_namespace n ON n.oid = c.collnamespace",
        names: ("n.nspname", "c.collname"),
    },
    List {
        command: "do",
        title: "List of operators",
        select: "SELECT n.nspname AS \"Schema\", o.oprname AS \"Name\", \
                 CASE WHEN o.oprleft = 0 THEN NULL ELSE format_type(o.oprleft, NULL) END AS \"Left arg type\", \
                 format_type(o.oprright, NULL) AS \"Right arg type\", format_type(o.oprresult, NULL) AS \"Result type\" \
                 FROM pg_catalog.pg_operator o JOIN pg_catalog.pg_namespace n ON n.oid = o.oprnamespace",
        names: ("n.nspname", "o.oprname"),
    },
    List {
        command: "dC",
        title: "List of casts",
        select: "SELECT format_type(castsource, NULL) AS \"Source type\", format_type(casttarget, NULL) AS \"Target type\", \
                 CASE castcontext WHEN 'i' THEN 'yes' WHEN 'a' THEN 'in assignment' ELSE 'no' END AS \"Implicit?\" \
                 FROM pg_catalog.pg_cast",
        names: ("", "format_type(castsource, NULL)"),
    },
    List {
        command: "dA",
        title: "List of access methods",
        select: "SELECT amname AS \"Name\", CASE amtype WHEN 'i' THEN 'Index' WHEN 't' THEN 'Table' END AS \"Type\" \
                 FROM pg_catalog.pg_am",
        names: ("", "amname"),
    },
];

/// What commands of psql list of which there is nothing here.
const ABSENT: &[(&str, &str)] = &[
    ("dD", "domains"),
    ("dE", "foreign tables"),
    ("dF", "text search configurations"),
    ("dFd", "text search dictionaries"),
    ("dFp", "text search parsers"),
    ("dFt", "text search templates"),
    ("dP", "partitioned relations"),
    ("dRp", "publications"),
    ("dRs", "subscriptions"),
    ("dX", "extended statistics"),
    ("dc", "conversions"),
    ("ddp", "default privileges"),
    ("des", "foreign servers"),
    ("det", "foreign tables"),
    ("deu", "user mappings"),
    ("dew", "foreign-data wrappers"),
    ("dl", "large objects"),
    ("drds", "settings of roles"),
    ("dy", "event triggers"),
    ("dAc", "operator classes"),
    ("dAf", "operator families"),
    ("dAo", "operators of operator families"),
    ("dAp", "functions of operator families"),
];

/// What a command would list, of which there is nothing.
pub(super) fn absent(command: &str) -> Option<&'static str> {
    ABSENT.iter().find(|(name, _)| *name == command).map(|(_, what)| *what)
}

/// Why a command of psql that is none here is none.
pub(super) fn refused(command: &str) -> Option<&'static str> {
    Some(match command {
        "sf" | "sf+" | "ef" => "there are no functions that somebody has made",
        "ev" => "\\sv VIEW prints the statement, and \\e edits it",
        "crosstabview" => "PIVOT, or sum(…) FILTER (WHERE …), makes columns of rows",
        "bind" | "bind_named" | "parse" | "close_prepared" => "PREPARE and EXECUTE take parameters",
        "lo_export" | "lo_import" | "lo_list" | "lo_unlink" => "there are no large objects",
        "startpipeline" | "endpipeline" | "syncpipeline" | "flush" | "flushrequest" | "getresults" => {
            "statements run in this program, one after the other"
        }
        "restrict" | "unrestrict" => "scripts run with the rights of who starts them",
        _ => return None,
    })
}
