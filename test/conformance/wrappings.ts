import { shippedRegistry } from "#core/contracts";
import { contractOf } from "../../src/agents/models/reader/contract-of.ts";
import { readAnswer } from "../../src/agents/models/reader/reader.ts";
import { wrappings } from "../../src/agents/models/reader/wrappings.case.ts";
import type { Exchange } from "./corpus.ts";
import { expectedOf } from "./expected.ts";

const roleContracts = ["lead_directive_v1", "plan_v1", "worker_report_v1", "review_result_v1"];

/** How many spellings of a right answer are read, and how many texts of models that answer other questions are taken for one. */
export function countWrappings() {
  const schemas = shippedRegistry();
  const contracts = roleContracts.flatMap((id) => {
    const contract = contractOf(schemas, id, id);
    return contract.ok ? [contract.value] : [];
  });
  const answer = JSON.stringify({ verdict: "pass", feedback: "", schema_version: "v1" });
  const review = contracts.at(-1);
  const read = wrappings.filter(({ wrap }) => review && readAnswer(wrap(answer), review).ok).length;
  return {
    all: wrappings.length,
    read,
    falseAccepts: (corpus: readonly Exchange[]) =>
      corpus
        .filter(({ status }) => status < 300)
        .map((exchange) => expectedOf(exchange))
        .filter(({ calls, text }) => calls.length === 0 && text !== "")
        .flatMap(({ text }) => contracts.filter((contract) => readAnswer(text, contract).ok)).length,
  };
}
