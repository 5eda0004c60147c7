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

KERNEL codes(const u32* __restrict__ v0, const u32 v1, const u64 v2, const u64 v3, const u64 v4, const u8* __restrict__ v10, const i32 v11, const i64 v14, u32* v16) {
  for (u32 v5 = blockIdx.x; v5 < v1; v5 += gridDim.x) {
    u64 v6 = (v2 + (((u64)v5) * v4));
    u64 v7 = (v6 + v4);
    u64 v8 = ((v7 > v3) ? v3 : v7);
    for (u64 v9 = (v6 + ((u64)threadIdx.x)); v9 < v8; v9 += ((u64)blockDim.x)) {
      i32 v12 = ((i32)((u32)v11 + (u32)((i32)v10[v9])));
      i64 v13 = ((i64)v12);
      u32 v15 = (((u32)((u64)((i64)((u64)v13 - (u64)v14)))) + 1u);
      v16[v9] = v15;
    }
  }
}

KERNEL collect(const u32* __restrict__ v0, const u32* __restrict__ v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u32* __restrict__ v15, const u64* __restrict__ v16, const i32 v18, const i32 v19, const i64 v22, u32* v24, i64* v26) {
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
          i32 v20 = ((i32)((u32)v18 + (u32)((i32)((u32)((i32)(v13 - 1ull)) * (u32)v19))));
          i64 v21 = ((i64)v20);
          u32 v23 = (((u32)((u64)((i64)((u64)v21 - (u64)v22)))) + 1u);
          v24[v17] = v23;
          i64 v25 = ((i64)v16[v13]);
          v26[v17] = v25;
          v17 = (v17 + 1u);
        }
      }
      v11 = (v11 + v2[blockDim.x]);
      __syncthreads();
    }
  }
}

KERNEL collect(const u32* __restrict__ v0, const u32* __restrict__ v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u64 v12, const u8* __restrict__ v14, const u16* __restrict__ v22, const i32 v23, const i32 v25, const i32 v27, const u16* __restrict__ v29, const i32 v30, const i64 v33, u32* v35, const u16* __restrict__ v36, const i32 v37, i32* v39) {
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
            i64 v32 = ((i64)v31);
            u32 v34 = (((u32)((u64)((i64)((u64)v32 - (u64)v33)))) + 1u);
            v35[v19] = v34;
            i32 v38 = ((i32)((u32)v37 + (u32)((i32)v36[v21])));
            v39[v19] = v38;
            v19 = (v19 + 1u);
          }
        }
      }
      v11 = (v11 + v2[blockDim.x]);
      __syncthreads();
    }
  }
}

KERNEL collect(const u32* __restrict__ v0, const u32* __restrict__ v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u64 v12, const u8* __restrict__ v17, const u16* __restrict__ v19, const i32 v20, const i64 v23, const i64 v24, const u32* __restrict__ v27, const u8* __restrict__ v30, const i32 v31, const i64 v34, const i64 v35, const u32* __restrict__ v38, const i64* __restrict__ v41, i64* v43, i32* v44, const u16* __restrict__ v45, u32* v47, const u32* __restrict__ v48, const i32 v49, i32* v51, const u16* __restrict__ v52, u32* v54, const u8* __restrict__ v55, u32* v57, const u16* __restrict__ v58, u32* v60, const u16* __restrict__ v61, u32* v63, i64* v64) {
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
        u32 v28 = (v26 ? 0u : v27[v25]);
        u32 v29 = (v28 - 1u);
        if (!(v28 == 0u)) {
          i32 v32 = ((i32)((u32)v31 + (u32)((i32)v30[v15])));
          i64 v33 = ((i64)v32);
          u32 v36 = (((u32)((u64)((i64)((u64)v33 - (u64)v34)))) + 1u);
          bool v37 = ((v33 < v34) || (v33 > v35));
          u32 v39 = (v37 ? 0u : v38[v36]);
          u32 v40 = (v39 - 1u);
          if (!(v39 == 0u)) {
            i64 v42 = v41[v29];
            v43[v18] = v42;
            v44[v18] = v21;
            u32 v46 = ((u32)v45[v15]);
            v47[v18] = v46;
            i32 v50 = ((i32)((u32)v49 + (u32)((i32)v48[v15])));
            v51[v18] = v50;
            u32 v53 = ((u32)v52[v15]);
            v54[v18] = v53;
            u32 v56 = ((u32)v55[v40]);
            v57[v18] = v56;
            u32 v59 = ((u32)v58[v15]);
            v60[v18] = v59;
            u32 v62 = ((u32)v61[v15]);
            v63[v18] = v62;
            v64[v18] = v42;
            v18 = (v18 + 1u);
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

KERNEL count(const u32* __restrict__ v0, u32* v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, u8* v11, const u64 v12, const u16* __restrict__ v16, const i32 v22, const i32 v24, const i32 v26, const u16* __restrict__ v28, const u16* __restrict__ v30) {
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
        u64 v31[2];
        lanes16(v31, v30, v15);
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

KERNEL count(const u32* __restrict__ v0, u32* v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, u8* v11, const u64 v12, const u16* __restrict__ v20, const u16* __restrict__ v22, const u16* __restrict__ v24, const u8* __restrict__ v26, const u16* __restrict__ v28, const u32* __restrict__ v30, const u16* __restrict__ v32, const i32 v36, const i64 v39, const i64 v40, const u32* __restrict__ v43, const i32 v46, const i64 v49, const i64 v50, const u32* __restrict__ v53) {
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
        u64 v25[2];
        lanes16(v25, v24, v15);
        u64 v27[1];
        lanes8(v27, v26, v15);
        u64 v29[2];
        lanes16(v29, v28, v15);
        u64 v31[4];
        lanes32(v31, v30, v15);
        u64 v33[2];
        lanes16(v33, v32, v15);
#pragma unroll
        for (u32 v34 = 0u; v34 < 8u; v34 += 1u) {
          u64 v35 = (v15 + ((u64)v34));
          if (((v16 & (1u << v34)) != 0u)) {
            i32 v37 = ((i32)((u32)v36 + (u32)((i32)((u16)lane16((v21 + 0u), v34)))));
            i64 v38 = ((i64)v37);
            u32 v41 = (((u32)((u64)((i64)((u64)v38 - (u64)v39)))) + 1u);
            bool v42 = ((v38 < v39) || (v38 > v40));
            u32 v44 = (v42 ? 0u : v43[v41]);
            u32 v45 = (v44 - 1u);
            if (!(v44 == 0u)) {
              i32 v47 = ((i32)((u32)v46 + (u32)((i32)((u8)lane8((v27 + 0u), v34)))));
              i64 v48 = ((i64)v47);
              u32 v51 = (((u32)((u64)((i64)((u64)v48 - (u64)v49)))) + 1u);
              bool v52 = ((v48 < v49) || (v48 > v50));
              u32 v54 = (v52 ? 0u : v53[v51]);
              u32 v55 = (v54 - 1u);
              if (!(v54 == 0u)) {
                v14 = (v14 + 1u);
                v17 = (v17 | (1u << v34));
              }
            }
          }
        }
      }
      if ((v17 != 0u)) {
        v11[(v13 + ((v15 - (v8 & 18446744073709551608ull)) >> 3u))] = ((u8)v17);
      }
    }
    u32 v56 = scan((v2 + 0u), v14);
    if ((threadIdx.x == 0u)) {
      v1[v7] = v2[blockDim.x];
    }
    __syncthreads();
  }
}

KERNEL reduce(const u32* __restrict__ v0, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u8* __restrict__ v21, const u8* __restrict__ v26, const u8* __restrict__ v27, const u16* __restrict__ v29, const i32 v33, const i64 v36, const i64 v37, const u32* __restrict__ v40, const u32 v41, const u32 v42, const bool v43, const u32 v44, const u8* __restrict__ v46, const i32 v52, const i64 v55, const i64 v56, const u32* __restrict__ v60, const i32* __restrict__ v63, const i64 v66, const u32* __restrict__ v68, const i32 v69, const i32 v71, const u8* __restrict__ v72, const i32 v73, const u32 v77, const u32 v78, const u32 v79, const u32* __restrict__ v80, u64* v81) {
  SHARED(v1)
  for (u32 v90 = threadIdx.x; v90 < v42; v90 += blockDim.x) {
    v1[(v41 + v90)] = v40[v90];
  }
  __syncthreads();
  for (u32 v83 = threadIdx.x; v83 < (v79 * 2u); v83 += blockDim.x) {
    v1[(20u + v83)] = 0u;
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
          u64 v22[1];
          lanes8(v22, v21, v19);
#pragma unroll
          for (u32 v23 = 0u; v23 < 8u; v23 += 1u) {
            u64 v24 = (v19 + ((u64)v23));
            if (((v24 >= v12) && (v24 < v13))) {
              u32 v25 = ((u32)((u8)lane8((v22 + 0u), v23)));
              bool v28 = (v26[v25] != 0u);
              if (v28) {
                v20 = (v20 | (1u << v23));
              }
            }
          }
          if ((v20 != 0u)) {
            u64 v30[2];
            lanes16(v30, v29, v19);
#pragma unroll
            for (u32 v31 = 0u; v31 < 8u; v31 += 1u) {
              u64 v32 = (v19 + ((u64)v31));
              if (((v20 & (1u << v31)) != 0u)) {
                i32 v34 = ((i32)((u32)v33 + (u32)((i32)((u16)lane16((v30 + 0u), v31)))));
                i64 v35 = ((i64)v34);
                u32 v38 = (((u32)((u64)((i64)((u64)v35 - (u64)v36)))) + 1u);
                bool v39 = ((v35 < v36) || (v35 > v37));
                bool v45 = (v39 || (v43 && !word_bit((v1 + v41), ((u32)first_slot(v44, ((u64)v38))))));
                bool v47 = (v45 || !bit((v46 + 0ull), ((u64)v38)));
                if (v47) {
                  v20 = (v20 - (1u << v31));
                }
              }
            }
          }
        }
        v17 = (v17 | (v20 << (v18 * 8u)));
      }
      u32 v48 = (v2 + scan((v1 + 17u), ones(v17)));
      while ((v17 != 0u)) {
        u32 v49 = first_bit(v17);
        v17 = (v17 - (1u << v49));
        v1[v48] = (((u32)v16) + ((v14 * (v49 >> 3u)) + (v49 & 7u)));
        v48 = (v48 + 1u);
      }
      v2 = (v2 + v1[(17u + blockDim.x)]);
      __syncthreads();
      while (((v2 >= blockDim.x) || (v8 && (v2 != 0u)))) {
        u32 v50 = ((v2 < blockDim.x) ? v2 : blockDim.x);
        v2 = (v2 - v50);
        if ((threadIdx.x < v50)) {
          u64 v51 = ((u64)v1[(v2 + threadIdx.x)]);
          i32 v53 = ((i32)((u32)v52 + (u32)((i32)v29[v51])));
          i64 v54 = ((i64)v53);
          u32 v57 = (((u32)((u64)((i64)((u64)v54 - (u64)v55)))) + 1u);
          bool v58 = ((v54 < v55) || (v54 > v56));
          bool v59 = (v58 || !bit((v46 + 0ull), ((u64)v57)));
          u32 v61 = (v59 ? 0u : v60[v57]);
          u32 v62 = (v61 - 1u);
          if (!(v61 == 0u)) {
            i32 v64 = v63[v62];
            i64 v65 = ((i64)v64);
            u32 v67 = (((u32)((u64)((i64)((u64)v65 - (u64)v66)))) + 1u);
            i32 v70 = ((i32)((u32)v69 + (u32)((i32)v68[v51])));
            i32 v74 = ((i32)((u32)v73 + (u32)((i32)v72[v51])));
            i32 v75 = ((i32)((u32)v71 - (u32)v74));
            i32 v76 = ((i32)((u32)v70 * (u32)v75));
            u32 v82 = ((v67 * v78) + (threadIdx.x % v78));
            add_shared((v1 + (20u + ((v79 * 0u) + v82))), v79, ((i64)v76));
          }
        }
        __syncthreads();
      }
    }
  }
  __syncthreads();
  for (u32 v84 = threadIdx.x; v84 < v77; v84 += blockDim.x) {
    u32 v85 = 0u;
    i64 v86 = ((i64)0ll);
    for (u32 v87 = 0u; v87 < v78; v87 += 1u) {
      u32 v88 = ((v84 * v78) + v87);
      v86 = ((i64)((u64)v86 + (u64)joined((v1 + (20u + ((v79 * 0u) + v88))), v79)));
    }
    if ((v86 != ((i64)0ll))) {
      u64 v89 = ((u64)v84);
      add64((v81 + v89), v86);
    }
  }
}

typedef i32 value_t;
// Picks rows of a column. `value_t` is what a value is.
KERNEL pick(const value_t* from, const u32* rows, const u32 count, value_t* to) {
  for (u32 at = blockIdx.x * blockDim.x + threadIdx.x; at < count; at += gridDim.x * blockDim.x) to[at] = from[rows[at]];
}

typedef i64 value_t;
// Finds the rows whose keys are among the first. `value_t` is what a key is.
FUNCTION u64 ordered(i64 value) { return (u64)value ^ 0x8000000000000000ull; }
FUNCTION u64 ordered(i32 value) { return ordered((i64)value); }
// What 64 bits do not hold comes to an end of them: no order is turned by that.
FUNCTION u64 ordered(i128 value) {
  if (value != (i128)(i64)value) return value < 0 ? 0 : 0xffffffffffffffffull;
  return ordered((i64)value);
}

FUNCTION u64 ordered(double value) { return ordered(float_order(value)); }

struct Order {
  const value_t* keys;
  const u8* valid;
  u32 has_valid, turned, nulls_first;
};

FUNCTION u64 place_of(const Order& order, u32 row) {
  if (order.has_valid && order.valid[row] == 0) return order.nulls_first ? 0 : 0xffffffffffffffffull;
  u64 place = ordered(order.keys[row]);
  return order.turned ? ~place : place;
}

// The least and the greatest place.
KERNEL ends(const value_t* keys, const u8* valid, const u32 has_valid, const u32 turned, const u32 nulls_first, const u32 rows, u64* ends) {
  Order order = {keys, valid, has_valid, turned, nulls_first};
  u64 least = 0xffffffffffffffffull, greatest = 0;
  for (u32 row = blockIdx.x * blockDim.x + threadIdx.x; row < rows; row += gridDim.x * blockDim.x) {
    u64 place = place_of(order, row);
    if (place < least) least = place;
    if (place > greatest) greatest = place;
  }
  if (least < *(volatile u64*)&ends[0]) atomicMin(&ends[0], least);
  if (greatest > *(volatile u64*)&ends[1]) atomicMax(&ends[1], greatest);
}

// How many rows come into each part of what lies between the ends.
KERNEL parts(const value_t* keys, const u8* valid, const u32 has_valid, const u32 turned, const u32 nulls_first, const u32 rows, const u64 least, const u32 shift, u32* counts) {
  Order order = {keys, valid, has_valid, turned, nulls_first};
  for (u32 row = blockIdx.x * blockDim.x + threadIdx.x; row < rows; row += gridDim.x * blockDim.x) {
    atomicAdd(&counts[(place_of(order, row) - least) >> shift], 1u);
  }
}

// The rows of the first parts, in no order.
KERNEL chosen(const value_t* keys, const u8* valid, const u32 has_valid, const u32 turned, const u32 nulls_first, const u32 rows, const u64 least, const u32 shift, const u64 last, u32* count, u32* numbers) {
  Order order = {keys, valid, has_valid, turned, nulls_first};
  for (u32 row = blockIdx.x * blockDim.x + threadIdx.x; row < rows; row += gridDim.x * blockDim.x) {
    if ((place_of(order, row) - least) >> shift <= last) numbers[atomicAdd(count, 1u)] = row;
  }
}

typedef i64 value_t;
// Picks rows of a column. `value_t` is what a value is.
KERNEL pick(const value_t* from, const u32* rows, const u32 count, value_t* to) {
  for (u32 at = blockIdx.x * blockDim.x + threadIdx.x; at < count; at += gridDim.x * blockDim.x) to[at] = from[rows[at]];
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

typedef u32 value_t;
// Picks rows of a column. `value_t` is what a value is.
KERNEL pick(const value_t* from, const u32* rows, const u32 count, value_t* to) {
  for (u32 at = blockIdx.x * blockDim.x + threadIdx.x; at < count; at += gridDim.x * blockDim.x) to[at] = from[rows[at]];
}
