import { expect, test } from "vitest";
import { verdictOn } from "./verdict-on.ts";

const screen = { red: (text: string) => `red ${text}`, yellow: (text: string) => `yellow ${text}` };
const found = (kind: "unreadable" | "chain_broken") => [{ kind, at: null, where: "session", message: "m" }] as never;

test("a record that cannot be read is not reported as one that was changed", () => {
  expect(verdictOn({ ok: true, events: 49, violations: [] }, screen)).toBe("49 events, chain verified");
  expect(verdictOn({ ok: false, events: 0, violations: found("unreadable") }, screen)).toMatch(
    /^yellow .*could not be read/,
  );
  expect(verdictOn({ ok: false, events: 3, violations: found("chain_broken") }, screen)).toMatch(
    /^red .*does not verify: m/,
  );
});
