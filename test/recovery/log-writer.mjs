// A process that writes and is killed. Prints a line per acknowledged event.
import { writeSync } from "node:fs";
import { shippedRegistry } from "#core/contracts";
import { createIds, systemClock, systemRandom } from "#core/values";
import { JsonlLog } from "#log";

const { root, open = [], create = 2, failpoint, hit = 1, closing = false, flood = false } = JSON.parse(process.argv[2]);
/** A pipe whose reader is behind takes no more for now; what it took of a line is not said again. */
const say = (...words) => {
  let left = Buffer.from(`${words.join(" ")}\n`);
  while (left.length > 0)
    try {
      left = left.subarray(writeSync(1, left));
    } catch (thrown) {
      if (thrown.code !== "EAGAIN") throw thrown;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1); // nothing else says when there is room again
    }
};
let hits = 0;
const dieAt = (name) => {
  if (name === failpoint && ++hits === hit) process.kill(process.pid, "SIGKILL");
};
process.once("worker", (thread) => thread.once("message", () => say("filing")));
const log = new JsonlLog({
  root,
  schemas: shippedRegistry(),
  redactor: { redactJson: (value) => ({ value }) },
  clock: systemClock,
  ids: createIds(systemClock, systemRandom),
  limits: { journalBytes: 20_000, maxBehindBytes: 30_000, idleMs: 3 },
  onRecovered: (sessions) => sessions.forEach(({ session_id, closed }) => say("recovered", session_id, closed)),
  ...(failpoint && { failpoint: dieAt }),
});
const must = (outcome) => {
  if (outcome.ok) return outcome.value;
  say("error", outcome.error.code, outcome.error.message);
  return process.exit(1);
};

const sessions = [];
for (const session_id of open) sessions.push(must(await log.open(session_id)));
for (let index = 0; index < create; index++) sessions.push(must(await log.create({ tier: index % 2 ? "ho2" : "ho1" })));
say("ready", ...sessions.map(({ session_id }) => session_id));

const events = [
  (n) => ({ type: "session.halted", actor: "test", payload: { by: "test", reason: `${n}` } }),
  (n) => ({
    type: "tool.output",
    actor: "test",
    payload: {
      call_id: "c",
      name: "t",
      shown: true,
      is_error: false,
      trust: "untrusted",
      content: "€".repeat((n * 37) % 900),
      content_hash: "0".repeat(64),
    },
  }),
];
await Promise.all(
  sessions.map(async (session) => {
    for (let n = 1; n <= (flood ? 100_000 : 4000); n++) {
      if (n % 5 === 0) must(session.stage(events[n % 2](n)));
      const event = must(await session.append(events[n % 2](n)));
      say("ack", session.session_id, event.seq, event.hash);
      if (n % 7 === 0 && !flood) await new Promise((resolve) => setTimeout(resolve, 4)); // rests long enough for session files to be written
      if (closing && n === 12) {
        const closed = must(await session.close({ ok: true, status: "success" }));
        say("ack", session.session_id, closed.seq, closed.hash);
        return;
      }
    }
  }),
);
must(await log.shutdown());
say("done");
