// How many groups have rows.
KERNEL count_groups(const u32* flags, const u64 groups, u32* count) {
  u32 own = 0;
  for (u64 at = (u64)blockIdx.x * blockDim.x + threadIdx.x; at < groups; at += (u64)gridDim.x * blockDim.x) own += flags[at] & 1u;
  if (own != 0) atomicAdd(count, own);
}

KERNEL collect(const u32* __restrict__ v0, const u32* __restrict__ v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u16* __restrict__ v15, const i32 v16, const i32 v18, const i32 v20, const u16* __restrict__ v22, const i32 v23, const i64 v26, const i64 v27, const u32* __restrict__ v30, const u32* __restrict__ v32, const u32* __restrict__ v33, const u32* __restrict__ v34, const i32 v40, const i32 v42, const i32 v44, const i32 v46, const i64 v49, const i64 v50, const u16* __restrict__ v58, const i32 v59, const i64 v62, u32* v64, i32* v65, const i32* __restrict__ v66, i32* v68, const i32* __restrict__ v69, i32* v71, const i32* __restrict__ v72, i32* v74) {
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
          bool v21 = (v17 <= v20);
          if (v21) {
            i32 v24 = ((i32)((u32)v23 + (u32)((i32)v22[v13])));
            i64 v25 = ((i64)v24);
            u32 v28 = (((u32)((u64)((i64)((u64)v25 - (u64)v26)))) + 1u);
            bool v29 = ((v25 < v26) || (v25 > v27));
            u32 v31 = (v29 ? 0u : v30[v28]);
            if (!(v31 == 0u)) {
              u32 v35 = v32[v28];
              u32 v36 = (v35 + v33[v28]);
              for (u32 v37 = v35; v37 < v36; v37 += 1u) {
                u32 v38 = v34[v37];
                v14 = (v14 + 1u);
              }
            }
          }
        }
      }
      u32 v39 = (v11 + scan((v2 + 0u), v14));
      if ((v14 != 0u)) {
        i32 v41 = ((i32)((u32)v40 + (u32)((i32)v15[v13])));
        bool v43 = (v41 >= v42);
        if (v43) {
          bool v45 = (v41 <= v44);
          if (v45) {
            i32 v47 = ((i32)((u32)v46 + (u32)((i32)v22[v13])));
            i64 v48 = ((i64)v47);
            u32 v51 = (((u32)((u64)((i64)((u64)v48 - (u64)v49)))) + 1u);
            bool v52 = ((v48 < v49) || (v48 > v50));
            u32 v53 = (v52 ? 0u : v30[v51]);
            if (!(v53 == 0u)) {
              u32 v54 = v32[v51];
              u32 v55 = (v54 + v33[v51]);
              for (u32 v56 = v54; v56 < v55; v56 += 1u) {
                u32 v57 = v34[v56];
                i32 v60 = ((i32)((u32)v59 + (u32)((i32)v58[v13])));
                i64 v61 = ((i64)v60);
                u32 v63 = (((u32)((u64)((i64)((u64)v61 - (u64)v62)))) + 1u);
                v64[v39] = v63;
                v65[v39] = v41;
                i32 v67 = v66[v57];
                v68[v39] = v67;
                i32 v70 = v69[v57];
                v71[v39] = v70;
                i32 v73 = v72[v57];
                v74[v39] = v73;
                v39 = (v39 + 1u);
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

KERNEL collect(const u32* __restrict__ v0, const u32* __restrict__ v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u16* __restrict__ v15, const i32 v16, const i64 v19, const i64 v20, const u8* __restrict__ v23, const i32 v26, const i64 v29, const i64 v30, const u16* __restrict__ v34, const i32 v35, const i64 v38, u32* v40, const u8* __restrict__ v41, const i32 v42, i32* v44, const u32* __restrict__ v45, const i32 v46, i32* v48, const u8* __restrict__ v49, const i32 v50, i32* v52) {
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
          i32 v43 = ((i32)((u32)v42 + (u32)((i32)v41[v13])));
          v44[v25] = v43;
          i32 v47 = ((i32)((u32)v46 + (u32)((i32)v45[v13])));
          v48[v25] = v47;
          i32 v51 = ((i32)((u32)v50 + (u32)((i32)v49[v13])));
          v52[v25] = v51;
          v25 = (v25 + 1u);
        }
      }
      v11 = (v11 + v2[blockDim.x]);
      __syncthreads();
    }
  }
}

KERNEL collect(const u32* __restrict__ v0, const u32* __restrict__ v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u8* __restrict__ v16, const i32 v17, const i64 v20, u32* v22, const u8* __restrict__ v23, const i32 v24, i32* v26) {
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
        v14 = (v14 + 1u);
      }
      u32 v15 = (v11 + scan((v2 + 0u), v14));
      if ((v14 != 0u)) {
        i32 v18 = ((i32)((u32)v17 + (u32)((i32)v16[v13])));
        i64 v19 = ((i64)v18);
        u32 v21 = (((u32)((u64)((i64)((u64)v19 - (u64)v20)))) + 1u);
        v22[v15] = v21;
        i32 v25 = ((i32)((u32)v24 + (u32)((i32)v23[v13])));
        v26[v15] = v25;
        v15 = (v15 + 1u);
      }
      v11 = (v11 + v2[blockDim.x]);
      __syncthreads();
    }
  }
}

KERNEL collect(const u32* __restrict__ v0, const u32* __restrict__ v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u8* __restrict__ v16, const i32 v17, const i64 v20, u32* v22, const u8* __restrict__ v23, u32* v25) {
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
        v14 = (v14 + 1u);
      }
      u32 v15 = (v11 + scan((v2 + 0u), v14));
      if ((v14 != 0u)) {
        i32 v18 = ((i32)((u32)v17 + (u32)((i32)v16[v13])));
        i64 v19 = ((i64)v18);
        u32 v21 = (((u32)((u64)((i64)((u64)v19 - (u64)v20)))) + 1u);
        v22[v15] = v21;
        u32 v24 = ((u32)v23[v13]);
        v25[v15] = v24;
        v15 = (v15 + 1u);
      }
      v11 = (v11 + v2[blockDim.x]);
      __syncthreads();
    }
  }
}

KERNEL count(const u32* __restrict__ v0, u32* v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6) {
  SHARED(v2)
  for (u32 v7 = blockIdx.x; v7 < v3; v7 += gridDim.x) {
    u64 v8 = (v4 + (((u64)v7) * v6));
    u64 v9 = (v8 + v6);
    u64 v10 = ((v9 > v5) ? v5 : v9);
    u32 v11 = 0u;
    for (u64 v12 = (v8 + ((u64)threadIdx.x)); v12 < v10; v12 += ((u64)blockDim.x)) {
      v11 = (v11 + 1u);
    }
    u32 v13 = scan((v2 + 0u), v11);
    if ((threadIdx.x == 0u)) {
      v1[v7] = v2[blockDim.x];
    }
    __syncthreads();
  }
}

KERNEL count(const u32* __restrict__ v0, u32* v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u16* __restrict__ v13, const i32 v14, const i32 v16, const i32 v18, const u16* __restrict__ v20, const i32 v21, const i64 v24, const i64 v25, const u32* __restrict__ v28, const u32* __restrict__ v30, const u32* __restrict__ v31, const u32* __restrict__ v32) {
  SHARED(v2)
  for (u32 v7 = blockIdx.x; v7 < v3; v7 += gridDim.x) {
    u64 v8 = (v4 + (((u64)v7) * v6));
    u64 v9 = (v8 + v6);
    u64 v10 = ((v9 > v5) ? v5 : v9);
    u32 v11 = 0u;
    for (u64 v12 = (v8 + ((u64)threadIdx.x)); v12 < v10; v12 += ((u64)blockDim.x)) {
      i32 v15 = ((i32)((u32)v14 + (u32)((i32)v13[v12])));
      bool v17 = (v15 >= v16);
      if (v17) {
        bool v19 = (v15 <= v18);
        if (v19) {
          i32 v22 = ((i32)((u32)v21 + (u32)((i32)v20[v12])));
          i64 v23 = ((i64)v22);
          u32 v26 = (((u32)((u64)((i64)((u64)v23 - (u64)v24)))) + 1u);
          bool v27 = ((v23 < v24) || (v23 > v25));
          u32 v29 = (v27 ? 0u : v28[v26]);
          if (!(v29 == 0u)) {
            u32 v33 = v30[v26];
            u32 v34 = (v33 + v31[v26]);
            for (u32 v35 = v33; v35 < v34; v35 += 1u) {
              u32 v36 = v32[v35];
              v11 = (v11 + 1u);
            }
          }
        }
      }
    }
    u32 v37 = scan((v2 + 0u), v11);
    if ((threadIdx.x == 0u)) {
      v1[v7] = v2[blockDim.x];
    }
    __syncthreads();
  }
}

KERNEL count(const u32* __restrict__ v0, u32* v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u16* __restrict__ v13, const i32 v14, const i64 v17, const i64 v18, const u8* __restrict__ v21) {
  SHARED(v2)
  for (u32 v7 = blockIdx.x; v7 < v3; v7 += gridDim.x) {
    u64 v8 = (v4 + (((u64)v7) * v6));
    u64 v9 = (v8 + v6);
    u64 v10 = ((v9 > v5) ? v5 : v9);
    u32 v11 = 0u;
    for (u64 v12 = (v8 + ((u64)threadIdx.x)); v12 < v10; v12 += ((u64)blockDim.x)) {
      i32 v15 = ((i32)((u32)v14 + (u32)((i32)v13[v12])));
      i64 v16 = ((i64)v15);
      u32 v19 = (((u32)((u64)((i64)((u64)v16 - (u64)v17)))) + 1u);
      bool v20 = ((v16 < v17) || (v16 > v18));
      bool v22 = !(v20 || !bit((v21 + 0ull), ((u64)v19)));
      if (v22) {
        v11 = (v11 + 1u);
      }
    }
    u32 v23 = scan((v2 + 0u), v11);
    if ((threadIdx.x == 0u)) {
      v1[v7] = v2[blockDim.x];
    }
    __syncthreads();
  }
}

KERNEL reduce(const u32* __restrict__ v0, const u32 v1, const u64 v2, const u64 v3, const u64 v4, const u8* __restrict__ v10, const i32 v11, const i64 v14, const i64 v15, const u8* __restrict__ v18, const u16* __restrict__ v20, const i32 v21, const i64 v24, const i64 v25, const u32* __restrict__ v28, const u32* __restrict__ v30, const u32* __restrict__ v31, const u32* __restrict__ v32, const i32* __restrict__ v37, const i64 v40, const i64 v41, const u32* __restrict__ v44, const i32* __restrict__ v47, const i64 v50, const i64 v51, const u32* __restrict__ v54, const i32* __restrict__ v57, const i64 v62, const u32 v64, const u32 v65, const u32 v66, u32* v67, u64* v68, u64* v69, const u32* __restrict__ v74, const u8* __restrict__ v76, const u8* __restrict__ v77, const i32* __restrict__ v79, const i32 v81, const i32* __restrict__ v82, const i32 v86, const i32 v89) {
  SHARED(v87)
  for (u32 v93 = threadIdx.x; v93 < (v66 * 5u); v93 += blockDim.x) {
    v87[(0u + v93)] = 0u;
  }
  __syncthreads();
  for (u32 v5 = blockIdx.x; v5 < v1; v5 += gridDim.x) {
    u64 v6 = (v2 + (((u64)v5) * v4));
    u64 v7 = (v6 + v4);
    u64 v8 = ((v7 > v3) ? v3 : v7);
    for (u64 v9 = (v6 + ((u64)threadIdx.x)); v9 < v8; v9 += ((u64)blockDim.x)) {
      i32 v12 = ((i32)((u32)v11 + (u32)((i32)v10[v9])));
      i64 v13 = ((i64)v12);
      u32 v16 = (((u32)((u64)((i64)((u64)v13 - (u64)v14)))) + 1u);
      bool v17 = ((v13 < v14) || (v13 > v15));
      bool v19 = !(v17 || !bit((v18 + 0ull), ((u64)v16)));
      if (v19) {
        i32 v22 = ((i32)((u32)v21 + (u32)((i32)v20[v9])));
        i64 v23 = ((i64)v22);
        u32 v26 = (((u32)((u64)((i64)((u64)v23 - (u64)v24)))) + 1u);
        bool v27 = ((v23 < v24) || (v23 > v25));
        u32 v29 = (v27 ? 0u : v28[v26]);
        if (!(v29 == 0u)) {
          u32 v33 = v30[v26];
          u32 v34 = (v33 + v31[v26]);
          for (u32 v35 = v33; v35 < v34; v35 += 1u) {
            u32 v36 = v32[v35];
            i32 v38 = v37[v36];
            i64 v39 = ((i64)v38);
            u32 v42 = (((u32)((u64)((i64)((u64)v39 - (u64)v40)))) + 1u);
            bool v43 = ((v39 < v40) || (v39 > v41));
            u32 v45 = (v43 ? 0u : v44[v42]);
            u32 v46 = (v45 - 1u);
            if (!(v45 == 0u)) {
              i32 v48 = v47[v46];
              i64 v49 = ((i64)v48);
              u32 v52 = (((u32)((u64)((i64)((u64)v49 - (u64)v50)))) + 1u);
              bool v53 = ((v49 < v50) || (v49 > v51));
              u32 v55 = (v53 ? 0u : v54[v52]);
              u32 v56 = (v55 - 1u);
              if (!(v55 == 0u)) {
                i32 v58 = v57[v36];
                i32 v59 = year_of(v58);
                i32 v60 = ((v59 > (0)) ? v59 : ((i32)((u32)v59 - (u32)(1))));
                i64 v61 = ((i64)v60);
                u32 v63 = (((u32)((u64)((i64)((u64)v61 - (u64)v62)))) + 1u);
                u32 v70 = ((v63 * v65) + (threadIdx.x % v65));
                i32 v71 = (0);
                bool v72 = true;
                bool v73 = true;
                if (v73) {
                  u32 v75 = v74[v56];
                  bool v78 = (v76[v75] != 0u);
                  if (v78) {
                    i32 v80 = v79[v36];
                    i32 v83 = v82[v36];
                    i32 v84 = ((i32)((u32)v81 - (u32)v83));
                    i32 v85 = ((i32)((u32)v80 * (u32)v84));
                    v71 = v85;
                    v72 = false;
                    v73 = false;
                  }
                }
                if (v73) {
                  v71 = v86;
                  v72 = false;
                }
                add_shared((v87 + (0u + ((v66 * 1u) + v70))), v66, ((i64)v71));
                i32 v88 = v79[v36];
                i32 v90 = v82[v36];
                i32 v91 = ((i32)((u32)v89 - (u32)v90));
                i32 v92 = ((i32)((u32)v88 * (u32)v91));
                add_shared((v87 + (0u + ((v66 * 3u) + v70))), v66, ((i64)v92));
                set_flags((v87 + (0u + ((v66 * 0u) + v70))), 1u);
              }
            }
          }
        }
      }
    }
  }
  __syncthreads();
  for (u32 v94 = threadIdx.x; v94 < v64; v94 += blockDim.x) {
    u32 v95 = 0u;
    i64 v96 = ((i64)0ll);
    i64 v97 = ((i64)0ll);
    for (u32 v98 = 0u; v98 < v65; v98 += 1u) {
      u32 v99 = ((v94 * v65) + v98);
      v95 = (v95 | v87[(0u + ((v66 * 0u) + v99))]);
      v96 = ((i64)((u64)v96 + (u64)joined((v87 + (0u + ((v66 * 1u) + v99))), v66)));
      v97 = ((i64)((u64)v97 + (u64)joined((v87 + (0u + ((v66 * 3u) + v99))), v66)));
    }
    if ((v95 != 0u)) {
      add64((v68 + v94), v96);
      add64((v69 + v94), v97);
      set_flags((v67 + v94), v95);
    }
  }
}

KERNEL reduce(const u32* __restrict__ v0, const u32 v1, const u64 v2, const u64 v3, const u64 v4, const u8* __restrict__ v10, const i32 v11, const i64 v14, const i64 v15, const u8* __restrict__ v18, const u8* __restrict__ v20, const i32 v21, const i64 v24, u32* v26) {
  for (u32 v5 = blockIdx.x; v5 < v1; v5 += gridDim.x) {
    u64 v6 = (v2 + (((u64)v5) * v4));
    u64 v7 = (v6 + v4);
    u64 v8 = ((v7 > v3) ? v3 : v7);
    for (u64 v9 = (v6 + ((u64)threadIdx.x)); v9 < v8; v9 += ((u64)blockDim.x)) {
      i32 v12 = ((i32)((u32)v11 + (u32)((i32)v10[v9])));
      i64 v13 = ((i64)v12);
      u32 v16 = (((u32)((u64)((i64)((u64)v13 - (u64)v14)))) + 1u);
      bool v17 = ((v13 < v14) || (v13 > v15));
      bool v19 = !(v17 || !bit((v18 + 0ull), ((u64)v16)));
      if (v19) {
        i32 v22 = ((i32)((u32)v21 + (u32)((i32)v20[v9])));
        i64 v23 = ((i64)v22);
        u32 v25 = (((u32)((u64)((i64)((u64)v23 - (u64)v24)))) + 1u);
        set_bit((v26 + 0u), ((u64)v25));
      }
    }
  }
}

KERNEL reduce(const u32* __restrict__ v0, const u32 v1, const u64 v2, const u64 v3, const u64 v4, const u8* __restrict__ v10, const u8* __restrict__ v12, const u8* __restrict__ v13, const u16* __restrict__ v15, const i32 v16, const i64 v19, u32* v21) {
  for (u32 v5 = blockIdx.x; v5 < v1; v5 += gridDim.x) {
    u64 v6 = (v2 + (((u64)v5) * v4));
    u64 v7 = (v6 + v4);
    u64 v8 = ((v7 > v3) ? v3 : v7);
    for (u64 v9 = (v6 + ((u64)threadIdx.x)); v9 < v8; v9 += ((u64)blockDim.x)) {
      u32 v11 = ((u32)v10[v9]);
      bool v14 = (v12[v11] != 0u);
      if (v14) {
        i32 v17 = ((i32)((u32)v16 + (u32)((i32)v15[v9])));
        i64 v18 = ((i64)v17);
        u32 v20 = (((u32)((u64)((i64)((u64)v18 - (u64)v19)))) + 1u);
        set_bit((v21 + 0u), ((u64)v20));
      }
    }
  }
}

KERNEL reduce(const u32* __restrict__ v0, const u32 v1, const u64 v2, const u64 v3, const u64 v4, const u8* __restrict__ v10, const u8* __restrict__ v12, const u8* __restrict__ v13, const u8* __restrict__ v15, const i32 v16, const i64 v19, u32* v21) {
  for (u32 v5 = blockIdx.x; v5 < v1; v5 += gridDim.x) {
    u64 v6 = (v2 + (((u64)v5) * v4));
    u64 v7 = (v6 + v4);
    u64 v8 = ((v7 > v3) ? v3 : v7);
    for (u64 v9 = (v6 + ((u64)threadIdx.x)); v9 < v8; v9 += ((u64)blockDim.x)) {
      u32 v11 = ((u32)v10[v9]);
      bool v14 = (v12[v11] != 0u);
      if (v14) {
        i32 v17 = ((i32)((u32)v16 + (u32)((i32)v15[v9])));
        i64 v18 = ((i64)v17);
        u32 v20 = (((u32)((u64)((i64)((u64)v18 - (u64)v19)))) + 1u);
        set_bit((v21 + 0u), ((u64)v20));
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

KERNEL number(const code_t* codes, const u32 rows, u32* counts, u32* numbers, u32* ranks, u32* most) {
  for (u32 row = blockIdx.x * blockDim.x + threadIdx.x; row < rows; row += gridDim.x * blockDim.x) {
    code_t code = codes[row];
    u32 before = atomicAdd(&counts[code], 1u);
    ranks[row] = before;
    numbers[code] = row + 1;
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
