import type { ProgramRights } from "#core/machine";
import { ok, type Result } from "#core/values";

/** The secrets that a program's rights name, as variables of its environment. */
export async function secretEnvironment(
  { secrets = [] }: ProgramRights,
  fill: ((text: string) => Promise<Result<string>>) | undefined,
): Promise<Result<Readonly<Record<string, string>>>> {
  const variables: Record<string, string> = {};
  for (const name of secrets) {
    const value = await fill?.(`\${secret:${name}}`);
    if (value && !value.ok) return value;
    if (value) variables[name] = value.value;
  }
  return ok(variables);
}
