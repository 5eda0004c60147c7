//! `multiloop gpu`: which cards there are. And the option that says what statements run on.

use anyhow::Result;
use multiloop::DeviceUse;

/// The value of an option.
pub(crate) fn device(name: &str) -> Result<DeviceUse, String> {
    DeviceUse::named(name).ok_or_else(|| "it is auto, cpu or gpu".to_owned())
}

/// Prints what is known of cards.
pub(crate) fn print() -> Result<()> {
    let lines = multiloop::about_cards();
    let width = lines.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    for (name, about) in lines {
        say!("{name:width$}  {about}");
    }
    Ok(())
}
