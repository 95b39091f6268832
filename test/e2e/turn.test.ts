import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TurnResultV1 } from "#core/contracts";
import { writ, writJson } from "../support/resident-writ.ts";
import { writJson as writJsonAs } from "../support/writ.ts";

const place = mkdtempSync("/var/tmp/writ-turn-e2e-");
chmodSync(place, 0o755);
const cwd = join(place, "workspace");
const at = (path: string) => join(cwd, path);
beforeAll(async () => {
  await writ(["init", cwd]);
});
afterAll(() => rmSync(place, { recursive: true, force: true }));

const capabilities = { read: ["notes/**"], write: ["output/<session_id>/**", "report.md"] };

function turnFile(turn: object): string {
  const file = join(place, "turn.json");
  writeFileSync(
    file,
    JSON.stringify({
      package_id: "PKG-DEMO-001",
      turn_number: 1,
      query: "go",
      declared_inputs: [],
      declared_outputs: [],
      capabilities,
      ...turn,
    }),
  );
  return file;
}

const exec = (turn: object, ...more: string[]) =>
  writJson<TurnResultV1>(["turn", "exec", turnFile(turn), ...more], { cwd });

describe("writ turn exec", () => {
  test("shows nobody a secret that its program printed, and lands it as it is", async () => {
    const url = "postgres://app:Tr0ub4dor-9-horses@db:5432/app";
    mkdirSync(at("notes"), { recursive: true });
    writeFileSync(at("notes/url.txt"), url);
    const shown = await exec(
      {
        declared_outputs: [{ path: "report.md" }],
        handler: { command: ["/bin/sh", "-c", "cp notes/url.txt report.md; cat notes/url.txt"] },
      },
      "--dev",
    );
    expect(shown.status, JSON.stringify(shown.json)).toBe(0);
    expect(JSON.stringify(shown.json)).toContain("postgres://app:[REDACTED:connection-string]@db:5432/app");
    expect(JSON.stringify(shown.json)).not.toContain("Tr0ub4dor");
    expect(readFileSync(at("report.md"), "utf8")).toBe(url);
    rmSync(at("report.md"));
  });

  test("says that the hosts which a package names cannot be reached while the workspace has the network off", async () => {
    const { status, json } = await exec(
      { handler: { command: ["true"] }, capabilities: { ...capabilities, network: ["example.org"] } },
      "--dev",
    );
    expect(status).toBe(0);
    expect(json.evidence.capabilities).toContainEqual({
      operation: "network",
      subject: "example.org",
      allowed: false,
      rule: expect.stringContaining("sandbox.network is off in writ.yaml"),
    });
  });

  test("runs the command in the workspace and commits what it declared", async () => {
    mkdirSync(at("notes"), { recursive: true });
    writeFileSync(at("notes/a.md"), "alpha\n");
    const { status, json } = await exec(
      {
        declared_inputs: [{ path: "notes/a.md" }],
        declared_outputs: [{ path: "output/<session_id>/out.txt" }],
        handler: {
          command: [
            "sh",
            "-c",
            'cat notes/a.md >"$WRIT_OUTPUT_DIR/out.txt"; echo "$WRIT_SESSION_ID" >"$WRIT_TMP_DIR/scratch"',
          ],
        },
      },
      "--dev",
    );
    expect(json.error).toBeNull();
    expect(status).toBe(0);
    expect(json.status).toBe("ok");
    expect(readFileSync(at(`output/${json.session_id}/out.txt`), "utf8")).toBe("alpha\n");
    expect(existsSync(at(`tmp/${json.session_id}`))).toBe(false);
    expect(json.evidence.outputs?.find(({ path }) => path.endsWith("out.txt"))?.sha256).toMatch(/^[0-9a-f]{64}$/);
    const folder = at(`planes/ho1/sessions/${json.session_id}`);
    const types = readFileSync(join(folder, "ledger/exec.jsonl"), "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).type);
    // The same pipe as everything that acts: an order of its own, begun and completed around the turn.
    expect(types.filter((type: string) => /^(WO|TURN)_/.test(type))).toEqual([
      "WO_STARTED",
      "TURN_STARTED",
      "TURN_COMMITTED",
      "WO_EXEC_COMPLETE",
    ]);
    const evidence = readFileSync(join(folder, "ledger/evidence.jsonl"), "utf8");
    for (const hash of [
      json.evidence.query_hash,
      json.evidence.outputs?.find(({ path }) => path.endsWith("out.txt"))?.sha256,
      json.evidence.inputs?.[0]?.sha256,
    ])
      expect(evidence).toContain(hash);
  });

  test("an undeclared write ends with status 1, leaves nothing, and waits in quarantine", async () => {
    const { status, json } = await exec(
      {
        declared_outputs: [{ path: "report.md" }],
        handler: { command: ["sh", "-c", "echo a >report.md; echo b >stray.md"] },
      },
      "--dev",
    );
    expect(status).toBe(1);
    expect(json.error?.code).toBe("UNDECLARED_WRITE");
    for (const path of ["report.md", "stray.md"]) expect(existsSync(at(path))).toBe(false);
    const id = json.evidence.quarantine_id ?? "";
    const listed = await writJson<{ turns: { turn_id: string }[] }>(["turn", "quarantine", "list"], { cwd });
    expect(listed.json.turns.map(({ turn_id }) => turn_id)).toContain(id);
    const shown = await writ(["turn", "quarantine", "show", id], { cwd });
    expect(shown.stdout).toContain("stray.md");
    const released = await writ(["turn", "quarantine", "release", id], { cwd });
    expect(released.status).toBe(0);
    expect(readFileSync(at("stray.md"), "utf8")).toBe("b\n");
    expect((await writ(["turn", "quarantine", "drop", id], { cwd })).status).toBe(2);
  });

  test("code that runs is shown as that, and released only when a person names it", async () => {
    const { json } = await exec(
      { declared_outputs: [], handler: { command: ["sh", "-c", "echo all: >Makefile; echo b >plain.md"] } },
      "--dev",
    );
    const id = json.evidence.quarantine_id ?? "";
    const shown = await writ(["turn", "quarantine", "show", id], { cwd });
    expect(shown.stdout).toMatch(/Makefile: code that runs \(.+\)/);
    expect(shown.stdout).not.toContain("plain.md: code");
    // The inbox's question says it too, and "release" alone names none of it.
    const { json: inbox } = await writJson<{ approvals: { approval_id: string; reason: string; subject: object }[] }>(
      ["inbox", "list"],
      { cwd },
    );
    const question = inbox.approvals.find(({ subject }) => JSON.stringify(subject).includes(id));
    expect(question?.reason).toMatch(/code that runs: Makefile \(.+--allow-code/);
    const bare = await writ(["turn", "quarantine", "release", id], { cwd });
    expect(bare.status).not.toBe(0);
    expect(bare.stderr).toContain("--allow-code 'Makefile'");
    expect([existsSync(at("Makefile")), existsSync(at("plain.md"))]).toEqual([false, false]);
    const named = await writ(["turn", "quarantine", "release", id, "--allow-code", "Makefile"], { cwd });
    expect(named.status, named.stderr).toBe(0);
    expect(readFileSync(at("Makefile"), "utf8")).toBe("all:\n");
  });

  test("SessionStart is asked first, and its no keeps the turn from starting", async () => {
    const profile = readFileSync(at("writ.yaml"), "utf8");
    writeFileSync(
      at("writ.yaml"),
      `${profile}\nhooks: { SessionStart: [{ hooks: [{ type: command, command: "echo not today >&2; exit 2" }] }] }\n`,
    );
    try {
      const { status, json } = await exec(
        {
          declared_outputs: [{ path: "output/<session_id>/out.txt" }],
          handler: { command: ["sh", "-c", 'echo x >"$WRIT_OUTPUT_DIR/out.txt"'] },
        },
        "--dev",
      );
      expect(status).toBe(3);
      expect(json.error).toMatchObject({ code: "GATE_DENIED", message: expect.stringContaining("not today") });
      expect(existsSync(at(`output/${json.session_id}`))).toBe(false);
      const events = readFileSync(at(`planes/ho1/sessions/${json.session_id}/.events.jsonl`), "utf8");
      expect(events).toContain("wo.rejected");
      expect(events).not.toContain("turn.started");
    } finally {
      writeFileSync(at("writ.yaml"), profile);
    }
  });

  test("a missing output is told by name", async () => {
    const { status, json } = await exec(
      { declared_outputs: [{ path: "output/<session_id>/never.txt" }], handler: { command: ["true"] } },
      "--dev",
    );
    expect([status, json.error?.code]).toEqual([1, "MISSING_OUTPUT"]);
  });

  test("the gates stay open after it: a folder made for a declared output is no write of its own", async () => {
    const gates = await writ(["gate", "check", "--all", "--root", cwd]);
    expect(gates.stdout).toContain("✓ G3");
  });

  test("what the capabilities do not cover is refused with status 3", async () => {
    for (const path of ["elsewhere.md", "planes/hot/x"]) {
      const { status, json } = await exec({ declared_outputs: [{ path }], handler: { command: ["true"] } }, "--dev");
      expect([path, status, json.error?.code]).toEqual([path, 3, "CAPABILITY_VIOLATION"]);
    }
  });

  test("only --dev lets a turn bring its own capabilities", async () => {
    const { status, json } = await exec({ handler: { command: ["true"] } });
    expect([status, json.error?.code]).toEqual([3, "NOT_AUTHORIZED"]);
    const none = await exec({ capabilities: undefined, handler: { command: ["true"] } });
    expect([none.status, none.json.error?.code]).toEqual([2, "NOT_FOUND"]);
  });

  test("the manifest of an installed package rules", async () => {
    mkdirSync(at("demo/packages/PKG-DEMO-001/assets"), { recursive: true });
    writeFileSync(at("demo/packages/PKG-DEMO-001/assets/handler.txt"), "a handler\n");
    const manifest = { package_id: "PKG-DEMO-001", version: "1.0.0", layer: 4, plane_id: "ho1", capabilities };
    writeFileSync(at("demo/manifest.json"), JSON.stringify({ ...manifest, spec_id: "SPEC-WORKSPACE-001" }));
    expect((await writ(["pkg", "build", "demo", "--out", "demo.tar"], { cwd })).status).toBe(0);
    expect((await writ(["pkg", "install", "demo.tar"], { cwd })).status).toBe(0);
    const turn = {
      capabilities: undefined,
      declared_outputs: [{ path: "report.md" }],
      handler: { command: ["sh", "-c", "echo x >report.md"] },
    };
    const { status, json } = await exec(turn);
    expect(json.error).toBeNull();
    expect(status).toBe(0);
  });

  test("a file that is no turn is wrong usage", async () => {
    const { status, json } = await exec({ declared_outputs: undefined, handler: { command: ["true"] } }, "--dev");
    expect([status, json.error?.code]).toEqual([2, "SCHEMA_VIOLATION"]);
    const unreadable = await writ(["turn", "exec", join(place, "absent.json"), "--dev"], { cwd });
    expect(unreadable.status).toBe(2);
  });

  test("what a turn prints cannot speak to the person's terminal", async () => {
    const { stdout } = await writ(
      ["turn", "exec", turnFile({ handler: { command: ["printf", "\\033]0;evil\\007plain"] } }), "--dev"],
      { cwd },
    );
    expect(stdout).not.toContain("\u001b");
    expect(stdout).toContain("plain");
  });

  test.runIf(process.getuid?.() === 0)(
    "works for an ordinary user, and root's turns keep the owner of the workspace",
    async () => {
      const own = join(place, "own");
      await writ(["init", own]);
      for (const path of [own, ...(readdirSync(own, { recursive: true }) as string[]).map((name) => join(own, name))])
        chownSync(path, 65534, 65534);
      const turn = {
        declared_outputs: [{ path: "output/<session_id>/a.txt" }],
        handler: { command: ["sh", "-c", "id -u; echo hi >$WRIT_OUTPUT_DIR/a.txt"] },
      };
      for (const uid of [65534, 0]) {
        const { json, stderr } = await writJsonAs<TurnResultV1>(["turn", "exec", turnFile(turn), "--dev"], {
          cwd: own,
          uid,
          env: { HOME: "/nonexistent" },
        });
        expect(json.error, stderr).toBeNull();
        expect(lstatSync(join(own, `output/${json.session_id}/a.txt`)).uid).toBe(65534);
        expect((json.result as { stdout: string }).stdout.trim()).not.toBe("0");
      }
    },
  );
});

describe("programs that agents and work orders ask for run as turns too", () => {
  test("an acceptance command decides, and what it writes is dropped", async () => {
    const order = (number: number, tests: string[]) => {
      const file = join(place, `wo-${number}.json`);
      writeFileSync(
        file,
        JSON.stringify({
          work_order_id: `WO-20261115-${number}`,
          type: "answer",
          plane_id: "ho1",
          spec_id: "SPEC-ORCHESTRATION-001",
          framework_id: "FMWK-005",
          scope: { allowed_files: [] },
          acceptance: { tests, checks: [] },
          input: { prompt: "Say hello to Ada" },
          budget: { token_limit: 5000, turn_limit: 1, timeout_seconds: 60 },
        }),
      );
      return file;
    };
    type Flow = { status: string; session_id: string; validation_result: { passed: boolean } };
    const good = await writJson<Flow>(["flow", "run", order(901, ["touch dropped.txt"])], { cwd });
    expect([good.json.status, good.json.validation_result.passed]).toEqual(["success", true]);
    expect(existsSync(at("dropped.txt"))).toBe(false);
    const exec = readFileSync(at(`planes/ho1/sessions/${good.json.session_id}/ledger/exec.jsonl`), "utf8");
    expect(exec).toContain("TURN_STARTED");
    const bad = await writJson<Flow>(["flow", "run", order(902, ["false"])], { cwd });
    expect(bad.json.validation_result.passed).toBe(false);
  });

  test("exec keeps what its order allows, and nothing of a call that wrote beyond it", async () => {
    const call = (script: string) =>
      writJson<{ status: string; error: { code: string } | null }>(
        ["tool", "call", "exec", JSON.stringify({ command: ["sh", "-c", script] })],
        { cwd },
      );
    expect((await call("echo hi >output/allowed.txt")).json.error).toBeNull();
    expect(readFileSync(at("output/allowed.txt"), "utf8")).toBe("hi\n");
    const beyond = await call("echo hi >output/other.txt; echo hi >elsewhere.txt");
    expect(beyond.json.status).not.toBe("success");
    expect([existsSync(at("output/other.txt")), existsSync(at("elsewhere.txt"))]).toEqual([false, false]);
  });
});
