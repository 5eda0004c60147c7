//! Finds where matches begin and end with one deterministic automaton, which is made ahead of time.
//!
//! The general way runs two engines for each match: one says where the leftmost match begins, a slower one how far the longest or the
//! shortest reaches. Here one automaton of all matches, anchored, is run from each byte that a match can begin with:
//!
//! 1. A table of 256 entries, read off the automaton's start state, says which bytes these are; others are skipped.
//! 2. From such a byte the automaton follows the text until it is dead. The last match that it met is the longest, the first one the
//!    shortest.
//! 3. Where it met none the next such byte is tried. An expression like `a.*b` could pass over the text again and again: when that has
//!    come to several times its length, the general way goes on.
//!
//! Expressions whose automaton would be large, or that ask for words of letters beyond ASCII, have none.

use super::translate::Preference;
use super::{FEW, Found, NOWHERE, syntax};
use crate::stack;
use regex_automata::dfa::{Automaton, StartKind, dense, onepass};
use regex_automata::nfa::thompson;
use regex_automata::util::primitives::StateID;
use regex_automata::{Anchored, Input, MatchKind};
use std::cell::RefCell;

/// Bytes of an automaton, and of what making it takes, at most.
const BYTES_MAX: usize = 1 << 18;

/// Bytes of a text, at most: a search does not look at its statement.
pub(super) const TEXT_MAX: usize = 1 << 16;

/// What came of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// A match, from and up to a byte.
    At(usize, usize),
    Nowhere,
    /// The general way knows.
    Unknown,
}

/// The automaton of an expression.
pub(super) struct Quick {
    dfa: dense::DFA<Vec<u32>>,
    /// The state at the beginning of a match, if it is the same wherever that is.
    start: Option<StateID>,
    /// Whether a match can begin with a byte.
    begins: Box<[bool; 256]>,
    /// Whether a match can begin nowhere but at the beginning of a text.
    at_start: bool,
}

impl Quick {
    /// None of an expression whose automaton is large.
    pub(super) fn new(text: &str) -> Option<Self> {
        let config = dense::Config::new()
            .start_kind(StartKind::Anchored)
            .match_kind(MatchKind::All)
            .unicode_word_boundary(true)
            .accelerate(false)
            .dfa_size_limit(Some(BYTES_MAX))
            .determinize_size_limit(Some(BYTES_MAX));
        let thompson = thompson::Config::new().nfa_size_limit(Some(BYTES_MAX));
        let mut builder = dense::Builder::new();
        builder.configure(config).thompson(thompson).syntax(syntax());
        let dfa = stack::for_library(|| builder.build(text).ok())?;
        let start = dfa.universal_start_state(Anchored::Yes);
        let mut begins = Box::new([true; 256]);
        if let Some(start) = start {
            for (byte, begins) in (0u8..=255).zip(begins.iter_mut()) {
                *begins = !dfa.is_dead_state(dfa.next_state(start, byte));
            }
        }
        // A state from which nothing is reached.
        let is_dead = |state: StateID| {
            let goes_on = |byte: u8| !dfa.is_dead_state(dfa.next_state(state, byte));
            !(0..=255).any(goes_on) && !dfa.is_match_state(dfa.next_eoi_state(state))
        };
        let within = |text: &str| {
            let input = Input::new(text).span(1..text.len()).anchored(Anchored::Yes);
            dfa.start_state_forward(&input).is_ok_and(is_dead)
        };
        let at_start = start.is_none() && ["aa", "  ", "\n\n", "\r\r"].into_iter().all(within);
        Some(Quick { dfa, start, begins, at_start })
    }

    /// The leftmost match from a byte on.
    pub(super) fn find(&self, text: &str, from: usize, prefers: Preference) -> Place {
        let bytes = text.as_bytes();
        if self.at_start && from > 0 {
            return Place::Nowhere;
        }
        let (mut at, mut left) = (from, 4 * (bytes.len() - from) + 256);
        loop {
            while at < bytes.len() && !self.begins[usize::from(bytes[at])] {
                at += 1;
            }
            if at < bytes.len() && !text.is_char_boundary(at) {
                at += 1;
                continue;
            }
            let state = match self.start {
                Some(state) => state,
                None => {
                    let input = Input::new(text).span(at..bytes.len()).anchored(Anchored::Yes);
                    match self.dfa.start_state_forward(&input) {
                        Ok(state) => state,
                        Err(_) => return Place::Unknown,
                    }
                }
            };
            let (end, passed) = match self.extent(bytes, at, state, prefers == Preference::Shortest) {
                Some(run) => run,
                None => return Place::Unknown,
            };
            if let Some(end) = end {
                // An empty match within a letter is none; a match of letters ends behind one.
                return if text.is_char_boundary(end) { Place::At(at, end) } else { Place::Unknown };
            }
            if at >= bytes.len() || self.at_start {
                return Place::Nowhere;
            }
            match usize::checked_sub(left, passed) {
                Some(rest) => left = rest,
                None => return Place::Unknown,
            }
            at += 1;
        }
    }

    /// Where a match ends that begins at a byte, if there is one, and how many bytes were passed; none where that cannot be told.
    #[inline]
    fn extent(&self, bytes: &[u8], from: usize, mut state: StateID, shortest: bool) -> Option<(Option<usize>, usize)> {
        let mut last = None;
        for (passed, &byte) in bytes[from..].iter().enumerate() {
            state = self.dfa.next_state(state, byte);
            if !self.dfa.is_special_state(state) {
                continue;
            }
            // A match is told of one byte behind its end.
            if self.dfa.is_match_state(state) {
                last = Some(from + passed);
                if shortest {
                    return Some((last, passed + 1));
                }
            } else if self.dfa.is_dead_state(state) {
                return Some((last, passed + 1));
            } else if self.dfa.is_quit_state(state) {
                return None;
            }
        }
        state = self.dfa.next_eoi_state(state);
        if self.dfa.is_match_state(state) {
            last = Some(bytes.len());
        }
        Some((last, bytes.len() - from + 1))
    }
}

/// The groups of a match of an expression that has one way for each text: at every byte one branch goes on.
pub(super) struct OnePass {
    dfa: onepass::DFA,
    cache: RefCell<onepass::Cache>,
}

impl OnePass {
    /// None of other expressions.
    pub(super) fn new(text: &str) -> Option<Self> {
        let config = onepass::Config::new().match_kind(MatchKind::All).size_limit(Some(BYTES_MAX));
        let thompson = thompson::Config::new().nfa_size_limit(Some(BYTES_MAX));
        let mut builder = onepass::Builder::new();
        builder.configure(config).thompson(thompson).syntax(syntax());
        let dfa = stack::for_library(|| builder.build(text).ok())?;
        let cache = RefCell::new(dfa.create_cache());
        Some(OnePass { dfa, cache })
    }

    /// The groups, up to the last one that is wanted, of the match that begins and ends at these bytes; none where they cannot be told.
    pub(super) fn groups(&self, text: &str, (start, end): (usize, usize), wanted: usize) -> Option<Found> {
        let input = Input::new(text).span(start..end).anchored(Anchored::Yes);
        let mut cache = self.cache.borrow_mut();
        if wanted >= FEW {
            let mut found = self.dfa.create_captures();
            self.dfa.try_search(&mut cache, &input, &mut found).ok()?;
            let whole = found.get_match().map(|found| (found.start(), found.end()));
            return (whole == Some((start, end))).then_some(Found::Groups(found));
        }
        let mut slots = [None; 2 * FEW];
        let slots = &mut slots[..2 * (wanted + 1)];
        self.dfa.try_search_slots(&mut cache, &input, slots).ok()??;
        let mut few = [NOWHERE; FEW];
        for (span, slots) in few.iter_mut().zip(slots.as_chunks::<2>().0) {
            if let [Some(start), Some(end)] = slots {
                *span = (u32::try_from(start.get()).ok()?, u32::try_from(end.get()).ok()?);
            }
        }
        let found = Found::Few(few);
        (found.group(0) == Some((start, end))).then_some(found)
    }
}
