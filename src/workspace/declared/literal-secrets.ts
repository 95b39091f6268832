import { isJsonObject, type JsonObject, type JsonValue } from "#core/values";
import { growingRedactor } from "#log";

/** A secret that stands in the declaration of a server as it is, where a reference belongs. */
export interface LiteralSecret {
  /** Where it stands: `--token`, `env.API_KEY`, `headers.authorization`. */
  readonly where: string;
  readonly value: string;
}

/** The text in place of such a value, in the marker of the log, so that a record of it stays as it is. */
const mask = "[REDACTED:secret]";

/** A shorter value would tear holes into ordinary words if it was kept out of every record. */
const shortest = 6;

/**
 * How a server is reached with every secret that is written out taken out: what is recorded, stored and shown of it. A secret
 * that changes is no other server, as with a reference.
 */
export function withoutLiteralSecrets(launch: JsonObject): {
  readonly launch: JsonObject;
  readonly found: readonly LiteralSecret[];
} {
  const found: LiteralSecret[] = [];
  const clean: Record<string, JsonValue> = {};
  for (const [field, value] of Object.entries(launch)) {
    if (field === "args" && Array.isArray(value)) clean[field] = maskedArguments(value, found);
    else if (isJsonObject(value)) clean[field] = maskedFields(field, value, found);
    else clean[field] = typeof value === "string" ? maskedByShape(field, value, found) : value;
  }
  return { launch: clean, found: found.filter(({ value }) => value.length >= shortest) };
}

/** `--token=VALUE` and `--token VALUE`; any other argument is a secret where its shape says so. */
function maskedArguments(args: readonly JsonValue[], found: LiteralSecret[]): JsonValue[] {
  return args.map((argument, at) => {
    if (typeof argument !== "string") return argument;
    const option = /^(-{1,2}[\w.-]+)=(.*)$/s.exec(argument);
    if (option) {
      const [, name = "", value = ""] = option;
      return `${name}=${maskedNamed(name, value, { where: name, found })}`;
    }
    const before = args[at - 1];
    if (typeof before === "string" && /^-{1,2}[\w.-]+$/.test(before) && !argument.startsWith("-"))
      return maskedNamed(before, argument, { where: before, found });
    return maskedByShape("args", argument, found);
  });
}

function maskedFields(field: string, record: JsonObject, found: LiteralSecret[]): JsonObject {
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => [
      name,
      typeof value === "string" ? maskedNamed(name, value, { where: `${field}.${name}`, found }) : value,
    ]),
  );
}

function maskedNamed(
  name: string,
  value: string,
  { where, found }: { readonly where: string; readonly found: LiteralSecret[] },
): string {
  if (!isNameOfSecret(name) || !isLiteral(value)) return maskedByShape(where, value, found);
  // The scheme of a header is no part of its secret.
  const [, scheme = "", secret = value] = /^(Bearer |Basic |Token )?(.*)$/is.exec(value) ?? [];
  found.push({ where, value: secret });
  return `${scheme}${mask}`;
}

let shapes: ReturnType<typeof growingRedactor> | undefined;

/** Keys of vendors, connection strings and whatever else the log redacts by itself. */
function maskedByShape(where: string, value: string, found: LiteralSecret[]): string {
  shapes ??= growingRedactor([]); // one for all servers: it compiles every finder
  if (!shapes.ok) return mask;
  const { text, hits } = shapes.value.redactText(value);
  if (hits.length > 0) found.push({ where, value });
  return text;
}

const secretName =
  /(?:^|_)(?:token|secret|password|passwd|passphrase|pat|credentials?|authorization|cookie|apikey|(?:api|access|auth|private|client|account|secret|signing|service|master|license)_key)$/;

/** Words of a name, however they are joined: `--api-key`, `apiKey`, `X-API-Key`, `GITHUB_PERSONAL_ACCESS_TOKEN`. */
function isNameOfSecret(name: string): boolean {
  const words = name
    .replace(/^-+/, "")
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replace(/[-.]/g, "_")
    .toLowerCase();
  return secretName.test(words);
}

/** No reference, no switch, no number and no path of a file that holds it. */
function isLiteral(value: string): boolean {
  if (value.length < 3 || value.includes("${")) return false;
  if (/^(?:true|false|none|null|yes|no|on|off|\d{1,7})$/i.test(value)) return false;
  return !/^(?:\.{1,2}\/|~\/|\/[\w.-]+\/)[\w./-]*$/.test(value);
}
