import type { PatchOperationV1 } from "#core/contracts";

/** The operation with this name. */
export type Operation<Name extends PatchOperationV1["op"]> = Extract<PatchOperationV1, { readonly op: Name }>;
