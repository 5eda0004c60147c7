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

KERNEL collect(const u32* __restrict__ v0, const u32* __restrict__ v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u64 v12, const u8* __restrict__ v17, const u8* __restrict__ v19, const i32 v20, const i64 v23, const i64 v24, const u8* __restrict__ v27, const u8* __restrict__ v29, const i32 v30, i32* v32, const u8* __restrict__ v33, u32* v35, const u8* __restrict__ v36, u32* v38) {
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
        i32 v21 = ((i32)((u32)v20 + (u32)((i32)v19[v15])));
        i64 v22 = ((i64)v21);
        u32 v25 = (((u32)((u64)((i64)((u64)v22 - (u64)v23)))) + 1u);
        bool v26 = ((v22 < v23) || (v22 > v24));
        bool v28 = !(v26 || !bit((v27 + 0ull), ((u64)v25)));
        if (v28) {
          i32 v31 = ((i32)((u32)v30 + (u32)((i32)v29[v15])));
          v32[v18] = v31;
          u32 v34 = ((u32)v33[v15]);
          v35[v18] = v34;
          u32 v37 = ((u32)v36[v15]);
          v38[v18] = v37;
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

KERNEL reduce(const u32* __restrict__ v0, const u32 v1, const u64 v2, const u64 v3, const u64 v4, const u16* __restrict__ v10, const u16* __restrict__ v12, const i32 v17, const i32 v19, const i32 v21, const i32 v23, const i64 v26, const i64 v27, const u8* __restrict__ v30, const u8* __restrict__ v32, const u8* __restrict__ v34, const i32 v38, const i32 v40, const i64 v43, const i64 v45, const i32 v47, const i32 v48, const u32 v50, const u32 v51, const u32 v52, const u32* __restrict__ v53, u64* v54) {
  SHARED(v56)
  for (u32 v59 = threadIdx.x; v59 < (v52 * 3u); v59 += blockDim.x) {
    v56[(0u + v59)] = 0u;
  }
  __syncthreads();
  for (u32 v5 = blockIdx.x; v5 < v1; v5 += gridDim.x) {
    u64 v6 = (v2 + (((u64)v5) * v4));
    u64 v7 = (v6 + v4);
    u64 v8 = ((v7 > v3) ? v3 : v7);
    for (u64 v9 = ((v6 & 18446744073709551608ull) + (((u64)threadIdx.x) * 8ull)); v9 < v8; v9 += (((u64)blockDim.x) * 8ull)) {
      u64 v11[2];
      lanes16(v11, v10, v9);
      u64 v13[2];
      lanes16(v13, v12, v9);
      u32 v14 = 0u;
#pragma unroll
      for (u32 v15 = 0u; v15 < 8u; v15 += 1u) {
        u64 v16 = (v9 + ((u64)v15));
        if (((v16 >= v6) && (v16 < v8))) {
          i32 v18 = ((i32)((u32)v17 + (u32)((i32)((u16)lane16((v13 + 0u), v15)))));
          bool v20 = (v18 >= v19);
          if (v20) {
            bool v22 = (v18 < v21);
            if (v22) {
              i32 v24 = ((i32)((u32)v23 + (u32)((i32)((u16)lane16((v11 + 0u), v15)))));
              i64 v25 = ((i64)v24);
              u32 v28 = (((u32)((u64)((i64)((u64)v25 - (u64)v26)))) + 1u);
              bool v29 = ((v25 < v26) || (v25 > v27));
              bool v31 = !(v29 || !bit((v30 + 0ull), ((u64)v28)));
              if (v31) {
                v14 = (v14 | (1u << v15));
              }
            }
          }
        }
      }
      if ((v14 != 0u)) {
        u64 v33[1];
        lanes8(v33, v32, v9);
        u64 v35[1];
        lanes8(v35, v34, v9);
#pragma unroll
        for (u32 v36 = 0u; v36 < 8u; v36 += 1u) {
          u64 v37 = (v9 + ((u64)v36));
          if (((v14 & (1u << v36)) != 0u)) {
            i32 v39 = ((i32)((u32)v38 + (u32)((i32)((u16)lane16((v11 + 0u), v36)))));
            i32 v41 = ((i32)((u32)v40 + (u32)((i32)((u8)lane8((v33 + 0u), v36)))));
            i64 v42 = ((i64)v39);
            i64 v44 = ((i64)v41);
            u32 v46 = (((((u32)((u64)((i64)((u64)v42 - (u64)v43)))) + 1u) << 7u) | (((u32)((u64)((i64)((u64)v44 - (u64)v45)))) + 1u));
            i32 v49 = ((i32)((u32)v48 + (u32)((i32)((u32)v47 * (u32)((i32)((u8)lane8((v35 + 0u), v36)))))));
            u32 v55 = (((v46 & (v50 - 1u)) * v51) + (threadIdx.x % v51));
            bool v57 = take_entry((v56 + (0u + v55)), (v46 + 1u));
            if (v57) {
              add_shared((v56 + (0u + ((v52 * 1u) + v55))), v52, ((i64)v49));
            }
            if (!v57) {
              u64 v58 = ((u64)v46);
              add64((v54 + v58), ((i64)v49));
            }
          }
        }
      }
    }
  }
  __syncthreads();
  for (u32 v60 = threadIdx.x; v60 < (v50 * v51); v60 += blockDim.x) {
    u32 v61 = v56[(0u + ((v52 * 0u) + v60))];
    if ((v61 != 0u)) {
      u32 v62 = 0u;
      i64 v63 = ((i64)0ll);
      v63 = ((i64)((u64)v63 + (u64)joined((v56 + (0u + ((v52 * 1u) + v60))), v52)));
      u32 v64 = (v61 - 1u);
      u64 v65 = ((u64)v64);
      add64((v54 + v65), v63);
    }
  }
}

KERNEL reduce(const u32* __restrict__ v0, const u32 v1, const u64 v2, const u64 v3, const u64 v4, const u16* __restrict__ v13, const u8* __restrict__ v19, const u8* __restrict__ v20, const u16* __restrict__ v23, const i32 v27, const i64 v30, u32* v32) {
  for (u32 v5 = blockIdx.x; v5 < v1; v5 += gridDim.x) {
    u64 v6 = (v2 + (((u64)v5) * v4));
    u64 v7 = (v6 + v4);
    u64 v8 = ((v7 > v3) ? v3 : v7);
    for (u64 v9 = ((v6 & 18446744073709551608ull) + (((u64)threadIdx.x) * 32ull)); v9 < v8; v9 += (((u64)blockDim.x) * 32ull)) {
      u64 v10 = (v9 + 32ull);
      u64 v11 = ((v10 > v8) ? v8 : v10);
      for (u64 v12 = v9; v12 < v11; v12 += 8ull) {
        u64 v14[2];
        lanes16(v14, v13, v12);
        u32 v15 = 0u;
#pragma unroll
        for (u32 v16 = 0u; v16 < 8u; v16 += 1u) {
          u64 v17 = (v12 + ((u64)v16));
          if (((v17 >= v6) && (v17 < v8))) {
            u32 v18 = ((u32)((u16)lane16((v14 + 0u), v16)));
            bool v21 = (v19[v18] != 0u);
            bool v22 = (v20[v18] != 0u);
            if ((v21 && !v22)) {
              v15 = (v15 | (1u << v16));
            }
          }
        }
        if ((v15 != 0u)) {
          u64 v24[2];
          lanes16(v24, v23, v12);
#pragma unroll
          for (u32 v25 = 0u; v25 < 8u; v25 += 1u) {
            u64 v26 = (v12 + ((u64)v25));
            if (((v15 & (1u << v25)) != 0u)) {
              i32 v28 = ((i32)((u32)v27 + (u32)((i32)((u16)lane16((v24 + 0u), v25)))));
              i64 v29 = ((i64)v28);
              u32 v31 = (((u32)((u64)((i64)((u64)v29 - (u64)v30)))) + 1u);
              set_bit((v32 + 0u), ((u64)v31));
            }
          }
        }
      }
    }
  }
}

KERNEL reduce(const u32* __restrict__ v0, const u32 v1, const u64 v2, const u64 v3, const u64 v4, const u8* __restrict__ v13, const i32 v18, const i64 v21, const i64 v22, const u8* __restrict__ v25, const u8* __restrict__ v27, const u8* __restrict__ v29, const u8* __restrict__ v31, const i32 v35, const i64 v38, u32* v40) {
  for (u32 v5 = blockIdx.x; v5 < v1; v5 += gridDim.x) {
    u64 v6 = (v2 + (((u64)v5) * v4));
    u64 v7 = (v6 + v4);
    u64 v8 = ((v7 > v3) ? v3 : v7);
    for (u64 v9 = ((v6 & 18446744073709551608ull) + (((u64)threadIdx.x) * 32ull)); v9 < v8; v9 += (((u64)blockDim.x) * 32ull)) {
      u64 v10 = (v9 + 32ull);
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
          u64 v28[1];
          lanes8(v28, v27, v12);
          u64 v30[1];
          lanes8(v30, v29, v12);
          u64 v32[1];
          lanes8(v32, v31, v12);
#pragma unroll
          for (u32 v33 = 0u; v33 < 8u; v33 += 1u) {
            u64 v34 = (v12 + ((u64)v33));
            if (((v15 & (1u << v33)) != 0u)) {
              i32 v36 = ((i32)((u32)v35 + (u32)((i32)((u8)lane8((v28 + 0u), v33)))));
              i64 v37 = ((i64)v36);
              u32 v39 = (((u32)((u64)((i64)((u64)v37 - (u64)v38)))) + 1u);
              set_bit((v40 + 0u), ((u64)v39));
            }
          }
        }
      }
    }
  }
}

KERNEL reduce(const u32* __restrict__ v0, const u32 v1, const u64 v2, const u64 v3, const u64 v4, const u8* __restrict__ v13, const u8* __restrict__ v19, const u8* __restrict__ v20, const u8* __restrict__ v22, const i32 v26, const i64 v29, u32* v31) {
  for (u32 v5 = blockIdx.x; v5 < v1; v5 += gridDim.x) {
    u64 v6 = (v2 + (((u64)v5) * v4));
    u64 v7 = (v6 + v4);
    u64 v8 = ((v7 > v3) ? v3 : v7);
    for (u64 v9 = ((v6 & 18446744073709551608ull) + (((u64)threadIdx.x) * 32ull)); v9 < v8; v9 += (((u64)blockDim.x) * 32ull)) {
      u64 v10 = (v9 + 32ull);
      u64 v11 = ((v10 > v8) ? v8 : v10);
      for (u64 v12 = v9; v12 < v11; v12 += 8ull) {
        u64 v14[1];
        lanes8(v14, v13, v12);
        u32 v15 = 0u;
#pragma unroll
        for (u32 v16 = 0u; v16 < 8u; v16 += 1u) {
          u64 v17 = (v12 + ((u64)v16));
          if (((v17 >= v6) && (v17 < v8))) {
            u32 v18 = ((u32)((u8)lane8((v14 + 0u), v16)));
            bool v21 = (v19[v18] != 0u);
            if (v21) {
              v15 = (v15 | (1u << v16));
            }
          }
        }
        if ((v15 != 0u)) {
          u64 v23[1];
          lanes8(v23, v22, v12);
#pragma unroll
          for (u32 v24 = 0u; v24 < 8u; v24 += 1u) {
            u64 v25 = (v12 + ((u64)v24));
            if (((v15 & (1u << v24)) != 0u)) {
              i32 v27 = ((i32)((u32)v26 + (u32)((i32)((u8)lane8((v23 + 0u), v24)))));
              i64 v28 = ((i64)v27);
              u32 v30 = (((u32)((u64)((i64)((u64)v28 - (u64)v29)))) + 1u);
              set_bit((v31 + 0u), ((u64)v30));
            }
          }
        }
      }
    }
  }
}

KERNEL reduce(const u32* __restrict__ v0, const u32 v3, const u64 v6, const u64 v7, const u64 v8, const u16* __restrict__ v16, const i32 v20, const i64 v23, const i64 v24, const u8* __restrict__ v27, const u16* __restrict__ v33, const i32 v34, const i32 v36, const i32 v38, const i32 v39, const u8* __restrict__ v41, const i32 v42, const i64 v45, const i64 v46, const i64 v48, const i64 v49, const u32* __restrict__ v52, const u64* __restrict__ v53, const i64 v63, const i64 v64, const u8* __restrict__ v67, const i64 v70, u32* v72) {
  SHARED(v1)
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
            i64 v22 = ((i64)v21);
            u32 v25 = (((u32)((u64)((i64)((u64)v22 - (u64)v23)))) + 1u);
            bool v26 = ((v22 < v23) || (v22 > v24));
            bool v28 = !(v26 || !bit((v27 + 0ull), ((u64)v25)));
            if (v28) {
              v15 = (v15 | (1u << v18));
            }
          }
        }
      }
      u32 v29 = (v2 + scan((v1 + 9u), ones(v15)));
#pragma unroll
      for (u32 v30 = 0u; v30 < 8u; v30 += 1u) {
        if (((v15 & (1u << v30)) != 0u)) {
          v1[v29] = (((u32)v14) + v30);
          v29 = (v29 + 1u);
        }
      }
      v2 = (v2 + v1[(9u + blockDim.x)]);
      __syncthreads();
      while (((v2 >= blockDim.x) || (v5 && (v2 != 0u)))) {
        u32 v31 = ((v2 < blockDim.x) ? v2 : blockDim.x);
        v2 = (v2 - v31);
        if ((threadIdx.x < v31)) {
          u64 v32 = ((u64)v1[(v2 + threadIdx.x)]);
          i32 v35 = ((i32)((u32)v34 + (u32)((i32)v33[v32])));
          i32 v37 = ((i32)((u32)v35 * (u32)v36));
          i32 v40 = ((i32)((u32)v39 + (u32)((i32)v16[v32])));
          i32 v43 = ((i32)((u32)v42 + (u32)((i32)v41[v32])));
          i64 v44 = ((i64)v40);
          i64 v47 = ((i64)v43);
          u32 v50 = (((((u32)((u64)((i64)((u64)v44 - (u64)v45)))) + 1u) << 7u) | (((u32)((u64)((i64)((u64)v47 - (u64)v48)))) + 1u));
          bool v51 = (((v44 < v45) || (v44 > v46)) || ((v47 < v48) || (v47 > v49)));
          u64 v54 = ((u64)v50);
          bool v55 = (v51 || !(v53[v54] != 0ull));
          u32 v56 = (v55 ? 0u : v50);
          u64 v57 = ((u64)v56);
          i32 v58 = (!v55 ? ((i32)((i64)v53[v57])) : (0));
          bool v59 = (!v55 ? false : true);
          i32 v60 = ((i32)((u32)v38 * (u32)v58));
          bool v61 = (v37 > v60);
          if ((v61 && !v59)) {
            i64 v62 = ((i64)v43);
            u32 v65 = (((u32)((u64)((i64)((u64)v62 - (u64)v63)))) + 1u);
            bool v66 = ((v62 < v63) || (v62 > v64));
            bool v68 = !(v66 || !bit((v67 + 0ull), ((u64)v65)));
            if (v68) {
              i64 v69 = ((i64)v43);
              u32 v71 = (((u32)((u64)((i64)((u64)v69 - (u64)v70)))) + 1u);
              set_bit((v72 + 0u), ((u64)v71));
            }
          }
        }
        __syncthreads();
      }
    }
  }
}
