import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { type DomainError, domainError, err, messageOf, ok, type Result, type Sha256, sha256 } from "#base";
import type { KeySuccessionV1 } from "#schemas";

/** Says that a signature was made with one certain key. */
export interface VerifyingKey {
  /** SHA-256 of the public key (SPKI, DER). */
  readonly key_id: Sha256;
  /** As text that can be kept beside what it proves. */
  readonly pem: string;
  /** Those that were in its place before, the oldest first, each by its own word. */
  readonly retired?: readonly RetiredKey[];
  verify(message: string, signature: string): boolean;
}

export interface RetiredKey {
  readonly key: VerifyingKey;
  /** Its signatures count up to so many heads. */
  readonly until: number;
  readonly succession: KeySuccessionV1;
}

/** The workspace's own Ed25519 key. The private part never leaves this object. */
export interface SigningKey extends VerifyingKey {
  /** Base64. */
  sign(message: string): string;
  /** Whether the file still holds this key; a process that outlived a change of the key must not sign. */
  isCurrent(): boolean;
}

/** From the private key's file. */
export function loadSigningKey(file: string): Result<SigningKey> {
  const key = read(file, createPrivateKey);
  if (!key.ok) return key;
  const verifying = verifyingKeyOf(createPublicKey(key.value));
  const loaded = inodeOf(file);
  return ok({
    ...verifying,
    sign: (message) => sign(null, Buffer.from(message), key.value).toString("base64"),
    isCurrent: () => inodeOf(file) === loaded,
  });
}

/** From the public key's file, without those that came before it. */
export function loadPublicKey(file: string): Result<VerifyingKey> {
  const key = read(file, createPublicKey);
  return key.ok ? ok(verifyingKeyOf(key.value)) : key;
}

/** From a public key in PEM, as a checkpoint carries it. */
export function parseVerifyingKey(pem: string): Result<VerifyingKey> {
  try {
    const key = createPublicKey(pem);
    return key.asymmetricKeyType === "ed25519" ? ok(verifyingKeyOf(key)) : err(notEd25519("the public key", key));
  } catch (thrown) {
    return err(
      domainError("MALFORMED_INPUT", `the public key is not readable: ${messageOf(thrown)}`, { cause: thrown }),
    );
  }
}

/** A key is put in place by a rename, so another key is another file. */
function inodeOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.ino;
}

export function keyChanged(): DomainError {
  return domainError(
    "LEDGER_UNAVAILABLE",
    "the workspace signs with another key since this process began: restart the process",
  );
}

function verifyingKeyOf(key: KeyObject): VerifyingKey {
  return {
    key_id: sha256(key.export({ type: "spki", format: "der" })),
    pem: key.export({ type: "spki", format: "pem" }) as string,
    verify: (message, signature) => verify(null, Buffer.from(message), key, Buffer.from(signature, "base64")),
  };
}

function read(file: string, parse: (pem: string) => KeyObject): Result<KeyObject> {
  try {
    const key = parse(readFileSync(file, "utf8"));
    return key.asymmetricKeyType === "ed25519" ? ok(key) : err(notEd25519(file, key));
  } catch (thrown) {
    return err(
      domainError("LEDGER_UNAVAILABLE", `the signing key ${file} cannot be read: ${messageOf(thrown)}`, {
        details: { file, hint: "`writ init` makes the key where there is none" },
        cause: thrown,
      }),
    );
  }
}

function notEd25519(what: string, key: KeyObject) {
  return domainError("CONFIG_INVALID", `${what} is a ${key.asymmetricKeyType} key, expected ed25519`);
}
