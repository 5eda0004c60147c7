//! Searches in texts so long that one takes many milliseconds. A search of `regex_automata` cannot be stopped, and one in a part of
//! a text is another search; so the states of the automata are followed here, byte by byte, with a look at the statement in between.
//!
//! 1. An automaton that prefers its first branch says where the leftmost match ends.
//! 2. Its reverse, run back from there, says where that begins.
//! 3. One that has all matches, run from there, says where the longest or the shortest ends.

use super::translate::Preference;
use super::{BYTES_MAX, syntax};
use crate::error::{Error, ErrorKind, Result};
use crate::{meter, stack};
use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::nfa::thompson;
use regex_automata::{Anchored, Input, MatchKind};
use std::cell::RefCell;

/// Bytes of a text that is searched so.
pub(super) const LONG: usize = 1 << 20;

/// Bytes of a text that may be searched otherwise, where automata cannot (words of letters beyond ASCII): it takes half a second.
const WHOLE_MAX: usize = 1 << 25;

/// Bytes of a match whose groups can be told.
const GROUPS_MAX: usize = 1 << 24;

/// Bytes between two looks at the statement.
const PIECE: usize = 1 << 15;

/// What came of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reached {
    At(usize),
    Nowhere,
    /// The automaton does not know: it has met a letter that it cannot tell.
    Unknown,
}

struct Automaton {
    dfa: DFA,
    cache: RefCell<Cache>,
}

/// The automata of an expression.
pub(super) struct Stepwise {
    leftmost: Automaton,
    back: Automaton,
    all: Automaton,
}

impl Automaton {
    fn new(text: &str, kind: MatchKind, reverse: bool) -> Option<Self> {
        let config = DFA::config().match_kind(kind).unicode_word_boundary(true).skip_cache_capacity_check(true);
        let thompson = thompson::Config::new().reverse(reverse).nfa_size_limit(Some(BYTES_MAX));
        let mut builder = DFA::builder();
        builder.configure(config).thompson(thompson).syntax(syntax());
        let dfa = stack::more(|| builder.build(text).ok())?;
        let cache = RefCell::new(dfa.create_cache());
        Some(Automaton { dfa, cache })
    }

    /// Where a match ends that begins at a byte, or, if it is not anchored, anywhere behind it: the first that is met, or the last.
    fn forward(&self, text: &[u8], from: usize, anchored: Anchored, earliest: bool) -> Result<Reached> {
        let cache = &mut *self.cache.borrow_mut();
        let input = Input::new(text).span(from..text.len()).anchored(anchored);
        let Ok(mut state) = self.dfa.start_state_forward(cache, &input) else { return Ok(Reached::Unknown) };
        let mut last = Reached::Nowhere;
        for (number, piece) in text[from..].chunks(PIECE).enumerate() {
            meter::spend(piece.len() * 3)?;
            for (at, &byte) in piece.iter().enumerate() {
                let Ok(next) = self.dfa.next_state(cache, state, byte) else { return Ok(Reached::Unknown) };
                state = next;
                if !state.is_tagged() {
                    continue;
                }
                // A match is told of one byte behind its end.
                if state.is_match() {
                    last = Reached::At(from + number * PIECE + at);
                    if earliest {
                        return Ok(last);
                    }
                } else if state.is_dead() {
                    return Ok(last);
                } else if state.is_quit() {
                    return Ok(Reached::Unknown);
                }
            }
        }
        match self.dfa.next_eoi_state(cache, state) {
            Ok(state) if state.is_match() => Ok(Reached::At(text.len())),
            Ok(state) if !state.is_quit() => Ok(last),
            _ => Ok(Reached::Unknown),
        }
    }

    /// The first byte of the longest match that ends at a byte and does not begin before another one.
    fn backward(&self, text: &[u8], from: usize, end: usize) -> Result<Reached> {
        let cache = &mut *self.cache.borrow_mut();
        let input = Input::new(text).span(from..end).anchored(Anchored::Yes);
        let Ok(mut state) = self.dfa.start_state_reverse(cache, &input) else { return Ok(Reached::Unknown) };
        let mut last = Reached::Nowhere;
        for at in (from..end).rev() {
            if (end - at).is_multiple_of(PIECE) {
                meter::spend(PIECE * 3)?;
            }
            let Ok(next) = self.dfa.next_state(cache, state, text[at]) else { return Ok(Reached::Unknown) };
            state = next;
            if state.is_match() {
                last = Reached::At(at + 1);
            } else if state.is_dead() {
                return Ok(last);
            } else if state.is_quit() {
                return Ok(Reached::Unknown);
            }
        }
        let ended = match from.checked_sub(1) {
            Some(before) => self.dfa.next_state(cache, state, text[before]),
            None => self.dfa.next_eoi_state(cache, state),
        };
        match ended {
            Ok(state) if state.is_match() => Ok(Reached::At(from)),
            Ok(state) if !state.is_quit() => Ok(last),
            _ => Ok(Reached::Unknown),
        }
    }
}

impl Stepwise {
    /// None of an expression that automata cannot match.
    pub(super) fn new(text: &str) -> Option<Self> {
        Some(Stepwise {
            leftmost: Automaton::new(text, MatchKind::LeftmostFirst, false)?,
            back: Automaton::new(text, MatchKind::All, true)?,
            all: Automaton::new(text, MatchKind::All, false)?,
        })
    }

    /// Whether there is a match; none where that cannot be told.
    pub(super) fn is_in(&self, text: &str) -> Result<Option<bool>> {
        Ok(match self.leftmost.forward(text.as_bytes(), 0, Anchored::No, true)? {
            Reached::At(_) => Some(true),
            Reached::Nowhere => Some(false),
            Reached::Unknown => None,
        })
    }

    /// Where the leftmost match from a byte on begins and ends.
    ///
    /// # Errors
    /// 57014.
    pub(super) fn find(&self, text: &str, from: usize, prefers: Preference) -> Result<(Reached, Reached)> {
        let bytes = text.as_bytes();
        let unknown = (Reached::Unknown, Reached::Unknown);
        let end = match self.leftmost.forward(bytes, from, Anchored::No, false)? {
            Reached::At(end) => end,
            other => return Ok((other, other)),
        };
        let start = match self.back.backward(bytes, from, end)? {
            Reached::At(start) => start,
            _ => return Ok(unknown),
        };
        let end = match self.all.forward(bytes, start, Anchored::Yes, prefers == Preference::Shortest)? {
            Reached::At(end) => end,
            _ => return Ok(unknown),
        };
        // An empty match within a letter is none.
        let is_whole = text.is_char_boundary(start) && text.is_char_boundary(end);
        Ok(if is_whole { (Reached::At(start), Reached::At(end)) } else { unknown })
    }
}

/// An error (54001) for a text that is too long to be searched without a look at the statement.
pub(super) fn check_whole(bytes: usize) -> Result<()> {
    limit(bytes, WHOLE_MAX, "text is too long for this regular expression")
}

/// An error (54001) for a match that is too long for its groups to be told.
pub(super) fn check_groups(bytes: usize) -> Result<()> {
    limit(bytes, GROUPS_MAX, "match of a regular expression is too long for its groups to be found")
}

fn limit(bytes: usize, most: usize, what: &str) -> Result<()> {
    if bytes <= most {
        return Ok(());
    }
    let message = format!("{what}: {bytes} bytes, of {most} at most");
    Err(Error::new(ErrorKind::TooComplex, message))
}
