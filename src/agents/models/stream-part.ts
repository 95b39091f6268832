import type { SchemaTypes } from "#core/contracts";

/** What people are shown of a request while it is carried out. */
export type StreamPart = SchemaTypes["stream_part_v1"];
