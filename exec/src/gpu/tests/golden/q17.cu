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

// Numbers of any scale: digits, and how many of them stand behind the point. What 127 bits do not hold is NO_NUMBER, which goes through
// all functions, and which the kernel looks for. Where there is a number it is the one that the processors get.
#define NO_NUMBER ((i128)((u128)1 << 127))
#define TOO_LARGE (~(u128)0)

// Functions that a card calls: as copies wherever they are called they are many times the rest of a kernel, and take seconds to compile.
#ifdef __CUDACC__
#define CALLED static __device__ __noinline__
#else
#define CALLED FUNCTION
#endif

FUNCTION u128 numeric_size(i128 a) { return a < 0 ? (u128)0 - (u128)a : (u128)a; }

FUNCTION i128 numeric_signed(u128 size, bool negative) {
  if (size >> 127) return NO_NUMBER;
  return negative ? -(i128)size : (i128)size;
}

// 10 to the power of 38 at most.
CALLED u128 numeric_power(u32 digits) {
  u128 power = 1, base = 10;
  for (; digits > 0; digits >>= 1, base *= base) if (digits & 1) power *= base;
  return power;
}

// The exponent of the leading digit.
CALLED u32 numeric_exponent(u128 size) {
  u32 exponent = 0;
  for (u128 power = 10; exponent < 38 && size >= power; power *= 10) exponent++;
  return exponent;
}

CALLED u128 numeric_times(u128 a, u128 b) {
  u64 a1 = (u64)(a >> 64), b1 = (u64)(b >> 64), a0 = (u64)a, b0 = (u64)b;
  if (a1 != 0 && b1 != 0) return TOO_LARGE;
  u128 low = (u128)a0 * b0;
  if (a1 == 0 && b1 == 0) return low;
  u128 high = (u128)a1 * b0 + (u128)a0 * b1 + (low >> 64);
  return high >> 64 ? TOO_LARGE : high << 64 | (u64)low;
}

CALLED u128 numeric_over(u128 a, u128 b) {
  if ((a >> 64) == 0 && (b >> 64) == 0) return (u64)a / (u64)b;
  return a / b;
}

// The digits at a scale that is no less.
CALLED i128 numeric_at(i128 a, u32 from, u32 to) {
  if (a == 0 || a == NO_NUMBER || from == to) return a;
  if (to - from > 38) return NO_NUMBER;
  return numeric_signed(numeric_times(numeric_size(a), numeric_power(to - from)), a < 0);
}

CALLED i128 numeric_product(i128 a, i128 b, u32 scale) {
  if (a == NO_NUMBER || b == NO_NUMBER || scale > 255) return NO_NUMBER;
  return numeric_signed(numeric_times(numeric_size(a), numeric_size(b)), (a < 0) != (b < 0));
}

CALLED i128 numeric_sum(i128 a, u32 scale_a, i128 b, u32 scale_b) {
  u32 scale = scale_a > scale_b ? scale_a : scale_b;
  i128 x = numeric_at(a, scale_a, scale), y = numeric_at(b, scale_b, scale);
  if (x == NO_NUMBER || y == NO_NUMBER) return NO_NUMBER;
  i128 sum = (i128)((u128)x + (u128)y);
  return (x < 0) == (y < 0) && (sum < 0) != (x < 0) ? NO_NUMBER : sum;
}

// Which is greater: 1, 0, -1. What has no room at the larger scale is further from zero than what has.
CALLED i32 numeric_order(i128 a, u32 scale_a, i128 b, u32 scale_b) {
  u32 scale = scale_a > scale_b ? scale_a : scale_b;
  i128 x = numeric_at(a, scale_a, scale), y = numeric_at(b, scale_b, scale);
  if (x == NO_NUMBER) return a < 0 ? -1 : 1;
  if (y == NO_NUMBER) return b < 0 ? 1 : -1;
  return x < y ? -1 : x > y ? 1 : 0;
}

// The exponent of the leading digit of base 10000; and that digit.
CALLED i32 numeric_weight(u128 size, u32 scale) {
  return size == 0 ? 0 : ((i32)numeric_exponent(size) - (i32)scale) >> 2;
}

CALLED u32 numeric_first(u128 size, u32 scale, i32 weight) {
  i32 place = weight * 4 + (i32)scale;
  if (size == 0) return 0;
  return (u32)(place >= 0 ? numeric_over(size, numeric_power((u32)place)) : size * numeric_power((u32)-place));
}

// `select_div_scale`.
CALLED u32 numeric_quotient_scale(i128 a, u32 scale_a, i128 b, u32 scale_b) {
  u128 x = numeric_size(a), y = numeric_size(b);
  i32 weight_a = numeric_weight(x, scale_a), weight_b = numeric_weight(y, scale_b);
  bool is_less = numeric_first(x, scale_a, weight_a) <= numeric_first(y, scale_b, weight_b);
  i32 to = 16 - (weight_a - weight_b - (is_less ? 1 : 0)) * 4;
  i32 own = (i32)(scale_a > scale_b ? scale_a : scale_b);
  to = to > own ? to : own;
  return to < 0 ? 0u : to > 1000 ? 1000u : (u32)to;
}

// The quotient at a scale that is no less than the operands', half away from zero.
CALLED i128 numeric_quotient(i128 a, u32 scale_a, i128 b, u32 scale_b, u32 to) {
  if (a == NO_NUMBER || b == NO_NUMBER || b == 0 || to > 255 || to < scale_a) return NO_NUMBER;
  u32 shift = to + scale_b - scale_a;
  u128 size = numeric_size(a), by = numeric_size(b), rest;
  u128 scaled = size == 0 ? 0 : shift > 38 ? TOO_LARGE : numeric_times(size, numeric_power(shift));
  u128 whole = numeric_over(scaled == TOO_LARGE ? size : scaled, by);
  rest = (scaled == TOO_LARGE ? size : scaled) - whole * by;
  if (scaled == TOO_LARGE) {
    // As on paper, as many digits at once as what is left over has room for.
    u32 room = numeric_exponent(TOO_LARGE / by);
    for (u32 left = shift; left > 0;) {
      u32 digits = room < left ? room : left;
      if (digits == 0) return NO_NUMBER;
      u128 power = numeric_power(digits), more = rest * power, part = numeric_over(more, by);
      whole = numeric_times(whole, power);
      if (whole >> 127) return NO_NUMBER;
      whole += part;
      rest = more - part * by;
      left -= digits;
    }
  }
  if (whole >> 127) return NO_NUMBER;
  return numeric_signed(whole + (rest >= by - rest ? 1 : 0), (a < 0) != (b < 0));
}

// The number at another scale: 0 rounded half away from zero, 1 towards zero, 2 down, 3 up.
CALLED i128 numeric_cut(i128 a, u32 from, u32 to, u32 how) {
  if (from <= to || a == NO_NUMBER) return numeric_at(a, from, to);
  u128 size = numeric_size(a), whole = 0, rest = size;
  bool up = false, negative = a < 0;
  // Of more digits nothing is left, not even half.
  if (from - to <= 38) {
    u128 by = numeric_power(from - to);
    whole = numeric_over(size, by);
    rest = size - whole * by;
    up = how == 0 && rest >= by - rest;
  }
  if (rest != 0) up = up || (how == 2 && negative) || (how == 3 && !negative);
  return numeric_signed(whole + (up ? 1 : 0), negative);
}

// The same, but no further from zero than a limit.
CALLED i128 numeric_narrow(i128 a, u32 from, u32 to, u32 how, i128 limit) {
  if (a == NO_NUMBER) return a;
  i128 cut = numeric_cut(a, from, to, how);
  if (cut == NO_NUMBER) return a < 0 ? -limit : limit;
  return cut > limit ? limit : cut < -limit ? -limit : cut;
}

KERNEL reduce(u32* v0, const u32 v1, const u64 v2, const u64 v3, const u64 v4, const i32* __restrict__ v13, const i32* __restrict__ v15, const i32* __restrict__ v17, const i64 v23, const i64 v24, const u8* __restrict__ v27, const u32* __restrict__ v29, const i32 v33, const i32* __restrict__ v34, const i64 v37, const i64 v38, const u32* __restrict__ v41, const u64* __restrict__ v42, const i32 v50, const i128 v57, const u32 v61, const u32 v62, const u32 v63, u32* v64, u64* v65) {
  SHARED(v68)
  u32 v66 = 0u;
  i64 v67 = ((i64)0ll);
  for (u32 v69 = threadIdx.x; v69 < (v63 * 3u); v69 += blockDim.x) {
    v68[(0u + v69)] = 0u;
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
        u64 v18[4];
        lanes32(v18, v17, v9);
#pragma unroll
        for (u32 v19 = 0u; v19 < 8u; v19 += 1u) {
          u64 v20 = (v9 + ((u64)v19));
          if (((v10 & (1u << v19)) != 0u)) {
            i32 v21 = ((i32)lane32((v14 + 0u), v19));
            i64 v22 = ((i64)v21);
            u32 v25 = (((u32)((u64)((i64)((u64)v22 - (u64)v23)))) + 1u);
            bool v26 = ((v22 < v23) || (v22 > v24));
            bool v28 = (v26 || !bit((v27 + 0ull), ((u64)v25)));
            u32 v30 = (v28 ? 0u : v29[v25]);
            u32 v31 = (v30 - 1u);
            if (!(v30 == 0u)) {
              i32 v32 = ((i32)lane32((v16 + 0u), v19));
              i32 v35 = v34[v31];
              i64 v36 = ((i64)v35);
              u32 v39 = (((u32)((u64)((i64)((u64)v36 - (u64)v37)))) + 1u);
              bool v40 = ((v36 < v37) || (v36 > v38));
              u64 v43 = (((u64)v39) * 2ull);
              bool v44 = (v40 || !(v42[v43] != 0ull));
              u32 v45 = (v44 ? 0u : v39);
              u64 v46 = (((u64)v45) * 2ull);
              i32 v47 = (!v44 ? ((i32)((i64)v42[v46])) : (0));
              bool v48 = (!v44 ? false : true);
              u64 v49 = (((u64)v45) * 2ull);
              i32 v51 = (!v44 ? ((i32)((i64)v41[((v49 * 2ull) + 2ull)])) : v50);
              bool v52 = (v48 || (((i128)v51) == ((i128)((u128)(u64)0ull << 64 | 0ull))));
              u32 v53 = numeric_quotient_scale(((i128)v47), 2u, ((i128)v51), 0u);
              i128 v54 = numeric_quotient(((i128)v47), 2u, ((i128)v51), 0u, v53);
              if (((v54 == ((i128)((u128)(u64)9223372036854775808ull << 64 | 0ull))) && !v52)) {
                v0[0u] = 1u;
              }
              u32 v55 = (1u + v53);
              i128 v56 = numeric_product(((i128)v33), v54, v55);
              if (((v56 == ((i128)((u128)(u64)9223372036854775808ull << 64 | 0ull))) && !v52)) {
                v0[0u] = 1u;
              }
              i64 v58 = ((i64)numeric_narrow(v56, v55, 2u, 3u, v57));
              bool v59 = (((i64)v32) < v58);
              if ((v59 && !v52)) {
                i32 v60 = ((i32)lane32((v18 + 0u), v19));
                v67 = ((i64)((u64)v67 + (u64)((i64)v60)));
                v66 = (v66 | 1u);
              }
            }
          }
        }
      }
    }
  }
  u32 v70 = ((0u * v62) + (threadIdx.x % v62));
  if ((v66 != 0u)) {
    add_shared((v68 + (0u + ((v63 * 1u) + v70))), v63, v67);
    set_flags((v68 + (0u + ((v63 * 0u) + v70))), v66);
  }
  __syncthreads();
  for (u32 v71 = threadIdx.x; v71 < v61; v71 += blockDim.x) {
    u32 v72 = 0u;
    i64 v73 = ((i64)0ll);
    for (u32 v74 = 0u; v74 < v62; v74 += 1u) {
      u32 v75 = ((v71 * v62) + v74);
      v72 = (v72 | v68[(0u + ((v63 * 0u) + v75))]);
      v73 = ((i64)((u64)v73 + (u64)joined((v68 + (0u + ((v63 * 1u) + v75))), v63)));
    }
    if ((v72 != 0u)) {
      u64 v76 = (((u64)v71) * 2ull);
      add64((v65 + v76), v73);
      set_flags((v64 + ((v76 * 2ull) + 2ull)), v72);
    }
  }
}

KERNEL collect(const u32* __restrict__ v0, const u32* __restrict__ v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u64 v12, const u8* __restrict__ v14, const u16* __restrict__ v22, const i32 v23, const i64 v26, const i64 v27, const u32* __restrict__ v30, const u32 v31, const u32 v32, const bool v33, const u32 v34, const u8* __restrict__ v36, const u32* __restrict__ v38, i32* v42, const u8* __restrict__ v43, const i32 v44, const i32 v45, i32* v47, const u32* __restrict__ v48, const i32 v49, i32* v51) {
  SHARED(v2)
  for (u32 v52 = threadIdx.x; v52 < v32; v52 += blockDim.x) {
    v2[(v31 + v52)] = v30[v52];
  }
  __syncthreads();
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
        bool v35 = (v29 || (v33 && !word_bit((v2 + v31), ((u32)first_slot(v34, ((u64)v28))))));
        bool v37 = (v35 || !bit((v36 + 0ull), ((u64)v28)));
        u32 v39 = (v37 ? 0u : v38[v28]);
        u32 v40 = (v39 - 1u);
        bool v41 = !(v39 == 0u);
        if (v41) {
          v42[v19] = v24;
          i32 v46 = ((i32)((u32)v45 + (u32)((i32)((u32)v44 * (u32)((i32)v43[v21])))));
          v47[v19] = v46;
          i32 v50 = ((i32)((u32)v49 + (u32)((i32)v48[v21])));
          v51[v19] = v50;
          v19 = (v19 + 1u);
        }
      }
      v11 = (v11 + v2[blockDim.x]);
      __syncthreads();
    }
  }
}

KERNEL collect(const u32* __restrict__ v0, const u32* __restrict__ v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u64 v12, const u8* __restrict__ v14, const u8* __restrict__ v22, const u8* __restrict__ v24, const u8* __restrict__ v25, const u8* __restrict__ v27, const u8* __restrict__ v29, const u8* __restrict__ v30, const u16* __restrict__ v32, const i32 v33, const i64 v36, u32* v38, i32* v39) {
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
        u32 v23 = ((u32)v22[v21]);
        bool v26 = (v24[v23] != 0u);
        if (v26) {
          u32 v28 = ((u32)v27[v21]);
          bool v31 = (v29[v28] != 0u);
          if (v31) {
            i32 v34 = ((i32)((u32)v33 + (u32)((i32)v32[v21])));
            i64 v35 = ((i64)v34);
            u32 v37 = (((u32)((u64)((i64)((u64)v35 - (u64)v36)))) + 1u);
            v38[v19] = v37;
            v39[v19] = v34;
            v19 = (v19 + 1u);
          }
        }
      }
      v11 = (v11 + v2[blockDim.x]);
      __syncthreads();
    }
  }
}

KERNEL count(const u32* __restrict__ v0, u32* v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, u8* v11, const u64 v12, const u16* __restrict__ v16, const i32 v22, const i64 v25, const i64 v26, const u32* __restrict__ v29, const u32 v30, const u32 v31, const bool v32, const u32 v33, const u8* __restrict__ v35, const u32* __restrict__ v37, const u8* __restrict__ v41, const u32* __restrict__ v43) {
  SHARED(v2)
  for (u32 v48 = threadIdx.x; v48 < v31; v48 += blockDim.x) {
    v2[(v30 + v48)] = v29[v48];
  }
  __syncthreads();
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
          bool v34 = (v28 || (v32 && !word_bit((v2 + v30), ((u32)first_slot(v33, ((u64)v27))))));
          bool v36 = (v34 || !bit((v35 + 0ull), ((u64)v27)));
          u32 v38 = (v36 ? 0u : v37[v27]);
          u32 v39 = (v38 - 1u);
          bool v40 = !(v38 == 0u);
          if (v40) {
            v18 = (v18 | (1u << v20));
          }
        }
      }
      if ((v18 != 0u)) {
        u64 v42[1];
        lanes8(v42, v41, v15);
        u64 v44[4];
        lanes32(v44, v43, v15);
#pragma unroll
        for (u32 v45 = 0u; v45 < 8u; v45 += 1u) {
          u64 v46 = (v15 + ((u64)v45));
          if (((v18 & (1u << v45)) != 0u)) {
            v14 = (v14 + 1u);
            v19 = (v19 | (1u << v45));
          }
        }
      }
      if ((v19 != 0u)) {
        v11[(v13 + ((v15 - (v8 & 18446744073709551608ull)) >> 3u))] = ((u8)v19);
      }
    }
    u32 v47 = scan((v2 + 0u), v14);
    if ((threadIdx.x == 0u)) {
      v1[v7] = v2[blockDim.x];
    }
    __syncthreads();
  }
}

KERNEL count(const u32* __restrict__ v0, u32* v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, u8* v11, const u64 v12, const u8* __restrict__ v16, const u8* __restrict__ v18, const u8* __restrict__ v25, const u8* __restrict__ v26, const u8* __restrict__ v29, const u8* __restrict__ v30, const u16* __restrict__ v32) {
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
      u32 v20 = 0u;
      u32 v21 = 0u;
#pragma unroll
      for (u32 v22 = 0u; v22 < 8u; v22 += 1u) {
        u64 v23 = (v15 + ((u64)v22));
        if (((v23 >= v8) && (v23 < v10))) {
          u32 v24 = ((u32)((u8)lane8((v19 + 0u), v22)));
          bool v27 = (v25[v24] != 0u);
          if (v27) {
            u32 v28 = ((u32)((u8)lane8((v17 + 0u), v22)));
            bool v31 = (v29[v28] != 0u);
            if (v31) {
              v20 = (v20 | (1u << v22));
            }
          }
        }
      }
      if ((v20 != 0u)) {
        u64 v33[2];
        lanes16(v33, v32, v15);
#pragma unroll
        for (u32 v34 = 0u; v34 < 8u; v34 += 1u) {
          u64 v35 = (v15 + ((u64)v34));
          if (((v20 & (1u << v34)) != 0u)) {
            v14 = (v14 + 1u);
            v21 = (v21 | (1u << v34));
          }
        }
      }
      if ((v21 != 0u)) {
        v11[(v13 + ((v15 - (v8 & 18446744073709551608ull)) >> 3u))] = ((u8)v21);
      }
    }
    u32 v36 = scan((v2 + 0u), v14);
    if ((threadIdx.x == 0u)) {
      v1[v7] = v2[blockDim.x];
    }
    __syncthreads();
  }
}

KERNEL reduce(const u32* __restrict__ v0, const u32 v1, const u64 v2, const u64 v3, const u64 v4, const i32* __restrict__ v13, const i32* __restrict__ v15, const i64 v21, const u32 v24, const u32 v25, const u32 v26, u32* v27, u64* v28) {
  SHARED(v30)
  for (u32 v31 = threadIdx.x; v31 < (v26 * 3u); v31 += blockDim.x) {
    v30[(0u + v31)] = 0u;
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
            i32 v23 = ((i32)lane32((v16 + 0u), v17));
            u32 v29 = ((v22 * v25) + (threadIdx.x % v25));
            add_shared((v30 + (0u + ((v26 * 0u) + v29))), v26, ((i64)v23));
            count32((v30 + (0u + ((v26 * 2u) + v29))), 1u);
          }
        }
      }
    }
  }
  __syncthreads();
  for (u32 v32 = threadIdx.x; v32 < v24; v32 += blockDim.x) {
    u32 v33 = 0u;
    i64 v34 = ((i64)0ll);
    i64 v35 = ((i64)0ll);
    for (u32 v36 = 0u; v36 < v25; v36 += 1u) {
      u32 v37 = ((v32 * v25) + v36);
      v34 = ((i64)((u64)v34 + (u64)joined((v30 + (0u + ((v26 * 0u) + v37))), v26)));
      v35 = ((i64)((u64)v35 + (u64)((i64)v30[(0u + ((v26 * 2u) + v37))])));
    }
    if ((v34 != ((i64)0ll))) {
      u64 v38 = (((u64)v32) * 2ull);
      add64((v28 + v38), v34);
      count32((v27 + ((v38 * 2ull) + 2ull)), ((u32)v35));
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
