import { statSync } from "node:fs";
import { tmpdir } from "node:os";
import { withScratchFolder } from "#core/machine";
import { type DoctorCheck, doctorCheck } from "#core/shapes";
import { systemRandom } from "#core/values";
import { createTurnSandbox } from "../sandbox/turn-sandbox.ts";

/** The sandbox as turns will use it tries to escape from itself; what it says is compared with what is seen from outside. */
export const checkTurns: DoctorCheck = doctorCheck<"refused" | "ids" | "no bubblewrap">({
  id: "sandbox.self_test",
  title: "Sandbox: escapes tried",
  run: ({ root, clock }) =>
    withScratchFolder(tmpdir(), async (folder) => {
      // In the workspace itself, where there is one: its owner and its file system decide what can be had.
      const sandbox = createTurnSandbox({ root: root ?? folder, clock, random: systemRandom, minimumTier: "T2" });
      try {
        const ready = await sandbox.ready();
        const probes = await sandbox.probes();
        if (!ready.ok)
          return {
            health: "limited",
            found: ready.error.message,
            why: "turns are refused: no command of an agent runs without a sandbox that holds",
            cause: "refused",
          };
        const { tier, backend, layers, runs_as } = ready.value.isolation;
        const held = `${backend}, tier ${tier}, ${probes.length} attempts held; ${layers.join(", ")}; turns run as ${whom(runs_as, root)}; ${quotaOf(layers)}`;
        if (tier === "T3")
          return {
            health: "works",
            found: `${held}. Not covered: ${layers.includes("landlock") ? "" : "Landlock as a second layer (it needs perl and a kernel that has it); "}a flaw of the kernel; secrets in files whose names do not say so; what is said to a host that a package may reach`,
          };
        return {
          health: "limited",
          found: held,
          why: `${backend === "bubblewrap" ? "turns in a workspace of root need ids that root does not have" : "without bubblewrap a stand-in of our own builds the sandbox"}; turns are refused unless writ.yaml says sandbox.minimum_tier: T2`,
          cause: backend === "bubblewrap" ? "ids" : "no bubblewrap",
        };
      } finally {
        await sandbox.close();
      }
    }),
  remedy: (cause) =>
    ({
      refused: "apt-get install bubblewrap, then look at the parts above",
      ids: "chown -R USER the workspace, or install perl for id-mapped mounts",
      "no bubblewrap": "apt-get install bubblewrap",
    })[cause],
});

function quotaOf(layers: readonly string[]): string {
  return layers.includes("layer_quota")
    ? "quota of a layer: blocks of a file system of its own, refused by the kernel"
    : "quota of a layer: watched, a turn that wrote too much is ended a moment later";
}

function whom(kind: string | undefined, root: string | undefined): string {
  const owner = root === undefined ? "its owner" : `uid ${statSync(root).uid}`;
  if (kind === "shifted") return "an id that nobody has";
  return kind === "mapped" ? "root's id without capabilities" : owner;
}
