/**
 * Says a word in a workspace and dies by its own hand at a failpoint:
 * `word-victim.ts ROOT FAILPOINT resolve SESSION CALL OUTCOME | approve SERVER | decide APPROVAL CHOICE | release TURN`.
 */
import { type Result, type SessionId, systemClock, systemRandom } from "#core/values";
import { openRuntime } from "#main";

const [root = "", at = "", act = "", ...words] = process.argv.slice(2);
const [first = "", second = "", third = ""] = words;
const runtime = must(
  await openRuntime({
    root,
    clock: systemClock,
    random: systemRandom,
    env: {},
    version: "test",
    failpoint: (name) => {
      if (name === at) process.kill(process.pid, "SIGKILL");
    },
  }),
);
const acts: Readonly<Record<string, () => Promise<Result<unknown>>>> = {
  resolve: () => runtime.resolveCall(first as SessionId, second, { outcome: third as "done" | "not_done" }),
  async approve() {
    const surveys = await runtime.approvals.survey(AbortSignal.timeout(60_000), [first]);
    return runtime.approvals.approve(surveys.flatMap(({ tools }) => tools));
  },
  async decide() {
    const { subject_hash } = must(await runtime.inbox.find(first));
    const wish = { choice: second, subject_hash, reason: "" };
    return runtime.decisions.decide(must(runtime.localCaller()), first, wish);
  },
  release: async () => must(await runtime.turnService()).release(first),
};
must((await acts[act]?.()) ?? { ok: false, error: { message: `no act ${act}` } });
await runtime.close();

function must<T>(done: Result<T> | { ok: false; error: { message: string } }): T {
  if (!done.ok) throw new Error(done.error.message);
  return done.value;
}
