import { expect, onTestFinished, test } from "vitest";
import { systemClock, systemRandom } from "#core/values";
import { testWorkspace } from "../../test/support/runtime-workspace.ts";
import { leaseMsOf } from "./cli/lease.ts";
import { pauseBetween } from "./kernel/renew-leases.ts";
import { openKernel } from "./open-kernel.ts";

test("what writ.yaml says of leases, heartbeats, retries and the archive holds for every kernel of the workspace", async () => {
  const conductor = {
    lease_seconds: 12,
    heartbeat_seconds: 3,
    poll_seconds: 0.5,
    retries: 7,
    backoff_seconds: 2,
    archive_after_days: 30,
  };
  const workspace = await testWorkspace({ config: { conductor } });
  onTestFinished(() => workspace[Symbol.asyncDispose]());
  const opened = await openKernel({ root: workspace.root, clock: systemClock, random: systemRandom });
  if (!opened.ok) throw new Error(opened.error.message);
  expect(opened.value.times).toMatchObject({
    leaseMs: 12_000,
    heartbeatMs: 3_000,
    pollMs: 500,
    closedForMs: 30 * 86_400_000,
    limits: { maxRetries: 7, retryBackoffMs: 2_000, turnFailureLimit: 5 },
  });
  await opened.value.close();
});

test("the command line's own word on the lease comes first, and a lease outlives two lost heartbeats", () => {
  expect(leaseMsOf({ lease: "5" }, { leaseMs: 12_000 })).toEqual({ ok: true, value: 5_000 });
  expect(leaseMsOf({}, { leaseMs: 12_000 })).toEqual({ ok: true, value: 12_000 });
  expect([pauseBetween(30_000), pauseBetween(30_000, 3_000), pauseBetween(6_000, 10_000)]).toEqual([
    10_000, 3_000, 2_000,
  ]);
});
