/** What `writ init` writes for people. A line `#key:` is a setting to uncomment, a line `# Text` is prose; a test reads both. */
export const configTemplate = `# writ.yaml: the law of this workspace. Every key may be left out;
# \`writ config show\` prints what is in force and where each value comes from.
version: 1

# Who answers. "scripted" is deterministic and needs no key: good for a first try and for tests.
# The rules of a script decide what it says; without a script it follows the roles by itself.
#provider: scripted
#script: script.yaml

# Real models: uncomment a profile and choose it here, with \`--profile claude\`, or with WRIT_PROFILE.
#profile: claude
#profiles:
#  claude: { provider: anthropic, model: claude-sonnet-4-5, api_key: "\${secret:ANTHROPIC_API_KEY}" }
#  local: { provider: openai-compatible, base_url: "http://127.0.0.1:11434/v1", model: llama3.3 }
#secrets:
#  ANTHROPIC_API_KEY: { env: ANTHROPIC_API_KEY }
#prices:
#  claude-sonnet-4-5: { input_per_million: 3, output_per_million: 15 }

# Flows that run at once; further ones wait their turn.
max_concurrent_flows: 4

# What a work order may spend that names no budget of its own.
#budget: { token_limit: 100000, turn_limit: 40, timeout_seconds: 600, usd_limit: 0.5 }

# Policies of your own, in the shape of Claude Code hooks. A hook that fails, hangs or says nothing useful denies.
#hooks:
#  PreToolUse:
#    - matcher: "fs.*"
#      hooks: [{ type: command, command: "hooks/check.sh", timeout: 5 }]

# Tools that are refused unless they are named here.
#tools: { allow: [exec] }

# Development mode (--dev) runs no real effect but those named here; "turn" is \`writ turn exec --dev\`.
identity: { dev: { effects: [turn] } }

# Tools of MCP servers, called NAME.tool.
#mcp:
#  servers:
#    files: { command: npx, args: ["-y", "@modelcontextprotocol/server-filesystem", "."] }

# Kept out of every record, beside card numbers, keys and credentials, which always are. RE2 patterns.
#redaction:
#  patterns: [{ name: staff-id, pattern: "EMP-[0-9]{6}" }]
`;

export const gitignoreTemplate = `# The record of what happened, and the signing key: kept on this machine, backed up by other means than git.
/planes/
# Passing traces of an install.
/packages/.*
# Scratch and outputs of turns.
/tmp/
/output/
`;

export const readmeTemplate = `# A Writ workspace

Agents work here under written orders, and everything they do is recorded.

| place | what it holds | whose it is |
|---|---|---|
| \`writ.yaml\` | provider, budgets, limits, hooks | yours |
| \`agents/\`, \`skills/\`, \`workflows/\` | role prompts, skills, cycles, as Markdown; what is absent comes with Writ | yours |
| \`hooks/\` | programs that allow or deny, registered in \`writ.yaml\` | yours |
| \`frameworks/\`, \`registries/\`, \`schemas/\` | what an agent class may touch; contracts of your own | yours; after a change, \`writ pkg adopt\` |
| \`packages/\` | installed packages and their receipts | Writ's |
| \`planes/\` | sessions, ledgers, the signing key: never edit these | Writ's |
| \`tmp/\`, \`output/\` | scratch and outputs of turns | theirs |

- \`writ doctor\` says what works on this machine.
- \`writ config show\` says what is in force, and where each value comes from.
`;

/** The folders of a workspace, in the order of the design. */
export const workspaceFolders: readonly string[] = [
  "schemas",
  "agents",
  "skills",
  "hooks",
  "workflows/cycles",
  "workflows/phases",
  "workflows/policies",
  "workflows/personas",
  "workflows/artifacts",
  "frameworks",
  "registries",
  "packages",
  "planes/hot",
  "planes/ho2",
  "planes/ho1",
  "tmp",
  "output",
];
