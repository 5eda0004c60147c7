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

KERNEL collect(const u32* __restrict__ v0, const u32* __restrict__ v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u64 v12, const u8* __restrict__ v14, const u8* __restrict__ v22, const i32 v23, const i32 v25, const u8* __restrict__ v27, const u8* __restrict__ v29, const u8* __restrict__ v30, const u8* __restrict__ v32, const u8* __restrict__ v34, const u8* __restrict__ v35, const i32 v37, const u8* __restrict__ v40, const u8* __restrict__ v41, const u8* __restrict__ v43, const u8* __restrict__ v44, const i32 v46, const u8* __restrict__ v49, const u8* __restrict__ v50, const u8* __restrict__ v52, const u8* __restrict__ v53, const i32 v55, const u16* __restrict__ v59, const i32 v60, const i64 v63, u32* v65, u32* v66, i32* v67, u32* v68) {
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
          u32 v28 = ((u32)v27[v21]);
          bool v31 = (v29[v28] != 0u);
          u32 v33 = ((u32)v32[v21]);
          bool v36 = (v34[v33] != 0u);
          bool v38 = (v24 <= v37);
          bool v39 = !((!v31 || !v36) || !v38);
          bool v42 = (v40[v28] != 0u);
          bool v45 = (v43[v33] != 0u);
          bool v47 = (v24 <= v46);
          bool v48 = !((!v42 || !v45) || !v47);
          bool v51 = (v49[v28] != 0u);
          bool v54 = (v52[v33] != 0u);
          bool v56 = (v24 <= v55);
          bool v57 = !((!v51 || !v54) || !v56);
          bool v58 = ((v39 || v48) || v57);
          if (v58) {
            i32 v61 = ((i32)((u32)v60 + (u32)((i32)v59[v21])));
            i64 v62 = ((i64)v61);
            u32 v64 = (((u32)((u64)((i64)((u64)v62 - (u64)v63)))) + 1u);
            v65[v19] = v64;
            v66[v19] = v28;
            v67[v19] = v24;
            v68[v19] = v33;
            v19 = (v19 + 1u);
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

KERNEL reduce(const u32* __restrict__ v0, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u8* __restrict__ v21, const u8* __restrict__ v23, const u8* __restrict__ v25, const i32 v29, const i32 v30, const i32 v32, const i32 v34, const i32 v37, const i32 v39, const i32 v43, const u8* __restrict__ v48, const u8* __restrict__ v49, const u8* __restrict__ v52, const u8* __restrict__ v53, const u16* __restrict__ v55, const i32 v59, const i64 v62, const i64 v63, const u32* __restrict__ v66, const u32 v67, const u32 v68, const bool v69, const u32 v70, const u8* __restrict__ v72, const i32 v78, const i64 v81, const i64 v82, const u32* __restrict__ v86, const u32* __restrict__ v89, const u8* __restrict__ v91, const u8* __restrict__ v92, const u32* __restrict__ v94, const u8* __restrict__ v96, const u8* __restrict__ v97, const i32 v99, const i32 v100, const i32 v102, const i32 v104, const i32* __restrict__ v106, const i32 v108, const u8* __restrict__ v111, const u8* __restrict__ v112, const u8* __restrict__ v114, const u8* __restrict__ v115, const i32 v117, const i32 v119, const i32 v121, const u8* __restrict__ v124, const u8* __restrict__ v125, const u8* __restrict__ v127, const u8* __restrict__ v128, const i32 v131, const i32 v133, const u32* __restrict__ v137, const i32 v138, const u8* __restrict__ v140, const i32 v141, const u32 v145, const u32 v146, const u32 v147, u32* v148, u64* v149) {
  SHARED(v1)
  for (u32 v160 = threadIdx.x; v160 < v68; v160 += blockDim.x) {
    v1[(v67 + v160)] = v66[v160];
  }
  __syncthreads();
  u32 v150 = 0u;
  i64 v151 = ((i64)0ll);
  for (u32 v152 = threadIdx.x; v152 < (v147 * 3u); v152 += blockDim.x) {
    v1[(20u + v152)] = 0u;
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
          u64 v22[1];
          lanes8(v22, v21, v19);
          u64 v24[1];
          lanes8(v24, v23, v19);
          u64 v26[1];
          lanes8(v26, v25, v19);
#pragma unroll
          for (u32 v27 = 0u; v27 < 8u; v27 += 1u) {
            u64 v28 = (v19 + ((u64)v27));
            if (((v28 >= v12) && (v28 < v13))) {
              i32 v31 = ((i32)((u32)v30 + (u32)((i32)((u32)v29 * (u32)((i32)((u8)lane8((v22 + 0u), v27)))))));
              bool v33 = (v31 >= v32);
              bool v35 = (v31 <= v34);
              bool v36 = !(!v33 || !v35);
              bool v38 = (v31 >= v37);
              bool v40 = (v31 <= v39);
              bool v41 = !(!v38 || !v40);
              bool v42 = (v31 >= v39);
              bool v44 = (v31 <= v43);
              bool v45 = !(!v42 || !v44);
              bool v46 = ((v36 || v41) || v45);
              if (v46) {
                u32 v47 = ((u32)((u8)lane8((v24 + 0u), v27)));
                bool v50 = (v48[v47] != 0u);
                if (v50) {
                  u32 v51 = ((u32)((u8)lane8((v26 + 0u), v27)));
                  bool v54 = (v52[v51] != 0u);
                  if (v54) {
                    v20 = (v20 | (1u << v27));
                  }
                }
              }
            }
          }
          if ((v20 != 0u)) {
            u64 v56[2];
            lanes16(v56, v55, v19);
#pragma unroll
            for (u32 v57 = 0u; v57 < 8u; v57 += 1u) {
              u64 v58 = (v19 + ((u64)v57));
              if (((v20 & (1u << v57)) != 0u)) {
                i32 v60 = ((i32)((u32)v59 + (u32)((i32)((u16)lane16((v56 + 0u), v57)))));
                i64 v61 = ((i64)v60);
                u32 v64 = (((u32)((u64)((i64)((u64)v61 - (u64)v62)))) + 1u);
                bool v65 = ((v61 < v62) || (v61 > v63));
                bool v71 = (v65 || (v69 && !word_bit((v1 + v67), ((u32)first_slot(v70, ((u64)v64))))));
                bool v73 = (v71 || !bit((v72 + 0ull), ((u64)v64)));
                if (v73) {
                  v20 = (v20 - (1u << v57));
                }
              }
            }
          }
        }
        v17 = (v17 | (v20 << (v18 * 8u)));
      }
      u32 v74 = (v2 + scan((v1 + 17u), ones(v17)));
      while ((v17 != 0u)) {
        u32 v75 = first_bit(v17);
        v17 = (v17 - (1u << v75));
        v1[v74] = (((u32)v16) + ((v14 * (v75 >> 3u)) + (v75 & 7u)));
        v74 = (v74 + 1u);
      }
      v2 = (v2 + v1[(17u + blockDim.x)]);
      __syncthreads();
      while (((v2 >= blockDim.x) || (v8 && (v2 != 0u)))) {
        u32 v76 = ((v2 < blockDim.x) ? v2 : blockDim.x);
        v2 = (v2 - v76);
        if ((threadIdx.x < v76)) {
          u64 v77 = ((u64)v1[(v2 + threadIdx.x)]);
          i32 v79 = ((i32)((u32)v78 + (u32)((i32)v55[v77])));
          i64 v80 = ((i64)v79);
          u32 v83 = (((u32)((u64)((i64)((u64)v80 - (u64)v81)))) + 1u);
          bool v84 = ((v80 < v81) || (v80 > v82));
          bool v85 = (v84 || !bit((v72 + 0ull), ((u64)v83)));
          u32 v87 = (v85 ? 0u : v86[v83]);
          u32 v88 = (v87 - 1u);
          if (!(v87 == 0u)) {
            u32 v90 = v89[v88];
            bool v93 = (v91[v90] != 0u);
            u32 v95 = v94[v88];
            bool v98 = (v96[v95] != 0u);
            i32 v101 = ((i32)((u32)v100 + (u32)((i32)((u32)v99 * (u32)((i32)v21[v77])))));
            bool v103 = (v101 >= v102);
            bool v105 = (v101 <= v104);
            i32 v107 = v106[v88];
            bool v109 = (v107 <= v108);
            bool v110 = !((((!v93 || !v98) || !v103) || !v105) || !v109);
            bool v113 = (v111[v90] != 0u);
            bool v116 = (v114[v95] != 0u);
            bool v118 = (v101 >= v117);
            bool v120 = (v101 <= v119);
            bool v122 = (v107 <= v121);
            bool v123 = !((((!v113 || !v116) || !v118) || !v120) || !v122);
            bool v126 = (v124[v90] != 0u);
            bool v129 = (v127[v95] != 0u);
            bool v130 = (v101 >= v119);
            bool v132 = (v101 <= v131);
            bool v134 = (v107 <= v133);
            bool v135 = !((((!v126 || !v129) || !v130) || !v132) || !v134);
            bool v136 = ((v110 || v123) || v135);
            if (v136) {
              i32 v139 = ((i32)((u32)v138 + (u32)((i32)v137[v77])));
              i32 v142 = ((i32)((u32)v141 + (u32)((i32)v140[v77])));
              i32 v143 = ((i32)((u32)v102 - (u32)v142));
              i32 v144 = ((i32)((u32)v139 * (u32)v143));
              v151 = ((i64)((u64)v151 + (u64)((i64)v144)));
              v150 = (v150 | 1u);
            }
          }
        }
        __syncthreads();
      }
    }
  }
  u32 v153 = ((0u * v146) + (threadIdx.x % v146));
  if ((v150 != 0u)) {
    add_shared((v1 + (20u + ((v147 * 1u) + v153))), v147, v151);
    set_flags((v1 + (20u + ((v147 * 0u) + v153))), v150);
  }
  __syncthreads();
  for (u32 v154 = threadIdx.x; v154 < v145; v154 += blockDim.x) {
    u32 v155 = 0u;
    i64 v156 = ((i64)0ll);
    for (u32 v157 = 0u; v157 < v146; v157 += 1u) {
      u32 v158 = ((v154 * v146) + v157);
      v155 = (v155 | v1[(20u + ((v147 * 0u) + v158))]);
      v156 = ((i64)((u64)v156 + (u64)joined((v1 + (20u + ((v147 * 1u) + v158))), v147)));
    }
    if ((v155 != 0u)) {
      u64 v159 = (((u64)v154) * 2ull);
      add64((v149 + v159), v156);
      set_flags((v148 + ((v159 * 2ull) + 2ull)), v155);
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
