import type { Result } from "#core/values";

/** A call that a model asks for. Dispatch decides whether it is made. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly args: Record<string, unknown>;
  /** The order itself makes this call, with the arguments that stand in it. Never set for what a model asks. */
  readonly from?: "order";
  /** Its arguments could not be read as a JSON object: it is answered with an error, and never made. */
  readonly invalid?: { readonly input: string; readonly message: string };
}

/** The description of a tool that a model gets. */
export interface ToolOffer {
  readonly name: string;
  readonly description: string;
  readonly input_schema: object;
  /** Whether arguments satisfy the schema. Ours alone: a provider is not sent it. */
  readonly check?: (args: unknown) => Result<unknown>;
}
