import type { Command } from "commander";
import { domainError, err, ok } from "#base";
import { act } from "../act.ts";
import type { CliContext } from "../context.ts";
import { withRuntime } from "../with-runtime.ts";

interface UpOptions {
  readonly port: string;
}

export function register(program: Command, context: CliContext): void {
  program
    .command("up")
    .description("the API, the studio, a conductor and workers in one process, for this machine alone")
    .option("--port <n>", "the port; 0 takes any that is free", "7878")
    .addHelpText("after", "\nExamples:\n  $ writ up\n  $ writ up --port 0 --json\n")
    .action(
      act<UpOptions>(context, (invocation) =>
        withRuntime(invocation, async (runtime) => {
          const port = Number(invocation.options.port);
          if (!Number.isInteger(port) || port < 0 || port > 65_535)
            return err(
              domainError("MALFORMED_INPUT", `--port takes a number from 0 to 65535, not "${invocation.options.port}"`),
            );
          const { serve } = await import("../server/serve.ts");
          const served = await serve({ runtime, context, host: "127.0.0.1", port, json: invocation.json });
          return served.ok ? ok({}) : served;
        }),
      ),
    );
}
