import { mkdirSync, statSync } from "node:fs";
import type { Page } from "playwright-core";
import { repository } from "./writ.ts";

/** Pictures for the docs are made when somebody asks for them: WRIT_PICTURES=1. Else a test leaves the tree as it is. */
export const wantsPictures: boolean = Boolean(process.env["WRIT_PICTURES"]);
const folder = `${repository}docs/pictures/`;
const mostBytes = 150_000;

/** What the page shows now, on a small laptop, as docs/pictures/NAME.png. */
export async function takePicture(page: Page, name: string): Promise<void> {
  if (!wantsPictures) return;
  mkdirSync(folder, { recursive: true });
  const usual = page.viewportSize();
  await page.setViewportSize({ width: 1120, height: 700 });
  await page.mouse.move(0, 0);
  await page.locator(`p.faint[role="status"]`).first().waitFor({ state: "detached" });
  await page.waitForTimeout(400);
  await page.screenshot({ path: `${folder}${name}.png`, animations: "disabled" });
  if (usual) await page.setViewportSize(usual);
  const { size } = statSync(`${folder}${name}.png`);
  if (size > mostBytes)
    throw new Error(`${name}.png has ${size} bytes; pictures in the docs have at most ${mostBytes}`);
}
