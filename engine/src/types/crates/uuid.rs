//! The crate `uuid`.

use super::super::Uuid;
use crate::{DataType, FromSql, Parameter, Result, ToParameter, ValueRef};

impl FromSql<'_> for ::uuid::Uuid {
    fn from_sql(value: ValueRef<'_>) -> Result<Self> {
        match value {
            ValueRef::Uuid(bytes) => Ok(::uuid::Uuid::from_bytes(*bytes)),
            other => Err(other.mismatch::<Self>()),
        }
    }

    fn takes(data_type: DataType) -> bool {
        data_type == DataType::Uuid
    }
}

impl ToParameter for ::uuid::Uuid {
    fn to_parameter(&self) -> Parameter {
        Uuid::from(*self).to_parameter()
    }

    fn sql_type() -> DataType {
        DataType::Uuid
    }
}

impl From<::uuid::Uuid> for Uuid {
    fn from(uuid: ::uuid::Uuid) -> Self {
        Uuid::from_bytes(uuid.into_bytes())
    }
}

impl From<Uuid> for ::uuid::Uuid {
    fn from(uuid: Uuid) -> Self {
        ::uuid::Uuid::from_bytes(uuid.bytes())
    }
}
