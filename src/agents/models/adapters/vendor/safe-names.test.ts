import fc from "fast-check";
import { expect, test } from "vitest";
import { SafeNames, safeCallId } from "./safe-names.ts";

const accepted = /^[A-Za-z_][A-Za-z0-9_-]{0,62}$/;

test("a dotted name is sent with two underscores and comes back", () => {
  const names = new SafeNames(["fs.read", "echo"]);
  expect(names.toVendor("fs.read")).toBe("fs__read");
  expect(names.toVendor("echo")).toBe("echo");
  expect(names.toOurs("fs__read")).toBe("fs.read");
  expect(names.toOurs("never_offered")).toBe("never_offered");
});

test("names that would meet are kept apart", () => {
  const ours = ["a.b", "a__b", "a_.b", "a._b", "a b", "a/b", "1a", "é", "", "x".repeat(200), `${"x".repeat(200)}y`];
  const names = new SafeNames(ours);
  const sent = ours.map((name) => names.toVendor(name));
  expect(new Set(sent).size).toBe(ours.length);
  expect(sent.map((name) => names.toOurs(name))).toEqual(ours);
});

test("every set of names is sent in the vendors' alphabet and comes back whole", () => {
  const name = fc.oneof(
    fc.string({ unit: fc.constantFrom("a", "B", "_", ".", "-", "1"), maxLength: 8 }),
    fc.string({ unit: "grapheme", maxLength: 80 }),
  );
  fc.assert(
    fc.property(fc.uniqueArray(name, { maxLength: 40 }), (ours) => {
      const names = new SafeNames(ours);
      const sent = ours.map((each) => names.toVendor(each));
      expect(sent.every((each) => accepted.test(each))).toBe(true);
      expect(sent.map((each) => names.toOurs(each))).toEqual(ours);
    }),
  );
});

test("ids of calls stay as they are where every vendor takes them", () => {
  expect(safeCallId("toolu_01AbC")).toBe("toolu_01AbC");
  expect(safeCallId("odd id/1")).toMatch(/^call_[0-9a-f]{24}$/);
  expect(safeCallId("x".repeat(64))).not.toBe(safeCallId("x".repeat(65)));
});
