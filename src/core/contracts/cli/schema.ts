import { resolve } from "node:path";
import type { Answer } from "../../commands/act.ts";
import { argument, type Command, type CommandGroup } from "../../commands/command.ts";
import { type DomainError } from "../../errors/domain-error.ts";
import { table } from "../../terminal/table.ts";
import { err, ok, type Result } from "../../values/result.ts";
import type { LocatedViolation } from "../read-contract.ts";
import type { SchemaRegistry } from "../registry.ts";

interface SchemaParts {
  readonly root: string | undefined;
}

const list: Command<"workspace or none", SchemaParts> = {
  name: "list",
  summary: "every contract with what it is for; a workspace's own beside the shipped ones",
  needs: "workspace or none",
  json: "schemas with id, origin, frozen and title",
  arguments: [],
  options: {},
  examples: ["writ schema list", "writ schema list --json | jq '.schemas[].id'"],
  exits: null,
  run: async (parts) => {
    const registry = await registryHere(parts);
    if (!registry.ok) return registry;
    const schemas = registry.value.ids().flatMap((id) => {
      const described = registry.value.describe(id);
      return described.ok ? [described.value] : [];
    });
    const rows = schemas.map(({ id, origin, frozen, title }) => [id, frozen ? `${origin}, frozen` : origin, title]);
    return ok({ json: { schemas }, text: (screen) => table(screen, ["schema", "from", "what it is"], rows) });
  },
};

const show: Command<"workspace or none", SchemaParts> = {
  name: "show",
  summary: "a contract itself, as JSON Schema: every field, what it means and what it may hold",
  needs: "workspace or none",
  json: "the JSON Schema",
  arguments: [argument("id", "the contract, such as eval_suite_v1")],
  options: {},
  examples: ["writ schema show work_order_v1"],
  exits: null,
  run: async (parts, { arguments: [id = ""] }) => {
    const registry = await registryHere(parts);
    if (!registry.ok) return registry;
    const found = registry.value.schema(id);
    if (!found.ok) return err(asUsage(found.error));
    return ok({ json: found.value, document: `${JSON.stringify(found.value, null, 2)}\n` });
  },
};

const validate: Command<"workspace or none", SchemaParts> = {
  name: "validate",
  summary: "check a JSON or YAML file against a contract",
  needs: "workspace or none",
  json: "ok, schema_id and violations",
  arguments: [argument("id", "the contract, such as plan_v1"), argument("file", "the file to check")],
  options: {},
  examples: ["writ schema validate writ_config_v1 writ.yaml"],
  exits: { 1: "the file is not valid" },
  run: async (parts, { arguments: [id = "", file = ""], context }) => {
    const registry = await registryHere(parts);
    if (!registry.ok) return registry;
    const known = registry.value.describe(id);
    if (!known.ok) return err(asUsage(known.error));
    const { nodeFiles } = await import("../../machine/node-files.ts");
    const read = await nodeFiles.readText(resolve(context.cwd, file));
    if (!read.ok) return read;
    const { readContract } = await import("../read-contract.ts");
    const checked = readContract(registry.value, id, { file, text: read.value });
    if (checked.ok)
      return ok({
        json: { ok: true, schema_id: id, violations: [] },
        text: (screen) => `${screen.green(screen.sign.ok)} ${file} is a valid ${id}\n`,
      });
    return checked.error.code === "SCHEMA_VIOLATION" ? ok(refusal(id, file, checked.error)) : checked;
  },
};

export const schema: CommandGroup<typeof validate> = {
  name: "schema",
  summary: "the contracts that everything is checked against",
  examples: ["writ schema list", "writ schema show work_order_v1", "writ schema validate work_order_v1 order.yaml"],
  members: [list, show, validate],
};

/** The shipped contracts and, inside a workspace, the workspace's own. */
async function registryHere({ root }: SchemaParts): Promise<Result<SchemaRegistry>> {
  const { loadRegistry } = await import("../workspace.ts");
  const { shippedRegistry } = await import("../registry.ts");
  if (root === undefined) return ok(shippedRegistry());
  const { nodeFiles } = await import("../../machine/node-files.ts");
  return loadRegistry({ files: nodeFiles, root });
}

function refusal(id: string, file: string, error: DomainError): Answer {
  const violations = error.details["violations"] as readonly LocatedViolation[];
  return {
    json: { ok: false, schema_id: id, violations },
    text: (screen) =>
      [
        `${screen.red(screen.sign.bad)} ${file} is not a valid ${id}`,
        ...violations.map(
          ({ path, line, expected, found }) =>
            `  ${screen.bold(`${file}:${line}`)} ${path}: expected ${expected}, found ${found}`,
        ),
        "",
      ].join("\n"),
    exit: 1,
  };
}

/** An unknown schema id on the command line is wrong usage, whatever code the registry gives it. */
function asUsage(error: DomainError): DomainError {
  return error.code === "SCHEMA_NOT_FOUND" ? { ...error, kind: "input" } : error;
}
