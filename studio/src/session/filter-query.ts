export type View = "story" | "all" | "model" | "tools" | "gates" | "writes" | "failed";

/** The condition of each view, in the language in which people search. */
const conditions: Readonly<Record<Exclude<View, "all">, string>> = {
  // Leaves out what most readers skip: bookkeeping, and the half of a call that the other half already shows.
  story: `!(type in ["llm.request", "agent.transition", "worker.step", "skill.complete", "lead.directive", "plan.made", "worker.report", "workflow.entered", "acceptance.checked"]) && !(type == "budget.updated" && payload.action != "refuse") && !(type == "tool.result" && payload.status == "ok") && !(type == "hook.fired" && payload.handler == "none")`,
  model: `type.startsWith("llm.")`,
  tools: `type.startsWith("tool.") || type.startsWith("effect.")`,
  gates: `type == "hook.fired" || type == "schema.violation" || type == "tool.refused" || type.startsWith("workflow.p")`,
  writes: `type.startsWith("turn.")`,
  failed: `(type == "hook.fired" && gate.decision == "deny" && gate.point != "Stop") || type in ["wo.failed", "wo.rejected", "tool.refused", "turn.failed", "turn.aborted", "turn.quarantined", "schema.violation", "llm.refused", "workflow.aborted"] || (type in ["llm.response", "tool.result"] && payload.status != "ok") || (type == "review.result" && payload.verdict != "pass")`,
};

/** The query string for the server; null where every event is wanted. */
export function filterQuery(view: View, typed: string): string | null {
  const wanted = new URLSearchParams();
  if (view !== "all" && conditions[view]) wanted.set("among", conditions[view]);
  const text = typed.trim();
  if (text !== "") wanted.set(isExpression(text) ? "find" : "words", text);
  return wanted.size === 0 ? null : wanted.toString();
}

/** Most people type words. An expression compares, calls or combines something, or begins with what an event has. */
export function isExpression(text: string): boolean {
  if (/^"[^"]*"$/.test(text)) return false;
  const combines = /[=!<>]=|&&|\|\||\w\(|\w\s*[<>]\s*\d|^!/;
  return combines.test(text) || /^(?:type|actor|seq|ts|payload|gate)[.[]/.test(text);
}
