import { ok, type Result } from "#core/values";
import { readSecret, type SecretPorts, type SecretSource } from "./read-secret.ts";
import { fillReferences, secretsNamedIn } from "./references.ts";

/** Puts secrets where configuration refers to them, outside any model's sight. */
export interface Secrets {
  /** The text with every `${secret:NAME}` replaced by its value. */
  fill(text: string): Promise<Result<string>>;
}

export interface SecretsOptions {
  readonly sources: Readonly<Record<string, SecretSource>>;
  readonly ports: SecretPorts;
  /** Called with a value before anyone else has it, so that no record can hold it. */
  readonly register: (value: string) => Result<void>;
}

export function createSecrets({ sources, ports, register }: SecretsOptions): Secrets {
  // Read once per process: a program that asks a person, or a vault, is asked once.
  const reads = new Map<string, Promise<Result<string>>>();
  const read = (name: string): Promise<Result<string>> => {
    const known = reads.get(name);
    if (known) return known;
    const reading = (async () => {
      const source = Object.hasOwn(sources, name) ? sources[name] : undefined;
      const value = await readSecret(name, source, { ...ports, fill });
      if (!value.ok) {
        reads.delete(name); // what is missing now may be there later
        return value;
      }
      const registered = register(value.value);
      return registered.ok ? value : registered;
    })();
    reads.set(name, reading);
    return reading;
  };
  const fill: Secrets["fill"] = async (text) => {
    const values = new Map<string, string>();
    for (const name of secretsNamedIn(text)) {
      const value = await read(name);
      if (!value.ok) return value;
      values.set(name, value.value);
    }
    return ok(fillReferences(text, values));
  };
  return { fill };
}
