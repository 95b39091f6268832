import { createPrivateKey, sign } from "node:crypto";
import { domainError, messageOf } from "#core/errors";
import { canonicalJson, err, ok, type Result } from "#core/values";
import type { Link } from "./link.ts";

/** A link as its granter signs it: Ed25519 over the canonical form of everything but the signature. */
export function signLink(link: Omit<Link, "signature"> & { readonly key_id: string }, pem: string): Result<Link> {
  try {
    const key = createPrivateKey(pem);
    if (key.asymmetricKeyType !== "ed25519")
      return err(domainError("MALFORMED_INPUT", `links are signed with Ed25519, this key is ${key.asymmetricKeyType}`));
    return ok({ ...link, signature: sign(null, Buffer.from(canonicalJson(link)), key).toString("base64") });
  } catch (thrown) {
    return err(domainError("MALFORMED_INPUT", `the key cannot be read as a private key (PEM): ${messageOf(thrown)}`));
  }
}
