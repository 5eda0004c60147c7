-- Views of the system. Behind @ a schema and a name; then the query.

-- @ pg_catalog.pg_tables
SELECT n.nspname AS schemaname, c.relname AS tablename, pg_get_userbyid(c.relowner) AS tableowner,
    t.spcname AS tablespace, c.relhasindex AS hasindexes, c.relhasrules AS hasrules, c.relhastriggers AS hastriggers,
    c.relrowsecurity AS rowsecurity
FROM pg_catalog.pg_class c LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    LEFT JOIN pg_catalog.pg_tablespace t ON t.oid = c.reltablespace
WHERE c.relkind IN ('r', 'p')

-- @ pg_catalog.pg_views
SELECT n.nspname AS schemaname, c.relname AS viewname, pg_get_userbyid(c.relowner) AS viewowner,
    pg_get_viewdef(c.oid) AS definition
FROM pg_catalog.pg_class c LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind = 'v'

-- @ pg_catalog.pg_matviews
SELECT n.nspname AS schemaname, c.relname AS matviewname, pg_get_userbyid(c.relowner) AS matviewowner,
    t.spcname AS tablespace, c.relhasindex AS hasindexes, c.relispopulated AS ispopulated,
    pg_get_viewdef(c.oid) AS definition
FROM pg_catalog.pg_class c LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    LEFT JOIN pg_catalog.pg_tablespace t ON t.oid = c.reltablespace
WHERE c.relkind = 'm'

-- @ pg_catalog.pg_sequences
SELECT n.nspname AS schemaname, c.relname AS sequencename, pg_get_userbyid(c.relowner) AS sequenceowner,
    s.seqtypid::regtype AS data_type, s.seqstart AS start_value, s.seqmin AS min_value, s.seqmax AS max_value,
    s.seqincrement AS increment_by, s.seqcycle AS cycle, s.seqcache AS cache_size, p.last_value
FROM pg_catalog.pg_sequence s JOIN pg_catalog.pg_class c ON c.oid = s.seqrelid
    LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    LEFT JOIN pg_catalog.multiloop_sequence p ON p.oid = s.seqrelid
WHERE n.nspname NOT LIKE 'pg_temp%'

-- @ pg_catalog.pg_indexes
SELECT n.nspname AS schemaname, c.relname AS tablename, i.relname AS indexname, t.spcname AS tablespace,
    pg_get_indexdef(i.oid) AS indexdef
FROM pg_catalog.pg_index x JOIN pg_catalog.pg_class c ON c.oid = x.indrelid JOIN pg_catalog.pg_class i ON i.oid = x.indexrelid
    LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    LEFT JOIN pg_catalog.pg_tablespace t ON t.oid = i.reltablespace
WHERE c.relkind IN ('r', 'm', 'p') AND i.relkind IN ('i', 'I')

-- @ pg_catalog.pg_roles
SELECT rolname, rolsuper, rolinherit, rolcreaterole, rolcreatedb, rolcanlogin, rolreplication, rolconnlimit,
    '********'::text AS rolpassword, rolvaliduntil, rolbypassrls, NULL::text[] AS rolconfig, oid
FROM pg_catalog.pg_authid

-- @ pg_catalog.pg_shadow
SELECT rolname AS usename, oid AS usesysid, rolcreatedb AS usecreatedb, rolsuper AS usesuper,
    rolreplication AS userepl, rolbypassrls AS usebypassrls, rolpassword AS passwd, rolvaliduntil AS valuntil,
    NULL::text[] AS useconfig
FROM pg_catalog.pg_authid WHERE rolcanlogin

-- @ pg_catalog.pg_user
SELECT usename, usesysid, usecreatedb, usesuper, userepl, usebypassrls, '********'::text AS passwd, valuntil, useconfig
FROM pg_catalog.pg_shadow

-- @ pg_catalog.pg_stat_all_tables
SELECT c.oid AS relid, n.nspname AS schemaname, c.relname, 0::bigint AS seq_scan, 0::bigint AS seq_tup_read,
    0::bigint AS idx_scan, 0::bigint AS idx_tup_fetch, 0::bigint AS n_tup_ins, 0::bigint AS n_tup_upd,
    0::bigint AS n_tup_del, 0::bigint AS n_tup_hot_upd, greatest(c.reltuples, 0)::bigint AS n_live_tup,
    0::bigint AS n_dead_tup, 0::bigint AS n_mod_since_analyze, 0::bigint AS n_ins_since_vacuum,
    NULL::timestamptz AS last_vacuum, NULL::timestamptz AS last_autovacuum, NULL::timestamptz AS last_analyze,
    NULL::timestamptz AS last_autoanalyze, 0::bigint AS vacuum_count, 0::bigint AS autovacuum_count,
    0::bigint AS analyze_count, 0::bigint AS autoanalyze_count
FROM pg_catalog.pg_class c LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'm')

-- @ pg_catalog.pg_stat_user_tables
SELECT * FROM pg_catalog.pg_stat_all_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')

-- @ pg_catalog.pg_stat_sys_tables
SELECT * FROM pg_catalog.pg_stat_all_tables WHERE schemaname IN ('pg_catalog', 'information_schema')

-- @ pg_catalog.pg_statio_all_tables
SELECT c.oid AS relid, n.nspname AS schemaname, c.relname, 0::bigint AS heap_blks_read, 0::bigint AS heap_blks_hit,
    i.idx_blks_read, i.idx_blks_read AS idx_blks_hit, NULL::bigint AS toast_blks_read, NULL::bigint AS toast_blks_hit,
    NULL::bigint AS tidx_blks_read, NULL::bigint AS tidx_blks_hit
FROM pg_catalog.pg_class c LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    LEFT JOIN (SELECT indrelid, 0::bigint AS idx_blks_read FROM pg_catalog.pg_index GROUP BY indrelid) i ON i.indrelid = c.oid
WHERE c.relkind IN ('r', 'm')

-- @ pg_catalog.pg_statio_user_tables
SELECT * FROM pg_catalog.pg_statio_all_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')

-- @ pg_catalog.pg_statio_sys_tables
SELECT * FROM pg_catalog.pg_statio_all_tables WHERE schemaname IN ('pg_catalog', 'information_schema')

-- @ pg_catalog.pg_stat_gssapi
SELECT a.pid, false AS gss_authenticated, NULL::text AS principal, false AS encrypted
FROM pg_catalog.pg_stat_activity a WHERE a.backend_type = 'client backend'

-- @ pg_catalog.pg_stat_all_indexes
SELECT c.oid AS relid, i.oid AS indexrelid, n.nspname AS schemaname, c.relname, i.relname AS indexrelname,
    0::bigint AS idx_scan, 0::bigint AS idx_tup_read, 0::bigint AS idx_tup_fetch
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_index x ON c.oid = x.indrelid JOIN pg_catalog.pg_class i ON i.oid = x.indexrelid
    LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind = 'r'

-- @ pg_catalog.pg_stat_user_indexes
SELECT * FROM pg_catalog.pg_stat_all_indexes WHERE schemaname NOT IN ('pg_catalog', 'information_schema')

-- @ information_schema.information_schema_catalog_name
SELECT current_database() AS catalog_name

-- @ information_schema.schemata
SELECT current_database() AS catalog_name, n.nspname AS schema_name, pg_get_userbyid(n.nspowner) AS schema_owner,
    NULL::name AS default_character_set_catalog, NULL::name AS default_character_set_schema,
    NULL::name AS default_character_set_name, NULL::varchar AS sql_path
FROM pg_catalog.pg_namespace n

-- @ information_schema.tables
SELECT current_database() AS table_catalog, nc.nspname AS table_schema, c.relname AS table_name,
    (CASE WHEN c.relpersistence = 't' THEN 'LOCAL TEMPORARY' WHEN c.relkind = 'v' THEN 'VIEW' ELSE 'BASE TABLE' END)::varchar
        AS table_type,
    NULL::name AS self_referencing_column_name, NULL::varchar AS reference_generation,
    NULL::name AS user_defined_type_catalog, NULL::name AS user_defined_type_schema,
    NULL::name AS user_defined_type_name,
    (CASE WHEN c.relkind = 'r' OR u.events & 8 = 8 THEN 'YES' ELSE 'NO' END)::varchar(3) AS is_insertable_into,
    'NO'::varchar(3) AS is_typed, NULL::varchar AS commit_action
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace nc ON nc.oid = c.relnamespace
    LEFT JOIN pg_catalog.multiloop_updatable u ON u.relid = c.oid AND u.attnum = 0
WHERE c.relkind IN ('r', 'v')

-- @ information_schema.views
SELECT current_database() AS table_catalog, nc.nspname AS table_schema, c.relname AS table_name,
    pg_get_viewdef(c.oid)::varchar AS view_definition,
    (CASE WHEN 'check_option=cascaded' = ANY (c.reloptions) THEN 'CASCADED' WHEN 'check_option=local' = ANY (c.reloptions) THEN 'LOCAL'
        ELSE 'NONE' END)::varchar AS check_option,
    (CASE WHEN u.events & 20 = 20 THEN 'YES' ELSE 'NO' END)::varchar(3) AS is_updatable,
    (CASE WHEN u.events & 8 = 8 THEN 'YES' ELSE 'NO' END)::varchar(3) AS is_insertable_into, 'NO'::varchar(3) AS is_trigger_updatable,
    'NO'::varchar(3) AS is_trigger_deletable, 'NO'::varchar(3) AS is_trigger_insertable_into
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace nc ON nc.oid = c.relnamespace
    LEFT JOIN pg_catalog.multiloop_updatable u ON u.relid = c.oid AND u.attnum = 0
WHERE c.relkind = 'v'

-- @ information_schema.columns
SELECT current_database() AS table_catalog, nc.nspname AS table_schema, c.relname AS table_name,
    a.attname AS column_name, a.attnum::integer AS ordinal_position,
    (CASE WHEN a.attgenerated = '' THEN pg_get_expr(ad.adbin, ad.adrelid) END)::varchar AS column_default,
    (CASE WHEN a.attnotnull THEN 'NO' ELSE 'YES' END)::varchar(3) AS is_nullable,
    (CASE WHEN t.typelem <> 0 AND t.typlen = -1 THEN 'ARRAY' WHEN t.typnamespace = 11 THEN format_type(t.oid, NULL)
        ELSE 'USER-DEFINED' END)::varchar AS data_type,
    CASE WHEN t.oid IN (1042, 1043) AND a.atttypmod >= 4 THEN a.atttypmod - 4
        WHEN t.oid IN (1560, 1562) AND a.atttypmod > 0 THEN a.atttypmod END AS character_maximum_length,
    CASE WHEN t.oid IN (25, 1042, 1043) THEN
        CASE WHEN t.oid = 25 OR a.atttypmod < 4 THEN 1073741824
            ELSE least((a.atttypmod - 4)::bigint * 4, 1073741824)::integer END END AS character_octet_length,
    CASE t.oid WHEN 21 THEN 16 WHEN 23 THEN 32 WHEN 20 THEN 64 WHEN 700 THEN 24 WHEN 701 THEN 53
        WHEN 1700 THEN CASE WHEN a.atttypmod >= 4 THEN (a.atttypmod - 4) / 65536 END END AS numeric_precision,
    CASE WHEN t.oid IN (20, 21, 23, 700, 701) THEN 2 WHEN t.oid = 1700 THEN 10 END AS numeric_precision_radix,
    CASE WHEN t.oid IN (20, 21, 23) THEN 0
        WHEN t.oid = 1700 AND a.atttypmod >= 4 THEN ((a.atttypmod - 4) % 2048 + 1024) % 2048 - 1024 END AS numeric_scale,
    CASE WHEN t.oid = 1082 THEN 0
        WHEN t.oid IN (1083, 1114, 1184, 1186) THEN CASE WHEN a.atttypmod < 0 THEN 6 ELSE a.atttypmod % 65536 END
        END AS datetime_precision,
    NULL::varchar AS interval_type, NULL::integer AS interval_precision, NULL::name AS character_set_catalog,
    NULL::name AS character_set_schema, NULL::name AS character_set_name,
    CASE WHEN co.collname <> 'default' THEN current_database() END AS collation_catalog,
    CASE WHEN co.collname <> 'default' THEN 'pg_catalog'::name END AS collation_schema,
    CASE WHEN co.collname <> 'default' THEN co.collname END AS collation_name,
    NULL::name AS domain_catalog, NULL::name AS domain_schema, NULL::name AS domain_name,
    current_database() AS udt_catalog, nt.nspname AS udt_schema, t.typname AS udt_name,
    NULL::name AS scope_catalog, NULL::name AS scope_schema, NULL::name AS scope_name,
    NULL::integer AS maximum_cardinality, a.attnum::text::name AS dtd_identifier,
    'NO'::varchar(3) AS is_self_referencing,
    (CASE WHEN a.attidentity IN ('a', 'd') THEN 'YES' ELSE 'NO' END)::varchar(3) AS is_identity,
    (CASE a.attidentity WHEN 'a' THEN 'ALWAYS' WHEN 'd' THEN 'BY DEFAULT' END)::varchar AS identity_generation,
    seq.seqstart::varchar AS identity_start, seq.seqincrement::varchar AS identity_increment,
    seq.seqmax::varchar AS identity_maximum, seq.seqmin::varchar AS identity_minimum,
    (CASE WHEN seq.seqcycle THEN 'YES' ELSE 'NO' END)::varchar(3) AS identity_cycle,
    (CASE WHEN a.attgenerated = '' THEN 'NEVER' ELSE 'ALWAYS' END)::varchar AS is_generated,
    (CASE WHEN a.attgenerated <> '' THEN pg_get_expr(ad.adbin, ad.adrelid) END)::varchar AS generation_expression,
    (CASE WHEN c.relkind = 'r' OR u.events IS NOT NULL THEN 'YES' ELSE 'NO' END)::varchar(3) AS is_updatable
FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_class c ON a.attrelid = c.oid JOIN pg_catalog.pg_namespace nc ON c.relnamespace = nc.oid
    JOIN pg_catalog.pg_type t ON a.atttypid = t.oid JOIN pg_catalog.pg_namespace nt ON t.typnamespace = nt.oid
    LEFT JOIN pg_catalog.pg_attrdef ad ON a.attrelid = ad.adrelid AND a.attnum = ad.adnum
    LEFT JOIN pg_catalog.pg_collation co ON a.attcollation = co.oid
    LEFT JOIN (pg_catalog.pg_depend dep JOIN pg_catalog.pg_sequence seq ON dep.classid = 1259 AND dep.objid = seq.seqrelid
        AND dep.deptype = 'i') ON dep.refclassid = 1259 AND dep.refobjid = c.oid AND dep.refobjsubid = a.attnum
    LEFT JOIN pg_catalog.multiloop_updatable u ON u.relid = c.oid AND u.attnum = a.attnum
WHERE a.attnum > 0 AND NOT a.attisdropped AND c.relkind IN ('r', 'v', 'f', 'p')

-- @ information_schema.routines
SELECT current_database() AS specific_catalog, n.nspname AS specific_schema,
    left(p.proname::text || '_' || p.oid::text, 63)::name AS specific_name, current_database() AS routine_catalog,
    n.nspname AS routine_schema, p.proname AS routine_name,
    (CASE p.prokind WHEN 'f' THEN 'FUNCTION' WHEN 'p' THEN 'PROCEDURE' END)::varchar AS routine_type,
    NULL::name AS module_catalog, NULL::name AS module_schema, NULL::name AS module_name, NULL::name AS udt_catalog,
    NULL::name AS udt_schema, NULL::name AS udt_name,
    (CASE WHEN p.prokind = 'p' THEN NULL WHEN t.typelem <> 0 AND t.typlen = -1 THEN 'ARRAY'
        WHEN t.typnamespace = 11 THEN format_type(t.oid, NULL) ELSE 'USER-DEFINED' END)::varchar AS data_type,
    NULL::integer AS character_maximum_length, NULL::integer AS character_octet_length,
    NULL::name AS character_set_catalog, NULL::name AS character_set_schema, NULL::name AS character_set_name,
    NULL::name AS collation_catalog, NULL::name AS collation_schema, NULL::name AS collation_name,
    NULL::integer AS numeric_precision, NULL::integer AS numeric_precision_radix, NULL::integer AS numeric_scale,
    NULL::integer AS datetime_precision, NULL::varchar AS interval_type, NULL::integer AS interval_precision,
    CASE WHEN nt.nspname IS NOT NULL THEN current_database() END AS type_udt_catalog, nt.nspname AS type_udt_schema,
    t.typname AS type_udt_name, NULL::name AS scope_catalog, NULL::name AS scope_schema, NULL::name AS scope_name,
    NULL::integer AS maximum_cardinality, (CASE WHEN p.prokind <> 'p' THEN '0' END)::name AS dtd_identifier,
    (CASE WHEN l.lanname = 'sql' THEN 'SQL' ELSE 'EXTERNAL' END)::varchar AS routine_body,
    (CASE WHEN pg_has_role(p.proowner, 'USAGE') THEN p.prosrc END)::varchar AS routine_definition,
    NULL::varchar AS external_name, upper(l.lanname::text)::varchar AS external_language,
    'GENERAL'::varchar AS parameter_style,
    (CASE WHEN p.provolatile = 'i' THEN 'YES' ELSE 'NO' END)::varchar(3) AS is_deterministic,
    'MODIFIES'::varchar AS sql_data_access,
    (CASE WHEN p.prokind <> 'p' THEN CASE WHEN p.proisstrict THEN 'YES' ELSE 'NO' END END)::varchar(3) AS is_null_call,
    NULL::varchar AS sql_path, 'YES'::varchar(3) AS schema_level_routine, 0 AS max_dynamic_result_sets,
    NULL::varchar(3) AS is_user_defined_cast, NULL::varchar(3) AS is_implicitly_invocable,
    (CASE WHEN p.prosecdef THEN 'DEFINER' ELSE 'INVOKER' END)::varchar AS security_type,
    NULL::name AS to_sql_specific_catalog, NULL::name AS to_sql_specific_schema, NULL::name AS to_sql_specific_name,
    'NO'::varchar(3) AS as_locator, NULL::timestamptz AS created, NULL::timestamptz AS last_altered,
    NULL::varchar(3) AS new_savepoint_level, 'NO'::varchar(3) AS is_udt_dependent,
    NULL::varchar AS result_cast_from_data_type, NULL::varchar(3) AS result_cast_as_locator,
    NULL::integer AS result_cast_char_max_length, NULL::integer AS result_cast_char_octet_length,
    NULL::name AS result_cast_char_set_catalog, NULL::name AS result_cast_char_set_schema,
    NULL::name AS result_cast_char_set_name, NULL::name AS result_cast_collation_catalog,
    NULL::name AS result_cast_collation_schema, NULL::name AS result_cast_collation_name,
    NULL::integer AS result_cast_numeric_precision, NULL::integer AS result_cast_numeric_precision_radix,
    NULL::integer AS result_cast_numeric_scale, NULL::integer AS result_cast_datetime_precision,
    NULL::varchar AS result_cast_interval_type, NULL::integer AS result_cast_interval_precision,
    NULL::name AS result_cast_type_udt_catalog, NULL::name AS result_cast_type_udt_schema,
    NULL::name AS result_cast_type_udt_name, NULL::name AS result_cast_scope_catalog,
    NULL::name AS result_cast_scope_schema, NULL::name AS result_cast_scope_name,
    NULL::integer AS result_cast_maximum_cardinality, NULL::name AS result_cast_dtd_identifier
FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
    JOIN pg_catalog.pg_language l ON p.prolang = l.oid
    LEFT JOIN (pg_catalog.pg_type t JOIN pg_catalog.pg_namespace nt ON t.typnamespace = nt.oid)
        ON p.prorettype = t.oid AND p.prokind <> 'p'

-- @ information_schema.parameters
SELECT current_database() AS specific_catalog, s.nspname AS specific_schema,
    left(s.proname::text || '_' || s.oid::text, 63)::name AS specific_name, s.n AS ordinal_position,
    (CASE s.proargmodes[s.n] WHEN 'o' THEN 'OUT' WHEN 'b' THEN 'INOUT' WHEN 't' THEN 'OUT' ELSE 'IN' END)::varchar AS parameter_mode,
    'NO'::varchar(3) AS is_result, 'NO'::varchar(3) AS as_locator, NULLIF(s.proargnames[s.n], '')::name AS parameter_name,
    (CASE WHEN t.typelem <> 0 AND t.typlen = -1 THEN 'ARRAY'
        WHEN t.typnamespace = 11 THEN format_type(t.oid, NULL) ELSE 'USER-DEFINED' END)::varchar AS data_type,
    NULL::integer AS character_maximum_length, NULL::integer AS character_octet_length,
    NULL::name AS character_set_catalog, NULL::name AS character_set_schema, NULL::name AS character_set_name,
    NULL::name AS collation_catalog, NULL::name AS collation_schema, NULL::name AS collation_name,
    NULL::integer AS numeric_precision, NULL::integer AS numeric_precision_radix, NULL::integer AS numeric_scale,
    NULL::integer AS datetime_precision, NULL::varchar AS interval_type, NULL::integer AS interval_precision,
    current_database() AS udt_catalog, nt.nspname AS udt_schema, t.typname AS udt_name, NULL::name AS scope_catalog,
    NULL::name AS scope_schema, NULL::name AS scope_name, NULL::integer AS maximum_cardinality,
    s.n::text::name AS dtd_identifier, NULL::varchar AS parameter_default
FROM (SELECT n.nspname, p.proname, p.oid, p.proargnames, p.proargmodes,
        coalesce(p.proallargtypes::bigint[], string_to_array(p.proargtypes::text, ' ')::bigint[]) AS types, generate_series(1,
            coalesce(cardinality(p.proallargtypes), cardinality(p.proargtypes::oid[]))) AS n
    FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace) s
    JOIN pg_catalog.pg_type t ON t.oid = s.types[s.n]
    JOIN pg_catalog.pg_namespace nt ON t.typnamespace = nt.oid

-- @ information_schema.sequences
SELECT current_database() AS sequence_catalog, nc.nspname AS sequence_schema, c.relname AS sequence_name,
    format_type(s.seqtypid, NULL)::varchar AS data_type,
    CASE s.seqtypid WHEN 21 THEN 16 WHEN 23 THEN 32 ELSE 64 END AS numeric_precision, 2 AS numeric_precision_radix,
    0 AS numeric_scale, s.seqstart::varchar AS start_value, s.seqmin::varchar AS minimum_value,
    s.seqmax::varchar AS maximum_value, s.seqincrement::varchar AS increment,
    (CASE WHEN s.seqcycle THEN 'YES' ELSE 'NO' END)::varchar(3) AS cycle_option
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace nc ON c.relnamespace = nc.oid
    JOIN pg_catalog.pg_sequence s ON c.oid = s.seqrelid
WHERE c.relkind = 'S' AND NOT EXISTS (SELECT 1 FROM pg_catalog.pg_depend d
    WHERE d.classid = 1259 AND d.objid = c.oid AND d.deptype = 'i')

-- @ information_schema.table_constraints
SELECT current_database() AS constraint_catalog, nc.nspname AS constraint_schema, c.conname AS constraint_name,
    current_database() AS table_catalog, nr.nspname AS table_schema, r.relname AS table_name,
    (CASE c.contype WHEN 'c' THEN 'CHECK' WHEN 'f' THEN 'FOREIGN KEY' WHEN 'p' THEN 'PRIMARY KEY' WHEN 'u' THEN 'UNIQUE'
        END)::varchar AS constraint_type,
    (CASE WHEN c.condeferrable THEN 'YES' ELSE 'NO' END)::varchar(3) AS is_deferrable,
    (CASE WHEN c.condeferred THEN 'YES' ELSE 'NO' END)::varchar(3) AS initially_deferred,
    'YES'::varchar(3) AS enforced,
    (CASE WHEN c.contype = 'u' THEN CASE WHEN i.indnullsnotdistinct THEN 'NO' ELSE 'YES' END END)::varchar(3)
        AS nulls_distinct
FROM pg_catalog.pg_constraint c JOIN pg_catalog.pg_namespace nc ON nc.oid = c.connamespace JOIN pg_catalog.pg_class r ON c.conrelid = r.oid
    JOIN pg_catalog.pg_namespace nr ON nr.oid = r.relnamespace LEFT JOIN pg_catalog.pg_index i ON i.indexrelid = c.conindid
WHERE c.contype IN ('c', 'f', 'p', 'u')
UNION ALL
SELECT current_database(), nr.nspname,
    (nr.oid::bigint::text || '_' || r.oid::bigint::text || '_' || a.attnum::text || '_not_null')::name,
    current_database(), nr.nspname, r.relname, 'CHECK'::varchar, 'NO'::varchar(3), 'NO'::varchar(3),
    'YES'::varchar(3), NULL::varchar(3)
FROM pg_catalog.pg_namespace nr JOIN pg_catalog.pg_class r ON nr.oid = r.relnamespace JOIN pg_catalog.pg_attribute a ON r.oid = a.attrelid
WHERE a.attnotnull AND a.attnum > 0 AND NOT a.attisdropped AND r.relkind IN ('r', 'p')

-- @ information_schema.check_constraints
SELECT current_database() AS constraint_catalog, n.nspname AS constraint_schema, c.conname AS constraint_name,
    c.conbin::varchar AS check_clause
FROM pg_catalog.pg_constraint c JOIN pg_catalog.pg_namespace n ON n.oid = c.connamespace
WHERE c.contype = 'c'
UNION ALL
SELECT current_database(), n.nspname,
    (n.oid::bigint::text || '_' || r.oid::bigint::text || '_' || a.attnum::text || '_not_null')::name,
    (a.attname::text || ' IS NOT NULL')::varchar
FROM pg_catalog.pg_namespace n JOIN pg_catalog.pg_class r ON n.oid = r.relnamespace JOIN pg_catalog.pg_attribute a ON r.oid = a.attrelid
WHERE a.attnotnull AND a.attnum > 0 AND NOT a.attisdropped AND r.relkind IN ('r', 'p')

-- @ information_schema.referential_constraints
SELECT current_database() AS constraint_catalog, n.nspname AS constraint_schema, c.conname AS constraint_name,
    current_database() AS unique_constraint_catalog, nk.nspname AS unique_constraint_schema,
    k.conname AS unique_constraint_name, 'NONE'::varchar AS match_option,
    (CASE c.confupdtype WHEN 'c' THEN 'CASCADE' WHEN 'n' THEN 'SET NULL' WHEN 'd' THEN 'SET DEFAULT' WHEN 'r' THEN 'RESTRICT'
        ELSE 'NO ACTION' END)::varchar AS update_rule,
    (CASE c.confdeltype WHEN 'c' THEN 'CASCADE' WHEN 'n' THEN 'SET NULL' WHEN 'd' THEN 'SET DEFAULT' WHEN 'r' THEN 'RESTRICT'
        ELSE 'NO ACTION' END)::varchar AS delete_rule
FROM pg_catalog.pg_constraint c JOIN pg_catalog.pg_namespace n ON n.oid = c.connamespace
    LEFT JOIN pg_catalog.pg_constraint k ON k.conindid = c.conindid AND k.contype IN ('p', 'u')
    LEFT JOIN pg_catalog.pg_namespace nk ON nk.oid = k.connamespace
WHERE c.contype = 'f'

-- @ information_schema.key_column_usage
SELECT current_database() AS constraint_catalog, nc.nspname AS constraint_schema, c.conname AS constraint_name,
    current_database() AS table_catalog, nr.nspname AS table_schema, r.relname AS table_name, a.attname AS column_name,
    array_position(c.conkey, a.attnum) AS ordinal_position, NULL::integer AS position_in_unique_constraint
FROM pg_catalog.pg_constraint c JOIN pg_catalog.pg_namespace nc ON nc.oid = c.connamespace JOIN pg_catalog.pg_class r ON c.conrelid = r.oid
    JOIN pg_catalog.pg_namespace nr ON nr.oid = r.relnamespace JOIN pg_catalog.pg_attribute a ON a.attrelid = r.oid
WHERE c.contype IN ('p', 'u', 'f') AND a.attnum = ANY (c.conkey)

-- @ information_schema.constraint_column_usage
SELECT current_database() AS table_catalog, nr.nspname AS table_schema, r.relname AS table_name,
    a.attname AS column_name, current_database() AS constraint_catalog, nc.nspname AS constraint_schema,
    c.conname AS constraint_name
FROM pg_catalog.pg_constraint c JOIN pg_catalog.pg_namespace nc ON nc.oid = c.connamespace JOIN pg_catalog.pg_class r ON c.conrelid = r.oid
    JOIN pg_catalog.pg_namespace nr ON nr.oid = r.relnamespace JOIN pg_catalog.pg_attribute a ON a.attrelid = r.oid
WHERE c.contype IN ('p', 'u', 'c') AND a.attnum = ANY (c.conkey)
UNION ALL
SELECT current_database(), nr.nspname, r.relname, a.attname, current_database(), nc.nspname, c.conname
FROM pg_catalog.pg_constraint c JOIN pg_catalog.pg_namespace nc ON nc.oid = c.connamespace JOIN pg_catalog.pg_class r ON c.confrelid = r.oid
    JOIN pg_catalog.pg_namespace nr ON nr.oid = r.relnamespace JOIN pg_catalog.pg_attribute a ON a.attrelid = r.oid
WHERE c.contype = 'f' AND a.attnum = ANY (c.confkey)

-- @ information_schema.constraint_table_usage
SELECT current_database() AS table_catalog, nr.nspname AS table_schema, r.relname AS table_name,
    current_database() AS constraint_catalog, nc.nspname AS constraint_schema, c.conname AS constraint_name
FROM pg_catalog.pg_constraint c JOIN pg_catalog.pg_namespace nc ON nc.oid = c.connamespace JOIN pg_catalog.pg_class r ON c.conrelid = r.oid
    JOIN pg_catalog.pg_namespace nr ON nr.oid = r.relnamespace
WHERE c.contype IN ('p', 'u')
UNION ALL
SELECT current_database(), nr.nspname, r.relname, current_database(), nc.nspname, c.conname
FROM pg_catalog.pg_constraint c JOIN pg_catalog.pg_namespace nc ON nc.oid = c.connamespace JOIN pg_catalog.pg_class r ON c.confrelid = r.oid
    JOIN pg_catalog.pg_namespace nr ON nr.oid = r.relnamespace
WHERE c.contype = 'f'

-- @ information_schema.enabled_roles
SELECT rolname AS role_name FROM pg_catalog.pg_authid WHERE rolname = current_user

-- @ information_schema.table_privileges
SELECT g.rolname AS grantor, (CASE WHEN a.grantee = 0 THEN 'PUBLIC' ELSE r.rolname END)::name AS grantee,
    current_database() AS table_catalog, n.nspname AS table_schema, c.relname AS table_name, a.privilege::varchar AS privilege_type,
    (CASE WHEN a.grantable THEN 'YES' ELSE 'NO' END)::varchar(3) AS is_grantable,
    (CASE WHEN a.privilege = 'SELECT' THEN 'YES' ELSE 'NO' END)::varchar(3) AS with_hierarchy
FROM pg_catalog.multiloop_acl a JOIN pg_catalog.pg_class c ON c.oid = a.oid AND a.class = 1259 AND c.relkind <> 'S'
    JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace JOIN pg_catalog.pg_authid g ON g.oid = a.grantor
    LEFT JOIN pg_catalog.pg_authid r ON r.oid = a.grantee
WHERE a.grantee = 0 OR a.grantee IN (SELECT m.granted FROM pg_catalog.multiloop_member m WHERE m.own)
    OR a.grantor IN (SELECT m.granted FROM pg_catalog.multiloop_member m WHERE m.own)

-- @ information_schema.role_table_grants
SELECT g.rolname AS grantor, r.rolname AS grantee, current_database() AS table_catalog,
    n.nspname AS table_schema, c.relname AS table_name, a.privilege::varchar AS privilege_type,
    (CASE WHEN a.grantable THEN 'YES' ELSE 'NO' END)::varchar(3) AS is_grantable,
    (CASE WHEN a.privilege = 'SELECT' THEN 'YES' ELSE 'NO' END)::varchar(3) AS with_hierarchy
FROM pg_catalog.multiloop_acl a JOIN pg_catalog.pg_class c ON c.oid = a.oid AND a.class = 1259
    JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace JOIN pg_catalog.pg_authid g ON g.oid = a.grantor
    JOIN pg_catalog.pg_authid r ON r.oid = a.grantee
WHERE a.grantee IN (SELECT m.granted FROM pg_catalog.multiloop_member m WHERE m.own)
    OR a.grantor IN (SELECT m.granted FROM pg_catalog.multiloop_member m WHERE m.own)
