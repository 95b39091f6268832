import { resolve } from "node:path";
import type { CliContext } from "#core/commands";
import { type Command, flag, type Opens, text } from "#core/commands";
import { ok, type Result } from "#core/values";
import type { LogReader } from "#log";
import type { playRest } from "../demo/play-demo.ts";
import type { ServingParts } from "../serve/serve-workspace.ts";
import { readPort } from "./read-port.ts";

type DemoParts = Pick<Parameters<typeof playRest>[0], "runtime" | "kernel"> & ServingParts;

interface UpParts {
  readonly server: Opens<DemoParts & { readonly runtime: { readonly log: Pick<LogReader, "list"> } }>;
}

interface UpOptions {
  readonly port: string;
  readonly demo?: boolean;
}

export const up: Command<"choice", UpParts, UpOptions> = {
  name: "up",
  summary: "the API, the studio, a conductor and workers in one process, for this machine alone",
  needs: "choice",
  json: "one line with url, port and pid",
  arguments: [],
  options: {
    port: text("n", "the port; 0 takes any that is free", "7878"),
    demo: flag("in a workspace with something to look at: made here if the folder is empty, else in writ-demo/"),
  },
  examples: ["writ up", "writ up --demo", "writ up --port 0 --json"],
  exits: null,
  run: async (opens, { options, context, root: named, json }) => {
    const port = readPort(options.port);
    if (!port.ok) return port;
    const { demo = false } = options;
    // A pipe gets one line of JSON and nothing else; a person sees what takes the seconds before the page is there.
    const tell = (line: string) => demo && !json && context.stdout.write(`${line}\n`);
    tell("making a workspace with something to look at …");
    const root = demo ? await demoRoot(context, named) : ok(named);
    if (!root.ok) return root;
    return opens.server(
      async (parts) => {
        const { serveWorkspace } = await import("../serve/serve-workspace.ts");
        tell(`  in ${parts.runtime.root}`);
        const opened = demo ? await openDemo(parts, context, tell) : undefined;
        tell("trying the sandbox, starting the server …");
        const wanted = { parts, context, host: "127.0.0.1", port: port.value, json };
        const served = await serveWorkspace({
          ...wanted,
          trustsLocal: true,
          withWorkerPool: true,
          ...(opened ? { onServing: opened } : {}),
        });
        return served.ok ? ok({}) : served;
      },
      { root: root.value },
    );
  },
};

async function demoRoot({ cwd, env }: CliContext, root: string | undefined): Promise<Result<string>> {
  const { makeDemo } = await import("../demo/make-demo.ts");
  return makeDemo(root === undefined ? cwd : resolve(cwd, root), env);
}

/** One request is done before the page opens; the rest happens while the person looks. A demo that was played is not played again. */
async function openDemo(
  { runtime, kernel }: DemoParts & { readonly runtime: { readonly log: Pick<LogReader, "list"> } },
  { clock, signal, stderr }: CliContext,
  tell: (line: string) => void,
) {
  for await (const _session of runtime.log.list()) return undefined;
  const { playFirst, playRest } = await import("../demo/play-demo.ts");
  tell("asking for the first thing: greet Ada …");
  const { status, error } = await playFirst({ runtime, signal });
  if (status === "success") tell("  done, governed and recorded; the rest of the demo happens while you look");
  else stderr.write(`writ: the first request of the demo ended as ${status}: ${error ?? "it gave no reason"}\n`);
  return () => playRest({ runtime, kernel, clock, signal }, (message) => stderr.write(`writ: ${message}\n`));
}
