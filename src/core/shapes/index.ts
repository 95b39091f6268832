/** Shapes that main lists besides routes and commands: doctor checks, canaries, what is opened and closed together. */
export type { Canary, CanaryReport, CanaryResult } from "./canary.ts";
export {
  type CheckedPart,
  type DoctorCheck,
  type DoctorSurroundings,
  doctorCheck,
  type Finding,
  type Observation,
} from "./check-up.ts";
export { type Opened, openOnStack } from "./open-on-stack.ts";
