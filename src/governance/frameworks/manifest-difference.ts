import { createTwoFilesPatch } from "diff";
import { parseDocument } from "yaml";
import type { TighterRule } from "./tighten-framework.ts";

/** The manifest with the proposed rules against the manifest as it is: comments and order stay. Empty without a rule. */
export function manifestDifference(path: string, text: string, rules: readonly TighterRule[]): string {
  if (rules.length === 0) return "";
  const document = parseDocument(text);
  for (const { property, proposed } of rules)
    document.set(property, document.createNode([...proposed], { flow: true }));
  // Only v2 has lists of tools, hosts, models and reads.
  document.set("schema_version", "v2");
  const after = document.toString({ lineWidth: 0, flowCollectionPadding: false });
  return createTwoFilesPatch(`a/${path}`, `b/${path}`, text, after).replace(/^=+\n/, "");
}
