import type { Page } from "playwright-core";

/** A list, a session and its events, another page, anything: without a mouse. */
export async function goEverywhereByKeys(page: Page, url: string): Promise<void> {
  await page.goto(`${url}/sessions`);
  await page.getByRole("link", { name: "greet Ada" }).first().waitFor();
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Keys" }).waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/sessions\/SES-/);
  const close = { hasText: "closed, all well" };
  await page.getByRole("option").filter(close).waitFor();
  await page.keyboard.press("End");
  await page.getByRole("option", { selected: true }).filter(close).waitFor();
  await page.keyboard.press("Home");
  await page.waitForURL(/event=1$/);
  await page.keyboard.press("g");
  await page.keyboard.press("r");
  await page.waitForURL(/\/runs$/);
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Go to" }).fill("inbox");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/inbox/);
}

/** Opens an answer of the question on the screen, reads what it does, and gives it. */
export async function answerByKey(page: Page, key: "a" | "d"): Promise<void> {
  await page.locator(".decide button:enabled").first().waitFor();
  await page.keyboard.press(key);
  await page.getByRole("group", { name: "Confirm" }).waitFor();
  await page.keyboard.press("Enter");
}
