import type { ProviderCall } from "../../provider.ts";
import { handedInput } from "./handed-input.ts";
import type { Utterance } from "./utterance.ts";

/** The scripted agent says what was asked for where it should stand: enough to see the path of a proposal. */
export function followAgent(call: ProviderCall): Utterance {
  const input = handedInput(call);
  const objective = typeof input["prompt"] === "string" ? input["prompt"] : "nothing was asked";
  const heading = objective.split("\n")[0]?.slice(0, 80) ?? objective;
  return {
    text: JSON.stringify({
      ops: [{ op: "section.insert", heading, body: `${objective}\n` }],
      summary: `a section for: ${heading}`,
      schema_version: "v1",
    }),
  };
}
