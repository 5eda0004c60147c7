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

KERNEL reduce(const u32* __restrict__ v0, const u32 v3, const u64 v6, const u64 v7, const u64 v8, const u16* __restrict__ v16, const i32 v20, const i32 v22, const u8* __restrict__ v28, const u8* __restrict__ v30, const u8* __restrict__ v33, const i32 v34, const i32 v35, const u32* __restrict__ v37, const i32 v38, const i32 v40, const u8* __restrict__ v41, const i32 v42, const u8* __restrict__ v46, const i32 v47, const u32 v51, const u32 v52, const u32 v53, u32* v54, u64* v55) {
  SHARED(v1)
  for (u32 v57 = threadIdx.x; v57 < (v53 * 11u); v57 += blockDim.x) {
    v1[(12u + v57)] = 0u;
  }
  __syncthreads();
  u32 v2 = 0u;
  for (u32 v4 = blockIdx.x; v4 < (v3 + gridDim.x); v4 += gridDim.x) {
    bool v5 = (v4 >= v3);
    u64 v9 = (v6 + (((u64)v4) * v8));
    u64 v10 = (v9 + v8);
    u64 v11 = (v5 ? 0ull : v9);
    u64 v12 = (v5 ? 1ull : ((v10 > v7) ? v7 : v10));
    for (u64 v13 = (v11 & 18446744073709551608ull); v13 < v12; v13 += (((u64)blockDim.x) * 8ull)) {
      u64 v14 = (v13 + (((u64)threadIdx.x) * 8ull));
      u32 v15 = 0u;
      if (((v14 < v12) && !v5)) {
        u64 v17[2];
        lanes16(v17, v16, v14);
#pragma unroll
        for (u32 v18 = 0u; v18 < 8u; v18 += 1u) {
          u64 v19 = (v14 + ((u64)v18));
          if (((v19 >= v11) && (v19 < v12))) {
            i32 v21 = ((i32)((u32)v20 + (u32)((i32)((u16)lane16((v17 + 0u), v18)))));
            bool v23 = (v21 <= v22);
            if (v23) {
              v15 = (v15 | (1u << v18));
            }
          }
        }
      }
      u32 v24 = (v2 + scan((v1 + 9u), ones(v15)));
#pragma unroll
      for (u32 v25 = 0u; v25 < 8u; v25 += 1u) {
        if (((v15 & (1u << v25)) != 0u)) {
          v1[v24] = (((u32)v14) + v25);
          v24 = (v24 + 1u);
        }
      }
      v2 = (v2 + v1[(9u + blockDim.x)]);
      __syncthreads();
      while (((v2 >= blockDim.x) || (v5 && (v2 != 0u)))) {
        u32 v26 = ((v2 < blockDim.x) ? v2 : blockDim.x);
        v2 = (v2 - v26);
        if ((threadIdx.x < v26)) {
          u64 v27 = ((u64)v1[(v2 + threadIdx.x)]);
          u32 v29 = ((u32)v28[v27]);
          u32 v31 = ((u32)v30[v27]);
          u32 v32 = (((v29 + 1u) << 2u) | (v31 + 1u));
          i32 v36 = ((i32)((u32)v35 + (u32)((i32)((u32)v34 * (u32)((i32)v33[v27])))));
          i32 v39 = ((i32)((u32)v38 + (u32)((i32)v37[v27])));
          i32 v43 = ((i32)((u32)v42 + (u32)((i32)v41[v27])));
          i32 v44 = ((i32)((u32)v40 - (u32)v43));
          i32 v45 = ((i32)((u32)v39 * (u32)v44));
          i32 v48 = ((i32)((u32)v47 + (u32)((i32)v46[v27])));
          i32 v49 = ((i32)((u32)v40 + (u32)v48));
          i64 v50 = ((i64)((u64)((i64)v45) * (u64)((i64)v49)));
          u32 v56 = ((v32 * v52) + (threadIdx.x % v52));
          add_shared((v1 + (12u + ((v53 * 0u) + v56))), v53, ((i64)v36));
          add_shared((v1 + (12u + ((v53 * 2u) + v56))), v53, ((i64)v39));
          add_shared((v1 + (12u + ((v53 * 4u) + v56))), v53, ((i64)v45));
          add_shared((v1 + (12u + ((v53 * 6u) + v56))), v53, v50);
          count32((v1 + (12u + ((v53 * 8u) + v56))), 1u);
          add_shared((v1 + (12u + ((v53 * 9u) + v56))), v53, ((i64)v43));
        }
        __syncthreads();
      }
    }
  }
  __syncthreads();
  for (u32 v58 = threadIdx.x; v58 < v51; v58 += blockDim.x) {
    u32 v59 = 0u;
    i64 v60 = ((i64)0ll);
    i64 v61 = ((i64)0ll);
    i64 v62 = ((i64)0ll);
    i64 v63 = ((i64)0ll);
    i64 v64 = ((i64)0ll);
    i64 v65 = ((i64)0ll);
    for (u32 v66 = 0u; v66 < v52; v66 += 1u) {
      u32 v67 = ((v58 * v52) + v66);
      v60 = ((i64)((u64)v60 + (u64)joined((v1 + (12u + ((v53 * 0u) + v67))), v53)));
      v61 = ((i64)((u64)v61 + (u64)joined((v1 + (12u + ((v53 * 2u) + v67))), v53)));
      v62 = ((i64)((u64)v62 + (u64)joined((v1 + (12u + ((v53 * 4u) + v67))), v53)));
      v63 = ((i64)((u64)v63 + (u64)joined((v1 + (12u + ((v53 * 6u) + v67))), v53)));
      v64 = ((i64)((u64)v64 + (u64)((i64)v1[(12u + ((v53 * 8u) + v67))])));
      v65 = ((i64)((u64)v65 + (u64)joined((v1 + (12u + ((v53 * 9u) + v67))), v53)));
    }
    if ((v60 != ((i64)0ll))) {
      u64 v68 = (((u64)v58) * 6ull);
      add64((v55 + v68), v60);
      add64((v55 + (v68 + 1ull)), v61);
      add64((v55 + (v68 + 2ull)), v62);
      add64((v55 + (v68 + 3ull)), v63);
      count32((v54 + ((v68 * 2ull) + 10ull)), ((u32)v64));
      add64((v55 + (v68 + 4ull)), v65);
    }
  }
}
