// Makes test/fixtures/golden-v1 once. The logs in it must replay and verify for ever: when this program's output changes,
// the fixture stays. `npx tsx --conditions=source test/support/make-golden.ts`
import { cpSync, existsSync, mkdirSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { value, writeGreeting } from "./greeting-session.ts";
import { SealedWorkspace } from "./sealed-workspace.ts";

const target = fileURLToPath(new URL("../fixtures/golden-v1/", import.meta.url));
if (existsSync(target)) throw new Error(`${target} exists and is never made again`);
const workspace = new SealedWorkspace(2026);
await writeGreeting(workspace.log, { denied: true, calls: 2, pass: workspace.pass });
const amended = await writeGreeting(workspace.log, { name: "Grace", leaveOpen: true, pass: workspace.pass });
value(
  await amended.append({
    type: "event.amended",
    actor: "ada@local",
    payload: { amends: "none", reason: "a correction without a correction" },
  }),
);
value(await amended.close({ ok: false, status: "failure", reason: "ended by hand" }));
await workspace.shut();
for (const part of ["planes/ho1", "planes/hot/anchors/anchors.jsonl", "planes/hot/keys/signing.pub.pem", "writ.yaml"]) {
  mkdirSync(`${target}planes/hot/keys`, { recursive: true });
  mkdirSync(`${target}planes/hot/anchors`, { recursive: true });
  cpSync(`${workspace.root}/${part}`, `${target}${part}`, { recursive: true });
}
rmSync(workspace.root, { recursive: true });
