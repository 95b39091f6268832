import { join } from "node:path";
import type { Clock, Result } from "#base";
import { JsonlReader, type LogReader, loadVerifyingKey, type VerifyingKey } from "#events";
import { ledgerRules, loadRegistry, type SchemaRegistry } from "#schemas";
import { nodeFiles } from "../adapters/node-files.ts";
import { signingKeyFiles } from "../workspace/signing-key.ts";

/** What a workspace has recorded, for those who only look. */
export interface Records {
  readonly root: string;
  readonly reader: LogReader;
  readonly schemas: SchemaRegistry;
  readonly rules: typeof ledgerRules;
  /** The public key; absent when it cannot be read. */
  readonly key: VerifyingKey | undefined;
}

const followMs = 50;

/** Takes no lock and writes nothing: it works while others write, and on a read-only mount. */
export async function openRecords(root: string, clock: Clock): Promise<Result<Records>> {
  const schemas = await loadRegistry({ files: nodeFiles, root });
  if (!schemas.ok) return schemas;
  const key = loadVerifyingKey(join(root, signingKeyFiles.public_key));
  const reader = new JsonlReader({ root, rules: ledgerRules, clock, pollMs: followMs });
  return {
    ok: true,
    value: { root, reader, schemas: schemas.value, rules: ledgerRules, key: key.ok ? key.value : undefined },
  };
}
