import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { type Clock, seededRandom, sha256, systemClock } from "#core/values";
import { growingRedactor } from "#log";
import type { SealedValues } from "#log/redaction";
import { openSharedStore } from "../../src/operate/store/sqlite-shared-store.ts";
import { createSealVault } from "../../src/workspace/sealed/seal-vault.ts";
import { valueOf } from "./tool-bench.ts";

/** The log's redactor and sealed values in a real store. */
export function sealBench(options: { readonly key?: string; readonly clock?: Clock; readonly file?: string } = {}) {
  const { clock = systemClock, key = "key of a test" } = options;
  const folder = mkdtempSync(join(tmpdir(), "writ-seals-"));
  const file = options.file ?? join(folder, "store.db");
  const store = valueOf(openSharedStore(file, clock));
  onTestFinished(() => {
    void store.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const redactor = valueOf(growingRedactor([]));
  const seals: SealedValues = createSealVault({
    store,
    redactor,
    key: sha256(key),
    clock,
    random: seededRandom(11),
    keepMs: 3_600_000,
  });
  return { seals, redactor, store, file };
}
