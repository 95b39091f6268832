import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ok, systemClock, systemRandom } from "#core/values";
import { createMandate } from "#governance/mandate";
import { canaries, type TriedParts } from "./canaries.ts";
import { proveShut, refuseStart } from "./prove-shut.ts";

const quiet: TriedParts["sandbox"] = {
  ready: async () => ok({} as never),
  probes: async () => [{ name: "write", held: true } as never],
  close: async () => undefined,
};
const tried = (parts: Partial<TriedParts> = {}) =>
  proveShut(
    canaries({
      root: mkdtempSync(join(tmpdir(), "writ-canary-")),
      clock: systemClock,
      random: systemRandom,
      minimumTier: "T3",
      parts: { sandbox: quiet, ...parts },
    }),
  );

test("the gates of Writ hold, and the start goes on", async () => {
  const reports = await tried();
  expect(reports.filter(({ held }) => !held)).toEqual([]);
  expect(reports).toHaveLength(6);
  expect(refuseStart(reports)).toBeUndefined();
});

describe("one that is broken stops the start, and is named", () => {
  const allowing = { fire: async () => ok({ decision: "allow" as const, reason: "", decidedBy: "nobody" }) };
  const generous = { allocate: async () => ok({}), reserve: async () => ok({}) };
  const lax = () => ({
    ask: async () => ok({ approval_id: "A" }),
    find: async () => ok({ approval_id: "A", subject_hash: "h", subject: {} }),
    decide: async () => ok({}),
  });
  const allowingMandate: TriedParts["createMandate"] = (document, schemas) => {
    const made = createMandate(document, schemas);
    return made.ok ? ok({ ...made.value, decide: () => ({ allowed: true, clauses: [], reason: "" }) }) : made;
  };
  test.for<[string, Partial<TriedParts>, string]>([
    ["hook.hangs", { hooks: () => allowing }, "silence was taken for allow"],
    ["schema.junk", { schemas: { validate: () => ok({}) } }, "took it"],
    ["budget.overspend", { budgeter: generous as never }, "tokens were given"],
    ["approval.other", { createInbox: lax as never }, "other arguments was taken"],
    ["mandate.breach", { createMandate: allowingMandate }, "outside the order was allowed"],
    [
      "sandbox.leaks",
      { sandbox: { ...quiet, probes: async () => [{ name: "write", held: false } as never] } },
      "got out",
    ],
    ["sandbox.leaks", { sandbox: { ...quiet, probes: async () => Promise.reject(new Error("x")) } }, "itself broke"],
  ])("%s", async ([id, parts, words]) => {
    const reports = await tried(parts);
    expect(reports.filter(({ held }) => !held).map((report) => report.id)).toEqual([id]);
    expect(refuseStart(reports)).toMatchObject({ code: "GATE_DENIED", message: expect.stringContaining(words) });
  });
});
