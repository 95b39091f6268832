import { isJsonObject } from "#base";
import type { ProviderCall } from "../../provider.ts";
import type { Utterance } from "./follow-role.ts";
import { handedInput } from "./handed-input.ts";
import { textOf } from "./plain-words.ts";

const filePath = /(?:^|[\s`"'(])((?:[\w.-]+\/)*[\w.-]+\.[a-z][a-z0-9]{0,5})(?=$|[\s`"'),.:;!?])/gi;

/** Plans the files that the objective names, or one note where it names none. */
export function followChangePlan(call: ProviderCall): Utterance {
  const objective = textOf(handedInput(call)["objective"]) || "nothing was asked";
  const named = [...new Set([...objective.matchAll(filePath)].map((match) => match[1] ?? ""))];
  const paths = named.length > 0 ? named : ["CHANGE.md"];
  return {
    text: JSON.stringify({
      summary: objective,
      changes: paths.map((path) => ({ path, instruction: `${objective}\n\nWrite ${path}, whole.` })),
      schema_version: "v1",
    }),
  };
}

/** Accepts what is not empty. */
export function followChangeReview(call: ProviderCall): Utterance {
  const files = handedInput(call)["files"];
  const verdicts = (Array.isArray(files) ? files.filter(isJsonObject) : []).map(({ patch_id, content, path }) => {
    const accepted = textOf(content).trim() !== "";
    return {
      patch_id: textOf(patch_id),
      accepted,
      reason: accepted ? `${textOf(path)} is there` : `${textOf(path)} is empty: write it`,
    };
  });
  return {
    text: JSON.stringify({
      summary: `${verdicts.filter(({ accepted }) => accepted).length} of ${verdicts.length} files accepted`,
      verdicts,
      schema_version: "v1",
    }),
  };
}
