import { parseFrontmatter, type SchemaRegistry } from "#core/contracts";
import { domainError } from "#core/errors";
import { err, ok, type Result } from "#core/values";
import type { Policy } from "../definitions/cycle.ts";
import { linkPolicy } from "../definitions/link.ts";
import { type Problem, problemsError } from "../definitions/problem.ts";
import { readDefinition } from "../definitions/read-definition.ts";
import type { Inspection } from "../definitions/registry.ts";

/** A policy that somebody would like to have in force, from its text: read and linked as the registry would, registered nowhere. */
export function readCandidate(
  text: string,
  /** As people see it. */
  file: string,
  { index }: Pick<Inspection, "index">,
  schemas: SchemaRegistry,
): Result<Policy> {
  const parsed = parseFrontmatter(text);
  // Its place says nothing about its name: a draft may lie anywhere.
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

/** Nobody was refused anything: what was handed in is no policy. */
function noPolicy(problems: readonly Problem[]) {
  const { message, details } = problemsError(problems);
  return domainError("MALFORMED_INPUT", message, { details });
}
