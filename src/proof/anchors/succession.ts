import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { AnchorCheckpointV1, KeySuccessionV1 } from "#core/contracts";
import { codeOfError, type DomainError, domainError } from "#core/errors";
import { canonicalJson, isoTime, ok, parseJson, type Result } from "#core/values";
import {
  loadPublicKey,
  parseVerifyingKey,
  type RetiredKey,
  type SigningKey,
  type VerifyingKey,
} from "./signing-key.ts";

/** A key names its successor and the tree size up to which its own signatures count, and signs both: only its holder can. */
export type Succession = KeySuccessionV1;

/** Beside the public key: one line per change, the oldest first. */
export function successionFile(publicKeyFile: string): string {
  return join(dirname(publicKeyFile), "successions.jsonl");
}

export function sealSuccession(old: SigningKey, next: VerifyingKey, tree_size: number, nowMs: number): Succession {
  const said = {
    schema_version: "v1" as const,
    key_id: old.key_id,
    public_key: old.pem,
    next_key_id: next.key_id,
    tree_size,
    ts: isoTime(nowMs),
  };
  return { ...said, signature: old.sign(messageOf(said)) };
}

/** Only the key that is in place names its successor: two successions of one key would lead to two keys. */
export function succeededMeanwhile(): DomainError {
  return domainError(
    "LEDGER_UNAVAILABLE",
    "another process has given this workspace a new signing key meanwhile, and this one changed nothing; run it again for yet another key",
  );
}

function messageOf({ signature: _, ...said }: Omit<Succession, "signature"> & { readonly signature?: string }): string {
  return `writ key succession v1\n${canonicalJson(said)}`;
}

/** The keys that lead to this one, each by a succession that it signed; none where a link does not hold. */
export function leadingTo(key_id: string, successions: readonly Succession[]): readonly RetiredKey[] {
  const retired: RetiredKey[] = [];
  let next = key_id;
  for (const succession of successions.toReversed()) {
    if (succession.next_key_id !== next) continue; // begun and not finished: it leads nowhere
    const key = parseVerifyingKey(succession.public_key);
    const holds =
      key.ok && key.value.key_id === succession.key_id && key.value.verify(messageOf(succession), succession.signature);
    if (!holds) return retired;
    retired.unshift({ key: key.value, until: succession.tree_size, succession });
    next = succession.key_id;
  }
  return retired;
}

/** What lies beside the public key. A line that cannot be read ends the chain: what came before it is not believed. */
export function readSuccessions(publicKeyFile: string): readonly Succession[] {
  let text: string;
  try {
    text = readFileSync(successionFile(publicKeyFile), "utf8");
  } catch (thrown) {
    if (codeOfError(thrown) === "ENOENT") return [];
    throw thrown;
  }
  const lines = text.split("\n").filter((line) => line !== "");
  const parsed = lines.map((line) => parseJson(line));
  const broken = parsed.findLastIndex(({ ok }) => !ok);
  return parsed.slice(broken + 1).flatMap((line) => (line.ok ? [line.value as unknown as Succession] : []));
}

/** From the public key's file, with the keys that led to it. */
export function loadVerifyingKey(file: string): Result<VerifyingKey> {
  const key = loadPublicKey(file);
  return key.ok ? ok({ ...key.value, retired: leadingTo(key.value.key_id, readSuccessions(file)) }) : key;
}

/** The key that may have signed this checkpoint: today's, or one before it, up to where it was succeeded. */
export function signerOf(
  { key_id, tree_size }: Pick<AnchorCheckpointV1, "key_id" | "tree_size">,
  key: VerifyingKey,
): VerifyingKey | undefined {
  if (key_id === key.key_id) return key;
  return key.retired?.find((each) => each.key.key_id === key_id && tree_size <= each.until)?.key;
}
