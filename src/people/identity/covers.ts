import picomatch from "picomatch";
import { boundKindOf } from "./bound-kinds.ts";

/**
 * Whether a list of grants covers a right. A right may itself be a pattern (`tool:fs.*`): it is covered only by the same
 * pattern or by one that is wider by its plain form, a prefix before `*`. What cannot be shown to be covered is not.
 */
export function covers(grants: readonly string[], right: string): boolean {
  return grants.some((grant) => coversOne(grant, right));
}

function coversOne(grant: string, right: string): boolean {
  if (grant === "*" || grant === right) return true;
  const kind = boundKindOf(right);
  if (kind !== undefined) return coversBound(kind, grant, right.slice(kind.length + 1));
  if (!magic.test(right)) return picomatch.isMatch(right, grant, { dot: true, nonegate: true });
  const prefix = /^([^*?[\]{}()!]*)\*+$/.exec(grant)?.[1];
  return prefix !== undefined && prefix !== "" && right.startsWith(prefix);
}

const magic = /[*?[\]{}()!]/;

/** Amounts are compared as numbers, places as globs. What may be written may be read too. */
function coversBound(kind: string, grant: string, wanted: string): boolean {
  const granted = boundKindOf(grant);
  if (granted !== kind && !(kind === "read" && granted === "path")) return false;
  const value = grant.slice(granted?.length ?? 0).slice(1);
  switch (kind) {
    case "usd":
    case "tokens":
      return value === "*" || (value !== "" && Number(wanted) <= Number(value));
    case "host":
      return value === "*" || (value !== "" && picomatch.isMatch(wanted, value, { nonegate: true }));
    default:
      return containsPath(value, wanted);
  }
}

/** Whether every path that one glob names is named by another: the same glob, a path that it matches, or all below its folder. */
function containsPath(granted: string, wanted: string): boolean {
  const [wide, narrow] = [folderGlob(granted), folderGlob(wanted)];
  if (wide === "" || narrow.startsWith("!") || narrow.split(/[/{},|()]/).includes("..")) return false;
  if (wide === "**" || wide === narrow) return true;
  if (!magic.test(narrow)) return picomatch.isMatch(narrow, wide, { dot: true, nonegate: true });
  const folder = wide.endsWith("/**") ? wide.slice(0, -2) : undefined;
  return folder !== undefined && !magic.test(folder) && narrow.startsWith(folder);
}

/** `docs/` names what lies under it, as people mean it. */
function folderGlob(glob: string): string {
  return (glob.endsWith("/") ? `${glob}**` : glob).normalize("NFC");
}
