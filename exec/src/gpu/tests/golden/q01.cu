// How many groups have rows.
KERNEL count_groups(const u32* flags, const u64 groups, u32* count) {
  u32 own = 0;
  for (u64 at = (u64)blockIdx.x * blockDim.x + threadIdx.x; at < groups; at += (u64)gridDim.x * blockDim.x) own += flags[at] & 1u;
  if (own != 0) atomicAdd(count, own);
}

KERNEL reduce(const u32* __restrict__ v0, const u32 v1, const u64 v2, const u64 v3, const u64 v4, const u16* __restrict__ v10, const i32 v11, const i32 v13, const u8* __restrict__ v15, const u8* __restrict__ v17, const u32 v20, const u32 v21, const u32 v22, u32* v23, u64* v24, u64* v25, u64* v26, u64* v27, u64* v28, u64* v29, const u8* __restrict__ v31, const i32 v32, const i32 v33, const u32* __restrict__ v36, const i32 v37, const i32 v39, const u8* __restrict__ v40, const i32 v41, const u8* __restrict__ v45, const i32 v46) {
  SHARED(v35)
  for (u32 v50 = threadIdx.x; v50 < (v22 * 12u); v50 += blockDim.x) {
    v35[(0u + v50)] = 0u;
  }
  __syncthreads();
  for (u32 v5 = blockIdx.x; v5 < v1; v5 += gridDim.x) {
    u64 v6 = (v2 + (((u64)v5) * v4));
    u64 v7 = (v6 + v4);
    u64 v8 = ((v7 > v3) ? v3 : v7);
    for (u64 v9 = (v6 + ((u64)threadIdx.x)); v9 < v8; v9 += ((u64)blockDim.x)) {
      i32 v12 = ((i32)((u32)v11 + (u32)((i32)v10[v9])));
      bool v14 = (v12 <= v13);
      if (v14) {
        u32 v16 = ((u32)v15[v9]);
        u32 v18 = ((u32)v17[v9]);
        u32 v19 = (((v16 + 1u) << 2u) | (v18 + 1u));
        u32 v30 = ((v19 * v21) + (threadIdx.x % v21));
        i32 v34 = ((i32)((u32)v33 + (u32)((i32)((u32)v32 * (u32)((i32)v31[v9])))));
        add_shared((v35 + (0u + ((v22 * 1u) + v30))), v22, ((i64)v34));
        i32 v38 = ((i32)((u32)v37 + (u32)((i32)v36[v9])));
        add_shared((v35 + (0u + ((v22 * 3u) + v30))), v22, ((i64)v38));
        i32 v42 = ((i32)((u32)v41 + (u32)((i32)v40[v9])));
        i32 v43 = ((i32)((u32)v39 - (u32)v42));
        i32 v44 = ((i32)((u32)v38 * (u32)v43));
        add_shared((v35 + (0u + ((v22 * 5u) + v30))), v22, ((i64)v44));
        i32 v47 = ((i32)((u32)v46 + (u32)((i32)v45[v9])));
        i32 v48 = ((i32)((u32)v39 + (u32)v47));
        i64 v49 = ((i64)((u64)((i64)v44) * (u64)((i64)v48)));
        add_shared((v35 + (0u + ((v22 * 7u) + v30))), v22, v49);
        count32((v35 + (0u + ((v22 * 9u) + v30))), 1u);
        add_shared((v35 + (0u + ((v22 * 10u) + v30))), v22, ((i64)v42));
        set_flags((v35 + (0u + ((v22 * 0u) + v30))), 1u);
      }
    }
  }
  __syncthreads();
  for (u32 v51 = threadIdx.x; v51 < v20; v51 += blockDim.x) {
    u32 v52 = 0u;
    i64 v53 = ((i64)0ll);
    i64 v54 = ((i64)0ll);
    i64 v55 = ((i64)0ll);
    i64 v56 = ((i64)0ll);
    i64 v57 = ((i64)0ll);
    i64 v58 = ((i64)0ll);
    for (u32 v59 = 0u; v59 < v21; v59 += 1u) {
      u32 v60 = ((v51 * v21) + v59);
      v52 = (v52 | v35[(0u + ((v22 * 0u) + v60))]);
      v53 = ((i64)((u64)v53 + (u64)joined((v35 + (0u + ((v22 * 1u) + v60))), v22)));
      v54 = ((i64)((u64)v54 + (u64)joined((v35 + (0u + ((v22 * 3u) + v60))), v22)));
      v55 = ((i64)((u64)v55 + (u64)joined((v35 + (0u + ((v22 * 5u) + v60))), v22)));
      v56 = ((i64)((u64)v56 + (u64)joined((v35 + (0u + ((v22 * 7u) + v60))), v22)));
      v57 = ((i64)((u64)v57 + (u64)((i64)v35[(0u + ((v22 * 9u) + v60))])));
      v58 = ((i64)((u64)v58 + (u64)joined((v35 + (0u + ((v22 * 10u) + v60))), v22)));
    }
    if ((v52 != 0u)) {
      add64((v24 + v51), v53);
      add64((v25 + v51), v54);
      add64((v26 + v51), v55);
      add64((v27 + v51), v56);
      add64((v28 + v51), v57);
      add64((v29 + v51), v58);
      set_flags((v23 + v51), v52);
    }
  }
}
