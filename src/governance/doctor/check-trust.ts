import { type DoctorCheck, doctorCheck } from "#core/shapes";
import { loadConfig } from "#workspace";
import { trustOfWorkspace } from "../trust/trust-of-workspace.ts";

/** Whether this user agreed to what the workspace would do. */
export const checkTrust: DoctorCheck = doctorCheck<"config" | "unreadable" | "unknown">({
  id: "trust",
  title: "Trust",
  async run({ root, env, files, clock }) {
    if (root === undefined) return { health: "works", found: "no workspace, so nothing to trust" };
    const config = await loadConfig(root, files, env);
    if (!config.ok)
      return {
        health: "limited",
        found: "not looked at: the configuration cannot be read",
        why: null,
        cause: "config",
      };
    const trust = await trustOfWorkspace({ root, config: config.value, env, files, clock });
    if (!trust.ok) return { health: "broken", found: trust.error.message, why: null, cause: "unreadable" };
    const { state, acts } = trust.value;
    switch (state) {
      case "nothing":
        return { health: "works", found: "the workspace starts no program of its own and reaches no address" };
      case "own":
        return { health: "works", found: "this user made the workspace" };
      case "agreed":
        return { health: "works", found: `this user agreed to what it does (${acts.length})` };
      case "unknown":
        return {
          health: "broken",
          found: `nobody here agreed to what the workspace would do (${acts.length})`,
          why: "its programs are not started, and no request runs",
          cause: "unknown",
        };
    }
  },
  remedy: (cause) => ({ config: null, unreadable: "mend what it names", unknown: "writ trust" })[cause],
});
