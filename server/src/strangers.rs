//! Clients that have connected and are no sessions yet: they are counted apart from sessions, so that who never says who they are
//! keeps nobody out.
//!
//! There may be so many. One more gets in at once all the same: the one that has waited longest, of the address that has most of
//! them waiting, is sent away (53300). Only those are that have had [`GRACE`] to prove who they are: until then the newcomer waits,
//! so that a burst of honest clients passes. Thus a flood from one address takes places from itself.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::Notify;

/// How long a client has to prove who it is before another may take its place.
const GRACE: Duration = Duration::from_millis(500);

/// All that wait.
#[derive(Debug)]
pub(crate) struct Strangers {
    most: usize,
    waiting: Mutex<Waiting>,
    /// Told when one of them is gone.
    gone: Notify,
}

#[derive(Debug, Default)]
struct Waiting {
    next: u64,
    all: Vec<One>,
}

#[derive(Debug)]
struct One {
    number: u64,
    origin: Option<IpAddr>,
    since: Instant,
    sent_away: Arc<Notify>,
}

/// A client that waits; dropped, it is a session or has left.
#[derive(Debug)]
pub(crate) struct Stranger {
    number: u64,
    sent_away: Arc<Notify>,
    all: Arc<Strangers>,
}

impl Stranger {
    /// Comes back when the client is to be sent away.
    pub(crate) async fn sent_away(&self) {
        self.sent_away.notified().await;
    }
}

impl Drop for Stranger {
    fn drop(&mut self) {
        self.all.lock().all.retain(|one| one.number != self.number);
        self.all.gone.notify_one();
    }
}

/// What addresses are told apart by: who has one of IPv6 has a network of them. None of a Unix socket.
fn origin(address: Option<SocketAddr>) -> Option<IpAddr> {
    Some(match address?.ip().to_canonical() {
        IpAddr::V6(of) => {
            let [a, b, c, d, ..] = of.segments();
            IpAddr::V6(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
        }
        v4 => v4,
    })
}

impl Strangers {
    /// Room for so many at once.
    pub(crate) fn new(most: usize) -> Arc<Self> {
        Arc::new(Strangers { most: most.max(1), waiting: Mutex::default(), gone: Notify::new() })
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets a client wait; it comes back when there is a place.
    pub(crate) async fn enter(self: &Arc<Self>, address: Option<SocketAddr>) -> Stranger {
        loop {
            let left = match self.try_enter(address, Instant::now()) {
                Ok(stranger) => return stranger,
                Err(left) => left,
            };
            // Either one goes, or the oldest has had its time.
            let _ = tokio::time::timeout(left, self.gone.notified()).await;
        }
    }

    /// A place, if there is one or somebody has had the time for it; if not, how long that takes.
    fn try_enter(self: &Arc<Self>, address: Option<SocketAddr>, now: Instant) -> Result<Stranger, Duration> {
        let mut waiting = self.lock();
        if waiting.all.len() >= self.most {
            let victim = waiting.victim();
            let age = now.saturating_duration_since(waiting.all[victim].since);
            if age < GRACE {
                return Err(GRACE - age);
            }
            waiting.all.remove(victim).sent_away.notify_one();
        }
        let sent_away = Arc::<Notify>::default();
        let number = waiting.next;
        waiting.next += 1;
        waiting.all.push(One { number, origin: origin(address), since: now, sent_away: Arc::clone(&sent_away) });
        Ok(Stranger { number, sent_away, all: Arc::clone(self) })
    }
}

impl Waiting {
    /// The first of those of the address that has most of them; there are some. They are in the order in which they came.
    fn victim(&self) -> usize {
        let mut counts: HashMap<Option<IpAddr>, usize> = HashMap::new();
        self.all.iter().for_each(|one| *counts.entry(one.origin).or_default() += 1);
        let most = counts.values().copied().max().unwrap_or(0);
        self.all.iter().position(|one| counts.get(&one.origin) == Some(&most)).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> Option<SocketAddr> {
        Some(SocketAddr::new(text.parse().expect("an address"), 1))
    }

    #[test]
    fn the_oldest_of_the_most_goes() {
        let strangers = Strangers::new(3);
        let start = Instant::now();
        let enter = |of: &str, at: Duration| strangers.try_enter(address(of), start + at);
        let second = Duration::from_secs(1);
        let one = enter("10.0.0.1", Duration::ZERO).expect("a place");
        let flood = ["10.0.0.2", "10.0.0.2"].map(|of| enter(of, second).expect("a place"));
        // Those that came last have their time first.
        assert_eq!(enter("10.0.0.2", second + GRACE / 2).map(drop), Err(GRACE / 2));
        let more = enter("10.0.0.3", 2 * second).expect("the place of the flood's first");
        let known = |strangers: &Strangers| strangers.lock().all.iter().map(|one| one.number).collect::<Vec<_>>();
        assert_eq!(known(&strangers), [one.number, flood[1].number, more.number]);
        drop(one);
        assert!(enter("10.0.0.2", 2 * second).is_ok());
        drop(flood);
        assert_eq!(known(&strangers), [more.number]);
    }

    #[test]
    fn networks_of_ipv6_are_one_origin() {
        assert_eq!(origin(address("2001:db8::1")), origin(address("2001:db8::ffff:2")));
        assert_ne!(origin(address("2001:db8:0:1::1")), origin(address("2001:db8::1")));
        assert_eq!(origin(address("::ffff:10.0.0.1")), origin(address("10.0.0.1")));
        assert_eq!(origin(None), None);
    }
}
