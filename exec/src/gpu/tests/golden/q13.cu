// How many groups have rows.
KERNEL count_groups(const u32* flags, const u64 groups, u32* count) {
  u32 own = 0;
  for (u64 at = (u64)blockIdx.x * blockDim.x + threadIdx.x; at < groups; at += (u64)gridDim.x * blockDim.x) own += flags[at] & 1u;
  if (own != 0) atomicAdd(count, own);
}

KERNEL collect(const u32* __restrict__ v0, const u32* __restrict__ v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u32* __restrict__ v15, const i32 v17, const i32 v18, i32* v20, const u64* __restrict__ v21, i32* v23) {
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
          i32 v19 = ((i32)((u32)v17 + (u32)((i32)((u32)((i32)(v13 - 1ull)) * (u32)v18))));
          v20[v16] = v19;
          i32 v22 = ((i32)((i64)v21[v13]));
          v23[v16] = v22;
          v16 = (v16 + 1u);
        }
      }
      v11 = (v11 + v2[blockDim.x]);
      __syncthreads();
    }
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

KERNEL reduce(const u32* __restrict__ v0, const u32 v1, const u64 v2, const u64 v3, const u64 v4, const u16* __restrict__ v10, const i32 v11, const i64 v14, const i64 v15, const u32* __restrict__ v18, const u64* __restrict__ v21, const i32 v22, const i64 v25, const u32 v27, const u32 v28, const u32 v29, u32* v30, u64* v31) {
  SHARED(v33)
  for (u32 v34 = threadIdx.x; v34 < (v29 * 2u); v34 += blockDim.x) {
    v33[(0u + v34)] = 0u;
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
      bool v19 = (v17 || !((v18[v16] & 1u) != 0u));
      u32 v20 = (v19 ? 0u : v16);
      i32 v23 = (!v19 ? ((i32)((i64)v21[v20])) : v22);
      i64 v24 = ((i64)v23);
      u32 v26 = (((u32)((u64)((i64)((u64)v24 - (u64)v25)))) + 1u);
      u32 v32 = ((v26 * v28) + (threadIdx.x % v28));
      count32((v33 + (0u + ((v29 * 1u) + v32))), 1u);
      set_flags((v33 + (0u + ((v29 * 0u) + v32))), 1u);
    }
  }
  __syncthreads();
  for (u32 v35 = threadIdx.x; v35 < v27; v35 += blockDim.x) {
    u32 v36 = 0u;
    i64 v37 = ((i64)0ll);
    for (u32 v38 = 0u; v38 < v28; v38 += 1u) {
      u32 v39 = ((v35 * v28) + v38);
      v36 = (v36 | v33[(0u + ((v29 * 0u) + v39))]);
      v37 = ((i64)((u64)v37 + (u64)((i64)v33[(0u + ((v29 * 1u) + v39))])));
    }
    if ((v36 != 0u)) {
      add64((v31 + v35), v37);
      set_flags((v30 + v35), v36);
    }
  }
}

KERNEL reduce(const u32* __restrict__ v0, const u32 v1, const u64 v2, const u64 v3, const u64 v4, const u16* __restrict__ v10, const u8* __restrict__ v12, const u8* __restrict__ v13, const u16* __restrict__ v17, const i32 v18, const i64 v21, const u32 v23, const u32 v24, const u32 v25, u32* v26, u64* v27, const u16* __restrict__ v29, const i32 v30) {
  SHARED(v32)
  for (u32 v33 = threadIdx.x; v33 < (v25 * 2u); v33 += blockDim.x) {
    v32[(0u + v33)] = 0u;
  }
  __syncthreads();
  for (u32 v5 = blockIdx.x; v5 < v1; v5 += gridDim.x) {
    u64 v6 = (v2 + (((u64)v5) * v4));
    u64 v7 = (v6 + v4);
    u64 v8 = ((v7 > v3) ? v3 : v7);
    for (u64 v9 = (v6 + ((u64)threadIdx.x)); v9 < v8; v9 += ((u64)blockDim.x)) {
      u32 v11 = ((u32)v10[v9]);
      bool v14 = (v12[v11] != 0u);
      bool v15 = (v13[v11] != 0u);
      bool v16 = !v14;
      if ((v16 && !v15)) {
        i32 v19 = ((i32)((u32)v18 + (u32)((i32)v17[v9])));
        i64 v20 = ((i64)v19);
        u32 v22 = (((u32)((u64)((i64)((u64)v20 - (u64)v21)))) + 1u);
        u32 v28 = ((v22 * v24) + (threadIdx.x % v24));
        i32 v31 = ((i32)((u32)v30 + (u32)((i32)v29[v9])));
        count32((v32 + (0u + ((v25 * 1u) + v28))), 1u);
        set_flags((v32 + (0u + ((v25 * 0u) + v28))), 1u);
      }
    }
  }
  __syncthreads();
  for (u32 v34 = threadIdx.x; v34 < v23; v34 += blockDim.x) {
    u32 v35 = 0u;
    i64 v36 = ((i64)0ll);
    for (u32 v37 = 0u; v37 < v24; v37 += 1u) {
      u32 v38 = ((v34 * v24) + v37);
      v35 = (v35 | v32[(0u + ((v25 * 0u) + v38))]);
      v36 = ((i64)((u64)v36 + (u64)((i64)v32[(0u + ((v25 * 1u) + v38))])));
    }
    if ((v35 != 0u)) {
      add64((v27 + v34), v36);
      set_flags((v26 + v34), v35);
    }
  }
}
