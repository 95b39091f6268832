import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Browser, Locator, Page, Request } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openBrowser, watch } from "../support/browser.ts";
import { hostileServer } from "../support/mcp.ts";
import { type Served, served } from "../support/served.ts";
import { repository, writJson } from "../support/writ.ts";
import { attack, brokenCycle, fields, hostileDraft, hostileFiles, kettle, of, trace } from "./hostile-workspace.ts";

const folder = mkdtempSync(join(tmpdir(), "writ-hostile-"));
const root = join(folder, `kitchen ${attack}`);
const mcpServer = hostileServer(kettle.control("boils water"));

let server: Served;
let browser: Browser;
let page: Page;
let wrong: readonly string[];
let key: string;
const seen = new Map<string, string>();

/** Tests look into answers of every shape. */
type Parsed = ReturnType<typeof JSON.parse>;
async function api(path: string, body?: object, headers: Record<string, string> = {}): Promise<Parsed> {
  const init = body
    ? { method: "POST", headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(body) }
    : { headers };
  return JSON.parse(await (await fetch(`${server.url}/api/v1${path}`, init)).text());
}
async function eventually<T>(what: string, read: () => Promise<T | undefined>): Promise<T> {
  for (let tries = 0; tries < 200; tries++) {
    const found = await read();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`${what} did not come`);
}

beforeAll(async () => {
  await mkdir(root);
  await writJson(["init", root]);
  for (const [path, text] of Object.entries(hostileFiles(mcpServer))) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  key = (await writJson<{ key: string }>(["key", "create", "ada@example.org", "--root", root])).json.key;
  await writJson(["tool", "approve", "kettle", "--yes", "--root", root]);
  await writJson(["turn", "exec", join(root, "turn.json"), "--dev", "--root", root]);
  server = await served(["up"], root);
  browser = await openBrowser();
  page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  page.setDefaultTimeout(60_000);
  wrong = watch(page, server.url);
  page.on("request", (request) => isAnswered(request) && reading.add(request));
  for (const end of ["requestfinished", "requestfailed"] as const)
    page.on(end as "requestfinished", (request) => reading.delete(request));
});
afterAll(async () => {
  await browser?.close();
  await server?.end("SIGINT");
  await mcpServer[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

/** What stands in a page only if text became part of it. */
const madeOn = (any: Page) =>
  any.locator("img, iframe, object, embed, main script, svg[onload], [onerror], a[href^='javascript:']");
const made = () => madeOn(page);

/** What the page is reading just now; streams never end. */
const reading = new Set<Request>();
const isAnswered = (request: Request) => /\/api\/v1\/(?!.*\/?(?:stream|lines)$)/.test(request.url());
const twoFrames = () =>
  page.evaluate("new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))");

/** Everything that the page asked for is there, and on the screen. */
async function drawn(): Promise<void> {
  const left = async () => {
    await twoFrames();
    return reading.size;
  };
  await expect.poll(left).toBe(0);
  await twoFrames();
  await page.locator(`p.faint[role="status"]`).first().waitFor({ state: "detached" });
}

/** Opens a page, looks into everything that can be opened on it, and keeps the words that a person would see. */
async function look(place: string, path: string, tabs: readonly string[] = []): Promise<void> {
  await page.goto(`${server.url}${path}`);
  await page.getByRole("main").waitFor();
  const words = async () => {
    await drawn();
    expect(await made().count(), path).toBe(0);
    seen.set(place, `${seen.get(place) ?? ""}\n${await page.locator("body").innerText()}`);
  };
  await words();
  for (const tab of tabs) {
    await page.getByRole(tab.startsWith("+") ? "button" : "tab", { name: tab.replace("+", ""), exact: true }).click();
    await words();
  }
}

const session = async (body: object, headers: Record<string, string> = {}): Promise<string> =>
  (await api("/requests", body, headers)).session_id;
const ended = (session_id: string) =>
  eventually("the end", async () => ((await api(`/sessions/${session_id}/opening`)).info.closed ? true : undefined));

/** The words of each part of the selected event; in the page, at once for all parts. What is no call shows the same in all. */
function wordsOfTabs(inspector: Locator, type: string): Promise<readonly string[]> {
  const from = /^(?:llm|tool|hook)\./.test(type) ? 0 : 3;
  return inspector.evaluate(async (element, first) => {
    const words: string[] = [];
    for (const tab of [...element.querySelectorAll('[role="tab"]')].slice(first)) {
      tab.click();
      await new Promise((drawn) => setTimeout(drawn));
      words.push(element.innerText);
    }
    return words;
  }, from);
}

/** The events of a session, each with what went in, what came out, why, and its bytes. */
async function lookAtEvents(place: string, session_id: string): Promise<void> {
  const { events } = await api(`/sessions/${session_id}/events?limit=1000`);
  await look(place, `/sessions/${session_id}`);
  await look(place, `/sessions/${session_id}?view=all&event=1`);
  const inspector = page.getByRole("region", { name: "Inspector" });
  const looked = new Set<string>();
  for (const event of events as readonly { seq: number; type: string }[]) {
    const { seq, type } = event;
    // What holds nothing hostile, or nothing that an event of its kind has not shown before, is passed by without a look.
    const told = JSON.stringify(event);
    const brought = Object.keys(fields).filter((field) => told.includes(JSON.stringify(trace(field)).slice(1, -1)));
    const isNew = brought.some((field) => !looked.has(`${type} ${field}`));
    for (const field of brought) looked.add(`${type} ${field}`);
    if (!isNew) continue;
    await page.evaluate(`history.replaceState(null, "", "?view=all&event=${seq}")`);
    await inspector.locator(".head .mono", { hasText: new RegExp(`#${seq}$`) }).waitFor();
    seen.set(place, `${seen.get(place)}\n${(await wordsOfTabs(inspector, type)).join("\n")}`);
  }
  expect(await made().count()).toBe(0);
}

describe("text that wants to be a program", () => {
  test("would be noticed, if a page took it for HTML", async () => {
    const naive = await browser.newPage();
    const noticed = watch(naive, server.url);
    await naive.setContent(`<p>${attack}</p>`);
    await expect.poll(() => noticed).toContain("dialog: 1");
    await naive.close();
  });

  test("what a person, a model, a tool and a hook say in a session, and what waits for a decision", async () => {
    const id = await session(
      {
        // Lists show its beginning only.
        prompt: `write a note: ${trace("a person's prompt")} ${of("a person's prompt")}`,
        skill: "write-note",
        allow: ["notes/**", `notes/${trace("what an order may write")}`],
      },
      { authorization: `Bearer ${key}` },
    );
    const approval = await eventually(
      "the question",
      async () =>
        (await api("/approvals?state=open")).approvals.filter(({ kind }: { kind: string }) => kind === "tool_call")[0],
    );
    await look("inbox", `/inbox/${approval.approval_id}`);
    await look("home", "/");
    await look("waiting session", `/sessions/${id}`);
    await api(`/approvals/${approval.approval_id}/decision`, {
      choice: "approve",
      subject_hash: approval.subject_hash,
      reason: of("a decision's reason"),
    });
    await look("inbox", `/inbox/${approval.approval_id}?state=all`);
    await ended(id);
    await lookAtEvents("session", id);
    await look("sessions", "/sessions");
    const other = await session({ prompt: "greet Ada" });
    await ended(other);
    await look("compare", `/compare?left=${id}&right=${other}`);
  });

  test("what a server says of its tool, what the tool answers, and what a skill says of itself", async () => {
    const id = await session({ prompt: `heat ${trace("a skill's trigger")}` });
    await ended(id);
    await lookAtEvents("tool session", id);
    // The server says something else of its tool than what was approved: somebody is asked.
    mcpServer.set(kettle.control(of("the description of an MCP tool")));
    await ended(await session({ prompt: `heat ${trace("a skill's trigger")}` }));
    const changed = await eventually(
      "the question",
      async () =>
        (await api("/approvals?state=open")).approvals.filter(
          ({ kind }: { kind: string }) => kind === "changed_tool",
        )[0],
    );
    await look("inbox", `/inbox/${changed.approval_id}`);
  });

  test("the name of a file that a turn wrote against its word", async () => {
    const turn = (await api("/approvals?state=open")).approvals.find(
      ({ kind }: { kind: string }) => kind === "quarantined_turn",
    );
    await look("inbox", `/inbox/${turn.approval_id}`);
    await lookAtEvents("turn session", turn.session_id);
  });

  test("what a provider says when it fails", async () => {
    const id = await session({ prompt: "break" });
    await ended(id);
    await look("failed session", `/sessions/${id}?view=all`);
  });

  test("what an objective, the names of files and their text bring into a document", async () => {
    const { run } = await api("/runs", {
      app_id: "writer",
      objective: `How to boil water in a kettle ${of("a run's objective")}`,
    });
    await eventually("the end of the run", async () =>
      (await api(`/runs/${run.run_id}`)).run.status === "closed" ? true : undefined,
    );
    await look("run", `/runs/${run.run_id}`, ["+text", "+diff", "+blame"]);
    await look("runs", "/runs");
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Go to" }).fill(attack);
    for (const kind of ["session", "run"]) await page.getByRole("option").filter({ hasText: kind }).first().waitFor();
    expect(await made().count()).toBe(0);
    seen.set("palette", await page.getByRole("dialog").innerText());
  });

  test("what a cycle, its phases, its policies and its reviewers say", async () => {
    const { session_id } = await api("/workflows/hostile/runs", { prompt: "look", input: {} });
    await ended(session_id);
    await look("workflow", `/workflows/hostile?session=${session_id}`);
    await look("workflows", "/workflows");
    await lookAtEvents("review session", session_id);
    await look("policies", "/policies?rule=hostile-policy");
    await look("backtest", `/policies?rule=hostile-policy#draft=${encodeURIComponent(hostileDraft)}`);
    await writeFile(join(root, brokenCycle.path), brokenCycle.text);
    await look("workflows", "/workflows");
    rmSync(join(root, brokenCycle.path));
    await look("settings", "/settings?open=defaults");
    await look("others", "/nowhere");
  });

  test("what a suite and its graders say", async () => {
    await writJson(["eval", "evals/hostile.yaml", "--root", root], { cwd: root });
    await look("evals", "/evals?case=one");
  });

  test("what an address says, wherever a page reads it", async () => {
    const { sessions } = await api("/sessions?limit=1");
    const said = encodeURIComponent(of("a person's prompt"));
    const other = await browser.newPage();
    const met = watch(other, server.url);
    for (const path of [
      `/sessions?q=${said}&state=${said}`,
      `/sessions/${sessions[0].session_id}?view=${said}&find=${said}&event=${said}&tab=${said}&replay=${said}&proof=${said}&open=${said}`,
      `/compare?left=${said}&right=${said}&steps=${said}`,
      `/runs/${said}?revision=${said}&show=${said}&work=${said}`,
      `/workflows/hostile?session=${said}&phase=${said}`,
      `/inbox/${said}?state=${said}`,
      `/policies?rule=${said}&days=${said}&shadows=${said}#draft=${said}`,
      `/policies?rule=hostile-policy#draft=${said}`,
      `/settings?open=${said}`,
      `/evals?suite=${said}&ran=${said}&case=${said}`,
      `/${said}`,
    ]) {
      await other.goto(`${server.url}${path}`);
      await other.getByRole("main").waitFor();
      await other.locator(`p.faint[role="status"]`).first().waitFor({ state: "detached" });
      expect(await madeOn(other).count(), path).toBe(0);
    }
    await other.close();
    // The server refuses what it does not know, and the browser tells that too; nothing else happened.
    expect(met.filter((one) => !/status of 40[04]/.test(one))).toEqual([]);
  });

  test.each(Object.entries(fields))("%s is shown as it was written: %j", (field, places) => {
    const missing = places.filter((place) => !seen.get(place)?.includes(trace(field)));
    expect(missing).toEqual([]);
  });

  test("nothing ran, nothing was refused by the page's policy because it tried, nothing left", () => {
    expect(wrong).toEqual([]);
  });
});

test("no file of the studio writes HTML", () => {
  const sources = readdirSync(`${repository}studio/src`, { recursive: true, encoding: "utf8" }).filter((path) =>
    /\.tsx?$/.test(path),
  );
  expect(sources.length).toBeGreaterThan(60);
  for (const path of sources)
    expect(readFileSync(`${repository}studio/src/${path}`, "utf8"), path).not.toMatch(
      /dangerouslySetInnerHTML|innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function/,
    );
});
