import type { Programs } from "#core/machine";
import { ok, type Result } from "#core/values";
import type { PayloadRedactor } from "#log";
import { type WorkspaceParts, workspaceKey } from "#workspace";
import { type SecretSurroundings, type WorkspaceSecrets, workspaceSecrets } from "./trust/workspace-secrets.ts";

export interface SecretParts {
  readonly secrets: WorkspaceSecrets;
  readonly redactor: PayloadRedactor;
  readonly redact: <T>(value: T) => T;
  /** The key of keyed hashes. */
  readonly key: string;
}

/** The secrets of a workspace that its user trusts: an untrusted one is refused here, before anything of it runs. */
export async function openSecrets({
  root,
  env,
  clock,
  programs,
  config,
  onNotice,
}: WorkspaceParts & Pick<SecretSurroundings, "onNotice"> & { readonly programs: Programs }): Promise<
  Result<SecretParts>
> {
  const secrets = await workspaceSecrets(config, { root, env, clock, programs, onNotice });
  if (!secrets.ok) return secrets;
  const key = await workspaceKey(root, config);
  if (!key.ok) return key;
  const { redactor } = secrets.value;
  return ok({
    secrets: secrets.value,
    redactor,
    redact: (value) => redactor.redactJson(value).value,
    key: key.value,
  });
}
