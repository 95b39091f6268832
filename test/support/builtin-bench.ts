import type { JsonObject } from "#base";
import { shippedRegistry } from "#schemas";
import { type BuiltinOptions, registerBuiltins, type ToolOutcome } from "#tools";
import { scopeOf, type ToolBench, toolBench, valueOf } from "./tool-bench.ts";

/** The shipped tools over a workspace, called through dispatch. */
export function builtinBench(
  root: string,
  options: { allowedFiles?: readonly string[]; builtins?: Partial<BuiltinOptions> } = {},
): ToolBench & {
  use(name: string, args: object): Promise<ToolOutcome>;
  give(name: string, args: object): Promise<JsonObject>;
} {
  const bench = toolBench({ deps: { root } });
  valueOf(registerBuiltins(bench.registry, { schemas: shippedRegistry(), ...options.builtins }));
  const scope = scopeOf(["*"], {
    writeGrants: [{ source: "the work order", patterns: options.allowedFiles ?? ["**"] }],
  });
  const use = async (name: string, args: object) => valueOf(await bench.call(name, args, { scope }));
  return {
    ...bench,
    use,
    give: async (name, args) => {
      const outcome = await use(name, args);
      if (outcome.isError) throw new Error(`${outcome.error?.code}: ${outcome.error?.message}`);
      return outcome.content as JsonObject;
    },
  };
}
