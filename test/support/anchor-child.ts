// A process that anchors heads one after another and may be killed in the middle: `anchor-child.ts ROOT FIRST COUNT [FAILPOINT AT]`.
import { join } from "node:path";
import { sha256, systemClock } from "#core/values";
import { AnchorLog, loadSigningKey } from "#proof";
import { value } from "./greeting-session.ts";

const [root = "", first = "0", count = "0", killAt = "", after = "0"] = process.argv.slice(2);
let passed = 0;
const anchors = new AnchorLog({
  root,
  key: value(loadSigningKey(join(root, "planes/hot/keys/signing.pem"))),
  clock: systemClock,
  failpoint: (name) => {
    if (name === killAt && passed++ === Number(after)) process.kill(process.pid, "SIGKILL");
  },
});
for (let number = Number(first); number < Number(first) + Number(count); number++) {
  const session_id = `SES-20261115-${String(number).padStart(20, "0")}`;
  value(
    await anchors.add({
      session_id,
      seq: 1,
      head_hash: sha256(session_id),
      exec_head: null,
      evidence_head: null,
      closed_at: null,
    }),
  );
  process.stdout.write(`${session_id}\n`);
}
