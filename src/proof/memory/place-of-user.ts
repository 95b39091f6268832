import { realpath } from "node:fs/promises";
import { type UserEnvironment, userFolders } from "./user-folders.ts";

export interface WorkspaceOfUser {
  /** The workspace. */
  readonly root: string;
  /** Says where the user's own folder is. */
  readonly env: UserEnvironment;
}

/** The workspace without links, and the user's own folder, which does not lie in it. */
export async function placeOfUser({
  root,
  env,
}: WorkspaceOfUser): Promise<{ readonly root: string; readonly folder: string | undefined }> {
  const real = await realpath(root);
  return { root: real, folder: userFolders(env).find((each) => !`${each}/`.startsWith(`${real}/`)) };
}
