//! Frames: relations under construction.

use super::expression::{Expression, Order, quoted};
use crate::session::Session;
use crate::stream::ResultStream;
use crate::{DataType, Result, Value};
use arrow::array::AsArray as _;
use sqlparser::ast::{
    DescribeAlias, Expr, GroupByExpr, Ident, Join as SqlJoin, JoinConstraint, JoinOperator, LimitClause, ObjectName,
    Offset, OffsetRows, OrderBy, OrderByKind, Query, Select, SelectFlavor, SelectItem, SetExpr, Statement, TableAlias,
    TableFactor, TableWithJoins, UtilityOption, WildcardAdditionalOptions, helpers::attached_token::AttachedToken,
};

/// How to join.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the variants are SQL's own names")]
pub enum Join {
    Inner,
    Left,
    Right,
    Full,
}

/// A relation under construction, of a session. Every method gives a new one; nothing runs before [`Frame::run`].
///
/// Steps apply in the order in which they are written, each to the rows that the ones before it give.
#[derive(Clone)]
pub struct Frame<'a> {
    session: &'a Session,
    query: Query,
    alias: Option<String>,
    /// How far the innermost SELECT is filled; a step that SQL would evaluate earlier starts a new one around it.
    stage: Stage,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    From,
    Where,
    Grouped,
    Selected,
    Ordered,
    Limited,
}

impl Session {
    /// A table or view as the start of a LINQ-style query; an unknown name is an error when the query runs.
    pub fn table(&self, name: &str) -> Frame<'_> {
        Frame::table(self, name)
    }
}

impl<'a> Frame<'a> {
    pub(crate) fn table(session: &'a Session, name: &str) -> Self {
        let factor = TableFactor::Table {
            name: ObjectName::from(vec![quoted(name)]),
            alias: None,
            args: None,
            with_hints: Vec::new(),
            version: None,
            with_ordinality: false,
            partitions: Vec::new(),
            json_path: None,
            sample: None,
            index_hints: Vec::new(),
        };
        Frame { session, query: select_all(factor), alias: None, stage: Stage::From }
    }

    /// Keeps the rows for which the condition is true; after `group_by` and `select` it sees the selected columns.
    #[must_use]
    pub fn filter(self, condition: Expression) -> Self {
        let mut frame = self.before(Stage::Grouped);
        let select = frame.select_mut();
        select.selection = Some(match select.selection.take() {
            None => condition.tree,
            Some(before) => Expression { tree: before, alias: None }.and(condition).tree,
        });
        frame.stage = Stage::Where;
        frame
    }

    /// Groups rows; the `select` after it may use these expressions and aggregates.
    #[must_use]
    pub fn group_by(self, keys: impl IntoIterator<Item = Expression>) -> Self {
        let mut frame = self.before(Stage::Grouped);
        let keys = keys.into_iter().map(|key| key.tree).collect();
        frame.select_mut().group_by = GroupByExpr::Expressions(keys, Vec::new());
        frame.stage = Stage::Grouped;
        frame
    }

    /// Keeps the groups for which the condition, which may use aggregates, is true. Between `group_by` and `select`.
    #[must_use]
    pub fn having(mut self, condition: Expression) -> Self {
        let select = self.select_mut();
        select.having = Some(match select.having.take() {
            None => condition.tree,
            Some(before) => Expression { tree: before, alias: None }.and(condition).tree,
        });
        self
    }

    /// Computes new columns; aggregates without `group_by` give one row.
    #[must_use]
    pub fn select(self, columns: impl IntoIterator<Item = Expression>) -> Self {
        let mut frame = self.before(Stage::Selected);
        frame.select_mut().projection = columns.into_iter().map(Expression::into_item).collect();
        frame.stage = Stage::Selected;
        frame
    }

    /// One of each set of equal rows.
    #[must_use]
    pub fn distinct(self) -> Self {
        let mut frame = self.before(Stage::Ordered);
        frame.select_mut().distinct = Some(sqlparser::ast::Distinct::Distinct);
        frame.stage = Stage::Ordered;
        frame
    }

    /// Joins another frame. Where both have a column of one name, say `table.column`, or give [`Frame::alias`]es.
    #[must_use]
    pub fn join(self, other: Frame<'a>, how: Join, on: Expression) -> Self {
        // A condition before a right or full join must not see the rows that the join adds, nor one before a left
        // join the other side; so only a frame without one is joined in place.
        let last = if how == Join::Inner { Stage::Grouped } else { Stage::Where };
        let mut frame = self.before(last);
        let constraint = JoinConstraint::On(on.tree);
        let join_operator = match how {
            Join::Inner => JoinOperator::Inner(constraint),
            Join::Left => JoinOperator::LeftOuter(constraint),
            Join::Right => JoinOperator::RightOuter(constraint),
            Join::Full => JoinOperator::FullOuter(constraint),
        };
        let join = SqlJoin { relation: other.into_factor(), global: false, join_operator };
        frame.select_mut().from[0].joins.push(join);
        frame
    }

    /// The name by which `table.column` finds this frame's columns after a join.
    #[must_use]
    pub fn alias(mut self, name: &str) -> Self {
        if self.stage == Stage::From
            && let [TableWithJoins { relation: TableFactor::Table { alias, .. }, joins }] =
                &mut self.select_mut().from[..]
            && joins.is_empty()
        {
            *alias = Some(table_alias(name));
            return self;
        }
        self.alias = Some(name.to_owned());
        self
    }

    /// Orders rows, most significant first.
    #[must_use]
    pub fn order_by<O: Into<Order>>(self, keys: impl IntoIterator<Item = O>) -> Self {
        let mut frame = self.before(Stage::Limited);
        let keys = keys.into_iter().map(|key| key.into().0).collect();
        frame.query.order_by = Some(OrderBy { kind: OrderByKind::Expressions(keys), interpolate: None });
        frame.stage = Stage::Ordered;
        frame
    }

    /// At most `rows` rows after leaving out `offset`.
    #[must_use]
    pub fn limit(self, rows: u64, offset: u64) -> Self {
        let mut frame = self.before(Stage::Limited);
        let number = |number: u64| super::lit(i64::try_from(number).unwrap_or(i64::MAX)).tree;
        frame.query.limit_clause = Some(LimitClause::LimitOffset {
            limit: Some(number(rows)),
            offset: (offset > 0).then(|| Offset { value: number(offset), rows: OffsetRows::None }),
            limit_by: Vec::new(),
        });
        frame.stage = Stage::Limited;
        frame
    }

    /// The SQL that says the same.
    pub fn to_sql(&self) -> String {
        self.query.to_string()
    }

    /// What EXPLAIN (LOOPS) says of it: its program before and after the rules.
    pub fn explain_loops(&self) -> Result<String> {
        let loops = UtilityOption { name: Ident::new("loops"), arg: None };
        let explain = Statement::Explain {
            describe_alias: DescribeAlias::Explain,
            analyze: false,
            verbose: false,
            query_plan: false,
            estimate: false,
            statement: Box::new(Statement::Query(Box::new(self.query.clone()))),
            format: None,
            options: Some(vec![loops]),
        };
        let mut text = String::new();
        for batch in self.session.run_tree(explain, &[])? {
            for line in batch?.column(0).as_string::<i32>().iter().flatten() {
                text.push_str(line);
                text.push('\n');
            }
        }
        Ok(text)
    }

    /// Runs it.
    pub fn run(&self) -> Result<ResultStream> {
        self.run_with(&[])
    }

    /// Runs it with values for its parameters.
    pub fn run_with(&self, parameters: &[(Value, DataType)]) -> Result<ResultStream> {
        self.session.run_tree(Statement::Query(Box::new(self.query.clone())), parameters)
    }

    /// The frame, or itself as a derived table, so that the innermost SELECT is not as far as `stage` yet.
    fn before(self, stage: Stage) -> Self {
        if self.stage < stage {
            return self;
        }
        let session = self.session;
        Frame { session, query: select_all(self.into_factor()), alias: None, stage: Stage::From }
    }

    fn select_mut(&mut self) -> &mut Select {
        let SetExpr::Select(select) = &mut *self.query.body else { unreachable!("a frame's query is a SELECT") };
        select
    }

    fn into_factor(mut self) -> TableFactor {
        let alias = self.alias.take();
        if self.stage == Stage::From && alias.is_none() && self.select_mut().from[0].joins.is_empty() {
            return self.select_mut().from.remove(0).relation;
        }
        let alias = table_alias(alias.as_deref().unwrap_or("derived"));
        TableFactor::Derived { lateral: false, subquery: Box::new(self.query), alias: Some(alias), sample: None }
    }
}

fn table_alias(name: &str) -> TableAlias {
    TableAlias { explicit: true, name: quoted(name), columns: Vec::new(), at: None }
}

fn select_all(relation: TableFactor) -> Query {
    let select = Select {
        select_token: AttachedToken::empty(),
        optimizer_hints: Vec::new(),
        distinct: None,
        select_modifiers: None,
        top: None,
        top_before_distinct: false,
        projection: vec![SelectItem::Wildcard(WildcardAdditionalOptions::default())],
        exclude: None,
        into: None,
        from: vec![TableWithJoins { relation, joins: Vec::new() }],
        lateral_views: Vec::new(),
        prewhere: None,
        selection: None::<Expr>,
        connect_by: Vec::new(),
        group_by: GroupByExpr::Expressions(Vec::new(), Vec::new()),
        cluster_by: Vec::new(),
        distribute_by: Vec::new(),
        sort_by: Vec::new(),
        having: None,
        named_window: Vec::new(),
        qualify: None,
        window_before_qualify: false,
        value_table_mode: None,
        flavor: SelectFlavor::Standard,
    };
    Query {
        with: None,
        body: Box::new(SetExpr::Select(Box::new(select))),
        order_by: None,
        limit_clause: None,
        fetch: None,
        locks: Vec::new(),
        for_clause: None,
        settings: None,
        format_clause: None,
        pipe_operators: Vec::new(),
    }
}
