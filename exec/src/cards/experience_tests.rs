//! What is chosen after times that are made up.

use super::super::rates::Estimate;
use super::{Besides, Experience, PROGRAMS_MAX, Program, Reason, Side};

const NOTHING: Besides = Besides { uploaded: 0, missed: 0 };

/// A program, and what its runs take in truth.
struct World {
    program: Program,
    processors: f64,
    card: f64,
    /// Seconds that its columns take to come to the card, and whether they are there.
    upload: f64,
    there: bool,
    /// Sources that have to be compiled, one a run.
    sources: u64,
}

impl World {
    fn new(estimate: (f64, f64), truth: (f64, f64)) -> Self {
        let estimate = Estimate { processors: estimate.0, card: estimate.1 };
        let program = Program { estimate, ..Program::default() };
        World { program, processors: truth.0, card: truth.1, upload: 0.0, there: true, sources: 0 }
    }

    /// A run: where it was, and how long it took.
    fn run(&mut self) -> (Side, f64) {
        let decision = self.program.decide(if self.there { 0.0 } else { self.upload }, false);
        let (took, besides) = match decision.side {
            Side::Processors => (self.processors, NOTHING),
            Side::Card => {
                let upload = if self.there { 0.0 } else { self.upload };
                let missed = u64::from(self.sources > 0);
                self.sources -= missed;
                self.there = true;
                (self.card + upload, Besides { uploaded: (upload * 1e9) as u64, missed })
            }
        };
        self.program.learn(decision, Some(took), besides);
        (decision.side, took)
    }

    /// So many runs: how many were on the card, and what all took.
    fn runs(&mut self, runs: usize) -> (usize, f64) {
        let mut all = (0, 0.0);
        for _ in 0..runs {
            let (side, took) = self.run();
            all = (all.0 + usize::from(side == Side::Card), all.1 + took);
        }
        all
    }
}

#[test]
fn what_is_better_runs_whatever_was_estimated() {
    for (estimate, truth) in [
        ((1.0, 2.0), (1.0, 0.4)),
        ((1.0, 2.0), (1.0, 3.0)),
        ((2.0, 1.0), (0.5, 1.0)),
        ((2.0, 1.0), (3.0, 1.0)),
        ((1.0, 1.0), (1.0, 0.95)),
    ] {
        let mut world = World::new(estimate, truth);
        world.runs(5);
        let (_, took) = world.runs(10_000);
        let best = truth.0.min(truth.1);
        assert!(took < 10_000.0 * best * 1.05, "{estimate:?} {truth:?}: {took}");
    }
}

#[test]
fn sides_that_are_far_apart_are_not_tried() {
    // A small program: a run on the card would take a hundred times as long.
    let mut world = World::new((0.01, 1.0), (0.01, 1.0));
    assert_eq!(world.runs(1000).0, 0);
    let mut world = World::new((1.0, 0.01), (1.0, 0.01));
    assert_eq!(world.runs(1000).0, 1000);
}

#[test]
fn times_that_change_are_found_out() {
    let mut world = World::new((1.0, 1.0), (1.0, 0.5));
    world.runs(2000);
    // The card has become slow: it takes as long as the best of late needs to forget.
    world.card = 5.0;
    let (on_card, _) = world.runs(100);
    assert!(on_card < 20, "{on_card}");
    world.card = 0.5;
    world.runs(1 << 17);
    assert_eq!(world.run().0, Side::Card);
}

#[test]
fn columns_come_when_they_would_have_paid_for_themselves() {
    let mut world = World::new((1.0, 0.1), (1.0, 0.1));
    (world.upload, world.there) = (10.0, false);
    let (on_card, _) = world.runs(10);
    assert_eq!(on_card, 0, "ten runs gain nine");
    assert!(matches!(world.program.decide(10.0, false).reason, Reason::Upload { .. }) || world.program.waited >= 10);
    world.runs(5);
    assert_eq!(world.runs(100).0, 100);
    // They are gone again: what was brought was worth it.
    world.there = false;
    assert_eq!(world.runs(5).0, 0);
    assert!(world.runs(20).0 > 0);
}

#[test]
fn columns_that_come_in_several_runs_were_not_brought_in_vain() {
    let mut world = World::new((1.0, 0.1), (1.0, 0.1));
    let mut missing = 4.0;
    let mut runs = 0;
    while missing > 0.0 {
        let decision = world.program.decide(missing, false);
        let is_on_card = decision.side == Side::Card;
        // In each run one loop more has its code, and brings what it reads.
        let besides = Besides { uploaded: u64::from(is_on_card) << 30, missed: u64::from(is_on_card) };
        missing -= if is_on_card { 1.0 } else { 0.0 };
        world.program.learn(decision, Some(1.0), besides);
        runs += 1;
        assert!(runs < 20, "{:?}", world.program);
    }
    assert_eq!((world.runs(10).0, world.program.wasted), (10, 0.0));
}

#[test]
fn tables_that_change_between_runs_cost_twice_at_most() {
    let mut world = World::new((1.0, 0.1), (1.0, 0.1));
    world.upload = 10.0;
    let mut took = 0.0;
    for _ in 0..1000 {
        world.there = false;
        took += world.run().1;
    }
    assert!(took < 1500.0, "{took}");
    // Columns that come for one run each time are brought more and more rarely.
    let mut uploads = 0;
    for _ in 0..100 {
        world.there = false;
        uploads += usize::from(world.run().0 == Side::Card);
    }
    assert!(uploads <= 1, "{uploads}");
}

#[test]
fn columns_that_no_loop_of_the_card_reads_cost_nothing() {
    let mut world = World::new((1.0, 0.5), (1.0, 0.5));
    // They are missing before and after each run.
    for _ in 0..10 {
        let decision = world.program.decide(0.3, false);
        world.program.learn(decision, Some(if decision.side == Side::Card { 0.5 } else { 1.0 }), NOTHING);
    }
    assert_eq!(world.program.decide(0.3, false).side, Side::Card);
    assert_eq!(world.program.decide(0.3, false).upload, 0.0);
    assert_eq!(world.program.decide(0.5, false).upload, 0.5 - 0.3);
}

#[test]
fn runs_that_compile_or_upload_teach_nothing() {
    let mut world = World::new((1.0, 1.2), (1.0, 0.5));
    world.sources = 6;
    // As long as something is missing runs on the card take long.
    let mut first = true;
    for _ in 0..20 {
        let decision = world.program.decide(0.0, false);
        let missed = u64::from(decision.side == Side::Card && world.sources > 0);
        world.sources -= missed;
        let took = match (decision.side, missed) {
            (Side::Processors, _) => 1.0,
            (Side::Card, 1) => 50.0,
            (Side::Card, _) => 0.5,
        };
        first = first && decision.side == Side::Processors;
        world.program.learn(decision, Some(took), Besides { uploaded: 0, missed });
    }
    assert!(!first);
    assert_eq!(world.run().0, Side::Card);
    // While code is compiled nobody tries, unless it is known to be good.
    let program = Program { estimate: Estimate { processors: 1.0, card: 0.1 }, ..Program::default() };
    assert_eq!(program.decide(0.0, true).reason, Reason::Compiling);
    assert_eq!(world.program.decide(0.0, true).side, Side::Card);
}

#[test]
fn a_card_that_never_tells_is_left_alone() {
    let mut world = World::new((1.0, 0.5), (1.0, 0.5));
    let mut on_card = 0;
    for _ in 0..1000 {
        let decision = world.program.decide(0.0, false);
        on_card += usize::from(decision.side == Side::Card);
        world.program.learn(decision, Some(1.0), Besides { uploaded: 0, missed: 1 });
    }
    assert!(on_card < 25, "{on_card}");
    // The same of processors whose rows are made while they are read.
    let mut world = World::new((0.5, 1.0), (0.5, 1.0));
    let mut on_processors = 0;
    for _ in 0..1000 {
        let decision = world.program.decide(0.0, false);
        on_processors += usize::from(decision.side == Side::Processors);
        let took = (decision.side == Side::Card).then_some(1.0);
        world.program.learn(decision, took, NOTHING);
    }
    assert!(on_processors >= 980, "{on_processors}");
}

#[test]
fn what_comes_to_the_card_in_each_run_belongs_to_it() {
    let mut world = World::new((1.0, 0.5), (1.0, 0.6));
    for _ in 0..10 {
        let decision = world.program.decide(0.0, false);
        let (took, besides) = match decision.side {
            Side::Processors => (1.0, NOTHING),
            Side::Card => (0.6, Besides { uploaded: 1 << 20, missed: 0 }),
        };
        world.program.learn(decision, Some(took), besides);
    }
    assert!(matches!(world.program.decide(0.0, false).reason, Reason::Faster { card, .. } if card.measured));
}

#[test]
fn the_last_programs_are_known() {
    let mut experience = Experience::default();
    let estimate = Estimate { processors: 1.0, card: 1.0 };
    for key in 0..3 * PROGRAMS_MAX as u64 {
        experience.put(key, estimate);
        // One that is asked for all the time stays.
        assert!(experience.get(0).is_some());
    }
    assert!(experience.get(1).is_none());
    assert!(experience.get(3 * PROGRAMS_MAX as u64 - 1).is_some());
    assert_eq!(experience.programs.len(), PROGRAMS_MAX);
}
