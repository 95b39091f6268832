/** The studio in a real browser (GOALS.md, row "studio"): how soon a long session is on the screen, and how it scrolls. */
import { fileURLToPath } from "node:url";
import { openBrowser } from "../test/support/browser.ts";
import { framesDuring, paintedAfter, recordFrames, scrollThrough, tasksDuring } from "../test/support/frames.ts";
import { longSession } from "../test/support/long-session.ts";
import { testServer } from "../test/support/server.ts";
import type { Bench, Contender } from "./harness.ts";

const long = 100_000;
const short = 100;

async function open(): Promise<{
  readonly visit: (length: number) => Promise<Visit>;
  readonly close: () => Promise<void>;
}> {
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
      await page.goto(`${server.server.url}/sessions/${sessions.get(length)}`, { waitUntil: "commit" });
      const painted = await paintedAfter(page);
      // The chain is proven beside it, in a worker, while somebody scrolls.
      const frames = await framesDuring(page, () => scrollThrough(page));
      const tasks = await tasksDuring(browser, page, () => scrollThrough(page, 20));
      const began = performance.now();
      await page
        .getByTestId("verification")
        .getByText(/^verified/)
        .waitFor();
      const proven = performance.now() - began;
      await page.close();
      return { painted, longest: Math.max(...frames), own: Math.max(...tasks), usual: middle(frames), proven };
    },
    async close() {
      await browser.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

interface Visit {
  readonly painted: number;
  readonly longest: number;
  /** Processor time of the longest task of the page's own thread: what a frame needs, however busy the machine is. */
  readonly own: number;
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
    ]);
    // One visit gives all figures; long and short take turns, the first of each is thrown away.
    for (let round = 0; round <= rounds; round++)
      for (const length of [long, short]) {
        const visit = await studio.visit(length);
        if (round > 0) visits.get(length)?.push(visit);
      }
    await studio.close();
    const taken = (length: number, figure: keyof Visit, name: string): Contender => {
      const values = (visits.get(length) ?? []).map((visit) => visit[figure]);
      return { name, role: "writ", sample: () => values.shift() ?? Number.NaN };
    };
    const limit = (name: string, ms: number): Contender => ({ name, role: "limit", sample: () => ms });
    const [longName, shortName] = [`${long} events`, `${short} events`];
    const common = { unit: "ms", rounds, warmups: 0 };
    return [
      {
        ...common,
        name: "from the navigation to the first event on the screen",
        contenders: [limit("a second", 1_000), taken(long, "painted", longName), taken(short, "painted", shortName)],
        goals: [{ contender: longName, over: "a second", ratio: 1, sense: "at most" }],
      },
      {
        ...common,
        name: "the longest frame while scrolling and jumping, the proof running beside it",
        contenders: [limit("50 ms", 50), taken(long, "longest", longName), taken(short, "longest", shortName)],
        goals: [{ contender: longName, over: "50 ms", ratio: 1, sense: "at most" }],
      },
      {
        ...common,
        name: "the page's longest task while scrolling and jumping, processor time",
        contenders: [limit("50 ms", 50), taken(long, "own", longName), taken(short, "own", shortName)],
        goals: [{ contender: longName, over: "50 ms", ratio: 1, sense: "at most" }],
      },
      {
        ...common,
        name: "the usual frame while scrolling",
        contenders: [
          limit("60 a second", 1_000 / 60),
          taken(long, "usual", longName),
          taken(short, "usual", shortName),
        ],
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
