import { places } from "./places.ts";

/** What a tab, a bookmark and a screen reader call an address: the thing, the page, the studio. */
export function titleOf(location: string): string {
  const [page = "", thing = ""] = location.split("/").slice(1);
  const place = places.find(({ href }) => href === `/${page}`);
  const id = /^(?:SES-\d{8}-|THR-\d{8}-|RUN-|APR-)(.*)$/.exec(thing)?.[1];
  const short = id === undefined ? thing : thing.startsWith("RUN-") ? id.slice(-6) : id.slice(0, 6);
  return [short, page === "" ? "" : place?.name, "Writ"].filter(Boolean).join(" · ");
}
