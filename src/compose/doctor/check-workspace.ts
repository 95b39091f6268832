import { stat } from "node:fs/promises";
import { join } from "node:path";
import { readConfig } from "../config/load-config.ts";
import { selectProfile } from "../config/select-profile.ts";
import { findSigningFiles } from "../workspace/signing-files.ts";
import { workspaceFolders } from "../workspace/templates.ts";
import type { DoctorCheck, Finding } from "./check-up.ts";

const noWorkspace: Finding = {
  health: "limited",
  found: "none here",
  why: "commands that need a workspace exit with 2",
  mend: "writ init",
};

export const checkWorkspace: DoctorCheck = {
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
          mend: "writ init (it adds what is missing and changes nothing else)",
        };
  },
};

export const checkConfig: DoctorCheck = {
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
        mend: "mend writ.yaml at that line",
      };
    const profile = selectProfile(effective.value.config);
    if (!profile.ok)
      return { health: "broken", found: profile.error.message, mend: "choose another profile in writ.yaml" };
    const { name, provider, model } = profile.value;
    return { health: "works", found: `profile ${name}: provider ${provider}${model ? `, model ${model}` : ""}` };
  },
};

export const checkSigningKey: DoctorCheck = {
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
            mend: `chmod 600 ${file}`,
          };
    } catch {
      return {
        health: "broken",
        found: `${file} is missing`,
        why: "sessions cannot be anchored",
        mend: "writ init makes a new one; earlier anchors then need the old public key",
      };
    }
  },
};
