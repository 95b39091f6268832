import { isAbsolute, join } from "node:path";
import { domainError } from "#core/errors";
import { err, type Files, ok, type Processes, type Result } from "#core/values";

/** Where one secret comes from; exactly one of the three. */
export interface SecretSource {
  readonly env?: string;
  readonly file?: string;
  readonly command?: readonly string[];
}

export interface SecretPorts {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly files: Files;
  readonly processes: Processes;
  /** The workspace: files are relative to it, commands start in it. */
  readonly root: string;
}

const maxBytes = 64 * 1024;
const commandTimeoutMs = 30_000;
/** A shorter value cannot be kept out of the records without tearing holes into ordinary words. */
const shortest = 3;

/** The value of a secret. A failure names the secret and where it was looked for, never what was found there. */
export async function readSecret(
  name: string,
  source: SecretSource | undefined,
  ports: SecretPorts,
): Promise<Result<string>> {
  const read = await lookUp(source ?? { env: name }, ports);
  if (typeof read !== "object") {
    const value = read.replace(/[\r\n]+$/, "");
    if (value.length >= shortest) return ok(value);
    return missing(name, source, value === "" ? "it is empty" : `its value is shorter than ${shortest} characters`);
  }
  return missing(name, source, read.problem);
}

type Found = string | { readonly problem: string };

async function lookUp(source: SecretSource, { env, files, processes, root }: SecretPorts): Promise<Found> {
  if (source.env !== undefined)
    return (
      (Object.hasOwn(env, source.env) ? env[source.env] : undefined) ?? {
        problem: `the environment variable ${source.env} is not set`,
      }
    );
  if (source.file !== undefined) {
    const text = await files.readText(isAbsolute(source.file) ? source.file : join(root, source.file), { maxBytes });
    return text.ok ? text.value : { problem: `the file ${source.file} cannot be read (${text.error.code})` };
  }
  const [program, ...args] = source.command ?? [];
  if (program === undefined) return { problem: "it has no source" };
  const ran = await processes.run({
    command: [program, ...args],
    cwd: root,
    env: Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined)),
    timeoutMs: commandTimeoutMs,
    maxOutputBytes: maxBytes,
  });
  if (!ran.ok) return { problem: `the program ${program} did not start` };
  const { end, stdout } = ran.value;
  if (end.kind !== "exited") return { problem: `the program ${program} was ended (${end.kind})` };
  return end.code === 0 ? stdout : { problem: `the program ${program} ended with status ${end.code}` };
}

function missing(name: string, source: SecretSource | undefined, problem: string): Result<never> {
  const declared = source
    ? `as \`secrets.${name}\` of writ.yaml says`
    : `because \`secrets\` of writ.yaml does not name it`;
  const place = source?.file ?? source?.command?.[0] ?? `the environment variable ${source?.env ?? name}`;
  return err(
    domainError(
      "SECRET_NOT_FOUND",
      `there is no secret ${name}: ${problem}; it was looked for in ${place}, ${declared}`,
      {
        details: {
          secret: name,
          hint: source ? "put it there" : `export ${name}=… or add \`secrets: { ${name}: { file: … } }\``,
        },
      },
    ),
  );
}
