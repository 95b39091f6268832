import { stat } from "node:fs/promises";
import { join } from "node:path";
import { type DoctorCheck, doctorCheck, type Observation } from "#core/shapes";
import { readConfig } from "../config/load-config.ts";
import { selectProfile } from "../config/select-profile.ts";
import { findSigningFiles } from "../keys/signing-files.ts";
import { workspaceFolders } from "../templates.ts";

const noWorkspace: Observation<"no workspace"> = {
  health: "limited",
  found: "none here",
  why: "commands that need a workspace exit with 2",
  cause: "no workspace",
};

export const checkWorkspace: DoctorCheck = doctorCheck<"no workspace" | "lacks folders">({
  id: "workspace",
  title: "Workspace",
  run: async ({ root, files }) => {
    if (root === undefined) return noWorkspace;
    const missing: string[] = [];
    for (const folder of workspaceFolders) {
      const found = await files.stat(join(root, folder));
      if (!found.ok || found.value === undefined) missing.push(folder);
    }
    return missing.length === 0
      ? { health: "works", found: root }
      : {
          health: "limited",
          found: `${root} lacks ${missing.join(", ")}`,
          why: null,
          cause: "lacks folders",
        };
  },
  remedy: (cause) =>
    cause === "lacks folders" ? "writ init (it adds what is missing and changes nothing else)" : "writ init",
});

export const checkConfig: DoctorCheck = doctorCheck<"no workspace" | "unreadable" | "no profile">({
  id: "config",
  title: "Configuration",
  run: async ({ root, files, env }) => {
    if (root === undefined) return noWorkspace;
    const effective = await readConfig(root, files, env);
    if (!effective.ok)
      return {
        health: "broken",
        found: effective.error.message,
        why: "no command runs in this workspace",
        cause: "unreadable",
      };
    const profile = selectProfile(effective.value.config);
    if (!profile.ok) return { health: "broken", found: profile.error.message, why: null, cause: "no profile" };
    const { name, provider, model } = profile.value;
    return { health: "works", found: `profile ${name}: provider ${provider}${model ? `, model ${model}` : ""}` };
  },
  remedy: (cause) =>
    ({
      "no workspace": "writ init",
      unreadable: "mend writ.yaml at that line",
      "no profile": "choose another profile in writ.yaml",
    })[cause],
});

export const checkSigningKey: DoctorCheck = doctorCheck<"no workspace" | "missing" | { readonly isOpen: string }>({
  id: "signing_key",
  title: "Signing key",
  run: async ({ root, env }) => {
    if (root === undefined) return noWorkspace;
    const { private: file } = await findSigningFiles(root, env);
    try {
      const open = (await stat(file)).mode & 0o077;
      return open === 0 || process.platform === "win32"
        ? { health: "works", found: "there, and readable by its owner only" }
        : {
            health: "broken",
            found: `${file} can be read by others`,
            why: "whoever reads it can forge anchors",
            cause: { isOpen: file },
          };
    } catch {
      return {
        health: "broken",
        found: `${file} is missing`,
        why: "sessions cannot be anchored",
        cause: "missing",
      };
    }
  },
  remedy: (cause) => {
    if (typeof cause === "object") return `chmod 600 ${cause.isOpen}`;
    return cause === "missing"
      ? "writ init makes a new one; earlier anchors then need the old public key"
      : "writ init";
  },
});
