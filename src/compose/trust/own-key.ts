import { lstatSync } from "node:fs";
import type { Sha256 } from "#base";
import { loadSigningKey } from "#events";
import { signingKeyFiles } from "../workspace/signing-key.ts";

/**
 * The id of the private key that lies in the workspace itself, in its usual place: a configuration or a link that leads
 * to the key of another workspace proves nothing about this one.
 */
export function ownKeyOf(root: string): Sha256 | undefined {
  let path = root;
  for (const part of signingKeyFiles.private_key.split("/")) {
    path = `${path}/${part}`;
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (!found || found.isSymbolicLink()) return undefined;
  }
  const key = loadSigningKey(path);
  return key.ok ? key.value.key_id : undefined;
}
