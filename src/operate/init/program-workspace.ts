import { join } from "node:path";
import { stringify } from "yaml";
import type { WritConfigV1 } from "#core/contracts";
import { domainError, messageOf } from "#core/errors";
import { nodeFiles, replaceFile } from "#core/machine";
import { err, ok, type Result } from "#core/values";
import { configFileName, type Environment, loadConfig } from "#workspace";
import { initWorkspace } from "./init-workspace.ts";

const marker =
  "# Written by the program that opens this workspace, from its openWorkspace({ config }). What is changed here is lost.\n";
const maxConfigBytes = 1024 * 1024;

/**
 * Makes a folder the workspace of a program that brings its configuration along, with its first use. The file says the same as
 * the program, so that `writ` at the command line verifies and shows under the law that held.
 */
export async function ensureProgramWorkspace(
  root: string,
  config: WritConfigV1,
  env: Environment,
): Promise<Result<void>> {
  const valid = await loadConfig(root, nodeFiles, env, config);
  if (!valid.ok) return valid;
  const file = join(root, configFileName);
  const text = `${marker}${stringify(config)}`;
  const there = await nodeFiles.readText(file, { maxBytes: maxConfigBytes });
  if (!there.ok && there.error.code !== "NOT_FOUND") return there;
  if (!there.ok) {
    const made = await initWorkspace(root, { env, config: text });
    return made.ok ? ok(undefined) : made;
  }
  if (!there.value.startsWith(marker)) return err(hasItsOwn(file));
  if (there.value === text) return ok(undefined);
  try {
    await replaceFile(file, text);
  } catch (thrown) {
    return err(notWritten(file, thrown));
  }
  return ok(undefined);
}

function notWritten(file: string, thrown: unknown) {
  return domainError(
    "CONFIG_INVALID",
    `the configuration of the program could not be written to ${file}: ${messageOf(thrown)}`,
    {
      details: { where: file, hint: "the program's user must be able to write there, and the disk needs room" },
      cause: thrown,
    },
  );
}

function hasItsOwn(file: string) {
  return domainError(
    "CONFIG_INVALID",
    `the workspace has a configuration of its own, ${file}, and the program hands one in`,
    {
      details: { where: file, hint: "open the folder alone, or give the program a folder of its own" },
    },
  );
}
