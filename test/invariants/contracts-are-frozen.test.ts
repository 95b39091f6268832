import { spawnSync } from "node:child_process";
import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { sha256 } from "#base";

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

describe("a planted defect stops the generator, which names it", () => {
  let folder = "";
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "writ-schemas-"));
    cpSync(join(root, "schemas"), folder, { recursive: true });
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const generate = () =>
    spawnSync(process.execPath, [join(root, "scripts/generate.mjs"), "--check", "--schemas", folder], {
      encoding: "utf8",
    });
  const file = (name: string) => join(folder, name);
  const edit = (name: string, change: (schema: Record<string, unknown>) => void) => {
    const schema = JSON.parse(readFileSync(file(name), "utf8")) as Record<string, unknown>;
    change(schema);
    writeFileSync(file(name), JSON.stringify(schema));
  };

  test("nothing planted, nothing said", () => {
    expect(generate()).toMatchObject({ status: 0, stderr: "" });
  });

  test("a frozen contract that changed, be it by one byte", () => {
    appendFileSync(file("plan_v1.json"), "\n");
    expect(generate()).toMatchObject({
      status: 1,
      stderr: "schemas/plan_v1.json is frozen and was changed: add a v2 (plan_v2.json) and leave this one as it was\n",
    });
  });

  test("a frozen contract that is gone", () => {
    rmSync(file("write_claim_v1.json"));
    const { status, stderr } = generate();
    expect(status).toBe(1);
    expect(stderr).toContain("the frozen contract write_claim_v1 is gone");
    expect(stderr).toContain("add a v2");
  });

  test("several defects are told at once", () => {
    writeFileSync(file("broken_v1.json"), "{");
    writeFileSync(file("nameless_v1.json"), '{"title":"t"}');
    writeFileSync(file("stranger_v1.json"), '{"$id":"other_v1","title":"t"}');
    writeFileSync(file("unversioned.json"), '{"$id":"unversioned","title":"t"}');
    writeFileSync(file("events/plan_v1.json"), '{"$id":"plan_v1","title":"t"}');
    writeFileSync(file("mistyped_v1.json"), '{"$id":"mistyped_v1","title":"t","type":"strng"}');
    writeFileSync(file("untitled_v1.json"), '{"$id":"untitled_v1"}');
    const { status, stderr } = generate();
    expect(status).toBe(1);
    expect(stderr).toMatch(/schemas\/broken_v1\.json: /);
    expect(stderr).toContain('schemas/nameless_v1.json: it has no $id; expected "nameless_v1"');
    expect(stderr).toContain('schemas/stranger_v1.json: its $id is "other_v1", expected "stranger_v1"');
    expect(stderr).toContain("schemas/unversioned.json: a contract's name ends in its version");
    expect(stderr).toContain("schemas/events/plan_v1.json: the id plan_v1 is already taken");
    expect(stderr).toContain("schemas/mistyped_v1.json: not a valid JSON Schema");
    expect(stderr).toContain("schemas/untitled_v1.json: it has no title");
  });

  test.each([
    [
      "an unknown key",
      { exec: "X", exec_field: ["tier"] },
      /session\.start_v1\.json: not a valid JSON Schema: .*x-ledger/s,
    ],
    ["no entry type", { exec_fields: ["tier"] }, /not a valid JSON Schema/],
    ["a type in small letters", { exec: "session_start" }, /not a valid JSON Schema/],
    [
      "a field that the payload does not have",
      { exec: "X", evidence_fields: ["tire"] },
      /x-ledger names the field "tire", which the payload does not have/,
    ],
  ])("a ledger rule with %s", (_what, rule, message) => {
    edit("events/session.start_v1.json", (schema) => {
      schema["x-ledger"] = rule;
    });
    const { status, stderr } = generate();
    expect(status).toBe(1);
    expect(stderr).toMatch(message);
  });

  test("a ledger rule on something that is no event", () => {
    edit("run_v1.json", (schema) => {
      schema["x-ledger"] = { exec: "X" };
    });
    expect(generate().stderr).toContain("schemas/run_v1.json: x-ledger belongs to events only");
  });
});
