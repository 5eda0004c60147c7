// How many groups have rows.
KERNEL count_groups(const u32* flags, const u64 groups, u32* count) {
  u32 own = 0;
  for (u64 at = (u64)blockIdx.x * blockDim.x + threadIdx.x; at < groups; at += (u64)gridDim.x * blockDim.x) own += flags[at] & 1u;
  if (own != 0) atomicAdd(count, own);
}

KERNEL collect(const u32* __restrict__ v0, const u32* __restrict__ v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u16* __restrict__ v15, const i32 v16, const i64 v19, const i64 v20, const u32* __restrict__ v23, const i32 v28, const i64 v31, const i64 v32, i32* v38, const u8* __restrict__ v39, const i32 v40, const i32 v41, i32* v43, const u32* __restrict__ v44, const i32 v45, i32* v47) {
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
        u32 v24 = (v22 ? 0u : v23[v21]);
        u32 v25 = (v24 - 1u);
        bool v26 = !(v24 == 0u);
        if (v26) {
          v14 = (v14 + 1u);
        }
      }
      u32 v27 = (v11 + scan((v2 + 0u), v14));
      if ((v14 != 0u)) {
        i32 v29 = ((i32)((u32)v28 + (u32)((i32)v15[v13])));
        i64 v30 = ((i64)v29);
        u32 v33 = (((u32)((u64)((i64)((u64)v30 - (u64)v31)))) + 1u);
        bool v34 = ((v30 < v31) || (v30 > v32));
        u32 v35 = (v34 ? 0u : v23[v33]);
        u32 v36 = (v35 - 1u);
        bool v37 = !(v35 == 0u);
        if (v37) {
          v38[v27] = v29;
          i32 v42 = ((i32)((u32)v41 + (u32)((i32)((u32)v40 * (u32)((i32)v39[v13])))));
          v43[v27] = v42;
          i32 v46 = ((i32)((u32)v45 + (u32)((i32)v44[v13])));
          v47[v27] = v46;
          v27 = (v27 + 1u);
        }
      }
      v11 = (v11 + v2[blockDim.x]);
      __syncthreads();
    }
  }
}

KERNEL collect(const u32* __restrict__ v0, const u32* __restrict__ v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u8* __restrict__ v15, const u8* __restrict__ v17, const u8* __restrict__ v18, const u8* __restrict__ v20, const u8* __restrict__ v22, const u8* __restrict__ v23, const u16* __restrict__ v30, const i32 v31, const i64 v34, u32* v36, i32* v37) {
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
        u32 v16 = ((u32)v15[v13]);
        bool v19 = (v17[v16] != 0u);
        if (v19) {
          u32 v21 = ((u32)v20[v13]);
          bool v24 = (v22[v21] != 0u);
          if (v24) {
            v14 = (v14 + 1u);
          }
        }
      }
      u32 v25 = (v11 + scan((v2 + 0u), v14));
      if ((v14 != 0u)) {
        u32 v26 = ((u32)v15[v13]);
        bool v27 = (v17[v26] != 0u);
        if (v27) {
          u32 v28 = ((u32)v20[v13]);
          bool v29 = (v22[v28] != 0u);
          if (v29) {
            i32 v32 = ((i32)((u32)v31 + (u32)((i32)v30[v13])));
            i64 v33 = ((i64)v32);
            u32 v35 = (((u32)((u64)((i64)((u64)v33 - (u64)v34)))) + 1u);
            v36[v25] = v35;
            v37[v25] = v32;
            v25 = (v25 + 1u);
          }
        }
      }
      v11 = (v11 + v2[blockDim.x]);
      __syncthreads();
    }
  }
}

KERNEL count(const u32* __restrict__ v0, u32* v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u16* __restrict__ v13, const i32 v18, const i64 v21, const i64 v22, const u32* __restrict__ v25, const u8* __restrict__ v29, const u32* __restrict__ v31) {
  SHARED(v2)
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
          i64 v20 = ((i64)v19);
          u32 v23 = (((u32)((u64)((i64)((u64)v20 - (u64)v21)))) + 1u);
          bool v24 = ((v20 < v21) || (v20 > v22));
          u32 v26 = (v24 ? 0u : v25[v23]);
          u32 v27 = (v26 - 1u);
          bool v28 = !(v26 == 0u);
          if (v28) {
            v15 = (v15 | (1u << v16));
          }
        }
      }
      if ((v15 != 0u)) {
        u64 v30[1];
        lanes8(v30, v29, v12);
        u64 v32[4];
        lanes32(v32, v31, v12);
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

KERNEL count(const u32* __restrict__ v0, u32* v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u8* __restrict__ v13, const u8* __restrict__ v15, const u8* __restrict__ v21, const u8* __restrict__ v22, const u8* __restrict__ v25, const u8* __restrict__ v26, const u16* __restrict__ v28) {
  SHARED(v2)
  for (u32 v7 = blockIdx.x; v7 < v3; v7 += gridDim.x) {
    u64 v8 = (v4 + (((u64)v7) * v6));
    u64 v9 = (v8 + v6);
    u64 v10 = ((v9 > v5) ? v5 : v9);
    u32 v11 = 0u;
    for (u64 v12 = ((v8 & 18446744073709551608ull) + (((u64)threadIdx.x) * 8ull)); v12 < v10; v12 += (((u64)blockDim.x) * 8ull)) {
      u64 v14[1];
      lanes8(v14, v13, v12);
      u64 v16[1];
      lanes8(v16, v15, v12);
      u32 v17 = 0u;
#pragma unroll
      for (u32 v18 = 0u; v18 < 8u; v18 += 1u) {
        u64 v19 = (v12 + ((u64)v18));
        if (((v19 >= v8) && (v19 < v10))) {
          u32 v20 = ((u32)((u8)lane8((v16 + 0u), v18)));
          bool v23 = (v21[v20] != 0u);
          if (v23) {
            u32 v24 = ((u32)((u8)lane8((v14 + 0u), v18)));
            bool v27 = (v25[v24] != 0u);
            if (v27) {
              v17 = (v17 | (1u << v18));
            }
          }
        }
      }
      if ((v17 != 0u)) {
        u64 v29[2];
        lanes16(v29, v28, v12);
#pragma unroll
        for (u32 v30 = 0u; v30 < 8u; v30 += 1u) {
          u64 v31 = (v12 + ((u64)v30));
          if (((v17 & (1u << v30)) != 0u)) {
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

KERNEL reduce(const u32* __restrict__ v0, const u32 v1, const u64 v2, const u64 v3, const u64 v4, const i32* __restrict__ v13, const i32* __restrict__ v15, const i64 v21, const u32 v23, const u32 v24, const u32 v25, u32* v26, u64* v27, u64* v28) {
  SHARED(v31)
  for (u32 v32 = threadIdx.x; v32 < (v25 * 4u); v32 += blockDim.x) {
    v31[(0u + v32)] = 0u;
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
        u64 v14[4];
        lanes32(v14, v13, v9);
        u64 v16[4];
        lanes32(v16, v15, v9);
#pragma unroll
        for (u32 v17 = 0u; v17 < 8u; v17 += 1u) {
          u64 v18 = (v9 + ((u64)v17));
          if (((v10 & (1u << v17)) != 0u)) {
            i32 v19 = ((i32)lane32((v14 + 0u), v17));
            i64 v20 = ((i64)v19);
            u32 v22 = (((u32)((u64)((i64)((u64)v20 - (u64)v21)))) + 1u);
            u32 v29 = ((v22 * v24) + (threadIdx.x % v24));
            i32 v30 = ((i32)lane32((v16 + 0u), v17));
            add_shared((v31 + (0u + ((v25 * 1u) + v29))), v25, ((i64)v30));
            count32((v31 + (0u + ((v25 * 3u) + v29))), 1u);
            set_flags((v31 + (0u + ((v25 * 0u) + v29))), 1u);
          }
        }
      }
    }
  }
  __syncthreads();
  for (u32 v33 = threadIdx.x; v33 < v23; v33 += blockDim.x) {
    u32 v34 = 0u;
    i64 v35 = ((i64)0ll);
    i64 v36 = ((i64)0ll);
    for (u32 v37 = 0u; v37 < v24; v37 += 1u) {
      u32 v38 = ((v33 * v24) + v37);
      v34 = (v34 | v31[(0u + ((v25 * 0u) + v38))]);
      v35 = ((i64)((u64)v35 + (u64)joined((v31 + (0u + ((v25 * 1u) + v38))), v25)));
      v36 = ((i64)((u64)v36 + (u64)((i64)v31[(0u + ((v25 * 3u) + v38))])));
    }
    if ((v34 != 0u)) {
      add64((v27 + v33), v35);
      add64((v28 + v33), v36);
      set_flags((v26 + v33), v34);
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
