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
        if ((v16[v13] != 0ull)) {
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
        if ((v16[v13] != 0ull)) {
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
      if ((v14[v12] != 0ull)) {
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

KERNEL reduce(const u32* __restrict__ v0, const u32 v1, const u64 v2, const u64 v3, const u64 v4, const u8* __restrict__ v13, const i32 v18, const i64 v21, const i64 v22, const u8* __restrict__ v25, const u16* __restrict__ v27, const u16* __restrict__ v29, const u32* __restrict__ v31, const i32 v35, const i64 v38, const i32 v40, const i32 v42, const u32 v45, const u32 v46, const u32 v47, const u32* __restrict__ v48, u64* v49, const u32 v52, const u32 v53, const u32 v54, u32* v55, u64* v56) {
  SHARED(v51)
  for (u32 v59 = threadIdx.x; v59 < (v47 * 2u); v59 += blockDim.x) {
    v51[(0u + v59)] = 0u;
  }
  __syncthreads();
  u32 v57 = 0u;
  i64 v58 = ((i64)0ll);
  for (u32 v60 = threadIdx.x; v60 < (v54 * 3u); v60 += blockDim.x) {
    v51[(12008u + v60)] = 0u;
  }
  __syncthreads();
  for (u32 v5 = blockIdx.x; v5 < v1; v5 += gridDim.x) {
    u64 v6 = (v2 + (((u64)v5) * v4));
    u64 v7 = (v6 + v4);
    u64 v8 = ((v7 > v3) ? v3 : v7);
    for (u64 v9 = ((v6 & 18446744073709551608ull) + (((u64)threadIdx.x) * 16ull)); v9 < v8; v9 += (((u64)blockDim.x) * 16ull)) {
      u64 v10 = (v9 + 16ull);
      u64 v11 = ((v10 > v8) ? v8 : v10);
      for (u64 v12 = v9; v12 < v11; v12 += 8ull) {
        u64 v14[1];
        lanes8(v14, v13, v12);
        u32 v15 = 0u;
#pragma unroll
        for (u32 v16 = 0u; v16 < 8u; v16 += 1u) {
          u64 v17 = (v12 + ((u64)v16));
          if (((v17 >= v6) && (v17 < v8))) {
            i32 v19 = ((i32)((u32)v18 + (u32)((i32)((u8)lane8((v14 + 0u), v16)))));
            i64 v20 = ((i64)v19);
            u32 v23 = (((u32)((u64)((i64)((u64)v20 - (u64)v21)))) + 1u);
            bool v24 = ((v20 < v21) || (v20 > v22));
            bool v26 = !(v24 || !bit((v25 + 0ull), ((u64)v23)));
            if (v26) {
              v15 = (v15 | (1u << v16));
            }
          }
        }
        if ((v15 != 0u)) {
          u64 v28[2];
          lanes16(v28, v27, v12);
          u64 v30[2];
          lanes16(v30, v29, v12);
          u64 v32[4];
          lanes32(v32, v31, v12);
#pragma unroll
          for (u32 v33 = 0u; v33 < 8u; v33 += 1u) {
            u64 v34 = (v12 + ((u64)v33));
            if (((v15 & (1u << v33)) != 0u)) {
              i32 v36 = ((i32)((u32)v35 + (u32)((i32)((u16)lane16((v28 + 0u), v33)))));
              i64 v37 = ((i64)v36);
              u32 v39 = (((u32)((u64)((i64)((u64)v37 - (u64)v38)))) + 1u);
              i32 v41 = ((i32)((u32)v40 + (u32)((i32)lane32((v32 + 0u), v33))));
              i32 v43 = ((i32)((u32)v42 + (u32)((i32)((u16)lane16((v30 + 0u), v33)))));
              i32 v44 = ((i32)((u32)v41 * (u32)v43));
              u32 v50 = ((v39 * v46) + (threadIdx.x % v46));
              add_shared((v51 + (0u + ((v47 * 0u) + v50))), v47, ((i64)v44));
              v58 = ((i64)((u64)v58 + (u64)((i64)v44)));
              v57 = (v57 | 1u);
            }
          }
        }
      }
    }
  }
  __syncthreads();
  for (u32 v61 = threadIdx.x; v61 < v45; v61 += blockDim.x) {
    u32 v62 = 0u;
    i64 v63 = ((i64)0ll);
    for (u32 v64 = 0u; v64 < v46; v64 += 1u) {
      u32 v65 = ((v61 * v46) + v64);
      v63 = ((i64)((u64)v63 + (u64)joined((v51 + (0u + ((v47 * 0u) + v65))), v47)));
    }
    if ((v63 != ((i64)0ll))) {
      u64 v66 = ((u64)v61);
      add64((v49 + v66), v63);
    }
  }
  u32 v67 = ((0u * v53) + (threadIdx.x % v53));
  if ((v57 != 0u)) {
    add_shared((v51 + (12008u + ((v54 * 1u) + v67))), v54, v58);
    set_flags((v51 + (12008u + ((v54 * 0u) + v67))), v57);
  }
  __syncthreads();
  for (u32 v68 = threadIdx.x; v68 < v52; v68 += blockDim.x) {
    u32 v69 = 0u;
    i64 v70 = ((i64)0ll);
    for (u32 v71 = 0u; v71 < v53; v71 += 1u) {
      u32 v72 = ((v68 * v53) + v71);
      v69 = (v69 | v51[(12008u + ((v54 * 0u) + v72))]);
      v70 = ((i64)((u64)v70 + (u64)joined((v51 + (12008u + ((v54 * 1u) + v72))), v54)));
    }
    if ((v69 != 0u)) {
      u64 v73 = (((u64)v68) * 2ull);
      add64((v56 + v73), v70);
      set_flags((v55 + ((v73 * 2ull) + 2ull)), v69);
    }
  }
}
