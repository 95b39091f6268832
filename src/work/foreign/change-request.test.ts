import fc from "fast-check";
import { expect, test } from "vitest";
import { changeRequest } from "./change-request.ts";
import { chat } from "./chat/chat.ts";
import type { Dialect } from "./dialect.ts";
import { membersOf } from "./json-spans.ts";
import { messages } from "./messages/messages.ts";
import { readRequest } from "./read-request.ts";

function change(dialect: Dialect, text: string, granted = 1_000) {
  const read = readRequest(dialect.form, text);
  if (!read.ok) return read.error;
  const staysOffered = ({ isHosted }: { readonly isHosted: boolean }) => !isHosted;
  return changeRequest(dialect.form, read.value, { provider: "anthropic", granted, staysOffered });
}

test("a request that needs no change goes out byte for byte", () => {
  const text =
    ' { "model" : "m", "max_tokens": 1000, "x": 1.50e2, "messages":[ ], "tools": [ {"name":"a","input_schema":{}} ] } ';
  expect(change(messages, text)).toEqual({ text, changes: [] });
});

test("what is changed is changed alone", () => {
  const text =
    '{"max_tokens": 128000,"model":"m" , "metadata":{"user_id":"device"},"n": 1e0, "tools":[{"type":"web_search_20250305","name":"web_search"}, {"name":"a"} ,{"type":"code_execution_1","name":"code"}]}';
  expect(change(messages, text)).toMatchObject({
    text: '{"max_tokens": 1000,"model":"m","n": 1e0, "tools":[{"name":"a"}]}',
    changes: [
      expect.stringContaining("metadata"),
      expect.stringContaining("web_search, code"),
      expect.stringContaining("128000"),
    ],
  });
});

test("a list of tools of which none is left goes with the choice among them", () => {
  const text =
    '{"tool_choice":{"type":"auto"},"model":"m","tools":[{"type":"web_search_20250305","name":"web_search"}],"max_tokens":5}';
  expect(change(messages, text)).toMatchObject({ text: '{"model":"m","max_tokens":5}' });
});

test("output is bounded and usage reported where the program leaves that open", () => {
  const done = change(chat, '{"model":"m","stream":true,"messages":[]}', 7);
  expect("text" in done && JSON.parse(done.text)).toEqual({
    model: "m",
    stream: true,
    messages: [],
    max_tokens: 7,
    stream_options: { include_usage: true },
  });
});

test.each([
  ['{"model":"m","model":"n"}', "MALFORMED_INPUT"],
  ['{"model":"m","tools":[{"type":"x","type":"custom","name":"a"}]}', "MALFORMED_INPUT"],
  ['{"messages":[]}', "MALFORMED_INPUT"],
  ["[]", "MALFORMED_INPUT"],
  ['{"model":"m","mcp_servers":[]}', "POLICY_DENIED"],
  ['{"model":"m","container":"c"}', "POLICY_DENIED"],
])("%s is refused: %s", (text, code) => {
  expect(change(messages, text)).toMatchObject({ code });
});

test.each(['"store":true', '"n":2', '"functions":[]', '"web_search_options":{}'])("chat refuses %s", (field) => {
  expect(change(chat, `{"model":"m",${field}}`)).toMatchObject({ code: "POLICY_DENIED" });
});

test("whatever a program sends, what is not changed keeps its bytes, and the result says what it should", () => {
  const key = fc
    .string()
    .filter(
      (name) => !["model", "tools", "metadata", "max_tokens", "mcp_servers", "container", "__proto__"].includes(name),
    );
  const document = fc.dictionary(key, fc.jsonValue(), { maxKeys: 6 });
  fc.assert(
    fc.property(
      document,
      fc.constantFrom(undefined, 1, " ", "\t"),
      fc.boolean(),
      fc.boolean(),
      (rest, space, hasMetadata, isLong) => {
        const given = {
          ...rest,
          model: "m",
          ...(hasMetadata ? { metadata: { user_id: "u" } } : {}),
          max_tokens: isLong ? 9_000 : 10,
        };
        const text = JSON.stringify(given, undefined, space);
        const done = change(messages, text);
        if (!("text" in done)) throw new Error(done.message);
        const { metadata: _, ...left } = given;
        expect(JSON.parse(done.text)).toEqual(JSON.parse(JSON.stringify({ ...left, max_tokens: isLong ? 1_000 : 10 })));
        const before = new Map(membersOf(text).map(({ key: name, value }) => [name, text.slice(value.from, value.to)]));
        for (const { key: name, value } of membersOf(done.text))
          if (name !== "max_tokens") expect(done.text.slice(value.from, value.to)).toBe(before.get(name));
      },
    ),
    { numRuns: 200 },
  );
});
