import type { Sha256 } from "#core/values";
import type { ToolRegistry } from "./registry.ts";
import type { ToolAnnotations } from "./tool.ts";

/** A tool as people and programs see it. */
export interface ToolDescription {
  readonly name: string;
  readonly description: string;
  readonly origin: string;
  readonly annotations: ToolAnnotations;
  /** Pins name the tool by it. */
  readonly hash: Sha256;
  readonly schema_in: object;
  readonly schema_out: object;
  readonly available: boolean;
  /** Why it cannot be called now. */
  readonly reason?: string;
}

export function describeTools(registry: ToolRegistry): readonly ToolDescription[] {
  return registry.list().map((tool) => {
    const { name, description, origin, annotations, hash, schema_in, schema_out } = tool;
    const reason = tool.unavailable?.()?.message;
    return {
      name,
      description,
      origin,
      annotations,
      hash,
      schema_in,
      schema_out,
      available: reason === undefined,
      ...(reason === undefined ? {} : { reason }),
    };
  });
}
