import type { DoctorCheck } from "#core/shapes";
import { checkSchemas } from "../../core/contracts/doctor/check-schemas.ts";
import { effectsChecks } from "../../effects/doctor/checks.ts";
import { governanceChecks } from "../../governance/doctor/checks.ts";
import { checkDatabase } from "../../operate/doctor/check-database.ts";
import { checkDisk } from "../../operate/doctor/check-disk.ts";
import { checkGates } from "../../operate/doctor/check-gates.ts";
import { checkGit } from "../../operate/doctor/check-git.ts";
import { checkLimits } from "../../operate/doctor/check-limits.ts";
import { checkNode } from "../../operate/doctor/check-node.ts";
import { checkClock } from "../../runs/doctor/check-clock.ts";
import { checkSqlite } from "../../workspace/doctor/check-sqlite.ts";
import { checkConfig, checkSigningKey, checkWorkspace } from "../../workspace/doctor/check-workspace.ts";

/** The whole check-up, in the order in which a person reads it: the machine, then the sandbox, then the workspace. */
export const doctorChecks: readonly DoctorCheck[] = [
  checkNode,
  checkSqlite,
  checkDisk,
  checkSchemas,
  checkGit,
  ...effectsChecks,
  checkGates,
  checkWorkspace,
  checkConfig,
  ...governanceChecks,
  checkDatabase,
  checkClock,
  checkLimits,
  checkSigningKey,
];
