-- Functions that are queries. Behind @ a name and the types of its arguments (any is one that is taken as it is); then the query,
-- in which $1, $2, … are the arguments. A query of several columns gives a row; behind `rows` each of a query's rows is a value.

-- @ format_type(oid, integer)
SELECT CASE
    WHEN $1 IS NULL THEN NULL
    WHEN $1 = 0 THEN '-'
    ELSE coalesce((
        SELECT CASE
            WHEN t.base = 1042 AND $2 = -1 THEN 'bpchar'
            WHEN t.base = 1560 AND $2 = -1 THEN '"bit"'
            WHEN t.base IN (1560, 1562) AND $2 > 0 THEN t.shown || '(' || $2::text || ')'
            WHEN t.base = 1700 AND $2 >= 4 THEN
                'numeric(' || (($2 - 4) / 65536)::text || ',' || ((($2 - 4) % 2048 + 1024) % 2048 - 1024)::text || ')'
            WHEN t.base IN (1042, 1043) AND $2 >= 4 THEN t.shown || '(' || ($2 - 4)::text || ')'
            WHEN t.base = 1083 AND $2 >= 0 THEN 'time(' || $2::text || ') without time zone'
            WHEN t.base = 1114 AND $2 >= 0 THEN 'timestamp(' || $2::text || ') without time zone'
            WHEN t.base = 1184 AND $2 >= 0 THEN 'timestamp(' || $2::text || ') with time zone'
            WHEN t.base = 16000 AND $2 > 0 THEN 'vector(' || $2::text || ')'
            WHEN t.base = 16002 AND $2 > 0 THEN 'vector(' || $2::text || ',double)'
            WHEN t.base = 1186 AND $2 >= 0 AND $2 <= 6 THEN 'interval(' || $2::text || ')'
            ELSE t.shown
        END || t.suffix
        FROM pg_catalog.multiloop_type t WHERE t.oid = $1), '???')
END

-- @ regtypeout(oid)
SELECT CASE WHEN $1 IS NULL THEN NULL WHEN $1 = 0 THEN '-'
    ELSE coalesce((SELECT t.shown || t.suffix FROM pg_catalog.multiloop_type t WHERE t.oid = $1), $1::bigint::text) END

-- @ regclassout(oid)
SELECT CASE WHEN $1 IS NULL THEN NULL WHEN $1 = 0 THEN '-'
    ELSE coalesce((SELECT r.shown FROM pg_catalog.multiloop_relation r WHERE r.oid = $1), $1::bigint::text) END

-- @ regnamespaceout(oid)
SELECT CASE WHEN $1 IS NULL THEN NULL WHEN $1 = 0 THEN '-'
    ELSE coalesce((SELECT n.shown FROM pg_catalog.multiloop_namespace n WHERE n.oid = $1), $1::bigint::text) END

-- @ regroleout(oid)
SELECT CASE WHEN $1 IS NULL THEN NULL WHEN $1 = 0 THEN '-'
    ELSE coalesce((SELECT r.shown FROM pg_catalog.multiloop_role r WHERE r.oid = $1), $1::bigint::text) END

-- @ regprocout(oid)
SELECT CASE WHEN $1 IS NULL THEN NULL WHEN $1 = 0 THEN '-'
    ELSE coalesce((SELECT p.shown FROM pg_catalog.multiloop_procedure p WHERE p.oid = $1), $1::bigint::text) END

-- @ regprocedureout(oid)
SELECT CASE WHEN $1 IS NULL THEN NULL WHEN $1 = 0 THEN '-'
    ELSE coalesce((SELECT p.shown || '(' || coalesce(p.types, replace(p.arguments, ', ', ',')) || ')'
                   FROM pg_catalog.multiloop_procedure p WHERE p.oid = $1), $1::bigint::text) END

-- @ regoperout(oid)
SELECT CASE WHEN $1 IS NULL THEN NULL WHEN $1 = 0 THEN '0'
    ELSE coalesce((SELECT o.oprname::text FROM pg_catalog.pg_operator o WHERE o.oid = $1), $1::bigint::text) END

-- @ regclassin(text)
SELECT CASE WHEN $1 ~ '^[0-9]+$' THEN $1::oid ELSE (
    SELECT min(r.oid) FROM pg_catalog.multiloop_relation r
    WHERE r.name = (parse_ident($1))[cardinality(parse_ident($1))]
        AND CASE WHEN cardinality(parse_ident($1)) = 1 THEN r.visible
                 ELSE r.schema = (parse_ident($1))[cardinality(parse_ident($1)) - 1] END) END::regclass

-- @ regtypein(text)
SELECT CASE WHEN $1 ~ '^[0-9]+$' THEN $1::oid ELSE (
    SELECT min(t.oid) FROM pg_catalog.multiloop_type t
    WHERE t.shown || t.suffix = regexp_replace(regexp_replace($1, '^int\M', 'integer'), '\(.*\)', '')
        OR t.visible AND t.name = replace($1, '"', '')
        OR t.schema || '.' || t.name = replace($1, '"', '')) END::regtype

-- @ regnamespacein(text)
SELECT (SELECT n.oid FROM pg_catalog.multiloop_namespace n WHERE n.shown = $1)::regnamespace

-- @ regrolein(text)
SELECT (SELECT r.oid FROM pg_catalog.multiloop_role r WHERE r.shown = $1)::regrole

-- @ to_regclass(text)
SELECT CASE WHEN $1 ~ '^[0-9]+$' THEN $1::oid ELSE (
    SELECT min(r.oid) FROM pg_catalog.multiloop_relation r
    WHERE r.name = (parse_ident($1))[cardinality(parse_ident($1))]
        AND CASE WHEN cardinality(parse_ident($1)) = 1 THEN r.visible
                 ELSE r.schema = (parse_ident($1))[cardinality(parse_ident($1)) - 1] END) END::regclass

-- @ to_regtype(text)
SELECT CASE WHEN $1 ~ '^[0-9]+$' THEN $1::oid ELSE (
    SELECT min(t.oid) FROM pg_catalog.multiloop_type t
    WHERE t.shown || t.suffix IN (regexp_replace($1, '\(.*\)', ''), CASE replace(replace(lower($1), 'pg_catalog.', ''), '[]', '')
            WHEN 'bool' THEN 'boolean' WHEN 'int2' THEN 'smallint' WHEN 'int' THEN 'integer' WHEN 'int4' THEN 'integer'
            WHEN 'int8' THEN 'bigint' WHEN 'float4' THEN 'real' WHEN 'float8' THEN 'double precision'
            WHEN 'float' THEN 'double precision' WHEN 'decimal' THEN 'numeric' WHEN 'bpchar' THEN 'character'
            WHEN 'char' THEN 'character' WHEN 'varchar' THEN 'character varying' WHEN 'time' THEN 'time without time zone'
            WHEN 'timestamp' THEN 'timestamp without time zone' WHEN 'timestamptz' THEN 'timestamp with time zone'
            ELSE replace(replace(lower($1), 'pg_catalog.', ''), '[]', '') END || CASE WHEN $1 LIKE '%[]' THEN '[]' ELSE '' END)
        OR t.visible AND t.name = replace($1, '"', '')
        OR t.schema || '.' || t.name = replace($1, '"', '')) END::regtype

-- @ to_regproc(text)
SELECT (SELECT CASE WHEN count(*) = 1 THEN min(p.oid) END FROM pg_catalog.multiloop_procedure p WHERE p.shown = $1)::regproc

-- @ to_regprocedure(text)
SELECT (SELECT min(p.oid) FROM pg_catalog.multiloop_procedure p
        WHERE p.shown || '(' || coalesce(p.types, replace(p.arguments, ', ', ',')) || ')' = replace($1, ', ', ','))::regprocedure

-- @ to_regnamespace(text)
SELECT (SELECT n.oid FROM pg_catalog.multiloop_namespace n WHERE n.shown = $1)::regnamespace

-- @ to_regrole(text)
SELECT (SELECT r.oid FROM pg_catalog.multiloop_role r WHERE r.shown = $1)::regrole

-- @ pg_get_userbyid(oid)
SELECT CASE WHEN $1 IS NOT NULL THEN coalesce((SELECT r.rolname FROM pg_catalog.pg_authid r WHERE r.oid = $1),
    ('unknown (OID=' || $1::bigint::text || ')')::name) END

-- @ pg_table_is_visible(oid)
SELECT (SELECT r.visible FROM pg_catalog.multiloop_relation r WHERE r.oid = $1)

-- @ pg_type_is_visible(oid)
SELECT (SELECT t.visible FROM pg_catalog.multiloop_type t WHERE t.oid = $1)

-- @ pg_function_is_visible(oid)
SELECT (SELECT coalesce(p.visible, true) FROM pg_catalog.multiloop_procedure p WHERE p.oid = $1)

-- @ pg_operator_is_visible(oid)
SELECT (SELECT true FROM pg_catalog.pg_operator o WHERE o.oid = $1)

-- @ pg_collation_is_visible(oid)
SELECT (SELECT true FROM pg_catalog.pg_collation c WHERE c.oid = $1)

-- @ pg_opclass_is_visible(oid)
SELECT (SELECT true FROM pg_catalog.pg_opclass o WHERE o.oid = $1)

-- @ pg_conversion_is_visible(oid)
SELECT (SELECT true FROM pg_catalog.pg_conversion c WHERE c.oid = $1)

-- @ pg_ts_config_is_visible(oid)
SELECT (SELECT true FROM pg_catalog.pg_ts_config c WHERE c.oid = $1)

-- @ pg_ts_dict_is_visible(oid)
SELECT (SELECT true FROM pg_catalog.pg_ts_dict d WHERE d.oid = $1)

-- @ pg_statistics_obj_is_visible(oid)
SELECT (SELECT true FROM pg_catalog.pg_statistic_ext s WHERE s.oid = $1)

-- @ obj_description(oid, name)
SELECT (SELECT d.description FROM pg_catalog.pg_description d
        WHERE d.objoid = $1 AND d.objsubid = 0
            AND d.classoid = (SELECT c.oid FROM pg_catalog.pg_class c WHERE c.relname = $2 AND c.relnamespace = 11))

-- @ obj_description(oid)
SELECT (SELECT min(d.description) FROM pg_catalog.pg_description d WHERE d.objoid = $1 AND d.objsubid = 0)

-- @ col_description(oid, integer)
SELECT (SELECT d.description FROM pg_catalog.pg_description d
        WHERE d.objoid = $1 AND d.classoid = 1259 AND d.objsubid = $2)

-- @ shobj_description(oid, name)
SELECT (SELECT d.description FROM pg_catalog.pg_shdescription d
        WHERE d.objoid = $1
            AND d.classoid = (SELECT c.oid FROM pg_catalog.pg_class c WHERE c.relname = $2 AND c.relnamespace = 11))

-- @ pg_get_expr(text, oid)
SELECT $1

-- @ pg_get_expr(text, oid, boolean)
SELECT CASE WHEN $3 THEN coalesce(
        (SELECT max(e.pretty) FROM pg_catalog.multiloop_expression e WHERE e.relid = $2 AND e.shown = $1),
        CASE WHEN $1 LIKE '(%)' AND $1 NOT LIKE '%::%' THEN substring($1 from 2 for length($1) - 2) ELSE $1 END) ELSE $1 END

-- @ pg_get_constraintdef(oid)
SELECT (SELECT c.definition FROM pg_catalog.multiloop_constraint c WHERE c.oid = $1)

-- @ pg_get_constraintdef(oid, boolean)
SELECT (SELECT CASE WHEN $2 THEN c.pretty ELSE c.definition END FROM pg_catalog.multiloop_constraint c WHERE c.oid = $1)

-- @ pg_get_indexdef(oid)
SELECT (SELECT r.definition FROM pg_catalog.multiloop_relation r JOIN pg_catalog.pg_index i ON i.indexrelid = r.oid WHERE r.oid = $1)

-- @ pg_get_indexdef(oid, integer, boolean)
SELECT CASE WHEN $2 = 0
    THEN (SELECT CASE WHEN $3 THEN r.pretty ELSE r.definition END
          FROM pg_catalog.multiloop_relation r JOIN pg_catalog.pg_index i ON i.indexrelid = r.oid WHERE r.oid = $1)
    ELSE (SELECT coalesce((SELECT c.shown FROM pg_catalog.multiloop_index_column c WHERE c.oid = $1 AND c.attnum = $2), '')
          FROM pg_catalog.pg_index i WHERE i.indexrelid = $1 AND $2 IS NOT NULL AND $3 IS NOT NULL)
END

-- @ pg_get_viewdef(oid)
SELECT (SELECT r.definition FROM pg_catalog.multiloop_relation r JOIN pg_catalog.pg_rewrite w ON w.ev_class = r.oid WHERE r.oid = $1)

-- @ pg_get_viewdef(oid, any)
SELECT (SELECT r.definition FROM pg_catalog.multiloop_relation r JOIN pg_catalog.pg_rewrite w ON w.ev_class = r.oid WHERE r.oid = $1)

-- @ pg_partition_ancestors(regclass)
SELECT NULL::regclass

-- @ pg_get_ruledef(oid)
SELECT NULL::text

-- @ pg_get_triggerdef(oid)
SELECT NULL::text

-- @ pg_get_triggerdef(oid, boolean)
SELECT NULL::text

-- @ pg_get_partkeydef(oid)
SELECT NULL::text

-- @ pg_get_statisticsobjdef_columns(oid)
SELECT NULL::text

-- @ pg_get_function_sqlbody(oid)
SELECT (SELECT p.body FROM pg_catalog.multiloop_procedure p WHERE p.oid = $1)

-- @ pg_get_functiondef(oid)
SELECT (SELECT p.definition FROM pg_catalog.multiloop_procedure p WHERE p.oid = $1)

-- @ pg_get_function_result(oid)
SELECT (SELECT p.result FROM pg_catalog.multiloop_procedure p WHERE p.oid = $1)

-- @ pg_get_function_arguments(oid)
SELECT (SELECT p.arguments FROM pg_catalog.multiloop_procedure p WHERE p.oid = $1)

-- @ pg_get_function_identity_arguments(oid)
SELECT (SELECT coalesce(p.identity, p.arguments) FROM pg_catalog.multiloop_procedure p WHERE p.oid = $1)

-- @ pg_get_serial_sequence(text, text)
SELECT (SELECT quote_ident(n.nspname) || '.' || quote_ident(s.relname)
        FROM pg_catalog.pg_attribute a
            JOIN pg_catalog.pg_depend d ON d.refclassid = 1259 AND d.refobjid = a.attrelid AND d.refobjsubid = a.attnum
                AND d.classid = 1259 AND d.deptype IN ('a', 'i')
            JOIN pg_catalog.pg_class s ON s.oid = d.objid AND s.relkind = 'S'
            JOIN pg_catalog.pg_namespace n ON n.oid = s.relnamespace
        WHERE a.attrelid = $1::regclass AND a.attname = $2 ORDER BY s.oid LIMIT 1)

-- @ pg_sequence_last_value(regclass)
SELECT (SELECT s.last_value FROM pg_catalog.multiloop_sequence s WHERE s.oid = $1)

-- @ pg_sequence_parameters(oid)
SELECT s.seqstart AS start_value, s.seqmin AS minimum_value, s.seqmax AS maximum_value, s.seqincrement AS increment,
    s.seqcycle AS cycle_option, s.seqcache AS cache_size, s.seqtypid AS data_type
FROM pg_catalog.pg_sequence s WHERE s.seqrelid = $1

-- @ pg_encoding_to_char(integer)
SELECT (CASE WHEN $1 = 0 THEN 'SQL_ASCII' WHEN $1 = 6 THEN 'UTF8' WHEN $1 = 8 THEN 'LATIN1' WHEN $1 IS NOT NULL THEN '' END)::name

-- @ getdatabaseencoding()
SELECT 'UTF8'::name

-- @ pg_char_to_encoding(name)
SELECT CASE WHEN $1 IS NULL THEN NULL ELSE
    CASE upper($1::text) WHEN 'SQL_ASCII' THEN 0 WHEN 'UTF8' THEN 6 WHEN 'LATIN1' THEN 8 ELSE -1 END END

-- @ pg_tablespace_location(oid)
SELECT CASE WHEN $1 IS NOT NULL THEN '' END

-- @ pg_relation_size(regclass)
SELECT (SELECT r.bytes FROM pg_catalog.multiloop_relation r WHERE r.oid = $1)

-- @ pg_relation_size(regclass, text)
SELECT (SELECT CASE WHEN $2 = 'main' THEN r.bytes ELSE 0 END FROM pg_catalog.multiloop_relation r WHERE r.oid = $1)

-- @ pg_table_size(regclass)
SELECT (SELECT r.bytes FROM pg_catalog.multiloop_relation r WHERE r.oid = $1)

-- @ pg_total_relation_size(regclass)
SELECT (SELECT r.bytes FROM pg_catalog.multiloop_relation r WHERE r.oid = $1)

-- @ pg_indexes_size(regclass)
SELECT (SELECT 0::bigint FROM pg_catalog.multiloop_relation r WHERE r.oid = $1)

-- @ pg_database_size(any)
SELECT (SELECT sum(r.bytes)::bigint FROM pg_catalog.multiloop_relation r)

-- @ pg_tablespace_size(any)
SELECT (SELECT sum(r.bytes)::bigint FROM pg_catalog.multiloop_relation r)

-- @ pg_size_pretty(bigint)
SELECT CASE
    WHEN abs($1) < 10240 THEN $1::text || ' bytes'
    WHEN abs($1) < 20480 * 512 - 512 THEN (($1 / 512 + sign($1)::bigint) / 2)::text || ' kB'
    WHEN abs($1) < (20480::bigint * 512 - 512) * 1024 THEN (($1 / 524288 + sign($1)::bigint) / 2)::text || ' MB'
    WHEN abs($1) < (20480::bigint * 512 - 512) * 1048576 THEN (($1 / 536870912 + sign($1)::bigint) / 2)::text || ' GB'
    ELSE (($1 / 549755813888 + sign($1)::bigint) / 2)::text || ' TB'
END

-- @ has_table_privilege(any, text)
SELECT (SELECT bool_or(r.words ~ (',(' || regexp_replace(upper(btrim($2)), '\s*,\s*', '|', 'g') || '),'))
        FROM pg_catalog.multiloop_own_right r
        WHERE r.class = 1259 AND r.oid = ($1::regclass)::oid)

-- @ has_table_privilege(any, any, text)
SELECT (SELECT bool_or(r.words ~ (',(' || regexp_replace(upper(btrim($3)), '\s*,\s*', '|', 'g') || '),'))
        FROM pg_catalog.multiloop_right r
        WHERE r.class = 1259 AND r.oid = ($2::regclass)::oid
            AND (r.rolename::text = $1::text OR r.role::text = $1::text))

-- @ has_schema_privilege(any, text)
SELECT (SELECT bool_or(r.words ~ (',(' || regexp_replace(upper(btrim($2)), '\s*,\s*', '|', 'g') || '),'))
        FROM pg_catalog.multiloop_own_right r
        WHERE r.class = 2615 AND (r.name::text = $1::text OR r.oid::text = $1::text))

-- @ has_schema_privilege(any, any, text)
SELECT (SELECT bool_or(r.words ~ (',(' || regexp_replace(upper(btrim($3)), '\s*,\s*', '|', 'g') || '),'))
        FROM pg_catalog.multiloop_right r
        WHERE r.class = 2615 AND (r.name::text = $2::text OR r.oid::text = $2::text)
            AND (r.rolename::text = $1::text OR r.role::text = $1::text))

-- @ has_database_privilege(any, text)
SELECT (SELECT bool_or(r.words ~ (',(' || regexp_replace(upper(btrim($2)), '\s*,\s*', '|', 'g') || '),'))
        FROM pg_catalog.multiloop_own_right r
        WHERE r.class = 1262 AND (r.name::text = $1::text OR r.oid::text = $1::text))

-- @ has_database_privilege(any, any, text)
SELECT (SELECT bool_or(r.words ~ (',(' || regexp_replace(upper(btrim($3)), '\s*,\s*', '|', 'g') || '),'))
        FROM pg_catalog.multiloop_right r
        WHERE r.class = 1262 AND (r.name::text = $2::text OR r.oid::text = $2::text)
            AND (r.rolename::text = $1::text OR r.role::text = $1::text))

-- @ has_sequence_privilege(any, text)
SELECT (SELECT bool_or(r.words ~ (',(' || regexp_replace(upper(btrim($2)), '\s*,\s*', '|', 'g') || '),'))
        FROM pg_catalog.multiloop_own_right r
        WHERE r.class = 1259 AND (r.oid::text = $1::text OR r.oid = to_regclass($1::text)))

-- @ has_sequence_privilege(any, any, text)
SELECT (SELECT bool_or(r.words ~ (',(' || regexp_replace(upper(btrim($3)), '\s*,\s*', '|', 'g') || '),'))
        FROM pg_catalog.multiloop_right r
        WHERE r.class = 1259 AND (r.oid::text = $2::text OR r.oid = to_regclass($2::text))
            AND (r.rolename::text = $1::text OR r.role::text = $1::text))

-- @ has_function_privilege(any, text)
SELECT coalesce((SELECT bool_or(r.words ~ (',(' || regexp_replace(upper(btrim($2)), '\s*,\s*', '|', 'g') || '),'))
        FROM pg_catalog.multiloop_own_right r
        WHERE r.class = 1255 AND (r.oid::text = $1::text OR r.oid IN (SELECT p.oid FROM pg_catalog.multiloop_procedure p
            WHERE p.shown || '(' || p.types || ')' = replace($1::text, ', ', ',')))), $1 IS NOT NULL)

-- @ has_function_privilege(any, any, text)
SELECT coalesce((SELECT bool_or(r.words ~ (',(' || regexp_replace(upper(btrim($3)), '\s*,\s*', '|', 'g') || '),'))
        FROM pg_catalog.multiloop_right r
        WHERE r.class = 1255 AND (r.oid::text = $2::text OR r.oid IN (SELECT p.oid FROM pg_catalog.multiloop_procedure p
            WHERE p.shown || '(' || p.types || ')' = replace($2::text, ', ', ',')))
            AND (r.rolename::text = $1::text OR r.role::text = $1::text)), $2 IS NOT NULL)

-- @ has_tablespace_privilege(any, text)
SELECT $1 IS NOT NULL

-- @ has_language_privilege(any, text)
SELECT $1 IS NOT NULL

-- @ has_any_column_privilege(any, text)
SELECT pg_catalog.has_table_privilege($1, $2)

-- @ has_any_column_privilege(any, any, text)
SELECT pg_catalog.has_table_privilege($1, $2, $3)

-- @ has_column_privilege(any, any, text)
SELECT pg_catalog.has_table_privilege($1, $3)

-- @ has_column_privilege(any, any, any, text)
SELECT pg_catalog.has_table_privilege($1, $2, $4)

-- @ pg_has_role(any, text)
SELECT CASE WHEN $1 IS NOT NULL AND $2 IS NOT NULL THEN EXISTS (
    SELECT 1 FROM pg_catalog.multiloop_member m
    WHERE m.own AND (m.grantedname::text = $1::text OR m.granted::text = $1::text)) END

-- @ pg_has_role(any, any, text)
SELECT CASE WHEN $1 IS NOT NULL AND $2 IS NOT NULL AND $3 IS NOT NULL THEN EXISTS (
    SELECT 1 FROM pg_catalog.multiloop_member m
    WHERE (m.rolename::text = $1::text OR m.role::text = $1::text)
        AND (m.grantedname::text = $2::text OR m.granted::text = $2::text)) END

-- @ pg_relation_is_publishable(regclass)
SELECT (SELECT c.relkind = 'r' AND c.oid >= 16384 FROM pg_catalog.pg_class c WHERE c.oid = $1)

-- @ pg_relation_is_updatable(regclass, boolean)
SELECT CASE WHEN $1 IS NOT NULL AND $2 IS NOT NULL THEN
    coalesce((SELECT CASE WHEN c.relkind = 'r' AND c.oid >= 16384 THEN 28 WHEN c.relkind = 'v' THEN (
        SELECT u.events FROM pg_catalog.multiloop_updatable u WHERE u.relid = c.oid AND u.attnum = 0) END
        FROM pg_catalog.pg_class c WHERE c.oid = $1), 0) END

-- @ pg_column_is_updatable(regclass, smallint, boolean)
SELECT CASE WHEN $1 IS NOT NULL AND $2 IS NOT NULL AND $3 IS NOT NULL THEN
    coalesce((SELECT c.relkind = 'r' AND c.oid >= 16384 OR c.relkind = 'v' AND EXISTS (
        SELECT 1 FROM pg_catalog.multiloop_updatable u WHERE u.relid = c.oid AND u.attnum > 0 AND u.attnum = $2)
        FROM pg_catalog.pg_class c WHERE c.oid = $1), false) END

-- @ pg_is_other_temp_schema(oid)
SELECT CASE WHEN $1 IS NOT NULL THEN false END

-- @ pg_index_column_has_property(regclass, integer, text)
SELECT CASE $3 WHEN 'asc' THEN true WHEN 'desc' THEN false WHEN 'nulls_first' THEN false WHEN 'nulls_last' THEN true
    WHEN 'orderable' THEN true WHEN 'distance_orderable' THEN false WHEN 'returnable' THEN true
    WHEN 'search_array' THEN true WHEN 'search_nulls' THEN true END

-- @ pg_stat_get_numscans(oid)
SELECT CASE WHEN $1 IS NOT NULL THEN 0::bigint END

-- @ pg_show_all_settings() rows
SELECT name, setting, unit, category, short_desc, extra_desc, context, vartype, source, min_val, max_val, enumvals, boot_val,
    reset_val, sourcefile, sourceline, pending_restart
FROM pg_catalog.pg_settings

-- @ pg_available_extensions() rows
SELECT name, default_version, comment FROM pg_catalog.pg_available_extensions

-- @ pg_get_keywords() rows
SELECT word, catcode, barelabel,
    CASE catcode WHEN 'U' THEN 'unreserved' WHEN 'C' THEN 'unreserved (cannot be function or type name)'
        WHEN 'T' THEN 'reserved (can be function or type name)' WHEN 'R' THEN 'reserved' END AS catdesc,
    CASE WHEN barelabel THEN 'can be bare label' ELSE 'requires AS' END AS baredesc
FROM pg_catalog.multiloop_keyword

-- @ aclexplode(aclitem[]) rows
SELECT coalesce(o.oid, 0::oid) AS grantor, coalesce(e.oid, 0::oid) AS grantee,
    CASE l.letter WHEN 'a' THEN 'INSERT' WHEN 'r' THEN 'SELECT' WHEN 'w' THEN 'UPDATE' WHEN 'd' THEN 'DELETE' WHEN 'D' THEN 'TRUNCATE'
        WHEN 'x' THEN 'REFERENCES' WHEN 't' THEN 'TRIGGER' WHEN 'X' THEN 'EXECUTE' WHEN 'U' THEN 'USAGE' WHEN 'C' THEN 'CREATE'
        WHEN 'T' THEN 'TEMPORARY' WHEN 'c' THEN 'CONNECT' WHEN 's' THEN 'SET' WHEN 'A' THEN 'ALTER SYSTEM' END AS privilege_type,
    l.is_grantable
FROM (
    SELECT r.place, s.at, parts[1] AS grantee, parts[3] AS grantor, substring(parts[2] from s.at for 1) AS letter,
        substring(parts[2] from s.at + 1 for 1) = '*' AS is_grantable
    FROM (
        SELECT i.place, regexp_match(i.item::text, '^("(?:[^"]|"")*"|[^"=]*)=([^/]*)/(.*)$') AS parts
        FROM unnest($1) WITH ORDINALITY AS i(item, place)
    ) r CROSS JOIN LATERAL generate_series(1, length(parts[2])) AS s(at)
) l LEFT JOIN pg_catalog.multiloop_role o ON o.shown = l.grantor LEFT JOIN pg_catalog.multiloop_role e ON e.shown = l.grantee
WHERE l.letter <> '*' ORDER BY l.place, l.at

-- @ acldefault("char", oid)
SELECT (SELECT CASE $1
        WHEN 'c' THEN '{}'::aclitem[]
        WHEN 'r' THEN ARRAY[r.shown || '=arwdDxt/' || r.shown]::aclitem[]
        WHEN 's' THEN ARRAY[r.shown || '=rwU/' || r.shown]::aclitem[]
        WHEN 'd' THEN ARRAY['=Tc/' || r.shown, r.shown || '=CTc/' || r.shown]::aclitem[]
        WHEN 'f' THEN ARRAY['=X/' || r.shown, r.shown || '=X/' || r.shown]::aclitem[]
        WHEN 'l' THEN ARRAY['=U/' || r.shown, r.shown || '=U/' || r.shown]::aclitem[]
        WHEN 'T' THEN ARRAY['=U/' || r.shown, r.shown || '=U/' || r.shown]::aclitem[]
        WHEN 'L' THEN ARRAY[r.shown || '=rw/' || r.shown]::aclitem[]
        WHEN 'n' THEN ARRAY[r.shown || '=UC/' || r.shown]::aclitem[]
        WHEN 't' THEN ARRAY[r.shown || '=C/' || r.shown]::aclitem[]
        WHEN 'F' THEN ARRAY[r.shown || '=U/' || r.shown]::aclitem[]
        WHEN 'S' THEN ARRAY[r.shown || '=U/' || r.shown]::aclitem[]
        WHEN 'p' THEN ARRAY[r.shown || '=sA/' || r.shown]::aclitem[] END
    FROM (SELECT coalesce((SELECT m.shown FROM pg_catalog.multiloop_role m WHERE m.oid = $2), $2::bigint::text) AS shown) r
    WHERE $2 IS NOT NULL)

-- @ pg_blocking_pids(integer)
SELECT CASE WHEN $1 IS NOT NULL THEN '{}'::integer[] END

-- @ pg_jit_available()
SELECT false

-- @ pg_is_wal_replay_paused()
SELECT false

-- @ oidvectortypes(any)
SELECT coalesce((SELECT string_agg(format_type(t.oid, NULL), ', ' ORDER BY t.place)
    FROM unnest($1) WITH ORDINALITY t(oid, place)), '')

-- @ current_setting(text)
SELECT (SELECT s.setting FROM pg_catalog.pg_settings s WHERE lower(s.name) = lower($1))
