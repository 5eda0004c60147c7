//! CREATE VIEW: resolves the names in its text, and checks what a view may be replaced by.

use super::New;
use crate::catalog::{Entry, Qualified, StoredView, TEMPORARY};
use crate::running::Runner;
use crate::stream::ResultStream;
use crate::system::is_system;
use crate::{Error, ErrorKind, Result};
use multiloop_planner::catalog::{Meant, View, is_key, shown_key};
use multiloop_planner::relation::builder::{Need, reads_itself};
use multiloop_planner::types::{Field, OidKind};
use std::sync::Arc;

impl Runner<'_> {
    /// A view as what its names mean now, and which of these are no system's.
    pub(super) fn view_meant(&self, view: View, needs: Vec<Need>) -> (View, Vec<Qualified>) {
        let named = |Need { name: written, columns }: Need| {
            let found = match &columns {
                Some(_) => self.snapshot.find(&written).map(|(found, _)| found),
                None if is_key(&written.name) => self.snapshot.find_routine(&written),
                None => self.snapshot.find_type(&written).map(|(found, _)| found),
            };
            let now = found?.to_name();
            Some(Meant { written, then: now.clone(), now, columns })
        };
        let mut names: Vec<Meant> = needs.into_iter().filter_map(named).collect();
        // A relation that a literal names is needed, too.
        for (kind, number) in view.literals.objects() {
            let found = self.snapshot.state.numbered(number).filter(|_| kind == OidKind::Class);
            if let Some(now) = found.map(|found| found.to_name())
                && !names.iter().any(|name| name.now == now)
            {
                names.push(Meant { written: now.clone(), then: now.clone(), now, columns: None });
            }
        }
        // What is the system's stays.
        let needs = names.iter().filter_map(|name| Qualified::of(&name.now)).filter(|need| !is_system(&need.schema));
        let needs = needs.collect();
        (View { names, ..view }, needs)
    }

    pub(super) fn create_view(
        &self,
        new: &New<'_>,
        (view, needs): (View, Vec<Need>),
        fields: Vec<Field>,
    ) -> Result<ResultStream> {
        let (view, needs) = self.view_meant(view, needs);
        let mut write = self.session.begin_write()?;
        // What names something temporary is temporary.
        let temporary = new.temporary || needs.iter().any(|need| need.schema == TEMPORARY);
        let name = self.name_for(&New { temporary, ..*new }, &write.state)?;
        self.snapshot.facts.check_make(&write.state, &name.schema)?;
        let known = write.state.get(&name);
        match known {
            Some(Entry::Table(_) | Entry::Type(_) | Entry::Sequence(_) | Entry::Routine(_)) if new.or_replace => {
                return Err(Error::new(ErrorKind::WrongObjectType, format!("\"{}\" is not a view", name.name)));
            }
            Some(_) if !new.or_replace => return new.already_exists(),
            _ => {}
        }
        if let Some(gone) = needs.iter().find(|need| write.state.get(need).is_none()) {
            return Err(gone_meanwhile(gone));
        }
        if let Some(object) = write.state.object(&name) {
            self.snapshot.facts.check_owner(&name, object)?;
        }
        if let Some(Entry::View(known)) = known {
            check_replaced(&known.fields, &fields)?;
        }
        if needs.contains(&name) || needs.iter().any(|need| write.state.reaches(need, &name)) {
            return Err(reads_itself(&name.name));
        }
        let view = StoredView { view: Arc::new(view), fields: fields.into() };
        write.state.make(&name, Entry::View(view), &self.snapshot.facts.owner());
        write.commit()?;
        Ok(ResultStream::done("CREATE VIEW"))
    }
}

/// The error for something that a definition names and that is gone by now.
pub(super) fn gone_meanwhile(name: &Qualified) -> Error {
    match is_key(&name.name) {
        true => {
            let message = format!("function {} does not exist", shown_key(&name.name));
            Error::new(ErrorKind::UnknownFunction, message)
        }
        false => Error::new(ErrorKind::UnknownTable, format!("relation \"{}\" does not exist", name.name)),
    }
}

/// An error (42P16) unless the columns of a view that is replaced are the first ones of what replaces it, as they were: whatever reads
/// the view knows them.
fn check_replaced(known: &[Field], new: &[Field]) -> Result<()> {
    let refused = |message: String| Error::new(ErrorKind::InvalidTableDefinition, message);
    if new.len() < known.len() {
        return Err(refused("cannot drop columns from view".to_owned()));
    }
    for (known, new) in known.iter().zip(new) {
        if known.name != new.name {
            let message = format!("cannot change name of view column \"{}\" to \"{}\"", known.name, new.name);
            let hint = "Use ALTER VIEW ... RENAME COLUMN ... to change name of view column instead.";
            return Err(refused(message).with_hint(hint));
        }
        if known.data_type != new.data_type {
            let Field { name, data_type, .. } = known;
            let message =
                format!("cannot change data type of view column \"{name}\" from {data_type} to {}", new.data_type);
            return Err(refused(message));
        }
    }
    Ok(())
}
