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

KERNEL collect(const u32* __restrict__ v0, const u32* __restrict__ v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u16* __restrict__ v15, const i32 v16, const u16* __restrict__ v18, const i32 v19, const u16* __restrict__ v24, const i32 v25, const i64 v28, const i64 v29, const u32* __restrict__ v32, const u64* __restrict__ v33, const u8* __restrict__ v40, const i32 v41, const i32 v44, const i64 v47, const i64 v48, const i32 v57, const i32 v63, const i64 v66, const i64 v67, const u32* __restrict__ v70, const i32 v74, const i32 v76, const i32 v81, const i64 v84, const i64 v85, const i32 v94, const i32 v97, const i64 v100, const i64 v101, const i32 v110, const i32 v116, const i64 v119, const i64 v120, const i32 v125, const i64 v128, u32* v130, i32* v131, i32* v132, const u32* __restrict__ v133, u32* v135) {
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
        i32 v20 = ((i32)((u32)v19 + (u32)((i32)v18[v13])));
        bool v21 = (v17 > v20);
        if (v21) {
          bool v22 = false;
          bool v23 = false;
          if (!v22) {
            i32 v26 = ((i32)((u32)v25 + (u32)((i32)v24[v13])));
            i64 v27 = ((i64)v26);
            u32 v30 = (((u32)((u64)((i64)((u64)v27 - (u64)v28)))) + 1u);
            bool v31 = ((v27 < v28) || (v27 > v29));
            u64 v34 = (((u64)v30) * 2ull);
            bool v35 = (v31 || !(v32[v34] != 0u));
            u32 v36 = (v35 ? 0u : v30);
            u64 v37 = (((u64)v36) * 2ull);
            i32 v38 = (!v35 ? ((i32)fallen32(v32[v37])) : (0));
            bool v39 = (!v35 ? false : true);
            i32 v42 = ((i32)((u32)v41 + (u32)((i32)v40[v13])));
            bool v43 = (v38 != v42);
            v23 = (v23 || v39);
            v22 = (v43 && !v39);
          }
          if (!v22) {
            i32 v45 = ((i32)((u32)v44 + (u32)((i32)v24[v13])));
            i64 v46 = ((i64)v45);
            u32 v49 = (((u32)((u64)((i64)((u64)v46 - (u64)v47)))) + 1u);
            bool v50 = ((v46 < v47) || (v46 > v48));
            u64 v51 = (((u64)v49) * 2ull);
            bool v52 = (v50 || !(v32[v51] != 0u));
            u32 v53 = (v52 ? 0u : v49);
            u64 v54 = (((u64)v53) * 2ull);
            i32 v55 = (!v52 ? ((i32)risen32(v32[(v54 + 1ull)])) : (0));
            bool v56 = (!v52 ? false : true);
            i32 v58 = ((i32)((u32)v57 + (u32)((i32)v40[v13])));
            bool v59 = (v55 != v58);
            v23 = (v23 || v56);
            v22 = (v59 && !v56);
          }
          bool v60 = (v23 && !v22);
          bool v61 = (v22 && !v60);
          bool v62 = !v61;
          if (v62) {
            i32 v64 = ((i32)((u32)v63 + (u32)((i32)v40[v13])));
            i64 v65 = ((i64)v64);
            u32 v68 = (((u32)((u64)((i64)((u64)v65 - (u64)v66)))) + 1u);
            bool v69 = ((v65 < v66) || (v65 > v67));
            u32 v71 = (v69 ? 0u : v70[v68]);
            u32 v72 = (v71 - 1u);
            if (!(v71 == 0u)) {
              v14 = (v14 + 1u);
            }
          }
        }
      }
      u32 v73 = (v11 + scan((v2 + 0u), v14));
      if ((v14 != 0u)) {
        i32 v75 = ((i32)((u32)v74 + (u32)((i32)v15[v13])));
        i32 v77 = ((i32)((u32)v76 + (u32)((i32)v18[v13])));
        bool v78 = (v75 > v77);
        if (v78) {
          bool v79 = false;
          bool v80 = false;
          if (!v79) {
            i32 v82 = ((i32)((u32)v81 + (u32)((i32)v24[v13])));
            i64 v83 = ((i64)v82);
            u32 v86 = (((u32)((u64)((i64)((u64)v83 - (u64)v84)))) + 1u);
            bool v87 = ((v83 < v84) || (v83 > v85));
            u64 v88 = (((u64)v86) * 2ull);
            bool v89 = (v87 || !(v32[v88] != 0u));
            u32 v90 = (v89 ? 0u : v86);
            u64 v91 = (((u64)v90) * 2ull);
            i32 v92 = (!v89 ? ((i32)fallen32(v32[v91])) : (0));
            bool v93 = (!v89 ? false : true);
            i32 v95 = ((i32)((u32)v94 + (u32)((i32)v40[v13])));
            bool v96 = (v92 != v95);
            v80 = (v80 || v93);
            v79 = (v96 && !v93);
          }
          if (!v79) {
            i32 v98 = ((i32)((u32)v97 + (u32)((i32)v24[v13])));
            i64 v99 = ((i64)v98);
            u32 v102 = (((u32)((u64)((i64)((u64)v99 - (u64)v100)))) + 1u);
            bool v103 = ((v99 < v100) || (v99 > v101));
            u64 v104 = (((u64)v102) * 2ull);
            bool v105 = (v103 || !(v32[v104] != 0u));
            u32 v106 = (v105 ? 0u : v102);
            u64 v107 = (((u64)v106) * 2ull);
            i32 v108 = (!v105 ? ((i32)risen32(v32[(v107 + 1ull)])) : (0));
            bool v109 = (!v105 ? false : true);
            i32 v111 = ((i32)((u32)v110 + (u32)((i32)v40[v13])));
            bool v112 = (v108 != v111);
            v80 = (v80 || v109);
            v79 = (v112 && !v109);
          }
          bool v113 = (v80 && !v79);
          bool v114 = (v79 && !v113);
          bool v115 = !v114;
          if (v115) {
            i32 v117 = ((i32)((u32)v116 + (u32)((i32)v40[v13])));
            i64 v118 = ((i64)v117);
            u32 v121 = (((u32)((u64)((i64)((u64)v118 - (u64)v119)))) + 1u);
            bool v122 = ((v118 < v119) || (v118 > v120));
            u32 v123 = (v122 ? 0u : v70[v121]);
            u32 v124 = (v123 - 1u);
            if (!(v123 == 0u)) {
              i32 v126 = ((i32)((u32)v125 + (u32)((i32)v24[v13])));
              i64 v127 = ((i64)v126);
              u32 v129 = (((u32)((u64)((i64)((u64)v127 - (u64)v128)))) + 1u);
              v130[v73] = v129;
              v131[v73] = v126;
              v132[v73] = v117;
              u32 v134 = v133[v124];
              v135[v73] = v134;
              v73 = (v73 + 1u);
            }
          }
        }
      }
      v11 = (v11 + v2[blockDim.x]);
      __syncthreads();
    }
  }
}

KERNEL collect(const u32* __restrict__ v0, const u32* __restrict__ v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u32* __restrict__ v15, const u64* __restrict__ v16, i32* v19, u32* v21, u32* v22, i32* v23) {
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
        if ((v15[v13] != 0u)) {
          v14 = (v14 + 1u);
        }
      }
      u32 v17 = (v11 + scan((v2 + 0u), v14));
      if ((v14 != 0u)) {
        if ((v15[v13] != 0u)) {
          i32 v18 = ((i32)((i64)v15[v13]));
          v19[v17] = v18;
          u32 v20 = ((v13 == 0ull) ? 0u : ((u32)(v13 - 1ull)));
          v21[v17] = v20;
          v22[v17] = v20;
          v23[v17] = v18;
          v17 = (v17 + 1u);
        }
      }
      v11 = (v11 + v2[blockDim.x]);
      __syncthreads();
    }
  }
}

KERNEL collect(const u32* __restrict__ v0, const u32* __restrict__ v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u8* __restrict__ v15, const i32 v16, const i64 v19, const i64 v20, const u8* __restrict__ v23, const i32 v26, const i64 v29, const i64 v30, const u8* __restrict__ v34, const i32 v35, const i64 v38, u32* v40, const u8* __restrict__ v41, u32* v43) {
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
        i64 v18 = ((i64)v17);
        u32 v21 = (((u32)((u64)((i64)((u64)v18 - (u64)v19)))) + 1u);
        bool v22 = ((v18 < v19) || (v18 > v20));
        bool v24 = !(v22 || !bit((v23 + 0ull), ((u64)v21)));
        if (v24) {
          v14 = (v14 + 1u);
        }
      }
      u32 v25 = (v11 + scan((v2 + 0u), v14));
      if ((v14 != 0u)) {
        i32 v27 = ((i32)((u32)v26 + (u32)((i32)v15[v13])));
        i64 v28 = ((i64)v27);
        u32 v31 = (((u32)((u64)((i64)((u64)v28 - (u64)v29)))) + 1u);
        bool v32 = ((v28 < v29) || (v28 > v30));
        bool v33 = !(v32 || !bit((v23 + 0ull), ((u64)v31)));
        if (v33) {
          i32 v36 = ((i32)((u32)v35 + (u32)((i32)v34[v13])));
          i64 v37 = ((i64)v36);
          u32 v39 = (((u32)((u64)((i64)((u64)v37 - (u64)v38)))) + 1u);
          v40[v25] = v39;
          u32 v42 = ((u32)v41[v13]);
          v43[v25] = v42;
          v25 = (v25 + 1u);
        }
      }
      v11 = (v11 + v2[blockDim.x]);
      __syncthreads();
    }
  }
}

KERNEL count(const u32* __restrict__ v0, u32* v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u16* __restrict__ v13, const i32 v18, const i64 v21, const i64 v22, const u32* __restrict__ v25, const u8* __restrict__ v29) {
  SHARED(v2)
  for (u32 v7 = blockIdx.x; v7 < v3; v7 += gridDim.x) {
    u64 v8 = (v4 + (((u64)v7) * v6));
    u64 v9 = (v8 + v6);
    u64 v10 = ((v9 > v5) ? v5 : v9);
    u32 v11 = 0u;
    for (u64 v12 = ((v8 & 18446744073709551608ull) + (((u64)threadIdx.x) * 8ull)); v12 < v10; v12 += (((u64)blockDim.x) * 8ull)) {
      u64 v14[2];
      lanes16(v14, v13, v12);
      u32 v15 = 0u;
#pragma unroll
      for (u32 v16 = 0u; v16 < 8u; v16 += 1u) {
        u64 v17 = (v12 + ((u64)v16));
        if (((v17 >= v8) && (v17 < v10))) {
          i32 v19 = ((i32)((u32)v18 + (u32)((i32)((u16)lane16((v14 + 0u), v16)))));
          i64 v20 = ((i64)v19);
          u32 v23 = (((u32)((u64)((i64)((u64)v20 - (u64)v21)))) + 1u);
          bool v24 = ((v20 < v21) || (v20 > v22));
          u32 v26 = (v24 ? 0u : v25[v23]);
          u32 v27 = (v26 - 1u);
          bool v28 = !(v26 == 0u);
          if (v28) {
            v15 = (v15 | (1u << v16));
          }
        }
      }
      if ((v15 != 0u)) {
        u64 v30[1];
        lanes8(v30, v29, v12);
#pragma unroll
        for (u32 v31 = 0u; v31 < 8u; v31 += 1u) {
          u64 v32 = (v12 + ((u64)v31));
          if (((v15 & (1u << v31)) != 0u)) {
            v11 = (v11 + 1u);
          }
        }
      }
    }
    u32 v33 = scan((v2 + 0u), v11);
    if ((threadIdx.x == 0u)) {
      v1[v7] = v2[blockDim.x];
    }
    __syncthreads();
  }
}

KERNEL count(const u32* __restrict__ v0, u32* v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u16* __restrict__ v13, const u16* __restrict__ v15, const i32 v20, const i32 v22, const u16* __restrict__ v25, const u8* __restrict__ v27) {
  SHARED(v2)
  for (u32 v7 = blockIdx.x; v7 < v3; v7 += gridDim.x) {
    u64 v8 = (v4 + (((u64)v7) * v6));
    u64 v9 = (v8 + v6);
    u64 v10 = ((v9 > v5) ? v5 : v9);
    u32 v11 = 0u;
    for (u64 v12 = ((v8 & 18446744073709551608ull) + (((u64)threadIdx.x) * 8ull)); v12 < v10; v12 += (((u64)blockDim.x) * 8ull)) {
      u64 v14[2];
      lanes16(v14, v13, v12);
      u64 v16[2];
      lanes16(v16, v15, v12);
      u32 v17 = 0u;
#pragma unroll
      for (u32 v18 = 0u; v18 < 8u; v18 += 1u) {
        u64 v19 = (v12 + ((u64)v18));
        if (((v19 >= v8) && (v19 < v10))) {
          i32 v21 = ((i32)((u32)v20 + (u32)((i32)((u16)lane16((v16 + 0u), v18)))));
          i32 v23 = ((i32)((u32)v22 + (u32)((i32)((u16)lane16((v14 + 0u), v18)))));
          bool v24 = (v21 > v23);
          if (v24) {
            v17 = (v17 | (1u << v18));
          }
        }
      }
      if ((v17 != 0u)) {
        u64 v26[2];
        lanes16(v26, v25, v12);
        u64 v28[1];
        lanes8(v28, v27, v12);
#pragma unroll
        for (u32 v29 = 0u; v29 < 8u; v29 += 1u) {
          u64 v30 = (v12 + ((u64)v29));
          if (((v17 & (1u << v29)) != 0u)) {
            v11 = (v11 + 1u);
          }
        }
      }
    }
    u32 v31 = scan((v2 + 0u), v11);
    if ((threadIdx.x == 0u)) {
      v1[v7] = v2[blockDim.x];
    }
    __syncthreads();
  }
}

KERNEL count(const u32* __restrict__ v0, u32* v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u16* __restrict__ v13, const u8* __restrict__ v15, const u16* __restrict__ v17, const u16* __restrict__ v19, const i32 v24, const i32 v26, const i32 v31, const i64 v34, const i64 v35, const u32* __restrict__ v38, const u64* __restrict__ v39, const i32 v46, const i32 v49, const i64 v52, const i64 v53, const i32 v62, const i32 v70, const i64 v73, const i64 v74, const u32* __restrict__ v77) {
  SHARED(v2)
  for (u32 v7 = blockIdx.x; v7 < v3; v7 += gridDim.x) {
    u64 v8 = (v4 + (((u64)v7) * v6));
    u64 v9 = (v8 + v6);
    u64 v10 = ((v9 > v5) ? v5 : v9);
    u32 v11 = 0u;
    for (u64 v12 = ((v8 & 18446744073709551608ull) + (((u64)threadIdx.x) * 8ull)); v12 < v10; v12 += (((u64)blockDim.x) * 8ull)) {
      u64 v14[2];
      lanes16(v14, v13, v12);
      u64 v16[1];
      lanes8(v16, v15, v12);
      u64 v18[2];
      lanes16(v18, v17, v12);
      u64 v20[2];
      lanes16(v20, v19, v12);
      u32 v21 = 0u;
#pragma unroll
      for (u32 v22 = 0u; v22 < 8u; v22 += 1u) {
        u64 v23 = (v12 + ((u64)v22));
        if (((v23 >= v8) && (v23 < v10))) {
          i32 v25 = ((i32)((u32)v24 + (u32)((i32)((u16)lane16((v20 + 0u), v22)))));
          i32 v27 = ((i32)((u32)v26 + (u32)((i32)((u16)lane16((v18 + 0u), v22)))));
          bool v28 = (v25 > v27);
          if (v28) {
            bool v29 = false;
            bool v30 = false;
            if (!v29) {
              i32 v32 = ((i32)((u32)v31 + (u32)((i32)((u16)lane16((v14 + 0u), v22)))));
              i64 v33 = ((i64)v32);
              u32 v36 = (((u32)((u64)((i64)((u64)v33 - (u64)v34)))) + 1u);
              bool v37 = ((v33 < v34) || (v33 > v35));
              u64 v40 = (((u64)v36) * 2ull);
              bool v41 = (v37 || !(v38[v40] != 0u));
              u32 v42 = (v41 ? 0u : v36);
              u64 v43 = (((u64)v42) * 2ull);
              i32 v44 = (!v41 ? ((i32)fallen32(v38[v43])) : (0));
              bool v45 = (!v41 ? false : true);
              i32 v47 = ((i32)((u32)v46 + (u32)((i32)((u8)lane8((v16 + 0u), v22)))));
              bool v48 = (v44 != v47);
              v30 = (v30 || v45);
              v29 = (v48 && !v45);
            }
            if (!v29) {
              i32 v50 = ((i32)((u32)v49 + (u32)((i32)((u16)lane16((v14 + 0u), v22)))));
              i64 v51 = ((i64)v50);
              u32 v54 = (((u32)((u64)((i64)((u64)v51 - (u64)v52)))) + 1u);
              bool v55 = ((v51 < v52) || (v51 > v53));
              u64 v56 = (((u64)v54) * 2ull);
              bool v57 = (v55 || !(v38[v56] != 0u));
              u32 v58 = (v57 ? 0u : v54);
              u64 v59 = (((u64)v58) * 2ull);
              i32 v60 = (!v57 ? ((i32)risen32(v38[(v59 + 1ull)])) : (0));
              bool v61 = (!v57 ? false : true);
              i32 v63 = ((i32)((u32)v62 + (u32)((i32)((u8)lane8((v16 + 0u), v22)))));
              bool v64 = (v60 != v63);
              v30 = (v30 || v61);
              v29 = (v64 && !v61);
            }
            bool v65 = (v30 && !v29);
            bool v66 = (v29 && !v65);
            bool v67 = !v66;
            if (v67) {
              v21 = (v21 | (1u << v22));
            }
          }
        }
      }
      if ((v21 != 0u)) {
#pragma unroll
        for (u32 v68 = 0u; v68 < 8u; v68 += 1u) {
          u64 v69 = (v12 + ((u64)v68));
          if (((v21 & (1u << v68)) != 0u)) {
            i32 v71 = ((i32)((u32)v70 + (u32)((i32)((u8)lane8((v16 + 0u), v68)))));
            i64 v72 = ((i64)v71);
            u32 v75 = (((u32)((u64)((i64)((u64)v72 - (u64)v73)))) + 1u);
            bool v76 = ((v72 < v73) || (v72 > v74));
            u32 v78 = (v76 ? 0u : v77[v75]);
            u32 v79 = (v78 - 1u);
            if (!(v78 == 0u)) {
              v11 = (v11 + 1u);
            }
          }
        }
      }
    }
    u32 v80 = scan((v2 + 0u), v11);
    if ((threadIdx.x == 0u)) {
      v1[v7] = v2[blockDim.x];
    }
    __syncthreads();
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
      if ((v13[v12] != 0u)) {
        v11 = (v11 + 1u);
      }
    }
    u32 v15 = scan((v2 + 0u), v11);
    if ((threadIdx.x == 0u)) {
      v1[v7] = v2[blockDim.x];
    }
    __syncthreads();
  }
}

KERNEL count(const u32* __restrict__ v0, u32* v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u8* __restrict__ v13, const i32 v18, const i64 v21, const i64 v22, const u8* __restrict__ v25, const u8* __restrict__ v27, const u8* __restrict__ v29) {
  SHARED(v2)
  for (u32 v7 = blockIdx.x; v7 < v3; v7 += gridDim.x) {
    u64 v8 = (v4 + (((u64)v7) * v6));
    u64 v9 = (v8 + v6);
    u64 v10 = ((v9 > v5) ? v5 : v9);
    u32 v11 = 0u;
    for (u64 v12 = ((v8 & 18446744073709551608ull) + (((u64)threadIdx.x) * 8ull)); v12 < v10; v12 += (((u64)blockDim.x) * 8ull)) {
      u64 v14[1];
      lanes8(v14, v13, v12);
      u32 v15 = 0u;
#pragma unroll
      for (u32 v16 = 0u; v16 < 8u; v16 += 1u) {
        u64 v17 = (v12 + ((u64)v16));
        if (((v17 >= v8) && (v17 < v10))) {
          i32 v19 = ((i32)((u32)v18 + (u32)((i32)((u8)lane8((v14 + 0u), v16)))));
          i64 v20 = ((i64)v19);
          u32 v23 = (((u32)((u64)((i64)((u64)v20 - (u64)v21)))) + 1u);
          bool v24 = ((v20 < v21) || (v20 > v22));
          bool v26 = !(v24 || !bit((v25 + 0ull), ((u64)v23)));
          if (v26) {
            v15 = (v15 | (1u << v16));
          }
        }
      }
      if ((v15 != 0u)) {
        u64 v28[1];
        lanes8(v28, v27, v12);
        u64 v30[1];
        lanes8(v30, v29, v12);
#pragma unroll
        for (u32 v31 = 0u; v31 < 8u; v31 += 1u) {
          u64 v32 = (v12 + ((u64)v31));
          if (((v15 & (1u << v31)) != 0u)) {
            v11 = (v11 + 1u);
          }
        }
      }
    }
    u32 v33 = scan((v2 + 0u), v11);
    if ((threadIdx.x == 0u)) {
      v1[v7] = v2[blockDim.x];
    }
    __syncthreads();
  }
}

KERNEL count(const u32* __restrict__ v0, u32* v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u8* __restrict__ v13, const u8* __restrict__ v19, const u8* __restrict__ v20, const u16* __restrict__ v22, const i32 v26, const i64 v29, const i64 v30, const u32* __restrict__ v33, const i32* __restrict__ v38, const i64 v41, const i64 v42, const u32* __restrict__ v45, const u64* __restrict__ v46, const i32* __restrict__ v53, const i64 v58, const i64 v59) {
  SHARED(v2)
  for (u32 v7 = blockIdx.x; v7 < v3; v7 += gridDim.x) {
    u64 v8 = (v4 + (((u64)v7) * v6));
    u64 v9 = (v8 + v6);
    u64 v10 = ((v9 > v5) ? v5 : v9);
    u32 v11 = 0u;
    for (u64 v12 = ((v8 & 18446744073709551608ull) + (((u64)threadIdx.x) * 8ull)); v12 < v10; v12 += (((u64)blockDim.x) * 8ull)) {
      u64 v14[1];
      lanes8(v14, v13, v12);
      u32 v15 = 0u;
#pragma unroll
      for (u32 v16 = 0u; v16 < 8u; v16 += 1u) {
        u64 v17 = (v12 + ((u64)v16));
        if (((v17 >= v8) && (v17 < v10))) {
          u32 v18 = ((u32)((u8)lane8((v14 + 0u), v16)));
          bool v21 = (v19[v18] != 0u);
          if (v21) {
            v15 = (v15 | (1u << v16));
          }
        }
      }
      if ((v15 != 0u)) {
        u64 v23[2];
        lanes16(v23, v22, v12);
#pragma unroll
        for (u32 v24 = 0u; v24 < 8u; v24 += 1u) {
          u64 v25 = (v12 + ((u64)v24));
          if (((v15 & (1u << v24)) != 0u)) {
            i32 v27 = ((i32)((u32)v26 + (u32)((i32)((u16)lane16((v23 + 0u), v24)))));
            i64 v28 = ((i64)v27);
            u32 v31 = (((u32)((u64)((i64)((u64)v28 - (u64)v29)))) + 1u);
            bool v32 = ((v28 < v29) || (v28 > v30));
            u32 v34 = (v32 ? 0u : v33[v31]);
            u32 v35 = (v34 - 1u);
            if (!(v34 == 0u)) {
              bool v36 = false;
              bool v37 = false;
              if (!v36) {
                i32 v39 = v38[v35];
                i64 v40 = ((i64)v39);
                u32 v43 = (((u32)((u64)((i64)((u64)v40 - (u64)v41)))) + 1u);
                bool v44 = ((v40 < v41) || (v40 > v42));
                u64 v47 = (((u64)v43) * 2ull);
                bool v48 = (v44 || !(v45[v47] != 0u));
                u32 v49 = (v48 ? 0u : v43);
                u64 v50 = (((u64)v49) * 2ull);
                i32 v51 = (!v48 ? ((i32)fallen32(v45[v50])) : (0));
                bool v52 = (!v48 ? false : true);
                i32 v54 = v53[v35];
                bool v55 = (v51 != v54);
                v37 = (v37 || v52);
                v36 = (v55 && !v52);
              }
              if (!v36) {
                i32 v56 = v38[v35];
                i64 v57 = ((i64)v56);
                u32 v60 = (((u32)((u64)((i64)((u64)v57 - (u64)v58)))) + 1u);
                bool v61 = ((v57 < v58) || (v57 > v59));
                u64 v62 = (((u64)v60) * 2ull);
                bool v63 = (v61 || !(v45[v62] != 0u));
                u32 v64 = (v63 ? 0u : v60);
                u64 v65 = (((u64)v64) * 2ull);
                i32 v66 = (!v63 ? ((i32)risen32(v45[(v65 + 1ull)])) : (0));
                bool v67 = (!v63 ? false : true);
                i32 v68 = v53[v35];
                bool v69 = (v66 != v68);
                v37 = (v37 || v67);
                v36 = (v69 && !v67);
              }
              bool v70 = (v37 && !v36);
              if ((v36 && !v70)) {
                v11 = (v11 + 1u);
              }
            }
          }
        }
      }
    }
    u32 v71 = scan((v2 + 0u), v11);
    if ((threadIdx.x == 0u)) {
      v1[v7] = v2[blockDim.x];
    }
    __syncthreads();
  }
}

KERNEL reduce(const u32* __restrict__ v0, const u32 v1, const u64 v2, const u64 v3, const u64 v4, const u16* __restrict__ v10, const i32 v15, const i64 v18, const i64 v19, const u32* __restrict__ v22, const u8* __restrict__ v26, const i32 v30, const i64 v33, const i32 v35, u32* v37, const u64* __restrict__ v38) {
  u32 v39 = 0u;
  u32 v42 = 0u;
  u32 v40 = 0u;
  u32 v41 = 0u;
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
          i64 v17 = ((i64)v16);
          u32 v20 = (((u32)((u64)((i64)((u64)v17 - (u64)v18)))) + 1u);
          bool v21 = ((v17 < v18) || (v17 > v19));
          u32 v23 = (v21 ? 0u : v22[v20]);
          u32 v24 = (v23 - 1u);
          bool v25 = !(v23 == 0u);
          if (v25) {
            v12 = (v12 | (1u << v13));
          }
        }
      }
      if ((v12 != 0u)) {
        u64 v27[1];
        lanes8(v27, v26, v9);
#pragma unroll
        for (u32 v28 = 0u; v28 < 8u; v28 += 1u) {
          u64 v29 = (v9 + ((u64)v28));
          if (((v12 & (1u << v28)) != 0u)) {
            i32 v31 = ((i32)((u32)v30 + (u32)((i32)((u16)lane16((v11 + 0u), v28)))));
            i64 v32 = ((i64)v31);
            u32 v34 = (((u32)((u64)((i64)((u64)v32 - (u64)v33)))) + 1u);
            i32 v36 = ((i32)((u32)v35 + (u32)((i32)((u8)lane8((v27 + 0u), v28)))));
            if ((v42 != v34)) {
              if ((v39 != 0u)) {
                u64 v43 = (((u64)v42) * 2ull);
                most32((v37 + v43), v40);
                most32((v37 + (v43 + 1ull)), v41);
              }
              v42 = v34;
              v39 = 0u;
              v40 = 0u;
              v41 = 0u;
            }
            u32 v44 = falling32(v36);
            v40 = ((v44 > v40) ? v44 : v40);
            u32 v45 = rising32(v36);
            v41 = ((v45 > v41) ? v45 : v41);
            v39 = (v39 | 1u);
          }
        }
      }
    }
  }
  if ((v39 != 0u)) {
    u64 v46 = (((u64)v42) * 2ull);
    most32((v37 + v46), v40);
    most32((v37 + (v46 + 1ull)), v41);
  }
}

KERNEL reduce(const u32* __restrict__ v0, const u32 v1, const u64 v2, const u64 v3, const u64 v4, const u16* __restrict__ v10, const u16* __restrict__ v12, const i32 v17, const i32 v19, const u16* __restrict__ v22, const u8* __restrict__ v24, const i32 v28, const i64 v31, const i32 v33, u32* v35, const u64* __restrict__ v36) {
  u32 v37 = 0u;
  u32 v40 = 0u;
  u32 v38 = 0u;
  u32 v39 = 0u;
  for (u32 v5 = blockIdx.x; v5 < v1; v5 += gridDim.x) {
    u64 v6 = (v2 + (((u64)v5) * v4));
    u64 v7 = (v6 + v4);
    u64 v8 = ((v7 > v3) ? v3 : v7);
    for (u64 v9 = ((v6 & 18446744073709551608ull) + (((u64)threadIdx.x) * 8ull)); v9 < v8; v9 += (((u64)blockDim.x) * 8ull)) {
      u64 v11[2];
      lanes16(v11, v10, v9);
      u64 v13[2];
      lanes16(v13, v12, v9);
      u32 v14 = 0u;
#pragma unroll
      for (u32 v15 = 0u; v15 < 8u; v15 += 1u) {
        u64 v16 = (v9 + ((u64)v15));
        if (((v16 >= v6) && (v16 < v8))) {
          i32 v18 = ((i32)((u32)v17 + (u32)((i32)((u16)lane16((v13 + 0u), v15)))));
          i32 v20 = ((i32)((u32)v19 + (u32)((i32)((u16)lane16((v11 + 0u), v15)))));
          bool v21 = (v18 > v20);
          if (v21) {
            v14 = (v14 | (1u << v15));
          }
        }
      }
      if ((v14 != 0u)) {
        u64 v23[2];
        lanes16(v23, v22, v9);
        u64 v25[1];
        lanes8(v25, v24, v9);
#pragma unroll
        for (u32 v26 = 0u; v26 < 8u; v26 += 1u) {
          u64 v27 = (v9 + ((u64)v26));
          if (((v14 & (1u << v26)) != 0u)) {
            i32 v29 = ((i32)((u32)v28 + (u32)((i32)((u16)lane16((v23 + 0u), v26)))));
            i64 v30 = ((i64)v29);
            u32 v32 = (((u32)((u64)((i64)((u64)v30 - (u64)v31)))) + 1u);
            i32 v34 = ((i32)((u32)v33 + (u32)((i32)((u8)lane8((v25 + 0u), v26)))));
            if ((v40 != v32)) {
              if ((v37 != 0u)) {
                u64 v41 = (((u64)v40) * 2ull);
                most32((v35 + v41), v38);
                most32((v35 + (v41 + 1ull)), v39);
              }
              v40 = v32;
              v37 = 0u;
              v38 = 0u;
              v39 = 0u;
            }
            u32 v42 = falling32(v34);
            v38 = ((v42 > v38) ? v42 : v38);
            u32 v43 = rising32(v34);
            v39 = ((v43 > v39) ? v43 : v39);
            v37 = (v37 | 1u);
          }
        }
      }
    }
  }
  if ((v37 != 0u)) {
    u64 v44 = (((u64)v40) * 2ull);
    most32((v35 + v44), v38);
    most32((v35 + (v44 + 1ull)), v39);
  }
}

KERNEL reduce(const u32* __restrict__ v0, const u32 v1, const u64 v2, const u64 v3, const u64 v4, const u8* __restrict__ v10, const u8* __restrict__ v16, const u8* __restrict__ v17, const u8* __restrict__ v19, const i32 v23, const i64 v26, u32* v28) {
  for (u32 v5 = blockIdx.x; v5 < v1; v5 += gridDim.x) {
    u64 v6 = (v2 + (((u64)v5) * v4));
    u64 v7 = (v6 + v4);
    u64 v8 = ((v7 > v3) ? v3 : v7);
    for (u64 v9 = ((v6 & 18446744073709551608ull) + (((u64)threadIdx.x) * 8ull)); v9 < v8; v9 += (((u64)blockDim.x) * 8ull)) {
      u64 v11[1];
      lanes8(v11, v10, v9);
      u32 v12 = 0u;
#pragma unroll
      for (u32 v13 = 0u; v13 < 8u; v13 += 1u) {
        u64 v14 = (v9 + ((u64)v13));
        if (((v14 >= v6) && (v14 < v8))) {
          u32 v15 = ((u32)((u8)lane8((v11 + 0u), v13)));
          bool v18 = (v16[v15] != 0u);
          if (v18) {
            v12 = (v12 | (1u << v13));
          }
        }
      }
      if ((v12 != 0u)) {
        u64 v20[1];
        lanes8(v20, v19, v9);
#pragma unroll
        for (u32 v21 = 0u; v21 < 8u; v21 += 1u) {
          u64 v22 = (v9 + ((u64)v21));
          if (((v12 & (1u << v21)) != 0u)) {
            i32 v24 = ((i32)((u32)v23 + (u32)((i32)((u8)lane8((v20 + 0u), v21)))));
            i64 v25 = ((i64)v24);
            u32 v27 = (((u32)((u64)((i64)((u64)v25 - (u64)v26)))) + 1u);
            set_bit((v28 + 0u), ((u64)v27));
          }
        }
      }
    }
  }
}

KERNEL reduce(const u32* __restrict__ v0, const u32 v3, const u64 v6, const u64 v7, const u64 v8, const u16* __restrict__ v16, const u8* __restrict__ v18, const u8* __restrict__ v23, const u8* __restrict__ v24, const i32 v26, const i64 v29, const i64 v30, const u32* __restrict__ v33, const i32 v40, const i64 v43, const i64 v44, const i32* __restrict__ v51, const i64 v54, const i64 v55, const u32* __restrict__ v58, const u64* __restrict__ v59, const i32* __restrict__ v66, const i64 v71, const i64 v72, const u32* __restrict__ v84, const u32 v87, const u32 v88, const u32 v89, u32* v90, const u64* __restrict__ v91) {
  SHARED(v1)
  for (u32 v93 = threadIdx.x; v93 < (v89 * 1u); v93 += blockDim.x) {
    v1[(12u + v93)] = 0u;
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
#pragma unroll
        for (u32 v20 = 0u; v20 < 8u; v20 += 1u) {
          u64 v21 = (v14 + ((u64)v20));
          if (((v21 >= v11) && (v21 < v12))) {
            u32 v22 = ((u32)((u8)lane8((v19 + 0u), v20)));
            bool v25 = (v23[v22] != 0u);
            if (v25) {
              i32 v27 = ((i32)((u32)v26 + (u32)((i32)((u16)lane16((v17 + 0u), v20)))));
              i64 v28 = ((i64)v27);
              u32 v31 = (((u32)((u64)((i64)((u64)v28 - (u64)v29)))) + 1u);
              bool v32 = ((v28 < v29) || (v28 > v30));
              u32 v34 = (v32 ? 0u : v33[v31]);
              u32 v35 = (v34 - 1u);
              if (!(v34 == 0u)) {
                v15 = (v15 | (1u << v20));
              }
            }
          }
        }
      }
      u32 v36 = (v2 + scan((v1 + 9u), ones(v15)));
#pragma unroll
      for (u32 v37 = 0u; v37 < 8u; v37 += 1u) {
        if (((v15 & (1u << v37)) != 0u)) {
          v1[v36] = (((u32)v14) + v37);
          v36 = (v36 + 1u);
        }
      }
      v2 = (v2 + v1[(9u + blockDim.x)]);
      __syncthreads();
      while (((v2 >= blockDim.x) || (v5 && (v2 != 0u)))) {
        u32 v38 = ((v2 < blockDim.x) ? v2 : blockDim.x);
        v2 = (v2 - v38);
        if ((threadIdx.x < v38)) {
          u64 v39 = ((u64)v1[(v2 + threadIdx.x)]);
          i32 v41 = ((i32)((u32)v40 + (u32)((i32)v16[v39])));
          i64 v42 = ((i64)v41);
          u32 v45 = (((u32)((u64)((i64)((u64)v42 - (u64)v43)))) + 1u);
          bool v46 = ((v42 < v43) || (v42 > v44));
          u32 v47 = (v46 ? 0u : v33[v45]);
          u32 v48 = (v47 - 1u);
          if (!(v47 == 0u)) {
            bool v49 = false;
            bool v50 = false;
            if (!v49) {
              i32 v52 = v51[v48];
              i64 v53 = ((i64)v52);
              u32 v56 = (((u32)((u64)((i64)((u64)v53 - (u64)v54)))) + 1u);
              bool v57 = ((v53 < v54) || (v53 > v55));
              u64 v60 = (((u64)v56) * 2ull);
              bool v61 = (v57 || !(v58[v60] != 0u));
              u32 v62 = (v61 ? 0u : v56);
              u64 v63 = (((u64)v62) * 2ull);
              i32 v64 = (!v61 ? ((i32)fallen32(v58[v63])) : (0));
              bool v65 = (!v61 ? false : true);
              i32 v67 = v66[v48];
              bool v68 = (v64 != v67);
              v50 = (v50 || v65);
              v49 = (v68 && !v65);
            }
            if (!v49) {
              i32 v69 = v51[v48];
              i64 v70 = ((i64)v69);
              u32 v73 = (((u32)((u64)((i64)((u64)v70 - (u64)v71)))) + 1u);
              bool v74 = ((v70 < v71) || (v70 > v72));
              u64 v75 = (((u64)v73) * 2ull);
              bool v76 = (v74 || !(v58[v75] != 0u));
              u32 v77 = (v76 ? 0u : v73);
              u64 v78 = (((u64)v77) * 2ull);
              i32 v79 = (!v76 ? ((i32)risen32(v58[(v78 + 1ull)])) : (0));
              bool v80 = (!v76 ? false : true);
              i32 v81 = v66[v48];
              bool v82 = (v79 != v81);
              v50 = (v50 || v80);
              v49 = (v82 && !v80);
            }
            bool v83 = (v50 && !v49);
            if ((v49 && !v83)) {
              u32 v85 = v84[v48];
              u32 v86 = (v85 + 1u);
              u32 v92 = ((v86 * v88) + (threadIdx.x % v88));
              count32((v1 + (12u + ((v89 * 0u) + v92))), 1u);
            }
          }
        }
        __syncthreads();
      }
    }
  }
  __syncthreads();
  for (u32 v94 = threadIdx.x; v94 < v87; v94 += blockDim.x) {
    u32 v95 = 0u;
    i64 v96 = ((i64)0ll);
    for (u32 v97 = 0u; v97 < v88; v97 += 1u) {
      u32 v98 = ((v94 * v88) + v97);
      v96 = ((i64)((u64)v96 + (u64)((i64)v1[(12u + ((v89 * 0u) + v98))])));
    }
    if ((v96 != ((i64)0ll))) {
      u64 v99 = ((u64)v94);
      count32((v90 + v99), ((u32)v96));
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
