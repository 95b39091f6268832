import { expect, test } from "vitest";
import { inside } from "./inside-workspace.ts";

test.each([
  ["hooks/a.sh", "/w/hooks/a.sh"],
  ["/w/hooks/../a.sh", "/w/a.sh"],
  ["../w-beside/a.sh", undefined],
  ["/w-beside/a.sh", undefined],
  ["hooks/../../etc/a.sh", undefined],
  ["..", undefined],
])("%j in /w is %j", (path, found) => {
  expect(inside("/w", path)).toBe(found);
});
