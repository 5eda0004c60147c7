// A session of JDBC: `Jdbc HOST PORT FOLDER`, whose folder has TPC-H's queries. The driver reads text first and binary
// once a statement has run a few times; here it is told which.

import java.io.StringReader;
import java.io.StringWriter;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.sql.Types;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Properties;
import java.util.UUID;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.postgresql.copy.CopyManager;

public class Jdbc {
    static final String FAR =
        "SELECT count(*) FROM lineitem a, lineitem b, lineitem c WHERE a.l_tax * b.l_tax = c.l_tax + 1";

    static String host;
    static String port;
    static String folder;

    /** A part of the session. */
    interface Part {
        void run(Connection connection) throws Exception;
    }

    /** What may be refused. */
    interface Work {
        void run() throws Exception;
    }

    static Connection connect(boolean binary) throws SQLException {
        Properties options = new Properties();
        options.setProperty("user", "u");
        options.setProperty("connectTimeout", "30");
        // -1: binary from the first time on.
        options.setProperty("prepareThreshold", binary ? "-1" : "1");
        options.setProperty("binaryTransfer", Boolean.toString(binary));
        return DriverManager.getConnection("jdbc:postgresql://" + host + ":" + port + "/d", options);
    }

    static void same(Object got, Object wanted, String what) {
        if (!Objects.deepEquals(got, wanted)) {
            throw new AssertionError(what + ": " + shown(got) + " instead of " + shown(wanted));
        }
    }

    static String shown(Object value) {
        return value instanceof Object[] ? Arrays.deepToString((Object[]) value) : String.valueOf(value);
    }

    static void refused(String state, Work work) throws Exception {
        try {
            work.run();
        } catch (SQLException error) {
            same(error.getSQLState(), state, error.getMessage());
            return;
        }
        throw new AssertionError("no error of " + state);
    }

    /** All rows, values between tabs, those of the named columns, or of all. */
    static List<String> rows(ResultSet result, String... names) throws SQLException {
        List<String> rows = new ArrayList<>();
        int columns = result.getMetaData().getColumnCount();
        while (result.next()) {
            List<String> row = new ArrayList<>();
            for (int at = 1; at <= (names.length > 0 ? names.length : columns); at++) {
                int column = names.length > 0 ? result.findColumn(names[at - 1]) : at;
                // As a string a number that came in binary may have an exponent.
                boolean isNumber = result.getMetaData().getColumnType(column) == Types.NUMERIC;
                BigDecimal number = isNumber ? result.getBigDecimal(column) : null;
                row.add(number == null ? result.getString(column) : number.toPlainString());
            }
            rows.add(String.join("\t", row.stream().map(it -> it == null ? "" : it).toList()));
        }
        result.close();
        return rows;
    }

    static List<String> query(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            return rows(statement.executeQuery(sql));
        }
    }

    static void run(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    static void reflect(Connection connection) throws Exception {
        run(connection, "CREATE TABLE parent (id bigint PRIMARY KEY, name varchar(25) NOT NULL UNIQUE,"
            + " price numeric(15,2) DEFAULT 0.50)");
        run(connection, "CREATE TABLE child (id bigint, of_id bigint REFERENCES parent, tags text[], PRIMARY KEY (id, of_id))");
        run(connection, "CREATE INDEX parent_price ON parent (price)");
        run(connection, "COMMENT ON COLUMN parent.name IS 'what it is called'");
        run(connection, "CREATE VIEW seen AS SELECT id, name FROM parent");
        DatabaseMetaData meta = connection.getMetaData();
        same(meta.getDatabaseProductName(), "PostgreSQL", "product");
        same(meta.getDatabaseMajorVersion() >= 15, true, "version");
        same(rows(meta.getTables(null, "public", "%", new String[] {"TABLE"}), "TABLE_NAME"),
            List.of("child", "customer", "lineitem", "nation", "orders", "parent", "part", "partsupp", "region", "supplier"),
            "tables");
        same(rows(meta.getTables(null, "public", "se%", new String[] {"VIEW"}), "TABLE_NAME", "TABLE_TYPE"),
            List.of("seen\tVIEW"), "views");
        same(rows(meta.getColumns(null, "public", "parent", "%"), "COLUMN_NAME", "TYPE_NAME", "COLUMN_SIZE",
                "DECIMAL_DIGITS", "IS_NULLABLE", "COLUMN_DEF", "REMARKS"),
            List.of("id\tint8\t19\t0\tNO\t\t", "name\tvarchar\t25\t0\tNO\t\twhat it is called",
                "price\tnumeric\t15\t2\tYES\t0.50\t"), "columns");
        same(rows(meta.getPrimaryKeys(null, "public", "child"), "COLUMN_NAME", "KEY_SEQ", "PK_NAME"),
            List.of("id\t1\tchild_pkey", "of_id\t2\tchild_pkey"), "primary key");
        same(rows(meta.getIndexInfo(null, "public", "parent", false, true), "INDEX_NAME", "COLUMN_NAME", "NON_UNIQUE"),
            List.of("parent_name_key\tname\tf", "parent_pkey\tid\tf", "parent_price\tprice\tt"), "indexes");
        String[] keys = {"PKTABLE_NAME", "PKCOLUMN_NAME", "FKTABLE_NAME", "FKCOLUMN_NAME", "FK_NAME"};
        List<String> key = List.of("parent\tid\tchild\tof_id\tchild_of_id_fkey");
        same(rows(meta.getImportedKeys(null, "public", "child"), keys), key, "imported keys");
        same(rows(meta.getExportedKeys(null, "public", "parent"), keys), key, "exported keys");
        same(rows(meta.getSchemas(), "TABLE_SCHEM").contains("public"), true, "schemas");
        same(rows(meta.getTypeInfo(), "TYPE_NAME").containsAll(List.of("int8", "numeric", "text", "date")), true, "types");
        same(rows(meta.getTableTypes()).contains("TABLE"), true, "kinds of tables");
        rows(meta.getFunctions(null, null, "pg_table%"));
        rows(meta.getProcedures(null, null, "%"));
        rows(meta.getUDTs(null, null, "%", null));
        rows(meta.getCatalogs());
        rows(meta.getBestRowIdentifier(null, "public", "parent", DatabaseMetaData.bestRowSession, false));
        try (PreparedStatement statement = connection.prepareStatement("SELECT id, price, name FROM parent WHERE name = ?")) {
            ResultSetMetaData described = statement.getMetaData();
            same(described.getColumnTypeName(2), "numeric", "type");
            same(List.of(described.getPrecision(2), described.getScale(2)), List.of(15, 2), "digits");
            same(statement.getParameterMetaData().getParameterTypeName(1), "text", "parameter");
        }
        run(connection, "DROP VIEW seen; DROP TABLE child; DROP TABLE parent");
    }

    static void tpch(Connection connection) throws Exception {
        for (boolean binary : new boolean[] {false, true}) {
            try (Connection other = connect(binary)) {
                for (int number = 1; number <= 22; number++) {
                    String stem = String.format("q%02d.", number);
                    List<String> wanted = Files.readAllLines(Path.of(folder, stem + "rows"));
                    String how = "query " + number + (binary ? ", binary" : ", text");
                    try (PreparedStatement statement = other.prepareStatement(Files.readString(Path.of(folder, stem + "sql")))) {
                        same(rows(statement.executeQuery()), wanted, how);
                    }
                    String text = Files.readString(Path.of(folder, stem + "parameters.sql"));
                    try (PreparedStatement statement = other.prepareStatement(text.replaceAll("\\$\\d+", "?"))) {
                        int at = 0;
                        for (String parameter : Files.readAllLines(Path.of(folder, stem + "parameters"))) {
                            statement.setString(++at, parameter);
                        }
                        for (int time = 0; time < 2; time++) {
                            same(rows(statement.executeQuery()), wanted, how + ", parameters");
                        }
                    }
                }
            }
        }
    }

    static void transactions(Connection connection) throws Exception {
        run(connection, "CREATE TABLE kept (a int)");
        connection.setAutoCommit(false);
        run(connection, "INSERT INTO kept VALUES (1)");
        Savepoint savepoint = connection.setSavepoint("s");
        run(connection, "INSERT INTO kept VALUES (2)");
        refused("22012", () -> run(connection, "SELECT 1 / 0"));
        refused("25P02", () -> run(connection, "SELECT 1"));
        connection.rollback(savepoint);
        run(connection, "INSERT INTO kept VALUES (3)");
        connection.commit();
        run(connection, "INSERT INTO kept VALUES (4)");
        connection.rollback();
        connection.setAutoCommit(true);
        same(query(connection, "SELECT a FROM kept ORDER BY a"), List.of("1", "3"), "rows");
        connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
        same(connection.getTransactionIsolation(), Connection.TRANSACTION_SERIALIZABLE, "isolation");
        connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        connection.setReadOnly(true);
        connection.setAutoCommit(false);
        refused("25006", () -> run(connection, "INSERT INTO kept VALUES (5)"));
        connection.rollback();
        connection.setAutoCommit(true);
        connection.setReadOnly(false);
        try (PreparedStatement statement = connection.prepareStatement("INSERT INTO kept VALUES (?)")) {
            for (int number = 10; number < 60; number++) {
                statement.setInt(1, number);
                statement.addBatch();
            }
            same(Arrays.stream(statement.executeBatch()).sum(), 50, "a batch");
        }
    }

    static void refusals(Connection connection) throws Exception {
        refused("42703", () -> query(connection, "SELECT nope FROM nation"));
        refused("42P01", () -> query(connection, "SELECT * FROM nope"));
        refused("42601", () -> query(connection, "SELEC 1"));
        run(connection, "CREATE TABLE alone (a int PRIMARY KEY)");
        refused("23505", () -> run(connection, "INSERT INTO alone VALUES (1), (1)"));
        try {
            query(connection, "SELECT nope FROM nation");
        } catch (org.postgresql.util.PSQLException error) {
            same(error.getServerErrorMessage().getPosition(), 8, "position");
        }
    }

    /** A type, and values of it as Java has them. */
    record Typed(String type, Object... values) {}

    static final List<Typed> VALUES = List.of(
        new Typed("boolean", true, false),
        new Typed("integer", -2147483648, 2147483647),
        new Typed("bigint", 9223372036854775807L, -1L),
        new Typed("real", 1.5f, Float.NaN, Float.NEGATIVE_INFINITY),
        new Typed("double precision", 0.1, 1e-300, Double.POSITIVE_INFINITY),
        new Typed("numeric", new BigDecimal("123456789012345678901234567890.000000001"), new BigDecimal("-0.50")),
        new Typed("numeric(12,2)", new BigDecimal("1234567890.12")),
        new Typed("text", "", "ä'\"\\\t\n", "🐍".repeat(300)),
        new Typed("varchar(5)", "abc"),
        new Typed("char(4)", "ab  "),
        new Typed("date", LocalDate.of(1998, 12, 1), LocalDate.of(1, 1, 1)),
        new Typed("time", LocalTime.of(23, 59, 59, 999999000)),
        new Typed("timestamp", LocalDateTime.of(1998, 12, 1, 4, 5, 6, 500000000)),
        new Typed("timestamptz", OffsetDateTime.of(1998, 12, 1, 4, 5, 6, 7000, ZoneOffset.UTC)),
        new Typed("bytea", new byte[] {}, new byte[] {0, -1, 92}),
        new Typed("uuid", UUID.fromString("a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11")));

    static void everyType(Connection ignored) throws Exception {
        for (boolean binary : new boolean[] {false, true}) {
            try (Connection connection = connect(binary)) {
                for (Typed typed : VALUES) {
                    try (PreparedStatement statement = connection.prepareStatement("SELECT CAST(? AS " + typed.type + ")")) {
                        for (Object value : typed.values) {
                            statement.setObject(1, value);
                            try (ResultSet result = statement.executeQuery()) {
                                result.next();
                                boolean isBytes = value instanceof byte[];
                                Object got = isBytes ? result.getBytes(1) : result.getObject(1, value.getClass());
                                same(got, value, typed.type + (binary ? ", binary" : ", text"));
                            }
                        }
                        statement.setNull(1, Types.OTHER);
                        try (ResultSet result = statement.executeQuery()) {
                            result.next();
                            same(result.getObject(1), null, typed.type);
                            same(result.wasNull(), true, typed.type);
                        }
                    }
                }
                try (PreparedStatement statement = connection.prepareStatement("SELECT ?::int[], ?::text[], ?::interval, ?::jsonb")) {
                    statement.setArray(1, connection.createArrayOf("int4", new Integer[] {1, null, -3}));
                    statement.setArray(2, connection.createArrayOf("text", new String[] {"", "null", null, "a b", "{,}", "\"", "\\"}));
                    statement.setObject(3, new org.postgresql.util.PGInterval("1 year 2 days 3.5 seconds"));
                    statement.setObject(4, "{\"a\": [1, null]}", Types.OTHER);
                    try (ResultSet result = statement.executeQuery()) {
                        result.next();
                        same(result.getArray(1).getArray(), new Integer[] {1, null, -3}, "integer[]");
                        same(result.getArray(2).getArray(), new String[] {"", "null", null, "a b", "{,}", "\"", "\\"}, "text[]");
                        same(result.getObject(3), new org.postgresql.util.PGInterval("1 year 2 days 3.5 seconds"), "interval");
                        same(result.getString(4), "{\"a\": [1, null]}", "jsonb");
                    }
                }
            }
        }
    }

    static void cursors(Connection connection) throws Exception {
        connection.setAutoCommit(false);
        try (PreparedStatement statement = connection.prepareStatement("SELECT l_orderkey, l_comment FROM lineitem WHERE l_orderkey > ?")) {
            statement.setFetchSize(1000);
            statement.setLong(1, 0);
            long count = 0;
            try (ResultSet result = statement.executeQuery()) {
                while (result.next()) {
                    count++;
                }
            }
            same(List.of(String.valueOf(count)), query(connection, "SELECT count(*) FROM lineitem"), "rows");
            statement.setMaxRows(7);
            same(rows(statement.executeQuery()).size(), 7, "rows up to a limit");
        }
        connection.commit();
        connection.setAutoCommit(true);
    }

    static void copies(Connection connection) throws Exception {
        run(connection, "CREATE TABLE copied (a int, b text)");
        CopyManager manager = connection.unwrap(PGConnection.class).getCopyAPI();
        same(manager.copyIn("COPY copied FROM STDIN", new StringReader("1\ta\\tb\n2\t\\N\n3\t\n")), 3L, "rows copied in");
        StringWriter out = new StringWriter();
        manager.copyOut("COPY (SELECT * FROM copied ORDER BY a) TO STDOUT (FORMAT csv)", out);
        same(out.toString(), "1,a\tb\n2,\n3,\"\"\n", "rows copied out");
        java.io.ByteArrayOutputStream bytes = new java.io.ByteArrayOutputStream();
        long rows = manager.copyOut("COPY lineitem TO STDOUT (FORMAT binary)", bytes);
        same(new String(bytes.toByteArray(), 0, 6, StandardCharsets.ISO_8859_1), "PGCOPY", "binary");
        same(List.of(String.valueOf(rows)), query(connection, "SELECT count(*) FROM lineitem"), "rows");
        refused("22P02", () -> manager.copyIn("COPY copied FROM STDIN", new StringReader("x\ty\n")));
    }

    static void notifications(Connection connection) throws Exception {
        try (Connection listener = connect(false)) {
            run(listener, "LISTEN news");
            run(connection, "NOTIFY other, 'not heard'");
            run(connection, "NOTIFY news, 'first'");
            PGNotification[] heard = listener.unwrap(PGConnection.class).getNotifications(30000);
            same(heard.length, 1, "notifications");
            same(List.of(heard[0].getName(), heard[0].getParameter()), List.of("news", "first"), "a notification");
        }
    }

    static void cancels(Connection connection) throws Exception {
        try (Statement statement = connection.createStatement()) {
            Thread other = new Thread(() -> {
                try {
                    Thread.sleep(500);
                    statement.cancel();
                } catch (Exception error) {
                    throw new AssertionError(error);
                }
            });
            other.start();
            refused("57014", () -> statement.executeQuery(FAR));
            other.join();
            same(rows(statement.executeQuery("SELECT 1")), List.of("1"), "after it");
            statement.setQueryTimeout(1);
            refused("57014", () -> statement.executeQuery(FAR));
        }
        same(query(connection, "SELECT 2"), List.of("2"), "after it");
    }

    static boolean succeeds(String name, Part part, Connection connection) {
        try {
            part.run(connection);
            return true;
        } catch (Throwable error) {
            System.out.println("FAILED " + name);
            error.printStackTrace(System.out);
            try {
                connection.setAutoCommit(true);
            } catch (SQLException ignored) {
                // What failed is told already.
            }
            return false;
        }
    }

    public static void main(String[] arguments) throws Exception {
        host = arguments[0];
        port = arguments[1];
        folder = arguments[2];
        boolean all = true;
        try (Connection connection = connect(false)) {
            all &= succeeds("reflect", Jdbc::reflect, connection);
            all &= succeeds("tpch", Jdbc::tpch, connection);
            all &= succeeds("transactions", Jdbc::transactions, connection);
            all &= succeeds("refusals", Jdbc::refusals, connection);
            all &= succeeds("everyType", Jdbc::everyType, connection);
            all &= succeeds("cursors", Jdbc::cursors, connection);
            all &= succeeds("copies", Jdbc::copies, connection);
            all &= succeeds("notifications", Jdbc::notifications, connection);
            all &= succeeds("cancels", Jdbc::cancels, connection);
        }
        System.exit(all ? 0 : 1);
    }
}
