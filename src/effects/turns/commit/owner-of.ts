import { statSync } from "node:fs";

/** Root writes for the workspace's owner, not for itself. */
export function ownerOf(root: string): { readonly uid: number; readonly gid: number } | null {
  if (process.getuid?.() !== 0) return null;
  const { uid, gid } = statSync(root);
  return { uid, gid };
}
