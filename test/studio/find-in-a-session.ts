import type { Page } from "playwright-core";
import { expect } from "vitest";

/** Words are found in every view, counted, and gone through from the keyboard. */
export async function findWords(page: Page, session: string, api: string): Promise<void> {
  const count = async (query: string): Promise<number> =>
    JSON.parse(await (await fetch(`${api}/events?limit=1000&${query}`)).text()).events.length;
  const all = await count("");
  await page.goto(session);
  await page.getByRole("option").first().waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("hello, ADA");
  await page.keyboard.press("Enter");
  // The first of them is shown at once, and the keys that move go through what was found and nothing else.
  const chosen = page.getByRole("option", { selected: true });
  await chosen.filter({ hasText: "echo" }).waitFor();
  await page.getByText(new RegExp(`^\\d of ${all}$`)).waitFor();
  const found = await page.getByRole("option").count();
  expect(found).toBeGreaterThan(2);
  expect(found).toBeLessThan(await count("words=hello,%20ada"));
  const first = await chosen.getAttribute("id");
  await page.keyboard.press("j");
  await expect.poll(() => chosen.getAttribute("id")).not.toBe(first);
  await page.keyboard.press("k");
  await expect.poll(() => chosen.getAttribute("id")).toBe(first);
  await page.getByRole("button", { name: "Next found" }).click();
  await page.locator(".steps").getByText("2", { exact: true }).waitFor();
  // As many as the record has, whichever view is looked at.
  for (const view of ["all", "model", "tools", "gates"]) {
    await page.goto(`${session}?view=${view}&find=echo`);
    await page.getByText(new RegExp(`^[1-9]\\d* of ${all}$`)).waitFor();
    if (view === "all") await page.getByText(`${await count("words=echo")} of ${all}`, { exact: true }).waitFor();
  }
  // Where a view leaves out what was looked for, it says so and leads there; a name that expressions know is a word too.
  await page.goto(`${session}?view=writes&find=echo`);
  await page.getByRole("heading", { name: "Nothing found in “writes”" }).waitFor();
  await page.getByText(`Among all events it is found ${await count("words=echo")} times.`).waitFor();
  await page.getByRole("button", { name: "Look at all events" }).click();
  await page.getByRole("option").filter({ hasText: "echo" }).first().waitFor();
  expect(await page.getByLabel("Find events by words or expression").inputValue()).toBe("echo");
  await page.goto(`${session}?find=gate`);
  await page.getByText("No event here says these words.").waitFor();
  await page.getByRole("button", { name: "Forget the search" }).first().click();
  await page.getByRole("option").filter({ hasText: "closed, all well" }).waitFor();
}
