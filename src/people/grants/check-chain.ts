import { createPublicKey, verify } from "node:crypto";
import { domainError, messageOf } from "#core/errors";
import { canonicalJson, err, ok, type Result } from "#core/values";
import { inheritBounds, spellOut } from "../identity/bound-kinds.ts";
import { covers } from "../identity/covers.ts";
import type { Link } from "./link.ts";
import { type AskedOrder, hashOfLink, whyNotFor } from "./link-binding.ts";

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
  /** The order that has to lie within each link; null for one that was accepted before: it is recorded as it acted, not as it was signed. */
  readonly asked: AskedOrder | null;
}

export interface CheckedChain {
  /** What the last link grants, within the bounds of everyone before. */
  readonly grants: readonly string[];
  /** Links whose uses are counted. An order that is named by its hash acts once. */
  readonly counted: readonly CountedLink[];
}

export interface CountedLink {
  readonly link_hash: string;
  readonly uses: number;
}

/**
 * Follows an authorization chain link by link and returns what its last link grants. Each link hands on only what it
 * received, and only for the order or the range that it names. A link of the submitter itself needs no signature. Every other link is signed by its granter: otherwise any caller
 * could claim a grant from an admin.
 */
export function checkChain(chain: readonly Link[], context: ChainContext): Result<CheckedChain> {
  const counted: CountedLink[] = [];
  let granter: string | undefined;
  let available: readonly string[] | undefined;
  for (const [index, link] of chain.entries()) {
    const where = `authorization.chain[${index}]`;
    if (granter === undefined) available = spelt(context.rootGrants(link.from));
    else if (link.from !== granter)
      return refuse(where, `comes from ${link.from}, but the link before it went to ${granter}`);
    if (available === undefined) return refuse(where, `${link.from} is not known here and can grant nothing`);
    for (const grant of link.grants)
      if (!covers(available, grant))
        return refuse(where, `${link.from} does not have "${grant}" and cannot hand it on`);
    for (const end of [link.expires_at, link.range?.expires_at])
      if (end !== undefined && end <= context.nowIso) return refuse(where, `expired at ${end}`);
    if (link.granted_at !== undefined && link.granted_at > context.nowIso)
      return refuse(where, `is granted only from ${link.granted_at}`);
    const signed = context.keysOf && checkSignature(link, context.callerId, context.keysOf);
    if (signed) return refuse(where, signed);
    const beyond = context.asked && whyNotFor(link, context.asked, link.from === context.callerId);
    if (beyond) return refuse(where, beyond);
    if (link.range !== undefined || link.order_hash !== undefined)
      counted.push({ link_hash: hashOfLink(link), uses: link.range?.uses ?? 1 });
    granter = link.to;
    available = inheritBounds(link.grants, available);
  }
  if (granter !== context.callerId)
    return refuse("authorization", `ends at ${granter}, but ${context.callerId} submits the order`);
  return ok({ grants: available ?? [], counted });
}

function spelt(grants: readonly string[] | undefined): readonly string[] | undefined {
  return grants && spellOut(grants);
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
