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

KERNEL reduce(const u32* __restrict__ v0, const u32 v3, const u64 v6, const u64 v7, const u64 v8, const u16* __restrict__ v16, const i32 v20, const i32 v22, const i32 v24, const u16* __restrict__ v26, const i32 v30, const i64 v33, const i64 v34, const u32* __restrict__ v37, const i32 v44, const i64 v47, const i64 v48, const u8* __restrict__ v56, const u8* __restrict__ v58, const u8* __restrict__ v59, const u32* __restrict__ v62, const i32 v63, const i32 v65, const u8* __restrict__ v66, const i32 v67, const i32 v71, const i32 v72, const i32 v74, const i32 v75, const u32 v79, const u32 v80, const u32 v81, u32* v82, u64* v83) {
  SHARED(v1)
  u32 v84 = 0u;
  i64 v85 = ((i64)0ll);
  i64 v86 = ((i64)0ll);
  for (u32 v87 = threadIdx.x; v87 < (v81 * 5u); v87 += blockDim.x) {
    v1[(12u + v87)] = 0u;
  }
  __syncthreads();
  u32 v2 = 0u;
  for (u32 v4 = blockIdx.x; v4 < (v3 + gridDim.x); v4 += gridDim.x) {
    bool v5 = (v4 >= v3);
    u64 v9 = (v6 + (((u64)v4) * v8));
    u64 v10 = (v9 + v8);
    u64 v11 = (v5 ? 0ull : v9);
    u64 v12 = (v5 ? 1ull : ((v10 > v7) ? v7 : v10));
    for (u64 v13 = (v11 & 18446744073709551608ull); v13 < v12; v13 += (((u64)blockDim.x) * 8ull)) {
      u64 v14 = (v13 + (((u64)threadIdx.x) * 8ull));
      u32 v15 = 0u;
      if (((v14 < v12) && !v5)) {
        u64 v17[2];
        lanes16(v17, v16, v14);
#pragma unroll
        for (u32 v18 = 0u; v18 < 8u; v18 += 1u) {
          u64 v19 = (v14 + ((u64)v18));
          if (((v19 >= v11) && (v19 < v12))) {
            i32 v21 = ((i32)((u32)v20 + (u32)((i32)((u16)lane16((v17 + 0u), v18)))));
            bool v23 = (v21 >= v22);
            if (v23) {
              bool v25 = (v21 < v24);
              if (v25) {
                v15 = (v15 | (1u << v18));
              }
            }
          }
        }
        if ((v15 != 0u)) {
          u64 v27[2];
          lanes16(v27, v26, v14);
#pragma unroll
          for (u32 v28 = 0u; v28 < 8u; v28 += 1u) {
            u64 v29 = (v14 + ((u64)v28));
            if (((v15 & (1u << v28)) != 0u)) {
              i32 v31 = ((i32)((u32)v30 + (u32)((i32)((u16)lane16((v27 + 0u), v28)))));
              i64 v32 = ((i64)v31);
              u32 v35 = (((u32)((u64)((i64)((u64)v32 - (u64)v33)))) + 1u);
              bool v36 = ((v32 < v33) || (v32 > v34));
              u32 v38 = (v36 ? 0u : v37[v35]);
              u32 v39 = (v38 - 1u);
              if ((v38 == 0u)) {
                v15 = (v15 - (1u << v28));
              }
            }
          }
        }
      }
      u32 v40 = (v2 + scan((v1 + 9u), ones(v15)));
#pragma unroll
      for (u32 v41 = 0u; v41 < 8u; v41 += 1u) {
        if (((v15 & (1u << v41)) != 0u)) {
          v1[v40] = (((u32)v14) + v41);
          v40 = (v40 + 1u);
        }
      }
      v2 = (v2 + v1[(9u + blockDim.x)]);
      __syncthreads();
      while (((v2 >= blockDim.x) || (v5 && (v2 != 0u)))) {
        u32 v42 = ((v2 < blockDim.x) ? v2 : blockDim.x);
        v2 = (v2 - v42);
        if ((threadIdx.x < v42)) {
          u64 v43 = ((u64)v1[(v2 + threadIdx.x)]);
          i32 v45 = ((i32)((u32)v44 + (u32)((i32)v26[v43])));
          i64 v46 = ((i64)v45);
          u32 v49 = (((u32)((u64)((i64)((u64)v46 - (u64)v47)))) + 1u);
          bool v50 = ((v46 < v47) || (v46 > v48));
          u32 v51 = (v50 ? 0u : v37[v49]);
          u32 v52 = (v51 - 1u);
          if (!(v51 == 0u)) {
            i32 v53 = (0);
            bool v54 = true;
            bool v55 = true;
            if (v55) {
              u32 v57 = ((u32)v56[v52]);
              bool v60 = (v58[v57] != 0u);
              bool v61 = (v59[v57] != 0u);
              if ((v60 && !v61)) {
                i32 v64 = ((i32)((u32)v63 + (u32)((i32)v62[v43])));
                i32 v68 = ((i32)((u32)v67 + (u32)((i32)v66[v43])));
                i32 v69 = ((i32)((u32)v65 - (u32)v68));
                i32 v70 = ((i32)((u32)v64 * (u32)v69));
                v53 = v70;
                v54 = false;
                v55 = false;
              }
            }
            if (v55) {
              v53 = v71;
              v54 = false;
            }
            i32 v73 = ((i32)((u32)v72 + (u32)((i32)v62[v43])));
            i32 v76 = ((i32)((u32)v75 + (u32)((i32)v66[v43])));
            i32 v77 = ((i32)((u32)v74 - (u32)v76));
            i32 v78 = ((i32)((u32)v73 * (u32)v77));
            v85 = ((i64)((u64)v85 + (u64)((i64)v53)));
            v86 = ((i64)((u64)v86 + (u64)((i64)v78)));
            v84 = (v84 | 1u);
          }
        }
        __syncthreads();
      }
    }
  }
  u32 v88 = ((0u * v80) + (threadIdx.x % v80));
  if ((v84 != 0u)) {
    add_shared((v1 + (12u + ((v81 * 1u) + v88))), v81, v85);
    add_shared((v1 + (12u + ((v81 * 3u) + v88))), v81, v86);
    set_flags((v1 + (12u + ((v81 * 0u) + v88))), v84);
  }
  __syncthreads();
  for (u32 v89 = threadIdx.x; v89 < v79; v89 += blockDim.x) {
    u32 v90 = 0u;
    i64 v91 = ((i64)0ll);
    i64 v92 = ((i64)0ll);
    for (u32 v93 = 0u; v93 < v80; v93 += 1u) {
      u32 v94 = ((v89 * v80) + v93);
      v90 = (v90 | v1[(12u + ((v81 * 0u) + v94))]);
      v91 = ((i64)((u64)v91 + (u64)joined((v1 + (12u + ((v81 * 1u) + v94))), v81)));
      v92 = ((i64)((u64)v92 + (u64)joined((v1 + (12u + ((v81 * 3u) + v94))), v81)));
    }
    if ((v90 != 0u)) {
      u64 v95 = (((u64)v89) * 3ull);
      add64((v83 + v95), v91);
      add64((v83 + (v95 + 1ull)), v92);
      set_flags((v82 + ((v95 * 2ull) + 4ull)), v90);
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
