import type { DpopSession } from "@modelcontextprotocol/client";

const algorithm = "ES256";
const curve = { name: "ECDSA", namedCurve: "P-256" };

export interface DpopKey {
  readonly session: DpopSession;
  /** The private key as a JWK, as it is kept beside the tokens that are bound to it. */
  readonly stored: Readonly<Record<string, unknown>>;
}

/** The key that tokens are bound to (RFC 9449): the stored one, or a new one. Who copies a token alone cannot use it. */
export async function dpopKey(stored: DpopKey["stored"] | undefined): Promise<DpopKey> {
  const sdk = await import("@modelcontextprotocol/client");
  if (stored && typeof stored["d"] === "string") {
    const { d: _, ...publicJwk } = stored;
    const privateKey = await crypto.subtle.importKey("jwk", { ...stored }, curve, false, ["sign"]);
    const keyPair = { privateKey, publicJwk, alg: algorithm };
    return { session: await sdk.DpopSession.create({ keyPair: keyPair as never }), stored };
  }
  const keyPair = await sdk.generateDpopKeyPair({ alg: algorithm, extractable: true });
  const { kty, crv, x, y, d } = await crypto.subtle.exportKey("jwk", keyPair.privateKey);
  return { session: await sdk.DpopSession.create({ keyPair }), stored: { kty, crv, x, y, d } };
}
