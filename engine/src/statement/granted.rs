//! GRANT and REVOKE: changes the access control lists of tables, schemas and functions.

use crate::catalog::{Entry, Qualified, State};
use crate::grants::{BOOTSTRAP, Change, Grantee as Who, Owned, RightSet};
use crate::running::Runner;
use crate::stream::{Notice, ResultStream};
use crate::{Error, ErrorKind, Result};
use multiloop_planner::catalog::{ROUTINE_MARK, Right};
use multiloop_planner::sql::{Grant, Granted, Grantee};
use std::sync::Arc;

/// What rights are given on.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Target {
    Relation(Qualified),
    Schema(String),
}

impl Runner<'_> {
    /// GRANT and REVOKE.
    pub(super) fn grant(&self, grant: &Grant) -> Result<ResultStream> {
        let mut write = self.session.begin_write()?;
        let grantees = grant.grantees.iter().map(|grantee| self.grantee(grantee)).collect::<Result<Vec<Who>>>()?;
        let mut done = ResultStream::done(grant.tag());
        for target in self.targets(&grant.on, &write.state)? {
            let (owned, kind, name) = owned_of(&write.state, &target)?;
            let (changed, notice) = self.granted(grant, &grantees, owned, (kind, name))?;
            done = notice.into_iter().fold(done, ResultStream::with_notice);
            match &target {
                Target::Relation(name) => write.state.change(name, |object| object.owned = changed),
                Target::Schema(name) => {
                    if let Some(schema) = Arc::make_mut(&mut write.state.schemas).get_mut(name) {
                        Arc::make_mut(schema).owned = changed;
                    }
                }
            }
        }
        write.commit()?;
        Ok(done)
    }

    /// A role of a name; 42704 if there is none.
    pub(super) fn role(&self, name: &str) -> Result<Arc<str>> {
        let roles = self.snapshot.facts.roles.as_ref();
        if name == BOOTSTRAP || roles.is_some_and(|roles| roles.has(name)) {
            return Ok(Arc::from(name));
        }
        let error = Error::new(ErrorKind::UnknownObject, format!("role \"{name}\" does not exist"));
        Err(match roles {
            Some(_) => error,
            None => error.with_hint("A server that is started with --roles FILE has some."),
        })
    }

    pub(super) fn grantee(&self, grantee: &Grantee) -> Result<Who> {
        let facts = &self.snapshot.facts;
        match grantee {
            Grantee::Public => Ok(None),
            Grantee::Current => Ok(Some(facts.owner())),
            Grantee::Session => self.role(facts.session_user()).map(Some),
            Grantee::Role(name) => self.role(name).map(Some),
        }
    }

    /// What a statement names, each once.
    fn targets(&self, on: &Granted, state: &State) -> Result<Vec<Target>> {
        let mut targets = Vec::new();
        let mut add = |target: Target| {
            if !targets.contains(&target) {
                targets.push(target);
            }
        };
        match on {
            Granted::Tables(names) => {
                for name in names {
                    let found = self.found(name, state)?;
                    self.snapshot.facts.check_not_system(&found)?;
                    let relation = state.get(&found).is_some_and(|entry| !matches!(entry, Entry::Type(_)));
                    if !relation && state.index_table(name, &self.snapshot.path).is_some() {
                        return Err(Error::new(ErrorKind::WrongObjectType, format!("\"{}\" is an index", name.name)));
                    }
                    if !relation {
                        let message = format!("relation \"{}\" does not exist", name.plain());
                        return Err(Error::new(ErrorKind::UnknownTable, message));
                    }
                    add(Target::Relation(found));
                }
            }
            Granted::AllTables(schemas) => {
                for schema in schemas {
                    let of = state.schema(schema).ok_or_else(|| unknown_schema(schema))?;
                    self.snapshot.facts.check_schema(state, Right::Usage, schema)?;
                    let is_other = |entry: &Entry| matches!(entry, Entry::Type(_) | Entry::Routine(_));
                    let relations = of.objects.iter().filter(|(_, object)| !is_other(&object.entry));
                    let relations = relations.filter(|(_, object)| !matches!(object.entry, Entry::Sequence(_)));
                    for (name, _) in relations {
                        add(Target::Relation(Qualified { schema: schema.clone(), name: name.clone() }));
                    }
                }
            }
            Granted::Sequences(names) => {
                for name in names {
                    let found = self.found(name, state)?;
                    match state.get(&found) {
                        Some(Entry::Sequence(_)) => add(Target::Relation(found)),
                        Some(entry) if !matches!(entry, Entry::Type(_)) => {
                            let message = format!("\"{}\" is not a sequence", name.name);
                            return Err(Error::new(ErrorKind::WrongObjectType, message));
                        }
                        _ => {
                            let message = format!("relation \"{}\" does not exist", name.plain());
                            return Err(Error::new(ErrorKind::UnknownTable, message));
                        }
                    }
                }
            }
            Granted::AllSequences(schemas) => {
                for schema in schemas {
                    let of = state.schema(schema).ok_or_else(|| unknown_schema(schema))?;
                    self.snapshot.facts.check_schema(state, Right::Usage, schema)?;
                    let sequences = of.objects.iter().filter(|(_, one)| matches!(one.entry, Entry::Sequence(_)));
                    for (name, _) in sequences {
                        add(Target::Relation(Qualified { schema: schema.clone(), name: name.clone() }));
                    }
                }
            }
            Granted::Routines(_) | Granted::AllRoutines(..) => {
                self.routines_on(on, state)?.into_iter().map(Target::Relation).for_each(add);
            }
            Granted::Schemas(names) => names.iter().for_each(|name| add(Target::Schema(name.clone()))),
        }
        Ok(targets)
    }

    /// The functions that a statement names.
    fn routines_on(&self, on: &Granted, state: &State) -> Result<Vec<Qualified>> {
        let mut all = Vec::new();
        match on {
            Granted::Routines(names) => {
                for name in names {
                    all.push(self.routine_named(name, state)?);
                }
            }
            Granted::AllRoutines(schemas, kind) => {
                for schema in schemas {
                    let of = state.schema(schema).ok_or_else(|| unknown_schema(schema))?;
                    self.snapshot.facts.check_schema(state, Right::Usage, schema)?;
                    let is_one =
                        |entry: &Entry| matches!(entry, Entry::Routine(one) if kind.includes(one.is_procedure));
                    let routines = of.objects.iter().filter(|(_, one)| is_one(&one.entry));
                    all.extend(routines.map(|(name, _)| Qualified { schema: schema.clone(), name: name.clone() }));
                }
            }
            _ => {}
        }
        Ok(all)
    }

    /// The rights on something as they are then, and what there is to say of it.
    fn granted(
        &self,
        grant: &Grant,
        grantees: &[Who],
        mut owned: Owned,
        (kind, name): (&str, &str),
    ) -> Result<(Owned, Option<Notice>)> {
        let all: &[Right] = match kind {
            "schema" => &Right::OF_SCHEMAS,
            "sequence" => &Right::OF_SEQUENCES,
            "function" => &Right::OF_ROUTINES,
            _ => &Right::OF_TABLES,
        };
        let is_wrong = |right: &&Right| !all.contains(right);
        let mut wanted = RightSet::of(grant.rights.as_deref().unwrap_or(all));
        let mut warning = None;
        if let Some(right) = grant.rights.iter().flatten().find(is_wrong) {
            if kind != "sequence" {
                let message = format!("invalid privilege type {} for table", right.name());
                return Err(Error::new(ErrorKind::InvalidGrant, message));
            }
            // It was called a table.
            let message = format!("sequence \"{name}\" only supports USAGE, SELECT, and UPDATE privileges");
            warning = Some(Notice::warning("0LP01", message));
            wanted = wanted.and(RightSet::of(all));
        }
        let is = |role: &str| self.snapshot.facts.rights.has(role);
        let Some((grantor, may)) = owned.grantor(&is, all, wanted) else {
            if owned.rights(&is, all).is_empty() {
                let message = format!("permission denied for {kind} {name}");
                return Err(Error::new(ErrorKind::Forbidden, message));
            }
            return Ok((owned, Some(nothing_done(grant.gives, name))));
        };
        let rights = wanted.and(may);
        let change = Change { grantor: &grantor, rights, option: grant.option, cascade: grant.cascade };
        for grantee in grantees {
            match grant.gives {
                true => owned.grant(grantee, &change, all)?,
                false => owned.revoke(grantee, &change, all)?,
            }
        }
        let notice = match rights {
            _ if warning.is_some() => warning,
            none if none.is_empty() => Some(nothing_done(grant.gives, name)),
            some if some != wanted && grant.rights.is_some() => Some(match grant.gives {
                true => Notice::warning("01007", format!("not all privileges were granted for \"{name}\"")),
                false => Notice::warning("01006", format!("not all privileges could be revoked for \"{name}\"")),
            }),
            _ => None,
        };
        Ok((owned, notice))
    }
}

/// Whose something is, what it is and what it is called.
fn owned_of<'t>(state: &State, target: &'t Target) -> Result<(Owned, &'static str, &'t str)> {
    match target {
        Target::Relation(name) => {
            let object = state.object(name).ok_or_else(|| Error::internal("a relation that was found is gone"))?;
            let shown = name.name.split(ROUTINE_MARK).next().unwrap_or(&name.name);
            Ok((object.owned.clone(), object.entry.kind(), shown))
        }
        Target::Schema(name) => {
            let schema = state.schemas.get(name).ok_or_else(|| unknown_schema(name))?;
            Ok((schema.owned.clone(), "schema", name))
        }
    }
}

fn unknown_schema(name: &str) -> Error {
    Error::new(ErrorKind::UnknownSchema, format!("schema \"{name}\" does not exist"))
}

fn nothing_done(gives: bool, name: &str) -> Notice {
    match gives {
        true => Notice::warning("01007", format!("no privileges were granted for \"{name}\"")),
        false => Notice::warning("01006", format!("no privileges could be revoked for \"{name}\"")),
    }
}
