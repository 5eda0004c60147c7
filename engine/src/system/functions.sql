-- Functions that are queries. Behind @ a name and the types of its arguments (any is one that is taken as it is); then the query,
-- in which $1, $2, … are the arguments.

-- @ format_type(oid, integer)
SELECT CASE
    WHEN $1 IS NULL THEN NULL
    WHEN $1 = 0 THEN '-'
    ELSE coalesce((
        SELECT CASE
            WHEN t.base = 1042 AND $2 = -1 THEN 'bpchar'
            WHEN t.base = 1700 AND $2 >= 4 THEN
                'numeric(' || (($2 - 4) / 65536)::text || ',' || (($2 - 4) % 65536)::text || ')'
            WHEN t.base IN (1042, 1043) AND $2 >= 4 THEN t.shown || '(' || ($2 - 4)::text || ')'
            WHEN t.base = 1083 AND $2 >= 0 THEN 'time(' || $2::text || ') without time zone'
            WHEN t.base = 1114 AND $2 >= 0 THEN 'timestamp(' || $2::text || ') without time zone'
            WHEN t.base = 1184 AND $2 >= 0 THEN 'timestamp(' || $2::text || ') with time zone'
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
    ELSE coalesce((SELECT p.shown || '(' || replace(p.arguments, ', ', ',') || ')'
                   FROM pg_catalog.multiloop_procedure p WHERE p.oid = $1), $1::bigint::text) END

-- @ regoperout(oid)
SELECT CASE WHEN $1 IS NULL THEN NULL WHEN $1 = 0 THEN '0'
    ELSE coalesce((SELECT o.oprname::text FROM pg_catalog.pg_operator o WHERE o.oid = $1), $1::bigint::text) END

-- @ regclassin(text)
SELECT (SELECT r.oid FROM pg_catalog.multiloop_relation r WHERE r.shown = $1)::regclass

-- @ regtypein(text)
SELECT (SELECT min(t.oid) FROM pg_catalog.multiloop_type t WHERE t.shown || t.suffix = $1)::regtype

-- @ regnamespacein(text)
SELECT (SELECT n.oid FROM pg_catalog.multiloop_namespace n WHERE n.shown = $1)::regnamespace

-- @ regrolein(text)
SELECT (SELECT r.oid FROM pg_catalog.multiloop_role r WHERE r.shown = $1)::regrole

-- @ to_regclass(text)
SELECT (SELECT r.oid FROM pg_catalog.multiloop_relation r WHERE r.shown = $1)::regclass

-- @ to_regtype(text)
SELECT (SELECT min(t.oid) FROM pg_catalog.multiloop_type t WHERE t.shown || t.suffix IN ($1, CASE
    replace(replace(lower($1), 'pg_catalog.', ''), '[]', '')
    WHEN 'bool' THEN 'boolean' WHEN 'int2' THEN 'smallint' WHEN 'int' THEN 'integer' WHEN 'int4' THEN 'integer'
    WHEN 'int8' THEN 'bigint' WHEN 'float4' THEN 'real' WHEN 'float8' THEN 'double precision' WHEN 'float' THEN 'double precision'
    WHEN 'decimal' THEN 'numeric' WHEN 'bpchar' THEN 'character' WHEN 'char' THEN 'character' WHEN 'varchar' THEN 'character varying'
    WHEN 'time' THEN 'time without time zone' WHEN 'timestamp' THEN 'timestamp without time zone'
    WHEN 'timestamptz' THEN 'timestamp with time zone'
    ELSE replace(replace(lower($1), 'pg_catalog.', ''), '[]', '') END || CASE WHEN $1 LIKE '%[]' THEN '[]' ELSE '' END))::regtype

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
SELECT (SELECT true FROM pg_catalog.pg_proc p WHERE p.oid = $1)

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
SELECT CASE WHEN $3 AND $1 LIKE '(%)' AND $1 NOT LIKE '%::%' THEN substring($1 from 2 for length($1) - 2) ELSE $1 END

-- @ pg_get_constraintdef(oid)
SELECT (SELECT c.definition FROM pg_catalog.multiloop_constraint c WHERE c.oid = $1)

-- @ pg_get_constraintdef(oid, boolean)
SELECT (SELECT CASE WHEN $2 THEN c.pretty ELSE c.definition END FROM pg_catalog.multiloop_constraint c WHERE c.oid = $1)

-- @ pg_get_indexdef(oid)
SELECT (SELECT r.definition FROM pg_catalog.multiloop_relation r JOIN pg_catalog.pg_index i ON i.indexrelid = r.oid WHERE r.oid = $1)

-- @ pg_get_indexdef(oid, integer, boolean)
SELECT CASE WHEN $2 = 0
    THEN (SELECT r.definition FROM pg_catalog.multiloop_relation r JOIN pg_catalog.pg_index i ON i.indexrelid = r.oid WHERE r.oid = $1)
    ELSE coalesce((SELECT c.shown FROM pg_catalog.multiloop_index_column c WHERE c.oid = $1 AND c.attnum = $2), '')
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
SELECT NULL::text

-- @ pg_get_functiondef(oid)
SELECT NULL::text

-- @ pg_get_function_result(oid)
SELECT (SELECT p.result FROM pg_catalog.multiloop_procedure p WHERE p.oid = $1)

-- @ pg_get_function_arguments(oid)
SELECT (SELECT p.arguments FROM pg_catalog.multiloop_procedure p WHERE p.oid = $1)

-- @ pg_get_function_identity_arguments(oid)
SELECT (SELECT p.arguments FROM pg_catalog.multiloop_procedure p WHERE p.oid = $1)

-- @ pg_get_serial_sequence(text, text)
SELECT NULL::text

-- @ pg_sequence_last_value(regclass)
SELECT NULL::bigint

-- @ pg_encoding_to_char(integer)
SELECT (CASE $1 WHEN 0 THEN 'SQL_ASCII' WHEN 6 THEN 'UTF8' WHEN 8 THEN 'LATIN1' ELSE '' END)::name

-- @ getdatabaseencoding()
SELECT 'UTF8'::name

-- @ pg_char_to_encoding(name)
SELECT CASE upper($1::text) WHEN 'SQL_ASCII' THEN 0 WHEN 'UTF8' THEN 6 WHEN 'LATIN1' THEN 8 ELSE -1 END

-- @ pg_tablespace_location(oid)
SELECT ''

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
SELECT $1 IS NOT NULL

-- @ has_table_privilege(any, any, text)
SELECT $2 IS NOT NULL

-- @ has_schema_privilege(any, text)
SELECT $1 IS NOT NULL

-- @ has_schema_privilege(any, any, text)
SELECT $2 IS NOT NULL

-- @ has_database_privilege(any, text)
SELECT $1 IS NOT NULL

-- @ has_database_privilege(any, any, text)
SELECT $2 IS NOT NULL

-- @ has_sequence_privilege(any, text)
SELECT $1 IS NOT NULL

-- @ has_function_privilege(any, text)
SELECT $1 IS NOT NULL

-- @ has_function_privilege(any, any, text)
SELECT $2 IS NOT NULL

-- @ has_tablespace_privilege(any, text)
SELECT $1 IS NOT NULL

-- @ has_language_privilege(any, text)
SELECT $1 IS NOT NULL

-- @ has_any_column_privilege(any, text)
SELECT $1 IS NOT NULL

-- @ has_column_privilege(any, any, text)
SELECT $1 IS NOT NULL

-- @ has_column_privilege(any, any, any, text)
SELECT $2 IS NOT NULL

-- @ pg_has_role(any, text)
SELECT $1 IS NOT NULL

-- @ pg_has_role(any, any, text)
SELECT $2 IS NOT NULL

-- @ pg_relation_is_publishable(regclass)
SELECT (SELECT c.relkind = 'r' AND c.oid >= 16384 FROM pg_catalog.pg_class c WHERE c.oid = $1)

-- @ pg_relation_is_updatable(regclass, boolean)
SELECT coalesce((SELECT CASE WHEN c.relkind = 'r' AND c.oid >= 16384 THEN 8 ELSE 0 END FROM pg_catalog.pg_class c WHERE c.oid = $1), 0)

-- @ pg_column_is_updatable(regclass, smallint, boolean)
SELECT coalesce((SELECT c.relkind = 'r' AND c.oid >= 16384 FROM pg_catalog.pg_class c WHERE c.oid = $1), false)

-- @ pg_is_other_temp_schema(oid)
SELECT false

-- @ pg_index_column_has_property(regclass, integer, text)
SELECT CASE $3 WHEN 'asc' THEN true WHEN 'desc' THEN false WHEN 'nulls_first' THEN false WHEN 'nulls_last' THEN true
    WHEN 'orderable' THEN true WHEN 'distance_orderable' THEN false WHEN 'returnable' THEN true
    WHEN 'search_array' THEN true WHEN 'search_nulls' THEN true END

-- @ pg_stat_get_numscans(oid)
SELECT 0::bigint

-- @ pg_advisory_unlock_all()
SELECT NULL::text

-- @ pg_jit_available()
SELECT false

-- @ pg_is_wal_replay_paused()
SELECT false
