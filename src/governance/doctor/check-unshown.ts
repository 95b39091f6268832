import { type DoctorCheck, doctorCheck } from "#core/shapes";
import { loadConfig } from "#workspace";
import { unshownFiles } from "../trust/unshown-files.ts";

/** What agents wrote, and programs of the workspace that may read there are not shown. */
export const checkUnshown: DoctorCheck = doctorCheck<"config" | "unreadable" | "unshown">({
  id: "programs.unshown",
  title: "Programs: what agents wrote",
  async run({ root, env, files, clock }) {
    if (root === undefined) return { health: "works", found: "no workspace, so no programs" };
    const config = await loadConfig(root, files, env);
    if (!config.ok)
      return {
        health: "limited",
        found: "not looked at: the configuration cannot be read",
        why: null,
        cause: "config",
      };
    const unshown = await unshownFiles({ root, config: config.value, env, files, clock });
    if (!unshown.ok) return { health: "broken", found: unshown.error.message, why: null, cause: "unreadable" };
    if (unshown.value.length === 0)
      return { health: "works", found: "no program is kept from anything that it may read" };
    return {
      health: "limited",
      found: unshown.value.join("; "),
      why: "they read less than their rights cover, until a person says that they run nothing of it",
      cause: "unshown",
    };
  },
  remedy: (cause) =>
    ({ config: null, unreadable: "mend what it names", unshown: "add the lines, then writ trust" })[cause],
});
