import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { releaseQuarantined } from "../../src/effects/turns/quarantine/release.ts";
import { type TurnWorkspace, turnWorkspace } from "../support/turn-workspace.ts";

let workspace: TurnWorkspace;
beforeAll(() => {
  workspace = turnWorkspace({ sandbox: { pool: 1 } });
});
afterAll(() => workspace.close());

/** What Writ, git, npm or a shell would read as law or code, the first time it is there. */
const places = [
  ["a hook", "hooks/evil.sh"],
  ["a skill", "skills/evil/SKILL.md"],
  ["a skill for other agents", ".agents/skills/evil/SKILL.md"],
  ["settings of another agent", ".claude/settings.json"],
  ["a policy", "workflows/policies/evil.yaml"],
  ["a role prompt", "agents/lead.md"],
  ["a schema", "schemas/plan_v1.json"],
  ["a framework", "frameworks/FMWK-005/manifest.yaml"],
  ["a registry", "registries/frameworks_registry.csv"],
  ["the configuration", "writ.yaml"],
  ["another profile", "writ.local.yaml"],
  ["a package", "packages/PKG-EVIL/manifest.json"],
  ["a ledger", "planes/ho1/sessions/x/.events.jsonl"],
  ["a checkpoint", "planes/ho2/checkpoints/x/000000000001.json"],
  ["a git hook", "sub/.git/hooks/pre-commit"],
  ["git's configuration", ".git/config"],
  ["a package script", "sub/package.json"],
  ["a binary of npm's", "node_modules/.bin/tsc"],
  ["npm's configuration", ".npmrc"],
  ["project context", "AGENTS.md"],
  ["a servers' list", ".mcp.json"],
  ["an environment", ".env"],
] as const;

describe("what a turn plants is never there for the next session to read as policy or code", () => {
  test.each(places)("%s (%s)", async (_, path) => {
    const script = `mkdir -p "$(dirname '${path}')"; echo planted >'${path}'`;
    const asFile = await workspace.run({ sh: script, outputs: [path] });
    expect(asFile.error?.code).toBe("CAPABILITY_VIOLATION");
    const [top = ""] = path.split("/");
    const asFolder = await workspace.run({ sh: script, outputs: [top === path ? path : `${top}/`] });
    expect(["CAPABILITY_VIOLATION", "UNDECLARED_WRITE"]).toContain(asFolder.error?.code);
    const unsaid = await workspace.run({ sh: script });
    expect(unsaid.error?.code).toBe("UNDECLARED_WRITE");
    const turnId = unsaid.evidence.quarantine_id ?? "";
    const released = await releaseQuarantined(workspace.deps, { turnId, by: "ada", recorder: workspace.recorder });
    expect(!released.ok && released.error.code).toBe("CAPABILITY_VIOLATION");
    expect(existsSync(join(workspace.root, path))).toBe(false);
  });
});
