import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { must, openKernel } from "../support/kernel-harness.ts";

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
  // Click a line: who is answerable for it, down to the model. The address says which line.
  await page
    .locator(".line.blamed", { hasText: "Soft water makes a clear cup" })
    .first()
    .getByText("Soft water")
    .click();
  await page.locator(".origin dt", { hasText: "work order" }).waitFor();
  await page.locator(".origin dt", { hasText: "model" }).waitFor();
  expect(new URL(page.url()).search).toMatch(/line=\d+/);
  await page.getByRole("button", { name: "Who wrote line", expanded: true }).focus();
  await page.keyboard.press("Enter");
  await page.locator(".origin").waitFor({ state: "detached" });
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

/** Work that waits for other work: boxes with their states, and a line from each to what waits for it. */
export async function drawDependencies(page: Page, url: string, root: string): Promise<void> {
  const { kernel, close } = openKernel(join(root, "planes/hot/kernel.db"));
  const { run_id } = must(await kernel.startRun({ app_id: "tea-party", objective: "a tea party", actor_id: "ada" }));
  const [water, cups, pour] = [kernel.ids.workId(), kernel.ids.workId(), kernel.ids.workId()];
  const item = { capability: "kitchen", depends_on: [], idempotency_key: null };
  const work = [
    { ...item, work_id: water, objective: "boil water" },
    { ...item, work_id: cups, objective: "warm the cups" },
    { ...item, work_id: pour, objective: "pour the tea", depends_on: [water, cups] },
  ];
  must(await kernel.submit<"request_work">({ kind: "request_work", run_id, actor_id: "tea-party", work }));
  await page.goto(`${url}/runs/${run_id}`);
  await page.locator(".graph-box", { hasText: "pour the tea" }).getByText("waits for 2").waitFor();
  await expect.poll(() => page.locator(".react-flow__edge").count()).toBe(2);
  // Done elsewhere, seen here: when both are done, what waited for them is ready.
  const claim = { capabilities: ["kitchen"], lease_owner: "w", lease_ms: 60_000, limit: 2 };
  for (const lease of must(await kernel.claimWork(claim))) must(await kernel.completeWork(lease, []));
  await page.locator(".graph-box", { hasText: "boil water" }).getByText("done").waitFor();
  await page.locator(".graph-box", { hasText: "pour the tea" }).getByText("queued").waitFor();
  await close();
}
