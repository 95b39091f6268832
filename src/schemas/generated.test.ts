import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, expectTypeOf, test } from "vitest";
import { ledgerRules, shippedSchemas } from "./generated/tables.ts";
import type { EventPayloads, HookDecisionV1, PlanV1, SchemaTypes, WorkOrderV1 } from "./generated/types.ts";

const root = new URL("../../", import.meta.url);
const filesIn = (folder: string) =>
  readdirSync(new URL(folder, root))
    .filter((name) => name.endsWith(".json") && name !== "frozen.json")
    .map((name) => name.slice(0, -5));
const contracts = filesIn("schemas/");
const events = filesIn("schemas/events/");
const generated = readFileSync(new URL("src/schemas/generated/types.ts", root), "utf8");
const keysOf = (name: string) =>
  [
    ...(new RegExp(`export interface ${name} \\{\\n([^}]*)\\}`).exec(generated)?.[1] ?? "").matchAll(
      /^ {2}"([^"]+)":/gm,
    ),
  ].map(([, key]) => String(key));

describe("types and tables are generated from the files, never written twice", () => {
  test("SchemaTypes has a type for each file and no other", () => {
    expect(keysOf("SchemaTypes").toSorted()).toEqual([...contracts, ...events].toSorted());
    expect(Object.keys(shippedSchemas).toSorted()).toEqual([...contracts, ...events].toSorted());
  });

  test("EventPayloads has a type for each event and no other", () => {
    expect(keysOf("EventPayloads").toSorted()).toEqual(events.map((id) => id.replace(/_v\d+$/, "")).toSorted());
  });

  test("the types say what the contracts say", () => {
    expectTypeOf<SchemaTypes["plan_v1"]>().toEqualTypeOf<PlanV1>();
    expectTypeOf<PlanV1["schema_version"]>().toEqualTypeOf<"v1">();
    expectTypeOf<WorkOrderV1["plane_id"]>().toEqualTypeOf<"hot" | "ho2" | "ho1">();
    expectTypeOf<HookDecisionV1["decision"]>().toEqualTypeOf<"allow" | "deny" | "transform" | "ask">();
    expectTypeOf<EventPayloads["workflow.completed"]["verdict"]>().toEqualTypeOf<"done" | "halted">();
  });

  test("no hand-written interface repeats a contract", () => {
    const names = [...generated.matchAll(/^export (?:interface|type) (\w+V\d+)\b/gm)].map(([, name]) => String(name));
    expect(names.length).toBe(contracts.length + events.length);
    const declared = new RegExp(`\\b(?:interface|type) (?:${names.join("|")})\\b *[={<]`);
    const written = readdirSync(new URL("src/", root), { recursive: true, encoding: "utf8" }).filter(
      (file) => file.endsWith(".ts") && !file.includes("generated"),
    );
    expect(written.filter((file) => declared.test(readFileSync(new URL(`src/${file}`, root), "utf8")))).toEqual([]);
  });
});

describe("the ledger rules", () => {
  test("are the x-ledger of the event contracts", () => {
    for (const id of events) {
      const schema = JSON.parse(readFileSync(new URL(`schemas/events/${id}.json`, root), "utf8")) as {
        "x-ledger"?: object;
      };
      const rule = ledgerRules[id.replace(/_v\d+$/, "")];
      expect(rule).toEqual(schema["x-ledger"] && { exec_fields: [], ...schema["x-ledger"] });
    }
  });

  test("leave session.close out: it names the heads of both ledgers", () => {
    expect(ledgerRules["session.close"]).toBeUndefined();
    expect(ledgerRules["session.start"]?.exec).toBe("SESSION_START");
  });
});
