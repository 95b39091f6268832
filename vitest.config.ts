import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Looks at what its process has loaded, so it needs one of its own. */
const particular = "src/effects/tools/registry.test.ts";
/**
 * They measure processes, browsers and sandboxes, or need nothing of Writ: each file in a process of its own. Loading Writ for one takes two
 * seconds of processor time, so what only starts and kills processes shares one.
 */
const alone = [
  "test/{house,simulation,turns}/**/*.test.ts",
  "test/recovery/postgres-*.test.ts",
  "test/studio/{studio,hostile-text}.test.ts",
  particular,
];

// A name of our own: packages that ship a condition called "source" would be resolved to their TypeScript.
const resolve = { conditions: ["writ-source"] };

/** The long ones first, so that the short ones fill both cores to the end; and a process is kept only for a file of the same kind. */
class AloneFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const [first, then] = [true, false].map((isFirst) =>
      sorted.filter(({ project }) => (project.name === "alone") === isFirst),
    );
    return [...(first ?? []), ...(then ?? [])];
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: AloneFirst },
    // Vitest leaves one core to itself; on two cores that would double the time. One more than there are: a quarter of the time nothing
    // but leases, servers and browsers is waited for.
    maxWorkers: 3,
    globalSetup: [
      "test/support/build-packages.ts",
      "test/support/user-folder.ts",
      "test/support/postgres/shared-server.ts",
    ],
    reporters: ["default", "./scripts/count-reporter.mjs"],
    projects: [
      {
        // Loading Writ again for each of these files once took longer than their tests (94 s of 106 s of processor time for 65 files).
        extends: true,
        resolve,
        ssr: { resolve },
        test: {
          name: "together",
          isolate: false,
          include: [
            "src/**/*.test.ts",
            "studio/src/**/*.test.tsx",
            "test/**/*.test.ts",
            "bench/*.test.ts",
            "examples/**/*.test.ts",
          ],
          exclude: alone,
          ...common(),
        },
      },
      { extends: true, resolve, ssr: { resolve }, test: { name: "alone", include: alone, ...common() } },
    ],
  },
});

function common() {
  return {
    testTimeout: 180_000,
    hookTimeout: 300_000,
    // Against hanging only: how soon something comes is never what a poll asks.
    expect: { poll: { timeout: 60_000, interval: 20 } },
    pool: "forks" as const,
    setupFiles: ["test/support/fixed-seed.ts"],
  };
}
