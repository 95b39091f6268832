/** A call that a model asks for. Asking is all it can do: dispatch decides. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly args: Record<string, unknown>;
}

/** What a model is told about a tool. */
export interface ToolOffer {
  readonly name: string;
  readonly description: string;
  readonly input_schema: object;
}
