// A bundle proves itself to somebody who has nothing of Writ: in a real browser, offline, from a file.
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { runInNewContext } from "node:vm";
import { gunzipSync } from "node:zlib";
import { type Browser, chromium } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type AnchorProofV1, shippedRegistry } from "#core/contracts";
import { isSessionId, type SessionId } from "#core/values";
import { loadVerifyingKey, readAnchors } from "#proof";
import { type Checkpoint, checkpointFile } from "../../src/proof/anchors/checkpoint.ts";
import { checkProof } from "../../src/proof/anchors/proof.ts";
import { type ProofBundle } from "../../src/proof/bundle/bundle.ts";
import type { PageDocument, PageElement } from "../../src/proof/bundle/page/show-bundle.ts";
import { verifyBundle } from "../../src/proof/bundle/page/verify-bundle.ts";
import { writeBundle } from "../../src/proof/bundle/write-bundle.ts";
import { sessionProof } from "../../src/proof/export/session-proof.ts";
import { value, writeGreeting } from "../support/greeting-session.ts";
import { type TestWorkspace, testWorkspace } from "../support/runtime-workspace.ts";
import { SealedWorkspace } from "../support/sealed-workspace.ts";

const place = mkdtempSync(join(tmpdir(), "writ-bundle-"));
const executablePath = "/usr/bin/chromium";
let workspace: TestWorkspace;
let html = "";
let bundle: ProofBundle;
const recordOf = (page: string): string => /id="bundle">(.*)<\/script>\n<script>/s.exec(page)?.[1] ?? "";
beforeAll(async () => {
  workspace = await testWorkspace();
  const { session_id } = await workspace.ask('greet <img src=x onerror="document.title=1"> and </script><b>Ada</b>');
  if (typeof session_id !== "string" || !isSessionId(session_id)) throw new Error("no session");
  const key = loadVerifyingKey(join(workspace.root, "planes/hot/keys/signing.pub.pem"));
  if (!key.ok) throw new Error(key.error.message);
  const { log, root } = workspace.runtime;
  const sources = { reader: log, root, key: key.value, version: "test", now: "2026-11-15T00:00:00.000Z" };
  const written = await writeBundle(session_id, sources, (text) => {
    html += text;
  });
  expect(written).toEqual({ ok: true, value: { isAnchored: true } });
  bundle = JSON.parse(recordOf(html)) as ProofBundle;
});
afterAll(async () => {
  await workspace[Symbol.asyncDispose]();
  rmSync(place, { recursive: true, force: true });
});

test("it verifies, and every part of it was looked at", () => {
  const { ok, checks } = verifyBundle(bundle);
  expect(checks.filter((check) => check.ok !== true)).toEqual([]);
  expect(ok).toBe(true);
  expect(checks.map(({ name }) => name)).toEqual([
    "events",
    "execution ledger",
    "evidence ledger",
    "ledgers",
    "close",
    "signature",
    "anchored head",
    "under the root",
  ]);
});

describe("a changed one does not", () => {
  const proof = () => bundle.proof as NonNullable<ProofBundle["proof"]>;
  const changed = (index: number, change: (line: string) => string) =>
    bundle.events.map((line, at) => (at === index ? change(line) : line));
  /** Never what was there: keys and signatures are drawn anew each time, and may begin with anything. */
  const otherwise = (text: string) => `${text.startsWith("A") ? "B" : "A"}${text.slice(1)}`;
  test.for<[string, () => Partial<ProofBundle>]>([
    [
      "a word of an event",
      () => ({ events: changed(3, (line) => line.replace(/"actor":"[^"]*"/, '"actor":"nobody"')) }),
    ],
    ["a space in an event", () => ({ events: changed(3, (line) => line.replace('":', '": ')) })],
    ["the last event cut off", () => ({ events: bundle.events.slice(0, -1) })],
    ["an event left out", () => ({ events: bundle.events.filter((_, at) => at !== 5) })],
    ["a ledger entry left out", () => ({ exec: bundle.exec.slice(0, -1) })],
    ["evidence left out", () => ({ evidence: bundle.evidence.slice(1) })],
    [
      "another signature",
      () => ({
        proof: {
          ...proof(),
          checkpoint: { ...proof().checkpoint, signature: otherwise(proof().checkpoint.signature) },
        },
      }),
    ],
    [
      "another time of the root",
      () => ({ proof: { ...proof(), checkpoint: { ...proof().checkpoint, ts: "2030-01-01T00:00:00.000Z" } } }),
    ],
    [
      "another root",
      () => ({ proof: { ...proof(), checkpoint: { ...proof().checkpoint, root_hash: "0".repeat(64) } } }),
    ],
    ["another session", () => ({ session_id: "SES-20261115-00000000000000000000" })],
  ])("%s", ([, change]) => {
    expect(verifyBundle({ ...bundle, ...change() }).ok).toBe(false);
  });
});

test("a page made for an older checkpoint shows that the root only adds to it", async () => {
  const sealed = new SealedWorkspace(45);
  const checkpoints: Checkpoint[] = [];
  let last: SessionId | undefined;
  for (let number = 1; number <= 7; number++) {
    ({ session_id: last } = await writeGreeting(sealed.log, { name: `Ada ${number}` }));
    const newest = (await readAnchors(sealed.root, sealed.key)).checkpoints.at(-1);
    if (newest) checkpoints.push(checkpointFile(newest, sealed.key));
  }
  expect(checkpoints.map(({ tree_size }) => tree_size)).toEqual([1, 2, 3, 4, 5, 6, 7]);
  const empty = { ...bundle, events: [], exec: [], evidence: [] }; // each look takes two signatures' time as it is
  const told = (proof: AnchorProofV1) =>
    verifyBundle({ ...empty, proof }).checks.find(({ name }) => name === "since the checkpoint");
  const proofs = new Map<number, AnchorProofV1>();
  for (const since of checkpoints.filter(({ tree_size }) => [1, 6, 7].includes(tree_size))) {
    const sources = { reader: sealed.log, root: sealed.root, key: sealed.key, since };
    const proof = value(await sessionProof(last as SessionId, sources)) as AnchorProofV1;
    expect(checkProof(proof, shippedRegistry()).ok).toBe(true);
    expect(told(proof)).toMatchObject({ ok: true, detail: expect.stringContaining(`over ${since.tree_size} head`) });
    proofs.set(since.tree_size, proof);
  }
  await sealed.shut();
  sealed.remove();

  const proof = proofs.get(6) as AnchorProofV1;
  const consistency = proof.consistency as NonNullable<AnchorProofV1["consistency"]>;
  const zero = "0".repeat(64);
  const forged = [
    { ...consistency, since: checkpoints[4] as Checkpoint },
    { ...consistency, hashes: [...consistency.hashes, zero] },
    { ...consistency, hashes: consistency.hashes.with(0, zero) },
  ];
  for (const each of forged) expect(told({ ...proof, consistency: each })).toMatchObject({ ok: false });
});

/** The page's own program, with nothing at hand but the language and what every browser has. */
function verdictOf(page: string): string | undefined {
  const script = /<\/script>\n<script>(.*)<\/script>\n<\/body>/s.exec(page)?.[1] ?? "";
  const hash = createHash("sha256").update(script).digest("base64");
  expect(page).toContain(`script-src 'sha256-${hash}'`);
  const element = (): PageElement => ({ textContent: "", className: "", append: () => undefined });
  const dataset: Record<string, string> = {};
  const document: PageDocument = {
    documentElement: { dataset },
    createElement: element,
    getElementById: (id) => (id === "bundle" ? { ...element(), textContent: recordOf(page) } : element()),
  };
  runInNewContext(script, { document, TextEncoder, atob });
  return dataset["verdict"];
}

test("its program needs nothing from elsewhere, and its policy names exactly this program", () => {
  expect(verdictOf(html)).toBe("ok");
  expect(verdictOf(html.replace("wo.started", "wo.startex"))).toBe("broken");
});

test("what is no hash, key or signature proves nothing, and the page still gives its verdict", () => {
  const { proof } = bundle;
  if (!proof?.inclusion) throw new Error("not anchored");
  const failing = (changed: Partial<AnchorProofV1>) =>
    verifyBundle({ ...bundle, proof: { ...proof, ...changed } })
      .checks.filter(({ ok }) => ok === false)
      .map(({ name }) => name);
  for (const signature of ["", "%", proof.checkpoint.signature.slice(4)])
    expect(failing({ checkpoint: { ...proof.checkpoint, signature } })).toEqual(["signature"]);
  for (const public_key of ["", "-----BEGIN PUBLIC KEY-----\n%\n-----END PUBLIC KEY-----"])
    expect(failing({ checkpoint: { ...proof.checkpoint, public_key } })).toEqual(["signature"]);
  expect(failing({ inclusion: { ...proof.inclusion, hashes: ["no hash"] } })).toEqual(["under the root"]);
});

test("a page of an earlier Writ still verifies: by itself, by this program and by the command", async () => {
  const packed = new URL("../fixtures/proof-page/before-0.2.html.gz", import.meta.url);
  const page = gunzipSync(readFileSync(packed)).toString("utf8");
  expect(verdictOf(page)).toBe("ok");
  expect(verifyBundle(JSON.parse(recordOf(page)) as ProofBundle)).toMatchObject({ ok: true });
  const { writ } = await import("../support/writ.ts");
  const told = await writ(["session", "verify", "--file", fileURLToPath(packed), "--json"], { cwd: place });
  const { ok, notes } = JSON.parse(told.stdout) as { ok: boolean; notes: readonly { kind: string }[] };
  expect([told.status, ok, notes.map(({ kind }) => kind)]).toEqual([
    0,
    true,
    ["page_differs", "no_key", "no_checkpoint"],
  ]);
});

describe.skipIf(!existsSync(executablePath))("in Chromium, offline, from a file", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  });
  afterAll(() => browser.close());
  const open = async (name: string, html: string) => {
    const file = join(place, name);
    writeFileSync(file, html);
    const context = await browser.newContext({ offline: true });
    const page = await context.newPage();
    const requests: string[] = [];
    const errors: string[] = [];
    page.on("request", (request) => requests.push(request.url()));
    page.on("pageerror", (error) => errors.push(error.message));
    await page.goto(pathToFileURL(file).href);
    const verdict = await page.locator("html").getAttribute("data-verdict", { timeout: 60_000 });
    const text = await page.locator("#verdict").innerText();
    const title = await page.title();
    await context.close();
    return { verdict, text, title, errors, requests };
  };

  test("the real one verifies; nothing in it runs but its own program, and nothing is asked for", async () => {
    const shown = await open("real.html", html);
    expect(shown).toMatchObject({ verdict: "ok", errors: [], title: `Proof of ${bundle.session_id}` });
    expect(shown.text).toContain("This record verifies.");
    expect(shown.text).toContain(bundle.proof?.checkpoint.key_id);
    expect(shown.requests).toHaveLength(1);
  });

  test("one byte of the file changed, and it does not", async () => {
    const at = html.indexOf("wo.started");
    const shown = await open("changed.html", `${html.slice(0, at)}wo.startex${html.slice(at + 10)}`);
    expect(shown.verdict).toBe("broken");
    expect(shown.text).toContain("does NOT verify");
  });
});

test("the command writes it, over nothing", async () => {
  const { writ } = await import("../support/writ.ts");
  const { built } = await import("../support/built.ts");
  built();
  const out = join(place, "by-command.html");
  const args = ["session", "export", bundle.session_id, "--bundle", "--out", out];
  expect((await writ(args, { cwd: workspace.root })).status).toBe(0);
  expect(readFileSync(out, "utf8")).toContain("writ-proof-bundle");
  expect((await writ(args, { cwd: workspace.root })).status).toBe(2);
});
