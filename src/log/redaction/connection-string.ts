import { classOf, lower, upper } from "./characters.ts";
import type { Finder } from "./finder.ts";
import { isPlaceholder } from "./placeholder.ts";
import type { Span } from "./span.ts";

const kind = "connection-string";
const databases =
  /(?:postgres|postgresql|mysql|mariadb|mongodb|mongodb\+srv|redis|rediss|amqp|amqps|mssql|sqlserver|oracle|clickhouse|cockroachdb|couchdb|ldap|ldaps|nats|smtp|smtps|ftp|sftp|jdbc:[a-z]+)$/i;

/** `scheme://user:password@host`: the password is redacted, the rest stays readable. */
function inAuthority(anchor: string): Finder {
  return {
    anchor,
    find: (text, at, scan): Span | undefined => {
      const start = at + anchor.length;
      if ((classOf(text.charCodeAt(at - 1)) & (upper | lower)) === 0) return undefined;
      if (at < scan.noAuthorityBefore) return undefined;
      const end = wordEnd(text, start);
      const run = text.slice(start, end);
      if (!run.includes("@")) {
        scan.noAuthorityBefore = end;
        return undefined;
      }
      const isDatabase = databases.test(text.slice(Math.max(0, at - 24), at));
      const authority = isDatabase ? beforeQuery(run) : (/^[^/?#]*/.exec(run)?.[0] ?? "");
      const host = authority.lastIndexOf("@");
      const colon = authority.indexOf(":");
      if (host >= 0 && colon < 0 && isTokenAlone(authority.slice(0, host))) return { start, end: start + host, kind };
      if (host < 0 || colon < 0 || colon >= host - 1) return undefined;
      const password = authority.slice(colon + 1, host);
      if (isPlaceholder(password)) return undefined;
      return { start: start + colon + 1, end: start + host, kind };
    },
  };
}

/** A password may contain a question mark: then the last `@` is after it. */
function beforeQuery(run: string): string {
  const [before = ""] = run.split("?", 1);
  return before.includes("@") ? before : run;
}

/** `https://TOKEN@host`: a token, because no user name looks like this. */
function isTokenAlone(user: string): boolean {
  return /^[A-Za-z0-9_-]{24,128}$/.test(user) && /[0-9].*[0-9].*[0-9]/.test(user) && /[A-Za-z]/.test(user);
}

/** `Server=…;Password=…;`, `host=… password=…`, `?user=…&password=…`: only beside the other parts of such a string. */
function inParameters(anchor: string): Finder {
  return {
    anchor,
    find: (text, at): Span | undefined => {
      // In JSON a line break before it is a backslash and a letter.
      if (at > 0 && !/(?:[;&?\s"']|\\[nrt])$/.test(text.slice(Math.max(0, at - 2), at))) return undefined;
      const start = at + anchor.length;
      const value =
        /^ ?(?:'[^']{0,256}'|"[^";]{0,256}"|[^;&\s"'\\<>,]{1,256})/.exec(text.slice(start, start + 260))?.[0] ?? "";
      if (value.length < 3 || isPlaceholder(value.trim())) return undefined;
      const around =
        text.slice(Math.max(0, at - 200), at) + text.slice(start + value.length, start + value.length + 200);
      if (
        !/(?:^|[;&?\s"']|\\[nrt])(?:server|data source|host|hostname|user id|user|uid|dbname|database|initial catalog)\s?=/i.test(
          around,
        )
      )
        return undefined;
      return { start, end: start + value.length, kind };
    },
  };
}

/** Up to a blank, a quote or an angle bracket; no address is longer than this. */
function wordEnd(text: string, start: number): number {
  const limit = Math.min(text.length, start + 2048);
  for (let at = start; at < limit; at++) {
    const code = text.charCodeAt(at);
    if (
      code <= 0x20 ||
      code === 0x22 ||
      code === 0x27 ||
      code === 0x3c ||
      code === 0x3e ||
      code === 0x5c ||
      code === 0x60
    )
      return at;
  }
  return limit;
}

export const connectionStringFinders: readonly Finder[] = [
  inAuthority("://"),
  inAuthority(":\\/\\/"),
  ...["password=", "password =", "pwd=", "pwd ="].map(inParameters),
];
