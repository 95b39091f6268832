import { expect, test } from "vitest";
import { nearest } from "./nearest.ts";

const keys = ["provider", "profile", "profiles", "redaction", "store"];

test.each([
  ["provder", "provider"],
  ["porvider", "provider"],
  ["Provider", "provider"],
  ["redact", "redaction"],
  ["stroe", "store"],
])("%s was most likely meant to be %s", (wanted, meant) => {
  expect(nearest(wanted, keys)).toBe(meant);
});

test("nothing is suggested for a name that resembles none", () => {
  expect(nearest("banana", keys)).toBeUndefined();
  expect(nearest("", keys)).toBeUndefined();
  expect(nearest("x", [])).toBeUndefined();
});
