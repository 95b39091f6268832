import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { canonicalJson } from "#core/values";
import { canonical } from "../../src/proof/bundle/page/canonical.ts";
import { visible } from "../../studio/src/ui/visible.ts";
import { genesis, verifyLines } from "../../studio/src/verify/chain.ts";

const lines = readFileSync(
  new URL("../../examples/greet/session/SES-20261115-7vhysa1pm80gp6cj1rne/.events.jsonl", import.meta.url),
  "utf8",
)
  .split("\n")
  .filter(Boolean);
const start = { seq: 0, head: genesis };

describe("the studio's own verifier", () => {
  test("proves a session of the log from its bytes", () => {
    expect(verifyLines(lines, start)).toMatchObject({ ok: true, events: lines.length });
  });

  test("goes on from where a page ended", () => {
    const half = verifyLines(lines.slice(0, 10), start);
    expect(half.ok && verifyLines(lines.slice(10), { seq: half.events, head: half.head })).toMatchObject({
      ok: true,
      events: lines.length,
    });
  });

  test.each([
    ["a changed word", (all: string[]) => all.with(6, (all[6] ?? "").replace("greet", "GREET")), 7],
    ["a removed line", (all: string[]) => all.toSpliced(4, 1), 5],
    ["a repeated line", (all: string[]) => all.toSpliced(4, 0, all[4] ?? ""), 6],
    ["swapped lines", (all: string[]) => all.with(2, all[3] ?? "").with(3, all[2] ?? ""), 3],
    ["other white space", (all: string[]) => all.with(1, (all[1] ?? "").replace(":", ": ")), 2],
    ["bytes that are no JSON", (all: string[]) => all.with(8, "}{"), 9],
  ])("finds %s and names the event", (_, change, at) => {
    expect(verifyLines(change([...lines]), start)).toMatchObject({ ok: false, at });
  });

  test("writes the same canonical form as the log", () => {
    for (const line of lines) expect(canonical(JSON.parse(line))).toBe(canonicalJson(JSON.parse(line)));
  });
});

test("what cannot be seen is shown: invisible, turning and tag characters", () => {
  expect(visible("pay\u202Eeva\u200B\u{E0041}")).toBe("pay⟨U+202E⟩eva⟨U+200B⟩⟨U+E0041⟩");
  expect(visible("Grüße, 日本 👍\n\tplain")).toBe("Grüße, 日本 👍\n\tplain");
});
