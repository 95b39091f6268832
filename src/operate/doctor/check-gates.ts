import { tmpdir } from "node:os";
import { type DoctorCheck, doctorCheck } from "#core/shapes";
import { systemRandom } from "#core/values";
import { canaries } from "../canaries/canaries.ts";
import { proveShut } from "../canaries/prove-shut.ts";

/** Gates are tried, not believed. The sandbox has a check of its own, so it is left out here. */
export const checkGates: DoctorCheck = doctorCheck({
  id: "gates.canaries",
  title: "Gates: canaries",
  run: async ({ root, clock }) => {
    const all = canaries({ root: root ?? tmpdir(), clock, random: systemRandom, minimumTier: "T3" });
    const reports = await proveShut(all.filter(({ id }) => id !== "sandbox.leaks"));
    const open = reports.filter(({ held }) => !held);
    if (open.length === 0)
      return { health: "works", found: `${reports.length} held: ${reports.map(({ title }) => title).join("; ")}` };
    return {
      health: "broken",
      found: open.map(({ title, detail }) => `${title}: ${detail}`).join("; "),
      why: "a gate that must be shut let something through: servers refuse to start",
      cause: "open",
    };
  },
  // A gate that lets something through is a fault of Writ: there is no step that a user could take.
  remedy: () => null,
});
