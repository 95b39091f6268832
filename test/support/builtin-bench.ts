import { shippedRegistry } from "#core/contracts";
import { createIds, type Failpoint, type JsonObject, sha256, systemClock, systemRandom } from "#core/values";
import { createTurnSandbox, type WriteTurn } from "#effects";
import { type BuiltinOptions, registerBuiltins } from "../../src/effects/tools/builtin/register-builtins.ts";
import { type DispatchDeps } from "../../src/effects/tools/dispatch-deps.ts";
import { type ToolOutcome } from "../../src/effects/tools/tool.ts";
import { openTurnStore } from "../../src/effects/turns/turn-store.ts";
import { writeFileTurn } from "../../src/effects/turns/write-file-turn.ts";
import { scopeOf, type ToolBench, toolBench, valueOf } from "./tool-bench.ts";

/** The shipped tools over a workspace, called through dispatch. */
export function builtinBench(
  root: string,
  options: {
    allowedFiles?: readonly string[];
    readFiles?: readonly string[];
    builtins?: Partial<BuiltinOptions>;
    failpoint?: Failpoint;
    deps?: Partial<DispatchDeps>;
  } = {},
): ToolBench & {
  use(name: string, args: object): Promise<ToolOutcome>;
  give(name: string, args: object): Promise<JsonObject>;
} {
  const bench = toolBench({ deps: { root, ...options.deps } });
  valueOf(
    registerBuiltins(bench.registry, {
      schemas: shippedRegistry(),
      writeTurn: writeTurnIn(root, options.failpoint),
      ...options.builtins,
    }),
  );
  const scope = scopeOf(["*"], {
    rights: { write: options.allowedFiles ?? ["**"], read: options.readFiles ?? ["**"] },
  });
  const use = async (name: string, args: object): Promise<ToolOutcome> => {
    const called = await bench.call(name, args, { scope });
    if (called.ok || called.error.code !== "CAPABILITY_VIOLATION") return valueOf(called);
    // The mandate refused it before it was called.
    const { code, message } = called.error;
    return {
      call_id: "refused",
      name,
      content: message,
      content_hash: sha256(message),
      isError: true,
      trust: "trusted",
      error: { code, message },
    };
  };
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

/** The real turn of `fs.write`, over a workspace that has no runtime. */
export function writeTurnIn(root: string, failpoint?: Failpoint): WriteTurn {
  const ids = createIds(systemClock, systemRandom);
  let opened: Parameters<typeof writeFileTurn>[0] | undefined;
  const open = () => ({
    root,
    clock: systemClock,
    ids,
    schemas: shippedRegistry(),
    sandbox: createTurnSandbox({ root, clock: systemClock, random: systemRandom }),
    store: openTurnStore({ root, clock: systemClock, ids }),
    ...(failpoint ? { failpoint } : {}),
  });
  return (write) => writeFileTurn((opened ??= open()), write);
}
