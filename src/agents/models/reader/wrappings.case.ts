/** How a model wraps an answer that is right in itself. `reads` is false where to read it would be to guess. */
export interface Wrapping {
  readonly name: string;
  readonly reads: boolean;
  readonly wrap: (json: string) => string;
}

const fence = "```";

/** The 22 wrappings that were counted: 19 have one reading, three have none. */
export const wrappings: readonly Wrapping[] = [
  { name: "bare", reads: true, wrap: (json) => json },
  { name: "white space around it", reads: true, wrap: (json) => `\n\n  ${json}\n` },
  { name: "a byte order mark", reads: true, wrap: (json) => `\uFEFF${json}` },
  { name: "a json fence", reads: true, wrap: (json) => `${fence}json\n${json}\n${fence}` },
  { name: "a JSON fence in capitals", reads: true, wrap: (json) => `${fence}JSON\n${json}\n${fence}` },
  { name: "a json5 fence with attributes", reads: true, wrap: (json) => `${fence}json5 title="a"\n${json}\n${fence}` },
  { name: "a fence with CRLF", reads: true, wrap: (json) => `${fence}json\r\n${json}\r\n${fence}` },
  { name: "a fence without line breaks", reads: true, wrap: (json) => `${fence}json${json}${fence}` },
  { name: "a fence of tildes", reads: true, wrap: (json) => `~~~\n${json}\n~~~` },
  { name: "a fence that is not closed", reads: true, wrap: (json) => `${fence}json\n${json}` },
  { name: "prose before a fence", reads: true, wrap: (json) => `Here it is:\n\n${fence}json\n${json}\n${fence}` },
  { name: "prose around it", reads: true, wrap: (json) => `Sure! Here is the answer: ${json}\n\nI hope this helps.` },
  { name: "a think span", reads: true, wrap: (json) => `<think>\nLet me see. {"a": 1}?\n</think>\n\n${json}` },
  { name: "a closing think tag alone", reads: true, wrap: (json) => `Let me see.\n</think>\n${json}` },
  {
    name: "Harmony's final channel",
    reads: true,
    wrap: (json) =>
      `<|channel|>analysis<|message|>Let me see.<|end|><|start|>assistant<|channel|>final<|message|>${json}<|return|>`,
  },
  { name: "a JSON string", reads: true, wrap: (json) => JSON.stringify(json) },
  {
    name: "a call of answer as text",
    reads: true,
    wrap: (json) => `<tool_call>\n{"name": "answer", "arguments": ${json}}\n</tool_call>`,
  },
  { name: "a list of one", reads: true, wrap: (json) => `[${json}]` },
  { name: "a trailing comma", reads: true, wrap: (json) => json.replace(/\}$/, ",}") },
  { name: "two objects", reads: false, wrap: (json) => `First: ${json}\nOr rather: ${json}` },
  { name: "cut before its end", reads: false, wrap: (json) => json.slice(0, -3) },
  {
    name: "a Python literal",
    reads: false,
    wrap: (json) => json.replaceAll('"', "'").replaceAll("true", "True").replaceAll("false", "False"),
  },
];
