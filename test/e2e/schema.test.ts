import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { writJson as inResident } from "../support/resident-writ.ts";
import { writ, writJson } from "../support/writ.ts";

const place = mkdtempSync(join(tmpdir(), "writ-schema-"));
afterAll(() => rmSync(place, { recursive: true, force: true }));

test("list names the shipped contracts and a workspace's own", async () => {
  const root = join(place, "schemas");
  await writ(["init", root]);
  writeFileSync(
    join(root, "schemas", "invoice_v1.json"),
    JSON.stringify({
      $id: "invoice_v1",
      title: "An invoice",
      type: "object",
      required: ["total"],
      properties: { total: { type: "number" } },
    }),
  );
  const { json } = await writJson<{ schemas: { id: string; origin: string }[] }>(["schema", "list", "--root", root]);
  expect(json.schemas).toContainEqual(expect.objectContaining({ id: "invoice_v1", origin: "workspace" }));
  expect(json.schemas).toContainEqual(expect.objectContaining({ id: "event_v1", origin: "shipped" }));
  writeFileSync(join(root, "good.json"), `{"total": 3}`);
  writeFileSync(join(root, "bad.yaml"), "# an invoice\ntotal: three\n");
  expect(await writ(["schema", "validate", "invoice_v1", "good.json"], { cwd: root })).toMatchObject({
    status: 0,
    stdout: expect.stringContaining("valid invoice_v1"),
  });
  const bad = await writ(["schema", "validate", "invoice_v1", "bad.yaml"], { cwd: root });
  expect(bad.status).toBe(1);
  expect(bad.stdout).toContain("bad.yaml:2");
  expect(bad.stdout).toContain('expected type number, found "three"');
});

test("show prints a contract as it is", async () => {
  const { json } = await inResident<{ $id: string; properties: object }>(["schema", "show", "eval_suite_v1"]);
  expect(json).toMatchObject({ $id: "eval_suite_v1", properties: { cases: {} } });
  expect(await inResident(["schema", "show", "eval_siute_v1"])).toMatchObject({
    status: 2,
    json: { error: { message: expect.stringContaining('did you mean "eval_suite_v1"?') } },
  });
});

test("an invalid document exits 1 and its violations are data for programs", async () => {
  writeFileSync(join(place, "event.json"), `{"id": 5}`);
  const { status, json } = await writJson<{ ok: boolean; violations: object[] }>([
    "schema",
    "validate",
    "event_v1",
    join(place, "event.json"),
  ]);
  expect(status).toBe(1);
  expect(json.ok).toBe(false);
  expect(json.violations[0]).toMatchObject({
    path: expect.any(String),
    expected: expect.any(String),
    found: expect.any(String),
  });
});

test("unreadable input exits 2", async () => {
  for (const [name, text] of [
    ["junk.json", "{{{"],
    ["twice.json", `{"a":1,"a":2}`],
    ["open.yaml", "a: [1"],
    ["latin1.yaml", Buffer.from([0x67, 0xfc])],
  ] as const) {
    writeFileSync(join(place, name), text);
    expect((await writ(["schema", "validate", "event_v1", join(place, name)])).status, name).toBe(2);
  }
});

test("a contract that nobody knows is SCHEMA_NOT_FOUND, and wrong usage", async () => {
  writeFileSync(join(place, "any.json"), "{}");
  expect(await inResident(["schema", "validate", "evnt_v1", join(place, "any.json")])).toMatchObject({
    status: 2,
    json: { error: { code: "SCHEMA_NOT_FOUND", message: expect.stringContaining('did you mean "event_v1"?') } },
  });
});
