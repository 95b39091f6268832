import { createHash, createPublicKey, type KeyObject, sign, verify } from "node:crypto";
import type { PackageSignatureV1 } from "#core/contracts";
import { messageOf } from "#core/errors";
import { memoizeText, type Sha256 } from "#core/values";

/** What `packages.trust_roots` names: the SHA-256 of the public key in DER form. */
export function keyHash(key: KeyObject): Sha256 {
  return createHash("sha256").update(publicDer(key)).digest("hex");
}

/** Signs the bytes of manifest.json, and through its hashes every asset. */
export function signManifest(manifest: Uint8Array, privateKey: KeyObject): PackageSignatureV1 {
  return {
    algorithm: "ed25519",
    key_sha256: keyHash(privateKey),
    public_key: publicDer(privateKey).toString("base64"),
    signature: sign(null, manifest, privateKey).toString("base64"),
    schema_version: "v1",
  };
}

/** The packages of one publisher carry one key: read once, for reading it takes longer than to verify with it. */
const readKey = memoizeText((base64) => {
  const key = createPublicKey({ key: Buffer.from(base64, "base64"), format: "der", type: "spki" });
  return { key, sha256: keyHash(key) };
});

/** Why a signature does not hold; undefined when it does. Says nothing about whether its key is trusted. */
export function whyNotSigned(manifest: Uint8Array, signature: PackageSignatureV1): string | undefined {
  try {
    const { key, sha256 } = readKey(signature.public_key, "");
    if (key.asymmetricKeyType !== "ed25519") return "its key is not an Ed25519 key";
    if (sha256 !== signature.key_sha256) return "its key is not the one that key_sha256 names";
    return verify(null, manifest, key, Buffer.from(signature.signature, "base64"))
      ? undefined
      : "the signature does not match manifest.json";
  } catch (thrown) {
    return `the signature cannot be checked: ${messageOf(thrown)}`;
  }
}

function publicDer(key: KeyObject): Buffer {
  const open = key.type === "private" ? createPublicKey(key) : key;
  return open.export({ type: "spki", format: "der" });
}
