//! A timer: it calls back when a time has passed, unless whoever asked says before that it need not.
//!
//! One thread waits for the next of all times, and begins with the first that is asked for. It is woken only for a time before
//! the one that it waits for: statements with the same limit, one after the other, cost it nothing but an entry in a tree.

use std::collections::BTreeMap;
use std::sync::{Condvar, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

type Callback = Box<dyn FnOnce() + Send>;

/// When, and a number that tells those of one time apart.
type Place = (Instant, u64);

#[derive(Default)]
struct Waiting {
    callbacks: BTreeMap<Place, Callback>,
    next: u64,
    /// What the thread waits for; none if it waits for anything.
    until: Option<Instant>,
    has_thread: bool,
}

#[derive(Default)]
struct Timer {
    waiting: Mutex<Waiting>,
    changed: Condvar,
}

static TIMER: LazyLock<Timer> = LazyLock::new(Timer::default);

/// A callback that is to come; dropped, it does not come any more. It may be under way then.
#[derive(Debug)]
pub(crate) struct Alarm(Place);

impl Alarm {
    /// Calls back after this time, from another thread. None if that is never: the time is too long for the clock, or the system
    /// gives no thread.
    pub(crate) fn after(time: Duration, callback: impl FnOnce() + Send + 'static) -> Option<Alarm> {
        let at = Instant::now().checked_add(time)?;
        let mut waiting = TIMER.lock();
        if !waiting.has_thread {
            let thread = std::thread::Builder::new().name("multiloop-timer".to_owned());
            thread.spawn(|| TIMER.run()).ok()?;
            waiting.has_thread = true;
        }
        let place = (at, waiting.next);
        waiting.next += 1;
        waiting.callbacks.insert(place, Box::new(callback));
        if waiting.until.is_none_or(|until| at < until) {
            TIMER.changed.notify_one();
        }
        Some(Alarm(place))
    }
}

impl Drop for Alarm {
    fn drop(&mut self) {
        let callback = TIMER.lock().callbacks.remove(&self.0);
        // Not under the lock: it may hold anything.
        drop(callback);
    }
}

impl Timer {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn run(&self) {
        let mut waiting = self.lock();
        loop {
            let now = Instant::now();
            let first = waiting.callbacks.first_key_value().map(|(place, _)| place.0);
            waiting.until = first;
            waiting = match first {
                None => self.changed.wait(waiting).unwrap_or_else(PoisonError::into_inner),
                Some(at) if at > now => {
                    self.changed.wait_timeout(waiting, at - now).unwrap_or_else(PoisonError::into_inner).0
                }
                Some(_) => {
                    let callback = waiting.callbacks.pop_first();
                    drop(waiting);
                    if let Some((_, callback)) = callback {
                        callback();
                    }
                    self.lock()
                }
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Alarm;
    use std::sync::mpsc::{RecvTimeoutError, channel};
    use std::time::{Duration, Instant};

    const MILLISECOND: Duration = Duration::from_millis(1);

    #[test]
    fn alarms_come_in_the_order_of_their_times() {
        let (sender, receiver) = channel();
        let started = Instant::now();
        let alarm = |milliseconds: u32| {
            let sender = sender.clone();
            Alarm::after(MILLISECOND * milliseconds, move || sender.send(milliseconds).expect("the test waits"))
        };
        let _alarms = [60, 20, 40].map(alarm);
        let told: Vec<u32> = (0..3).map(|_| receiver.recv_timeout(MILLISECOND * 10_000).expect("it comes")).collect();
        assert_eq!(told, [20, 40, 60]);
        assert!(started.elapsed() >= MILLISECOND * 60);
    }

    #[test]
    fn what_is_dropped_does_not_come() {
        let (sender, receiver) = channel();
        for _ in 0..100 {
            let sender = sender.clone();
            drop(Alarm::after(MILLISECOND * 20, move || sender.send(()).expect("nobody calls")));
        }
        assert_eq!(receiver.recv_timeout(MILLISECOND * 80), Err(RecvTimeoutError::Timeout));
        assert!(Alarm::after(Duration::MAX, || {}).is_none());
    }
}
