import { isAbsolute, join } from "node:path";
import { type DomainError, domainError } from "#core/errors";
import type { ProgramRights, Programs } from "#core/machine";
import { err, type Files, ok, type Result } from "#core/values";
import { secretEnvironment } from "./secret-environment.ts";

/** Where one secret comes from; exactly one of the three. */
export interface SecretSource {
  readonly env?: string;
  readonly file?: string;
  readonly command?: readonly string[];
  readonly rights?: ProgramRights;
}

export interface SecretPorts {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly files: Files;
  /** Starts programs that print secrets; without it they are not started. */
  readonly programs?: Programs | undefined;
  /** The workspace: files are relative to it, commands start in it. */
  readonly root: string;
}

/** Resolves references: a program that prints a secret may need another one. */
interface ReadingPorts extends SecretPorts {
  readonly fill: (text: string) => Promise<Result<string>>;
}

const maxBytes = 64 * 1024;
const commandTimeoutMs = 30_000;
/** A shorter value cannot be kept out of the records without tearing holes into ordinary words. */
const shortest = 3;

/** The value of a secret. A failure names the secret and where it was looked for, never what was found there. */
export async function readSecret(
  name: string,
  source: SecretSource | undefined,
  ports: ReadingPorts,
): Promise<Result<string>> {
  const read = await lookUp(name, source ?? { env: name }, ports);
  if (read instanceof NotStarted) return err(read.error);
  if (typeof read === "string") {
    const value = read.replace(/[\r\n]+$/, "");
    if (value.length >= shortest) return ok(value);
    return missing(name, source, value === "" ? "it is empty" : `its value is shorter than ${shortest} characters`);
  }
  return missing(name, source, read.problem);
}

type Found = string | { readonly problem: string };

/** A program that was refused is no missing secret: the reason and the way out are the refusal's own. */
class NotStarted {
  readonly error: DomainError;
  constructor(error: DomainError) {
    this.error = error;
  }
}

async function lookUp(
  name: string,
  source: SecretSource,
  { env, files, programs, root, fill }: ReadingPorts,
): Promise<Found | NotStarted> {
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
  if (programs === undefined) return { problem: `this command does not start the program ${program}` };
  const { rights = {} } = source;
  const where = `secrets.${name}`;
  if (rights.secrets?.includes(name)) return { problem: `the program ${program} would need the secret that it prints` };
  const admitted = await programs.admit({ where, words: [program, ...args], rights });
  if (!admitted.ok) return new NotStarted(admitted.error);
  const variables = await secretEnvironment(rights, fill);
  if (!variables.ok) return new NotStarted(variables.error);
  const ran = await admitted.value.run({
    command: [program, ...args],
    env: variables.value,
    stdin: "",
    timeoutMs: commandTimeoutMs,
    maxOutputBytes: maxBytes,
  });
  if (!ran.ok)
    return ran.error.code === "NOT_FOUND"
      ? { problem: `the program ${program} did not start` }
      : new NotStarted(ran.error);
  if (ran.value.tier !== "T1" && ran.value.end.kind === "exited" && [126, 127].includes(ran.value.end.code))
    return { problem: `the program ${program} did not start` };
  const { end, stdout } = ran.value;
  if (end.kind !== "exited") return { problem: `the program ${program} was ended (${end.kind})` };
  if (end.code === 0) return stdout;
  const hint =
    ran.value.tier === "T1"
      ? ""
      : `; it runs in a sandbox: \`rights: { read: […], hosts: […], secrets: […] }\` under ${where} grant it more`;
  return { problem: `the program ${program} ended with status ${end.code}${hint}` };
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
