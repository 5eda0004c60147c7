// How many groups have rows.
KERNEL count_groups(const u32* flags, const u64 groups, u32* count) {
  u32 own = 0;
  for (u64 at = (u64)blockIdx.x * blockDim.x + threadIdx.x; at < groups; at += (u64)gridDim.x * blockDim.x) own += flags[at] & 1u;
  if (own != 0) atomicAdd(count, own);
}

KERNEL collect(const u32* __restrict__ v0, const u32* __restrict__ v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u16* __restrict__ v15, const i32 v16, const i32 v18, const i32 v20, const u16* __restrict__ v22, const i32 v23, const u16* __restrict__ v26, const i32 v27, const u8* __restrict__ v30, const u8* __restrict__ v32, const u8* __restrict__ v33, const i32 v36, const i32 v38, const i32 v40, const i32 v42, const i32 v45, const u16* __restrict__ v50, const i32 v51, const i64 v54, u32* v56, u32* v57) {
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
        bool v19 = (v17 >= v18);
        if (v19) {
          bool v21 = (v17 < v20);
          if (v21) {
            i32 v24 = ((i32)((u32)v23 + (u32)((i32)v22[v13])));
            bool v25 = (v24 < v17);
            if (v25) {
              i32 v28 = ((i32)((u32)v27 + (u32)((i32)v26[v13])));
              bool v29 = (v28 < v24);
              if (v29) {
                u32 v31 = ((u32)v30[v13]);
                bool v34 = (v32[v31] != 0u);
                if (v34) {
                  v14 = (v14 + 1u);
                }
              }
            }
          }
        }
      }
      u32 v35 = (v11 + scan((v2 + 0u), v14));
      if ((v14 != 0u)) {
        i32 v37 = ((i32)((u32)v36 + (u32)((i32)v15[v13])));
        bool v39 = (v37 >= v38);
        if (v39) {
          bool v41 = (v37 < v40);
          if (v41) {
            i32 v43 = ((i32)((u32)v42 + (u32)((i32)v22[v13])));
            bool v44 = (v43 < v37);
            if (v44) {
              i32 v46 = ((i32)((u32)v45 + (u32)((i32)v26[v13])));
              bool v47 = (v46 < v43);
              if (v47) {
                u32 v48 = ((u32)v30[v13]);
                bool v49 = (v32[v48] != 0u);
                if (v49) {
                  i32 v52 = ((i32)((u32)v51 + (u32)((i32)v50[v13])));
                  i64 v53 = ((i64)v52);
                  u32 v55 = (((u32)((u64)((i64)((u64)v53 - (u64)v54)))) + 1u);
                  v56[v35] = v55;
                  v57[v35] = v48;
                  v35 = (v35 + 1u);
                }
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

KERNEL collect(const u32* __restrict__ v0, const u32* __restrict__ v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u32* __restrict__ v15, u32* v18, const u64* __restrict__ v19, i32* v21, const u64* __restrict__ v22, i32* v24) {
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
        if (((v15[v13] & 1u) != 0u)) {
          v14 = (v14 + 1u);
        }
      }
      u32 v16 = (v11 + scan((v2 + 0u), v14));
      if ((v14 != 0u)) {
        if (((v15[v13] & 1u) != 0u)) {
          u32 v17 = ((v13 == 0ull) ? 0u : ((u32)(v13 - 1ull)));
          v18[v16] = v17;
          i32 v20 = ((i32)((i64)v19[v13]));
          v21[v16] = v20;
          i32 v23 = ((i32)((i64)v22[v13]));
          v24[v16] = v23;
          v16 = (v16 + 1u);
        }
      }
      v11 = (v11 + v2[blockDim.x]);
      __syncthreads();
    }
  }
}

KERNEL count(const u32* __restrict__ v0, u32* v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u16* __restrict__ v13, const u16* __restrict__ v15, const u16* __restrict__ v17, const u8* __restrict__ v19, const i32 v24, const i32 v26, const i32 v28, const i32 v30, const i32 v33, const u8* __restrict__ v37, const u8* __restrict__ v38, const u16* __restrict__ v40) {
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
      u64 v18[2];
      lanes16(v18, v17, v12);
      u64 v20[1];
      lanes8(v20, v19, v12);
      u32 v21 = 0u;
#pragma unroll
      for (u32 v22 = 0u; v22 < 8u; v22 += 1u) {
        u64 v23 = (v12 + ((u64)v22));
        if (((v23 >= v8) && (v23 < v10))) {
          i32 v25 = ((i32)((u32)v24 + (u32)((i32)((u16)lane16((v18 + 0u), v22)))));
          bool v27 = (v25 >= v26);
          if (v27) {
            bool v29 = (v25 < v28);
            if (v29) {
              i32 v31 = ((i32)((u32)v30 + (u32)((i32)((u16)lane16((v16 + 0u), v22)))));
              bool v32 = (v31 < v25);
              if (v32) {
                i32 v34 = ((i32)((u32)v33 + (u32)((i32)((u16)lane16((v14 + 0u), v22)))));
                bool v35 = (v34 < v31);
                if (v35) {
                  u32 v36 = ((u32)((u8)lane8((v20 + 0u), v22)));
                  bool v39 = (v37[v36] != 0u);
                  if (v39) {
                    v21 = (v21 | (1u << v22));
                  }
                }
              }
            }
          }
        }
      }
      if ((v21 != 0u)) {
        u64 v41[2];
        lanes16(v41, v40, v12);
#pragma unroll
        for (u32 v42 = 0u; v42 < 8u; v42 += 1u) {
          u64 v43 = (v12 + ((u64)v42));
          if (((v21 & (1u << v42)) != 0u)) {
            v11 = (v11 + 1u);
          }
        }
      }
    }
    u32 v44 = scan((v2 + 0u), v11);
    if ((threadIdx.x == 0u)) {
      v1[v7] = v2[blockDim.x];
    }
    __syncthreads();
  }
}

KERNEL count(const u32* __restrict__ v0, u32* v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u32* __restrict__ v13) {
  SHARED(v2)
  for (u32 v7 = blockIdx.x; v7 < v3; v7 += gridDim.x) {
    u64 v8 = (v4 + (((u64)v7) * v6));
    u64 v9 = (v8 + v6);
    u64 v10 = ((v9 > v5) ? v5 : v9);
    u32 v11 = 0u;
    for (u64 v12 = (v8 + ((u64)threadIdx.x)); v12 < v10; v12 += ((u64)blockDim.x)) {
      if (((v13[v12] & 1u) != 0u)) {
        v11 = (v11 + 1u);
      }
    }
    u32 v14 = scan((v2 + 0u), v11);
    if ((threadIdx.x == 0u)) {
      v1[v7] = v2[blockDim.x];
    }
    __syncthreads();
  }
}

KERNEL reduce(const u32* __restrict__ v0, const u32 v1, const u64 v2, const u64 v3, const u64 v4, const u16* __restrict__ v13, const u8* __restrict__ v15, const i32 v19, const i64 v22, const i64 v23, const u32* __restrict__ v26, const u32* __restrict__ v28, const u32* __restrict__ v29, const u32* __restrict__ v30, const u32* __restrict__ v35, const u32 v38, const u32 v39, const u32 v40, u32* v41, u64* v42, u64* v43, const u8* __restrict__ v49, const u8* __restrict__ v50, const u8* __restrict__ v52, const u8* __restrict__ v53, const i32 v56, const i32 v57, const u8* __restrict__ v63, const u8* __restrict__ v64, const u8* __restrict__ v66, const u8* __restrict__ v67, const i32 v70, const i32 v71) {
  SHARED(v58)
  for (u32 v72 = threadIdx.x; v72 < (v40 * 5u); v72 += blockDim.x) {
    v58[(0u + v72)] = 0u;
  }
  __syncthreads();
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
        u64 v14[2];
        lanes16(v14, v13, v9);
        u64 v16[1];
        lanes8(v16, v15, v9);
#pragma unroll
        for (u32 v17 = 0u; v17 < 8u; v17 += 1u) {
          u64 v18 = (v9 + ((u64)v17));
          if (((v10 & (1u << v17)) != 0u)) {
            i32 v20 = ((i32)((u32)v19 + (u32)((i32)((u16)lane16((v14 + 0u), v17)))));
            i64 v21 = ((i64)v20);
            u32 v24 = (((u32)((u64)((i64)((u64)v21 - (u64)v22)))) + 1u);
            bool v25 = ((v21 < v22) || (v21 > v23));
            u32 v27 = (v25 ? 0u : v26[v24]);
            if (!(v27 == 0u)) {
              u32 v31 = v28[v24];
              u32 v32 = (v31 + v29[v24]);
              for (u32 v33 = v31; v33 < v32; v33 += 1u) {
                u32 v34 = v30[v33];
                u32 v36 = v35[v34];
                u32 v37 = (v36 + 1u);
                u32 v44 = ((v37 * v39) + (threadIdx.x % v39));
                i32 v45 = (0);
                bool v46 = true;
                bool v47 = true;
                if (v47) {
                  u32 v48 = ((u32)((u8)lane8((v16 + 0u), v17)));
                  bool v51 = (v49[v48] != 0u);
                  bool v54 = (v52[v48] != 0u);
                  bool v55 = (v51 || v54);
                  if (v55) {
                    v45 = v56;
                    v46 = false;
                    v47 = false;
                  }
                }
                if (v47) {
                  v45 = v57;
                  v46 = false;
                }
                add_shared((v58 + (0u + ((v40 * 1u) + v44))), v40, ((i64)v45));
                i32 v59 = (0);
                bool v60 = true;
                bool v61 = true;
                if (v61) {
                  u32 v62 = ((u32)((u8)lane8((v16 + 0u), v17)));
                  bool v65 = (v63[v62] != 0u);
                  bool v68 = (v66[v62] != 0u);
                  bool v69 = !(!v65 || !v68);
                  if (v69) {
                    v59 = v70;
                    v60 = false;
                    v61 = false;
                  }
                }
                if (v61) {
                  v59 = v71;
                  v60 = false;
                }
                add_shared((v58 + (0u + ((v40 * 3u) + v44))), v40, ((i64)v59));
                set_flags((v58 + (0u + ((v40 * 0u) + v44))), 1u);
              }
            }
          }
        }
      }
    }
  }
  __syncthreads();
  for (u32 v73 = threadIdx.x; v73 < v38; v73 += blockDim.x) {
    u32 v74 = 0u;
    i64 v75 = ((i64)0ll);
    i64 v76 = ((i64)0ll);
    for (u32 v77 = 0u; v77 < v39; v77 += 1u) {
      u32 v78 = ((v73 * v39) + v77);
      v74 = (v74 | v58[(0u + ((v40 * 0u) + v78))]);
      v75 = ((i64)((u64)v75 + (u64)joined((v58 + (0u + ((v40 * 1u) + v78))), v40)));
      v76 = ((i64)((u64)v76 + (u64)joined((v58 + (0u + ((v40 * 3u) + v78))), v40)));
    }
    if ((v74 != 0u)) {
      add64((v42 + v73), v75);
      add64((v43 + v73), v76);
      set_flags((v41 + v73), v74);
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

KERNEL number(const code_t* codes, const u32 rows, u32* counts, u32* numbers, u32* ranks, u32* most) {
  for (u32 row = blockIdx.x * blockDim.x + threadIdx.x; row < rows; row += gridDim.x * blockDim.x) {
    code_t code = codes[row];
    u32 before = atomicAdd(&counts[code], 1u);
    ranks[row] = before;
    numbers[code] = row + 1;
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
