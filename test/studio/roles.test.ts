import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openBrowser, watch } from "../support/browser.ts";
import { type Served, served } from "../support/served.ts";
import { writJson } from "../support/writ.ts";

/** A team of four, in a workspace where somebody is asked before anything is echoed. */
const folder = mkdtempSync(join(tmpdir(), "writ-roles-"));
const keys: Record<string, string> = {};
let server: Served;
let browser: Browser;
let waiting: string;
let closed: string;

const ask = async (prompt: string, key: string): Promise<string> => {
  const answer = await fetch(`${server.url}/api/v1/requests`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
    body: JSON.stringify({ prompt }),
  });
  return JSON.parse(await answer.text()).session_id;
};

beforeAll(async () => {
  await writJson(["init", folder]);
  writeFileSync(
    join(folder, "writ.yaml"),
    `version: 1
provider: scripted
identity:
  callers:
    vera@example.org: { roles: [viewer] }
    olga@example.org: { roles: [operator] }
    anna@example.org: { roles: [approver] }
    nora@example.org: { roles: [namer] }
  roles: { namer: { grants: [read, session.fork] } }
hooks:
  PreToolUse: [{ matcher: echo, hooks: [{ type: module, module: hooks/ask.mjs, timeout: 5 }] }]
`,
  );
  writeFileSync(
    join(folder, "hooks/ask.mjs"),
    'export default () => ({ decision: "ask", reason: "somebody looks first" });',
  );
  for (const name of ["vera", "olga", "anna", "nora"])
    keys[name] = (await writJson<{ key: string }>(["key", "create", `${name}@example.org`, "--root", folder])).json.key;
  server = await served(["serve"], folder);
  browser = await openBrowser();
  waiting = await ask("greet Ada", keys["olga"] ?? "");
  closed = await ask("think about tea", keys["olga"] ?? "");
});
afterAll(async () => {
  await browser?.close();
  await server?.end("SIGINT");
  rmSync(folder, { recursive: true, force: true });
});

async function as(name: string, look: (page: Page) => Promise<void>): Promise<void> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  page.setDefaultTimeout(30_000);
  const wrong = watch(page, server.url);
  await page.goto(`${server.url}/settings`);
  await page.getByLabel("API key").fill(keys[name] ?? "");
  await page.keyboard.press("Enter");
  await page.getByRole("region", { name: "You" }).getByText(`${name}@example.org`).waitFor();
  await look(page);
  expect(wrong.filter((one) => !/status of 401/.test(one))).toEqual([]);
  await page.close();
}
const go = (page: Page, path: string) => page.goto(`${server.url}${path}`);
/** What the session's head offers: each act, and whether it may be done. */
async function offered(page: Page): Promise<Readonly<Record<string, boolean>>> {
  const acts = ["Fork", "Halt"];
  await page.getByRole("button", { name: "Fork" }).waitFor();
  await page.getByText("somebody looks first").first().waitFor();
  const may = await Promise.all(
    acts.map(async (name) => (await page.getByRole("button", { name }).getAttribute("aria-disabled")) !== "true"),
  );
  return Object.fromEntries(acts.map((name, at) => [name, may[at] ?? false]));
}

describe("what a role may not do is not offered to it, or with the reason", () => {
  test("who may only look: no act is offered, each says why, and none is sent", async () => {
    await as("vera", async (page) => {
      const sent: string[] = [];
      page.on("request", (request) => request.method() !== "GET" && sent.push(request.url()));
      await go(page, `/sessions/${waiting}`);
      await page.getByRole("link", { name: "Look" }).waitFor();
      await page.getByText("waits for a person", { exact: true }).waitFor();
      await expect.poll(() => offered(page)).toEqual({ Fork: false, Halt: false });
      await page.getByRole("button", { name: "Fork" }).focus();
      await page.keyboard.press("Enter");
      await page.getByText("Your role here is viewer: it does not grant “session.fork”.").waitFor();
      // Forced, since the browser would wait until it is enabled; and again, since it then presses where the button stood, and the
      // reason that the press on Fork brings moves it.
      const whyNoHalt = page.getByText("it does not grant “session.halt”.");
      await expect
        .poll(async () => {
          await page.getByRole("button", { name: "Halt" }).click({ force: true });
          return (await whyNoHalt.count()) > 0 && (await whyNoHalt.getAttribute("class")) !== "unseen";
        })
        .toBe(true);
      await go(page, "/");
      await page.getByText("it does not grant “order.submit”.").waitFor();
      await page.getByText("waiting for somebody", { exact: true }).waitFor();
      expect(await page.getByLabel("Ask for something").count()).toBe(0);
      await go(page, "/runs");
      await page.getByText("it does not grant “run.start”.").waitFor();
      expect(await page.getByLabel("Objective of a new run").count()).toBe(0);
      await go(page, "/workflows/code-review");
      await page.getByRole("button", { name: "Run", disabled: true }).waitFor();
      await go(page, "/policies");
      await page.getByRole("region", { name: "Hooks" }).getByText("PreToolUse").first().waitFor();
      expect(
        await page
          .getByRole("region", { name: "Hooks" })
          .getByRole("button", { name: /Backtest/ })
          .count(),
      ).toBe(0);
      await go(page, "/inbox");
      await page.getByText("it does not grant “approve”.").waitFor();
      expect(await page.getByRole("button", { name: "approve" }).isDisabled()).toBe(true);
      await page.keyboard.press("a");
      await page.keyboard.press("d");
      await go(page, "/inbox");
      await page.getByText("it does not grant “approve”.").waitFor();
      expect(sent).toEqual([]);
    });
  });

  test("each role is offered what it grants and no more, a role of the workspace's own too", async () => {
    await as("nora", async (page) => {
      await go(page, `/sessions/${waiting}`);
      await expect.poll(() => offered(page)).toEqual({ Fork: true, Halt: false });
    });
    await as("olga", async (page) => {
      await go(page, `/sessions/${waiting}`);
      await expect.poll(() => offered(page)).toEqual({ Fork: true, Halt: true });
      await go(page, "/runs");
      await page.getByLabel("Objective of a new run").waitFor();
      await go(page, "/inbox");
      await page.getByText("You asked for this: somebody else must decide.").waitFor();
      await go(page, `/sessions/${closed}`);
      await page.getByRole("button", { name: "Fork" }).waitFor();
    });
  });

  test("who may decide does, from the keyboard", async () => {
    await as("anna", async (page) => {
      await go(page, "/inbox");
      await page.getByRole("button", { name: "approve", disabled: false }).waitFor();
      await page.keyboard.press("a");
      await page.getByRole("group", { name: "Confirm" }).waitFor();
      await page.keyboard.press("Enter");
      await page.getByText("Nothing has come of it yet.").waitFor();
      await go(page, `/sessions/${waiting}`);
      await page.getByText("Hello, Ada", { exact: true }).first().waitFor();
    });
  });
});
