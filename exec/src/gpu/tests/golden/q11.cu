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

KERNEL reduce(const u32* __restrict__ v0, const u32 v1, const u64 v2, const u64 v3, const u64 v4, const u8* __restrict__ v10, const i32 v15, const i64 v18, const i64 v19, const u8* __restrict__ v22, const u16* __restrict__ v24, const u16* __restrict__ v26, const u32* __restrict__ v28, const i32 v32, const i64 v35, const u32 v37, const u32 v38, const u32 v39, u32* v40, u64* v41, const i32 v43, const i32 v45, const u32 v49, const u32 v50, const u32 v51, u32* v52, u64* v53) {
  SHARED(v48)
  for (u32 v56 = threadIdx.x; v56 < (v39 * 3u); v56 += blockDim.x) {
    v48[(0u + v56)] = 0u;
  }
  __syncthreads();
  u32 v55 = 0u;
  i64 v54 = ((i64)0ll);
  for (u32 v57 = threadIdx.x; v57 < (v51 * 3u); v57 += blockDim.x) {
    v48[(12006u + v57)] = 0u;
  }
  __syncthreads();
  for (u32 v5 = blockIdx.x; v5 < v1; v5 += gridDim.x) {
    u64 v6 = (v2 + (((u64)v5) * v4));
    u64 v7 = (v6 + v4);
    u64 v8 = ((v7 > v3) ? v3 : v7);
    for (u64 v9 = ((v6 & 18446744073709551608ull) + (((u64)threadIdx.x) * 8ull)); v9 < v8; v9 += (((u64)blockDim.x) * 8ull)) {
      u64 v11[1];
      lanes8(v11, v10, v9);
      u32 v12 = 0u;
#pragma unroll
      for (u32 v13 = 0u; v13 < 8u; v13 += 1u) {
        u64 v14 = (v9 + ((u64)v13));
        if (((v14 >= v6) && (v14 < v8))) {
          i32 v16 = ((i32)((u32)v15 + (u32)((i32)((u8)lane8((v11 + 0u), v13)))));
          i64 v17 = ((i64)v16);
          u32 v20 = (((u32)((u64)((i64)((u64)v17 - (u64)v18)))) + 1u);
          bool v21 = ((v17 < v18) || (v17 > v19));
          bool v23 = !(v21 || !bit((v22 + 0ull), ((u64)v20)));
          if (v23) {
            v12 = (v12 | (1u << v13));
          }
        }
      }
      if ((v12 != 0u)) {
        u64 v25[2];
        lanes16(v25, v24, v9);
        u64 v27[2];
        lanes16(v27, v26, v9);
        u64 v29[4];
        lanes32(v29, v28, v9);
#pragma unroll
        for (u32 v30 = 0u; v30 < 8u; v30 += 1u) {
          u64 v31 = (v9 + ((u64)v30));
          if (((v12 & (1u << v30)) != 0u)) {
            i32 v33 = ((i32)((u32)v32 + (u32)((i32)((u16)lane16((v25 + 0u), v30)))));
            i64 v34 = ((i64)v33);
            u32 v36 = (((u32)((u64)((i64)((u64)v34 - (u64)v35)))) + 1u);
            u32 v42 = ((v36 * v38) + (threadIdx.x % v38));
            i32 v44 = ((i32)((u32)v43 + (u32)((i32)lane32((v29 + 0u), v30))));
            i32 v46 = ((i32)((u32)v45 + (u32)((i32)((u16)lane16((v27 + 0u), v30)))));
            i32 v47 = ((i32)((u32)v44 * (u32)v46));
            add_shared((v48 + (0u + ((v39 * 1u) + v42))), v39, ((i64)v47));
            set_flags((v48 + (0u + ((v39 * 0u) + v42))), 1u);
            v54 = ((i64)((u64)v54 + (u64)((i64)v47)));
            v55 = (v55 | 1u);
          }
        }
      }
    }
  }
  __syncthreads();
  for (u32 v58 = threadIdx.x; v58 < v37; v58 += blockDim.x) {
    u32 v59 = 0u;
    i64 v60 = ((i64)0ll);
    for (u32 v61 = 0u; v61 < v38; v61 += 1u) {
      u32 v62 = ((v58 * v38) + v61);
      v59 = (v59 | v48[(0u + ((v39 * 0u) + v62))]);
      v60 = ((i64)((u64)v60 + (u64)joined((v48 + (0u + ((v39 * 1u) + v62))), v39)));
    }
    if ((v59 != 0u)) {
      add64((v41 + v58), v60);
      set_flags((v40 + v58), v59);
    }
  }
  u32 v63 = ((0u * v50) + (threadIdx.x % v50));
  if ((v55 != 0u)) {
    add_shared((v48 + (12006u + ((v51 * 1u) + v63))), v51, v54);
    set_flags((v48 + (12006u + ((v51 * 0u) + v63))), v55);
  }
  __syncthreads();
  for (u32 v64 = threadIdx.x; v64 < v49; v64 += blockDim.x) {
    u32 v65 = 0u;
    i64 v66 = ((i64)0ll);
    for (u32 v67 = 0u; v67 < v50; v67 += 1u) {
      u32 v68 = ((v64 * v50) + v67);
      v65 = (v65 | v48[(12006u + ((v51 * 0u) + v68))]);
      v66 = ((i64)((u64)v66 + (u64)joined((v48 + (12006u + ((v51 * 1u) + v68))), v51)));
    }
    if ((v65 != 0u)) {
      add64((v53 + v64), v66);
      set_flags((v52 + v64), v65);
    }
  }
}

KERNEL reduce(const u32* __restrict__ v0, const u32 v1, const u64 v2, const u64 v3, const u64 v4, const u8* __restrict__ v10, const i32 v15, const i64 v18, const i64 v19, const u8* __restrict__ v22, const u8* __restrict__ v24, const i32 v28, const i64 v31, u32* v33) {
  for (u32 v5 = blockIdx.x; v5 < v1; v5 += gridDim.x) {
    u64 v6 = (v2 + (((u64)v5) * v4));
    u64 v7 = (v6 + v4);
    u64 v8 = ((v7 > v3) ? v3 : v7);
    for (u64 v9 = ((v6 & 18446744073709551608ull) + (((u64)threadIdx.x) * 8ull)); v9 < v8; v9 += (((u64)blockDim.x) * 8ull)) {
      u64 v11[1];
      lanes8(v11, v10, v9);
      u32 v12 = 0u;
#pragma unroll
      for (u32 v13 = 0u; v13 < 8u; v13 += 1u) {
        u64 v14 = (v9 + ((u64)v13));
        if (((v14 >= v6) && (v14 < v8))) {
          i32 v16 = ((i32)((u32)v15 + (u32)((i32)((u8)lane8((v11 + 0u), v13)))));
          i64 v17 = ((i64)v16);
          u32 v20 = (((u32)((u64)((i64)((u64)v17 - (u64)v18)))) + 1u);
          bool v21 = ((v17 < v18) || (v17 > v19));
          bool v23 = !(v21 || !bit((v22 + 0ull), ((u64)v20)));
          if (v23) {
            v12 = (v12 | (1u << v13));
          }
        }
      }
      if ((v12 != 0u)) {
        u64 v25[1];
        lanes8(v25, v24, v9);
#pragma unroll
        for (u32 v26 = 0u; v26 < 8u; v26 += 1u) {
          u64 v27 = (v9 + ((u64)v26));
          if (((v12 & (1u << v26)) != 0u)) {
            i32 v29 = ((i32)((u32)v28 + (u32)((i32)((u8)lane8((v25 + 0u), v26)))));
            i64 v30 = ((i64)v29);
            u32 v32 = (((u32)((u64)((i64)((u64)v30 - (u64)v31)))) + 1u);
            set_bit((v33 + 0u), ((u64)v32));
          }
        }
      }
    }
  }
}

KERNEL reduce(const u32* __restrict__ v0, const u32 v1, const u64 v2, const u64 v3, const u64 v4, const u8* __restrict__ v10, const u8* __restrict__ v16, const u8* __restrict__ v17, const u8* __restrict__ v19, const i32 v23, const i64 v26, u32* v28) {
  for (u32 v5 = blockIdx.x; v5 < v1; v5 += gridDim.x) {
    u64 v6 = (v2 + (((u64)v5) * v4));
    u64 v7 = (v6 + v4);
    u64 v8 = ((v7 > v3) ? v3 : v7);
    for (u64 v9 = ((v6 & 18446744073709551608ull) + (((u64)threadIdx.x) * 8ull)); v9 < v8; v9 += (((u64)blockDim.x) * 8ull)) {
      u64 v11[1];
      lanes8(v11, v10, v9);
      u32 v12 = 0u;
#pragma unroll
      for (u32 v13 = 0u; v13 < 8u; v13 += 1u) {
        u64 v14 = (v9 + ((u64)v13));
        if (((v14 >= v6) && (v14 < v8))) {
          u32 v15 = ((u32)((u8)lane8((v11 + 0u), v13)));
          bool v18 = (v16[v15] != 0u);
          if (v18) {
            v12 = (v12 | (1u << v13));
          }
        }
      }
      if ((v12 != 0u)) {
        u64 v20[1];
        lanes8(v20, v19, v9);
#pragma unroll
        for (u32 v21 = 0u; v21 < 8u; v21 += 1u) {
          u64 v22 = (v9 + ((u64)v21));
          if (((v12 & (1u << v21)) != 0u)) {
            i32 v24 = ((i32)((u32)v23 + (u32)((i32)((u8)lane8((v20 + 0u), v21)))));
            i64 v25 = ((i64)v24);
            u32 v27 = (((u32)((u64)((i64)((u64)v25 - (u64)v26)))) + 1u);
            set_bit((v28 + 0u), ((u64)v27));
          }
        }
      }
    }
  }
}
