import type { Page } from "playwright-core";
import { expect } from "vitest";

/** A run from its objective to the last line of its document: work, revisions, differences, and who wrote what. */
export async function growADocument(page: Page, url: string): Promise<void> {
  // Begun here and watched: work and document grow on a page that nobody loads again.
  await page.goto(`${url}/runs`);
  await page.getByLabel("Objective of a new run").fill("How to make a good cup of tea");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/runs\/RUN-/);
  await page.getByRole("slider", { name: "Revision" }).waitFor();
  await page.locator("header .state", { hasText: "completed" }).waitFor();
  const box = page.locator(".graph-box", { hasText: "Heating water for tea" });
  await box.getByText("done").waitFor();
  await box.click();
  await page.waitForURL(/\?work=WRK-/);
  await page.locator(".work-card").getByText("Heating water for tea").waitFor();
  await page.locator(".work-card").getByRole("button", { name: "close" }).click();
  await page.getByText("Soft water makes a clear cup of tea").first().waitFor();
  await page.getByRole("button", { name: "blame" }).click();
  const blamed = page.locator(".line.blamed a").first();
  await blamed.waitFor();
  await page.getByRole("button", { name: "diff" }).click();
  await page.locator("pre.added").first().waitFor();
  await page.getByRole("slider", { name: "Revision" }).fill("0");
  await page.getByText(/^1 of \d+, /).waitFor();
  // The address says which revision and how it is looked at.
  expect(new URL(page.url()).search).toBe("?show=diff&revision=1");
  await page.goto(page.url());
  await page.getByText(/^1 of \d+, /).waitFor();
  await page.locator("pre.added").first().waitFor();
  await page.getByRole("button", { name: "blame" }).click();
  await page.getByRole("slider", { name: "Revision" }).fill("2");
  await blamed.click();
  await page.waitForURL(/\/sessions\/SES-/);
  await page
    .getByTestId("verification")
    .getByText(/^verified/)
    .waitFor();
}
