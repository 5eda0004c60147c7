KERNEL collect(const u32* __restrict__ v0, const u32* __restrict__ v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u8* __restrict__ v16, u32* v18, const u8* __restrict__ v19, const i32 v20, i32* v22, const u32* __restrict__ v23, const i32 v24, i32* v26) {
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
        u32 v17 = ((u32)v16[v13]);
        v18[v15] = v17;
        i32 v21 = ((i32)((u32)v20 + (u32)((i32)v19[v13])));
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

KERNEL reduce(const u32* __restrict__ v0, const u32 v1, const u64 v2, const u64 v3, const u64 v4, const u16* __restrict__ v10, const u32* __restrict__ v12, const i32 v17, const i32 v19, const u8* __restrict__ v22, const u8* __restrict__ v23, const u32 v28, const u32 v29, const u32 v30, u32* v31, u64* v32, u64* v33, const i32 v35) {
  SHARED(v39)
  u32 v38 = 0u;
  i64 v34 = ((i64)0ll);
  i64 v37 = ((i64)0ll);
  for (u32 v40 = threadIdx.x; v40 < (v30 * 4u); v40 += blockDim.x) {
    v39[(0u + v40)] = 0u;
  }
  __syncthreads();
  for (u32 v5 = blockIdx.x; v5 < v1; v5 += gridDim.x) {
    u64 v6 = (v2 + (((u64)v5) * v4));
    u64 v7 = (v6 + v4);
    u64 v8 = ((v7 > v3) ? v3 : v7);
    for (u64 v9 = ((v6 & 18446744073709551608ull) + (((u64)threadIdx.x) * 8ull)); v9 < v8; v9 += (((u64)blockDim.x) * 8ull)) {
      u64 v11[2];
      lanes16(v11, v10, v9);
      u64 v13[4];
      lanes32(v13, v12, v9);
      u32 v14 = 0u;
#pragma unroll
      for (u32 v15 = 0u; v15 < 8u; v15 += 1u) {
        u64 v16 = (v9 + ((u64)v15));
        if (((v16 >= v6) && (v16 < v8))) {
          i32 v18 = ((i32)((u32)v17 + (u32)((i32)lane32((v13 + 0u), v15))));
          bool v20 = (v18 > v19);
          if (v20) {
            u32 v21 = ((u32)((u16)lane16((v11 + 0u), v15)));
            bool v24 = (v22[v21] != 0u);
            bool v25 = (v23[v21] != 0u);
            if ((v24 && !v25)) {
              v14 = (v14 | (1u << v15));
            }
          }
        }
      }
      if ((v14 != 0u)) {
#pragma unroll
        for (u32 v26 = 0u; v26 < 8u; v26 += 1u) {
          u64 v27 = (v9 + ((u64)v26));
          if (((v14 & (1u << v26)) != 0u)) {
            i32 v36 = ((i32)((u32)v35 + (u32)((i32)lane32((v13 + 0u), v26))));
            v34 = ((i64)((u64)v34 + (u64)((i64)v36)));
            v37 = ((i64)((u64)v37 + (u64)((i64)1ll)));
            v38 = (v38 | 1u);
          }
        }
      }
    }
  }
  u32 v41 = ((0u * v29) + (threadIdx.x % v29));
  if ((v38 != 0u)) {
    add_shared((v39 + (0u + ((v30 * 1u) + v41))), v30, v34);
    count32((v39 + (0u + ((v30 * 3u) + v41))), ((u32)v37));
    set_flags((v39 + (0u + ((v30 * 0u) + v41))), v38);
  }
  __syncthreads();
  for (u32 v42 = threadIdx.x; v42 < v28; v42 += blockDim.x) {
    u32 v43 = 0u;
    i64 v44 = ((i64)0ll);
    i64 v45 = ((i64)0ll);
    for (u32 v46 = 0u; v46 < v29; v46 += 1u) {
      u32 v47 = ((v42 * v29) + v46);
      v43 = (v43 | v39[(0u + ((v30 * 0u) + v47))]);
      v44 = ((i64)((u64)v44 + (u64)joined((v39 + (0u + ((v30 * 1u) + v47))), v30)));
      v45 = ((i64)((u64)v45 + (u64)((i64)v39[(0u + ((v30 * 3u) + v47))])));
    }
    if ((v43 != 0u)) {
      add64((v32 + v42), v44);
      add64((v33 + v42), v45);
      set_flags((v31 + v42), v43);
    }
  }
}

KERNEL reduce(const u32* __restrict__ v0, const u32 v1, const u64 v2, const u64 v3, const u64 v4, const u16* __restrict__ v13, const i32 v17, const i64 v20, u32* v22) {
  for (u32 v5 = blockIdx.x; v5 < v1; v5 += gridDim.x) {
    u64 v6 = (v2 + (((u64)v5) * v4));
    u64 v7 = (v6 + v4);
    u64 v8 = ((v7 > v3) ? v3 : v7);
    for (u64 v9 = ((v6 & 18446744073709551608ull) + (((u64)threadIdx.x) * 8ull)); v9 < v8; v9 += (((u64)blockDim.x) * 8ull)) {
      u32 v10 = 0u;
#pragma unroll
      for (u32 v11 = 0u; v11 < 8u; v11 += 1u) {
        u64 v12 = (v9 + ((u64)v11));
        if (((v12 >= v6) && (v12 < v8))) {
          v10 = (v10 | (1u << v11));
        }
      }
      if ((v10 != 0u)) {
        u64 v14[2];
        lanes16(v14, v13, v9);
#pragma unroll
        for (u32 v15 = 0u; v15 < 8u; v15 += 1u) {
          u64 v16 = (v9 + ((u64)v15));
          if (((v10 & (1u << v15)) != 0u)) {
            i32 v18 = ((i32)((u32)v17 + (u32)((i32)((u16)lane16((v14 + 0u), v15)))));
            i64 v19 = ((i64)v18);
            u32 v21 = (((u32)((u64)((i64)((u64)v19 - (u64)v20)))) + 1u);
            set_bit((v22 + 0u), ((u64)v21));
          }
        }
      }
    }
  }
}
