import { describe, expect, test } from "vitest";
import type { AttentionTemplateV1 } from "#core/contracts";
import { shippedRegistry } from "#core/contracts";
import { memoryFiles } from "../../../../test/support/memory-files.ts";
import { templateLoader } from "./load-templates.ts";
import { matchTemplate, type TemplateInput } from "./match-template.ts";

const agent: TemplateInput = { framework_id: "FMWK-005", agent_class: "RESIDENT", tier: "ho1", aperture: "closed" };
const template = (template_id: string, applies_to: AttentionTemplateV1["applies_to"]) => ({ template_id, applies_to });

describe("matching", () => {
  const general = template("ATT-ALL", {});
  const byTier = template("ATT-TIER", { tier: ["ho1"] });
  const byClass = template("ATT-CLASS", { agent_class: ["RESIDENT"] });
  const byFramework = template("ATT-FMWK", { framework_id: ["FMWK-005"] });
  const classAndTier = template("ATT-BOTH", { agent_class: ["RESIDENT"], tier: ["ho1"] });

  test("framework beats class and tier together, class beats tier, tier beats nothing at all", () => {
    const chosen = (...templates: (typeof general)[]) => matchTemplate(templates, agent);
    expect(chosen(general, byTier, byClass, classAndTier, byFramework)).toMatchObject({
      value: { template_id: "ATT-FMWK" },
    });
    expect(chosen(general, byTier, byClass, classAndTier)).toMatchObject({ value: { template_id: "ATT-BOTH" } });
    expect(chosen(byTier, byClass)).toMatchObject({ value: { template_id: "ATT-CLASS" } });
    expect(chosen(general, byTier)).toMatchObject({ value: { template_id: "ATT-TIER" } });
    expect(chosen(general)).toMatchObject({ value: { template_id: "ATT-ALL" } });
    expect(chosen()).toEqual({ ok: true, value: undefined });
  });

  test("a tie fails closed and names both, in whichever order they lie", () => {
    const other = template("ATT-OTHER", { framework_id: ["FMWK-004", "FMWK-005"] });
    for (const templates of [
      [byFramework, other],
      [other, byFramework],
    ])
      expect(matchTemplate(templates, agent)).toMatchObject({
        ok: false,
        error: { code: "CONFIG_INVALID", details: { templates: ["ATT-FMWK", "ATT-OTHER"] } },
      });
    expect(matchTemplate([byFramework, other], { ...agent, template_id: "ATT-OTHER" })).toMatchObject({ value: other });
  });

  test("one that does not apply is never chosen, not even by name", () => {
    const admin = template("ATT-ADMIN", { agent_class: ["ADMIN"] });
    expect(matchTemplate([admin], agent)).toEqual({ ok: true, value: undefined });
    for (const template_id of ["ATT-ADMIN", "ATT-UNKNOWN"])
      expect(matchTemplate([admin], { ...agent, template_id })).toMatchObject({
        ok: false,
        error: { code: "NOT_AUTHORIZED" },
      });
  });

  test("the aperture chooses among templates that are otherwise equal", () => {
    const open = template("ATT-OPEN", { framework_id: ["FMWK-005"], aperture: ["open"] });
    expect(matchTemplate([byFramework, open], { ...agent, aperture: "open" })).toMatchObject({
      value: { template_id: "ATT-OPEN" },
    });
    expect(matchTemplate([byFramework, open], agent)).toMatchObject({ value: { template_id: "ATT-FMWK" } });
  });
});

describe("loading", () => {
  const text = (id: string, title: string) =>
    `template_id: ${id}\nversion: "1.0.0"\ntitle: ${title}\napplies_to: {}\npipeline:\n  - { type: tier_select, tiers: [ho1] }\n`;
  const place = "frameworks/F/attention_templates/ATT-1.yaml";
  const load = (files: Record<string, string>) =>
    templateLoader({ roots: ["/place", "/shipped"], files: memoryFiles(files), schemas: shippedRegistry() })({
      folder: "frameworks/F",
      manifest: { attention_templates: ["ATT-1"] },
    });

  test("the workspace's own comes before the shipped one", async () => {
    const files = { [`/shipped/${place}`]: text("ATT-1", "shipped"), [`/place/${place}`]: text("ATT-1", "mine") };
    expect(await load(files)).toMatchObject({ ok: true, value: [{ title: "mine" }] });
  });

  test.each([
    ["is missing", {}],
    ["is another one", { [`/place/${place}`]: text("ATT-2", "x") }],
    ["has an unknown key", { [`/place/${place}`]: `${text("ATT-1", "x")}pipelines: []\n` }],
    ["has an unknown stage", { [`/place/${place}`]: text("ATT-1", "x").replace("tier_select", "web_search") }],
    ["is not YAML", { [`/place/${place}`]: "a: [" }],
  ])("a template that %s is an error, not an empty context", async (_, files) => {
    expect(await load(files as unknown as Record<string, string>)).toMatchObject({
      ok: false,
      error: { code: "CONFIG_INVALID" },
    });
  });
});
