import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sha256, systemClock, systemRandom } from "#base";
import { openPostgres, type Postgres, postgresAddress } from "#store";
import { value } from "../../../test/support/log.ts";
import { freshDatabase } from "../../../test/support/postgres/shared-server.ts";
import { openLeaf } from "../anchors/anchor-leaf.ts";
import { loadSigningKey, type SigningKey } from "../anchors/signing-key.ts";
import { PostgresAnchors } from "./postgres-anchors.ts";

let postgres: Postgres;
let folder: string;
let key: SigningKey;
beforeAll(async () => {
  const address = value(postgresAddress(await freshDatabase()));
  postgres = await openPostgres(address, { clock: systemClock, random: systemRandom });
  folder = mkdtempSync(join(tmpdir(), "writ-anchors-"));
  const pem = generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" });
  writeFileSync(join(folder, "signing.pem"), pem);
  key = value(loadSigningKey(join(folder, "signing.pem")));
});
afterAll(async () => {
  await postgres.close();
  rmSync(folder, { recursive: true, force: true });
});

test("several machines add to one tree at the same time: who waited for another finds the tree as it is now", async () => {
  const machines = Array.from(
    { length: 4 },
    () => new PostgresAnchors({ root: folder, postgres, key, clock: systemClock }),
  );
  const refused: string[] = [];
  await Promise.all(
    machines.map(async (machine, index) => {
      for (let number = 0; number < 25; number++) {
        const added = await machine.add(
          openLeaf(`SES-${index}-${number}`, { seq: 1, hash: sha256(`${index} ${number}`) }),
        );
        if (!added.ok) refused.push(added.error.message);
      }
    }),
  );
  expect(refused).toEqual([]);
});
