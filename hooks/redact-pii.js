/** Takes card numbers and secrets out of prompts before anyone sees them, and out of tool results before the model does. */
function redactAll(value, redact) {
  if (typeof value === "string") return redact(value);
  if (Array.isArray(value)) return value.map((item) => redactAll(item, redact));
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [redact(key), redactAll(item, redact)]));
  return value;
}

// In a prompt any sixteen digits on their own are taken for a card, also those that fail its checksum: a person who mistyped
// one digit did not mean to share the others. Elsewhere the checksum decides, so that order numbers survive.
const sixteenDigits = /(?<![\p{Nd}\p{L}])\p{Nd}{4}([ -]?)\p{Nd}{4}\1\p{Nd}{4}\1\p{Nd}{4}(?![\p{Nd}\p{L}])/gu;

export default {
  id: "redact-pii",
  points: ["UserPromptSubmit", "PostToolUse"],
  priority: 80,
  decide(input, { point, redact }) {
    const isPrompt = point === "UserPromptSubmit";
    const before = isPrompt ? { prompt: input.prompt } : input.result;
    const clean = isPrompt ? (text) => redact(text).replaceAll(sixteenDigits, "[REDACTED:card]") : redact;
    const after = redactAll(before, clean);
    return JSON.stringify(after) === JSON.stringify(before)
      ? { decision: "allow", reason: "nothing to redact" }
      : { decision: "transform", output: after, reason: "redacted what looks like a card number or a secret" };
  },
};
