import type { Browser, Locator, Page } from "playwright-core";
import { expect } from "vitest";

/** The words of these parts of a page; how long ago something was is not part of a view. */
async function words(parts: Locator): Promise<readonly string[]> {
  return (await parts.allInnerTexts()).map((text) => text.replace(/just now|\d+ (?:s|min|h|d) ago/g, "then"));
}

/** A browser with nothing kept from before. */
export async function somebodyElse(browser: Browser, page: Page): Promise<Page> {
  const context = await browser.newContext({ viewport: page.viewportSize() });
  const theirs = await context.newPage();
  theirs.setDefaultTimeout(20_000);
  return theirs;
}

/** The address of a page, opened by somebody else, shows the same parts, word for word. `also` looks at what has no words. */
export async function sameForSomebodyElse(
  theirs: Page,
  page: Page,
  parts: (of: Page) => Locator,
  also: (of: Page) => Promise<void> = async () => undefined,
): Promise<void> {
  await also(page);
  const here = await words(parts(page));
  expect(here.join("").trim(), `${page.url()} shows nothing`).not.toBe("");
  await theirs.goto(page.url());
  await expect.poll(() => words(parts(theirs)), { message: page.url() }).toEqual(here);
  await also(theirs);
}

/** Views that are opened by a click, each taken to another browser by its address alone. */
export async function everyViewHasItsAddress(
  browser: Browser,
  page: Page,
  url: string,
  { greeting, other, review }: Readonly<Record<"greeting" | "other" | "review", string>>,
): Promise<void> {
  const theirs = await somebodyElse(browser, page);
  const same = (parts: (of: Page) => Locator, also?: (of: Page) => Promise<void>) =>
    sameForSomebodyElse(theirs, page, parts, also);
  // Two sessions with all their steps, not only those that differ.
  await page.goto(`${url}/compare?left=${greeting}&right=${other}`);
  const steps = page.locator(".step");
  await steps.first().waitFor();
  const different = await steps.count();
  await page.getByLabel("only differences").uncheck();
  await expect.poll(() => steps.count()).toBeGreaterThan(different);
  await same((of) => of.locator(".step"));
  // The proof of a session, and the table behind its budget.
  await page.goto(`${url}/sessions/${greeting}`);
  await page.getByText("as a table").click();
  await page.getByTestId("verification").click();
  await page.getByText("yes, by the workspace's key").waitFor();
  await page
    .getByTestId("verification")
    .getByText(/^verified/)
    .waitFor();
  // Not the root itself: others are signed while sessions end.
  await same((of) => of.getByRole("dialog").locator("h2, p, dd:nth-of-type(-n + 2)"));
  await page.keyboard.press("Escape");
  await page.waitForURL((at) => !at.search.includes("proof"));
  await same((of) => of.getByRole("complementary", { name: "Overview" }));
  // What a rule saw, and the whole of a phase.
  await page.goto(`${url}/workflows/code-review?session=${review}&phase=review`);
  await page.getByText("the values it saw").last().click();
  await page.getByText("the whole definition").click();
  await page.getByText('"p1_unresolved": 1').waitFor();
  await page.locator("details[open]").nth(1).waitFor();
  await same((of) => of.locator("details[open]"));
  await theirs.context().close();
}
