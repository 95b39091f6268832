import { chmodSync, chownSync, lstatSync, mkdirSync, writeFileSync } from "node:fs";
import { domainError } from "#core/errors";
import { err, ok, type Result } from "#core/values";
import { gateEnvironment, type Network } from "../sandbox/network-gate/network.ts";
import { searchPath } from "../sandbox/root-view.ts";
import type { FileView } from "./layer/file-view.ts";
import type { TurnCall } from "./turn.ts";

/** Where a turn of a session puts its scratch and its outputs, relative to the workspace. */
export interface TurnFolders {
  readonly scratch: string;
  readonly output: string;
}

export function turnFolders(sessionId: string): TurnFolders {
  return { scratch: `tmp/${sessionId}`, output: `output/${sessionId}` };
}

/** Everything that a turn's environment holds. Nothing of Writ's own environment is in it. */
export function turnEnvironment(
  root: string,
  { recorder: { session_id: sessionId }, scratchFiles = [] }: Pick<TurnCall, "recorder" | "scratchFiles">,
  network: Network,
): Readonly<Record<string, string>> {
  const folders = turnFolders(sessionId);
  const scratch = `${root}/${folders.scratch}`;
  return {
    PATH: searchPath,
    HOME: scratch,
    LANG: "C.UTF-8",
    TMPDIR: scratch,
    TEMP: scratch,
    TMP: scratch,
    PYTHONDONTWRITEBYTECODE: "1",
    WRIT_SESSION_ID: sessionId,
    WRIT_OUTPUT_DIR: `${root}/${folders.output}`,
    WRIT_TMP_DIR: scratch,
    ...Object.fromEntries(scratchFiles.map(({ name, variable }) => [variable, `${scratch}/${name}`])),
    ...(network === "hosts" ? gateEnvironment() : {}),
  };
}

/** Makes the turn's folders in its layer, so that they are there without having been written. Answers their paths. */
export function giveFolders(
  view: FileView,
  upper: string,
  sessionId: string,
  owner: { readonly uid: number; readonly gid: number } | null,
): Result<readonly string[]> {
  const given: string[] = [];
  for (const path of Object.values(turnFolders(sessionId))) {
    const parts = path.split("/");
    for (let length = 1; length <= parts.length; length++) {
      const folder = parts.slice(0, length).join("/");
      const before = lstatSync(view.at(folder), { throwIfNoEntry: false });
      if (before !== undefined && !before.isDirectory())
        return err(
          domainError("CONFIG_INVALID", `${folder} must be a folder of the workspace; it is a file or a link`, {
            details: { path: folder },
          }),
        );
      if (given.includes(folder)) continue;
      mkdirSync(`${upper}/${folder}`);
      chmodSync(`${upper}/${folder}`, before ? before.mode & 0o7777 : 0o755);
      if (owner) chownSync(`${upper}/${folder}`, owner.uid, owner.gid);
      given.push(folder);
    }
  }
  return ok(given);
}

/** Writes the files that a turn is given into the scratch of its layer. */
export function giveScratchFiles(
  upper: string,
  { recorder: { session_id }, scratchFiles = [] }: Pick<TurnCall, "recorder" | "scratchFiles">,
  owner: { readonly uid: number; readonly gid: number } | null,
): void {
  for (const { name, text } of scratchFiles) {
    const file = `${upper}/${turnFolders(session_id).scratch}/${name}`;
    writeFileSync(file, text, { mode: 0o644 });
    if (owner) chownSync(file, owner.uid, owner.gid);
  }
}
