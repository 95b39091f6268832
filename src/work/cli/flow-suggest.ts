import { argument, type Command, text } from "#core/commands";
import { domainError } from "#core/errors";
import { err, ok, type Result } from "#core/values";
import type { NumberedSuggestion } from "../orders/suggest-order.ts";

interface SuggestParts {
  suggestOrder(prompt: string, framework: string | undefined): Promise<Result<NumberedSuggestion>>;
}

interface SuggestOptions {
  readonly framework?: string;
}

export const flowSuggest: Command<"runtime", SuggestParts, SuggestOptions> = {
  name: "suggest",
  summary: "propose the narrowest work order for a request, before anything is read",
  needs: "runtime",
  json: "work_order, rights with right, pattern and because, and left_out with word and because",
  arguments: [argument("prompt", "what you want, in your own words")],
  options: { framework: text("id", "the framework to work under (default: FMWK-005)") },
  about:
    "It goes by the words of the request, the skill that they name, and the names of files: no file is read and no model is asked.\nThe order goes to standard output, each right with its reason. Look at it, then `writ flow run` it.",
  examples: [
    'writ flow suggest "summarize notes/plan.md into output/summary.md" > order.yaml',
    "writ flow run order.yaml",
  ],
  exits: null,
  run: async (orders, { arguments: [prompt = ""], options: { framework } }) => {
    if (prompt.trim() === "")
      return err(
        domainError("MALFORMED_INPUT", "nothing was asked", { details: { hint: 'writ flow suggest "greet Ada"' } }),
      );
    const suggested = await orders.suggestOrder(prompt, framework);
    if (!suggested.ok) return suggested;
    const { order, rights, left_out } = suggested.value;
    const { stringify } = await import("yaml");
    const reasons = rights.map(({ right, pattern, because }) => `# ${right.padEnd(6)} ${pattern}: ${because}\n`);
    const left = left_out.map(({ word, because }) => `# none   ${word}: ${because}\n`);
    const none = "# The words name no skill, tool or file: the order answers from the request alone.\n";
    return ok({
      json: { work_order: order, rights, left_out },
      text: () => `${reasons.join("") || none}${left.join("")}${stringify(order)}`,
    });
  },
};
