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

KERNEL collect(const u32* __restrict__ v0, const u32* __restrict__ v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u64 v12, const u8* __restrict__ v14, const u8* __restrict__ v22, const i32 v23, const i64 v26, const i64 v27, const u8* __restrict__ v30, const u8* __restrict__ v32, const i32 v33, i32* v35, const u8* __restrict__ v36, u32* v38, const u8* __restrict__ v39, u32* v41) {
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
        bool v31 = !(v29 || !bit((v30 + 0ull), ((u64)v28)));
        if (v31) {
          i32 v34 = ((i32)((u32)v33 + (u32)((i32)v32[v21])));
          v35[v19] = v34;
          u32 v37 = ((u32)v36[v21]);
          v38[v19] = v37;
          u32 v40 = ((u32)v39[v21]);
          v41[v19] = v40;
          v19 = (v19 + 1u);
        }
      }
      v11 = (v11 + v2[blockDim.x]);
      __syncthreads();
    }
  }
}

KERNEL collect(const u32* __restrict__ v0, const u32* __restrict__ v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u64 v12, const u8* __restrict__ v17, const i32* __restrict__ v19, const i64 v22, const i64 v23, const u8* __restrict__ v26, const u32* __restrict__ v28, u32* v30, const u32* __restrict__ v31, u32* v33) {
  SHARED(v2)
  for (u32 v7 = blockIdx.x; v7 < v3; v7 += gridDim.x) {
    u64 v8 = (v4 + (((u64)v7) * v6));
    u64 v9 = (v8 + v6);
    u64 v10 = ((v9 > v5) ? v5 : v9);
    u32 v11 = v1[v7];
    u64 v13 = (((u64)v7) * v12);
    for (u64 v14 = v8; v14 < v10; v14 += ((u64)blockDim.x)) {
      u64 v15 = (v14 + ((u64)threadIdx.x));
      u32 v16 = 0u;
      if ((v15 < v10)) {
        v16 = ((u32)bit((v17 + v13), (v15 - (v8 & 18446744073709551608ull))));
      }
      u32 v18 = (v11 + scan((v2 + 0u), v16));
      if ((v16 != 0u)) {
        i32 v20 = v19[v15];
        i64 v21 = ((i64)v20);
        u32 v24 = (((u32)((u64)((i64)((u64)v21 - (u64)v22)))) + 1u);
        bool v25 = ((v21 < v22) || (v21 > v23));
        bool v27 = !(v25 || !bit((v26 + 0ull), ((u64)v24)));
        if (v27) {
          u32 v29 = v28[v15];
          v30[v18] = v29;
          u32 v32 = v31[v15];
          v33[v18] = v32;
          v18 = (v18 + 1u);
        }
      }
      v11 = (v11 + v2[blockDim.x]);
      __syncthreads();
    }
  }
}

KERNEL count(const u32* __restrict__ v0, u32* v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, u8* v11, const u64 v12, const i32* __restrict__ v16, const i64 v24, const i64 v25, const u8* __restrict__ v28, const u32* __restrict__ v30, const u32* __restrict__ v32) {
  SHARED(v2)
  for (u32 v7 = blockIdx.x; v7 < v3; v7 += gridDim.x) {
    u64 v8 = (v4 + (((u64)v7) * v6));
    u64 v9 = (v8 + v6);
    u64 v10 = ((v9 > v5) ? v5 : v9);
    u64 v13 = (((u64)v7) * v12);
    u32 v14 = 0u;
    for (u64 v15 = ((v8 & 18446744073709551608ull) + (((u64)threadIdx.x) * 8ull)); v15 < v10; v15 += (((u64)blockDim.x) * 8ull)) {
      u64 v17[4];
      lanes32(v17, v16, v15);
      u32 v18 = 0u;
      u32 v19 = 0u;
#pragma unroll
      for (u32 v20 = 0u; v20 < 8u; v20 += 1u) {
        u64 v21 = (v15 + ((u64)v20));
        if (((v21 >= v8) && (v21 < v10))) {
          i32 v22 = ((i32)lane32((v17 + 0u), v20));
          i64 v23 = ((i64)v22);
          u32 v26 = (((u32)((u64)((i64)((u64)v23 - (u64)v24)))) + 1u);
          bool v27 = ((v23 < v24) || (v23 > v25));
          bool v29 = !(v27 || !bit((v28 + 0ull), ((u64)v26)));
          if (v29) {
            v18 = (v18 | (1u << v20));
          }
        }
      }
      if ((v18 != 0u)) {
        u64 v31[4];
        lanes32(v31, v30, v15);
        u64 v33[4];
        lanes32(v33, v32, v15);
#pragma unroll
        for (u32 v34 = 0u; v34 < 8u; v34 += 1u) {
          u64 v35 = (v15 + ((u64)v34));
          if (((v18 & (1u << v34)) != 0u)) {
            v14 = (v14 + 1u);
            v19 = (v19 | (1u << v34));
          }
        }
      }
      if ((v19 != 0u)) {
        v11[(v13 + ((v15 - (v8 & 18446744073709551608ull)) >> 3u))] = ((u8)v19);
      }
    }
    u32 v36 = scan((v2 + 0u), v14);
    if ((threadIdx.x == 0u)) {
      v1[v7] = v2[blockDim.x];
    }
    __syncthreads();
  }
}

KERNEL count(const u32* __restrict__ v0, u32* v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, u8* v11, const u64 v12, const u16* __restrict__ v16, const u16* __restrict__ v18, const i32 v24, const i32 v26, const i32 v28, const i32 v30, const i64 v33, const i64 v34, const u8* __restrict__ v37, const u8* __restrict__ v39, const u8* __restrict__ v41) {
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
      u64 v19[2];
      lanes16(v19, v18, v15);
      u32 v20 = 0u;
      u32 v21 = 0u;
#pragma unroll
      for (u32 v22 = 0u; v22 < 8u; v22 += 1u) {
        u64 v23 = (v15 + ((u64)v22));
        if (((v23 >= v8) && (v23 < v10))) {
          i32 v25 = ((i32)((u32)v24 + (u32)((i32)((u16)lane16((v19 + 0u), v22)))));
          bool v27 = (v25 >= v26);
          if (v27) {
            bool v29 = (v25 < v28);
            if (v29) {
              i32 v31 = ((i32)((u32)v30 + (u32)((i32)((u16)lane16((v17 + 0u), v22)))));
              i64 v32 = ((i64)v31);
              u32 v35 = (((u32)((u64)((i64)((u64)v32 - (u64)v33)))) + 1u);
              bool v36 = ((v32 < v33) || (v32 > v34));
              bool v38 = !(v36 || !bit((v37 + 0ull), ((u64)v35)));
              if (v38) {
                v20 = (v20 | (1u << v22));
              }
            }
          }
        }
      }
      if ((v20 != 0u)) {
        u64 v40[1];
        lanes8(v40, v39, v15);
        u64 v42[1];
        lanes8(v42, v41, v15);
#pragma unroll
        for (u32 v43 = 0u; v43 < 8u; v43 += 1u) {
          u64 v44 = (v15 + ((u64)v43));
          if (((v20 & (1u << v43)) != 0u)) {
            v14 = (v14 + 1u);
            v21 = (v21 | (1u << v43));
          }
        }
      }
      if ((v21 != 0u)) {
        v11[(v13 + ((v15 - (v8 & 18446744073709551608ull)) >> 3u))] = ((u8)v21);
      }
    }
    u32 v45 = scan((v2 + 0u), v14);
    if ((threadIdx.x == 0u)) {
      v1[v7] = v2[blockDim.x];
    }
    __syncthreads();
  }
}

KERNEL count(const u32* __restrict__ v0, u32* v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, u8* v11, const u64 v12, const u8* __restrict__ v16, const i32 v22, const i64 v25, const i64 v26, const u8* __restrict__ v29, const u8* __restrict__ v31, const u8* __restrict__ v33, const u8* __restrict__ v35) {
  SHARED(v2)
  for (u32 v7 = blockIdx.x; v7 < v3; v7 += gridDim.x) {
    u64 v8 = (v4 + (((u64)v7) * v6));
    u64 v9 = (v8 + v6);
    u64 v10 = ((v9 > v5) ? v5 : v9);
    u64 v13 = (((u64)v7) * v12);
    u32 v14 = 0u;
    for (u64 v15 = ((v8 & 18446744073709551608ull) + (((u64)threadIdx.x) * 8ull)); v15 < v10; v15 += (((u64)blockDim.x) * 8ull)) {
      u64 v17[1];
      lanes8(v17, v16, v15);
      u32 v18 = 0u;
      u32 v19 = 0u;
#pragma unroll
      for (u32 v20 = 0u; v20 < 8u; v20 += 1u) {
        u64 v21 = (v15 + ((u64)v20));
        if (((v21 >= v8) && (v21 < v10))) {
          i32 v23 = ((i32)((u32)v22 + (u32)((i32)((u8)lane8((v17 + 0u), v20)))));
          i64 v24 = ((i64)v23);
          u32 v27 = (((u32)((u64)((i64)((u64)v24 - (u64)v25)))) + 1u);
          bool v28 = ((v24 < v25) || (v24 > v26));
          bool v30 = !(v28 || !bit((v29 + 0ull), ((u64)v27)));
          if (v30) {
            v18 = (v18 | (1u << v20));
          }
        }
      }
      if ((v18 != 0u)) {
        u64 v32[1];
        lanes8(v32, v31, v15);
        u64 v34[1];
        lanes8(v34, v33, v15);
        u64 v36[1];
        lanes8(v36, v35, v15);
#pragma unroll
        for (u32 v37 = 0u; v37 < 8u; v37 += 1u) {
          u64 v38 = (v15 + ((u64)v37));
          if (((v18 & (1u << v37)) != 0u)) {
            v14 = (v14 + 1u);
            v19 = (v19 | (1u << v37));
          }
        }
      }
      if ((v19 != 0u)) {
        v11[(v13 + ((v15 - (v8 & 18446744073709551608ull)) >> 3u))] = ((u8)v19);
      }
    }
    u32 v39 = scan((v2 + 0u), v14);
    if ((threadIdx.x == 0u)) {
      v1[v7] = v2[blockDim.x];
    }
    __syncthreads();
  }
}

KERNEL parts_count(const u32* __restrict__ v0, u32* v1, const u32 v2, const u32 v3, const u32 v6, const u32 v7, const u64 v8, const u64 v9, const u64 v10, const u16* __restrict__ v16, const u16* __restrict__ v18, const i32 v23, const i32 v25, const i32 v27, const i32 v29, const i64 v32, const i64 v33, const u8* __restrict__ v36, const u8* __restrict__ v38, const u8* __restrict__ v40, const i32 v44, const i32 v46, const i64 v49, const i64 v51) {
  SHARED(v4)
  for (u32 v5 = threadIdx.x; v5 < v2; v5 += blockDim.x) {
    v4[v5] = 0u;
  }
  __syncthreads();
  for (u32 v11 = (blockIdx.x * v6); v11 < v7; v11 += (gridDim.x * v6)) {
    u64 v12 = (v8 + (((u64)v11) * v10));
    u64 v13 = (v12 + v10);
    u64 v14 = ((v13 > v9) ? v9 : v13);
    for (u64 v15 = ((v12 & 18446744073709551608ull) + (((u64)threadIdx.x) * 8ull)); v15 < v14; v15 += (((u64)blockDim.x) * 8ull)) {
      u64 v17[2];
      lanes16(v17, v16, v15);
      u64 v19[2];
      lanes16(v19, v18, v15);
      u32 v20 = 0u;
#pragma unroll
      for (u32 v21 = 0u; v21 < 8u; v21 += 1u) {
        u64 v22 = (v15 + ((u64)v21));
        if (((v22 >= v12) && (v22 < v14))) {
          i32 v24 = ((i32)((u32)v23 + (u32)((i32)((u16)lane16((v19 + 0u), v21)))));
          bool v26 = (v24 >= v25);
          if (v26) {
            bool v28 = (v24 < v27);
            if (v28) {
              i32 v30 = ((i32)((u32)v29 + (u32)((i32)((u16)lane16((v17 + 0u), v21)))));
              i64 v31 = ((i64)v30);
              u32 v34 = (((u32)((u64)((i64)((u64)v31 - (u64)v32)))) + 1u);
              bool v35 = ((v31 < v32) || (v31 > v33));
              bool v37 = !(v35 || !bit((v36 + 0ull), ((u64)v34)));
              if (v37) {
                v20 = (v20 | (1u << v21));
              }
            }
          }
        }
      }
      if ((v20 != 0u)) {
        u64 v39[1];
        lanes8(v39, v38, v15);
        u64 v41[1];
        lanes8(v41, v40, v15);
#pragma unroll
        for (u32 v42 = 0u; v42 < 8u; v42 += 1u) {
          u64 v43 = (v15 + ((u64)v42));
          if (((v20 & (1u << v42)) != 0u)) {
            i32 v45 = ((i32)((u32)v44 + (u32)((i32)((u16)lane16((v17 + 0u), v42)))));
            i32 v47 = ((i32)((u32)v46 + (u32)((i32)((u8)lane8((v39 + 0u), v42)))));
            i64 v48 = ((i64)v45);
            i64 v50 = ((i64)v47);
            u32 v52 = (((((u32)((u64)((i64)((u64)v48 - (u64)v49)))) + 1u) << 7u) | (((u32)((u64)((i64)((u64)v50 - (u64)v51)))) + 1u));
            count32((v4 + (v52 >> v3)), 1u);
          }
        }
      }
    }
  }
  __syncthreads();
  for (u32 v53 = threadIdx.x; v53 < v2; v53 += blockDim.x) {
    v1[(((u64)(blockIdx.x * v2)) + ((u64)v53))] = v4[v53];
  }
}
KERNEL parts_starts(const u32* __restrict__ v0, u32* v1, u32* v2, const u32 v3, const u32 v4) {
  for (u32 v5 = ((blockIdx.x * blockDim.x) + threadIdx.x); v5 < v3; v5 += (gridDim.x * blockDim.x)) {
    u32 v6 = 0u;
    for (u32 v7 = 0u; v7 < v4; v7 += 1u) {
      u64 v8 = (((u64)(v7 * v3)) + ((u64)v5));
      u32 v9 = v1[v8];
      v1[v8] = v6;
      v6 = (v6 + v9);
    }
    v2[v5] = v6;
  }
}
KERNEL parts_put(const u32* __restrict__ v0, const u32* __restrict__ v1, const u32* __restrict__ v2, u64* v3, const u32 v5, const u32 v6, const u32 v7, const u32 v11, const u64 v12, const u64 v13, const u64 v14, const u16* __restrict__ v22, const u16* __restrict__ v24, const i32 v29, const i32 v31, const i32 v33, const i32 v35, const i64 v38, const i64 v39, const u8* __restrict__ v42, const u8* __restrict__ v44, const u8* __restrict__ v46, const i32 v50, const i32 v52, const i64 v55, const i64 v57, const i32 v59, const i32 v60) {
  SHARED(v4)
  u64 v8[8];
  u32 v9[8];
  u32 v10 = 0u;
  for (u32 v76 = threadIdx.x; v76 < v5; v76 += blockDim.x) {
    v4[((v5 * 1u) + v76)] = (v2[v76] + v1[(((u64)(blockIdx.x * v5)) + ((u64)v76))]);
    v4[((v5 * 0u) + v76)] = 0u;
  }
  __syncthreads();
  for (u32 v15 = blockIdx.x; v15 < v11; v15 += gridDim.x) {
    u64 v16 = (v12 + (((u64)v15) * v14));
    u64 v17 = (v16 + v14);
    u64 v18 = ((v17 > v13) ? v13 : v17);
    u64 v19 = (v16 & 18446744073709551608ull);
    for (u64 v20 = v19; v20 < v18; v20 += (((u64)blockDim.x) * 8ull)) {
      v10 = 0u;
      u64 v21 = (v20 + (((u64)threadIdx.x) * 8ull));
      if ((v21 < v18)) {
        u64 v23[2];
        lanes16(v23, v22, v21);
        u64 v25[2];
        lanes16(v25, v24, v21);
        u32 v26 = 0u;
#pragma unroll
        for (u32 v27 = 0u; v27 < 8u; v27 += 1u) {
          u64 v28 = (v21 + ((u64)v27));
          if (((v28 >= v16) && (v28 < v18))) {
            i32 v30 = ((i32)((u32)v29 + (u32)((i32)((u16)lane16((v25 + 0u), v27)))));
            bool v32 = (v30 >= v31);
            if (v32) {
              bool v34 = (v30 < v33);
              if (v34) {
                i32 v36 = ((i32)((u32)v35 + (u32)((i32)((u16)lane16((v23 + 0u), v27)))));
                i64 v37 = ((i64)v36);
                u32 v40 = (((u32)((u64)((i64)((u64)v37 - (u64)v38)))) + 1u);
                bool v41 = ((v37 < v38) || (v37 > v39));
                bool v43 = !(v41 || !bit((v42 + 0ull), ((u64)v40)));
                if (v43) {
                  v26 = (v26 | (1u << v27));
                }
              }
            }
          }
        }
        if ((v26 != 0u)) {
          u64 v45[1];
          lanes8(v45, v44, v21);
          u64 v47[1];
          lanes8(v47, v46, v21);
#pragma unroll
          for (u32 v48 = 0u; v48 < 8u; v48 += 1u) {
            u64 v49 = (v21 + ((u64)v48));
            if (((v26 & (1u << v48)) != 0u)) {
              i32 v51 = ((i32)((u32)v50 + (u32)((i32)((u16)lane16((v23 + 0u), v48)))));
              i32 v53 = ((i32)((u32)v52 + (u32)((i32)((u8)lane8((v45 + 0u), v48)))));
              i64 v54 = ((i64)v51);
              i64 v56 = ((i64)v53);
              u32 v58 = (((((u32)((u64)((i64)((u64)v54 - (u64)v55)))) + 1u) << 7u) | (((u32)((u64)((i64)((u64)v56 - (u64)v57)))) + 1u));
              i32 v61 = ((i32)((u32)v60 + (u32)((i32)((u32)v59 * (u32)((i32)((u8)lane8((v47 + 0u), v48)))))));
              v8[((v48 * 1u) + 0u)] = (((u64)v58) | (((u64)((u32)v61)) << 32u));
              v9[v48] = take((v4 + ((v5 * 0u) + (v58 >> v7))));
              v10 = (v10 | (1u << v48));
            }
          }
        }
      }
      __syncthreads();
      u32 v62 = (threadIdx.x * (((v5 + blockDim.x) - 1u) / blockDim.x));
      u32 v63 = (((v62 + (((v5 + blockDim.x) - 1u) / blockDim.x)) > v5) ? v5 : (v62 + (((v5 + blockDim.x) - 1u) / blockDim.x)));
      u32 v64 = 0u;
      for (u32 v65 = v62; v65 < v63; v65 += 1u) {
        v64 = (v64 + v4[((v5 * 0u) + v65)]);
      }
      u32 v66 = scan((v4 + (v5 * 4u)), v64);
      for (u32 v67 = v62; v67 < v63; v67 += 1u) {
        u32 v68 = v4[((v5 * 0u) + v67)];
        u32 v69 = v4[((v5 * 1u) + v67)];
        v4[((v5 * 2u) + v67)] = v66;
        v4[((v5 * 3u) + v67)] = (v69 - v66);
        v4[((v5 * 1u) + v67)] = (v69 + v68);
        v4[((v5 * 0u) + v67)] = 0u;
        v66 = (v66 + v68);
      }
      __syncthreads();
#pragma unroll
      for (u32 v70 = 0u; v70 < 8u; v70 += 1u) {
        if (((v10 & (1u << v70)) != 0u)) {
          u32 v71 = (v4[((v5 * 2u) + (((u32)v8[((v70 * 1u) + 0u)]) >> v7))] + v9[v70]);
          put_shared((v4 + ((v6 + (v71 * 2u)) + 0u)), v8[((v70 * 1u) + 0u)]);
        }
      }
      __syncthreads();
      for (u32 v72 = threadIdx.x; v72 < v4[((v5 * 4u) + blockDim.x)]; v72 += blockDim.x) {
        u64 v73 = pair((v4 + ((v6 + (v72 * 2u)) + 0u)));
        u32 v74 = (v4[((v5 * 3u) + (((u32)v73) >> v7))] + v72);
        u64 v75 = (((u64)v74) * 1ull);
        v3[v75] = v73;
      }
    }
  }
}
KERNEL parts_sum(const u32* __restrict__ v0, const u64* __restrict__ v1, const u32* __restrict__ v2, const u32* __restrict__ v3, u64* v4, const u32 v5, const u32 v6, const u64 v7, const u32 v8, const u32 v9, const u32 v10) {
  SHARED(v11)
  for (u32 v12 = blockIdx.x; v12 < v5; v12 += gridDim.x) {
    u32 v13 = v2[((v12 * 4u) + 0u)];
    u32 v14 = v2[((v12 * 4u) + 1u)];
    u32 v15 = v2[((v12 * 4u) + 2u)];
    u32 v16 = v2[((v12 * 4u) + 3u)];
    for (u32 v17 = threadIdx.x; v17 < v10; v17 += blockDim.x) {
      v11[v17] = 0u;
    }
    __syncthreads();
    u32 v18 = (v13 << v6);
    u32 v19 = (v14 + (threadIdx.x * 8u));
    for (u32 v20 = v19; v20 < v15; v20 += (blockDim.x * 8u)) {
      u64 v21[8];
#pragma unroll
      for (u32 at = 0; at < 8u; at++) v21[at] = v1[(((u64)v20) * 1ull) + at];
#pragma unroll
      for (u32 v22 = 0u; v22 < 8u; v22 += 1u) {
        if (((v20 + v22) < v15)) {
          u32 v23 = (((u32)v21[((v22 * 1u) + 0u)]) - v18);
          add_shared((v11 + (0u + ((v8 * 0u) + v23))), v8, ((i64)((i32)((u32)(v21[((v22 * 1u) + 0u)] >> 32u)))));
        }
      }
    }
    __syncthreads();
    u64 v24 = (v7 - ((u64)v18));
    u32 v25 = ((u32)((v24 < ((u64)v8)) ? v24 : ((u64)v8)));
    bool v26 = (v16 != 0u);
    for (u32 v27 = threadIdx.x; v27 < v25; v27 += blockDim.x) {
      u32 v28 = 0u;
      i64 v29 = ((i64)0ll);
      v29 = ((i64)((u64)v29 + (u64)joined((v11 + (0u + ((v8 * 0u) + v27))), v8)));
      if ((v29 != ((i64)0ll))) {
        u32 v30 = (v18 + v27);
        if (v26) {
          u64 v31 = ((u64)v30);
          v4[v31] = ((u64)v29);
        }
        if (!v26) {
          u64 v32 = ((u64)v30);
          add64((v4 + v32), v29);
        }
      }
    }
    __syncthreads();
  }
}

KERNEL reduce(const u32* __restrict__ v0, const u32 v1, const u64 v2, const u64 v3, const u64 v4, const u16* __restrict__ v10, const u8* __restrict__ v16, const u8* __restrict__ v17, const u16* __restrict__ v20, const i32 v24, const i64 v27, u32* v29) {
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
          u32 v15 = ((u32)((u16)lane16((v11 + 0u), v13)));
          bool v18 = (v16[v15] != 0u);
          bool v19 = (v17[v15] != 0u);
          if ((v18 && !v19)) {
            v12 = (v12 | (1u << v13));
          }
        }
      }
      if ((v12 != 0u)) {
        u64 v21[2];
        lanes16(v21, v20, v9);
#pragma unroll
        for (u32 v22 = 0u; v22 < 8u; v22 += 1u) {
          u64 v23 = (v9 + ((u64)v22));
          if (((v12 & (1u << v22)) != 0u)) {
            i32 v25 = ((i32)((u32)v24 + (u32)((i32)((u16)lane16((v21 + 0u), v22)))));
            i64 v26 = ((i64)v25);
            u32 v28 = (((u32)((u64)((i64)((u64)v26 - (u64)v27)))) + 1u);
            set_bit((v29 + 0u), ((u64)v28));
          }
        }
      }
    }
  }
}

KERNEL reduce(const u32* __restrict__ v0, const u32 v1, const u64 v2, const u64 v3, const u64 v4, const u8* __restrict__ v10, const i32 v15, const i64 v18, const i64 v19, const u8* __restrict__ v22, const u8* __restrict__ v24, const u8* __restrict__ v26, const u8* __restrict__ v28, const i32 v32, const i64 v35, u32* v37) {
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
        u64 v27[1];
        lanes8(v27, v26, v9);
        u64 v29[1];
        lanes8(v29, v28, v9);
#pragma unroll
        for (u32 v30 = 0u; v30 < 8u; v30 += 1u) {
          u64 v31 = (v9 + ((u64)v30));
          if (((v12 & (1u << v30)) != 0u)) {
            i32 v33 = ((i32)((u32)v32 + (u32)((i32)((u8)lane8((v25 + 0u), v30)))));
            i64 v34 = ((i64)v33);
            u32 v36 = (((u32)((u64)((i64)((u64)v34 - (u64)v35)))) + 1u);
            set_bit((v37 + 0u), ((u64)v36));
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

KERNEL reduce(const u32* __restrict__ v0, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u16* __restrict__ v21, const i32 v25, const i64 v28, const i64 v29, const u8* __restrict__ v32, const u16* __restrict__ v38, const i32 v39, const i32 v41, const i32 v43, const i32 v44, const u8* __restrict__ v46, const i32 v47, const i64 v50, const i64 v51, const i64 v53, const i64 v54, const u32* __restrict__ v57, const u64* __restrict__ v58, const i64 v68, const i64 v69, const u8* __restrict__ v72, const i64 v75, u32* v77) {
  SHARED(v1)
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
              i64 v27 = ((i64)v26);
              u32 v30 = (((u32)((u64)((i64)((u64)v27 - (u64)v28)))) + 1u);
              bool v31 = ((v27 < v28) || (v27 > v29));
              bool v33 = !(v31 || !bit((v32 + 0ull), ((u64)v30)));
              if (v33) {
                v20 = (v20 | (1u << v23));
              }
            }
          }
        }
        v17 = (v17 | (v20 << (v18 * 8u)));
      }
      u32 v34 = (v2 + scan((v1 + 17u), ones(v17)));
      while ((v17 != 0u)) {
        u32 v35 = first_bit(v17);
        v17 = (v17 - (1u << v35));
        v1[v34] = (((u32)v16) + ((v14 * (v35 >> 3u)) + (v35 & 7u)));
        v34 = (v34 + 1u);
      }
      v2 = (v2 + v1[(17u + blockDim.x)]);
      __syncthreads();
      while (((v2 >= blockDim.x) || (v8 && (v2 != 0u)))) {
        u32 v36 = ((v2 < blockDim.x) ? v2 : blockDim.x);
        v2 = (v2 - v36);
        if ((threadIdx.x < v36)) {
          u64 v37 = ((u64)v1[(v2 + threadIdx.x)]);
          i32 v40 = ((i32)((u32)v39 + (u32)((i32)v38[v37])));
          i32 v42 = ((i32)((u32)v40 * (u32)v41));
          i32 v45 = ((i32)((u32)v44 + (u32)((i32)v21[v37])));
          i32 v48 = ((i32)((u32)v47 + (u32)((i32)v46[v37])));
          i64 v49 = ((i64)v45);
          i64 v52 = ((i64)v48);
          u32 v55 = (((((u32)((u64)((i64)((u64)v49 - (u64)v50)))) + 1u) << 7u) | (((u32)((u64)((i64)((u64)v52 - (u64)v53)))) + 1u));
          bool v56 = (((v49 < v50) || (v49 > v51)) || ((v52 < v53) || (v52 > v54)));
          u64 v59 = ((u64)v55);
          bool v60 = (v56 || !(v58[v59] != 0ull));
          u32 v61 = (v60 ? 0u : v55);
          u64 v62 = ((u64)v61);
          i32 v63 = (!v60 ? ((i32)((i64)v58[v62])) : (0));
          bool v64 = (!v60 ? false : true);
          i32 v65 = ((i32)((u32)v43 * (u32)v63));
          bool v66 = (v42 > v65);
          if ((v66 && !v64)) {
            i64 v67 = ((i64)v48);
            u32 v70 = (((u32)((u64)((i64)((u64)v67 - (u64)v68)))) + 1u);
            bool v71 = ((v67 < v68) || (v67 > v69));
            bool v73 = !(v71 || !bit((v72 + 0ull), ((u64)v70)));
            if (v73) {
              i64 v74 = ((i64)v48);
              u32 v76 = (((u32)((u64)((i64)((u64)v74 - (u64)v75)))) + 1u);
              set_bit((v77 + 0u), ((u64)v76));
            }
          }
        }
        __syncthreads();
      }
    }
  }
}

KERNEL reduce(const u32* __restrict__ v0, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u16* __restrict__ v21, const u16* __restrict__ v23, const i32 v27, const i32 v29, const i32 v31, const i32 v33, const i64 v36, const i64 v37, const u8* __restrict__ v40, const i32 v46, const u8* __restrict__ v48, const i32 v49, const i64 v52, const i64 v54, const u8* __restrict__ v56, const i32 v57, const i32 v58, const u32 v60, const u32 v61, const u32 v62, const u32* __restrict__ v63, u64* v64) {
  SHARED(v1)
  for (u32 v68 = threadIdx.x; v68 < (v62 * 3u); v68 += blockDim.x) {
    v1[(20u + v68)] = 0u;
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
          u64 v24[2];
          lanes16(v24, v23, v19);
#pragma unroll
          for (u32 v25 = 0u; v25 < 8u; v25 += 1u) {
            u64 v26 = (v19 + ((u64)v25));
            if (((v26 >= v12) && (v26 < v13))) {
              i32 v28 = ((i32)((u32)v27 + (u32)((i32)((u16)lane16((v24 + 0u), v25)))));
              bool v30 = (v28 >= v29);
              if (v30) {
                bool v32 = (v28 < v31);
                if (v32) {
                  i32 v34 = ((i32)((u32)v33 + (u32)((i32)((u16)lane16((v22 + 0u), v25)))));
                  i64 v35 = ((i64)v34);
                  u32 v38 = (((u32)((u64)((i64)((u64)v35 - (u64)v36)))) + 1u);
                  bool v39 = ((v35 < v36) || (v35 > v37));
                  bool v41 = !(v39 || !bit((v40 + 0ull), ((u64)v38)));
                  if (v41) {
                    v20 = (v20 | (1u << v25));
                  }
                }
              }
            }
          }
        }
        v17 = (v17 | (v20 << (v18 * 8u)));
      }
      u32 v42 = (v2 + scan((v1 + 17u), ones(v17)));
      while ((v17 != 0u)) {
        u32 v43 = first_bit(v17);
        v17 = (v17 - (1u << v43));
        v1[v42] = (((u32)v16) + ((v14 * (v43 >> 3u)) + (v43 & 7u)));
        v42 = (v42 + 1u);
      }
      v2 = (v2 + v1[(17u + blockDim.x)]);
      __syncthreads();
      while (((v2 >= blockDim.x) || (v8 && (v2 != 0u)))) {
        u32 v44 = ((v2 < blockDim.x) ? v2 : blockDim.x);
        v2 = (v2 - v44);
        if ((threadIdx.x < v44)) {
          u64 v45 = ((u64)v1[(v2 + threadIdx.x)]);
          i32 v47 = ((i32)((u32)v46 + (u32)((i32)v21[v45])));
          i32 v50 = ((i32)((u32)v49 + (u32)((i32)v48[v45])));
          i64 v51 = ((i64)v47);
          i64 v53 = ((i64)v50);
          u32 v55 = (((((u32)((u64)((i64)((u64)v51 - (u64)v52)))) + 1u) << 7u) | (((u32)((u64)((i64)((u64)v53 - (u64)v54)))) + 1u));
          i32 v59 = ((i32)((u32)v58 + (u32)((i32)((u32)v57 * (u32)((i32)v56[v45])))));
          u32 v65 = (((v55 & (v60 - 1u)) * v61) + (threadIdx.x % v61));
          bool v66 = take_entry((v1 + (20u + v65)), (v55 + 1u));
          if (v66) {
            add_shared((v1 + (20u + ((v62 * 1u) + v65))), v62, ((i64)v59));
          }
          if (!v66) {
            u64 v67 = ((u64)v55);
            add64((v64 + v67), ((i64)v59));
          }
        }
        __syncthreads();
      }
    }
  }
  __syncthreads();
  for (u32 v69 = threadIdx.x; v69 < (v60 * v61); v69 += blockDim.x) {
    u32 v70 = v1[(20u + ((v62 * 0u) + v69))];
    if ((v70 != 0u)) {
      u32 v71 = 0u;
      i64 v72 = ((i64)0ll);
      v72 = ((i64)((u64)v72 + (u64)joined((v1 + (20u + ((v62 * 1u) + v69))), v62)));
      u32 v73 = (v70 - 1u);
      u64 v74 = ((u64)v73);
      add64((v64 + v74), v72);
    }
  }
}
