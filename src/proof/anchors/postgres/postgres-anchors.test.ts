import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openPostgres, type Postgres, postgresAddress } from "#core/database";
import { sha256, systemClock, systemRandom } from "#core/values";
import { value } from "../../../../test/support/log.ts";
import { freshDatabase } from "../../../../test/support/postgres/shared-server.ts";
import { openLeaf } from "../anchor-leaf.ts";
import { loadSigningKey, parseSigningKey, type SigningKey } from "../signing-key.ts";
import { lockAnchorEnd } from "./anchor-tree.ts";
import { PostgresAnchors } from "./postgres-anchors.ts";

const newPem = () => generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }) as string;

/** How many are waiting for a lock in this database. */
const lockWaiters = {
  name: "test/lock-waiters",
  text: "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
};

let postgres: Postgres;
let folder: string;
let key: SigningKey;
beforeAll(async () => {
  const address = value(postgresAddress(await freshDatabase()));
  postgres = await openPostgres(address, { clock: systemClock, random: systemRandom });
  folder = mkdtempSync(join(tmpdir(), "writ-anchors-"));
  writeFileSync(join(folder, "signing.pem"), newPem());
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

test("an event that is anchored is not anchored as another one: the others of its batch are", async () => {
  const anchors = new PostgresAnchors({ root: folder, postgres, key, clock: systemClock, tenant: "rewritten" });
  value(await anchors.add(openLeaf("SES-1", { seq: 4, hash: sha256("4") })));
  const [refused, other] = await Promise.all([
    anchors.add(openLeaf("SES-1", { seq: 4, hash: sha256("another") })),
    anchors.add(openLeaf("SES-2", { seq: 1, hash: sha256("1") })),
  ]);
  expect(refused).toMatchObject({ ok: false, error: { code: "LEDGER_CORRUPT", details: { seq: 4 } } });
  expect(other.ok).toBe(true);
  expect(value(await anchors.standing("SES-1"))).toEqual({ seq: 4, hash: sha256("4") });
});

describe("a change of the key", () => {
  const leaf = openLeaf("SES-1", { seq: 1, hash: sha256("1") });
  /** A key of its own in a file of its own, and anchors by it in a tree of their own. */
  const signing = (tenant: string, through = postgres) => {
    const file = join(folder, `${tenant}.pem`);
    writeFileSync(file, newPem());
    const key = value(loadSigningKey(file));
    const anchorsBy = () => new PostgresAnchors({ root: folder, postgres: through, tenant, key, clock: systemClock });
    return { file, key, anchorsBy };
  };

  test("that came while others waited for the lock is seen by them: they sign nothing and install nothing", async () => {
    const tenant = "waiting";
    const { file, anchorsBy } = signing(tenant);
    value(await anchorsBy().add(leaf));
    let installed = 0;
    const [rotation, addition] = await postgres
      .transaction(async (transaction) => {
        value(await lockAnchorEnd(transaction, tenant));
        const waiting = [
          anchorsBy().succeed(value(parseSigningKey(newPem(), file)), () => void installed++),
          anchorsBy().add(openLeaf("SES-2", { seq: 1, hash: sha256("2") })),
        ] as const;
        while ((await postgres.rows(lockWaiters))[0]?.[0] !== waiting.length); // each round waits for the database's answer
        writeFileSync(file, newPem());
        return waiting;
      })
      .then((waiting) => Promise.all(waiting));
    expect(installed).toBe(0);
    expect(rotation.ok ? "" : rotation.error.message).toContain(
      "another process has given this workspace a new signing key",
    );
    expect(addition.ok ? "" : addition.error.message).toContain("signs with another key");
  });

  test("is installed once when its transaction is tried again, and does not refuse itself", async () => {
    let installed = 0;
    let attempts = 0;
    const failing: Postgres = {
      ...postgres,
      transaction: (work) =>
        postgres.transaction(async (transaction) => {
          const answer = await work(transaction);
          if (installed === 1 && ++attempts === 1) throw Object.assign(new Error("gave way"), { code: "40001" });
          return answer;
        }),
    };
    const { file, key, anchorsBy } = signing("again", failing);
    const pem = newPem();
    const next = value(parseSigningKey(pem, file));
    const install = () => {
      installed++;
      writeFileSync(file, pem);
    };
    const succession = value(await anchorsBy().succeed(next, install));
    expect([installed, attempts]).toEqual([1, 2]);
    expect([succession.key_id, succession.next_key_id]).toEqual([key.key_id, next.key_id]);
  });
});
