/** What the scripted model says when no rule covers the call: text, or calls of tools. */
export type Utterance =
  | { readonly text: string }
  | { readonly toolCalls: readonly { readonly name: string; readonly args: Record<string, unknown> }[] };
