import { generateKeyPairSync } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ledgerRules, shippedRegistry } from "#core/contracts";
import { systemClock } from "#core/values";
import { JsonlReader } from "#log";
import { AnchorLog, loadSigningKey, SealingLog, verifyAll } from "#proof";
import { type SigningKey } from "../../src/proof/anchors/signing-key.ts";
import { verifyOne, type WorkspaceVerification } from "../../src/proof/verify/verify-workspace.ts";
import { testLog, value } from "./greeting-session.ts";

/** A workspace with a key, a log that seals, and the checks that a person would run on it. */
export class SealedWorkspace {
  readonly root: string = mkdtempSync(join(tmpdir(), "writ-proofs-"));
  readonly key: SigningKey;
  readonly log: SealingLog;
  /** Lets time go by. */
  readonly pass: (ms: number) => void;

  constructor(seed = 1) {
    const keys = join(this.root, "planes/hot/keys");
    mkdirSync(keys, { recursive: true });
    const { privateKey, publicKey } = generateKeyPairSync("ed25519");
    writeFileSync(join(keys, "signing.pem"), privateKey.export({ type: "pkcs8", format: "pem" }), { mode: 0o600 });
    writeFileSync(join(keys, "signing.pub.pem"), publicKey.export({ type: "spki", format: "pem" }));
    writeFileSync(join(this.root, "writ.yaml"), "schema_version: v1\n");
    this.key = value(loadSigningKey(join(keys, "signing.pem")));
    const { log, pass } = testLog(this.root, seed);
    this.pass = pass;
    const anchors = new AnchorLog({ root: this.root, key: this.key, clock: systemClock });
    this.log = new SealingLog({ log, schemas: shippedRegistry(), anchors });
  }

  /** What another process would read, without anything in memory. */
  get reader(): JsonlReader {
    return new JsonlReader({ root: this.root, rules: ledgerRules, clock: systemClock, pollMs: 10 });
  }

  get verifyOptions(): Parameters<typeof verifyAll>[0] {
    return { root: this.root, reader: this.reader, schemas: shippedRegistry(), rules: ledgerRules, key: this.key };
  }

  verifyAll(more: Partial<Parameters<typeof verifyAll>[0]> = {}): Promise<WorkspaceVerification> {
    return verifyAll({ ...this.verifyOptions, ...more });
  }

  verifyOne(session_id: string, more: Partial<Parameters<typeof verifyAll>[0]> = {}): Promise<WorkspaceVerification> {
    return verifyOne(session_id as Parameters<typeof verifyOne>[0], { ...this.verifyOptions, ...more });
  }

  file(
    session_id: string,
    name: ".events.jsonl" | "ledger/exec.jsonl" | "ledger/evidence.jsonl" | "snapshot.json",
  ): string {
    return join(this.root, "planes/ho1/sessions", session_id, name);
  }

  async shut(): Promise<void> {
    value(await this.log.shutdown());
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}
