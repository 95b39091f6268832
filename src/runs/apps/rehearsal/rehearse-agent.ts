import { handedInput, type ProviderCall, type Utterance } from "#agents";

/** The scripted agent says what was asked for where it should stand: enough to see the path of a proposal. */
export function rehearseAgent(call: ProviderCall): Utterance {
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
