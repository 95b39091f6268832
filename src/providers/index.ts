/** L2. The prompt router, the only door to a model, and the adapters behind it. Runs no tool and knows no role. */
export { type Rule, readScript } from "./adapters/scripted/script.ts";
export { scriptedProvider } from "./adapters/scripted/scripted-provider.ts";
export { CallCounter } from "./call-counter.ts";
export type { CircuitLimits } from "./circuit-breaker.ts";
export { Conversation, type Message } from "./conversation.ts";
export type { RuntimeProfile } from "./profile.ts";
export type { PromptAuthor, PromptRequest, PromptResponse } from "./prompt.ts";
export type { CallMeta, Provider, ProviderCall } from "./provider.ts";
export { createRouter, type Router } from "./router.ts";
export type { ToolCall, ToolOffer } from "./tool-call.ts";
