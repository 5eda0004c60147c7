//! Statements whose results are streams: they run on a thread of their own (`asynchronous`).

use super::Session;
use super::prepared::Prepared;
use crate::Cancellation;
use crate::asynchronous::BatchStream;
use crate::parameters::Parameters;
use crate::row::Rows;
use std::sync::Arc;

impl Session {
    /// Runs a statement as [`Session::query`] does, and gives its batches as a stream that blocks no thread of a runtime. It begins at
    /// once, on a thread of its own; whoever runs another statement of the same session meanwhile does not know which is first.
    ///
    /// Errors, those before the first row as well, are the stream's last item. See [`BatchStream`] for an example.
    pub fn query_stream(self: &Arc<Self>, sql: &str, parameters: impl Parameters) -> BatchStream {
        let (session, sql, list) = (Arc::clone(self), sql.to_owned(), parameters.into_list());
        let handle = Cancellation::default();
        BatchStream::of(handle.clone(), move || {
            session.cancelled_by(&handle, || session.query(&sql, list)).map(Rows::into_stream)
        })
    }
}

impl Prepared {
    /// Runs it as [`Prepared::query`] does, and gives its batches as a stream; see [`Session::query_stream`].
    ///
    /// ```
    /// use multiloop::{Engine, params};
    /// use std::sync::Arc;
    ///
    /// let session = Arc::new(Engine::new()?.session());
    /// let series = Arc::new(session.prepare("SELECT n FROM generate_series(1, $1) r (n)")?);
    /// let streams = [1, 2].map(|n| series.query_stream(&session, params![n]));
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    pub fn query_stream(self: &Arc<Self>, session: &Arc<Session>, parameters: impl Parameters) -> BatchStream {
        let (prepared, session, list) = (Arc::clone(self), Arc::clone(session), parameters.into_list());
        let handle = Cancellation::default();
        BatchStream::of(handle.clone(), move || {
            session.cancelled_by(&handle, || prepared.query(&session, list)).map(Rows::into_stream)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Engine, Error, ErrorKind, params};
    use futures_core::Stream;
    use std::pin::{Pin, pin};
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::task::{Context, Poll, Wake};
    use std::time::{Duration, Instant};

    struct Park(std::thread::Thread, AtomicBool);

    impl Wake for Park {
        fn wake(self: Arc<Self>) {
            self.1.store(true, Ordering::SeqCst);
            self.0.unpark();
        }
    }

    /// Polls a future until it is ready, at most for a minute.
    fn block_on<T>(future: impl Future<Output = T>) -> T {
        let park = Arc::new(Park(std::thread::current(), AtomicBool::new(false)));
        let (waker, start) = (Arc::clone(&park).into(), Instant::now());
        let mut future = pin!(future);
        loop {
            if let Poll::Ready(done) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
                return done;
            }
            while !park.1.swap(false, Ordering::SeqCst) {
                assert!(start.elapsed() < Duration::from_secs(60), "nothing wakes it");
                std::thread::park_timeout(Duration::from_secs(1));
            }
        }
    }

    async fn rows(mut stream: BatchStream) -> crate::Result<usize> {
        let mut rows = 0;
        while let Some(batch) = stream.next_batch().await {
            rows += batch?.num_rows();
        }
        Ok(rows)
    }

    fn session() -> Arc<Session> {
        Arc::new(Engine::builder().threads(2).build().expect("an engine").session())
    }

    /// Waits until the engine uses as little memory as before, and threads of streams have given their sessions back.
    fn settles(session: &Arc<Session>, used: usize) {
        let start = Instant::now();
        while session.engine().memory_used() > used || Arc::strong_count(session) > 1 {
            let left = (session.engine().memory_used(), Arc::strong_count(session));
            assert!(start.elapsed() < Duration::from_secs(30), "{left:?} are left");
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    #[test]
    fn a_stream_has_the_rows_of_the_result() {
        let session = session();
        let used = session.engine().memory_used();
        let sql = "SELECT n, n::text AS t FROM generate_series(1, $1) r (n) ORDER BY n DESC";
        assert_eq!(block_on(rows(session.query_stream(sql, params![300_000]))).expect("rows"), 300_000);
        assert_eq!(block_on(rows(session.query_stream(sql, params![0]))).expect("no rows"), 0);
        let prepared = Arc::new(session.prepare(sql).expect("a query"));
        assert_eq!(block_on(rows(prepared.query_stream(&session, params![7]))).expect("rows"), 7);
        let mut stream = session.sql("SELECT 1 AS a").expect("a row").into_batch_stream();
        assert_eq!(block_on(stream.fields()).expect("a column")[0].name, "a");
        assert_eq!(block_on(stream.schema()).expect("a column").fields().len(), 1);
        assert_eq!(block_on(rows(stream)).expect("a row"), 1);
        let mut done = session.query_stream("CREATE TABLE t (a int)", ());
        assert!(block_on(done.fields()).expect("no columns").is_empty());
        assert!(block_on(done.next_batch()).is_none() && block_on(done.next_batch()).is_none());
        drop(done);
        settles(&session, used);
    }

    #[test]
    fn polling_blocks_nobody() {
        let session = session();
        let start = Instant::now();
        let mut streams = [(); 2].map(|()| session.query_stream("SELECT pg_sleep(1)", ()));
        let waker = std::task::Waker::noop();
        for stream in &mut streams {
            assert!(Pin::new(stream).poll_next(&mut Context::from_waker(waker)).is_pending());
        }
        assert!(start.elapsed() < Duration::from_millis(900), "polling waited for the statement");
        for stream in streams {
            assert_eq!(block_on(rows(stream)).expect("a row"), 1);
        }
        assert!(start.elapsed() < Duration::from_millis(1900), "one statement waited for the other");
    }

    #[test]
    fn errors_are_the_last_items() {
        let session = session();
        let state = |error: Error| error.sqlstate();
        for (sql, expected) in [("SELEC", "42601"), ("SELECT a FROM nowhere", "42P01")] {
            let mut stream = session.query_stream(sql, ());
            assert_eq!(block_on(stream.fields()).map(|_| ()).map_err(state), Err(expected), "{sql}");
            assert_eq!(block_on(stream.next_batch()).expect("an item").map(|_| ()).map_err(state), Err(expected));
            assert!(block_on(stream.next_batch()).is_none());
        }
        let divided = session.query_stream("SELECT 1 / (n - 200000) FROM generate_series(1, 300000) r (n)", ());
        assert_eq!(block_on(rows(divided)).map_err(state), Err("22012"));
        let failed = session.query_stream("SELECT $1::int", params!["x"]);
        assert_eq!(block_on(rows(failed)).map_err(state), Err("22P02"));
        let panicking = BatchStream::of(Cancellation::default(), || panic!("of a program"));
        assert_eq!(block_on(rows(panicking)).expect_err("it panics").kind(), ErrorKind::Internal);
        let cancelled = session.query_stream("SELECT pg_sleep(100)", ());
        cancelled.cancel_handle().cancel();
        assert_eq!(block_on(rows(cancelled)).expect_err("it is cancelled").kind(), ErrorKind::Cancelled);
        assert!(session.sql("SELECT 1").is_ok());
        settles(&session, usize::MAX);
    }

    #[test]
    fn dropping_a_stream_ends_its_statement() {
        let session = session();
        let used = session.engine().memory_used();
        let long = "SELECT n, repeat('x', 100) AS t FROM generate_series(1, 2000000) r (n)";
        // Before it begins, while it runs, while the queue is full, and with items in it.
        for taken in [0, 0, 1, 2] {
            for sql in ["SELECT pg_sleep(100)", long] {
                let mut stream = session.query_stream(sql, ());
                for _ in 0..taken {
                    if sql == long {
                        assert!(block_on(stream.next_batch()).is_some_and(|batch| batch.is_ok()));
                    }
                }
                std::thread::sleep(Duration::from_millis(20 * taken));
                let start = Instant::now();
                drop(stream);
                assert!(start.elapsed() < Duration::from_millis(500), "dropping waited");
            }
        }
        settles(&session, used);
        assert!(session.sql("SELECT 1").is_ok());
    }
}
