import type { WorkOrder } from "#core/contracts";
import { canonicalJson } from "#core/values";
import type { Skill } from "../skills/skill.ts";
import { dataBlock } from "./data-block.ts";

/** What the roles of a request are handed besides its words. */
export interface RoleBrief extends Pick<WorkOrder, "scope" | "acceptance"> {
  /** For the lead, by name and description. */
  readonly skills: readonly Skill[];
}

/** The request word for word, with its scope and criteria, as data. */
export function requestBlock(prompt: string, { scope, acceptance }: RoleBrief): string {
  const bounds = dataBlock("scope and acceptance of the order", canonicalJson({ scope, acceptance }));
  return `${dataBlock("the request, as the person wrote it", prompt)}\n\n${bounds}`;
}
