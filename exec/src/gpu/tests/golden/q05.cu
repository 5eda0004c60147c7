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

KERNEL collect(const u32* __restrict__ v0, const u32* __restrict__ v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u32* __restrict__ v15, const u64* __restrict__ v16, u32* v19, i64* v21) {
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
          u32 v18 = ((v13 == 0ull) ? 0u : ((u32)(v13 - 1ull)));
          v19[v17] = v18;
          i64 v20 = ((i64)v16[v13]);
          v21[v17] = v20;
          v17 = (v17 + 1u);
        }
      }
      v11 = (v11 + v2[blockDim.x]);
      __syncthreads();
    }
  }
}

KERNEL collect(const u32* __restrict__ v0, const u32* __restrict__ v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u64 v12, const u8* __restrict__ v14, const u16* __restrict__ v22, const i32 v23, const i32 v25, const i32 v27, const u16* __restrict__ v29, const i32 v30, const i64 v33, const i64 v34, const u32* __restrict__ v37, const u16* __restrict__ v40, const i32 v41, const i64 v44, u32* v46, const i32* __restrict__ v47, i32* v49, const u32* __restrict__ v50, u32* v52) {
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
            u32 v35 = (((u32)((u64)((i64)((u64)v32 - (u64)v33)))) + 1u);
            bool v36 = ((v32 < v33) || (v32 > v34));
            u32 v38 = (v36 ? 0u : v37[v35]);
            u32 v39 = (v38 - 1u);
            if (!(v38 == 0u)) {
              i32 v42 = ((i32)((u32)v41 + (u32)((i32)v40[v21])));
              i64 v43 = ((i64)v42);
              u32 v45 = (((u32)((u64)((i64)((u64)v43 - (u64)v44)))) + 1u);
              v46[v19] = v45;
              i32 v48 = v47[v39];
              v49[v19] = v48;
              u32 v51 = v50[v39];
              v52[v19] = v51;
              v19 = (v19 + 1u);
            }
          }
        }
      }
      v11 = (v11 + v2[blockDim.x]);
      __syncthreads();
    }
  }
}

KERNEL collect(const u32* __restrict__ v0, const u32* __restrict__ v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u64 v12, const u8* __restrict__ v17, const u8* __restrict__ v19, const i32 v20, const i64 v23, const i64 v24, const u32* __restrict__ v27, const u16* __restrict__ v30, const i32 v31, const i64 v34, u32* v36, i32* v37, const u32* __restrict__ v38, u32* v40) {
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
          u32 v35 = (((u32)((u64)((i64)((u64)v33 - (u64)v34)))) + 1u);
          v36[v18] = v35;
          v37[v18] = v21;
          u32 v39 = v38[v29];
          v40[v18] = v39;
          v18 = (v18 + 1u);
        }
      }
      v11 = (v11 + v2[blockDim.x]);
      __syncthreads();
    }
  }
}

KERNEL collect(const u32* __restrict__ v0, const u32* __restrict__ v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u64 v12, const u8* __restrict__ v17, const u8* __restrict__ v19, const i32 v20, const i64 v23, const i64 v24, const u8* __restrict__ v27, const u8* __restrict__ v29, const i32 v30, const i64 v33, u32* v35, const u8* __restrict__ v36, u32* v38) {
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
          i64 v32 = ((i64)v31);
          u32 v34 = (((u32)((u64)((i64)((u64)v32 - (u64)v33)))) + 1u);
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

KERNEL count(const u32* __restrict__ v0, u32* v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, u8* v11, const u64 v12, const u16* __restrict__ v16, const i32 v22, const i32 v24, const i32 v26, const u16* __restrict__ v28, const u16* __restrict__ v30, const i32 v34, const i64 v37, const i64 v38, const u32* __restrict__ v41) {
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
            i32 v35 = ((i32)((u32)v34 + (u32)((i32)((u16)lane16((v31 + 0u), v32)))));
            i64 v36 = ((i64)v35);
            u32 v39 = (((u32)((u64)((i64)((u64)v36 - (u64)v37)))) + 1u);
            bool v40 = ((v36 < v37) || (v36 > v38));
            u32 v42 = (v40 ? 0u : v41[v39]);
            u32 v43 = (v42 - 1u);
            if (!(v42 == 0u)) {
              v14 = (v14 + 1u);
              v19 = (v19 | (1u << v32));
            }
          }
        }
      }
      if ((v19 != 0u)) {
        v11[(v13 + ((v15 - (v8 & 18446744073709551608ull)) >> 3u))] = ((u8)v19);
      }
    }
    u32 v44 = scan((v2 + 0u), v14);
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

KERNEL count(const u32* __restrict__ v0, u32* v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, u8* v11, const u64 v12, const u8* __restrict__ v16, const i32 v22, const i64 v25, const i64 v26, const u8* __restrict__ v29, const u8* __restrict__ v31, const u8* __restrict__ v33) {
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
#pragma unroll
        for (u32 v35 = 0u; v35 < 8u; v35 += 1u) {
          u64 v36 = (v15 + ((u64)v35));
          if (((v18 & (1u << v35)) != 0u)) {
            v14 = (v14 + 1u);
            v19 = (v19 | (1u << v35));
          }
        }
      }
      if ((v19 != 0u)) {
        v11[(v13 + ((v15 - (v8 & 18446744073709551608ull)) >> 3u))] = ((u8)v19);
      }
    }
    u32 v37 = scan((v2 + 0u), v14);
    if ((threadIdx.x == 0u)) {
      v1[v7] = v2[blockDim.x];
    }
    __syncthreads();
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

KERNEL reduce(const u32* __restrict__ v0, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u16* __restrict__ v23, const i32 v27, const i64 v30, const i64 v31, const u32* __restrict__ v34, const u32 v35, const u32 v36, const bool v37, const u32 v38, const u8* __restrict__ v40, const i32 v46, const i64 v49, const i64 v50, const u32* __restrict__ v54, const u8* __restrict__ v57, const i32 v58, const i64 v61, const i64 v62, const u32* __restrict__ v65, const i32* __restrict__ v68, const u8* __restrict__ v70, const i32 v71, const u32* __restrict__ v74, const u32* __restrict__ v77, const i32 v78, const i32 v80, const u8* __restrict__ v81, const i32 v82, const u32 v86, const u32 v87, const u32 v88, const u32* __restrict__ v89, u64* v90) {
  SHARED(v1)
  for (u32 v99 = threadIdx.x; v99 < v36; v99 += blockDim.x) {
    v1[(v35 + v99)] = v34[v99];
  }
  __syncthreads();
  for (u32 v92 = threadIdx.x; v92 < (v88 * 2u); v92 += blockDim.x) {
    v1[(20u + v92)] = 0u;
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
#pragma unroll
          for (u32 v21 = 0u; v21 < 8u; v21 += 1u) {
            u64 v22 = (v19 + ((u64)v21));
            if (((v22 >= v12) && (v22 < v13))) {
              v20 = (v20 | (1u << v21));
            }
          }
          if ((v20 != 0u)) {
            u64 v24[2];
            lanes16(v24, v23, v19);
#pragma unroll
            for (u32 v25 = 0u; v25 < 8u; v25 += 1u) {
              u64 v26 = (v19 + ((u64)v25));
              if (((v20 & (1u << v25)) != 0u)) {
                i32 v28 = ((i32)((u32)v27 + (u32)((i32)((u16)lane16((v24 + 0u), v25)))));
                i64 v29 = ((i64)v28);
                u32 v32 = (((u32)((u64)((i64)((u64)v29 - (u64)v30)))) + 1u);
                bool v33 = ((v29 < v30) || (v29 > v31));
                bool v39 = (v33 || (v37 && !word_bit((v1 + v35), ((u32)first_slot(v38, ((u64)v32))))));
                bool v41 = (v39 || !bit((v40 + 0ull), ((u64)v32)));
                if (v41) {
                  v20 = (v20 - (1u << v25));
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
          i32 v47 = ((i32)((u32)v46 + (u32)((i32)v23[v45])));
          i64 v48 = ((i64)v47);
          u32 v51 = (((u32)((u64)((i64)((u64)v48 - (u64)v49)))) + 1u);
          bool v52 = ((v48 < v49) || (v48 > v50));
          bool v53 = (v52 || !bit((v40 + 0ull), ((u64)v51)));
          u32 v55 = (v53 ? 0u : v54[v51]);
          u32 v56 = (v55 - 1u);
          if (!(v55 == 0u)) {
            i32 v59 = ((i32)((u32)v58 + (u32)((i32)v57[v45])));
            i64 v60 = ((i64)v59);
            u32 v63 = (((u32)((u64)((i64)((u64)v60 - (u64)v61)))) + 1u);
            bool v64 = ((v60 < v61) || (v60 > v62));
            u32 v66 = (v64 ? 0u : v65[v63]);
            u32 v67 = (v66 - 1u);
            if (!(v66 == 0u)) {
              i32 v69 = v68[v56];
              i32 v72 = ((i32)((u32)v71 + (u32)((i32)v70[v67])));
              bool v73 = (v69 == v72);
              if (v73) {
                u32 v75 = v74[v56];
                u32 v76 = (v75 + 1u);
                i32 v79 = ((i32)((u32)v78 + (u32)((i32)v77[v45])));
                i32 v83 = ((i32)((u32)v82 + (u32)((i32)v81[v45])));
                i32 v84 = ((i32)((u32)v80 - (u32)v83));
                i32 v85 = ((i32)((u32)v79 * (u32)v84));
                u32 v91 = ((v76 * v87) + (threadIdx.x % v87));
                add_shared((v1 + (20u + ((v88 * 0u) + v91))), v88, ((i64)v85));
              }
            }
          }
        }
        __syncthreads();
      }
    }
  }
  __syncthreads();
  for (u32 v93 = threadIdx.x; v93 < v86; v93 += blockDim.x) {
    u32 v94 = 0u;
    i64 v95 = ((i64)0ll);
    for (u32 v96 = 0u; v96 < v87; v96 += 1u) {
      u32 v97 = ((v93 * v87) + v96);
      v95 = ((i64)((u64)v95 + (u64)joined((v1 + (20u + ((v88 * 0u) + v97))), v88)));
    }
    if ((v95 != ((i64)0ll))) {
      u64 v98 = ((u64)v93);
      add64((v90 + v98), v95);
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
