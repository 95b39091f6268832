/** The studio in a real browser (GOALS.md, row "studio"): how soon a long session is on the screen, and how it scrolls. */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser } from "playwright-core";
import { openBrowser } from "../test/support/browser.ts";
import { frameCosts, framesDuring, paintedAfter, recordFrames, scrollThrough } from "../test/support/frames.ts";
import { longSession } from "../test/support/long-session.ts";
import { testServer } from "../test/support/server.ts";
import type { Bench, Contender } from "./harness.ts";

const launcher = fileURLToPath(new URL("../bin/writ.js", import.meta.url));
const long = 100_000;
const short = 100;
/** A list as high as the long session's with nothing in it: what this browser on this machine needs by itself. */
const nothing = 0;
const emptyPage = `<!doctype html><div role="listbox" aria-label="Events" style="height: 600px; overflow: auto"><i role="option"></i><div style="height: 2800000px"></div></div>`;

interface Studio {
  visit(length: number): Promise<Visit>;
  demo(): Promise<number>;
  close(): Promise<void>;
}

async function open(): Promise<Studio> {
  const server = await testServer({ studio: fileURLToPath(new URL("../dist/studio", import.meta.url)) });
  const { workspace } = server;
  const model = await workspace.events((await workspace.ask("greet Ada")).session_id);
  const sessions = new Map<number, string>();
  for (const length of [short, long]) sessions.set(length, await longSession(workspace.runtime.log, model, length));
  const browser = await openBrowser();
  return {
    async visit(length) {
      const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
      page.setDefaultTimeout(120_000);
      await recordFrames(page);
      await page.route("**/nothing", (route) => route.fulfill({ contentType: "text/html", body: emptyPage }));
      const path = length === nothing ? "/nothing" : `/sessions/${sessions.get(length)}`;
      await page.goto(`${server.server.url}${path}`, { waitUntil: "commit" });
      const painted = await paintedAfter(page);
      // The chain is proven beside it, in a worker, while somebody scrolls.
      const frames = await framesDuring(page, () => scrollThrough(page));
      const costs = await frameCosts(browser, page, () => scrollThrough(page, 20));
      const began = performance.now();
      if (length !== nothing)
        await page
          .getByTestId("verification")
          .getByText(/^verified/)
          .waitFor();
      const proven = performance.now() - began;
      await page.close();
      return { painted, longest: Math.max(...frames), cost: Math.max(...costs), usual: middle(frames), proven };
    },
    demo: () => demo(browser),
    async close() {
      await browser.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

/** Milliseconds from the command in an empty folder until the page shows its first request, done. */
async function demo(browser: Browser): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "writ-bench-demo-"));
  const began = performance.now();
  const child = spawn(process.execPath, [launcher, "up", "--demo", "--port", "0", "--json"], {
    cwd: folder,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const gone = new Promise((resolve) => child.once("exit", resolve));
  const said = await new Promise<string>((resolve) => child.stdout.once("data", (text) => resolve(String(text))));
  const page = await browser.newPage();
  await page.goto((JSON.parse(said) as { url: string }).url);
  await page.getByRole("link", { name: "greet Ada" }).first().waitFor();
  const took = performance.now() - began;
  await page.close();
  child.kill("SIGINT");
  await gone;
  rmSync(folder, { recursive: true, force: true });
  return took;
}

interface Visit {
  readonly painted: number;
  readonly longest: number;
  /** Processor time of the dearest frame, of all threads that draw it: what a frame needs, however busy the machine is. */
  readonly cost: number;
  readonly usual: number;
  /** How long the proof still took after the scrolling. */
  readonly proven: number;
}

const rounds = 3;

export const bench: Bench = {
  title: "studio: a session of 100,000 events in Chromium",
  peers: false,
  async measures() {
    const studio = await open();
    const visits = new Map<number, Visit[]>([
      [long, []],
      [short, []],
      [nothing, []],
    ]);
    // One visit gives all figures; they take turns, the first of each is thrown away.
    for (let round = 0; round <= rounds; round++)
      for (const length of [long, short, nothing]) {
        const visit = await studio.visit(length);
        if (round > 0) visits.get(length)?.push(visit);
      }
    const demos: number[] = [];
    for (let round = 0; round < rounds; round++) demos.push(await studio.demo());
    await studio.close();
    const taken = (length: number, figure: keyof Visit, name: string): Contender => {
      const values = (visits.get(length) ?? []).map((visit) => visit[figure]);
      return { name, role: "writ", sample: () => values.shift() ?? Number.NaN };
    };
    const limit = (name: string, ms: number): Contender => ({ name, role: "limit", sample: () => ms });
    const [longName, shortName, emptyName] = [`${long} events`, `${short} events`, "an empty list, as high"];
    const frames = (figure: keyof Visit) => [
      taken(long, figure, longName),
      taken(short, figure, shortName),
      { ...taken(nothing, figure, emptyName), role: "limit" as const },
    ];
    const common = { unit: "ms", rounds, warmups: 0 };
    const shown = "the page shows a finished request";
    return [
      {
        ...common,
        name: "`writ up --demo` in an empty folder",
        contenders: [
          limit("ten seconds", 10_000),
          { name: shown, role: "writ", sample: () => demos.shift() ?? Number.NaN },
        ],
        goals: [{ contender: shown, over: "ten seconds", ratio: 1, sense: "at most" }],
      },
      {
        ...common,
        name: "from the navigation to the first event on the screen",
        contenders: [limit("a second", 1_000), taken(long, "painted", longName), taken(short, "painted", shortName)],
        goals: [{ contender: longName, over: "a second", ratio: 1, sense: "at most" }],
      },
      {
        ...common,
        name: "the longest frame while scrolling and jumping, the proof running beside it",
        contenders: [limit("50 ms", 50), ...frames("longest")],
        goals: [{ contender: longName, over: "50 ms", ratio: 1, sense: "at most" }],
      },
      {
        ...common,
        name: "the dearest frame while scrolling and jumping, processor time of all threads that draw it",
        contenders: [limit("50 ms", 50), ...frames("cost")],
        goals: [{ contender: longName, over: "50 ms", ratio: 1, sense: "at most" }],
      },
      {
        ...common,
        name: "the usual frame while scrolling",
        contenders: [limit("60 a second", 1_000 / 60), ...frames("usual")],
        goals: [],
      },
      {
        ...common,
        name: "until all is proven, after the scrolling",
        contenders: [taken(long, "proven", longName), taken(short, "proven", shortName)],
        goals: [],
      },
    ];
  },
};

function middle(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
