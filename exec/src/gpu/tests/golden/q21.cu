// How many groups have rows.
KERNEL count_groups(const u32* flags, const u64 groups, u32* count) {
  u32 own = 0;
  for (u64 at = (u64)blockIdx.x * blockDim.x + threadIdx.x; at < groups; at += (u64)gridDim.x * blockDim.x) own += flags[at] & 1u;
  if (own != 0) atomicAdd(count, own);
}

KERNEL collect(const u32* __restrict__ v0, const u32* __restrict__ v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u16* __restrict__ v15, const i32 v16, const u16* __restrict__ v18, const i32 v19, const u16* __restrict__ v24, const i32 v25, const i64 v28, const i64 v29, const u32* __restrict__ v32, const u64* __restrict__ v35, const u8* __restrict__ v38, const i32 v39, const i32 v42, const i64 v45, const i64 v46, const u64* __restrict__ v51, const i32 v54, const i32 v60, const i64 v63, const i64 v64, const u32* __restrict__ v67, const i32 v71, const i32 v73, const i32 v78, const i64 v81, const i64 v82, const i32 v89, const i32 v92, const i64 v95, const i64 v96, const i32 v103, const i32 v109, const i64 v112, const i64 v113, const i32 v118, const i64 v121, u32* v123, i32* v124, i32* v125, const u32* __restrict__ v126, u32* v128) {
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
        i32 v20 = ((i32)((u32)v19 + (u32)((i32)v18[v13])));
        bool v21 = (v17 > v20);
        if (v21) {
          bool v22 = false;
          bool v23 = false;
          if (!v22) {
            i32 v26 = ((i32)((u32)v25 + (u32)((i32)v24[v13])));
            i64 v27 = ((i64)v26);
            u32 v30 = (((u32)((u64)((i64)((u64)v27 - (u64)v28)))) + 1u);
            bool v31 = ((v27 < v28) || (v27 > v29));
            bool v33 = (v31 || !((v32[v30] & 1u) != 0u));
            u32 v34 = (v33 ? 0u : v30);
            i32 v36 = (!v33 ? ((i32)fallen(v35[v34])) : (0));
            bool v37 = (!v33 ? false : true);
            i32 v40 = ((i32)((u32)v39 + (u32)((i32)v38[v13])));
            bool v41 = (v36 != v40);
            v23 = (v23 || v37);
            v22 = (v41 && !v37);
          }
          if (!v22) {
            i32 v43 = ((i32)((u32)v42 + (u32)((i32)v24[v13])));
            i64 v44 = ((i64)v43);
            u32 v47 = (((u32)((u64)((i64)((u64)v44 - (u64)v45)))) + 1u);
            bool v48 = ((v44 < v45) || (v44 > v46));
            bool v49 = (v48 || !((v32[v47] & 1u) != 0u));
            u32 v50 = (v49 ? 0u : v47);
            i32 v52 = (!v49 ? ((i32)risen(v51[v50])) : (0));
            bool v53 = (!v49 ? false : true);
            i32 v55 = ((i32)((u32)v54 + (u32)((i32)v38[v13])));
            bool v56 = (v52 != v55);
            v23 = (v23 || v53);
            v22 = (v56 && !v53);
          }
          bool v57 = (v23 && !v22);
          bool v58 = (v22 && !v57);
          bool v59 = !v58;
          if (v59) {
            i32 v61 = ((i32)((u32)v60 + (u32)((i32)v38[v13])));
            i64 v62 = ((i64)v61);
            u32 v65 = (((u32)((u64)((i64)((u64)v62 - (u64)v63)))) + 1u);
            bool v66 = ((v62 < v63) || (v62 > v64));
            u32 v68 = (v66 ? 0u : v67[v65]);
            u32 v69 = (v68 - 1u);
            if (!(v68 == 0u)) {
              v14 = (v14 + 1u);
            }
          }
        }
      }
      u32 v70 = (v11 + scan((v2 + 0u), v14));
      if ((v14 != 0u)) {
        i32 v72 = ((i32)((u32)v71 + (u32)((i32)v15[v13])));
        i32 v74 = ((i32)((u32)v73 + (u32)((i32)v18[v13])));
        bool v75 = (v72 > v74);
        if (v75) {
          bool v76 = false;
          bool v77 = false;
          if (!v76) {
            i32 v79 = ((i32)((u32)v78 + (u32)((i32)v24[v13])));
            i64 v80 = ((i64)v79);
            u32 v83 = (((u32)((u64)((i64)((u64)v80 - (u64)v81)))) + 1u);
            bool v84 = ((v80 < v81) || (v80 > v82));
            bool v85 = (v84 || !((v32[v83] & 1u) != 0u));
            u32 v86 = (v85 ? 0u : v83);
            i32 v87 = (!v85 ? ((i32)fallen(v35[v86])) : (0));
            bool v88 = (!v85 ? false : true);
            i32 v90 = ((i32)((u32)v89 + (u32)((i32)v38[v13])));
            bool v91 = (v87 != v90);
            v77 = (v77 || v88);
            v76 = (v91 && !v88);
          }
          if (!v76) {
            i32 v93 = ((i32)((u32)v92 + (u32)((i32)v24[v13])));
            i64 v94 = ((i64)v93);
            u32 v97 = (((u32)((u64)((i64)((u64)v94 - (u64)v95)))) + 1u);
            bool v98 = ((v94 < v95) || (v94 > v96));
            bool v99 = (v98 || !((v32[v97] & 1u) != 0u));
            u32 v100 = (v99 ? 0u : v97);
            i32 v101 = (!v99 ? ((i32)risen(v51[v100])) : (0));
            bool v102 = (!v99 ? false : true);
            i32 v104 = ((i32)((u32)v103 + (u32)((i32)v38[v13])));
            bool v105 = (v101 != v104);
            v77 = (v77 || v102);
            v76 = (v105 && !v102);
          }
          bool v106 = (v77 && !v76);
          bool v107 = (v76 && !v106);
          bool v108 = !v107;
          if (v108) {
            i32 v110 = ((i32)((u32)v109 + (u32)((i32)v38[v13])));
            i64 v111 = ((i64)v110);
            u32 v114 = (((u32)((u64)((i64)((u64)v111 - (u64)v112)))) + 1u);
            bool v115 = ((v111 < v112) || (v111 > v113));
            u32 v116 = (v115 ? 0u : v67[v114]);
            u32 v117 = (v116 - 1u);
            if (!(v116 == 0u)) {
              i32 v119 = ((i32)((u32)v118 + (u32)((i32)v24[v13])));
              i64 v120 = ((i64)v119);
              u32 v122 = (((u32)((u64)((i64)((u64)v120 - (u64)v121)))) + 1u);
              v123[v70] = v122;
              v124[v70] = v119;
              v125[v70] = v110;
              u32 v127 = v126[v117];
              v128[v70] = v127;
              v70 = (v70 + 1u);
            }
          }
        }
      }
      v11 = (v11 + v2[blockDim.x]);
      __syncthreads();
    }
  }
}

KERNEL collect(const u32* __restrict__ v0, const u32* __restrict__ v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u32* __restrict__ v15, const u64* __restrict__ v17, i32* v19, u32* v21, u32* v22, i32* v23) {
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
          i32 v18 = ((i32)((i64)v17[v13]));
          v19[v16] = v18;
          u32 v20 = ((v13 == 0ull) ? 0u : ((u32)(v13 - 1ull)));
          v21[v16] = v20;
          v22[v16] = v20;
          v23[v16] = v18;
          v16 = (v16 + 1u);
        }
      }
      v11 = (v11 + v2[blockDim.x]);
      __syncthreads();
    }
  }
}

KERNEL collect(const u32* __restrict__ v0, const u32* __restrict__ v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u8* __restrict__ v15, const i32 v16, const i64 v19, const i64 v20, const u8* __restrict__ v23, const i32 v26, const i64 v29, const i64 v30, const u8* __restrict__ v34, const i32 v35, const i64 v38, u32* v40, const u8* __restrict__ v41, u32* v43) {
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
          i64 v37 = ((i64)v36);
          u32 v39 = (((u32)((u64)((i64)((u64)v37 - (u64)v38)))) + 1u);
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

KERNEL count(const u32* __restrict__ v0, u32* v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u16* __restrict__ v13, const u8* __restrict__ v15, const u16* __restrict__ v17, const u16* __restrict__ v19, const i32 v24, const i32 v26, const i32 v31, const i64 v34, const i64 v35, const u32* __restrict__ v38, const u64* __restrict__ v41, const i32 v44, const i32 v47, const i64 v50, const i64 v51, const u64* __restrict__ v56, const i32 v59, const i32 v67, const i64 v70, const i64 v71, const u32* __restrict__ v74) {
  SHARED(v2)
  for (u32 v7 = blockIdx.x; v7 < v3; v7 += gridDim.x) {
    u64 v8 = (v4 + (((u64)v7) * v6));
    u64 v9 = (v8 + v6);
    u64 v10 = ((v9 > v5) ? v5 : v9);
    u32 v11 = 0u;
    for (u64 v12 = ((v8 & 18446744073709551608ull) + (((u64)threadIdx.x) * 8ull)); v12 < v10; v12 += (((u64)blockDim.x) * 8ull)) {
      u64 v14[2];
      lanes16(v14, v13, v12);
      u64 v16[1];
      lanes8(v16, v15, v12);
      u64 v18[2];
      lanes16(v18, v17, v12);
      u64 v20[2];
      lanes16(v20, v19, v12);
      u32 v21 = 0u;
#pragma unroll
      for (u32 v22 = 0u; v22 < 8u; v22 += 1u) {
        u64 v23 = (v12 + ((u64)v22));
        if (((v23 >= v8) && (v23 < v10))) {
          i32 v25 = ((i32)((u32)v24 + (u32)((i32)((u16)lane16((v20 + 0u), v22)))));
          i32 v27 = ((i32)((u32)v26 + (u32)((i32)((u16)lane16((v18 + 0u), v22)))));
          bool v28 = (v25 > v27);
          if (v28) {
            bool v29 = false;
            bool v30 = false;
            if (!v29) {
              i32 v32 = ((i32)((u32)v31 + (u32)((i32)((u16)lane16((v14 + 0u), v22)))));
              i64 v33 = ((i64)v32);
              u32 v36 = (((u32)((u64)((i64)((u64)v33 - (u64)v34)))) + 1u);
              bool v37 = ((v33 < v34) || (v33 > v35));
              bool v39 = (v37 || !((v38[v36] & 1u) != 0u));
              u32 v40 = (v39 ? 0u : v36);
              i32 v42 = (!v39 ? ((i32)fallen(v41[v40])) : (0));
              bool v43 = (!v39 ? false : true);
              i32 v45 = ((i32)((u32)v44 + (u32)((i32)((u8)lane8((v16 + 0u), v22)))));
              bool v46 = (v42 != v45);
              v30 = (v30 || v43);
              v29 = (v46 && !v43);
            }
            if (!v29) {
              i32 v48 = ((i32)((u32)v47 + (u32)((i32)((u16)lane16((v14 + 0u), v22)))));
              i64 v49 = ((i64)v48);
              u32 v52 = (((u32)((u64)((i64)((u64)v49 - (u64)v50)))) + 1u);
              bool v53 = ((v49 < v50) || (v49 > v51));
              bool v54 = (v53 || !((v38[v52] & 1u) != 0u));
              u32 v55 = (v54 ? 0u : v52);
              i32 v57 = (!v54 ? ((i32)risen(v56[v55])) : (0));
              bool v58 = (!v54 ? false : true);
              i32 v60 = ((i32)((u32)v59 + (u32)((i32)((u8)lane8((v16 + 0u), v22)))));
              bool v61 = (v57 != v60);
              v30 = (v30 || v58);
              v29 = (v61 && !v58);
            }
            bool v62 = (v30 && !v29);
            bool v63 = (v29 && !v62);
            bool v64 = !v63;
            if (v64) {
              v21 = (v21 | (1u << v22));
            }
          }
        }
      }
      if ((v21 != 0u)) {
#pragma unroll
        for (u32 v65 = 0u; v65 < 8u; v65 += 1u) {
          u64 v66 = (v12 + ((u64)v65));
          if (((v21 & (1u << v65)) != 0u)) {
            i32 v68 = ((i32)((u32)v67 + (u32)((i32)((u8)lane8((v16 + 0u), v65)))));
            i64 v69 = ((i64)v68);
            u32 v72 = (((u32)((u64)((i64)((u64)v69 - (u64)v70)))) + 1u);
            bool v73 = ((v69 < v70) || (v69 > v71));
            u32 v75 = (v73 ? 0u : v74[v72]);
            u32 v76 = (v75 - 1u);
            if (!(v75 == 0u)) {
              v11 = (v11 + 1u);
            }
          }
        }
      }
    }
    u32 v77 = scan((v2 + 0u), v11);
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

KERNEL count(const u32* __restrict__ v0, u32* v1, const u32 v3, const u64 v4, const u64 v5, const u64 v6, const u8* __restrict__ v13, const i32 v18, const i64 v21, const i64 v22, const u8* __restrict__ v25, const u8* __restrict__ v27, const u8* __restrict__ v29) {
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
#pragma unroll
        for (u32 v31 = 0u; v31 < 8u; v31 += 1u) {
          u64 v32 = (v12 + ((u64)v31));
          if (((v15 & (1u << v31)) != 0u)) {
            v11 = (v11 + 1u);
          }
        }
      }
    }
    u32 v33 = scan((v2 + 0u), v11);
    if ((threadIdx.x == 0u)) {
      v1[v7] = v2[blockDim.x];
    }
    __syncthreads();
  }
}

KERNEL reduce(const u32* __restrict__ v0, const u32 v1, const u64 v2, const u64 v3, const u64 v4, const u16* __restrict__ v10, const i32 v15, const i64 v18, const i64 v19, const u32* __restrict__ v22, const u8* __restrict__ v26, const i32 v30, const i64 v33, u32* v35, u64* v36, u64* v37, const i32 v38) {
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
          i32 v16 = ((i32)((u32)v15 + (u32)((i32)((u16)lane16((v11 + 0u), v13)))));
          i64 v17 = ((i64)v16);
          u32 v20 = (((u32)((u64)((i64)((u64)v17 - (u64)v18)))) + 1u);
          bool v21 = ((v17 < v18) || (v17 > v19));
          u32 v23 = (v21 ? 0u : v22[v20]);
          u32 v24 = (v23 - 1u);
          bool v25 = !(v23 == 0u);
          if (v25) {
            v12 = (v12 | (1u << v13));
          }
        }
      }
      if ((v12 != 0u)) {
        u64 v27[1];
        lanes8(v27, v26, v9);
#pragma unroll
        for (u32 v28 = 0u; v28 < 8u; v28 += 1u) {
          u64 v29 = (v9 + ((u64)v28));
          if (((v12 & (1u << v28)) != 0u)) {
            i32 v31 = ((i32)((u32)v30 + (u32)((i32)((u16)lane16((v11 + 0u), v28)))));
            i64 v32 = ((i64)v31);
            u32 v34 = (((u32)((u64)((i64)((u64)v32 - (u64)v33)))) + 1u);
            i32 v39 = ((i32)((u32)v38 + (u32)((i32)((u8)lane8((v27 + 0u), v28)))));
            most((v36 + v34), falling(((i64)v39)));
            most((v37 + v34), rising(((i64)v39)));
            set_flags((v35 + v34), 1u);
          }
        }
      }
    }
  }
}

KERNEL reduce(const u32* __restrict__ v0, const u32 v1, const u64 v2, const u64 v3, const u64 v4, const u16* __restrict__ v10, const u16* __restrict__ v12, const i32 v17, const i32 v19, const u16* __restrict__ v22, const u8* __restrict__ v24, const i32 v28, const i64 v31, u32* v33, u64* v34, u64* v35, const i32 v36) {
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
          i32 v20 = ((i32)((u32)v19 + (u32)((i32)((u16)lane16((v11 + 0u), v15)))));
          bool v21 = (v18 > v20);
          if (v21) {
            v14 = (v14 | (1u << v15));
          }
        }
      }
      if ((v14 != 0u)) {
        u64 v23[2];
        lanes16(v23, v22, v9);
        u64 v25[1];
        lanes8(v25, v24, v9);
#pragma unroll
        for (u32 v26 = 0u; v26 < 8u; v26 += 1u) {
          u64 v27 = (v9 + ((u64)v26));
          if (((v14 & (1u << v26)) != 0u)) {
            i32 v29 = ((i32)((u32)v28 + (u32)((i32)((u16)lane16((v23 + 0u), v26)))));
            i64 v30 = ((i64)v29);
            u32 v32 = (((u32)((u64)((i64)((u64)v30 - (u64)v31)))) + 1u);
            i32 v37 = ((i32)((u32)v36 + (u32)((i32)((u8)lane8((v25 + 0u), v26)))));
            most((v34 + v32), falling(((i64)v37)));
            most((v35 + v32), rising(((i64)v37)));
            set_flags((v33 + v32), 1u);
          }
        }
      }
    }
  }
}

KERNEL reduce(const u32* __restrict__ v0, const u32 v1, const u64 v2, const u64 v3, const u64 v4, const u8* __restrict__ v10, const u8* __restrict__ v16, const u8* __restrict__ v17, const u16* __restrict__ v19, const i32 v23, const i64 v26, const i64 v27, const u32* __restrict__ v30, const i32* __restrict__ v35, const i64 v38, const i64 v39, const u32* __restrict__ v42, const u64* __restrict__ v45, const i32* __restrict__ v48, const i64 v53, const i64 v54, const u64* __restrict__ v59, const u32* __restrict__ v65, const u32 v68, const u32 v69, const u32 v70, u32* v71, u64* v72) {
  SHARED(v74)
  for (u32 v75 = threadIdx.x; v75 < (v70 * 2u); v75 += blockDim.x) {
    v74[(0u + v75)] = 0u;
  }
  __syncthreads();
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
            u32 v28 = (((u32)((u64)((i64)((u64)v25 - (u64)v26)))) + 1u);
            bool v29 = ((v25 < v26) || (v25 > v27));
            u32 v31 = (v29 ? 0u : v30[v28]);
            u32 v32 = (v31 - 1u);
            if (!(v31 == 0u)) {
              bool v33 = false;
              bool v34 = false;
              if (!v33) {
                i32 v36 = v35[v32];
                i64 v37 = ((i64)v36);
                u32 v40 = (((u32)((u64)((i64)((u64)v37 - (u64)v38)))) + 1u);
                bool v41 = ((v37 < v38) || (v37 > v39));
                bool v43 = (v41 || !((v42[v40] & 1u) != 0u));
                u32 v44 = (v43 ? 0u : v40);
                i32 v46 = (!v43 ? ((i32)fallen(v45[v44])) : (0));
                bool v47 = (!v43 ? false : true);
                i32 v49 = v48[v32];
                bool v50 = (v46 != v49);
                v34 = (v34 || v47);
                v33 = (v50 && !v47);
              }
              if (!v33) {
                i32 v51 = v35[v32];
                i64 v52 = ((i64)v51);
                u32 v55 = (((u32)((u64)((i64)((u64)v52 - (u64)v53)))) + 1u);
                bool v56 = ((v52 < v53) || (v52 > v54));
                bool v57 = (v56 || !((v42[v55] & 1u) != 0u));
                u32 v58 = (v57 ? 0u : v55);
                i32 v60 = (!v57 ? ((i32)risen(v59[v58])) : (0));
                bool v61 = (!v57 ? false : true);
                i32 v62 = v48[v32];
                bool v63 = (v60 != v62);
                v34 = (v34 || v61);
                v33 = (v63 && !v61);
              }
              bool v64 = (v34 && !v33);
              if ((v33 && !v64)) {
                u32 v66 = v65[v32];
                u32 v67 = (v66 + 1u);
                u32 v73 = ((v67 * v69) + (threadIdx.x % v69));
                count32((v74 + (0u + ((v70 * 1u) + v73))), 1u);
                set_flags((v74 + (0u + ((v70 * 0u) + v73))), 1u);
              }
            }
          }
        }
      }
    }
  }
  __syncthreads();
  for (u32 v76 = threadIdx.x; v76 < v68; v76 += blockDim.x) {
    u32 v77 = 0u;
    i64 v78 = ((i64)0ll);
    for (u32 v79 = 0u; v79 < v69; v79 += 1u) {
      u32 v80 = ((v76 * v69) + v79);
      v77 = (v77 | v74[(0u + ((v70 * 0u) + v80))]);
      v78 = ((i64)((u64)v78 + (u64)((i64)v74[(0u + ((v70 * 1u) + v80))])));
    }
    if ((v77 != 0u)) {
      add64((v72 + v76), v78);
      set_flags((v71 + v76), v77);
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
