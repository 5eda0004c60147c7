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

KERNEL collect(const u32* __restrict__ v0, const u32* __restrict__ v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u32* __restrict__ v15, const u64* __restrict__ v16, u32* v20, u32* v23, const i32 v25, const i32 v26, i32* v28, i64* v30) {
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
          v14 = (v14 + 1u);
        }
      }
      u32 v17 = (v11 + scan((v2 + 0u), v14));
      if ((v14 != 0u)) {
        if ((v16[v13] != 0ull)) {
          u64 v18 = (v13 >> 8u);
          u32 v19 = ((v18 == 0ull) ? 0u : ((u32)(v18 - 1ull)));
          v20[v17] = v19;
          u64 v21 = ((v13 >> 3u) & 31ull);
          u32 v22 = ((v21 == 0ull) ? 0u : ((u32)(v21 - 1ull)));
          v23[v17] = v22;
          u64 v24 = (v13 & 7ull);
          i32 v27 = ((i32)((u32)v25 + (u32)((i32)((u32)((i32)(v24 - 1ull)) * (u32)v26))));
          v28[v17] = v27;
          i64 v29 = ((i64)v16[v13]);
          v30[v17] = v29;
          v17 = (v17 + 1u);
        }
      }
      v11 = (v11 + v2[blockDim.x]);
      __syncthreads();
    }
  }
}

KERNEL collect(const u32* __restrict__ v0, const u32* __restrict__ v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u64 v12, const u8* __restrict__ v14, const u16* __restrict__ v22, const i32 v23, const i64 v26, const i64 v27, const u32* __restrict__ v30, const u32 v31, const u32 v32, const bool v33, const u32 v34, const u8* __restrict__ v36, const u32* __restrict__ v38, const u16* __restrict__ v41, const i32 v42, const i64 v45, u32* v47, const u32* __restrict__ v48, u32* v50) {
  SHARED(v2)
  for (u32 v51 = threadIdx.x; v51 < v32; v51 += blockDim.x) {
    v2[(v31 + v51)] = v30[v51];
  }
  __syncthreads();
  for (u32 v7 = blockIdx.x; v7 < v3; v7 += gridDim.x) {
    u64 v8 = (v4 + (((u64)v7) * v6));
    u64 v9 = (v8 + v6);
    u64 v10 = ((v9 > v5) ? v5 : v9);
    u32 v11 = v1[v7];
    u64 v13 = (((u64)v7) * v12);
    u64 v15 = (v8 & 18446744073709551608ull);
    for (u64 v16 = v15; v16 < v10; v16 += (((u64)blockDim.x) * 8ull)) {
      u64 v17 = (v16 + (((u64)threadIdx.x) * 8ull));
      u32 v18 = 0u;
      if ((v17 < v10)) {
        v18 = ((u32)v14[(v13 + ((v17 - v15) >> 3u))]);
      }
      u32 v19 = (v11 + scan((v2 + 0u), ones(v18)));
      while ((v18 != 0u)) {
        u32 v20 = first_bit(v18);
        v18 = (v18 - (1u << v20));
        u64 v21 = (v17 + ((u64)v20));
        i32 v24 = ((i32)((u32)v23 + (u32)((i32)v22[v21])));
        i64 v25 = ((i64)v24);
        u32 v28 = (((u32)((u64)((i64)((u64)v25 - (u64)v26)))) + 1u);
        bool v29 = ((v25 < v26) || (v25 > v27));
        bool v35 = (v29 || (v33 && !word_bit((v2 + v31), ((u32)first_slot(v34, ((u64)v28))))));
        bool v37 = (v35 || !bit((v36 + 0ull), ((u64)v28)));
        u32 v39 = (v37 ? 0u : v38[v28]);
        u32 v40 = (v39 - 1u);
        if (!(v39 == 0u)) {
          i32 v43 = ((i32)((u32)v42 + (u32)((i32)v41[v21])));
          i64 v44 = ((i64)v43);
          u32 v46 = (((u32)((u64)((i64)((u64)v44 - (u64)v45)))) + 1u);
          v47[v19] = v46;
          u32 v49 = v48[v40];
          v50[v19] = v49;
          v19 = (v19 + 1u);
        }
      }
      v11 = (v11 + v2[blockDim.x]);
      __syncthreads();
    }
  }
}

KERNEL collect(const u32* __restrict__ v0, const u32* __restrict__ v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u64 v12, const u8* __restrict__ v14, const u8* __restrict__ v22, const i32 v23, const i64 v26, const i64 v27, const u32* __restrict__ v30, const u32 v31, const u32 v32, const bool v33, const u32 v34, const u8* __restrict__ v36, const u32* __restrict__ v38, const u16* __restrict__ v41, const i32 v42, const i64 v45, u32* v47, const u32* __restrict__ v48, u32* v50) {
  SHARED(v2)
  for (u32 v51 = threadIdx.x; v51 < v32; v51 += blockDim.x) {
    v2[(v31 + v51)] = v30[v51];
  }
  __syncthreads();
  for (u32 v7 = blockIdx.x; v7 < v3; v7 += gridDim.x) {
    u64 v8 = (v4 + (((u64)v7) * v6));
    u64 v9 = (v8 + v6);
    u64 v10 = ((v9 > v5) ? v5 : v9);
    u32 v11 = v1[v7];
    u64 v13 = (((u64)v7) * v12);
    u64 v15 = (v8 & 18446744073709551608ull);
    for (u64 v16 = v15; v16 < v10; v16 += (((u64)blockDim.x) * 8ull)) {
      u64 v17 = (v16 + (((u64)threadIdx.x) * 8ull));
      u32 v18 = 0u;
      if ((v17 < v10)) {
        v18 = ((u32)v14[(v13 + ((v17 - v15) >> 3u))]);
      }
      u32 v19 = (v11 + scan((v2 + 0u), ones(v18)));
      while ((v18 != 0u)) {
        u32 v20 = first_bit(v18);
        v18 = (v18 - (1u << v20));
        u64 v21 = (v17 + ((u64)v20));
        i32 v24 = ((i32)((u32)v23 + (u32)((i32)v22[v21])));
        i64 v25 = ((i64)v24);
        u32 v28 = (((u32)((u64)((i64)((u64)v25 - (u64)v26)))) + 1u);
        bool v29 = ((v25 < v26) || (v25 > v27));
        bool v35 = (v29 || (v33 && !word_bit((v2 + v31), ((u32)first_slot(v34, ((u64)v28))))));
        bool v37 = (v35 || !bit((v36 + 0ull), ((u64)v28)));
        u32 v39 = (v37 ? 0u : v38[v28]);
        u32 v40 = (v39 - 1u);
        if (!(v39 == 0u)) {
          i32 v43 = ((i32)((u32)v42 + (u32)((i32)v41[v21])));
          i64 v44 = ((i64)v43);
          u32 v46 = (((u32)((u64)((i64)((u64)v44 - (u64)v45)))) + 1u);
          v47[v19] = v46;
          u32 v49 = v48[v40];
          v50[v19] = v49;
          v19 = (v19 + 1u);
        }
      }
      v11 = (v11 + v2[blockDim.x]);
      __syncthreads();
    }
  }
}

KERNEL collect(const u32* __restrict__ v0, const u32* __restrict__ v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u64 v12, const u8* __restrict__ v14, const u8* __restrict__ v22, const i32 v23, const i64 v26, const i64 v27, const u32* __restrict__ v30, const u32 v31, const u32 v32, const bool v33, const u32 v34, const u8* __restrict__ v36, const u32* __restrict__ v38, const u8* __restrict__ v41, const i32 v42, const i64 v45, u32* v47, const u32* __restrict__ v48, u32* v50) {
  SHARED(v2)
  for (u32 v51 = threadIdx.x; v51 < v32; v51 += blockDim.x) {
    v2[(v31 + v51)] = v30[v51];
  }
  __syncthreads();
  for (u32 v7 = blockIdx.x; v7 < v3; v7 += gridDim.x) {
    u64 v8 = (v4 + (((u64)v7) * v6));
    u64 v9 = (v8 + v6);
    u64 v10 = ((v9 > v5) ? v5 : v9);
    u32 v11 = v1[v7];
    u64 v13 = (((u64)v7) * v12);
    u64 v15 = (v8 & 18446744073709551608ull);
    for (u64 v16 = v15; v16 < v10; v16 += (((u64)blockDim.x) * 8ull)) {
      u64 v17 = (v16 + (((u64)threadIdx.x) * 8ull));
      u32 v18 = 0u;
      if ((v17 < v10)) {
        v18 = ((u32)v14[(v13 + ((v17 - v15) >> 3u))]);
      }
      u32 v19 = (v11 + scan((v2 + 0u), ones(v18)));
      while ((v18 != 0u)) {
        u32 v20 = first_bit(v18);
        v18 = (v18 - (1u << v20));
        u64 v21 = (v17 + ((u64)v20));
        i32 v24 = ((i32)((u32)v23 + (u32)((i32)v22[v21])));
        i64 v25 = ((i64)v24);
        u32 v28 = (((u32)((u64)((i64)((u64)v25 - (u64)v26)))) + 1u);
        bool v29 = ((v25 < v26) || (v25 > v27));
        bool v35 = (v29 || (v33 && !word_bit((v2 + v31), ((u32)first_slot(v34, ((u64)v28))))));
        bool v37 = (v35 || !bit((v36 + 0ull), ((u64)v28)));
        u32 v39 = (v37 ? 0u : v38[v28]);
        u32 v40 = (v39 - 1u);
        if (!(v39 == 0u)) {
          i32 v43 = ((i32)((u32)v42 + (u32)((i32)v41[v21])));
          i64 v44 = ((i64)v43);
          u32 v46 = (((u32)((u64)((i64)((u64)v44 - (u64)v45)))) + 1u);
          v47[v19] = v46;
          u32 v49 = v48[v40];
          v50[v19] = v49;
          v19 = (v19 + 1u);
        }
      }
      v11 = (v11 + v2[blockDim.x]);
      __syncthreads();
    }
  }
}

KERNEL collect(const u32* __restrict__ v0, const u32* __restrict__ v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u64 v12, const u8* __restrict__ v14, const u8* __restrict__ v22, const u8* __restrict__ v24, const u8* __restrict__ v25, const u8* __restrict__ v27, const i32 v28, const i64 v31, u32* v33, u32* v34) {
  SHARED(v2)
  for (u32 v7 = blockIdx.x; v7 < v3; v7 += gridDim.x) {
    u64 v8 = (v4 + (((u64)v7) * v6));
    u64 v9 = (v8 + v6);
    u64 v10 = ((v9 > v5) ? v5 : v9);
    u32 v11 = v1[v7];
    u64 v13 = (((u64)v7) * v12);
    u64 v15 = (v8 & 18446744073709551608ull);
    for (u64 v16 = v15; v16 < v10; v16 += (((u64)blockDim.x) * 8ull)) {
      u64 v17 = (v16 + (((u64)threadIdx.x) * 8ull));
      u32 v18 = 0u;
      if ((v17 < v10)) {
        v18 = ((u32)v14[(v13 + ((v17 - v15) >> 3u))]);
      }
      u32 v19 = (v11 + scan((v2 + 0u), ones(v18)));
      while ((v18 != 0u)) {
        u32 v20 = first_bit(v18);
        v18 = (v18 - (1u << v20));
        u64 v21 = (v17 + ((u64)v20));
        u32 v23 = ((u32)v22[v21]);
        bool v26 = (v24[v23] != 0u);
        if (v26) {
          i32 v29 = ((i32)((u32)v28 + (u32)((i32)v27[v21])));
          i64 v30 = ((i64)v29);
          u32 v32 = (((u32)((u64)((i64)((u64)v30 - (u64)v31)))) + 1u);
          v33[v19] = v32;
          v34[v19] = v23;
          v19 = (v19 + 1u);
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
      if ((v14[v12] != 0ull)) {
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

KERNEL count(const u32* __restrict__ v0, u32* v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, u8* v11, const u64 v12, const u16* __restrict__ v20, const u16* __restrict__ v22, const i32 v26, const i64 v29, const i64 v30, const u32* __restrict__ v33, const u32 v34, const u32 v35, const bool v36, const u32 v37, const u8* __restrict__ v39, const u32* __restrict__ v41) {
  SHARED(v2)
  for (u32 v45 = threadIdx.x; v45 < v35; v45 += blockDim.x) {
    v2[(v34 + v45)] = v33[v45];
  }
  __syncthreads();
  for (u32 v7 = blockIdx.x; v7 < v3; v7 += gridDim.x) {
    u64 v8 = (v4 + (((u64)v7) * v6));
    u64 v9 = (v8 + v6);
    u64 v10 = ((v9 > v5) ? v5 : v9);
    u64 v13 = (((u64)v7) * v12);
    u32 v14 = 0u;
    for (u64 v15 = ((v8 & 18446744073709551608ull) + (((u64)threadIdx.x) * 8ull)); v15 < v10; v15 += (((u64)blockDim.x) * 8ull)) {
      u32 v16 = 0u;
      u32 v17 = 0u;
#pragma unroll
      for (u32 v18 = 0u; v18 < 8u; v18 += 1u) {
        u64 v19 = (v15 + ((u64)v18));
        if (((v19 >= v8) && (v19 < v10))) {
          v16 = (v16 | (1u << v18));
        }
      }
      if ((v16 != 0u)) {
        u64 v21[2];
        lanes16(v21, v20, v15);
        u64 v23[2];
        lanes16(v23, v22, v15);
#pragma unroll
        for (u32 v24 = 0u; v24 < 8u; v24 += 1u) {
          u64 v25 = (v15 + ((u64)v24));
          if (((v16 & (1u << v24)) != 0u)) {
            i32 v27 = ((i32)((u32)v26 + (u32)((i32)((u16)lane16((v23 + 0u), v24)))));
            i64 v28 = ((i64)v27);
            u32 v31 = (((u32)((u64)((i64)((u64)v28 - (u64)v29)))) + 1u);
            bool v32 = ((v28 < v29) || (v28 > v30));
            bool v38 = (v32 || (v36 && !word_bit((v2 + v34), ((u32)first_slot(v37, ((u64)v31))))));
            bool v40 = (v38 || !bit((v39 + 0ull), ((u64)v31)));
            u32 v42 = (v40 ? 0u : v41[v31]);
            u32 v43 = (v42 - 1u);
            if (!(v42 == 0u)) {
              v14 = (v14 + 1u);
              v17 = (v17 | (1u << v24));
            }
          }
        }
      }
      if ((v17 != 0u)) {
        v11[(v13 + ((v15 - (v8 & 18446744073709551608ull)) >> 3u))] = ((u8)v17);
      }
    }
    u32 v44 = scan((v2 + 0u), v14);
    if ((threadIdx.x == 0u)) {
      v1[v7] = v2[blockDim.x];
    }
    __syncthreads();
  }
}

KERNEL count(const u32* __restrict__ v0, u32* v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, u8* v11, const u64 v12, const u16* __restrict__ v20, const u8* __restrict__ v22, const i32 v26, const i64 v29, const i64 v30, const u32* __restrict__ v33, const u32 v34, const u32 v35, const bool v36, const u32 v37, const u8* __restrict__ v39, const u32* __restrict__ v41) {
  SHARED(v2)
  for (u32 v45 = threadIdx.x; v45 < v35; v45 += blockDim.x) {
    v2[(v34 + v45)] = v33[v45];
  }
  __syncthreads();
  for (u32 v7 = blockIdx.x; v7 < v3; v7 += gridDim.x) {
    u64 v8 = (v4 + (((u64)v7) * v6));
    u64 v9 = (v8 + v6);
    u64 v10 = ((v9 > v5) ? v5 : v9);
    u64 v13 = (((u64)v7) * v12);
    u32 v14 = 0u;
    for (u64 v15 = ((v8 & 18446744073709551608ull) + (((u64)threadIdx.x) * 8ull)); v15 < v10; v15 += (((u64)blockDim.x) * 8ull)) {
      u32 v16 = 0u;
      u32 v17 = 0u;
#pragma unroll
      for (u32 v18 = 0u; v18 < 8u; v18 += 1u) {
        u64 v19 = (v15 + ((u64)v18));
        if (((v19 >= v8) && (v19 < v10))) {
          v16 = (v16 | (1u << v18));
        }
      }
      if ((v16 != 0u)) {
        u64 v21[2];
        lanes16(v21, v20, v15);
        u64 v23[1];
        lanes8(v23, v22, v15);
#pragma unroll
        for (u32 v24 = 0u; v24 < 8u; v24 += 1u) {
          u64 v25 = (v15 + ((u64)v24));
          if (((v16 & (1u << v24)) != 0u)) {
            i32 v27 = ((i32)((u32)v26 + (u32)((i32)((u8)lane8((v23 + 0u), v24)))));
            i64 v28 = ((i64)v27);
            u32 v31 = (((u32)((u64)((i64)((u64)v28 - (u64)v29)))) + 1u);
            bool v32 = ((v28 < v29) || (v28 > v30));
            bool v38 = (v32 || (v36 && !word_bit((v2 + v34), ((u32)first_slot(v37, ((u64)v31))))));
            bool v40 = (v38 || !bit((v39 + 0ull), ((u64)v31)));
            u32 v42 = (v40 ? 0u : v41[v31]);
            u32 v43 = (v42 - 1u);
            if (!(v42 == 0u)) {
              v14 = (v14 + 1u);
              v17 = (v17 | (1u << v24));
            }
          }
        }
      }
      if ((v17 != 0u)) {
        v11[(v13 + ((v15 - (v8 & 18446744073709551608ull)) >> 3u))] = ((u8)v17);
      }
    }
    u32 v44 = scan((v2 + 0u), v14);
    if ((threadIdx.x == 0u)) {
      v1[v7] = v2[blockDim.x];
    }
    __syncthreads();
  }
}

KERNEL count(const u32* __restrict__ v0, u32* v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, u8* v11, const u64 v12, const u8* __restrict__ v20, const u8* __restrict__ v22, const i32 v26, const i64 v29, const i64 v30, const u32* __restrict__ v33, const u32 v34, const u32 v35, const bool v36, const u32 v37, const u8* __restrict__ v39, const u32* __restrict__ v41) {
  SHARED(v2)
  for (u32 v45 = threadIdx.x; v45 < v35; v45 += blockDim.x) {
    v2[(v34 + v45)] = v33[v45];
  }
  __syncthreads();
  for (u32 v7 = blockIdx.x; v7 < v3; v7 += gridDim.x) {
    u64 v8 = (v4 + (((u64)v7) * v6));
    u64 v9 = (v8 + v6);
    u64 v10 = ((v9 > v5) ? v5 : v9);
    u64 v13 = (((u64)v7) * v12);
    u32 v14 = 0u;
    for (u64 v15 = ((v8 & 18446744073709551608ull) + (((u64)threadIdx.x) * 8ull)); v15 < v10; v15 += (((u64)blockDim.x) * 8ull)) {
      u32 v16 = 0u;
      u32 v17 = 0u;
#pragma unroll
      for (u32 v18 = 0u; v18 < 8u; v18 += 1u) {
        u64 v19 = (v15 + ((u64)v18));
        if (((v19 >= v8) && (v19 < v10))) {
          v16 = (v16 | (1u << v18));
        }
      }
      if ((v16 != 0u)) {
        u64 v21[1];
        lanes8(v21, v20, v15);
        u64 v23[1];
        lanes8(v23, v22, v15);
#pragma unroll
        for (u32 v24 = 0u; v24 < 8u; v24 += 1u) {
          u64 v25 = (v15 + ((u64)v24));
          if (((v16 & (1u << v24)) != 0u)) {
            i32 v27 = ((i32)((u32)v26 + (u32)((i32)((u8)lane8((v23 + 0u), v24)))));
            i64 v28 = ((i64)v27);
            u32 v31 = (((u32)((u64)((i64)((u64)v28 - (u64)v29)))) + 1u);
            bool v32 = ((v28 < v29) || (v28 > v30));
            bool v38 = (v32 || (v36 && !word_bit((v2 + v34), ((u32)first_slot(v37, ((u64)v31))))));
            bool v40 = (v38 || !bit((v39 + 0ull), ((u64)v31)));
            u32 v42 = (v40 ? 0u : v41[v31]);
            u32 v43 = (v42 - 1u);
            if (!(v42 == 0u)) {
              v14 = (v14 + 1u);
              v17 = (v17 | (1u << v24));
            }
          }
        }
      }
      if ((v17 != 0u)) {
        v11[(v13 + ((v15 - (v8 & 18446744073709551608ull)) >> 3u))] = ((u8)v17);
      }
    }
    u32 v44 = scan((v2 + 0u), v14);
    if ((threadIdx.x == 0u)) {
      v1[v7] = v2[blockDim.x];
    }
    __syncthreads();
  }
}

KERNEL count(const u32* __restrict__ v0, u32* v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, u8* v11, const u64 v12, const u8* __restrict__ v20, const u8* __restrict__ v22, const u8* __restrict__ v27, const u8* __restrict__ v28) {
  SHARED(v2)
  for (u32 v7 = blockIdx.x; v7 < v3; v7 += gridDim.x) {
    u64 v8 = (v4 + (((u64)v7) * v6));
    u64 v9 = (v8 + v6);
    u64 v10 = ((v9 > v5) ? v5 : v9);
    u64 v13 = (((u64)v7) * v12);
    u32 v14 = 0u;
    for (u64 v15 = ((v8 & 18446744073709551608ull) + (((u64)threadIdx.x) * 8ull)); v15 < v10; v15 += (((u64)blockDim.x) * 8ull)) {
      u32 v16 = 0u;
      u32 v17 = 0u;
#pragma unroll
      for (u32 v18 = 0u; v18 < 8u; v18 += 1u) {
        u64 v19 = (v15 + ((u64)v18));
        if (((v19 >= v8) && (v19 < v10))) {
          v16 = (v16 | (1u << v18));
        }
      }
      if ((v16 != 0u)) {
        u64 v21[1];
        lanes8(v21, v20, v15);
        u64 v23[1];
        lanes8(v23, v22, v15);
#pragma unroll
        for (u32 v24 = 0u; v24 < 8u; v24 += 1u) {
          u64 v25 = (v15 + ((u64)v24));
          if (((v16 & (1u << v24)) != 0u)) {
            u32 v26 = ((u32)((u8)lane8((v23 + 0u), v24)));
            bool v29 = (v27[v26] != 0u);
            if (v29) {
              v14 = (v14 + 1u);
              v17 = (v17 | (1u << v24));
            }
          }
        }
      }
      if ((v17 != 0u)) {
        v11[(v13 + ((v15 - (v8 & 18446744073709551608ull)) >> 3u))] = ((u8)v17);
      }
    }
    u32 v30 = scan((v2 + 0u), v14);
    if ((threadIdx.x == 0u)) {
      v1[v7] = v2[blockDim.x];
    }
    __syncthreads();
  }
}

KERNEL reduce(const u32* __restrict__ v0, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u16* __restrict__ v21, const i32 v25, const i32 v27, const i32 v29, const u16* __restrict__ v31, const i32 v35, const i64 v38, const i64 v39, const u32* __restrict__ v42, const u32 v43, const u32 v44, const bool v45, const u32 v46, const u8* __restrict__ v48, const i32 v54, const i64 v57, const i64 v58, const u32* __restrict__ v62, const u8* __restrict__ v65, const i32 v66, const i64 v69, const i64 v70, const u8* __restrict__ v73, const u32* __restrict__ v75, const u32* __restrict__ v78, const u8* __restrict__ v80, const u8* __restrict__ v81, const u32* __restrict__ v83, const u8* __restrict__ v85, const u8* __restrict__ v86, const i32 v93, const i64 v98, const u32* __restrict__ v100, const i32 v101, const i32 v103, const u8* __restrict__ v104, const i32 v105, const u32 v109, const u32 v110, const u32 v111, const u32* __restrict__ v112, u64* v113) {
  SHARED(v1)
  for (u32 v122 = threadIdx.x; v122 < v44; v122 += blockDim.x) {
    v1[(v43 + v122)] = v42[v122];
  }
  __syncthreads();
  for (u32 v115 = threadIdx.x; v115 < (v111 * 2u); v115 += blockDim.x) {
    v1[(20u + v115)] = 0u;
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
              i32 v26 = ((i32)((u32)v25 + (u32)((i32)((u16)lane16((v22 + 0u), v23)))));
              bool v28 = (v26 >= v27);
              if (v28) {
                bool v30 = (v26 <= v29);
                if (v30) {
                  v20 = (v20 | (1u << v23));
                }
              }
            }
          }
          if ((v20 != 0u)) {
            u64 v32[2];
            lanes16(v32, v31, v19);
#pragma unroll
            for (u32 v33 = 0u; v33 < 8u; v33 += 1u) {
              u64 v34 = (v19 + ((u64)v33));
              if (((v20 & (1u << v33)) != 0u)) {
                i32 v36 = ((i32)((u32)v35 + (u32)((i32)((u16)lane16((v32 + 0u), v33)))));
                i64 v37 = ((i64)v36);
                u32 v40 = (((u32)((u64)((i64)((u64)v37 - (u64)v38)))) + 1u);
                bool v41 = ((v37 < v38) || (v37 > v39));
                bool v47 = (v41 || (v45 && !word_bit((v1 + v43), ((u32)first_slot(v46, ((u64)v40))))));
                bool v49 = (v47 || !bit((v48 + 0ull), ((u64)v40)));
                if (v49) {
                  v20 = (v20 - (1u << v33));
                }
              }
            }
          }
        }
        v17 = (v17 | (v20 << (v18 * 8u)));
      }
      u32 v50 = (v2 + scan((v1 + 17u), ones(v17)));
      while ((v17 != 0u)) {
        u32 v51 = first_bit(v17);
        v17 = (v17 - (1u << v51));
        v1[v50] = (((u32)v16) + ((v14 * (v51 >> 3u)) + (v51 & 7u)));
        v50 = (v50 + 1u);
      }
      v2 = (v2 + v1[(17u + blockDim.x)]);
      __syncthreads();
      while (((v2 >= blockDim.x) || (v8 && (v2 != 0u)))) {
        u32 v52 = ((v2 < blockDim.x) ? v2 : blockDim.x);
        v2 = (v2 - v52);
        if ((threadIdx.x < v52)) {
          u64 v53 = ((u64)v1[(v2 + threadIdx.x)]);
          i32 v55 = ((i32)((u32)v54 + (u32)((i32)v31[v53])));
          i64 v56 = ((i64)v55);
          u32 v59 = (((u32)((u64)((i64)((u64)v56 - (u64)v57)))) + 1u);
          bool v60 = ((v56 < v57) || (v56 > v58));
          bool v61 = (v60 || !bit((v48 + 0ull), ((u64)v59)));
          u32 v63 = (v61 ? 0u : v62[v59]);
          u32 v64 = (v63 - 1u);
          if (!(v63 == 0u)) {
            i32 v67 = ((i32)((u32)v66 + (u32)((i32)v65[v53])));
            i64 v68 = ((i64)v67);
            u32 v71 = (((u32)((u64)((i64)((u64)v68 - (u64)v69)))) + 1u);
            bool v72 = ((v68 < v69) || (v68 > v70));
            bool v74 = (v72 || !bit((v73 + 0ull), ((u64)v71)));
            u32 v76 = (v74 ? 0u : v75[v71]);
            u32 v77 = (v76 - 1u);
            if (!(v76 == 0u)) {
              u32 v79 = v78[v77];
              bool v82 = (v80[v79] != 0u);
              u32 v84 = v83[v64];
              bool v87 = (v85[v84] != 0u);
              bool v88 = !(!v82 || !v87);
              bool v89 = (v85[v79] != 0u);
              bool v90 = (v80[v84] != 0u);
              bool v91 = !(!v89 || !v90);
              bool v92 = (v88 || v91);
              if (v92) {
                i32 v94 = ((i32)((u32)v93 + (u32)((i32)v21[v53])));
                i32 v95 = year_of(v94);
                i32 v96 = ((v95 > (0)) ? v95 : ((i32)((u32)v95 - (u32)(1))));
                i64 v97 = ((i64)v96);
                u32 v99 = ((((v79 + 1u) << 8u) | ((v84 + 1u) << 3u)) | (((u32)((u64)((i64)((u64)v97 - (u64)v98)))) + 1u));
                i32 v102 = ((i32)((u32)v101 + (u32)((i32)v100[v53])));
                i32 v106 = ((i32)((u32)v105 + (u32)((i32)v104[v53])));
                i32 v107 = ((i32)((u32)v103 - (u32)v106));
                i32 v108 = ((i32)((u32)v102 * (u32)v107));
                u32 v114 = ((v99 * v110) + (threadIdx.x % v110));
                add_shared((v1 + (20u + ((v111 * 0u) + v114))), v111, ((i64)v108));
              }
            }
          }
        }
        __syncthreads();
      }
    }
  }
  __syncthreads();
  for (u32 v116 = threadIdx.x; v116 < v109; v116 += blockDim.x) {
    u32 v117 = 0u;
    i64 v118 = ((i64)0ll);
    for (u32 v119 = 0u; v119 < v110; v119 += 1u) {
      u32 v120 = ((v116 * v110) + v119);
      v118 = ((i64)((u64)v118 + (u64)joined((v1 + (20u + ((v111 * 0u) + v120))), v111)));
    }
    if ((v118 != ((i64)0ll))) {
      u64 v121 = ((u64)v116);
      add64((v113 + v121), v118);
    }
  }
}

typedef u32 code_t;
// Bits of codes: by code, or, if `bits` says so, by that many bits of their hashes. Codes come from a hash table, whose places have one
// more than a code or 0, or from rows (`code_t` is what theirs are), which are in a better order.
FUNCTION void filter_code(u32* filter, u32 bits, u64 code) { set_bit(filter, bits == 0 ? code : first_slot(bits, code)); }

KERNEL filter_slots(const u64* slots, const u64 count, const u32 bits, u32* filter) {
  for (u64 at = (u64)blockIdx.x * blockDim.x + threadIdx.x; at < count; at += (u64)gridDim.x * blockDim.x) {
    if (slots[at] != 0) filter_code(filter, bits, slots[at] - 1);
  }
}

KERNEL filter_rows(const code_t* codes, const u64 count, const u32 bits, u32* filter) {
  for (u64 at = (u64)blockIdx.x * blockDim.x + threadIdx.x; at < count; at += (u64)gridDim.x * blockDim.x) filter_code(filter, bits, codes[at]);
}

typedef u32 code_t;
// Finds rows by the codes of their keys. `code_t` is what a code is.

FUNCTION void sink(u32* heap, u32 at, u32 count) {
  u32 row = heap[at];
  for (u32 child = 2 * at + 1; child < count; child = 2 * at + 1) {
    if (child + 1 < count && heap[child + 1] > heap[child]) child++;
    if (heap[child] <= row) break;
    heap[at] = heap[child];
    at = child;
  }
  heap[at] = row;
}

KERNEL slots(const code_t* codes, const u32 rows, u64* slots, const u32 bits, u32* places) {
  for (u32 row = blockIdx.x * blockDim.x + threadIdx.x; row < rows; row += gridDim.x * blockDim.x) {
    places[row] = fill_slot(slots, bits, codes[row]);
  }
}

// The number of a row of each code: of one code's rows any one.
KERNEL number(const code_t* codes, const u32 rows, u32* numbers) {
  for (u32 row = blockIdx.x * blockDim.x + threadIdx.x; row < rows; row += gridDim.x * blockDim.x) numbers[codes[row]] = row + 1;
}

// Whether a code has several rows: then not all find their own numbers.
KERNEL compare(const code_t* codes, const u32 rows, const u32* numbers, u32* differs) {
  bool own = false;
  for (u32 row = blockIdx.x * blockDim.x + threadIdx.x; row < rows; row += gridDim.x * blockDim.x) own |= numbers[codes[row]] != row + 1;
  if (own) *differs = 1;
}

KERNEL rank(const code_t* codes, const u32 rows, u32* counts, u32* ranks, u32* most) {
  for (u32 row = blockIdx.x * blockDim.x + threadIdx.x; row < rows; row += gridDim.x * blockDim.x) {
    u32 before = atomicAdd(&counts[codes[row]], 1u);
    ranks[row] = before;
    if (before + 1 > *(volatile u32*)most) atomicMax(most, before + 1);
  }
}

// The sum of each segment, a block each.
KERNEL sums(const u32* counts, const u64 codes, const u64 segment, u32* sums) {
  SHARED(words)
  for (u64 at = blockIdx.x; at * segment < codes; at += gridDim.x) {
    u64 from = at * segment, below = from + segment < codes ? from + segment : codes;
    u32 own = 0;
    for (u64 code = from + threadIdx.x; code < below; code += blockDim.x) own += counts[code];
    scan(words, own);
    if (threadIdx.x == 0) sums[at] = words[blockDim.x];
    __syncthreads();
  }
}

// Where each segment begins: of few segments, by one thread.
KERNEL begin(u32* sums, const u32 segments) {
  if (blockIdx.x != 0 || threadIdx.x != 0) return;
  u32 all = 0;
  for (u32 at = 0; at < segments; at++) {
    u32 own = sums[at];
    sums[at] = all;
    all += own;
  }
}

KERNEL starts(const u32* counts, const u64 codes, const u64 segment, const u32* sums, u32* starts) {
  SHARED(words)
  for (u64 at = blockIdx.x; at * segment < codes; at += gridDim.x) {
    u64 from = at * segment, below = from + segment < codes ? from + segment : codes;
    u32 all = sums[at];
    for (u64 first = from; first < below; first += blockDim.x) {
      u64 code = first + threadIdx.x;
      u32 own = code < below ? counts[code] : 0u;
      u32 before = scan(words, own);
      if (code < below) starts[code] = all + before;
      all += words[blockDim.x];
      __syncthreads();
    }
  }
}

KERNEL order(const code_t* codes, const u32 rows, const u32* starts, const u32* ranks, u32* rows_of) {
  for (u32 row = blockIdx.x * blockDim.x + threadIdx.x; row < rows; row += gridDim.x * blockDim.x) {
    rows_of[starts[codes[row]] + ranks[row]] = row;
  }
}

// The rows of each code in their order, which who was first has not kept: a thread a code, by insertion if they are few, else as a heap.
KERNEL settle(const u32* starts, const u32* counts, const u64 codes, u32* rows_of) {
  for (u64 code = (u64)blockIdx.x * blockDim.x + threadIdx.x; code < codes; code += (u64)gridDim.x * blockDim.x) {
    u32 count = counts[code];
    if (count < 2) continue;
    u32* rows = rows_of + starts[code];
    if (count <= 32) {
      for (u32 at = 1; at < count; at++) {
        u32 row = rows[at], to = at;
        for (; to > 0 && rows[to - 1] > row; to--) rows[to] = rows[to - 1];
        rows[to] = row;
      }
      continue;
    }
    for (u32 half = count / 2; half > 0; half--) sink(rows, half - 1, count);
    for (u32 last = count - 1; last > 0; last--) {
      u32 most = rows[0];
      rows[0] = rows[last];
      rows[last] = most;
      sink(rows, 0, last);
    }
  }
}
