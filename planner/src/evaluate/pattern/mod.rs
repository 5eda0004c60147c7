//! Regular expressions: what `~`, SIMILAR TO, SUBSTRING and the functions of their kind mean.
//!
//! `translate`, with `bracket`, reads PostgreSQL's expressions (with the letters of `options`) and writes them for `regex_automata`; `similar` makes
//! them of SQL's own; `replace` and `search` have the functions; `stepwise` searches long texts, `quick` short ones, by automata made
//! ahead; `condition` shortens what is only asked whether it matches. Here is an expression made ready.
//!
//! Of the matches that begin leftmost PostgreSQL takes the longest or the shortest, by what the expression prefers, not the first
//! of its branches that fits. So a match takes two steps: one automaton says where the leftmost match begins, another, run from
//! there, where the longest or the shortest ends, and what the groups are. Where an expression has matched some texts already, one
//! automaton does both steps, and groups are told by another that needs no list of states, if the expression has such. (Groups that could share such a match in several ways
//! may be split otherwise: there the first branch that fits is taken, PostgreSQL takes the longest that does.)

mod bracket;
mod condition;
mod options;
mod quick;
mod replace;
pub mod rows;
mod search;
mod similar;
mod stepwise;
mod translate;

#[cfg(test)]
mod tests;

use super::Call;
use crate::error::Result;
use crate::function::{Function, PatternFunction};
use crate::meter;
use crate::stack;
use crate::value::Value;
use options::Options;
use quick::{OnePass, Place, Quick, TEXT_MAX};
use regex_automata::nfa::thompson::{self, pikevm};
use regex_automata::util::captures::Captures;
use regex_automata::{Anchored, Input, MatchKind, meta};
use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;
use stepwise::{LONG, Reached, Stepwise};
use translate::{Preference, too_complex};

/// Bytes of an automaton, at most: counts within counts make them grow without end.
const BYTES_MAX: usize = 1 << 24;

/// Groups and counts within each other, at most: whoever reads and compiles them recurses.
const DEPTH_MAX: u32 = 250;

/// Searches after which automata are made ahead: that takes as long as a hundred searches, or a thousand.
const SEARCHES: u32 = 64;

/// Expressions that a thread keeps.
const KEPT_MAX: usize = 32;

/// A regular expression, ready to be matched.
pub(crate) struct Pattern {
    text: String,
    prefers: Preference,
    /// Says whether there is a match, and where it begins.
    search: meta::Regex,
    /// Says where it ends; made when it is first asked.
    extent: OnceCell<Result<Extent>>,
    /// Searches texts that are long; made when the first is met, if it can be.
    stepwise: OnceCell<Option<Stepwise>>,
    /// The same expression as [`Pattern::search`], of which only is asked whether it matches; none where that is the shortest.
    condition: Option<meta::Regex>,
    /// Searches short texts; made when there have been some searches, if it can be.
    quick: OnceCell<Option<Quick>>,
    one_pass: OnceCell<Option<OnePass>>,
    searches: Cell<u32>,
}

struct Extent {
    automaton: pikevm::PikeVM,
    cache: RefCell<pikevm::Cache>,
}

/// Groups, the whole among them, that are told without memory of their own.
const FEW: usize = 10;

/// Where a group stands that took no part.
const NOWHERE: (u32, u32) = (u32::MAX, u32::MAX);

/// The groups of a match, of which the first is the whole.
enum Found {
    Groups(Captures),
    /// The whole and the first groups that are wanted, in bytes of a text that is short.
    Few([(u32, u32); FEW]),
    /// One without others.
    Whole(usize, usize),
}

impl Found {
    fn whole(&self) -> (usize, usize) {
        self.group(0).expect("a match has its whole")
    }

    /// Where a group is, in bytes; none if it took no part.
    fn group(&self, at: usize) -> Option<(usize, usize)> {
        match self {
            Found::Groups(captures) => captures.get_group(at).map(|span| (span.start, span.end)),
            Found::Few(few) => {
                let found = few.get(at).filter(|span| **span != NOWHERE);
                found.map(|&(start, end)| (start as usize, end as usize))
            }
            Found::Whole(start, end) => (at == 0).then_some((*start, *end)),
        }
    }
}

fn syntax() -> regex_automata::util::syntax::Config {
    regex_automata::util::syntax::Config::new().nest_limit(DEPTH_MAX)
}

impl Pattern {
    /// Reads an expression.
    ///
    /// # Errors
    /// 2201B for what is none, or too large; 0A000 for what no automaton matches.
    fn new(text: &str, options: Options) -> Result<Self> {
        let translation = translate::translate(text, options)?;
        let build = |text: &str| {
            let config = meta::Config::new().nfa_size_limit(Some(BYTES_MAX));
            let mut builder = meta::Regex::builder();
            builder.configure(config).syntax(syntax());
            stack::for_library(|| builder.build(text).ok())
        };
        let search = build(&translation.text).ok_or_else(too_complex)?;
        let shorter = condition::without_any_ends(text, options);
        let condition = shorter.and_then(|text| build(&translate::translate(text, options).ok()?.text));
        let (text, prefers) = (translation.text, translation.prefers);
        Ok(Pattern {
            text,
            prefers,
            search,
            extent: OnceCell::new(),
            stepwise: OnceCell::new(),
            condition,
            quick: OnceCell::new(),
            one_pass: OnceCell::new(),
            searches: Cell::new(0),
        })
    }

    /// What searches short texts; none before there have been some searches.
    fn quick(&self) -> Option<&Quick> {
        let searches = self.searches.get();
        if searches < SEARCHES {
            self.searches.set(searches + 1);
            return None;
        }
        self.quick.get_or_init(|| Quick::new(&self.text)).as_ref()
    }

    /// What searches long texts.
    fn stepwise(&self) -> Option<&Stepwise> {
        self.stepwise.get_or_init(|| Stepwise::new(&self.text)).as_ref()
    }

    /// Whether a text holds a match.
    ///
    /// # Errors
    /// 57014; 54001 for a text that is too long.
    fn is_in(&self, text: &str) -> Result<bool> {
        if text.len() > LONG {
            if let Some(found) = self.stepwise().map(|stepwise| stepwise.is_in(text)).transpose()?.flatten() {
                return Ok(found);
            }
            stepwise::check_whole(text.len())?;
        }
        meter::spend(text.len())?;
        Ok(self.condition.as_ref().unwrap_or(&self.search).is_match(text))
    }

    /// How many groups it has.
    fn groups(&self) -> usize {
        self.search.captures_len() - 1
    }

    /// The leftmost match from a byte on, that there be one; with its groups up to the last one that is wanted.
    fn find(&self, text: &str, from: usize, wanted: usize) -> Result<Option<Found>> {
        if text.len() <= TEXT_MAX
            && let Some(quick) = self.quick()
        {
            match quick.find(text, from, self.prefers) {
                Place::Nowhere => {
                    meter::spend(text.len() - from)?;
                    return Ok(None);
                }
                Place::At(start, end) => {
                    meter::spend(end - from + 16)?;
                    if wanted == 0 {
                        return Ok(Some(Found::Whole(start, end)));
                    }
                    return self.groups_of(text, (start, end), wanted).map(Some);
                }
                Place::Unknown => {}
            }
        }
        if text.len() - from > LONG {
            match self.stepwise().map(|stepwise| stepwise.find(text, from, self.prefers)).transpose()? {
                Some((Reached::Nowhere, _)) => return Ok(None),
                Some((Reached::At(start), Reached::At(end))) => {
                    return self.groups_of(text, (start, end), wanted).map(Some);
                }
                _ => stepwise::check_whole(text.len() - from)?,
            }
        }
        self.find_at_once(text, from)
    }

    /// The same, without a look at the statement.
    fn find_at_once(&self, text: &str, from: usize) -> Result<Option<Found>> {
        let input = Input::new(text).span(from..text.len());
        let Some(leftmost) = self.search.search(&input) else { return Ok(None) };
        let extent = self.extent.get_or_init(|| self.extent()).as_ref().map_err(Clone::clone)?;
        let mut found = extent.automaton.create_captures();
        let input = Input::new(text).span(leftmost.start()..text.len()).anchored(Anchored::Yes);
        let input = input.earliest(self.prefers == Preference::Shortest);
        extent.automaton.search(&mut extent.cache.borrow_mut(), &input, &mut found);
        // A match takes about a microsecond, and what is looked at up to its end.
        let end = found.get_match().map_or(text.len(), |found| found.end());
        meter::spend(1_000 + (leftmost.start() - from) + (end - leftmost.start()).saturating_mul(20))?;
        Ok(found.is_match().then_some(Found::Groups(found)))
    }

    /// The match that begins and ends at these bytes.
    fn groups_of(&self, text: &str, (start, end): (usize, usize), wanted: usize) -> Result<Found> {
        if self.groups() == 0 {
            return Ok(Found::Whole(start, end));
        }
        if end - start <= TEXT_MAX
            && let Some(one_pass) = self.one_pass.get_or_init(|| OnePass::new(&self.text))
            && let Some(found) = one_pass.groups(text, (start, end), wanted.min(self.groups()))
        {
            meter::spend(100 + (end - start) * 2)?;
            return Ok(found);
        }
        meter::spend(1_000)?;
        stepwise::check_groups(end - start)?;
        let extent = self.extent.get_or_init(|| self.extent()).as_ref().map_err(Clone::clone)?;
        let mut found = extent.automaton.create_captures();
        let input = Input::new(text).span(start..end).anchored(Anchored::Yes);
        let input = input.earliest(self.prefers == Preference::Shortest);
        extent.automaton.search(&mut extent.cache.borrow_mut(), &input, &mut found);
        meter::spend((end - start).saturating_mul(20))?;
        Ok(if found.is_match() { Found::Groups(found) } else { Found::Whole(start, end) })
    }

    fn extent(&self) -> Result<Extent> {
        let config = pikevm::Config::new().match_kind(MatchKind::All);
        let mut builder = pikevm::PikeVM::builder();
        builder.configure(config).syntax(syntax());
        builder.thompson(thompson::Config::new().nfa_size_limit(Some(BYTES_MAX)));
        let automaton = stack::for_library(|| builder.build(&self.text).ok()).ok_or_else(too_complex)?;
        let cache = RefCell::new(automaton.create_cache());
        Ok(Extent { automaton, cache })
    }

    /// The matches from a byte on, each behind the one before it; behind an empty one a character on.
    fn matches<'a>(&'a self, text: &'a str, from: usize, wanted: usize) -> impl Iterator<Item = Result<Found>> + 'a {
        let mut next = Some(from);
        std::iter::from_fn(move || {
            let found = match self.find(text, next?, wanted) {
                Ok(found) => found?,
                Err(error) => {
                    next = None;
                    return Some(Err(error));
                }
            };
            let (start, end) = found.whole();
            next = match text[end..].chars().next() {
                _ if start < end => Some(end),
                Some(letter) => Some(end + letter.len_utf8()),
                None => None,
            };
            Some(Ok(found))
        })
    }
}

/// Expressions by their text and options, the one last used last.
type Kept = Vec<((String, String), Rc<Pattern>)>;

/// An expression and its options, read once and kept: functions are called row by row. Each thread keeps its own.
fn pattern(text: &str, options: &str) -> Result<Rc<Pattern>> {
    thread_local! {
        static KEPT: RefCell<Kept> = const { RefCell::new(Vec::new()) };
    }
    let is_it = |(known, _): &((String, String), _)| known.0 == text && known.1 == options;
    let kept = KEPT.with_borrow_mut(|kept| {
        let at = kept.iter().rposition(is_it)?;
        let last = kept.len() - 1;
        kept.swap(at, last);
        Some(Rc::clone(&kept[last].1))
    });
    if let Some(pattern) = kept {
        return Ok(pattern);
    }
    let pattern = Rc::new(Pattern::new(text, Options::of_argument(options)?)?);
    KEPT.with_borrow_mut(|kept| {
        if kept.len() == KEPT_MAX {
            kept.remove(0);
        }
        kept.push(((text.to_owned(), options.to_owned()), Rc::clone(&pattern)));
    });
    Ok(pattern)
}

/// Whether a text holds a match.
pub(super) fn is_match(text: &str, expression: &str, ignores_case: bool) -> Result<bool> {
    pattern(expression, if ignores_case { "i" } else { "" })?.is_in(text)
}

/// The same with options in letters.
pub(super) fn is_match_with(text: &str, expression: &str, options: &str) -> Result<bool> {
    pattern(expression, options)?.is_in(text)
}

/// The value, if the function is one of regular expressions. No argument is NULL.
pub(super) fn apply(call: &Call) -> Result<Option<Value>> {
    use PatternFunction as P;
    let Function::Pattern(function) = call.function else { return Ok(None) };
    Ok(Some(match function {
        P::Matches => Value::Boolean(is_match(call.text(0)?, call.text(1)?, false)?),
        P::MatchesAnyCase => Value::Boolean(is_match(call.text(0)?, call.text(1)?, true)?),
        P::Similar => Value::text(similar::regular(call.text(0)?, call.optional_text(1)?)?),
        P::Replace => replace::replace(call)?,
        P::Like => search::like(call)?,
        P::Count => search::count(call)?,
        P::Place => search::place(call)?,
        P::Part => search::part(call)?,
        P::Substring => search::substring(call)?,
        P::Groups => search::groups(call)?,
        P::Split => search::split(call)?,
        P::AllGroups => search::all_groups(call)?,
        P::Extract => search::extract(call)?,
        P::ExtractAll => search::extract_all(call)?,
        P::Whole => search::whole(call)?,
    }))
}
