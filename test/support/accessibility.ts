import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const ofColour = 'runOnly: { type: "rule", values: ["color-contrast", "link-in-text-block"] },';

/** Serious and critical findings by all rules; or, of a page that all rules have seen, by those that a colour scheme can break. */
export async function seriousFindings(page: Page, rules: "all" | "of colour"): Promise<readonly string[]> {
  // The page's policy lets no text become a script; the inspector comes in by the debugging protocol instead.
  const session = await page.context().newCDPSession(page);
  if (rules === "all") await session.send("Runtime.evaluate", { expression: axe });
  const { result } = await session.send("Runtime.evaluate", {
    expression: `axe.run(document, { ${rules === "all" ? "" : ofColour} resultTypes: ["violations"], preload: false, iframes: false })
      .then(({ violations }) => JSON.stringify(
        violations.filter(({ impact }) => impact === "serious" || impact === "critical")
          .map(({ id, nodes }) => id + ": " + nodes.map((node) => node.target.join(" ")).join(", "))))`,
    awaitPromise: true,
    returnByValue: true,
  });
  await session.detach();
  return JSON.parse(String(result.value));
}
