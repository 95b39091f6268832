/** Where no other policy objects, a tool call that passed registry, scope and schema may run. Disable it and nothing changes; it is here to say so in the log. */
export default {
  id: "pre_tool_use_default",
  points: ["PreToolUse"],
  priority: 10,
  decide: () => ({ decision: "allow", reason: "default-allow" }),
};
