import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { HookCase } from "./run-hooks.ts";

const node = `"${process.execPath}"`;

function files(all: Readonly<Record<string, string>>): HookCase["unpack"] {
  return (root) => {
    for (const [path, text] of Object.entries(all)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text, { mode: 0o755 });
    }
  };
}

const reading = `let text = ""; for await (const part of process.stdin) text += part; const event = JSON.parse(text); const { tool_name, tool_input } = event;`;
const say = (specific: string) =>
  `console.log(JSON.stringify({ hookSpecificOutput: { hookEventName: "PreToolUse", ${specific} } }))`;

/** Written for this list, in the shapes that guards in the wild have. */
export const ownHooks: readonly HookCase[] = [
  {
    name: "a shell guard that ends with status 2",
    unpack: files({
      ".claude/hooks/guard.sh": `#!/bin/sh
input=$(cat)
case "$input" in
  *'"tool_name":"Bash"'*"rm -rf"* | *'"tool_name":"Bash"'*"--force"*) echo "not that" >&2; exit 2 ;;
  *'"file_path":"'*".env"*) echo "secrets stay closed" >&2; exit 2 ;;
esac
`,
    }),
    hooks: [{ command: '"$CLAUDE_PROJECT_DIR"/.claude/hooks/guard.sh' }],
  },
  {
    name: "a validator of commands that answers in JSON",
    unpack: files({
      ".claude/hooks/validate.mjs": `${reading}
const line = tool_input.command ?? "";
if (/^find\\s+\\S+\\s+-name/.test(line) || /^grep\\b(?!.*\\|)/.test(line)) ${say('permissionDecision: "deny", permissionDecisionReason: "use rg"')};
else if (/^git push/.test(line)) ${say('permissionDecision: "ask", permissionDecisionReason: "sure?"')};
else if (/^npm (install|publish)/.test(line)) ${say('permissionDecision: "defer"')};
`,
    }),
    hooks: [{ matcher: "Bash", command: `${node} .claude/hooks/validate.mjs` }],
  },
  {
    name: "a guard of edits that looks into each of them",
    unpack: files({
      ".claude/hooks/edits.mjs": `${reading}
const edits = tool_name === "MultiEdit" ? tool_input.edits : [tool_input];
if (edits.some(({ new_string = "", content = "" }) => /password|eval\\(/.test(new_string + content))) { console.error("no secrets in code"); process.exit(2); }
if ((tool_input.file_path ?? "").endsWith(".test.ts")) ${say('permissionDecision: "ask", permissionDecisionReason: "tests are the contract"')};
`,
    }),
    hooks: [{ matcher: "Write|Edit|MultiEdit", command: `${node} .claude/hooks/edits.mjs` }],
  },
  {
    name: "a program that rewrites commands",
    unpack: files({
      ".claude/hooks/rewrite.mjs": `${reading}
if (/^rm /.test(tool_input.command)) ${say(`permissionDecision: "allow", updatedInput: { ...tool_input, command: tool_input.command.replace(/^rm /, "trash ") }`)};
`,
    }),
    hooks: [{ matcher: "^Bash$", command: `${node} .claude/hooks/rewrite.mjs` }],
  },
  {
    name: "two guards of which one fails",
    unpack: files({
      ".claude/hooks/broken.sh": "#!/bin/sh\nexit 1\n",
      ".claude/hooks/old.sh": `#!/bin/sh\ncase "$(cat)" in *"git reset"*) echo '{"decision": "block", "reason": "no"}' ;; *"git push"*) echo '{"decision": "approve"}' ;; esac\n`,
    }),
    hooks: [
      { matcher: "Bash", command: ".claude/hooks/old.sh" },
      { matcher: "mcp__memory__.*", command: ".claude/hooks/broken.sh" },
    ],
  },
];
