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

KERNEL collect(const u32* __restrict__ v0, const u32* __restrict__ v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u32* __restrict__ v15, const u64* __restrict__ v16, u32* v22, u32* v25, const i32 v27, const i32 v28, i32* v30, i32* v33) {
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
        u64 v17 = (v13 * 2ull);
        if (((v15[(v17 + 1ull)] & 1u) != 0u)) {
          v14 = (v14 + 1u);
        }
      }
      u32 v18 = (v11 + scan((v2 + 0u), v14));
      if ((v14 != 0u)) {
        u64 v19 = (v13 * 2ull);
        if (((v15[(v19 + 1ull)] & 1u) != 0u)) {
          u64 v20 = (v13 >> 14u);
          u32 v21 = ((v20 == 0ull) ? 0u : ((u32)(v20 - 1ull)));
          v22[v18] = v21;
          u64 v23 = ((v13 >> 6u) & 255ull);
          u32 v24 = ((v23 == 0ull) ? 0u : ((u32)(v23 - 1ull)));
          v25[v18] = v24;
          u64 v26 = (v13 & 63ull);
          i32 v29 = ((i32)((u32)v27 + (u32)((i32)((u32)((i32)(v26 - 1ull)) * (u32)v28))));
          v30[v18] = v29;
          u64 v31 = (v13 * 2ull);
          i32 v32 = ((i32)((i64)v15[v31]));
          v33[v18] = v32;
          v18 = (v18 + 1u);
        }
      }
      v11 = (v11 + v2[blockDim.x]);
      __syncthreads();
    }
  }
}

KERNEL collect(const u32* __restrict__ v0, const u32* __restrict__ v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u64 v12, const u8* __restrict__ v17, const u8* __restrict__ v19, const i32 v20, const i32 v22, const i32 v23, const i32 v24, const i32 v25, const i32 v26, const i32 v27, const i32 v28, const i32 v29, const u8* __restrict__ v31, const u8* __restrict__ v33, const u8* __restrict__ v34, const u8* __restrict__ v36, const u8* __restrict__ v38, const u8* __restrict__ v39, const u16* __restrict__ v43, const i32 v44, const i64 v47, u32* v49, u32* v50, u32* v51, i32* v52) {
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
        bool v30 = ((((((((v21 == v22) || (v21 == v23)) || (v21 == v24)) || (v21 == v25)) || (v21 == v26)) || (v21 == v27)) || (v21 == v28)) || (v21 == v29));
        if (v30) {
          u32 v32 = ((u32)v31[v15]);
          bool v35 = (v33[v32] != 0u);
          if (v35) {
            u32 v37 = ((u32)v36[v15]);
            bool v40 = (v38[v37] != 0u);
            bool v41 = (v39[v37] != 0u);
            bool v42 = !v40;
            if ((v42 && !v41)) {
              i32 v45 = ((i32)((u32)v44 + (u32)((i32)v43[v15])));
              i64 v46 = ((i64)v45);
              u32 v48 = (((u32)((u64)((i64)((u64)v46 - (u64)v47)))) + 1u);
              v49[v18] = v48;
              v50[v18] = v32;
              v51[v18] = v37;
              v52[v18] = v21;
              v18 = (v18 + 1u);
            }
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
      u64 v15 = (v12 * 2ull);
      if (((v13[(v15 + 1ull)] & 1u) != 0u)) {
        v11 = (v11 + 1u);
      }
    }
    u32 v16 = scan((v2 + 0u), v11);
    if ((threadIdx.x == 0u)) {
      v1[v7] = v2[blockDim.x];
    }
    __syncthreads();
  }
}

KERNEL count(const u32* __restrict__ v0, u32* v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, u8* v11, const u64 v12, const u8* __restrict__ v16, const i32 v22, const i64 v25, const i64 v26, const u8* __restrict__ v29, const u16* __restrict__ v32, const i32 v36, const i64 v39, const i64 v40, const u32* __restrict__ v43) {
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
          bool v31 = !v30;
          if (v31) {
            v18 = (v18 | (1u << v20));
          }
        }
      }
      if ((v18 != 0u)) {
        u64 v33[2];
        lanes16(v33, v32, v15);
#pragma unroll
        for (u32 v34 = 0u; v34 < 8u; v34 += 1u) {
          u64 v35 = (v15 + ((u64)v34));
          if (((v18 & (1u << v34)) != 0u)) {
            i32 v37 = ((i32)((u32)v36 + (u32)((i32)((u16)lane16((v33 + 0u), v34)))));
            i64 v38 = ((i64)v37);
            u32 v41 = (((u32)((u64)((i64)((u64)v38 - (u64)v39)))) + 1u);
            bool v42 = ((v38 < v39) || (v38 > v40));
            u32 v44 = (v42 ? 0u : v43[v41]);
            u32 v45 = (v44 - 1u);
            if (!(v44 == 0u)) {
              v14 = (v14 + 1u);
              v19 = (v19 | (1u << v34));
            }
          }
        }
      }
      if ((v19 != 0u)) {
        v11[(v13 + ((v15 - (v8 & 18446744073709551608ull)) >> 3u))] = ((u8)v19);
      }
    }
    u32 v46 = scan((v2 + 0u), v14);
    if ((threadIdx.x == 0u)) {
      v1[v7] = v2[blockDim.x];
    }
    __syncthreads();
  }
}

KERNEL count(const u32* __restrict__ v0, u32* v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, u8* v11, const u64 v12, const u8* __restrict__ v16, const u8* __restrict__ v18, const u8* __restrict__ v20, const i32 v26, const i32 v28, const i32 v29, const i32 v30, const i32 v31, const i32 v32, const i32 v33, const i32 v34, const i32 v35, const u8* __restrict__ v38, const u8* __restrict__ v39, const u8* __restrict__ v42, const u8* __restrict__ v43, const u16* __restrict__ v47) {
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
      u64 v19[1];
      lanes8(v19, v18, v15);
      u64 v21[1];
      lanes8(v21, v20, v15);
      u32 v22 = 0u;
      u32 v23 = 0u;
#pragma unroll
      for (u32 v24 = 0u; v24 < 8u; v24 += 1u) {
        u64 v25 = (v15 + ((u64)v24));
        if (((v25 >= v8) && (v25 < v10))) {
          i32 v27 = ((i32)((u32)v26 + (u32)((i32)((u8)lane8((v21 + 0u), v24)))));
          bool v36 = ((((((((v27 == v28) || (v27 == v29)) || (v27 == v30)) || (v27 == v31)) || (v27 == v32)) || (v27 == v33)) || (v27 == v34)) || (v27 == v35));
          if (v36) {
            u32 v37 = ((u32)((u8)lane8((v17 + 0u), v24)));
            bool v40 = (v38[v37] != 0u);
            if (v40) {
              u32 v41 = ((u32)((u8)lane8((v19 + 0u), v24)));
              bool v44 = (v42[v41] != 0u);
              bool v45 = (v43[v41] != 0u);
              bool v46 = !v44;
              if ((v46 && !v45)) {
                v22 = (v22 | (1u << v24));
              }
            }
          }
        }
      }
      if ((v22 != 0u)) {
        u64 v48[2];
        lanes16(v48, v47, v15);
#pragma unroll
        for (u32 v49 = 0u; v49 < 8u; v49 += 1u) {
          u64 v50 = (v15 + ((u64)v49));
          if (((v22 & (1u << v49)) != 0u)) {
            v14 = (v14 + 1u);
            v23 = (v23 | (1u << v49));
          }
        }
      }
      if ((v23 != 0u)) {
        v11[(v13 + ((v15 - (v8 & 18446744073709551608ull)) >> 3u))] = ((u8)v23);
      }
    }
    u32 v51 = scan((v2 + 0u), v14);
    if ((threadIdx.x == 0u)) {
      v1[v7] = v2[blockDim.x];
    }
    __syncthreads();
  }
}

KERNEL reduce(const u32* __restrict__ v0, const u32 v1, const u64 v2, const u64 v3, const u64 v4, const u8* __restrict__ v10, const u8* __restrict__ v16, const u8* __restrict__ v17, const u8* __restrict__ v20, const i32 v24, const i64 v27, u32* v29) {
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
          bool v19 = (v17[v15] != 0u);
          if ((v18 && !v19)) {
            v12 = (v12 | (1u << v13));
          }
        }
      }
      if ((v12 != 0u)) {
        u64 v21[1];
        lanes8(v21, v20, v9);
#pragma unroll
        for (u32 v22 = 0u; v22 < 8u; v22 += 1u) {
          u64 v23 = (v9 + ((u64)v22));
          if (((v12 & (1u << v22)) != 0u)) {
            i32 v25 = ((i32)((u32)v24 + (u32)((i32)((u8)lane8((v21 + 0u), v22)))));
            i64 v26 = ((i64)v25);
            u32 v28 = (((u32)((u64)((i64)((u64)v26 - (u64)v27)))) + 1u);
            set_bit((v29 + 0u), ((u64)v28));
          }
        }
      }
    }
  }
}

KERNEL reduce(const u32* __restrict__ v0, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u8* __restrict__ v21, const i32 v25, const i64 v28, const i64 v29, const u8* __restrict__ v32, const u16* __restrict__ v35, const i32 v39, const i64 v42, const i64 v43, const u32* __restrict__ v46, const i32 v53, const i64 v56, const i64 v57, const u32* __restrict__ v62, const u32* __restrict__ v64, const i32* __restrict__ v66, const i64 v69, const i32 v71, u32* v73, const u64* __restrict__ v74, const i64 v77, const u64 v79, u32* v81) {
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
              bool v34 = !v33;
              if (v34) {
                v20 = (v20 | (1u << v23));
              }
            }
          }
          if ((v20 != 0u)) {
            u64 v36[2];
            lanes16(v36, v35, v19);
#pragma unroll
            for (u32 v37 = 0u; v37 < 8u; v37 += 1u) {
              u64 v38 = (v19 + ((u64)v37));
              if (((v20 & (1u << v37)) != 0u)) {
                i32 v40 = ((i32)((u32)v39 + (u32)((i32)((u16)lane16((v36 + 0u), v37)))));
                i64 v41 = ((i64)v40);
                u32 v44 = (((u32)((u64)((i64)((u64)v41 - (u64)v42)))) + 1u);
                bool v45 = ((v41 < v42) || (v41 > v43));
                u32 v47 = (v45 ? 0u : v46[v44]);
                u32 v48 = (v47 - 1u);
                if ((v47 == 0u)) {
                  v20 = (v20 - (1u << v37));
                }
              }
            }
          }
        }
        v17 = (v17 | (v20 << (v18 * 8u)));
      }
      u32 v49 = (v2 + scan((v1 + 17u), ones(v17)));
      while ((v17 != 0u)) {
        u32 v50 = first_bit(v17);
        v17 = (v17 - (1u << v50));
        v1[v49] = (((u32)v16) + ((v14 * (v50 >> 3u)) + (v50 & 7u)));
        v49 = (v49 + 1u);
      }
      v2 = (v2 + v1[(17u + blockDim.x)]);
      __syncthreads();
      while (((v2 >= blockDim.x) || (v8 && (v2 != 0u)))) {
        u32 v51 = ((v2 < blockDim.x) ? v2 : blockDim.x);
        v2 = (v2 - v51);
        if ((threadIdx.x < v51)) {
          u64 v52 = ((u64)v1[(v2 + threadIdx.x)]);
          i32 v54 = ((i32)((u32)v53 + (u32)((i32)v35[v52])));
          i64 v55 = ((i64)v54);
          u32 v58 = (((u32)((u64)((i64)((u64)v55 - (u64)v56)))) + 1u);
          bool v59 = ((v55 < v56) || (v55 > v57));
          u32 v60 = (v59 ? 0u : v46[v58]);
          u32 v61 = (v60 - 1u);
          if (!(v60 == 0u)) {
            u32 v63 = v62[v61];
            u32 v65 = v64[v61];
            i32 v67 = v66[v61];
            i64 v68 = ((i64)v67);
            u32 v70 = ((((v63 + 1u) << 14u) | ((v65 + 1u) << 6u)) | (((u32)((u64)((i64)((u64)v68 - (u64)v69)))) + 1u));
            i32 v72 = ((i32)((u32)v71 + (u32)((i32)v21[v52])));
            u64 v75 = (((u64)v70) * 2ull);
            i64 v76 = ((i64)v72);
            u32 v78 = (((u32)((u64)((i64)((u64)v76 - (u64)v77)))) + 1u);
            u64 v80 = ((((u64)v70) * v79) + ((u64)v78));
            bool v82 = take_bit((v81 + 0u), v80);
            if (v82) {
              count32((v73 + v75), 1u);
            }
            set_flags((v73 + (v75 + 1ull)), 1u);
          }
        }
        __syncthreads();
      }
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
