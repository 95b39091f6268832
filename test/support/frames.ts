import type { Browser, Page } from "playwright-core";

/** Runs in the page: when the first row was painted, and how long each frame took while somebody asked for them. */
const record = `
  const state = { painted: 0, frames: [], on: false };
  globalThis.writFrames = state;
  let last = 0;
  const look = (now) => {
    if (state.on && last > 0) state.frames.push(now - last);
    last = now;
    // This frame draws it; the next one begins when it is on the screen.
    if (state.painted === 0 && document.querySelector('[role="option"]'))
      requestAnimationFrame(() => {
        state.painted ||= performance.now();
      });
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
`;

interface Recorded {
  painted: number;
  frames: number[];
  on: boolean;
}

export async function recordFrames(page: Page): Promise<void> {
  await page.addInitScript({ content: record });
}

/** Milliseconds from the start of the navigation until the first event was on the screen. */
export async function paintedAfter(page: Page): Promise<number> {
  const painted = await page.waitForFunction(
    () => (globalThis as unknown as { writFrames: Recorded }).writFrames.painted,
  );
  return painted.jsonValue();
}

/** The times between frames while this happens. */
export async function framesDuring(page: Page, act: () => Promise<void>): Promise<readonly number[]> {
  await page.evaluate(() => {
    const state = (globalThis as unknown as { writFrames: Recorded }).writFrames;
    state.frames = [];
    state.on = true;
  });
  await act();
  return page.evaluate(() => {
    const state = (globalThis as unknown as { writFrames: Recorded }).writFrames;
    state.on = false;
    return state.frames;
  });
}

/** Through a timeline as a reader goes: by the wheel, then by dragging the bar to places far apart, then by the wheel again. */
export async function scrollThrough(page: Page, wheels = 40): Promise<void> {
  const list = page.getByRole("listbox", { name: "Events" });
  await list.hover();
  for (let turn = 0; turn < wheels; turn++) {
    await page.mouse.wheel(0, 240);
    await page.waitForTimeout(16);
  }
  for (const share of [0.25, 0.5, 0.9, 0.1, 1, 0.75]) {
    await list.evaluate((box, part) => {
      box.scrollTop = part * box.scrollHeight;
    }, share);
    await page.waitForTimeout(120);
  }
  for (let turn = 0; turn < wheels; turn++) {
    await page.mouse.wheel(0, -240);
    await page.waitForTimeout(16);
  }
}

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  /** Microseconds. */
  readonly ts: number;
  /** Microseconds of processor time. */
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

/** Who draws a frame: the page's own thread, the one that scrolls, those that paint tiles, the one that puts them together. */
const drawing: ReadonlySet<string> = new Set([
  "CrRendererMain",
  "Compositor",
  "ThreadPoolForegroundWorker",
  "VizCompositorThread",
]);

/**
 * Milliseconds of processor time that each frame took meanwhile, of all threads that draw it. On a busy machine a frame is
 * late because others were at work; what the page itself needed for it does not change.
 */
export async function frameCosts(browser: Browser, page: Page, act: () => Promise<void>): Promise<readonly number[]> {
  await browser.startTracing(page, { categories: ["toplevel", "__metadata", "devtools.timeline"] });
  await act();
  const trace = JSON.parse((await browser.stopTracing()).toString("utf8")) as { traceEvents: readonly TraceEvent[] };
  const threads = new Set(
    trace.traceEvents
      .filter(({ name, args }) => name === "thread_name" && drawing.has(args?.name ?? ""))
      .map(({ pid, tid }) => `${pid} ${tid}`),
  );
  const begins = trace.traceEvents
    .filter(({ name }) => name === "FireAnimationFrame")
    .map(({ ts }) => ts)
    .sort((a, b) => a - b);
  const costs = begins.map(() => 0);
  for (const { name, ph, pid, tid, ts, tdur = 0 } of trace.traceEvents) {
    // A task of the thread's loop; those of the pool have a name of their own.
    if (ph !== "X" || !/^(?:ThreadControllerImpl::|ThreadPool_)RunTask$/.test(name)) continue;
    const frame = begins.findLastIndex((begin) => begin <= ts);
    if (frame >= 0 && threads.has(`${pid} ${tid}`)) costs[frame] = (costs[frame] ?? 0) + tdur / 1_000;
  }
  return costs;
}
