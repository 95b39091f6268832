import type { Command } from "commander";
import { ok } from "#base";
import { act } from "../act.ts";
import type { CliContext } from "../context.ts";
import { readPort } from "../server/read-port.ts";
import { withCrew } from "../with-crew.ts";
import type { KernelOptions } from "../with-kernel.ts";

interface ServeOptions extends KernelOptions {
  readonly host: string;
  readonly port: string;
}

export function register(program: Command, context: CliContext): void {
  program
    .command("serve")
    .description("the API and the studio for a team: everybody shows an API key; conductors and workers run beside it")
    .option("--host <address>", "where to listen", "127.0.0.1")
    .option("--port <n>", "the port; 0 takes any that is free", "7878")
    .addHelpText(
      "after",
      "\nNothing opens without a key: `writ key create --help` says how a caller gets one.\n\nExamples:\n  $ writ key create ada@corp --note laptop\n  $ writ serve --host 0.0.0.0 --port 8080\n  $ writ conductor & writ worker\n",
    )
    .action(
      act<ServeOptions>(context, async (invocation) => {
        const port = readPort(invocation.options.port);
        if (!port.ok) return port;
        return withCrew(invocation, async ({ runtime, ...kernel }) => {
          const { serve } = await import("../server/serve.ts");
          const { host } = invocation.options;
          const wishes = { runtime, kernel, context, host, port: port.value, json: invocation.json };
          const served = await serve({ ...wishes, trustsLocal: false, withCrew: false });
          return served.ok ? ok({}) : served;
        });
      }),
    );
}
