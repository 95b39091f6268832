// A process that writes one file and may be killed in the middle: `write-child.ts ROOT PATH CONTENT EXPECTED [FAILPOINT]`.

import { shippedRegistry } from "#core/contracts";
import { createIds, seededRandom, systemClock } from "#core/values";
import { CallCharges, dispatch } from "#effects";
import { registerBuiltins } from "../../src/effects/tools/builtin/register-builtins.ts";
import { createToolRegistry } from "../../src/effects/tools/registry.ts";
import { writeTurnIn } from "./builtin-bench.ts";
import { mandateFor } from "./mandates.ts";
import { memoryRecorder } from "./memory-recorder.ts";

const [root = "", path = "", content = "", expected_hash = "", killAt = ""] = process.argv.slice(2);
const schemas = shippedRegistry();
const registry = createToolRegistry(schemas);
registerBuiltins(registry, {
  schemas,
  writeTurn: writeTurnIn(root, (name) => {
    if (name === killAt) process.kill(process.pid, "SIGKILL");
  }),
});
const outcome = await dispatch(
  { id: "c1", name: "fs.write", args: { path, content, expected_hash, why: "a test" } },
  {
    mandate: mandateFor({ tools: ["fs.write"] }),
    charges: new CallCharges(),
    role: "worker",
    skill: null,
    work_order_id: "WO-20261115-001",
  },
  {
    registry,
    recorder: memoryRecorder({ clock: systemClock }),
    hooks: {
      fire: () => Promise.resolve({ ok: true, value: { decision: "allow", reason: "", decidedBy: "test" } }),
    },
    clock: systemClock,
    ids: createIds(systemClock, seededRandom(1)),
    root,
  },
);
process.stdout.write(outcome.ok ? (outcome.value.error?.code ?? "ok") : outcome.error.code);
