/** Which provider and model serve which role. Changing the provider ends here. */
export interface RuntimeProfile {
  readonly name: string;
  readonly provider: string;
  readonly model: string;
  /** A model of its own for a role. */
  readonly roles: Readonly<
    Record<string, { readonly model?: string; readonly temperature?: number; readonly max_tokens?: number }>
  >;
  readonly max_tokens: number;
  readonly temperature?: number;
  /** How much the model may think before it answers, and whether a summary of that is shown. */
  readonly reasoning?: { readonly effort?: "none" | "low" | "medium" | "high"; readonly show?: boolean };
  /** How much a conversation may hold before it is compacted. */
  readonly context_tokens: number;
  readonly timeout_ms: number;
}

export function modelFor(profile: RuntimeProfile, role: string): string {
  return profile.roles[role]?.model ?? profile.model;
}
