KERNEL reduce(const u32* __restrict__ v0, const u32 v1, const u64 v2, const u64 v3, const u64 v4, const u16* __restrict__ v10, const i32 v11, const i32 v13, const i32 v15, const u8* __restrict__ v17, const i32 v18, const i32 v20, const i32 v22, const u8* __restrict__ v24, const i32 v25, const i32 v26, const i32 v28, const u32 v30, const u32 v31, const u32 v32, u32* v33, u64* v34, const u32* __restrict__ v36, const i32 v37) {
  SHARED(v41)
  u32 v40 = 0u;
  i64 v35 = ((i64)0ll);
  for (u32 v42 = threadIdx.x; v42 < (v32 * 3u); v42 += blockDim.x) {
    v41[(0u + v42)] = 0u;
  }
  __syncthreads();
  for (u32 v5 = blockIdx.x; v5 < v1; v5 += gridDim.x) {
    u64 v6 = (v2 + (((u64)v5) * v4));
    u64 v7 = (v6 + v4);
    u64 v8 = ((v7 > v3) ? v3 : v7);
    for (u64 v9 = (v6 + ((u64)threadIdx.x)); v9 < v8; v9 += ((u64)blockDim.x)) {
      i32 v12 = ((i32)((u32)v11 + (u32)((i32)v10[v9])));
      bool v14 = (v12 >= v13);
      if (v14) {
        bool v16 = (v12 < v15);
        if (v16) {
          i32 v19 = ((i32)((u32)v18 + (u32)((i32)v17[v9])));
          bool v21 = (v19 >= v20);
          if (v21) {
            bool v23 = (v19 <= v22);
            if (v23) {
              i32 v27 = ((i32)((u32)v26 + (u32)((i32)((u32)v25 * (u32)((i32)v24[v9])))));
              bool v29 = (v27 < v28);
              if (v29) {
                i32 v38 = ((i32)((u32)v37 + (u32)((i32)v36[v9])));
                i32 v39 = ((i32)((u32)v38 * (u32)v19));
                v35 = ((i64)((u64)v35 + (u64)((i64)v39)));
                v40 = (v40 | 1u);
              }
            }
          }
        }
      }
    }
  }
  u32 v43 = ((0u * v31) + (threadIdx.x % v31));
  if ((v40 != 0u)) {
    add_shared((v41 + (0u + ((v32 * 1u) + v43))), v32, v35);
    set_flags((v41 + (0u + ((v32 * 0u) + v43))), v40);
  }
  __syncthreads();
  for (u32 v44 = threadIdx.x; v44 < v30; v44 += blockDim.x) {
    u32 v45 = 0u;
    i64 v46 = ((i64)0ll);
    for (u32 v47 = 0u; v47 < v31; v47 += 1u) {
      u32 v48 = ((v44 * v31) + v47);
      v45 = (v45 | v41[(0u + ((v32 * 0u) + v48))]);
      v46 = ((i64)((u64)v46 + (u64)joined((v41 + (0u + ((v32 * 1u) + v48))), v32)));
    }
    if ((v45 != 0u)) {
      add64((v34 + v44), v46);
      set_flags((v33 + v44), v45);
    }
  }
}
