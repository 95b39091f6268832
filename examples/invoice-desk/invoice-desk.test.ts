// The invoice desk as a new user runs it, and every limit of it broken on purpose.
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { built } from "../../test/support/built.ts";
import { blocksOf } from "../../test/support/guide/blocks.ts";
import { writ, writJson } from "../../test/support/resident-writ.ts";
import { repository } from "../../test/support/writ.ts";

built();
const example = import.meta.dirname;
const parts = ["desk", "invoices", "orders", "rules", "hijacked.yaml", "mail-server.mjs", "script.yaml", "writ.yaml"];
const payroll = "3912.00";

interface Outcome {
  readonly status: string;
  readonly error_code: string | null;
  readonly error: string | null;
  readonly session_id: string;
}

interface Rule {
  readonly when: { readonly role: string; readonly call?: number };
  respond: { tool_calls?: { name: string; args: Record<string, unknown> }[]; raw?: string; text?: string };
}

interface Desk extends AsyncDisposable {
  readonly run: (...args: readonly string[]) => ReturnType<typeof writ>;
  readonly order: (change?: (order: Order) => void) => Promise<Outcome & { readonly exit: number | null }>;
  readonly edit: <T>(file: string, change: (document: T) => void) => void;
  readonly read: (file: string) => string;
  readonly has: (file: string) => boolean;
  readonly outbox: () => readonly { readonly to: string; readonly body: string }[];
  /** Everything that the session recorded, as text. */
  readonly recorded: (session_id: string) => Promise<string>;
  /** What was refused in it: the call, and the clauses that decided. */
  readonly refusals: (session_id: string) => Promise<readonly string[]>;
}

interface Order {
  work_order_id: string;
  input: Record<string, unknown>;
  scope: { read_files: string[]; allowed_files: string[] };
  tool_permissions: { tool: string; max_calls?: number; args_schema?: object }[];
  acceptance: { tests: { name: string; expression: string }[] };
  budget: Record<string, number>;
}

/** A workspace of its own, with the package installed and the mail server approved. */
async function openDesk(prepare: (desk: Pick<Desk, "edit">) => void = () => {}): Promise<Desk> {
  const place = mkdtempSync(join(tmpdir(), "writ-desk-"));
  const root = join(place, "desk-of-ada");
  mkdirSync(root);
  const run: Desk["run"] = (...args) => writ(args, { cwd: root });
  const edit: Desk["edit"] = (file, change) => {
    const document = parse(readFileSync(join(root, file), "utf8"), { merge: true });
    change(document);
    writeFileSync(join(root, file), stringify(document, { aliasDuplicateObjects: false }));
  };
  expect((await run("init", ".")).status).toBe(0);
  for (const part of parts) cpSync(join(example, part), join(root, part), { recursive: true });
  mkdirSync(join(root, "node_modules"));
  symlinkSync(join(repository, "node_modules/@modelcontextprotocol"), join(root, "node_modules/@modelcontextprotocol"));
  prepare({ edit });
  for (const line of ["pkg build desk --out desk.tar", "pkg install desk.tar", "tool approve mail --yes"]) {
    const { status, stderr } = await run(...line.split(" "));
    expect({ line, status, stderr }).toEqual({ line, status: 0, stderr: "" });
  }
  return {
    run,
    edit,
    read: (file) => readFileSync(join(root, file), "utf8"),
    has: (file) => existsSync(join(root, file)),
    order: async (change = () => {}) => {
      edit<Order>("orders/2026-11.yaml", change);
      const { status, json } = await writJson<Outcome>(["flow", "run", "orders/2026-11.yaml"], { cwd: root });
      return { ...json, exit: status };
    },
    outbox: () => {
      const file = join(place, "outbox/sent.jsonl");
      const lines = existsSync(file) ? readFileSync(file, "utf8").trimEnd().split("\n") : [];
      return lines.map((line) => JSON.parse(line) as { to: string; body: string });
    },
    recorded: async (session_id) => (await run("session", "events", session_id, "--json")).stdout,
    refusals: async (session_id) => {
      const { stdout } = await run("session", "events", session_id, "--type", "tool.refused", "--json");
      const { events } = JSON.parse(stdout) as {
        events: { payload: { name: string; clauses: { document: string; path: string }[] } }[];
      };
      return events.map(
        ({ payload: { name, clauses } }) =>
          `${name}: ${clauses.map((each) => `${each.document} ${each.path}`).join(", ")}`,
      );
    },
    [Symbol.asyncDispose]: async () => rmSync(place, { recursive: true, force: true }),
  };
}

/** Decides about the one question that waits, and lets the session go on. */
async function decide(desk: Desk, word: "approve" | "deny"): Promise<Outcome & { readonly exit: number | null }> {
  const { approvals } = JSON.parse((await desk.run("inbox", "list", "--json")).stdout) as {
    approvals: { approval_id: string; kind: string }[];
  };
  // News of refused acts stands in the inbox too; nothing waits for it.
  const questions = approvals.filter(({ kind }) => kind !== "refused_acts");
  expect(questions).toHaveLength(1);
  expect((await desk.run("inbox", word, questions[0]?.approval_id ?? "")).status).toBe(0);
  const resumed = await desk.run("session", "resume", "last", "--json");
  return { ...(JSON.parse(resumed.stdout) as Outcome), exit: resumed.status };
}

const scripted = (change: (rules: Rule[]) => void) => ({
  in: (desk: Pick<Desk, "edit">) => desk.edit<{ rules: Rule[] }>("script.yaml", ({ rules }) => change(rules)),
});
const callsOf = (rules: readonly Rule[], call: number) =>
  rules.find(({ when }) => when.call === call)?.respond.tool_calls ?? [];

describe("the invoice desk", () => {
  test("reads, classifies, writes, waits for a person, then sends one mail; everything verifies", async () => {
    await using desk = await openDesk();
    const asked = await desk.order();
    expect(asked).toMatchObject({ exit: 4, error_code: "APPROVAL_PENDING" });
    expect(desk.outbox()).toEqual([]);
    expect(desk.has("reports/2026-11.md")).toBe(false); // it lands when the order is accepted
    const sent = await decide(desk, "approve");
    expect(sent).toMatchObject({ exit: 0, status: "success", error: null });
    const report = desk.read("reports/2026-11.md");
    expect(report).toContain("Total: 852.00 EUR");
    expect(desk.outbox()).toEqual([{ to: "finance@example.org", subject: "Invoices 2026-11", body: report }]);
    expect((await desk.run("session", "verify", "--all")).status).toBe(0);
    expect((await desk.run("gate", "check", "--all")).status).toBe(0);
    expect(await desk.recorded(sent.session_id)).not.toContain(payroll);
  });

  test("a person says no: no mail goes out, the order is not accepted, and no report lands", async () => {
    await using desk = await openDesk();
    await desk.order();
    expect(await decide(desk, "deny")).toMatchObject({ exit: 1, status: "failure" });
    expect(desk.outbox()).toEqual([]);
    expect(desk.has("reports/2026-11.md")).toBe(false);
  });

  test("a model that believes an invoice reads no payroll, sends no mail and changes nothing", async () => {
    await using desk = await openDesk();
    const invoice = desk.read("invoices/2026-11/travel.txt");
    const { status, stdout } = await desk.run("flow", "run", "orders/hijacked.yaml", "--json");
    const { session_id, error_code } = JSON.parse(stdout) as Outcome;
    expect({ status, error_code }).toEqual({ status: 1, error_code: "MISSING_OUTPUT" });
    expect(await desk.refusals(session_id)).toEqual([
      "fs.read: framework FMWK-INVOICE forbidden_files",
      expect.stringContaining("fs.read: work order WO-20261116-002 scope.read_files"),
      "mail.send: work order WO-20261116-002 tool_permissions[3]",
      "fs.write: work order WO-20261116-002 tool_permissions[2]",
    ]);
    expect(await desk.recorded(session_id)).not.toContain(payroll);
    expect(desk.outbox()).toEqual([]);
    expect(desk.read("invoices/2026-11/travel.txt")).toBe(invoice);
  });
});

describe("what the model may not do", () => {
  test.each<[string, (rules: Rule[]) => void, string]>([
    [
      "a mail to another address",
      (rules) => callsOf(rules, 4).forEach(({ args }) => (args["to"] = "updates@bahnreisen.example")),
      "mail.send: work order WO-20261116-001 tool_permissions[3]",
    ],
    [
      "a report in another place",
      (rules) => callsOf(rules, 3).forEach(({ args }) => (args["path"] = "reports/2026-12.md")),
      "fs.write: work order WO-20261116-001 tool_permissions[2]",
    ],
    [
      "a tool of another kind",
      (rules) => callsOf(rules, 1).push({ name: "fs.search", args: { query: "EUR" } }),
      "fs.search: ",
    ],
    [
      "an eleventh file",
      (rules) => callsOf(rules, 2).push(...Array(8).fill(callsOf(rules, 2)[0])),
      "fs.read: work order WO-20261116-001 tool_permissions[1]",
    ],
  ])("%s is refused by its clause", async (_, change, clause) => {
    await using desk = await openDesk(scripted(change).in);
    const first = await desk.order();
    const { exit, session_id } = first.exit === 4 ? await decide(desk, "approve") : first;
    expect(exit).toBe(1); // refused_tool_calls is not 0, so the order is not accepted
    expect(await desk.refusals(session_id)).toContainEqual(expect.stringContaining(clause));
    expect(desk.outbox().every(({ to }) => to === "finance@example.org")).toBe(true);
    expect(desk.has("reports/2026-12.md")).toBe(false);
  });

  test("a second mail is refused although a person approved the first", async () => {
    await using desk = await openDesk(
      scripted((rules) => {
        const [mail] = callsOf(rules, 4);
        if (mail) callsOf(rules, 4).push({ ...mail });
      }).in,
    );
    await desk.order();
    expect((await decide(desk, "approve")).exit).toBe(1);
    expect(desk.outbox()).toHaveLength(1);
  });

  test.each<[string, string]>([
    [
      "an account that there is not",
      '{"month":"2026-11","lines":[{"invoice":"x","account":"9999","net_eur":1}],"total_net_eur":1}',
    ],
    ["prose", "All done!"],
  ])("an answer with %s is not an answer", async (_, raw) => {
    await using desk = await openDesk(
      scripted((rules) => {
        rules.pop();
        rules.push({ when: { role: "worker" }, respond: { raw } });
      }).in,
    );
    await desk.order();
    expect(await decide(desk, "approve")).toMatchObject({ exit: 1, error_code: "MALFORMED_AGENT_MESSAGE" });
  });
});

describe("what the order may not ask for", () => {
  test.each<[string, (order: Order) => void, RegExp]>([
    ["a recipient outside the house", ({ input }) => (input["recipient"] = "x@bahnreisen.example"), /recipient/],
    ["no month", ({ input }) => delete input["month"], /month/],
    ["more than its money", ({ budget }) => (budget["usd_limit"] = 0.001), /usd|budget|money|\$/i],
    ["more than the framework lets an order cost", ({ budget }) => (budget["usd_limit"] = 2), /at most one dollar/],
    ["more than its tokens", ({ budget }) => (budget["token_limit"] = 900), /token/i],
    [
      "a criterion over a fact that there is not",
      ({ acceptance }) => acceptance.tests.push({ name: "x", expression: "mails == 1" }),
      /mails/,
    ],
  ])("%s", async (_, change, said) => {
    await using desk = await openDesk();
    const { exit, error } = await desk.order(change);
    expect(exit).not.toBe(0);
    expect(exit).not.toBe(4);
    expect(error).toMatch(said);
    expect(desk.outbox()).toEqual([]);
  });

  test("to read the payroll: the framework forbids it to every order", async () => {
    await using desk = await openDesk(
      scripted((rules) => callsOf(rules, 2).push({ name: "fs.read", args: { path: "invoices/payroll.csv" } })).in,
    );
    const { session_id } = await desk.order(({ scope }) => scope.read_files.push("invoices/**"));
    expect(await desk.refusals(session_id)).toEqual(["fs.read: framework FMWK-INVOICE forbidden_files"]);
    expect(await desk.recorded(session_id)).not.toContain(payroll);
  });

  test("to go on when the month's money is spent", async () => {
    await using desk = await openDesk(({ edit }) =>
      edit<{ workspace_budget: object }>("writ.yaml", (config) => {
        config.workspace_budget = { usd_limit: 0.001, period: "month" };
      }),
    );
    expect(await desk.order()).toMatchObject({
      status: expect.not.stringMatching("success"),
      error_code: "BUDGET_EXHAUSTED",
    });
    expect(desk.outbox()).toEqual([]);
  });
});

test("the guide builds exactly these files", () => {
  const blocks = blocksOf(readFileSync(join(repository, "docs/guides/invoice-desk.md"), "utf8"));
  const files = blocks.filter(({ attributes }) => attributes["file"] !== undefined);
  expect(files.length).toBeGreaterThan(10);
  for (const { attributes, text } of files)
    expect(text, attributes["file"]).toBe(readFileSync(join(example, attributes["file"] ?? ""), "utf8"));
});
