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

KERNEL collect(const u32* __restrict__ v0, const u32* __restrict__ v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u64 v12, const u8* __restrict__ v14, const u16* __restrict__ v22, const i32 v23, const i64 v26, const i64 v27, const u32* __restrict__ v30, const u64* __restrict__ v31, const u16* __restrict__ v36, const i32 v37, const i64 v40, const i64 v41, const u32* __restrict__ v44, const u32* __restrict__ v47, const i32 v48, i32* v50, const u16* __restrict__ v51, const i32 v52, i32* v54, const u16* __restrict__ v55, u32* v57, const u16* __restrict__ v58, const i32 v59, i32* v61, i32* v62, i32* v63, i32* v64, const i64 v66, const i64 v67, i32* v76, u8* v77) {
  SHARED(v2)
  for (u32 v7 = blockIdx.x; v7 < v3; v7 += gridDim.x) {
    u64 v8 = (v4 + (((u64)v7) * v6));
    u64 v9 = (v8 + v6);
    u64 v10 = ((v9 > v5) ? v5 : v9);
    u32 v11 = v1[v7];
    u64 v13 = (((u64)v7) * v12);
    u64 v15 = (v8 & 18446744073709551608ull);
    for (u64 v16 = v15; v16 < v10; v16 += (((u64)blockDim.x) * 8ull)) {
      u64 v17 = (v16 + (((u64)threadIdx.x) * 8ull));
      u32 v18 = 0u;
      if ((v17 < v10)) {
        v18 = ((u32)v14[(v13 + ((v17 - v15) >> 3u))]);
      }
      u32 v19 = (v11 + scan((v2 + 0u), ones(v18)));
      while ((v18 != 0u)) {
        u32 v20 = first_bit(v18);
        v18 = (v18 - (1u << v20));
        u64 v21 = (v17 + ((u64)v20));
        i32 v24 = ((i32)((u32)v23 + (u32)((i32)v22[v21])));
        i64 v25 = ((i64)v24);
        u32 v28 = (((u32)((u64)((i64)((u64)v25 - (u64)v26)))) + 1u);
        bool v29 = ((v25 < v26) || (v25 > v27));
        u64 v32 = (((u64)v28) * 2ull);
        bool v33 = (v29 || !((v30[(v32 + 1ull)] & 1u) != 0u));
        u32 v34 = (v33 ? 0u : v28);
        bool v35 = !v33;
        if (v35) {
          i32 v38 = ((i32)((u32)v37 + (u32)((i32)v36[v21])));
          i64 v39 = ((i64)v38);
          u32 v42 = (((u32)((u64)((i64)((u64)v39 - (u64)v40)))) + 1u);
          bool v43 = ((v39 < v40) || (v39 > v41));
          u32 v45 = (v43 ? 0u : v44[v42]);
          u32 v46 = (v45 - 1u);
          if (!(v45 == 0u)) {
            i32 v49 = ((i32)((u32)v48 + (u32)((i32)v47[v21])));
            v50[v19] = v49;
            i32 v53 = ((i32)((u32)v52 + (u32)((i32)v51[v21])));
            v54[v19] = v53;
            u32 v56 = ((u32)v55[v46]);
            v57[v19] = v56;
            i32 v60 = ((i32)((u32)v59 + (u32)((i32)v58[v46])));
            v61[v19] = v60;
            v62[v19] = v24;
            v63[v19] = v53;
            v64[v19] = v49;
            i64 v65 = ((i64)v24);
            u32 v68 = (((u32)((u64)((i64)((u64)v65 - (u64)v66)))) + 1u);
            bool v69 = ((v65 < v66) || (v65 > v67));
            u64 v70 = (((u64)v68) * 2ull);
            bool v71 = (v69 || !((v30[(v70 + 1ull)] & 1u) != 0u));
            u32 v72 = (v71 ? 0u : v68);
            u64 v73 = (((u64)v72) * 2ull);
            i32 v74 = (!v71 ? ((i32)((i64)((i32)v30[v73]))) : (0));
            bool v75 = (!v71 ? false : true);
            v76[v19] = v74;
            v77[v19] = ((u8)!v75);
            v19 = (v19 + 1u);
          }
        }
      }
      v11 = (v11 + v2[blockDim.x]);
      __syncthreads();
    }
  }
}

KERNEL count(const u32* __restrict__ v0, u32* v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u32* __restrict__ v13, const u64* __restrict__ v14, const i32 v16) {
  SHARED(v2)
  for (u32 v7 = blockIdx.x; v7 < v3; v7 += gridDim.x) {
    u64 v8 = (v4 + (((u64)v7) * v6));
    u64 v9 = (v8 + v6);
    u64 v10 = ((v9 > v5) ? v5 : v9);
    u32 v11 = 0u;
    for (u64 v12 = (v8 + ((u64)threadIdx.x)); v12 < v10; v12 += ((u64)blockDim.x)) {
      if ((v14[v12] != 0ull)) {
        i32 v15 = ((i32)((i64)v14[v12]));
        bool v17 = (v15 > v16);
        if (v17) {
          v11 = (v11 + 1u);
        }
      }
    }
    u32 v18 = scan((v2 + 0u), v11);
    if ((threadIdx.x == 0u)) {
      v1[v7] = v2[blockDim.x];
    }
    __syncthreads();
  }
}

KERNEL count(const u32* __restrict__ v0, u32* v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, u8* v11, const u64 v12, const u16* __restrict__ v16, const i32 v22, const i64 v25, const i64 v26, const u32* __restrict__ v29, const u64* __restrict__ v30, const u16* __restrict__ v35, const u32* __restrict__ v37, const u16* __restrict__ v39, const i32 v43, const i64 v46, const i64 v47, const u32* __restrict__ v50) {
  SHARED(v2)
  for (u32 v7 = blockIdx.x; v7 < v3; v7 += gridDim.x) {
    u64 v8 = (v4 + (((u64)v7) * v6));
    u64 v9 = (v8 + v6);
    u64 v10 = ((v9 > v5) ? v5 : v9);
    u64 v13 = (((u64)v7) * v12);
    u32 v14 = 0u;
    for (u64 v15 = ((v8 & 18446744073709551608ull) + (((u64)threadIdx.x) * 8ull)); v15 < v10; v15 += (((u64)blockDim.x) * 8ull)) {
      u64 v17[2];
      lanes16(v17, v16, v15);
      u32 v18 = 0u;
      u32 v19 = 0u;
#pragma unroll
      for (u32 v20 = 0u; v20 < 8u; v20 += 1u) {
        u64 v21 = (v15 + ((u64)v20));
        if (((v21 >= v8) && (v21 < v10))) {
          i32 v23 = ((i32)((u32)v22 + (u32)((i32)((u16)lane16((v17 + 0u), v20)))));
          i64 v24 = ((i64)v23);
          u32 v27 = (((u32)((u64)((i64)((u64)v24 - (u64)v25)))) + 1u);
          bool v28 = ((v24 < v25) || (v24 > v26));
          u64 v31 = (((u64)v27) * 2ull);
          bool v32 = (v28 || !((v29[(v31 + 1ull)] & 1u) != 0u));
          u32 v33 = (v32 ? 0u : v27);
          bool v34 = !v32;
          if (v34) {
            v18 = (v18 | (1u << v20));
          }
        }
      }
      if ((v18 != 0u)) {
        u64 v36[2];
        lanes16(v36, v35, v15);
        u64 v38[4];
        lanes32(v38, v37, v15);
        u64 v40[2];
        lanes16(v40, v39, v15);
#pragma unroll
        for (u32 v41 = 0u; v41 < 8u; v41 += 1u) {
          u64 v42 = (v15 + ((u64)v41));
          if (((v18 & (1u << v41)) != 0u)) {
            i32 v44 = ((i32)((u32)v43 + (u32)((i32)((u16)lane16((v36 + 0u), v41)))));
            i64 v45 = ((i64)v44);
            u32 v48 = (((u32)((u64)((i64)((u64)v45 - (u64)v46)))) + 1u);
            bool v49 = ((v45 < v46) || (v45 > v47));
            u32 v51 = (v49 ? 0u : v50[v48]);
            u32 v52 = (v51 - 1u);
            if (!(v51 == 0u)) {
              v14 = (v14 + 1u);
              v19 = (v19 | (1u << v41));
            }
          }
        }
      }
      if ((v19 != 0u)) {
        v11[(v13 + ((v15 - (v8 & 18446744073709551608ull)) >> 3u))] = ((u8)v19);
      }
    }
    u32 v53 = scan((v2 + 0u), v14);
    if ((threadIdx.x == 0u)) {
      v1[v7] = v2[blockDim.x];
    }
    __syncthreads();
  }
}

KERNEL reduce(const u32* __restrict__ v0, const u32 v1, const u64 v2, const u64 v3, const u64 v4, const u16* __restrict__ v16, const u8* __restrict__ v18, const i32 v22, const i64 v25, const i32 v27, const i32 v28, const u32* __restrict__ v30, u64* v31) {
  u32 v32 = 0u;
  u32 v34 = 0u;
  u64 v35 = 0ull;
  u64 v36 = 0ull;
  i64 v33 = ((i64)0ll);
  for (u32 v5 = blockIdx.x; v5 < v1; v5 += gridDim.x) {
    u64 v6 = (v2 + (((u64)v5) * v4));
    u64 v7 = (v6 + v4);
    u64 v8 = ((v7 > v3) ? v3 : v7);
    for (u64 v9 = ((v6 & 18446744073709551608ull) + (((u64)threadIdx.x) * 16ull)); v9 < v8; v9 += (((u64)blockDim.x) * 16ull)) {
      u64 v10 = (v9 + 16ull);
      u64 v11 = ((v10 > v8) ? v8 : v10);
      for (u64 v12 = v9; v12 < v11; v12 += 8ull) {
        u32 v13 = 0u;
#pragma unroll
        for (u32 v14 = 0u; v14 < 8u; v14 += 1u) {
          u64 v15 = (v12 + ((u64)v14));
          if (((v15 >= v6) && (v15 < v8))) {
            v13 = (v13 | (1u << v14));
          }
        }
        if ((v13 != 0u)) {
          u64 v17[2];
          lanes16(v17, v16, v12);
          u64 v19[1];
          lanes8(v19, v18, v12);
#pragma unroll
          for (u32 v20 = 0u; v20 < 8u; v20 += 1u) {
            u64 v21 = (v12 + ((u64)v20));
            if (((v13 & (1u << v20)) != 0u)) {
              i32 v23 = ((i32)((u32)v22 + (u32)((i32)((u16)lane16((v17 + 0u), v20)))));
              i64 v24 = ((i64)v23);
              u32 v26 = (((u32)((u64)((i64)((u64)v24 - (u64)v25)))) + 1u);
              i32 v29 = ((i32)((u32)v28 + (u32)((i32)((u32)v27 * (u32)((i32)((u8)lane8((v19 + 0u), v20)))))));
              if ((v34 != v26)) {
                u64 v37 = (v9 + 1ull);
                bool v38 = (v36 == v37);
                if (v38) {
                  u64 v39 = ((u64)v34);
                  v31[v39] = ((u64)v33);
                }
                if (!v38) {
                  if ((v32 != 0u)) {
                    u64 v40 = ((u64)v34);
                    add64((v31 + v40), v33);
                  }
                }
                v34 = v26;
                v36 = ((v35 > v9) ? v37 : 0ull);
                v32 = 0u;
                v33 = ((i64)0ll);
              }
              v35 = (v21 + 1ull);
              v33 = ((i64)((u64)v33 + (u64)((i64)v29)));
              v32 = (v32 | 1u);
            }
          }
        }
      }
    }
  }
  if ((v32 != 0u)) {
    u64 v41 = ((u64)v34);
    add64((v31 + v41), v33);
  }
}

KERNEL reduce(const u32* __restrict__ v0, const u32 v1, const u64 v2, const u64 v3, const u64 v4, const u32* __restrict__ v10, const u64* __restrict__ v11, const i32 v13, const i32 v15, const i32 v16, const i64 v19, u32* v21, const u64* __restrict__ v22) {
  for (u32 v5 = blockIdx.x; v5 < v1; v5 += gridDim.x) {
    u64 v6 = (v2 + (((u64)v5) * v4));
    u64 v7 = (v6 + v4);
    u64 v8 = ((v7 > v3) ? v3 : v7);
    for (u64 v9 = (v6 + ((u64)threadIdx.x)); v9 < v8; v9 += ((u64)blockDim.x)) {
      if ((v11[v9] != 0ull)) {
        i32 v12 = ((i32)((i64)v11[v9]));
        bool v14 = (v12 > v13);
        if (v14) {
          i32 v17 = ((i32)((u32)v15 + (u32)((i32)((u32)((i32)(v9 - 1ull)) * (u32)v16))));
          i64 v18 = ((i64)v17);
          u32 v20 = (((u32)((u64)((i64)((u64)v18 - (u64)v19)))) + 1u);
          u64 v23 = (((u64)v20) * 2ull);
          v21[v23] = ((u32)v12);
          set_flags((v21 + (v23 + 1ull)), 1u);
        }
      }
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
