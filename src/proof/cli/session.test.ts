import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { CliContext } from "#core/commands";
import { type SessionId, seededRandom, systemClock } from "#core/values";
import { runCli } from "#main";
import { eventsOf, value, writeGreeting } from "../../../test/support/greeting-session.ts";
import { SealedWorkspace } from "../../../test/support/sealed-workspace.ts";

const workspace = new SealedWorkspace(31);
let ada: SessionId;
let grace: SessionId;

beforeAll(async () => {
  ada = (await writeGreeting(workspace.log, { denied: true, pass: workspace.pass })).session_id;
  workspace.pass(60_000);
  grace = (await writeGreeting(workspace.log, { name: "Grace", pass: workspace.pass })).session_id;
  await workspace.shut();
});
afterAll(() => workspace.remove());

async function writ(argv: readonly string[], more: Partial<CliContext> = {}) {
  const said = { stdout: "", stderr: "" };
  const output = (name: keyof typeof said) => ({
    write: (text: string) => void (said[name] += text),
    isTTY: false,
    columns: 100,
  });
  const status = await runCli(argv, {
    stdout: output("stdout"),
    stderr: output("stderr"),
    env: {},
    cwd: workspace.root,
    clock: { ...systemClock, now: () => Date.UTC(2026, 10, 15, 11, 0, 0) },
    random: seededRandom(1),
    signal: new AbortController().signal,
    version: "9.9.9",
    ...more,
  });
  return { status, ...said };
}
const json = async (...argv: readonly string[]) => {
  const { status, stdout } = await writ([...argv, "--json"]);
  return { status, value: JSON.parse(stdout) as Record<string, unknown> };
};
const short = (session_id: string) => session_id.slice(13, 19);

describe("naming a session", () => {
  test("a few characters are enough where they are unique; last is the newest", async () => {
    expect((await json("session", "replay", short(ada))).value).toMatchObject({ session_id: ada });
    expect((await json("session", "replay", ada.slice(0, 17).toLowerCase())).value).toMatchObject({ session_id: ada });
    expect((await json("session", "replay", "last")).value).toMatchObject({ session_id: grace });
    expect((await json("session", "replay")).value).toMatchObject({ session_id: grace });
  });

  test("a slip is answered with what was probably meant, too few characters with the choices", async () => {
    const slip = `${short(ada).slice(0, 4)}${short(ada)[5]}${short(ada)[4]}`;
    const missed = await writ(["session", "show", slip]);
    expect(missed.status).toBe(2);
    expect(missed.stderr).toContain(`did you mean ${ada.slice(13, 21)}`);
    const vague = await writ(["session", "show", "SES"]);
    expect(vague.status).toBe(2);
    expect(vague.stderr).toContain(ada);
    expect(vague.stderr).toContain(grace);
    expect((await writ(["session", "show", "../../etc"])).status).toBe(2);
  });

  test("an empty name names no session, not the only one there is", async () => {
    const alone = new SealedWorkspace(32);
    onTestFinished(() => alone.remove());
    await writeGreeting(alone.log, { pass: alone.pass });
    await alone.shut();
    for (const argv of [
      ["session", "show", ""],
      ["session", "verify", " "],
    ])
      expect(await writ(argv, { cwd: alone.root })).toMatchObject({
        status: 2,
        stdout: "",
        stderr: expect.stringContaining("the name of the session is empty"),
      });
  });
});

describe("session list", () => {
  test("shows every session, the newest first", async () => {
    const { stdout, status } = await writ(["session", "list"]);
    expect(status).toBe(0);
    expect(stdout.indexOf(grace)).toBeGreaterThan(0);
    expect(stdout.indexOf(ada)).toBeGreaterThan(stdout.indexOf(grace));
    expect((await json("session", "list", "--limit", "1")).value).toMatchObject({
      total: 2,
      sessions: [{ session_id: grace, ok: true, status: "success" }],
    });
    expect((await json("session", "list", "--failed")).value).toMatchObject({ total: 0 });
    expect((await writ(["session", "list", "--limit", "none"])).status).toBe(2);
  });

  test("with a store in the environment that is none lists nothing, also where writ.yaml is broken too", async () => {
    const wrong = { env: { WRIT_STORE: "postgers://ada:hunter2@db/writ" } };
    const { status, stdout, stderr } = await writ(["session", "list"], wrong);
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toContain("WRIT_STORE");
    expect(stderr).toContain("sqlite:FILE or postgres://");
    expect(stderr).not.toContain("hunter2");
    const shown = await writ(["session", "show", "last", "--json"], wrong);
    expect([shown.status, JSON.parse(shown.stdout)]).toMatchObject([2, { error: { code: "CONFIG_INVALID" } }]);
  });

  test("says what each was asked for; in a terminal that takes the room of the whole id", async () => {
    const lineOf = (text: string) => text.split("\n").find((line) => line.includes(short(grace))) ?? "";
    expect(lineOf((await writ(["session", "list"])).stdout)).toMatch(new RegExp(`greet Grace +${grace}$`));
    let shown = "";
    const stdout = { write: (text: string) => void (shown += text), isTTY: true, columns: 100 };
    await writ(["session", "list"], { stdout, env: { NO_COLOR: "1" } });
    expect(lineOf(shown)).toMatch(/greet Grace$/);
    expect(shown).toContain("work order");
    shown = "";
    await writ(["session", "list"], { stdout: { ...stdout, columns: 80 }, env: { NO_COLOR: "1" } });
    expect(lineOf(shown)).toMatch(/greet Grace$/);
    expect(shown, "no column is cut to what says nothing").not.toMatch(/work order|…/);
  });
});

describe("session show", () => {
  test("tells the story with its gates, its cost and its answer", async () => {
    const { stdout } = await writ(["session", "show", short(ada)]);
    expect(stdout).toContain("asked   greet Ada");
    expect(stdout).toContain("answer  Hello, Ada");
    expect(stdout).toMatch(/■ echo \{"text":"Hello, Ada"\} +allow +pre_tool_use_default/);
    expect(stdout).toMatch(/◆ PreToolUse fs\.write +deny +deny-dangerous-tools/);
    expect(stdout).toContain("why: fs.write is outside the skill greet");
    expect(stdout).toMatch(/worker +2 +610 +70/);
    expect(Math.max(...stdout.split("\n").map((line) => line.length))).toBeLessThanOrEqual(120);
  });

  test("--only narrows it, --full adds what was recorded", async () => {
    const denied = (await writ(["session", "show", short(ada), "--only", "denied"])).stdout;
    expect(denied).toContain("fs.write");
    expect(denied).not.toContain("■ echo");
    expect((await writ(["session", "show", short(grace), "--only", "denied"])).stdout).toContain(
      "nothing here is denied",
    );
    expect((await writ(["session", "show", short(ada), "--only", "cost"])).stdout).toMatch(
      /role .*waited +tokens\n(.*\n)* +reviewer +1/, // what the bars are of
    );
    expect((await writ(["session", "show", short(ada), "--only", "files"])).stdout).toContain(
      "no files were read or written",
    );
    expect((await writ(["session", "show", short(ada), "--full"])).stdout).toContain('"conversation_id": "CNV-lead"');
    const slip = await writ(["session", "show", short(ada), "--only", "denide"]);
    expect(slip).toMatchObject({ status: 2 });
    expect(slip.stderr).toContain("did you mean denied?");
  });

  test("plain ASCII where the terminal asks for it", async () => {
    const { stdout } = await writ(["session", "show", short(ada)], { env: { LC_ALL: "C" } });
    expect(/^[\x20-\x7e\n]*$/.test(stdout)).toBe(true);
  });
});

describe("session events", () => {
  test("an empty answer says what there is instead", async () => {
    const slip = await writ(["session", "events", short(ada), "--type", "tol"]);
    expect(slip).toMatchObject({ status: 0, stdout: "" });
    expect(slip.stderr).toMatch(/^no type of event begins with "tol" here; there are .*hook\.fired.*tool\.invoke/);
    expect(await writ(["session", "events", short(ada), "--from", "999"])).toMatchObject({
      status: 0,
      stderr: "there is no event from 999 on\n",
    });
  });

  test("prints them as recorded, from where and of which kind one likes", async () => {
    const { value } = await json("session", "events", short(ada), "--type", "tool.");
    expect((value["events"] as { type: string }[]).map(({ type }) => type)).toEqual([
      "tool.refused",
      "tool.invoke",
      "tool.result",
      "tool.output",
    ]);
    expect((await writ(["session", "events", short(ada), "--from", "30"])).stdout).toContain("session.close");
    expect((await writ(["session", "events", short(ada), "--from", "x"])).status).toBe(2);
  });

  test("--follow --json prints a line per event and ends with the session", async () => {
    const { stdout, status } = await writ(["session", "events", short(ada), "--follow", "--json"]);
    const lines = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { type: string });
    expect(status).toBe(0);
    expect(lines.at(0)?.type).toBe("session.start");
    expect(lines.at(-1)?.type).toBe("session.close");
  });
});

describe("session replay", () => {
  test("gives the shape that programs rely on", async () => {
    const { value } = await json("session", "replay", short(ada));
    for (const field of [
      "session_id",
      "closed",
      "ok",
      "output",
      "cost",
      "agents",
      "tools_invoked",
      "workflow",
      "work_order",
      "event_count",
      "head_hash",
    ])
      expect(value).toHaveProperty(field);
    expect((await writ(["session", "replay", short(ada)])).stdout).toContain("no model and no tool was called");
  });
});

describe("session verify", () => {
  test("says it in one line when all is well", async () => {
    const { stdout, status } = await writ(["session", "verify", short(ada)]);
    expect(status).toBe(0);
    expect(stdout.trimEnd().split("\n")).toHaveLength(1);
    expect((await json("session", "verify", short(ada))).value).toMatchObject({ ok: true, events: 33, violations: [] });
    expect((await json("session", "verify", "--all")).value).toMatchObject({ ok: true, violations: [] });
    expect((await writ(["session", "verify"])).status).toBe(2);
    expect((await writ(["session", "verify", short(ada), "--all"])).status).toBe(2);
  });

  test("names the first bad event, what it means and what it does not, and ends with 1", async () => {
    const file = workspace.file(ada, ".events.jsonl");
    const before = readFileSync(file);
    writeFileSync(file, before.toString().replace("Hello, Ada", "Hello, Eve"));
    const found = await json("session", "verify", short(ada));
    const { stdout, status } = await writ(["session", "verify", short(ada)]);
    const all = await writ(["session", "verify", "--all"]);
    writeFileSync(file, before);
    expect(found).toMatchObject({ status: 1, value: { ok: false, violations: [{ kind: "hash" }] } });
    const [violation] = found.value["violations"] as { at: number; message: string }[];
    expect(status).toBe(1);
    expect(stdout).toContain(`event ${violation?.at}:`);
    expect(stdout).toMatch(/means +the bytes on disk are not the ones that were written/);
    expect(stdout).toMatch(/not +it does not say who did it/);
    expect(all.status).toBe(1);
    expect(all.stdout).toContain("1 session with findings");
  });

  test("names what a genuine record leaves out: an answer, a decision, a transition", async () => {
    const other = new SealedWorkspace(32);
    const whole = await writeGreeting(other.log, {});
    const gaps = { "llm.response": "audit_llm", "hook.fired": "audit_hook", "agent.transition": "audit_transition" };
    const sessions: [string, string][] = [];
    for (const [type, kind] of Object.entries(gaps)) {
      const session = value(await other.log.create({ tier: "ho1" }));
      let isLeftOut = false;
      for (const event of await eventsOf(other.log, whole.session_id)) {
        if (event.type === "session.close" || (event.type === type && !isLeftOut)) isLeftOut ||= event.type === type;
        else value(await session.append({ type: event.type, actor: event.actor, payload: event.payload } as never));
      }
      value(await session.close({ ok: true, status: "success" }));
      sessions.push([session.session_id, kind]);
    }
    await other.shut();
    for (const [session_id, kind] of sessions) {
      const found = await writ(["session", "verify", session_id, "--json"], { cwd: other.root });
      expect(found.status).toBe(1);
      const { violations } = JSON.parse(found.stdout) as { violations: { kind: string }[] };
      expect(violations.map((violation) => violation.kind)).toEqual([kind]);
    }
    other.remove();
  });

  test("what was anchored and is gone is a finding, what never was is not found; whatever was deleted, nothing is told as well", async () => {
    const other = new SealedWorkspace(33);
    const { session_id: emptied } = await writeGreeting(other.log, {});
    const { session_id: removed } = await writeGreeting(other.log, {});
    await other.shut();
    writeFileSync(other.file(emptied, ".events.jsonl"), "");
    rmSync(join(other.root, "planes/ho1/sessions", removed), { recursive: true });
    const there = async (...argv: readonly string[]) => {
      const { status, stdout } = await writ([...argv, "--json"], { cwd: other.root });
      return { status, value: JSON.parse(stdout) as Record<string, unknown> };
    };
    const gone = { ok: false, session_id: removed, violations: [{ kind: "session_missing" }] };
    expect(await there("session", "verify", removed)).toMatchObject({ status: 1, value: gone });
    const never = `${removed.slice(0, -4)}0000`;
    expect(await there("session", "verify", never)).toMatchObject({
      status: 2,
      value: { error: { code: "NOT_FOUND" } },
    });
    expect(await there("session", "verify", emptied)).toMatchObject({ status: 1, value: { ok: false } });
    for (const command of ["replay", "events", "show"])
      expect(await there("session", command, emptied), command).toMatchObject({
        status: 1,
        value: { error: { code: "LEDGER_CORRUPT", message: expect.stringContaining("not one event") } },
      });
    const damaged = [expect.stringContaining(emptied)];
    expect(await there("session", "list")).toMatchObject({ status: 1, value: { sessions: [], damaged } });
    writeFileSync(other.file(emptied, ".events.jsonl"), "{");
    expect(await there("session", "list")).toMatchObject({ status: 1, value: { sessions: [], damaged } });
    other.remove();
  });

  test("a checkpoint kept elsewhere is accepted, a changed or foreign one is not", async () => {
    const checkpoint = await writ(["anchor", "checkpoint"]);
    const file = join(workspace.root, "checkpoint.json");
    writeFileSync(file, checkpoint.stdout);
    expect(await writ(["session", "verify", "--all", "--checkpoint", file])).toMatchObject({ status: 0 });
    writeFileSync(file, checkpoint.stdout.replace('"tree_size": 2', '"tree_size": 1'));
    expect(await writ(["session", "verify", "--all", "--checkpoint", file])).toMatchObject({ status: 2 });
    rmSync(file);
    expect(await writ(["session", "verify", "--all", "--checkpoint", file])).toMatchObject({ status: 2 });
  });

  test("an interrupted check says that it is not complete", async () => {
    const { stdout, status } = await writ(["session", "verify", "--all"], { signal: AbortSignal.abort("SIGINT") });
    expect(status).toBe(130);
    expect(stdout).toContain("interrupted");
  });
});

describe("anchor", () => {
  test("its proofs can be checked without the workspace, and not after a change", async () => {
    const old = join(workspace.root, "old.json");
    const file = join(workspace.root, "proof.json");
    writeFileSync(old, (await writ(["anchor", "checkpoint"])).stdout);
    for (const argv of [
      ["anchor", "prove", short(ada)],
      ["anchor", "prove", "--since", old],
    ]) {
      const proof = await writ(argv);
      expect(proof.status).toBe(0);
      writeFileSync(file, proof.stdout);
      expect(await writ(["anchor", "check", file], { cwd: "/" })).toMatchObject({ status: 0 });
      writeFileSync(file, proof.stdout.replace('"seq": 33', '"seq": 34').replace(/("tree_size": )2/, "$13"));
      expect((await writ(["anchor", "check", file])).status).not.toBe(0);
    }
    rmSync(old);
    rmSync(file);
  });
});

test("a workspace on a read-only mount is listed, shown, replayed, verified and exported", async (context) => {
  const mounted = mkdtempSync(join(tmpdir(), "writ-read-only-"));
  try {
    execFileSync("mount", ["--bind", workspace.root, mounted], { stdio: "ignore" });
    execFileSync("mount", ["-o", "remount,ro,bind", mounted], { stdio: "ignore" });
  } catch {
    rmSync(mounted, { recursive: true });
    return context.skip("mounting needs rights that this process does not have");
  }
  onTestFinished(() => {
    execFileSync("umount", ["-l", mounted]);
    rmSync(mounted, { recursive: true });
  });
  expect(() => writeFileSync(join(mounted, "x"), "")).toThrow(/EROFS/);
  const there = async (...argv: readonly string[]) => writ([...argv], { cwd: mounted });
  const events = (await there("session", "export", short(ada), "--out", "-")).stdout;
  expect(events).toBe(readFileSync(workspace.file(ada, ".events.jsonl"), "utf8"));
  for (const argv of [
    ["session", "list"],
    ["session", "show", short(ada)],
    ["session", "events", short(ada)],
    ["session", "replay", short(ada)],
    ["session", "verify", short(ada)],
    ["session", "verify", "--all"],
    ["anchor", "checkpoint"],
  ]) {
    const { status, stderr } = await there(...argv);
    expect({ argv, status, stderr }).toEqual({ argv, status: 0, stderr: "" });
  }
  expect(JSON.parse((await there("session", "replay", short(ada), "--json")).stdout)).toMatchObject({
    session_id: ada,
    output: "Hello, Ada",
  });
  return undefined;
});

describe("session export", () => {
  test("copies the files byte for byte, with what vouches for them, and writes over nothing", async () => {
    const out = join(workspace.root, "exported");
    expect((await json("session", "export", short(ada), "--out", out)).value).toMatchObject({
      session_id: ada,
      files: [{ name: ".events.jsonl" }, {}, {}, {}, { name: "proof.json" }],
    });
    for (const name of [".events.jsonl", "ledger/exec.jsonl", "ledger/evidence.jsonl", "snapshot.json"] as const)
      expect(readFileSync(join(out, name))).toEqual(readFileSync(workspace.file(ada, name)));
    expect((await writ(["anchor", "check", join(out, "proof.json")])).stdout).toContain(ada);
    expect((await writ(["session", "export", short(ada), "--out", out])).status).toBe(2);
    expect((await writ(["session", "export", short(ada), "--out", "-"])).stdout).toBe(
      readFileSync(workspace.file(ada, ".events.jsonl"), "utf8"),
    );
  });
});
