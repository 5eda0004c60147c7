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

KERNEL collect(const u32* __restrict__ v0, const u32* __restrict__ v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u64 v12, const u8* __restrict__ v17, const u8* __restrict__ v19, const i32 v20, const i32 v22, const u8* __restrict__ v24, const u8* __restrict__ v26, const u8* __restrict__ v27, const u8* __restrict__ v29, const u8* __restrict__ v31, const u8* __restrict__ v32, const i32 v34, const u8* __restrict__ v37, const u8* __restrict__ v38, const u8* __restrict__ v40, const u8* __restrict__ v41, const i32 v43, const u8* __restrict__ v46, const u8* __restrict__ v47, const u8* __restrict__ v49, const u8* __restrict__ v50, const i32 v52, const u16* __restrict__ v56, const i32 v57, const i64 v60, u32* v62, u32* v63, i32* v64, u32* v65) {
  SHARED(v2)
  for (u32 v7 = blockIdx.x; v7 < v3; v7 += gridDim.x) {
    u64 v8 = (v4 + (((u64)v7) * v6));
    u64 v9 = (v8 + v6);
    u64 v10 = ((v9 > v5) ? v5 : v9);
    u32 v11 = v1[v7];
    u64 v13 = (((u64)v7) * v12);
    for (u64 v14 = v8; v14 < v10; v14 += ((u64)blockDim.x)) {
      u64 v15 = (v14 + ((u64)threadIdx.x));
      u32 v16 = 0u;
      if ((v15 < v10)) {
        v16 = ((u32)bit((v17 + v13), (v15 - (v8 & 18446744073709551608ull))));
      }
      u32 v18 = (v11 + scan((v2 + 0u), v16));
      if ((v16 != 0u)) {
        i32 v21 = ((i32)((u32)v20 + (u32)((i32)v19[v15])));
        bool v23 = (v21 >= v22);
        if (v23) {
          u32 v25 = ((u32)v24[v15]);
          bool v28 = (v26[v25] != 0u);
          u32 v30 = ((u32)v29[v15]);
          bool v33 = (v31[v30] != 0u);
          bool v35 = (v21 <= v34);
          bool v36 = !((!v28 || !v33) || !v35);
          bool v39 = (v37[v25] != 0u);
          bool v42 = (v40[v30] != 0u);
          bool v44 = (v21 <= v43);
          bool v45 = !((!v39 || !v42) || !v44);
          bool v48 = (v46[v25] != 0u);
          bool v51 = (v49[v30] != 0u);
          bool v53 = (v21 <= v52);
          bool v54 = !((!v48 || !v51) || !v53);
          bool v55 = ((v36 || v45) || v54);
          if (v55) {
            i32 v58 = ((i32)((u32)v57 + (u32)((i32)v56[v15])));
            i64 v59 = ((i64)v58);
            u32 v61 = (((u32)((u64)((i64)((u64)v59 - (u64)v60)))) + 1u);
            v62[v18] = v61;
            v63[v18] = v25;
            v64[v18] = v21;
            v65[v18] = v30;
            v18 = (v18 + 1u);
          }
        }
      }
      v11 = (v11 + v2[blockDim.x]);
      __syncthreads();
    }
  }
}

KERNEL count(const u32* __restrict__ v0, u32* v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, u8* v11, const u64 v12, const u8* __restrict__ v16, const u8* __restrict__ v18, const u8* __restrict__ v20, const i32 v26, const i32 v28, const u8* __restrict__ v31, const u8* __restrict__ v32, const u8* __restrict__ v35, const u8* __restrict__ v36, const i32 v38, const u8* __restrict__ v41, const u8* __restrict__ v42, const u8* __restrict__ v44, const u8* __restrict__ v45, const i32 v47, const u8* __restrict__ v50, const u8* __restrict__ v51, const u8* __restrict__ v53, const u8* __restrict__ v54, const i32 v56, const u16* __restrict__ v60) {
  SHARED(v2)
  for (u32 v7 = blockIdx.x; v7 < v3; v7 += gridDim.x) {
    u64 v8 = (v4 + (((u64)v7) * v6));
    u64 v9 = (v8 + v6);
    u64 v10 = ((v9 > v5) ? v5 : v9);
    u64 v13 = (((u64)v7) * v12);
    u32 v14 = 0u;
    for (u64 v15 = ((v8 & 18446744073709551608ull) + (((u64)threadIdx.x) * 8ull)); v15 < v10; v15 += (((u64)blockDim.x) * 8ull)) {
      u64 v17[1];
      lanes8(v17, v16, v15);
      u64 v19[1];
      lanes8(v19, v18, v15);
      u64 v21[1];
      lanes8(v21, v20, v15);
      u32 v22 = 0u;
      u32 v23 = 0u;
#pragma unroll
      for (u32 v24 = 0u; v24 < 8u; v24 += 1u) {
        u64 v25 = (v15 + ((u64)v24));
        if (((v25 >= v8) && (v25 < v10))) {
          i32 v27 = ((i32)((u32)v26 + (u32)((i32)((u8)lane8((v19 + 0u), v24)))));
          bool v29 = (v27 >= v28);
          if (v29) {
            u32 v30 = ((u32)((u8)lane8((v17 + 0u), v24)));
            bool v33 = (v31[v30] != 0u);
            u32 v34 = ((u32)((u8)lane8((v21 + 0u), v24)));
            bool v37 = (v35[v34] != 0u);
            bool v39 = (v27 <= v38);
            bool v40 = !((!v33 || !v37) || !v39);
            bool v43 = (v41[v30] != 0u);
            bool v46 = (v44[v34] != 0u);
            bool v48 = (v27 <= v47);
            bool v49 = !((!v43 || !v46) || !v48);
            bool v52 = (v50[v30] != 0u);
            bool v55 = (v53[v34] != 0u);
            bool v57 = (v27 <= v56);
            bool v58 = !((!v52 || !v55) || !v57);
            bool v59 = ((v40 || v49) || v58);
            if (v59) {
              v22 = (v22 | (1u << v24));
            }
          }
        }
      }
      if ((v22 != 0u)) {
        u64 v61[2];
        lanes16(v61, v60, v15);
#pragma unroll
        for (u32 v62 = 0u; v62 < 8u; v62 += 1u) {
          u64 v63 = (v15 + ((u64)v62));
          if (((v22 & (1u << v62)) != 0u)) {
            v14 = (v14 + 1u);
            v23 = (v23 | (1u << v62));
          }
        }
      }
      if ((v23 != 0u)) {
        v11[(v13 + ((v15 - (v8 & 18446744073709551608ull)) >> 3u))] = ((u8)v23);
      }
    }
    u32 v64 = scan((v2 + 0u), v14);
    if ((threadIdx.x == 0u)) {
      v1[v7] = v2[blockDim.x];
    }
    __syncthreads();
  }
}

KERNEL reduce(const u32* __restrict__ v0, const u32 v3, const u64 v6, const u64 v7, const u64 v8, const u16* __restrict__ v16, const u8* __restrict__ v18, const u8* __restrict__ v20, const u8* __restrict__ v22, const i32 v26, const i32 v27, const i32 v29, const i32 v31, const i32 v34, const i32 v36, const i32 v40, const u8* __restrict__ v45, const u8* __restrict__ v46, const u8* __restrict__ v49, const u8* __restrict__ v50, const i32 v52, const i64 v55, const i64 v56, const u32* __restrict__ v59, const i32 v66, const i64 v69, const i64 v70, const u32* __restrict__ v75, const u8* __restrict__ v77, const u8* __restrict__ v78, const u32* __restrict__ v80, const u8* __restrict__ v82, const u8* __restrict__ v83, const i32 v85, const i32 v86, const i32 v88, const i32 v90, const i32* __restrict__ v92, const i32 v94, const u8* __restrict__ v97, const u8* __restrict__ v98, const u8* __restrict__ v100, const u8* __restrict__ v101, const i32 v103, const i32 v105, const i32 v107, const u8* __restrict__ v110, const u8* __restrict__ v111, const u8* __restrict__ v113, const u8* __restrict__ v114, const i32 v117, const i32 v119, const u32* __restrict__ v123, const i32 v124, const u8* __restrict__ v126, const i32 v127, const u32 v131, const u32 v132, const u32 v133, u32* v134, u64* v135) {
  SHARED(v1)
  u32 v136 = 0u;
  i64 v137 = ((i64)0ll);
  for (u32 v138 = threadIdx.x; v138 < (v133 * 3u); v138 += blockDim.x) {
    v1[(12u + v138)] = 0u;
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
        u64 v19[1];
        lanes8(v19, v18, v14);
        u64 v21[1];
        lanes8(v21, v20, v14);
        u64 v23[1];
        lanes8(v23, v22, v14);
#pragma unroll
        for (u32 v24 = 0u; v24 < 8u; v24 += 1u) {
          u64 v25 = (v14 + ((u64)v24));
          if (((v25 >= v11) && (v25 < v12))) {
            i32 v28 = ((i32)((u32)v27 + (u32)((i32)((u32)v26 * (u32)((i32)((u8)lane8((v19 + 0u), v24)))))));
            bool v30 = (v28 >= v29);
            bool v32 = (v28 <= v31);
            bool v33 = !(!v30 || !v32);
            bool v35 = (v28 >= v34);
            bool v37 = (v28 <= v36);
            bool v38 = !(!v35 || !v37);
            bool v39 = (v28 >= v36);
            bool v41 = (v28 <= v40);
            bool v42 = !(!v39 || !v41);
            bool v43 = ((v33 || v38) || v42);
            if (v43) {
              u32 v44 = ((u32)((u8)lane8((v21 + 0u), v24)));
              bool v47 = (v45[v44] != 0u);
              if (v47) {
                u32 v48 = ((u32)((u8)lane8((v23 + 0u), v24)));
                bool v51 = (v49[v48] != 0u);
                if (v51) {
                  i32 v53 = ((i32)((u32)v52 + (u32)((i32)((u16)lane16((v17 + 0u), v24)))));
                  i64 v54 = ((i64)v53);
                  u32 v57 = (((u32)((u64)((i64)((u64)v54 - (u64)v55)))) + 1u);
                  bool v58 = ((v54 < v55) || (v54 > v56));
                  u32 v60 = (v58 ? 0u : v59[v57]);
                  u32 v61 = (v60 - 1u);
                  if (!(v60 == 0u)) {
                    v15 = (v15 | (1u << v24));
                  }
                }
              }
            }
          }
        }
      }
      u32 v62 = (v2 + scan((v1 + 9u), ones(v15)));
#pragma unroll
      for (u32 v63 = 0u; v63 < 8u; v63 += 1u) {
        if (((v15 & (1u << v63)) != 0u)) {
          v1[v62] = (((u32)v14) + v63);
          v62 = (v62 + 1u);
        }
      }
      v2 = (v2 + v1[(9u + blockDim.x)]);
      __syncthreads();
      while (((v2 >= blockDim.x) || (v5 && (v2 != 0u)))) {
        u32 v64 = ((v2 < blockDim.x) ? v2 : blockDim.x);
        v2 = (v2 - v64);
        if ((threadIdx.x < v64)) {
          u64 v65 = ((u64)v1[(v2 + threadIdx.x)]);
          i32 v67 = ((i32)((u32)v66 + (u32)((i32)v16[v65])));
          i64 v68 = ((i64)v67);
          u32 v71 = (((u32)((u64)((i64)((u64)v68 - (u64)v69)))) + 1u);
          bool v72 = ((v68 < v69) || (v68 > v70));
          u32 v73 = (v72 ? 0u : v59[v71]);
          u32 v74 = (v73 - 1u);
          if (!(v73 == 0u)) {
            u32 v76 = v75[v74];
            bool v79 = (v77[v76] != 0u);
            u32 v81 = v80[v74];
            bool v84 = (v82[v81] != 0u);
            i32 v87 = ((i32)((u32)v86 + (u32)((i32)((u32)v85 * (u32)((i32)v18[v65])))));
            bool v89 = (v87 >= v88);
            bool v91 = (v87 <= v90);
            i32 v93 = v92[v74];
            bool v95 = (v93 <= v94);
            bool v96 = !((((!v79 || !v84) || !v89) || !v91) || !v95);
            bool v99 = (v97[v76] != 0u);
            bool v102 = (v100[v81] != 0u);
            bool v104 = (v87 >= v103);
            bool v106 = (v87 <= v105);
            bool v108 = (v93 <= v107);
            bool v109 = !((((!v99 || !v102) || !v104) || !v106) || !v108);
            bool v112 = (v110[v76] != 0u);
            bool v115 = (v113[v81] != 0u);
            bool v116 = (v87 >= v105);
            bool v118 = (v87 <= v117);
            bool v120 = (v93 <= v119);
            bool v121 = !((((!v112 || !v115) || !v116) || !v118) || !v120);
            bool v122 = ((v96 || v109) || v121);
            if (v122) {
              i32 v125 = ((i32)((u32)v124 + (u32)((i32)v123[v65])));
              i32 v128 = ((i32)((u32)v127 + (u32)((i32)v126[v65])));
              i32 v129 = ((i32)((u32)v88 - (u32)v128));
              i32 v130 = ((i32)((u32)v125 * (u32)v129));
              v137 = ((i64)((u64)v137 + (u64)((i64)v130)));
              v136 = (v136 | 1u);
            }
          }
        }
        __syncthreads();
      }
    }
  }
  u32 v139 = ((0u * v132) + (threadIdx.x % v132));
  if ((v136 != 0u)) {
    add_shared((v1 + (12u + ((v133 * 1u) + v139))), v133, v137);
    set_flags((v1 + (12u + ((v133 * 0u) + v139))), v136);
  }
  __syncthreads();
  for (u32 v140 = threadIdx.x; v140 < v131; v140 += blockDim.x) {
    u32 v141 = 0u;
    i64 v142 = ((i64)0ll);
    for (u32 v143 = 0u; v143 < v132; v143 += 1u) {
      u32 v144 = ((v140 * v132) + v143);
      v141 = (v141 | v1[(12u + ((v133 * 0u) + v144))]);
      v142 = ((i64)((u64)v142 + (u64)joined((v1 + (12u + ((v133 * 1u) + v144))), v133)));
    }
    if ((v141 != 0u)) {
      u64 v145 = (((u64)v140) * 2ull);
      add64((v135 + v145), v142);
      set_flags((v134 + ((v145 * 2ull) + 2ull)), v141);
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
