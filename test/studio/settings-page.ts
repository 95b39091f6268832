import type { Browser, Page } from "playwright-core";
import { expect } from "vitest";
import { watch } from "../support/browser.ts";

/** Presses Tab until the focus is on what has this name, as somebody without a mouse does. */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 60; presses++) {
    await page.keyboard.press("Tab");
    const here = await page
      .locator(":focus")
      .evaluateAll(([element]) => element?.getAttribute("aria-label") ?? element?.textContent);
    if (here === name) return;
  }
  throw new Error(`Tab does not lead to ${name}`);
}

const ground = (page: Page) => page.evaluate<string>("getComputedStyle(document.body).backgroundColor");
async function spentIn(page: Page): Promise<number> {
  const told = page.getByRole("region", { name: "Budget" }).getByText(/[\d,]+ tokens/);
  return Number(/^[\d,]+/.exec(await told.innerText())?.[0].replaceAll(",", ""));
}

/** Everything that a person can see and change in the settings, from the keyboard; `key` is ada's. */
export async function useSettings(browser: Browser, url: string, key: string): Promise<void> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, colorScheme: "light" });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const wrong = watch(page, url);
  await page.goto(url);
  await page.getByRole("heading", { name: "Home" }).waitFor();
  await page.keyboard.press("g");
  await page.keyboard.press("t");
  await page.waitForURL(/\/settings$/);
  await seesWhatIsInForce(page);
  await choosesColours(page);
  await seesSpendingAsItHappens(page, url);
  await usesAKey(page, key);
  // Of a key that is none the browser tells as well; nothing else happened.
  expect(wrong.filter((one) => !/status of 401/.test(one))).toEqual([]);
  await context.close();
}

async function seesWhatIsInForce(page: Page): Promise<void> {
  const you = page.getByRole("region", { name: "You" });
  await you.getByText("being on this machine").waitFor();
  await you.getByText(/ · Writ \d+\.\d+\.\d+$/).waitFor();
  const workspace = page.getByRole("row").filter({ hasText: "the workspace, in all" });
  await workspace.getByText("1,000,000").waitFor();
  await workspace.getByText("$5.00").waitFor();
  await workspace.getByRole("meter", { name: "Tokens spent" }).waitFor();
  // What the workspace says itself stands there with its line; what nobody said is behind a fold that has an address.
  const configuration = page.getByRole("region", { name: "Configuration" });
  const row = configuration.getByRole("row").filter({ hasText: "workspace_budget.usd_limit" });
  await row.getByText(/^writ\.yaml:\d+$/).waitFor();
  expect(await configuration.getByRole("row").filter({ hasText: "limits.payload_bytes" }).count()).toBe(0);
  await tabTo(page, await configuration.getByText(/^\d+ that nobody changed$/).innerText());
  await page.keyboard.press("Enter");
  await configuration.getByRole("row").filter({ hasText: "limits.payload_bytes" }).getByText("default").waitFor();
  await page.waitForURL(/\?open=defaults$/);
  await page.reload();
  await configuration.getByRole("row").filter({ hasText: "limits.payload_bytes" }).waitFor();
}

async function choosesColours(page: Page): Promise<void> {
  const light = await ground(page);
  await tabTo(page, "dark");
  await page.keyboard.press("Space");
  const dark = await ground(page);
  expect(dark).not.toBe(light);
  // Kept, whatever the machine is set to.
  await page.reload();
  await page.getByRole("button", { name: "dark", pressed: true }).waitFor();
  expect(await ground(page)).toBe(dark);
  await tabTo(page, "light");
  await page.keyboard.press("Enter");
  await page.emulateMedia({ colorScheme: "dark" });
  expect(await ground(page)).toBe(light);
  await tabTo(page, "dark");
  await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "system", pressed: true }).waitFor();
  expect(await ground(page)).toBe(dark);
  await page.emulateMedia({ colorScheme: "light" });
  expect(await ground(page)).toBe(light);
}

async function seesSpendingAsItHappens(page: Page, url: string): Promise<void> {
  const before = await spentIn(page);
  await fetch(`${url}/api/v1/requests`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ prompt: "greet the settings" }),
  });
  await expect.poll(() => spentIn(page)).toBeGreaterThan(before);
}

async function usesAKey(page: Page, key: string): Promise<void> {
  const you = page.getByRole("region", { name: "You" });
  const bar = page.getByRole("navigation", { name: "Studio" });
  const me = await you.locator("dd").first().innerText();
  await bar.getByText(me).waitFor();
  expect(await page.getByRole("button", { name: "Sign in" }).isDisabled()).toBe(true);
  // One that is none: said, with what to do; and taken back.
  await page.getByLabel("API key").focus();
  await page.keyboard.type("writ_nobody_has_this_key");
  await page.keyboard.press("Enter");
  await you.getByRole("alert").getByText("the API key is not valid here").waitFor();
  await you.getByText("being on this machine").waitFor();
  await bar.getByText(me).waitFor();
  await page.getByLabel("API key").fill("");
  // Ada's: from here on everything is asked for in her name, without another page being loaded.
  await page.getByLabel("API key").focus();
  await page.keyboard.type(key);
  await page.keyboard.press("Enter");
  await you.getByText("ada@example.org").waitFor();
  await you.getByText("an API key", { exact: true }).waitFor();
  await you.getByText("operator").waitFor();
  await bar.getByText("ada@example.org").waitFor();
  // It stands in no address and in nothing that a script can read, and is never shown.
  expect(page.url()).not.toContain(key);
  expect(await page.evaluate("document.cookie + JSON.stringify([localStorage, sessionStorage])")).not.toContain(key);
  expect(await page.locator("body").innerText()).not.toContain(key);
  await page.reload();
  await you.getByText("ada@example.org").waitFor();
  const other = await page.context().newPage();
  await other.goto(page.url());
  await other.getByRole("region", { name: "You" }).getByText("ada@example.org").waitFor();
  await other.close();
  await tabTo(page, "Sign out");
  await page.keyboard.press("Enter");
  await you.getByText("being on this machine").waitFor();
}
