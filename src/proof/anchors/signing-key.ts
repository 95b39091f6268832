import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from "node:crypto";
import { readFileSync } from "node:fs";
import type { KeySuccessionV1 } from "#core/contracts";
import { codeOfError, type DomainError, domainError, messageOf } from "#core/errors";
import { err, ok, type Result, type Sha256, sha256 } from "#core/values";

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
  const pem = read(file);
  return pem.ok ? parseSigningKey(pem.value, file) : pem;
}

/** From a private key in PEM that lies in this file, or will. */
export function parseSigningKey(pem: string, file: string): Result<SigningKey> {
  const key = parse(pem, file, createPrivateKey);
  if (!key.ok) return key;
  const digest = sha256(pem);
  return ok({
    ...verifyingKeyOf(createPublicKey(key.value)),
    sign: (message) => sign(null, Buffer.from(message), key.value).toString("base64"),
    isCurrent: () => digestOf(file) === digest,
  });
}

/** From the public key's file, without those that came before it. */
export function loadPublicKey(file: string): Result<VerifyingKey> {
  const pem = read(file);
  const key = pem.ok ? parse(pem.value, file, createPublicKey) : pem;
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

/**
 * By its bytes. Inodes are used again, and times go in steps and can be set back; to read the file takes 6 µs, once per
 * batch, beside a sync.
 */
function digestOf(file: string): Sha256 | undefined {
  try {
    return sha256(readFileSync(file));
  } catch (thrown) {
    if (codeOfError(thrown) === "ENOENT") return undefined;
    throw thrown;
  }
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

function read(file: string): Result<string> {
  try {
    return ok(readFileSync(file, "utf8"));
  } catch (thrown) {
    return err(unreadable(file, thrown));
  }
}

function parse(pem: string, file: string, parser: (pem: string) => KeyObject): Result<KeyObject> {
  try {
    const key = parser(pem);
    return key.asymmetricKeyType === "ed25519" ? ok(key) : err(notEd25519(file, key));
  } catch (thrown) {
    return err(unreadable(file, thrown));
  }
}

function unreadable(file: string, thrown: unknown): DomainError {
  return domainError("LEDGER_UNAVAILABLE", `the signing key ${file} cannot be read: ${messageOf(thrown)}`, {
    details: { file, hint: "`writ init` makes the key where there is none" },
    cause: thrown,
  });
}

function notEd25519(what: string, key: KeyObject) {
  return domainError("CONFIG_INVALID", `${what} is a ${key.asymmetricKeyType} key, expected ed25519`);
}
