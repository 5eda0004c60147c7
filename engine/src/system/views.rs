//! Views of the system: `views.sql`, read once.

use multiloop_planner::catalog::View;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

/// The view of a name, if there is one.
pub(super) fn view(schema: &str, name: &str) -> Option<Arc<View>> {
    static VIEWS: LazyLock<HashMap<(&str, &str), Arc<View>>> = LazyLock::new(|| {
        let of = |text: &'static str| {
            let (head, body) = text.split_once('\n').expect("a view has a query");
            let view = View::of_text(body.trim());
            (head.trim().split_once('.').expect("a view has a schema"), Arc::new(view))
        };
        include_str!("views.sql").split("-- @ ").skip(1).map(of).collect()
    });
    VIEWS.get(&(schema, name)).cloned()
}
