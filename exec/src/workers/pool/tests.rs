//! Who takes part, who waits, and whose turn it is.

use super::*;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Barrier;
use std::time::Duration;

/// A part that is one piece.
fn once(work: impl FnOnce() + Send) -> impl FnMut() -> bool + Send {
    let mut work = Some(work);
    move || {
        if let Some(work) = work.take() {
            work();
        }
        false
    }
}

/// Pieces that are left.
struct Pieces(AtomicUsize);

impl Pieces {
    fn new(count: usize) -> Self {
        Pieces(AtomicUsize::new(count))
    }

    fn take(&self) -> bool {
        self.number().is_some()
    }

    /// Takes one, and says how many there were with it: every number from the last to 1 comes once.
    fn number(&self) -> Option<usize> {
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).ok()
    }

    fn left(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

/// All of them take part: each waits for the others.
fn numbers(pool: &Pool) -> Vec<usize> {
    let (barrier, numbers) = (&Barrier::new(pool.threads()), &Mutex::new(Vec::new()));
    pool.share(usize::MAX, |worker| {
        once(move || {
            barrier.wait();
            numbers.lock().unwrap().push(worker.number);
        })
    });
    let mut numbers = std::mem::take(&mut *numbers.lock().unwrap());
    numbers.sort_unstable();
    numbers
}

#[test]
fn every_worker_takes_part_awake_or_asleep() {
    for threads in [1, 2, 5] {
        let pool = Pool::new(threads).unwrap();
        for pause in [0, 0, 20, 0] {
            std::thread::sleep(Duration::from_millis(pause));
            assert_eq!(numbers(&pool), (0..threads).collect::<Vec<_>>());
        }
    }
}

#[test]
fn no_more_help_than_asked_for() {
    let pool = Pool::new(4).unwrap();
    for helpers in [0, 1, 2] {
        for _ in 0..1000 {
            let workers = &AtomicUsize::new(0);
            pool.share(helpers, |_| {
                once(move || {
                    workers.fetch_add(1, Ordering::Relaxed);
                })
            });
            assert!((1..=helpers + 1).contains(&workers.load(Ordering::Relaxed)));
        }
    }
}

#[test]
fn who_asks_waits_for_all_that_took_part() {
    let pool = Pool::new(3).unwrap();
    for _ in 0..5000 {
        // What the work borrows is gone right behind it.
        let (pieces, done) = (&Pieces::new(20), &AtomicUsize::new(0));
        pool.share(2, |_| {
            move || {
                let is_one = pieces.take();
                done.fetch_add(usize::from(is_one), Ordering::Relaxed);
                is_one
            }
        });
        assert_eq!(done.load(Ordering::Relaxed), 20);
    }
}

#[test]
fn many_ask_at_once_and_from_within() {
    let pool = &Pool::new(3).unwrap();
    let sum = &AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for round in 0..300 {
                    // Each outer piece shares inner ones, of which each is done once.
                    let outer = &Pieces::new(1 + round % 4);
                    pool.share(2, |_| {
                        move || {
                            if !outer.take() {
                                return false;
                            }
                            let inner = &Pieces::new(5);
                            pool.share(4, |_| {
                                move || {
                                    let is_one = inner.take();
                                    sum.fetch_add(usize::from(is_one), Ordering::Relaxed);
                                    is_one
                                }
                            });
                            true
                        }
                    });
                }
            });
        }
    });
    assert_eq!(sum.load(Ordering::Relaxed), 8 * 75 * (1 + 2 + 3 + 4) * 5);
}

#[test]
fn who_waits_helps_with_what_its_own_pieces_share() {
    // The helper's piece needs two at once, and there is nobody else than who waits for it.
    let pool = &Pool::new(2).unwrap();
    for _ in 0..50 {
        let (both, inner) = (&Barrier::new(2), &Barrier::new(2));
        pool.share(1, |worker| {
            once(move || {
                both.wait();
                if worker.number == 1 {
                    pool.share(1, |_| {
                        once(move || {
                            inner.wait();
                        })
                    });
                }
            })
        });
    }
}

#[test]
fn a_panic_reaches_who_asked_and_no_one_else() {
    let pool = Pool::new(3).unwrap();
    for who in [0, 1, 2] {
        let barrier = &Barrier::new(3);
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            pool.share(2, |worker| {
                once(move || {
                    barrier.wait();
                    assert!(worker.number != who, "out of order");
                })
            });
        }));
        assert!(outcome.is_err(), "{who}");
        assert_eq!(numbers(&pool), vec![0, 1, 2]);
    }
}

#[test]
fn jobs_that_panic_beside_others_leave_these_alone() {
    let pool = &Pool::new(3).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..6 {
            scope.spawn(move || {
                for round in 0..200 {
                    let (pieces, done) = (&Pieces::new(30), &AtomicUsize::new(0));
                    let panics = thread % 2 == 0;
                    let outcome = catch_unwind(AssertUnwindSafe(|| {
                        pool.share(2, |_| {
                            move || {
                                let number = pieces.number();
                                assert!(!panics || number != Some(1 + round % 30), "on purpose");
                                done.fetch_add(usize::from(number.is_some()), Ordering::Relaxed);
                                number.is_some()
                            }
                        });
                    }));
                    assert_eq!(outcome.is_err(), panics);
                    assert!(panics || done.load(Ordering::Relaxed) == 30);
                }
            });
        }
    });
    assert_eq!(numbers(pool), vec![0, 1, 2]);
}

#[test]
fn a_worker_leaves_a_job_that_goes_on_for_another() {
    // The long job ends when the short one has, whose two pieces need two at once: its owner and the one worker.
    let pool = &Pool::new(2).unwrap();
    let (helped, over) = (&AtomicBool::new(false), &AtomicBool::new(false));
    std::thread::scope(|scope| {
        scope.spawn(move || {
            pool.share(1, |worker| {
                move || {
                    helped.fetch_or(worker.number == 1, Ordering::Relaxed);
                    std::thread::yield_now();
                    !over.load(Ordering::Relaxed)
                }
            });
        });
        while !helped.load(Ordering::Relaxed) {
            std::thread::yield_now();
        }
        let both = &Barrier::new(2);
        pool.share(1, |_| {
            once(move || {
                both.wait();
            })
        });
        over.store(true, Ordering::Relaxed);
    });
}

#[test]
fn nobody_waits_for_a_piece_of_another_job() {
    // The worker takes part in the short job, and comes into a piece of the long one that lasts until the short one is over.
    let pool = &Pool::new(2).unwrap();
    for _ in 0..20 {
        let [helped, helps_long, over] = &[false; 3].map(AtomicBool::new);
        let pieces = &Pieces::new(2);
        std::thread::scope(|scope| {
            scope.spawn(move || {
                while !helped.load(Ordering::Relaxed) {
                    std::thread::yield_now();
                }
                pool.share(1, |worker| {
                    move || {
                        helps_long.fetch_or(worker.number == 1, Ordering::Relaxed);
                        while !over.load(Ordering::Relaxed) {
                            std::thread::yield_now();
                        }
                        false
                    }
                });
            });
            pool.share(1, |worker| {
                move || {
                    if worker.number == 1 && !helped.swap(true, Ordering::Relaxed) {
                        // Once the long one is there for it, it has to go on with that.
                        while !pool.shared.jobs.lock().unwrap().iter().any(|job| job.is_open()) {
                            std::thread::yield_now();
                        }
                        return true;
                    }
                    while worker.number == 0 && !helps_long.load(Ordering::Relaxed) {
                        std::thread::yield_now();
                    }
                    pieces.take()
                }
            });
            over.store(true, Ordering::Relaxed);
        });
    }
}

/// A job of pieces that the test hands out itself, tick by tick: in each, every owner and every worker does one.
struct Played {
    job: Arc<Job>,
    pieces: Arc<Pieces>,
}

impl Played {
    fn publish(shared: &Shared, pieces: usize, helpers: usize) -> Self {
        let pieces = Arc::new(Pieces::new(pieces));
        let begin = {
            let pieces = Arc::clone(&pieces);
            move |_: Worker| {
                let pieces = Arc::clone(&pieces);
                move || pieces.take()
            }
        };
        let job = Job::of_static(begin, helpers);
        shared.publish(&job, helpers);
        Played { job, pieces }
    }

    /// The owner's tick: a piece, or the end.
    fn tick(&self) {
        if !self.pieces.take() {
            self.job.close();
            self.job.end_parked(Worker { number: 0, node: 0 });
        }
    }

    fn is_over(&self) -> bool {
        self.job.has_ended()
    }
}

#[test]
fn a_short_job_is_not_behind_a_long_one() {
    for workers in [1, 2, 4, 7] {
        let shared = Shared::default();
        let mut turns: Vec<Turns> = (1..=workers).map(|number| Turns::new(Worker { number, node: 0 })).collect();
        let long = Played::publish(&shared, 1000, workers);
        let mut tick = |jobs: &[&Played]| {
            jobs.iter().for_each(|job| job.tick());
            turns.iter_mut().for_each(|turns| assert!(turns.turn(&shared), "there is work"));
        };
        (0..10).for_each(|_| tick(&[&long]));
        let before = long.pieces.left();
        assert_eq!(before, 1000 - 10 * (workers + 1), "all are at work at the long one");
        let short = Played::publish(&shared, 4, 3);
        let mut ticks = 0;
        while !short.is_over() {
            tick(&[&short, &long]);
            ticks += 1;
        }
        let handed_out = before - long.pieces.left();
        assert!(ticks <= 5 && handed_out <= 3 * (workers + 1), "{workers} workers: {handed_out} in {ticks} ticks");
    }
}

#[test]
fn a_long_job_goes_on_beside_many_short_ones() {
    let shared = Shared::default();
    let mut turns = Turns::new(Worker { number: 1, node: 0 });
    let long = Played::publish(&shared, 1000, 1);
    let mut short: Vec<Played> = Vec::new();
    for _ in 0..300 {
        short.push(Played::publish(&shared, 2, 1));
        assert!(turns.turn(&shared), "there is work");
        short.iter().for_each(Played::tick);
        short.retain(|job| !job.is_over());
    }
    // A turn in three at least: a short one is joined, a piece of the long one done, and the short one left.
    assert!(long.pieces.left() <= 900, "{} are left", long.pieces.left());
}

#[test]
fn nodes_are_filled_evenly() {
    let topology = Topology { nodes: vec![vec![0, 1, 2], vec![8]] };
    assert_eq!(deal(1, &topology), vec![0]);
    assert_eq!(deal(3, &topology), vec![0, 0, 1]);
    assert_eq!(deal(4, &topology), vec![0, 0, 0, 1]);
    assert_eq!(deal(6, &topology), vec![0, 0, 0, 0, 1, 1]);
    assert_eq!(deal(2, &Topology { nodes: Vec::new() }), vec![0, 0]);
    let pool = Pool::with_topology(3, &topology).unwrap();
    assert_eq!(pool.nodes(), 2);
    assert_eq!(numbers(&pool), vec![0, 1, 2]);
}
