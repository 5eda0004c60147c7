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

KERNEL collect(const u32* __restrict__ v0, const u32* __restrict__ v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u64 v12, const u8* __restrict__ v14, const u16* __restrict__ v22, const i32 v23, const u16* __restrict__ v25, const i32 v26, const u16* __restrict__ v31, const i32 v32, const i64 v35, const i64 v36, const u32* __restrict__ v39, const u64* __restrict__ v40, const u8* __restrict__ v47, const i32 v48, const i32 v51, const i64 v54, const i64 v55, const i32 v64, const i32 v70, const i64 v73, const i64 v74, const u32* __restrict__ v77, const u32 v78, const u32 v79, const bool v80, const u32 v81, const u8* __restrict__ v83, const u32* __restrict__ v85, const i32 v88, const i64 v91, u32* v93, i32* v94, i32* v95, const u32* __restrict__ v96, u32* v98) {
  SHARED(v2)
  for (u32 v99 = threadIdx.x; v99 < v79; v99 += blockDim.x) {
    v2[(v78 + v99)] = v77[v99];
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
        i32 v27 = ((i32)((u32)v26 + (u32)((i32)v25[v21])));
        bool v28 = (v24 > v27);
        if (v28) {
          bool v29 = false;
          bool v30 = false;
          if (!v29) {
            i32 v33 = ((i32)((u32)v32 + (u32)((i32)v31[v21])));
            i64 v34 = ((i64)v33);
            u32 v37 = (((u32)((u64)((i64)((u64)v34 - (u64)v35)))) + 1u);
            bool v38 = ((v34 < v35) || (v34 > v36));
            u64 v41 = (((u64)v37) * 2ull);
            bool v42 = (v38 || !(v39[v41] != 0u));
            u32 v43 = (v42 ? 0u : v37);
            u64 v44 = (((u64)v43) * 2ull);
            i32 v45 = (!v42 ? ((i32)fallen32(v39[v44])) : (0));
            bool v46 = (!v42 ? false : true);
            i32 v49 = ((i32)((u32)v48 + (u32)((i32)v47[v21])));
            bool v50 = (v45 != v49);
            v30 = (v30 || v46);
            v29 = (v50 && !v46);
          }
          if (!v29) {
            i32 v52 = ((i32)((u32)v51 + (u32)((i32)v31[v21])));
            i64 v53 = ((i64)v52);
            u32 v56 = (((u32)((u64)((i64)((u64)v53 - (u64)v54)))) + 1u);
            bool v57 = ((v53 < v54) || (v53 > v55));
            u64 v58 = (((u64)v56) * 2ull);
            bool v59 = (v57 || !(v39[v58] != 0u));
            u32 v60 = (v59 ? 0u : v56);
            u64 v61 = (((u64)v60) * 2ull);
            i32 v62 = (!v59 ? ((i32)risen32(v39[(v61 + 1ull)])) : (0));
            bool v63 = (!v59 ? false : true);
            i32 v65 = ((i32)((u32)v64 + (u32)((i32)v47[v21])));
            bool v66 = (v62 != v65);
            v30 = (v30 || v63);
            v29 = (v66 && !v63);
          }
          bool v67 = (v30 && !v29);
          bool v68 = (v29 && !v67);
          bool v69 = !v68;
          if (v69) {
            i32 v71 = ((i32)((u32)v70 + (u32)((i32)v47[v21])));
            i64 v72 = ((i64)v71);
            u32 v75 = (((u32)((u64)((i64)((u64)v72 - (u64)v73)))) + 1u);
            bool v76 = ((v72 < v73) || (v72 > v74));
            bool v82 = (v76 || (v80 && !word_bit((v2 + v78), ((u32)first_slot(v81, ((u64)v75))))));
            bool v84 = (v82 || !bit((v83 + 0ull), ((u64)v75)));
            u32 v86 = (v84 ? 0u : v85[v75]);
            u32 v87 = (v86 - 1u);
            if (!(v86 == 0u)) {
              i32 v89 = ((i32)((u32)v88 + (u32)((i32)v31[v21])));
              i64 v90 = ((i64)v89);
              u32 v92 = (((u32)((u64)((i64)((u64)v90 - (u64)v91)))) + 1u);
              v93[v19] = v92;
              v94[v19] = v89;
              v95[v19] = v71;
              u32 v97 = v96[v87];
              v98[v19] = v97;
              v19 = (v19 + 1u);
            }
          }
        }
      }
      v11 = (v11 + v2[blockDim.x]);
      __syncthreads();
    }
  }
}

KERNEL collect(const u32* __restrict__ v0, const u32* __restrict__ v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u64 v12, const u8* __restrict__ v14, const u8* __restrict__ v22, const i32 v23, const i64 v26, const i64 v27, const u8* __restrict__ v30, const u8* __restrict__ v32, const i32 v33, const i64 v36, u32* v38, const u8* __restrict__ v39, u32* v41) {
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
        bool v31 = !(v29 || !bit((v30 + 0ull), ((u64)v28)));
        if (v31) {
          i32 v34 = ((i32)((u32)v33 + (u32)((i32)v32[v21])));
          i64 v35 = ((i64)v34);
          u32 v37 = (((u32)((u64)((i64)((u64)v35 - (u64)v36)))) + 1u);
          v38[v19] = v37;
          u32 v40 = ((u32)v39[v21]);
          v41[v19] = v40;
          v19 = (v19 + 1u);
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

KERNEL count(const u32* __restrict__ v0, u32* v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, u8* v11, const u64 v12, const u16* __restrict__ v16, const i32 v22, const i64 v25, const i64 v26, const u32* __restrict__ v29, const u32 v30, const u32 v31, const bool v32, const u32 v33, const u8* __restrict__ v35, const u32* __restrict__ v37, const u8* __restrict__ v41) {
  SHARED(v2)
  for (u32 v46 = threadIdx.x; v46 < v31; v46 += blockDim.x) {
    v2[(v30 + v46)] = v29[v46];
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
#pragma unroll
        for (u32 v43 = 0u; v43 < 8u; v43 += 1u) {
          u64 v44 = (v15 + ((u64)v43));
          if (((v18 & (1u << v43)) != 0u)) {
            v14 = (v14 + 1u);
            v19 = (v19 | (1u << v43));
          }
        }
      }
      if ((v19 != 0u)) {
        v11[(v13 + ((v15 - (v8 & 18446744073709551608ull)) >> 3u))] = ((u8)v19);
      }
    }
    u32 v45 = scan((v2 + 0u), v14);
    if ((threadIdx.x == 0u)) {
      v1[v7] = v2[blockDim.x];
    }
    __syncthreads();
  }
}

KERNEL count(const u32* __restrict__ v0, u32* v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, u8* v11, const u64 v12, const u16* __restrict__ v16, const u16* __restrict__ v18, const i32 v24, const i32 v26, const u16* __restrict__ v29, const u8* __restrict__ v31) {
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
      u32 v20 = 0u;
      u32 v21 = 0u;
#pragma unroll
      for (u32 v22 = 0u; v22 < 8u; v22 += 1u) {
        u64 v23 = (v15 + ((u64)v22));
        if (((v23 >= v8) && (v23 < v10))) {
          i32 v25 = ((i32)((u32)v24 + (u32)((i32)((u16)lane16((v19 + 0u), v22)))));
          i32 v27 = ((i32)((u32)v26 + (u32)((i32)((u16)lane16((v17 + 0u), v22)))));
          bool v28 = (v25 > v27);
          if (v28) {
            v20 = (v20 | (1u << v22));
          }
        }
      }
      if ((v20 != 0u)) {
        u64 v30[2];
        lanes16(v30, v29, v15);
        u64 v32[1];
        lanes8(v32, v31, v15);
#pragma unroll
        for (u32 v33 = 0u; v33 < 8u; v33 += 1u) {
          u64 v34 = (v15 + ((u64)v33));
          if (((v20 & (1u << v33)) != 0u)) {
            v14 = (v14 + 1u);
            v21 = (v21 | (1u << v33));
          }
        }
      }
      if ((v21 != 0u)) {
        v11[(v13 + ((v15 - (v8 & 18446744073709551608ull)) >> 3u))] = ((u8)v21);
      }
    }
    u32 v35 = scan((v2 + 0u), v14);
    if ((threadIdx.x == 0u)) {
      v1[v7] = v2[blockDim.x];
    }
    __syncthreads();
  }
}

KERNEL count(const u32* __restrict__ v0, u32* v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, u8* v11, const u64 v12, const u16* __restrict__ v16, const u8* __restrict__ v18, const u16* __restrict__ v20, const u16* __restrict__ v22, const i32 v28, const i32 v30, const i32 v35, const i64 v38, const i64 v39, const u32* __restrict__ v42, const u64* __restrict__ v43, const i32 v50, const i32 v53, const i64 v56, const i64 v57, const i32 v66, const i32 v74, const i64 v77, const i64 v78, const u32* __restrict__ v81, const u32 v82, const u32 v83, const bool v84, const u32 v85, const u8* __restrict__ v87, const u32* __restrict__ v89) {
  SHARED(v2)
  for (u32 v93 = threadIdx.x; v93 < v83; v93 += blockDim.x) {
    v2[(v82 + v93)] = v81[v93];
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
      u64 v19[1];
      lanes8(v19, v18, v15);
      u64 v21[2];
      lanes16(v21, v20, v15);
      u64 v23[2];
      lanes16(v23, v22, v15);
      u32 v24 = 0u;
      u32 v25 = 0u;
#pragma unroll
      for (u32 v26 = 0u; v26 < 8u; v26 += 1u) {
        u64 v27 = (v15 + ((u64)v26));
        if (((v27 >= v8) && (v27 < v10))) {
          i32 v29 = ((i32)((u32)v28 + (u32)((i32)((u16)lane16((v23 + 0u), v26)))));
          i32 v31 = ((i32)((u32)v30 + (u32)((i32)((u16)lane16((v21 + 0u), v26)))));
          bool v32 = (v29 > v31);
          if (v32) {
            bool v33 = false;
            bool v34 = false;
            if (!v33) {
              i32 v36 = ((i32)((u32)v35 + (u32)((i32)((u16)lane16((v17 + 0u), v26)))));
              i64 v37 = ((i64)v36);
              u32 v40 = (((u32)((u64)((i64)((u64)v37 - (u64)v38)))) + 1u);
              bool v41 = ((v37 < v38) || (v37 > v39));
              u64 v44 = (((u64)v40) * 2ull);
              bool v45 = (v41 || !(v42[v44] != 0u));
              u32 v46 = (v45 ? 0u : v40);
              u64 v47 = (((u64)v46) * 2ull);
              i32 v48 = (!v45 ? ((i32)fallen32(v42[v47])) : (0));
              bool v49 = (!v45 ? false : true);
              i32 v51 = ((i32)((u32)v50 + (u32)((i32)((u8)lane8((v19 + 0u), v26)))));
              bool v52 = (v48 != v51);
              v34 = (v34 || v49);
              v33 = (v52 && !v49);
            }
            if (!v33) {
              i32 v54 = ((i32)((u32)v53 + (u32)((i32)((u16)lane16((v17 + 0u), v26)))));
              i64 v55 = ((i64)v54);
              u32 v58 = (((u32)((u64)((i64)((u64)v55 - (u64)v56)))) + 1u);
              bool v59 = ((v55 < v56) || (v55 > v57));
              u64 v60 = (((u64)v58) * 2ull);
              bool v61 = (v59 || !(v42[v60] != 0u));
              u32 v62 = (v61 ? 0u : v58);
              u64 v63 = (((u64)v62) * 2ull);
              i32 v64 = (!v61 ? ((i32)risen32(v42[(v63 + 1ull)])) : (0));
              bool v65 = (!v61 ? false : true);
              i32 v67 = ((i32)((u32)v66 + (u32)((i32)((u8)lane8((v19 + 0u), v26)))));
              bool v68 = (v64 != v67);
              v34 = (v34 || v65);
              v33 = (v68 && !v65);
            }
            bool v69 = (v34 && !v33);
            bool v70 = (v33 && !v69);
            bool v71 = !v70;
            if (v71) {
              v24 = (v24 | (1u << v26));
            }
          }
        }
      }
      if ((v24 != 0u)) {
#pragma unroll
        for (u32 v72 = 0u; v72 < 8u; v72 += 1u) {
          u64 v73 = (v15 + ((u64)v72));
          if (((v24 & (1u << v72)) != 0u)) {
            i32 v75 = ((i32)((u32)v74 + (u32)((i32)((u8)lane8((v19 + 0u), v72)))));
            i64 v76 = ((i64)v75);
            u32 v79 = (((u32)((u64)((i64)((u64)v76 - (u64)v77)))) + 1u);
            bool v80 = ((v76 < v77) || (v76 > v78));
            bool v86 = (v80 || (v84 && !word_bit((v2 + v82), ((u32)first_slot(v85, ((u64)v79))))));
            bool v88 = (v86 || !bit((v87 + 0ull), ((u64)v79)));
            u32 v90 = (v88 ? 0u : v89[v79]);
            u32 v91 = (v90 - 1u);
            if (!(v90 == 0u)) {
              v14 = (v14 + 1u);
              v25 = (v25 | (1u << v72));
            }
          }
        }
      }
      if ((v25 != 0u)) {
        v11[(v13 + ((v15 - (v8 & 18446744073709551608ull)) >> 3u))] = ((u8)v25);
      }
    }
    u32 v92 = scan((v2 + 0u), v14);
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

KERNEL count(const u32* __restrict__ v0, u32* v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, u8* v11, const u64 v12, const u8* __restrict__ v16, const u8* __restrict__ v23, const u8* __restrict__ v24, const u16* __restrict__ v26, const i32 v30, const i64 v33, const i64 v34, const u32* __restrict__ v37, const u32 v38, const u32 v39, const bool v40, const u32 v41, const u8* __restrict__ v43, const u32* __restrict__ v45, const i32* __restrict__ v50, const i64 v53, const i64 v54, const u32* __restrict__ v57, const u64* __restrict__ v58, const i32* __restrict__ v65, const i64 v70, const i64 v71) {
  SHARED(v2)
  for (u32 v84 = threadIdx.x; v84 < v39; v84 += blockDim.x) {
    v2[(v38 + v84)] = v37[v84];
  }
  __syncthreads();
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
          u32 v22 = ((u32)((u8)lane8((v17 + 0u), v20)));
          bool v25 = (v23[v22] != 0u);
          if (v25) {
            v18 = (v18 | (1u << v20));
          }
        }
      }
      if ((v18 != 0u)) {
        u64 v27[2];
        lanes16(v27, v26, v15);
#pragma unroll
        for (u32 v28 = 0u; v28 < 8u; v28 += 1u) {
          u64 v29 = (v15 + ((u64)v28));
          if (((v18 & (1u << v28)) != 0u)) {
            i32 v31 = ((i32)((u32)v30 + (u32)((i32)((u16)lane16((v27 + 0u), v28)))));
            i64 v32 = ((i64)v31);
            u32 v35 = (((u32)((u64)((i64)((u64)v32 - (u64)v33)))) + 1u);
            bool v36 = ((v32 < v33) || (v32 > v34));
            bool v42 = (v36 || (v40 && !word_bit((v2 + v38), ((u32)first_slot(v41, ((u64)v35))))));
            bool v44 = (v42 || !bit((v43 + 0ull), ((u64)v35)));
            u32 v46 = (v44 ? 0u : v45[v35]);
            u32 v47 = (v46 - 1u);
            if (!(v46 == 0u)) {
              bool v48 = false;
              bool v49 = false;
              if (!v48) {
                i32 v51 = v50[v47];
                i64 v52 = ((i64)v51);
                u32 v55 = (((u32)((u64)((i64)((u64)v52 - (u64)v53)))) + 1u);
                bool v56 = ((v52 < v53) || (v52 > v54));
                u64 v59 = (((u64)v55) * 2ull);
                bool v60 = (v56 || !(v57[v59] != 0u));
                u32 v61 = (v60 ? 0u : v55);
                u64 v62 = (((u64)v61) * 2ull);
                i32 v63 = (!v60 ? ((i32)fallen32(v57[v62])) : (0));
                bool v64 = (!v60 ? false : true);
                i32 v66 = v65[v47];
                bool v67 = (v63 != v66);
                v49 = (v49 || v64);
                v48 = (v67 && !v64);
              }
              if (!v48) {
                i32 v68 = v50[v47];
                i64 v69 = ((i64)v68);
                u32 v72 = (((u32)((u64)((i64)((u64)v69 - (u64)v70)))) + 1u);
                bool v73 = ((v69 < v70) || (v69 > v71));
                u64 v74 = (((u64)v72) * 2ull);
                bool v75 = (v73 || !(v57[v74] != 0u));
                u32 v76 = (v75 ? 0u : v72);
                u64 v77 = (((u64)v76) * 2ull);
                i32 v78 = (!v75 ? ((i32)risen32(v57[(v77 + 1ull)])) : (0));
                bool v79 = (!v75 ? false : true);
                i32 v80 = v65[v47];
                bool v81 = (v78 != v80);
                v49 = (v49 || v79);
                v48 = (v81 && !v79);
              }
              bool v82 = (v49 && !v48);
              if ((v48 && !v82)) {
                v14 = (v14 + 1u);
                v19 = (v19 | (1u << v28));
              }
            }
          }
        }
      }
      if ((v19 != 0u)) {
        v11[(v13 + ((v15 - (v8 & 18446744073709551608ull)) >> 3u))] = ((u8)v19);
      }
    }
    u32 v83 = scan((v2 + 0u), v14);
    if ((threadIdx.x == 0u)) {
      v1[v7] = v2[blockDim.x];
    }
    __syncthreads();
  }
}

KERNEL reduce(const u32* __restrict__ v0, const u32 v1, const u64 v2, const u64 v3, const u64 v4, const u16* __restrict__ v13, const i32 v18, const i64 v21, const i64 v22, const u32* __restrict__ v25, const u32 v26, const u32 v27, const bool v28, const u32 v29, const u8* __restrict__ v32, const u32* __restrict__ v34, const u8* __restrict__ v38, const i32 v42, const i64 v45, const i32 v47, u32* v49, const u64* __restrict__ v50) {
  SHARED(v30)
  for (u32 v64 = threadIdx.x; v64 < v27; v64 += blockDim.x) {
    v30[(v26 + v64)] = v25[v64];
  }
  __syncthreads();
  u32 v51 = 0u;
  u32 v54 = 0u;
  u64 v55 = 0ull;
  u64 v56 = 0ull;
  u32 v52 = 0u;
  u32 v53 = 0u;
  for (u32 v5 = blockIdx.x; v5 < v1; v5 += gridDim.x) {
    u64 v6 = (v2 + (((u64)v5) * v4));
    u64 v7 = (v6 + v4);
    u64 v8 = ((v7 > v3) ? v3 : v7);
    for (u64 v9 = ((v6 & 18446744073709551608ull) + (((u64)threadIdx.x) * 16ull)); v9 < v8; v9 += (((u64)blockDim.x) * 16ull)) {
      u64 v10 = (v9 + 16ull);
      u64 v11 = ((v10 > v8) ? v8 : v10);
      for (u64 v12 = v9; v12 < v11; v12 += 8ull) {
        u64 v14[2];
        lanes16(v14, v13, v12);
        u32 v15 = 0u;
#pragma unroll
        for (u32 v16 = 0u; v16 < 8u; v16 += 1u) {
          u64 v17 = (v12 + ((u64)v16));
          if (((v17 >= v6) && (v17 < v8))) {
            i32 v19 = ((i32)((u32)v18 + (u32)((i32)((u16)lane16((v14 + 0u), v16)))));
            i64 v20 = ((i64)v19);
            u32 v23 = (((u32)((u64)((i64)((u64)v20 - (u64)v21)))) + 1u);
            bool v24 = ((v20 < v21) || (v20 > v22));
            bool v31 = (v24 || (v28 && !word_bit((v30 + v26), ((u32)first_slot(v29, ((u64)v23))))));
            bool v33 = (v31 || !bit((v32 + 0ull), ((u64)v23)));
            u32 v35 = (v33 ? 0u : v34[v23]);
            u32 v36 = (v35 - 1u);
            bool v37 = !(v35 == 0u);
            if (v37) {
              v15 = (v15 | (1u << v16));
            }
          }
        }
        if ((v15 != 0u)) {
          u64 v39[1];
          lanes8(v39, v38, v12);
#pragma unroll
          for (u32 v40 = 0u; v40 < 8u; v40 += 1u) {
            u64 v41 = (v12 + ((u64)v40));
            if (((v15 & (1u << v40)) != 0u)) {
              i32 v43 = ((i32)((u32)v42 + (u32)((i32)((u16)lane16((v14 + 0u), v40)))));
              i64 v44 = ((i64)v43);
              u32 v46 = (((u32)((u64)((i64)((u64)v44 - (u64)v45)))) + 1u);
              i32 v48 = ((i32)((u32)v47 + (u32)((i32)((u8)lane8((v39 + 0u), v40)))));
              if ((v54 != v46)) {
                u64 v57 = (v9 + 1ull);
                bool v58 = (v56 == v57);
                if (v58) {
                  u64 v59 = (((u64)v54) * 2ull);
                  v49[v59] = v52;
                  v49[(v59 + 1ull)] = v53;
                }
                if (!v58) {
                  if ((v51 != 0u)) {
                    u64 v60 = (((u64)v54) * 2ull);
                    most32((v49 + v60), v52);
                    most32((v49 + (v60 + 1ull)), v53);
                  }
                }
                v54 = v46;
                v56 = ((v55 > v9) ? v57 : 0ull);
                v51 = 0u;
                v52 = 0u;
                v53 = 0u;
              }
              v55 = (v41 + 1ull);
              u32 v61 = falling32(v48);
              v52 = ((v61 > v52) ? v61 : v52);
              u32 v62 = rising32(v48);
              v53 = ((v62 > v53) ? v62 : v53);
              v51 = (v51 | 1u);
            }
          }
        }
      }
    }
  }
  if ((v51 != 0u)) {
    u64 v63 = (((u64)v54) * 2ull);
    most32((v49 + v63), v52);
    most32((v49 + (v63 + 1ull)), v53);
  }
}

KERNEL reduce(const u32* __restrict__ v0, const u32 v1, const u64 v2, const u64 v3, const u64 v4, const u16* __restrict__ v13, const u16* __restrict__ v15, const i32 v20, const i32 v22, const u16* __restrict__ v25, const u8* __restrict__ v27, const i32 v31, const i64 v34, const i32 v36, u32* v38, const u64* __restrict__ v39) {
  u32 v40 = 0u;
  u32 v43 = 0u;
  u64 v44 = 0ull;
  u64 v45 = 0ull;
  u32 v41 = 0u;
  u32 v42 = 0u;
  for (u32 v5 = blockIdx.x; v5 < v1; v5 += gridDim.x) {
    u64 v6 = (v2 + (((u64)v5) * v4));
    u64 v7 = (v6 + v4);
    u64 v8 = ((v7 > v3) ? v3 : v7);
    for (u64 v9 = ((v6 & 18446744073709551608ull) + (((u64)threadIdx.x) * 16ull)); v9 < v8; v9 += (((u64)blockDim.x) * 16ull)) {
      u64 v10 = (v9 + 16ull);
      u64 v11 = ((v10 > v8) ? v8 : v10);
      for (u64 v12 = v9; v12 < v11; v12 += 8ull) {
        u64 v14[2];
        lanes16(v14, v13, v12);
        u64 v16[2];
        lanes16(v16, v15, v12);
        u32 v17 = 0u;
#pragma unroll
        for (u32 v18 = 0u; v18 < 8u; v18 += 1u) {
          u64 v19 = (v12 + ((u64)v18));
          if (((v19 >= v6) && (v19 < v8))) {
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
              i32 v32 = ((i32)((u32)v31 + (u32)((i32)((u16)lane16((v26 + 0u), v29)))));
              i64 v33 = ((i64)v32);
              u32 v35 = (((u32)((u64)((i64)((u64)v33 - (u64)v34)))) + 1u);
              i32 v37 = ((i32)((u32)v36 + (u32)((i32)((u8)lane8((v28 + 0u), v29)))));
              if ((v43 != v35)) {
                u64 v46 = (v9 + 1ull);
                bool v47 = (v45 == v46);
                if (v47) {
                  u64 v48 = (((u64)v43) * 2ull);
                  v38[v48] = v41;
                  v38[(v48 + 1ull)] = v42;
                }
                if (!v47) {
                  if ((v40 != 0u)) {
                    u64 v49 = (((u64)v43) * 2ull);
                    most32((v38 + v49), v41);
                    most32((v38 + (v49 + 1ull)), v42);
                  }
                }
                v43 = v35;
                v45 = ((v44 > v9) ? v46 : 0ull);
                v40 = 0u;
                v41 = 0u;
                v42 = 0u;
              }
              v44 = (v30 + 1ull);
              u32 v50 = falling32(v37);
              v41 = ((v50 > v41) ? v50 : v41);
              u32 v51 = rising32(v37);
              v42 = ((v51 > v42) ? v51 : v42);
              v40 = (v40 | 1u);
            }
          }
        }
      }
    }
  }
  if ((v40 != 0u)) {
    u64 v52 = (((u64)v43) * 2ull);
    most32((v38 + v52), v41);
    most32((v38 + (v52 + 1ull)), v42);
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

KERNEL reduce(const u32* __restrict__ v0, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u8* __restrict__ v21, const u8* __restrict__ v26, const u8* __restrict__ v27, const u16* __restrict__ v29, const i32 v33, const i64 v36, const i64 v37, const u32* __restrict__ v40, const u32 v41, const u32 v42, const bool v43, const u32 v44, const u8* __restrict__ v46, const i32 v52, const i64 v55, const i64 v56, const u32* __restrict__ v60, const i32* __restrict__ v65, const i64 v68, const i64 v69, const u32* __restrict__ v72, const u64* __restrict__ v73, const i32* __restrict__ v80, const i64 v85, const i64 v86, const u32* __restrict__ v98, const u32 v101, const u32 v102, const u32 v103, u32* v104, const u64* __restrict__ v105) {
  SHARED(v1)
  for (u32 v114 = threadIdx.x; v114 < v42; v114 += blockDim.x) {
    v1[(v41 + v114)] = v40[v114];
  }
  __syncthreads();
  for (u32 v107 = threadIdx.x; v107 < (v103 * 1u); v107 += blockDim.x) {
    v1[(20u + v107)] = 0u;
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
#pragma unroll
          for (u32 v23 = 0u; v23 < 8u; v23 += 1u) {
            u64 v24 = (v19 + ((u64)v23));
            if (((v24 >= v12) && (v24 < v13))) {
              u32 v25 = ((u32)((u8)lane8((v22 + 0u), v23)));
              bool v28 = (v26[v25] != 0u);
              if (v28) {
                v20 = (v20 | (1u << v23));
              }
            }
          }
          if ((v20 != 0u)) {
            u64 v30[2];
            lanes16(v30, v29, v19);
#pragma unroll
            for (u32 v31 = 0u; v31 < 8u; v31 += 1u) {
              u64 v32 = (v19 + ((u64)v31));
              if (((v20 & (1u << v31)) != 0u)) {
                i32 v34 = ((i32)((u32)v33 + (u32)((i32)((u16)lane16((v30 + 0u), v31)))));
                i64 v35 = ((i64)v34);
                u32 v38 = (((u32)((u64)((i64)((u64)v35 - (u64)v36)))) + 1u);
                bool v39 = ((v35 < v36) || (v35 > v37));
                bool v45 = (v39 || (v43 && !word_bit((v1 + v41), ((u32)first_slot(v44, ((u64)v38))))));
                bool v47 = (v45 || !bit((v46 + 0ull), ((u64)v38)));
                if (v47) {
                  v20 = (v20 - (1u << v31));
                }
              }
            }
          }
        }
        v17 = (v17 | (v20 << (v18 * 8u)));
      }
      u32 v48 = (v2 + scan((v1 + 17u), ones(v17)));
      while ((v17 != 0u)) {
        u32 v49 = first_bit(v17);
        v17 = (v17 - (1u << v49));
        v1[v48] = (((u32)v16) + ((v14 * (v49 >> 3u)) + (v49 & 7u)));
        v48 = (v48 + 1u);
      }
      v2 = (v2 + v1[(17u + blockDim.x)]);
      __syncthreads();
      while (((v2 >= blockDim.x) || (v8 && (v2 != 0u)))) {
        u32 v50 = ((v2 < blockDim.x) ? v2 : blockDim.x);
        v2 = (v2 - v50);
        if ((threadIdx.x < v50)) {
          u64 v51 = ((u64)v1[(v2 + threadIdx.x)]);
          i32 v53 = ((i32)((u32)v52 + (u32)((i32)v29[v51])));
          i64 v54 = ((i64)v53);
          u32 v57 = (((u32)((u64)((i64)((u64)v54 - (u64)v55)))) + 1u);
          bool v58 = ((v54 < v55) || (v54 > v56));
          bool v59 = (v58 || !bit((v46 + 0ull), ((u64)v57)));
          u32 v61 = (v59 ? 0u : v60[v57]);
          u32 v62 = (v61 - 1u);
          if (!(v61 == 0u)) {
            bool v63 = false;
            bool v64 = false;
            if (!v63) {
              i32 v66 = v65[v62];
              i64 v67 = ((i64)v66);
              u32 v70 = (((u32)((u64)((i64)((u64)v67 - (u64)v68)))) + 1u);
              bool v71 = ((v67 < v68) || (v67 > v69));
              u64 v74 = (((u64)v70) * 2ull);
              bool v75 = (v71 || !(v72[v74] != 0u));
              u32 v76 = (v75 ? 0u : v70);
              u64 v77 = (((u64)v76) * 2ull);
              i32 v78 = (!v75 ? ((i32)fallen32(v72[v77])) : (0));
              bool v79 = (!v75 ? false : true);
              i32 v81 = v80[v62];
              bool v82 = (v78 != v81);
              v64 = (v64 || v79);
              v63 = (v82 && !v79);
            }
            if (!v63) {
              i32 v83 = v65[v62];
              i64 v84 = ((i64)v83);
              u32 v87 = (((u32)((u64)((i64)((u64)v84 - (u64)v85)))) + 1u);
              bool v88 = ((v84 < v85) || (v84 > v86));
              u64 v89 = (((u64)v87) * 2ull);
              bool v90 = (v88 || !(v72[v89] != 0u));
              u32 v91 = (v90 ? 0u : v87);
              u64 v92 = (((u64)v91) * 2ull);
              i32 v93 = (!v90 ? ((i32)risen32(v72[(v92 + 1ull)])) : (0));
              bool v94 = (!v90 ? false : true);
              i32 v95 = v80[v62];
              bool v96 = (v93 != v95);
              v64 = (v64 || v94);
              v63 = (v96 && !v94);
            }
            bool v97 = (v64 && !v63);
            if ((v63 && !v97)) {
              u32 v99 = v98[v62];
              u32 v100 = (v99 + 1u);
              u32 v106 = ((v100 * v102) + (threadIdx.x % v102));
              count32((v1 + (20u + ((v103 * 0u) + v106))), 1u);
            }
          }
        }
        __syncthreads();
      }
    }
  }
  __syncthreads();
  for (u32 v108 = threadIdx.x; v108 < v101; v108 += blockDim.x) {
    u32 v109 = 0u;
    i64 v110 = ((i64)0ll);
    for (u32 v111 = 0u; v111 < v102; v111 += 1u) {
      u32 v112 = ((v108 * v102) + v111);
      v110 = ((i64)((u64)v110 + (u64)((i64)v1[(20u + ((v103 * 0u) + v112))])));
    }
    if ((v110 != ((i64)0ll))) {
      u64 v113 = ((u64)v108);
      count32((v104 + v113), ((u32)v110));
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
