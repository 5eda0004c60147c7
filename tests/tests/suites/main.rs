//! The suites that share a process, and so are linked once: each links the whole engine. Those beside this folder count the threads
//! or the memory of their process, change its folder or what its panics say, start themselves again, or are run by themselves.

mod api;
mod bad_input;
mod changes;
mod devices;
mod domains;
mod embedded_values;
mod enough;
mod execute;
mod explain_json;
mod file_sets;
mod kept_views;
mod large_statements;
mod linq;
mod linq_operators;
mod linq_twins;
mod misuse;
mod nested_bits;
mod other_writers;
mod parse_and_bind;
mod readme;
mod rights;
mod rule_cases;
mod scans;
mod sequences;
mod sessions;
mod signatures;
mod structs;
mod system_catalog;
mod tpch_linq;
mod typed;
mod typed_random;
mod types_of_crates;
mod unnesting;
mod vectors;
mod warnings;
