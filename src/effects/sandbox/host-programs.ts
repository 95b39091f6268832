import { accessSync, constants, realpathSync } from "node:fs";
import { domainError } from "#core/errors";
import { err, ok, type Result } from "#core/values";

/** The programs that build a sandbox, by absolute path. */
export interface SandboxTools {
  /** Undefined where Writ's own perl program replaces it. */
  readonly bwrap: string | undefined;
  readonly unshare: string;
  readonly mount: string;
  readonly setpriv: string;
  readonly sh: string;
  /** Makes the device that an overlay takes for "not there". */
  readonly mknod: string;
  /** Makes id-mapped mounts, where Writ is root and the workspace is root's own. */
  readonly perl: string | undefined;
}

// Never from PATH: a caller that sets it could substitute a sandbox of its own.
const folders = ["/usr/bin", "/bin", "/usr/sbin", "/sbin", "/usr/local/bin"];

export function findTools(overrides: Partial<SandboxTools> = {}): Result<SandboxTools> {
  const found: Record<string, string> = {};
  const perl = "perl" in overrides ? overrides.perl : findProgram("perl");
  for (const name of ["bwrap", "unshare", "mount", "setpriv", "sh", "mknod"] as const) {
    const path = name in overrides ? overrides[name] : findProgram(name);
    if (path === undefined || !isExecutable(path)) {
      if (name === "bwrap" && path === undefined && perl !== undefined) continue;
      const from = name === "bwrap" ? "bubblewrap" : name === "mknod" ? "coreutils" : "util-linux";
      const install = `install the package ${from}`;
      return err(
        domainError(
          "SANDBOX_UNAVAILABLE",
          `the sandbox needs the program ${name}, and there is none here; ${install}`,
          {
            details: { missing: name },
          },
        ),
      );
    }
    found[name] = path;
  }
  return ok({ ...(found as unknown as Omit<SandboxTools, "perl" | "bwrap">), bwrap: found["bwrap"], perl });
}

function findProgram(name: string): string | undefined {
  return folders.map((folder) => `${folder}/${name}`).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(realpathSync(path), constants.X_OK);
    return true;
  } catch {
    return false; // absent or not executable: the same result
  }
}
