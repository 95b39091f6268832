import { spawnSync } from "node:child_process";
import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { sha256 } from "#core/values";

const root = fileURLToPath(new URL("../../", import.meta.url));
const frozen = JSON.parse(readFileSync(join(root, "schemas/frozen.json"), "utf8")) as Record<string, string>;

describe("frozen contracts are as they were", () => {
  test.each(Object.entries(frozen))("%s", (id, hash) => {
    const folder = id.includes(".") ? "schemas/events" : "schemas";
    expect(
      sha256(readFileSync(join(root, folder, `${id}.json`))),
      `${id}.json is frozen and was changed: add a v2`,
    ).toBe(hash);
  });

  test("are those that the seed prints and the event", () => {
    expect(Object.keys(frozen)).toEqual(
      expect.arrayContaining([
        "completion_request_v1",
        "completion_response_v1",
        "event_v1",
        "lead_directive_v1",
        "plan_v1",
        "review_result_v1",
        "skill_frontmatter_v1",
        "worker_report_v1",
        "write_claim_v1",
      ]),
    );
  });
});

/** What the generator says to the contracts as `change` leaves them. */
function generated(change: (folder: string) => void): { readonly status: number | null; readonly stderr: string } {
  const folder = mkdtempSync(join(tmpdir(), "writ-schemas-"));
  cpSync(join(root, "schemas"), folder, { recursive: true });
  change(folder);
  const program = [join(root, "scripts/generate.mjs"), "--check", "--schemas", folder];
  const { status, stderr } = spawnSync(process.execPath, program, { encoding: "utf8" });
  rmSync(folder, { recursive: true, force: true });
  return { status, stderr };
}

test("nothing planted, nothing said", () => {
  expect(generated(() => undefined)).toEqual({ status: 0, stderr: "" });
});

test("a frozen contract that changed, be it by one byte, stops the generator, which names it", () => {
  expect(generated((folder) => appendFileSync(join(folder, "plan_v1.json"), "\n"))).toEqual({
    status: 1,
    stderr: "schemas/plan_v1.json is frozen and was changed: add a v2 (plan_v2.json) and leave this one as it was\n",
  });
});

/** Planted at once: the generator tells several defects together, each with its file. */
const defects: Readonly<Record<string, string>> = {
  "broken_v1.json": "{",
  "nameless_v1.json": '{"title":"t"}',
  "stranger_v1.json": '{"$id":"other_v1","title":"t"}',
  "unversioned.json": '{"$id":"unversioned","title":"t"}',
  "events/plan_v1.json": '{"$id":"plan_v1","title":"t"}',
  "mistyped_v1.json": '{"$id":"mistyped_v1","title":"t","type":"strng"}',
  "untitled_v1.json": '{"$id":"untitled_v1"}',
};
const ledgerRules: Readonly<Record<string, object>> = {
  "events/session.start_v1.json": { exec: "X", exec_field: ["tier"] },
  "events/session.halted_v1.json": { exec_fields: ["reason"] },
  "events/tool.invoke_v1.json": { exec: "tool_invoke" },
  "events/tool.result_v1.json": { exec: "X", evidence_fields: ["tire"] },
  "run_v1.json": { exec: "X" },
};

describe("a planted defect stops the generator, which names it", () => {
  let said: { readonly status: number | null; readonly stderr: string };
  beforeAll(() => {
    said = generated((folder) => {
      for (const [name, text] of Object.entries(defects)) writeFileSync(join(folder, name), text);
      for (const [name, rule] of Object.entries(ledgerRules)) {
        const schema = JSON.parse(readFileSync(join(folder, name), "utf8")) as object;
        writeFileSync(join(folder, name), JSON.stringify({ ...schema, "x-ledger": rule }));
      }
      rmSync(join(folder, "write_claim_v1.json"));
    });
  });

  test("and all of them are told at once", () => {
    expect(said.status).toBe(1);
    for (const name of [...Object.keys(defects), ...Object.keys(ledgerRules)])
      expect(said.stderr).toContain(`schemas/${name}: `);
  });

  test("a frozen contract that is gone", () => {
    expect(said.stderr).toMatch(/the frozen contract write_claim_v1 is gone.*add a v2/);
  });

  test.each([
    ["no JSON", /^schemas\/broken_v1\.json: /m],
    ["no id", 'schemas/nameless_v1.json: it has no $id; expected "nameless_v1"'],
    ["the id of another", 'schemas/stranger_v1.json: its $id is "other_v1", expected "stranger_v1"'],
    ["no version", "schemas/unversioned.json: a contract's name ends in its version"],
    ["an id twice", "schemas/events/plan_v1.json: the id plan_v1 is already taken"],
    ["no schema", "schemas/mistyped_v1.json: not a valid JSON Schema"],
    ["no title", "schemas/untitled_v1.json: it has no title"],
  ])("%s", (_what, message) => {
    expect(said.stderr).toMatch(message);
  });

  test.each([
    ["an unknown key", /session\.start_v1\.json: not a valid JSON Schema: .*x-ledger/],
    ["no entry type", /session\.halted_v1\.json: not a valid JSON Schema: .*x-ledger/],
    ["a type in small letters", /tool\.invoke_v1\.json: not a valid JSON Schema: .*x-ledger/],
    [
      "a field that the payload does not have",
      /tool\.result_v1\.json: x-ledger names the field "tire", which the payload does not have/,
    ],
    ["no event to stand on", /run_v1\.json: x-ledger belongs to events only/],
  ])("a ledger rule with %s", (_what, message) => {
    expect(said.stderr).toMatch(message);
  });
});
