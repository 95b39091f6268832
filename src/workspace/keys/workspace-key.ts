import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { codeOfError, domainError, messageOf } from "#core/errors";
import { err, ok, type Result, sha256 } from "#core/values";
import type { WritConfig } from "../config/writ-config.ts";

/** Derived from the signing key, so that a prompt cannot be guessed from its hash without that key. */
export async function workspaceKey(root: string, config: Pick<WritConfig, "signing">): Promise<Result<string>> {
  const { private_key } = config.signing;
  try {
    return ok(sha256(`writ keyed hashes\n${await readFile(join(root, private_key), "utf8")}`));
  } catch (thrown) {
    return err(
      domainError("CONFIG_INVALID", `the workspace's signing key ${private_key} cannot be read: ${messageOf(thrown)}`, {
        details: { hint: remedyOf(codeOfError(thrown)) },
        cause: thrown,
      }),
    );
  }
}

/** `writ init` never overwrites: it helps only where there is nothing. */
export function remedyOf(code: string | undefined): string {
  if (code === "ENOENT") return "writ init makes one";
  if (code === "EACCES" || code === "EPERM")
    return "it is its owner's alone: act as the user who made the workspace, or make one of your own with `writ init DIR`";
  return "`signing.private_key` in writ.yaml names it: put the key that signed the anchors there, from your backup";
}
