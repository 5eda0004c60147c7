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

KERNEL collect(const u32* __restrict__ v0, const u32* __restrict__ v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u32* __restrict__ v15, const u64* __restrict__ v16, u32* v19, i32* v21) {
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
          u32 v18 = ((v13 == 0ull) ? 0u : ((u32)(v13 - 1ull)));
          v19[v17] = v18;
          i32 v20 = ((i32)((i64)v15[v13]));
          v21[v17] = v20;
          v17 = (v17 + 1u);
        }
      }
      v11 = (v11 + v2[blockDim.x]);
      __syncthreads();
    }
  }
}

KERNEL collect(const u32* __restrict__ v0, const u32* __restrict__ v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u64 v12, const u8* __restrict__ v14, const u16* __restrict__ v22, const i32 v23, const i32 v25, const i32 v27, const u16* __restrict__ v29, const i32 v30, i32* v32, const u8* __restrict__ v33, u32* v35) {
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
        bool v26 = (v24 >= v25);
        if (v26) {
          bool v28 = (v24 < v27);
          if (v28) {
            i32 v31 = ((i32)((u32)v30 + (u32)((i32)v29[v21])));
            v32[v19] = v31;
            u32 v34 = ((u32)v33[v21]);
            v35[v19] = v34;
            v19 = (v19 + 1u);
          }
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

KERNEL count(const u32* __restrict__ v0, u32* v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, u8* v11, const u64 v12, const u16* __restrict__ v16, const i32 v22, const i32 v24, const i32 v26, const u16* __restrict__ v28, const u8* __restrict__ v30) {
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
          i32 v23 = ((i32)((u32)v22 + (u32)((i32)((u16)lane16((v17 + 0u), v20)))));
          bool v25 = (v23 >= v24);
          if (v25) {
            bool v27 = (v23 < v26);
            if (v27) {
              v18 = (v18 | (1u << v20));
            }
          }
        }
      }
      if ((v18 != 0u)) {
        u64 v29[2];
        lanes16(v29, v28, v15);
        u64 v31[1];
        lanes8(v31, v30, v15);
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

KERNEL reduce(const u32* __restrict__ v0, const u32 v1, const u64 v2, const u64 v3, const u64 v4, const i32* __restrict__ v10, const i64 v17, const i64 v18, const u8* __restrict__ v21, const u32* __restrict__ v23, const u32 v29, const u32 v30, const u32 v31, u32* v32, const u64* __restrict__ v33) {
  SHARED(v35)
  for (u32 v36 = threadIdx.x; v36 < (v31 * 1u); v36 += blockDim.x) {
    v35[(0u + v36)] = 0u;
  }
  __syncthreads();
  for (u32 v5 = blockIdx.x; v5 < v1; v5 += gridDim.x) {
    u64 v6 = (v2 + (((u64)v5) * v4));
    u64 v7 = (v6 + v4);
    u64 v8 = ((v7 > v3) ? v3 : v7);
    for (u64 v9 = ((v6 & 18446744073709551608ull) + (((u64)threadIdx.x) * 8ull)); v9 < v8; v9 += (((u64)blockDim.x) * 8ull)) {
      u64 v11[4];
      lanes32(v11, v10, v9);
      u32 v12 = 0u;
#pragma unroll
      for (u32 v13 = 0u; v13 < 8u; v13 += 1u) {
        u64 v14 = (v9 + ((u64)v13));
        if (((v14 >= v6) && (v14 < v8))) {
          i32 v15 = ((i32)lane32((v11 + 0u), v13));
          i64 v16 = ((i64)v15);
          u32 v19 = (((u32)((u64)((i64)((u64)v16 - (u64)v17)))) + 1u);
          bool v20 = ((v16 < v17) || (v16 > v18));
          bool v22 = !(v20 || !bit((v21 + 0ull), ((u64)v19)));
          if (v22) {
            v12 = (v12 | (1u << v13));
          }
        }
      }
      if ((v12 != 0u)) {
        u64 v24[4];
        lanes32(v24, v23, v9);
#pragma unroll
        for (u32 v25 = 0u; v25 < 8u; v25 += 1u) {
          u64 v26 = (v9 + ((u64)v25));
          if (((v12 & (1u << v25)) != 0u)) {
            u32 v27 = lane32((v24 + 0u), v25);
            u32 v28 = (v27 + 1u);
            u32 v34 = ((v28 * v30) + (threadIdx.x % v30));
            count32((v35 + (0u + ((v31 * 0u) + v34))), 1u);
          }
        }
      }
    }
  }
  __syncthreads();
  for (u32 v37 = threadIdx.x; v37 < v29; v37 += blockDim.x) {
    u32 v38 = 0u;
    i64 v39 = ((i64)0ll);
    for (u32 v40 = 0u; v40 < v30; v40 += 1u) {
      u32 v41 = ((v37 * v30) + v40);
      v39 = ((i64)((u64)v39 + (u64)((i64)v35[(0u + ((v31 * 0u) + v41))])));
    }
    if ((v39 != ((i64)0ll))) {
      u64 v42 = ((u64)v37);
      count32((v32 + v42), ((u32)v39));
    }
  }
}

KERNEL reduce(const u32* __restrict__ v0, const u32 v1, const u64 v2, const u64 v3, const u64 v4, const u16* __restrict__ v10, const i32 v15, const i32 v17, const i32 v19, const u16* __restrict__ v21, const u8* __restrict__ v23, const i32 v27, const i64 v30, u32* v32) {
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
          bool v18 = (v16 >= v17);
          if (v18) {
            bool v20 = (v16 < v19);
            if (v20) {
              v12 = (v12 | (1u << v13));
            }
          }
        }
      }
      if ((v12 != 0u)) {
        u64 v22[2];
        lanes16(v22, v21, v9);
        u64 v24[1];
        lanes8(v24, v23, v9);
#pragma unroll
        for (u32 v25 = 0u; v25 < 8u; v25 += 1u) {
          u64 v26 = (v9 + ((u64)v25));
          if (((v12 & (1u << v25)) != 0u)) {
            i32 v28 = ((i32)((u32)v27 + (u32)((i32)((u16)lane16((v22 + 0u), v25)))));
            i64 v29 = ((i64)v28);
            u32 v31 = (((u32)((u64)((i64)((u64)v29 - (u64)v30)))) + 1u);
            set_bit((v32 + 0u), ((u64)v31));
          }
        }
      }
    }
  }
}

KERNEL reduce(const u32* __restrict__ v0, const u32 v1, const u64 v2, const u64 v3, const u64 v4, const u16* __restrict__ v10, const u16* __restrict__ v12, const u16* __restrict__ v14, const i32 v19, const i32 v21, const i32 v24, const i64 v27, const i64 v28, const u8* __restrict__ v31, const i32 v35, const i64 v38, u32* v40) {
  for (u32 v5 = blockIdx.x; v5 < v1; v5 += gridDim.x) {
    u64 v6 = (v2 + (((u64)v5) * v4));
    u64 v7 = (v6 + v4);
    u64 v8 = ((v7 > v3) ? v3 : v7);
    for (u64 v9 = ((v6 & 18446744073709551608ull) + (((u64)threadIdx.x) * 8ull)); v9 < v8; v9 += (((u64)blockDim.x) * 8ull)) {
      u64 v11[2];
      lanes16(v11, v10, v9);
      u64 v13[2];
      lanes16(v13, v12, v9);
      u64 v15[2];
      lanes16(v15, v14, v9);
      u32 v16 = 0u;
#pragma unroll
      for (u32 v17 = 0u; v17 < 8u; v17 += 1u) {
        u64 v18 = (v9 + ((u64)v17));
        if (((v18 >= v6) && (v18 < v8))) {
          i32 v20 = ((i32)((u32)v19 + (u32)((i32)((u16)lane16((v13 + 0u), v17)))));
          i32 v22 = ((i32)((u32)v21 + (u32)((i32)((u16)lane16((v15 + 0u), v17)))));
          bool v23 = (v20 < v22);
          if (v23) {
            i32 v25 = ((i32)((u32)v24 + (u32)((i32)((u16)lane16((v11 + 0u), v17)))));
            i64 v26 = ((i64)v25);
            u32 v29 = (((u32)((u64)((i64)((u64)v26 - (u64)v27)))) + 1u);
            bool v30 = ((v26 < v27) || (v26 > v28));
            bool v32 = !(v30 || !bit((v31 + 0ull), ((u64)v29)));
            if (v32) {
              v16 = (v16 | (1u << v17));
            }
          }
        }
      }
      if ((v16 != 0u)) {
#pragma unroll
        for (u32 v33 = 0u; v33 < 8u; v33 += 1u) {
          u64 v34 = (v9 + ((u64)v33));
          if (((v16 & (1u << v33)) != 0u)) {
            i32 v36 = ((i32)((u32)v35 + (u32)((i32)((u16)lane16((v11 + 0u), v33)))));
            i64 v37 = ((i64)v36);
            u32 v39 = (((u32)((u64)((i64)((u64)v37 - (u64)v38)))) + 1u);
            set_bit((v40 + 0u), ((u64)v39));
          }
        }
      }
    }
  }
}
