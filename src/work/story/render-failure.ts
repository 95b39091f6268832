import { remedyFor } from "#core/errors";
import type { Screen } from "#core/terminal";
import { fold, oneLine } from "#core/terminal";

interface FailedFlow {
  readonly status: string;
  readonly code: string;
  readonly message: string;
  /** The profile that was asked last, as the commands name it that look into it. */
  readonly profile?: string | undefined;
}

/** How a flow ended that did not come to its result: what is wrong, and the way out where nothing else names it. */
export function renderFailure({ status, code, message, profile }: FailedFlow, screen: Screen): string {
  const isNamed =
    status === "waiting" || code === "HALTED" || code === "INTERRUPTED" || /`writ |To repair:/.test(message);
  const mend = isNamed ? undefined : remedyFor(code)?.replaceAll("PROFILE", profile ?? "PROFILE");
  const lines = [
    fold(screen, `${screen.red(status)} ${screen.bold(code)}: ${oneLine(message)}`, 2),
    ...(mend === undefined ? [] : [fold(screen, `  ${screen.dim("mend")}  ${mend}`, 8)]),
  ];
  return `${lines.join("\n")}\n`;
}
