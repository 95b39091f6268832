import type { Command } from "commander";
import { ok } from "#base";
import { act } from "../act.ts";
import type { CliContext } from "../context.ts";
import { readPort } from "../server/read-port.ts";
import { withCrew } from "../with-crew.ts";
import { type KernelOptions, storeOption } from "../with-kernel.ts";

interface UpOptions extends KernelOptions {
  readonly port: string;
}

export function register(program: Command, context: CliContext): void {
  program
    .command("up")
    .description("the API, the studio, a conductor and workers in one process, for this machine alone")
    .option("--port <n>", "the port; 0 takes any that is free", "7878")
    .option(...storeOption)
    .addHelpText("after", "\nExamples:\n  $ writ up\n  $ writ up --port 0 --json\n")
    .action(
      act<UpOptions>(context, async (invocation) => {
        const port = readPort(invocation.options.port);
        if (!port.ok) return port;
        return withCrew(invocation, async ({ runtime, ...kernel }) => {
          const { serve } = await import("../server/serve.ts");
          const wishes = { runtime, kernel, context, host: "127.0.0.1", port: port.value, json: invocation.json };
          const served = await serve({ ...wishes, trustsLocal: true, withCrew: true });
          return served.ok ? ok({}) : served;
        });
      }),
    );
}
