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

KERNEL reduce(const u32* __restrict__ v0, const u32 v1, const u64 v2, const u64 v3, const u64 v4, const u16* __restrict__ v10, const u8* __restrict__ v16, const u8* __restrict__ v17, const u16* __restrict__ v21, const u16* __restrict__ v23, const i32 v27, const i64 v30, const u32 v32, const u32 v33, const u32 v34, u32* v35, u64* v36, const i32 v38) {
  SHARED(v40)
  for (u32 v41 = threadIdx.x; v41 < (v34 * 2u); v41 += blockDim.x) {
    v40[(0u + v41)] = 0u;
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
          u32 v15 = ((u32)((u16)lane16((v11 + 0u), v13)));
          bool v18 = (v16[v15] != 0u);
          bool v19 = (v17[v15] != 0u);
          bool v20 = !v18;
          if ((v20 && !v19)) {
            v12 = (v12 | (1u << v13));
          }
        }
      }
      if ((v12 != 0u)) {
        u64 v22[2];
        lanes16(v22, v21, v9);
        u64 v24[2];
        lanes16(v24, v23, v9);
#pragma unroll
        for (u32 v25 = 0u; v25 < 8u; v25 += 1u) {
          u64 v26 = (v9 + ((u64)v25));
          if (((v12 & (1u << v25)) != 0u)) {
            i32 v28 = ((i32)((u32)v27 + (u32)((i32)((u16)lane16((v24 + 0u), v25)))));
            i64 v29 = ((i64)v28);
            u32 v31 = (((u32)((u64)((i64)((u64)v29 - (u64)v30)))) + 1u);
            u32 v37 = ((v31 * v33) + (threadIdx.x % v33));
            i32 v39 = ((i32)((u32)v38 + (u32)((i32)((u16)lane16((v22 + 0u), v25)))));
            count32((v40 + (0u + ((v34 * 1u) + v37))), 1u);
            set_flags((v40 + (0u + ((v34 * 0u) + v37))), 1u);
          }
        }
      }
    }
  }
  __syncthreads();
  for (u32 v42 = threadIdx.x; v42 < v32; v42 += blockDim.x) {
    u32 v43 = 0u;
    i64 v44 = ((i64)0ll);
    for (u32 v45 = 0u; v45 < v33; v45 += 1u) {
      u32 v46 = ((v42 * v33) + v45);
      v43 = (v43 | v40[(0u + ((v34 * 0u) + v46))]);
      v44 = ((i64)((u64)v44 + (u64)((i64)v40[(0u + ((v34 * 1u) + v46))])));
    }
    if ((v43 != 0u)) {
      add64((v36 + v42), v44);
      set_flags((v35 + v42), v43);
    }
  }
}

KERNEL reduce(const u32* __restrict__ v0, const u32 v1, const u64 v2, const u64 v3, const u64 v4, const u16* __restrict__ v13, const i32 v17, const i64 v20, const i64 v21, const u32* __restrict__ v24, const u64* __restrict__ v27, const i32 v28, const i64 v31, const u32 v33, const u32 v34, const u32 v35, u32* v36, u64* v37) {
  SHARED(v39)
  for (u32 v40 = threadIdx.x; v40 < (v35 * 2u); v40 += blockDim.x) {
    v39[(0u + v40)] = 0u;
  }
  __syncthreads();
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
            u32 v22 = (((u32)((u64)((i64)((u64)v19 - (u64)v20)))) + 1u);
            bool v23 = ((v19 < v20) || (v19 > v21));
            bool v25 = (v23 || !((v24[v22] & 1u) != 0u));
            u32 v26 = (v25 ? 0u : v22);
            i32 v29 = (!v25 ? ((i32)((i64)v27[v26])) : v28);
            i64 v30 = ((i64)v29);
            u32 v32 = (((u32)((u64)((i64)((u64)v30 - (u64)v31)))) + 1u);
            u32 v38 = ((v32 * v34) + (threadIdx.x % v34));
            count32((v39 + (0u + ((v35 * 1u) + v38))), 1u);
            set_flags((v39 + (0u + ((v35 * 0u) + v38))), 1u);
          }
        }
      }
    }
  }
  __syncthreads();
  for (u32 v41 = threadIdx.x; v41 < v33; v41 += blockDim.x) {
    u32 v42 = 0u;
    i64 v43 = ((i64)0ll);
    for (u32 v44 = 0u; v44 < v34; v44 += 1u) {
      u32 v45 = ((v41 * v34) + v44);
      v42 = (v42 | v39[(0u + ((v35 * 0u) + v45))]);
      v43 = ((i64)((u64)v43 + (u64)((i64)v39[(0u + ((v35 * 1u) + v45))])));
    }
    if ((v42 != 0u)) {
      add64((v37 + v41), v43);
      set_flags((v36 + v41), v42);
    }
  }
}
