import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, expectTypeOf, test } from "vitest";
import { ledgerRules, shippedSchemas } from "./generated/tables.ts";
import type { EventPayloads, HookDecisionV1, PlanV1, SchemaTypes, WorkOrderV1 } from "./generated/types.ts";
import { shippedRegistry } from "./registry.ts";

const root = new URL("../../..", import.meta.url);
const filesIn = (folder: string) =>
  readdirSync(new URL(folder, root))
    .filter((name) => name.endsWith(".json") && name !== "frozen.json")
    .map((name) => name.slice(0, -5));
const contracts = filesIn("schemas/");
const events = filesIn("schemas/events/");
const generated = readFileSync(new URL("src/core/contracts/generated/types.ts", root), "utf8");
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

describe("keys", () => {
  const schemas = shippedRegistry();
  const { call_id, ...without } = { call_id: "c", name: "n", shown: false, is_error: true, trust: "trusted" };
  const error = { code: "X", message: "x" };
  const isValid = (payload: object) => schemas.validate("tool.output_v1", payload).ok;

  test("count where they are the object's own, whatever it inherits from", () => {
    expect(isValid({ ...without, call_id, error })).toBe(true);
    expect(isValid({ ...without, error })).toBe(false);
    expect(isValid(Object.assign(Object.create(null) as object, without, { call_id, error }))).toBe(true);
    expect(isValid(Object.assign(Object.create({ call_id }) as object, without, { error }))).toBe(false);
    expect(isValid({ ...without, call_id, error: Object.assign(Object.create(error) as object, { code: "X" }) })).toBe(
      false,
    );
  });

  test("do not count where somebody gave them to all objects", () => {
    const all: Record<string, unknown> = Object.getPrototypeOf({}) as Record<string, unknown>;
    all["call_id"] = call_id;
    try {
      expect(isValid({ ...without, error })).toBe(false);
    } finally {
      Reflect.deleteProperty(all, "call_id");
    }
    expect(isValid({ ...without, call_id, error })).toBe(true);
  });
});

describe("lengths", () => {
  const schemas = shippedRegistry();
  const named = (name: string) => {
    const payload = {
      call_id: "c",
      name,
      shown: false,
      is_error: true,
      trust: "trusted",
      error: { code: "X", message: "x" },
    };
    return schemas.validate("tool.output_v1", payload).ok;
  };

  test("count characters, not UTF-16 units", () => {
    for (const [accepted, refused] of [
      ["a".repeat(256), "a".repeat(257)],
      ["\u{1f600}".repeat(256), "\u{1f600}".repeat(257)],
      [`${"a".repeat(255)}\u{1f600}`, `${"a".repeat(256)}\u{1f600}`],
      ["\u{1f600}", ""],
    ] as const) {
      expect(named(accepted)).toBe(true);
      expect(named(refused)).toBe(false);
    }
  });
});

describe("hashes", () => {
  const schemas = shippedRegistry();
  const hash = "0123456789abcdef".repeat(4);
  const shown = { call_id: "c", name: "n", shown: true, is_error: false, trust: "trusted", content: 1 };
  const accepts = (value: unknown) => schemas.validate("tool.output_v1", value).ok;

  test("a hash is 64 lower-case hex digits and nothing else", () => {
    const wrong = ["", hash.slice(1), `${hash}0`, `${hash.slice(1)}\n`, `\n${hash.slice(1)}`];
    const others = [..."gG/:@`F \u0130\u0430\u{1f600}"].map((character) => hash.slice(character.length) + character);
    expect(accepts({ ...shown, content_hash: hash })).toBe(true);
    for (const content_hash of [...wrong, ...others]) expect(accepts({ ...shown, content_hash })).toBe(false);
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
