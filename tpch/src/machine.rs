//! What this process holds of the machine.

/// Resident memory of this process in MiB; None where the system does not say.
pub(crate) fn resident_mib() -> Option<u64> {
    status_mib("VmRSS:")
}

/// Most memory that was resident at one time since [`reset_peak`], in MiB; None where the system does not say.
pub(crate) fn peak_mib() -> Option<u64> {
    status_mib("VmHWM:")
}

/// Forgets how much memory was resident before; where that cannot be, the peak is of the whole process so far.
pub(crate) fn reset_peak() {
    // Linux: 5 resets the peak of the resident set. See proc(5).
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

fn status_mib(field: &str) -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with(field))?;
    let kib: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kib / 1024)
}
