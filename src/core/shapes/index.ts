/** Shapes that main's tables list besides routes and commands: doctor checks, canaries. */
export type { Canary, CanaryReport, CanaryResult } from "./canary.ts";
export {
  type CheckedPart,
  type DoctorCheck,
  type DoctorSurroundings,
  doctorCheck,
  type Finding,
  type Observation,
} from "./check-up.ts";
