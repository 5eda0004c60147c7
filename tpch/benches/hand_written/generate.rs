//! Generates the columns in process, row by row.

use crate::tables::{
    Column, Customer, Dictionary, Lineitem, Nation, Orders, Part, Partsupp, Supplier, Tables, TextColumn,
};
use tpchgen::dates::{MIN_GENERATE_DATE, TPCHDate};
use tpchgen::decimal::TPCHDecimal;
use tpchgen::generators as rows;

/// The scale factor beyond which suppliers' keys need more than 16 bits.
pub(crate) const SCALE_MAX: f64 = 6.5;

/// The day of a date, counted from 1992-01-01.
pub(crate) const fn day(year: u16, month: u16, day: u16) -> u16 {
    let mut days = (year - 1992) * 365 + (year - 1989) / 4;
    let lengths = [31, if year.is_multiple_of(4) { 29 } else { 28 }, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut before = 1;
    while before < month {
        days += lengths[before as usize - 1];
        before += 1;
    }
    days + day - 1
}

/// A day as year-month-day.
pub(crate) fn date_text(day: u16) -> String {
    TPCHDate::new(MIN_GENERATE_DATE + i32::from(day)).to_string()
}

/// All tables at a scale factor.
pub(crate) fn generate(scale: f64) -> Tables {
    assert!(scale <= SCALE_MAX, "suppliers' keys have 16 bits here: scale factors up to {SCALE_MAX}");
    let suppliers = || rows::SupplierGenerator::new(scale, 1, 1).iter();
    let customers = || rows::CustomerGenerator::new(scale, 1, 1).iter();
    let parts = || rows::PartGenerator::new(scale, 1, 1).iter();
    let nations: Vec<_> = rows::NationGenerator::new(scale, 1, 1).iter().collect();
    let regions: Vec<_> = rows::RegionGenerator::new(scale, 1, 1).iter().map(|region| region.r_name).collect();
    assert!((1..).zip(suppliers()).all(|(key, supplier)| supplier.s_suppkey == key), "suppliers are dense");
    assert!((1..).zip(customers()).all(|(key, customer)| customer.c_custkey == key), "customers are dense");
    assert!((1..).zip(parts()).all(|(key, part)| part.p_partkey == key), "parts are dense");
    let segments = ["AUTOMOBILE", "BUILDING", "FURNITURE", "HOUSEHOLD", "MACHINERY"];
    Tables {
        lineitem: lineitem(scale),
        orders: orders(scale),
        customer: Customer {
            name: TextColumn::new(customers().map(|customer| customer.c_name)),
            nationkey: Column::new(customers().map(|customer| byte(customer.c_nationkey)).collect()),
            mktsegment: Dictionary::new(
                &segments,
                customers().map(|customer| code(&segments, customer.c_mktsegment)).collect(),
            ),
        },
        part: Part { name: TextColumn::new(parts().map(|part| part.p_name)) },
        partsupp: partsupp(scale),
        supplier: Supplier {
            name: TextColumn::new(suppliers().map(|supplier| supplier.s_name)),
            nationkey: Column::new(suppliers().map(|supplier| byte(supplier.s_nationkey)).collect()),
        },
        nation: Nation {
            name: nations.iter().map(|nation| nation.n_name.to_owned()).collect(),
            region: nations.iter().map(|nation| regions[nation.n_regionkey as usize].to_owned()).collect(),
        },
    }
}

fn lineitem(scale: f64) -> Lineitem {
    let (flags, statuses) = (["A", "N", "R"], ["F", "O"]);
    let (mut orderkey, mut partkey, mut suppkey) = (Vec::new(), Vec::new(), Vec::new());
    let (mut quantity, mut price, mut discount, mut tax) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let (mut flag, mut status) = (Vec::new(), Vec::new());
    let (mut shipdate, mut commitdate, mut receiptdate) = (Vec::new(), Vec::new(), Vec::new());
    for row in rows::LineItemGenerator::new(scale, 1, 1).iter() {
        orderkey.push(key(row.l_orderkey));
        partkey.push(key(row.l_partkey));
        suppkey.push(key(row.l_suppkey) as u16);
        quantity.push(byte(row.l_quantity));
        price.push(cents(row.l_extendedprice));
        discount.push(byte(row.l_discount.into_inner()));
        tax.push(byte(row.l_tax.into_inner()));
        flag.push(code(&flags, row.l_returnflag));
        status.push(code(&statuses, row.l_linestatus));
        shipdate.push(days(row.l_shipdate));
        commitdate.push(days(row.l_commitdate));
        receiptdate.push(days(row.l_receiptdate));
    }
    Lineitem {
        orderkey: Column::sorted(orderkey),
        partkey: Column::new(partkey),
        suppkey: Column::new(suppkey),
        quantity: Column::new(quantity),
        extendedprice: Column::new(price),
        discount: Column::new(discount),
        tax: Column::new(tax),
        returnflag: Dictionary::new(&flags, flag),
        linestatus: Dictionary::new(&statuses, status),
        shipdate: Column::new(shipdate),
        commitdate: Column::new(commitdate),
        receiptdate: Column::new(receiptdate),
    }
}

fn orders(scale: f64) -> Orders {
    let statuses = ["F", "O", "P"];
    let all = || rows::OrderGenerator::new(scale, 1, 1).iter();
    let orderkey: Vec<u32> = all().map(|order| key(order.o_orderkey)).collect();
    Orders {
        orderkey: Column::sorted(orderkey),
        custkey: Column::new(all().map(|order| key(order.o_custkey)).collect()),
        orderstatus: Dictionary::new(
            &statuses,
            all().map(|order| code(&statuses, &order.o_orderstatus.to_string())).collect(),
        ),
        totalprice: Column::new(all().map(|order| cents(order.o_totalprice)).collect()),
        orderdate: Column::new(all().map(|order| days(order.o_orderdate)).collect()),
        shippriority: Column::new(all().map(|order| byte(order.o_shippriority.into())).collect()),
        comment: TextColumn::new(all().map(|order| order.o_comment)),
    }
}

fn partsupp(scale: f64) -> Partsupp {
    let all = || rows::PartSuppGenerator::new(scale, 1, 1).iter();
    let partkey: Vec<u32> = all().map(|row| key(row.ps_partkey)).collect();
    Partsupp {
        partkey: Column::sorted(partkey),
        suppkey: Column::new(all().map(|row| key(row.ps_suppkey) as u16).collect()),
        supplycost: Column::new(all().map(|row| cents(row.ps_supplycost)).collect()),
    }
}

fn key(value: i64) -> u32 {
    u32::try_from(value).expect("keys fit 32 bits")
}

fn byte(value: i64) -> u8 {
    u8::try_from(value).expect("small numbers fit 8 bits")
}

fn cents(value: TPCHDecimal) -> u32 {
    u32::try_from(value.into_inner()).expect("prices fit 32 bits")
}

fn days(date: TPCHDate) -> u16 {
    u16::try_from(date.into_inner()).expect("dates fit 16 bits")
}

fn code(values: &[&str], value: &str) -> u8 {
    values.iter().position(|known| *known == value).expect("the dictionary is whole") as u8
}
