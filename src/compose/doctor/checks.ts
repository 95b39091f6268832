import { checkDatabase } from "./check-database.ts";
import { checkDisk } from "./check-disk.ts";
import { checkGates } from "./check-gates.ts";
import { checkGit } from "./check-git.ts";
import { checkHooks } from "./check-hooks.ts";
import { checkNode } from "./check-node.ts";
import { checkBubblewrap, checkLandlock, checkOverlay, checkUserNamespaces } from "./check-sandbox.ts";
import { checkSchemas } from "./check-schemas.ts";
import { checkSqlite } from "./check-sqlite.ts";
import { checkTrust } from "./check-trust.ts";
import { checkTurns } from "./check-turns.ts";
import type { DoctorCheck } from "./check-up.ts";
import { checkConfig, checkSigningKey, checkWorkspace } from "./check-workspace.ts";

/** The whole check-up, in the order in which a person reads it: the machine, then the sandbox, then the workspace. */
export const doctorChecks: readonly DoctorCheck[] = [
  checkNode,
  checkSqlite,
  checkDisk,
  checkSchemas,
  checkGit,
  checkBubblewrap,
  checkUserNamespaces,
  checkOverlay,
  checkLandlock,
  checkTurns,
  checkGates,
  checkWorkspace,
  checkConfig,
  checkHooks,
  checkTrust,
  checkDatabase,
  checkSigningKey,
];
