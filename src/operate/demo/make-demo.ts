import { mkdir, readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { domainError, messageOf } from "#core/errors";
import { createFile } from "#core/machine";
import { err, ok, type Result } from "#core/values";
import { configFileName, type Environment } from "#workspace";
import { initWorkspace } from "../init/init-workspace.ts";
import { demoFiles } from "./demo-files.ts";

const ownFolder = "writ-demo";

/** Makes a workspace with something to look at: here if the folder is empty or is such a workspace, else in a folder of its own. */
export async function makeDemo(cwd: string, env: Environment): Promise<Result<string>> {
  try {
    const there = await readdir(cwd);
    const root = there.length === 0 || there.includes(configFileName) ? cwd : join(cwd, ownFolder);
    await mkdir(root, { recursive: true });
    const isNew = !(await readdir(root)).includes(configFileName);
    const { [configFileName]: config = "", ...rest } = demoFiles;
    if (isNew)
      for (const [path, content] of Object.entries(rest)) {
        await mkdir(dirname(join(root, path)), { recursive: true });
        await createFile(join(root, path), content);
      }
    // What is there stays: init completes the workspace around it.
    const made = await initWorkspace(root, { env, config });
    return made.ok ? ok(root) : made;
  } catch (thrown) {
    return err(
      domainError("MALFORMED_INPUT", `no demo can be made in ${cwd}: ${messageOf(thrown)}`, { cause: thrown }),
    );
  }
}
