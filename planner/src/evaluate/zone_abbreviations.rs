//! Abbreviations of time zones, as PostgreSQL's default set has them: most are an offset for all times, some are what a
//! zone of the list has at that time.

/// What an abbreviation stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Abbreviation {
    /// Seconds to the east of Greenwich.
    Offset(i64),
    /// What clocks of this zone show.
    Zone(&'static str),
}

use Abbreviation::{Offset, Zone};

/// The meaning of an abbreviation, whatever the case of its letters.
pub(super) fn named(name: &str) -> Option<Abbreviation> {
    const LONGEST: usize = 7;
    if name.len() > LONGEST || !name.is_ascii() {
        return None;
    }
    let name = name.to_ascii_lowercase();
    let found = ABBREVIATIONS.binary_search_by_key(&name.as_str(), |(known, _)| known);
    found.ok().map(|at| ABBREVIATIONS[at].1)
}

/// By name.
#[rustfmt::skip]
const ABBREVIATIONS: &[(&str, Abbreviation)] = &[
    ("acdt", Offset(37_800)), ("acsst", Offset(37_800)), ("acst", Offset(34_200)), ("act", Offset(-18_000)),
    ("acwst", Offset(31_500)), ("adt", Offset(-10_800)), ("aedt", Offset(39_600)), ("aesst", Offset(39_600)),
    ("aest", Offset(36_000)), ("aft", Offset(16_200)), ("akdt", Offset(-28_800)), ("akst", Offset(-32_400)),
    ("almst", Offset(25_200)), ("almt", Offset(21_600)), ("amst", Zone("Asia/Yerevan")), ("amt", Offset(-14_400)),
    ("anast", Zone("Asia/Anadyr")), ("anat", Zone("Asia/Anadyr")), ("arst", Zone("America/Argentina/Buenos_Aires")),
    ("art", Zone("America/Argentina/Buenos_Aires")), ("ast", Offset(-14_400)), ("awsst", Offset(32_400)),
    ("awst", Offset(28_800)), ("azost", Offset(0)), ("azot", Offset(-3_600)), ("azst", Zone("Asia/Baku")),
    ("azt", Zone("Asia/Baku")), ("bdst", Offset(7_200)), ("bdt", Offset(21_600)), ("bnt", Offset(28_800)),
    ("bort", Offset(28_800)), ("bot", Offset(-14_400)), ("bra", Offset(-10_800)), ("brst", Offset(-7_200)),
    ("brt", Offset(-10_800)), ("bst", Offset(3_600)), ("btt", Offset(21_600)), ("cadt", Offset(37_800)),
    ("cast", Offset(34_200)), ("cct", Offset(28_800)), ("cdt", Offset(-18_000)), ("cest", Offset(7_200)),
    ("cet", Offset(3_600)), ("cetdst", Offset(7_200)), ("chadt", Offset(49_500)), ("chast", Offset(45_900)),
    ("chut", Offset(36_000)), ("ckt", Zone("Pacific/Rarotonga")), ("clst", Offset(-10_800)),
    ("clt", Zone("America/Santiago")), ("cot", Offset(-18_000)), ("cst", Offset(-21_600)), ("cxt", Offset(25_200)),
    ("davt", Zone("Antarctica/Davis")), ("ddut", Offset(36_000)), ("easst", Zone("Pacific/Easter")),
    ("east", Zone("Pacific/Easter")), ("eat", Offset(10_800)), ("edt", Offset(-14_400)), ("eest", Offset(10_800)),
    ("eet", Offset(7_200)), ("eetdst", Offset(10_800)), ("egst", Offset(0)), ("egt", Offset(-3_600)),
    ("est", Offset(-18_000)), ("fet", Offset(10_800)), ("fjst", Offset(46_800)), ("fjt", Offset(43_200)),
    ("fkst", Zone("Atlantic/Stanley")), ("fkt", Zone("Atlantic/Stanley")), ("fnst", Offset(-3_600)),
    ("fnt", Offset(-7_200)), ("galt", Offset(-21_600)), ("gamt", Offset(-32_400)), ("gest", Zone("Asia/Tbilisi")),
    ("get", Zone("Asia/Tbilisi")), ("gft", Offset(-10_800)), ("gilt", Offset(43_200)), ("gmt", Offset(0)),
    ("gyt", Zone("America/Guyana")), ("hkt", Offset(28_800)), ("hst", Offset(-36_000)), ("ict", Offset(25_200)),
    ("idt", Offset(10_800)), ("iot", Zone("Indian/Chagos")), ("irkst", Zone("Asia/Irkutsk")),
    ("irkt", Zone("Asia/Irkutsk")), ("irt", Offset(12_600)), ("ist", Offset(7_200)), ("jayt", Offset(32_400)),
    ("jst", Offset(32_400)), ("kdt", Offset(36_000)), ("kgst", Offset(21_600)), ("kgt", Zone("Asia/Bishkek")),
    ("kost", Zone("Pacific/Kosrae")), ("krast", Zone("Asia/Krasnoyarsk")), ("krat", Zone("Asia/Krasnoyarsk")),
    ("kst", Offset(32_400)), ("lhdt", Zone("Australia/Lord_Howe")), ("lhst", Offset(37_800)),
    ("ligt", Offset(36_000)), ("lint", Zone("Pacific/Kiritimati")), ("lkt", Zone("Asia/Colombo")),
    ("magst", Zone("Asia/Magadan")), ("magt", Zone("Asia/Magadan")), ("mart", Offset(-34_200)),
    ("mawt", Zone("Antarctica/Mawson")), ("mdt", Offset(-21_600)), ("mest", Offset(7_200)), ("mesz", Offset(7_200)),
    ("met", Offset(3_600)), ("metdst", Offset(7_200)), ("mez", Offset(3_600)), ("mht", Offset(43_200)),
    ("mmt", Offset(23_400)), ("mpt", Offset(36_000)), ("msd", Offset(14_400)), ("msk", Zone("Europe/Moscow")),
    ("mst", Offset(-25_200)), ("must", Offset(18_000)), ("mut", Offset(14_400)), ("mvt", Offset(18_000)),
    ("myt", Offset(28_800)), ("ndt", Offset(-9_000)), ("nft", Offset(-12_600)), ("novst", Zone("Asia/Novosibirsk")),
    ("novt", Zone("Asia/Novosibirsk")), ("npt", Offset(20_700)), ("nst", Offset(-12_600)),
    ("nut", Zone("Pacific/Niue")), ("nzdt", Offset(46_800)), ("nzst", Offset(43_200)), ("nzt", Offset(43_200)),
    ("omsst", Zone("Asia/Omsk")), ("omst", Zone("Asia/Omsk")), ("pdt", Offset(-25_200)), ("pet", Offset(-18_000)),
    ("petst", Zone("Asia/Kamchatka")), ("pett", Zone("Asia/Kamchatka")), ("pgt", Offset(36_000)),
    ("pht", Offset(28_800)), ("pkst", Offset(21_600)), ("pkt", Offset(18_000)), ("pmdt", Offset(-7_200)),
    ("pmst", Offset(-10_800)), ("pont", Offset(39_600)), ("pst", Offset(-28_800)), ("pwt", Offset(32_400)),
    ("pyst", Offset(-10_800)), ("pyt", Zone("America/Asuncion")), ("ret", Offset(14_400)), ("sadt", Offset(37_800)),
    ("sast", Offset(7_200)), ("sct", Offset(14_400)), ("sgt", Zone("Asia/Singapore")), ("taht", Offset(-36_000)),
    ("tft", Offset(18_000)), ("tjt", Offset(18_000)), ("tkt", Zone("Pacific/Fakaofo")),
    ("tmt", Zone("Asia/Ashgabat")), ("tot", Offset(46_800)), ("trut", Offset(36_000)), ("tvt", Offset(43_200)),
    ("uct", Offset(0)), ("ulast", Offset(32_400)), ("ulat", Zone("Asia/Ulaanbaatar")), ("ut", Offset(0)),
    ("utc", Offset(0)), ("uyst", Offset(-7_200)), ("uyt", Offset(-10_800)), ("uzst", Offset(21_600)),
    ("uzt", Offset(18_000)), ("vet", Zone("America/Caracas")), ("vlast", Zone("Asia/Vladivostok")),
    ("vlat", Zone("Asia/Vladivostok")), ("volt", Zone("Europe/Volgograd")), ("vut", Offset(39_600)),
    ("wadt", Offset(28_800)), ("wakt", Offset(43_200)), ("wast", Offset(25_200)), ("wat", Offset(3_600)),
    ("wdt", Offset(32_400)), ("wet", Offset(0)), ("wetdst", Offset(3_600)), ("wft", Offset(43_200)),
    ("wgst", Offset(-7_200)), ("wgt", Offset(-10_800)), ("xjt", Offset(21_600)), ("yakst", Zone("Asia/Yakutsk")),
    ("yakt", Zone("Asia/Yakutsk")), ("yapt", Offset(36_000)), ("yekst", Offset(21_600)),
    ("yekt", Zone("Asia/Yekaterinburg")), ("z", Offset(0)), ("zulu", Offset(0)),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_are_in_order() {
        assert!(ABBREVIATIONS.is_sorted_by_key(|(name, _)| *name));
        assert_eq!((named("CeST"), named("msk")), (Some(Offset(7_200)), Some(Zone("Europe/Moscow"))));
        assert_eq!((named("mars"), named("é")), (None, None));
    }
}
