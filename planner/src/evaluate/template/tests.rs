//! Templates beside what PostgreSQL 15 answers.

use super::*;
use crate::evaluate::parse;
use crate::numeric::Numeric;
use crate::value::Interval;

fn timestamp(text: &str) -> Moment {
    match parse(text, DataType::Timestamp) {
        Ok(Value::Int(micros)) => Moment::of_timestamp(micros),
        other => panic!("{text}: {other:?}"),
    }
}

fn interval(text: &str) -> Interval {
    match parse(text, DataType::Interval) {
        Ok(Value::Interval(interval)) => interval,
        other => panic!("{text}: {other:?}"),
    }
}

#[test]
fn timestamps() {
    let moment = "2024-03-05 14:07:09.123456";
    for (moment, template, shown) in [
        (moment, "YYYY-MM-DD HH24:MI:SS.MS US", "2024-03-05 14:07:09.123 123456"),
        (moment, "HH12 HH AM am P.M.", "02 02 PM pm P.M."),
        (moment, "Mon MON mon Month|MONTH|month|", "Mar MAR mar March    |MARCH    |march    |"),
        (moment, "Day|DAY|day|Dy DY dy D", "Tuesday  |TUESDAY  |tuesday  |Tue TUE tue 3"),
        (moment, "DD DDD ID IDDD Q WW IW W CC J", "05 065 2 065 1 10 10 1 21 2460375"),
        (moment, "YYY YY Y Y,YYY IYYY IYY IY I", "024 24 4 2,024 2024 024 24 4"),
        (moment, "RM| rm| FF1 FF3 FF6 SSSS SSSSS", "III | iii | 1 123 123456 50829 50829"),
        (moment, "AD B.C. a.d.", "AD A.D. a.d."),
        (moment, "FMMonth FMDD FMHH24 FMDDD|FMDay|FMRM|FMMS FMYYYY", "March 5 14 65|Tuesday|III|123 2024"),
        (moment, "DDth DDTH FMDDth \"text YYYY\"", "05th 05TH 5th text YYYY"),
        (moment, "\\YYYY \"a\\\"b\" xyz TMMonth HH24hMI", "\\2024 a\"b x4z March 14h07"),
        (moment, "TZ OF|TZH", " +00|+00"),
        ("0044-03-15 BC", "YYYY YYY Y AD CC IYYY", "0044 044 4 BC -01 0044"),
        ("12345-01-01", "YYYY YYY Y,YYY", "12345 345 12,345"),
        ("2024-01-05", "HH12 AM", "12 AM"),
        ("2021-01-01", "IYYY-IW-ID IDDD WW", "2020-53-5 369 01"),
        ("2024-02-29", "ddTH, FMddth é", "29TH, 29th é"),
    ] {
        assert_eq!(moment::show(&timestamp(moment), template).unwrap(), shown, "{template}");
    }
}

#[test]
fn intervals() {
    let long = "1 year 2 months 3 days 25:06:07.5";
    for (span, template, shown) in [
        (long, "YYYY MM DD HH24 HH12 HH MI SS MS DDD AM Q", "0001 02 03 25 01 01 06 07 500 423 AM 1"),
        (long, "CC WW W", "00 61 1"),
        ("-3 days -04:05:06", "DD HH24:MI:SS SSSS MS", "-3 -04:-05:-06 -14706 000"),
        ("-13 days", "DD FMDD DDth", "-13 -13 -13th"),
        ("-3 days", "DD FMDD DDD", "-3 -3 -03"),
        ("100 hours", "HH24 AM", "100 AM"),
    ] {
        assert_eq!(moment::show(&Moment::of_interval(interval(span)), template).unwrap(), shown, "{template}");
    }
    for template in ["Day", "TZ", "AD", "D", "Month", "OF"] {
        let error = moment::show(&Moment::of_interval(interval("1 day")), template).unwrap_err();
        assert_eq!(error.sqlstate(), "22007", "{template}");
    }
}

#[test]
fn numbers() {
    for (template, shown) in [
        ("999", ["   0", "   0", "   1", "  -1", "  12", " 485", "-485", " ###", "   1"]),
        ("9.9", ["  .0", " -.1", " 1.0", "-1.0", " #.#", " #.#", "-#.#", " #.#", "  .5"]),
        ("FM9.9", ["0.", "-.1", "1.", "-1.", "#.#", "#.#", "-#.#", "#.#", ".5"]),
        (
            "0009.99",
            [
                " 0000.00", "-0000.10", " 0001.00", "-0001.00", " 0012.34", " 0485.00", "-0485.00", " ####.##",
                " 0000.50",
            ],
        ),
        ("FM9999990.00", ["0.00", "-0.10", "1.00", "-1.00", "12.34", "485.00", "-485.00", "1234567.89", "0.50"]),
        ("FM999,999.999", ["0.", "-.1", "1.", "-1.", "12.34", "485.", "-485.", "###,###.###", ".5"]),
        (
            "9G999D99",
            [
                "      .00",
                "     -.10",
                "     1.00",
                "    -1.00",
                "    12.34",
                "   485.00",
                "  -485.00",
                " #,###.##",
                "      .50",
            ],
        ),
        ("S999", ["  +0", "  +0", "  +1", "  -1", " +12", "+485", "-485", "+###", "  +1"]),
        ("999S", ["  0+", "  0+", "  1+", "  1-", " 12+", "485+", "485-", "###+", "  1+"]),
        ("999MI", ["  0 ", "  0 ", "  1 ", "  1-", " 12 ", "485 ", "485-", "### ", "  1 "]),
        ("MI999", ["   0", "   0", "   1", "-  1", "  12", " 485", "-485", " ###", "   1"]),
        ("FM999MI", ["0", "0", "1", "1-", "12", "485", "485-", "###", "1"]),
        ("PL999", ["+   0", "+   0", "+   1", "   -1", "+  12", "+ 485", " -485", "+ ###", "+   1"]),
        ("SG999", ["+  0", "+  0", "+  1", "-  1", "+ 12", "+485", "-485", "+###", "+  1"]),
        ("999PR", ["   0 ", "   0 ", "   1 ", "  <1>", "  12 ", " 485 ", "<485>", " ### ", "   1 "]),
        (
            "9.99EEEE",
            [
                " 0.00e+00",
                "-1.00e-01",
                " 1.00e+00",
                "-1.00e+00",
                " 1.23e+01",
                " 4.85e+02",
                "-4.85e+02",
                " 1.23e+06",
                " 5.00e-01",
            ],
        ),
        ("FM999PR", ["0", "0", "1", "<1>", "12", "485", "<485>", "###", "1"]),
        ("99V9", ["   0", "  -1", "  10", " -10", " 123", " ###", "-###", " ###", "   5"]),
        ("L999", ["    0", "    0", "    1", "   -1", "   12", "  485", " -485", "  ###", "    1"]),
        ("FM09.0", ["00.0", "-00.1", "01.0", "-01.0", "12.3", "##.#", "-##.#", "##.#", "00.5"]),
        ("999th", ["   0th", "   0th", "   1st", "  -1", "  12th", " 485th", "-485", " ###", "   1st"]),
        ("\"n=\"999", ["n=   0", "n=   0", "n=   1", "n=  -1", "n=  12", "n= 485", "n=-485", "n= ###", "n=   1"]),
        ("S0", ["+0", "+0", "+1", "-1", "+#", "+#", "-#", "+#", "+1"]),
        ("00.00S", ["00.00+", "00.10-", "01.00+", "01.00-", "12.34+", "##.##+", "##.##-", "##.##+", "00.50+"]),
        ("9 9 9", ["     0", "     0", "     1", "    -1", "   1 2", " 4 8 5", "-4 8 5", " # # #", "     1"]),
        ("FM9.990", [".000", "-.100", "1.000", "-1.000", "#.###", "#.###", "-#.###", "#.###", ".500"]),
    ] {
        let values = ["0", "-0.1", "1", "-1", "12.34", "485", "-485", "1234567.891", "0.5"];
        for (value, shown) in values.into_iter().zip(shown) {
            let value = Numeric::parse(value).expect("it is a number");
            assert_eq!(figures::show_numeric(&value, template).unwrap(), shown, "{value} as {template}");
        }
    }
    let numeric = |text: &str| Numeric::parse(text).expect("it is a number");
    for (value, template, shown) in [
        ("485", "RN", "        CDLXXXV"),
        ("485", "FMrn", "cdlxxxv"),
        ("4000", "RN", "###############"),
        ("1", "", ""),
        ("0", "FM99.99", "0."),
        ("12", "99V99", " 1200"),
        ("NaN", "9.99", " #.##"),
        ("1234567.891", "999,999,999.99", "   1,234,567.89"),
        ("0.5", "999,999,999.99", "            .50"),
        ("9.999", "9.99EEEE", " 1.00e+01"),
    ] {
        assert_eq!(figures::show_numeric(&numeric(value), template).unwrap(), shown, "{value} as {template}");
    }
    for (value, is_real, template, shown) in [
        (1.5, false, "9.99", " 1.50"),
        (1e20, false, "9.99", " #."),
        (f64::NAN, false, "9.99", " #.##"),
        (1.005, false, "FM9.99", "1."),
        (12_345_678_901_234.567, false, "FM99999999999999.99999", "12345678901234.6"),
        (1234.5, true, "9,999.99", " 1,234.50"),
        (0.1, false, "9.9", "  .1"),
        (-0.04, false, "9.9", " -.0"),
    ] {
        assert_eq!(figures::show_float(value, is_real, template).unwrap(), shown, "{value} as {template}");
    }
    for template in ["9.9.9", "S9S", "9EEEE9", "FMEEEE", "9PR9", "S9MI"] {
        assert_eq!(figures::show_numeric(&numeric("1"), template).unwrap_err().sqlstate(), "42601", "{template}");
    }
}

#[test]
fn read_back() {
    for (text, template, date) in [
        ("2024-03-05", "YYYY-MM-DD", "2024-03-05"),
        ("05 Dec 2000", "DD Mon YYYY", "2000-12-05"),
        ("20240305", "YYYYMMDD", "2024-03-05"),
        ("3/5/24", "MM/DD/YY", "2024-03-05"),
        ("2024 065", "YYYY DDD", "2024-03-05"),
        ("2024-W10-2", "IYYY-\"W\"IW-ID", "2024-03-05"),
        ("J2460375", "\"J\"J", "2024-03-05"),
        (" 2024-3-5 ", "YYYY-MM-DD", "2024-03-05"),
        ("March 5, 2024", "Month DD, YYYY", "2024-03-05"),
        ("44 BC", "YYYY BC", "0044-01-01 BC"),
        ("", "YYYY", "0001-01-01 BC"),
        ("2024", "YYYY", "2024-01-01"),
        ("2024/03", "YYYY-MM", "2024-03-01"),
        ("20241", "YYYYMM", "2024-01-01"),
        ("2024x3", "YYYYxMM", "2024-03-01"),
        ("2024 10 2", "YYYY WW D", "2024-03-04"),
        ("2024 03 2", "YYYY MM W", "2024-03-08"),
        ("2024 III", "YYYY RM", "2024-03-01"),
    ] {
        let days = read::date(text, template).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(crate::evaluate::format(&Value::Int(days), DataType::Date), date, "{text} by {template}");
    }
    for (text, template, instant) in [
        ("2024-03-05 14:07:09.5", "YYYY-MM-DD HH24:MI:SS.MS", "2024-03-05 14:07:09.5+01"),
        ("2024-03-05 14:07:09.123456", "YYYY-MM-DD HH24:MI:SS.US", "2024-03-05 14:07:09.123456+01"),
        ("2024-03-05 10+05", "YYYY-MM-DD HH24TZH", "2024-03-05 06:00:00+01"),
        ("2024-03-05 02:07 PM", "YYYY-MM-DD HH12:MI AM", "2024-03-05 14:07:00+01"),
        ("2024-03-05 12:07 am", "YYYY-MM-DD HH12:MI pm", "2024-03-05 00:07:00+01"),
        ("2024 86399", "YYYY SSSS", "2024-01-01 23:59:59+01"),
        ("2024 1.2567", "YYYY SS.FF3", "2024-01-01 00:00:01.257+01"),
    ] {
        let zone = crate::evaluate::zone::Zone::named("Europe/Berlin").expect("it is one");
        let read = read::instant(text, template, &zone).unwrap_or_else(|error| panic!("{text}: {error}"));
        let shown = crate::evaluate::format_in(&Value::Int(read), DataType::TimestampTz, "Europe/Berlin");
        assert_eq!(shown, instant, "{text} by {template}");
    }
    let utc = crate::evaluate::zone::Zone::named("UTC").expect("it is one");
    for (text, template, state) in [
        ("2024-13-01", "YYYY-MM-DD", "22008"),
        ("abc", "YYYY", "22007"),
        ("2024-02-30", "YYYY-MM-DD", "22008"),
        ("25", "HH24", "22008"),
        ("13", "HH12", "22007"),
        ("0", "HH12", "22007"),
        ("PM", "AM", "22007"),
        ("Foo", "Mon", "22007"),
        ("x", "HH24:MI", "22007"),
        ("202", "YYYYMM", "22007"),
        ("2024 UTC", "YYYY TZ", "0A000"),
        ("1.2567", "SS.MS", "22008"),
        ("2024-03-05 24:00:00", "YYYY-MM-DD HH24:MI:SS", "22008"),
        ("99999999999", "YYYY", "22008"),
    ] {
        assert_eq!(read::instant(text, template, &utc).unwrap_err().sqlstate(), state, "{text} by {template}");
    }
}
