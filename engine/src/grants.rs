//! Owners and access control lists of objects, as PostgreSQL keeps and shows them.
//!
//! An item says what one role, or everybody, has from one other: rights, and of these the ones that it may give on. An object
//! without a list has its default, all rights for its owner, who can always give them; a function may be called by everybody. What is taken from a role that gave it on
//! is taken from those as well, with CASCADE; without, that is an error.

use crate::{Error, ErrorKind, Result};
use multiloop_planner::catalog::Right;
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;
use std::sync::Arc;

/// Who owns what nobody in particular has made.
pub(crate) const BOOTSTRAP: &str = "postgres";

/// Rights, each once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RightSet(u16);

impl RightSet {
    pub(crate) fn of(rights: &[Right]) -> Self {
        RightSet(rights.iter().fold(0, |all, right| all | 1 << *right as u16))
    }

    pub(crate) fn has(self, right: Right) -> bool {
        !self.and(RightSet::of(&[right])).is_empty()
    }

    pub(crate) fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub(crate) fn and(self, other: Self) -> Self {
        RightSet(self.0 & other.0)
    }

    pub(crate) fn or(self, other: Self) -> Self {
        RightSet(self.0 | other.0)
    }

    pub(crate) fn without(self, other: Self) -> Self {
        RightSet(self.0 & !other.0)
    }

    /// How many there are.
    pub(crate) fn count(self) -> u32 {
        self.0.count_ones()
    }

    /// In PostgreSQL's order.
    pub(crate) fn iter(self) -> impl Iterator<Item = Right> {
        Right::all().filter(move |right| self.has(*right))
    }
}

/// Who has rights; none is everybody.
pub(crate) type Grantee = Option<Arc<str>>;

/// What one has from another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Item {
    pub(crate) grantee: Grantee,
    pub(crate) grantor: Arc<str>,
    pub(crate) rights: RightSet,
    /// Those that it may give on.
    pub(crate) options: RightSet,
}

/// Whose something is, and what others may do with it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Owned {
    pub(crate) owner: Arc<str>,
    /// None is the default.
    items: Option<Arc<[Item]>>,
}

/// A change of rights, by one who may give them.
pub(crate) struct Change<'a> {
    pub(crate) grantor: &'a Arc<str>,
    pub(crate) rights: RightSet,
    /// WITH GRANT OPTION, or GRANT OPTION FOR.
    pub(crate) option: bool,
    pub(crate) cascade: bool,
}

impl Owned {
    /// Somebody's, with the default.
    pub(crate) fn by(owner: impl Into<Arc<str>>) -> Self {
        Owned { owner: owner.into(), items: None }
    }

    /// The same once it is another's, who has what the one before had, as who it is of and as who gave it.
    pub(crate) fn given_to(&self, owner: &Arc<str>) -> Self {
        let now = |role: &Arc<str>| if *role == self.owner { Arc::clone(owner) } else { Arc::clone(role) };
        let mut items: Vec<Item> = Vec::new();
        for item in self.items.iter().flat_map(|items| items.iter()) {
            let (grantee, grantor) = (item.grantee.as_ref().map(now), now(&item.grantor));
            match items.iter_mut().find(|known| known.grantee == grantee && known.grantor == grantor) {
                Some(known) => {
                    known.rights = known.rights.or(item.rights);
                    known.options = known.options.or(item.options);
                }
                None => items.push(Item { grantee, grantor, ..item.clone() }),
            }
        }
        Owned { owner: Arc::clone(owner), items: self.items.as_ref().map(|_| items.into()) }
    }

    /// That of `public`, as PostgreSQL makes it: all may use it.
    pub(crate) fn public_schema() -> Self {
        let owner: Arc<str> = Arc::from("pg_database_owner");
        let item = |grantee: Grantee, rights: &[Right]| Item {
            grantee,
            grantor: Arc::clone(&owner),
            rights: RightSet::of(rights),
            options: RightSet::default(),
        };
        let items = [item(Some(Arc::clone(&owner)), &Right::OF_SCHEMAS), item(None, &[Right::Usage])];
        Owned { items: Some(Arc::from(items)), owner }
    }

    /// Its items, or those that the default stands for; `all` are the rights that there are on such objects.
    pub(crate) fn items(&self, all: &[Right]) -> Vec<Item> {
        match &self.items {
            Some(items) => items.to_vec(),
            None => {
                let item = |grantee: Grantee| Item {
                    grantee,
                    grantor: Arc::clone(&self.owner),
                    rights: RightSet::of(all),
                    options: RightSet::default(),
                };
                let everybody = has_everybody(all).then(|| item(None));
                everybody.into_iter().chain([item(Some(Arc::clone(&self.owner)))]).collect()
            }
        }
    }

    /// What somebody may do who has the rights of the roles that `is` says; `all` as above.
    pub(crate) fn rights(&self, is: &dyn Fn(&str) -> bool, all: &[Right]) -> RightSet {
        match &self.items {
            None if is(&self.owner) || has_everybody(all) => RightSet::of(all),
            None => RightSet::default(),
            Some(items) => {
                let has = |item: &&Item| item.grantee.as_deref().is_none_or(is);
                items.iter().filter(has).fold(RightSet::default(), |rights, item| rights.or(item.rights))
            }
        }
    }

    /// Who of those roles gives rights, and which it may give: the owner, or who may give the most of `wanted`.
    pub(crate) fn grantor(
        &self,
        is: &dyn Fn(&str) -> bool,
        all: &[Right],
        wanted: RightSet,
    ) -> Option<(Arc<str>, RightSet)> {
        if is(&self.owner) {
            return Some((Arc::clone(&self.owner), RightSet::of(all)));
        }
        let items = self.items(all);
        let own = items.iter().filter_map(|item| item.grantee.as_ref()).filter(|grantee| is(grantee));
        let options = own.map(|role| (Arc::clone(role), options_of(&items, &self.owner, role)));
        let best = options.filter(|(_, options)| !options.is_empty());
        best.max_by_key(|(_, options)| options.and(wanted).count())
    }

    /// Whether a role owns it, has a right on it or gave one.
    pub(crate) fn names(&self, role: &str) -> bool {
        let named = |item: &Item| item.grantee.as_deref() == Some(role) || &*item.grantor == role;
        &*self.owner == role || self.items.as_ref().is_some_and(|items| items.iter().any(named))
    }

    /// GRANT.
    ///
    /// # Errors
    /// 0LP01 for an option to everybody, or to who one has it from.
    pub(crate) fn grant(&mut self, grantee: &Grantee, change: &Change<'_>, all: &[Right]) -> Result<()> {
        let mut items = self.items(all);
        if change.option {
            let Some(grantee) = grantee else {
                return Err(Error::new(ErrorKind::InvalidGrant, "grant options can only be granted to roles"));
            };
            self.check_circle(items.clone(), grantee, change)?;
        }
        let options = if change.option { change.rights } else { RightSet::default() };
        match items.iter_mut().find(|item| item.grantee == *grantee && item.grantor == *change.grantor) {
            Some(item) => (item.rights, item.options) = (item.rights.or(change.rights), item.options.or(options)),
            None if change.rights.is_empty() => {}
            None => items.push(Item {
                grantee: grantee.clone(),
                grantor: Arc::clone(change.grantor),
                rights: change.rights,
                options,
            }),
        }
        self.items = Some(items.into());
        Ok(())
    }

    /// The error (0LP01) if who gives an option has it, in the end, from who gets it.
    fn check_circle(&self, mut items: Vec<Item>, grantee: &Arc<str>, change: &Change<'_>) -> Result<()> {
        if *change.grantor == self.owner {
            return Ok(());
        }
        let lost = options_of(&items, &self.owner, grantee);
        for item in items.iter_mut().filter(|item| item.grantee.as_ref() == Some(grantee)) {
            item.options = RightSet::default();
        }
        take_on(&mut items, &self.owner, grantee, lost, true)?;
        if change.rights.without(options_of(&items, &self.owner, change.grantor)).is_empty() {
            return Ok(());
        }
        Err(Error::new(ErrorKind::InvalidGrant, "grant options cannot be granted back to your own grantor"))
    }

    /// REVOKE.
    ///
    /// # Errors
    /// 2BP01 if who loses a right has given it on, unless it cascades.
    pub(crate) fn revoke(&mut self, grantee: &Grantee, change: &Change<'_>, all: &[Right]) -> Result<()> {
        let mut items = self.items(all);
        take(&mut items, &self.owner, grantee, change)?;
        items.retain(|item| !item.rights.or(item.options).is_empty());
        self.items = Some(items.into());
        Ok(())
    }

    /// As PostgreSQL shows the list, item by item; none for the default.
    pub(crate) fn shown(&self) -> Option<Vec<String>> {
        Some(self.items.as_ref()?.iter().map(Item::shown).collect())
    }
}

impl Item {
    fn shown(&self) -> String {
        let mut text = self.grantee.as_deref().map(shown_name).unwrap_or_default();
        text.push('=');
        for right in self.rights.or(self.options).iter() {
            let _ = write!(text, "{}{}", right.letter(), if self.options.has(right) { "*" } else { "" });
        }
        let _ = write!(text, "/{}", shown_name(&self.grantor));
        text
    }
}

/// Whether everybody has the rights that there are on some objects, as long as nobody says otherwise.
fn has_everybody(all: &[Right]) -> bool {
    all == Right::OF_ROUTINES
}

/// What a role may give on, by itself.
fn options_of(items: &[Item], owner: &str, role: &str) -> RightSet {
    if owner == role {
        return RightSet(u16::MAX);
    }
    let own = items.iter().filter(|item| item.grantee.as_deref() == Some(role));
    own.fold(RightSet::default(), |options, item| options.or(item.options))
}

/// Takes rights, or options, that one has from another.
fn take(items: &mut [Item], owner: &str, grantee: &Grantee, change: &Change<'_>) -> Result<()> {
    let Some(item) = items.iter_mut().find(|item| item.grantee == *grantee && item.grantor == *change.grantor) else {
        return Ok(());
    };
    let lost = item.options.and(change.rights);
    item.options = item.options.without(change.rights);
    if !change.option {
        item.rights = item.rights.without(change.rights);
    }
    match grantee {
        Some(grantee) => take_on(items, owner, grantee, lost, change.cascade),
        None => Ok(()),
    }
}

/// Takes what a role has given on and may not give any more.
fn take_on(items: &mut [Item], owner: &str, from: &Arc<str>, lost: RightSet, cascade: bool) -> Result<()> {
    let lost = lost.without(options_of(items, owner, from));
    let depends = |item: &&Item| item.grantor == *from && !item.rights.and(lost).is_empty();
    let given: Vec<Grantee> = items.iter().filter(depends).map(|item| item.grantee.clone()).collect();
    if !given.is_empty() && !cascade {
        return Err(Error::new(ErrorKind::DependentObjects, "dependent privileges exist")
            .with_hint("Use CASCADE to revoke them too."));
    }
    for grantee in given {
        take(items, owner, &grantee, &Change { grantor: from, rights: lost, option: false, cascade })?;
    }
    Ok(())
}

/// A name as lists of rights have it: in quotes unless it is of letters, digits and underscores.
fn shown_name(name: &str) -> String {
    let is_safe = name.chars().all(|each| each == '_' || each.is_alphanumeric());
    if is_safe { name.to_owned() } else { format!("\"{}\"", name.replace('"', "\"\"")) }
}

#[cfg(test)]
mod tests {
    use super::{Change, Owned, RightSet};
    use multiloop_planner::catalog::Right;
    use std::sync::Arc;

    const ALL: &[Right] = &Right::OF_TABLES;

    /// `owner a: + by to letters[*]`, and the same with - (and ! for CASCADE), as the list is then.
    fn list(steps: &[&str]) -> Result<String, &'static str> {
        let mut owned = Owned::by("o");
        for step in steps {
            let words: Vec<&str> = step.split(' ').collect();
            let [sign, by, to, letters] = words[..] else { panic!("{step}") };
            let rights: Vec<Right> = ALL.iter().copied().filter(|right| letters.contains(right.letter())).collect();
            let (grantor, grantee) = (Arc::from(by), (to != "-").then(|| Arc::from(to)));
            let option = letters.ends_with('*');
            let change =
                Change { grantor: &grantor, rights: RightSet::of(&rights), option, cascade: sign.ends_with('!') };
            let done = match sign.starts_with('+') {
                true => owned.grant(&grantee, &change, ALL),
                false => owned.revoke(&grantee, &change, ALL),
            };
            done.map_err(|error| error.sqlstate())?;
        }
        Ok(owned.shown().map_or_else(|| "default".to_owned(), |items| items.join(" ")))
    }

    #[test]
    fn lists_are_those_of_postgresql() {
        for (steps, expected) in [
            (&[][..], Ok("default")),
            (&["+ o a r"], Ok("o=arwdDxt/o a=r/o")),
            (&["+ o a r", "+ o a aw*", "+ o - r"], Ok("o=arwdDxt/o a=a*rw*/o =r/o")),
            (&["+ o a r", "- o a r", "- o o wdDxt"], Ok("o=ar/o")),
            (&["+ o a r*", "+ a b r", "- o a r"], Err("2BP01")),
            (&["+ o a r*", "+ a b r", "-! o a r"], Ok("o=arwdDxt/o")),
            (&["+ o a r*", "+ a b r", "-! o a r*"], Ok("o=arwdDxt/o a=r/o")),
            (
                &["+ o a r*", "+ o b r*", "+ a c r*", "+ b c r*", "+ c d r", "-! o a r"],
                Ok("o=arwdDxt/o b=r*/o c=r*/b d=r/c"),
            ),
            (&["+ o a r*", "+ a b r*", "+ b a r*"], Err("0LP01")),
            (&["+ o - r*"], Err("0LP01")),
            (&["+ o Me-too r"], Ok("o=arwdDxt/o \"Me-too\"=r/o")),
        ] {
            assert_eq!(list(steps).as_deref(), expected.as_deref(), "{steps:?}");
        }
    }

    #[test]
    fn who_gives_and_who_may() {
        let mut owned = Owned::by("o");
        let grantor: Arc<str> = Arc::from("o");
        let select = RightSet::of(&[Right::Select]);
        let change = Change { grantor: &grantor, rights: select, option: true, cascade: false };
        owned.grant(&Some(Arc::from("a")), &change, ALL).expect("it is given");
        let of = |role: &'static str| owned.grantor(&move |name| name == role, ALL, select);
        assert_eq!(of("a"), Some((Arc::from("a"), select)));
        assert_eq!(of("o").map(|(_, rights)| rights), Some(RightSet::of(ALL)));
        assert_eq!(of("b"), None);
        let rights = |role: &'static str| owned.rights(&move |name| name == role, ALL);
        assert_eq!((rights("a"), rights("b")), (select, RightSet::default()));
        assert!(owned.names("a") && !owned.names("b"));
        assert!(Owned::public_schema().rights(&|_| false, &Right::OF_SCHEMAS).has(Right::Usage));
    }
}
