// A process that takes the workspace lock again and again and never pauses: `lock-child.ts ROOT NAME COUNT HOLD_MS`. What it
// does is written down in ROOT/turns, where the processes' lines stand in one order; it begins once its standard input ends.
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { finished } from "node:stream/promises";
import { ok, sleep, systemClock } from "#core/values";
import { WorkspaceLock } from "../../src/log/jsonl/workspace-lock.ts";
import { value } from "./log.ts";

const [root = "", name = "", count = "0", holdMs = "0"] = process.argv.slice(2);
const note = (what: "asks" | "has") => appendFileSync(join(root, "turns"), `${what} ${name}\n`);
const lock = new WorkspaceLock(root, { clock: systemClock, waitMs: 60_000 });
process.stdout.write("ready\n");
await finished(process.stdin.resume());
for (let turn = 0; turn < Number(count); turn++) {
  note("asks");
  value(
    await lock.hold(async () => {
      note("has");
      await sleep(systemClock, Number(holdMs));
      return ok(undefined);
    }),
  );
}
