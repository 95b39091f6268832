import * as fc from "fast-check";
import { expect, test } from "vitest";
import { ok } from "#core/values";
import { scopeOf, toolBench, toolSpec } from "../support/tool-bench.ts";

const registered = ["echo", "fs.read", "fs.write", "exec", "server.tool"];
const name = fc.oneof(
  fc.constantFrom(...registered),
  fc.constantFrom(...registered).map((each) => each.toUpperCase()),
  fc.constantFrom(...registered).map((each) => `${each} `),
  fc.constantFrom("fs_read", "fs.*", "*", "", "constructor", "__proto__", "fs.read\u0000", "fs.reаd", "../exec"),
  fc.string(),
);
const plain = /^[^?[\]()+@!{}]*$/;
const grant = fc.oneof(
  name.filter((each) => plain.test(each)),
  fc.constantFrom("fs.*", "*.tool", "*", "!exec", "fs", "e*o", "{echo,exec}"),
);

/** What a list of grants means, said a second time and differently. */
function grants(allowed: readonly string[], tool: string): boolean {
  const literal = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const alternatives = allowed.flatMap((each) => (each.startsWith("{") ? each.slice(1, -1).split(",") : [each]));
  return alternatives.some((pattern) =>
    new RegExp(`^${pattern.split("*").map(literal).join("[^/]*")}$`, "s").test(tool),
  );
}

test("whatever a model asks for, only registered tools within the scope run, and every attempt is in the log", async () => {
  const ran: string[] = [];
  const tools = registered.map((tool) =>
    toolSpec({ name: tool, invoke: () => (ran.push(tool), Promise.resolve(ok({}))) }),
  );
  const bench = toolBench({ tools });
  await fc.assert(
    fc.asyncProperty(fc.array(grant, { maxLength: 4 }), name, fc.jsonValue(), async (allowed, asked, args) => {
      ran.length = 0;
      const before = bench.recorder.events.length;
      const result = await bench.call(asked, args, { scope: scopeOf(allowed) });
      const may = registered.includes(asked) && grants(allowed, asked);
      expect(ran.every((tool) => tool === asked && may)).toBe(true);
      const types = bench.recorder.events.slice(before).map((event) => event.type);
      if (ran.length > 0) expect(types).toEqual(["tool.invoke", "tool.result", "tool.output"]);
      else {
        expect(types.at(-1)).toBe("tool.refused");
        expect(result.ok).toBe(false);
      }
      if (!registered.includes(asked)) expect(result).toMatchObject({ error: { code: "TOOL_NOT_FOUND" } });
      else if (!may) expect(result).toMatchObject({ error: { code: "TOOL_NOT_ALLOWED" } });
    }),
    { numRuns: process.env["WRIT_CAMPAIGN"] ? 50_000 : 1000 },
  );
});
