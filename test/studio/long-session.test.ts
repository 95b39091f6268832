import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { systemClock } from "#core/values";
import type { EventInput } from "#log";
import { openBrowser, watch } from "../support/browser.ts";
import { paintedAfter, recordFrames, scrollThrough } from "../support/frames.ts";
import { longSession } from "../support/long-session.ts";
import { must, said } from "../support/real-log.ts";
import { type TestServer, testServer } from "../support/server.ts";
import { repository } from "../support/writ.ts";

const length = 100_000;
let server: TestServer;
let browser: Browser;
let page: Page;
let session: string;
let wrong: readonly string[];
/** The workspace's clock goes on by this where a test lets nothing happen for hours. */
let later = 0;
/** What the page asked the server for, beside its own files. */
const asked: string[] = [];

beforeAll(async () => {
  const clock = { ...systemClock, now: () => systemClock.now() + later };
  server = await testServer({ studio: `${repository}dist/studio`, clock });
  const { workspace } = server;
  const model = await workspace.events((await workspace.ask("greet Ada")).session_id);
  session = await longSession(workspace.runtime.log, model, length);
  browser = await openBrowser();
  page = await browser.newPage({ viewport: { width: 1280, height: 720 } });
  page.setDefaultTimeout(60_000);
  wrong = watch(page, server.server.url);
  page.on("request", (request) => {
    const { pathname, search } = new URL(request.url());
    if (pathname.startsWith("/api/v1/sessions/")) asked.push(`${pathname.split("/").at(-1)}${search}`);
  });
  await recordFrames(page);
});
afterAll(async () => {
  await browser?.close();
  await server?.[Symbol.asyncDispose]();
});

const rowsDrawn = () => page.getByRole("option").count();

/** How many rows the page makes meanwhile, each time that it makes one. */
async function rowsDrawnDuring(act: () => Promise<void>): Promise<number> {
  const list = page.getByRole("listbox", { name: "Events" });
  await list.evaluate((box) => {
    const view = box.ownerDocument.defaultView;
    view.rowsMade = 0;
    new view.MutationObserver((changes: readonly { addedNodes: { length: number } }[]) => {
      for (const { addedNodes } of changes) view.rowsMade += addedNodes.length;
    }).observe(box, { childList: true, subtree: true });
  });
  await act();
  return list.evaluate((box) => box.ownerDocument.defaultView.rowsMade);
}

// The figures of GOALS.md (first paint under a second, no frame above 50 ms) are measured by `npm run bench -- studio`.
// Here it is judged by what is asked for, drawn and held back, which no machine does faster or slower than another.
describe(`a session of ${length} events feels like one of 100`, () => {
  test("the first screen needs one answer, and is painted before anything is added up", async () => {
    // What adds the session up, and what proves it, is held back: the first screen must not wait for either.
    let letGo = () => {};
    const shown = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    await page.route(/\/api\/v1\/sessions\/[^/]+\/(?:outline|lines|events)/, async (route) => {
      await shown;
      await route.continue();
    });
    await page.goto(`${server.server.url}/sessions/${session}`);
    await paintedAfter(page);
    expect(await rowsDrawn()).toBeGreaterThan(10);
    expect(await page.getByText("Adding up 100,000 events").count()).toBe(1);
    letGo();
    await page.unrouteAll({ behavior: "wait" });
    expect(asked.slice(0, asked.indexOf("outline")).filter((path) => !/^(lines|stream)/.test(path))).toEqual([
      "opening",
    ]);
    await page.getByText("Hello, Ada", { exact: true }).first().waitFor();
    await page.getByText(`${length.toLocaleString("en")} events`, { exact: true }).waitFor();
  });

  test("scrolling draws and fetches only what is looked at, while the chain is proven beside it", async () => {
    const drawn = await rowsDrawnDuring(() => scrollThrough(page, 15));
    // The wheel passes about 260 rows and the bar jumps to six places; the whole session would be 100,000.
    expect(drawn).toBeGreaterThan(100);
    expect(drawn).toBeLessThan(3_000);
    expect(await rowsDrawn()).toBeLessThan(100);
    // About 13 places were looked at; the whole session would be 400 pages.
    expect(asked.filter((path) => path.startsWith("events")).length).toBeLessThan(40);
    expect(page.workers()).toHaveLength(1);
  });

  test("the last event is a key or a drag away, and has its address", async () => {
    await page.getByRole("listbox", { name: "Events" }).evaluate((box) => {
      box.scrollTop = box.scrollHeight;
    });
    await page.getByRole("option").filter({ hasText: "closed, all well" }).click();
    expect(page.url()).toContain(`event=${length}`);
    await page.goto(`${server.server.url}/sessions/${session}?event=54321`);
    await page
      .getByText(/ #54321$/)
      .last()
      .waitFor();
    await page.locator('[role="option"][aria-selected="true"]').waitFor();
    await page.keyboard.press("j");
    await page
      .getByText(/ #54322$/)
      .last()
      .waitFor();
    expect(await rowsDrawn()).toBeLessThan(100);
  });

  test("a filter reads on as far as somebody scrolls, not the whole session", async () => {
    const before = asked.length;
    await page.getByRole("button", { name: "tools", exact: true }).click();
    await page.getByText(/^500\+ of 100,000$/).waitFor();
    expect(asked.slice(before).filter((path) => path.includes("among="))).toHaveLength(1);
  });

  test("the proof gives way to whoever scrolls, and all of it is proven in this browser", async () => {
    await page
      .getByTestId("verification")
      .getByText(`verified, ${length.toLocaleString("en")} events`)
      .waitFor();
    expect(wrong).toEqual([]);
  });
});

describe("a session in which nothing happened for hours", () => {
  const minutes = (count: number) => count * 60_000;
  const decided: EventInput<"approval.decided"> = {
    type: "approval.decided",
    actor: "ada@example.org",
    payload: {
      approval_id: `APR-${"0".repeat(32)}`,
      kind: "tool_call",
      subject_hash: "0".repeat(64),
      author: "root@local",
      choice: "approve",
      by: "ada@example.org",
      reason: "",
      decided_at: "2026-11-15T12:00:00.000Z",
    },
  };

  test("each wait is one line that says how long and for what, in every view; a short one is none", async () => {
    const { workspace } = server;
    const model = await workspace.events((await workspace.ask("greet Ada")).session_id);
    const kept = model.filter(({ type }) => type === "session.start" || type === "lead.directive");
    const log = must(await workspace.runtime.log.create({ tier: "ho1" }));
    const append = async (event: EventInput) => must(await log.append(event));
    for (const { type, actor, payload } of kept) await append({ type, actor, payload } as EventInput);
    later += minutes(134);
    await append(decided);
    later += minutes(3);
    await append(said("late"));
    later += 30_000;
    must(await log.close({ ok: true, status: "success" }));
    const folds = page.locator(".timeline-fold");
    for (const [view, told] of [
      ["story", ["2 h 14 min waiting for approval", "3 min 30 s nothing happened"]],
      ["all", ["2 h 14 min waiting for approval", "3 min 0 s nothing happened"]],
    ] as const) {
      await page.goto(`${server.server.url}/sessions/${log.session_id}?view=${view}`);
      await page.getByText(told[1]).waitFor();
      expect(await folds.allInnerTexts()).toEqual(told);
    }
    // A wait of hours takes a line's height: the row before it ends where it begins, the row it led to begins below it.
    const box = async (of: string) => {
      const found = await page.locator(of).boundingBox();
      if (!found) throw new Error(`${of} is not on the screen`);
      return found;
    };
    const [before, fold, after] = [await box("#event-2"), await box(".timeline-fold >> nth=0"), await box("#event-3")];
    expect([fold.height, fold.y - before.y, after.y - fold.y]).toEqual([24, 28, 24]);
  });
});
