//! Backslash commands.

use super::arguments::{Argument, Rest};
use super::output::Target;
use super::send::Use;
use super::settings::{on_or_off, toggled};
use super::variables::truth;
use super::{Flow, Shell, Source, expanded_path, help, is_blank};
use crate::display::{Expanded, Style};
use std::io::{BufRead as _, Write as _};
use std::path::PathBuf;
use std::process::Command;

/// Commands whose argument is the rest of the line, as it is written.
const WHOLE_LINE: [&str; 2] = ["!", "copy"];

/// Seconds between runs of `\watch`.
const WATCH_SECONDS: f64 = 2.0;

/// The arguments of a command.
type Arguments = Vec<Argument>;

impl Shell<'_> {
    /// Does the command that begins here, and passes over it.
    pub(super) fn command(&mut self, source: &mut Source<'_>) -> Flow {
        let start = source.at + 1;
        let line = source.text[start..].lines().next().unwrap_or_default();
        let end = match line.chars().next() {
            Some('!') => 1,
            _ => {
                line.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '+' | '?'))).unwrap_or(line.len())
            }
        };
        let (name, behind) = line.split_at(end);
        let mut rest = Rest::new(behind);
        let is_condition = matches!(name, "if" | "elif" | "else" | "endif");
        if name.is_empty() {
            // `\\` ends a command; anything else begins none.
            source.at = start + usize::from(line.starts_with('\\'));
            return if line.starts_with('\\') {
                Flow::Go
            } else {
                self.complain("a backslash begins no command here; \\? for help")
            };
        }
        if !self.conditions.is_active() && !is_condition {
            source.at = start + line.len();
            return Flow::Go;
        }
        if WHOLE_LINE.contains(&name) {
            source.at = start + line.len();
            let text = self.variables.replaced(rest.whole());
            return if name == "copy" { self.copy_command(&text, source) } else { self.system(&text) };
        }
        let arguments = self.arguments(name, &mut rest);
        source.at = start + end + rest.at();
        let done = match (arguments, is_condition) {
            (Err(message), _) => Err(format!("\\{name}: {message}")),
            (Ok(arguments), true) => self.condition(name, &arguments).map(|()| Flow::Go),
            (Ok(arguments), false) => self.run_command(name, arguments, source),
        };
        done.unwrap_or_else(|message| self.complain(&format!("{}{message}", source.place(start))))
    }

    /// The arguments of a command, up to the next one, or the end of the line.
    fn arguments(&self, name: &str, rest: &mut Rest<'_>) -> Result<Arguments, String> {
        // What does not count is not asked for.
        let is_asked = match name {
            "if" => self.conditions.is_active(),
            "elif" => self.conditions.is_waiting(),
            _ => true,
        };
        if !is_asked {
            rest.whole();
            return Ok(Vec::new());
        }
        let is_pattern = (name.starts_with('d') || name == "l" || name == "l+") && name != "dot";
        let takes_command = matches!(name, "g" | "gx" | "o" | "out" | "w" | "write");
        let mut arguments = Vec::new();
        loop {
            if takes_command && rest.ahead().trim_start().starts_with('|') {
                arguments.push(Argument { text: rest.whole().to_owned(), is_quoted: false });
                return Ok(arguments);
            }
            match rest.next(&self.variables, is_pattern)? {
                Some(argument) => arguments.push(argument),
                None => return Ok(arguments),
            }
        }
    }

    fn condition(&mut self, name: &str, arguments: &[Argument]) -> Result<(), String> {
        let words: Vec<&str> = arguments.iter().map(|argument| argument.text.as_str()).collect();
        let is_true = || {
            let text = words.join(" ");
            truth(&text).unwrap_or_else(|| {
                warn!("unrecognized value \"{text}\" for \"\\{name} expression\": Boolean expected");
                false
            })
        };
        match name {
            "if" => {
                let is_true = self.conditions.is_active() && is_true();
                self.conditions.open(is_true);
                Ok(())
            }
            "elif" => {
                let is_true = self.conditions.is_waiting() && is_true();
                self.conditions.otherwise_if(is_true)
            }
            "else" => self.conditions.otherwise(),
            _ => self.conditions.close(),
        }
    }

    /// Does a command with its arguments; an error is its message.
    pub(super) fn run_command(
        &mut self,
        name: &str,
        arguments: Arguments,
        source: &mut Source<'_>,
    ) -> Result<Flow, String> {
        let words: Vec<&str> = arguments.iter().map(|argument| argument.text.as_str()).collect();
        let first = words.first().copied();
        match name {
            "q" | "quit" => return Ok(Flow::Quit),
            "?" | "help" | "h" => self.page(&help::text(first)),
            "copyright" => say!("multiloop {}, Apache-2.0", env!("CARGO_PKG_VERSION")),
            "g" | "gx" | "gset" | "gexec" | "gdesc" | "watch" => return self.sending(name, &arguments, source),
            "i" | "include" => return self.include(first, None),
            "ir" | "include_relative" => return self.include(first, source.file.and_then(|file| file.parent())),
            "o" | "out" => self.redirect(first)?,
            "w" | "write" => self.write_buffer(first.ok_or("\\w: missing required argument")?)?,
            "p" | "print" => match is_blank(&self.buffer) {
                true if self.previous.is_empty() => say!("Query buffer is empty."),
                true => say!("{}", self.previous),
                false => say!("{}", self.buffer.trim()),
            },
            "r" | "reset" => {
                self.reset();
                say!("Query buffer reset (cleared).");
            }
            "e" | "edit" => self.edit(first, source)?,
            "s" => self.write_history(first)?,
            "echo" | "qecho" | "warn" => self.echo(name, &arguments)?,
            "set" | "unset" | "prompt" => self.set(name, &words)?,
            "timing" => {
                self.timing = toggled(self.timing, first, "\\timing")?;
                self.report(&format!("Timing is {}.", on_or_off(self.timing)));
            }
            "cd" => {
                let folder = first.map_or_else(|| expanded_path("~"), expanded_path);
                std::env::set_current_dir(&folder).map_err(|error| format!("\\cd: {}: {error}", folder.display()))?;
            }
            "conninfo" => {
                let named = |name: &str| self.variables.get(name).unwrap_or_default();
                say!("You are in a database in this program, \"{}\", as user \"{}\".", named("DBNAME"), named("USER"));
            }
            "c" | "connect" => self.connect(&words)?,
            "password" => self.password(first)?,
            "getenv" | "setenv" => self.environment(name, &words)?,
            "encoding" => match first.map(str::to_ascii_lowercase).as_deref() {
                None => say!("UTF8"),
                Some("utf8" | "utf-8" | "unicode") => {}
                Some(other) => return Err(format!("{other}: invalid encoding name or conversion procedure not found")),
            },
            "errverbose" => match &self.last_error {
                Some(trouble) => say!("{}", trouble.text.trim_end()),
                None => say!("There is no previous error."),
            },
            "pset" | "x" | "t" | "a" | "H" | "html" | "f" | "C" | "T" | "format" | "null" => {
                self.setting(name, &words)?
            }
            "d" | "l" | "z" | "dp" | "sv" | "list" => return self.describe(name, &words, source),
            _ if name.starts_with('d') || matches!(name, "d+" | "l+" | "sv+" | "list+") => {
                return self.describe(name, &words, source);
            }
            _ => match super::lists::refused(name) {
                Some(why) => return Err(format!("\\{name} is not supported: {why}")),
                None => return Err(format!("invalid command \\{name}; \\? for help")),
            },
        }
        Ok(Flow::Go)
    }

    /// Says something that nobody has asked for.
    pub(super) fn report(&self, text: &str) {
        if !self.variables.is_on("QUIET") {
            say!("{text}");
        }
    }

    /// Sends what is typed: `\g` and its kin.
    fn sending(&mut self, name: &str, arguments: &[Argument], source: &mut Source<'_>) -> Result<Flow, String> {
        if name == "watch" {
            let (seconds, times) = watch_arguments(arguments)?;
            return Ok(self.watch(seconds, times, source));
        }
        let mut style = self.style.clone();
        if name == "gx" {
            style.expanded = Expanded::On;
        }
        let target = self.sending_options(name, arguments, &mut style)?;
        let Some(text) = self.take_buffer() else { return Ok(Flow::Go) };
        let how = match name {
            "gset" => Use::Keep(target.unwrap_or_default()),
            "gexec" => Use::Run,
            "gdesc" => return Ok(self.describe_statement(&text)),
            _ => {
                if let Some(target) = target {
                    self.once = Some(Target::open(&target)?);
                }
                Use::Show(style)
            }
        };
        Ok(self.send(&text, &how, source))
    }

    /// The options in brackets of `\g (format=csv) file`, and what stands behind them.
    fn sending_options(&self, name: &str, arguments: &[Argument], style: &mut Style) -> Result<Option<String>, String> {
        let mut words = arguments.iter();
        let Some(mut word) = words.next() else { return Ok(None) };
        if word.is_quoted || !word.text.starts_with('(') || name == "gset" {
            return Ok(Some(word.text.clone()));
        }
        loop {
            let option = word.text.trim_start_matches('(').trim_end_matches(')');
            if !option.is_empty() {
                let (option, value) =
                    option.split_once('=').map_or((option, None), |(name, value)| (name, Some(value)));
                super::settings::change(style, option, value)?;
            }
            if word.text.ends_with(')') {
                return Ok(words.next().map(|word| word.text.clone()));
            }
            word = words.next().ok_or_else(|| format!("\\{name}: missing right parenthesis"))?;
        }
    }

    fn include(&mut self, file: Option<&str>, folder: Option<&std::path::Path>) -> Result<Flow, String> {
        let file = file.ok_or("\\i: missing required argument")?;
        let path = expanded_path(file);
        let path = folder.map_or(path.clone(), |folder| folder.join(&path));
        Ok(self.run_file(&path))
    }

    /// Results go elsewhere from here on.
    pub(super) fn redirect(&mut self, to: Option<&str>) -> Result<(), String> {
        let next = to.map(Target::open).transpose()?;
        match std::mem::replace(&mut self.target, next) {
            Some(target) => target.close(),
            None => Ok(()),
        }
    }

    fn write_buffer(&mut self, to: &str) -> Result<(), String> {
        let text = if is_blank(&self.buffer) { self.previous.clone() } else { self.buffer.trim().to_owned() };
        let mut target = Target::open(to)?;
        writeln!(target, "{text}").map_err(|error| format!("{to}: {error}"))?;
        target.close()
    }

    /// What was typed, on standard output or in a file.
    fn write_history(&mut self, to: Option<&str>) -> Result<(), String> {
        let text: String = self.history.iter().map(|entry| format!("{entry}\n")).collect();
        match to {
            None => self.page(&text),
            Some(file) => {
                let path = expanded_path(file);
                std::fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
            }
        }
        Ok(())
    }

    fn echo(&mut self, name: &str, arguments: &[Argument]) -> Result<(), String> {
        let is_open = arguments.first().is_some_and(|first| first.text == "-n" && !first.is_quoted);
        let words: Vec<&str> = arguments.iter().skip(usize::from(is_open)).map(|word| word.text.as_str()).collect();
        let text = words.join(" ") + if is_open { "" } else { "\n" };
        let written = match (name, self.target.as_mut()) {
            ("warn", _) => std::io::stderr().write_all(text.as_bytes()),
            ("qecho", Some(target)) => target.write_all(text.as_bytes()),
            _ => std::io::stdout().write_all(text.as_bytes()).and_then(|()| std::io::stdout().flush()),
        };
        match written {
            Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(format!("\\{name}: {error}")),
            _ => Ok(()),
        }
    }

    fn set(&mut self, name: &str, words: &[&str]) -> Result<(), String> {
        match (name, words) {
            ("set", []) => self.variables.all().for_each(|(name, value)| say!("{name} = '{value}'")),
            ("set", [variable, value @ ..]) => {
                let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || !c.is_ascii();
                if !variable.chars().all(is_name) {
                    return Err(format!("invalid variable name: \"{variable}\""));
                }
                // A switch without a value is on.
                let is_switch = matches!(*variable, "ON_ERROR_STOP" | "QUIET");
                let value = if value.is_empty() && is_switch { "on".to_owned() } else { value.concat() };
                if is_switch && truth(&value).is_none() {
                    return Err(format!("unrecognized value \"{value}\" for \"{variable}\": Boolean expected"));
                }
                self.variables.set(variable, value);
            }
            ("unset", [variable, ..]) => self.variables.unset(variable),
            ("prompt", [text @ .., variable]) => {
                let _ = write!(std::io::stdout(), "{}", text.join(" ")).and_then(|()| std::io::stdout().flush());
                let mut line = String::new();
                std::io::stdin().lock().read_line(&mut line).map_err(|error| format!("\\prompt: {error}"))?;
                self.variables.set(variable, line.trim_end_matches(['\n', '\r']));
            }
            _ => return Err(format!("\\{name}: missing required argument")),
        }
        Ok(())
    }

    /// `\c`: there is one database, and one user.
    fn connect(&self, words: &[&str]) -> Result<(), String> {
        let known = |name: &str| self.variables.get(name).unwrap_or_default();
        let (database, user) = (known("DBNAME"), known("USER"));
        let asked = |at: usize| words.get(at).copied().filter(|word| *word != "-");
        if let Some(other) = asked(0).filter(|name| *name != database) {
            return Err(format!("\\connect: database \"{other}\" does not exist"));
        }
        if let Some(other) = asked(1).filter(|name| *name != user) {
            return Err(format!("\\connect: the user of this program is \"{user}\", not \"{other}\""));
        }
        self.report(&format!("You are now connected to database \"{database}\" as user \"{user}\"."));
        Ok(())
    }

    /// `\getenv VARIABLE NAME`; of `\setenv NAME [VALUE]` that it is not there.
    fn environment(&mut self, command: &str, words: &[&str]) -> Result<(), String> {
        match (command, words) {
            ("getenv", [variable, name, ..]) => {
                if let Ok(value) = std::env::var(name) {
                    self.variables.set(variable, value);
                }
                Ok(())
            }
            ("setenv", [_, ..]) => {
                Err("\\setenv is not supported: variables are set before the program starts".to_owned())
            }
            _ => Err(format!("\\{command}: missing required argument")),
        }
    }

    /// `\!`: a command of the system, or a shell of it.
    pub(super) fn system(&mut self, command: &str) -> Flow {
        let shell = std::env::var_os("SHELL").map_or_else(|| PathBuf::from("sh"), PathBuf::from);
        let run = match command {
            "" => Command::new(shell).status(),
            command => Command::new("sh").args(["-c", command]).status(),
        };
        match run {
            Err(error) => self.complain(&format!("\\!: {error}")),
            Ok(status) => {
                self.variables.set("SHELL_ERROR", if status.success() { "false" } else { "true" });
                self.variables.set("SHELL_EXIT_CODE", status.code().unwrap_or(-1).to_string());
                Flow::Go
            }
        }
    }
}

/// Seconds between runs, and how many: `\watch 5`, `\watch i=5 c=3`.
fn watch_arguments(arguments: &[Argument]) -> Result<(f64, Option<u64>), String> {
    let (mut seconds, mut times) = (WATCH_SECONDS, None);
    for argument in arguments {
        let (key, value) = argument.text.split_once('=').unwrap_or(("i", &argument.text));
        let wrong = || format!("\\watch: incorrect value \"{value}\"");
        match key {
            "i" | "interval" => {
                let parsed: f64 = value.parse().map_err(|_| wrong())?;
                // What is no time is refused: negative, endless, or no number.
                seconds = (0.0..=86_400.0 * 365.0).contains(&parsed).then_some(parsed).ok_or_else(wrong)?;
            }
            "c" | "count" => times = Some(value.parse().ok().filter(|&times| times > 0).ok_or_else(wrong)?),
            _ => return Err(format!("\\watch: unrecognized parameter \"{key}\"")),
        }
    }
    Ok((seconds, times))
}

#[cfg(test)]
mod tests {
    use super::{Argument, watch_arguments};

    #[test]
    fn watch_takes_seconds_and_a_count() {
        let watch = |text: &str| {
            let words = text.split_whitespace();
            let arguments: Vec<_> = words.map(|text| Argument { text: text.to_owned(), is_quoted: false }).collect();
            watch_arguments(&arguments)
        };
        assert_eq!(watch(""), Ok((2.0, None)));
        assert_eq!(watch("0.5"), Ok((0.5, None)));
        assert_eq!(watch("i=5 c=3"), Ok((5.0, Some(3))));
        assert!(["-1", "x", "c=0", "nan", "inf", "y=1"].iter().all(|text| watch(text).is_err()));
    }
}
