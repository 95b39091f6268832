import type { DoctorCheck } from "#core/shapes";
import { checkHooks } from "./check-hooks.ts";
import { checkMemory } from "./check-memory.ts";
import { checkPackages } from "./check-packages.ts";
import { checkTrust } from "./check-trust.ts";
import { checkUnshown } from "./check-unshown.ts";

export const governanceChecks: readonly DoctorCheck[] = [
  checkPackages,
  checkHooks,
  checkTrust,
  checkUnshown,
  checkMemory,
];
