import type { PatchOperationV1 } from "#core/contracts";

/** The operation of one name. */
export type Operation<Name extends PatchOperationV1["op"]> = Extract<PatchOperationV1, { readonly op: Name }>;
