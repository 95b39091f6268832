/** The text in place of a secret. */
export function markerFor(kind: string): string {
  return `[REDACTED:${kind}]`;
}

/** The text in place of a secret that is needed again: a handle that only dispatch opens. `tag` is base32 of a keyed hash. */
export function handleFor(kind: string, tag: string): string {
  return `[SEALED:${kind}:${tag}]`;
}

export const kindShape: RegExp = /^[a-z0-9][a-z0-9_-]{0,39}$/;

/** The length of a handle's tag: 80 bits, far beyond what can be guessed against a store that is asked once per call. */
export const tagLength = 16;

export const everyHandle: RegExp = /\[SEALED:([a-z0-9][a-z0-9_-]{0,39}):([a-z2-7]{16})\]/g;

const anyMarker = "\\[(?:REDACTED:([a-z0-9][a-z0-9_-]{0,39})|SEALED:[a-z0-9][a-z0-9_-]{0,39}:[a-z2-7]{16})\\]";

/** A marker or a handle. */
export const marker: RegExp = new RegExp(anyMarker);

/** The same, every one; the first group is a marker's kind, and absent for a handle. */
export const everyMarker: RegExp = new RegExp(anyMarker, "g");

/** Also what resembles a handle: changed by a model, cut off, or written by a person. */
export const everyResemblance: RegExp =
  /\[REDACTED:([a-z0-9][a-z0-9_-]{0,39})\]|\[SEALED:[a-z0-9][a-z0-9_-]{0,39}:[a-z2-7]{16}\]|\[[ \t]{0,4}[Ss][Ee][Aa][Ll][Ee][Dd][ \t]{0,4}:/g;
