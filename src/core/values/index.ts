/** Values that every place uses: results, ids, JSON, and time and randomness as ports. Knows no feature. */
export type { Caller } from "./caller.ts";
export { canonicalJson } from "./canonical.ts";
export { checkJson, maxJsonDepth } from "./check-json.ts";
export { type Clock, dayStamp, isoTime, sleep } from "./clock.ts";
export { coalesce } from "./coalesce.ts";
export { ConcurrencyLimit } from "./concurrency-limit.ts";
export { DisposalStack } from "./disposal-stack.ts";
export { type Failpoint, noFailpoints } from "./failpoints.ts";
export type { FileEntry, Files } from "./files.ts";
export { keyedSha256, type Sha256, sha256, traceIdOf, zeroHash } from "./hash.ts";
export {
  createIds,
  type EventId,
  type IdSource,
  isSessionId,
  type PatchId,
  type RevisionId,
  type RunId,
  type SessionId,
  type WorkId,
  type WorkOrderId,
  workOrderId,
} from "./ids.ts";
export { invariant, unreachable } from "./invariant.ts";
export { isJsonObject, type JsonObject, type JsonValue, jsonText } from "./json.ts";
export { memoizeText } from "./memoize-text.ts";
export { compilePattern, type Pattern } from "./pattern.ts";
export type { Processes, ProcessOutcome, ProcessRequest } from "./processes.ts";
export { fraction, type Random, seededRandom } from "./random.ts";
export { type Answer, err, ok, type Result } from "./result.ts";
export { Semaphore } from "./semaphore.ts";
export { isStorable, toStorableJson, toStorableText, unstorable } from "./storable-text.ts";
export { parseJson } from "./strict-json.ts";
export { suggest } from "./suggest.ts";
export { systemClock, systemRandom } from "./system.ts";
export { TimeSlice } from "./time-slice.ts";
