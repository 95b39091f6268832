import { expect, test } from "vitest";
import { FixedText, putFixed } from "./fixed-text.ts";
import { viewOf } from "./line-memory.ts";

test("is put whole at any place, and changes nothing before it and nothing beyond its room", () => {
  for (const text of ["", "a", "ab", "abc", "abcd", "abcde", ',"prev_hash":"', "é€😀", "\x7f\u00ff"]) {
    const bytes = Buffer.from(text);
    const fixed = new FixedText(text);
    expect(fixed.length).toBe(bytes.length);
    for (let at = 0; at < 9; at++) {
      const memory = Buffer.from(new SharedArrayBuffer(at + fixed.room + 4)).fill(0xaa);
      expect(putFixed(viewOf(memory), fixed, at)).toBe(at + bytes.length);
      expect(memory.subarray(at, at + bytes.length)).toEqual(bytes);
      const around = Buffer.concat([memory.subarray(0, at), memory.subarray(at + fixed.room)]);
      expect(around).toEqual(Buffer.alloc(at + 4, 0xaa));
    }
  }
});
