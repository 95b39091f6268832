import { resolve } from "node:path";
import type { Command } from "commander";
import { type DomainError, err, ok, type Result } from "#base";
import type { LocatedViolation, SchemaRegistry } from "#schemas";
import { type Answer, act, type Invocation } from "../act.ts";
import type { CliContext } from "../context.ts";
import { table } from "../output/table.ts";
import { workspaceOf } from "../workspace-of.ts";

export function register(program: Command, context: CliContext): void {
  const schema = program
    .command("schema")
    .description("the contracts that everything is checked against")
    .addHelpText(
      "after",
      "\nExamples:\n  $ writ schema list\n  $ writ schema show work_order_v1\n  $ writ schema validate work_order_v1 order.yaml\n",
    );
  schema
    .command("list")
    .description("every contract with what it is for; a workspace's own beside the shipped ones")
    .addHelpText("after", "\nExamples:\n  $ writ schema list\n  $ writ schema list --json | jq '.schemas[].id'\n")
    .action(
      act(context, async (invocation) => {
        const registry = await registryHere(invocation);
        if (!registry.ok) return registry;
        const schemas = registry.value.ids().flatMap((id) => {
          const described = registry.value.describe(id);
          return described.ok ? [described.value] : [];
        });
        const rows = schemas.map(({ id, origin, frozen, title }) => [id, frozen ? `${origin}, frozen` : origin, title]);
        return ok({ json: { schemas }, text: (screen) => table(screen, ["schema", "from", "what it is"], rows) });
      }),
    );
  schema
    .command("show")
    .description("a contract itself, as JSON Schema: every field, what it means and what it may hold")
    .argument("<id>", "the contract, such as eval_suite_v1")
    .addHelpText("after", "\nExample:\n  $ writ schema show work_order_v1\n")
    .action(
      act(context, async (invocation) => {
        const registry = await registryHere(invocation);
        if (!registry.ok) return registry;
        const found = registry.value.schema(invocation.arguments[0] ?? "");
        if (!found.ok) return err(asUsage(found.error));
        return ok({ json: found.value, document: `${JSON.stringify(found.value, null, 2)}\n` });
      }),
    );
  schema
    .command("validate")
    .description("check a JSON or YAML file against a contract")
    .argument("<id>", "the contract, such as plan_v1")
    .argument("<file>", "the file to check")
    .addHelpText("after", "\nExample:\n  $ writ schema validate writ_config_v1 writ.yaml\n")
    .action(
      act(context, async (invocation) => {
        const [id = "", file = ""] = invocation.arguments;
        const registry = await registryHere(invocation);
        if (!registry.ok) return registry;
        const known = registry.value.describe(id);
        if (!known.ok) return err(asUsage(known.error));
        const { nodeFiles } = await import("#compose");
        const text = await nodeFiles.readText(resolve(context.cwd, file));
        if (!text.ok) return text;
        const { readContract } = await import("#schemas");
        const checked = readContract(registry.value, id, { file, text: text.value });
        if (checked.ok)
          return ok({
            json: { ok: true, schema_id: id, violations: [] },
            text: (screen) => `${screen.green(screen.sign.ok)} ${file} is a valid ${id}\n`,
          });
        return checked.error.code === "SCHEMA_VIOLATION" ? ok(refusal(id, file, checked.error)) : checked;
      }),
    );
}

/** The shipped contracts, and the workspace's own where there is a workspace. */
async function registryHere(invocation: Pick<Invocation<object>, "context" | "root">): Promise<Result<SchemaRegistry>> {
  const { loadRegistry, shippedRegistry } = await import("#schemas");
  const root = await workspaceOf(invocation);
  if (!root.ok)
    return invocation.root === undefined && root.error.code === "WORKSPACE_NOT_FOUND" ? ok(shippedRegistry()) : root;
  const { nodeFiles } = await import("#compose");
  return loadRegistry({ files: nodeFiles, root: root.value });
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

/** Naming a schema that is not there is wrong usage, however the registry files it. */
function asUsage(error: DomainError): DomainError {
  return error.code === "SCHEMA_NOT_FOUND" ? { ...error, kind: "input" } : error;
}
