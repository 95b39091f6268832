import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { manualClock } from "../../../core/values/manual-clock.ts";
import { openSharedStore } from "../../../operate/store/sqlite-shared-store.ts";

test("two processes draw on the same buckets, and what one gives back the other gets", () => {
  const folder = mkdtempSync(join(tmpdir(), "writ-rates-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const clock = manualClock();
  const limits = { requests_per_minute: 60, tokens_per_minute: 1_000, burst: 10, cooldown_seconds: 0 };
  const nothing = { requests: 0, tokens: 0 };
  const least = { requests: 1, tokens: 100 };
  const stores = [1, 2].map(() => {
    const opened = openSharedStore(join(folder, "store.db"), clock);
    if (!opened.ok) throw new Error(opened.error.message);
    return opened.value;
  });
  const [one, other] = stores;
  const take = (store: typeof one, returned = nothing, most = { requests: 6, tokens: 600 }) =>
    store?.takeRate("workspace", limits, { returned, least, most });
  expect(take(one)).toEqual({ ok: true, value: { granted: { requests: 6, tokens: 600 } } });
  expect(take(other)).toEqual({ ok: true, value: { granted: { requests: 4, tokens: 400 } } });
  expect(take(other)).toEqual({ ok: true, value: { wait_ms: 6_000 } });
  expect(take(one, { requests: 3, tokens: 200 })).toEqual({
    ok: true,
    value: { granted: { requests: 3, tokens: 200 } },
  });
  clock.jump(clock.now() + 86_400_000); // the wall clock refills nothing, and holds nothing up
  expect(take(other)).toEqual({ ok: true, value: { wait_ms: 6_000 } });
  clock.jump(clock.now() - 2 * 86_400_000);
  clock.advance(6_000);
  expect(take(other)).toEqual({ ok: true, value: { granted: { requests: 6, tokens: 100 } } });
  for (const store of stores) void store.close();
});
