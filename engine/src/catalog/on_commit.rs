//! ON COMMIT of temporary tables: keeps, empties or drops them when a transaction ends.

use super::{Entry, Qualified, State, StoredTable, TEMPORARY};
use multiloop_exec::column::Table;
use multiloop_planner::catalog::{Declared, OnCommit};
use std::sync::Arc;

impl State {
    /// Empties and drops temporary tables, as they were declared; what needs one that goes, goes with it.
    pub(crate) fn end_transaction(&mut self) {
        let of = |on_commit: OnCommit| -> Vec<Qualified> {
            let is_one = |entry: &Entry| entry.declared().is_some_and(|declared| declared.on_commit == on_commit);
            let objects = self.temporary.objects.iter().filter(|(_, object)| is_one(&object.entry));
            objects.map(|(name, _)| Qualified { schema: TEMPORARY.to_owned(), name: name.clone() }).collect()
        };
        let (emptied, mut gone) = (of(OnCommit::DeleteRows), of(OnCommit::Drop));
        for name in emptied {
            let Some(Entry::Table(stored)) = self.get(&name) else { continue };
            if stored.info.statistics.rows > 0 {
                let declared = Arc::clone(&stored.info.declared);
                let empty = Table::empty(declared.fields(&stored.info.fields));
                self.insert(&name, Entry::Table(StoredTable::new(&name.name, empty, declared)));
            }
        }
        let mut next = 0;
        while let Some(name) = gone.get(next).cloned() {
            next += 1;
            if let Some(number) = self.object(&name).map(|object| object.oid) {
                gone.extend(self.owned_sequences(number, None));
            }
            let views = self.needing(&name).into_iter().filter(|view| !gone.contains(view)).collect::<Vec<_>>();
            gone.extend(views);
            for table in self.referring(&name).into_iter().filter(|table| !gone.contains(table)).collect::<Vec<_>>() {
                self.forget_references(&table, &name);
            }
        }
        gone.iter().for_each(|name| drop(self.remove(name)));
    }

    /// Takes away the references of a table to another.
    fn forget_references(&mut self, table: &Qualified, to: &Qualified) {
        let Some(Entry::Table(stored)) = self.get(table) else { return };
        let mut declared = Declared::clone(&stored.info.declared);
        let goes: Vec<bool> = declared.references.iter().map(|of| of.table == to.to_name()).collect();
        let mut at = goes.iter();
        declared.references.retain(|_| at.next() == Some(&false));
        let stored = stored.redeclared(&table.name, None, declared);
        self.change(table, |object| {
            let mut at = goes.iter();
            Arc::make_mut(&mut object.numbers).references.retain(|_| at.next() == Some(&false));
            object.entry = Entry::Table(stored);
        });
    }
}
