/** L2. The prompt router, the only door to a model, and the adapters behind it. Runs no tool and knows no role. */
export { type Recorded, readCassette, type Tape } from "./adapters/cassette/cassette.ts";
export { recordingProvider } from "./adapters/cassette/recording-provider.ts";
export { replayingProvider } from "./adapters/cassette/replaying-provider.ts";
export { type Rule, readScript } from "./adapters/scripted/script.ts";
export { scriptedProvider } from "./adapters/scripted/scripted-provider.ts";
export { openVendor } from "./adapters/vendor/open-vendor.ts";
export { type Connection, type Vendor, type VendorId, vendors } from "./adapters/vendor/vendors.ts";
export { CallCounter } from "./call-counter.ts";
export type { CircuitLimits } from "./circuit-breaker.ts";
export { Conversation, type Message } from "./conversation.ts";
export { fallbackRouter, type RoutedProfile } from "./fallback-router.ts";
export type { RuntimeProfile } from "./profile.ts";
export type { PromptAuthor, PromptRequest, PromptResponse } from "./prompt.ts";
export type { CallMeta, Provider, ProviderCall } from "./provider.ts";
export { type RetryRules, retrying } from "./retrying.ts";
export { createRouter, type Router } from "./router.ts";
export type { TextFilter } from "./text-filter.ts";
export type { ToolCall, ToolOffer } from "./tool-call.ts";
