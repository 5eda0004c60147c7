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

KERNEL reduce(const u32* __restrict__ v0, const u32 v3, const u64 v6, const u64 v7, const u64 v8, const u16* __restrict__ v20, const i32 v24, const i32 v26, const i32 v28, const u16* __restrict__ v30, const i32 v34, const i64 v37, const i64 v38, const u32* __restrict__ v41, const i32 v48, const i64 v51, const i64 v52, const u8* __restrict__ v60, const u8* __restrict__ v62, const u8* __restrict__ v63, const u32* __restrict__ v66, const i32 v67, const i32 v69, const u8* __restrict__ v70, const i32 v71, const i32 v75, const i32 v76, const i32 v78, const i32 v79, const u32 v83, const u32 v84, const u32 v85, u32* v86, u64* v87) {
  SHARED(v1)
  u32 v88 = 0u;
  i64 v89 = ((i64)0ll);
  i64 v90 = ((i64)0ll);
  for (u32 v91 = threadIdx.x; v91 < (v85 * 5u); v91 += blockDim.x) {
    v1[(20u + v91)] = 0u;
  }
  __syncthreads();
  u32 v2 = 0u;
  for (u32 v4 = blockIdx.x; v4 < (v3 + gridDim.x); v4 += gridDim.x) {
    bool v5 = (v4 >= v3);
    u64 v9 = (v6 + (((u64)v4) * v8));
    u64 v10 = (v9 + v8);
    u64 v11 = (v5 ? 0ull : v9);
    u64 v12 = (v5 ? 1ull : ((v10 > v7) ? v7 : v10));
    u32 v13 = (blockDim.x * 8u);
    for (u64 v14 = (v11 & 18446744073709551608ull); v14 < v12; v14 += ((u64)(v13 * 2u))) {
      u64 v15 = (v14 + ((u64)(threadIdx.x * 8u)));
      u32 v16 = 0u;
      for (u32 v17 = 0u; v17 < 2u; v17 += 1u) {
        u64 v18 = (v15 + ((u64)(v13 * v17)));
        u32 v19 = 0u;
        if (((v18 < v12) && !v5)) {
          u64 v21[2];
          lanes16(v21, v20, v18);
#pragma unroll
          for (u32 v22 = 0u; v22 < 8u; v22 += 1u) {
            u64 v23 = (v18 + ((u64)v22));
            if (((v23 >= v11) && (v23 < v12))) {
              i32 v25 = ((i32)((u32)v24 + (u32)((i32)((u16)lane16((v21 + 0u), v22)))));
              bool v27 = (v25 >= v26);
              if (v27) {
                bool v29 = (v25 < v28);
                if (v29) {
                  v19 = (v19 | (1u << v22));
                }
              }
            }
          }
          if ((v19 != 0u)) {
            u64 v31[2];
            lanes16(v31, v30, v18);
#pragma unroll
            for (u32 v32 = 0u; v32 < 8u; v32 += 1u) {
              u64 v33 = (v18 + ((u64)v32));
              if (((v19 & (1u << v32)) != 0u)) {
                i32 v35 = ((i32)((u32)v34 + (u32)((i32)((u16)lane16((v31 + 0u), v32)))));
                i64 v36 = ((i64)v35);
                u32 v39 = (((u32)((u64)((i64)((u64)v36 - (u64)v37)))) + 1u);
                bool v40 = ((v36 < v37) || (v36 > v38));
                u32 v42 = (v40 ? 0u : v41[v39]);
                u32 v43 = (v42 - 1u);
                if ((v42 == 0u)) {
                  v19 = (v19 - (1u << v32));
                }
              }
            }
          }
        }
        v16 = (v16 | (v19 << (v17 * 8u)));
      }
      u32 v44 = (v2 + scan((v1 + 17u), ones(v16)));
      while ((v16 != 0u)) {
        u32 v45 = first_bit(v16);
        v16 = (v16 - (1u << v45));
        v1[v44] = (((u32)v15) + ((v13 * (v45 >> 3u)) + (v45 & 7u)));
        v44 = (v44 + 1u);
      }
      v2 = (v2 + v1[(17u + blockDim.x)]);
      __syncthreads();
      while (((v2 >= blockDim.x) || (v5 && (v2 != 0u)))) {
        u32 v46 = ((v2 < blockDim.x) ? v2 : blockDim.x);
        v2 = (v2 - v46);
        if ((threadIdx.x < v46)) {
          u64 v47 = ((u64)v1[(v2 + threadIdx.x)]);
          i32 v49 = ((i32)((u32)v48 + (u32)((i32)v30[v47])));
          i64 v50 = ((i64)v49);
          u32 v53 = (((u32)((u64)((i64)((u64)v50 - (u64)v51)))) + 1u);
          bool v54 = ((v50 < v51) || (v50 > v52));
          u32 v55 = (v54 ? 0u : v41[v53]);
          u32 v56 = (v55 - 1u);
          if (!(v55 == 0u)) {
            i32 v57 = (0);
            bool v58 = true;
            bool v59 = true;
            if (v59) {
              u32 v61 = ((u32)v60[v56]);
              bool v64 = (v62[v61] != 0u);
              bool v65 = (v63[v61] != 0u);
              if ((v64 && !v65)) {
                i32 v68 = ((i32)((u32)v67 + (u32)((i32)v66[v47])));
                i32 v72 = ((i32)((u32)v71 + (u32)((i32)v70[v47])));
                i32 v73 = ((i32)((u32)v69 - (u32)v72));
                i32 v74 = ((i32)((u32)v68 * (u32)v73));
                v57 = v74;
                v58 = false;
                v59 = false;
              }
            }
            if (v59) {
              v57 = v75;
              v58 = false;
            }
            i32 v77 = ((i32)((u32)v76 + (u32)((i32)v66[v47])));
            i32 v80 = ((i32)((u32)v79 + (u32)((i32)v70[v47])));
            i32 v81 = ((i32)((u32)v78 - (u32)v80));
            i32 v82 = ((i32)((u32)v77 * (u32)v81));
            v89 = ((i64)((u64)v89 + (u64)((i64)v57)));
            v90 = ((i64)((u64)v90 + (u64)((i64)v82)));
            v88 = (v88 | 1u);
          }
        }
        __syncthreads();
      }
    }
  }
  u32 v92 = ((0u * v84) + (threadIdx.x % v84));
  if ((v88 != 0u)) {
    add_shared((v1 + (20u + ((v85 * 1u) + v92))), v85, v89);
    add_shared((v1 + (20u + ((v85 * 3u) + v92))), v85, v90);
    set_flags((v1 + (20u + ((v85 * 0u) + v92))), v88);
  }
  __syncthreads();
  for (u32 v93 = threadIdx.x; v93 < v83; v93 += blockDim.x) {
    u32 v94 = 0u;
    i64 v95 = ((i64)0ll);
    i64 v96 = ((i64)0ll);
    for (u32 v97 = 0u; v97 < v84; v97 += 1u) {
      u32 v98 = ((v93 * v84) + v97);
      v94 = (v94 | v1[(20u + ((v85 * 0u) + v98))]);
      v95 = ((i64)((u64)v95 + (u64)joined((v1 + (20u + ((v85 * 1u) + v98))), v85)));
      v96 = ((i64)((u64)v96 + (u64)joined((v1 + (20u + ((v85 * 3u) + v98))), v85)));
    }
    if ((v94 != 0u)) {
      u64 v99 = (((u64)v93) * 3ull);
      add64((v87 + v99), v95);
      add64((v87 + (v99 + 1ull)), v96);
      set_flags((v86 + ((v99 * 2ull) + 4ull)), v94);
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
