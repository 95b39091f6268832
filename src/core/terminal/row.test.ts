import { expect, test } from "vitest";
import { harmless, oneLine } from "./row.ts";

test("the text of a model cannot control the terminal, and keeps its lines", () => {
  const hostile =
    "one\u001b]0;title\u0007\u001b[2J\u001b[31m red\r\ntwo\t\u009b1m\u202ethree\rdone · chain verified\u0008";
  expect(harmless(hostile)).toBe("one red\ntwo\tthreedone · chain verified");
  expect(harmless("Grüße, 世界 👩‍👩‍👧\n\n- a\n- b\n")).toBe("Grüße, 世界 👩‍👩‍👧\n\n- a\n- b\n");
  expect(oneLine(hostile)).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/);
});
