import type { ProviderScriptV1, SchemaRegistry } from "#core/contracts";
import { domainError } from "#core/errors";
import { compilePattern, err, ok, type Pattern, type Result } from "#core/values";

export type Respond = ProviderScriptV1["rules"][number]["respond"];

/** One rule, its pattern compiled. An absent condition holds. */
export interface Rule {
  readonly role: string | undefined;
  readonly call: number | undefined;
  readonly skill: string | undefined;
  readonly persona: string | undefined;
  readonly prompt: Pattern | undefined;
  readonly respond: Respond;
}

/** Checks a script (already parsed from YAML) and compiles its patterns; `source` names it in messages. */
export function readScript(document: unknown, source: string, schemas: SchemaRegistry): Result<readonly Rule[]> {
  const checked = schemas.validate("provider_script_v1", document);
  if (!checked.ok) return err({ ...checked.error, message: `${source}: ${checked.error.message}` });
  const rules: Rule[] = [];
  for (const [index, { when, respond }] of checked.value.rules.entries()) {
    const prompt = when?.prompt === undefined ? undefined : compilePattern(when.prompt);
    if (prompt && !prompt.ok)
      return err(
        domainError("CONFIG_INVALID", `${source}: rule ${index + 1}: ${prompt.error.message}`, {
          details: { source, rule: index + 1 },
        }),
      );
    const { role, call, skill, persona } = when ?? {};
    rules.push({ role, call, skill, persona, prompt: prompt?.value, respond });
  }
  return ok(rules);
}
