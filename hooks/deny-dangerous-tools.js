/** Refuses tools whose name says that they destroy, under any server or namespace: `rm`, `fs.delete`, `mcp__db__drop_table`. */
const dangerous = new Set(["rm", "delete", "drop_table"]);

export default {
  id: "deny-dangerous-tools",
  points: ["PreToolUse"],
  priority: 100,
  decide({ tool }) {
    const name = String(tool).normalize("NFKC").toLowerCase();
    const last = name.split(/__|[./:]/).at(-1);
    return dangerous.has(name) || dangerous.has(last)
      ? {
          decision: "deny",
          reason: `tool ${tool} is on the denylist of dangerous tools; to use it, say hooks: {disable: [deny-dangerous-tools]} in writ.yaml`,
        }
      : { decision: "allow" };
  },
};
