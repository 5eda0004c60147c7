// How many groups have rows.
KERNEL count_groups(const u32* flags, const u64 groups, u32* count) {
  u32 own = 0;
  for (u64 at = (u64)blockIdx.x * blockDim.x + threadIdx.x; at < groups; at += (u64)gridDim.x * blockDim.x) own += flags[at] & 1u;
  if (own != 0) atomicAdd(count, own);
}

KERNEL collect(const u32* __restrict__ v0, const u32* __restrict__ v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u16* __restrict__ v15, const i32 v16, const i64 v19, const i64 v20, const u8* __restrict__ v23, const i32 v26, const i64 v29, const i64 v30, const u8* __restrict__ v34, const i32 v35, const i64 v38, const i64 v40, u32* v42, const u32* __restrict__ v43, const i32 v44, i32* v46) {
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
          i64 v39 = ((i64)v27);
          u32 v41 = (((((u32)((u64)((i64)((u64)v37 - (u64)v38)))) + 1u) << 11u) | (((u32)((u64)((i64)((u64)v39 - (u64)v40)))) + 1u));
          v42[v25] = v41;
          i32 v45 = ((i32)((u32)v44 + (u32)((i32)v43[v13])));
          v46[v25] = v45;
          v25 = (v25 + 1u);
        }
      }
      v11 = (v11 + v2[blockDim.x]);
      __syncthreads();
    }
  }
}

KERNEL collect(const u32* __restrict__ v0, const u32* __restrict__ v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u16* __restrict__ v16, const i32 v17, const i64 v20, u32* v22, const u16* __restrict__ v23, const i32 v24, i32* v26) {
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

KERNEL collect(const u32* __restrict__ v0, const u32* __restrict__ v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u32* __restrict__ v15, u32* v19, const i32 v21, const i32 v22, i32* v24, const u64* __restrict__ v25, i64* v27) {
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
        if (((v15[v13] & 1u) != 0u)) {
          v14 = (v14 + 1u);
        }
      }
      u32 v16 = (v11 + scan((v2 + 0u), v14));
      if ((v14 != 0u)) {
        if (((v15[v13] & 1u) != 0u)) {
          u64 v17 = (v13 >> 3u);
          u32 v18 = ((v17 == 0ull) ? 0u : ((u32)(v17 - 1ull)));
          v19[v16] = v18;
          u64 v20 = (v13 & 7ull);
          i32 v23 = ((i32)((u32)v21 + (u32)((i32)((u32)((i32)(v20 - 1ull)) * (u32)v22))));
          v24[v16] = v23;
          i64 v26 = ((i64)v25[v13]);
          v27[v16] = v26;
          v16 = (v16 + 1u);
        }
      }
      v11 = (v11 + v2[blockDim.x]);
      __syncthreads();
    }
  }
}

KERNEL collect(const u32* __restrict__ v0, const u32* __restrict__ v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u8* __restrict__ v15, const i32 v16, const i64 v19, const i64 v20, const u32* __restrict__ v23, const i32 v27, const i64 v30, const i64 v31, const u8* __restrict__ v36, const i32 v37, const i64 v40, u32* v42, const u32* __restrict__ v43, u32* v45) {
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
          u32 v44 = v43[v35];
          v45[v26] = v44;
          v26 = (v26 + 1u);
        }
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

KERNEL count(const u32* __restrict__ v0, u32* v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u32* __restrict__ v13) {
  SHARED(v2)
  for (u32 v7 = blockIdx.x; v7 < v3; v7 += gridDim.x) {
    u64 v8 = (v4 + (((u64)v7) * v6));
    u64 v9 = (v8 + v6);
    u64 v10 = ((v9 > v5) ? v5 : v9);
    u32 v11 = 0u;
    for (u64 v12 = (v8 + ((u64)threadIdx.x)); v12 < v10; v12 += ((u64)blockDim.x)) {
      if (((v13[v12] & 1u) != 0u)) {
        v11 = (v11 + 1u);
      }
    }
    u32 v14 = scan((v2 + 0u), v11);
    if ((threadIdx.x == 0u)) {
      v1[v7] = v2[blockDim.x];
    }
    __syncthreads();
  }
}

KERNEL count(const u32* __restrict__ v0, u32* v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u8* __restrict__ v13, const i32 v14, const i64 v17, const i64 v18, const u32* __restrict__ v21) {
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
      u32 v22 = (v20 ? 0u : v21[v19]);
      u32 v23 = (v22 - 1u);
      if (!(v22 == 0u)) {
        v11 = (v11 + 1u);
      }
    }
    u32 v24 = scan((v2 + 0u), v11);
    if ((threadIdx.x == 0u)) {
      v1[v7] = v2[blockDim.x];
    }
    __syncthreads();
  }
}

KERNEL reduce(const u32* __restrict__ v0, const u32 v1, const u64 v2, const u64 v3, const u64 v4, const u16* __restrict__ v10, const i32 v11, const i64 v14, const i64 v15, const u8* __restrict__ v18, const u8* __restrict__ v20, const i32 v21, const i64 v24, const i64 v25, const u32* __restrict__ v28, const u16* __restrict__ v31, const i32 v32, const i64 v35, const i64 v36, const u32* __restrict__ v39, const i64 v43, const i64 v44, const i64 v46, const i64 v47, const u32* __restrict__ v50, const u32* __restrict__ v53, const i32* __restrict__ v55, const i64 v60, const u32 v62, const u32 v63, const u32 v64, u32* v65, u64* v66, const u32* __restrict__ v68, const i32 v69, const i32 v71, const u8* __restrict__ v72, const i32 v73, const i32* __restrict__ v77, const u8* __restrict__ v79, const i32 v80, const i32 v81) {
  SHARED(v85)
  for (u32 v86 = threadIdx.x; v86 < (v64 * 3u); v86 += blockDim.x) {
    v85[(0u + v86)] = 0u;
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
        u32 v30 = (v29 - 1u);
        if (!(v29 == 0u)) {
          i32 v33 = ((i32)((u32)v32 + (u32)((i32)v31[v9])));
          i64 v34 = ((i64)v33);
          u32 v37 = (((u32)((u64)((i64)((u64)v34 - (u64)v35)))) + 1u);
          bool v38 = ((v34 < v35) || (v34 > v36));
          u32 v40 = (v38 ? 0u : v39[v37]);
          u32 v41 = (v40 - 1u);
          if (!(v40 == 0u)) {
            i64 v42 = ((i64)v22);
            i64 v45 = ((i64)v12);
            u32 v48 = (((((u32)((u64)((i64)((u64)v42 - (u64)v43)))) + 1u) << 11u) | (((u32)((u64)((i64)((u64)v45 - (u64)v46)))) + 1u));
            bool v49 = (((v42 < v43) || (v42 > v44)) || ((v45 < v46) || (v45 > v47)));
            u32 v51 = (v49 ? 0u : v50[v48]);
            u32 v52 = (v51 - 1u);
            if (!(v51 == 0u)) {
              u32 v54 = v53[v30];
              i32 v56 = v55[v41];
              i32 v57 = year_of(v56);
              i32 v58 = ((v57 > (0)) ? v57 : ((i32)((u32)v57 - (u32)(1))));
              i64 v59 = ((i64)v58);
              u32 v61 = (((v54 + 1u) << 3u) | (((u32)((u64)((i64)((u64)v59 - (u64)v60)))) + 1u));
              u32 v67 = ((v61 * v63) + (threadIdx.x % v63));
              i32 v70 = ((i32)((u32)v69 + (u32)((i32)v68[v9])));
              i32 v74 = ((i32)((u32)v73 + (u32)((i32)v72[v9])));
              i32 v75 = ((i32)((u32)v71 - (u32)v74));
              i32 v76 = ((i32)((u32)v70 * (u32)v75));
              i32 v78 = v77[v52];
              i32 v82 = ((i32)((u32)v81 + (u32)((i32)((u32)v80 * (u32)((i32)v79[v9])))));
              i32 v83 = ((i32)((u32)v78 * (u32)v82));
              i32 v84 = ((i32)((u32)v76 - (u32)v83));
              add_shared((v85 + (0u + ((v64 * 1u) + v67))), v64, ((i64)v84));
              set_flags((v85 + (0u + ((v64 * 0u) + v67))), 1u);
            }
          }
        }
      }
    }
  }
  __syncthreads();
  for (u32 v87 = threadIdx.x; v87 < v62; v87 += blockDim.x) {
    u32 v88 = 0u;
    i64 v89 = ((i64)0ll);
    for (u32 v90 = 0u; v90 < v63; v90 += 1u) {
      u32 v91 = ((v87 * v63) + v90);
      v88 = (v88 | v85[(0u + ((v64 * 0u) + v91))]);
      v89 = ((i64)((u64)v89 + (u64)joined((v85 + (0u + ((v64 * 1u) + v91))), v64)));
    }
    if ((v88 != 0u)) {
      add64((v66 + v87), v89);
      set_flags((v65 + v87), v88);
    }
  }
}

KERNEL reduce(const u32* __restrict__ v0, const u32 v1, const u64 v2, const u64 v3, const u64 v4, const u16* __restrict__ v10, const u8* __restrict__ v12, const u8* __restrict__ v13, const u16* __restrict__ v16, const i32 v17, const i64 v20, u32* v22) {
  for (u32 v5 = blockIdx.x; v5 < v1; v5 += gridDim.x) {
    u64 v6 = (v2 + (((u64)v5) * v4));
    u64 v7 = (v6 + v4);
    u64 v8 = ((v7 > v3) ? v3 : v7);
    for (u64 v9 = (v6 + ((u64)threadIdx.x)); v9 < v8; v9 += ((u64)blockDim.x)) {
      u32 v11 = ((u32)v10[v9]);
      bool v14 = (v12[v11] != 0u);
      bool v15 = (v13[v11] != 0u);
      if ((v14 && !v15)) {
        i32 v18 = ((i32)((u32)v17 + (u32)((i32)v16[v9])));
        i64 v19 = ((i64)v18);
        u32 v21 = (((u32)((u64)((i64)((u64)v19 - (u64)v20)))) + 1u);
        set_bit((v22 + 0u), ((u64)v21));
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
