import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "#core/values";
import { openSharedStore } from "../../operate/store/sqlite-shared-store.ts";
import { createOrderBook } from "./order-book.ts";

test("an order that no store can keep is refused alone: those that were claimed with it act", async () => {
  const folder = mkdtempSync(join(tmpdir(), "writ-orders-"));
  const store = openSharedStore(join(folder, "shared.db"), systemClock);
  if (!store.ok) throw new Error(store.error.message);
  onTestFinished(async () => {
    await store.value.close();
    rmSync(folder, { recursive: true });
  });
  const book = createOrderBook(store.value);
  const claims = ["first", "sec\0nd", "third"].map((idempotency_key, index) =>
    book.claim({ work_order_id: `WO-${index}`, idempotency_key, order_hash: "h", session_id: `SES-${index}` }),
  );
  expect(await Promise.all(claims)).toMatchObject([
    { ok: true, value: "new" },
    {
      ok: false,
      error: { code: "MALFORMED_INPUT", retryable: false, message: expect.stringContaining("idempotency_key holds") },
    },
    { ok: true, value: "new" },
  ]);
});
