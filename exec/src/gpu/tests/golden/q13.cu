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

KERNEL collect(const u32* __restrict__ v0, const u32* __restrict__ v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u32* __restrict__ v15, const u64* __restrict__ v16, const i32 v18, const i32 v19, i32* v21, i32* v23) {
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
        if ((v15[v13] != 0u)) {
          v14 = (v14 + 1u);
        }
      }
      u32 v17 = (v11 + scan((v2 + 0u), v14));
      if ((v14 != 0u)) {
        if ((v15[v13] != 0u)) {
          i32 v20 = ((i32)((u32)v18 + (u32)((i32)((u32)((i32)(v13 - 1ull)) * (u32)v19))));
          v21[v17] = v20;
          i32 v22 = ((i32)((i64)v15[v13]));
          v23[v17] = v22;
          v17 = (v17 + 1u);
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
      if ((v13[v12] != 0u)) {
        v11 = (v11 + 1u);
      }
    }
    u32 v15 = scan((v2 + 0u), v11);
    if ((threadIdx.x == 0u)) {
      v1[v7] = v2[blockDim.x];
    }
    __syncthreads();
  }
}

KERNEL count(const u32* __restrict__ v0, u32* v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, u8* v11, const u64 v12, const u16* __restrict__ v16, const u8* __restrict__ v23, const u8* __restrict__ v24, const u16* __restrict__ v28, const u16* __restrict__ v30) {
  SHARED(v2)
  for (u32 v7 = blockIdx.x; v7 < v3; v7 += gridDim.x) {
    u64 v8 = (v4 + (((u64)v7) * v6));
    u64 v9 = (v8 + v6);
    u64 v10 = ((v9 > v5) ? v5 : v9);
    u64 v13 = (((u64)v7) * v12);
    u32 v14 = 0u;
    for (u64 v15 = ((v8 & 18446744073709551608ull) + (((u64)threadIdx.x) * 8ull)); v15 < v10; v15 += (((u64)blockDim.x) * 8ull)) {
      u64 v17[2];
      lanes16(v17, v16, v15);
      u32 v18 = 0u;
      u32 v19 = 0u;
#pragma unroll
      for (u32 v20 = 0u; v20 < 8u; v20 += 1u) {
        u64 v21 = (v15 + ((u64)v20));
        if (((v21 >= v8) && (v21 < v10))) {
          u32 v22 = ((u32)((u16)lane16((v17 + 0u), v20)));
          bool v25 = (v23[v22] != 0u);
          bool v26 = (v24[v22] != 0u);
          bool v27 = !v25;
          if ((v27 && !v26)) {
            v18 = (v18 | (1u << v20));
          }
        }
      }
      if ((v18 != 0u)) {
        u64 v29[2];
        lanes16(v29, v28, v15);
        u64 v31[2];
        lanes16(v31, v30, v15);
#pragma unroll
        for (u32 v32 = 0u; v32 < 8u; v32 += 1u) {
          u64 v33 = (v15 + ((u64)v32));
          if (((v18 & (1u << v32)) != 0u)) {
            v14 = (v14 + 1u);
            v19 = (v19 | (1u << v32));
          }
        }
      }
      if ((v19 != 0u)) {
        v11[(v13 + ((v15 - (v8 & 18446744073709551608ull)) >> 3u))] = ((u8)v19);
      }
    }
    u32 v34 = scan((v2 + 0u), v14);
    if ((threadIdx.x == 0u)) {
      v1[v7] = v2[blockDim.x];
    }
    __syncthreads();
  }
}

KERNEL reduce(const u32* __restrict__ v0, const u32 v1, const u64 v2, const u64 v3, const u64 v4, const u16* __restrict__ v13, const i32 v17, const i64 v20, const i64 v21, const u32* __restrict__ v24, const u64* __restrict__ v25, const i32 v30, const i64 v33, const u32 v35, const u32 v36, const u32 v37, u32* v38, const u64* __restrict__ v39) {
  SHARED(v41)
  for (u32 v42 = threadIdx.x; v42 < (v37 * 1u); v42 += blockDim.x) {
    v41[(0u + v42)] = 0u;
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
            u64 v26 = ((u64)v22);
            bool v27 = (v23 || !(v24[v26] != 0u));
            u32 v28 = (v27 ? 0u : v22);
            u64 v29 = ((u64)v28);
            i32 v31 = (!v27 ? ((i32)((i64)v24[v29])) : v30);
            i64 v32 = ((i64)v31);
            u32 v34 = (((u32)((u64)((i64)((u64)v32 - (u64)v33)))) + 1u);
            u32 v40 = ((v34 * v36) + (threadIdx.x % v36));
            count32((v41 + (0u + ((v37 * 0u) + v40))), 1u);
          }
        }
      }
    }
  }
  __syncthreads();
  for (u32 v43 = threadIdx.x; v43 < v35; v43 += blockDim.x) {
    u32 v44 = 0u;
    i64 v45 = ((i64)0ll);
    for (u32 v46 = 0u; v46 < v36; v46 += 1u) {
      u32 v47 = ((v43 * v36) + v46);
      v45 = ((i64)((u64)v45 + (u64)((i64)v41[(0u + ((v37 * 0u) + v47))])));
    }
    if ((v45 != ((i64)0ll))) {
      u64 v48 = ((u64)v43);
      count32((v38 + v48), ((u32)v45));
    }
  }
}

KERNEL reduce(const u32* __restrict__ v0, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u16* __restrict__ v21, const u8* __restrict__ v26, const u8* __restrict__ v27, const u16* __restrict__ v35, const i32 v36, const i64 v39, const u16* __restrict__ v41, const i32 v42, const u32 v44, const u32 v45, const u32 v46, u32* v47, const u64* __restrict__ v48) {
  SHARED(v1)
  for (u32 v50 = threadIdx.x; v50 < (v46 * 1u); v50 += blockDim.x) {
    v1[(20u + v50)] = 0u;
  }
  __syncthreads();
  u32 v2 = 0u;
  for (u32 v7 = blockIdx.x; v7 < (v3 + gridDim.x); v7 += gridDim.x) {
    bool v8 = (v7 >= v3);
    u32 v9 = (v8 ? 0u : v7);
    u64 v10 = (v4 + (((u64)v9) * v6));
    u64 v11 = (v10 + v6);
    u64 v12 = (v8 ? 0ull : v10);
    u64 v13 = (v8 ? 1ull : ((v11 > v5) ? v5 : v11));
    u32 v14 = (blockDim.x * 8u);
    for (u64 v15 = (v12 & 18446744073709551608ull); v15 < v13; v15 += ((u64)(v14 * 2u))) {
      u64 v16 = (v15 + ((u64)(threadIdx.x * 8u)));
      u32 v17 = 0u;
      for (u32 v18 = 0u; v18 < 2u; v18 += 1u) {
        u64 v19 = (v16 + ((u64)(v14 * v18)));
        u32 v20 = 0u;
        if (((v19 < v13) && !v8)) {
          u64 v22[2];
          lanes16(v22, v21, v19);
#pragma unroll
          for (u32 v23 = 0u; v23 < 8u; v23 += 1u) {
            u64 v24 = (v19 + ((u64)v23));
            if (((v24 >= v12) && (v24 < v13))) {
              u32 v25 = ((u32)((u16)lane16((v22 + 0u), v23)));
              bool v28 = (v26[v25] != 0u);
              bool v29 = (v27[v25] != 0u);
              bool v30 = !v28;
              if ((v30 && !v29)) {
                v20 = (v20 | (1u << v23));
              }
            }
          }
        }
        v17 = (v17 | (v20 << (v18 * 8u)));
      }
      u32 v31 = (v2 + scan((v1 + 17u), ones(v17)));
      while ((v17 != 0u)) {
        u32 v32 = first_bit(v17);
        v17 = (v17 - (1u << v32));
        v1[v31] = (((u32)v16) + ((v14 * (v32 >> 3u)) + (v32 & 7u)));
        v31 = (v31 + 1u);
      }
      v2 = (v2 + v1[(17u + blockDim.x)]);
      __syncthreads();
      while (((v2 >= blockDim.x) || (v8 && (v2 != 0u)))) {
        u32 v33 = ((v2 < blockDim.x) ? v2 : blockDim.x);
        v2 = (v2 - v33);
        if ((threadIdx.x < v33)) {
          u64 v34 = ((u64)v1[(v2 + threadIdx.x)]);
          i32 v37 = ((i32)((u32)v36 + (u32)((i32)v35[v34])));
          i64 v38 = ((i64)v37);
          u32 v40 = (((u32)((u64)((i64)((u64)v38 - (u64)v39)))) + 1u);
          i32 v43 = ((i32)((u32)v42 + (u32)((i32)v41[v34])));
          u32 v49 = ((v40 * v45) + (threadIdx.x % v45));
          count32((v1 + (20u + ((v46 * 0u) + v49))), 1u);
        }
        __syncthreads();
      }
    }
  }
  __syncthreads();
  for (u32 v51 = threadIdx.x; v51 < v44; v51 += blockDim.x) {
    u32 v52 = 0u;
    i64 v53 = ((i64)0ll);
    for (u32 v54 = 0u; v54 < v45; v54 += 1u) {
      u32 v55 = ((v51 * v45) + v54);
      v53 = ((i64)((u64)v53 + (u64)((i64)v1[(20u + ((v46 * 0u) + v55))])));
    }
    if ((v53 != ((i64)0ll))) {
      u64 v56 = ((u64)v51);
      count32((v47 + v56), ((u32)v53));
    }
  }
}
