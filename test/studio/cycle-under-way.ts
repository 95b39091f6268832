import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { writJson } from "../support/writ.ts";

/** A cycle that waits for a person: the page says where it stands, and why it went there. */
export async function watchACycle(page: Page, url: string, root: string): Promise<void> {
  const script = join(root, "script.yaml");
  const written = readFileSync(script, "utf8");
  const nothingFound = `\n  - when: { persona: correctness, prompt: "teapot" }\n    respond: { json: { findings: [], files: [], schema_version: v1 } }`;
  writeFileSync(script, written.replace("\nrules:", `\nrules:${nothingFound}`));
  const order = ["workflow", "run", "plan-work-review-ship", "build this: a lid for the teapot", "--root", root];
  const asked = await writJson<{ session_id: string }>(order);
  writeFileSync(script, written);
  expect(asked.status, asked.stdout).toBe(4);
  await page.goto(`${url}/workflows/plan-work-review-ship?session=${asked.json.session_id}`);
  const phase = (title: string) => page.locator(".graph-box.marked", { hasText: title });
  await phase("Ship").getByText("here", { exact: true }).waitFor();
  await phase("Plan").getByText("done", { exact: true }).waitFor();
  await page.getByRole("cell", { name: "rework-ends" }).first().waitFor();
}
