import { err, ok, type Result } from "#core/values";
import { createRedactor, type Redactor } from "./redactor.ts";

type Patterns = NonNullable<NonNullable<Parameters<typeof createRedactor>[0]>["patterns"]>;

/** The redactor of a workspace. A secret that is registered later is kept out of every record from then on. */
export interface GrowingRedactor extends Redactor {
  register(value: string): Result<void>;
}

export function growingRedactor(patterns: Patterns): Result<GrowingRedactor> {
  const made = createRedactor({ patterns });
  if (!made.ok) return made;
  const secrets = new Set<string>();
  let current = made.value;
  return ok({
    redactText: (text) => current.redactText(text),
    redactJson: (value) => current.redactJson(value),
    sealJson: (value, seal) => current.sealJson(value, seal),
    secretsIn: (text) => current.secretsIn(text),
    resemblances: (text) => current.resemblances(text),
    writeOrdinary: (value, memory) => current.writeOrdinary(value, memory),
    stream: () => current.stream(),
    register(value) {
      if (secrets.has(value)) return ok(undefined);
      secrets.add(value);
      const grown = createRedactor({ patterns, secrets: [...secrets] });
      if (!grown.ok) return err(grown.error);
      current = grown.value;
      return ok(undefined);
    },
  });
}
