/**
 * Runs one turn over the real log and dies by its own hand at a failpoint: `turn-victim.ts ROOT FAILPOINT [undeclared|slow]`.
 * With `recover` for the third argument it recovers the workspace instead, and dies at a failpoint of recovery.
 */

import { shippedRegistry } from "#core/contracts";
import { createIds, systemClock, systemRandom } from "#core/values";
import { createTurnSandbox, executeTurn } from "#effects";
import { recoverTurns } from "../../src/effects/turns/recover-turns.ts";
import { takeSessionFrom } from "../../src/effects/turns/take-session.ts";
import { openTurnStore } from "../../src/effects/turns/turn-store.ts";
import { openTurnLog } from "./turn-log.ts";

const [root = "", at = "", mode = "declared"] = process.argv.slice(2);
const failpoint = (name: string) => {
  if (name === at) process.kill(process.pid, "SIGKILL");
};
const ids = createIds(systemClock, systemRandom);
const log = openTurnLog(root);
const store = openTurnStore({ root, clock: systemClock, ids });
if (mode === "recover") {
  const recovered = await recoverTurns({ root, store, takeSession: takeSessionFrom(log), failpoint });
  process.stdout.write(`${JSON.stringify(recovered)}\n`);
} else {
  const session = await log.create({ tier: "ho1" });
  if (!session.ok) throw new Error(session.error.message);
  const recorder = session.value;
  await recorder.append({
    type: "session.start",
    actor: "test",
    payload: { tier: "ho1", work_order_id: "WO-20261115-001" },
  });
  process.stdout.write(`${recorder.session_id}\n`);
  const sandbox = createTurnSandbox({ root, clock: systemClock, random: systemRandom });
  const scripts: Record<string, string> = {
    declared:
      "echo changed >changed.txt; rm removed.txt; mkdir -p deep/er; echo new >deep/er/new.txt; echo new >new.txt",
    undeclared: "echo changed >changed.txt; echo stray >stray.txt",
    slow: "echo changed >changed.txt; exec sleep 987.654",
  };
  const result = await executeTurn(
    { root, clock: systemClock, ids, schemas: shippedRegistry(), sandbox, store, failpoint },
    {
      recorder,
      capabilities: { read: ["**"], write: ["**"] },
      handler: { kind: "command", command: ["/bin/sh", "-c", scripts[mode] ?? ""] },
      request: {
        package_id: "PKG-TEST",
        turn_number: 1,
        query: {},
        declared_inputs: [],
        declared_outputs: [
          { path: "changed.txt" },
          ...(mode === "declared"
            ? [{ path: "removed.txt", action: "delete" as const }, { path: "deep/er/new.txt" }, { path: "new.txt" }]
            : []),
        ],
      },
    },
  );
  process.stdout.write(`${JSON.stringify(result)}\n`);
  await sandbox.close();
}
store.close();
await log.shutdown();
