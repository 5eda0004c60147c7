//! The README's example is the one that is compiled.

use std::path::Path;

#[test]
fn the_embedding_example_is_the_readme_s() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("tests/ is in the root");
    let read = |file: &str| std::fs::read_to_string(root.join(file)).expect("the file is there");
    let example = read("engine/examples/embedded.rs");
    let (_, code) = example.split_once("\n\n").expect("a header, then the code");
    assert!(read("README.md").contains(code.trim_end()), "README.md shows engine/examples/embedded.rs as it is");
}
