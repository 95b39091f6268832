import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { stringify } from "yaml";
import { seriousFindings } from "../support/accessibility.ts";
import { openBrowser, watch } from "../support/browser.ts";
import { type Served, served } from "../support/served.ts";
import { writJson } from "../support/writ.ts";

const folder = mkdtempSync(join(tmpdir(), "writ-threads-"));
const rules = [
  { when: { prompt: "and the year" }, respond: { text: "In 1890, <b>they say</b>." } },
  { when: { call: 1 }, respond: { tool_calls: [{ name: "fs.read", args: { path: "notes.md" } }] } },
  { when: { call: 2 }, respond: { text: "The minster of Ulm." } },
];
let server: Served;

beforeAll(async () => {
  await writJson(["init", folder]);
  writeFileSync(join(folder, "script.yaml"), stringify({ rules }));
  writeFileSync(join(folder, "writ.yaml"), stringify({ version: 1, provider: "scripted", script: "script.yaml" }));
  writeFileSync(join(folder, "notes.md"), "the minster of Ulm\n");
  server = await served(["up", "--port", "0", "--json"], folder);
});
afterAll(async () => {
  await server?.end("SIGINT");
  rmSync(folder, { recursive: true, force: true });
});

test("a thread is begun, followed and gone on with in the studio, with a file, and every message leads to its session", async () => {
  const browser = await openBrowser();
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  page.setDefaultTimeout(30_000);
  const wrong = watch(page, server.url);
  await page.goto(`${server.url}/threads`);
  await page.getByText("No thread yet").waitFor();
  await page.getByLabel("First message of a new thread").fill("Which church is the highest?");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/threads\/THR-/);
  const messages = page.getByRole("list", { name: "Messages" }).getByRole("listitem");
  await messages.filter({ hasText: "The minster of Ulm." }).waitFor();
  await page.getByLabel("Next message").fill("and the year?");
  await page.getByLabel("Pictures, PDF documents or texts").setInputFiles({
    name: "dates.md",
    mimeType: "text/markdown",
    buffer: Buffer.from("1890"),
  });
  await page.getByRole("button", { name: "Send" }).click();
  await messages.filter({ hasText: "In 1890, <b>they say</b>." }).waitFor();
  await page.getByText("2 messages", { exact: true }).waitFor();
  await messages.filter({ hasText: "dates.md · text/plain · 4 bytes" }).waitFor();
  expect(await seriousFindings(page, "all")).toEqual([]);
  const beyond =
    "Math.max(...['html', 'main'].map((name) => document.querySelector(name)).map((box) => box.scrollWidth - box.clientWidth))";
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await page.evaluate<number>(beyond)).toBeLessThanOrEqual(0);
  await page.setViewportSize({ width: 1280, height: 800 });
  await messages
    .first()
    .getByRole("link", { name: /^session / })
    .click();
  await page.waitForURL(/\/sessions\/SES-/);
  await page.goto(`${server.url}/threads`);
  await page.getByRole("link", { name: /^THR-/ }).waitFor();
  expect(await seriousFindings(page, "all")).toEqual([]);
  expect(wrong).toEqual([]);
  await browser.close();
});
