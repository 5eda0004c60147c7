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

KERNEL collect(const u32* __restrict__ v0, const u32* __restrict__ v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const i32* __restrict__ v15, const i64 v18, const i64 v19, const u8* __restrict__ v22, const i64 v27, const i64 v28, const u32* __restrict__ v32, u32* v34, const u32* __restrict__ v35, u32* v37) {
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
        i32 v16 = v15[v13];
        i64 v17 = ((i64)v16);
        u32 v20 = (((u32)((u64)((i64)((u64)v17 - (u64)v18)))) + 1u);
        bool v21 = ((v17 < v18) || (v17 > v19));
        bool v23 = !(v21 || !bit((v22 + 0ull), ((u64)v20)));
        if (v23) {
          v14 = (v14 + 1u);
        }
      }
      u32 v24 = (v11 + scan((v2 + 0u), v14));
      if ((v14 != 0u)) {
        i32 v25 = v15[v13];
        i64 v26 = ((i64)v25);
        u32 v29 = (((u32)((u64)((i64)((u64)v26 - (u64)v27)))) + 1u);
        bool v30 = ((v26 < v27) || (v26 > v28));
        bool v31 = !(v30 || !bit((v22 + 0ull), ((u64)v29)));
        if (v31) {
          u32 v33 = v32[v13];
          v34[v24] = v33;
          u32 v36 = v35[v13];
          v37[v24] = v36;
          v24 = (v24 + 1u);
        }
      }
      v11 = (v11 + v2[blockDim.x]);
      __syncthreads();
    }
  }
}

KERNEL collect(const u32* __restrict__ v0, const u32* __restrict__ v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u8* __restrict__ v15, const i32 v16, const i64 v19, const i64 v20, const u8* __restrict__ v23, const i32 v26, const i64 v29, const i64 v30, const u8* __restrict__ v34, const i32 v35, i32* v37, const u8* __restrict__ v38, u32* v40, const u8* __restrict__ v41, u32* v43) {
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
        i32 v17 = ((i32)((u32)v16 + (u32)((i32)v15[v13])));
        i64 v18 = ((i64)v17);
        u32 v21 = (((u32)((u64)((i64)((u64)v18 - (u64)v19)))) + 1u);
        bool v22 = ((v18 < v19) || (v18 > v20));
        bool v24 = !(v22 || !bit((v23 + 0ull), ((u64)v21)));
        if (v24) {
          v14 = (v14 + 1u);
        }
      }
      u32 v25 = (v11 + scan((v2 + 0u), v14));
      if ((v14 != 0u)) {
        i32 v27 = ((i32)((u32)v26 + (u32)((i32)v15[v13])));
        i64 v28 = ((i64)v27);
        u32 v31 = (((u32)((u64)((i64)((u64)v28 - (u64)v29)))) + 1u);
        bool v32 = ((v28 < v29) || (v28 > v30));
        bool v33 = !(v32 || !bit((v23 + 0ull), ((u64)v31)));
        if (v33) {
          i32 v36 = ((i32)((u32)v35 + (u32)((i32)v34[v13])));
          v37[v25] = v36;
          u32 v39 = ((u32)v38[v13]);
          v40[v25] = v39;
          u32 v42 = ((u32)v41[v13]);
          v43[v25] = v42;
          v25 = (v25 + 1u);
        }
      }
      v11 = (v11 + v2[blockDim.x]);
      __syncthreads();
    }
  }
}

KERNEL count(const u32* __restrict__ v0, u32* v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const i32* __restrict__ v13, const i64 v20, const i64 v21, const u8* __restrict__ v24, const u32* __restrict__ v26, const u32* __restrict__ v28) {
  SHARED(v2)
  for (u32 v7 = blockIdx.x; v7 < v3; v7 += gridDim.x) {
    u64 v8 = (v4 + (((u64)v7) * v6));
    u64 v9 = (v8 + v6);
    u64 v10 = ((v9 > v5) ? v5 : v9);
    u32 v11 = 0u;
    for (u64 v12 = ((v8 & 18446744073709551608ull) + (((u64)threadIdx.x) * 8ull)); v12 < v10; v12 += (((u64)blockDim.x) * 8ull)) {
      u64 v14[4];
      lanes32(v14, v13, v12);
      u32 v15 = 0u;
#pragma unroll
      for (u32 v16 = 0u; v16 < 8u; v16 += 1u) {
        u64 v17 = (v12 + ((u64)v16));
        if (((v17 >= v8) && (v17 < v10))) {
          i32 v18 = ((i32)lane32((v14 + 0u), v16));
          i64 v19 = ((i64)v18);
          u32 v22 = (((u32)((u64)((i64)((u64)v19 - (u64)v20)))) + 1u);
          bool v23 = ((v19 < v20) || (v19 > v21));
          bool v25 = !(v23 || !bit((v24 + 0ull), ((u64)v22)));
          if (v25) {
            v15 = (v15 | (1u << v16));
          }
        }
      }
      if ((v15 != 0u)) {
        u64 v27[4];
        lanes32(v27, v26, v12);
        u64 v29[4];
        lanes32(v29, v28, v12);
#pragma unroll
        for (u32 v30 = 0u; v30 < 8u; v30 += 1u) {
          u64 v31 = (v12 + ((u64)v30));
          if (((v15 & (1u << v30)) != 0u)) {
            v11 = (v11 + 1u);
          }
        }
      }
    }
    u32 v32 = scan((v2 + 0u), v11);
    if ((threadIdx.x == 0u)) {
      v1[v7] = v2[blockDim.x];
    }
    __syncthreads();
  }
}

KERNEL count(const u32* __restrict__ v0, u32* v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u16* __restrict__ v13, const u16* __restrict__ v15, const i32 v20, const i32 v22, const i32 v24, const i32 v26, const i64 v29, const i64 v30, const u8* __restrict__ v33, const u8* __restrict__ v35, const u8* __restrict__ v37) {
  SHARED(v2)
  for (u32 v7 = blockIdx.x; v7 < v3; v7 += gridDim.x) {
    u64 v8 = (v4 + (((u64)v7) * v6));
    u64 v9 = (v8 + v6);
    u64 v10 = ((v9 > v5) ? v5 : v9);
    u32 v11 = 0u;
    for (u64 v12 = ((v8 & 18446744073709551608ull) + (((u64)threadIdx.x) * 8ull)); v12 < v10; v12 += (((u64)blockDim.x) * 8ull)) {
      u64 v14[2];
      lanes16(v14, v13, v12);
      u64 v16[2];
      lanes16(v16, v15, v12);
      u32 v17 = 0u;
#pragma unroll
      for (u32 v18 = 0u; v18 < 8u; v18 += 1u) {
        u64 v19 = (v12 + ((u64)v18));
        if (((v19 >= v8) && (v19 < v10))) {
          i32 v21 = ((i32)((u32)v20 + (u32)((i32)((u16)lane16((v16 + 0u), v18)))));
          bool v23 = (v21 >= v22);
          if (v23) {
            bool v25 = (v21 < v24);
            if (v25) {
              i32 v27 = ((i32)((u32)v26 + (u32)((i32)((u16)lane16((v14 + 0u), v18)))));
              i64 v28 = ((i64)v27);
              u32 v31 = (((u32)((u64)((i64)((u64)v28 - (u64)v29)))) + 1u);
              bool v32 = ((v28 < v29) || (v28 > v30));
              bool v34 = !(v32 || !bit((v33 + 0ull), ((u64)v31)));
              if (v34) {
                v17 = (v17 | (1u << v18));
              }
            }
          }
        }
      }
      if ((v17 != 0u)) {
        u64 v36[1];
        lanes8(v36, v35, v12);
        u64 v38[1];
        lanes8(v38, v37, v12);
#pragma unroll
        for (u32 v39 = 0u; v39 < 8u; v39 += 1u) {
          u64 v40 = (v12 + ((u64)v39));
          if (((v17 & (1u << v39)) != 0u)) {
            v11 = (v11 + 1u);
          }
        }
      }
    }
    u32 v41 = scan((v2 + 0u), v11);
    if ((threadIdx.x == 0u)) {
      v1[v7] = v2[blockDim.x];
    }
    __syncthreads();
  }
}

KERNEL count(const u32* __restrict__ v0, u32* v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u8* __restrict__ v13, const i32 v18, const i64 v21, const i64 v22, const u8* __restrict__ v25, const u8* __restrict__ v27, const u8* __restrict__ v29, const u8* __restrict__ v31) {
  SHARED(v2)
  for (u32 v7 = blockIdx.x; v7 < v3; v7 += gridDim.x) {
    u64 v8 = (v4 + (((u64)v7) * v6));
    u64 v9 = (v8 + v6);
    u64 v10 = ((v9 > v5) ? v5 : v9);
    u32 v11 = 0u;
    for (u64 v12 = ((v8 & 18446744073709551608ull) + (((u64)threadIdx.x) * 8ull)); v12 < v10; v12 += (((u64)blockDim.x) * 8ull)) {
      u64 v14[1];
      lanes8(v14, v13, v12);
      u32 v15 = 0u;
#pragma unroll
      for (u32 v16 = 0u; v16 < 8u; v16 += 1u) {
        u64 v17 = (v12 + ((u64)v16));
        if (((v17 >= v8) && (v17 < v10))) {
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
            v11 = (v11 + 1u);
          }
        }
      }
    }
    u32 v35 = scan((v2 + 0u), v11);
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
