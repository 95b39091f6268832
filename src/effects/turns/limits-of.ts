import type { TurnRequestV1 } from "#core/contracts";
import type { WritConfig } from "#workspace";
import { defaultLimits, type TurnLimits } from "../sandbox/limits.ts";

/** The profile's limits; a turn may ask for less. */
export function limitsOf(config: WritConfig, request: Pick<TurnRequestV1, "limits">): Partial<TurnLimits> {
  const { sandbox } = config;
  const asked = request.limits ?? {};
  const least = (profile: number, turn: number | undefined) => Math.min(profile, turn ?? profile);
  return {
    timeoutMs: least(config.limits.flow_timeout_seconds * 1000, (asked.timeout_seconds ?? 60) * 1000),
    memoryBytes: least(
      sandbox.memory_mib * 2 ** 20,
      asked.memory_mb === undefined ? undefined : asked.memory_mb * 2 ** 20,
    ),
    processes: least(sandbox.processes, asked.processes),
    openFiles: least(sandbox.open_files, asked.open_files),
    layerBytes: sandbox.output_bytes,
    outputBytes: least(defaultLimits.outputBytes, asked.output_bytes),
  };
}
