// Groups that have rows: the words `first` and `last` of their records tell it, where `mask` has ones. Blocks go over a segment each.

FUNCTION bool has_rows(const u32* words, u64 group, u32 each, u32 first, u32 last, u32 mask) {
  const u32* record = words + group * each;
  return ((record[first] | record[last]) & mask) != 0;
}

KERNEL count_groups(const u32* words, const u32 each, const u32 first, const u32 last, const u32 mask, const u64 groups, const u64 segment, u32* counts) {
  SHARED(sums)
  u64 from = blockIdx.x * segment, below = from + segment < groups ? from + segment : groups;
  u32 own = 0;
  for (u64 group = from + threadIdx.x; group < below; group += blockDim.x) own += has_rows(words, group, each, first, last, mask) ? 1u : 0u;
  scan(sums, own);
  if (threadIdx.x == 0) counts[blockIdx.x] = sums[blockDim.x];
}

KERNEL keep_groups(const u32* words, const u32 each, const u32 first, const u32 last, const u32 mask, const u64 groups, const u64 segment, const u32 is_hashed, const u64* slots, const u32* starts, u32* kept, u64* codes) {
  SHARED(sums)
  u64 from = blockIdx.x * segment, below = from + segment < groups ? from + segment : groups;
  u32 at = starts[blockIdx.x];
  for (u64 next = from; next < below; next += blockDim.x) {
    u64 group = next + threadIdx.x;
    bool is_kept = group < below && has_rows(words, group, each, first, last, mask);
    u64 to = at + scan(sums, is_kept ? 1u : 0u);
    if (is_kept) {
      for (u32 word = 0; word < each; word++) kept[to * each + word] = words[group * each + word];
      codes[to] = is_hashed != 0 ? slots[group] - 1 : group;
    }
    at += sums[blockDim.x];
    __syncthreads();
  }
}

KERNEL collect(const u32* __restrict__ v0, const u32* __restrict__ v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u32* __restrict__ v15, const u64* __restrict__ v16, u32* v22, u8* v23, i32* v26, i32* v29) {
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
        u64 v17 = (v13 * 2ull);
        if ((v15[((v17 * 2ull) + 2ull)] != 0u)) {
          v14 = (v14 + 1u);
        }
      }
      u32 v18 = (v11 + scan((v2 + 0u), v14));
      if ((v14 != 0u)) {
        u64 v19 = (v13 * 2ull);
        if ((v15[((v19 * 2ull) + 2ull)] != 0u)) {
          u32 v20 = ((v13 == 0ull) ? 0u : ((u32)(v13 - 1ull)));
          bool v21 = (v13 == 0ull);
          v22[v18] = v20;
          v23[v18] = ((u8)!v21);
          u64 v24 = (v13 * 2ull);
          i32 v25 = ((i32)((i64)v15[((v24 * 2ull) + 2ull)]));
          v26[v18] = v25;
          u64 v27 = (v13 * 2ull);
          i32 v28 = ((i32)((i64)v16[v27]));
          v29[v18] = v28;
          v18 = (v18 + 1u);
        }
      }
      v11 = (v11 + v2[blockDim.x]);
      __syncthreads();
    }
  }
}

KERNEL count(const u32* __restrict__ v0, u32* v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u32* __restrict__ v13, const u64* __restrict__ v14) {
  SHARED(v2)
  for (u32 v7 = blockIdx.x; v7 < v3; v7 += gridDim.x) {
    u64 v8 = (v4 + (((u64)v7) * v6));
    u64 v9 = (v8 + v6);
    u64 v10 = ((v9 > v5) ? v5 : v9);
    u32 v11 = 0u;
    for (u64 v12 = (v8 + ((u64)threadIdx.x)); v12 < v10; v12 += ((u64)blockDim.x)) {
      u64 v15 = (v12 * 2ull);
      if ((v13[((v15 * 2ull) + 2ull)] != 0u)) {
        v11 = (v11 + 1u);
      }
    }
    u32 v16 = scan((v2 + 0u), v11);
    if ((threadIdx.x == 0u)) {
      v1[v7] = v2[blockDim.x];
    }
    __syncthreads();
  }
}

KERNEL reduce(const u32* __restrict__ v0, const u32 v1, const u64 v2, const u64 v3, const u64 v4, const u16* __restrict__ v10, const u16* __restrict__ v12, const u32* __restrict__ v14, const u8* __restrict__ v20, const u8* __restrict__ v21, const i32 v24, const i64 v26, const i32 v28, const i64 v31, const i64 v32, const u8* __restrict__ v35, const u32* __restrict__ v41, const u8* __restrict__ v42, const i32 v46, const u32 v48, const u32 v49, const u32 v50, u32* v51, u64* v52) {
  SHARED(v54)
  for (u32 v55 = threadIdx.x; v55 < (v50 * 3u); v55 += blockDim.x) {
    v54[(0u + v55)] = 0u;
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
            i32 v47 = ((i32)((u32)v46 + (u32)((i32)lane32((v15 + 0u), v38))));
            u32 v53 = ((v45 * v49) + (threadIdx.x % v49));
            count32((v54 + (0u + ((v50 * 0u) + v53))), 1u);
            add_shared((v54 + (0u + ((v50 * 1u) + v53))), v50, ((i64)v47));
          }
        }
      }
    }
  }
  __syncthreads();
  for (u32 v56 = threadIdx.x; v56 < v48; v56 += blockDim.x) {
    u32 v57 = 0u;
    i64 v58 = ((i64)0ll);
    i64 v59 = ((i64)0ll);
    for (u32 v60 = 0u; v60 < v49; v60 += 1u) {
      u32 v61 = ((v56 * v49) + v60);
      v58 = ((i64)((u64)v58 + (u64)((i64)v54[(0u + ((v50 * 0u) + v61))])));
      v59 = ((i64)((u64)v59 + (u64)joined((v54 + (0u + ((v50 * 1u) + v61))), v50)));
    }
    if ((v58 != ((i64)0ll))) {
      u64 v62 = (((u64)v56) * 2ull);
      count32((v51 + ((v62 * 2ull) + 2ull)), ((u32)v58));
      add64((v52 + v62), v59);
    }
  }
}

KERNEL reduce(const u32* __restrict__ v0, const u32 v1, const u64 v2, const u64 v3, const u64 v4, const u16* __restrict__ v10, const u32* __restrict__ v12, const i32 v17, const i32 v19, const u8* __restrict__ v22, const u8* __restrict__ v23, const i32 v28, const u32 v30, const u32 v31, const u32 v32, u32* v33, u64* v34) {
  SHARED(v38)
  u32 v35 = 0u;
  i64 v36 = ((i64)0ll);
  i64 v37 = ((i64)0ll);
  for (u32 v39 = threadIdx.x; v39 < (v32 * 4u); v39 += blockDim.x) {
    v38[(0u + v39)] = 0u;
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
            i32 v29 = ((i32)((u32)v28 + (u32)((i32)lane32((v13 + 0u), v26))));
            v36 = ((i64)((u64)v36 + (u64)((i64)v29)));
            v37 = ((i64)((u64)v37 + (u64)((i64)1ll)));
            v35 = (v35 | 1u);
          }
        }
      }
    }
  }
  u32 v40 = ((0u * v31) + (threadIdx.x % v31));
  if ((v35 != 0u)) {
    add_shared((v38 + (0u + ((v32 * 1u) + v40))), v32, v36);
    count32((v38 + (0u + ((v32 * 3u) + v40))), ((u32)v37));
    set_flags((v38 + (0u + ((v32 * 0u) + v40))), v35);
  }
  __syncthreads();
  for (u32 v41 = threadIdx.x; v41 < v30; v41 += blockDim.x) {
    u32 v42 = 0u;
    i64 v43 = ((i64)0ll);
    i64 v44 = ((i64)0ll);
    for (u32 v45 = 0u; v45 < v31; v45 += 1u) {
      u32 v46 = ((v41 * v31) + v45);
      v42 = (v42 | v38[(0u + ((v32 * 0u) + v46))]);
      v43 = ((i64)((u64)v43 + (u64)joined((v38 + (0u + ((v32 * 1u) + v46))), v32)));
      v44 = ((i64)((u64)v44 + (u64)((i64)v38[(0u + ((v32 * 3u) + v46))])));
    }
    if ((v42 != 0u)) {
      u64 v47 = (((u64)v41) * 2ull);
      add64((v34 + v47), v43);
      count32((v33 + ((v47 * 2ull) + 2ull)), ((u32)v44));
      set_flags((v33 + ((v47 * 2ull) + 3ull)), v42);
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
