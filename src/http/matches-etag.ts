/** Whether `If-None-Match` names what would be sent: one of a list, weak or not, or anything at all. */
export function matchesEtag(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch.split(",").some((each) => {
    const held = each.trim();
    return held === "*" || held.replace(/^W\//, "") === etag;
  });
}
