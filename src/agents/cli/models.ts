import { argument, type Command, type CommandGroup, flag, text } from "#core/commands";
import { table } from "#core/terminal";
import { ok } from "#core/values";
import type { ModelFacts } from "../models/facts/model-table.ts";

interface ModelsParts {
  readonly root: string;
}

interface ListOptions {
  readonly vendor?: string;
  readonly all?: boolean;
}

const list: Command<"workspace", ModelsParts, ListOptions> = {
  name: "list",
  summary: "models whose window, abilities and price are known, and the day on which they were looked up",
  needs: "workspace",
  json: "as_of, updated and models",
  arguments: [],
  options: {
    vendor: text("name", "only the models of this vendor"),
    all: flag("every model (default: those of anthropic, openai and google)"),
  },
  examples: ["writ models list", "writ models list --vendor mistral", "writ models list --json | jq '.models'"],
  exits: null,
  run: async ({ root }, { options: { vendor, all } }) => {
    const { shippedRegistry } = await import("#core/contracts");
    const { modelTableOf } = await import("../models/adapters/files/model-table-file.ts");
    const known = modelTableOf(root, shippedRegistry())();
    const named = Object.entries(known.models).toSorted(([a], [b]) => (a < b ? -1 : 1));
    const shown = named.filter(([, facts]) =>
      vendor === undefined ? all === true || spoken.includes(facts.vendor) : facts.vendor === vendor,
    );
    return ok({
      json: { as_of: known.as_of, updated: known.updated, models: Object.fromEntries(shown) },
      text: (screen) => {
        const rows = shown.map(([name, facts]) => [name, facts.vendor, ...figures(facts)]);
        const head = ["model", "vendor", "window", "output", "$ in", "$ out", "$ cached", "can"];
        const source = known.updated === null ? "shipped with Writ" : known.updated;
        return `${table(screen, head, rows)}\n${shown.length} models · dollars per million tokens, looked up ${known.as_of} · ${source}\n`;
      },
    });
  },
};

const spoken: readonly string[] = ["anthropic", "openai", "google"];

function figures({ window, max_output, price, native, tools, reasoning, images }: ModelFacts): readonly string[] {
  const can = [
    ...(tools ? ["tools"] : []),
    ...(native ? ["schemas"] : []),
    ...(reasoning ? ["reasoning"] : []),
    ...(images ? ["images"] : []),
  ];
  const figure = (value: number | undefined) => (value === undefined ? "" : String(value));
  return [
    figure(window),
    figure(max_output),
    figure(price?.input_per_million),
    figure(price?.output_per_million),
    figure(price?.cached_input_per_million),
    can.join(", "),
  ];
}

const update: Command<"workspace", ModelsParts> = {
  name: "update",
  summary: "take facts and prices of models from a file: Writ's own form, LiteLLM's or that of models.dev",
  needs: "workspace",
  json: "as_of, models, added, changed and path",
  arguments: [argument("file", "the file; Writ asks no server for it")],
  options: {},
  examples: ["writ models update model_prices_and_context_window.json"],
  exits: null,
  run: async ({ root }, { arguments: [file = ""], context }) => {
    const { updateModelTable } = await import("../models/adapters/files/update-model-table.ts");
    const updated = await updateModelTable(root, { file, cwd: context.cwd, nowMs: context.clock.now() });
    if (!updated.ok) return updated;
    const { as_of, models, added, changed, path } = updated.value;
    return ok({
      json: { as_of, models, added, changed, path },
      text: (screen) =>
        `${screen.green(screen.sign.ok)} ${models} models as of ${as_of}: ${added} new, ${changed} changed · ${path}\n`,
    });
  },
};

type AnyModels = typeof list | typeof update;

export const models: CommandGroup<AnyModels> = {
  name: "models",
  summary: "what is known of models: windows, abilities, prices",
  examples: ["writ models list"],
  members: [list, update],
};
