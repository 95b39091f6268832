import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { expect } from "vitest";
import { watch } from "../support/browser.ts";
import { served } from "../support/served.ts";
import { writJson } from "../support/writ.ts";

/** What a page says while there is nothing: what it is for, and how to get some. */
const teaches: readonly (readonly [path: string, title: string, way: string])[] = [
  ["/", "Nothing. What needs a person lands here", "Nothing runs. Ask for something above"],
  ["/runs", "No run yet", "writ runs start --app writer"],
  ["/inbox", "Nothing waits for anybody", "somebody looks first"],
  ["/policies", "No policy watches", "shadow: true"],
  ["/evals", "No suite yet", "writ eval evals/greet.yaml --save-baseline"],
  ["/compare", "Choose two sessions", "A fork and its parent"],
  ["/sessions?q=nobody", "No session matches", "Show all sessions"],
];

/** `writ serve` in a workspace where nothing happened yet: nobody sees anything without a key, and then every page teaches. */
export async function worksForATeam(browser: Browser): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "writ-team-"));
  await writJson(["init", folder]);
  writeFileSync(
    join(folder, "writ.yaml"),
    "version: 1\nprovider: scripted\nidentity: { callers: { ada@example.org: { roles: [operator] } } }\n",
  );
  const { key } = (await writJson<{ key: string }>(["key", "create", "ada@example.org", "--root", folder])).json;
  let server = await served(["serve"], folder);
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const wrong = watch(page, server.url);
  try {
    // Who is not known signs in where they are: the link that led them here still leads there.
    await page.goto(`${server.url}/policies?shadows=all`);
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    // And nothing is claimed that nobody was told.
    expect(await page.getByText(/^Nothing/).count()).toBe(0);
    await page.getByLabel("API key").fill("writkey_not-a-key-of-anybody");
    await page.keyboard.press("Enter");
    await page
      .getByRole("alert")
      .getByText(/API key is not valid/)
      .waitFor();
    await page.getByLabel("API key").fill(key);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Policies", exact: true }).waitFor();
    expect(page.url()).toBe(`${server.url}/policies?shadows=all`);
    // In a new tab nobody is asked again, and no script can read what the browser keeps.
    const tab = await context.newPage();
    await tab.goto(`${server.url}/settings`);
    await tab.getByRole("region", { name: "You" }).getByText("ada@example.org").waitFor();
    expect(
      await tab.evaluate("document.cookie + JSON.stringify(sessionStorage) + JSON.stringify(localStorage)"),
    ).not.toContain(key);
    await tab.close();
    for (const [path, title, way] of teaches) {
      await page.goto(`${server.url}${path}`);
      await page.getByText(title).first().waitFor();
      await page.getByText(way).first().waitFor();
    }
    // The way that is taught works: asked here, done here, in her name.
    await page.goto(server.url);
    await page.getByLabel("Ask for something").fill("greet Grace");
    await page.keyboard.press("Enter");
    await page.getByText("Hello, Grace", { exact: true }).first().waitFor();
    await page.getByText(/^by ada@example\.org, /).waitFor();
    expect(wrong.filter((one) => !/status of 401/.test(one))).toEqual([]);
    // The server goes: what was read stays to be read, and the page says that it waits.
    await page.goto(`${server.url}/sessions`);
    await page.getByText("greet Grace").first().waitFor();
    const triedAgain = page.waitForEvent("requestfailed", (request) => request.url().endsWith("/api/v1/stream"));
    await server.end("SIGINT");
    await triedAgain;
    await page.getByText("reconnecting").waitFor();
    expect(await page.getByText("greet Grace").count()).toBe(1);
    expect(await page.getByRole("alert").count()).toBe(0);
    // What is asked for meanwhile says what is wrong, and comes by itself when the server does.
    await page.getByRole("link", { name: "greet Grace" }).click();
    await page.getByRole("alert").getByText("The server cannot be reached").waitFor();
    server = await served(["serve"], folder, { port: Number(new URL(server.url).port) });
    await page.getByText("Hello, Grace", { exact: true }).first().waitFor();
    await page.getByText("reconnecting").waitFor({ state: "detached" });
  } finally {
    await context.close();
    await server.end("SIGINT");
    rmSync(folder, { recursive: true, force: true });
  }
}
