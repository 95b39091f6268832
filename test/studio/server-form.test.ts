import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { askingServer, bookingForm } from "../support/asking-server.ts";
import { openBrowser, watch } from "../support/browser.ts";
import { approveOffered, callTool } from "../support/mcp-workspace.ts";
import { testServer } from "../support/server.ts";

test("the fields of a server's form are filled in, and what does not fit is said before anything is sent to the server", async () => {
  await using server = await askingServer({ q: bookingForm });
  await using api = await testServer({
    studio: fileURLToPath(new URL("../../dist/studio", import.meta.url)),
    config: {
      mcp: { servers: { desk: { url: server.url } } },
      identity: { callers: { "bob@corp": { roles: ["approver"] } } },
    },
  });
  await approveOffered(api.workspace);
  const admin = api.workspace.runtime.localCaller();
  const made = admin.ok ? await api.workspace.runtime.keys.create(admin.value, { caller_id: "bob@corp" }) : admin;
  if (!made.ok) throw new Error(made.error.message);
  await callTool(api.workspace, "desk.book", {});
  const browser = await openBrowser();
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    page.setDefaultTimeout(30_000);
    const wrong = watch(page, api.server.url);
    await page.goto(`${api.server.url}/settings`);
    await page.getByLabel("API key").fill(made.value.key);
    await page.keyboard.press("Enter");
    await page.getByRole("region", { name: "You" }).getByText("bob@corp").waitFor();
    await page.goto(`${api.server.url}/inbox`);
    await page.getByLabel("Guests").fill("12");
    await page.getByLabel("room").selectOption({ label: "Big room" });
    await page.getByLabel("At the window").selectOption({ label: "yes" });
    await page.getByRole("button", { name: /^answer/ }).click();
    await page.getByRole("button", { name: /^yes, answer/ }).click();
    await page.getByText("guests is at least 1, at most 9").first().waitFor();
    expect(server.answers).toEqual([]);
    await page.getByLabel("Guests").fill("4");
    await page.getByRole("button", { name: /^answer/ }).click();
    await page.getByRole("button", { name: /^yes, answer/ }).click();
    const content = { guests: 4, note: "none", window: true, room: "b" };
    await expect.poll(() => server.answers, { timeout: 20_000 }).toEqual([{ q: { action: "accept", content } }]);
    expect(wrong.filter((one) => !/status of 40[01]/.test(one))).toEqual([]);
  } finally {
    await browser.close();
  }
});
