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

KERNEL collect(const u32* __restrict__ v0, const u32* __restrict__ v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u8* __restrict__ v15, const i32 v16, const i32 v18, const u8* __restrict__ v20, const u8* __restrict__ v22, const u8* __restrict__ v23, const u8* __restrict__ v25, const u8* __restrict__ v27, const u8* __restrict__ v28, const i32 v30, const u8* __restrict__ v33, const u8* __restrict__ v34, const u8* __restrict__ v36, const u8* __restrict__ v37, const i32 v39, const u8* __restrict__ v42, const u8* __restrict__ v43, const u8* __restrict__ v45, const u8* __restrict__ v46, const i32 v48, const i32 v53, const i32 v55, const i32 v61, const i32 v66, const i32 v71, const u16* __restrict__ v75, const i32 v76, const i64 v79, u32* v81, u32* v82, i32* v83, u32* v84) {
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
        i32 v17 = ((i32)((u32)v16 + (u32)((i32)v15[v13])));
        bool v19 = (v17 >= v18);
        if (v19) {
          u32 v21 = ((u32)v20[v13]);
          bool v24 = (v22[v21] != 0u);
          u32 v26 = ((u32)v25[v13]);
          bool v29 = (v27[v26] != 0u);
          bool v31 = (v17 <= v30);
          bool v32 = !((!v24 || !v29) || !v31);
          bool v35 = (v33[v21] != 0u);
          bool v38 = (v36[v26] != 0u);
          bool v40 = (v17 <= v39);
          bool v41 = !((!v35 || !v38) || !v40);
          bool v44 = (v42[v21] != 0u);
          bool v47 = (v45[v26] != 0u);
          bool v49 = (v17 <= v48);
          bool v50 = !((!v44 || !v47) || !v49);
          bool v51 = ((v32 || v41) || v50);
          if (v51) {
            v14 = (v14 + 1u);
          }
        }
      }
      u32 v52 = (v11 + scan((v2 + 0u), v14));
      if ((v14 != 0u)) {
        i32 v54 = ((i32)((u32)v53 + (u32)((i32)v15[v13])));
        bool v56 = (v54 >= v55);
        if (v56) {
          u32 v57 = ((u32)v20[v13]);
          bool v58 = (v22[v57] != 0u);
          u32 v59 = ((u32)v25[v13]);
          bool v60 = (v27[v59] != 0u);
          bool v62 = (v54 <= v61);
          bool v63 = !((!v58 || !v60) || !v62);
          bool v64 = (v33[v57] != 0u);
          bool v65 = (v36[v59] != 0u);
          bool v67 = (v54 <= v66);
          bool v68 = !((!v64 || !v65) || !v67);
          bool v69 = (v42[v57] != 0u);
          bool v70 = (v45[v59] != 0u);
          bool v72 = (v54 <= v71);
          bool v73 = !((!v69 || !v70) || !v72);
          bool v74 = ((v63 || v68) || v73);
          if (v74) {
            i32 v77 = ((i32)((u32)v76 + (u32)((i32)v75[v13])));
            i64 v78 = ((i64)v77);
            u32 v80 = (((u32)((u64)((i64)((u64)v78 - (u64)v79)))) + 1u);
            v81[v52] = v80;
            v82[v52] = v57;
            v83[v52] = v54;
            v84[v52] = v59;
            v52 = (v52 + 1u);
          }
        }
      }
      v11 = (v11 + v2[blockDim.x]);
      __syncthreads();
    }
  }
}

KERNEL count(const u32* __restrict__ v0, u32* v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u8* __restrict__ v13, const u8* __restrict__ v15, const u8* __restrict__ v17, const i32 v22, const i32 v24, const u8* __restrict__ v27, const u8* __restrict__ v28, const u8* __restrict__ v31, const u8* __restrict__ v32, const i32 v34, const u8* __restrict__ v37, const u8* __restrict__ v38, const u8* __restrict__ v40, const u8* __restrict__ v41, const i32 v43, const u8* __restrict__ v46, const u8* __restrict__ v47, const u8* __restrict__ v49, const u8* __restrict__ v50, const i32 v52, const u16* __restrict__ v56) {
  SHARED(v2)
  for (u32 v7 = blockIdx.x; v7 < v3; v7 += gridDim.x) {
    u64 v8 = (v4 + (((u64)v7) * v6));
    u64 v9 = (v8 + v6);
    u64 v10 = ((v9 > v5) ? v5 : v9);
    u32 v11 = 0u;
    for (u64 v12 = ((v8 & 18446744073709551608ull) + (((u64)threadIdx.x) * 8ull)); v12 < v10; v12 += (((u64)blockDim.x) * 8ull)) {
      u64 v14[1];
      lanes8(v14, v13, v12);
      u64 v16[1];
      lanes8(v16, v15, v12);
      u64 v18[1];
      lanes8(v18, v17, v12);
      u32 v19 = 0u;
#pragma unroll
      for (u32 v20 = 0u; v20 < 8u; v20 += 1u) {
        u64 v21 = (v12 + ((u64)v20));
        if (((v21 >= v8) && (v21 < v10))) {
          i32 v23 = ((i32)((u32)v22 + (u32)((i32)((u8)lane8((v16 + 0u), v20)))));
          bool v25 = (v23 >= v24);
          if (v25) {
            u32 v26 = ((u32)((u8)lane8((v14 + 0u), v20)));
            bool v29 = (v27[v26] != 0u);
            u32 v30 = ((u32)((u8)lane8((v18 + 0u), v20)));
            bool v33 = (v31[v30] != 0u);
            bool v35 = (v23 <= v34);
            bool v36 = !((!v29 || !v33) || !v35);
            bool v39 = (v37[v26] != 0u);
            bool v42 = (v40[v30] != 0u);
            bool v44 = (v23 <= v43);
            bool v45 = !((!v39 || !v42) || !v44);
            bool v48 = (v46[v26] != 0u);
            bool v51 = (v49[v30] != 0u);
            bool v53 = (v23 <= v52);
            bool v54 = !((!v48 || !v51) || !v53);
            bool v55 = ((v36 || v45) || v54);
            if (v55) {
              v19 = (v19 | (1u << v20));
            }
          }
        }
      }
      if ((v19 != 0u)) {
        u64 v57[2];
        lanes16(v57, v56, v12);
#pragma unroll
        for (u32 v58 = 0u; v58 < 8u; v58 += 1u) {
          u64 v59 = (v12 + ((u64)v58));
          if (((v19 & (1u << v58)) != 0u)) {
            v11 = (v11 + 1u);
          }
        }
      }
    }
    u32 v60 = scan((v2 + 0u), v11);
    if ((threadIdx.x == 0u)) {
      v1[v7] = v2[blockDim.x];
    }
    __syncthreads();
  }
}

KERNEL reduce(const u32* __restrict__ v0, const u32 v1, const u64 v2, const u64 v3, const u64 v4, const u8* __restrict__ v10, const u8* __restrict__ v12, const u8* __restrict__ v14, const i32 v19, const i32 v20, const i32 v22, const i32 v24, const i32 v27, const i32 v29, const i32 v33, const u8* __restrict__ v38, const u8* __restrict__ v39, const u8* __restrict__ v42, const u8* __restrict__ v43, const u16* __restrict__ v45, const u32* __restrict__ v47, const u8* __restrict__ v49, const i32 v53, const i64 v56, const i64 v57, const u32* __restrict__ v60, const u32* __restrict__ v63, const u8* __restrict__ v65, const u8* __restrict__ v66, const u32* __restrict__ v68, const u8* __restrict__ v70, const u8* __restrict__ v71, const i32 v73, const i32 v74, const i32 v76, const i32 v78, const i32* __restrict__ v80, const i32 v82, const u8* __restrict__ v85, const u8* __restrict__ v86, const u8* __restrict__ v88, const u8* __restrict__ v89, const i32 v91, const i32 v93, const i32 v95, const u8* __restrict__ v98, const u8* __restrict__ v99, const u8* __restrict__ v101, const u8* __restrict__ v102, const i32 v105, const i32 v107, const i32 v111, const i32 v113, const u32 v117, const u32 v118, const u32 v119, u32* v120, u64* v121) {
  SHARED(v124)
  u32 v122 = 0u;
  i64 v123 = ((i64)0ll);
  for (u32 v125 = threadIdx.x; v125 < (v119 * 3u); v125 += blockDim.x) {
    v124[(0u + v125)] = 0u;
  }
  __syncthreads();
  for (u32 v5 = blockIdx.x; v5 < v1; v5 += gridDim.x) {
    u64 v6 = (v2 + (((u64)v5) * v4));
    u64 v7 = (v6 + v4);
    u64 v8 = ((v7 > v3) ? v3 : v7);
    for (u64 v9 = ((v6 & 18446744073709551608ull) + (((u64)threadIdx.x) * 8ull)); v9 < v8; v9 += (((u64)blockDim.x) * 8ull)) {
      u64 v11[1];
      lanes8(v11, v10, v9);
      u64 v13[1];
      lanes8(v13, v12, v9);
      u64 v15[1];
      lanes8(v15, v14, v9);
      u32 v16 = 0u;
#pragma unroll
      for (u32 v17 = 0u; v17 < 8u; v17 += 1u) {
        u64 v18 = (v9 + ((u64)v17));
        if (((v18 >= v6) && (v18 < v8))) {
          i32 v21 = ((i32)((u32)v20 + (u32)((i32)((u32)v19 * (u32)((i32)((u8)lane8((v11 + 0u), v17)))))));
          bool v23 = (v21 >= v22);
          bool v25 = (v21 <= v24);
          bool v26 = !(!v23 || !v25);
          bool v28 = (v21 >= v27);
          bool v30 = (v21 <= v29);
          bool v31 = !(!v28 || !v30);
          bool v32 = (v21 >= v29);
          bool v34 = (v21 <= v33);
          bool v35 = !(!v32 || !v34);
          bool v36 = ((v26 || v31) || v35);
          if (v36) {
            u32 v37 = ((u32)((u8)lane8((v13 + 0u), v17)));
            bool v40 = (v38[v37] != 0u);
            if (v40) {
              u32 v41 = ((u32)((u8)lane8((v15 + 0u), v17)));
              bool v44 = (v42[v41] != 0u);
              if (v44) {
                v16 = (v16 | (1u << v17));
              }
            }
          }
        }
      }
      if ((v16 != 0u)) {
        u64 v46[2];
        lanes16(v46, v45, v9);
        u64 v48[4];
        lanes32(v48, v47, v9);
        u64 v50[1];
        lanes8(v50, v49, v9);
#pragma unroll
        for (u32 v51 = 0u; v51 < 8u; v51 += 1u) {
          u64 v52 = (v9 + ((u64)v51));
          if (((v16 & (1u << v51)) != 0u)) {
            i32 v54 = ((i32)((u32)v53 + (u32)((i32)((u16)lane16((v46 + 0u), v51)))));
            i64 v55 = ((i64)v54);
            u32 v58 = (((u32)((u64)((i64)((u64)v55 - (u64)v56)))) + 1u);
            bool v59 = ((v55 < v56) || (v55 > v57));
            u32 v61 = (v59 ? 0u : v60[v58]);
            u32 v62 = (v61 - 1u);
            if (!(v61 == 0u)) {
              u32 v64 = v63[v62];
              bool v67 = (v65[v64] != 0u);
              u32 v69 = v68[v62];
              bool v72 = (v70[v69] != 0u);
              i32 v75 = ((i32)((u32)v74 + (u32)((i32)((u32)v73 * (u32)((i32)((u8)lane8((v11 + 0u), v51)))))));
              bool v77 = (v75 >= v76);
              bool v79 = (v75 <= v78);
              i32 v81 = v80[v62];
              bool v83 = (v81 <= v82);
              bool v84 = !((((!v67 || !v72) || !v77) || !v79) || !v83);
              bool v87 = (v85[v64] != 0u);
              bool v90 = (v88[v69] != 0u);
              bool v92 = (v75 >= v91);
              bool v94 = (v75 <= v93);
              bool v96 = (v81 <= v95);
              bool v97 = !((((!v87 || !v90) || !v92) || !v94) || !v96);
              bool v100 = (v98[v64] != 0u);
              bool v103 = (v101[v69] != 0u);
              bool v104 = (v75 >= v93);
              bool v106 = (v75 <= v105);
              bool v108 = (v81 <= v107);
              bool v109 = !((((!v100 || !v103) || !v104) || !v106) || !v108);
              bool v110 = ((v84 || v97) || v109);
              if (v110) {
                i32 v112 = ((i32)((u32)v111 + (u32)((i32)lane32((v48 + 0u), v51))));
                i32 v114 = ((i32)((u32)v113 + (u32)((i32)((u8)lane8((v50 + 0u), v51)))));
                i32 v115 = ((i32)((u32)v76 - (u32)v114));
                i32 v116 = ((i32)((u32)v112 * (u32)v115));
                v123 = ((i64)((u64)v123 + (u64)((i64)v116)));
                v122 = (v122 | 1u);
              }
            }
          }
        }
      }
    }
  }
  u32 v126 = ((0u * v118) + (threadIdx.x % v118));
  if ((v122 != 0u)) {
    add_shared((v124 + (0u + ((v119 * 1u) + v126))), v119, v123);
    set_flags((v124 + (0u + ((v119 * 0u) + v126))), v122);
  }
  __syncthreads();
  for (u32 v127 = threadIdx.x; v127 < v117; v127 += blockDim.x) {
    u32 v128 = 0u;
    i64 v129 = ((i64)0ll);
    for (u32 v130 = 0u; v130 < v118; v130 += 1u) {
      u32 v131 = ((v127 * v118) + v130);
      v128 = (v128 | v124[(0u + ((v119 * 0u) + v131))]);
      v129 = ((i64)((u64)v129 + (u64)joined((v124 + (0u + ((v119 * 1u) + v131))), v119)));
    }
    if ((v128 != 0u)) {
      u64 v132 = (((u64)v127) * 2ull);
      add64((v121 + v132), v129);
      set_flags((v120 + ((v132 * 2ull) + 2ull)), v128);
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
