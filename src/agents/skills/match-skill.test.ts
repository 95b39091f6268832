import * as fc from "fast-check";
import { expect, test } from "vitest";
import { sha256 } from "#core/values";
import { memoryRecorder } from "../../../test/support/memory-recorder.ts";
import { skillCatalogue } from "./catalogue.ts";
import { matchSkill, selectSkill } from "./match-skill.ts";
import type { Skill } from "./skill.ts";
import { skillCompleted, skillInvoked } from "./skill-events.ts";

const skill = (id: string, ...triggers: string[]): Skill => ({
  id,
  description: id,
  triggers,
  allowedTools: ["echo"],
  limitsTools: true,
  frontmatter: { name: id, description: id, version: 3 },
  body: "",
  origin: "workspace",
  path: `skills/${id}/SKILL.md`,
  hash: sha256(id),
  notes: [],
});
const greet = skill("greet", "greet", "hello", "hi");

test.for([
  ["greet Ada", true],
  ["Please say HELLO!", true],
  ["hi", true],
  ["“Hi”, she said", true],
  ["say hi, then leave", true],
  ["ｈｅｌｌｏ Ada", true],
  ["hello\u00a0there", true],
  ["think about this", false],
  ["history of chile", false],
  ["greeting cards", false],
  ["hi_there", false],
  ["h\u0069\u0301 there", false],
  ["", false],
] as const)("in %j a trigger of greet stands: %j", ([prompt, expected]) => {
  expect(matchSkill(prompt, [greet]).selected?.id).toBe(expected ? "greet" : undefined);
});

test("the longest trigger wins, then the most triggers, then the name", () => {
  const a = skill("alpha", "review");
  const b = skill("beta", "review my code");
  const c = skill("gamma", "review", "check");
  expect(matchSkill("review my code", [a, b, c])).toMatchObject({
    selected: { id: "beta" },
    reason: expect.stringContaining("longer than what alpha has"),
  });
  expect(matchSkill("check and review", [a, c])).toMatchObject({
    selected: { id: "gamma" },
    reason: expect.stringContaining("alpha has fewer"),
  });
  expect(matchSkill("review", [c, a])).toMatchObject({
    selected: { id: "alpha" },
    reason: expect.stringContaining("gamma fits as well"),
  });
});

test("a skill's name is a trigger, in any script a trigger is words, and white space is one", () => {
  expect(matchSkill("use write-note for this", [skill("write-note")]).selected?.id).toBe("write-note");
  expect(matchSkill("これを翻訳してください", [skill("t", "翻訳")]).selected?.id).toBe("t");
  expect(matchSkill("sum\n   up the  file", [skill("s", "sum up")]).selected?.id).toBe("s");
  expect(matchSkill("is it C++?", [skill("cpp", "c++")]).selected?.id).toBe("cpp");
});

test("without a trigger there is no skill and no tools, and the answer says so", () => {
  expect(matchSkill("make coffee", [greet])).toMatchObject({
    selected: undefined,
    selectedBy: "nothing",
    reason: expect.stringContaining("no tools are in scope"),
  });
});

test("the order in which skills were found does not matter, and two runs agree", () => {
  const pool = [
    greet,
    skill("alpha", "hi there", "x"),
    skill("beta", "hi"),
    skill("gamma", "ada"),
    skill("delta", "hello ada"),
  ];
  const words = fc.constantFrom("hi", "hello", "ada", "there", "x", "greet", "and", "gamma");
  fc.assert(
    fc.property(
      fc.array(words, { maxLength: 8 }),
      fc.shuffledSubarray(pool, { minLength: pool.length }),
      (prompt, shuffled) => {
        const text = prompt.join(" ");
        expect(matchSkill(text, shuffled)).toEqual(matchSkill(text, pool));
      },
    ),
  );
});

test("any prompt gets an answer, and what is chosen really stands in it", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "grapheme" }),
      fc.array(fc.string({ unit: "grapheme", maxLength: 5 }), { maxLength: 4 }),
      (prompt, triggers) => {
        const { selected, triggers: found } = matchSkill(prompt, [skill("some", ...triggers)]);
        expect(selected !== undefined).toBe(found.length > 0);
        const folded = (text: string) =>
          text.normalize("NFKC").toLowerCase().normalize("NFKC").replaceAll(/\s+/gu, " ").trim();
        for (const trigger of found) expect(folded(prompt)).toContain(folded(trigger));
      },
    ),
  );
});

test("a skill can be named, and a wrong name gets a suggestion", () => {
  expect(selectSkill("greet", [greet])).toMatchObject({
    ok: true,
    value: { selected: { id: "greet" }, selectedBy: "name" },
  });
  expect(selectSkill("gret", [greet])).toMatchObject({
    ok: false,
    error: { code: "NOT_FOUND", message: 'there is no skill "gret"; did you mean greet?' },
  });
});

test("invoking and completing make events that their contracts accept", () => {
  const recorder = memoryRecorder();
  expect(recorder.stage(skillInvoked(greet, matchSkill("hi Ada", [greet]), []))).toMatchObject({
    value: {
      payload: { skill: "greet", selected_by: "trigger", triggers: ["hi"], allowed_tools: ["echo"], version: 3 },
    },
  });
  expect(recorder.stage(skillCompleted(greet, { ok: false, reason: "review failed" }))).toMatchObject({ ok: true });
});

test("a guessed word starts nothing where the request is more about another skill, which the agent then finds by itself", () => {
  const guessed = (id: string, description: string, ...triggers: string[]): Skill => ({
    ...skill(id, ...triggers),
    description,
    origin: "agents",
    guessesTriggers: true,
  });
  const pdf = guessed("pdf", "Reads and fills pdf forms.");
  const posters = guessed("canvas-design", "Designs posters and art as a picture or a pdf.");
  const request = "design a poster, a piece of art, as pdf; posters are my picture of joy";
  expect(matchSkill(request, [pdf, posters]).selectedBy).toBe("nothing");
  expect(matchSkill("fill in these pdf forms", [pdf, posters]).selected?.id).toBe("pdf");
  expect(matchSkill(request, [pdf]).selected?.id).toBe("pdf");
  expect(matchSkill(request, [{ ...skill("pdf"), description: pdf.description }, posters]).selected?.id).toBe("pdf");
});

test("a skill that only a person may start has no triggers and is in no list; one that only the agent may start is no command", () => {
  const deploy: Skill = { ...skill("deploy", "ship it"), startedOnlyBy: "person" };
  const legacy: Skill = { ...skill("legacy", "old system"), startedOnlyBy: "agent" };
  expect(matchSkill("please deploy, and ship it", [deploy]).selected).toBeUndefined();
  expect(matchSkill("/deploy now", [deploy])).toMatchObject({ selectedBy: "name", selected: { id: "deploy" } });
  expect(skillCatalogue([deploy, legacy], "deploy the old system", 100_000)).not.toContain("deploy:");
  expect(matchSkill("/legacy", [{ ...legacy, triggers: [], id: "legacy" }]).selectedBy).not.toBe("name");
  expect(matchSkill("how does the old system work", [legacy]).selected?.id).toBe("legacy");
});
