import { join } from "node:path";
import type { Sha256 } from "#core/values";
import { firstLink } from "#log";
import { loadSigningKey } from "#proof";
import { signingKeyFiles } from "#workspace";

/**
 * The id of the private key that lies in the workspace itself, in its usual place: a configuration or a link that leads
 * to the key of another workspace proves nothing about this one.
 */
export function ownKeyOf(root: string): Sha256 | undefined {
  const file = join(root, signingKeyFiles.private_key);
  if (firstLink(root, file) !== undefined) return undefined;
  const key = loadSigningKey(file);
  return key.ok ? key.value.key_id : undefined;
}
