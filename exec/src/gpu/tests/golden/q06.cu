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

KERNEL reduce(const u32* __restrict__ v0, const u32 v1, const u64 v2, const u64 v3, const u64 v4, const u8* __restrict__ v10, const u8* __restrict__ v12, const u16* __restrict__ v14, const i32 v19, const i32 v21, const i32 v23, const i32 v25, const i32 v27, const i32 v29, const i32 v31, const i32 v32, const i32 v34, const u32* __restrict__ v36, const i32 v40, const i32 v42, const u32 v45, const u32 v46, const u32 v47, u32* v48, u64* v49) {
  SHARED(v52)
  u32 v50 = 0u;
  i64 v51 = ((i64)0ll);
  for (u32 v53 = threadIdx.x; v53 < (v47 * 3u); v53 += blockDim.x) {
    v52[(0u + v53)] = 0u;
  }
  __syncthreads();
  for (u32 v5 = blockIdx.x; v5 < v1; v5 += gridDim.x) {
    u64 v6 = (v2 + (((u64)v5) * v4));
    u64 v7 = (v6 + v4);
    u64 v8 = ((v7 > v3) ? v3 : v7);
    for (u64 v9 = ((v6 & 18446744073709551608ull) + (((u64)threadIdx.x) * 8ull)); v9 < v8; v9 += (((u64)blockDim.x) * 8ull)) {
      u64 v11[1];
      lanes8(v11, v10, v9);
      u64 v13[1];
      lanes8(v13, v12, v9);
      u64 v15[2];
      lanes16(v15, v14, v9);
      u32 v16 = 0u;
#pragma unroll
      for (u32 v17 = 0u; v17 < 8u; v17 += 1u) {
        u64 v18 = (v9 + ((u64)v17));
        if (((v18 >= v6) && (v18 < v8))) {
          i32 v20 = ((i32)((u32)v19 + (u32)((i32)((u16)lane16((v15 + 0u), v17)))));
          bool v22 = (v20 >= v21);
          if (v22) {
            bool v24 = (v20 < v23);
            if (v24) {
              i32 v26 = ((i32)((u32)v25 + (u32)((i32)((u8)lane8((v13 + 0u), v17)))));
              bool v28 = (v26 >= v27);
              if (v28) {
                bool v30 = (v26 <= v29);
                if (v30) {
                  i32 v33 = ((i32)((u32)v32 + (u32)((i32)((u32)v31 * (u32)((i32)((u8)lane8((v11 + 0u), v17)))))));
                  bool v35 = (v33 < v34);
                  if (v35) {
                    v16 = (v16 | (1u << v17));
                  }
                }
              }
            }
          }
        }
      }
      if ((v16 != 0u)) {
        u64 v37[4];
        lanes32(v37, v36, v9);
#pragma unroll
        for (u32 v38 = 0u; v38 < 8u; v38 += 1u) {
          u64 v39 = (v9 + ((u64)v38));
          if (((v16 & (1u << v38)) != 0u)) {
            i32 v41 = ((i32)((u32)v40 + (u32)((i32)lane32((v37 + 0u), v38))));
            i32 v43 = ((i32)((u32)v42 + (u32)((i32)((u8)lane8((v13 + 0u), v38)))));
            i32 v44 = ((i32)((u32)v41 * (u32)v43));
            v51 = ((i64)((u64)v51 + (u64)((i64)v44)));
            v50 = (v50 | 1u);
          }
        }
      }
    }
  }
  u32 v54 = ((0u * v46) + (threadIdx.x % v46));
  if ((v50 != 0u)) {
    add_shared((v52 + (0u + ((v47 * 1u) + v54))), v47, v51);
    set_flags((v52 + (0u + ((v47 * 0u) + v54))), v50);
  }
  __syncthreads();
  for (u32 v55 = threadIdx.x; v55 < v45; v55 += blockDim.x) {
    u32 v56 = 0u;
    i64 v57 = ((i64)0ll);
    for (u32 v58 = 0u; v58 < v46; v58 += 1u) {
      u32 v59 = ((v55 * v46) + v58);
      v56 = (v56 | v52[(0u + ((v47 * 0u) + v59))]);
      v57 = ((i64)((u64)v57 + (u64)joined((v52 + (0u + ((v47 * 1u) + v59))), v47)));
    }
    if ((v56 != 0u)) {
      u64 v60 = (((u64)v55) * 2ull);
      add64((v49 + v60), v57);
      set_flags((v48 + ((v60 * 2ull) + 2ull)), v56);
    }
  }
}
