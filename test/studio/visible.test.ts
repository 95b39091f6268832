import { expect, test } from "vitest";
import { visible, visibleBytes, visiblePart } from "../../studio/src/ui/visible.ts";

test("what cannot be seen, or turns the text around, is written as its code point", () => {
  expect(visible("a\u200bb\u202ec\u001b[31m\u0007")).toBe("a⟨U+200B⟩b⟨U+202E⟩c⟨U+001B⟩[31m⟨U+0007⟩");
  // Joiners and selectors that join and select nothing are there to hide something.
  expect(visible("pay\u200dpal x\ufe0f \u{e0041}")).toBe("pay⟨U+200D⟩pal x⟨U+FE0F⟩ ⟨U+E0041⟩");
});

test("an emoji is one picture; among exact bytes its parts are told", () => {
  const family = "\u{1f468}\u200d\u{1f469}\u200d\u{1f467} \u2764\ufe0f 1\ufe0f\u20e3 \u{1f44d}\u{1f3fd}";
  expect(visible(family)).toBe(family);
  expect(visibleBytes("\u2764\ufe0f")).toBe("\u2764⟨U+FE0F⟩");
  // One selector belongs to it; what follows does not.
  expect(visible("\u2764\ufe0f\ufe0f")).toBe("\u2764\ufe0f⟨U+FE0F⟩");
});

test("a line from right to left is kept to itself; its own joiner stays, and those beside it are as they were", () => {
  expect(visible("plain\nשלום, 2")).toBe("plain\n\u2068שלום, 2\u2069");
  expect(visible("می\u200cخواهم")).toBe("\u2068می\u200cخواهم\u2069");
  expect([visibleBytes("שלום"), visiblePart("שלום")]).toEqual(["שלום", "שלום"]);
});
