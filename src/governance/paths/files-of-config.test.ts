import { expect, test } from "vitest";
import { configDefaults } from "../../workspace/config/defaults.ts";
import { filesOfConfig } from "./files-of-config.ts";

const root = "/somewhere/workspace";
const named = filesOfConfig(
  {
    ...configDefaults,
    script: "rules/answers.yaml",
    profiles: { recorded: { replay: "tapes/day.jsonl" } },
    context_files: ["docs/house-rules.md"],
    secrets: { TOKEN: { file: "private/token" }, OTHER: { env: "OTHER" } },
    mcp: {
      ...configDefaults.mcp,
      servers: {
        files: { command: "node", args: ["servers/files.mjs", "--verbose"] },
        own: { command: `${root}/bin/own` },
      },
    },
    store: "sqlite:state/store.db",
  },
  root,
);

test.each([
  "rules/answers.yaml",
  "Rules/ANSWERS.yaml",
  "tapes/day.jsonl",
  "docs/house-rules.md",
  "private/token",
  "servers/files.mjs",
  "bin/own",
  "state/store.db",
])("%s is named by the configuration, and nobody writes it", (path) => {
  expect(named.whyProtected(path)).toMatch(/writ\.yaml names it/);
});

test("secrets are not read either; what nobody names is the rights' to decide", () => {
  expect(named.whyUnreadable("private/token")).toBeDefined();
  expect(named.whyUnreadable("rules/answers.yaml")).toBeUndefined();
  for (const path of ["rules/other.yaml", "node", "docs/a.md"]) expect(named.whyProtected(path)).toBeUndefined();
});
