/** Takes card numbers and secrets out of prompts before anyone sees them, and out of tool results before the model does. */
function redactAll(value, redact) {
  if (typeof value === "string") return redact(value);
  if (Array.isArray(value)) return value.map((item) => redactAll(item, redact));
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [redact(key), redactAll(item, redact)]));
  return value;
}

export default {
  id: "redact-pii",
  points: ["UserPromptSubmit", "PostToolUse"],
  priority: 80,
  decide(input, { point, redact }) {
    const before = point === "UserPromptSubmit" ? { prompt: input.prompt } : input.result;
    const after = redactAll(before, redact);
    return JSON.stringify(after) === JSON.stringify(before)
      ? { decision: "allow", reason: "nothing to redact" }
      : { decision: "transform", output: after, reason: "redacted what looks like a card number or a secret" };
  },
};
