KERNEL collect(const u32* __restrict__ v0, const u32* __restrict__ v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u16* __restrict__ v16, const i32 v17, const i64 v20, u32* v22, const u8* __restrict__ v23, u32* v25) {
  SHARED(v2)
  for (u32 v7 = blockIdx.x; v7 < v3; v7 += gridDim.x) {
    u64 v8 = (v4 + (((u64)v7) * v6));
    u64 v9 = (v8 + v6);
    u64 v10 = ((v9 > v5) ? v5 : v9);
    u32 v11 = v1[v7];
    for (u64 v12 = v8; v12 < v10; v12 += ((u64)blockDim.x)) {
      u64 v13 = (v12 + ((u64)threadIdx.x));
      u32 v14 = 0u;
      if ((v13 < v10)) {
        v14 = (v14 + 1u);
      }
      u32 v15 = (v11 + scan((v2 + 0u), v14));
      if ((v14 != 0u)) {
        i32 v18 = ((i32)((u32)v17 + (u32)((i32)v16[v13])));
        i64 v19 = ((i64)v18);
        u32 v21 = (((u32)((u64)((i64)((u64)v19 - (u64)v20)))) + 1u);
        v22[v15] = v21;
        u32 v24 = ((u32)v23[v13]);
        v25[v15] = v24;
        v15 = (v15 + 1u);
      }
      v11 = (v11 + v2[blockDim.x]);
      __syncthreads();
    }
  }
}

KERNEL count(const u32* __restrict__ v0, u32* v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6) {
  SHARED(v2)
  for (u32 v7 = blockIdx.x; v7 < v3; v7 += gridDim.x) {
    u64 v8 = (v4 + (((u64)v7) * v6));
    u64 v9 = (v8 + v6);
    u64 v10 = ((v9 > v5) ? v5 : v9);
    u32 v11 = 0u;
    for (u64 v12 = (v8 + ((u64)threadIdx.x)); v12 < v10; v12 += ((u64)blockDim.x)) {
      v11 = (v11 + 1u);
    }
    u32 v13 = scan((v2 + 0u), v11);
    if ((threadIdx.x == 0u)) {
      v1[v7] = v2[blockDim.x];
    }
    __syncthreads();
  }
}

KERNEL reduce(const u32* __restrict__ v0, const u32 v1, const u64 v2, const u64 v3, const u64 v4, const u16* __restrict__ v10, const i32 v11, const i32 v13, const i32 v15, const u16* __restrict__ v17, const i32 v18, const i64 v21, const i64 v22, const u32* __restrict__ v25, const u32 v28, const u32 v29, const u32 v30, u32* v31, u64* v32, u64* v33, const u32* __restrict__ v38, const u8* __restrict__ v40, const u8* __restrict__ v41, const u32* __restrict__ v44, const i32 v45, const i32 v47, const u8* __restrict__ v48, const i32 v49, const i32 v53, const i32 v55, const i32 v57, const i32 v58) {
  SHARED(v63)
  u32 v62 = 0u;
  i64 v34 = ((i64)0ll);
  i64 v54 = ((i64)0ll);
  for (u32 v64 = threadIdx.x; v64 < (v30 * 5u); v64 += blockDim.x) {
    v63[(0u + v64)] = 0u;
  }
  __syncthreads();
  for (u32 v5 = blockIdx.x; v5 < v1; v5 += gridDim.x) {
    u64 v6 = (v2 + (((u64)v5) * v4));
    u64 v7 = (v6 + v4);
    u64 v8 = ((v7 > v3) ? v3 : v7);
    for (u64 v9 = (v6 + ((u64)threadIdx.x)); v9 < v8; v9 += ((u64)blockDim.x)) {
      i32 v12 = ((i32)((u32)v11 + (u32)((i32)v10[v9])));
      bool v14 = (v12 >= v13);
      if (v14) {
        bool v16 = (v12 < v15);
        if (v16) {
          i32 v19 = ((i32)((u32)v18 + (u32)((i32)v17[v9])));
          i64 v20 = ((i64)v19);
          u32 v23 = (((u32)((u64)((i64)((u64)v20 - (u64)v21)))) + 1u);
          bool v24 = ((v20 < v21) || (v20 > v22));
          u32 v26 = (v24 ? 0u : v25[v23]);
          u32 v27 = (v26 - 1u);
          if (!(v26 == 0u)) {
            i32 v35 = (0);
            bool v36 = true;
            bool v37 = true;
            if (v37) {
              u32 v39 = v38[v27];
              bool v42 = (v40[v39] != 0u);
              bool v43 = (v41[v39] != 0u);
              if ((v42 && !v43)) {
                i32 v46 = ((i32)((u32)v45 + (u32)((i32)v44[v9])));
                i32 v50 = ((i32)((u32)v49 + (u32)((i32)v48[v9])));
                i32 v51 = ((i32)((u32)v47 - (u32)v50));
                i32 v52 = ((i32)((u32)v46 * (u32)v51));
                v35 = v52;
                v36 = false;
                v37 = false;
              }
            }
            if (v37) {
              v35 = v53;
              v36 = false;
            }
            v34 = ((i64)((u64)v34 + (u64)((i64)v35)));
            i32 v56 = ((i32)((u32)v55 + (u32)((i32)v44[v9])));
            i32 v59 = ((i32)((u32)v58 + (u32)((i32)v48[v9])));
            i32 v60 = ((i32)((u32)v57 - (u32)v59));
            i32 v61 = ((i32)((u32)v56 * (u32)v60));
            v54 = ((i64)((u64)v54 + (u64)((i64)v61)));
            v62 = (v62 | 1u);
          }
        }
      }
    }
  }
  u32 v65 = ((0u * v29) + (threadIdx.x % v29));
  if ((v62 != 0u)) {
    add_shared((v63 + (0u + ((v30 * 1u) + v65))), v30, v34);
    add_shared((v63 + (0u + ((v30 * 3u) + v65))), v30, v54);
    set_flags((v63 + (0u + ((v30 * 0u) + v65))), v62);
  }
  __syncthreads();
  for (u32 v66 = threadIdx.x; v66 < v28; v66 += blockDim.x) {
    u32 v67 = 0u;
    i64 v68 = ((i64)0ll);
    i64 v69 = ((i64)0ll);
    for (u32 v70 = 0u; v70 < v29; v70 += 1u) {
      u32 v71 = ((v66 * v29) + v70);
      v67 = (v67 | v63[(0u + ((v30 * 0u) + v71))]);
      v68 = ((i64)((u64)v68 + (u64)joined((v63 + (0u + ((v30 * 1u) + v71))), v30)));
      v69 = ((i64)((u64)v69 + (u64)joined((v63 + (0u + ((v30 * 3u) + v71))), v30)));
    }
    if ((v67 != 0u)) {
      add64((v32 + v66), v68);
      add64((v33 + v66), v69);
      set_flags((v31 + v66), v67);
    }
  }
}

typedef u32 code_t;
// Finds rows by the codes of their keys. `code_t` is what a code is.

FUNCTION void sink(u32* heap, u32 at, u32 count) {
  u32 row = heap[at];
  for (u32 child = 2 * at + 1; child < count; child = 2 * at + 1) {
    if (child + 1 < count && heap[child + 1] > heap[child]) child++;
    if (heap[child] <= row) break;
    heap[at] = heap[child];
    at = child;
  }
  heap[at] = row;
}

KERNEL slots(const code_t* codes, const u32 rows, u64* slots, const u32 bits, u32* places) {
  for (u32 row = blockIdx.x * blockDim.x + threadIdx.x; row < rows; row += gridDim.x * blockDim.x) {
    places[row] = fill_slot(slots, bits, codes[row]);
  }
}

KERNEL number(const code_t* codes, const u32 rows, u32* counts, u32* numbers, u32* ranks, u32* most) {
  for (u32 row = blockIdx.x * blockDim.x + threadIdx.x; row < rows; row += gridDim.x * blockDim.x) {
    code_t code = codes[row];
    u32 before = atomicAdd(&counts[code], 1u);
    ranks[row] = before;
    numbers[code] = row + 1;
    if (before + 1 > *(volatile u32*)most) atomicMax(most, before + 1);
  }
}

// The sum of each segment, a block each.
KERNEL sums(const u32* counts, const u64 codes, const u64 segment, u32* sums) {
  SHARED(words)
  for (u64 at = blockIdx.x; at * segment < codes; at += gridDim.x) {
    u64 from = at * segment, below = from + segment < codes ? from + segment : codes;
    u32 own = 0;
    for (u64 code = from + threadIdx.x; code < below; code += blockDim.x) own += counts[code];
    scan(words, own);
    if (threadIdx.x == 0) sums[at] = words[blockDim.x];
    __syncthreads();
  }
}

// Where each segment begins: of few segments, by one thread.
KERNEL begin(u32* sums, const u32 segments) {
  if (blockIdx.x != 0 || threadIdx.x != 0) return;
  u32 all = 0;
  for (u32 at = 0; at < segments; at++) {
    u32 own = sums[at];
    sums[at] = all;
    all += own;
  }
}

KERNEL starts(const u32* counts, const u64 codes, const u64 segment, const u32* sums, u32* starts) {
  SHARED(words)
  for (u64 at = blockIdx.x; at * segment < codes; at += gridDim.x) {
    u64 from = at * segment, below = from + segment < codes ? from + segment : codes;
    u32 all = sums[at];
    for (u64 first = from; first < below; first += blockDim.x) {
      u64 code = first + threadIdx.x;
      u32 own = code < below ? counts[code] : 0u;
      u32 before = scan(words, own);
      if (code < below) starts[code] = all + before;
      all += words[blockDim.x];
      __syncthreads();
    }
  }
}

KERNEL order(const code_t* codes, const u32 rows, const u32* starts, const u32* ranks, u32* rows_of) {
  for (u32 row = blockIdx.x * blockDim.x + threadIdx.x; row < rows; row += gridDim.x * blockDim.x) {
    rows_of[starts[codes[row]] + ranks[row]] = row;
  }
}

// The rows of each code in their order, which who was first has not kept: a thread a code, by insertion if they are few, else as a heap.
KERNEL settle(const u32* starts, const u32* counts, const u64 codes, u32* rows_of) {
  for (u64 code = (u64)blockIdx.x * blockDim.x + threadIdx.x; code < codes; code += (u64)gridDim.x * blockDim.x) {
    u32 count = counts[code];
    if (count < 2) continue;
    u32* rows = rows_of + starts[code];
    if (count <= 32) {
      for (u32 at = 1; at < count; at++) {
        u32 row = rows[at], to = at;
        for (; to > 0 && rows[to - 1] > row; to--) rows[to] = rows[to - 1];
        rows[to] = row;
      }
      continue;
    }
    for (u32 half = count / 2; half > 0; half--) sink(rows, half - 1, count);
    for (u32 last = count - 1; last > 0; last--) {
      u32 most = rows[0];
      rows[0] = rows[last];
      rows[last] = most;
      sink(rows, 0, last);
    }
  }
}
