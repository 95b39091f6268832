import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { openPostgres, type Postgres, postgresAddress } from "#core/database";
import { createIds, seededRandom, systemClock, systemRandom } from "#core/values";
import { freshDatabase } from "../../../../test/support/postgres/shared-server.ts";
import { manualClock } from "../../../core/values/manual-clock.ts";
import { documentsCases } from "./documents.case.ts";
import { fileDocuments } from "./files/documents.ts";
import { postgresDocuments } from "./postgres/documents.ts";
import { must } from "./store-bench.case.ts";

const folder = mkdtempSync(join(tmpdir(), "writ-documents-"));
let postgres: Postgres;
beforeAll(async () => {
  const address = must(postgresAddress(await freshDatabase()));
  postgres = await openPostgres(address, { clock: systemClock, random: systemRandom });
});
afterAll(async () => {
  await postgres.close();
  rmSync(folder, { recursive: true, force: true });
});

documentsCases("files", {
  open: async () => fileDocuments(folder, createIds(manualClock(), seededRandom(1))),
  damage: async (hash) => writeFileSync(join(folder, hash.slice(0, 2), hash.slice(2)), "forged"),
});

documentsCases("PostgreSQL", {
  open: async () => must(await postgresDocuments(postgres)),
  damage: async (hash) => {
    await postgres.rows({ name: "", text: "UPDATE document SET content = 'forged' WHERE sha256 = $1" }, [hash]);
  },
});
