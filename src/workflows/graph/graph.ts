import type { Cycle } from "../definitions/cycle.ts";

/** A cycle as nodes and arrows; what draws it needs to know nothing of cycles. */
export interface CycleGraph {
  readonly id: string;
  readonly title: string;
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
}

export interface GraphNode {
  readonly id: string;
  readonly kind: "start" | "phase" | "end";
  readonly title: string;
  /** Who is asked, what gates, what is delivered. */
  readonly lines: readonly string[];
}

export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  readonly label: string;
  /** A way that leaves the order of the phases. */
  readonly aside: boolean;
}

export function graphOf(cycle: Cycle): CycleGraph {
  const phases = cycle.phases.map((phase): GraphNode => {
    const { data } = phase.definition;
    const personas = phase.agents.map(({ persona, optional }) => `${persona.id}${optional ? " (optional)" : ""}`);
    const gates = phase.policies.map(({ id, shadow }) => `${id}${shadow ? " (shadow)" : ""}`);
    return {
      id: phase.id,
      kind: "phase",
      title: data.title ?? phase.id,
      lines: [
        ...(personas.length > 0 ? [`asks ${personas.join(", ")}`] : []),
        ...(gates.length > 0 ? [`gates ${gates.join(", ")}`] : []),
        ...(phase.artifacts.length > 0 ? [`writes ${phase.artifacts.map(({ id }) => id).join(", ")}`] : []),
        ...(data.approval ? ["waits for a person"] : []),
      ],
    };
  });
  const last = cycle.phases.at(-1);
  const inOrder = cycle.phases.map((phase, index): GraphEdge => {
    const next = cycle.phases[index + 1];
    return { from: phase.id, to: next?.id ?? "end", label: phase.advance.text, aside: false };
  });
  const aside = cycle.transitions.map(({ from, to, when }): GraphEdge => ({ from, to, label: when.text, aside: true }));
  const early: readonly GraphEdge[] = cycle.done
    ? cycle.phases
        .filter((phase) => phase !== last)
        .map((phase) => ({ from: phase.id, to: "end", label: `done: ${cycle.done?.text}`, aside: true }))
    : [];
  return {
    id: cycle.id,
    title: cycle.definition.data.title ?? cycle.id,
    nodes: [
      { id: "start", kind: "start", title: cycle.id, lines: cycle.policies.map(({ id }) => `policy ${id}`) },
      ...phases,
      { id: "end", kind: "end", title: "done", lines: [] },
    ],
    edges: [{ from: "start", to: cycle.entry.id, label: "", aside: false }, ...inOrder, ...aside, ...early],
  };
}
