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

KERNEL collect(const u32* __restrict__ v0, const u32* __restrict__ v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u16* __restrict__ v15, const i32 v16, const i32 v18, const i32 v20, const u16* __restrict__ v22, const i32 v23, const i64 v26, const i64 v27, const u32* __restrict__ v30, const u32 v31, const u32 v32, const bool v33, const u32 v34, const u8* __restrict__ v36, const u32* __restrict__ v38, const u32* __restrict__ v40, const u32* __restrict__ v41, const u32* __restrict__ v42, const i32 v48, const i32 v50, const i32 v52, const i32 v54, const i64 v57, const i64 v58, const u16* __restrict__ v67, const i32 v68, const i64 v71, u32* v73, i32* v74, const i32* __restrict__ v75, i32* v77, const i32* __restrict__ v78, i32* v80, const i32* __restrict__ v81, i32* v83) {
  SHARED(v2)
  for (u32 v84 = threadIdx.x; v84 < v32; v84 += blockDim.x) {
    v2[(v31 + v84)] = v30[v84];
  }
  __syncthreads();
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
        bool v19 = (v17 >= v18);
        if (v19) {
          bool v21 = (v17 <= v20);
          if (v21) {
            i32 v24 = ((i32)((u32)v23 + (u32)((i32)v22[v13])));
            i64 v25 = ((i64)v24);
            u32 v28 = (((u32)((u64)((i64)((u64)v25 - (u64)v26)))) + 1u);
            bool v29 = ((v25 < v26) || (v25 > v27));
            bool v35 = (v29 || (v33 && !word_bit((v2 + v31), ((u32)first_slot(v34, ((u64)v28))))));
            bool v37 = (v35 || !bit((v36 + 0ull), ((u64)v28)));
            u32 v39 = (v37 ? 0u : v38[v28]);
            if (!(v39 == 0u)) {
              u32 v43 = v40[v28];
              u32 v44 = (v43 + v41[v28]);
              for (u32 v45 = v43; v45 < v44; v45 += 1u) {
                u32 v46 = v42[v45];
                v14 = (v14 + 1u);
              }
            }
          }
        }
      }
      u32 v47 = (v11 + scan((v2 + 0u), v14));
      if ((v14 != 0u)) {
        i32 v49 = ((i32)((u32)v48 + (u32)((i32)v15[v13])));
        bool v51 = (v49 >= v50);
        if (v51) {
          bool v53 = (v49 <= v52);
          if (v53) {
            i32 v55 = ((i32)((u32)v54 + (u32)((i32)v22[v13])));
            i64 v56 = ((i64)v55);
            u32 v59 = (((u32)((u64)((i64)((u64)v56 - (u64)v57)))) + 1u);
            bool v60 = ((v56 < v57) || (v56 > v58));
            bool v61 = (v60 || !bit((v36 + 0ull), ((u64)v59)));
            u32 v62 = (v61 ? 0u : v38[v59]);
            if (!(v62 == 0u)) {
              u32 v63 = v40[v59];
              u32 v64 = (v63 + v41[v59]);
              for (u32 v65 = v63; v65 < v64; v65 += 1u) {
                u32 v66 = v42[v65];
                i32 v69 = ((i32)((u32)v68 + (u32)((i32)v67[v13])));
                i64 v70 = ((i64)v69);
                u32 v72 = (((u32)((u64)((i64)((u64)v70 - (u64)v71)))) + 1u);
                v73[v47] = v72;
                v74[v47] = v49;
                i32 v76 = v75[v66];
                v77[v47] = v76;
                i32 v79 = v78[v66];
                v80[v47] = v79;
                i32 v82 = v81[v66];
                v83[v47] = v82;
                v47 = (v47 + 1u);
              }
            }
          }
        }
      }
      v11 = (v11 + v2[blockDim.x]);
      __syncthreads();
    }
  }
}

KERNEL collect(const u32* __restrict__ v0, const u32* __restrict__ v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u64 v12, const u8* __restrict__ v14, const u16* __restrict__ v22, const i32 v23, const i64 v26, const i64 v27, const u8* __restrict__ v30, const u16* __restrict__ v32, const i32 v33, const i64 v36, u32* v38, const u8* __restrict__ v39, const i32 v40, i32* v42, const u32* __restrict__ v43, const i32 v44, i32* v46, const u8* __restrict__ v47, const i32 v48, i32* v50) {
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
          i64 v35 = ((i64)v34);
          u32 v37 = (((u32)((u64)((i64)((u64)v35 - (u64)v36)))) + 1u);
          v38[v19] = v37;
          i32 v41 = ((i32)((u32)v40 + (u32)((i32)v39[v21])));
          v42[v19] = v41;
          i32 v45 = ((i32)((u32)v44 + (u32)((i32)v43[v21])));
          v46[v19] = v45;
          i32 v49 = ((i32)((u32)v48 + (u32)((i32)v47[v21])));
          v50[v19] = v49;
          v19 = (v19 + 1u);
        }
      }
      v11 = (v11 + v2[blockDim.x]);
      __syncthreads();
    }
  }
}

KERNEL count(const u32* __restrict__ v0, u32* v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u16* __restrict__ v13, const i32 v18, const i32 v20, const i32 v22, const u16* __restrict__ v24, const u16* __restrict__ v26, const i32 v30, const i64 v33, const i64 v34, const u32* __restrict__ v37, const u32 v38, const u32 v39, const bool v40, const u32 v41, const u8* __restrict__ v43, const u32* __restrict__ v45, const u32* __restrict__ v47, const u32* __restrict__ v48, const u32* __restrict__ v49) {
  SHARED(v2)
  for (u32 v55 = threadIdx.x; v55 < v39; v55 += blockDim.x) {
    v2[(v38 + v55)] = v37[v55];
  }
  __syncthreads();
  for (u32 v7 = blockIdx.x; v7 < v3; v7 += gridDim.x) {
    u64 v8 = (v4 + (((u64)v7) * v6));
    u64 v9 = (v8 + v6);
    u64 v10 = ((v9 > v5) ? v5 : v9);
    u32 v11 = 0u;
    for (u64 v12 = ((v8 & 18446744073709551608ull) + (((u64)threadIdx.x) * 8ull)); v12 < v10; v12 += (((u64)blockDim.x) * 8ull)) {
      u64 v14[2];
      lanes16(v14, v13, v12);
      u32 v15 = 0u;
#pragma unroll
      for (u32 v16 = 0u; v16 < 8u; v16 += 1u) {
        u64 v17 = (v12 + ((u64)v16));
        if (((v17 >= v8) && (v17 < v10))) {
          i32 v19 = ((i32)((u32)v18 + (u32)((i32)((u16)lane16((v14 + 0u), v16)))));
          bool v21 = (v19 >= v20);
          if (v21) {
            bool v23 = (v19 <= v22);
            if (v23) {
              v15 = (v15 | (1u << v16));
            }
          }
        }
      }
      if ((v15 != 0u)) {
        u64 v25[2];
        lanes16(v25, v24, v12);
        u64 v27[2];
        lanes16(v27, v26, v12);
#pragma unroll
        for (u32 v28 = 0u; v28 < 8u; v28 += 1u) {
          u64 v29 = (v12 + ((u64)v28));
          if (((v15 & (1u << v28)) != 0u)) {
            i32 v31 = ((i32)((u32)v30 + (u32)((i32)((u16)lane16((v25 + 0u), v28)))));
            i64 v32 = ((i64)v31);
            u32 v35 = (((u32)((u64)((i64)((u64)v32 - (u64)v33)))) + 1u);
            bool v36 = ((v32 < v33) || (v32 > v34));
            bool v42 = (v36 || (v40 && !word_bit((v2 + v38), ((u32)first_slot(v41, ((u64)v35))))));
            bool v44 = (v42 || !bit((v43 + 0ull), ((u64)v35)));
            u32 v46 = (v44 ? 0u : v45[v35]);
            if (!(v46 == 0u)) {
              u32 v50 = v47[v35];
              u32 v51 = (v50 + v48[v35]);
              for (u32 v52 = v50; v52 < v51; v52 += 1u) {
                u32 v53 = v49[v52];
                v11 = (v11 + 1u);
              }
            }
          }
        }
      }
    }
    u32 v54 = scan((v2 + 0u), v11);
    if ((threadIdx.x == 0u)) {
      v1[v7] = v2[blockDim.x];
    }
    __syncthreads();
  }
}

KERNEL count(const u32* __restrict__ v0, u32* v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, u8* v11, const u64 v12, const u16* __restrict__ v16, const i32 v22, const i64 v25, const i64 v26, const u8* __restrict__ v29, const u16* __restrict__ v31, const u8* __restrict__ v33, const u32* __restrict__ v35, const u8* __restrict__ v37) {
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
        u64 v32[2];
        lanes16(v32, v31, v15);
        u64 v34[1];
        lanes8(v34, v33, v15);
        u64 v36[4];
        lanes32(v36, v35, v15);
        u64 v38[1];
        lanes8(v38, v37, v15);
#pragma unroll
        for (u32 v39 = 0u; v39 < 8u; v39 += 1u) {
          u64 v40 = (v15 + ((u64)v39));
          if (((v18 & (1u << v39)) != 0u)) {
            v14 = (v14 + 1u);
            v19 = (v19 | (1u << v39));
          }
        }
      }
      if ((v19 != 0u)) {
        v11[(v13 + ((v15 - (v8 & 18446744073709551608ull)) >> 3u))] = ((u8)v19);
      }
    }
    u32 v41 = scan((v2 + 0u), v14);
    if ((threadIdx.x == 0u)) {
      v1[v7] = v2[blockDim.x];
    }
    __syncthreads();
  }
}

KERNEL reduce(const u32* __restrict__ v0, const u32 v1, const u64 v2, const u64 v3, const u64 v4, const u8* __restrict__ v10, const u8* __restrict__ v16, const u8* __restrict__ v17, const u16* __restrict__ v19, const i32 v23, const i64 v26, u32* v28) {
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
        u64 v20[2];
        lanes16(v20, v19, v9);
#pragma unroll
        for (u32 v21 = 0u; v21 < 8u; v21 += 1u) {
          u64 v22 = (v9 + ((u64)v21));
          if (((v12 & (1u << v21)) != 0u)) {
            i32 v24 = ((i32)((u32)v23 + (u32)((i32)((u16)lane16((v20 + 0u), v21)))));
            i64 v25 = ((i64)v24);
            u32 v27 = (((u32)((u64)((i64)((u64)v25 - (u64)v26)))) + 1u);
            set_bit((v28 + 0u), ((u64)v27));
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

KERNEL reduce(const u32* __restrict__ v0, const u32 v1, const u64 v2, const u64 v3, const u64 v4, const u8* __restrict__ v13, const u8* __restrict__ v15, const u8* __restrict__ v17, const i32 v21, const i64 v24, const i64 v25, const u8* __restrict__ v28, const i32 v30, const i64 v33, u32* v35) {
  for (u32 v5 = blockIdx.x; v5 < v1; v5 += gridDim.x) {
    u64 v6 = (v2 + (((u64)v5) * v4));
    u64 v7 = (v6 + v4);
    u64 v8 = ((v7 > v3) ? v3 : v7);
    for (u64 v9 = ((v6 & 18446744073709551608ull) + (((u64)threadIdx.x) * 8ull)); v9 < v8; v9 += (((u64)blockDim.x) * 8ull)) {
      u32 v10 = 0u;
#pragma unroll
      for (u32 v11 = 0u; v11 < 8u; v11 += 1u) {
        u64 v12 = (v9 + ((u64)v11));
        if (((v12 >= v6) && (v12 < v8))) {
          v10 = (v10 | (1u << v11));
        }
      }
      if ((v10 != 0u)) {
        u64 v14[1];
        lanes8(v14, v13, v9);
        u64 v16[1];
        lanes8(v16, v15, v9);
        u64 v18[1];
        lanes8(v18, v17, v9);
#pragma unroll
        for (u32 v19 = 0u; v19 < 8u; v19 += 1u) {
          u64 v20 = (v9 + ((u64)v19));
          if (((v10 & (1u << v19)) != 0u)) {
            i32 v22 = ((i32)((u32)v21 + (u32)((i32)((u8)lane8((v16 + 0u), v19)))));
            i64 v23 = ((i64)v22);
            u32 v26 = (((u32)((u64)((i64)((u64)v23 - (u64)v24)))) + 1u);
            bool v27 = ((v23 < v24) || (v23 > v25));
            bool v29 = !(v27 || !bit((v28 + 0ull), ((u64)v26)));
            if (v29) {
              i32 v31 = ((i32)((u32)v30 + (u32)((i32)((u8)lane8((v14 + 0u), v19)))));
              i64 v32 = ((i64)v31);
              u32 v34 = (((u32)((u64)((i64)((u64)v32 - (u64)v33)))) + 1u);
              set_bit((v35 + 0u), ((u64)v34));
            }
          }
        }
      }
    }
  }
}

KERNEL reduce(const u32* __restrict__ v0, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u8* __restrict__ v21, const i32 v25, const i64 v28, const i64 v29, const u8* __restrict__ v32, const u16* __restrict__ v34, const i32 v38, const i64 v41, const i64 v42, const u32* __restrict__ v45, const u32 v46, const u32 v47, const bool v48, const u32 v49, const u8* __restrict__ v51, const i32 v57, const i64 v60, const i64 v61, const u32* __restrict__ v65, const u32* __restrict__ v67, const u32* __restrict__ v68, const u32* __restrict__ v69, const i32* __restrict__ v74, const i64 v77, const i64 v78, const u32* __restrict__ v81, const u8* __restrict__ v84, const i32 v85, const i64 v88, const i64 v89, const u32* __restrict__ v92, const i32* __restrict__ v95, const i64 v100, const u8* __restrict__ v105, const u8* __restrict__ v107, const u8* __restrict__ v108, const i32* __restrict__ v110, const i32 v112, const i32* __restrict__ v113, const i32 v117, const i32 v119, const u32 v123, const u32 v124, const u32 v125, const u32* __restrict__ v126, u64* v127) {
  SHARED(v1)
  for (u32 v137 = threadIdx.x; v137 < v47; v137 += blockDim.x) {
    v1[(v46 + v137)] = v45[v137];
  }
  __syncthreads();
  for (u32 v129 = threadIdx.x; v129 < (v125 * 4u); v129 += blockDim.x) {
    v1[(20u + v129)] = 0u;
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
              i32 v26 = ((i32)((u32)v25 + (u32)((i32)((u8)lane8((v22 + 0u), v23)))));
              i64 v27 = ((i64)v26);
              u32 v30 = (((u32)((u64)((i64)((u64)v27 - (u64)v28)))) + 1u);
              bool v31 = ((v27 < v28) || (v27 > v29));
              bool v33 = !(v31 || !bit((v32 + 0ull), ((u64)v30)));
              if (v33) {
                v20 = (v20 | (1u << v23));
              }
            }
          }
          if ((v20 != 0u)) {
            u64 v35[2];
            lanes16(v35, v34, v19);
#pragma unroll
            for (u32 v36 = 0u; v36 < 8u; v36 += 1u) {
              u64 v37 = (v19 + ((u64)v36));
              if (((v20 & (1u << v36)) != 0u)) {
                i32 v39 = ((i32)((u32)v38 + (u32)((i32)((u16)lane16((v35 + 0u), v36)))));
                i64 v40 = ((i64)v39);
                u32 v43 = (((u32)((u64)((i64)((u64)v40 - (u64)v41)))) + 1u);
                bool v44 = ((v40 < v41) || (v40 > v42));
                bool v50 = (v44 || (v48 && !word_bit((v1 + v46), ((u32)first_slot(v49, ((u64)v43))))));
                bool v52 = (v50 || !bit((v51 + 0ull), ((u64)v43)));
                if (v52) {
                  v20 = (v20 - (1u << v36));
                }
              }
            }
          }
        }
        v17 = (v17 | (v20 << (v18 * 8u)));
      }
      u32 v53 = (v2 + scan((v1 + 17u), ones(v17)));
      while ((v17 != 0u)) {
        u32 v54 = first_bit(v17);
        v17 = (v17 - (1u << v54));
        v1[v53] = (((u32)v16) + ((v14 * (v54 >> 3u)) + (v54 & 7u)));
        v53 = (v53 + 1u);
      }
      v2 = (v2 + v1[(17u + blockDim.x)]);
      __syncthreads();
      while (((v2 >= blockDim.x) || (v8 && (v2 != 0u)))) {
        u32 v55 = ((v2 < blockDim.x) ? v2 : blockDim.x);
        v2 = (v2 - v55);
        if ((threadIdx.x < v55)) {
          u64 v56 = ((u64)v1[(v2 + threadIdx.x)]);
          i32 v58 = ((i32)((u32)v57 + (u32)((i32)v34[v56])));
          i64 v59 = ((i64)v58);
          u32 v62 = (((u32)((u64)((i64)((u64)v59 - (u64)v60)))) + 1u);
          bool v63 = ((v59 < v60) || (v59 > v61));
          bool v64 = (v63 || !bit((v51 + 0ull), ((u64)v62)));
          u32 v66 = (v64 ? 0u : v65[v62]);
          if (!(v66 == 0u)) {
            u32 v70 = v67[v62];
            u32 v71 = (v70 + v68[v62]);
            for (u32 v72 = v70; v72 < v71; v72 += 1u) {
              u32 v73 = v69[v72];
              i32 v75 = v74[v73];
              i64 v76 = ((i64)v75);
              u32 v79 = (((u32)((u64)((i64)((u64)v76 - (u64)v77)))) + 1u);
              bool v80 = ((v76 < v77) || (v76 > v78));
              u32 v82 = (v80 ? 0u : v81[v79]);
              u32 v83 = (v82 - 1u);
              if (!(v82 == 0u)) {
                i32 v86 = ((i32)((u32)v85 + (u32)((i32)v84[v83])));
                i64 v87 = ((i64)v86);
                u32 v90 = (((u32)((u64)((i64)((u64)v87 - (u64)v88)))) + 1u);
                bool v91 = ((v87 < v88) || (v87 > v89));
                u32 v93 = (v91 ? 0u : v92[v90]);
                u32 v94 = (v93 - 1u);
                if (!(v93 == 0u)) {
                  i32 v96 = v95[v73];
                  i32 v97 = year_of(v96);
                  i32 v98 = ((v97 > (0)) ? v97 : ((i32)((u32)v97 - (u32)(1))));
                  i64 v99 = ((i64)v98);
                  u32 v101 = (((u32)((u64)((i64)((u64)v99 - (u64)v100)))) + 1u);
                  i32 v102 = (0);
                  bool v103 = true;
                  bool v104 = true;
                  if (v104) {
                    u32 v106 = ((u32)v105[v94]);
                    bool v109 = (v107[v106] != 0u);
                    if (v109) {
                      i32 v111 = v110[v73];
                      i32 v114 = v113[v73];
                      i32 v115 = ((i32)((u32)v112 - (u32)v114));
                      i32 v116 = ((i32)((u32)v111 * (u32)v115));
                      v102 = v116;
                      v103 = false;
                      v104 = false;
                    }
                  }
                  if (v104) {
                    v102 = v117;
                    v103 = false;
                  }
                  i32 v118 = v110[v73];
                  i32 v120 = v113[v73];
                  i32 v121 = ((i32)((u32)v119 - (u32)v120));
                  i32 v122 = ((i32)((u32)v118 * (u32)v121));
                  u32 v128 = ((v101 * v124) + (threadIdx.x % v124));
                  add_shared((v1 + (20u + ((v125 * 0u) + v128))), v125, ((i64)v102));
                  add_shared((v1 + (20u + ((v125 * 2u) + v128))), v125, ((i64)v122));
                }
              }
            }
          }
        }
        __syncthreads();
      }
    }
  }
  __syncthreads();
  for (u32 v130 = threadIdx.x; v130 < v123; v130 += blockDim.x) {
    u32 v131 = 0u;
    i64 v132 = ((i64)0ll);
    i64 v133 = ((i64)0ll);
    for (u32 v134 = 0u; v134 < v124; v134 += 1u) {
      u32 v135 = ((v130 * v124) + v134);
      v132 = ((i64)((u64)v132 + (u64)joined((v1 + (20u + ((v125 * 0u) + v135))), v125)));
      v133 = ((i64)((u64)v133 + (u64)joined((v1 + (20u + ((v125 * 2u) + v135))), v125)));
    }
    if ((v133 != ((i64)0ll))) {
      u64 v136 = (((u64)v130) * 2ull);
      add64((v127 + v136), v132);
      add64((v127 + (v136 + 1ull)), v133);
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
