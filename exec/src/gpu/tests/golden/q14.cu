// Groups that have rows: the words `first` and `last` of their records tell it, where `mask` has ones. Blocks go over a segment each.

FUNCTION bool has_rows(const u32* words, u64 group, u32 each, u32 first, u32 last, u32 mask) {
  const u32* record = words + group * each;
  return ((record[first] | record[last]) & mask) != 0;
}

KERNEL count_groups(const u32* words, const u32 each, const u32 first, const u32 last, const u32 mask, const u64 groups, const u64 segment, u32* counts) {
  SHARED(sums)
  u64 from = blockIdx.x * segment, below = from + segment < groups ? from + segment : groups;
  u32 own = 0;
  for (u64 group = from + threadIdx.x; group < below; group += blockDim.x) own += has_rows(words, group, each, first, last, mask) ? 1u : 0u;
  scan(sums, own);
  if (threadIdx.x == 0) counts[blockIdx.x] = sums[blockDim.x];
}

KERNEL keep_groups(const u32* words, const u32 each, const u32 first, const u32 last, const u32 mask, const u64 groups, const u64 segment, const u32 is_hashed, const u64* slots, const u32* starts, u32* kept, u64* codes) {
  SHARED(sums)
  u64 from = blockIdx.x * segment, below = from + segment < groups ? from + segment : groups;
  u32 at = starts[blockIdx.x];
  for (u64 next = from; next < below; next += blockDim.x) {
    u64 group = next + threadIdx.x;
    bool is_kept = group < below && has_rows(words, group, each, first, last, mask);
    u64 to = at + scan(sums, is_kept ? 1u : 0u);
    if (is_kept) {
      for (u32 word = 0; word < each; word++) kept[to * each + word] = words[group * each + word];
      codes[to] = is_hashed != 0 ? slots[group] - 1 : group;
    }
    at += sums[blockDim.x];
    __syncthreads();
  }
}

KERNEL codes(const u32* __restrict__ v0, const u32 v1, const u64 v2, const u64 v3, const u64 v4, const u16* __restrict__ v13, const u8* __restrict__ v15, const i32 v19, const i64 v22, u32* v24) {
  for (u32 v5 = blockIdx.x; v5 < v1; v5 += gridDim.x) {
    u64 v6 = (v2 + (((u64)v5) * v4));
    u64 v7 = (v6 + v4);
    u64 v8 = ((v7 > v3) ? v3 : v7);
    for (u64 v9 = ((v6 & 18446744073709551608ull) + (((u64)threadIdx.x) * 8ull)); v9 < v8; v9 += (((u64)blockDim.x) * 8ull)) {
      u32 v10 = 0u;
#pragma unroll
      for (u32 v11 = 0u; v11 < 8u; v11 += 1u) {
        u64 v12 = (v9 + ((u64)v11));
        if (((v12 >= v6) && (v12 < v8))) {
          v10 = (v10 | (1u << v11));
        }
      }
      if ((v10 != 0u)) {
        u64 v14[2];
        lanes16(v14, v13, v9);
        u64 v16[1];
        lanes8(v16, v15, v9);
#pragma unroll
        for (u32 v17 = 0u; v17 < 8u; v17 += 1u) {
          u64 v18 = (v9 + ((u64)v17));
          if (((v10 & (1u << v17)) != 0u)) {
            i32 v20 = ((i32)((u32)v19 + (u32)((i32)((u16)lane16((v14 + 0u), v17)))));
            i64 v21 = ((i64)v20);
            u32 v23 = (((u32)((u64)((i64)((u64)v21 - (u64)v22)))) + 1u);
            v24[v18] = v23;
          }
        }
      }
    }
  }
}

KERNEL reduce(const u32* __restrict__ v0, const u32 v1, const u64 v2, const u64 v3, const u64 v4, const u16* __restrict__ v10, const i32 v15, const i32 v17, const i32 v19, const u16* __restrict__ v21, const u32* __restrict__ v23, const u8* __restrict__ v25, const i32 v29, const i64 v32, const i64 v33, const u32* __restrict__ v36, const u8* __restrict__ v42, const u8* __restrict__ v44, const u8* __restrict__ v45, const i32 v48, const i32 v50, const i32 v51, const i32 v55, const i32 v56, const i32 v58, const i32 v59, const u32 v63, const u32 v64, const u32 v65, u32* v66, u64* v67) {
  SHARED(v71)
  u32 v68 = 0u;
  i64 v69 = ((i64)0ll);
  i64 v70 = ((i64)0ll);
  for (u32 v72 = threadIdx.x; v72 < (v65 * 5u); v72 += blockDim.x) {
    v71[(0u + v72)] = 0u;
  }
  __syncthreads();
  for (u32 v5 = blockIdx.x; v5 < v1; v5 += gridDim.x) {
    u64 v6 = (v2 + (((u64)v5) * v4));
    u64 v7 = (v6 + v4);
    u64 v8 = ((v7 > v3) ? v3 : v7);
    for (u64 v9 = ((v6 & 18446744073709551608ull) + (((u64)threadIdx.x) * 8ull)); v9 < v8; v9 += (((u64)blockDim.x) * 8ull)) {
      u64 v11[2];
      lanes16(v11, v10, v9);
      u32 v12 = 0u;
#pragma unroll
      for (u32 v13 = 0u; v13 < 8u; v13 += 1u) {
        u64 v14 = (v9 + ((u64)v13));
        if (((v14 >= v6) && (v14 < v8))) {
          i32 v16 = ((i32)((u32)v15 + (u32)((i32)((u16)lane16((v11 + 0u), v13)))));
          bool v18 = (v16 >= v17);
          if (v18) {
            bool v20 = (v16 < v19);
            if (v20) {
              v12 = (v12 | (1u << v13));
            }
          }
        }
      }
      if ((v12 != 0u)) {
        u64 v22[2];
        lanes16(v22, v21, v9);
        u64 v24[4];
        lanes32(v24, v23, v9);
        u64 v26[1];
        lanes8(v26, v25, v9);
#pragma unroll
        for (u32 v27 = 0u; v27 < 8u; v27 += 1u) {
          u64 v28 = (v9 + ((u64)v27));
          if (((v12 & (1u << v27)) != 0u)) {
            i32 v30 = ((i32)((u32)v29 + (u32)((i32)((u16)lane16((v22 + 0u), v27)))));
            i64 v31 = ((i64)v30);
            u32 v34 = (((u32)((u64)((i64)((u64)v31 - (u64)v32)))) + 1u);
            bool v35 = ((v31 < v32) || (v31 > v33));
            u32 v37 = (v35 ? 0u : v36[v34]);
            u32 v38 = (v37 - 1u);
            if (!(v37 == 0u)) {
              i32 v39 = (0);
              bool v40 = true;
              bool v41 = true;
              if (v41) {
                u32 v43 = ((u32)v42[v38]);
                bool v46 = (v44[v43] != 0u);
                bool v47 = (v45[v43] != 0u);
                if ((v46 && !v47)) {
                  i32 v49 = ((i32)((u32)v48 + (u32)((i32)lane32((v24 + 0u), v27))));
                  i32 v52 = ((i32)((u32)v51 + (u32)((i32)((u8)lane8((v26 + 0u), v27)))));
                  i32 v53 = ((i32)((u32)v50 - (u32)v52));
                  i32 v54 = ((i32)((u32)v49 * (u32)v53));
                  v39 = v54;
                  v40 = false;
                  v41 = false;
                }
              }
              if (v41) {
                v39 = v55;
                v40 = false;
              }
              i32 v57 = ((i32)((u32)v56 + (u32)((i32)lane32((v24 + 0u), v27))));
              i32 v60 = ((i32)((u32)v59 + (u32)((i32)((u8)lane8((v26 + 0u), v27)))));
              i32 v61 = ((i32)((u32)v58 - (u32)v60));
              i32 v62 = ((i32)((u32)v57 * (u32)v61));
              v69 = ((i64)((u64)v69 + (u64)((i64)v39)));
              v70 = ((i64)((u64)v70 + (u64)((i64)v62)));
              v68 = (v68 | 1u);
            }
          }
        }
      }
    }
  }
  u32 v73 = ((0u * v64) + (threadIdx.x % v64));
  if ((v68 != 0u)) {
    add_shared((v71 + (0u + ((v65 * 1u) + v73))), v65, v69);
    add_shared((v71 + (0u + ((v65 * 3u) + v73))), v65, v70);
    set_flags((v71 + (0u + ((v65 * 0u) + v73))), v68);
  }
  __syncthreads();
  for (u32 v74 = threadIdx.x; v74 < v63; v74 += blockDim.x) {
    u32 v75 = 0u;
    i64 v76 = ((i64)0ll);
    i64 v77 = ((i64)0ll);
    for (u32 v78 = 0u; v78 < v64; v78 += 1u) {
      u32 v79 = ((v74 * v64) + v78);
      v75 = (v75 | v71[(0u + ((v65 * 0u) + v79))]);
      v76 = ((i64)((u64)v76 + (u64)joined((v71 + (0u + ((v65 * 1u) + v79))), v65)));
      v77 = ((i64)((u64)v77 + (u64)joined((v71 + (0u + ((v65 * 3u) + v79))), v65)));
    }
    if ((v75 != 0u)) {
      u64 v80 = (((u64)v74) * 3ull);
      add64((v67 + v80), v76);
      add64((v67 + (v80 + 1ull)), v77);
      set_flags((v66 + ((v80 * 2ull) + 4ull)), v75);
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

// The number of a row of each code: of one code's rows any one.
KERNEL number(const code_t* codes, const u32 rows, u32* numbers) {
  for (u32 row = blockIdx.x * blockDim.x + threadIdx.x; row < rows; row += gridDim.x * blockDim.x) numbers[codes[row]] = row + 1;
}

// Whether a code has several rows: then not all find their own numbers.
KERNEL compare(const code_t* codes, const u32 rows, const u32* numbers, u32* differs) {
  bool own = false;
  for (u32 row = blockIdx.x * blockDim.x + threadIdx.x; row < rows; row += gridDim.x * blockDim.x) own |= numbers[codes[row]] != row + 1;
  if (own) *differs = 1;
}

KERNEL rank(const code_t* codes, const u32 rows, u32* counts, u32* ranks, u32* most) {
  for (u32 row = blockIdx.x * blockDim.x + threadIdx.x; row < rows; row += gridDim.x * blockDim.x) {
    u32 before = atomicAdd(&counts[codes[row]], 1u);
    ranks[row] = before;
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
