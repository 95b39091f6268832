import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { codeThatRuns } from "#governance/mandate";
import { releaseQuarantined } from "../../src/effects/turns/quarantine/release.ts";
import { type TurnWorkspace, turnWorkspace } from "../support/turn-workspace.ts";

let workspace: TurnWorkspace;
beforeAll(() => {
  workspace = turnWorkspace({ sandbox: { pool: 1 } });
});
afterAll(() => workspace.close());

/** What Writ itself would obey, the first time it is there. Not even a person's release lands it. */
const law = [
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
  ["npm's configuration", ".npmrc"],
  ["an environment", ".env"],
] as const;

/** What git, npm, a shell or another agent would run or obey. Released only where a person names it as that. */
const code = [
  ["a hook", "hooks/evil.sh"],
  ["a git hook", "sub/.git/hooks/pre-commit"],
  ["git's configuration", ".git/config"],
  ["a package script", "sub/package.json"],
  ["a binary of npm's", "node_modules/.bin/tsc"],
  ["project context", "AGENTS.md"],
  ["a servers' list", ".mcp.json"],
] as const;

/** Tries to write the path as a declared file, as part of a declared folder and undeclared; answers where the last one waits. */
async function plant(path: string): Promise<string> {
  const script = `mkdir -p "$(dirname '${path}')"; echo planted >'${path}'`;
  const asFile = await workspace.run({ sh: script, outputs: [path] });
  expect(asFile.error?.code).toBe("CAPABILITY_VIOLATION");
  const [top = ""] = path.split("/");
  const asFolder = await workspace.run({ sh: script, outputs: [top === path ? path : `${top}/`] });
  expect(["CAPABILITY_VIOLATION", "UNDECLARED_WRITE"]).toContain(asFolder.error?.code);
  const unsaid = await workspace.run({ sh: script });
  expect(unsaid.error?.code).toBe("UNDECLARED_WRITE");
  expect(existsSync(join(workspace.root, path))).toBe(false);
  return unsaid.evidence.quarantine_id ?? "";
}

const release = (turnId: string, ...allowCode: readonly string[]) =>
  releaseQuarantined(workspace.deps, { turnId, by: "ada", recorder: workspace.recorder, allowCode });

describe("what a turn plants is never there for the next session to read as policy or code", () => {
  test.each(law)("%s (%s)", async (_, path) => {
    const released = await release(await plant(path), path, "**");
    expect(!released.ok && released.error.code).toBe("CAPABILITY_VIOLATION");
    expect(existsSync(join(workspace.root, path))).toBe(false);
  });

  test.each(code)("%s (%s), unless a person names it", async (_, path) => {
    const turn = await plant(path);
    const why = codeThatRuns(path)?.why ?? "nothing";
    const other = "elsewhere/package.json";
    for (const bare of [await release(turn), await release(turn, other)]) {
      expect(!bare.ok && bare.error.code).toBe("CAPABILITY_VIOLATION");
      expect(!bare.ok && bare.error.message).toContain(`${path} is code that runs (${why})`);
      expect(existsSync(join(workspace.root, path))).toBe(false);
    }
    expect((await release(turn, path)).ok).toBe(true);
    expect(existsSync(join(workspace.root, path))).toBe(true);
  });

  test("what the turn's own rights named as code is released like any other file", async () => {
    const capabilities = { read: ["**"], write: ["**", "named/Makefile"] };
    const script = "mkdir -p named; echo all: >named/Makefile; echo x >stray.txt";
    const turn = await workspace.run({ sh: script, outputs: ["named/Makefile"], capabilities });
    expect(turn.error?.code).toBe("UNDECLARED_WRITE");
    expect((await release(turn.evidence.quarantine_id ?? "")).ok).toBe(true);
    expect(existsSync(join(workspace.root, "named/Makefile"))).toBe(true);
  });
});
