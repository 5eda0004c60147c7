// How many groups have rows.
KERNEL count_groups(const u32* flags, const u64 groups, u32* count) {
  u32 own = 0;
  for (u64 at = (u64)blockIdx.x * blockDim.x + threadIdx.x; at < groups; at += (u64)gridDim.x * blockDim.x) own += flags[at] & 1u;
  if (own != 0) atomicAdd(count, own);
}

KERNEL collect(const u32* __restrict__ v0, const u32* __restrict__ v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u32* __restrict__ v15, const u64* __restrict__ v16, const i128 v18, const i64 v20, const i32 v21, const i128 v26, const i64 v28, const i32 v29, const i32 v32, const i32 v33, i32* v35, i64* v36) {
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
          i64 v17 = ((i64)v16[v13]);
          i128 v19 = ((i128)((u128)((i128)v17) * (u128)v18));
          i64 v22 = ((i64)((u64)v20 * (u64)((i64)v21)));
          bool v23 = (v19 > ((i128)v22));
          if (v23) {
            v14 = (v14 + 1u);
          }
        }
      }
      u32 v24 = (v11 + scan((v2 + 0u), v14));
      if ((v14 != 0u)) {
        if (((v15[v13] & 1u) != 0u)) {
          i64 v25 = ((i64)v16[v13]);
          i128 v27 = ((i128)((u128)((i128)v25) * (u128)v26));
          i64 v30 = ((i64)((u64)v28 * (u64)((i64)v29)));
          bool v31 = (v27 > ((i128)v30));
          if (v31) {
            i32 v34 = ((i32)((u32)v32 + (u32)((i32)((u32)((i32)(v13 - 1ull)) * (u32)v33))));
            v35[v24] = v34;
            v36[v24] = v25;
            v24 = (v24 + 1u);
          }
        }
      }
      v11 = (v11 + v2[blockDim.x]);
      __syncthreads();
    }
  }
}

KERNEL count(const u32* __restrict__ v0, u32* v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u32* __restrict__ v13, const u64* __restrict__ v14, const i128 v16, const i64 v18, const i32 v19) {
  SHARED(v2)
  for (u32 v7 = blockIdx.x; v7 < v3; v7 += gridDim.x) {
    u64 v8 = (v4 + (((u64)v7) * v6));
    u64 v9 = (v8 + v6);
    u64 v10 = ((v9 > v5) ? v5 : v9);
    u32 v11 = 0u;
    for (u64 v12 = (v8 + ((u64)threadIdx.x)); v12 < v10; v12 += ((u64)blockDim.x)) {
      if (((v13[v12] & 1u) != 0u)) {
        i64 v15 = ((i64)v14[v12]);
        i128 v17 = ((i128)((u128)((i128)v15) * (u128)v16));
        i64 v20 = ((i64)((u64)v18 * (u64)((i64)v19)));
        bool v21 = (v17 > ((i128)v20));
        if (v21) {
          v11 = (v11 + 1u);
        }
      }
    }
    u32 v22 = scan((v2 + 0u), v11);
    if ((threadIdx.x == 0u)) {
      v1[v7] = v2[blockDim.x];
    }
    __syncthreads();
  }
}

KERNEL reduce(const u32* __restrict__ v0, const u32 v1, const u64 v2, const u64 v3, const u64 v4, const u8* __restrict__ v10, const i32 v11, const i64 v14, const i64 v15, const u8* __restrict__ v18, const u16* __restrict__ v20, const i32 v21, const i64 v24, const u32 v26, const u32 v27, const u32 v28, u32* v29, u64* v30, const u32* __restrict__ v32, const i32 v33, const u16* __restrict__ v35, const i32 v36, const u32 v40, const u32 v41, const u32 v42, u32* v43, u64* v44) {
  SHARED(v39)
  for (u32 v47 = threadIdx.x; v47 < (v28 * 3u); v47 += blockDim.x) {
    v39[(0u + v47)] = 0u;
  }
  __syncthreads();
  u32 v46 = 0u;
  i64 v45 = ((i64)0ll);
  for (u32 v48 = threadIdx.x; v48 < (v42 * 3u); v48 += blockDim.x) {
    v39[(12006u + v48)] = 0u;
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
        u32 v25 = (((u32)((u64)((i64)((u64)v23 - (u64)v24)))) + 1u);
        u32 v31 = ((v25 * v27) + (threadIdx.x % v27));
        i32 v34 = ((i32)((u32)v33 + (u32)((i32)v32[v9])));
        i32 v37 = ((i32)((u32)v36 + (u32)((i32)v35[v9])));
        i32 v38 = ((i32)((u32)v34 * (u32)v37));
        add_shared((v39 + (0u + ((v28 * 1u) + v31))), v28, ((i64)v38));
        set_flags((v39 + (0u + ((v28 * 0u) + v31))), 1u);
        v45 = ((i64)((u64)v45 + (u64)((i64)v38)));
        v46 = (v46 | 1u);
      }
    }
  }
  __syncthreads();
  for (u32 v49 = threadIdx.x; v49 < v26; v49 += blockDim.x) {
    u32 v50 = 0u;
    i64 v51 = ((i64)0ll);
    for (u32 v52 = 0u; v52 < v27; v52 += 1u) {
      u32 v53 = ((v49 * v27) + v52);
      v50 = (v50 | v39[(0u + ((v28 * 0u) + v53))]);
      v51 = ((i64)((u64)v51 + (u64)joined((v39 + (0u + ((v28 * 1u) + v53))), v28)));
    }
    if ((v50 != 0u)) {
      add64((v30 + v49), v51);
      set_flags((v29 + v49), v50);
    }
  }
  u32 v54 = ((0u * v41) + (threadIdx.x % v41));
  if ((v46 != 0u)) {
    add_shared((v39 + (12006u + ((v42 * 1u) + v54))), v42, v45);
    set_flags((v39 + (12006u + ((v42 * 0u) + v54))), v46);
  }
  __syncthreads();
  for (u32 v55 = threadIdx.x; v55 < v40; v55 += blockDim.x) {
    u32 v56 = 0u;
    i64 v57 = ((i64)0ll);
    for (u32 v58 = 0u; v58 < v41; v58 += 1u) {
      u32 v59 = ((v55 * v41) + v58);
      v56 = (v56 | v39[(12006u + ((v42 * 0u) + v59))]);
      v57 = ((i64)((u64)v57 + (u64)joined((v39 + (12006u + ((v42 * 1u) + v59))), v42)));
    }
    if ((v56 != 0u)) {
      add64((v44 + v55), v57);
      set_flags((v43 + v55), v56);
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
