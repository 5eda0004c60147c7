//! How the keys of a reduction become codes, once its tables are at hand: these may prove more of text than the plan knows.

use crate::Result;
use crate::collections::made::Made;
use crate::column::{Column, ColumnData, Dictionary};
use crate::cpu::collections::stored::Stored;
use crate::cpu::multiloop::frame::Frame;
use crate::plan::key_layout::{KeyLayout, KeyWidth, PartDomain, SHORT_TEXT_MAX, ShortText, WORD_TEXT};
use crate::plan::nodes::Operation;
use crate::plan::tree::{GeneratorPlan, LevelPlan, LoopPlan};
use crate::technique::Technique;
use crate::workers::schedule::Workers;
use multiloop_planner::function::Function;
use multiloop_planner::multiloop::{ScalarId, Source};
use multiloop_planner::value::Value;
use std::sync::Arc;

/// The layout of a generator's keys, of which it may be that others are looked up among them: the plan's, with text that has one dictionary packed as its codes, and short text as the
/// number that its bytes are: up to a word of it, or what makes all of a key a number.
///
/// `rows` are those that the loop goes over.
pub(super) fn layout(
    frame: &Frame<'_>,
    plan: &LoopPlan,
    (key, planned, are_looked_up): (&[ScalarId], &KeyLayout, bool),
    (rows, workers): (u64, Workers<'_>),
) -> Result<KeyLayout> {
    let mut domains: Vec<PartDomain> = planned.parts.iter().map(|part| part.domain.clone()).collect();
    let mut longer = Vec::new();
    for (at, &part) in key.iter().enumerate() {
        if !matches!(domains[at], PartDomain::Text) {
            continue;
        }
        if let Some(dictionary) = dictionary_of(frame, plan, plan.expressions.operation(part))? {
            domains[at] = PartDomain::Code(dictionary);
        } else if let Some(short) = short_text_of(frame, plan, (part, are_looked_up), (rows, workers))? {
            let is_word = short.most <= WORD_TEXT;
            let domain = PartDomain::Short(Arc::new(short));
            if is_word { domains[at] = domain } else { longer.push((at, domain)) }
        }
    }
    let layout = KeyLayout::new(domains.clone());
    longer.into_iter().for_each(|(at, domain)| domains[at] = domain);
    let with_longer = KeyLayout::new(domains);
    Ok(if with_longer.width == KeyWidth::Bits128 { with_longer } else { layout })
}

/// What the strings of a scalar are between those bytes that all have, if it is a column of a collection, no chunk of it has a
/// dictionary, which says more of them, and they are short: if the loop looks at all of them anyway. Of those that others are looked up
/// among nothing is left out: others may have something else there.
fn short_text_of(
    frame: &Frame<'_>,
    plan: &LoopPlan,
    (scalar, are_looked_up): (ScalarId, bool),
    (rows, workers): (u64, Workers<'_>),
) -> Result<Option<ShortText>> {
    let Operation::Column { index: 0, field, .. } = plan.expressions.operation(scalar) else { return Ok(None) };
    let [LevelPlan { source: Source::Rows(collection), conditions, .. }] = &plan.levels[..] else { return Ok(None) };
    let is_asked_of_all = |generator: &GeneratorPlan| generator.conditions.is_empty();
    if !conditions.is_empty() || !plan.generators.iter().all(is_asked_of_all) || !Technique::ShortTexts.is_on() {
        return Ok(None);
    }
    let made = frame.made(*collection)?;
    let Some(stored) = made.on_host() else { return Ok(None) };
    let all = stored?.outermost()?;
    let position = all.position(*field) as usize;
    let columns = all.chunks.iter().map(|chunk| chunk.columns.get(position));
    let Some(columns) = columns.collect::<Option<Vec<&Column>>>() else { return Ok(None) };
    if rows != all.rows as u64 {
        return Ok(None);
    }
    short_text(&columns, are_looked_up, workers)
}

/// The dictionary that holds every value of an operation, if it is a column whose chunks share one, an element of such, or
/// chooses among these.
fn dictionary_of(frame: &Frame<'_>, plan: &LoopPlan, operation: &Operation) -> Result<Option<Arc<Dictionary>>> {
    let (level, field) = match operation {
        Operation::Column { index, field, .. } => (*index, field),
        Operation::Element { collection, field, .. } => {
            let source = frame.shared.elements.get(&(*collection, *field)).and_then(Option::as_ref);
            return Ok(source.and_then(|source| source.dictionary(0)).cloned());
        }
        Operation::Call { function: Function::Case, arguments } => {
            let (branches, otherwise) = arguments.split_at(arguments.len() - 1);
            let results = branches.iter().skip(1).step_by(2).chain(otherwise);
            return dictionary_of_all(frame, plan, results);
        }
        Operation::Call { function: Function::Coalesce, arguments } => {
            return dictionary_of_all(frame, plan, arguments.iter());
        }
        _ => return Ok(None),
    };
    let source = &plan.levels[level].source;
    let Some(collection) = source.collection() else { return Ok(None) };
    let made = frame.made(collection)?;
    let stored = match (made.on_host(), &made) {
        (None, Made::Held(kept)) => return Ok(kept.held.dictionary(*field)),
        _ => frame.get(collection)?,
    };
    if let (Some(_), Stored::Buckets(buckets)) = (source.probe(), &*stored) {
        return Ok(buckets.members.source.dictionary(*field).cloned());
    }
    let Source::Rows(_) = source else { return Ok(None) };
    let rows = stored.outermost()?;
    let position = rows.position(*field);
    if !rows.chunks.is_lazy() {
        return Ok(rows.chunks.dictionary(position as usize));
    }
    let mut shared: Option<Arc<Dictionary>> = None;
    for chunk in &rows.chunks {
        let Some(dictionary) = chunk.dictionary(position as usize)? else { return Ok(None) };
        if shared.as_ref().is_some_and(|shared| !Arc::ptr_eq(shared, &dictionary)) {
            return Ok(None);
        }
        shared = Some(dictionary);
    }
    Ok(shared)
}

/// The one that holds every value of some nodes, but for NULL.
fn dictionary_of_all<'n>(
    frame: &Frame<'_>,
    plan: &LoopPlan,
    nodes: impl Iterator<Item = &'n u32>,
) -> Result<Option<Arc<Dictionary>>> {
    let mut shared: Option<Arc<Dictionary>> = None;
    for &node in nodes {
        let operation = &plan.expressions.nodes[node as usize].operation;
        if let Operation::Constant(Value::Null) = operation {
            continue;
        }
        let Some(dictionary) = dictionary_of(frame, plan, operation)? else { return Ok(None) };
        if shared.as_ref().is_some_and(|shared| !Arc::ptr_eq(shared, &dictionary)) {
            return Ok(None);
        }
        shared = Some(dictionary);
    }
    Ok(shared)
}

/// What strings are between those bytes that all have, or `whole`, if they are short and no dictionary has them.
fn short_text(columns: &[&Column], whole: bool, workers: Workers<'_>) -> Result<Option<ShortText>> {
    let Some(longest) =
        columns.iter().map(|column| longest_text(&column.data)).try_fold(0, |most, longest| Some(longest?.max(most)))
    else {
        return Ok(None);
    };
    if whole || longest <= WORD_TEXT {
        return Ok((longest <= SHORT_TEXT_MAX).then(|| ShortText::of(longest.max(1))));
    }
    let common = workers.map(columns.to_vec(), |column| Ok(Common::of(column, longest as usize)))?;
    let Some(common) = common.into_iter().collect::<Option<Vec<Option<Common>>>>() else { return Ok(None) };
    let Some(Common { prefix, suffix, shortest }) = common.into_iter().flatten().reduce(Common::with) else {
        return Ok(Some(ShortText::of(1)));
    };
    let suffix = &suffix[suffix.len() - suffix.len().min(shortest - prefix.len())..];
    let most = longest as usize - prefix.len() - suffix.len();
    let short = |most: u32| ShortText { prefix: prefix.to_vec(), suffix: suffix.to_vec(), most: most.max(1) };
    Ok(u32::try_from(most).ok().filter(|&most| most <= SHORT_TEXT_MAX).map(short))
}

/// What some strings begin with, and end with, all of them; and the bytes of the shortest.
struct Common<'a> {
    prefix: &'a [u8],
    suffix: &'a [u8],
    shortest: usize,
}

impl<'a> Common<'a> {
    /// Of those of a column; Some(None) of none, None if the longest of all, of so many bytes, has too many of its own.
    fn of(column: &'a Column, longest: usize) -> Option<Option<Self>> {
        let mut common: Option<Common<'a>> = None;
        for row in (0..column.rows()).filter(|&row| !column.is_null(row)) {
            let text = text_at(&column.data, row);
            let own = Common { prefix: text, suffix: text, shortest: text.len() };
            let all = match common.take() {
                None => own,
                Some(all) => all.with(own),
            };
            if longest > all.prefix.len() + all.suffix.len() + SHORT_TEXT_MAX as usize {
                return None;
            }
            common = Some(all);
        }
        Some(common)
    }

    /// Of these and others.
    #[inline]
    fn with(self, other: Self) -> Self {
        let same = |(a, b): (&u8, &u8)| a == b;
        let Common { mut prefix, mut suffix, shortest } = self;
        if !other.prefix.starts_with(prefix) {
            let same = prefix.iter().zip(other.prefix).take_while(|&pair| same(pair)).count();
            prefix = &prefix[..same];
        }
        if !other.suffix.ends_with(suffix) {
            let same = suffix.iter().rev().zip(other.suffix.iter().rev()).take_while(|&pair| same(pair)).count();
            suffix = &suffix[suffix.len() - same..];
        }
        Common { prefix, suffix, shortest: shortest.min(other.shortest) }
    }
}

/// A string that no dictionary holds.
#[inline]
fn text_at(data: &ColumnData, row: usize) -> &[u8] {
    match data {
        ColumnData::Text { offsets, bytes } => &bytes[offsets[row] as usize..offsets[row + 1] as usize],
        ColumnData::Views { views, buffers } => {
            views[row].bytes_in(buffers.get(views[row].buffer as usize).map_or(&[], |buffer| buffer))
        }
        _ => &[],
    }
}

/// The bytes of the longest of some strings that no dictionary holds; none of anything else.
fn longest_text(data: &ColumnData) -> Option<u32> {
    match data {
        ColumnData::Text { offsets, .. } => {
            let lengths = offsets.windows(2).map(|ends| (ends[1] - ends[0]) as u32);
            Some(lengths.fold(0, u32::max))
        }
        ColumnData::Views { views, .. } => Some(views.iter().map(|view| view.length).fold(0, u32::max)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::column::TextView;
    use crate::workers::context::{Context, Memory};
    use arrow::array::StringArray;
    use arrow::buffer::Buffer;

    fn column(texts: &[Option<&str>], views: bool) -> Column {
        let (offsets, bytes, nulls) = StringArray::from(texts.to_vec()).into_parts();
        if !views {
            return Column::new(ColumnData::Text { offsets, bytes }, nulls);
        }
        let view = |ends: &[i32]| TextView { buffer: 0, offset: ends[0] as u32, length: (ends[1] - ends[0]) as u32 };
        let views = Arc::new(offsets.windows(2).map(view).collect());
        Column::new(ColumnData::Views { views, buffers: Arc::from([Buffer::clone(&bytes)]) }, nulls)
    }

    /// What is found of columns, in either form.
    fn found(columns: &[&[Option<&str>]]) -> Option<(String, String, u32)> {
        let context = Context::new(Memory::new(1 << 30));
        let workers = Workers { pool: None, context: &context };
        let [text, views] = [false, true].map(|views| {
            let columns: Vec<Column> = columns.iter().map(|texts| column(texts, views)).collect();
            short_text(&columns.iter().collect::<Vec<_>>(), false, workers).expect("nothing fails")
        });
        assert_eq!(text, views);
        let text_of = |bytes: Vec<u8>| String::from_utf8(bytes).expect("cut between characters");
        text.map(|short| (text_of(short.prefix), text_of(short.suffix), short.most))
    }

    #[test]
    fn what_all_strings_have_is_left_out() {
        let some = |prefix: &str, suffix: &str, most| Some((prefix.to_owned(), suffix.to_owned(), most));
        assert_eq!(found(&[]), some("", "", 1));
        assert_eq!(found(&[&[], &[None, None]]), some("", "", 1));
        assert_eq!(found(&[&[Some(""), None, Some("abcdefg")]]), some("", "", 7));
        assert_eq!(found(&[&[Some("a longer one")]]), some("a longer one", "", 1));
        assert_eq!(found(&[&[Some("page 1.html"), None], &[], &[Some("page 456.html")]]), some("page ", ".html", 3));
        assert_eq!(found(&[&[Some("page 1.html"), Some("pages of another kind")]]), None);
        // What two strings begin with and end with may be the same bytes.
        assert_eq!(found(&[&[Some("aaaaaaaa"), Some("aaaaaaaaaa")]]), some("aaaaaaaa", "", 2));
        assert_eq!(found(&[&[Some(&"x".repeat(15)), Some(&"y".repeat(3))]]), some("", "", 15));
        assert_eq!(found(&[&[Some(&"x".repeat(16)), Some(&"y".repeat(3))]]), None);
        let long = "p".repeat(1_000);
        assert_eq!(found(&[&[Some(&format!("{long}1q")), Some(&format!("{long}22q"))]]), some(&long, "q", 2));
    }
}
