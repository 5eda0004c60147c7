//! Vectors in Rust: Arrow's lists of a fixed size wherever rows come from, and Rust's own floats as parameters, rows, fields and values
//! of queries.

use multiloop::arrow::array::{
    Array, ArrayRef, FixedSizeListArray, Float32Array, Float64Array, Int32Array, ListArray, RecordBatch,
};
use multiloop::arrow::buffer::NullBuffer;
use multiloop::arrow::datatypes::{DataType as Arrow, Field as ArrowField, Float32Type, Float64Type};
use multiloop::linq::{IntoVector, col, vector};
use multiloop::{
    DataType, Engine, Field, ProviderError, Row, ScalarFunction, Scan, Session, TablePart, TableProvider, Value,
    ValueRef, params,
};
use multiloop_tests::text_rows;
use std::sync::Arc;

fn session() -> Session {
    Engine::builder().threads(2).build().expect("an engine").session()
}

#[track_caller]
fn rows(session: &Session, sql: &str) -> Vec<String> {
    let rows = session.sql(sql).and_then(text_rows).unwrap_or_else(|error| panic!("{sql}: {error}"));
    rows.into_iter().map(|row| row.join("|")).collect()
}

/// Lists of two reals, of which a row is NULL.
fn sized(elements: [Option<f32>; 6]) -> ArrayRef {
    let item = Arc::new(ArrowField::new("item", Arrow::Float32, true));
    let nulls = Some(NullBuffer::from(vec![true, false, true]));
    Arc::new(FixedSizeListArray::new(item, 2, Arc::new(Float32Array::from(elements.to_vec())), nulls))
}

const WHOLE: [Option<f32>; 6] = [Some(1.0), Some(2.5), None, None, Some(7.0), Some(f32::NAN)];
const HOLED: [Option<f32>; 6] = [Some(1.0), None, None, None, Some(3.0), Some(4.0)];

/// The same as lists of any size.
fn lists() -> ArrayRef {
    let rows = [Some(vec![Some(1.0), Some(2.5)]), None, Some(vec![Some(7.0), Some(f32::NAN)])];
    Arc::new(ListArray::from_iter_primitive::<Float32Type, _, _>(rows))
}

fn doubles() -> ArrayRef {
    let item = Arc::new(ArrowField::new("item", Arrow::Float64, true));
    let elements = Float64Array::from(vec![Some(0.1), Some(2.5), None, Some(1e300)]);
    Arc::new(FixedSizeListArray::new(item, 2, Arc::new(elements), None))
}

fn batch(e: ArrayRef) -> RecordBatch {
    let id: ArrayRef = Arc::new(Int32Array::from_iter_values(1..=e.len() as i32));
    RecordBatch::try_from_iter_with_nullable([("id", id, true), ("e", e, true)]).expect("a batch")
}

#[test]
fn registered_lists_of_a_size_are_vectors_unless_elements_are_null() {
    for compact in [false, true] {
        let session = Engine::builder().threads(2).compact(compact).build().expect("an engine").session();
        session.register("v", vec![batch(sized(WHOLE))]).expect("a table");
        assert_eq!(rows(&session, "DESCRIBE v")[1], "e|vector(2)|yes");
        assert_eq!(rows(&session, "SELECT e FROM v ORDER BY id"), ["[1,2.5]", "NULL", "[7,NaN]"]);
        // The second batch alone has the NULL.
        session.register("a", vec![batch(sized(WHOLE)), batch(sized(HOLED))]).expect("a table");
        assert_eq!(rows(&session, "DESCRIBE a")[1], "e|real[]|yes");
        let shown = ["{1,2.5}", "{1,NULL}", "NULL", "NULL", "{3,4}", "{7,NaN}"];
        assert_eq!(rows(&session, "SELECT e FROM a ORDER BY id, e[2]"), shown);
        session.register("d", vec![batch(doubles())]).expect("a table");
        assert_eq!(rows(&session, "SELECT e, e[1] IS NULL FROM d ORDER BY id"), ["{0.1,2.5}|f", "{NULL,1e+300}|t"]);
        // As rows pass by nobody looks ahead.
        let schema = batch(sized(HOLED)).schema();
        let error = session.load("l", &schema, [Ok(batch(sized(HOLED)))]).expect_err("a NULL element");
        assert_eq!(error.sqlstate(), "22004");
        assert!(error.message().contains("\"e\""), "{error}");
        assert!(error.hint().is_some_and(|hint| hint.contains("real[]")), "{error:?}");
    }
}

#[test]
fn appended_batches_of_either_go_into_columns_of_both() {
    let session = session();
    session.sql("CREATE TABLE a (id int, e real[]); CREATE TABLE v (id int, e vector(2))").expect("tables");
    let append = |table: &str, e: ArrayRef| {
        let mut appender = session.appender(table)?;
        appender.push_batch(batch(e))?;
        appender.finish()
    };
    for table in ["a", "v"] {
        append(table, sized(WHOLE)).expect("lists of a size");
        append(table, lists()).expect("lists");
    }
    assert_eq!(rows(&session, "SELECT DISTINCT e FROM a ORDER BY e"), ["{1,2.5}", "{7,NaN}", "NULL"]);
    assert_eq!(
        rows(&session, "SELECT id, e FROM v ORDER BY id LIMIT 4"),
        ["1|[1,2.5]", "1|[1,2.5]", "2|NULL", "2|NULL"]
    );
    append("a", sized(HOLED)).expect("elements of arrays may be NULL");
    assert_eq!(rows(&session, "SELECT e FROM a WHERE e[2] IS NULL AND e IS NOT NULL"), ["{1,NULL}"]);
    let error = append("v", sized(HOLED)).expect_err("those of vectors may not");
    assert_eq!((error.sqlstate(), error.subject().and_then(|subject| subject.row)), ("22004", Some(1)), "{error:?}");
    session.sql("CREATE TABLE w (id int, e vector(3)); CREATE TABLE d (id int, e double precision[])").expect("tables");
    let error = append("w", lists()).expect_err("another length");
    assert_eq!(error.sqlstate(), "22000", "{error}");
    append("d", doubles()).expect("doubles");
    assert_eq!(rows(&session, "SELECT e FROM d ORDER BY id"), ["{0.1,2.5}", "{NULL,1e+300}"]);
    // Doubles become reals where they are assigned.
    let exact: ArrayRef =
        Arc::new(ListArray::from_iter_primitive::<Float64Type, _, _>([Some(vec![Some(0.1), Some(2.0)])]));
    append("v", exact).expect("doubles as reals");
    assert_eq!(rows(&session, "SELECT e FROM v WHERE e[2] = 2"), ["[0.1,2]"]);
    append("a", doubles()).expect_err("a double that is no real");
}

/// A column that a provider declares, and what its batches have.
#[derive(Debug)]
struct Given(DataType, ArrayRef, bool);

impl TableProvider for Given {
    fn fields(&self) -> Vec<Field> {
        vec![Field::new("e", self.0, true)]
    }

    fn scan(&self, scan: &Scan) -> Result<Vec<TablePart>, ProviderError> {
        let array = Arc::clone(&self.1);
        if self.2 {
            let rows = array.len();
            return Ok(vec![TablePart::lazy(rows, move |_, rows| Ok(array.slice(rows.start, rows.len())))]);
        }
        let columns = scan.columns.iter().map(|_| ("e", Arc::clone(&array), true));
        let batch = RecordBatch::try_from_iter_with_nullable(columns)?;
        Ok(vec![TablePart::new([Ok(batch)].into_iter())])
    }
}

#[test]
fn providers_give_lists_of_either_kind() {
    for (of, shown) in [
        (DataType::vector(DataType::Real, 2), ["[1,2.5]", "NULL", "[7,NaN]"]),
        (DataType::list(DataType::Real), ["{1,2.5}", "NULL", "{7,NaN}"]),
    ] {
        for (array, lazy) in [(sized(WHOLE), false), (lists(), false), (sized(WHOLE), true), (lists(), true)] {
            let session = session();
            session.register_table("t", Given(of, array, lazy)).expect("a table");
            assert_eq!(rows(&session, "SELECT e FROM t"), shown, "{of} {lazy}");
        }
    }
    for lazy in [false, true] {
        let session = session();
        session.register_table("t", Given(DataType::vector(DataType::Real, 2), sized(HOLED), lazy)).expect("a table");
        let error = session.sql("SELECT count(e) FROM t").and_then(text_rows).expect_err("a NULL element");
        assert_eq!(error.sqlstate(), "22004", "{error}");
        session.register_table("t", Given(DataType::list(DataType::Real), sized(HOLED), lazy)).expect("a table");
        assert_eq!(rows(&session, "SELECT e FROM t"), ["{1,NULL}", "NULL", "{3,4}"]);
    }
}

#[test]
fn functions_over_arrays_take_vectors() {
    let session = session();
    session.register("v", vec![batch(sized(WHOLE))]).expect("a table");
    session.register_scalar(ScalarFunction::new("my_sum", |v: Vec<f32>| v.iter().sum::<f32>())).expect("a function");
    session.register_scalar(ScalarFunction::new("my_first", |[first, _]: [f64; 2]| first)).expect("a function");
    let (list, two) = (DataType::list(DataType::Real), DataType::vector(DataType::Real, 2));
    let same = |arguments: &[ArrayRef], _: usize| Ok::<_, String>(Arc::clone(&arguments[0]));
    session.register_scalar(ScalarFunction::of_arrays("my_same", [list], list, same)).expect("a function");
    // What a function gives may be lists of either kind, whatever it is declared as.
    let sized_of_all = |_: &[ArrayRef], rows: usize| Ok::<_, String>(sized(WHOLE).slice(0, rows));
    session.register_scalar(ScalarFunction::of_arrays("my_list", [list], list, sized_of_all)).expect("a function");
    let lists_of_all = |_: &[ArrayRef], rows: usize| Ok::<_, String>(lists().slice(0, rows));
    session.register_scalar(ScalarFunction::of_arrays("my_vector", [list], two, lists_of_all)).expect("a function");
    let doubled =
        ScalarFunction::new("my_double", |v: Vec<f32>| v.iter().map(|element| 2.0 * element).collect::<Vec<_>>());
    session.register_scalar(doubled.takes([two]).returns(two)).expect("a function");
    assert_eq!(rows(&session, "SELECT my_sum(e), my_first(e) FROM v WHERE id = 1"), ["3.5|1"]);
    assert_eq!(
        rows(&session, "SELECT my_same(e), my_list(e), my_vector(e) FROM v WHERE id = 1"),
        ["{1,2.5}|{1,2.5}|[1,2.5]"]
    );
    assert_eq!(rows(&session, "SELECT my_double(e), my_double('[1,2]') FROM v WHERE id = 1"), ["[2,5]|[2,4]"]);
}

#[test]
fn parameters_are_floats_of_rust() {
    let session = session();
    session.sql("CREATE TABLE t (id int, e vector(3), d vector(2, double))").expect("a table");
    let insert = "INSERT INTO t VALUES ($1, $2, $3)";
    session.execute(insert, params![1, [1.0_f32, 2.0, 3.0], [0.1, 0.2]]).expect("arrays");
    session.execute(insert, params![2, vec![0.1, 2.0, 1e300], vec![0.5_f32, 1.5]]).expect("doubles are rounded");
    session.execute(insert, params![3, [1, 2, 3].as_slice(), None::<Vec<f64>>]).expect("integers, and NULL");
    session.execute(insert, params![4, "[4,5,6]", Value::vector([7.0, 8.0].as_slice())]).expect("texts, and values");
    let all = ["1|[1,2,3]|[0.1,0.2]", "2|[0.1,2,Infinity]|[0.5,1.5]", "3|[1,2,3]|NULL", "4|[4,5,6]|[7,8]"];
    assert_eq!(rows(&session, "SELECT * FROM t ORDER BY id"), all);
    let near = "SELECT id FROM t ORDER BY e <-> $1, id LIMIT 1";
    assert_eq!(session.query_scalar::<i32>(near, params![[4.0_f32, 5.0, 6.5]]), Ok(4));
    assert_eq!(session.query_scalar::<i32>(near, params![vec![1.0, 2.0, 3.0].as_slice()]), Ok(1));
    assert_eq!(
        session.query_scalar::<f64>("SELECT l2_distance('[0,0]'::vector(2), $1)", params![[3.0_f32, 4.0]]),
        Ok(5.0)
    );
    let prepared = session.prepare(near).expect("prepared");
    assert_eq!(prepared.query_scalar::<i32>(&session, params![[4.0_f32, 5.0, 6.5]]), Ok(4));
    for (value, sqlstate) in [
        (params![[1.0_f32, 2.0]], "22000"),
        (params![Vec::<f32>::new()], "22000"),
        (params![[Some(1.0_f32), None, None]], "22004"),
        (params!["[1,2]"], "22000"),
    ] {
        let error = session.query_scalar::<i32>(near, value).expect_err("no vector of three");
        assert_eq!(error.sqlstate(), sqlstate, "{error}");
    }
    // Arrays are as ever.
    assert_eq!(session.query_scalar::<String>("SELECT ($1::real[])::text", params![[1.5_f32]]), Ok("{1.5}".to_owned()));
    let nested = session.query_scalar::<String>("SELECT ($1::float8[])::text", params![[[1.5, 2.0], [3.0, 4.0]]]);
    assert_eq!(nested, Ok("{{1.5,2},{3,4}}".to_owned()));
    assert!(session.query_scalar::<String>("SELECT ($1::float8[])::text", params![[vec![1.5], vec![]]]).is_err());
}

#[derive(Row, Clone, Debug, PartialEq)]
#[row(table = "items")]
struct Item {
    id: i32,
    e: [f32; 2],
    d: Option<Vec<f64>>,
}

#[derive(Row, Clone, Debug, PartialEq)]
#[row(table = "items")]
struct Longer {
    id: i32,
    e: [f32; 3],
}

fn items(session: &Session) -> Vec<Item> {
    session.sql("CREATE TABLE items (id int, e vector(2), d vector(3, double))").expect("a table");
    let item = |id, e, d: Option<[f64; 3]>| Item { id, e, d: d.map(Vec::from) };
    let items = vec![
        item(1, [1.0, 2.0], Some([0.1, 0.2, 0.3])),
        item(2, [f32::NAN, -0.5], None),
        item(3, [3.0, 4.0], Some([1.0; 3])),
    ];
    assert_eq!(session.insert("items", &items[..2]), Ok(2));
    let mut appender = session.appender_for::<Item>("items").expect("an appender");
    appender.push(&items[2]).expect("a row");
    assert_eq!(appender.finish(), Ok(1));
    items
}

#[test]
fn rows_have_fields_of_floats() {
    let session = session();
    let items = items(&session);
    let read = session.query_as::<Item>("SELECT * FROM items ORDER BY id", ()).expect("rows");
    let read: Vec<Item> = read.collect::<Result<_, _>>().expect("items");
    assert_eq!((&read[0], &read[2]), (&items[0], &items[2]));
    assert!(read[1].e[0].is_nan() && read[1].d.is_none());
    let row =
        session.query("SELECT e, d FROM items WHERE id = 1", ()).expect("a row").next().expect("a row").expect("a row");
    assert_eq!(row.get::<Vec<f32>>("e"), Ok(vec![1.0, 2.0]));
    assert_eq!(row.get::<Vec<f64>>(0), Ok(vec![1.0, 2.0]));
    assert_eq!(row.get::<&[f32]>(0), Ok(&[1.0, 2.0][..]));
    assert_eq!(row.get::<&[f64]>(1), Ok(&[0.1, 0.2, 0.3][..]));
    assert_eq!(row.get::<Option<[f64; 3]>>("d"), Ok(Some([0.1, 0.2, 0.3])));
    assert_eq!(row.get::<Value>(0), Ok(Value::vector([1.0, 2.0].as_slice())));
    assert!(matches!(row.get_ref(0), Ok(ValueRef::Vector([1.0, 2.0]))));
    assert!(matches!(row.get_ref(1), Ok(ValueRef::DoubleVector(d)) if d.len() == 3));
    assert_eq!(row.text(0), Ok(Some("[1,2]".to_owned())));
    for error in [
        row.get::<[f32; 3]>(0).map(drop).expect_err("another length"),
        row.get::<Vec<f32>>(1).map(drop).expect_err("doubles are no reals"),
        row.get::<String>(0).map(drop).expect_err("no text"),
        session.query_as::<Longer>("SELECT * FROM items", ()).map(drop).expect_err("another length"),
        session.rows_of::<Longer>().map(drop).expect_err("another length"),
    ] {
        assert!(["42804", "22000"].contains(&error.sqlstate()), "{error}");
    }
    let error = session.insert("items", [(1, vec![1.0_f32], None::<Vec<f64>>)]).expect_err("another length");
    assert_eq!(error.sqlstate(), "22000", "{error}");
    // Arrays of as many elements are arrays of Rust, too.
    assert_eq!(session.query_scalar::<[f64; 2]>("SELECT ARRAY[1.5, 2.5]::float8[]", ()), Ok([1.5, 2.5]));
    assert_eq!(
        session.query_scalar::<[f64; 2]>("SELECT ARRAY[1.5]::float8[]", ()).expect_err("one").sqlstate(),
        "22000"
    );
    let nested = session.query_scalar::<Vec<Vec<f32>>>("SELECT array_agg(e ORDER BY id) FROM items WHERE id <> 2", ());
    assert_eq!(nested, Ok(vec![vec![1.0, 2.0], vec![3.0, 4.0]]));
}

#[test]
fn closures_over_vectors() {
    let session = session();
    items(&session);
    let items = session.rows_of::<Item>().expect("a table");
    let known = items.filter(|i| i.id.not_eq(2)).order_by(|i| i.id);
    let near = [3.0_f32, 3.0];
    assert_eq!(known.order_by(|i| i.e.l2_distance(near)).select(|i| i.id).collect(), Ok(vec![3, 1]));
    let measured = known.select(|i| {
        (
            i.e.l2_distance(near),
            i.e.squared_distance(near),
            i.e.l1_distance(vec![3.0_f64, 3.0]),
            i.e.dot(near),
            i.e.cosine_distance(i.e),
        )
    });
    assert_eq!(measured.collect().expect("rows")[1], (1.0, 1.0, 1.0, 21.0, 0.0));
    let of_one = known
        .select(|i| (i.e.l2_norm(), i.e.vector_sum(), i.e.argmax(), i.e.vector_dims(), i.e.element(2), i.e.element(3)));
    assert_eq!(of_one.collect().expect("rows")[1], (5.0, 7.0, 2, 2, Some(4.0), None));
    let scores =
        known.select(|i| (i.e.sigmoid(), i.d.sigmoid(), i.id.sigmoid())).collect().expect("rows").swap_remove(1);
    assert_eq!(scores.0, [1.0 / (1.0 + (-3.0_f32).exp()), 1.0 / (1.0 + (-4.0_f32).exp())]);
    assert_eq!((scores.1.map(|d| d.len()), scores.2), (Some(3), 1.0 / (1.0 + (-3.0_f64).exp())));
    let products = known
        .select(|i| (i.e.outer_product([10.0_f32, 1.0]), i.e.outer_product(i.d), i.d.outer_product(vec![1.0_f64])));
    let (first, second, third) = products.collect().expect("rows").swap_remove(1);
    assert_eq!((first, second), (vec![30.0_f32, 3.0, 40.0, 4.0], Some(vec![3.0_f64, 3.0, 3.0, 4.0, 4.0, 4.0])));
    assert_eq!(third.map(|d| d.len()), Some(3));
    let moments = known.aggregate(|g| (g.sum(|i| i.e.outer_product(i.e - near)), g.avg(|i| i.e.outer_product(i.e))));
    assert_eq!(
        moments.collect(),
        Ok(vec![(Some(vec![-2.0_f32, 2.0, -4.0, 2.0]), Some(vec![5.0_f32, 7.0, 7.0, 10.0]))])
    );
    let changed = known.select(|i| (i.e + near, i.e * 2, 1.5 - i.e, -i.e, i.e / i.e, i.e + [1.0_f64, 0.5]));
    let (sum, product, difference, negative, quotient, doubles) = changed.collect().expect("rows").swap_remove(1);
    assert_eq!((sum, product, difference), ([6.0_f32, 7.0], [6.0_f32, 8.0], [-1.5_f32, -2.5]));
    assert_eq!((negative, quotient, doubles), ([-3.0_f32, -4.0], [1.0_f32, 1.0], [4.0_f64, 4.5]));
    let optional =
        known.select(|i| (i.d.dot([1.0, 1.0, 2.0]), i.d.l2_normalize().vector_max(), i.d.coalesce(vec![0.0; 3])));
    let (dot, _, d) = optional.collect().expect("rows").swap_remove(1);
    assert_eq!((dot, d), (Some(4.0), vec![1.0, 1.0, 1.0]));
    // They say what they are in SQL, and mean the same there.
    let text = measured.to_sql().expect("a text");
    assert!(text.contains("CAST('[3,3]' AS vector(2))"), "{text}");
    assert_eq!(rows(&session, &text).len(), 2);
    let nearest = session.prepare_query::<(Vec<f32>, [f64; 3]), _>(|(e, d)| {
        items.filter(|i| i.d.l2_distance(d).is_not_null()).order_by(|i| i.e.l2_distance(e)).select(|i| i.id).take(1)
    });
    let nearest = nearest.expect("prepared");
    assert_eq!(nearest.collect((vec![3.0, 4.5], [0.0; 3])), Ok(vec![3]));
    assert_eq!(nearest.collect((vec![0.0, 0.0], [0.0; 3])), Ok(vec![1]));
    assert_eq!(nearest.collect((vec![0.0], [0.0; 3])).expect_err("another length").sqlstate(), "22000");
    // Lengths that no type says are known when the query is bound.
    let error = known.select(|i| i.d.l2_distance(vec![1.0])).collect().expect_err("another length");
    assert_eq!((error.sqlstate(), error.message()), ("22000", "different vector dimensions 3 and 1"));
    for wrong in [vec![], vec![0.0; 16_001]] {
        let error = known.select(|i| i.d.l2_distance(wrong)).collect().expect_err("no vector");
        assert_eq!(error.sqlstate(), "22000", "{error}");
    }
    let listed = session.values([(1_i32, [1.0_f32, 2.0]), (2, [3.0, 4.0])]).filter(|r| r.0.eq(2)).select(|r| r.1);
    assert_eq!(listed.collect(), Ok(vec![[3.0, 4.0]]));
    assert!(session.values([[1.0_f32; 2]; 0]).collect().expect("no rows").is_empty());
}

#[test]
fn expressions_over_vectors() {
    let session = session();
    items(&session);
    let of = |frame: multiloop::linq::Frame<'_>| {
        let rows = frame.run().and_then(text_rows).unwrap_or_else(|error| panic!("{error}"));
        rows.into_iter().map(|row| row.join("|")).collect::<Vec<_>>()
    };
    let third = || session.table("items").filter(col("id").eq(3));
    let e = || col("e");
    let near = [3.0_f32, 3.0];
    assert_eq!(
        of(third().select([e().l2_distance(near), e().dot(vec![1.0_f64, 1.0]), e().l1_distance(&near[..])])),
        ["1|7|1"]
    );
    assert_eq!(
        of(third().select([e().l2_norm(), e().argmin(), e() + vector(near), e() * 2, e().element(1)])),
        ["5|1|[6,7]|[6,8]|3"]
    );
    assert_eq!(of(third().select([e().cosine_similarity(e()), e().l2_normalize().vector_dims()])), ["1|2"]);
    let nearest =
        session.table("items").select([col("id")]).order_by([e().l2_distance([1.0_f32, 2.5]).asc()]).limit(1, 0);
    assert!(nearest.to_sql().contains("l2_distance(\"e\", CAST('[1,2.5]' AS vector(2)))"), "{}", nearest.to_sql());
    assert_eq!(of(nearest), ["1"]);
    for wrong in [vector(Vec::<f32>::new()), vec![0.0_f32; 16_001].into_vector(), e().dot([1.0_f32])] {
        assert_eq!(third().select([wrong]).run().expect_err("no vector").sqlstate(), "22000");
    }
}
