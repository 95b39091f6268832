import { type DomainError, domainError } from "#core/errors";
import { err, ok, type Result } from "#core/values";
import { launchText, type McpServerSpec } from "#workspace";
import { pinStateOf, type ToolPin } from "./pin.ts";
import type { Offer } from "./wire-tool.ts";

/** Holds what a server offers against what was approved. */
export class PinJudge {
  readonly #spec: McpServerSpec;
  readonly #launch: string;
  /** Changed once is changed until a person looks: a server that shows two faces is not believed the second. */
  readonly #quarantine = new Map<string, DomainError>();

  constructor(spec: McpServerSpec) {
    this.#spec = spec;
    this.#launch = launchText(spec);
  }

  /** Why a tool may not be called, without a look at what is offered now. */
  refusal(pin: ToolPin): DomainError | undefined {
    const known = this.#quarantine.get(pin.hash);
    return known ?? (pin.launch === this.#launch ? undefined : changedError(pin, "how its server is reached"));
  }

  compare(pin: ToolPin, offer: Offer): Result<void> {
    switch (pinStateOf(pin, offer.tools.get(pin.tool), this.#launch)) {
      case "pinned":
        return ok(undefined);
      case "vanished":
        return err(vanished(pin, offer, this.#spec));
      case "new":
      case "changed": {
        const error = changedError(pin, "its definition");
        this.#quarantine.set(pin.hash, error);
        return err(error);
      }
    }
  }
}

function vanished(pin: ToolPin, offer: Offer, { name }: McpServerSpec): DomainError {
  return domainError("TOOL_NOT_FOUND", `the MCP server "${name}" no longer offers "${pin.tool}"${why(offer, pin)}`, {
    details: { hint: `writ tool approve ${name} takes note of it` },
  });
}

function changedError(pin: ToolPin, what: string): DomainError {
  return domainError(
    "TOOL_NOT_ALLOWED",
    `"${pin.name}" is not called: ${what} is no longer what was approved; look at the difference and decide with \`writ tool approve ${pin.name}\``,
    { details: { server: pin.server, tool: pin.tool, pinned: pin.hash } },
  );
}

function why(offer: Offer, pin: ToolPin): string {
  const unusable = offer.unusable.find(({ tool }) => tool === pin.tool);
  return unusable ? `: ${unusable.why}` : "";
}
