import { handedInput, type ProviderCall, type Utterance } from "#agents";

/** The scripted agent inserts the objective as a section, which is enough to exercise the path of a proposal. */
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
