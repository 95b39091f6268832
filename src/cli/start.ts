import { conclude, runCli } from "./main.ts";
import { guardedContext } from "./output/guarded-output.ts";
import { processContext } from "./process-context.ts";

/** What `bin/writ.js` calls. Ends the process itself, so that no forgotten handle can keep it alive. */
export async function start(argv: readonly string[]): Promise<never> {
  const context = guardedContext(processContext());
  // What nobody awaited is a defect too, and is told like one.
  process.on("uncaughtException", (thrown) => process.exit(conclude(thrown, argv, context)));
  const status = await runCli(argv, context);
  await Promise.all(
    [process.stdout, process.stderr].map((stream) => new Promise((written) => stream.write("", written))),
  );
  process.exit(status);
}
