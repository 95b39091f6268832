// Scripts beside a SKILL.md run as turns, as they were when the session started the skill: what is pulled or edited while it waits
// for a person is for the next session.
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { cli } from "../support/fresh-cli.ts";
import { testWorkspace } from "../support/runtime-workspace.ts";

const folder = ".claude/skills/report";
const run = 'cd "$(dirname "$0")" && . ./lib.sh && echo *\n';
const files = {
  [`${folder}/SKILL.md`]: "---\nname: report\ndescription: Writes reports.\n---\n\nRun scripts/run.sh.\n",
  [`${folder}/scripts/run.sh`]: run,
  [`${folder}/scripts/lib.sh`]: "echo as it was\n",
  [`${folder}/scripts/private.sh`]: "",
  "notes/a.md": "a note\n",
};
const command = { command: ["sh", `${folder}/scripts/run.sh`] };
const calls = (...made: readonly (readonly [string, object])[]) => [
  ...made.map(([name, args], at) => ({ when: { call: at + 1 }, respond: { tool_calls: [{ name, args }] } })),
  { respond: { text: "done" } },
];
const order = {
  work_order_id: "WO-20261120-001",
  type: "solo",
  plane_id: "ho1",
  framework_id: "FMWK-005",
  spec_id: "SPEC-ORCHESTRATION-001",
  schema_version: "v2",
  input: { prompt: "go on" },
  acceptance: {},
  scope: { allowed_files: ["notes/**"], read_files: ["**"], forbidden_files: [`${folder}/scripts/private.sh`] },
  tool_permissions: ["skill.load", "echo", "exec"],
  approvals: [{ tools: ["echo"], reason: "it is said aloud" }],
  budget: { token_limit: 50_000, turn_limit: 8, timeout_seconds: 60 },
};

test.each([
  ["that its agent loaded", {}, [["skill.load", { skill: "report" }]]],
  ["that its order names", { skill: "report" }, []],
] as const)(
  "a session runs the scripts of a skill %s as they were then, also after a resume",
  async (_, named, before) => {
    const steps = [...before, ["exec", command], ["echo", { text: "wait" }], ["exec", command]] as const;
    await using place = await testWorkspace({ rules: calls(...steps), files });
    const waiting = await place.order({ ...order, ...named });
    expect(waiting, JSON.stringify([waiting.error, waiting.undone, waiting.refused_acts])).toMatchObject({
      status: "waiting",
    });
    writeFileSync(join(place.root, folder, "scripts/lib.sh"), "echo changed\n");
    writeFileSync(join(place.root, folder, "scripts/new.sh"), "");
    rmSync(join(place.root, folder, "scripts/run.sh"));
    const { approvals } = JSON.parse((await cli(place.root, "inbox", "--json")).text) as {
      approvals: { approval_id: string }[];
    };
    await cli(place.root, "inbox", "approve", approvals[0]?.approval_id ?? "");
    await place.reopen();
    const resumed = await cli(place.root, "session", "resume", waiting.session_id ?? "", "--json");
    expect(resumed.status, resumed.text).toBe(0);
    const said = (await place.events(waiting.session_id)).flatMap((event) =>
      event.type === "tool.output" && event.payload.name === "exec" ? [JSON.stringify(event.payload.content)] : [],
    );
    expect(said).toHaveLength(2);
    for (const each of said) expect(each).toContain("as it was\\nlib.sh run.sh\\n");
    expect((await cli(place.root, "session", "verify", waiting.session_id ?? "")).status).toBe(0);

    // The next session starts the skill as it is by then.
    writeFileSync(join(place.root, folder, "scripts/run.sh"), run);
    await place.reopen();
    const { approvals: _approvals, ...free } = order;
    const next = await place.order({ ...free, ...named, work_order_id: "WO-20261120-002" });
    const again = (await place.events(next.session_id)).find(
      (event) => event.type === "tool.output" && event.payload.name === "exec",
    );
    expect(JSON.stringify(again?.payload)).toContain("changed\\nlib.sh new.sh run.sh\\n");
  },
);
