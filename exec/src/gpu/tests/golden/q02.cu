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

KERNEL collect(const u32* __restrict__ v0, const u32* __restrict__ v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u64 v12, const u8* __restrict__ v14, const u16* __restrict__ v22, const i32 v23, const i64 v26, const i64 v27, const u32* __restrict__ v30, const u32 v31, const u32 v32, const bool v33, const u32 v34, const u8* __restrict__ v36, const u32* __restrict__ v38, const u8* __restrict__ v42, const i32 v43, i32* v45, i32* v46, const u32* __restrict__ v47, const i32 v48, i32* v50) {
  SHARED(v2)
  for (u32 v51 = threadIdx.x; v51 < v32; v51 += blockDim.x) {
    v2[(v31 + v51)] = v30[v51];
  }
  __syncthreads();
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
        bool v35 = (v29 || (v33 && !word_bit((v2 + v31), ((u32)first_slot(v34, ((u64)v28))))));
        bool v37 = (v35 || !bit((v36 + 0ull), ((u64)v28)));
        u32 v39 = (v37 ? 0u : v38[v28]);
        u32 v40 = (v39 - 1u);
        bool v41 = !(v39 == 0u);
        if (v41) {
          i32 v44 = ((i32)((u32)v43 + (u32)((i32)v42[v21])));
          v45[v19] = v44;
          v46[v19] = v24;
          i32 v49 = ((i32)((u32)v48 + (u32)((i32)v47[v21])));
          v50[v19] = v49;
          v19 = (v19 + 1u);
        }
      }
      v11 = (v11 + v2[blockDim.x]);
      __syncthreads();
    }
  }
}

KERNEL collect(const u32* __restrict__ v0, const u32* __restrict__ v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u64 v12, const u8* __restrict__ v14, const u8* __restrict__ v22, const i32 v23, const i32 v25, const u8* __restrict__ v27, const u8* __restrict__ v29, const u8* __restrict__ v30, const u16* __restrict__ v33, const i32 v34, const i64 v37, u32* v39, i32* v40, const u8* __restrict__ v41, u32* v43, u32* v44, i32* v45) {
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
        bool v26 = (v24 == v25);
        if (v26) {
          u32 v28 = ((u32)v27[v21]);
          bool v31 = (v29[v28] != 0u);
          bool v32 = (v30[v28] != 0u);
          if ((v31 && !v32)) {
            i32 v35 = ((i32)((u32)v34 + (u32)((i32)v33[v21])));
            i64 v36 = ((i64)v35);
            u32 v38 = (((u32)((u64)((i64)((u64)v36 - (u64)v37)))) + 1u);
            v39[v19] = v38;
            v40[v19] = v35;
            u32 v42 = ((u32)v41[v21]);
            v43[v19] = v42;
            v44[v19] = v28;
            v45[v19] = v24;
            v19 = (v19 + 1u);
          }
        }
      }
      v11 = (v11 + v2[blockDim.x]);
      __syncthreads();
    }
  }
}

KERNEL collect(const u32* __restrict__ v0, const u32* __restrict__ v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u64 v12, const u8* __restrict__ v17, const i32* __restrict__ v19, const i64 v22, const i64 v23, const u32* __restrict__ v26, const u32 v27, const u32 v28, const bool v29, const u32 v30, const u8* __restrict__ v32, const u32* __restrict__ v34, const i32* __restrict__ v37, const i32* __restrict__ v39, const i64 v42, const i64 v43, const u32* __restrict__ v46, const u64* __restrict__ v47, const i32* __restrict__ v55, const i64 v58, const i64 v59, const u32* __restrict__ v62, const i32* __restrict__ v65, i32* v67, const u32* __restrict__ v68, u32* v70, const u32* __restrict__ v71, u32* v73, i32* v74, i32* v75, i32* v76, i32* v77, i32* v78, const u32* __restrict__ v79, u32* v81, const u32* __restrict__ v82, u32* v84, const i32* __restrict__ v85, i32* v87, const i32* __restrict__ v88, i32* v90, u32* v91, const u32* __restrict__ v92, u32* v94, const i32* __restrict__ v95, i32* v97, const u32* __restrict__ v98, u32* v100, i32* v101, const u32* __restrict__ v102, u32* v104, const i32* __restrict__ v105, i32* v107, u32* v108, const i32* __restrict__ v109, i32* v111) {
  SHARED(v2)
  for (u32 v112 = threadIdx.x; v112 < v28; v112 += blockDim.x) {
    v2[(v27 + v112)] = v26[v112];
  }
  __syncthreads();
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
        i32 v20 = v19[v15];
        i64 v21 = ((i64)v20);
        u32 v24 = (((u32)((u64)((i64)((u64)v21 - (u64)v22)))) + 1u);
        bool v25 = ((v21 < v22) || (v21 > v23));
        bool v31 = (v25 || (v29 && !word_bit((v2 + v27), ((u32)first_slot(v30, ((u64)v24))))));
        bool v33 = (v31 || !bit((v32 + 0ull), ((u64)v24)));
        u32 v35 = (v33 ? 0u : v34[v24]);
        u32 v36 = (v35 - 1u);
        if (!(v35 == 0u)) {
          i32 v38 = v37[v15];
          i32 v40 = v39[v36];
          i64 v41 = ((i64)v40);
          u32 v44 = (((u32)((u64)((i64)((u64)v41 - (u64)v42)))) + 1u);
          bool v45 = ((v41 < v42) || (v41 > v43));
          u64 v48 = ((u64)v44);
          bool v49 = (v45 || !(v46[v48] != 0u));
          u32 v50 = (v49 ? 0u : v44);
          u64 v51 = ((u64)v50);
          i32 v52 = (!v49 ? ((i32)fallen32(v46[v51])) : (0));
          bool v53 = (!v49 ? false : true);
          bool v54 = (v38 == v52);
          if ((v54 && !v53)) {
            i32 v56 = v55[v15];
            i64 v57 = ((i64)v56);
            u32 v60 = (((u32)((u64)((i64)((u64)v57 - (u64)v58)))) + 1u);
            bool v61 = ((v57 < v58) || (v57 > v59));
            u32 v63 = (v61 ? 0u : v62[v60]);
            u32 v64 = (v63 - 1u);
            if (!(v63 == 0u)) {
              i32 v66 = v65[v64];
              v67[v18] = v66;
              u32 v69 = v68[v64];
              v70[v18] = v69;
              u32 v72 = v71[v64];
              v73[v18] = v72;
              v74[v18] = v40;
              v75[v18] = v20;
              v76[v18] = v56;
              v77[v18] = v38;
              v78[v18] = v40;
              u32 v80 = v79[v36];
              v81[v18] = v80;
              u32 v83 = v82[v36];
              v84[v18] = v83;
              i32 v86 = v85[v36];
              v87[v18] = v86;
              i32 v89 = v88[v64];
              v90[v18] = v89;
              v91[v18] = v72;
              u32 v93 = v92[v64];
              v94[v18] = v93;
              i32 v96 = v95[v64];
              v97[v18] = v96;
              u32 v99 = v98[v64];
              v100[v18] = v99;
              v101[v18] = v66;
              u32 v103 = v102[v64];
              v104[v18] = v103;
              i32 v106 = v105[v64];
              v107[v18] = v106;
              v108[v18] = v69;
              i32 v110 = v109[v64];
              v111[v18] = v110;
              v18 = (v18 + 1u);
            }
          }
        }
      }
      v11 = (v11 + v2[blockDim.x]);
      __syncthreads();
    }
  }
}

KERNEL collect(const u32* __restrict__ v0, const u32* __restrict__ v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u64 v12, const u8* __restrict__ v17, const u8* __restrict__ v19, const i32 v20, const i64 v23, const i64 v24, const u32* __restrict__ v27, const u8* __restrict__ v30, const i32 v31, const i64 v34, u32* v36, i32* v37, const u8* __restrict__ v38, u32* v40, const u8* __restrict__ v41, u32* v43, i32* v44, const u8* __restrict__ v45, u32* v47, const u32* __restrict__ v48, const i32 v49, i32* v51, const u8* __restrict__ v52, u32* v54, const i32* __restrict__ v55, i32* v57, const u32* __restrict__ v58, u32* v60, const i32* __restrict__ v61, i32* v63) {
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
        i64 v22 = ((i64)v21);
        u32 v25 = (((u32)((u64)((i64)((u64)v22 - (u64)v23)))) + 1u);
        bool v26 = ((v22 < v23) || (v22 > v24));
        u32 v28 = (v26 ? 0u : v27[v25]);
        u32 v29 = (v28 - 1u);
        if (!(v28 == 0u)) {
          i32 v32 = ((i32)((u32)v31 + (u32)((i32)v30[v15])));
          i64 v33 = ((i64)v32);
          u32 v35 = (((u32)((u64)((i64)((u64)v33 - (u64)v34)))) + 1u);
          v36[v18] = v35;
          v37[v18] = v32;
          u32 v39 = ((u32)v38[v15]);
          v40[v18] = v39;
          u32 v42 = ((u32)v41[v15]);
          v43[v18] = v42;
          v44[v18] = v21;
          u32 v46 = ((u32)v45[v15]);
          v47[v18] = v46;
          i32 v50 = ((i32)((u32)v49 + (u32)((i32)v48[v15])));
          v51[v18] = v50;
          u32 v53 = ((u32)v52[v15]);
          v54[v18] = v53;
          i32 v56 = v55[v29];
          v57[v18] = v56;
          u32 v59 = v58[v29];
          v60[v18] = v59;
          i32 v62 = v61[v29];
          v63[v18] = v62;
          v18 = (v18 + 1u);
        }
      }
      v11 = (v11 + v2[blockDim.x]);
      __syncthreads();
    }
  }
}

KERNEL collect(const u32* __restrict__ v0, const u32* __restrict__ v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u64 v12, const u8* __restrict__ v17, const u8* __restrict__ v19, const i32 v20, const i64 v23, const i64 v24, const u8* __restrict__ v27, const u8* __restrict__ v29, const i32 v30, const i64 v33, u32* v35, i32* v36, const u8* __restrict__ v37, u32* v39, i32* v40) {
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
        i64 v22 = ((i64)v21);
        u32 v25 = (((u32)((u64)((i64)((u64)v22 - (u64)v23)))) + 1u);
        bool v26 = ((v22 < v23) || (v22 > v24));
        bool v28 = !(v26 || !bit((v27 + 0ull), ((u64)v25)));
        if (v28) {
          i32 v31 = ((i32)((u32)v30 + (u32)((i32)v29[v15])));
          i64 v32 = ((i64)v31);
          u32 v34 = (((u32)((u64)((i64)((u64)v32 - (u64)v33)))) + 1u);
          v35[v18] = v34;
          v36[v18] = v31;
          u32 v38 = ((u32)v37[v15]);
          v39[v18] = v38;
          v40[v18] = v21;
          v18 = (v18 + 1u);
        }
      }
      v11 = (v11 + v2[blockDim.x]);
      __syncthreads();
    }
  }
}

KERNEL count(const u32* __restrict__ v0, u32* v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, u8* v11, const u64 v12, const i32* __restrict__ v20, const i32* __restrict__ v22, const i32* __restrict__ v24, const i64 v30, const i64 v31, const u32* __restrict__ v34, const u32 v35, const u32 v36, const bool v37, const u32 v38, const u8* __restrict__ v40, const u32* __restrict__ v42, const i32* __restrict__ v46, const i64 v49, const i64 v50, const u32* __restrict__ v53, const u64* __restrict__ v54, const i64 v64, const i64 v65, const u32* __restrict__ v68) {
  SHARED(v2)
  for (u32 v72 = threadIdx.x; v72 < v36; v72 += blockDim.x) {
    v2[(v35 + v72)] = v34[v72];
  }
  __syncthreads();
  for (u32 v7 = blockIdx.x; v7 < v3; v7 += gridDim.x) {
    u64 v8 = (v4 + (((u64)v7) * v6));
    u64 v9 = (v8 + v6);
    u64 v10 = ((v9 > v5) ? v5 : v9);
    u64 v13 = (((u64)v7) * v12);
    u32 v14 = 0u;
    for (u64 v15 = ((v8 & 18446744073709551608ull) + (((u64)threadIdx.x) * 8ull)); v15 < v10; v15 += (((u64)blockDim.x) * 8ull)) {
      u32 v16 = 0u;
      u32 v17 = 0u;
#pragma unroll
      for (u32 v18 = 0u; v18 < 8u; v18 += 1u) {
        u64 v19 = (v15 + ((u64)v18));
        if (((v19 >= v8) && (v19 < v10))) {
          v16 = (v16 | (1u << v18));
        }
      }
      if ((v16 != 0u)) {
        u64 v21[4];
        lanes32(v21, v20, v15);
        u64 v23[4];
        lanes32(v23, v22, v15);
        u64 v25[4];
        lanes32(v25, v24, v15);
#pragma unroll
        for (u32 v26 = 0u; v26 < 8u; v26 += 1u) {
          u64 v27 = (v15 + ((u64)v26));
          if (((v16 & (1u << v26)) != 0u)) {
            i32 v28 = ((i32)lane32((v23 + 0u), v26));
            i64 v29 = ((i64)v28);
            u32 v32 = (((u32)((u64)((i64)((u64)v29 - (u64)v30)))) + 1u);
            bool v33 = ((v29 < v30) || (v29 > v31));
            bool v39 = (v33 || (v37 && !word_bit((v2 + v35), ((u32)first_slot(v38, ((u64)v32))))));
            bool v41 = (v39 || !bit((v40 + 0ull), ((u64)v32)));
            u32 v43 = (v41 ? 0u : v42[v32]);
            u32 v44 = (v43 - 1u);
            if (!(v43 == 0u)) {
              i32 v45 = ((i32)lane32((v25 + 0u), v26));
              i32 v47 = v46[v44];
              i64 v48 = ((i64)v47);
              u32 v51 = (((u32)((u64)((i64)((u64)v48 - (u64)v49)))) + 1u);
              bool v52 = ((v48 < v49) || (v48 > v50));
              u64 v55 = ((u64)v51);
              bool v56 = (v52 || !(v53[v55] != 0u));
              u32 v57 = (v56 ? 0u : v51);
              u64 v58 = ((u64)v57);
              i32 v59 = (!v56 ? ((i32)fallen32(v53[v58])) : (0));
              bool v60 = (!v56 ? false : true);
              bool v61 = (v45 == v59);
              if ((v61 && !v60)) {
                i32 v62 = ((i32)lane32((v21 + 0u), v26));
                i64 v63 = ((i64)v62);
                u32 v66 = (((u32)((u64)((i64)((u64)v63 - (u64)v64)))) + 1u);
                bool v67 = ((v63 < v64) || (v63 > v65));
                u32 v69 = (v67 ? 0u : v68[v66]);
                u32 v70 = (v69 - 1u);
                if (!(v69 == 0u)) {
                  v14 = (v14 + 1u);
                  v17 = (v17 | (1u << v26));
                }
              }
            }
          }
        }
      }
      if ((v17 != 0u)) {
        v11[(v13 + ((v15 - (v8 & 18446744073709551608ull)) >> 3u))] = ((u8)v17);
      }
    }
    u32 v71 = scan((v2 + 0u), v14);
    if ((threadIdx.x == 0u)) {
      v1[v7] = v2[blockDim.x];
    }
    __syncthreads();
  }
}

KERNEL count(const u32* __restrict__ v0, u32* v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, u8* v11, const u64 v12, const u16* __restrict__ v16, const i32 v22, const i64 v25, const i64 v26, const u32* __restrict__ v29, const u32 v30, const u32 v31, const bool v32, const u32 v33, const u8* __restrict__ v35, const u32* __restrict__ v37, const u8* __restrict__ v41, const u32* __restrict__ v43) {
  SHARED(v2)
  for (u32 v48 = threadIdx.x; v48 < v31; v48 += blockDim.x) {
    v2[(v30 + v48)] = v29[v48];
  }
  __syncthreads();
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
          bool v34 = (v28 || (v32 && !word_bit((v2 + v30), ((u32)first_slot(v33, ((u64)v27))))));
          bool v36 = (v34 || !bit((v35 + 0ull), ((u64)v27)));
          u32 v38 = (v36 ? 0u : v37[v27]);
          u32 v39 = (v38 - 1u);
          bool v40 = !(v38 == 0u);
          if (v40) {
            v18 = (v18 | (1u << v20));
          }
        }
      }
      if ((v18 != 0u)) {
        u64 v42[1];
        lanes8(v42, v41, v15);
        u64 v44[4];
        lanes32(v44, v43, v15);
#pragma unroll
        for (u32 v45 = 0u; v45 < 8u; v45 += 1u) {
          u64 v46 = (v15 + ((u64)v45));
          if (((v18 & (1u << v45)) != 0u)) {
            v14 = (v14 + 1u);
            v19 = (v19 | (1u << v45));
          }
        }
      }
      if ((v19 != 0u)) {
        v11[(v13 + ((v15 - (v8 & 18446744073709551608ull)) >> 3u))] = ((u8)v19);
      }
    }
    u32 v47 = scan((v2 + 0u), v14);
    if ((threadIdx.x == 0u)) {
      v1[v7] = v2[blockDim.x];
    }
    __syncthreads();
  }
}

KERNEL count(const u32* __restrict__ v0, u32* v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, u8* v11, const u64 v12, const u8* __restrict__ v16, const i32 v22, const i64 v25, const i64 v26, const u8* __restrict__ v29, const u8* __restrict__ v31, const u8* __restrict__ v33) {
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
      u32 v18 = 0u;
      u32 v19 = 0u;
#pragma unroll
      for (u32 v20 = 0u; v20 < 8u; v20 += 1u) {
        u64 v21 = (v15 + ((u64)v20));
        if (((v21 >= v8) && (v21 < v10))) {
          i32 v23 = ((i32)((u32)v22 + (u32)((i32)((u8)lane8((v17 + 0u), v20)))));
          i64 v24 = ((i64)v23);
          u32 v27 = (((u32)((u64)((i64)((u64)v24 - (u64)v25)))) + 1u);
          bool v28 = ((v24 < v25) || (v24 > v26));
          bool v30 = !(v28 || !bit((v29 + 0ull), ((u64)v27)));
          if (v30) {
            v18 = (v18 | (1u << v20));
          }
        }
      }
      if ((v18 != 0u)) {
        u64 v32[1];
        lanes8(v32, v31, v15);
        u64 v34[1];
        lanes8(v34, v33, v15);
#pragma unroll
        for (u32 v35 = 0u; v35 < 8u; v35 += 1u) {
          u64 v36 = (v15 + ((u64)v35));
          if (((v18 & (1u << v35)) != 0u)) {
            v14 = (v14 + 1u);
            v19 = (v19 | (1u << v35));
          }
        }
      }
      if ((v19 != 0u)) {
        v11[(v13 + ((v15 - (v8 & 18446744073709551608ull)) >> 3u))] = ((u8)v19);
      }
    }
    u32 v37 = scan((v2 + 0u), v14);
    if ((threadIdx.x == 0u)) {
      v1[v7] = v2[blockDim.x];
    }
    __syncthreads();
  }
}

KERNEL count(const u32* __restrict__ v0, u32* v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, u8* v11, const u64 v12, const u8* __restrict__ v16, const u8* __restrict__ v18, const i32 v24, const i32 v26, const u8* __restrict__ v29, const u8* __restrict__ v30, const u16* __restrict__ v33, const u8* __restrict__ v35) {
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
      u32 v20 = 0u;
      u32 v21 = 0u;
#pragma unroll
      for (u32 v22 = 0u; v22 < 8u; v22 += 1u) {
        u64 v23 = (v15 + ((u64)v22));
        if (((v23 >= v8) && (v23 < v10))) {
          i32 v25 = ((i32)((u32)v24 + (u32)((i32)((u8)lane8((v19 + 0u), v22)))));
          bool v27 = (v25 == v26);
          if (v27) {
            u32 v28 = ((u32)((u8)lane8((v17 + 0u), v22)));
            bool v31 = (v29[v28] != 0u);
            bool v32 = (v30[v28] != 0u);
            if ((v31 && !v32)) {
              v20 = (v20 | (1u << v22));
            }
          }
        }
      }
      if ((v20 != 0u)) {
        u64 v34[2];
        lanes16(v34, v33, v15);
        u64 v36[1];
        lanes8(v36, v35, v15);
#pragma unroll
        for (u32 v37 = 0u; v37 < 8u; v37 += 1u) {
          u64 v38 = (v15 + ((u64)v37));
          if (((v20 & (1u << v37)) != 0u)) {
            v14 = (v14 + 1u);
            v21 = (v21 | (1u << v37));
          }
        }
      }
      if ((v21 != 0u)) {
        v11[(v13 + ((v15 - (v8 & 18446744073709551608ull)) >> 3u))] = ((u8)v21);
      }
    }
    u32 v39 = scan((v2 + 0u), v14);
    if ((threadIdx.x == 0u)) {
      v1[v7] = v2[blockDim.x];
    }
    __syncthreads();
  }
}

KERNEL count(const u32* __restrict__ v0, u32* v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, u8* v11, const u64 v12, const u8* __restrict__ v20, const u8* __restrict__ v22, const u8* __restrict__ v24, const u8* __restrict__ v26, const u8* __restrict__ v28, const u32* __restrict__ v30, const u8* __restrict__ v32, const i32 v36, const i64 v39, const i64 v40, const u32* __restrict__ v43) {
  SHARED(v2)
  for (u32 v7 = blockIdx.x; v7 < v3; v7 += gridDim.x) {
    u64 v8 = (v4 + (((u64)v7) * v6));
    u64 v9 = (v8 + v6);
    u64 v10 = ((v9 > v5) ? v5 : v9);
    u64 v13 = (((u64)v7) * v12);
    u32 v14 = 0u;
    for (u64 v15 = ((v8 & 18446744073709551608ull) + (((u64)threadIdx.x) * 8ull)); v15 < v10; v15 += (((u64)blockDim.x) * 8ull)) {
      u32 v16 = 0u;
      u32 v17 = 0u;
#pragma unroll
      for (u32 v18 = 0u; v18 < 8u; v18 += 1u) {
        u64 v19 = (v15 + ((u64)v18));
        if (((v19 >= v8) && (v19 < v10))) {
          v16 = (v16 | (1u << v18));
        }
      }
      if ((v16 != 0u)) {
        u64 v21[1];
        lanes8(v21, v20, v15);
        u64 v23[1];
        lanes8(v23, v22, v15);
        u64 v25[1];
        lanes8(v25, v24, v15);
        u64 v27[1];
        lanes8(v27, v26, v15);
        u64 v29[1];
        lanes8(v29, v28, v15);
        u64 v31[4];
        lanes32(v31, v30, v15);
        u64 v33[1];
        lanes8(v33, v32, v15);
#pragma unroll
        for (u32 v34 = 0u; v34 < 8u; v34 += 1u) {
          u64 v35 = (v15 + ((u64)v34));
          if (((v16 & (1u << v34)) != 0u)) {
            i32 v37 = ((i32)((u32)v36 + (u32)((i32)((u8)lane8((v27 + 0u), v34)))));
            i64 v38 = ((i64)v37);
            u32 v41 = (((u32)((u64)((i64)((u64)v38 - (u64)v39)))) + 1u);
            bool v42 = ((v38 < v39) || (v38 > v40));
            u32 v44 = (v42 ? 0u : v43[v41]);
            u32 v45 = (v44 - 1u);
            if (!(v44 == 0u)) {
              v14 = (v14 + 1u);
              v17 = (v17 | (1u << v34));
            }
          }
        }
      }
      if ((v17 != 0u)) {
        v11[(v13 + ((v15 - (v8 & 18446744073709551608ull)) >> 3u))] = ((u8)v17);
      }
    }
    u32 v46 = scan((v2 + 0u), v14);
    if ((threadIdx.x == 0u)) {
      v1[v7] = v2[blockDim.x];
    }
    __syncthreads();
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

KERNEL reduce(const u32* __restrict__ v0, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const i32* __restrict__ v21, const i64 v27, const i64 v28, const u8* __restrict__ v31, const i32* __restrict__ v37, const i64 v40, const i32* __restrict__ v42, const u32 v44, const u32 v45, const u32 v46, u32* v47, const u64* __restrict__ v48) {
  SHARED(v1)
  for (u32 v51 = threadIdx.x; v51 < (v46 * 1u); v51 += blockDim.x) {
    v1[(20u + v51)] = 0u;
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
          u64 v22[4];
          lanes32(v22, v21, v19);
#pragma unroll
          for (u32 v23 = 0u; v23 < 8u; v23 += 1u) {
            u64 v24 = (v19 + ((u64)v23));
            if (((v24 >= v12) && (v24 < v13))) {
              i32 v25 = ((i32)lane32((v22 + 0u), v23));
              i64 v26 = ((i64)v25);
              u32 v29 = (((u32)((u64)((i64)((u64)v26 - (u64)v27)))) + 1u);
              bool v30 = ((v26 < v27) || (v26 > v28));
              bool v32 = !(v30 || !bit((v31 + 0ull), ((u64)v29)));
              if (v32) {
                v20 = (v20 | (1u << v23));
              }
            }
          }
        }
        v17 = (v17 | (v20 << (v18 * 8u)));
      }
      u32 v33 = (v2 + scan((v1 + 17u), ones(v17)));
      while ((v17 != 0u)) {
        u32 v34 = first_bit(v17);
        v17 = (v17 - (1u << v34));
        v1[v33] = (((u32)v16) + ((v14 * (v34 >> 3u)) + (v34 & 7u)));
        v33 = (v33 + 1u);
      }
      v2 = (v2 + v1[(17u + blockDim.x)]);
      __syncthreads();
      while (((v2 >= blockDim.x) || (v8 && (v2 != 0u)))) {
        u32 v35 = ((v2 < blockDim.x) ? v2 : blockDim.x);
        v2 = (v2 - v35);
        if ((threadIdx.x < v35)) {
          u64 v36 = ((u64)v1[(v2 + threadIdx.x)]);
          i32 v38 = v37[v36];
          i64 v39 = ((i64)v38);
          u32 v41 = (((u32)((u64)((i64)((u64)v39 - (u64)v40)))) + 1u);
          i32 v43 = v42[v36];
          u32 v49 = ((v41 * v45) + (threadIdx.x % v45));
          u32 v50 = falling32(v43);
          most32((v1 + (20u + ((v46 * 0u) + v49))), v50);
        }
        __syncthreads();
      }
    }
  }
  __syncthreads();
  for (u32 v52 = threadIdx.x; v52 < v44; v52 += blockDim.x) {
    u32 v53 = 0u;
    u32 v54 = 0u;
    for (u32 v55 = 0u; v55 < v45; v55 += 1u) {
      u32 v56 = ((v52 * v45) + v55);
      u32 v57 = v1[(20u + ((v46 * 0u) + v56))];
      v54 = ((v57 > v54) ? v57 : v54);
    }
    if ((v54 != 0u)) {
      u64 v58 = ((u64)v52);
      most32((v47 + v58), v54);
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
