// What an auditor may be handed instead of a session: something else, something damaged, something without end.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { Readable } from "node:stream";
import { createGzip, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { canonicalJson, type SessionId } from "#core/values";
import { parseLine } from "#log";
import { sealLine, unsealedLine } from "../../src/log/line.ts";
import { Auditor, linesOf, type Verdict } from "../support/auditor.ts";
import { bareEnvironment } from "../support/bare-environment.ts";
import { cli } from "../support/cli.ts";
import { value } from "../support/greeting-session.ts";
import { repository } from "../support/writ.ts";

let auditor: Auditor;
let one: SessionId;
beforeAll(async () => {
  auditor = await Auditor.create();
  [one] = auditor.sessions;
});
afterAll(() => auditor[Symbol.asyncDispose]());
const at = (name: string) => auditor.at(name);
const write: Auditor["write"] = (name, content) => auditor.write(name, content);
const verify: Auditor["verify"] = (argv, more) => auditor.verify(argv, more);
const judged: Auditor["judged"] = (...argv) => auditor.judged(...argv);

describe("what is no record, or one without end", () => {
  const refused = async (argv: readonly string[], input?: Iterable<Uint8Array> | AsyncIterable<Uint8Array>) => {
    const isPiped = argv.includes("-");
    const told = isPiped
      ? await verify(argv, input ? { input } : {})
      : await cli(auditor.empty, "session", "verify", ...argv);
    expect(told.status, told.stdout + told.stderr).toBe(2);
    expect(told.stderr).not.toContain("    at ");
    return told.stderr;
  };

  test("something else, nothing, an archive, a folder, a device and a file that is not there are told as that", async () => {
    expect(await refused(["--file", at("kept.json")])).toContain("no exported session");
    expect(await refused(["--file", write("nothing", "")])).toContain("is empty");
    expect(await refused(["--file", write("a.zip", "PK\u0003\u0004 …")])).toContain("zip");
    expect(await refused(["--file", write("page.html", "<!doctype html><p>Hello")])).toContain(
      "a page without a record",
    );
    expect(await refused(["--file", auditor.empty])).toContain("a folder without a session");
    expect(await refused(["--file", "/dev/null"])).toContain("no regular file");
    expect(await refused(["--file", at("not-there")])).toContain("there is no file");
    expect(await refused(["--file", "-"])).toContain("is empty");
  });

  test("wrong usage names the way out", async () => {
    expect(await refused(["--key", at("owner.pem")])).toContain("--key goes with --file");
    expect(await refused(["--all", "--file", at("export")])).toContain("not both");
    expect(await refused(["last", "--file", at("export")])).toContain("named in full");
    expect(await refused(["--file", at("export"), "--key", at("kept.json")])).toContain("no public key");
    expect(await refused(["--file", at("export"), "--proof", at("events.jsonl")])).toContain("not JSON");
  });

  test("names that lead elsewhere lead nowhere", async () => {
    const html = readFileSync(at("bundle.html"), "utf8");
    const traversal = html.replace(`"session_id":"${one}","events"`, '"session_id":"../../../etc/SES","events"');
    expect(await refused(["--file", write("traversal.html", traversal)])).toContain("no id of a session");
    cpSync(at("export"), at("linked"), { recursive: true });
    rmSync(at("linked/.events.jsonl"));
    symlinkSync(at("events.jsonl"), at("linked/.events.jsonl"));
    const told = await verify(["--file", at("linked")]);
    expect([told.status, told.stderr.includes("symbolic link")]).toEqual([1, true]);
  });

  test("a cut bundle and a cut gzip are findings, wherever they were cut", async () => {
    const html = readFileSync(at("bundle.html"));
    const begin = html.indexOf('"events":[') + 10;
    const end = html.lastIndexOf("</script>\n<script>");
    for (let length = begin; length <= end; length += 1_999) {
      const { status, violations } = await judged("--file", write("cut.html", html.subarray(0, length)));
      expect([length, status, violations.at(-1)?.kind]).toEqual([length, 1, "unreadable"]);
    }
    const packed = gzipSync(readFileSync(at("events.jsonl")));
    const { status, violations } = await judged("--file", write("cut.gz", packed.subarray(0, -9)));
    expect([status, violations[0]?.kind]).toEqual([1, "unreadable"]);
  });

  const flood = function* (first: Uint8Array, piece: Uint8Array, pieces: number) {
    yield first;
    for (let n = 0; n < pieces; n++) yield piece;
  };
  /** Gigabytes as a file of a megabyte; nobody waits for all of it. */
  const bomb = (first: string, piece: string) =>
    Readable.from(flood(Buffer.from(first), Buffer.from(piece.repeat(1024 * 1024)), 4_000)).pipe(
      createGzip({ level: 1 }),
    );

  test("a line without end is refused before it fills the memory", async () => {
    const [first = ""] = linesOf(at("events.jsonl"));
    const endless = flood(Buffer.from(`${first}\n{"actor":"`), Buffer.alloc(1024 * 1024, "x"), 4_000);
    const told = await verify(["--file", "-", "--json"], { input: endless });
    expect(told.status).toBe(1);
    expect((JSON.parse(told.stdout) as Verdict).violations).toMatchObject([
      { kind: "unreadable", message: "line 2 is longer than 64 MiB, which no event is" },
    ]);
  });

  test("a gzip that expands without end is refused as soon as it shows what it is", async () => {
    const html = readFileSync(at("bundle.html"), "utf8");
    expect(await refused(["--file", "-"], bomb("", "\0"))).toContain("something else");
    expect(await refused(["--file", "-"], bomb("<!doctype html>", " "))).toContain("a page without a record");
    const events = await verify(["--file", "-"], { input: bomb(`${linesOf(at("events.jsonl"))[0]}\n`, "\n") });
    expect([events.status, events.stdout.includes("(not_json)")]).toEqual([1, true]);
    const upTo = html.slice(0, html.indexOf(',"exec":[') + 9);
    const bundle = await verify(["--file", "-"], { input: bomb(upTo, '"",') });
    expect([bundle.status, bundle.stdout.includes("(ledger_differs)")]).toEqual([1, true]);
    const proof = await verify(["--file", "-"], { input: bomb(html.slice(0, html.indexOf(',"proof":') + 9), "[") });
    expect([proof.status, proof.stdout.includes("(unreadable)")]).toEqual([1, true]);
  });

  test("a long record is not held: hundreds of megabytes take as much memory as a few", async () => {
    const peak = async (reports: number) => {
      const node = [
        "--import",
        "data:text/javascript,process.on('exit',()=>console.error('peak',process.resourceUsage().maxRSS))",
      ];
      const told = await verify(["--file", "-", "--json"], { input: longRecord(reports), node });
      expect((JSON.parse(told.stdout) as Verdict).events, told.stderr).toBe(reports + 4);
      return Number(/^peak (\d+)$/m.exec(told.stderr)?.[1]) / 1024;
    };
    const [few, many] = [await peak(500), await peak(6_500)];
    expect(many - few).toBeLessThan(70);
  });

  /** The beginning of the session, and then a worker that reports 20 kilobytes, again and again. */
  function* longRecord(reports: number): Generator<Uint8Array> {
    const entries = linesOf(at("events.jsonl")).map((line) => value(parseLine(line)));
    const report = entries.find(({ type }) => type === "worker.report");
    if (!report) throw new Error("nobody reports");
    const json = canonicalJson({ ...report.payload, output: "x".repeat(20_000) });
    const begin = entries.slice(0, 4).map((entry) => ({ ...entry, json: canonicalJson(entry.payload) }));
    let head = { seq: 0, hash: "0".repeat(64) };
    for (let n = 0; n < reports + begin.length; n++) {
      const line = begin[n] ?? { ...report, json };
      const sealed = sealLine(unsealedLine(line, { session_id: one, seq: head.seq + 1, prev_hash: head.hash }));
      head = { seq: head.seq + 1, hash: sealed.hash };
      yield Buffer.from(`${sealed.text}\n`);
    }
  }
});

test("Ctrl-C ends it, also while it waits for what is piped in", async () => {
  const child = spawn(process.execPath, [`${repository}bin/writ.js`, "session", "verify", "--file", "-"], {
    cwd: auditor.empty,
    env: bareEnvironment(),
    stdio: ["pipe", "pipe", "pipe"],
  });
  child.stdin.on("error", () => undefined);
  // More than a pipe holds: when it is taken, the command reads.
  await new Promise((taken) =>
    child.stdin.write(Buffer.concat([readFileSync(at("events.jsonl")), Buffer.alloc(2 ** 20, " ")]), taken),
  );
  child.kill("SIGINT");
  const [status] = (await once(child, "close")) as [number | null];
  expect(status).toBe(130);
});
