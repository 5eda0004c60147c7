// Picks rows of a column. `value_t` is what a value is.
KERNEL pick(const value_t* from, const u32* rows, const u32 count, value_t* to) {
  for (u32 at = blockIdx.x * blockDim.x + threadIdx.x; at < count; at += gridDim.x * blockDim.x) to[at] = from[rows[at]];
}
