import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openBrowser, watch } from "../support/browser.ts";
import { takePicture, wantsPictures } from "../support/pictures.ts";
import { repository, writJson } from "../support/writ.ts";
import { everyViewHasItsAddress } from "./addresses.ts";
import { watchACycle } from "./cycle-under-way.ts";
import { deniedRow, seeWhyDenied } from "./denied-call.ts";
import { faultsOfPages } from "./every-page.ts";
import { findWords } from "./find-in-a-session.ts";
import { answerByKey, goEverywhereByKeys } from "./from-the-keyboard.ts";
import { lookAtEvals, lookAtPolicies } from "./law-pages.ts";
import { drawDependencies, growADocument } from "./run-pages.ts";
import { useSettings } from "./settings-page.ts";
import { worksForATeam } from "./team-page.ts";

/** The demo, started as a newcomer starts it: one command in an empty folder. */
const folder = mkdtempSync(join(tmpdir(), "writ-studio-"));
const demo = spawn(process.execPath, [`${repository}bin/writ.js`, "up", "--demo", "--port", "0", "--json"], {
  cwd: folder,
  stdio: ["ignore", "pipe", "inherit"],
});
let browser: Browser;
let context: BrowserContext;
let page: Page;
let url: string;
/** Seconds of processor time from the command to the address: on a busy machine the clock tells of others. */
let workSeconds: number;
let wrong: readonly string[];

/** Tests look into answers of every shape. */
type Parsed = ReturnType<typeof JSON.parse>;
const api = async (path: string): Promise<Parsed> => JSON.parse(await (await fetch(`${url}/api/v1${path}`)).text());
/** Waits for what the demo does by itself while the page is open. */
async function eventually<T>(read: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const found = await read();
    if (found !== undefined) return found;
    await page.waitForTimeout(200);
  }
}
const sessionAsked = (asked: string, { closed = false } = {}) =>
  eventually<{ session_id: string }>(async () =>
    (await api("/sessions?limit=100")).sessions.find(
      (one: { asked: string | null; closed: boolean }) => one.asked === asked && (one.closed || !closed),
    ),
  );

beforeAll(async () => {
  const said = await new Promise<string>((resolve) =>
    demo.stdout.once("data", (text: Buffer) => resolve(String(text))),
  );
  url = JSON.parse(said).url;
  const times = readFileSync(`/proc/${demo.pid}/stat`, "utf8").split(" ");
  workSeconds = (Number(times[13]) + Number(times[14])) / 100;
  browser = await openBrowser();
  context = await browser.newContext({ viewport: { width: 1280, height: 800 }, colorScheme: "light" });
  page = await context.newPage();
  wrong = watch(page, url);
  page.setDefaultTimeout(60_000);
});
afterAll(async () => {
  await browser?.close();
  demo.kill("SIGINT");
  await new Promise((resolve) => demo.once("exit", resolve));
  rmSync(folder, { recursive: true, force: true });
});

const picture = (name: string) => takePicture(page, name);

describe("the studio, with the demo workspace", () => {
  test("the first page shows a finished governed request, made with less than five seconds of processor time, and what waits for me", async () => {
    expect(workSeconds).toBeLessThan(5);
    await page.goto(url);
    await page.getByRole("link", { name: "greet Ada" }).first().waitFor();
    await page.getByText("create notes/tea.md: +1 line").first().waitFor();
    await page.getByText("waiting for you", { exact: true }).waitFor();
  });

  test("the home page answers: what waits for me, what failed, what was spent of the budget", async () => {
    const home = await eventually(async () => {
      const found = await api("/home");
      return found.waiting >= 2 && found.failed_since_yesterday >= 2 ? found : undefined;
    });
    await page.locator(".figure.wait strong", { hasText: /^[2-9]$/ }).waitFor();
    await page.locator(".figure.bad strong", { hasText: /^[2-9]$/ }).waitFor();
    await page.getByText(`of $${home.spent.usd_limit.toFixed(2)}`).waitFor();
    await page.getByRole("meter", { name: "Budget spent" }).waitFor();
    // Nobody is sent to decide what only somebody else may.
    await page.getByText(/^yours: somebody else decides · quarantined turn, /).waitFor();
    await page.getByText("2 of them for somebody else").waitFor();
    await page
      .getByRole("link", { name: /write the report/ })
      .first()
      .waitFor();
    await eventually(async () => ((await api("/runs")).runs[0]?.status === "closed" ? true : undefined));
    await picture("home");
    await page.emulateMedia({ colorScheme: "dark" });
    await picture("home-dark");
    await page.emulateMedia({ colorScheme: "light" });
    // What was asked for last waits for somebody else: what I may decide stands before it, and is what the inbox opens.
    const tellsOfNote = expect.stringContaining("create notes/tea.md: +1 line");
    expect(await page.locator("a.pick[href^='/inbox/']").first().textContent()).toEqual(tellsOfNote);
    await page.goto(`${url}/inbox`);
    await page.getByRole("button", { name: "approve" }).waitFor();
    expect(await page.getByRole("listitem").first().textContent()).toEqual(tellsOfNote);
    expect(await page.getByRole("button", { name: "approve" }).isEnabled()).toBe(true);
  });

  test("a session: asked, answered, law; proven in this browser; why a tool was allowed; replay calls nothing", async () => {
    const { session_id } = await sessionAsked("greet Ada");
    await page.goto(`${url}/sessions/${session_id}`);
    await page.getByText("Hello, Ada", { exact: true }).first().waitFor();
    await page
      .getByTestId("verification")
      .getByText(/verified, \d+ events/)
      .waitFor();
    await page.getByTestId("verification").click();
    await page.getByText("yes: the path leads from this head to the root").waitFor();
    await page.getByText("yes, by the workspace's key").waitFor();
    const kept = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export for an auditor" }).click();
    expect((await kept).suggestedFilename()).toBe(`${session_id}.html`);
    expect(readFileSync((await (await kept).path()) ?? "", "utf8")).toContain(session_id);
    await page.keyboard.press("Escape");
    await page.locator(`[role="option"]:has(.subject:text-is("echo"))`).first().click();
    await page.getByRole("tab", { name: "Why" }).click();
    await page.getByText("skill greet").first().waitFor();
    // Who is sent the address sees the same event, the same part of it.
    await page.goto(page.url());
    await page.getByRole("tab", { name: "Why", selected: true }).waitFor();
    await page.getByText("skill greet").first().waitFor();
    // What a model was told, and where each part of it came from.
    await page.getByRole("option").filter({ hasText: "1 step: greet Ada through echo" }).click();
    await page.getByRole("tab", { name: "Prompt" }).click();
    const origins = page.locator(".origins", { hasText: "Context, by origin" });
    await origins.getByText("file:AGENTS.md").waitFor();
    await origins.getByText("untrusted").waitFor();
    const { head_hash } = (await api(`/sessions/${session_id}`)).info;
    const asked: string[] = [];
    page.on("request", (request) => request.method() !== "GET" && asked.push(request.url()));
    await page.getByRole("button", { name: "Replay" }).click();
    await page.getByLabel("Replay up to event").fill("12");
    await page.getByText(/Then: .* no output yet/).waitFor();
    // What came later has not happened yet, and looks so.
    await page.locator(".timeline-row.later").filter({ hasText: "closed, all well" }).waitFor();
    expect(await page.locator("#event-1.later").count()).toBe(0);
    await page.getByRole("button", { name: "One event on" }).click();
    const at = page.getByText(/^13 of \d+$/);
    await at.waitFor();
    await page.getByLabel("Replay up to event").fill(/\d+$/.exec((await at.textContent()) ?? "")?.[0] ?? "");
    await page.getByText(/Then: .* output “Hello, Ada”/).waitFor();
    expect(await page.locator(".timeline-row.later").count()).toBe(0);
    expect(new URL(page.url()).search).toContain("replay=yes");
    expect(asked).toEqual([]);
    expect((await api(`/sessions/${session_id}`)).info.head_hash).toBe(head_hash);
  });

  test("events are filtered and found by expression, and each view has its address", async () => {
    const { session_id } = await sessionAsked("greet Ada");
    await page.goto(`${url}/sessions/${session_id}?view=gates`);
    await page.getByRole("option").filter({ hasText: "PreToolUse" }).waitFor();
    expect(await page.getByRole("option").filter({ hasText: "work order" }).count()).toBe(0);
    await page.getByLabel("Find events by words or expression").fill('gate.point == "Stop"');
    await page.keyboard.press("Enter");
    await page.getByText(/^1 of \d+$/).waitFor();
    expect(page.url()).toContain("find=");
  });

  test("words are found in every view, counted, and gone through from the keyboard", async () => {
    const { session_id } = await sessionAsked("greet Ada");
    await findWords(page, `${url}/sessions/${session_id}`, `${url}/api/v1/sessions/${session_id}`);
  });

  test("approve from the keyboard, for exactly the bytes that are shown; the note is written, and who watches sees it", async () => {
    const waiting = await sessionAsked("write a note about green tea");
    const watcher = await context.newPage();
    await watcher.goto(`${url}/sessions/${waiting.session_id}`);
    await watcher.getByText("waits for a person").waitFor();
    await page.goto(`${url}/inbox`);
    await page.getByRole("listitem").filter({ hasText: "notes/tea.md" }).click();
    await page.getByText("Exactly these bytes").waitFor();
    await picture("inbox");
    await page.getByLabel("The exact arguments").getByText("notes/tea.md").waitFor();
    await answerByKey(page, "a");
    const { session_id } = await sessionAsked("write a note about green tea");
    await eventually(async () => ((await api(`/sessions/${session_id}`)).info.closed ? true : undefined));
    expect(readFileSync(join(folder, "notes/tea.md"), "utf8")).toContain("75 degrees");
    // Nobody loaded it again: the events came to it.
    await watcher.getByRole("option").filter({ hasText: "closed, all well" }).waitFor();
    await watcher.locator("header .state", { hasText: "done" }).waitFor();
    await watcher
      .getByTestId("verification")
      .getByText(/^verified, \d+ events$/)
      .waitFor();
    await watcher.close();
  });

  test("deny from the keyboard, with a reason that is kept; nothing is written", async () => {
    const { key } = (await writJson<{ key: string }>(["key", "create", "ada@example.org", "--root", folder])).json;
    const before = readFileSync(join(folder, "notes/tea.md"), "utf8");
    const answer = await fetch(`${url}/api/v1/requests`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
      body: JSON.stringify({ prompt: "write a note about green tea, again", skill: "write-note" }),
    });
    const { session_id } = JSON.parse(await answer.text());
    await page.goto(`${url}/inbox`);
    await page.getByRole("listitem").filter({ hasText: "notes/tea.md" }).click();
    await page.getByLabel("Reason").fill("one note is enough");
    await page.getByLabel("The exact arguments").focus();
    await answerByKey(page, "d");
    await eventually(async () => ((await api(`/sessions/${session_id}`)).info.closed ? true : undefined));
    expect(readFileSync(join(folder, "notes/tea.md"), "utf8")).toBe(before);
    await page.goto(`${url}/inbox?state=decided`);
    await page.getByText("one note is enough").waitFor();
    // Nobody decides about what they asked for themselves, whatever key they press.
    await page.goto(`${url}/inbox`);
    await page.getByRole("listitem").filter({ hasText: "written against a turn's word" }).click();
    await page.getByText("You asked for this: somebody else must decide.").waitFor();
    expect(await page.getByRole("button", { name: "release" }).isDisabled()).toBe(true);
  });

  test("a denied tool call says which rule, and nothing was written", async () => {
    const { session_id } = await sessionAsked("write a note: change the law of this workspace");
    await page.goto(`${url}/sessions/${session_id}?view=failed`);
    await deniedRow(page).getByText("deny", { exact: true }).waitFor();
    await page.getByText("1 denied").waitFor();
    await seeWhyDenied(page, `${url}/sessions/${session_id}`);
    // A turn that wrote against its word, among the writes of its own session.
    const turn = await sessionAsked("write the report", { closed: true });
    await page.goto(`${url}/sessions/${turn.session_id}?view=writes`);
    await page.getByRole("option").filter({ hasText: "wrote what it had not declared: quarantined" }).waitFor();
    await page.getByRole("button", { name: /denials and failures|denial or failure/ }).waitFor();
    expect(readFileSync(join(folder, "writ.yaml"), "utf8")).toContain("script: script.yaml");
  });

  test("a run: work, the document, its revisions, and who wrote each line", async () => {
    await growADocument(page, url);
  });

  test("a cycle: its phases, its rules, and what decided in a session", async () => {
    await page.goto(`${url}/workflows/plan-work-review-ship`);
    const { definition } = await api("/workflows/plan-work-review-ship");
    await page
      .locator(".graph-box")
      .nth(definition.phases.length - 1)
      .waitFor();
    const ways = definition.phases.length - 1 + (definition.transitions ?? []).length;
    await expect.poll(() => page.locator(".react-flow__edge").count()).toBe(ways);
    const { session_id } = await sessionAsked("review the change of the kettle's timer");
    await page.goto(`${url}/workflows/code-review?session=${session_id}`);
    await page.getByText("What decided").waitFor();
    await page.locator(".graph-box.marked", { hasText: "Review of a change" }).getByText("done").waitFor();
    await page.getByRole("cell", { name: "confidence-floor" }).first().waitFor();
    await page.getByText("persona.role == 'reviewer'").first().waitFor();
    // What a rule saw stands beside it, for a policy as for a signal, and what it was about by its title.
    const floor = page
      .getByRole("row")
      .filter({ hasText: /confidence-floor.*P1 The timer counts from the wrong moment/ });
    await floor.getByText("finding.confidence 75").waitFor();
    await floor.getByText("parameters.min_confidence 50").waitFor();
    await page.getByText("review_aggregate.p0_unresolved 0").waitFor();
    await page.getByText("the values it saw").last().click();
    await page.getByText('"p1_unresolved": 1').waitFor();
    // A shadow is told by its own rule, as it was when the session asked it: not by the one in force, not by a later one.
    const file = join(folder, "workflows/policies/severity-gate.md");
    const written = readFileSync(file, "utf8");
    writeFileSync(file, written.replace("finding.severity in ['P0', 'P1']", "finding.severity in ['P0', 'P1', 'P2']"));
    await page.goto(`${url}/workflows/code-review?session=${session_id}&phase=review`);
    const shadow = page.getByRole("row").filter({ hasText: /severity-gate \(shadow\).*something serious is open/ });
    await shadow.getByText("finding.severity in ['P0', 'P1'] &&").waitFor();
    await page.getByText("the chosen phase").waitFor();
    writeFileSync(file, written);
    // What three reviewers get is cut from the order's budget, not added to it.
    const { budget, snapshot } = await api(`/sessions/${session_id}/outline`);
    const left = budget.map((point: { left: number }) => point.left);
    expect([left[0], left.at(-1)]).toEqual([100_000, 100_000 - snapshot.cost.input - snapshot.cost.output]);
  });

  test("policies: a rule over the recorded past, a draft of it, and what a watching one said beside what was done", async () => {
    const { session_id } = await sessionAsked("review the change of the kettle's timer");
    await eventually(async () => ((await api(`/sessions/${session_id}`)).info.closed ? true : undefined));
    await lookAtPolicies(browser, page, url, session_id);
  });

  test("evals: suite, cases, repeats, what each grader said and why, beside the baseline", async () => {
    await eventually(async () => ((await api("/evals")).results.length >= 2 ? true : undefined));
    await lookAtEvals(page, url);
  });

  test("compare two sessions; fork from an event", async () => {
    const { session_id: left } = await sessionAsked("greet Ada");
    const { session_id: right } = await sessionAsked("greet everybody in the kitchen");
    await page.goto(`${url}/compare?left=${left}&right=${right}`);
    await page.getByText("changed").first().waitFor();
    await page.locator(".step .removed", { hasText: "Ada" }).first().waitFor();
    await page.locator(".step .added", { hasText: "everybody" }).first().waitFor();
    // The same tool with other arguments is one row: theirs stand side by side, above what came of them.
    const echo = page.locator(".step", { has: page.getByRole("heading", { name: "echo", exact: true }) });
    await echo.getByText("other arguments").waitFor();
    expect(await echo.locator("pre").allInnerTexts()).toEqual([
      "text: Hello, Ada\n→ text: Hello, Ada",
      "text: Hello, everybody\n→ text: Hello, everybody",
    ]);
    expect(await page.getByText("not taken").count()).toBe(0);
    await page.goto(`${url}/sessions/${left}?event=20`);
    await page.getByRole("button", { name: "Fork at #20" }).click();
    await page.waitForURL((at) => at.pathname.startsWith("/sessions/") && !at.pathname.endsWith(left));
    await page.getByRole("link", { name: "compare", exact: true }).waitFor();
  });

  test("every view has its address: a browser with nothing kept from before shows the same", async () => {
    // What still grows is not the same a moment later.
    const ended = async (asked: string) => (await sessionAsked(asked, { closed: true })).session_id;
    const greeting = await ended("greet Ada");
    const other = await ended("greet everybody in the kitchen");
    const review = await ended("review the change of the kettle's timer");
    await everyViewHasItsAddress(browser, page, url, { greeting, other, review });
  });

  test("settings from the keyboard: who I am, a key for this tab, colours, what is spent as it happens, the law in force", async () => {
    const { key } = (await writJson<{ key: string }>(["key", "create", "ada@example.org", "--root", folder])).json;
    await useSettings(browser, url, key);
  });

  test("for a team: `writ serve` shows nothing without a key; where there is nothing yet, each page teaches", async () => {
    await worksForATeam(browser);
  });

  test("a request made here is seen live while it runs", async () => {
    await page.goto(url);
    await page.getByLabel("Ask for something").fill("greet Grace");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/sessions\//);
    await page.getByText("Hello, Grace", { exact: true }).first().waitFor();
  });

  test("everything can be reached from the keyboard", async () => {
    await goEverywhereByKeys(page, url);
  });

  test("no serious finding of accessibility on any page, light or dark, and none too wide for a laptop or a hand", async () => {
    const { session_id: greeting } = await sessionAsked("greet Ada");
    const { session_id: other } = await sessionAsked("greet everybody in the kitchen");
    const { session_id: review } = await sessionAsked("review the change of the kettle's timer");
    const run = (await api("/runs")).runs[0].run_id;
    expect(await faultsOfPages(page, url, { greeting, other, review, run })).toEqual([]);
  });

  test.runIf(wantsPictures)("pictures for the docs", async () => {
    const { session_id } = await sessionAsked("write a note about green tea");
    const { session_id: greeting } = await sessionAsked("greet Ada");
    const { session_id: review } = await sessionAsked("review the change of the kettle's timer");
    const run = (await api("/runs")).runs[0].run_id;
    for (const [name, path] of [
      ["session", `/sessions/${session_id}`],
      ["event", `/sessions/${greeting}?event=18`],
      ["run", `/runs/${run}`],
      ["workflow", `/workflows/code-review?session=${review}`],
      ["policies", "/policies"],
    ] as const) {
      await page.goto(`${url}${path}`);
      await picture(name);
    }
    await page.emulateMedia({ colorScheme: "dark" });
    await page.goto(`${url}/sessions/${session_id}`);
    await picture("session-dark");
    await page.emulateMedia({ colorScheme: "light" });
  });

  test("a cycle under way: where it stands, and what decided so far", async () => {
    await watchACycle(page, url, folder);
  });

  test("work that waits for other work, and what it waits for", async () => {
    await drawDependencies(page, url, folder);
  });

  test("a session that was changed on disk is shown, and its badge says where it breaks", async () => {
    // Of another process: what this server writes itself it still holds in its journal.
    const { session_id } = (await writJson<{ session_id: string }>(["run", "greet Eve", "--root", folder])).json;
    const file = join(folder, "planes/ho1/sessions", session_id, ".events.jsonl");
    const lines = readFileSync(file, "utf8").split("\n");
    writeFileSync(file, lines.with(11, (lines[11] ?? "").replace("Eve", "Eva")).join("\n"));
    await page.goto(`${url}/sessions/${session_id}?view=all`);
    await page.getByTestId("verification").getByText("broken at event 12").click();
    await page.getByText("Event 12: it was changed after it was written").waitFor();
    await page.keyboard.press("Escape");
  });

  test("no page failed, broke its own policy, or talked to anybody else", () => {
    expect(wrong).toEqual([]);
  });
});
