import { compilePattern, isJsonObject, ok, type Result } from "#core/values";
import { type SettingsDocument, typeOf } from "./settings-document.ts";

/** Where a hook of type http sends what it is asked about. */
export interface HttpTarget {
  readonly url: string;
  /** `$NAME` stands for a variable that `allowedEnvVars` lists. */
  readonly headers: Readonly<Record<string, string>>;
  readonly allowedEnvVars: readonly string[];
}

/** What the settings of all files together let hooks of type http do; absent: everything. */
export interface HttpLimits {
  readonly urls?: readonly string[];
  readonly env?: readonly string[];
}

export function readHttpTarget(
  document: SettingsDocument,
  at: string,
  { url, headers = {}, allowedEnvVars = [] }: Readonly<Record<string, unknown>>,
): Result<HttpTarget> {
  const address = typeof url === "string" && URL.canParse(url) ? new URL(url) : undefined;
  if (typeof url !== "string" || !address || !/^https?:$/.test(address.protocol))
    return document.refuse(
      `${at}.url`,
      `is ${typeOf(url)}, expected an address such as "https://policy.example.org/hook"`,
    );
  if (address.username !== "" || address.password !== "")
    return document.refuse(
      `${at}.url`,
      "holds a password: put it into headers, as a variable that allowedEnvVars lists",
    );
  if (!isJsonObject(headers) || !Object.values(headers).every((value) => typeof value === "string"))
    return document.refuse(`${at}.headers`, `is ${typeOf(headers)}, expected an object of texts`);
  if (!Array.isArray(allowedEnvVars) || !allowedEnvVars.every((name) => typeof name === "string"))
    return document.refuse(`${at}.allowedEnvVars`, `is ${typeOf(allowedEnvVars)}, expected a list of names`);
  return ok({ url, headers: headers as HttpTarget["headers"], allowedEnvVars });
}

/** Lists count together; one file that has the key limits the hooks of all. */
export function httpLimitsOf(documents: readonly SettingsDocument[]): Result<HttpLimits> {
  const urls = listed(documents, "allowedHttpHookUrls");
  const env = listed(documents, "httpHookAllowedEnvVars");
  if (!urls.ok) return urls;
  if (!env.ok) return env;
  return ok({ ...(urls.value ? { urls: urls.value } : {}), ...(env.value ? { env: env.value } : {}) });
}

function listed(documents: readonly SettingsDocument[], key: string): Result<readonly string[] | undefined> {
  const lists: string[] = [];
  let isLimited = false;
  for (const document of documents) {
    const value = document.value[key];
    if (value === undefined) continue;
    if (!Array.isArray(value) || !value.every((each) => typeof each === "string"))
      return document.refuse(`$.${key}`, `is ${typeOf(value)}, expected a list of texts`);
    isLimited = true;
    lists.push(...(value as readonly string[]));
  }
  return ok(isLimited ? lists : undefined);
}

/** The target within what the settings let it do, or why it is not asked. */
export function withinLimits(target: HttpTarget, { urls, env }: HttpLimits): HttpTarget | { readonly unable: string } {
  if (urls && !urls.some((pattern) => fits(pattern, target.url)))
    return { unable: `allowedHttpHookUrls does not let it reach ${target.url}` };
  return env ? { ...target, allowedEnvVars: target.allowedEnvVars.filter((name) => env.includes(name)) } : target;
}

/** `*` stands for anything. Names of hosts are compared without case, and without the dot at their end. */
function fits(pattern: string, url: string): boolean {
  const source = plainHost(pattern)
    .replaceAll(/[.+?^${}()|[\]\\]/g, "\\$&")
    .replaceAll("*", ".*");
  const compiled = compilePattern(`\\A(?s:${source})\\z`);
  return compiled.ok && compiled.value.test(plainHost(url));
}

function plainHost(address: string): string {
  return address.replace(/^([a-z]+:\/\/)([^/:?#]*)/i, (_, scheme: string, host: string) =>
    `${scheme}${host.replace(/\.$/, "")}`.toLowerCase(),
  );
}
