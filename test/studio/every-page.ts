import type { Page } from "playwright-core";
import { seriousFindings } from "../support/accessibility.ts";

/** What axe finds serious on each page, in both schemes, and which pages run out of a laptop's or a telephone's screen to the right. */
export async function faultsOfPages(
  page: Page,
  url: string,
  { greeting, other, review, run }: Readonly<Record<"greeting" | "other" | "review" | "run", string>>,
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const path of [
    "/",
    "/sessions",
    "/threads",
    `/sessions/${greeting}`,
    `/sessions/${greeting}?event=27&replay=yes`,
    `/compare?left=${greeting}&right=${other}`,
    "/runs",
    `/runs/${run}`,
    "/workflows",
    `/workflows/code-review?session=${review}`,
    "/inbox?state=all",
    "/policies?rule=severity-gate",
    "/evals?case=by-name",
    "/settings",
  ]) {
    await page.emulateMedia({ colorScheme: "light" });
    await page.goto(`${url}${path}`);
    await page.getByRole("main").waitFor();
    await page.locator(`p.faint[role="status"]`).first().waitFor({ state: "detached" });
    found.push(...(await seriousFindings(page, "all")).map((finding) => `${path} ${finding}`));
    // Good on a laptop and in a hand: nothing runs out of the page to the right.
    const usual = page.viewportSize() ?? { width: 1280, height: 800 };
    for (const size of [{ width: 390, height: 844 }, usual]) {
      await page.setViewportSize(size);
      const beyond = await page.evaluate<number>(
        "Math.max(...['html', 'main'].map((name) => document.querySelector(name)).map((box) => box.scrollWidth - box.clientWidth))",
      );
      if (beyond > 0) found.push(`${path} is ${beyond} px too wide for ${size.width}`);
    }
    // The same page, only its colours change.
    await page.emulateMedia({ colorScheme: "dark" });
    found.push(...(await seriousFindings(page, "of colour")).map((finding) => `${path} (dark) ${finding}`));
  }
  await page.emulateMedia({ colorScheme: "light" });
  return found;
}
