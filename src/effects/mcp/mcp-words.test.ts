import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isToolName } from "../tools/tool-names.ts";
import { differences } from "./difference.ts";
import { type ToolPin } from "./pin.ts";
import { readCallResult } from "./read-result.ts";
import { mcpToolName } from "./tool-name.ts";
import { visible } from "./visible.ts";
import { annotationsOf, readOffer } from "./wire-tool.ts";

describe("names of servers' tools", () => {
  test("that Writ's tools may bear are kept", () => {
    expect(mcpToolName("memory", "read_graph")).toBe("memory.read_graph");
    expect(mcpToolName("git", "repo.list")).toBe("git.repo.list");
  });

  test("are always names that a tool may bear, and two never become one", () => {
    const wire = fc.oneof(
      fc.string({ minLength: 1, maxLength: 256 }),
      fc.constantFrom("a b", "a/b", "a_b", "..", "é", "a b-0123456789"),
    );
    fc.assert(
      fc.property(wire, wire, (one, other) => {
        expect(isToolName(mcpToolName("server", one))).toBe(true);
        if (one !== other) expect(mcpToolName("server", one)).not.toBe(mcpToolName("server", other));
      }),
    );
  });

  test("cannot be chosen to look like a rewritten one", () => {
    const rewritten = mcpToolName("s", "a b");
    expect(mcpToolName("s", rewritten.slice(2))).not.toBe(rewritten);
  });
});

describe("a stranger's text", () => {
  test.each([
    ["zero width", "a\u200bb", "a\\u{200b}b"],
    ["right to left", "a\u202eb", "a\\u{202e}b"],
    ["tags", "a\u{e0041}b", "a\\u{e0041}b"],
    ["a selector", "a\ufe0fb", "a\\u{fe0f}b"],
    ["an escape sequence", "a\u001b[2Kb", "a\\u{1b}[2Kb"],
    ["a space that is none", "a\u00a0b", "a\\u{a0}b"],
  ])("hides nothing: %s", (_, text, shown) => {
    expect(visible(text)).toBe(shown);
  });

  test("of any script stays as it is", () => {
    expect(visible("Grüße, 漢字, עברית")).toBe("Grüße, 漢字, עברית");
  });
});

describe("differences", () => {
  const pin = (definition: ToolPin["definition"], launch = "{}"): ToolPin => ({
    server: "s",
    tool: "t",
    name: "s.t",
    hash: "",
    definition,
    launch,
  });
  test("name each field by its path, also how the server is reached", () => {
    const before = pin({ name: "t", inputSchema: { properties: { a: { type: "string" } } } }, '{"command":"old"}');
    const offered = {
      tool: "t",
      hash: "x",
      definition: { name: "t", title: "T", inputSchema: { properties: { a: { type: "number" } } } },
    };
    expect(differences({ tool: "t", state: "changed", pin: before, offered }, '{"command":"new"}')).toEqual([
      { field: "server.command", approved: "old", offered: "new" },
      { field: "inputSchema.properties.a.type", approved: "string", offered: "number" },
      { field: "title", offered: "T" },
    ]);
  });

  test("a text and the same text as a number are different", () => {
    const offered = { tool: "t", hash: "x", definition: { v: 1 } };
    expect(differences({ tool: "t", state: "changed", pin: pin({ v: "1" }), offered }, "{}")).toHaveLength(1);
  });
});

describe("what a server offers", () => {
  const sound = { name: "a", inputSchema: {} };
  test.each<[string, unknown]>([
    ["no object", 7],
    ["no name", { inputSchema: {} }],
    ["a name of a kilobyte", { ...sound, name: "x".repeat(1024) }],
    ["no input schema", { name: "b" }],
    ["a __proto__", JSON.parse('{"name":"b","inputSchema":{},"__proto__":{}}')],
    ["a definition of a megabyte", { ...sound, name: "b", description: "x".repeat(1e6) }],
  ])("is unusable with %s, and the rest is not", (_, broken) => {
    const offer = readOffer([sound, broken]);
    expect([...offer.tools.keys()]).toEqual(["a"]);
    expect(offer.unusable).toHaveLength(1);
  });

  test("is believed in the worst sense where it says nothing", () => {
    expect(annotationsOf({})).toEqual({ readOnly: false, destructive: true, idempotent: false, openWorld: true });
    expect(annotationsOf({ annotations: { readOnlyHint: "yes", idempotentHint: 1 } })).toMatchObject({
      readOnly: false,
      idempotent: false,
    });
  });
});

describe("a result", () => {
  const content = [{ type: "text", text: "x" }];
  test.each<[string, unknown, boolean, string]>([
    ["that says it is an error is one", { content, isError: true }, false, "TOOL_ERROR"],
    ["that says so in another way too", { content, isError: "false" }, false, "TOOL_ERROR"],
    ["without what was declared is one", { content }, true, "TOOL_ERROR"],
    ["without content is one", {}, false, "TOOL_ERROR"],
    ["that is nothing is one", null, false, "TOOL_ERROR"],
    ["as declared is none", { content, structuredContent: { a: 1 } }, true, "ok"],
  ])("%s", (_, result, declares, code) => {
    const read = readCallResult("s.t", result, declares);
    expect(read.ok ? "ok" : read.error.code).toBe(code);
  });
});
