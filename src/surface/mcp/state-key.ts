import { hkdfSync } from "node:crypto";
import { ok, type Result } from "#core/values";
import { type WritConfig, workspaceKey } from "#workspace";

export interface StateKeyParts {
  readonly root: string;
  readonly config: Pick<WritConfig, "signing">;
}

/**
 * Signs what travels through a client from one round of a request to the next. Derived from the workspace's key: the round
 * after may reach a server that was started since, or another one of the same workspace.
 */
export async function stateKey({ root, config }: StateKeyParts): Promise<Result<Uint8Array>> {
  const key = await workspaceKey(root, config);
  return key.ok ? ok(new Uint8Array(hkdfSync("sha256", key.value, "", "writ mcp request state", 32))) : key;
}
