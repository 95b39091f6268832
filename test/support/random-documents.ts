import type { Random } from "#core/values";
import type { Schema } from "./reference-validator.ts";

/** Documents that come near a contract: its own field names and shapes, with something wrong in many places. */
export interface Documents {
  near(schema: unknown, depth?: number): unknown;
  junk(depth?: number): unknown;
}

const words = [
  "",
  "v1",
  "hot",
  "ho1",
  "a",
  "WO-20261115-001",
  "FMWK-005",
  "2026-11-15T04:00:00.000Z",
  "a".repeat(64),
  "x".repeat(600),
  "__proto__",
  "é😀",
  "\u0000",
  "../..",
  "true",
];

export function randomDocuments(random: Random, lookup: (id: string) => Schema): Documents {
  // Drawn in large portions: four bytes at a time cost more than the documents.
  let numbers: Uint32Array = new Uint32Array(0);
  let used = 0;
  const fraction = (): number => {
    if (used === numbers.length) {
      numbers = new Uint32Array(random.bytes(65_536).buffer);
      used = 0;
    }
    return (numbers[used++] ?? 0) / 2 ** 32;
  };
  const chance = (odds: number) => fraction() < odds;
  const below = (count: number) => Math.floor(fraction() * count);
  const pick = <T>(items: readonly T[]): T => items[below(items.length)] as T;

  const junk = (depth = 0): unknown => {
    const kind = below(depth > 3 ? 7 : 10);
    switch (kind) {
      case 0:
        return null;
      case 1:
        return chance(0.5);
      case 2:
        return below(2000) - 1000;
      case 3:
        return (fraction() - 0.5) * 10 ** below(300);
      case 4:
        return pick([Number.NaN, Number.POSITIVE_INFINITY, -0, undefined, 10n, Symbol.iterator, () => 1, new Date(0)]);
      case 5:
      case 6:
        return pick(words);
      case 7:
        return Array.from({ length: below(4) }, () => junk(depth + 1));
      default:
        return Object.fromEntries(Array.from({ length: below(4) }, () => [pick(words), junk(depth + 1)]));
    }
  };

  const near = (schema: unknown, depth = 0): unknown => {
    if (typeof schema !== "object" || schema === null || depth > 12 || chance(0.03)) return junk();
    const rules = schema as Schema;
    if (typeof rules["$ref"] === "string") return near(lookup(rules["$ref"]), depth);
    if (Array.isArray(rules["oneOf"])) return near(pick(rules["oneOf"] as unknown[]), depth + 1);
    if (Array.isArray(rules["enum"])) return pick(rules["enum"] as unknown[]);
    if ("const" in rules) return rules["const"];
    const type: unknown = rules["type"] === undefined && rules["properties"] ? "object" : pick([rules["type"]].flat());
    switch (type) {
      case "object":
        return nearObject(rules, depth);
      case "array":
        return Array.from({ length: 1 + below(2) }, () => near(rules["items"], depth + 1));
      case "string":
        return pick(words);
      case "integer":
        return below(5);
      case "number":
        return fraction();
      case "boolean":
        return chance(0.5);
      case "null":
        return null;
      default:
        return junk();
    }
  };

  const nearObject = (rules: Schema, depth: number): object => {
    const required = (rules["required"] ?? []) as readonly string[];
    const document: Record<string, unknown> = {};
    for (const [name, each] of Object.entries((rules["properties"] ?? {}) as Schema)) {
      if (required.includes(name) ? chance(0.97) : chance(0.25)) document[name] = near(each, depth + 1);
    }
    if (chance(0.03)) document[pick(words)] = junk(depth + 1);
    return document;
  };

  return { near, junk };
}
