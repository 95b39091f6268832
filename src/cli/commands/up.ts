import { resolve } from "node:path";
import type { Command } from "commander";
import { ok, type Result } from "#base";
import type { OpenKernel, Runtime } from "#compose";
import { act } from "../act.ts";
import type { CliContext } from "../context.ts";
import { readPort } from "../server/read-port.ts";
import { withCrew } from "../with-crew.ts";
import type { KernelOptions } from "../with-kernel.ts";

interface UpOptions extends KernelOptions {
  readonly port: string;
  readonly demo?: boolean;
}

export function register(program: Command, context: CliContext): void {
  program
    .command("up")
    .description("the API, the studio, a conductor and workers in one process, for this machine alone")
    .option("--port <n>", "the port; 0 takes any that is free", "7878")
    .option("--demo", "in a workspace with something to look at: made here if the folder is empty, else in writ-demo/")
    .addHelpText("after", "\nExamples:\n  $ writ up\n  $ writ up --demo\n  $ writ up --port 0 --json\n")
    .action(
      act<UpOptions>(context, async (invocation) => {
        const port = readPort(invocation.options.port);
        if (!port.ok) return port;
        const { demo = false } = invocation.options;
        // A pipe gets one line of JSON and nothing else; a person sees what takes the seconds before the page is there.
        const tell = (text: string) => demo && !invocation.json && context.stdout.write(`${text}\n`);
        tell("making a workspace with something to look at …");
        const root = demo ? await demoRoot(context, invocation.root) : ok(invocation.root);
        if (!root.ok) return root;
        return withCrew({ ...invocation, root: root.value }, async ({ runtime, ...kernel }) => {
          const { serve } = await import("../server/serve.ts");
          tell(`  in ${runtime.root}`);
          const opened = demo ? await openDemo(runtime, kernel, context, tell) : undefined;
          tell("trying the sandbox, starting the server …");
          const wishes = { runtime, kernel, context, host: "127.0.0.1", port: port.value, json: invocation.json };
          const served = await serve({
            ...wishes,
            trustsLocal: true,
            withCrew: true,
            ...(opened ? { onServing: opened } : {}),
          });
          return served.ok ? ok({}) : served;
        });
      }),
    );
}

async function demoRoot({ cwd, env }: CliContext, root: string | undefined): Promise<Result<string>> {
  const { makeDemo } = await import("#compose");
  return makeDemo(root === undefined ? cwd : resolve(cwd, root), env);
}

/** One request is done before the page opens; the rest happens while somebody looks. A demo that was played is not played again. */
async function openDemo(
  runtime: Runtime,
  { kernel }: OpenKernel,
  { clock, signal, stderr }: CliContext,
  tell: (text: string) => void,
) {
  for await (const _session of runtime.log.list()) return undefined;
  const { playFirst, playRest } = await import("#compose");
  tell("asking for the first thing: greet Ada …");
  const { status, error } = await playFirst({ runtime, signal });
  if (status === "success") tell("  done, governed and recorded; the rest of the demo happens while you look");
  else stderr.write(`writ: the first request of the demo ended as ${status}: ${error ?? "it gave no reason"}\n`);
  return () => playRest({ runtime, kernel, clock, signal }, (message) => stderr.write(`writ: ${message}\n`));
}
