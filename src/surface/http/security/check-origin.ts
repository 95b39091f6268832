import { type DomainError, domainError } from "#core/errors";
import { isLoopback } from "#core/routes";

export interface Addressed {
  readonly host: string | undefined;
  readonly origin: string | undefined;
  readonly fetchSite: string | undefined;
}

/**
 * Against DNS rebinding and foreign pages: a browser that was led here under another name says so in `Host`, and a page
 * of another origin in `Origin` or `Sec-Fetch-Site`. Programs send neither of the latter two.
 */
export function checkOrigin(asked: Addressed, allowedHosts: ReadonlySet<string>): DomainError | undefined {
  const host = asked.host?.toLowerCase();
  if (host === undefined || !allowedHosts.has(host))
    return domainError("MISDIRECTED", `this server does not answer to the name ${JSON.stringify(asked.host ?? "")}`, {
      details: { hint: "name it in server.allowed_hosts of writ.yaml" },
    });
  if (asked.origin !== undefined && asked.origin !== `http://${host}` && asked.origin !== `https://${host}`)
    return foreign(asked.origin);
  if (asked.fetchSite !== undefined && asked.fetchSite !== "same-origin" && asked.fetchSite !== "none")
    return foreign(`a ${asked.fetchSite} page`);
  return undefined;
}

function foreign(whence: string): DomainError {
  return domainError("NOT_AUTHORIZED", `requests of other origins are refused, and this one comes from ${whence}`);
}

/** The names under which a server at this address may be asked for. */
export function hostsOf(host: string, port: number, more: readonly string[]): ReadonlySet<string> {
  const names = isLoopback(host) ? ["localhost", "127.0.0.1", "[::1]"] : [host.includes(":") ? `[${host}]` : host];
  const hosts = new Set(more.map((name) => name.toLowerCase()));
  for (const name of names) {
    hosts.add(`${name.toLowerCase()}:${port}`);
    if (port === 80) hosts.add(name.toLowerCase());
  }
  return hosts;
}
