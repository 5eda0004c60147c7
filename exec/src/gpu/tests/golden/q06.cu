KERNEL reduce(const u32* __restrict__ v0, const u32 v1, const u64 v2, const u64 v3, const u64 v4, const u8* __restrict__ v10, const u8* __restrict__ v12, const u16* __restrict__ v14, const i32 v19, const i32 v21, const i32 v23, const i32 v25, const i32 v27, const i32 v29, const i32 v31, const i32 v32, const i32 v34, const u32* __restrict__ v36, const u32 v40, const u32 v41, const u32 v42, u32* v43, u64* v44, const i32 v46, const i32 v48) {
  SHARED(v52)
  u32 v51 = 0u;
  i64 v45 = ((i64)0ll);
  for (u32 v53 = threadIdx.x; v53 < (v42 * 3u); v53 += blockDim.x) {
    v52[(0u + v53)] = 0u;
  }
  __syncthreads();
  for (u32 v5 = blockIdx.x; v5 < v1; v5 += gridDim.x) {
    u64 v6 = (v2 + (((u64)v5) * v4));
    u64 v7 = (v6 + v4);
    u64 v8 = ((v7 > v3) ? v3 : v7);
    for (u64 v9 = ((v6 & 18446744073709551608ull) + (((u64)threadIdx.x) * 8ull)); v9 < v8; v9 += (((u64)blockDim.x) * 8ull)) {
      u64 v11[1];
      lanes8(v11, v10, v9);
      u64 v13[1];
      lanes8(v13, v12, v9);
      u64 v15[2];
      lanes16(v15, v14, v9);
      u32 v16 = 0u;
#pragma unroll
      for (u32 v17 = 0u; v17 < 8u; v17 += 1u) {
        u64 v18 = (v9 + ((u64)v17));
        if (((v18 >= v6) && (v18 < v8))) {
          i32 v20 = ((i32)((u32)v19 + (u32)((i32)((u16)lane16((v15 + 0u), v17)))));
          bool v22 = (v20 >= v21);
          if (v22) {
            bool v24 = (v20 < v23);
            if (v24) {
              i32 v26 = ((i32)((u32)v25 + (u32)((i32)((u8)lane8((v13 + 0u), v17)))));
              bool v28 = (v26 >= v27);
              if (v28) {
                bool v30 = (v26 <= v29);
                if (v30) {
                  i32 v33 = ((i32)((u32)v32 + (u32)((i32)((u32)v31 * (u32)((i32)((u8)lane8((v11 + 0u), v17)))))));
                  bool v35 = (v33 < v34);
                  if (v35) {
                    v16 = (v16 | (1u << v17));
                  }
                }
              }
            }
          }
        }
      }
      if ((v16 != 0u)) {
        u64 v37[4];
        lanes32(v37, v36, v9);
#pragma unroll
        for (u32 v38 = 0u; v38 < 8u; v38 += 1u) {
          u64 v39 = (v9 + ((u64)v38));
          if (((v16 & (1u << v38)) != 0u)) {
            i32 v47 = ((i32)((u32)v46 + (u32)((i32)lane32((v37 + 0u), v38))));
            i32 v49 = ((i32)((u32)v48 + (u32)((i32)((u8)lane8((v13 + 0u), v38)))));
            i32 v50 = ((i32)((u32)v47 * (u32)v49));
            v45 = ((i64)((u64)v45 + (u64)((i64)v50)));
            v51 = (v51 | 1u);
          }
        }
      }
    }
  }
  u32 v54 = ((0u * v41) + (threadIdx.x % v41));
  if ((v51 != 0u)) {
    add_shared((v52 + (0u + ((v42 * 1u) + v54))), v42, v45);
    set_flags((v52 + (0u + ((v42 * 0u) + v54))), v51);
  }
  __syncthreads();
  for (u32 v55 = threadIdx.x; v55 < v40; v55 += blockDim.x) {
    u32 v56 = 0u;
    i64 v57 = ((i64)0ll);
    for (u32 v58 = 0u; v58 < v41; v58 += 1u) {
      u32 v59 = ((v55 * v41) + v58);
      v56 = (v56 | v52[(0u + ((v42 * 0u) + v59))]);
      v57 = ((i64)((u64)v57 + (u64)joined((v52 + (0u + ((v42 * 1u) + v59))), v42)));
    }
    if ((v56 != 0u)) {
      add64((v44 + v55), v57);
      set_flags((v43 + v55), v56);
    }
  }
}
