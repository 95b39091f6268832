import picomatch from "picomatch";

/**
 * Whether a list of grants covers a right. A right may itself be a pattern (`tool:fs.*`): it is covered only by the same
 * pattern or by one that is wider by its plain form, a prefix before `*`. What cannot be shown to be covered is not.
 */
export function covers(grants: readonly string[], right: string): boolean {
  return grants.some((grant) => coversOne(grant, right));
}

function coversOne(grant: string, right: string): boolean {
  if (grant === "*" || grant === right) return true;
  if (!/[*?[\]{}()!]/.test(right)) return picomatch.isMatch(right, grant, { dot: true, nonegate: true });
  const prefix = /^([^*?[\]{}()!]*)\*+$/.exec(grant)?.[1];
  return prefix !== undefined && prefix !== "" && right.startsWith(prefix);
}
