// How many groups have rows.
KERNEL count_groups(const u32* flags, const u64 groups, u32* count) {
  u32 own = 0;
  for (u64 at = (u64)blockIdx.x * blockDim.x + threadIdx.x; at < groups; at += (u64)gridDim.x * blockDim.x) own += flags[at] & 1u;
  if (own != 0) atomicAdd(count, own);
}

KERNEL collect(const u32* __restrict__ v0, const u32* __restrict__ v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u16* __restrict__ v15, const i32 v16, const i32 v18, const i32 v20, const i32 v23, const i32 v25, const i32 v27, const u16* __restrict__ v29, const i32 v30, i32* v32, const u8* __restrict__ v33, u32* v35) {
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
          bool v21 = (v17 < v20);
          if (v21) {
            v14 = (v14 + 1u);
          }
        }
      }
      u32 v22 = (v11 + scan((v2 + 0u), v14));
      if ((v14 != 0u)) {
        i32 v24 = ((i32)((u32)v23 + (u32)((i32)v15[v13])));
        bool v26 = (v24 >= v25);
        if (v26) {
          bool v28 = (v24 < v27);
          if (v28) {
            i32 v31 = ((i32)((u32)v30 + (u32)((i32)v29[v13])));
            v32[v22] = v31;
            u32 v34 = ((u32)v33[v13]);
            v35[v22] = v34;
            v22 = (v22 + 1u);
          }
        }
      }
      v11 = (v11 + v2[blockDim.x]);
      __syncthreads();
    }
  }
}

KERNEL collect(const u32* __restrict__ v0, const u32* __restrict__ v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u32* __restrict__ v15, u32* v18, const u64* __restrict__ v19, i32* v21) {
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
          u32 v17 = ((v13 == 0ull) ? 0u : ((u32)(v13 - 1ull)));
          v18[v16] = v17;
          i32 v20 = ((i32)((i64)v19[v13]));
          v21[v16] = v20;
          v16 = (v16 + 1u);
        }
      }
      v11 = (v11 + v2[blockDim.x]);
      __syncthreads();
    }
  }
}

KERNEL count(const u32* __restrict__ v0, u32* v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u16* __restrict__ v13, const i32 v14, const i32 v16, const i32 v18) {
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
        bool v19 = (v15 < v18);
        if (v19) {
          v11 = (v11 + 1u);
        }
      }
    }
    u32 v20 = scan((v2 + 0u), v11);
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

KERNEL reduce(const u32* __restrict__ v0, const u32 v1, const u64 v2, const u64 v3, const u64 v4, const i32* __restrict__ v10, const i64 v13, const i64 v14, const u8* __restrict__ v17, const u32* __restrict__ v19, const u32 v22, const u32 v23, const u32 v24, u32* v25, u64* v26) {
  SHARED(v28)
  for (u32 v29 = threadIdx.x; v29 < (v24 * 2u); v29 += blockDim.x) {
    v28[(0u + v29)] = 0u;
  }
  __syncthreads();
  for (u32 v5 = blockIdx.x; v5 < v1; v5 += gridDim.x) {
    u64 v6 = (v2 + (((u64)v5) * v4));
    u64 v7 = (v6 + v4);
    u64 v8 = ((v7 > v3) ? v3 : v7);
    for (u64 v9 = (v6 + ((u64)threadIdx.x)); v9 < v8; v9 += ((u64)blockDim.x)) {
      i32 v11 = v10[v9];
      i64 v12 = ((i64)v11);
      u32 v15 = (((u32)((u64)((i64)((u64)v12 - (u64)v13)))) + 1u);
      bool v16 = ((v12 < v13) || (v12 > v14));
      bool v18 = !(v16 || !bit((v17 + 0ull), ((u64)v15)));
      if (v18) {
        u32 v20 = v19[v9];
        u32 v21 = (v20 + 1u);
        u32 v27 = ((v21 * v23) + (threadIdx.x % v23));
        count32((v28 + (0u + ((v24 * 1u) + v27))), 1u);
        set_flags((v28 + (0u + ((v24 * 0u) + v27))), 1u);
      }
    }
  }
  __syncthreads();
  for (u32 v30 = threadIdx.x; v30 < v22; v30 += blockDim.x) {
    u32 v31 = 0u;
    i64 v32 = ((i64)0ll);
    for (u32 v33 = 0u; v33 < v23; v33 += 1u) {
      u32 v34 = ((v30 * v23) + v33);
      v31 = (v31 | v28[(0u + ((v24 * 0u) + v34))]);
      v32 = ((i64)((u64)v32 + (u64)((i64)v28[(0u + ((v24 * 1u) + v34))])));
    }
    if ((v31 != 0u)) {
      add64((v26 + v30), v32);
      set_flags((v25 + v30), v31);
    }
  }
}

KERNEL reduce(const u32* __restrict__ v0, const u32 v1, const u64 v2, const u64 v3, const u64 v4, const u16* __restrict__ v10, const i32 v11, const i32 v13, const i32 v15, const u16* __restrict__ v17, const i32 v18, const i64 v21, u32* v23) {
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
          i64 v20 = ((i64)v19);
          u32 v22 = (((u32)((u64)((i64)((u64)v20 - (u64)v21)))) + 1u);
          set_bit((v23 + 0u), ((u64)v22));
        }
      }
    }
  }
}

KERNEL reduce(const u32* __restrict__ v0, const u32 v1, const u64 v2, const u64 v3, const u64 v4, const u16* __restrict__ v10, const i32 v11, const u16* __restrict__ v13, const i32 v14, const u16* __restrict__ v17, const i32 v18, const i64 v21, const i64 v22, const u8* __restrict__ v25, const i64 v28, u32* v30) {
  for (u32 v5 = blockIdx.x; v5 < v1; v5 += gridDim.x) {
    u64 v6 = (v2 + (((u64)v5) * v4));
    u64 v7 = (v6 + v4);
    u64 v8 = ((v7 > v3) ? v3 : v7);
    for (u64 v9 = (v6 + ((u64)threadIdx.x)); v9 < v8; v9 += ((u64)blockDim.x)) {
      i32 v12 = ((i32)((u32)v11 + (u32)((i32)v10[v9])));
      i32 v15 = ((i32)((u32)v14 + (u32)((i32)v13[v9])));
      bool v16 = (v12 < v15);
      if (v16) {
        i32 v19 = ((i32)((u32)v18 + (u32)((i32)v17[v9])));
        i64 v20 = ((i64)v19);
        u32 v23 = (((u32)((u64)((i64)((u64)v20 - (u64)v21)))) + 1u);
        bool v24 = ((v20 < v21) || (v20 > v22));
        bool v26 = !(v24 || !bit((v25 + 0ull), ((u64)v23)));
        if (v26) {
          i64 v27 = ((i64)v19);
          u32 v29 = (((u32)((u64)((i64)((u64)v27 - (u64)v28)))) + 1u);
          set_bit((v30 + 0u), ((u64)v29));
        }
      }
    }
  }
}
