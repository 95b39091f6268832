// A turn that is stopped while bubblewrap is still building its sandbox: on a busy machine a limit or Ctrl-C comes that early.
import { chmodSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { removeWholeTree } from "#core/machine";
import { turnWorkspace } from "../support/turn-workspace.ts";

const folder = mkdtempSync(join(tmpdir(), "writ-slow-bwrap-"));
chmodSync(folder, 0o755); // a sandbox of root is built by another user
const bwrap = join(folder, "bwrap");
writeFileSync(bwrap, '#!/bin/sh\nsleep 2\nexec /usr/bin/bwrap "$@"\n', { mode: 0o755 });
const workspace = turnWorkspace({ sandbox: { tools: { bwrap } } });
afterAll(async () => {
  await workspace.close();
  removeWholeTree(folder);
});

// Half of the minute after which what builds sandboxes is ended by force: a stop that found nothing to kill came that late.
const within = 30_000;
const endless = "trap '' TERM INT; while :; do sleep 1; done";

test("one that is over its time ends once there is something to end", { timeout: within }, async () => {
  const ready = await workspace.deps.sandbox.ready();
  expect(ready, JSON.stringify(ready)).toMatchObject({ ok: true });
  const ended = await workspace.run({ sh: endless, limits: { timeoutMs: 300 } });
  expect(ended).toMatchObject({ status: "error", error: { code: "TIMEOUT" } });
});

test("one that its caller stops ends too", { timeout: within }, async () => {
  const stopping = new AbortController();
  const running = workspace.run({ sh: endless, signal: stopping.signal });
  setTimeout(() => stopping.abort(), 300);
  expect(await running).toMatchObject({ status: "error", error: { code: "CANCELED" } });
});
