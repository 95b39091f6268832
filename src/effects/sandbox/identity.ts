import type { Random } from "#core/values";

/**
 * The user that a turn runs as. Never root:
 * - `self`: Writ is an ordinary user, and so is the turn; mounts are made in a user namespace of its own.
 * - `owner`: Writ is root and the workspace someone's: the turn drops to that owner.
 * - `shifted`: Writ is root and so is the owner: the turn runs under an unused id, and sees the workspace through an
 *   id-mapped mount, so that root's files belong to that id inside the sandbox and nowhere else.
 * - `mapped`: the same without the means for an id-mapped mount: root's id without any capability, as an ordinary id
 *   of a user namespace. Weaker: only read-only mounts protect the files of root that the sandbox shows.
 */
export interface Identity {
  readonly kind: "self" | "owner" | "shifted" | "mapped";
  readonly uid: number;
  readonly gid: number;
}

/** A shifted turn takes a random id from here on: far above the ids that machines and containers assign. */
const shiftedBase = 0x70000000;

export interface IdentityFacts {
  readonly processUid: number;
  readonly processGid: number;
  readonly ownerUid: number;
  readonly ownerGid: number;
  readonly canShift: boolean;
  readonly random: Random;
}

export function chooseIdentity(facts: IdentityFacts): Identity {
  if (facts.processUid !== 0) return { kind: "self", uid: facts.processUid, gid: facts.processGid };
  if (facts.ownerUid !== 0)
    return { kind: "owner", uid: facts.ownerUid, gid: facts.ownerGid === 0 ? facts.ownerUid : facts.ownerGid };
  if (!facts.canShift) return { kind: "mapped", uid: 0, gid: 0 };
  const [a = 0, b = 0, c = 0] = facts.random.bytes(3);
  const id = shiftedBase + a * 65536 + b * 256 + c;
  return { kind: "shifted", uid: id, gid: id };
}
