import { BlockList, isIP } from "node:net";
import { domainError } from "#core/errors";
import { err, ok, type Result } from "#core/values";

/** One host that a package may reach. Without a port: those of https and http. */
export interface HostRule {
  readonly host: string;
  readonly ports: readonly number[];
}

export type Admission =
  | { readonly allowed: true; readonly host: string; readonly port: number }
  | { readonly allowed: false; readonly why: string };

const usualPorts = [443, 80];
const hostName = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/;

/** Reads the package's list: `host`, `host:port`, an address, `[address]:port`. Names are compared exactly; patterns are refused. */
export function readHostRules(hosts: readonly string[]): Result<readonly HostRule[]> {
  const rules: HostRule[] = [];
  for (const words of hosts) {
    const found = splitHost(words.toLowerCase());
    if (found === undefined)
      return err(
        domainError(
          "CAPABILITY_VIOLATION",
          `the package names ${JSON.stringify(words)} as a host; write a name or an address, with a port if it is neither 443 nor 80, or "*" for every host`,
          { details: { host: words } },
        ),
      );
    rules.push({ host: found.host, ports: found.port === undefined ? usualPorts : [found.port] });
  }
  return ok(rules);
}

/**
 * Whether the host that a program asks for is one of the rules. Compared byte by byte: a dot at the end, a number that some
 * resolver takes for an address, an escape or a user name before an @ are different bytes, so they are refused.
 */
export function admitHost(asked: string, rules: readonly HostRule[]): Admission {
  const found = splitHost(asked.toLowerCase());
  if (found?.port === undefined) return { allowed: false, why: "it is no host with a port" };
  const { host, port } = found;
  const named = rules.filter((rule) => rule.host === host);
  if (named.length === 0) return { allowed: false, why: "the package does not name this host" };
  if (!named.some((rule) => rule.ports.includes(port)))
    return { allowed: false, why: `the package names this host, but not its port ${port}` };
  return { allowed: true, host, port };
}

function splitHost(text: string): { readonly host: string; readonly port: number | undefined } | undefined {
  const parts = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9.-]+))(?::([1-9][0-9]{0,4}))?$/.exec(text);
  if (parts === null) return isIP(text) === 6 ? { host: text, port: undefined } : undefined;
  const [, address, name, digits] = parts;
  const port = digits === undefined ? undefined : Number(digits);
  if (port !== undefined && port > 65_535) return undefined;
  if (address !== undefined) return isIP(address) === 6 ? { host: address, port } : undefined;
  const host = name ?? "";
  // Some resolvers read a last label of digits as an address (127.1, 0x7f000001, 2130706433): only a complete address passes.
  if (/^(0x[0-9a-f]*|[0-9]+)$/.test(host.split(".").at(-1) ?? "")) return isIP(host) === 4 ? { host, port } : undefined;
  return hostName.test(host) ? { host, port } : undefined;
}

const inside = new BlockList();
for (const [network, prefix] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
] as const)
  inside.addSubnet(network, prefix, "ipv4");
for (const [network, prefix] of [
  ["::", 96], // unspecified, loopback, and IPv4-compatible addresses
  ["64:ff9b::", 96],
  ["100::", 64],
  ["2002::", 16],
  ["fc00::", 7],
  ["fe80::", 10],
  ["ff00::", 8],
] as const)
  inside.addSubnet(network, prefix, "ipv6");

/** Whether an address is not public: loopback, link-local, private, multicast or reserved. */
export function isInside(address: string): boolean {
  const mapped = /^::ffff:(?:0:)?([0-9.]+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return isInside(mapped);
  const version = isIP(address);
  if (version === 0 || /^::ffff:/i.test(address)) return true;
  return inside.check(address, version === 6 ? "ipv6" : "ipv4");
}
