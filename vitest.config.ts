import { defineConfig } from "vitest/config";

// A name of our own: packages that ship a condition called "source" would be resolved to their TypeScript.
export default defineConfig({
  resolve: { conditions: ["writ-source"] },
  ssr: { resolve: { conditions: ["writ-source"] } },
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts", "bench/*.test.ts", "examples/**/*.test.ts"],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    pool: "forks",
    // Vitest leaves one core to itself; on two cores that would double the time.
    maxWorkers: 2,
    setupFiles: ["test/support/fixed-seed.ts"],
    globalSetup: ["test/support/build-packages.ts", "test/support/postgres/shared-server.ts"],
    reporters: ["default", "./scripts/count-reporter.mjs"],
  },
});
