import { createPublicKey, verify } from "node:crypto";
import type { WorkOrder } from "#core/contracts";
import { domainError, messageOf } from "#core/errors";
import { canonicalJson, err, ok, type Result } from "#core/values";
import { covers } from "./covers.ts";

export type Link = NonNullable<WorkOrder["authorization"]>["chain"][number];

export interface ChainContext {
  readonly callerId: string;
  /** What the first granter of the chain may grant; undefined when the workspace does not know that caller. */
  readonly rootGrants: (id: string) => readonly string[] | undefined;
  /**
   * The public keys (PEM) of a granter, by key id: only these can sign its links. Null for a chain whose signatures were checked
   * when its order began: by now those keys may be gone.
   */
  readonly keysOf: ((id: string) => Readonly<Record<string, string>>) | null;
  readonly nowIso: string;
}

/**
 * Follows an authorization chain link by link and returns what its last link grants. Each link hands on only what it
 * received. A link of the submitter itself needs no signature. Every other link is signed by its granter: otherwise any caller
 * could claim a grant from an admin.
 */
export function checkChain(chain: readonly Link[], context: ChainContext): Result<readonly string[]> {
  let granter: string | undefined;
  let available: readonly string[] | undefined;
  for (const [index, link] of chain.entries()) {
    const where = `authorization.chain[${index}]`;
    if (granter === undefined) available = context.rootGrants(link.from);
    else if (link.from !== granter)
      return refuse(where, `comes from ${link.from}, but the link before it went to ${granter}`);
    if (available === undefined) return refuse(where, `${link.from} is not known here and can grant nothing`);
    for (const grant of link.grants)
      if (!covers(available, grant))
        return refuse(where, `${link.from} does not have "${grant}" and cannot hand it on`);
    if (link.expires_at !== undefined && link.expires_at <= context.nowIso)
      return refuse(where, `expired at ${link.expires_at}`);
    if (link.granted_at !== undefined && link.granted_at > context.nowIso)
      return refuse(where, `is granted only from ${link.granted_at}`);
    const signed = context.keysOf && checkSignature(link, context.callerId, context.keysOf);
    if (signed) return refuse(where, signed);
    granter = link.to;
    available = link.grants;
  }
  if (granter !== context.callerId)
    return refuse("authorization", `ends at ${granter}, but ${context.callerId} submits the order`);
  return ok(available ?? []);
}

function checkSignature(link: Link, callerId: string, keysOf: NonNullable<ChainContext["keysOf"]>): string | undefined {
  if (link.signature === undefined) {
    if (link.key_id !== undefined) return `names the key ${link.key_id} but is not signed`;
    return link.from === callerId
      ? undefined
      : `comes from ${link.from} and is not signed by them: only the submitter's own links need no signature`;
  }
  if (link.key_id === undefined) return "is signed but does not say with which key (key_id)";
  const keys = keysOf(link.from);
  const pem = Object.hasOwn(keys, link.key_id) ? keys[link.key_id] : undefined;
  if (pem === undefined)
    return `is signed with the key ${link.key_id}, which is not trusted here as one of ${link.from}'s (identity.callers in writ.yaml)`;
  const { signature, ...body } = link;
  try {
    const valid = verify(
      null,
      Buffer.from(canonicalJson(body)),
      createPublicKey(pem),
      Buffer.from(signature, "base64"),
    );
    return valid ? undefined : "has a signature that does not match";
  } catch (thrown) {
    return `cannot be checked: ${messageOf(thrown)}`;
  }
}

function refuse(where: string, why: string): Result<never> {
  return err(domainError("NOT_AUTHORIZED", `${where} ${why}`, { details: { where } }));
}
