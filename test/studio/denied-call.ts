import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";

/** The row of a call that a rule stopped. */
export function deniedRow(page: Page): Locator {
  return page.getByRole("option").filter({ hasText: "is never written by tools" }).first();
}

/** Which rule stopped a tool call, from the session's page, and how its event is found. */
export async function seeWhyDenied(page: Page, session: string): Promise<void> {
  // The rule is named, also beside what the call itself asked for; nothing says that it was allowed.
  for (const which of [deniedRow(page), page.getByRole("option").filter({ hasText: '"path":"writ.yaml"' }).first()]) {
    await page.getByRole("button", { name: "tools" }).click();
    await which.click();
    await page.getByRole("tab", { name: "Why" }).click();
    await page.getByRole("tabpanel").getByText("CAPABILITY_VIOLATION").waitFor();
    expect(await page.getByRole("tabpanel").getByText("was allowed").count()).toBe(0);
  }
  // And it is found as what it is, by what the field itself proposes.
  const find = page.getByLabel("Find events by words or expression");
  await find.fill((await find.getAttribute("placeholder"))?.replace("words, or ", "") ?? "");
  await find.press("Enter");
  await page.getByText(/^1 of \d+$/).waitFor();
  // Whose expression is none is told about theirs alone, also where the view has a condition of its own. On a page of its
  // own: the browser itself counts a refusal as an error.
  const other = await page.context().newPage();
  await other.goto(`${session}?find=${encodeURIComponent("size(payload)")}`);
  await other.getByRole("alert").getByText('"size(payload)" is to be true or false').waitFor();
  await other.getByRole("alert").getByText("in quotes it is looked for as it stands").waitFor();
  await other.close();
}
