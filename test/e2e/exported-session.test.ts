// The auditor: a file that somebody handed over, an empty folder, and the command line as a process of its own.
import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type SessionId, systemClock } from "#core/values";
import { anchorFile, parseLine } from "#log";
import { AnchorLog, readAnchors } from "#proof";
import { Auditor, kindsOf, linesOf, type Verdict } from "../support/auditor.ts";
import { cli } from "../support/cli.ts";
import { forge, putForged } from "../support/forged-session.ts";
import { value, writeGreeting } from "../support/greeting-session.ts";
import { SealedWorkspace } from "../support/sealed-workspace.ts";
import { repository } from "../support/writ.ts";

let auditor: Auditor;
let one: SessionId;
let two: SessionId;
beforeAll(async () => {
  auditor = await Auditor.create();
  [one, two] = auditor.sessions;
});
afterAll(() => auditor[Symbol.asyncDispose]());
const at = (name: string) => auditor.at(name);
const write: Auditor["write"] = (name, content) => auditor.write(name, content);
const verify: Auditor["verify"] = (argv, more) => auditor.verify(argv, more);
const judged: Auditor["judged"] = (...argv) => auditor.judged(...argv);

describe("without a workspace, a network or a right to write", () => {
  test("folder, bundle and events verify, each with what it can prove", async () => {
    const everything = ["chain", "ledgers", "completeness", "anchors", "signature", "checkpoint"];
    chmodSync(auditor.empty, 0o555);
    for (const [file, form, proved] of [
      ["export", "folder", everything],
      ["bundle.html", "bundle", everything],
    ] as const) {
      const told = await verify([
        "--file",
        at(file),
        "--checkpoint",
        at("kept.json"),
        "--key",
        at("owner.pem"),
        "--json",
      ]);
      expect(told.status, told.stderr).toBe(0);
      const verdict = JSON.parse(told.stdout) as Verdict;
      expect(verdict).toMatchObject({ ok: true, session_id: one, closed: true, form, proved, not_proved: [] });
      expect(verdict).toMatchObject({ violations: [], notes: [], events: linesOf(at("events.jsonl")).length });
    }
    const alone = await verify(["--file", at("events.jsonl")]);
    expect(alone.status).toBe(0);
    expect(alone.stdout).toContain("verified: chain, completeness; head");
    expect(alone.stdout).toContain("unproved ledgers, anchors, signature, checkpoint");
    chmodSync(auditor.empty, 0o755);
    expect(readdirSync(auditor.empty)).toEqual([]);
  });

  test("the answer has the fields of `session verify`, and the same head", async () => {
    const inside = JSON.parse((await cli(auditor.owner.root, "session", "verify", one, "--json")).stdout) as Verdict;
    const outside = await judged("--file", at("bundle.html"), "--checkpoint", at("kept.json"));
    for (const field of ["ok", "session_id", "closed", "events", "head_hash", "violations"] as const)
      expect(outside[field]).toEqual(inside[field]);
  });

  const namespace = ["--map-root-user", "--net"];
  test.skipIf(spawnSync("unshare", [...namespace, "true"]).status !== 0)(
    "nobody is asked (skipped where `unshare --net` is not allowed)",
    () => {
      const argv = ["session", "verify", "--file", at("bundle.html"), "--checkpoint", at("kept.json")];
      const child = spawnSync("unshare", [...namespace, process.execPath, `${repository}bin/writ.js`, ...argv], {
        cwd: auditor.empty,
      });
      expect(child.status, child.stderr.toString()).toBe(0);
    },
  );

  test("standard input, packed or not, and a packed file", async () => {
    const html = readFileSync(at("bundle.html"));
    for (const input of [
      html,
      gzipSync(html),
      readFileSync(at("events.jsonl")),
      gzipSync(readFileSync(at("events.jsonl"))),
    ])
      expect((await verify(["--file", "-"], { input: [input] })).status).toBe(0);
    expect((await judged("--file", write("packed", gzipSync(html)))).form).toBe("bundle");
  });

  test("what a workspace of the auditor's own holds does not matter", async () => {
    expect((await cli(auditor.owner.root, "session", "verify", "--file", at("events.jsonl"))).status).toBe(0);
    const other = await cli(auditor.owner.root, "session", "verify", two, "--file", at("events.jsonl"), "--json");
    expect(other.status).toBe(1);
    expect(kindsOf(JSON.parse(other.stdout) as Verdict)).toEqual(["session"]);
  });
});

describe("what the auditor brings must be met", () => {
  test("a newer session is held against an older checkpoint by a proof of what was added", async () => {
    const file = ["--file", at("later.html"), "--checkpoint", at("early.json")];
    const without = await judged(...file);
    expect([without.status, kindsOf(without)]).toEqual([1, ["not_proven"]]);
    const proven = await judged(...file, "--proof", at("since.json"));
    expect([proven.status, proven.not_proved]).toEqual([0, []]);
    expect(proven.notes.map(({ kind }) => kind)).toContain("newer_than_checkpoint");
  });

  test("what was exported for a checkpoint that he kept leads there by itself, as a page and as a folder", async () => {
    const early = ["--checkpoint", at("early.json")];
    const folder = await cli(
      auditor.owner.root,
      "session",
      "export",
      two,
      "--since",
      at("early.json"),
      "--out",
      at("led"),
    );
    expect(folder.status).toBe(0);
    for (const file of [at("led.html"), at("led")]) {
      const proven = await judged("--file", file, ...early);
      expect([proven.status, proven.not_proved]).toEqual([0, []]);
      expect(proven.notes.map(({ kind }) => kind)).toContain("newer_than_checkpoint");
      expect((await judged("--file", file)).status).toBe(0); // it does no harm to who kept none
    }
    const page = readFileSync(at("led.html"), "utf8");
    const hashes = page.indexOf('"hashes":["', page.indexOf('"consistency"')) + '"hashes":["'.length;
    const changed = `${page.slice(0, hashes)}${page[hashes] === "0" ? "1" : "0"}${page.slice(hashes + 1)}`;
    expect((await judged("--file", write("changed-lead.html", changed))).status).toBe(1);
  });

  test("a session is exported for no checkpoint that its history does not begin with", async () => {
    const other = new SealedWorkspace(44);
    await writeGreeting(other.log);
    await other.shut();
    const stranger = write("stranger.json", (await cli(other.root, "anchor", "checkpoint")).stdout);
    other.remove();
    for (const more of [["--bundle"], []]) {
      const refused = await cli(auditor.owner.root, "session", "export", two, "--since", stranger, ...more);
      expect([refused.status, refused.stderr]).toEqual([2, expect.stringContaining("never signed here")]);
    }
    cpSync(auditor.owner.root, at("keyless"), { recursive: true });
    rmSync(at("keyless/planes/hot/keys"), { recursive: true });
    const keyless = await cli(at("keyless"), "session", "export", two, "--since", at("early.json"), "--bundle");
    expect([keyless.status, keyless.stderr]).toEqual([2, expect.stringContaining("is not anchored")]);
    const events = await cli(auditor.owner.root, "session", "export", two, "--since", at("early.json"), "--out", "-");
    expect([events.status, events.stdout]).toEqual([2, ""]);
  });

  test("the events alone lead to a checkpoint by the proof of their head", async () => {
    const without = await judged("--file", at("events.jsonl"), "--checkpoint", at("kept.json"));
    expect([without.status, kindsOf(without)]).toEqual([1, ["not_proven"]]);
    const proven = await judged(
      "--file",
      at("events.jsonl"),
      "--checkpoint",
      at("kept.json"),
      "--proof",
      at("head.json"),
    );
    expect([proven.status, proven.not_proved]).toEqual([0, ["ledgers"]]);
    const other = await judged("--file", at("later.html"), "--proof", at("head.json"));
    expect([other.status, kindsOf(other)]).toEqual([1, ["session"]]);
  });

  test("a proof that was taken away is missed as soon as a key or a checkpoint asks for it", async () => {
    cpSync(at("export"), at("stripped"), { recursive: true });
    rmSync(at("stripped/proof.json"));
    const bare = await judged("--file", at("stripped"));
    expect([bare.status, bare.not_proved]).toEqual([0, ["anchors", "signature", "checkpoint"]]);
    for (const more of [
      ["--key", at("owner.pem")],
      ["--checkpoint", at("kept.json")],
    ])
      expect(kindsOf(await judged("--file", at("stripped"), ...more))).toEqual(["not_proven"]);
  });

  test("another's key and another's checkpoint are told apart from the owner's", async () => {
    const other = new SealedWorkspace(43);
    await writeGreeting(other.log);
    await other.shut();
    writeFileSync(at("other.json"), (await cli(other.root, "anchor", "checkpoint")).stdout);
    const key = join(other.root, "planes/hot/keys/signing.pub.pem");
    expect(kindsOf(await judged("--file", at("bundle.html"), "--key", key))).toEqual(["anchor_key"]);
    expect(kindsOf(await judged("--file", at("bundle.html"), "--checkpoint", at("other.json")))).toEqual([
      "checkpoint_key",
    ]);
    const both = await judged("--file", at("bundle.html"), "--key", at("owner.pem"), "--checkpoint", at("other.json"));
    expect([kindsOf(both), both.proved.includes("checkpoint")]).toEqual([["checkpoint_key"], false]);
    expect((await judged("--file", at("bundle.html"), "--key", key, at("owner.pem"))).status).toBe(0);
    other.remove();
  });
});

describe("what was changed", () => {
  test("one flipped bit anywhere in the events, alone or in a bundle, is found", async () => {
    const events = readFileSync(at("events.jsonl"));
    for (let byte = 0; byte < events.length; byte += 211) {
      const changed = Buffer.from(events);
      changed[byte] = (changed[byte] as number) ^ (1 << (byte % 8));
      const { status, violations } = await judged("--file", write("flipped", changed));
      expect([byte, status, violations.length > 0]).toEqual([byte, 1, true]);
    }
    const html = readFileSync(at("bundle.html"));
    const end = html.indexOf('],"proof":');
    for (let byte = html.indexOf('"events":[') + 12; byte < end; byte += 389) {
      const changed = Buffer.from(html);
      changed[byte] = (changed[byte] as number) ^ (1 << (byte % 8));
      const { status, violations } = await judged("--file", write("flipped", changed));
      expect([byte, status, violations.length > 0]).toEqual([byte, 1, true]);
    }
  });

  test.for<[string, string, (lines: readonly string[]) => readonly string[]]>([
    ["removed", "seq", (lines) => lines.toSpliced(4, 1)],
    ["inserted twice", "seq", (lines) => lines.toSpliced(4, 0, lines[4] as string)],
    ["swapped", "seq", (lines) => lines.with(4, lines[5] as string).with(5, lines[4] as string)],
    ["an empty one inserted", "not_json", (lines) => lines.toSpliced(4, 0, "")],
    ["with the ends of lines of another system", "not_canonical", (lines) => lines.map((line) => `${line}\r`)],
  ])("lines %s: %s", async ([, kind, change]) => {
    const file = write("lines.jsonl", `${change(linesOf(at("events.jsonl"))).join("\n")}\n`);
    const told = await verify(["--file", file, "--json"]);
    expect(told.status).toBe(1);
    expect(kindsOf(JSON.parse(told.stdout) as Verdict)[0]).toBe(kind);
  });

  test("an end that was cut off is found by ledgers and anchors; without them a note says that it would not be", async () => {
    const lines = linesOf(at("events.jsonl")).slice(0, -3);
    const file = write("cut.jsonl", `${lines.join("\n")}\n`);
    const alone = await judged("--file", file);
    expect([alone.status, alone.closed]).toEqual([0, false]);
    expect(alone.notes.map(({ kind }) => kind)).toContain("open");
    expect(kindsOf(await judged("--file", file, "--proof", at("head.json")))).toEqual(["cut_tail"]);
    cpSync(at("export"), at("cut"), { recursive: true });
    writeFileSync(at("cut/.events.jsonl"), `${lines.join("\n")}\n`);
    expect(kindsOf(await judged("--file", at("cut")))).toEqual(["cut_tail", "ledger_extra", "ledger_extra"]);
    const torn = readFileSync(at("events.jsonl")).subarray(0, -7);
    expect(kindsOf(await judged("--file", write("torn.jsonl", torn)))).toEqual(["torn"]);
  });

  test("ledgers that say something else, or are gone, are found in a folder and in a bundle", async () => {
    cpSync(at("export"), at("ledgers"), { recursive: true });
    const exec = at("ledgers/ledger/exec.jsonl");
    writeFileSync(exec, readFileSync(exec, "utf8").replace("WO_STARTED", "WO_STARTEX"));
    expect(kindsOf(await judged("--file", at("ledgers")))).toEqual(["ledger_differs"]);
    rmSync(exec);
    expect(kindsOf(await judged("--file", at("ledgers")))).toEqual(["ledger_missing"]);
    const html = readFileSync(at("bundle.html"), "utf8");
    const from = html.indexOf('"evidence":[');
    const told = async (changed: string) => kindsOf(await judged("--file", write("ledger.html", changed)));
    expect(await told(html.slice(0, from) + html.slice(from).replace("WO_STARTED", "WO_STARTEX"))).toEqual([
      "ledger_differs",
    ]);
    expect(await told(`${html.slice(0, from)}"evidence":[]${html.slice(html.indexOf(',"proof":'))}`)).toEqual([
      "ledger_missing",
    ]);
    const again = `,${JSON.stringify(linesOf(at("export/ledger/exec.jsonl")).at(-1))}`;
    expect(await told(html.replace('],"evidence":[', `${again}],"evidence":[`))).toEqual(["ledger_extra"]);
  });

  test("a session written anew with fresh hashes is found by its proof", async () => {
    const forged = forge(linesOf(at("events.jsonl")), ({ type, payload }) =>
      type === "worker.report" ? { ...payload, output: "Hello, Mallory" } : payload,
    );
    const alone = await judged("--file", write("forged.jsonl", forged.events));
    expect([alone.status, alone.not_proved]).toEqual([0, ["ledgers", "anchors", "signature", "checkpoint"]]);
    cpSync(at("export"), at("forged"), { recursive: true });
    writeFileSync(at("forged/.events.jsonl"), forged.events);
    writeFileSync(at("forged/ledger/exec.jsonl"), forged.exec);
    writeFileSync(at("forged/ledger/evidence.jsonl"), forged.evidence);
    const found = await judged("--file", at("forged"), "--checkpoint", at("kept.json"));
    expect([found.status, kindsOf(found), found.proved]).toEqual([
      1,
      ["head_differs"],
      ["chain", "ledgers", "completeness"],
    ]);
  });

  test("everything written anew by whoever holds the signing key is found against the kept checkpoint, and by nothing else", async () => {
    const copy: SealedWorkspace = Object.create(auditor.owner, { root: { value: at("anew") } });
    cpSync(auditor.owner.root, copy.root, { recursive: true });
    const record = await readAnchors(auditor.owner.root, auditor.owner.key);
    putForged(
      copy,
      one,
      forge(linesOf(at("events.jsonl")), ({ type, payload }) =>
        type === "worker.report" ? { ...payload, output: "Hello, Mallory" } : payload,
      ),
    );
    const last = value(parseLine(linesOf(copy.file(one, ".events.jsonl")).at(-1) ?? ""));
    const heads = last.payload as unknown as { exec_head: string; evidence_head: string };
    rmSync(anchorFile(copy.root));
    const anchors = new AnchorLog({ root: copy.root, key: auditor.owner.key, clock: systemClock });
    for (const { kind: _, ...leaf } of record.leaves)
      value(
        await anchors.add(
          leaf.session_id === one && leaf.closed_at !== null
            ? { ...leaf, exec_head: heads.exec_head, evidence_head: heads.evidence_head, head_hash: last.hash }
            : leaf,
        ),
      );
    const bundle = (await cli(copy.root, "session", "export", one, "--bundle", "--out", "-")).stdout;
    const file = ["--file", write("anew.html", bundle), "--key", at("owner.pem")];
    expect((await judged(...file)).status).toBe(0);
    const told = await verify([...file, "--checkpoint", at("kept.json"), "--json"]);
    expect(told.status).toBe(1);
    expect(kindsOf(JSON.parse(told.stdout) as Verdict)).toEqual(["rewritten"]);
  });

  test("a proof that was tampered with does not vouch", async () => {
    const html = readFileSync(at("bundle.html"), "utf8");
    const from = html.indexOf(',"proof":');
    const told = async (name: RegExp, by: string) =>
      kindsOf(await judged("--file", write("proof.html", html.slice(0, from) + html.slice(from).replace(name, by))));
    expect(await told(/"ts":"20\d\d/, '"ts":"2019')).toEqual(["anchor_signature"]);
    expect(await told(/"leaf_index":\d+/, '"leaf_index":1')).toEqual(["anchor_root"]);
    expect(await told(/"leaf_index":\d+/, '"leaf_index":-1')).toEqual(["anchor_line"]);
    expect(await told(/"proof":\{/, '"proof":{{')).toEqual(["unreadable"]);
  });

  test("a page that shows something else than its record is told", async () => {
    const html = readFileSync(at("bundle.html"), "utf8");
    const lying = html.replace("showBundle(document, record, verifyBundle(record))", "showBundle(document, other)");
    expect(lying).not.toBe(html);
    const told = await verify(["--file", write("liar.html", lying), "--json"]);
    const { notes } = JSON.parse(told.stdout) as Verdict;
    expect([told.status, notes.map(({ kind }) => kind)]).toEqual([0, ["page_differs", "no_key", "no_checkpoint"]]);
    // A browser would read the second member of a name; here there is no second.
    const twice = html.replace(',"exec":[', ',"events":[],"exec":[');
    expect(kindsOf(await judged("--file", write("twice.html", twice)))).toEqual(["unreadable"]);
  });
});
