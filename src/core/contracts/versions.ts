import { isJsonObject, type Result } from "#core/values";
import type { FrameworkManifestV1, FrameworkManifestV2, WorkOrderV1, WorkOrderV2 } from "./generated/types.ts";
import type { SchemaRegistry } from "./registry.ts";

/** A work order of either version. v2 only adds, so code reads both as the newest. */
export type WorkOrder = Omit<WorkOrderV2, "schema_version"> & { schema_version?: "v1" | "v2" };

/** A framework's manifest of either version. */
export type FrameworkManifest = Omit<FrameworkManifestV2, "schema_version"> & { schema_version?: "v1" | "v2" };

/** Checks a work order against the version that it names; without one it is v1. */
export function checkWorkOrder(schemas: SchemaRegistry, value: unknown): Result<WorkOrder> {
  const checked: Result<WorkOrderV1 | WorkOrderV2> = isV2(value)
    ? schemas.validate("work_order_v2", value)
    : schemas.validate("work_order_v1", value);
  return checked;
}

export function checkFrameworkManifest(schemas: SchemaRegistry, value: unknown): Result<FrameworkManifest> {
  const checked: Result<FrameworkManifestV1 | FrameworkManifestV2> = isV2(value)
    ? schemas.validate("framework_manifest_v2", value)
    : schemas.validate("framework_manifest_v1", value);
  return checked;
}

function isV2(value: unknown): boolean {
  return isJsonObject(value) && value["schema_version"] === "v2";
}
