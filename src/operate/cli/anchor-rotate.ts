import { type Command, type Opens, text } from "#core/commands";
import { ok, type Result } from "#core/values";
import type { recordRotation } from "../init/rotate-signing-key.ts";

interface RotateParts {
  readonly workspace: Opens<{ readonly root: string }>;
  readonly askingForTrust: <T>(open: () => Promise<Result<T>>) => Promise<Result<T>>;
  readonly runtime: Opens<Parameters<typeof recordRotation>[0]>;
}

interface RotateOptions {
  readonly reason: string;
}

/** Everything else must be stopped: a process that outlives the change cannot anchor any more, and says so. */
export const anchorRotate: Command<"choice", RotateParts, RotateOptions> = {
  name: "rotate",
  summary: "a new signing key; the old one names it, and what it signed still counts. Stop everything else first",
  needs: "choice",
  json: "key_id, next_key_id and tree_size of the rotation",
  arguments: [],
  options: { reason: text("text", "why, for the record", "changed by hand") },
  examples: ['writ anchor rotate --reason "yearly"'],
  exits: null,
  run: (opens, { options: { reason }, context }) =>
    opens.workspace(async ({ root }) => {
      const { recordRotation, rotateSigningKey } = await import("../init/rotate-signing-key.ts");
      const { clock, random, env, version } = context;
      const rotated = await opens.askingForTrust(() => rotateSigningKey({ root, clock, random, env, version }));
      if (!rotated.ok) return rotated;
      return opens.runtime(async (runtime) => {
        const recorded = await recordRotation(runtime, rotated.value, reason);
        if (!recorded.ok) return recorded;
        const { key_id, next_key_id, tree_size } = rotated.value;
        return ok({
          json: rotated.value,
          text: (screen) =>
            `${screen.green(screen.sign.ok)} the key ${next_key_id.slice(0, 16)} signs from here on; ${key_id.slice(0, 16)} counts for the ${tree_size} heads before\n\nnext: writ anchor checkpoint, and keep it elsewhere\n`,
        });
      });
    }),
};
