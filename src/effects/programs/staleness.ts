import { existsSync } from "node:fs";
import { join } from "node:path";
import { agentWrites } from "#core/machine";
import type { Visibility } from "../sandbox/hide-unseen.ts";
import type { LiveView } from "./live-visibility.ts";

interface StartedProgram {
  readonly root: string;
  /** What it writes itself lies here. */
  readonly upper: string;
  /** What agents had written when it was started. */
  readonly written: ReadonlySet<string>;
  readonly live: LiveView;
  readonly rights: Visibility;
}

/**
 * A program that goes on running sees the files that come into the workspace meanwhile: only what was there could be left out of
 * its view. Tells whether agents wrote something since that it would not be shown, so that it is started anew before it is asked
 * again. Costs a look at one file as long as nothing was written.
 */
export function staleness({ root, upper, written, live, rights }: StartedProgram): () => boolean {
  const concerns = (path: string) => rights.isVisible(path) && !live.isOpen(path);
  // What an agent wrote and took away again could not be left out either.
  const absent = [...written].filter((path) => concerns(path) && !existsSync(join(root, path)));
  let looked = written;
  let isStale = false;
  return () => {
    const now = agentWrites(root);
    if (now !== looked) {
      looked = now;
      isStale ||= [...now].some((path) => !written.has(path) && concerns(path) && !existsSync(join(upper, path)));
      isStale ||= [...written].some((path) => !now.has(path) && concerns(path)); // a person agreed to it
    }
    return isStale || absent.some((path) => existsSync(join(root, path)));
  };
}
