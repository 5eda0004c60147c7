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

KERNEL collect(const u32* __restrict__ v0, const u32* __restrict__ v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u64 v12, const u8* __restrict__ v14, const u16* __restrict__ v22, const i32 v23, const i64 v26, const i64 v27, const u32* __restrict__ v30, const u16* __restrict__ v33, const i32 v34, const i64 v37, u32* v39, const u32* __restrict__ v40, u32* v42) {
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
        i32 v24 = ((i32)((u32)v23 + (u32)((i32)v22[v21])));
        i64 v25 = ((i64)v24);
        u32 v28 = (((u32)((u64)((i64)((u64)v25 - (u64)v26)))) + 1u);
        bool v29 = ((v25 < v26) || (v25 > v27));
        u32 v31 = (v29 ? 0u : v30[v28]);
        u32 v32 = (v31 - 1u);
        if (!(v31 == 0u)) {
          i32 v35 = ((i32)((u32)v34 + (u32)((i32)v33[v21])));
          i64 v36 = ((i64)v35);
          u32 v38 = (((u32)((u64)((i64)((u64)v36 - (u64)v37)))) + 1u);
          v39[v19] = v38;
          u32 v41 = v40[v32];
          v42[v19] = v41;
          v19 = (v19 + 1u);
        }
      }
      v11 = (v11 + v2[blockDim.x]);
      __syncthreads();
    }
  }
}

KERNEL collect(const u32* __restrict__ v0, const u32* __restrict__ v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u64 v12, const u8* __restrict__ v14, const u8* __restrict__ v22, const i32 v23, const i64 v26, const i64 v27, const u32* __restrict__ v30, const u16* __restrict__ v33, const i32 v34, const i64 v37, u32* v39, const u32* __restrict__ v40, u32* v42) {
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
        i32 v24 = ((i32)((u32)v23 + (u32)((i32)v22[v21])));
        i64 v25 = ((i64)v24);
        u32 v28 = (((u32)((u64)((i64)((u64)v25 - (u64)v26)))) + 1u);
        bool v29 = ((v25 < v26) || (v25 > v27));
        u32 v31 = (v29 ? 0u : v30[v28]);
        u32 v32 = (v31 - 1u);
        if (!(v31 == 0u)) {
          i32 v35 = ((i32)((u32)v34 + (u32)((i32)v33[v21])));
          i64 v36 = ((i64)v35);
          u32 v38 = (((u32)((u64)((i64)((u64)v36 - (u64)v37)))) + 1u);
          v39[v19] = v38;
          u32 v41 = v40[v32];
          v42[v19] = v41;
          v19 = (v19 + 1u);
        }
      }
      v11 = (v11 + v2[blockDim.x]);
      __syncthreads();
    }
  }
}

KERNEL collect(const u32* __restrict__ v0, const u32* __restrict__ v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u64 v12, const u8* __restrict__ v14, const u8* __restrict__ v22, const i32 v23, const i64 v26, const i64 v27, const u32* __restrict__ v30, const u8* __restrict__ v33, const i32 v34, const i64 v37, u32* v39, const u32* __restrict__ v40, u32* v42) {
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
        i32 v24 = ((i32)((u32)v23 + (u32)((i32)v22[v21])));
        i64 v25 = ((i64)v24);
        u32 v28 = (((u32)((u64)((i64)((u64)v25 - (u64)v26)))) + 1u);
        bool v29 = ((v25 < v26) || (v25 > v27));
        u32 v31 = (v29 ? 0u : v30[v28]);
        u32 v32 = (v31 - 1u);
        if (!(v31 == 0u)) {
          i32 v35 = ((i32)((u32)v34 + (u32)((i32)v33[v21])));
          i64 v36 = ((i64)v35);
          u32 v38 = (((u32)((u64)((i64)((u64)v36 - (u64)v37)))) + 1u);
          v39[v19] = v38;
          u32 v41 = v40[v32];
          v42[v19] = v41;
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

KERNEL count(const u32* __restrict__ v0, u32* v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, u8* v11, const u64 v12, const u16* __restrict__ v20, const u16* __restrict__ v22, const i32 v26, const i64 v29, const i64 v30, const u32* __restrict__ v33) {
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
            u32 v34 = (v32 ? 0u : v33[v31]);
            u32 v35 = (v34 - 1u);
            if (!(v34 == 0u)) {
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
    u32 v36 = scan((v2 + 0u), v14);
    if ((threadIdx.x == 0u)) {
      v1[v7] = v2[blockDim.x];
    }
    __syncthreads();
  }
}

KERNEL count(const u32* __restrict__ v0, u32* v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, u8* v11, const u64 v12, const u16* __restrict__ v20, const u8* __restrict__ v22, const i32 v26, const i64 v29, const i64 v30, const u32* __restrict__ v33) {
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
            u32 v34 = (v32 ? 0u : v33[v31]);
            u32 v35 = (v34 - 1u);
            if (!(v34 == 0u)) {
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
    u32 v36 = scan((v2 + 0u), v14);
    if ((threadIdx.x == 0u)) {
      v1[v7] = v2[blockDim.x];
    }
    __syncthreads();
  }
}

KERNEL count(const u32* __restrict__ v0, u32* v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, u8* v11, const u64 v12, const u8* __restrict__ v20, const u8* __restrict__ v22, const i32 v26, const i64 v29, const i64 v30, const u32* __restrict__ v33) {
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
            i32 v27 = ((i32)((u32)v26 + (u32)((i32)((u8)lane8((v23 + 0u), v24)))));
            i64 v28 = ((i64)v27);
            u32 v31 = (((u32)((u64)((i64)((u64)v28 - (u64)v29)))) + 1u);
            bool v32 = ((v28 < v29) || (v28 > v30));
            u32 v34 = (v32 ? 0u : v33[v31]);
            u32 v35 = (v34 - 1u);
            if (!(v34 == 0u)) {
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
    u32 v36 = scan((v2 + 0u), v14);
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

KERNEL reduce(const u32* __restrict__ v0, const u32 v3, const u64 v6, const u64 v7, const u64 v8, const u16* __restrict__ v16, const i32 v20, const i32 v22, const i32 v24, const u16* __restrict__ v26, const i32 v30, const i64 v33, const i64 v34, const u32* __restrict__ v37, const i32 v44, const i64 v47, const i64 v48, const u8* __restrict__ v53, const i32 v54, const i64 v57, const i64 v58, const u32* __restrict__ v61, const u32* __restrict__ v64, const u8* __restrict__ v66, const u8* __restrict__ v67, const u32* __restrict__ v69, const u8* __restrict__ v71, const u8* __restrict__ v72, const i32 v79, const i64 v84, const u32* __restrict__ v86, const i32 v87, const i32 v89, const u8* __restrict__ v90, const i32 v91, const u32 v95, const u32 v96, const u32 v97, const u32* __restrict__ v98, u64* v99) {
  SHARED(v1)
  for (u32 v101 = threadIdx.x; v101 < (v97 * 2u); v101 += blockDim.x) {
    v1[(12u + v101)] = 0u;
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
            bool v23 = (v21 >= v22);
            if (v23) {
              bool v25 = (v21 <= v24);
              if (v25) {
                v15 = (v15 | (1u << v18));
              }
            }
          }
        }
        if ((v15 != 0u)) {
          u64 v27[2];
          lanes16(v27, v26, v14);
#pragma unroll
          for (u32 v28 = 0u; v28 < 8u; v28 += 1u) {
            u64 v29 = (v14 + ((u64)v28));
            if (((v15 & (1u << v28)) != 0u)) {
              i32 v31 = ((i32)((u32)v30 + (u32)((i32)((u16)lane16((v27 + 0u), v28)))));
              i64 v32 = ((i64)v31);
              u32 v35 = (((u32)((u64)((i64)((u64)v32 - (u64)v33)))) + 1u);
              bool v36 = ((v32 < v33) || (v32 > v34));
              u32 v38 = (v36 ? 0u : v37[v35]);
              u32 v39 = (v38 - 1u);
              if ((v38 == 0u)) {
                v15 = (v15 - (1u << v28));
              }
            }
          }
        }
      }
      u32 v40 = (v2 + scan((v1 + 9u), ones(v15)));
#pragma unroll
      for (u32 v41 = 0u; v41 < 8u; v41 += 1u) {
        if (((v15 & (1u << v41)) != 0u)) {
          v1[v40] = (((u32)v14) + v41);
          v40 = (v40 + 1u);
        }
      }
      v2 = (v2 + v1[(9u + blockDim.x)]);
      __syncthreads();
      while (((v2 >= blockDim.x) || (v5 && (v2 != 0u)))) {
        u32 v42 = ((v2 < blockDim.x) ? v2 : blockDim.x);
        v2 = (v2 - v42);
        if ((threadIdx.x < v42)) {
          u64 v43 = ((u64)v1[(v2 + threadIdx.x)]);
          i32 v45 = ((i32)((u32)v44 + (u32)((i32)v26[v43])));
          i64 v46 = ((i64)v45);
          u32 v49 = (((u32)((u64)((i64)((u64)v46 - (u64)v47)))) + 1u);
          bool v50 = ((v46 < v47) || (v46 > v48));
          u32 v51 = (v50 ? 0u : v37[v49]);
          u32 v52 = (v51 - 1u);
          if (!(v51 == 0u)) {
            i32 v55 = ((i32)((u32)v54 + (u32)((i32)v53[v43])));
            i64 v56 = ((i64)v55);
            u32 v59 = (((u32)((u64)((i64)((u64)v56 - (u64)v57)))) + 1u);
            bool v60 = ((v56 < v57) || (v56 > v58));
            u32 v62 = (v60 ? 0u : v61[v59]);
            u32 v63 = (v62 - 1u);
            if (!(v62 == 0u)) {
              u32 v65 = v64[v63];
              bool v68 = (v66[v65] != 0u);
              u32 v70 = v69[v52];
              bool v73 = (v71[v70] != 0u);
              bool v74 = !(!v68 || !v73);
              bool v75 = (v71[v65] != 0u);
              bool v76 = (v66[v70] != 0u);
              bool v77 = !(!v75 || !v76);
              bool v78 = (v74 || v77);
              if (v78) {
                i32 v80 = ((i32)((u32)v79 + (u32)((i32)v16[v43])));
                i32 v81 = year_of(v80);
                i32 v82 = ((v81 > (0)) ? v81 : ((i32)((u32)v81 - (u32)(1))));
                i64 v83 = ((i64)v82);
                u32 v85 = ((((v65 + 1u) << 8u) | ((v70 + 1u) << 3u)) | (((u32)((u64)((i64)((u64)v83 - (u64)v84)))) + 1u));
                i32 v88 = ((i32)((u32)v87 + (u32)((i32)v86[v43])));
                i32 v92 = ((i32)((u32)v91 + (u32)((i32)v90[v43])));
                i32 v93 = ((i32)((u32)v89 - (u32)v92));
                i32 v94 = ((i32)((u32)v88 * (u32)v93));
                u32 v100 = ((v85 * v96) + (threadIdx.x % v96));
                add_shared((v1 + (12u + ((v97 * 0u) + v100))), v97, ((i64)v94));
              }
            }
          }
        }
        __syncthreads();
      }
    }
  }
  __syncthreads();
  for (u32 v102 = threadIdx.x; v102 < v95; v102 += blockDim.x) {
    u32 v103 = 0u;
    i64 v104 = ((i64)0ll);
    for (u32 v105 = 0u; v105 < v96; v105 += 1u) {
      u32 v106 = ((v102 * v96) + v105);
      v104 = ((i64)((u64)v104 + (u64)joined((v1 + (12u + ((v97 * 0u) + v106))), v97)));
    }
    if ((v104 != ((i64)0ll))) {
      u64 v107 = ((u64)v102);
      add64((v99 + v107), v104);
    }
  }
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
