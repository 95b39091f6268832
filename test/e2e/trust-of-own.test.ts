// What a workspace runs or loosens is agreed to once, also where this user made it.
import { readdirSync } from "node:fs";
import { beforeEach, expect, test } from "vitest";
import { stringify } from "yaml";
import { clone, folder, put, User } from "../support/trusting-user.ts";

/** Where programs that ran leave a mark: outside every workspace. */
let marks = "";
beforeEach(() => {
  marks = folder("marks");
});
const ran = () => readdirSync(marks);
const programFiles = () => ({
  "hooks/check.sh": "#!/bin/sh\n. hooks/rules.sh\n",
  "hooks/rules.sh": `touch ${marks}/hook\n`,
});
const hooksOf = () => ({
  rights: { write: [`${marks}/`] },
  UserPromptSubmit: [{ hooks: [{ type: "command", command: "hooks/check.sh" }] }],
});

test("a change that did not come through writ is a difference to agree to once, also in a workspace made here", async () => {
  const user = new User();
  const root = await user.makes({ provider: "scripted" });
  expect((await user.writ(root, ["run", "greet Ada"])).status).toBe(0);
  const hooks = hooksOf();
  put(root, { "writ.yaml": stringify({ version: 1, provider: "scripted", hooks }), ...programFiles() }); // as a pull would
  const pulled = await user.writ(root, ["run", "greet Ada"]);
  expect(pulled).toMatchObject({ status: 3, err: expect.stringContaining("it has changed since it was trusted") });
  const no = await user.writ(root, ["run", "greet Ada"], { answer: "n" });
  expect(no).toMatchObject({ status: 3, asked: 1, err: expect.stringMatching(/hooks\/check\.sh[\s\S]*\(new\)/) });
  expect(ran()).toEqual([]);
  expect(await user.writ(root, ["run", "greet Ada"], { answer: "y" })).toMatchObject({ status: 0, asked: 1 });
  expect(ran()).toEqual(["hook"]);
  expect(await user.writ(root, ["run", "greet Ada"])).toMatchObject({ status: 0 });
  put(root, { "hooks/rules.sh": "exit 0\n" });
  expect((await user.writ(root, ["run", "greet Ada"])).status).toBe(3);
  expect((await user.writ(root, ["halt", "--all"])).status).toBe(0); // what stops asks for nothing
  expect((await user.writ(root, ["halt", "--lift", "--all"])).status).not.toBe(2);
  put(root, { "writ.yaml": stringify({ version: 1, provider: "scripted" }) });
  const gone = await user.writ(root, ["run", "greet Ada"], { answer: "n" });
  expect(gone).toMatchObject({ status: 3, asked: 1, err: expect.stringContaining("(gone)") });
  const own = await user.writ(root, ["run", "greet Ada"], { env: { WRIT_TRUST: "own" } });
  expect(own.status).toBe(0);
});

test("one that was made here and edited before its first use is used without a question", async () => {
  const user = new User();
  const root = await user.makes({ hooks: hooksOf() }, programFiles());
  expect((await user.writ(root, ["run", "greet Ada"])).status).toBe(0);
  expect((await user.writ(root, ["trust"])).out).toContain("you made it");
});

test("keys that go elsewhere, money and the record are trusted like programs", async () => {
  const [author, reader] = [new User(), new User()];
  const model = { provider: "anthropic", model: "m" };
  for (const [config, said] of [
    [{ ...model, api_key: "${secret:GITHUB_TOKEN}" }, "the variable GITHUB_TOKEN to anthropic"],
    [
      { ...model, api_key: "${secret:K}", secrets: { K: { file: "/etc/shadow" } } },
      "the file /etc/shadow to anthropic",
    ],
    [{ budget: { usd_limit: 100_000 } }, "a request may spend $100000"],
    [{ prices: { m: { input_per_million: 0, output_per_million: 0 } } }, "money is counted by m"],
    [{ unknown_price: "free" }, "a model without a price counts as free"],
    [{ redaction: { patterns: [{ name: "all", pattern: ".+" }] } }, "records are without all: .+"],
    [{ request: { allowed_files: ["**"] } }, "requests may write **"],
    [{ modules: { "app.mjs": { rights: { tier: "T1" } } } }, "app.mjs\n          tier T1"],
    [
      { hooks: { rights: { hosts: ["example.org"] }, Stop: [{ hooks: [{ type: "command", command: "true" }] }] } },
      "hosts example.org",
    ],
  ] as const) {
    const root = await clone(await author.makes(config), reader);
    const { status, err } = await reader.writ(root, ["run", "greet Ada"]);
    expect([said, status, err]).toEqual([said, 3, expect.stringContaining("WORKSPACE_NOT_TRUSTED")]);
    expect((await reader.writ(root, ["trust", "--show"])).out).toContain(said);
  }
  const own = { ...model, api_key: "${secret:ANTHROPIC_API_KEY}" };
  const root = await clone(await author.makes(own), reader);
  expect((await reader.writ(root, ["trust"])).out).toContain("nothing to trust");
});

/** Limits that a workspace draws tighter than Writ does by itself, and what they are where it gives one up. */
const tight = {
  workspace_budget: { token_limit: 900_000, period: "ever" },
  budget: { token_limit: 50_000, turn_limit: 20, timeout_seconds: 300, usd_limit: 0.1 },
  review: { above_usd: 1 },
  approvals: { expire_hours: 24, self_approval: "never" },
  identity: { local_roles: ["operator"], dev: { allow: false } },
  request: { allowed_files: ["notes/**"], read_files: ["notes/**"] },
  paths: { unreadable: ["*.vault"], protected: ["LICENSE"], code_that_runs: ["*.nomad"] },
  redaction: { secrets: ["STAGING_KEY"] },
  sandbox: { output_bytes: 1_000_000 },
};

test("a limit that is given up is a difference to agree to once, and one that is drawn tighter is not", async () => {
  const user = new User();
  const root = await user.makes({ provider: "scripted", ...tight });
  const write = (more: object) => put(root, { "writ.yaml": stringify({ version: 1, provider: "scripted", ...more }) });
  const used = async () => {
    const { status, err } = await user.writ(root, ["tool", "call", "echo", '{"text":"x"}']);
    return { status, err };
  };
  expect(await used()).toMatchObject({ status: 0 });
  for (const [more, said] of [
    [{ workspace_budget: {} }, "the limit of 900000 is gone"],
    [{ workspace_budget: { ...tight.workspace_budget, period: "day" } }, "now also month, day"],
    [{ budget: { ...tight.budget, usd_limit: null } }, "0.5 in place of 0.1"],
    [{ budget: { ...tight.budget, token_limit: 60_000 } }, "60000 in place of 50000"],
    [{ review: { above_usd: 4 } }, "4 in place of 1"],
    [{ review: { above_usd: 50 } }, "work is reviewed only above $50"],
    [{ approvals: { expire_hours: 24 } }, "now also local"],
    [{ identity: { ...tight.identity, local_roles: ["operator", "admin"] } }, "now also *"],
    [{ identity: { ...tight.identity, roles: { operator: { grants: ["read", "approve"] } } } }, "now also approve"],
    [{ identity: { ...tight.identity, dev: { allow: false, effects: ["exec"] } } }, "--dev may really use exec"],
    [{ request: { ...tight.request, read_files: ["**"] } }, "now also **"],
    [{ request: { ...tight.request, allowed_files: ["output/**", "notes/**"] } }, "now also output/**"],
    [{ paths: { ...tight.paths, unreadable: [] } }, "no longer *.vault"],
    [{ paths: { ...tight.paths, protected: [] } }, "no longer LICENSE"],
    [{ redaction: {} }, "no longer STAGING_KEY"],
    [{ sandbox: { output_bytes: 2_000_000 } }, "2000000 in place of 1000000"],
    [{ sandbox: { output_bytes: 2 ** 40 } }, "a turn may have output_bytes 1099511627776"],
  ] as const) {
    write({ ...tight, ...more });
    expect([said, await used()]).toEqual([
      said,
      { status: 3, err: expect.stringContaining("it has changed since it was trusted") },
    ]);
    expect((await user.writ(root, ["trust", "--show"])).out).toContain(said);
  }
  // A role that may do less is a limit drawn tighter, whatever it is called.
  write({ ...tight, identity: { ...tight.identity, local_roles: ["viewer"] } });
  const narrowed = await user.writ(root, ["tool", "call", "echo", '{"text":"x"}', "--json"]);
  expect(JSON.parse(narrowed.out)).toMatchObject({ error: { code: "NOT_AUTHORIZED" } });
  write(tight);
  expect((await user.writ(root, ["trust", "--yes"])).status).toBe(0);
  write({ ...tight, budget: { ...tight.budget, token_limit: 40_000 } });
  expect(await used()).toMatchObject({ status: 0 });
  write(tight);
  expect((await user.writ(root, ["trust", "--show"])).out).toContain("50000 in place of 40000");
  expect(await user.writ(root, ["tool", "call", "echo", '{"text":"x"}'], { answer: "y" })).toMatchObject({
    status: 0,
    asked: 1,
  });
  expect(await used()).toMatchObject({ status: 0 });
});

test("what somebody agreed to elsewhere is held to the limits that it had then", async () => {
  const [author, reader] = [new User(), new User()];
  const files = programFiles();
  const config = { provider: "scripted", hooks: hooksOf(), paths: { unreadable: ["*.vault"] } };
  const root = await clone(await author.makes(config, files), reader);
  expect((await reader.writ(root, ["trust", "--yes"])).status).toBe(0);
  expect((await reader.writ(root, ["run", "greet Ada"])).status).toBe(0);
  put(root, { "writ.yaml": stringify({ version: 1, provider: "scripted", hooks: hooksOf() }) });
  expect(await reader.writ(root, ["run", "greet Ada"])).toMatchObject({ status: 3 });
  put(root, { "writ.yaml": stringify({ version: 1, provider: "scripted" }) }); // nothing left that runs
  expect(await reader.writ(root, ["run", "greet Ada"])).toMatchObject({ status: 3 });
  expect((await reader.writ(root, ["trust", "--yes"])).status).toBe(0);
  expect((await reader.writ(root, ["run", "greet Ada"])).status).toBe(0);
});
