// How many groups have rows.
KERNEL count_groups(const u32* flags, const u64 groups, u32* count) {
  u32 own = 0;
  for (u64 at = (u64)blockIdx.x * blockDim.x + threadIdx.x; at < groups; at += (u64)gridDim.x * blockDim.x) own += flags[at] & 1u;
  if (own != 0) atomicAdd(count, own);
}

KERNEL collect(const u32* __restrict__ v0, const u32* __restrict__ v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u32* __restrict__ v15, u32* v19, u8* v20, const u64* __restrict__ v21, i32* v23, const u64* __restrict__ v24, i32* v26) {
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
          bool v18 = (v13 == 0ull);
          v19[v16] = v17;
          v20[v16] = ((u8)!v18);
          i32 v22 = ((i32)((i64)v21[v13]));
          v23[v16] = v22;
          i32 v25 = ((i32)((i64)v24[v13]));
          v26[v16] = v25;
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

KERNEL reduce(const u32* __restrict__ v0, const u32 v1, const u64 v2, const u64 v3, const u64 v4, const u16* __restrict__ v10, const u16* __restrict__ v12, const u32* __restrict__ v14, const u8* __restrict__ v20, const u8* __restrict__ v21, const i32 v24, const i64 v26, const i32 v28, const i64 v31, const i64 v32, const u8* __restrict__ v35, const u32* __restrict__ v41, const u8* __restrict__ v42, const u32 v46, const u32 v47, const u32 v48, u32* v49, u64* v50, u64* v51, const i32 v54) {
  SHARED(v53)
  for (u32 v56 = threadIdx.x; v56 < (v48 * 4u); v56 += blockDim.x) {
    v53[(0u + v56)] = 0u;
  }
  __syncthreads();
  for (u32 v5 = blockIdx.x; v5 < v1; v5 += gridDim.x) {
    u64 v6 = (v2 + (((u64)v5) * v4));
    u64 v7 = (v6 + v4);
    u64 v8 = ((v7 > v3) ? v3 : v7);
    for (u64 v9 = ((v6 & 18446744073709551608ull) + (((u64)threadIdx.x) * 8ull)); v9 < v8; v9 += (((u64)blockDim.x) * 8ull)) {
      u64 v11[2];
      lanes16(v11, v10, v9);
      u64 v13[2];
      lanes16(v13, v12, v9);
      u64 v15[4];
      lanes32(v15, v14, v9);
      u32 v16 = 0u;
#pragma unroll
      for (u32 v17 = 0u; v17 < 8u; v17 += 1u) {
        u64 v18 = (v9 + ((u64)v17));
        if (((v18 >= v6) && (v18 < v8))) {
          u32 v19 = ((u32)((u16)lane16((v13 + 0u), v17)));
          bool v22 = (v20[v19] != 0u);
          bool v23 = (v21[v19] != 0u);
          if ((v22 && !v23)) {
            i32 v25 = ((i32)((u32)v24 + (u32)((i32)lane32((v15 + 0u), v17))));
            bool v27 = (((i64)v25) > v26);
            if (v27) {
              i32 v29 = ((i32)((u32)v28 + (u32)((i32)((u16)lane16((v11 + 0u), v17)))));
              i64 v30 = ((i64)v29);
              u32 v33 = (((u32)((u64)((i64)((u64)v30 - (u64)v31)))) + 1u);
              bool v34 = ((v30 < v31) || (v30 > v32));
              bool v36 = !(v34 || !bit((v35 + 0ull), ((u64)v33)));
              bool v37 = !v36;
              if (v37) {
                v16 = (v16 | (1u << v17));
              }
            }
          }
        }
      }
      if ((v16 != 0u)) {
#pragma unroll
        for (u32 v38 = 0u; v38 < 8u; v38 += 1u) {
          u64 v39 = (v9 + ((u64)v38));
          if (((v16 & (1u << v38)) != 0u)) {
            u32 v40 = ((u32)((u16)lane16((v13 + 0u), v38)));
            u32 v43 = v41[v40];
            bool v44 = (v42[v40] != 0u);
            u32 v45 = (v44 ? 0u : (v43 + 1u));
            u32 v52 = ((v45 * v47) + (threadIdx.x % v47));
            count32((v53 + (0u + ((v48 * 1u) + v52))), 1u);
            i32 v55 = ((i32)((u32)v54 + (u32)((i32)lane32((v15 + 0u), v38))));
            add_shared((v53 + (0u + ((v48 * 2u) + v52))), v48, ((i64)v55));
            set_flags((v53 + (0u + ((v48 * 0u) + v52))), 1u);
          }
        }
      }
    }
  }
  __syncthreads();
  for (u32 v57 = threadIdx.x; v57 < v46; v57 += blockDim.x) {
    u32 v58 = 0u;
    i64 v59 = ((i64)0ll);
    i64 v60 = ((i64)0ll);
    for (u32 v61 = 0u; v61 < v47; v61 += 1u) {
      u32 v62 = ((v57 * v47) + v61);
      v58 = (v58 | v53[(0u + ((v48 * 0u) + v62))]);
      v59 = ((i64)((u64)v59 + (u64)((i64)v53[(0u + ((v48 * 1u) + v62))])));
      v60 = ((i64)((u64)v60 + (u64)joined((v53 + (0u + ((v48 * 2u) + v62))), v48)));
    }
    if ((v58 != 0u)) {
      add64((v50 + v57), v59);
      add64((v51 + v57), v60);
      set_flags((v49 + v57), v58);
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
