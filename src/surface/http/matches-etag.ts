/** Whether `If-None-Match` matches: one of a list, weak or not, or `*`. */
export function matchesEtag(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch.split(",").some((each) => {
    const held = each.trim();
    return held === "*" || held.replace(/^W\//, "") === etag;
  });
}
