// The names that outsiders rely on: contracts, codes, kinds, points, variables, keys, checks and tools.
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { exitStatusOf } from "#core/commands";
import { shippedRegistry } from "#core/contracts";
import { domainError, type ErrorCode, errorCodes } from "#core/errors";
import { problemOf } from "#core/routes";
import { isJsonObject } from "#core/values";
import { hookPoints, pointSpecs } from "#governance";
import { approvalKinds } from "../../src/main/tables/approvals.ts";
import { doctorChecks } from "../../src/main/tables/checks.ts";
import { cliJson } from "../support/cli.ts";
import { testWorkspace } from "../support/runtime-workspace.ts";
import { repository } from "../support/writ.ts";
import { listed, pinned } from "./pinned.ts";

interface Contract {
  readonly id: string;
  readonly sha256: string;
  readonly event: boolean;
  readonly frozen: boolean;
}

test("event types and contracts, each with the hash of its text", async () => {
  const { json } = await cliJson<{ schemas: readonly Contract[] }>(repository, "schema", "list");
  const events = json.schemas.filter(({ event }) => event);
  expect(events).toHaveLength(readdirSync(`${repository}schemas/events`).length);
  await pinned(
    "event-types.txt",
    listed(
      "Event types",
      events.map(({ id }) => id.replace(/_v1$/, "")),
    ),
  );
  const lines = json.schemas.map(({ id, sha256, frozen }) => `${id} ${sha256}${frozen ? " frozen" : ""}`);
  await pinned("schemas.txt", listed("Contracts: id, hash of its text", lines));
});

test("error codes, with kind, exit status and HTTP status", async () => {
  const lines = (Object.keys(errorCodes) as ErrorCode[]).toSorted().map((code) => {
    const error = domainError(code, "");
    const again = error.retryable ? "again" : "final";
    return `${code} ${error.kind} ${again} exit ${exitStatusOf(error)} http ${problemOf(error, "").status}`;
  });
  await pinned("error-codes.txt", listed("Error codes: kind, whether trying again can help, statuses", lines));
});

test("hook points, and what holds at each without an answer", async () => {
  const lines = hookPoints.map((point) => {
    const { silence, mayAsk, afterDenial } = pointSpecs[point];
    const asks = mayAsk ? "asks people" : "asks no person";
    return `${point}: rests at ${silence}, ${asks}, ${afterDenial === "goes on" ? "every handler" : "until a denial"}`;
  });
  await pinned("hook-points.txt", listed("Hook points", lines));
});

test("approval kinds", async () => {
  await pinned("approval-kinds.txt", listed("Approval kinds", Object.keys(approvalKinds)));
});

test("checks of the doctor", async () => {
  await pinned(
    "doctor-checks.txt",
    listed(
      "Doctor checks",
      doctorChecks.map(({ id, title }) => `${id}: ${title}`),
    ),
  );
});

test("tools, each with the hash by which sessions pin it", async () => {
  await using workspace = await testWorkspace();
  const { json } = await cliJson<{ tools: readonly { name: string; hash: string }[] }>(workspace.root, "tool", "list");
  await pinned(
    "tools.txt",
    listed(
      "Tools: name, hash",
      json.tools.map(({ name, hash }) => `${name} ${hash}`),
    ),
  );
});

test("environment variables of Writ that its source names", async () => {
  const names = new Set<string>();
  for (const entry of readdirSync(`${repository}src`, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || /\.(test|case)\.ts$/.test(entry.name)) continue;
    const text = readFileSync(`${entry.parentPath}/${entry.name}`, "utf8");
    for (const [name] of text.matchAll(/\bWRIT_[A-Z0-9_]+\b/g)) names.add(name);
  }
  await pinned("variables.txt", listed("WRIT_* variables", [...names].toSorted()));
});

test("keys of writ.yaml", async () => {
  const contract = (id: string): unknown => {
    const found = shippedRegistry().schema(id);
    if (!found.ok) throw new Error(found.error.message);
    return found.value;
  };
  const paths: string[] = [];
  const walk = (schema: unknown, path: string, above: readonly string[]): void => {
    if (!isJsonObject(schema)) return;
    const reference = schema["$ref"];
    if (typeof reference === "string") {
      if (above.includes(reference)) return;
      const local = reference.startsWith("#/$defs/") ? definition(reference) : contract(reference);
      walk(local, path, [...above, reference]);
    }
    for (const [name, value] of Object.entries(objectAt(schema, "properties"))) {
      paths.push(`${path}${name}`);
      walk(value, `${path}${name}.`, above);
    }
    walk(schema["additionalProperties"], `${path}*.`, above);
    walk(schema["items"], `${path.replace(/\.$/, "")}[].`, above);
    for (const choice of ["oneOf", "anyOf", "allOf"])
      for (const each of Array.isArray(schema[choice]) ? schema[choice] : []) walk(each, path, above);
  };
  const root = contract("writ_config_v1");
  const definition = (reference: string) => objectAt(root, "$defs")[reference.replace("#/$defs/", "")];
  walk(root, "", []);
  expect(paths).toContain("store");
  await pinned("config-keys.txt", listed("Keys of writ.yaml", new Set(paths)));
});

function objectAt(schema: unknown, key: string): Readonly<Record<string, unknown>> {
  const found = isJsonObject(schema) ? schema[key] : undefined;
  return isJsonObject(found) ? found : {};
}
