// How many groups have rows.
KERNEL count_groups(const u32* flags, const u64 groups, u32* count) {
  u32 own = 0;
  for (u64 at = (u64)blockIdx.x * blockDim.x + threadIdx.x; at < groups; at += (u64)gridDim.x * blockDim.x) own += flags[at] & 1u;
  if (own != 0) atomicAdd(count, own);
}

KERNEL reduce(const u32* __restrict__ v0, const u32 v1, const u64 v2, const u64 v3, const u64 v4, const u16* __restrict__ v10, const i32 v15, const i32 v17, const u8* __restrict__ v19, const u32* __restrict__ v21, const u8* __restrict__ v23, const u8* __restrict__ v25, const u8* __restrict__ v27, const u8* __restrict__ v29, const u32 v36, const u32 v37, const u32 v38, u32* v39, u64* v40, u64* v41, u64* v42, u64* v43, u64* v44, u64* v45, const i32 v47, const i32 v48, const i32 v51, const i32 v53, const i32 v54, const i32 v58) {
  SHARED(v50)
  for (u32 v62 = threadIdx.x; v62 < (v38 * 12u); v62 += blockDim.x) {
    v50[(0u + v62)] = 0u;
  }
  __syncthreads();
  for (u32 v5 = blockIdx.x; v5 < v1; v5 += gridDim.x) {
    u64 v6 = (v2 + (((u64)v5) * v4));
    u64 v7 = (v6 + v4);
    u64 v8 = ((v7 > v3) ? v3 : v7);
    for (u64 v9 = ((v6 & 18446744073709551608ull) + (((u64)threadIdx.x) * 8ull)); v9 < v8; v9 += (((u64)blockDim.x) * 8ull)) {
      u64 v11[2];
      lanes16(v11, v10, v9);
      u32 v12 = 0u;
#pragma unroll
      for (u32 v13 = 0u; v13 < 8u; v13 += 1u) {
        u64 v14 = (v9 + ((u64)v13));
        if (((v14 >= v6) && (v14 < v8))) {
          i32 v16 = ((i32)((u32)v15 + (u32)((i32)((u16)lane16((v11 + 0u), v13)))));
          bool v18 = (v16 <= v17);
          if (v18) {
            v12 = (v12 | (1u << v13));
          }
        }
      }
      if ((v12 != 0u)) {
        u64 v20[1];
        lanes8(v20, v19, v9);
        u64 v22[4];
        lanes32(v22, v21, v9);
        u64 v24[1];
        lanes8(v24, v23, v9);
        u64 v26[1];
        lanes8(v26, v25, v9);
        u64 v28[1];
        lanes8(v28, v27, v9);
        u64 v30[1];
        lanes8(v30, v29, v9);
#pragma unroll
        for (u32 v31 = 0u; v31 < 8u; v31 += 1u) {
          u64 v32 = (v9 + ((u64)v31));
          if (((v12 & (1u << v31)) != 0u)) {
            u32 v33 = ((u32)((u8)lane8((v28 + 0u), v31)));
            u32 v34 = ((u32)((u8)lane8((v30 + 0u), v31)));
            u32 v35 = (((v33 + 1u) << 2u) | (v34 + 1u));
            u32 v46 = ((v35 * v37) + (threadIdx.x % v37));
            i32 v49 = ((i32)((u32)v48 + (u32)((i32)((u32)v47 * (u32)((i32)((u8)lane8((v20 + 0u), v31)))))));
            add_shared((v50 + (0u + ((v38 * 1u) + v46))), v38, ((i64)v49));
            i32 v52 = ((i32)((u32)v51 + (u32)((i32)lane32((v22 + 0u), v31))));
            add_shared((v50 + (0u + ((v38 * 3u) + v46))), v38, ((i64)v52));
            i32 v55 = ((i32)((u32)v54 + (u32)((i32)((u8)lane8((v24 + 0u), v31)))));
            i32 v56 = ((i32)((u32)v53 - (u32)v55));
            i32 v57 = ((i32)((u32)v52 * (u32)v56));
            add_shared((v50 + (0u + ((v38 * 5u) + v46))), v38, ((i64)v57));
            i32 v59 = ((i32)((u32)v58 + (u32)((i32)((u8)lane8((v26 + 0u), v31)))));
            i32 v60 = ((i32)((u32)v53 + (u32)v59));
            i64 v61 = ((i64)((u64)((i64)v57) * (u64)((i64)v60)));
            add_shared((v50 + (0u + ((v38 * 7u) + v46))), v38, v61);
            count32((v50 + (0u + ((v38 * 9u) + v46))), 1u);
            add_shared((v50 + (0u + ((v38 * 10u) + v46))), v38, ((i64)v55));
            set_flags((v50 + (0u + ((v38 * 0u) + v46))), 1u);
          }
        }
      }
    }
  }
  __syncthreads();
  for (u32 v63 = threadIdx.x; v63 < v36; v63 += blockDim.x) {
    u32 v64 = 0u;
    i64 v65 = ((i64)0ll);
    i64 v66 = ((i64)0ll);
    i64 v67 = ((i64)0ll);
    i64 v68 = ((i64)0ll);
    i64 v69 = ((i64)0ll);
    i64 v70 = ((i64)0ll);
    for (u32 v71 = 0u; v71 < v37; v71 += 1u) {
      u32 v72 = ((v63 * v37) + v71);
      v64 = (v64 | v50[(0u + ((v38 * 0u) + v72))]);
      v65 = ((i64)((u64)v65 + (u64)joined((v50 + (0u + ((v38 * 1u) + v72))), v38)));
      v66 = ((i64)((u64)v66 + (u64)joined((v50 + (0u + ((v38 * 3u) + v72))), v38)));
      v67 = ((i64)((u64)v67 + (u64)joined((v50 + (0u + ((v38 * 5u) + v72))), v38)));
      v68 = ((i64)((u64)v68 + (u64)joined((v50 + (0u + ((v38 * 7u) + v72))), v38)));
      v69 = ((i64)((u64)v69 + (u64)((i64)v50[(0u + ((v38 * 9u) + v72))])));
      v70 = ((i64)((u64)v70 + (u64)joined((v50 + (0u + ((v38 * 10u) + v72))), v38)));
    }
    if ((v64 != 0u)) {
      add64((v40 + v63), v65);
      add64((v41 + v63), v66);
      add64((v42 + v63), v67);
      add64((v43 + v63), v68);
      add64((v44 + v63), v69);
      add64((v45 + v63), v70);
      set_flags((v39 + v63), v64);
    }
  }
}
