// Two views of every value: a tool gets the true bytes or is not called; record, model and screens get handles.
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type SessionId, sha256, systemClock } from "#core/values";
import { cli } from "../support/fresh-cli.ts";
import { hostileServer } from "../support/mcp.ts";
import { type TestWorkspace, testWorkspace, type WorkspaceOptions } from "../support/runtime-workspace.ts";
import { filesWith, resultOf, type SealedModel, sealedModel } from "../support/sealed-model.ts";

const password = "Tr0ub4dor-9-horses";
const url = `postgres://app:${password}@db:5432/app`;
const handle = /\[SEALED:connection-string:[a-z2-7]{16}\]/;

interface Read {
  readonly hash: string;
  readonly content: string;
}

let model: SealedModel;
beforeEach(async () => {
  model = await sealedModel();
});
afterEach(() => model[Symbol.asyncDispose]());

const workspaceOf = ({ config, ...options }: WorkspaceOptions = {}) =>
  testWorkspace({ ...options, config: { ...model.config, ...config } });

const order = (more: object = {}) => ({
  input: { prompt: "Look after config/app.yml and whatever connects to app@db:5432/app" },
  tool_permissions: ["fs.read", "fs.write", "echo", "exec"],
  scope: { allowed_files: ["config/**", "other/**"] },
  budget: { token_limit: 50_000, turn_limit: 12, timeout_seconds: 60 },
  ...more,
});

/** A program outside the sandbox runs under no narrower scope. */
const everything = { allowed_files: ["**"], read_files: ["**"] };

const write = (path: string, content: string, expected_hash = "") => ({
  name: "fs.write",
  args: { path, content, expected_hash, why: "it was asked for" },
});
const read = (path: string) => ({ name: "fs.read", args: { path } });

type Events = Awaited<ReturnType<TestWorkspace["events"]>>;
const of = (events: Events, type: string) =>
  events.filter((event) => event.type === type).map(({ payload }) => payload as unknown as Record<string, unknown>);

describe("a tool gets what the model wrote", () => {
  test("a file with a password is written as it is, and the password is in that file alone", async () => {
    await using workspace = await workspaceOf();
    const content = `DATABASE_URL: ${url}\nPORT: 5432\n`;
    model.makes(write("config/app.yml", content));
    const result = await workspace.order(order());
    expect(result).toMatchObject({ status: "success", response: "done" });
    expect(await workspace.read("config/app.yml")).toBe(content);
    const events = await workspace.events(result.session_id);
    const [invoke] = of(events, "tool.invoke");
    const shown = String((invoke?.["args"] as { content?: string } | undefined)?.content);
    expect(shown).toMatch(handle);
    expect(invoke?.["sealed"]).toEqual([
      { handle: handle.exec(shown)?.[0], hash: expect.stringMatching(/^[0-9a-f]{64}$/), kind: "connection-string" },
    ]);
    expect(of(events, "llm.response")[0]).toMatchObject({ sealed: invoke?.["sealed"] });
    expect(model.seen()).not.toContain(password);
    const exported = join(workspace.root, "exported");
    expect((await cli(workspace.root, "session", "export", String(result.session_id), "--out", exported)).status).toBe(
      0,
    );
    expect(filesWith(workspace.root, password)).toEqual(["config/app.yml"]);
    expect((await workspace.runtime.verifySession(result.session_id as SessionId)).violations).toEqual([]);
  });

  test("the password alone, in a note beside its address, is sealed as well and arrives as it was written", async () => {
    await using workspace = await workspaceOf();
    const content = `# ${password} since May\nDATABASE_URL: ${url}\n`;
    const { name, args } = write("config/app.yml", content);
    const call = { id: "call-1", name: name.replaceAll(".", "__"), input: JSON.stringify(args) };
    const words = `The password will be ${password}.`;
    model.vendor.will({ text: words, calls: [call], finish: "tool" }, { text: "done" });
    const result = await workspace.order(order());
    expect(result).toMatchObject({ status: "success" });
    expect(await workspace.read("config/app.yml")).toBe(content);
    expect(filesWith(workspace.root, password)).toEqual(["config/app.yml"]);
    const [answer] = of(await workspace.events(result.session_id), "llm.response");
    expect(answer?.["text"]).toMatch(/^The password will be \[SEALED:connection-string:/);
  });

  test("a program gets it in its arguments and its input; what it prints of it is sealed again", async () => {
    await using workspace = await workspaceOf({ config: { tools: { allow: ["exec"] } } });
    const command = [process.execPath, "-e", "process.stdin.pipe(process.stdout); console.log(process.argv[1].length)"];
    model.makes({ name: "exec", args: { command: [...command, url], stdin: `${url}\n` } });
    const result = await workspace.order(order({ scope: everything }));
    expect(result).toMatchObject({ status: "success" });
    const [output] = of(await workspace.events(result.session_id), "tool.output");
    expect(output).toMatchObject({
      content: { exit_code: 0, stdout: expect.stringMatching(handle) },
    });
    expect((output?.["content"] as { stdout: string } | undefined)?.stdout).toContain(`${url.length}\n`);
    expect(filesWith(workspace.root, password)).toEqual([]);
    expect(model.seen()).not.toContain(password);
  });

  test("an MCP server gets it in its arguments", async () => {
    const say = { name: "say", inputSchema: { type: "object", properties: { text: { type: "string" } } } };
    await using server = hostileServer({ tools: [say] });
    await using workspace = await workspaceOf({
      config: { mcp: { servers: { evil: { command: process.execPath, args: server.args, rights: server.rights } } } },
    });
    const approved = await cli(workspace.root, "tool", "approve", "evil.say", "--yes");
    expect(approved.status, approved.errors).toBe(0);
    await workspace.reopen();
    model.makes({ name: "evil.say", args: { text: url } });
    const result = await workspace.order(order({ tool_permissions: ["evil.say"] }));
    expect(result).toMatchObject({ status: "success" });
    expect(JSON.stringify(server.log())).toContain(password);
    expect(filesWith(workspace.root, password)).toEqual([]);
  });
});

describe("a handle goes back to where its value came from, and nowhere else", () => {
  const files = { "config/app.yml": `a: 1\r\nurl: ${url}\r\nb: 2` };

  test("a file that a model reads, edits and writes keeps every other byte", async () => {
    await using workspace = await workspaceOf({ files });
    model.makes(read("config/app.yml"), (shown) => {
      const { content, hash } = resultOf<Read>(shown);
      expect(content).toMatch(handle);
      return write("config/app.yml", content.replace("a: 1", "a: 10"), hash);
    });
    expect(await workspace.order(order())).toMatchObject({ status: "success" });
    expect(await workspace.read("config/app.yml")).toBe(files["config/app.yml"].replace("a: 1", "a: 10"));
    expect(model.seen()).not.toContain(password);
  });

  test("so do files of every kind, read in parts and edited by what was shown of them", async () => {
    const key = [
      "-----BEGIN PRIVATE KEY-----",
      "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj",
      "-----END PRIVATE KEY-----",
    ];
    const texts = [
      `a: 1\nkey: |\n  ${key.join("\n  ")}\nend: <here>\n`,
      `\ufeffServer=db;Password=${password};\r\n<here>\r\n`,
      JSON.stringify({ password: `${password}"quoted\\`, note: "<here>", again: `${password}"quoted\\` }, null, 2),
      `# ${password}\nurl: ${url}\n[REDACTED:password] [SEALED:password:abcdefghijklmnop] <here>`,
      `curl -u app:${password} https://x.test/<here>`,
      "4111 1111 1111 1111\t\u200b<here>\n\n\n",
    ];
    const names = texts.map((_, index) => `config/file-${index}.txt`);
    await using workspace = await workspaceOf({
      files: Object.fromEntries(names.map((name, index) => [name, texts[index] as string])),
    });
    model.makes(
      ...names.flatMap((name) => [
        read(name),
        (shown: string) => {
          const { content, hash } = resultOf<Read>(shown);
          return write(name, content.replace("<here>", "there"), hash);
        },
      ]),
      { name: "fs.read", args: { path: "config/file-0.txt", start_line: 4, line_count: 1 } },
      (shown) => {
        const { content } = resultOf<Read>(shown);
        const edits = [{ old: content, new: `# one line\n${content}` }];
        return { name: "fs.edit", args: { path: "config/file-0.txt", edits, why: "it was asked for" } };
      },
    );
    const result = await workspace.order(
      order({
        tool_permissions: ["fs.read", "fs.write", "fs.edit"],
        budget: { token_limit: 200_000, turn_limit: 20, timeout_seconds: 60 },
      }),
    );
    expect(result).toMatchObject({ status: "success" });
    const wanted = texts.map((text) => text.replace("<here>", "there"));
    wanted[0] = (wanted[0] as string).replace(`  ${key[1]}\n`, `# one line\n  ${key[1]}\n`);
    for (const [index, name] of names.entries()) expect(await workspace.read(name)).toBe(wanted[index]);
    for (const secret of [password, "MIIEvQIBADAN", "4111 1111"]) expect(model.seen()).not.toContain(secret);
    expect(filesWith(workspace.root, password)).toEqual(names.filter((_, index) => texts[index]?.includes(password)));
  });

  test.each([
    { to: "another file", call: (text: string) => write("other/copy.yml", text) },
    { to: "a program", call: (text: string) => ({ name: "exec", args: { command: ["true", text] } }) },
    { to: "a tool that says it back", call: (text: string) => ({ name: "echo", args: { text } }) },
  ])(
    "to $to a person has to send it: the question says that a sealed value is there, of what kind, and from where",
    async ({ call }) => {
      await using workspace = await workspaceOf({ files, config: { tools: { allow: ["exec"] } } });
      model.makes(read("config/app.yml"), (shown) => call(resultOf<Read>(shown).content));
      const result = await workspace.order(order({ scope: everything }));
      expect(result).toMatchObject({ status: "waiting", error_code: "APPROVAL_PENDING" });
      const asked = await workspace.runtime.inbox.list({ session_id: String(result.session_id), limit: 5 });
      const [approval] = asked.ok ? asked.value : [];
      expect(approval?.reason).toContain("a sealed value: connection-string from the file config/app.yml");
      expect(approval?.subject).toMatchObject({ sealed: [{ kind: "connection-string", from: "file:config/app.yml" }] });
      const shown = await cli(workspace.root, "inbox", "show", String(approval?.approval_id));
      expect(shown.text).toContain("connection-string");
      expect(shown.text).not.toContain(password);
      expect(filesWith(workspace.root, password)).toEqual(["config/app.yml"]);
    },
  );

  test("sent by a person it arrives whole, after the session was taken up by another process", async () => {
    await using workspace = await workspaceOf({ files });
    model.makes(read("config/app.yml"), (shown) => write("other/copy.yml", resultOf<Read>(shown).content));
    const { session_id } = await workspace.order(order());
    const asked = await workspace.runtime.inbox.list({ session_id: String(session_id), limit: 5 });
    const approval_id = asked.ok ? String(asked.value[0]?.approval_id) : "";
    await workspace.runtime.close();
    expect((await cli(workspace.root, "inbox", "approve", approval_id)).status).toBe(0);
    const resumed = await cli(workspace.root, "session", "resume", String(session_id), "--json");
    expect(JSON.parse(resumed.text)).toMatchObject({ status: "success" });
    await workspace.reopen();
    expect(await workspace.read("other/copy.yml")).toBe(files["config/app.yml"]);
    expect(filesWith(workspace.root, password)).toEqual(["config/app.yml", "other/copy.yml"]);
  });

  test("granted by the order it arrives unasked, and the explanation of the order says so", async () => {
    await using workspace = await workspaceOf({ files });
    const granted = order({
      schema_version: "v2",
      tool_permissions: ["fs.read", { tool: "fs.write", opens: ["file:config/*"] }],
    });
    model.makes(read("config/app.yml"), (shown) => write("other/copy.yml", resultOf<Read>(shown).content));
    expect(await workspace.order(granted)).toMatchObject({ status: "success" });
    expect(await workspace.read("other/copy.yml")).toBe(files["config/app.yml"]);
  });

  test.each([
    ["invented", "[SEALED:connection-string:aaaaaaaaaaaaaaaa]"],
    ["cut off", "[SEALED:connection-string:aaaa"],
    ["a marker", "[REDACTED:connection-string]"],
  ])("a handle that is %s opens nothing: the call is refused and the file stays as it was", async (_, text) => {
    await using workspace = await workspaceOf({ files });
    model.makes(write("config/app.yml", `url: ${text}\n`, sha256(files["config/app.yml"])));
    const result = await workspace.order(order());
    const [refused] = of(await workspace.events(result.session_id), "tool.refused");
    expect(refused).toMatchObject({ code: "SEALED_VALUE_REFUSED" });
    expect(await workspace.read("config/app.yml")).toBe(files["config/app.yml"]);
  });

  test("a handle of another session opens nothing, and one with an added letter neither", async () => {
    await using workspace = await workspaceOf({ files });
    let seen = "";
    model.makes(
      (shown) => {
        seen = shown;
        return read("config/app.yml");
      },
      (shown) => {
        seen = handle.exec(shown)?.[0] ?? "";
        return read("config/app.yml");
      },
    );
    expect(await workspace.order(order())).toMatchObject({ status: "success" });
    for (const text of [seen, seen.replace("]", "a]")]) {
      model.makes(write("config/app.yml", text, sha256(files["config/app.yml"])));
      const { session_id } = await workspace.order(order());
      expect(of(await workspace.events(session_id), "tool.refused")).toMatchObject([{ code: "SEALED_VALUE_REFUSED" }]);
    }
    expect(await workspace.read("config/app.yml")).toBe(files["config/app.yml"]);
  });
});

test("what an agent asks a person, and what the person answers, shows no secret and arrives whole", async () => {
  const answer = "S3cret-Horses-77";
  await using workspace = await workspaceOf();
  model.makes({ name: "ask", args: { question: `May I use ${url}?`, options: [url, "no"] } }, (shown) => {
    const words = resultOf<{ answer: string }>(shown).answer;
    expect(words).toMatch(
      /^use postgres:\/\/app:\[SEALED:connection-string:[a-z2-7]{16}\]@db\/app, not \[SEALED:literal:/,
    );
    return write("config/app.yml", words);
  });
  const waiting = await workspace.order(order({ tool_permissions: ["ask", "fs.write"] }));
  expect(waiting.status).toBe("waiting");
  expect(JSON.stringify(waiting)).not.toContain(password);
  await workspace.runtime.close();
  const inbox = async (...words: string[]) => (await cli(workspace.root, "inbox", ...words)).text;
  const { approvals } = JSON.parse(await inbox("list", "--json")) as { approvals: { approval_id: string }[] };
  const id = approvals[0]?.approval_id ?? "";
  expect(await inbox("show", id)).toMatch(/May I use postgres:\/\/app:\[(?:REDACTED|SEALED)/);
  const said = `use postgres://app:${answer}@db/app, not [SEALED:connection-string:aaaaaaaaaaaaaaaa]`;
  await inbox("approve", id, "--choice", "answer", "--reason", said);
  expect(await inbox("show", id)).toContain("use postgres://app:[SEALED:connection-string:");
  for (const secret of [password, answer]) expect(filesWith(workspace.root, secret)).toEqual([]);
  // What a person said goes where the model sends it by a person's word alone, as what a tool returned does.
  const asked = await cli(workspace.root, "session", "resume", String(waiting.session_id), "--json");
  expect(JSON.parse(asked.text)).toMatchObject({ status: "waiting", error_code: "APPROVAL_PENDING" });
  const { approvals: open } = JSON.parse(await inbox("list", "--json")) as { approvals: { approval_id: string }[] };
  await inbox("approve", open.find(({ approval_id }) => approval_id !== id)?.approval_id ?? "");
  const done = await cli(workspace.root, "session", "resume", String(waiting.session_id), "--json");
  expect(JSON.parse(done.text)).toMatchObject({ status: "success" });
  await workspace.reopen();
  expect(await workspace.read("config/app.yml")).toBe(said);
  expect(filesWith(workspace.root, answer)).toEqual(["config/app.yml"]);
  for (const secret of [password, answer]) expect(model.seen()).not.toContain(secret);
});

describe("sealed values have an age", () => {
  test("after it a handle opens nothing, the value is gone from the store, and prune counts what it drops", async () => {
    let ahead = 0;
    const clock = { ...systemClock, now: () => systemClock.now() + ahead };
    const files = { "config/app.yml": `url: ${url}\n` };
    await using workspace = await workspaceOf({ files, clock, config: { redaction: { keep_sealed_hours: 1 } } });
    model.makes(read("config/app.yml"), (shown) => {
      ahead += 3_600_001;
      const { content, hash } = resultOf<Read>(shown);
      return write("config/app.yml", content, hash);
    });
    const result = await workspace.order(
      order({ budget: { token_limit: 50_000, turn_limit: 12, timeout_seconds: 60 } }),
    );
    const refused = of(await workspace.events(result.session_id), "tool.refused");
    expect(refused).toMatchObject([{ code: "SEALED_VALUE_REFUSED" }]);
    expect(await workspace.read("config/app.yml")).toBe(files["config/app.yml"]);
    model.makes(read("config/app.yml"));
    await workspace.order(order());
    ahead += 3_600_001;
    expect(await workspace.runtime.store.prune("2000-01-01T00:00:00.000Z", 10)).toMatchObject({
      value: { sealed_values: 1 },
    });
  });
});

describe("the doors without a model", () => {
  test("a tool called by hand gets what was typed", async () => {
    await using workspace = await workspaceOf();
    const args = { path: "notes/app.txt", content: `DATABASE_URL=${url}\n`, expected_hash: "", why: "by hand" };
    const called = await cli(workspace.root, "tool", "call", "fs.write", JSON.stringify(args), "--json");
    expect(called.status, called.errors).toBe(0);
    expect(await workspace.read("notes/app.txt")).toBe(args.content);
    expect(filesWith(workspace.root, password)).toEqual(["notes/app.txt"]);
    const shown = await cli(workspace.root, "tool", "call", "fs.read", '{"path":"notes/app.txt"}');
    expect(shown.text).toMatch(handle);
    expect(shown.text).not.toContain(password);
  });

  test("a secret in the request reaches the model as a handle, and a file with a person's word alone", async () => {
    await using workspace = await workspaceOf();
    const vendor = model.vendor;
    vendor.will(
      (request) => {
        const found = handle.exec(JSON.stringify(request.body))?.[0] ?? "";
        const input = JSON.stringify(write("config/app.yml", `url: postgres://app:${found}@db:5432/app\n`).args);
        return { calls: [{ id: "call-1", name: "fs__write", input }], finish: "tool" };
      },
      { text: "done" },
    );
    const asked = order({ input: { prompt: `put ${url} into config/app.yml` } });
    const { status, session_id } = await workspace.order(asked);
    expect(status, model.seen()).toBe("waiting");
    const questions = await workspace.runtime.inbox.list({ session_id: String(session_id), limit: 5 });
    const [approval] = questions.ok ? questions.value : [];
    expect(approval?.reason).toContain("connection-string from the work order");
    expect(model.seen()).not.toContain(password);
    expect(filesWith(workspace.root, password)).toEqual([]);
    await workspace.runtime.close();
    expect((await cli(workspace.root, "inbox", "approve", String(approval?.approval_id))).status).toBe(0);
    expect((await cli(workspace.root, "session", "resume", String(session_id))).status).toBe(0);
    await workspace.reopen();
    expect(await workspace.read("config/app.yml")).toBe(`url: ${url}\n`);
    expect(filesWith(workspace.root, password)).toEqual(["config/app.yml"]);
  });
});
