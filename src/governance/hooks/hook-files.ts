import type { WritConfig } from "#workspace";
import { hookPoints } from "./hook-points.ts";

/** A file of the workspace that a hook of writ.yaml needs: its module, or the program that its command starts. */
export interface HookFile {
  readonly file: string;
  readonly isProgram: boolean;
}

/** Every such file; a command that starts a program of the machine needs none. */
export function hookFiles(config: WritConfig["hooks"]): readonly HookFile[] {
  const hooks = hookPoints.flatMap((point) => (config[point] ?? []).flatMap((group) => group.hooks));
  return hooks.flatMap(({ command, module }: { readonly command?: string; readonly module?: string }) => {
    const program = command === undefined ? undefined : /^[\w.-]*\/[\w./-]+(?=\s|$)/.exec(command)?.[0];
    const file = module ?? program;
    return file === undefined ? [] : [{ file, isProgram: module === undefined }];
  });
}
