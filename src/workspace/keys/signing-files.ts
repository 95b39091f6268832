import { join } from "node:path";
import { nodeFiles } from "#core/machine";
import { type Environment, loadConfig } from "../config/load-config.ts";
import type { WritConfig } from "../config/writ-config.ts";
import type { KeyPair } from "./replace-key-pair.ts";
import { signingKeyFiles } from "./signing-key.ts";

/** Where the workspace's key lies by its configuration. */
export function signingFilesOf(root: string, config: Pick<WritConfig, "signing"> | undefined): KeyPair {
  const { private_key, public_key } = config?.signing ?? signingKeyFiles;
  return { private: join(root, private_key), public: join(root, public_key) };
}

/** The same for a caller without the configuration: reads it. One that cannot be read leaves the key in its default place. */
export async function findSigningFiles(root: string, env: Environment): Promise<KeyPair> {
  const config = await loadConfig(root, nodeFiles, env);
  return signingFilesOf(root, config.ok ? config.value : undefined);
}
