import { parseFrontmatter, type SchemaRegistry } from "#core/contracts";
import { domainError } from "#core/errors";
import { err, ok, type Result } from "#core/values";
import type { Policy } from "../definitions/cycle.ts";
import { linkPolicy } from "../definitions/link.ts";
import { type Problem, problemsError } from "../definitions/problem.ts";
import { readDefinition } from "../definitions/read-definition.ts";
import type { Inspection } from "../definitions/registry.ts";

/** A draft of a policy from its text: read and linked as by the registry, but not registered. */
export function readCandidate(
  text: string,
  /** Shown in messages. */
  file: string,
  { index }: Pick<Inspection, "index">,
  schemas: SchemaRegistry,
): Result<Policy> {
  const parsed = parseFrontmatter(text);
  // The id comes from the text, since a draft may be in any folder.
  const id = parsed.ok && typeof parsed.value.data["id"] === "string" ? parsed.value.data["id"] : "";
  const read = readDefinition(
    { axis: "policy", origin: "workspace", path: file, file, id, folder: null },
    text,
    schemas,
  );
  if ("problems" in read) return err(noPolicy(read.problems));
  if (read.definition.axis !== "policy") throw new Error("a policy was read as something else");
  const { policy, problems } = linkPolicy(read.definition, index, schemas);
  return policy ? ok(policy) : err(noPolicy(problems));
}

/** The input is no valid policy. This is a usage error, not a refusal. */
function noPolicy(problems: readonly Problem[]) {
  const { message, details } = problemsError(problems);
  return domainError("MALFORMED_INPUT", message, { details });
}
