import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { openBrowser, watch } from "../support/browser.ts";
import { type Served, served } from "../support/served.ts";
import { repository, writJson } from "../support/writ.ts";

/** What would run if any page took it for HTML, followed by the name of the field that it came in by. */
const attack = "<img src=x onerror=alert(1)>";
const hostile = (field: string) => `"'><svg onload=alert(2)></svg>${attack}[${field}]`;
const trace = (field: string) => `${attack}[${field}]`;

/** Every field that a model, a tool, a file name or a person can fill, and where the studio shows it. */
const fields = {
  "a person's prompt": "session",
  "the lead's intent": "session",
  "a step of the plan": "session",
  "an argument of a tool": "session",
  "the result of a tool": "session",
  "the worker's output": "session",
  "the reviewer's feedback": "session",
  "a hook's reason": "session",
  "the context that agents read": "session",
  "an approval's path": "inbox",
  "an approval's content": "inbox",
  "an approval's reason": "inbox",
  "a decision's reason": "inbox",
  "a provider's error": "failed session",
  "a run's objective": "run",
  "the name of a file": "run",
  "a heading in a file": "run",
  "a passage in a file": "run",
  "a cycle's title": "workflow",
  "a cycle's description": "workflow",
  "a phase's title": "workflow",
  "a policy's reason": "workflow",
  "a finding's title": "review session",
  "the name of a hook's file": "policies",
  "a policy's title": "policies",
  "a grader's name": "evals",
  "a grader's expression": "evals",
} as const;
type Field = keyof typeof fields;
const of = (field: Field) => hostile(field);

const folder = mkdtempSync(join(tmpdir(), "writ-hostile-"));
const root = join(folder, `kitchen ${attack}`);
const lookHook = `hooks/${trace("the name of a hook's file")}.mjs`;
const files: Readonly<Record<string, string>> = {
  "writ.yaml": stringify({
    version: 1,
    provider: "scripted",
    script: "script.yaml",
    identity: { callers: { "ada@example.org": { roles: ["operator"] } } },
    hooks: {
      PreToolUse: [{ matcher: "fs.write", hooks: [{ type: "module", module: "hooks/ask.mjs", timeout: 5 }] }],
      PostToolUse: [{ matcher: "fs.read", hooks: [{ type: "module", module: lookHook, timeout: 5 }] }],
    },
  }),
  "hooks/ask.mjs": `export default () => (${JSON.stringify({ decision: "ask", reason: of("an approval's reason") })});`,
  [lookHook]: `export default () => (${JSON.stringify({ decision: "allow", reason: of("a hook's reason") })});`,
  "AGENTS.md": `# Agents\n\n${of("the context that agents read")}\n`,
  "script.yaml": stringify({
    rules: [
      {
        when: { prompt: "break" },
        respond: { error: { status: 400, code: "BAD", message: of("a provider's error") } },
      },
      {
        when: { role: "lead", prompt: "note" },
        respond: {
          json: { intent: of("the lead's intent"), constraints: [], needs_advisor: false, schema_version: "v1" },
        },
      },
      {
        when: { role: "planner", prompt: "note" },
        respond: {
          json: {
            steps: [{ id: "s1", description: of("a step of the plan"), depends_on: [] }],
            risks: [],
            needs_advisor: false,
            schema_version: "v1",
          },
        },
      },
      {
        when: { role: "worker", prompt: "note", call: 1 },
        respond: {
          tool_calls: [
            { name: "fs.read", args: { path: "docs/read.md" } },
            { name: "fs.search", args: { pattern: trace("an argument of a tool") } },
          ],
        },
      },
      {
        when: { role: "worker", prompt: "note", call: 2 },
        respond: {
          tool_calls: [
            {
              name: "fs.write",
              args: {
                path: `notes/${attack}[an approval's path].md`,
                content: of("an approval's content"),
                expected_hash: "",
                why: "so that it is known",
              },
            },
          ],
        },
      },
      {
        when: { role: "worker", prompt: "note" },
        respond: { json: { output: of("the worker's output"), steps_completed: ["s1"], schema_version: "v1" } },
      },
      {
        when: { role: "reviewer", prompt: "note" },
        respond: { json: { verdict: "pass", feedback: of("the reviewer's feedback"), schema_version: "v1" } },
      },
      {
        when: { persona: "correctness" },
        respond: {
          json: {
            findings: [
              {
                title: of("a finding's title"),
                severity: "P2",
                confidence: 75,
                file: "docs/read.md",
                line: 1,
                category: "logic",
              },
            ],
            files: ["docs/read.md"],
            schema_version: "v1",
          },
        },
      },
    ],
  }),
  "evals/hostile.yaml": stringify({
    id: "hostile",
    cases: [
      {
        id: "one",
        input: { prompt: "greet Ada" },
        graders: [
          {
            kind: "cel",
            name: of("a grader's name"),
            expression: `output == ${JSON.stringify(trace("a grader's expression"))}`,
          },
        ],
      },
    ],
  }),
  "docs/read.md": `# Tea\n\n${of("the result of a tool")} is read by the worker of a note, and is long enough to be prose.\n`,
  [`docs/${attack}[the name of a file].md`]: `# Kettles\n\n## ${trace("a heading in a file")} of kettles\n\nA kettle ${trace("a passage in a file")} boils water for tea, and there is no other way to boil water for it.\n`,
  "workflows/cycles/hostile.md": `---\n${stringify({
    id: "hostile",
    title: of("a cycle's title"),
    description: of("a cycle's description"),
    phases: ["hostile-phase"],
    entry_phase: "hostile-phase",
    policies: ["hostile-policy"],
    loop_bounds: { max_phase_visits: 2 },
    mode: "report-only",
    version: 1,
    schema_version: "v1",
  })}---\n\n# Hostile\n`,
  "workflows/phases/hostile-phase.md": `---\n${stringify({
    id: "hostile-phase",
    title: of("a phase's title"),
    advance_signal: "true",
    agents_invoked: ["correctness"],
    schema_version: "v1",
  })}---\n\nLook.\n`,
  "workflows/policies/hostile-policy.md": `---\n${stringify({
    id: "hostile-policy",
    title: of("a policy's title"),
    kind: "severity-routing",
    rules: [{ when: "finding.severity == 'P2'", then: "advisory", reason: of("a policy's reason") }],
    default: "advisory",
    version: 1,
    schema_version: "v1",
  })}---\n\nText.\n`,
};

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
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  key = (await writJson<{ key: string }>(["key", "create", "ada@example.org", "--root", root])).json.key;
  server = await served(["up"], root);
  browser = await openBrowser();
  page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  page.setDefaultTimeout(20_000);
  wrong = watch(page, server.url);
}, 60_000);
afterAll(async () => {
  await browser?.close();
  await server?.end("SIGINT");
  rmSync(folder, { recursive: true, force: true });
});

/** What stands in a page only if text became part of it. */
const madeOn = (any: Page) =>
  any.locator("img, iframe, object, embed, main script, svg[onload], [onerror], a[href^='javascript:']");
const made = () => madeOn(page);

/** Opens a page, looks into everything that can be opened on it, and keeps the words that a person would see. */
async function look(place: string, path: string, tabs: readonly string[] = []): Promise<void> {
  await page.goto(`${server.url}${path}`);
  await page.getByRole("main").waitFor();
  await page.locator(`p.faint[role="status"]`).first().waitFor({ state: "detached" });
  const words = async () => {
    expect(await made().count(), path).toBe(0);
    seen.set(place, `${seen.get(place) ?? ""}\n${await page.locator("body").innerText()}`);
  };
  await words();
  for (const tab of tabs) {
    await page.getByRole(tab.startsWith("+") ? "button" : "tab", { name: tab.replace("+", ""), exact: true }).click();
    await page.locator(`p.faint[role="status"]`).first().waitFor({ state: "detached" });
    await words();
  }
}

/** All events of a session, each with what went in, what came out, why, and its bytes. */
async function lookAtEvents(place: string, session_id: string): Promise<void> {
  const { events } = await api(`/sessions/${session_id}/events?limit=1000`);
  await look(place, `/sessions/${session_id}`);
  await look(place, `/sessions/${session_id}?view=all&event=1`);
  const inspector = page.getByRole("region", { name: "Inspector" });
  for (const event of events as readonly { seq: number; type: string }[]) {
    const { seq, type } = event;
    if (seq > 1) await page.keyboard.press("j");
    // What holds nothing hostile is passed by without a look.
    if (!JSON.stringify(event).includes(attack)) continue;
    await inspector.locator(".head .mono", { hasText: new RegExp(`#${seq}$`) }).waitFor();
    const tabs = /^(?:llm|tool|hook)\./.test(type) ? [/Input|Prompt/, "Output", "Why", "Raw"] : ["Raw"];
    for (const tab of tabs) {
      await inspector.getByRole("tab", { name: tab }).click();
      seen.set(place, `${seen.get(place)}\n${await inspector.innerText()}`);
    }
  }
  expect(await made().count()).toBe(0);
}

describe("text that wants to be a program", () => {
  test("what a person, a model, a tool and a hook say in a session, and what waits for a decision", async () => {
    const { session_id } = await api(
      "/requests",
      { prompt: `write a note: ${of("a person's prompt")}`, skill: "write-note", allow: ["notes/**"] },
      { authorization: `Bearer ${key}` },
    );
    const approval = await eventually("the question", async () => (await api("/approvals?state=open")).approvals[0]);
    await look("inbox", `/inbox/${approval.approval_id}`);
    await look("home", "/");
    await api(`/approvals/${approval.approval_id}/decision`, {
      choice: "approve",
      subject_hash: approval.subject_hash,
      reason: of("a decision's reason"),
    });
    await look("inbox", `/inbox/${approval.approval_id}?state=all`);
    await eventually("the end", async () =>
      (await api(`/sessions/${session_id}/opening`)).info.closed ? true : undefined,
    );
    await lookAtEvents("session", session_id);
    await look("sessions", "/sessions");
    await look("compare", `/compare?left=${session_id}&right=${session_id}`);
  }, 90_000);

  test("what a provider says when it fails", async () => {
    const { session_id } = await api("/requests", { prompt: "break" });
    await eventually("the end", async () =>
      (await api(`/sessions/${session_id}/opening`)).info.closed ? true : undefined,
    );
    await look("failed session", `/sessions/${session_id}?view=all`);
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
  }, 60_000);

  test("what a cycle, its phases, its policies and its reviewers say", async () => {
    const { session_id } = await api("/workflows/hostile/runs", { prompt: "look", input: {} });
    await eventually("the end", async () =>
      (await api(`/sessions/${session_id}/opening`)).info.closed ? true : undefined,
    );
    await look("workflow", `/workflows/hostile?session=${session_id}`);
    await look("workflows", "/workflows");
    await lookAtEvents("review session", session_id);
    await look("policies", "/policies?rule=hostile-policy");
    for (const path of ["/settings", "/nowhere"]) await look("others", path);
  }, 60_000);

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
      `/sessions/${sessions[0].session_id}?view=${said}&find=${said}&event=${said}&tab=${said}&replay=${said}`,
      `/compare?left=${said}&right=${said}&steps=${said}`,
      `/runs/${said}?revision=${said}&show=${said}&work=${said}`,
      `/workflows/hostile?session=${said}&phase=${said}`,
      `/inbox/${said}?state=${said}`,
      `/policies?rule=${said}&days=${said}&shadows=${said}`,
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

  test.each(Object.entries(fields))("%s is shown as it was written (%s)", (field, place) => {
    expect(seen.get(place)).toContain(trace(field));
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
