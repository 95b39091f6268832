import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openBrowser, watch } from "../support/browser.ts";
import { longSession } from "../support/long-session.ts";
import { type TestServer, testServer } from "../support/server.ts";
import { repository } from "../support/writ.ts";

/** A few more than are shown at first. */
const made = 206;
let server: TestServer;
let browser: Browser;
let page: Page;
let wrong: readonly string[];

beforeAll(async () => {
  server = await testServer({ studio: `${repository}dist/studio` });
  const { workspace } = server;
  const model = await workspace.events((await workspace.ask("greet Ada")).session_id);
  await Promise.all(Array.from({ length: made - 1 }, () => longSession(workspace.runtime.log, model, 4)));
  browser = await openBrowser();
  page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  page.setDefaultTimeout(10_000);
  wrong = watch(page, server.server.url);
});
afterAll(async () => {
  await browser?.close();
  await server?.[Symbol.asyncDispose]();
});

test("more sessions come below those that are shown, and the reader stays where they are", async () => {
  await page.goto(`${server.server.url}/sessions`);
  const rows = page.getByRole("row");
  await expect.poll(() => rows.count()).toBe(201); // and the head
  await page.getByText(`The newest 200 of ${made}.`).waitFor();
  const last = rows.nth(200);
  await page.getByRole("button", { name: "Show more" }).scrollIntoViewIfNeeded();
  const before = (await last.boundingBox())?.y;
  // A list that goes away while it is read again takes the reader back to its beginning.
  let gone = false;
  await page.exposeFunction("listGone", () => void (gone = true));
  await page.getByRole("table").evaluate((table) => {
    const view = table.ownerDocument.defaultView;
    new view.MutationObserver(() => table.isConnected || view.listGone()).observe(table.ownerDocument.body, {
      childList: true,
      subtree: true,
    });
  });
  await page.getByRole("button", { name: "Show more" }).press("Enter");
  await expect.poll(() => rows.count()).toBe(made + 1);
  expect(gone).toBe(false);
  expect((await last.boundingBox())?.y).toBe(before);
  expect(await page.getByRole("button", { name: "Show more" }).count()).toBe(0);
  expect(page.url()).toContain("shown=400");
  // Into one of them and back again.
  await last.getByRole("link").click();
  await page.waitForURL(/sessions\/SES-/);
  await page.getByRole("listbox", { name: "Events" }).waitFor();
  await page.goBack();
  await expect.poll(() => rows.count()).toBe(made + 1);
  await expect.poll(async () => (await last.boundingBox())?.y).toBe(before);
  expect(wrong).toEqual([]);
});

test("enter presses the button that is focused, and opens the row that was moved to", async () => {
  await page.goto(`${server.server.url}/sessions`);
  await expect.poll(() => page.getByRole("row").count()).toBe(201);
  await page.getByRole("link", { name: "Runs" }).press("Enter");
  await page.waitForURL(/\/runs$/);
  await page.goto(`${server.server.url}/sessions`);
  await page.getByRole("button", { name: "all", exact: true }).click();
  await expect.poll(() => page.getByRole("row").count()).toBe(201);
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.waitForURL(/sessions\/SES-/);
  expect(wrong).toEqual([]);
});
