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

KERNEL codes(const u32* __restrict__ v0, const u32 v1, const u64 v2, const u64 v3, const u64 v4, const u16* __restrict__ v10, const i32 v11, const i64 v14, u32* v16) {
  for (u32 v5 = blockIdx.x; v5 < v1; v5 += gridDim.x) {
    u64 v6 = (v2 + (((u64)v5) * v4));
    u64 v7 = (v6 + v4);
    u64 v8 = ((v7 > v3) ? v3 : v7);
    for (u64 v9 = (v6 + ((u64)threadIdx.x)); v9 < v8; v9 += ((u64)blockDim.x)) {
      i32 v12 = ((i32)((u32)v11 + (u32)((i32)v10[v9])));
      i64 v13 = ((i64)v12);
      u32 v15 = (((u32)((u64)((i64)((u64)v13 - (u64)v14)))) + 1u);
      v16[v9] = v15;
    }
  }
}

KERNEL reduce(const u32* __restrict__ v0, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u16* __restrict__ v21, const i32 v25, const i32 v27, const i32 v29, const u16* __restrict__ v31, const i32 v35, const i64 v38, const i64 v39, const u32* __restrict__ v42, const i32 v49, const i64 v52, const i64 v53, const u8* __restrict__ v61, const u8* __restrict__ v63, const u8* __restrict__ v64, const u32* __restrict__ v67, const i32 v68, const i32 v70, const u8* __restrict__ v71, const i32 v72, const i32 v76, const i32 v77, const i32 v79, const i32 v80, const u32 v84, const u32 v85, const u32 v86, u32* v87, u64* v88) {
  SHARED(v1)
  u32 v89 = 0u;
  i64 v90 = ((i64)0ll);
  i64 v91 = ((i64)0ll);
  for (u32 v92 = threadIdx.x; v92 < (v86 * 5u); v92 += blockDim.x) {
    v1[(20u + v92)] = 0u;
  }
  __syncthreads();
  u32 v2 = 0u;
  for (u32 v7 = blockIdx.x; v7 < (v3 + gridDim.x); v7 += gridDim.x) {
    bool v8 = (v7 >= v3);
    u32 v9 = (v8 ? 0u : v7);
    u64 v10 = (v4 + (((u64)v9) * v6));
    u64 v11 = (v10 + v6);
    u64 v12 = (v8 ? 0ull : v10);
    u64 v13 = (v8 ? 1ull : ((v11 > v5) ? v5 : v11));
    u32 v14 = (blockDim.x * 8u);
    for (u64 v15 = (v12 & 18446744073709551608ull); v15 < v13; v15 += ((u64)(v14 * 2u))) {
      u64 v16 = (v15 + ((u64)(threadIdx.x * 8u)));
      u32 v17 = 0u;
      for (u32 v18 = 0u; v18 < 2u; v18 += 1u) {
        u64 v19 = (v16 + ((u64)(v14 * v18)));
        u32 v20 = 0u;
        if (((v19 < v13) && !v8)) {
          u64 v22[2];
          lanes16(v22, v21, v19);
#pragma unroll
          for (u32 v23 = 0u; v23 < 8u; v23 += 1u) {
            u64 v24 = (v19 + ((u64)v23));
            if (((v24 >= v12) && (v24 < v13))) {
              i32 v26 = ((i32)((u32)v25 + (u32)((i32)((u16)lane16((v22 + 0u), v23)))));
              bool v28 = (v26 >= v27);
              if (v28) {
                bool v30 = (v26 < v29);
                if (v30) {
                  v20 = (v20 | (1u << v23));
                }
              }
            }
          }
          if ((v20 != 0u)) {
            u64 v32[2];
            lanes16(v32, v31, v19);
#pragma unroll
            for (u32 v33 = 0u; v33 < 8u; v33 += 1u) {
              u64 v34 = (v19 + ((u64)v33));
              if (((v20 & (1u << v33)) != 0u)) {
                i32 v36 = ((i32)((u32)v35 + (u32)((i32)((u16)lane16((v32 + 0u), v33)))));
                i64 v37 = ((i64)v36);
                u32 v40 = (((u32)((u64)((i64)((u64)v37 - (u64)v38)))) + 1u);
                bool v41 = ((v37 < v38) || (v37 > v39));
                u32 v43 = (v41 ? 0u : v42[v40]);
                u32 v44 = (v43 - 1u);
                if ((v43 == 0u)) {
                  v20 = (v20 - (1u << v33));
                }
              }
            }
          }
        }
        v17 = (v17 | (v20 << (v18 * 8u)));
      }
      u32 v45 = (v2 + scan((v1 + 17u), ones(v17)));
      while ((v17 != 0u)) {
        u32 v46 = first_bit(v17);
        v17 = (v17 - (1u << v46));
        v1[v45] = (((u32)v16) + ((v14 * (v46 >> 3u)) + (v46 & 7u)));
        v45 = (v45 + 1u);
      }
      v2 = (v2 + v1[(17u + blockDim.x)]);
      __syncthreads();
      while (((v2 >= blockDim.x) || (v8 && (v2 != 0u)))) {
        u32 v47 = ((v2 < blockDim.x) ? v2 : blockDim.x);
        v2 = (v2 - v47);
        if ((threadIdx.x < v47)) {
          u64 v48 = ((u64)v1[(v2 + threadIdx.x)]);
          i32 v50 = ((i32)((u32)v49 + (u32)((i32)v31[v48])));
          i64 v51 = ((i64)v50);
          u32 v54 = (((u32)((u64)((i64)((u64)v51 - (u64)v52)))) + 1u);
          bool v55 = ((v51 < v52) || (v51 > v53));
          u32 v56 = (v55 ? 0u : v42[v54]);
          u32 v57 = (v56 - 1u);
          if (!(v56 == 0u)) {
            i32 v58 = (0);
            bool v59 = true;
            bool v60 = true;
            if (v60) {
              u32 v62 = ((u32)v61[v57]);
              bool v65 = (v63[v62] != 0u);
              bool v66 = (v64[v62] != 0u);
              if ((v65 && !v66)) {
                i32 v69 = ((i32)((u32)v68 + (u32)((i32)v67[v48])));
                i32 v73 = ((i32)((u32)v72 + (u32)((i32)v71[v48])));
                i32 v74 = ((i32)((u32)v70 - (u32)v73));
                i32 v75 = ((i32)((u32)v69 * (u32)v74));
                v58 = v75;
                v59 = false;
                v60 = false;
              }
            }
            if (v60) {
              v58 = v76;
              v59 = false;
            }
            i32 v78 = ((i32)((u32)v77 + (u32)((i32)v67[v48])));
            i32 v81 = ((i32)((u32)v80 + (u32)((i32)v71[v48])));
            i32 v82 = ((i32)((u32)v79 - (u32)v81));
            i32 v83 = ((i32)((u32)v78 * (u32)v82));
            v90 = ((i64)((u64)v90 + (u64)((i64)v58)));
            v91 = ((i64)((u64)v91 + (u64)((i64)v83)));
            v89 = (v89 | 1u);
          }
        }
        __syncthreads();
      }
    }
  }
  u32 v93 = ((0u * v85) + (threadIdx.x % v85));
  if ((v89 != 0u)) {
    add_shared((v1 + (20u + ((v86 * 1u) + v93))), v86, v90);
    add_shared((v1 + (20u + ((v86 * 3u) + v93))), v86, v91);
    set_flags((v1 + (20u + ((v86 * 0u) + v93))), v89);
  }
  __syncthreads();
  for (u32 v94 = threadIdx.x; v94 < v84; v94 += blockDim.x) {
    u32 v95 = 0u;
    i64 v96 = ((i64)0ll);
    i64 v97 = ((i64)0ll);
    for (u32 v98 = 0u; v98 < v85; v98 += 1u) {
      u32 v99 = ((v94 * v85) + v98);
      v95 = (v95 | v1[(20u + ((v86 * 0u) + v99))]);
      v96 = ((i64)((u64)v96 + (u64)joined((v1 + (20u + ((v86 * 1u) + v99))), v86)));
      v97 = ((i64)((u64)v97 + (u64)joined((v1 + (20u + ((v86 * 3u) + v99))), v86)));
    }
    if ((v95 != 0u)) {
      u64 v100 = (((u64)v94) * 3ull);
      add64((v88 + v100), v96);
      add64((v88 + (v100 + 1ull)), v97);
      set_flags((v87 + ((v100 * 2ull) + 4ull)), v95);
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
