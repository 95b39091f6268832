import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { lstat, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { codeOfError } from "#core/errors";
import { createFile, makeFolders } from "#core/machine";
import { configDefaults } from "../config/defaults.ts";

/** Relative to the workspace, under `planes/`, which no turn can write or read. */
export const signingKeyFiles: { readonly private_key: string; readonly public_key: string } = configDefaults.signing;

/**
 * Makes the workspace's Ed25519 key where there is none, the private part readable by its owner only.
 * A private key without its public part (a crash in between) gets it back. Answers the files that it made.
 */
export async function ensureSigningKey(root: string): Promise<readonly string[]> {
  const privateFile = join(root, signingKeyFiles.private_key);
  const publicFile = join(root, signingKeyFiles.public_key);
  await makeFolders(dirname(privateFile), 0o700);
  const made: string[] = [];
  const { privateKey } = generateKeyPairSync("ed25519");
  if (!(await exists(privateFile)) && (await createFile(privateFile, pem(privateKey, "pkcs8"), 0o600)))
    made.push(signingKeyFiles.private_key);
  // Read back: when two processes make the key at once, both publish the one that won.
  if (!(await exists(publicFile))) {
    const kept = createPrivateKey(await readFile(privateFile, "utf8"));
    if (await createFile(publicFile, pem(createPublicKey(kept), "spki"))) made.push(signingKeyFiles.public_key);
  }
  return made;
}

function pem(key: KeyObject, type: "pkcs8" | "spki"): string {
  return key.export({ type, format: "pem" }) as string;
}

async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (thrown) {
    if (codeOfError(thrown) === "ENOENT") return false;
    throw thrown;
  }
}
