import type { Result } from "#base";
import type { CheckedProvider } from "./check-provider.ts";
import type { DoctorSurroundings } from "./check-up.ts";

/** Providers and the redactor are loaded only by who asks about one. */
export async function checkProvider(
  wanted: string,
  surroundings: DoctorSurroundings & { readonly root: string },
): Promise<Result<CheckedProvider>> {
  const check = await import("./check-provider.ts");
  return check.checkProvider(wanted, surroundings);
}
