//! `\e`: what is typed, in an editor.

use super::{Shell, Source, is_blank};
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

/// Variables that name the editor, the first that is set counts.
const VARIABLES: [&str; 4] = ["MULTILOOP_EDITOR", "PSQL_EDITOR", "EDITOR", "VISUAL"];

/// The editor where none is named.
const EDITOR: &str = "vi";

/// Tells apart the files of one process.
static NEXT: AtomicU32 = AtomicU32::new(0);

/// A file that goes with its owner.
struct Scratch(PathBuf);

impl Drop for Scratch {
    fn drop(&mut self) {
        // Nobody misses it.
        let _ = std::fs::remove_file(&self.0);
    }
}

impl Shell<'_> {
    /// Opens what is typed, or else what was sent last, or a file, in an editor; what it leaves is typed next.
    pub(super) fn edit(&mut self, file: Option<&str>, source: &mut Source<'_>) -> Result<(), String> {
        let scratch = match file {
            Some(_) => None,
            None => Some(self.scratch()?),
        };
        let path = match (&scratch, file) {
            (Some(scratch), _) => scratch.0.clone(),
            (None, Some(file)) => super::expanded_path(file),
            (None, None) => return Ok(()),
        };
        let before = std::fs::read_to_string(&path).unwrap_or_default();
        let editor = VARIABLES.iter().find_map(|name| std::env::var(name).ok()).unwrap_or_else(|| EDITOR.to_owned());
        // The editor may have arguments of its own; the path is one, whatever is in it.
        let run = Command::new("sh").args(["-c", &format!("{editor} \"$1\""), "sh"]).arg(&path).status();
        let status = run.map_err(|error| format!("\\e: {editor}: {error}"))?;
        if !status.success() {
            return Err(format!("\\e: {editor} ended with {status}"));
        }
        let text = std::fs::read_to_string(&path).map_err(|error| format!("\\e: {}: {error}", path.display()))?;
        if file.is_none() && text == before {
            return Ok(());
        }
        self.reset();
        if source.is_typed {
            // The rest of a typed line has been typed for what was there before.
            source.at = source.text.len();
            self.initial = text.trim_end().to_owned();
        } else {
            self.buffer = text;
        }
        Ok(())
    }

    /// A file with what is typed.
    fn scratch(&self) -> Result<Scratch, String> {
        // What was sent had its semicolon.
        let previous = if self.previous.is_empty() { String::new() } else { format!("{};", self.previous) };
        let text = if is_blank(&self.buffer) { &previous } else { &self.buffer };
        let name = format!("multiloop-{}-{}.sql", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let scratch = Scratch(std::env::temp_dir().join(name));
        let text = if text.trim().is_empty() { String::new() } else { format!("{}\n", text.trim()) };
        // It must be new: whoever else writes there is not to choose what is edited.
        let made = std::fs::File::create_new(&scratch.0)
            .and_then(|mut file| std::io::Write::write_all(&mut file, text.as_bytes()));
        made.map_err(|error| format!("\\e: {}: {error}", scratch.0.display()))?;
        Ok(scratch)
    }
}
