// Runs emulated kernels: one block after the other. A block of one thread is a call; the threads of a larger one take turns, from
// barrier to barrier.
//
// A thread of a kernel begins with its context, and goes on with jumps: these leave signals alone, where contexts ask the system twice
// a turn. Stacks stay for the kernels that follow.
#undef _FORTIFY_SOURCE  // It takes jumps to other stacks for errors.
#include <setjmp.h>
#include <stdlib.h>
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

struct Fiber {
  ucontext_t begin;
  jmp_buf place;
  bool begun, done;
};

// The stacks of a host's thread: memory that nobody has written takes no room.
struct Stacks {
  static const size_t EACH = 1 << 16;
  char* memory = nullptr;
  u32 count = 0;
  char* of(u32 thread, u32 threads) {
    if (threads > count) {
      free(memory);
      memory = (char*)malloc(threads * EACH);
      count = threads;
    }
    return memory + thread * EACH;
  }
  ~Stacks() { free(memory); }
};

static thread_local Stacks stacks;
static thread_local jmp_buf scheduler;
static thread_local Fiber* current;
static thread_local Kernel kernel_of;
static thread_local void** arguments_of;
static thread_local Emulated* emulated_of;

static void enter() {
  kernel_of(arguments_of, emulated_of);
  current->done = true;
  _longjmp(scheduler, 1);
}

static void barrier(Emulated*) {
  if (current && !_setjmp(current->place)) _longjmp(scheduler, 1);
}

// A thread's turn.
static void go_on(Fiber* fiber) {
  current = fiber;
  if (_setjmp(scheduler)) return;
  if (fiber->begun) _longjmp(fiber->place, 1);
  fiber->begun = true;
  setcontext(&fiber->begin);
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
  for (Fiber& fiber : fibers) {
    // All of them begin alike, but for their stacks.
    getcontext(&fiber.begin);
    fiber.begin.uc_stack.ss_sp = stacks.of(&fiber - fibers.data(), threads);
    fiber.begin.uc_stack.ss_size = Stacks::EACH;
    fiber.begin.uc_link = nullptr;
    makecontext(&fiber.begin, enter, 0);
  }
  for (u32 block = 0; block < blocks; block++) {
    emulated.block.x = block;
    if (threads == 1) {
      emulated.thread.x = 0;
      current = nullptr;
      kernel(arguments, &emulated);
      continue;
    }
    for (Fiber& fiber : fibers) fiber.begun = fiber.done = false;
    for (bool more = true; more;) {
      more = false;
      for (u32 thread = 0; thread < threads; thread++) {
        if (fibers[thread].done) continue;
        more = true;
        emulated.thread.x = thread;
        go_on(&fibers[thread]);
      }
    }
    current = nullptr;
  }
}
