import { join } from "node:path";
import type { Files } from "#core/values";
import type { SecretSource } from "../secrets/read-secret.ts";
import { secretsNamedIn } from "../secrets/references.ts";
import { configDefaults } from "./defaults.ts";
import { configFileName, loadConfig } from "./load-config.ts";
import type { WritConfig } from "./writ-config.ts";

/**
 * All that the commands which stop, refuse and prove read of a configuration: where the store and the keys are, and what the
 * person at this machine is called. None of it can refuse them anything.
 */
export interface ControlSettings {
  readonly store: string;
  /** Where the secrets are found that the address of the store refers to. */
  readonly secrets: Readonly<Record<string, SecretSource>>;
  /** Relative to the workspace. */
  readonly private_key: string;
  readonly public_key: string;
  readonly local_caller: string | null;
}

const maxBytes = 1024 * 1024;

/** The settings of a file that may be broken anywhere: a whole one is read as it is, of another one the line of its store. */
export async function readControlSettings(root: string, files: Files): Promise<ControlSettings> {
  const config = await loadConfig(root, files);
  if (config.ok) return controlSettingsOf(config.value);
  const text = await files.readText(join(root, configFileName), { maxBytes });
  const store = text.ok ? /^["']?store["']?:[ \t]+["']?([^\s"'#]+)/m.exec(text.value)?.[1] : undefined;
  return controlSettingsOf({ ...configDefaults, ...(store === undefined ? {} : { store }) });
}

export function controlSettingsOf({ store, secrets, signing, identity }: WritConfig): ControlSettings {
  const { private_key, public_key } = signing;
  const named = secretsNamedIn(store).flatMap((name) =>
    Object.hasOwn(secrets, name) ? [[name, secrets[name] as SecretSource] as const] : [],
  );
  return {
    store,
    secrets: Object.fromEntries(named),
    private_key,
    public_key,
    local_caller: identity.local_caller,
  };
}
