import * as fc from "fast-check";
import { expect, test } from "vitest";
import { memoryFiles } from "../../../../test/support/memory-files.ts";
import { documentedSettings } from "./documented-settings.ts";
import { readSettings } from "./read-settings.ts";

const file = ".claude/settings.json";
const read = (settings: object, more: Readonly<Record<string, string>> = {}) =>
  readSettings({
    root: "/home/ada/w",
    env: { HOME: "/home/ada" },
    managed: "/etc/policy",
    isTrusted: true,
    files: memoryFiles({ [`/home/ada/w/${file}`]: JSON.stringify(settings, null, 1), ...more }),
  });
const notTaken = [...documentedSettings].flatMap(([key, why]) => (why === null ? [] : [[key, why] as const]));

const anyValue = fc.oneof(
  fc.boolean(),
  fc.integer(),
  fc.string(),
  fc.array(fc.string()),
  fc.record({ a: fc.string(), b: fc.array(fc.record({ c: fc.boolean() })) }),
);

test("each documented setting that does not count is named on its line, whatever its value", async () => {
  expect(documentedSettings.size).toBeGreaterThan(150);
  await fc.assert(
    fc.asyncProperty(fc.subarray(notTaken, { minLength: 1 }), anyValue, async (keys, value) => {
      const loaded = await read(Object.fromEntries(keys.map(([key]) => [key, value])));
      if (!loaded.ok) throw new Error(loaded.error.message);
      const named = loaded.value.notes.map(({ note }) => note);
      expect(named).toEqual(keys.map(([key, why]) => `${key} is not taken: ${why}`));
      const lines = loaded.value.notes.map(({ line }) => line);
      expect(new Set(lines).size).toBe(keys.length);
      expect(loaded.value).toMatchObject({ hooks: [], permissions: undefined });
    }),
    { numRuns: 40 },
  );
});

test("a setting that nobody documents is named, with the one that it may be", async () => {
  expect(await read({ permisions: { deny: ["Bash"] }, zzz: 1 })).toMatchObject({
    value: {
      notes: [
        { line: 2, note: "permisions is no setting that is known here; did you mean permissions?" },
        { note: "zzz is no setting that is known here" },
      ],
    },
  });
});

const command = { type: "command", command: "x" };

test.each([
  [{ permissions: [] }, "permissions is a list"],
  [{ permissions: { deny: "Bash" } }, "permissions.deny is"],
  [{ permissions: { deny: [1] } }, "permissions.deny[0] is 1"],
  [{ permissions: { deny: ["(rm)"] } }, "permissions.deny[0]"],
  [{ permissions: { defaultMode: "never" } }, "permissions.defaultMode is"],
  [{ hooks: [] }, "hooks is a list"],
  [{ hooks: { PreTool: [] } }, "hooks.PreTool is no event"],
  [{ hooks: { Stop: {} } }, "hooks.Stop is an object"],
  [{ hooks: { Stop: [{ hooks: [{ type: "shell" }] }] } }, "hooks.Stop[0].hooks[0].type is"],
  [{ hooks: { Stop: [{ hooks: [{ ...command, timeout: "1" }] }] } }, "hooks.Stop[0].hooks[0].timeout is"],
  [{ hooks: { Stop: [{ hooks: [{ ...command, args: "x" }] }] } }, "hooks.Stop[0].hooks[0].args is"],
  [{ allowedHttpHookUrls: "x" }, "allowedHttpHookUrls is"],
  [{ httpHookAllowedEnvVars: [1] }, "httpHookAllowedEnvVars is"],
  [{ outputStyle: 1 }, "outputStyle is 1"],
  [{ sandbox: true }, "sandbox is true"],
  [{ sandbox: { filesystem: { denyRead: "x" } } }, "sandbox.filesystem.denyRead is"],
  [{ sandbox: { network: { deniedDomains: [{}] } } }, "sandbox.network.deniedDomains[0] is"],
  [{ deniedMcpServers: {} }, "deniedMcpServers is an object"],
  [{ deniedMcpServers: ["x"] }, "deniedMcpServers[0] is"],
  [{ skillOverrides: [] }, "skillOverrides is a list"],
])("a setting that counts and has another shape is refused by its line: %j", async (settings, why) => {
  const loaded = await read({ $schema: "x", ...settings });
  expect(loaded).toMatchObject({ error: { code: "CONFIG_INVALID" } });
  if (loaded.ok) throw new Error("it loaded");
  expect(loaded.error.message).toMatch(/^\.claude\/settings\.json:(?:[3-9]|1[0-9]): /);
  expect(loaded.error.message).toContain(why);
});

test("what the sandbox, the lists of servers and the overrides of skills refuse are rules that refuse, and ask about nothing", async () => {
  const settings = {
    sandbox: {
      enabled: true,
      filesystem: { denyRead: ["./secrets/", "~/w/keys/**", "/etc/passwd", "/home/ada/w/.env"], denyWrite: ["docs"] },
      network: { deniedDomains: ["*.evil.example:443"], allowedDomains: ["x"] },
      credentials: { files: [{ path: "token.txt", mode: "deny" }] },
    },
    deniedMcpServers: [{ serverName: "my files" }, { serverUrl: "https://x/*" }],
    skillOverrides: { deploy: "off", other: "name-only", fine: "on" },
  };
  const loaded = await read(settings, {
    "/home/ada/.claude/settings.json": JSON.stringify({ sandbox: { filesystem: { denyRead: ["~/w/mine"] } } }),
  });
  if (!loaded.ok) throw new Error(loaded.error.message);
  expect(loaded.value.permissions?.mode).toBeUndefined();
  expect(loaded.value.permissions?.rules.map(({ rule, globs }) => [rule, globs?.[0]])).toEqual([
    ["Read(./secrets)", "secrets"],
    ["Read(~/w/keys)", "keys"],
    ["Read(//home/ada/w/.env)", ".env"],
    ["Edit(./docs)", "docs"],
    ["Read(./token.txt)", "token.txt"],
    ["WebFetch(domain:*.evil.example)", undefined],
    ["mcp__my_files", undefined],
    ["Skill(deploy)", undefined],
    ["Read(~/w/mine)", "mine"],
  ]);
  expect(loaded.value.notes.map(({ note }) => note.split(":")[0])).toEqual([
    "of sandbox enabled is not taken",
    "servers are refused by their name alone",
    '"name-only" is not taken',
  ]);
});

test("a style without a file is named; one with a file is a rule file and not named", async () => {
  const style = { "/home/ada/w/.claude/output-styles/terse.md": "---\ndescription: x\n---\nFew words." };
  expect(await read({ outputStyle: "Explanatory" })).toMatchObject({
    value: { notes: [{ line: 2, note: 'the style "Explanatory" has no file here, so nothing is said of it' }] },
  });
  expect(await read({ outputStyle: "terse" }, style)).toMatchObject({ value: { notes: [] } });
  expect(await read({ outputStyle: "default" })).toMatchObject({ value: { notes: [] } });
});
