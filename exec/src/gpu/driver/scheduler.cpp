// Runs emulated kernels: one block after the other. A block of one thread is a call; the threads of a larger one take turns, from
// barrier to barrier.
#include <string.h>
#include <ucontext.h>
#include <vector>

typedef unsigned int u32;
typedef unsigned long long u64;

struct Dimension { u32 x; };
struct Emulated {
  Dimension thread, block, threads, blocks;
  u32* shared;
  void (*barrier)(Emulated*);
};
typedef void (*Kernel)(void**, Emulated*);

struct Fiber { ucontext_t context; std::vector<char> stack; bool done; };
static thread_local ucontext_t scheduler;
static thread_local Fiber* current;
static thread_local Kernel kernel_of;
static thread_local void** arguments_of;
static thread_local Emulated* emulated_of;

static void enter() {
  kernel_of(arguments_of, emulated_of);
  current->done = true;
  swapcontext(&current->context, &scheduler);
}

static void barrier(Emulated*) {
  if (current) swapcontext(&current->context, &scheduler);
}

extern "C" void emulated_run(Kernel kernel, void** arguments, u32 blocks, u32 threads, u64 shared) {
  // What nobody has written shows.
  std::vector<u64> words(shared / 8 + 2, 0xa5a5a5a5a5a5a5a5ull);
  Emulated emulated;
  emulated.shared = (u32*)words.data();
  emulated.barrier = barrier;
  emulated.blocks.x = blocks;
  emulated.threads.x = threads;
  kernel_of = kernel;
  arguments_of = arguments;
  emulated_of = &emulated;
  std::vector<Fiber> fibers(threads == 1 ? 0 : threads);
  for (Fiber& fiber : fibers) fiber.stack.resize(1 << 16);
  for (u32 block = 0; block < blocks; block++) {
    emulated.block.x = block;
    if (threads == 1) {
      emulated.thread.x = 0;
      current = nullptr;
      kernel(arguments, &emulated);
      continue;
    }
    for (Fiber& fiber : fibers) {
      fiber.done = false;
      getcontext(&fiber.context);
      fiber.context.uc_stack.ss_sp = fiber.stack.data();
      fiber.context.uc_stack.ss_size = fiber.stack.size();
      fiber.context.uc_link = nullptr;
      makecontext(&fiber.context, enter, 0);
    }
    for (bool more = true; more;) {
      more = false;
      for (u32 thread = 0; thread < threads; thread++) {
        if (fibers[thread].done) continue;
        more = true;
        emulated.thread.x = thread;
        current = &fibers[thread];
        swapcontext(&scheduler, &fibers[thread].context);
      }
    }
    current = nullptr;
  }
}
