import type { DoctorCheck } from "#core/shapes";
import { sandboxChecks } from "./check-sandbox.ts";
import { checkTurns } from "./check-turns.ts";
import { checkValues } from "./check-values.ts";

export const effectsChecks: readonly DoctorCheck[] = [...sandboxChecks, checkTurns, checkValues];
