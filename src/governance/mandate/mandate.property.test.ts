import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type MandateV1, shippedRegistry } from "#core/contracts";
import { mandateFor } from "../../../test/support/mandates.ts";
import { valueOf } from "../../../test/support/tool-bench.ts";
import type { Act } from "./act.ts";
import { createMandate } from "./mandate.ts";
import type { Source } from "./sources.ts";

const schemas = shippedRegistry();

// A small world, so that acts and clauses meet often.
const part = fc.constantFrom("a", "b", "notes", "Notes");
const path = fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join("/"));
const pathGlob = fc.oneof(
  path,
  path.map((folder) => `${folder}/**`),
  path.map((folder) => `${folder}/`),
  path.map((folder) => `${folder}/*`),
  fc.constantFrom("**", "*", "!a", "../a", "**/notes"),
);
const tool = fc.constantFrom("echo", "fs.read", "fs.write", "mail.send");
const toolGlob = fc.oneof(tool, fc.constantFrom("*", "fs.*", "!echo", "ECHO"));

const sourceOf = (glob: fc.Arbitrary<string>): fc.Arbitrary<Source> =>
  fc.record({
    document: fc.constantFrom("order", "framework", "skill"),
    lists: fc.array(fc.record({ path: fc.constant("p"), patterns: fc.array(glob, { maxLength: 3 }) }), {
      maxLength: 2,
    }),
  });
const sources = (glob: fc.Arbitrary<string>) => fc.array(sourceOf(glob), { minLength: 1, maxLength: 3 });

interface World {
  readonly tools: readonly Source[];
  readonly read: readonly Source[];
  readonly write: readonly Source[];
  readonly forbidden: readonly string[];
  readonly permissions: readonly { readonly tool: string; readonly max_calls?: number; readonly only?: string }[];
}

const world: fc.Arbitrary<World> = fc.record({
  tools: sources(toolGlob),
  read: sources(pathGlob),
  write: sources(pathGlob),
  forbidden: fc.array(
    pathGlob.filter((each) => !each.startsWith("..")),
    { maxLength: 2 },
  ),
  permissions: fc.array(
    fc.record(
      { tool: toolGlob, max_calls: fc.integer({ min: 1, max: 2 }), only: fc.constantFrom("x", "y") },
      { requiredKeys: ["tool"] },
    ),
    { maxLength: 3 },
  ),
});

interface Asked {
  readonly kind: "tool" | "read" | "write" | "delete";
  readonly path: string;
  readonly tool: string;
  readonly word: string;
  readonly used: number;
}

const asked: fc.Arbitrary<Asked> = fc.record({
  kind: fc.constantFrom("tool", "read", "write", "delete"),
  path,
  tool,
  word: fc.constantFrom("x", "y"),
  used: fc.integer({ min: 0, max: 2 }),
});

function mandateOf({ tools, read, write, forbidden, permissions }: World) {
  const copy = (all: readonly Source[]): MandateV1["tools"] =>
    all.map(({ document, lists }) => ({
      document,
      lists: lists.map((list) => ({ ...list, patterns: [...list.patterns] })),
    }));
  return valueOf(
    createMandate(
      {
        ...mandateFor().document,
        tools: copy(tools),
        read: copy(read),
        write: copy(write),
        forbidden: [{ document: "order", path: "f", patterns: [...forbidden] }],
        permissions: permissions.map(({ only, ...permission }, index) => ({
          document: "order",
          path: `tool_permissions[${index}]`,
          ...permission,
          ...(only === undefined ? {} : { args_schema: { type: "object", properties: { word: { const: only } } } }),
        })),
      },
      schemas,
    ),
  );
}

function actOf({ kind, path: where, tool: name, word, used }: Asked): Act {
  return kind === "tool" ? { kind, tool: name, args: { word }, charged: { of: () => used } } : { kind, path: where };
}

/** The clauses in plain words, by another way: patterns become regular expressions by hand. */
function reference(given: World, act: Asked): boolean {
  if (act.kind === "tool") {
    const named = given.tools.every(({ lists }) =>
      lists.some(({ patterns }) => patterns.some((each) => names(each, act.tool))),
    );
    return (
      named &&
      given.permissions.some(
        ({ tool: glob, max_calls, only }) =>
          names(glob, act.tool) && (max_calls === undefined || act.used < max_calls) && (only ?? act.word) === act.word,
      )
    );
  }
  const above = act.path.split("/").map((_, index, parts) => parts.slice(0, index + 1).join("/"));
  if (given.forbidden.some((each) => above.some((folder) => covers(each.toLowerCase(), folder.toLowerCase()))))
    return false;
  const agreeing = act.kind === "read" ? given.read : given.write;
  return agreeing.every(({ lists }) =>
    lists.some(({ patterns }) => patterns.some((each) => !/^(!|\.\.)/.test(each) && covers(each, act.path))),
  );
}

function names(glob: string, name: string): boolean {
  return new RegExp(`^${glob.replaceAll(".", "\\.").replaceAll("*", ".*")}$`).test(name);
}

function covers(glob: string, where: string): boolean {
  const whole = glob.endsWith("/") ? `${glob}**` : glob;
  if (whole === "**") return true;
  if (whole === "*") return !where.includes("/");
  if (whole === "**/notes") return where === "notes" || where.endsWith("/notes");
  if (whole.endsWith("/**")) return where === whole.slice(0, -3) || where.startsWith(whole.slice(0, -2));
  if (whole.endsWith("/*")) {
    const folder = whole.slice(0, -1);
    return where.startsWith(folder) && where.length > folder.length && !where.slice(folder.length).includes("/");
  }
  return whole === where;
}

const runs = { numRuns: 1000 };

test("an act is allowed exactly when the clauses say so", () => {
  fc.assert(
    fc.property(world, fc.array(asked, { minLength: 1, maxLength: 8 }), (given, acts) => {
      const mandate = mandateOf(given);
      for (const act of acts) expect([act, mandate.decide(actOf(act)).allowed]).toEqual([act, reference(given, act)]);
    }),
    runs,
  );
});

test("enlarging an allow list never narrows", () => {
  fc.assert(
    fc.property(world, asked, pathGlob, toolGlob, (given, act, morePath, moreTool) => {
      const enlarge = (all: readonly Source[], more: string) =>
        all.map(({ document, lists }) => ({
          document,
          lists: lists.map((list) => ({ ...list, patterns: [...list.patterns, more] })),
        }));
      const larger = {
        ...given,
        tools: enlarge(given.tools, moreTool),
        read: enlarge(given.read, morePath),
        write: enlarge(given.write, morePath),
        permissions: [...given.permissions, { tool: moreTool }],
      };
      if (mandateOf(given).decide(actOf(act)).allowed) expect(mandateOf(larger).decide(actOf(act)).allowed).toBe(true);
    }),
    runs,
  );
});

test("a further source that has to agree, or a forbidden entry, never widens", () => {
  fc.assert(
    fc.property(world, asked, world, (given, act, more) => {
      const before = mandateOf(given);
      const narrowed = before.narrowed({ tools: more.tools, read: more.read, write: more.write });
      const forbidding = mandateOf({ ...given, forbidden: [...given.forbidden, ...more.forbidden] });
      for (const after of [narrowed, forbidding])
        if (!before.decide(actOf(act)).allowed) expect(after.decide(actOf(act)).allowed).toBe(false);
    }),
    runs,
  );
});

test("a person is asked about a write exactly where the same patterns would forbid it", () => {
  const patterns = world.map(({ forbidden }) => forbidden);
  fc.assert(
    fc.property(patterns, path, (files, where) => {
      const asks = mandateFor({ approvals: [{ document: "order", path: "a", reason: "r", files: [...files] }] });
      const forbids = mandateFor({ forbidden: files });
      const act = { kind: "write", path: where } as const;
      expect(asks.decide(act).approval !== undefined).toBe(!forbids.decide(act).allowed);
    }),
    runs,
  );
});

test("orders are handed down as many at once and in all as the documents say", () => {
  const few = fc.integer({ min: 0, max: 4 });
  fc.assert(
    fc.property(few, fc.option(few), few, few, (atOnce, inAll, count, before) => {
      const { document } = mandateFor();
      const limit = (value: number) => ({ document: "order", path: "p", value });
      const delegation = { ...document.delegation, max_children: limit(atOnce) };
      const mandate = valueOf(
        createMandate(
          { ...document, delegation: { ...delegation, ...(inAll === null ? {} : { max_in_all: limit(inAll) }) } },
          schemas,
        ),
      );
      const { allowed } = mandate.decide({ kind: "delegate", depth: 1, count, before });
      expect(allowed).toBe(count <= atOnce && before + count <= (inAll ?? Number.POSITIVE_INFINITY));
    }),
    runs,
  );
});

test("what is said of a folder holds for every path below it", () => {
  fc.assert(
    fc.property(world, path, path, (given, folder, below) => {
      const mandate = mandateOf(given);
      const { allowed } = mandate.decide({ kind: "read", path: `${folder}/${below}` });
      const extent = mandate.readsBelow(folder);
      if (extent !== "mixed") expect(allowed).toBe(extent === "all");
    }),
    runs,
  );
});

test("a refusal names the clauses that did not grant the act, and a permission names them all", () => {
  fc.assert(
    fc.property(world, asked, (given, act) => {
      const { allowed, clauses, reason } = mandateOf(given).decide(actOf(act));
      expect(reason).not.toBe("");
      if (allowed) expect(clauses.length).toBeGreaterThan(0);
    }),
    runs,
  );
});

// Programs, hosts and models are only narrowed: each source that speaks of them has to name the thing.
const word = fc.constantFrom("git", "git status", "example.org", "model-1");
const wordGlob = fc.oneof(word, fc.constantFrom("git *", "*.org", "model-*", "*"));
const narrowing = fc.array(sourceOf(wordGlob), { maxLength: 3 });

test("a program, a host and a model are allowed exactly when every source that speaks of them names them", () => {
  fc.assert(
    fc.property(narrowing, word, fc.constantFrom("program", "host", "model"), (given, name, kind) => {
      const document = { ...mandateFor().document, [`${kind}s`]: given.map((each) => structuredClone(each)) };
      const mandate = valueOf(createMandate(document, schemas));
      const act: Act =
        kind === "program"
          ? { kind, command: name.split(" ") }
          : kind === "host"
            ? { kind, host: name }
            : { kind: "model", model: name };
      const forms = kind === "program" ? [name, name.split(" ")[0] ?? ""] : [name];
      const isNamed = (form: string) =>
        given.every(({ lists }) => lists.some(({ patterns }) => patterns.some((each) => plainly(each, form))));
      expect(mandate.decide(act).allowed).toBe(given.length === 0 || forms.some(isNamed));
    }),
    runs,
  );
});

function plainly(glob: string, text: string): boolean {
  return new RegExp(`^${glob.replaceAll(".", "\\.").replaceAll("*", ".*")}$`).test(text);
}

test("an order below may do exactly what its own mandate and the one above both allow, and every limit is the lower one", () => {
  const amount = fc.integer({ min: 0, max: 4 });
  fc.assert(
    fc.property(
      world,
      world,
      asked,
      fc.record({ limit: amount, total: amount }),
      (own, over, act, { limit, total }) => {
        const above = mandateOf(over).document;
        const limits = { ...above.limits, token_limit: { ...above.limits.token_limit, value: limit } };
        const within = { ...above, limits };
        const [alone, higher] = [mandateOf(own), valueOf(createMandate(within, schemas))];
        const below = valueOf(createMandate({ ...alone.document, within }, schemas));
        const wanted = actOf(act);
        const counted =
          wanted.kind === "tool"
            ? { ...wanted, charged: { of: () => act.used, above: { of: () => act.used } } }
            : wanted;
        const isAllowed = alone.decide(wanted).allowed && higher.decide(wanted).allowed;
        expect(below.decide(counted).allowed).toBe(isAllowed);
        const spend: Act = { kind: "spend", what: "tokens", total };
        expect(below.decide(spend).allowed).toBe(total <= Math.min(limit, alone.document.limits.token_limit.value));
        if (wanted.kind === "read") {
          const folder = wanted.path.split("/").slice(0, -1).join("/");
          const extent = folder === "" ? "mixed" : below.readsBelow(folder);
          if (extent !== "mixed") expect(isAllowed).toBe(extent === "all");
        }
      },
    ),
    runs,
  );
});
