// How many groups have rows.
KERNEL count_groups(const u32* flags, const u64 groups, u32* count) {
  u32 own = 0;
  for (u64 at = (u64)blockIdx.x * blockDim.x + threadIdx.x; at < groups; at += (u64)gridDim.x * blockDim.x) own += flags[at] & 1u;
  if (own != 0) atomicAdd(count, own);
}

KERNEL collect(const u32* __restrict__ v0, const u32* __restrict__ v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u16* __restrict__ v15, const i32 v16, const i64 v19, const i64 v20, const u32* __restrict__ v23, const u16* __restrict__ v27, const i32 v28, const i64 v31, const i64 v32, const u32* __restrict__ v35, const i32 v39, const i64 v42, const i64 v43, const i32 v49, const i64 v52, const i64 v53, const u32* __restrict__ v58, const i32 v59, i32* v61, const u16* __restrict__ v62, const i32 v63, i32* v65, const u32* __restrict__ v66, u32* v68, const i32* __restrict__ v69, i32* v71, i32* v72, i32* v73, i32* v74, const i64 v76, const i64 v77, const u64* __restrict__ v82, i32* v85, u8* v86) {
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
        bool v24 = (v22 || !((v23[v21] & 1u) != 0u));
        u32 v25 = (v24 ? 0u : v21);
        bool v26 = !v24;
        if (v26) {
          i32 v29 = ((i32)((u32)v28 + (u32)((i32)v27[v13])));
          i64 v30 = ((i64)v29);
          u32 v33 = (((u32)((u64)((i64)((u64)v30 - (u64)v31)))) + 1u);
          bool v34 = ((v30 < v31) || (v30 > v32));
          u32 v36 = (v34 ? 0u : v35[v33]);
          u32 v37 = (v36 - 1u);
          if (!(v36 == 0u)) {
            v14 = (v14 + 1u);
          }
        }
      }
      u32 v38 = (v11 + scan((v2 + 0u), v14));
      if ((v14 != 0u)) {
        i32 v40 = ((i32)((u32)v39 + (u32)((i32)v15[v13])));
        i64 v41 = ((i64)v40);
        u32 v44 = (((u32)((u64)((i64)((u64)v41 - (u64)v42)))) + 1u);
        bool v45 = ((v41 < v42) || (v41 > v43));
        bool v46 = (v45 || !((v23[v44] & 1u) != 0u));
        u32 v47 = (v46 ? 0u : v44);
        bool v48 = !v46;
        if (v48) {
          i32 v50 = ((i32)((u32)v49 + (u32)((i32)v27[v13])));
          i64 v51 = ((i64)v50);
          u32 v54 = (((u32)((u64)((i64)((u64)v51 - (u64)v52)))) + 1u);
          bool v55 = ((v51 < v52) || (v51 > v53));
          u32 v56 = (v55 ? 0u : v35[v54]);
          u32 v57 = (v56 - 1u);
          if (!(v56 == 0u)) {
            i32 v60 = ((i32)((u32)v59 + (u32)((i32)v58[v13])));
            v61[v38] = v60;
            i32 v64 = ((i32)((u32)v63 + (u32)((i32)v62[v13])));
            v65[v38] = v64;
            u32 v67 = v66[v57];
            v68[v38] = v67;
            i32 v70 = v69[v57];
            v71[v38] = v70;
            v72[v38] = v40;
            v73[v38] = v64;
            v74[v38] = v60;
            i64 v75 = ((i64)v40);
            u32 v78 = (((u32)((u64)((i64)((u64)v75 - (u64)v76)))) + 1u);
            bool v79 = ((v75 < v76) || (v75 > v77));
            bool v80 = (v79 || !((v23[v78] & 1u) != 0u));
            u32 v81 = (v80 ? 0u : v78);
            i32 v83 = (!v80 ? ((i32)((i64)v82[v81])) : (0));
            bool v84 = (!v80 ? false : true);
            v85[v38] = v83;
            v86[v38] = ((u8)!v84);
            v38 = (v38 + 1u);
          }
        }
      }
      v11 = (v11 + v2[blockDim.x]);
      __syncthreads();
    }
  }
}

KERNEL collect(const u32* __restrict__ v0, const u32* __restrict__ v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u16* __restrict__ v16, const i32 v17, const i64 v20, u32* v22, i32* v23, const u16* __restrict__ v24, u32* v26) {
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
        v14 = (v14 + 1u);
      }
      u32 v15 = (v11 + scan((v2 + 0u), v14));
      if ((v14 != 0u)) {
        i32 v18 = ((i32)((u32)v17 + (u32)((i32)v16[v13])));
        i64 v19 = ((i64)v18);
        u32 v21 = (((u32)((u64)((i64)((u64)v19 - (u64)v20)))) + 1u);
        v22[v15] = v21;
        v23[v15] = v18;
        u32 v25 = ((u32)v24[v13]);
        v26[v15] = v25;
        v15 = (v15 + 1u);
      }
      v11 = (v11 + v2[blockDim.x]);
      __syncthreads();
    }
  }
}

KERNEL count(const u32* __restrict__ v0, u32* v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u16* __restrict__ v13, const i32 v18, const i64 v21, const i64 v22, const u32* __restrict__ v25, const u16* __restrict__ v29, const u32* __restrict__ v31, const u16* __restrict__ v33, const i32 v37, const i64 v40, const i64 v41, const u32* __restrict__ v44) {
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
          bool v26 = (v24 || !((v25[v23] & 1u) != 0u));
          u32 v27 = (v26 ? 0u : v23);
          bool v28 = !v26;
          if (v28) {
            v15 = (v15 | (1u << v16));
          }
        }
      }
      if ((v15 != 0u)) {
        u64 v30[2];
        lanes16(v30, v29, v12);
        u64 v32[4];
        lanes32(v32, v31, v12);
        u64 v34[2];
        lanes16(v34, v33, v12);
#pragma unroll
        for (u32 v35 = 0u; v35 < 8u; v35 += 1u) {
          u64 v36 = (v12 + ((u64)v35));
          if (((v15 & (1u << v35)) != 0u)) {
            i32 v38 = ((i32)((u32)v37 + (u32)((i32)((u16)lane16((v30 + 0u), v35)))));
            i64 v39 = ((i64)v38);
            u32 v42 = (((u32)((u64)((i64)((u64)v39 - (u64)v40)))) + 1u);
            bool v43 = ((v39 < v40) || (v39 > v41));
            u32 v45 = (v43 ? 0u : v44[v42]);
            u32 v46 = (v45 - 1u);
            if (!(v45 == 0u)) {
              v11 = (v11 + 1u);
            }
          }
        }
      }
    }
    u32 v47 = scan((v2 + 0u), v11);
    if ((threadIdx.x == 0u)) {
      v1[v7] = v2[blockDim.x];
    }
    __syncthreads();
  }
}

KERNEL reduce(const u32* __restrict__ v0, const u32 v1, const u64 v2, const u64 v3, const u64 v4, const u16* __restrict__ v13, const u8* __restrict__ v15, const i32 v19, const i64 v22, u32* v24, u64* v25, const i32 v26, const i32 v27) {
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
            u32 v23 = (((u32)((u64)((i64)((u64)v21 - (u64)v22)))) + 1u);
            i32 v28 = ((i32)((u32)v27 + (u32)((i32)((u32)v26 * (u32)((i32)((u8)lane8((v16 + 0u), v17)))))));
            add64((v25 + v23), ((i64)v28));
            set_flags((v24 + v23), 1u);
          }
        }
      }
    }
  }
}

KERNEL reduce(const u32* __restrict__ v0, const u32 v1, const u64 v2, const u64 v3, const u64 v4, const u32* __restrict__ v10, const u64* __restrict__ v11, const i32 v13, const i32 v15, const i32 v16, const i64 v19, u32* v21, u64* v22) {
  for (u32 v5 = blockIdx.x; v5 < v1; v5 += gridDim.x) {
    u64 v6 = (v2 + (((u64)v5) * v4));
    u64 v7 = (v6 + v4);
    u64 v8 = ((v7 > v3) ? v3 : v7);
    for (u64 v9 = (v6 + ((u64)threadIdx.x)); v9 < v8; v9 += ((u64)blockDim.x)) {
      if (((v10[v9] & 1u) != 0u)) {
        i32 v12 = ((i32)((i64)v11[v9]));
        bool v14 = (v12 > v13);
        if (v14) {
          i32 v17 = ((i32)((u32)v15 + (u32)((i32)((u32)((i32)(v9 - 1ull)) * (u32)v16))));
          i64 v18 = ((i64)v17);
          u32 v20 = (((u32)((u64)((i64)((u64)v18 - (u64)v19)))) + 1u);
          v22[v20] = ((u64)((i64)v12));
          set_flags((v21 + v20), 1u);
        }
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
