import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ledgerRules, shippedRegistry } from "#core/contracts";
import { type SessionId, systemClock } from "#core/values";
import { JsonlReader, replay, snapshotText } from "#log";
import { verifySession } from "#proof";

const kept = join(import.meta.dirname, "session");
const session_id = readdirSync(kept)[0] as SessionId;

test("the kept session verifies, and folds to its snapshot byte for byte", async () => {
  const root = mkdtempSync(join(tmpdir(), "writ-example-"));
  mkdirSync(join(root, "planes/ho1/sessions"), { recursive: true });
  cpSync(join(kept, session_id), join(root, "planes/ho1/sessions", session_id), { recursive: true });
  const reader = new JsonlReader({ root, rules: ledgerRules, clock: systemClock, pollMs: 50 });
  const schemas = shippedRegistry();
  expect(await verifySession(session_id, { reader, schemas, rules: ledgerRules })).toMatchObject({
    ok: true,
    violations: [],
  });
  const folded = await replay(session_id, { reader, schemas });
  expect(folded.ok && folded.value).toMatchObject({ closed: true, ok: true, output: "Hello, Ada" });
  expect(folded.ok && snapshotText(folded.value)).toBe(readFileSync(join(kept, session_id, "snapshot.json"), "utf8"));
  rmSync(root, { recursive: true, force: true });
});
