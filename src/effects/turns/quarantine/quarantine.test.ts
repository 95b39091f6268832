import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { domainError } from "#core/errors";
import { err } from "#core/values";
import { type TurnWorkspace, turnWorkspace } from "../../../../test/support/turn-workspace.ts";
import { nameFiles } from "../../../governance/paths/named-files.ts";
import { listQuarantine, showQuarantined } from "./quarantine.ts";
import { dropQuarantined, releaseQuarantined } from "./release.ts";

let workspace: TurnWorkspace;
beforeAll(() => {
  workspace = turnWorkspace();
});
afterAll(() => workspace.close());

const at = (path: string) => join(workspace.root, path);
const read = (path: string) => readFileSync(at(path), "utf8");

describe("quarantine", () => {
  const quarantine = () => workspace.deps.store.quarantine;

  test("what was refused can be looked at, released by a person, or dropped", async () => {
    const result = await workspace.run({
      sh: "echo wanted >wanted.txt; echo extra >extra.txt",
      outputs: ["wanted.txt"],
    });
    const turnId = result.evidence.quarantine_id ?? "";
    expect(listQuarantine(quarantine()).map((each) => each.turn_id)).toContain(turnId);
    const shown = showQuarantined(quarantine(), turnId);
    expect(shown.ok && shown.value).toMatchObject({ code: "UNDECLARED_WRITE", declared: ["wanted.txt"] });
    const released = await releaseQuarantined(workspace.deps, { turnId, by: "ada", recorder: workspace.recorder });
    expect(released.ok).toBe(true);
    expect(read("extra.txt")).toBe("extra\n");
    expect(showQuarantined(quarantine(), turnId).ok).toBe(false);
    expect(workspace.recorder.events.at(-1)).toMatchObject({
      type: "turn.quarantined",
      actor: "ada",
      payload: { action: "released", by: "ada" },
    });
  });

  test("a path that no turn may write is not released either", async () => {
    const result = await workspace.run({ sh: "mkdir -p skills; echo evil >skills/evil.sh", outputs: [] });
    const turnId = result.evidence.quarantine_id ?? "";
    const released = await releaseQuarantined(workspace.deps, { turnId, by: "ada", recorder: workspace.recorder });
    expect(!released.ok && released.error.code).toBe("CAPABILITY_VIOLATION");
    expect(existsSync(at("skills"))).toBe(false);
    const dropped = await dropQuarantined(workspace.deps, { turnId, by: "ada", recorder: workspace.recorder });
    expect(dropped.ok).toBe(true);
    expect(listQuarantine(quarantine()).map((each) => each.turn_id)).not.toContain(turnId);
  });

  test("what the workspace's own configuration names as law is not released either", async () => {
    const result = await workspace.run({ sh: "echo allow >house-rules.txt", outputs: [] });
    const turnId = result.evidence.quarantine_id ?? "";
    const named = nameFiles([{ path: "house-rules.txt", why: "writ.yaml names it as policy" }]);
    const deps = { ...workspace.deps, named };
    const released = await releaseQuarantined(deps, { turnId, by: "ada", recorder: workspace.recorder });
    expect(released).toMatchObject({ ok: false, error: { code: "CAPABILITY_VIOLATION" } });
    expect(existsSync(at("house-rules.txt"))).toBe(false);
    expect(showQuarantined(quarantine(), turnId).ok).toBe(true);
  });

  test("what cannot be recorded is not dropped: it would be gone without a trace", async () => {
    const result = await workspace.run({ sh: "echo x >stray.txt", outputs: [] });
    const turnId = result.evidence.quarantine_id ?? "";
    const full = err(domainError("LEDGER_UNAVAILABLE", "no space left on device"));
    const recorder = { ...workspace.recorder, append: () => Promise.resolve(full) };
    expect(await dropQuarantined(workspace.deps, { turnId, by: "ada", recorder })).toEqual(full);
    expect(readFileSync(join(quarantine(), turnId, "files/stray.txt"), "utf8")).toBe("x\n");
    expect(showQuarantined(quarantine(), turnId).ok).toBe(true);
  });

  test("only plain files are kept, never links or devices", async () => {
    const result = await workspace.run({ sh: "ln -s /etc/shadow link; mkfifo fifo; echo x >plain", outputs: [] });
    const files = join(quarantine(), result.evidence.quarantine_id ?? "", "files");
    expect(readdirSync(files)).toEqual(["plain"]);
  });

  test("a name from the command line that is no turn of ours is refused, whatever lies where it leads", () => {
    workspace.write("planted/quarantine.json", JSON.stringify({ turn_id: "planted", writes: [] }));
    const planted = relative(quarantine(), at("planted"));
    expect(existsSync(join(quarantine(), planted, "quarantine.json"))).toBe(true);
    for (const name of [planted, "../../x", "nope", ""])
      expect(showQuarantined(quarantine(), name)).toMatchObject({ ok: false, error: { code: "NOT_FOUND" } });
  });
});
