import { shippedRegistry } from "#core/contracts";
import { type DoctorCheck, doctorCheck } from "#core/shapes";
import { systemRandom } from "#core/values";
import { shippedHome, workspaceHome } from "../packages/homes.ts";
import { describeRecovered, verifyPackages } from "../packages/verify-packages.ts";

const lockWaitMs = 5000;

/** Whether every installed file is as its package brought it. An install whose process died is finished here, and named. */
export const checkPackages: DoctorCheck = doctorCheck<"changed" | "unreadable">({
  id: "packages",
  title: "Packages",
  async run({ root, clock }) {
    const homes = [...(root === undefined ? [] : [workspaceHome(root)]), shippedHome];
    const verified = await verifyPackages({
      homes,
      schemas: shippedRegistry(),
      clock,
      random: systemRandom,
      lockWaitMs,
      repair: false,
    });
    if (!verified.ok) return { health: "broken", found: verified.error.message, why: null, cause: "unreadable" };
    const { packages, findings, recovered } = verified.value;
    const named = recovered.map((each) => `${describeRecovered(each)}; `).join("");
    const [first, ...more] = findings;
    if (!first) return { health: "works", found: `${named}${packages} packages, every file as it was installed` };
    return {
      health: "broken",
      found: `${named}${first.message}${more.length > 0 ? `, and ${more.length} more` : ""}`,
      why: "a gate is shut, so flows are refused",
      cause: "changed",
    };
  },
  remedy: (cause) => (cause === "changed" ? "writ pkg verify --repair" : "mend what it names"),
});
