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

KERNEL collect(const u32* __restrict__ v0, const u32* __restrict__ v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const i32* __restrict__ v15, const i64 v18, const i64 v19, const u32* __restrict__ v22, const i32* __restrict__ v25, const i32* __restrict__ v27, const i64 v30, const i64 v31, const u32* __restrict__ v34, const u64* __restrict__ v35, const i32* __restrict__ v43, const i64 v46, const i64 v47, const u32* __restrict__ v50, const i64 v56, const i64 v57, const i64 v65, const i64 v66, const i64 v78, const i64 v79, const i32* __restrict__ v84, i32* v86, const u32* __restrict__ v87, u32* v89, const u32* __restrict__ v90, u32* v92, i32* v93, i32* v94, i32* v95, i32* v96, i32* v97, const u32* __restrict__ v98, u32* v100, const u32* __restrict__ v101, u32* v103, const i32* __restrict__ v104, i32* v106, const i32* __restrict__ v107, i32* v109, u32* v110, const u32* __restrict__ v111, u32* v113, const i32* __restrict__ v114, i32* v116, const u32* __restrict__ v117, u32* v119, i32* v120, const u32* __restrict__ v121, u32* v123, const i32* __restrict__ v124, i32* v126, u32* v127, const i32* __restrict__ v128, i32* v130) {
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
        i32 v16 = v15[v13];
        i64 v17 = ((i64)v16);
        u32 v20 = (((u32)((u64)((i64)((u64)v17 - (u64)v18)))) + 1u);
        bool v21 = ((v17 < v18) || (v17 > v19));
        u32 v23 = (v21 ? 0u : v22[v20]);
        u32 v24 = (v23 - 1u);
        if (!(v23 == 0u)) {
          i32 v26 = v25[v13];
          i32 v28 = v27[v24];
          i64 v29 = ((i64)v28);
          u32 v32 = (((u32)((u64)((i64)((u64)v29 - (u64)v30)))) + 1u);
          bool v33 = ((v29 < v30) || (v29 > v31));
          u64 v36 = ((u64)v32);
          bool v37 = (v33 || !(v34[v36] != 0u));
          u32 v38 = (v37 ? 0u : v32);
          u64 v39 = ((u64)v38);
          i32 v40 = (!v37 ? ((i32)fallen32(v34[v39])) : (0));
          bool v41 = (!v37 ? false : true);
          bool v42 = (v26 == v40);
          if ((v42 && !v41)) {
            i32 v44 = v43[v13];
            i64 v45 = ((i64)v44);
            u32 v48 = (((u32)((u64)((i64)((u64)v45 - (u64)v46)))) + 1u);
            bool v49 = ((v45 < v46) || (v45 > v47));
            u32 v51 = (v49 ? 0u : v50[v48]);
            u32 v52 = (v51 - 1u);
            if (!(v51 == 0u)) {
              v14 = (v14 + 1u);
            }
          }
        }
      }
      u32 v53 = (v11 + scan((v2 + 0u), v14));
      if ((v14 != 0u)) {
        i32 v54 = v15[v13];
        i64 v55 = ((i64)v54);
        u32 v58 = (((u32)((u64)((i64)((u64)v55 - (u64)v56)))) + 1u);
        bool v59 = ((v55 < v56) || (v55 > v57));
        u32 v60 = (v59 ? 0u : v22[v58]);
        u32 v61 = (v60 - 1u);
        if (!(v60 == 0u)) {
          i32 v62 = v25[v13];
          i32 v63 = v27[v61];
          i64 v64 = ((i64)v63);
          u32 v67 = (((u32)((u64)((i64)((u64)v64 - (u64)v65)))) + 1u);
          bool v68 = ((v64 < v65) || (v64 > v66));
          u64 v69 = ((u64)v67);
          bool v70 = (v68 || !(v34[v69] != 0u));
          u32 v71 = (v70 ? 0u : v67);
          u64 v72 = ((u64)v71);
          i32 v73 = (!v70 ? ((i32)fallen32(v34[v72])) : (0));
          bool v74 = (!v70 ? false : true);
          bool v75 = (v62 == v73);
          if ((v75 && !v74)) {
            i32 v76 = v43[v13];
            i64 v77 = ((i64)v76);
            u32 v80 = (((u32)((u64)((i64)((u64)v77 - (u64)v78)))) + 1u);
            bool v81 = ((v77 < v78) || (v77 > v79));
            u32 v82 = (v81 ? 0u : v50[v80]);
            u32 v83 = (v82 - 1u);
            if (!(v82 == 0u)) {
              i32 v85 = v84[v83];
              v86[v53] = v85;
              u32 v88 = v87[v83];
              v89[v53] = v88;
              u32 v91 = v90[v83];
              v92[v53] = v91;
              v93[v53] = v63;
              v94[v53] = v54;
              v95[v53] = v76;
              v96[v53] = v62;
              v97[v53] = v63;
              u32 v99 = v98[v61];
              v100[v53] = v99;
              u32 v102 = v101[v61];
              v103[v53] = v102;
              i32 v105 = v104[v61];
              v106[v53] = v105;
              i32 v108 = v107[v83];
              v109[v53] = v108;
              v110[v53] = v91;
              u32 v112 = v111[v83];
              v113[v53] = v112;
              i32 v115 = v114[v83];
              v116[v53] = v115;
              u32 v118 = v117[v83];
              v119[v53] = v118;
              v120[v53] = v85;
              u32 v122 = v121[v83];
              v123[v53] = v122;
              i32 v125 = v124[v83];
              v126[v53] = v125;
              v127[v53] = v88;
              i32 v129 = v128[v83];
              v130[v53] = v129;
              v53 = (v53 + 1u);
            }
          }
        }
      }
      v11 = (v11 + v2[blockDim.x]);
      __syncthreads();
    }
  }
}

KERNEL collect(const u32* __restrict__ v0, const u32* __restrict__ v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u16* __restrict__ v15, const i32 v16, const i64 v19, const i64 v20, const u32* __restrict__ v23, const i32 v28, const i64 v31, const i64 v32, const u8* __restrict__ v38, const i32 v39, i32* v41, i32* v42, const u32* __restrict__ v43, const i32 v44, i32* v46) {
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
        u32 v24 = (v22 ? 0u : v23[v21]);
        u32 v25 = (v24 - 1u);
        bool v26 = !(v24 == 0u);
        if (v26) {
          v14 = (v14 + 1u);
        }
      }
      u32 v27 = (v11 + scan((v2 + 0u), v14));
      if ((v14 != 0u)) {
        i32 v29 = ((i32)((u32)v28 + (u32)((i32)v15[v13])));
        i64 v30 = ((i64)v29);
        u32 v33 = (((u32)((u64)((i64)((u64)v30 - (u64)v31)))) + 1u);
        bool v34 = ((v30 < v31) || (v30 > v32));
        u32 v35 = (v34 ? 0u : v23[v33]);
        u32 v36 = (v35 - 1u);
        bool v37 = !(v35 == 0u);
        if (v37) {
          i32 v40 = ((i32)((u32)v39 + (u32)((i32)v38[v13])));
          v41[v27] = v40;
          v42[v27] = v29;
          i32 v45 = ((i32)((u32)v44 + (u32)((i32)v43[v13])));
          v46[v27] = v45;
          v27 = (v27 + 1u);
        }
      }
      v11 = (v11 + v2[blockDim.x]);
      __syncthreads();
    }
  }
}

KERNEL collect(const u32* __restrict__ v0, const u32* __restrict__ v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u8* __restrict__ v15, const i32 v16, const i32 v18, const u8* __restrict__ v20, const u8* __restrict__ v22, const u8* __restrict__ v23, const i32 v27, const i32 v29, const u16* __restrict__ v34, const i32 v35, const i64 v38, u32* v40, i32* v41, const u8* __restrict__ v42, u32* v44, u32* v45, i32* v46) {
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
        bool v19 = (v17 == v18);
        if (v19) {
          u32 v21 = ((u32)v20[v13]);
          bool v24 = (v22[v21] != 0u);
          bool v25 = (v23[v21] != 0u);
          if ((v24 && !v25)) {
            v14 = (v14 + 1u);
          }
        }
      }
      u32 v26 = (v11 + scan((v2 + 0u), v14));
      if ((v14 != 0u)) {
        i32 v28 = ((i32)((u32)v27 + (u32)((i32)v15[v13])));
        bool v30 = (v28 == v29);
        if (v30) {
          u32 v31 = ((u32)v20[v13]);
          bool v32 = (v22[v31] != 0u);
          bool v33 = (v23[v31] != 0u);
          if ((v32 && !v33)) {
            i32 v36 = ((i32)((u32)v35 + (u32)((i32)v34[v13])));
            i64 v37 = ((i64)v36);
            u32 v39 = (((u32)((u64)((i64)((u64)v37 - (u64)v38)))) + 1u);
            v40[v26] = v39;
            v41[v26] = v36;
            u32 v43 = ((u32)v42[v13]);
            v44[v26] = v43;
            v45[v26] = v31;
            v46[v26] = v28;
            v26 = (v26 + 1u);
          }
        }
      }
      v11 = (v11 + v2[blockDim.x]);
      __syncthreads();
    }
  }
}

KERNEL collect(const u32* __restrict__ v0, const u32* __restrict__ v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u8* __restrict__ v15, const i32 v16, const i64 v19, const i64 v20, const u32* __restrict__ v23, const i32 v27, const i64 v30, const i64 v31, const u8* __restrict__ v36, const i32 v37, const i64 v40, u32* v42, i32* v43, const u8* __restrict__ v44, u32* v46, const u8* __restrict__ v47, u32* v49, i32* v50, const u8* __restrict__ v51, u32* v53, const u32* __restrict__ v54, const i32 v55, i32* v57, const u8* __restrict__ v58, u32* v60, const i32* __restrict__ v61, i32* v63, const u32* __restrict__ v64, u32* v66, const i32* __restrict__ v67, i32* v69) {
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
        u32 v24 = (v22 ? 0u : v23[v21]);
        u32 v25 = (v24 - 1u);
        if (!(v24 == 0u)) {
          v14 = (v14 + 1u);
        }
      }
      u32 v26 = (v11 + scan((v2 + 0u), v14));
      if ((v14 != 0u)) {
        i32 v28 = ((i32)((u32)v27 + (u32)((i32)v15[v13])));
        i64 v29 = ((i64)v28);
        u32 v32 = (((u32)((u64)((i64)((u64)v29 - (u64)v30)))) + 1u);
        bool v33 = ((v29 < v30) || (v29 > v31));
        u32 v34 = (v33 ? 0u : v23[v32]);
        u32 v35 = (v34 - 1u);
        if (!(v34 == 0u)) {
          i32 v38 = ((i32)((u32)v37 + (u32)((i32)v36[v13])));
          i64 v39 = ((i64)v38);
          u32 v41 = (((u32)((u64)((i64)((u64)v39 - (u64)v40)))) + 1u);
          v42[v26] = v41;
          v43[v26] = v38;
          u32 v45 = ((u32)v44[v13]);
          v46[v26] = v45;
          u32 v48 = ((u32)v47[v13]);
          v49[v26] = v48;
          v50[v26] = v28;
          u32 v52 = ((u32)v51[v13]);
          v53[v26] = v52;
          i32 v56 = ((i32)((u32)v55 + (u32)((i32)v54[v13])));
          v57[v26] = v56;
          u32 v59 = ((u32)v58[v13]);
          v60[v26] = v59;
          i32 v62 = v61[v35];
          v63[v26] = v62;
          u32 v65 = v64[v35];
          v66[v26] = v65;
          i32 v68 = v67[v35];
          v69[v26] = v68;
          v26 = (v26 + 1u);
        }
      }
      v11 = (v11 + v2[blockDim.x]);
      __syncthreads();
    }
  }
}

KERNEL collect(const u32* __restrict__ v0, const u32* __restrict__ v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u8* __restrict__ v15, const i32 v16, const i64 v19, const i64 v20, const u8* __restrict__ v23, const i32 v26, const i64 v29, const i64 v30, const u8* __restrict__ v34, const i32 v35, const i64 v38, u32* v40, i32* v41, const u8* __restrict__ v42, u32* v44, i32* v45) {
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
          v41[v25] = v36;
          u32 v43 = ((u32)v42[v13]);
          v44[v25] = v43;
          v45[v25] = v27;
          v25 = (v25 + 1u);
        }
      }
      v11 = (v11 + v2[blockDim.x]);
      __syncthreads();
    }
  }
}

KERNEL count(const u32* __restrict__ v0, u32* v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const i32* __restrict__ v16, const i32* __restrict__ v18, const i32* __restrict__ v20, const i64 v26, const i64 v27, const u32* __restrict__ v30, const i32* __restrict__ v34, const i64 v37, const i64 v38, const u32* __restrict__ v41, const u64* __restrict__ v42, const i64 v52, const i64 v53, const u32* __restrict__ v56) {
  SHARED(v2)
  for (u32 v7 = blockIdx.x; v7 < v3; v7 += gridDim.x) {
    u64 v8 = (v4 + (((u64)v7) * v6));
    u64 v9 = (v8 + v6);
    u64 v10 = ((v9 > v5) ? v5 : v9);
    u32 v11 = 0u;
    for (u64 v12 = ((v8 & 18446744073709551608ull) + (((u64)threadIdx.x) * 8ull)); v12 < v10; v12 += (((u64)blockDim.x) * 8ull)) {
      u32 v13 = 0u;
#pragma unroll
      for (u32 v14 = 0u; v14 < 8u; v14 += 1u) {
        u64 v15 = (v12 + ((u64)v14));
        if (((v15 >= v8) && (v15 < v10))) {
          v13 = (v13 | (1u << v14));
        }
      }
      if ((v13 != 0u)) {
        u64 v17[4];
        lanes32(v17, v16, v12);
        u64 v19[4];
        lanes32(v19, v18, v12);
        u64 v21[4];
        lanes32(v21, v20, v12);
#pragma unroll
        for (u32 v22 = 0u; v22 < 8u; v22 += 1u) {
          u64 v23 = (v12 + ((u64)v22));
          if (((v13 & (1u << v22)) != 0u)) {
            i32 v24 = ((i32)lane32((v19 + 0u), v22));
            i64 v25 = ((i64)v24);
            u32 v28 = (((u32)((u64)((i64)((u64)v25 - (u64)v26)))) + 1u);
            bool v29 = ((v25 < v26) || (v25 > v27));
            u32 v31 = (v29 ? 0u : v30[v28]);
            u32 v32 = (v31 - 1u);
            if (!(v31 == 0u)) {
              i32 v33 = ((i32)lane32((v21 + 0u), v22));
              i32 v35 = v34[v32];
              i64 v36 = ((i64)v35);
              u32 v39 = (((u32)((u64)((i64)((u64)v36 - (u64)v37)))) + 1u);
              bool v40 = ((v36 < v37) || (v36 > v38));
              u64 v43 = ((u64)v39);
              bool v44 = (v40 || !(v41[v43] != 0u));
              u32 v45 = (v44 ? 0u : v39);
              u64 v46 = ((u64)v45);
              i32 v47 = (!v44 ? ((i32)fallen32(v41[v46])) : (0));
              bool v48 = (!v44 ? false : true);
              bool v49 = (v33 == v47);
              if ((v49 && !v48)) {
                i32 v50 = ((i32)lane32((v17 + 0u), v22));
                i64 v51 = ((i64)v50);
                u32 v54 = (((u32)((u64)((i64)((u64)v51 - (u64)v52)))) + 1u);
                bool v55 = ((v51 < v52) || (v51 > v53));
                u32 v57 = (v55 ? 0u : v56[v54]);
                u32 v58 = (v57 - 1u);
                if (!(v57 == 0u)) {
                  v11 = (v11 + 1u);
                }
              }
            }
          }
        }
      }
    }
    u32 v59 = scan((v2 + 0u), v11);
    if ((threadIdx.x == 0u)) {
      v1[v7] = v2[blockDim.x];
    }
    __syncthreads();
  }
}

KERNEL count(const u32* __restrict__ v0, u32* v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u16* __restrict__ v13, const i32 v18, const i64 v21, const i64 v22, const u32* __restrict__ v25, const u8* __restrict__ v29, const u32* __restrict__ v31) {
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
        u64 v32[4];
        lanes32(v32, v31, v12);
#pragma unroll
        for (u32 v33 = 0u; v33 < 8u; v33 += 1u) {
          u64 v34 = (v12 + ((u64)v33));
          if (((v15 & (1u << v33)) != 0u)) {
            v11 = (v11 + 1u);
          }
        }
      }
    }
    u32 v35 = scan((v2 + 0u), v11);
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

KERNEL count(const u32* __restrict__ v0, u32* v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u8* __restrict__ v13, const u8* __restrict__ v15, const i32 v20, const i32 v22, const u8* __restrict__ v25, const u8* __restrict__ v26, const u16* __restrict__ v29, const u8* __restrict__ v31) {
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
      u32 v17 = 0u;
#pragma unroll
      for (u32 v18 = 0u; v18 < 8u; v18 += 1u) {
        u64 v19 = (v12 + ((u64)v18));
        if (((v19 >= v8) && (v19 < v10))) {
          i32 v21 = ((i32)((u32)v20 + (u32)((i32)((u8)lane8((v16 + 0u), v18)))));
          bool v23 = (v21 == v22);
          if (v23) {
            u32 v24 = ((u32)((u8)lane8((v14 + 0u), v18)));
            bool v27 = (v25[v24] != 0u);
            bool v28 = (v26[v24] != 0u);
            if ((v27 && !v28)) {
              v17 = (v17 | (1u << v18));
            }
          }
        }
      }
      if ((v17 != 0u)) {
        u64 v30[2];
        lanes16(v30, v29, v12);
        u64 v32[1];
        lanes8(v32, v31, v12);
#pragma unroll
        for (u32 v33 = 0u; v33 < 8u; v33 += 1u) {
          u64 v34 = (v12 + ((u64)v33));
          if (((v17 & (1u << v33)) != 0u)) {
            v11 = (v11 + 1u);
          }
        }
      }
    }
    u32 v35 = scan((v2 + 0u), v11);
    if ((threadIdx.x == 0u)) {
      v1[v7] = v2[blockDim.x];
    }
    __syncthreads();
  }
}

KERNEL count(const u32* __restrict__ v0, u32* v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u8* __restrict__ v16, const u8* __restrict__ v18, const u8* __restrict__ v20, const u8* __restrict__ v22, const u8* __restrict__ v24, const u32* __restrict__ v26, const u8* __restrict__ v28, const i32 v32, const i64 v35, const i64 v36, const u32* __restrict__ v39) {
  SHARED(v2)
  for (u32 v7 = blockIdx.x; v7 < v3; v7 += gridDim.x) {
    u64 v8 = (v4 + (((u64)v7) * v6));
    u64 v9 = (v8 + v6);
    u64 v10 = ((v9 > v5) ? v5 : v9);
    u32 v11 = 0u;
    for (u64 v12 = ((v8 & 18446744073709551608ull) + (((u64)threadIdx.x) * 8ull)); v12 < v10; v12 += (((u64)blockDim.x) * 8ull)) {
      u32 v13 = 0u;
#pragma unroll
      for (u32 v14 = 0u; v14 < 8u; v14 += 1u) {
        u64 v15 = (v12 + ((u64)v14));
        if (((v15 >= v8) && (v15 < v10))) {
          v13 = (v13 | (1u << v14));
        }
      }
      if ((v13 != 0u)) {
        u64 v17[1];
        lanes8(v17, v16, v12);
        u64 v19[1];
        lanes8(v19, v18, v12);
        u64 v21[1];
        lanes8(v21, v20, v12);
        u64 v23[1];
        lanes8(v23, v22, v12);
        u64 v25[1];
        lanes8(v25, v24, v12);
        u64 v27[4];
        lanes32(v27, v26, v12);
        u64 v29[1];
        lanes8(v29, v28, v12);
#pragma unroll
        for (u32 v30 = 0u; v30 < 8u; v30 += 1u) {
          u64 v31 = (v12 + ((u64)v30));
          if (((v13 & (1u << v30)) != 0u)) {
            i32 v33 = ((i32)((u32)v32 + (u32)((i32)((u8)lane8((v23 + 0u), v30)))));
            i64 v34 = ((i64)v33);
            u32 v37 = (((u32)((u64)((i64)((u64)v34 - (u64)v35)))) + 1u);
            bool v38 = ((v34 < v35) || (v34 > v36));
            u32 v40 = (v38 ? 0u : v39[v37]);
            u32 v41 = (v40 - 1u);
            if (!(v40 == 0u)) {
              v11 = (v11 + 1u);
            }
          }
        }
      }
    }
    u32 v42 = scan((v2 + 0u), v11);
    if ((threadIdx.x == 0u)) {
      v1[v7] = v2[blockDim.x];
    }
    __syncthreads();
  }
}

KERNEL reduce(const u32* __restrict__ v0, const u32 v1, const u64 v2, const u64 v3, const u64 v4, const i32* __restrict__ v10, const i64 v17, const i64 v18, const u8* __restrict__ v21, const i32* __restrict__ v23, const i32* __restrict__ v25, const i64 v31, const u32 v34, const u32 v35, const u32 v36, u32* v37, const u64* __restrict__ v38) {
  SHARED(v41)
  for (u32 v42 = threadIdx.x; v42 < (v36 * 1u); v42 += blockDim.x) {
    v41[(0u + v42)] = 0u;
  }
  __syncthreads();
  for (u32 v5 = blockIdx.x; v5 < v1; v5 += gridDim.x) {
    u64 v6 = (v2 + (((u64)v5) * v4));
    u64 v7 = (v6 + v4);
    u64 v8 = ((v7 > v3) ? v3 : v7);
    for (u64 v9 = ((v6 & 18446744073709551608ull) + (((u64)threadIdx.x) * 8ull)); v9 < v8; v9 += (((u64)blockDim.x) * 8ull)) {
      u64 v11[4];
      lanes32(v11, v10, v9);
      u32 v12 = 0u;
#pragma unroll
      for (u32 v13 = 0u; v13 < 8u; v13 += 1u) {
        u64 v14 = (v9 + ((u64)v13));
        if (((v14 >= v6) && (v14 < v8))) {
          i32 v15 = ((i32)lane32((v11 + 0u), v13));
          i64 v16 = ((i64)v15);
          u32 v19 = (((u32)((u64)((i64)((u64)v16 - (u64)v17)))) + 1u);
          bool v20 = ((v16 < v17) || (v16 > v18));
          bool v22 = !(v20 || !bit((v21 + 0ull), ((u64)v19)));
          if (v22) {
            v12 = (v12 | (1u << v13));
          }
        }
      }
      if ((v12 != 0u)) {
        u64 v24[4];
        lanes32(v24, v23, v9);
        u64 v26[4];
        lanes32(v26, v25, v9);
#pragma unroll
        for (u32 v27 = 0u; v27 < 8u; v27 += 1u) {
          u64 v28 = (v9 + ((u64)v27));
          if (((v12 & (1u << v27)) != 0u)) {
            i32 v29 = ((i32)lane32((v24 + 0u), v27));
            i64 v30 = ((i64)v29);
            u32 v32 = (((u32)((u64)((i64)((u64)v30 - (u64)v31)))) + 1u);
            i32 v33 = ((i32)lane32((v26 + 0u), v27));
            u32 v39 = ((v32 * v35) + (threadIdx.x % v35));
            u32 v40 = falling32(v33);
            most32((v41 + (0u + ((v36 * 0u) + v39))), v40);
          }
        }
      }
    }
  }
  __syncthreads();
  for (u32 v43 = threadIdx.x; v43 < v34; v43 += blockDim.x) {
    u32 v44 = 0u;
    u32 v45 = 0u;
    for (u32 v46 = 0u; v46 < v35; v46 += 1u) {
      u32 v47 = ((v43 * v35) + v46);
      u32 v48 = v41[(0u + ((v36 * 0u) + v47))];
      v45 = ((v48 > v45) ? v48 : v45);
    }
    if ((v45 != 0u)) {
      u64 v49 = ((u64)v43);
      most32((v37 + v49), v45);
    }
  }
}

KERNEL reduce(const u32* __restrict__ v0, const u32 v1, const u64 v2, const u64 v3, const u64 v4, const u8* __restrict__ v10, const i32 v15, const i64 v18, const i64 v19, const u8* __restrict__ v22, const u8* __restrict__ v24, const i32 v28, const i64 v31, u32* v33) {
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
          i32 v16 = ((i32)((u32)v15 + (u32)((i32)((u8)lane8((v11 + 0u), v13)))));
          i64 v17 = ((i64)v16);
          u32 v20 = (((u32)((u64)((i64)((u64)v17 - (u64)v18)))) + 1u);
          bool v21 = ((v17 < v18) || (v17 > v19));
          bool v23 = !(v21 || !bit((v22 + 0ull), ((u64)v20)));
          if (v23) {
            v12 = (v12 | (1u << v13));
          }
        }
      }
      if ((v12 != 0u)) {
        u64 v25[1];
        lanes8(v25, v24, v9);
#pragma unroll
        for (u32 v26 = 0u; v26 < 8u; v26 += 1u) {
          u64 v27 = (v9 + ((u64)v26));
          if (((v12 & (1u << v26)) != 0u)) {
            i32 v29 = ((i32)((u32)v28 + (u32)((i32)((u8)lane8((v25 + 0u), v26)))));
            i64 v30 = ((i64)v29);
            u32 v32 = (((u32)((u64)((i64)((u64)v30 - (u64)v31)))) + 1u);
            set_bit((v33 + 0u), ((u64)v32));
          }
        }
      }
    }
  }
}

KERNEL reduce(const u32* __restrict__ v0, const u32 v1, const u64 v2, const u64 v3, const u64 v4, const u8* __restrict__ v10, const i32 v15, const i64 v18, const i64 v19, const u8* __restrict__ v22, const u8* __restrict__ v24, const u8* __restrict__ v26, const i32 v30, const i64 v33, u32* v35) {
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
          i32 v16 = ((i32)((u32)v15 + (u32)((i32)((u8)lane8((v11 + 0u), v13)))));
          i64 v17 = ((i64)v16);
          u32 v20 = (((u32)((u64)((i64)((u64)v17 - (u64)v18)))) + 1u);
          bool v21 = ((v17 < v18) || (v17 > v19));
          bool v23 = !(v21 || !bit((v22 + 0ull), ((u64)v20)));
          if (v23) {
            v12 = (v12 | (1u << v13));
          }
        }
      }
      if ((v12 != 0u)) {
        u64 v25[1];
        lanes8(v25, v24, v9);
        u64 v27[1];
        lanes8(v27, v26, v9);
#pragma unroll
        for (u32 v28 = 0u; v28 < 8u; v28 += 1u) {
          u64 v29 = (v9 + ((u64)v28));
          if (((v12 & (1u << v28)) != 0u)) {
            i32 v31 = ((i32)((u32)v30 + (u32)((i32)((u8)lane8((v25 + 0u), v28)))));
            i64 v32 = ((i64)v31);
            u32 v34 = (((u32)((u64)((i64)((u64)v32 - (u64)v33)))) + 1u);
            set_bit((v35 + 0u), ((u64)v34));
          }
        }
      }
    }
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
