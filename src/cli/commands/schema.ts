import { resolve } from "node:path";
import type { Command } from "commander";
import { domainError, err, nearest, ok, parseJson, type Result } from "#base";
import { act } from "../act.ts";
import type { CliContext } from "../context.ts";

export function register(program: Command, context: CliContext): void {
  const schema = program.command("schema").description("the contracts that everything is checked against");
  schema
    .command("list")
    .description("every contract with what it is for")
    .addHelpText("after", "\nExample:\n  $ writ schema list\n")
    .action(
      act(context, async () => {
        const { shippedRegistry } = await import("#schemas");
        const { table } = await import("../output/table.ts");
        const registry = shippedRegistry();
        const schemas = registry.ids().map((id) => {
          const found = registry.schema(id);
          const { title, description } = (found.ok ? found.value : {}) as { title?: string; description?: string };
          return { id, title: title ?? description ?? "" };
        });
        return ok({
          json: { schemas },
          text: (screen) =>
            table(
              screen,
              ["schema", "what it is"],
              schemas.map(({ id, title }) => [id, title]),
            ),
        });
      }),
    );
  schema
    .command("validate")
    .description("check a JSON or YAML file against a contract")
    .argument("<id>", "the contract, such as plan_v1")
    .argument("<file>", "the file to check")
    .addHelpText("after", "\nExample:\n  $ writ schema validate writ_config_v1 writ.yaml\n")
    .action(
      act(context, async ({ arguments: [id = "", file = ""] }) => {
        const { shippedRegistry } = await import("#schemas");
        const registry = shippedRegistry();
        if (!registry.has(id)) return err(unknownSchema(id, registry.ids()));
        const { nodeFiles } = await import("#compose");
        const text = await nodeFiles.readText(resolve(context.cwd, file));
        if (!text.ok) return text;
        const value = await parse(file, text.value);
        if (!value.ok) return value;
        const checked = registry.validate(id, value.value);
        const violations = checked.ok ? [] : checked.error.details["violations"];
        if (checked.ok)
          return ok({
            json: { ok: true, schema_id: id, violations },
            text: (screen) => `${screen.green(screen.sign.ok)} ${file} is a valid ${id}\n`,
          });
        const shown = violations as readonly { path: string; expected: string; found: string }[];
        return ok({
          json: { ok: false, schema_id: id, violations },
          text: (screen) =>
            [
              `${screen.red(screen.sign.bad)} ${file} is not a valid ${id}`,
              ...shown.map(
                ({ path, expected, found }) => `  ${screen.bold(path)}: expected ${expected}, found ${found}`,
              ),
              "",
            ].join("\n"),
          exit: 1,
        });
      }),
    );
}

function unknownSchema(id: string, ids: readonly string[]) {
  const meant = nearest(id, ids);
  return domainError("NOT_FOUND", `there is no schema "${id}"`, {
    details: { hint: meant ? `did you mean "${meant}"?` : "`writ schema list` names the schemas there are" },
  });
}

async function parse(file: string, text: string): Promise<Result<unknown>> {
  if (!/\.ya?ml$/i.test(file)) return parseJson(text);
  const { parseYamlSource } = await import("#compose");
  const source = parseYamlSource(text, file);
  return source.ok ? ok(source.value.value) : source;
}
