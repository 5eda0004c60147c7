//! Addresses of hosts in binary: the family, the bits of the network, whether it is one, the length, the bytes.

use super::Cells;
use crate::wire::room::Room;
use multiloop::arrow::array::{Array as _, StringArray};
use std::net::IpAddr;

/// PostgreSQL's numbers of the families.
const FAMILY_4: u8 = 2;
const FAMILY_6: u8 = 3;

struct Addresses(StringArray);

/// The addresses of an array of their texts.
pub(super) fn cells(array: StringArray) -> Box<dyn Cells> {
    Box::new(Addresses(array))
}

impl Cells for Addresses {
    fn is_null(&self, row: usize) -> bool {
        self.0.is_null(row)
    }

    fn value(&self, row: usize, out: &mut Room<'_>) {
        let mut put = |family: u8, bytes: &[u8]| {
            let length = bytes.len() as u8;
            out.extend_from_slice(&[family, length * 8, 0, length]);
            out.extend_from_slice(bytes);
        };
        // The engine has made it of an address.
        match self.0.value(row).parse() {
            Ok(IpAddr::V4(address)) => put(FAMILY_4, &address.octets()),
            Ok(IpAddr::V6(address)) => put(FAMILY_6, &address.octets()),
            Err(_) => {}
        }
    }
}
