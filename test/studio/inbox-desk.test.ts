// The desk at which people decide: it never moves under its reader, and a key means the question that is on the screen.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { escalatedReview } from "#agents";
import { heldActs, inDoubt, toolCall } from "#effects";
import { agentQuestion } from "../../src/effects/approval-kinds/agent-question.ts";
import { quarantinedTurn } from "../../src/effects/approval-kinds/quarantined-turn.ts";
import { heldStep } from "../../src/governance/approval-kinds/held-step.ts";
import { blockedWork } from "../../src/runs/approval-kinds/blocked-work.ts";
import { workflowWait } from "../../src/workflows/approval-kinds/workflow-wait.ts";
import { seriousFindings } from "../support/accessibility.ts";
import { openBrowser, watch } from "../support/browser.ts";
import { type Asked, type Desk, desk, hashOfPlan, plan, planned, writes } from "../support/desk.ts";
import { seenBy, witnessScreen } from "./screen-witness.ts";

let api: Desk;
let browser: Browser;
let page: Page;
let wrong: readonly string[];

beforeAll(async () => {
  api = await desk({
    studio: fileURLToPath(new URL("../../dist/studio", import.meta.url)),
    rules: [
      writes("replace", { path: "notes/plan.md", content: planned, expected: hashOfPlan }),
      writes("tea", { path: "notes/tea.md", content: "tea\n" }),
    ],
    approvals: {
      risks: [{ tools: ["mail.*"], risk: "high" }],
      demands: { high: { reason: true, hold_seconds: 0.2 } },
    },
  });
  browser = await openBrowser();
  page = await browser.newPage({ viewport: { width: 1440, height: 900 }, colorScheme: "light" });
  page.setDefaultTimeout(30_000);
  wrong = watch(page, api.server.url);
  await page.goto(`${api.server.url}/settings`);
  await page.getByLabel("API key").fill(api.keyOf("bob"));
  await page.keyboard.press("Enter");
  await page.getByRole("region", { name: "You" }).getByText("bob@corp").waitFor();
});
afterAll(async () => {
  await browser?.close();
  await api?.[Symbol.asyncDispose]();
});

const open = async (path: string) => {
  await page.goto(`${api.server.url}${path}`);
  await page.getByRole("heading", { name: "Inbox" }).waitFor();
};
const card = () => page.getByRole("region", { name: "What would happen" });
const record = async (approval_id: string): Promise<Asked> =>
  (await api.get(`/api/v1/approvals/${approval_id}`, api.as("bob"))).json;

let number = 0;
/** One more question of Ada's, of a kind that the one before was not. */
async function ask(): Promise<string> {
  number += 1;
  const { inbox } = api.workspace.runtime;
  const asker = { author: "ada@corp", session: null };
  const about = { call_id: `c${number}`, role: "solo", work_order_id: "WO-1" };
  const call = { ...about, tool: "kb.book", tool_hash: "h", args: { room: `A${number}` }, attempt: 1, reason: "r" };
  const asks = [
    () => inbox.ask(toolCall, call, asker),
    () => inbox.ask(toolCall, { ...call, tool: "exec", args: { command: ["npm", "test", `${number}`] } }, asker),
    () => inbox.ask(toolCall, { ...call, tool: "mail.send", args: { to: [`p${number}@evil.test`] } }, asker),
    () => inbox.ask(inDoubt, call, asker),
    () => inbox.ask(agentQuestion, { ...about, question: `which port, ${number}?`, options: [] }, asker),
    () =>
      inbox.ask(
        heldStep,
        { point: "SkillStart", subject: `s${number}`, payload: {}, reason: "r", decidedBy: "h" },
        asker,
      ),
    () => inbox.ask(escalatedReview, { output: `o${number}`, feedback: "no", reason: "spent", rework_count: 2 }, asker),
    () =>
      inbox.ask(
        blockedWork,
        { work_id: `W-${number}`, run_id: "R-1", app_id: "app", capability: "c", objective: "o" },
        asker,
      ),
    () =>
      inbox.ask(
        quarantinedTurn,
        { turn_id: `TRN-${number}`, code: "UNDECLARED_WRITE", message: "m", declared: [], writes: [{ path: "b" }] },
        asker,
      ),
    () =>
      inbox.ask(
        workflowWait,
        {
          question: "on?",
          cycle_id: "tidy",
          phase: "look",
          visit: number,
          about: { outputs: {} },
          timeout_seconds: null,
        },
        asker,
      ),
    () => {
      const doubts = [{ at: "/room", why: "only in notes", line: "book it" }];
      return inbox.ask(heldActs, { ...about, acts: [{ ...call, values: [], rules_hash: "h", doubts }] }, asker);
    },
  ];
  const asked = await asks[number % asks.length]?.();
  if (!asked?.ok) throw new Error(asked?.error.message);
  return asked.value.approval_id;
}

test("a file is shown as it would change now, and what changes meanwhile is said before the answer", async () => {
  const { approval_id } = await api.ask("replace");
  await open(`/inbox/${approval_id}`);
  await card().getByRole("heading", { name: "replace notes/plan.md: −1 +2 lines" }).waitFor();
  expect(await card().getByLabel("The difference").innerText()).toContain("-two\n+2\n three\n+four");
  await card().getByText("hook look-first").waitFor();
  await writeFile(join(api.workspace.root, "notes/plan.md"), `zero\n${plan}`);
  await ask(); // something arrives: the page reads again
  await card().getByText("What it would do has changed while you read.").waitFor();
  expect(await card().getByLabel("The difference").innerText()).not.toContain("zero");
  await page.keyboard.press("a");
  expect(await page.getByRole("group", { name: "Confirm" }).count()).toBe(0);
  await card().getByRole("button", { name: "Show it as it is now" }).click();
  await card().getByText("notes/plan.md changed since the agent read it: the call would fail").waitFor();
  expect(await card().getByLabel("The difference").innerText()).toContain("-zero");
});

test("an answer is confirmed, can be taken back while nothing has come of it, and a decision elsewhere is told in its place", async () => {
  const { approval_id, session_id, subject_hash } = await api.ask("tea");
  await open(`/inbox/${approval_id}`);
  await card().getByRole("heading", { name: "create notes/tea.md: +1 line" }).waitFor();
  await expect
    .poll(async () => {
      await page.keyboard.press("a");
      return page.getByRole("group", { name: "Confirm" }).count();
    })
    .toBe(1);
  await page.getByText("create notes/tea.md: +1 line. Then the agent goes on.").waitFor();
  expect(await record(approval_id)).toMatchObject({ choice: null });
  await page.keyboard.press("Enter");
  await card().getByText("Nothing has come of it yet.").waitFor();
  expect(await record(approval_id)).toMatchObject({ state: "open", choice: "approve", decided_by: "bob@corp" });
  await page.keyboard.press("z");
  await card()
    .getByRole("button", { name: /^approve …/ })
    .waitFor();
  expect(await record(approval_id)).toMatchObject({ state: "open", choice: null });
  // Carol is faster: the card stays where it is and says so, and a confirmation that is open is none any more.
  await page.keyboard.press("a");
  await page.getByRole("group", { name: "Confirm" }).waitFor();
  const decision = { choice: "deny", subject_hash, reason: "no tea" };
  await api.post(`/api/v1/approvals/${approval_id}/decision`, decision, api.as("carol"));
  await card()
    .getByText(/denied by carol@corp.*: no tea/)
    .waitFor();
  expect(await page.getByRole("group", { name: "Confirm" }).count()).toBe(0);
  await page.getByRole("listitem").filter({ hasText: "create notes/tea.md" }).getByText("denied").waitFor();
  expect((await api.ended(session_id)).some(({ type }) => type === "tool.invoke")).toBe(false);
});

test("a yes that is held takes the time, and the reason, that the server asks for", async () => {
  number = 1;
  const approval_id = await ask();
  await open(`/inbox/${approval_id}`);
  await card().getByRole("heading", { name: "send mail to p2@evil.test (mail.send)" }).waitFor();
  await card()
    .getByRole("button", { name: /^approve …/ })
    .click();
  await card().getByText("At this risk a yes takes a reason.").waitFor();
  await page.keyboard.down("Enter");
  await page.keyboard.up("Enter");
  await card().getByLabel("Reason").fill("she knows them");
  const held = page.getByRole("button", { name: /^hold to approve/ });
  await held.press("Enter", { delay: 20 }); // let go too soon
  expect(await record(approval_id)).toMatchObject({ choice: null });
  await held.focus();
  await page.keyboard.down("Enter");
  await card().getByText("Nothing has come of it yet.").waitFor();
  await page.keyboard.up("Enter");
  expect(await record(approval_id)).toMatchObject({ choice: "approve", decision_reason: "she knows them" });
});

test("primary buttons keep their labels under the mouse, and nothing is seriously wrong at any width, light and dark", async () => {
  number = 0;
  await open(`/inbox/${await ask()}`);
  const found: string[] = [];
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    for (const width of [1440, 768, 390]) {
      await page.setViewportSize({ width, height: 900 });
      const primary = card().locator(".button.primary").first();
      await primary.hover();
      found.push(...(await seriousFindings(page, colorScheme === "light" && width === 1440 ? "all" : "of colour")));
      const beyond = await page.evaluate<number>(
        "Math.max(...['html', 'main'].map((name) => document.querySelector(name)).map((box) => box.scrollWidth - box.clientWidth))",
      );
      if (beyond > 0) found.push(`${width}: ${beyond} px too wide`);
    }
    const [colour, ground] = await page.evaluate<[string, string]>(
      "(() => { const { color, backgroundColor } = getComputedStyle(document.querySelector('.button.primary:hover')); return [color, backgroundColor]; })()",
    );
    expect(contrast(colour, ground)).toBeGreaterThan(4.5);
  }
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize({ width: 1440, height: 900 });
  expect(found).toEqual([]);
});

test("a keyboard walk through a hundred mixed approvals with a new one every 200 ms decides none that was not on screen for its reader", async () => {
  const created: string[] = [];
  number = 1_000; // none of those that were asked before
  while (created.length < 100) created.push(await ask());
  await open("/inbox");
  await card().waitFor();
  const size = Number(/of (\d+)/.exec(await page.getByText(/^1 of \d+$/).innerText())?.[1]);
  expect(size).toBeGreaterThanOrEqual(100);
  const titles = () =>
    page.getByRole("list", { name: "What waits" }).getByRole("listitem").locator("strong").allInnerTexts();
  const asItWas = await titles();
  await witnessScreen(page);
  const sent: { readonly approval_id: string; readonly subject_hash: string }[] = [];
  page.on("request", (request) => {
    const [, approval_id] = /approvals\/(APR-[0-9a-f]+)\/decision$/.exec(request.url()) ?? [];
    if (approval_id !== undefined && request.method() === "POST")
      sent.push({ approval_id, subject_hash: JSON.parse(request.postData() ?? "{}").subject_hash });
  });
  let arrived = 0;
  // On a machine that is slow today the walk is long: what arrives does not make it longer and longer.
  const arrivals = setInterval(
    () =>
      arrived < 60 &&
      void (async () => {
        arrived += 1;
        created.push(await ask());
      })(),
    200,
  );
  const random = dice(20_261_115);
  try {
    for (let step = 1; step < size; step++) {
      const turn = random();
      const keys =
        turn < 0.3
          ? ["a", "Enter"]
          : turn < 0.4
            ? ["d", "Enter"]
            : turn < 0.5
              ? ["a", "j", "Enter", "k"]
              : turn < 0.6
                ? ["Enter", "a", "Escape"]
                : [];
      // Some look before they press, and some press as fast as they can.
      if (keys.length > 0 && step % 5 !== 0) await card().locator("h2").waitFor();
      for (const key of [...keys, "j"]) await page.keyboard.press(key);
    }
    // A key that comes before the page has drawn what the one before did is none: the rest of the way.
    const last = page.getByText(`${size} of ${size}`);
    while ((await last.count()) === 0) await page.keyboard.press("j");
    await page.getByRole("button", { name: /^\d+ new, show below/ }).waitFor();
  } finally {
    clearInterval(arrivals);
  }
  expect(arrived).toBeGreaterThan(3);
  const { pressed, moves } = await seenBy(page);
  // Nothing came to the screen by itself, and the list is what it was.
  expect(moves.filter(({ after }) => after === "")).toEqual([]);
  expect(await titles()).toEqual(asItWas);
  // Each decision is about what was on the screen when its keys went down.
  expect(sent.length).toBeGreaterThan(0);
  const confirmed = pressed
    .filter(({ key }) => key === "Enter")
    .map(({ shown, frames }) => (frames > 0 ? shown : null));
  const meant = pressed.filter(({ key }) => key === "a" || key === "d").map(({ shown }) => shown);
  for (const { approval_id, subject_hash } of sent) {
    expect(confirmed).toContain(subject_hash);
    expect(meant).toContain(subject_hash);
    expect((await record(approval_id)).subject_hash).toBe(subject_hash);
  }
  // And nothing else was decided.
  const { inbox } = api.workspace.runtime;
  const said = new Set(sent.map(({ approval_id }) => approval_id));
  for (const id of created) {
    const found = await inbox.find(id);
    if (found.ok && found.value.decided_by !== null) expect(said).toContain(id);
  }
  expect(wrong.filter((one) => !/status of 4\d\d/.test(one))).toEqual([]);
});

/** The same walk every time. */
function dice(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Of two colours as a browser computes them. */
function contrast(one: string, other: string): number {
  const light = (colour: string) => {
    const [r = 0, g = 0, b = 0] = (colour.match(/[\d.]+/g) ?? []).map((part) => {
      const share = Number(part) / 255;
      return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const [high = 1, low = 0] = [light(one), light(other)].sort((left, right) => right - left);
  return (high + 0.05) / (low + 0.05);
}
