// Adds the groups of a table to those of another one of the same form. A step is what is done with a cell: its kind, its first word, and
// the word and the mask of the flag that tells whether a group has it, if one does. Flags come last: values ask for those that were.

FUNCTION u64 two_words(const u32* at) {
  return (u64)at[1] << 32 | at[0];
}

FUNCTION void put_two_words(u32* at, u64 value) {
  at[0] = (u32)value;
  at[1] = (u32)(value >> 32);
}

KERNEL merge_groups(u32* into, const u32* from, const u32 each, const u64 groups, const u32 first, const u32 last, const u32 mask, const u32* steps, const u32 count) {
  u64 all = (u64)gridDim.x * blockDim.x;
  for (u64 group = (u64)blockIdx.x * blockDim.x + threadIdx.x; group < groups; group += all) {
    u32* own = into + group * each;
    const u32* other = from + group * each;
    if (((other[first] | other[last]) & mask) == 0) continue;
    if (((own[first] | own[last]) & mask) == 0) {
      for (u32 word = 0; word < each; word++) own[word] = other[word];
      continue;
    }
    for (u32 step = 0; step < count; step++) {
      const u32* what = steps + step * 4;
      u32* to = own + what[1];
      const u32* more = other + what[1];
      bool is_lacking = what[3] != 0 && (own[what[2]] & what[3]) == 0 && (other[what[2]] & what[3]) != 0;
      switch (what[0]) {
        case 0: to[0] += more[0]; break;
        case 1: put_two_words(to, two_words(to) + two_words(more)); break;
        case 2: {
          u64 low = two_words(to) + two_words(more);
          u64 carry = low < two_words(more) ? 1 : 0;
          put_two_words(to + 2, two_words(to + 2) + two_words(more + 2) + carry);
          put_two_words(to, low);
          break;
        }
        case 3: if (more[0] > to[0]) to[0] = more[0]; break;
        case 4: if (two_words(more) > two_words(to)) put_two_words(to, two_words(more)); break;
        case 5: to[0] |= more[0]; break;
        case 6: if (is_lacking) to[0] = more[0]; break;
        case 7: if (is_lacking) put_two_words(to, two_words(more)); break;
      }
    }
  }
}
