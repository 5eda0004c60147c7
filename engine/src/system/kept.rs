//! Shows stored texts as a session sees them: the queries of views, and the expressions that tables are declared with.

use super::declared::fields_of;
use super::shape::shapes;
use super::{Making, types};
use crate::catalog::{Entry, Qualified};
use multiloop_planner::catalog::{TableName, View};
use multiloop_planner::sql::Showing;
use multiloop_planner::types::OidKind;

impl Making<'_> {
    /// The query of a view.
    pub(super) fn shown_view(&self, view: &View) -> String {
        self.showing(|showing| showing.view(view).trim().to_owned())
    }

    /// An expression that a table is declared with.
    pub(super) fn shown_expression(&self, text: &str) -> String {
        self.showing(|showing| showing.expression(text))
    }

    fn showing<T>(&self, show: impl FnOnce(&Showing<'_>) -> T) -> T {
        let zone = self.facts.settings.time_zone();
        let object = |kind: OidKind, number: u32| match kind {
            OidKind::Class => match shapes().iter().find(|shape| shape.oid == number) {
                Some(shape) => Some(self.shown(shape.schema, shape.name)),
                None => self.state.numbered(number).map(|of| self.shown(&of.schema, &of.name)),
            },
            OidKind::Type => Some(types::shown(number)),
            _ => None,
        };
        let relation = |name: &TableName| {
            let of = Qualified::of(name)?;
            let columns = match self.state.get(&of)? {
                Entry::View(view) => view.fields.iter().map(|field| field.name.clone()).collect(),
                table => fields_of(table)?.into_iter().map(|field| field.name).collect(),
            };
            Some((self.shown(&of.schema, &of.name), columns))
        };
        show(&Showing { zone: &zone, object: &object, relation: &relation })
    }
}
