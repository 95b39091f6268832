import { expect, test } from "vitest";
import { decideByRules, type PermissionMode } from "./decide-by-rules.ts";
import { type Effect, ruledCall, type SettingsRule } from "./match-rule.ts";
import { pathGlobs } from "./path-globs.ts";
import { fileRules, readRule } from "./permission-rule.ts";

const anchors = { root: "/home/ada/w", home: "/home/ada", settings: "/home/ada/w" };

function rules(lists: Partial<Record<Effect, readonly string[]>>): readonly SettingsRule[] {
  return Object.entries(lists).flatMap(([effect, list]) =>
    list.map((rule): SettingsRule => {
      const { tool = "", specifier } = readRule(rule) ?? {};
      const isFile = specifier !== undefined && fileRules[tool] !== undefined;
      return {
        effect: effect as Effect,
        rule,
        ...(isFile ? { globs: pathGlobs(specifier, effect as Effect, anchors) } : {}),
      };
    }),
  );
}

const sh = (line: string) => ruledCall("exec", { command: ["sh", "-c", line] });
const decide = (
  lists: Partial<Record<Effect, readonly string[]>>,
  call: ReturnType<typeof sh>,
  mode?: PermissionMode,
) => decideByRules(rules(lists), mode, call)?.effect ?? "none";

const denied: readonly (readonly [rule: string, line: string])[] = [
  ["Bash(rm *)", "rm -rf x"],
  ["Bash(rm:*)", "ls && rm x"],
  ["Bash(rm *)", "FOO=bar rm x"],
  ["Bash(rm *)", "echo $(rm -rf /)"],
  ["Bash(rm *)", "cat <<EOF\n`rm x`\nEOF"],
  ["Bash(rm *)", "true | xargs -n1 rm"],
  ["Bash(rm *)", "timeout 5 nice -n 3 rm x"],
  ["Bash(rm *)", "sudo -u root rm x"],
  ["Bash(rm *)", "bash -c 'cd /; rm -rf x'"],
  ["Bash(rm *)", "if true; then rm x; fi"],
  ["Bash(rm *)", "diff <(ls) <(rm a)"],
  ["Bash(rm *)", "/bin/rm x"],
  ["Bash(rm *)", "r'm' x"],
  ["Bash(rm *)", "f() { rm x; }; f"],
  ["Bash(curl http://github.com/ *)", "curl  http://github.com/ x"],
  ["Bash(git push *)", "git push"],
  ["Bash", "ls"],
  ["Bash(*)", "ls"],
  ["Read(.env)", "cat sub/.env"],
  ["Read(./.env)", "cat ./.env"],
  ["Edit(/docs/**)", "echo x > docs/a.md"],
  ["Read(~/w/secrets/**)", "tail secrets/key"],
  ["*", "ls"],
];

test.for(denied)("%s denies %s", ([rule, line]) => {
  expect(decide({ deny: [rule], allow: ["Bash"] }, sh(line), "bypassPermissions")).toBe("deny");
});

const passed: readonly (readonly [rule: string, line: string])[] = [
  ["Bash(rm *)", "echo rm-x"],
  ["Bash(ls *)", "lsof"],
  ["Bash(rm *)", "echo 'rm x'"],
  ["Bash(git push *)", "git pull"],
  ["Read(./.env)", "cat sub/.env"],
  ["Read(/etc/passwd)", "ls"],
];

test.for(passed)("%s does not deny %s", ([rule, line]) => {
  expect(decide({ deny: [rule] }, sh(line))).toBe("none");
});

const allowed: readonly (readonly [rule: string, line: string])[] = [
  ["Bash(npm run *)", "npm run build"],
  ["Bash(npm run:*)", "npm run build && npm run test | head"],
  ["Bash(npm test *)", "NODE_ENV=test timeout 30 npm test"],
  ["Bash(git * main)", "git push origin main"],
  ["Bash(ls*)", "lsof"],
  ["Bash(* --version)", "node --version"],
  ["Bash(npm run build)", "npm run build 2>&1 >/dev/null"],
  ["Bash", "anything $(at all)"],
  ["Read", "ls -la"],
];

test.for(allowed)("%s allows %s", ([rule, line]) => {
  expect(decide({ allow: [rule] }, sh(line), "default")).toBe("none");
});

const unallowed: readonly (readonly [rule: string, line: string])[] = [
  ["Bash(npm run *)", "npm run build && rm x"],
  ["Bash(npm run *)", "npm run build; $(rm x)"],
  ["Bash(npm run *)", "PATH=/evil npm run build"],
  ["Bash(npm run *)", "npm run build > out.txt"],
  ["Bash(npm run build)", "npm run build --force"],
  ["Bash(find *)", "find . -name x -delete"],
  ["Bash(watch *)", "watch rm x"],
  ["Bash(curl http://a/*)", "curl  http://a/x"],
  ["Bash(a *)", "b; a x"],
  ["Bash(echo *)", 'echo "a'],
  ["Bash(echo *)", "$CMD x"],
  ["Bash(git:* push)", "git push"],
  ["B*", "make"],
  ["Bash(ls *)", "cat ../secret"],
  ["Bash(true)", "sort *"],
];

test.for(unallowed)("%s does not allow %s", ([rule, line]) => {
  expect(decide({ allow: [rule] }, sh(line), "default")).toBe("ask");
  expect(decide({ allow: [rule] }, sh(line), "dontAsk")).toBe("deny");
});

test("a refusal comes before a question, and a question before what is allowed", () => {
  const lists = { allow: ["Bash(aws s3 ls)"], ask: ["Bash(aws s3 *)"], deny: ["Bash(aws *)"] };
  expect(decide(lists, sh("aws s3 ls"))).toBe("deny");
  expect(decide({ ...lists, deny: [] }, sh("aws s3 ls"))).toBe("ask");
  expect(decide({ allow: lists.allow }, sh("aws s3 ls"), "default")).toBe("none");
});

test("modes decide what no rule is about", () => {
  const write = ruledCall("fs.write", { path: "a.md", content: "" });
  expect(
    [undefined, "default", "acceptEdits", "plan", "dontAsk", "bypassPermissions"].map((mode) =>
      decide({}, write, mode as never),
    ),
  ).toEqual(["none", "ask", "none", "deny", "deny", "none"]);
  expect(decide({}, ruledCall("fs.read", { path: "a.md" }), "plan")).toBe("none");
  expect(decide({}, ruledCall("memory.read_graph", {}), "default")).toBe("ask");
  expect(decide({ allow: ["mcp__memory"] }, ruledCall("memory.read_graph", {}), "default")).toBe("none");
  expect(decide({ allow: ["mcp__memory__read_*"] }, ruledCall("memory.read_graph", {}), "dontAsk")).toBe("none");
  expect(decide({ allow: ["mcp__*"] }, ruledCall("memory.read_graph", {}), "dontAsk")).toBe("deny");
});

test("rules about files hold for every tool that reads or changes them", () => {
  const path = "vendor/pkg/src/lib.js";
  const edit = ruledCall("fs.edit", { path, edits: [] });
  expect(decide({ deny: ["Edit(src/**)"] }, edit)).toBe("deny");
  expect(decide({ deny: ["Edit(/src/**)"] }, edit)).toBe("none");
  expect(decide({ deny: ["Read(src/**)"] }, edit)).toBe("deny");
  expect(decide({ deny: ["Edit(src/**)"] }, ruledCall("fs.read", { path }))).toBe("none");
  expect(decide({ allow: ["Edit(src/**)"] }, edit, "default")).toBe("ask");
  expect(decide({ allow: ["Edit(**/src/**)"] }, edit, "default")).toBe("none");
  expect(decide({ deny: ["Read(.ENV)"] }, ruledCall("fs.read", { path: "a/.env" }))).toBe("deny");
  expect(decide({ deny: ["Read(//home/ada/w/a)"] }, ruledCall("fs.read", { path: "a/b" }))).toBe("deny");
  expect(decide({ deny: ["Read(//**/b)"] }, ruledCall("fs.read", { path: "a/b" }))).toBe("deny");
  expect(decide({ deny: ["Read(~/other/**)"] }, ruledCall("fs.read", { path: "a/b" }))).toBe("none");
});

test("a rule may name a field of what is asked for, or an agent", () => {
  const task = ruledCall("delegate", { tasks: [{ prompt: "look" }] });
  expect(decide({ deny: ["Agent(general-purpose)"] }, task)).toBe("deny");
  expect(decide({ deny: ["Task(subagent_type:general*)"] }, task)).toBe("deny");
  expect(decide({ deny: ["Agent(Explore)"] }, task)).toBe("none");
});
