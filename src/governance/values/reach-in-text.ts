/** A link, a mail address or an account inside a text: what leads out of it. */
export interface Lead {
  readonly kind: "mail" | "host" | "account";
  readonly text: string;
  /** Where it stands; the second is not included. */
  readonly span: readonly [number, number];
}

const topLevels =
  "com|net|org|io|dev|app|info|biz|co|me|xyz|site|online|top|ru|cn|de|uk|fr|it|es|nl|eu|us|ai|example|test";
const shapes: readonly (readonly [Lead["kind"], RegExp])[] = [
  ["mail", /[\p{L}\p{N}._%+-]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+/gu],
  // A password in a link is a handle here, whose bracket does not end it.
  ["host", /[a-z][a-z0-9+.-]*:\/\/(?:\[sealed:[^\s\]]+\]|[^\s<>"'`)\]}])+/giu],
  ["host", /(?<![\p{L}\p{N}@./-])www\.[^\s<>"'`)\]}]+/giu],
  [
    "host",
    new RegExp(
      `(?<![\\p{L}\\p{N}@./-])(?:[\\p{L}\\p{N}-]+\\.)+(?:${topLevels})(?![\\p{L}\\p{N}-])(?:/[^\\s<>"'\`)\\]}]*)?`,
      "giu",
    ),
  ],
  ["account", /(?<![\p{L}\p{N}])[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?![\p{L}\p{N}])/gu],
];

export function leadsIn(text: string): readonly Lead[] {
  const leads: Lead[] = [];
  for (const [kind, shape] of shapes) {
    for (const match of text.matchAll(shape)) {
      const found = match[0].replace(/[.,;:!?]+$/, "");
      const span = [match.index, match.index + found.length] as const;
      const isInside = leads.some(({ span: [from, to] }) => span[0] < to && from < span[1]);
      if (!isInside) leads.push({ kind, text: found, span });
    }
  }
  return leads.sort((a, b) => a.span[0] - b.span[0]);
}

/** A link as it is compared: scheme, case of the host, `www.` and a last slash mean nothing; the host is in its ASCII form. */
export function linkText(text: string): string {
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`);
  if (url === null) return text.toLowerCase();
  const rest = `${url.pathname}${url.search}${url.hash}`.replace(/\/$/, "");
  const user = url.username === "" ? "" : `${url.username}@`;
  return `${user}${url.host.replace(/^www\./, "")}${rest}`;
}

/** Whether a link leads to this machine and to no other. */
export function leadsHere(text: string): boolean {
  const { hostname = "" } = URL.parse(text) ?? {};
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}

export function isLink(text: string): boolean {
  return /^(?:[a-z][a-z0-9+.-]*:\/\/|www\.)\S+$/i.test(text.trim());
}
