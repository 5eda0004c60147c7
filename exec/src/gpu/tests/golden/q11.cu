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

KERNEL reduce(const u32* __restrict__ v0, const u32 v1, const u64 v2, const u64 v3, const u64 v4, const u8* __restrict__ v10, const i32 v15, const i64 v18, const i64 v19, const u8* __restrict__ v22, const u16* __restrict__ v24, const u16* __restrict__ v26, const u32* __restrict__ v28, const i32 v32, const i64 v35, const i32 v37, const i32 v39, const u32 v42, const u32 v43, const u32 v44, const u32* __restrict__ v45, u64* v46, const u32 v49, const u32 v50, const u32 v51, u32* v52, u64* v53) {
  SHARED(v48)
  for (u32 v56 = threadIdx.x; v56 < (v44 * 2u); v56 += blockDim.x) {
    v48[(0u + v56)] = 0u;
  }
  __syncthreads();
  u32 v54 = 0u;
  i64 v55 = ((i64)0ll);
  for (u32 v57 = threadIdx.x; v57 < (v51 * 3u); v57 += blockDim.x) {
    v48[(12008u + v57)] = 0u;
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
            i32 v38 = ((i32)((u32)v37 + (u32)((i32)lane32((v29 + 0u), v30))));
            i32 v40 = ((i32)((u32)v39 + (u32)((i32)((u16)lane16((v27 + 0u), v30)))));
            i32 v41 = ((i32)((u32)v38 * (u32)v40));
            u32 v47 = ((v36 * v43) + (threadIdx.x % v43));
            add_shared((v48 + (0u + ((v44 * 0u) + v47))), v44, ((i64)v41));
            v55 = ((i64)((u64)v55 + (u64)((i64)v41)));
            v54 = (v54 | 1u);
          }
        }
      }
    }
  }
  __syncthreads();
  for (u32 v58 = threadIdx.x; v58 < v42; v58 += blockDim.x) {
    u32 v59 = 0u;
    i64 v60 = ((i64)0ll);
    for (u32 v61 = 0u; v61 < v43; v61 += 1u) {
      u32 v62 = ((v58 * v43) + v61);
      v60 = ((i64)((u64)v60 + (u64)joined((v48 + (0u + ((v44 * 0u) + v62))), v44)));
    }
    if ((v60 != ((i64)0ll))) {
      u64 v63 = ((u64)v58);
      add64((v46 + v63), v60);
    }
  }
  u32 v64 = ((0u * v50) + (threadIdx.x % v50));
  if ((v54 != 0u)) {
    add_shared((v48 + (12008u + ((v51 * 1u) + v64))), v51, v55);
    set_flags((v48 + (12008u + ((v51 * 0u) + v64))), v54);
  }
  __syncthreads();
  for (u32 v65 = threadIdx.x; v65 < v49; v65 += blockDim.x) {
    u32 v66 = 0u;
    i64 v67 = ((i64)0ll);
    for (u32 v68 = 0u; v68 < v50; v68 += 1u) {
      u32 v69 = ((v65 * v50) + v68);
      v66 = (v66 | v48[(12008u + ((v51 * 0u) + v69))]);
      v67 = ((i64)((u64)v67 + (u64)joined((v48 + (12008u + ((v51 * 1u) + v69))), v51)));
    }
    if ((v66 != 0u)) {
      u64 v70 = (((u64)v65) * 2ull);
      add64((v53 + v70), v67);
      set_flags((v52 + ((v70 * 2ull) + 2ull)), v66);
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
