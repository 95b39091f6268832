import { type DomainError, domainError } from "#core/errors";
import { err, type Result, type Sha256 } from "#core/values";
import { placeOfUser, type WorkspaceOfUser } from "#proof";
import { ownKeyOf } from "./own-key.ts";
import { type TrustStore, trustStore } from "./trust-store.ts";

/**
 * Where this user's word about a workspace is kept. What lies in the workspace itself, where its own agents may be let
 * write, is no word of the user about it.
 */
export async function trustPlace({ root, env }: WorkspaceOfUser): Promise<{
  /** Without links. */
  readonly root: string;
  readonly store: TrustStore | undefined;
}> {
  const { root: real, folder } = await placeOfUser({ root, env });
  return { root: real, store: folder === undefined ? undefined : trustStore(folder) };
}

/** Whether this user made the workspace: the private key that lies in it is one that their `writ init` made. */
export async function isOwnWorkspace(workspace: WorkspaceOfUser): Promise<boolean> {
  const { root, store } = await trustPlace(workspace);
  const key = ownKeyOf(root);
  return key !== undefined && (await store?.knowsKey(key)) === true;
}

/** Says that this user made the workspace, by the key that lies in it or will. */
export async function rememberOwnWorkspace(
  workspace: WorkspaceOfUser,
  key: Sha256 | undefined = ownKeyOf(workspace.root),
): Promise<Result<void>> {
  const { root, store } = await trustPlace(workspace);
  return key !== undefined && store ? store.rememberKey(key, root) : err(noPlaceForTrust(root));
}

export function noPlaceForTrust(root: string): DomainError {
  return domainError(
    "STORE_UNAVAILABLE",
    `there is no place outside ${root} where trust in it could be kept; XDG_CONFIG_HOME may name one`,
  );
}
