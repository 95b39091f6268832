import type { EventPayloads } from "#core/contracts";
import type { ProgramSpec } from "#core/machine";
import { canonicalJson, isJsonObject, type JsonObject, parseJson } from "#core/values";
import { type LiteralSecret, withoutLiteralSecrets } from "./literal-secrets.ts";
import type { McpOAuth } from "./oauth.ts";

/** How a server is reached. Values may hold references such as `${secret:NAME}`: they are filled when it is started. */
export type McpTransport =
  | {
      readonly kind: "stdio";
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
      /** Absolute. */
      readonly cwd: string;
    }
  | {
      readonly kind: "http";
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly oauth?: McpOAuth;
    };

/** A server that the workspace declares. */
export interface McpServerSpec {
  readonly name: string;
  readonly transport: McpTransport;
  /** Of a server on stdio: its own files, and what it may touch. */
  readonly program?: ProgramSpec;
  /** Where it is declared: `writ.yaml` or `.mcp.json`. */
  readonly declaredIn: string;
  readonly timeoutMs?: number;
  readonly maxOutputBytes?: number;
  readonly startTimeoutMs: number;
  /** How long a look at its tools counts; 0 looks before every call. */
  readonly recheckMs: number;
  /** What it may log into the sessions that call it, from this level on; absent: nothing. */
  readonly logLevel?: EventPayloads["tool.log"]["level"] | "off";
}

/**
 * How the server is reached, without the values of references and without secrets that are written out: approvals hold for
 * this program or address only. Another program under the same name is another server, also when it offers the same tools.
 */
export function launchOf(spec: McpServerSpec): JsonObject {
  return withoutLiteralSecrets(wholeLaunch(spec)).launch;
}

/** The secrets that its declaration holds as they are. */
export function literalSecretsOf(spec: McpServerSpec): readonly LiteralSecret[] {
  return withoutLiteralSecrets(wholeLaunch(spec)).found;
}

/** A launch that an earlier version stored whole, as this one would store it. */
export function recordedLaunch(text: string): string {
  const read = parseJson(text);
  return read.ok && isJsonObject(read.value) ? canonicalJson(withoutLiteralSecrets(read.value).launch) : text;
}

function wholeLaunch({ transport }: McpServerSpec): JsonObject {
  return transport.kind === "stdio"
    ? { command: transport.command, args: [...transport.args], env: { ...transport.env }, cwd: transport.cwd }
    : {
        url: transport.url,
        headers: { ...transport.headers },
        ...(transport.oauth ? { oauth: { ...transport.oauth } } : {}),
      };
}

export function launchText(spec: McpServerSpec): string {
  return canonicalJson(launchOf(spec));
}
