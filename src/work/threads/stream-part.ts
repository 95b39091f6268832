import type { AgentContext } from "#agents";

/** What people are shown of a request while it is carried out. */
export type StreamPart = Parameters<NonNullable<AgentContext["onPart"]>>[0];
