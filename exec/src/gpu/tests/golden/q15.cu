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

KERNEL codes(const u32* __restrict__ v0, const u32 v1, const u64 v2, const u64 v3, const u64 v4, const u8* __restrict__ v10, const i32 v11, const i64 v14, u32* v16) {
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

KERNEL collect(const u32* __restrict__ v0, const u32* __restrict__ v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u32* __restrict__ v15, const u64* __restrict__ v16, const i64 v18, const i32 v20, const i32 v21, const i64 v24, const i64 v25, const u32* __restrict__ v28, const i64 v33, const i32 v35, const i32 v36, const i64 v39, const i64 v40, i64* v45, const u8* __restrict__ v46, const i32 v47, i32* v49, const u8* __restrict__ v50, u32* v52, const u8* __restrict__ v53, u32* v55, const u8* __restrict__ v56, u32* v58) {
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
        if ((v16[v13] != 0ull)) {
          i64 v17 = ((i64)v16[v13]);
          bool v19 = (v17 == v18);
          if (v19) {
            i32 v22 = ((i32)((u32)v20 + (u32)((i32)((u32)((i32)(v13 - 1ull)) * (u32)v21))));
            i64 v23 = ((i64)v22);
            u32 v26 = (((u32)((u64)((i64)((u64)v23 - (u64)v24)))) + 1u);
            bool v27 = ((v23 < v24) || (v23 > v25));
            u32 v29 = (v27 ? 0u : v28[v26]);
            u32 v30 = (v29 - 1u);
            if (!(v29 == 0u)) {
              v14 = (v14 + 1u);
            }
          }
        }
      }
      u32 v31 = (v11 + scan((v2 + 0u), v14));
      if ((v14 != 0u)) {
        if ((v16[v13] != 0ull)) {
          i64 v32 = ((i64)v16[v13]);
          bool v34 = (v32 == v33);
          if (v34) {
            i32 v37 = ((i32)((u32)v35 + (u32)((i32)((u32)((i32)(v13 - 1ull)) * (u32)v36))));
            i64 v38 = ((i64)v37);
            u32 v41 = (((u32)((u64)((i64)((u64)v38 - (u64)v39)))) + 1u);
            bool v42 = ((v38 < v39) || (v38 > v40));
            u32 v43 = (v42 ? 0u : v28[v41]);
            u32 v44 = (v43 - 1u);
            if (!(v43 == 0u)) {
              v45[v31] = v32;
              i32 v48 = ((i32)((u32)v47 + (u32)((i32)v46[v44])));
              v49[v31] = v48;
              u32 v51 = ((u32)v50[v44]);
              v52[v31] = v51;
              u32 v54 = ((u32)v53[v44]);
              v55[v31] = v54;
              u32 v57 = ((u32)v56[v44]);
              v58[v31] = v57;
              v31 = (v31 + 1u);
            }
          }
        }
      }
      v11 = (v11 + v2[blockDim.x]);
      __syncthreads();
    }
  }
}

KERNEL count(const u32* __restrict__ v0, u32* v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u32* __restrict__ v13, const u64* __restrict__ v14, const i64 v16, const i32 v18, const i32 v19, const i64 v22, const i64 v23, const u32* __restrict__ v26) {
  SHARED(v2)
  for (u32 v7 = blockIdx.x; v7 < v3; v7 += gridDim.x) {
    u64 v8 = (v4 + (((u64)v7) * v6));
    u64 v9 = (v8 + v6);
    u64 v10 = ((v9 > v5) ? v5 : v9);
    u32 v11 = 0u;
    for (u64 v12 = (v8 + ((u64)threadIdx.x)); v12 < v10; v12 += ((u64)blockDim.x)) {
      if ((v14[v12] != 0ull)) {
        i64 v15 = ((i64)v14[v12]);
        bool v17 = (v15 == v16);
        if (v17) {
          i32 v20 = ((i32)((u32)v18 + (u32)((i32)((u32)((i32)(v12 - 1ull)) * (u32)v19))));
          i64 v21 = ((i64)v20);
          u32 v24 = (((u32)((u64)((i64)((u64)v21 - (u64)v22)))) + 1u);
          bool v25 = ((v21 < v22) || (v21 > v23));
          u32 v27 = (v25 ? 0u : v26[v24]);
          u32 v28 = (v27 - 1u);
          if (!(v27 == 0u)) {
            v11 = (v11 + 1u);
          }
        }
      }
    }
    u32 v29 = scan((v2 + 0u), v11);
    if ((threadIdx.x == 0u)) {
      v1[v7] = v2[blockDim.x];
    }
    __syncthreads();
  }
}

KERNEL reduce(const u32* __restrict__ v0, const u32 v1, const u64 v2, const u64 v3, const u64 v4, const u32* __restrict__ v10, const u64* __restrict__ v11, const u32 v13, const u32 v14, const u32 v15, u32* v16, u64* v17) {
  SHARED(v21)
  u32 v18 = 0u;
  u64 v19 = 0ull;
  for (u32 v22 = threadIdx.x; v22 < (v15 * 3u); v22 += blockDim.x) {
    v21[(0u + v22)] = 0u;
  }
  __syncthreads();
  for (u32 v5 = blockIdx.x; v5 < v1; v5 += gridDim.x) {
    u64 v6 = (v2 + (((u64)v5) * v4));
    u64 v7 = (v6 + v4);
    u64 v8 = ((v7 > v3) ? v3 : v7);
    for (u64 v9 = (v6 + ((u64)threadIdx.x)); v9 < v8; v9 += ((u64)blockDim.x)) {
      if ((v11[v9] != 0ull)) {
        i64 v12 = ((i64)v11[v9]);
        u64 v20 = rising(v12);
        v19 = ((v20 > v19) ? v20 : v19);
        v18 = (v18 | 1u);
      }
    }
  }
  u32 v23 = ((0u * v14) + (threadIdx.x % v14));
  if ((v18 != 0u)) {
    most_shared((v21 + (0u + ((v15 * 1u) + (v23 * 2u)))), v19);
    set_flags((v21 + (0u + ((v15 * 0u) + v23))), v18);
  }
  __syncthreads();
  for (u32 v24 = threadIdx.x; v24 < v13; v24 += blockDim.x) {
    u32 v25 = 0u;
    u64 v26 = 0ull;
    for (u32 v27 = 0u; v27 < v14; v27 += 1u) {
      u32 v28 = ((v24 * v14) + v27);
      v25 = (v25 | v21[(0u + ((v15 * 0u) + v28))]);
      u64 v29 = pair((v21 + (0u + ((v15 * 1u) + (v28 * 2u)))));
      v26 = ((v29 > v26) ? v29 : v26);
    }
    if ((v25 != 0u)) {
      u64 v30 = (((u64)v24) * 2ull);
      most((v17 + v30), v26);
      set_flags((v16 + ((v30 * 2ull) + 2ull)), v25);
    }
  }
}

KERNEL reduce(const u32* __restrict__ v0, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u16* __restrict__ v21, const i32 v25, const i32 v27, const i32 v29, const u8* __restrict__ v35, const i32 v36, const i64 v39, const u32* __restrict__ v41, const i32 v42, const i32 v44, const u8* __restrict__ v45, const i32 v46, const u32 v50, const u32 v51, const u32 v52, const u32* __restrict__ v53, u64* v54) {
  SHARED(v1)
  for (u32 v56 = threadIdx.x; v56 < (v52 * 2u); v56 += blockDim.x) {
    v1[(20u + v56)] = 0u;
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
        }
        v17 = (v17 | (v20 << (v18 * 8u)));
      }
      u32 v31 = (v2 + scan((v1 + 17u), ones(v17)));
      while ((v17 != 0u)) {
        u32 v32 = first_bit(v17);
        v17 = (v17 - (1u << v32));
        v1[v31] = (((u32)v16) + ((v14 * (v32 >> 3u)) + (v32 & 7u)));
        v31 = (v31 + 1u);
      }
      v2 = (v2 + v1[(17u + blockDim.x)]);
      __syncthreads();
      while (((v2 >= blockDim.x) || (v8 && (v2 != 0u)))) {
        u32 v33 = ((v2 < blockDim.x) ? v2 : blockDim.x);
        v2 = (v2 - v33);
        if ((threadIdx.x < v33)) {
          u64 v34 = ((u64)v1[(v2 + threadIdx.x)]);
          i32 v37 = ((i32)((u32)v36 + (u32)((i32)v35[v34])));
          i64 v38 = ((i64)v37);
          u32 v40 = (((u32)((u64)((i64)((u64)v38 - (u64)v39)))) + 1u);
          i32 v43 = ((i32)((u32)v42 + (u32)((i32)v41[v34])));
          i32 v47 = ((i32)((u32)v46 + (u32)((i32)v45[v34])));
          i32 v48 = ((i32)((u32)v44 - (u32)v47));
          i32 v49 = ((i32)((u32)v43 * (u32)v48));
          u32 v55 = ((v40 * v51) + (threadIdx.x % v51));
          add_shared((v1 + (20u + ((v52 * 0u) + v55))), v52, ((i64)v49));
        }
        __syncthreads();
      }
    }
  }
  __syncthreads();
  for (u32 v57 = threadIdx.x; v57 < v50; v57 += blockDim.x) {
    u32 v58 = 0u;
    i64 v59 = ((i64)0ll);
    for (u32 v60 = 0u; v60 < v51; v60 += 1u) {
      u32 v61 = ((v57 * v51) + v60);
      v59 = ((i64)((u64)v59 + (u64)joined((v1 + (20u + ((v52 * 0u) + v61))), v52)));
    }
    if ((v59 != ((i64)0ll))) {
      u64 v62 = ((u64)v57);
      add64((v54 + v62), v59);
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
