// What a page says of a session is so: who is at it, what stopped it, what its review said.

import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { SessionId } from "#core/values";
import type { Event, EventInput } from "#log";
import { seriousFindings } from "../support/accessibility.ts";
import { openBrowser, watch } from "../support/browser.ts";
import { must } from "../support/real-log.ts";
import { type TestServer, testServer } from "../support/server.ts";
import { repository } from "../support/writ.ts";

/** The first answer to somebody who waits takes longer than any test; the one after it comes at once. */
const slow = {
  when: { role: "worker", call: 1, prompt: "wait" },
  respond: { delay_ms: 600_000, text: "never", times: 1 },
};

let server: TestServer;
let browser: Browser;
let page: Page;
let wrong: string[];
let model: readonly Event[];

beforeAll(async () => {
  server = await testServer({
    studio: `${repository}dist/studio`,
    rules: [slow],
    files: { "AGENTS.md": "Say please.\n" },
  });
  model = await server.workspace.events((await server.workspace.ask("greet Ada")).session_id);
  browser = await openBrowser();
  page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  page.setDefaultTimeout(15_000);
  wrong = watch(page, server.server.url) as string[];
});
afterAll(async () => {
  await browser?.close();
  await server?.[Symbol.asyncDispose]();
});

const inputOf = ({ type, actor, payload }: Event): EventInput => ({ type, actor, payload }) as EventInput;
const state = () => page.locator("header.head .state").first();

/** A session with the beginning of a real one and these events; `ends` closes it, else its writer lets it go. */
async function recorded(added: readonly EventInput[], ends: boolean): Promise<SessionId> {
  const session = must(await server.workspace.runtime.log.create({ tier: "ho1" }));
  for (const event of model.filter(({ type }) => type === "session.start" || type === "wo.started"))
    must(await session.append(inputOf(event)));
  for (const event of added) must(await session.append(event));
  if (ends) must(await session.close({ ok: true, status: "success" }));
  else must(await session.release());
  return session.session_id;
}

test("running is only what a live process writes; a session whose process is gone is interrupted, and can be resumed", async () => {
  const left = await recorded([], false);
  await page.goto(`${server.server.url}/sessions/${left}`);
  await state().getByText("interrupted").waitFor();
  expect(await page.getByRole("button", { name: "Resume" }).isEnabled()).toBe(true);
  expect(await page.getByRole("button", { name: "Halt" }).count()).toBe(0);
  await page.goto(`${server.server.url}/sessions`);
  const row = page.getByRole("row").filter({ hasText: left.slice(13, 19) });
  await row.getByText("interrupted").waitFor();
  expect((await server.get("/api/v1/home")).json.running).toBe(0);
});

test("what was halted says so on every page, with who and why; lifted, it goes on with Resume", async () => {
  const asked = server.workspace.ask("greet wait");
  await page.goto(`${server.server.url}/sessions`);
  await page.getByRole("link", { name: "greet wait" }).click();
  await state().getByText("running").waitFor();
  await page.getByRole("button", { name: "Halt" }).click();
  await page.getByLabel("Why").fill("it smells");
  await page.getByRole("button", { name: "Halt this session" }).click();
  const { session_id } = await asked;
  await state().getByText("halted").waitFor();
  await page.getByText("Halted by").waitFor();
  const bar = page.getByRole("region", { name: "Standing halts" });
  for (const path of ["/", "/policies", "/evals", `/sessions/${session_id}`]) {
    await page.goto(`${server.server.url}${path}`);
    await bar.getByText("it smells").waitFor();
    await bar.getByText(server.workspace.runtime.caller).waitFor();
  }
  await bar.getByRole("button", { name: "Lift the halt" }).click();
  await bar.waitFor({ state: "detached" });
  await state().getByText("halted").waitFor(); // the record says so until somebody resumes it
  await page.getByRole("button", { name: "Resume" }).click();
  await state().getByText("done").waitFor();
});

test("a failed review is never green, and neither is what a policy that only watches would have denied", async () => {
  const review = model.find(({ type }) => type === "review.result") as Event;
  const failed = { ...inputOf(review), payload: { ...review.payload, verdict: "fail", feedback: "it is wrong" } };
  const watching = {
    type: "workflow.policy_gated",
    actor: "workflow",
    payload: { policy_id: "strict", kind: "role-permissions", decision: "deny", reason: "no", shadow: true },
  };
  const session_id = await recorded([failed as EventInput, watching as EventInput], true);
  await page.goto(`${server.server.url}/sessions/${session_id}`);
  await state().getByText("review failed").waitFor();
  const colourOf = (name: string) =>
    page.locator("body").evaluate((body, token) => {
      const probe = body.ownerDocument.createElement("i");
      probe.style.color = `var(${token})`;
      body.append(probe);
      return body.ownerDocument.defaultView.getComputedStyle(probe).color;
    }, name);
  const good = await colourOf("--good");
  const colour = (text: string) =>
    page
      .getByText(text)
      .first()
      .evaluate((found) => found.ownerDocument.defaultView.getComputedStyle(found).color);
  expect(await colour("review failed")).not.toBe(good);
  await page.getByRole("option").filter({ hasText: "strict" }).waitFor();
  expect(await colour("would deny")).not.toBe(good);
  expect(await page.getByText("nothing was denied").count()).toBe(0);
  await page.goto(`${server.server.url}/sessions`);
  await page
    .getByRole("row")
    .filter({ hasText: session_id.slice(13, 19) })
    .getByText("review failed")
    .waitFor();
});

test("that nothing was denied is not said before it is known", async () => {
  const session_id = await recorded([], true);
  let answer = () => {};
  const held = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await page.route("**/opening", async (route) => {
    const opening = await (await route.fetch()).json();
    await route.fulfill({ json: { ...opening, outline: null } }); // as for a long session
  });
  await page.route("**/outline", async (route) => {
    await held;
    await route.continue();
  });
  await page.goto(`${server.server.url}/sessions/${session_id}`);
  await page.getByText("looking for denials and failures").waitFor();
  expect(await page.getByText("nothing was denied").count()).toBe(0);
  answer();
  await page.getByText("nothing was denied, nothing failed").waitFor();
  await page.unroute("**/opening");
  await page.unroute("**/outline");
});

test("primary buttons keep their labels under the mouse, in light and dark", async () => {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await page.goto(server.server.url);
    const button = page.getByRole("button", { name: "Run", exact: true });
    await button.hover();
    const ratio = await button.evaluate((found) => {
      const light = (rgb: string) => {
        const [r = 0, g = 0, b = 0] = (rgb.match(/[\d.]+/g) ?? []).map((part) => {
          const share = Number(part) / 255;
          return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
        });
        return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
      };
      const { color, backgroundColor } = found.ownerDocument.defaultView.getComputedStyle(found);
      const [one, other] = [light(color), light(backgroundColor)];
      return Math.max(one, other) / Math.min(one, other);
    });
    expect(ratio).toBeGreaterThan(4.5);
  }
  await page.emulateMedia({ colorScheme: "light" });
});

test("a cycle says what it will do and asks before it starts, and a double click starts one", async () => {
  const { workflows } = (await server.get("/api/v1/workflows")).json;
  const cycle_id = workflows[0].cycle_id;
  const keys: (string | undefined)[] = [];
  await page.route(`**/workflows/${cycle_id}/runs`, async (route) => {
    keys.push(route.request().headers()["idempotency-key"]);
    await route.fulfill({ status: 409, json: { code: "WRITE_CONFLICT", title: "no", detail: "not now" } });
  });
  await page.goto(`${server.server.url}/workflows/${cycle_id}`);
  await page.getByRole("button", { name: "Run", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: `Run ${cycle_id}` });
  await dialog.getByText("begins with").waitFor();
  expect(keys).toEqual([]);
  await dialog.getByRole("button", { name: "Start" }).evaluate((button) => {
    button.click();
    button.click();
  });
  await dialog.getByText("not now").waitFor();
  expect(keys).toHaveLength(1);
  wrong.splice(0); // the refusal that was made up
  await page.unroute(`**/workflows/${cycle_id}/runs`);
});

test("the four answers lead to their events, and nothing serious is wrong with the page at any width", async () => {
  const { session_id } = await server.workspace.ask("greet Grace");
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 800 });
    await page.goto(`${server.server.url}/sessions/${session_id}`);
    await page.getByRole("region", { name: "Saw" }).getByText("AGENTS.md").first().waitFor();
    await page.getByRole("region", { name: "Allowed by" }).getByText("FMWK-005").waitFor();
    await page
      .getByRole("region", { name: "Cost" })
      .getByText(/tokens/)
      .waitFor();
    expect(await seriousFindings(page, "all")).toEqual([]);
  }
  await page.setViewportSize({ width: 1280, height: 800 });
  await page
    .getByRole("region", { name: "Saw" })
    .getByRole("button", { name: /AGENTS/ })
    .click();
  await expect.poll(() => new URL(page.url()).searchParams.get("event")).not.toBeNull();
  await page.getByRole("tab", { name: "Raw" }).waitFor(); // the inspector of that event
  expect(wrong).toEqual([]);
});
