import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { Graph } from "./graph.tsx";

test.each(["down", "right"] as const)("arrows are drawn before anything is measured: %s", (direction) => {
  const nodes = ["plan", "work", "review"].map((id) => ({ id, content: id }));
  const edges = [
    { from: "plan", to: "work" },
    { from: "work", to: "review" },
    { from: "review", to: "work", label: "again" },
  ];
  const drawn = renderToStaticMarkup(<Graph label="phases" nodes={nodes} edges={edges} direction={direction} />);
  expect(drawn.match(/class="react-flow__edge-path"/g)).toHaveLength(3);
});
