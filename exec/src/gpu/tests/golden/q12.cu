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

KERNEL collect(const u32* __restrict__ v0, const u32* __restrict__ v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u32* __restrict__ v15, const u64* __restrict__ v16, u32* v21, i32* v24, i32* v27) {
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
        u64 v17 = (v13 * 3ull);
        if (((v15[((v17 * 2ull) + 4ull)] & 1u) != 0u)) {
          v14 = (v14 + 1u);
        }
      }
      u32 v18 = (v11 + scan((v2 + 0u), v14));
      if ((v14 != 0u)) {
        u64 v19 = (v13 * 3ull);
        if (((v15[((v19 * 2ull) + 4ull)] & 1u) != 0u)) {
          u32 v20 = ((v13 == 0ull) ? 0u : ((u32)(v13 - 1ull)));
          v21[v18] = v20;
          u64 v22 = (v13 * 3ull);
          i32 v23 = ((i32)((i64)v16[v22]));
          v24[v18] = v23;
          u64 v25 = (v13 * 3ull);
          i32 v26 = ((i32)((i64)v16[(v25 + 1ull)]));
          v27[v18] = v26;
          v18 = (v18 + 1u);
        }
      }
      v11 = (v11 + v2[blockDim.x]);
      __syncthreads();
    }
  }
}

KERNEL collect(const u32* __restrict__ v0, const u32* __restrict__ v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u64 v12, const u8* __restrict__ v14, const u16* __restrict__ v22, const i32 v23, const i32 v25, const i32 v27, const u16* __restrict__ v29, const i32 v30, const u16* __restrict__ v33, const i32 v34, const u8* __restrict__ v37, const u8* __restrict__ v39, const u8* __restrict__ v40, const u16* __restrict__ v42, const i32 v43, const i64 v46, u32* v48, u32* v49) {
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
        bool v26 = (v24 >= v25);
        if (v26) {
          bool v28 = (v24 < v27);
          if (v28) {
            i32 v31 = ((i32)((u32)v30 + (u32)((i32)v29[v21])));
            bool v32 = (v31 < v24);
            if (v32) {
              i32 v35 = ((i32)((u32)v34 + (u32)((i32)v33[v21])));
              bool v36 = (v35 < v31);
              if (v36) {
                u32 v38 = ((u32)v37[v21]);
                bool v41 = (v39[v38] != 0u);
                if (v41) {
                  i32 v44 = ((i32)((u32)v43 + (u32)((i32)v42[v21])));
                  i64 v45 = ((i64)v44);
                  u32 v47 = (((u32)((u64)((i64)((u64)v45 - (u64)v46)))) + 1u);
                  v48[v19] = v47;
                  v49[v19] = v38;
                  v19 = (v19 + 1u);
                }
              }
            }
          }
        }
      }
      v11 = (v11 + v2[blockDim.x]);
      __syncthreads();
    }
  }
}

KERNEL count(const u32* __restrict__ v0, u32* v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u32* __restrict__ v13, const u64* __restrict__ v14) {
  SHARED(v2)
  for (u32 v7 = blockIdx.x; v7 < v3; v7 += gridDim.x) {
    u64 v8 = (v4 + (((u64)v7) * v6));
    u64 v9 = (v8 + v6);
    u64 v10 = ((v9 > v5) ? v5 : v9);
    u32 v11 = 0u;
    for (u64 v12 = (v8 + ((u64)threadIdx.x)); v12 < v10; v12 += ((u64)blockDim.x)) {
      u64 v15 = (v12 * 3ull);
      if (((v13[((v15 * 2ull) + 4ull)] & 1u) != 0u)) {
        v11 = (v11 + 1u);
      }
    }
    u32 v16 = scan((v2 + 0u), v11);
    if ((threadIdx.x == 0u)) {
      v1[v7] = v2[blockDim.x];
    }
    __syncthreads();
  }
}

KERNEL count(const u32* __restrict__ v0, u32* v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, u8* v11, const u64 v12, const u16* __restrict__ v16, const u16* __restrict__ v18, const u16* __restrict__ v20, const u8* __restrict__ v22, const i32 v28, const i32 v30, const i32 v32, const i32 v34, const i32 v37, const u8* __restrict__ v41, const u8* __restrict__ v42, const u16* __restrict__ v44) {
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
      u64 v19[2];
      lanes16(v19, v18, v15);
      u64 v21[2];
      lanes16(v21, v20, v15);
      u64 v23[1];
      lanes8(v23, v22, v15);
      u32 v24 = 0u;
      u32 v25 = 0u;
#pragma unroll
      for (u32 v26 = 0u; v26 < 8u; v26 += 1u) {
        u64 v27 = (v15 + ((u64)v26));
        if (((v27 >= v8) && (v27 < v10))) {
          i32 v29 = ((i32)((u32)v28 + (u32)((i32)((u16)lane16((v21 + 0u), v26)))));
          bool v31 = (v29 >= v30);
          if (v31) {
            bool v33 = (v29 < v32);
            if (v33) {
              i32 v35 = ((i32)((u32)v34 + (u32)((i32)((u16)lane16((v19 + 0u), v26)))));
              bool v36 = (v35 < v29);
              if (v36) {
                i32 v38 = ((i32)((u32)v37 + (u32)((i32)((u16)lane16((v17 + 0u), v26)))));
                bool v39 = (v38 < v35);
                if (v39) {
                  u32 v40 = ((u32)((u8)lane8((v23 + 0u), v26)));
                  bool v43 = (v41[v40] != 0u);
                  if (v43) {
                    v24 = (v24 | (1u << v26));
                  }
                }
              }
            }
          }
        }
      }
      if ((v24 != 0u)) {
        u64 v45[2];
        lanes16(v45, v44, v15);
#pragma unroll
        for (u32 v46 = 0u; v46 < 8u; v46 += 1u) {
          u64 v47 = (v15 + ((u64)v46));
          if (((v24 & (1u << v46)) != 0u)) {
            v14 = (v14 + 1u);
            v25 = (v25 | (1u << v46));
          }
        }
      }
      if ((v25 != 0u)) {
        v11[(v13 + ((v15 - (v8 & 18446744073709551608ull)) >> 3u))] = ((u8)v25);
      }
    }
    u32 v48 = scan((v2 + 0u), v14);
    if ((threadIdx.x == 0u)) {
      v1[v7] = v2[blockDim.x];
    }
    __syncthreads();
  }
}

KERNEL reduce(const u32* __restrict__ v0, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u16* __restrict__ v23, const i32 v27, const i64 v30, const i64 v31, const u32* __restrict__ v34, const u32 v35, const u32 v36, const bool v37, const u32 v38, const u8* __restrict__ v40, const i32 v46, const i64 v49, const i64 v50, const u32* __restrict__ v54, const u32* __restrict__ v56, const u32* __restrict__ v57, const u32* __restrict__ v58, const u32* __restrict__ v63, const u8* __restrict__ v69, const u8* __restrict__ v71, const u8* __restrict__ v72, const u8* __restrict__ v74, const u8* __restrict__ v75, const i32 v78, const i32 v79, const u8* __restrict__ v84, const u8* __restrict__ v85, const u8* __restrict__ v87, const u8* __restrict__ v88, const i32 v91, const i32 v92, const u32 v93, const u32 v94, const u32 v95, u32* v96, u64* v97) {
  SHARED(v1)
  for (u32 v107 = threadIdx.x; v107 < v36; v107 += blockDim.x) {
    v1[(v35 + v107)] = v34[v107];
  }
  __syncthreads();
  for (u32 v99 = threadIdx.x; v99 < (v95 * 5u); v99 += blockDim.x) {
    v1[(20u + v99)] = 0u;
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
#pragma unroll
          for (u32 v21 = 0u; v21 < 8u; v21 += 1u) {
            u64 v22 = (v19 + ((u64)v21));
            if (((v22 >= v12) && (v22 < v13))) {
              v20 = (v20 | (1u << v21));
            }
          }
          if ((v20 != 0u)) {
            u64 v24[2];
            lanes16(v24, v23, v19);
#pragma unroll
            for (u32 v25 = 0u; v25 < 8u; v25 += 1u) {
              u64 v26 = (v19 + ((u64)v25));
              if (((v20 & (1u << v25)) != 0u)) {
                i32 v28 = ((i32)((u32)v27 + (u32)((i32)((u16)lane16((v24 + 0u), v25)))));
                i64 v29 = ((i64)v28);
                u32 v32 = (((u32)((u64)((i64)((u64)v29 - (u64)v30)))) + 1u);
                bool v33 = ((v29 < v30) || (v29 > v31));
                bool v39 = (v33 || (v37 && !word_bit((v1 + v35), ((u32)first_slot(v38, ((u64)v32))))));
                bool v41 = (v39 || !bit((v40 + 0ull), ((u64)v32)));
                if (v41) {
                  v20 = (v20 - (1u << v25));
                }
              }
            }
          }
        }
        v17 = (v17 | (v20 << (v18 * 8u)));
      }
      u32 v42 = (v2 + scan((v1 + 17u), ones(v17)));
      while ((v17 != 0u)) {
        u32 v43 = first_bit(v17);
        v17 = (v17 - (1u << v43));
        v1[v42] = (((u32)v16) + ((v14 * (v43 >> 3u)) + (v43 & 7u)));
        v42 = (v42 + 1u);
      }
      v2 = (v2 + v1[(17u + blockDim.x)]);
      __syncthreads();
      while (((v2 >= blockDim.x) || (v8 && (v2 != 0u)))) {
        u32 v44 = ((v2 < blockDim.x) ? v2 : blockDim.x);
        v2 = (v2 - v44);
        if ((threadIdx.x < v44)) {
          u64 v45 = ((u64)v1[(v2 + threadIdx.x)]);
          i32 v47 = ((i32)((u32)v46 + (u32)((i32)v23[v45])));
          i64 v48 = ((i64)v47);
          u32 v51 = (((u32)((u64)((i64)((u64)v48 - (u64)v49)))) + 1u);
          bool v52 = ((v48 < v49) || (v48 > v50));
          bool v53 = (v52 || !bit((v40 + 0ull), ((u64)v51)));
          u32 v55 = (v53 ? 0u : v54[v51]);
          if (!(v55 == 0u)) {
            u32 v59 = v56[v51];
            u32 v60 = (v59 + v57[v51]);
            for (u32 v61 = v59; v61 < v60; v61 += 1u) {
              u32 v62 = v58[v61];
              u32 v64 = v63[v62];
              u32 v65 = (v64 + 1u);
              i32 v66 = (0);
              bool v67 = true;
              bool v68 = true;
              if (v68) {
                u32 v70 = ((u32)v69[v45]);
                bool v73 = (v71[v70] != 0u);
                bool v76 = (v74[v70] != 0u);
                bool v77 = (v73 || v76);
                if (v77) {
                  v66 = v78;
                  v67 = false;
                  v68 = false;
                }
              }
              if (v68) {
                v66 = v79;
                v67 = false;
              }
              i32 v80 = (0);
              bool v81 = true;
              bool v82 = true;
              if (v82) {
                u32 v83 = ((u32)v69[v45]);
                bool v86 = (v84[v83] != 0u);
                bool v89 = (v87[v83] != 0u);
                bool v90 = !(!v86 || !v89);
                if (v90) {
                  v80 = v91;
                  v81 = false;
                  v82 = false;
                }
              }
              if (v82) {
                v80 = v92;
                v81 = false;
              }
              u32 v98 = ((v65 * v94) + (threadIdx.x % v94));
              add_shared((v1 + (20u + ((v95 * 1u) + v98))), v95, ((i64)v66));
              add_shared((v1 + (20u + ((v95 * 3u) + v98))), v95, ((i64)v80));
              set_flags((v1 + (20u + ((v95 * 0u) + v98))), 1u);
            }
          }
        }
        __syncthreads();
      }
    }
  }
  __syncthreads();
  for (u32 v100 = threadIdx.x; v100 < v93; v100 += blockDim.x) {
    u32 v101 = 0u;
    i64 v102 = ((i64)0ll);
    i64 v103 = ((i64)0ll);
    for (u32 v104 = 0u; v104 < v94; v104 += 1u) {
      u32 v105 = ((v100 * v94) + v104);
      v101 = (v101 | v1[(20u + ((v95 * 0u) + v105))]);
      v102 = ((i64)((u64)v102 + (u64)joined((v1 + (20u + ((v95 * 1u) + v105))), v95)));
      v103 = ((i64)((u64)v103 + (u64)joined((v1 + (20u + ((v95 * 3u) + v105))), v95)));
    }
    if ((v101 != 0u)) {
      u64 v106 = (((u64)v100) * 3ull);
      add64((v97 + v106), v102);
      add64((v97 + (v106 + 1ull)), v103);
      set_flags((v96 + ((v106 * 2ull) + 4ull)), v101);
    }
  }
}

typedef u32 code_t;
// Bits of codes: by code, or, if `bits` says so, by that many bits of their hashes. Codes come from a hash table, whose places have one
// more than a code or 0, or from rows (`code_t` is what theirs are), which are in a better order.
FUNCTION void filter_code(u32* filter, u32 bits, u64 code) { set_bit(filter, bits == 0 ? code : first_slot(bits, code)); }

KERNEL filter_slots(const u64* slots, const u64 count, const u32 bits, u32* filter) {
  for (u64 at = (u64)blockIdx.x * blockDim.x + threadIdx.x; at < count; at += (u64)gridDim.x * blockDim.x) {
    if (slots[at] != 0) filter_code(filter, bits, slots[at] - 1);
  }
}

KERNEL filter_rows(const code_t* codes, const u64 count, const u32 bits, u32* filter) {
  for (u64 at = (u64)blockIdx.x * blockDim.x + threadIdx.x; at < count; at += (u64)gridDim.x * blockDim.x) filter_code(filter, bits, codes[at]);
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
