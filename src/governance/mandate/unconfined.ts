import type { MandateV1 } from "#core/contracts";
import { type Clause, clauseText, type Decision } from "./act.ts";

/**
 * Whether a program may run outside a sandbox, where nothing holds what it reads, writes and reaches: only under documents
 * that state no limit on it. Any other limit would be written down and not kept.
 */
export function decideUnconfined(document: MandateV1): Decision {
  const { read, write, forbidden, hosts, code_that_runs: code, landing } = document;
  const isWhole = ({ lists }: MandateV1["read"][number]) =>
    lists.some(({ patterns }) => patterns.some((pattern) => pattern === "**"));
  const narrow = [...read, ...write].filter((source) => !isWhole(source));
  const limiting: readonly Clause[] = [
    ...narrow.map(({ document: by, lists }) => ({ document: by, path: lists.map(({ path }) => path).join(", ") })),
    ...forbidden.filter(({ patterns }) => patterns.length > 0),
    ...hosts.map(({ document: by, lists }) => ({ document: by, path: lists.map(({ path }) => path).join(", ") })),
    ...(code === undefined || code.patterns.length === 0 || code.patterns.includes("**") ? [] : [code]),
    ...(landing.path !== "" && landing.value === "whole" ? [landing] : []),
  ].map(({ document: by, path }) => ({ document: by, path }));
  const places = [...new Set(limiting.map(clauseText))].join("; ");
  return {
    allowed: limiting.length === 0,
    clauses: limiting,
    reason: limiting.length === 0 ? "no document limits what it reads, writes or reaches" : places,
  };
}
