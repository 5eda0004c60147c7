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
