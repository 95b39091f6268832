import type { DoctorSurroundings } from "#core/shapes";
import type { Result } from "#core/values";
import type { CheckedProvider } from "../doctor/check-provider.ts";

/** Providers and the redactor are loaded only by who asks about one. */
export async function checkProvider(
  wanted: string,
  surroundings: DoctorSurroundings & { readonly root: string },
): Promise<Result<CheckedProvider>> {
  const check = await import("../doctor/check-provider.ts");
  return check.checkProvider(wanted, surroundings);
}
