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

KERNEL reduce(const u32* __restrict__ v0, const u32 v1, const u64 v2, const u64 v3, const u64 v4, const u16* __restrict__ v10, const i32 v15, const i32 v17, const u8* __restrict__ v19, const u32* __restrict__ v21, const u8* __restrict__ v23, const u8* __restrict__ v25, const u8* __restrict__ v27, const u8* __restrict__ v29, const i32 v36, const i32 v37, const i32 v39, const i32 v41, const i32 v42, const i32 v46, const u32 v50, const u32 v51, const u32 v52, u32* v53, u64* v54) {
  SHARED(v56)
  for (u32 v57 = threadIdx.x; v57 < (v52 * 11u); v57 += blockDim.x) {
    v56[(0u + v57)] = 0u;
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
          i32 v16 = ((i32)((u32)v15 + (u32)((i32)((u16)lane16((v11 + 0u), v13)))));
          bool v18 = (v16 <= v17);
          if (v18) {
            v12 = (v12 | (1u << v13));
          }
        }
      }
      if ((v12 != 0u)) {
        u64 v20[1];
        lanes8(v20, v19, v9);
        u64 v22[4];
        lanes32(v22, v21, v9);
        u64 v24[1];
        lanes8(v24, v23, v9);
        u64 v26[1];
        lanes8(v26, v25, v9);
        u64 v28[1];
        lanes8(v28, v27, v9);
        u64 v30[1];
        lanes8(v30, v29, v9);
#pragma unroll
        for (u32 v31 = 0u; v31 < 8u; v31 += 1u) {
          u64 v32 = (v9 + ((u64)v31));
          if (((v12 & (1u << v31)) != 0u)) {
            u32 v33 = ((u32)((u8)lane8((v28 + 0u), v31)));
            u32 v34 = ((u32)((u8)lane8((v30 + 0u), v31)));
            u32 v35 = (((v33 + 1u) << 2u) | (v34 + 1u));
            i32 v38 = ((i32)((u32)v37 + (u32)((i32)((u32)v36 * (u32)((i32)((u8)lane8((v20 + 0u), v31)))))));
            i32 v40 = ((i32)((u32)v39 + (u32)((i32)lane32((v22 + 0u), v31))));
            i32 v43 = ((i32)((u32)v42 + (u32)((i32)((u8)lane8((v24 + 0u), v31)))));
            i32 v44 = ((i32)((u32)v41 - (u32)v43));
            i32 v45 = ((i32)((u32)v40 * (u32)v44));
            i32 v47 = ((i32)((u32)v46 + (u32)((i32)((u8)lane8((v26 + 0u), v31)))));
            i32 v48 = ((i32)((u32)v41 + (u32)v47));
            i64 v49 = ((i64)((u64)((i64)v45) * (u64)((i64)v48)));
            u32 v55 = ((v35 * v51) + (threadIdx.x % v51));
            add_shared((v56 + (0u + ((v52 * 0u) + v55))), v52, ((i64)v38));
            add_shared((v56 + (0u + ((v52 * 2u) + v55))), v52, ((i64)v40));
            add_shared((v56 + (0u + ((v52 * 4u) + v55))), v52, ((i64)v45));
            add_shared((v56 + (0u + ((v52 * 6u) + v55))), v52, v49);
            count32((v56 + (0u + ((v52 * 8u) + v55))), 1u);
            add_shared((v56 + (0u + ((v52 * 9u) + v55))), v52, ((i64)v43));
          }
        }
      }
    }
  }
  __syncthreads();
  for (u32 v58 = threadIdx.x; v58 < v50; v58 += blockDim.x) {
    u32 v59 = 0u;
    i64 v60 = ((i64)0ll);
    i64 v61 = ((i64)0ll);
    i64 v62 = ((i64)0ll);
    i64 v63 = ((i64)0ll);
    i64 v64 = ((i64)0ll);
    i64 v65 = ((i64)0ll);
    for (u32 v66 = 0u; v66 < v51; v66 += 1u) {
      u32 v67 = ((v58 * v51) + v66);
      v60 = ((i64)((u64)v60 + (u64)joined((v56 + (0u + ((v52 * 0u) + v67))), v52)));
      v61 = ((i64)((u64)v61 + (u64)joined((v56 + (0u + ((v52 * 2u) + v67))), v52)));
      v62 = ((i64)((u64)v62 + (u64)joined((v56 + (0u + ((v52 * 4u) + v67))), v52)));
      v63 = ((i64)((u64)v63 + (u64)joined((v56 + (0u + ((v52 * 6u) + v67))), v52)));
      v64 = ((i64)((u64)v64 + (u64)((i64)v56[(0u + ((v52 * 8u) + v67))])));
      v65 = ((i64)((u64)v65 + (u64)joined((v56 + (0u + ((v52 * 9u) + v67))), v52)));
    }
    if ((v60 != ((i64)0ll))) {
      u64 v68 = (((u64)v58) * 6ull);
      add64((v54 + v68), v60);
      add64((v54 + (v68 + 1ull)), v61);
      add64((v54 + (v68 + 2ull)), v62);
      add64((v54 + (v68 + 3ull)), v63);
      count32((v53 + ((v68 * 2ull) + 10ull)), ((u32)v64));
      add64((v54 + (v68 + 4ull)), v65);
    }
  }
}
