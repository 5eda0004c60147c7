//! A result as a [`Stream`] of record batches, which blocks no thread of the runtime that polls it (feature `async`).
//!
//! 1. A thread of its own runs the statement, and reads its batches. They go through a queue of [`QUEUED_MAX`]: while it is full, the
//!    thread waits, so that a slow reader holds no more of them.
//! 2. Polling takes a batch from the queue, or leaves its waker there.
//! 3. Dropping the stream cancels the statement, and whoever drops it waits for nothing: the thread hears that as any cancel, within
//!    a few milliseconds, gives back what the result holds, and ends.

use crate::stream::ResultStream;
use crate::{Cancellation, Error, ErrorKind, Field, Result, guard};
use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use futures_core::Stream;
use std::collections::VecDeque;
use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

/// Batches that wait to be polled.
const QUEUED_MAX: usize = 2;

/// The batches of a result, for asynchronous programs. Dropped, it ends the statement.
///
/// An error is the last item. [`Session::query_stream`](crate::Session::query_stream) gives one.
///
/// ```
/// use multiloop::{BatchStream, Engine, params};
/// use std::sync::Arc;
///
/// async fn rows(mut stream: BatchStream) -> multiloop::Result<usize> {
///     assert_eq!(stream.fields().await?[0].name, "n");
///     let mut rows = 0;
///     while let Some(batch) = stream.next_batch().await {
///         rows += batch?.num_rows();
///     }
///     Ok(rows)
/// }
///
/// # fn block_on<T>(future: impl Future<Output = T>) -> T {
/// #     struct Park(std::thread::Thread);
/// #     impl std::task::Wake for Park {
/// #         fn wake(self: Arc<Self>) {
/// #             self.0.unpark();
/// #         }
/// #     }
/// #     let waker = Arc::new(Park(std::thread::current())).into();
/// #     let mut future = std::pin::pin!(future);
/// #     loop {
/// #         match future.as_mut().poll(&mut std::task::Context::from_waker(&waker)) {
/// #             std::task::Poll::Ready(done) => return done,
/// #             std::task::Poll::Pending => std::thread::park(),
/// #         }
/// #     }
/// # }
/// let session = Arc::new(Engine::new()?.session());
/// let stream = session.query_stream("SELECT n FROM generate_series(1, $1) r (n)", params![1000]);
/// assert_eq!(block_on(rows(stream))?, 1000);
/// # Ok::<(), multiloop::Error>(())
/// ```
pub struct BatchStream {
    shared: Arc<Shared>,
    cancellation: Cancellation,
    /// As it was when it was asked for.
    header: Option<Arc<Header>>,
}

/// What is known of a result before its batches.
struct Header {
    fields: Vec<Field>,
    schema: SchemaRef,
}

/// What the stream and its thread share.
#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    /// Told when there is room in the queue, and when the stream is dropped.
    room: Condvar,
}

#[derive(Default)]
struct State {
    header: Option<Arc<Header>>,
    queue: VecDeque<Result<RecordBatch>>,
    waker: Option<Waker>,
    /// No more batches come.
    is_over: bool,
    /// Nobody polls any more.
    is_dropped: bool,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the state, and wakes whoever polls.
    fn change(&self, change: impl FnOnce(&mut State)) {
        let mut state = self.lock();
        change(&mut state);
        let waker = state.waker.take();
        drop(state);
        waker.into_iter().for_each(Waker::wake);
    }

    /// Puts a batch into the queue when there is room; whether anybody is there to take it.
    fn send(&self, batch: Result<RecordBatch>) -> bool {
        let mut state = self.lock();
        while state.queue.len() >= QUEUED_MAX && !state.is_dropped {
            state = self.room.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        let is_wanted = !state.is_dropped;
        drop(state);
        // Nobody else puts any in.
        if is_wanted {
            self.change(|state| state.queue.push_back(batch));
        }
        is_wanted
    }
}

/// The end of the thread, in whatever way it comes.
struct End(Arc<Shared>);

impl Drop for End {
    fn drop(&mut self) {
        self.0.change(|state| {
            if std::thread::panicking() {
                state.queue.push_back(Err(Error::internal("a panic ended the result")));
            }
            state.is_over = true;
        });
    }
}

impl BatchStream {
    /// The result that a function gives on another thread, under this handle.
    pub(crate) fn of(
        cancellation: Cancellation,
        run: impl FnOnce() -> Result<ResultStream> + Send + 'static,
    ) -> BatchStream {
        let shared = Arc::<Shared>::default();
        let stream = BatchStream { shared: Arc::clone(&shared), cancellation: cancellation.clone(), header: None };
        let work = move || {
            let end = End(shared);
            produce(&end.0, &cancellation, run);
        };
        if let Err(error) = std::thread::Builder::new().name("multiloop stream".to_owned()).spawn(work) {
            let message = format!("no thread for a result: {error}");
            // Dropping what was to be done has said that it is over.
            stream.shared.lock().queue.push_back(Err(Error::new(ErrorKind::TooComplex, message)));
            stream.shared.lock().is_over = true;
        }
        stream
    }

    /// Names and SQL types of the columns, when the statement has begun to give rows.
    ///
    /// # Errors
    /// The statement's, if it gives none; it is the stream's only item, too.
    pub async fn fields(&mut self) -> Result<&[Field]> {
        Ok(&self.header().await?.fields)
    }

    /// The Arrow schema of the batches, when the statement has begun to give rows.
    ///
    /// # Errors
    /// As of [`BatchStream::fields`].
    pub async fn schema(&mut self) -> Result<SchemaRef> {
        Ok(Arc::clone(&self.header().await?.schema))
    }

    /// The next batch; None behind the last one. For programs without an extension trait of streams.
    pub async fn next_batch(&mut self) -> Option<Result<RecordBatch>> {
        poll_fn(|context| self.poll_batch(context)).await
    }

    /// A handle that cancels the statement, as dropping the stream does; an error (57014) is the last item then.
    pub fn cancel_handle(&self) -> Cancellation {
        self.cancellation.clone()
    }

    async fn header(&mut self) -> Result<&Header> {
        if self.header.is_none() {
            let header = poll_fn(|context| self.poll_header(context)).await?;
            self.header = Some(header);
        }
        self.header.as_deref().ok_or_else(|| Error::internal("a result without a header"))
    }

    fn poll_header(&self, context: &mut Context<'_>) -> Poll<Result<Arc<Header>>> {
        let mut state = self.shared.lock();
        if let Some(header) = &state.header {
            return Poll::Ready(Ok(Arc::clone(header)));
        }
        if let Some(Err(error)) = state.queue.front() {
            return Poll::Ready(Err(error.clone()));
        }
        if state.is_over {
            return Poll::Ready(Err(Error::internal("a result without a header")));
        }
        state.waker = Some(context.waker().clone());
        Poll::Pending
    }

    fn poll_batch(&self, context: &mut Context<'_>) -> Poll<Option<Result<RecordBatch>>> {
        let mut state = self.shared.lock();
        if let Some(batch) = state.queue.pop_front() {
            drop(state);
            self.shared.room.notify_one();
            return Poll::Ready(Some(batch));
        }
        if state.is_over {
            return Poll::Ready(None);
        }
        state.waker = Some(context.waker().clone());
        Poll::Pending
    }
}

/// Runs the statement, and hands its batches over.
fn produce(shared: &Shared, cancellation: &Cancellation, run: impl FnOnce() -> Result<ResultStream>) {
    let mut rows = match guard::caught(run) {
        Ok(rows) => rows,
        Err(error) => {
            shared.send(Err(error));
            return;
        }
    };
    let header = Header { fields: rows.fields().to_vec(), schema: rows.schema() };
    shared.change(|state| state.header = Some(Arc::new(header)));
    loop {
        let next = guard::caught(|| {
            cancellation.check()?;
            rows.next().transpose()
        });
        let is_last = next.is_err();
        let Some(batch) = next.transpose() else { return };
        if !shared.send(batch) || is_last {
            return;
        }
    }
}

impl Stream for BatchStream {
    type Item = Result<RecordBatch>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.poll_batch(context)
    }
}

impl Drop for BatchStream {
    fn drop(&mut self) {
        self.cancellation.cancel();
        let mut state = self.shared.lock();
        state.is_dropped = true;
        let left = (std::mem::take(&mut state.queue), state.waker.take());
        drop(state);
        self.shared.room.notify_one();
        drop(left);
    }
}

impl fmt::Debug for BatchStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BatchStream").finish_non_exhaustive()
    }
}

impl ResultStream {
    /// The same rows for an asynchronous program: the batches that have not been read are made on a thread of their own.
    ///
    /// ```
    /// use multiloop::{BatchStream, Engine};
    ///
    /// let session = Engine::new()?.session();
    /// let stream: BatchStream = session.sql("SELECT 1 AS a")?.into_batch_stream();
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    pub fn into_batch_stream(self) -> BatchStream {
        BatchStream::of(self.cancel_handle(), move || Ok(self))
    }
}
