import { handedInput, type ProviderCall, type Utterance } from "#agents";

/** The scripted grader: passes if the answer contains the expected text or, without one, if it is not empty. */
export function rehearseGrade(call: ProviderCall): Utterance {
  const { answer, expected } = handedInput(call);
  const said = typeof answer === "string" ? answer : "";
  const wanted = typeof expected === "string" ? expected : undefined;
  const met = wanted === undefined ? said.trim() !== "" : said.includes(wanted);
  const reason =
    wanted === undefined
      ? `scripted grader: there is ${met ? "an" : "no"} answer; it cannot judge a rubric`
      : `scripted grader: what was expected is ${met ? "" : "not "}in the answer`;
  return { text: JSON.stringify({ score: met ? 1 : 0, reason }) };
}
