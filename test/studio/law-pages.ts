import type { Browser, Page } from "playwright-core";
import { expect } from "vitest";
import { sameForSomebodyElse, somebodyElse } from "./addresses.ts";

/** A rule over the recorded past, a draft of it, and what a watching one said beside what was done, in `session_id`. */
export async function lookAtPolicies(browser: Browser, page: Page, url: string, session_id: string): Promise<void> {
  await page.goto(`${url}/policies`);
  const shadows = page.getByRole("region", { name: "Shadow report" });
  const row = shadows.getByRole("row").filter({ hasText: "something serious is open" });
  await row.getByText("stricter").waitFor();
  await row.getByText("manual").waitFor();
  const disagreeing = await shadows.getByRole("row").count();
  await page.getByLabel("show those that agree as well").check();
  await expect.poll(() => shadows.getByRole("row").count()).toBeGreaterThan(disagreeing);
  await page.getByRole("button", { name: "Backtest confidence-floor" }).click();
  await page.waitForURL(/\?shadows=all&rule=confidence-floor$/);
  const panel = page.getByRole("region", { name: "Backtest" });
  await panel.getByText("no decision differs").waitFor();
  await panel.getByRole("button", { name: "Try a change" }).click();
  const draft = panel.getByRole("textbox");
  const changed = (await draft.inputValue()).replace("min_confidence: 50", "min_confidence: 100");
  await draft.fill(changed);
  await panel.getByRole("button", { name: "Backtest the draft" }).click();
  const different = panel.getByRole("row").filter({ hasText: "P1 The timer counts from the wrong moment" });
  await different.getByText("suppressed").waitFor();
  await different.getByText("rule 3").waitFor();
  // A draft that nobody keeps goes with its address, which no server is sent; and so does what the shadows say below it.
  expect(new URL(page.url()).search).not.toContain("100");
  const theirs = await somebodyElse(browser, page);
  await sameForSomebodyElse(
    theirs,
    page,
    (of) => of.getByRole("region", { name: /^(?:Shadow report|Backtest)$/ }).getByRole("row"),
    async (of) => expect(await of.getByRole("textbox").inputValue()).toBe(changed),
  );
  await theirs.context().close();
  await page.getByLabel("show those that agree as well").uncheck();
  expect(await draft.inputValue()).toBe(changed);
  await panel.getByRole("button", { name: "Leave it" }).click();
  await panel.getByText("no decision differs").waitFor();
  expect(new URL(page.url()).hash).toBe("");
  // A hook over the past, from an address that was sent; its difference leads to the event.
  await page.goto(`${url}/policies?rule=hooks%2Fask-before-notes.mjs&days=7`);
  await panel.getByText("no decision differs").waitFor();
  await page.goto(`${url}/policies?rule=severity-gate`);
  const denied = panel.getByRole("row").filter({ hasText: "something serious is open" });
  await denied.getByRole("link").first().click();
  await page.waitForURL(new RegExp(`/sessions/${session_id}\\?event=\\d+`));
}

/** Suite, cases, repeats, what each grader said and why, beside the baseline. */
export async function lookAtEvals(page: Page, url: string): Promise<void> {
  await page.goto(`${url}/evals`);
  const report = page.getByTestId("eval-report");
  await report.getByText("beside the baseline of").waitFor();
  const case_ = report.getByRole("row").filter({ hasText: "at-length" }).first();
  await case_.getByText("long-enough: output.size() > 40 is false").waitFor();
  expect(await case_.getByRole("cell").nth(4).innerText()).toContain("0 %");
  await report.getByRole("button", { name: "by-name" }).click();
  await page.waitForURL(/case=by-name/);
  await report.getByText("repeat 1").waitFor();
  await report.getByRole("row").filter({ hasText: "cheap" }).last().getByText("pass").waitFor();
  await report.getByRole("row").filter({ hasText: "as expected" }).last().waitFor();
  await report.locator('a[href^="/sessions/SES-"]').first().click();
  await page.getByText("Hello, Ada", { exact: true }).first().waitFor();
}
