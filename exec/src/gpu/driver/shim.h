// The device's words for the host's compiler. Who runs a kernel says which thread of which block it is at any time, and stops it at
// barriers: `scheduler.cpp`, which is compiled once. No header is included here: sources are many.
struct Dimension { u32 x; };
struct Emulated {
  Dimension thread, block, threads, blocks;
  u32* shared;
  void (*barrier)(Emulated*);
};
static thread_local Emulated* emulated;

#define KERNEL static void
#define FUNCTION static inline
#define SHARED(name) u32* name = emulated->shared;
#define threadIdx emulated->thread
#define blockIdx emulated->block
#define blockDim emulated->threads
#define gridDim emulated->blocks

static inline void __syncthreads() { emulated->barrier(emulated); }

template <class T> static inline T emulated_add(T* to, T more) { T before = *to; *to = (T)(before + more); return before; }
static inline u32 atomicAdd(u32* to, u32 more) { return emulated_add(to, more); }
static inline u64 atomicAdd(u64* to, u64 more) { return emulated_add(to, more); }
static inline u32 atomicOr(u32* to, u32 bits) { u32 before = *to; *to |= bits; return before; }
static inline u32 atomicMax(u32* to, u32 value) { u32 before = *to; if (value > before) *to = value; return before; }
static inline u64 atomicMax(u64* to, u64 value) { u64 before = *to; if (value > before) *to = value; return before; }
static inline u32 atomicMin(u32* to, u32 value) { u32 before = *to; if (value < before) *to = value; return before; }
static inline u64 atomicMin(u64* to, u64 value) { u64 before = *to; if (value < before) *to = value; return before; }
static inline u32 atomicCAS(u32* to, u32 was, u32 value) { u32 before = *to; if (before == was) *to = value; return before; }
static inline u64 atomicCAS(u64* to, u64 was, u64 value) { u64 before = *to; if (before == was) *to = value; return before; }
