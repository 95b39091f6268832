import { type ProcessOutcome, type Sha256 } from "#core/values";
import type { Environment } from "#workspace";
import type { SettingsHook } from "../claude/settings/settings-hooks.ts";
import type { HttpTarget } from "../claude/settings/settings-http.ts";
import type { PostJson } from "./adapters/post-json.ts";
import { Fault, noObjection } from "./answer.ts";
import { askCalls } from "./ask-calls.ts";
import { commandAnswer } from "./command-answer.ts";
import { concernOf } from "./concern-of.ts";
import type { HookHandler } from "./hook-handler.ts";
import type { HookPoint } from "./hook-point.ts";
import { type HasStarted, isWithin } from "./is-within.ts";
import { compileNames } from "./matcher.ts";

export interface HttpHook {
  readonly id: string;
  readonly point: HookPoint;
  readonly priority: number;
  readonly matcher?: string | undefined;
  readonly timeoutMs: number;
  readonly target: HttpTarget;
  readonly if?: string | undefined;
  readonly settings: Pick<SettingsHook, "event" | "from" | "unable" | "within">;
  readonly hash: Sha256;
}

export interface HttpDependencies {
  /** Absent where hooks are only listed. */
  readonly post: PostJson | undefined;
  readonly env: Environment;
  readonly root: string;
  readonly permissionMode: string;
  readonly hasStarted: HasStarted | undefined;
}

const maxBodyBytes = 1024 * 1024;

/**
 * An address that gets what a program would read on stdin, and answers as one would on stdout. What is no answer is a fault: an address
 * that is not reached, another status than 2xx, a body that is neither empty nor a JSON object.
 */
export function httpHook(hook: HttpHook, deps: HttpDependencies): HookHandler {
  const { id, point, priority, matcher, timeoutMs, target, settings, hash } = hook;
  const names = compileNames(matcher);
  const concerns = concernOf(hook, names.ok ? names.value : undefined, deps.root);
  return {
    id,
    point,
    priority,
    ...(matcher === undefined ? {} : { matcher }),
    timeoutMs,
    kind: "http",
    source: target.url,
    ...(target.allowedEnvVars.length > 0 ? { sends: target.allowedEnvVars } : {}),
    from: settings.from,
    event: settings.event,
    hash,
    async run(input, signal, about) {
      const { post, env, root, permissionMode } = deps;
      if (!names.ok) return new Fault("bad_matcher", `cannot be asked: ${names.error.message}`);
      if (!concerns(input) || !(await isWithin(settings, input, about, deps.hasStarted))) return noObjection;
      if (settings.unable !== undefined) return new Fault("not_supported", `cannot be asked: ${settings.unable}`);
      if (!post) return new Fault("not_started", "was only listed");
      const put = async (shown: string) => {
        const headers = headersOf(target, env);
        const posted = await post({ url: target.url, headers, body: shown, maxBytes: maxBodyBytes, signal });
        if ("unreached" in posted) return new Fault("not_reached", `could not be reached: ${posted.unreached}`);
        if ("flooded" in posted) return new Fault("flooded", `answered with more than ${maxBodyBytes} bytes`);
        const { status, body } = posted;
        if (status < 200 || status > 299)
          return new Fault("http_status", `answered with status ${status}; only 2xx is an answer`);
        if (body.trim() !== "" && !body.trim().startsWith("{"))
          return new Fault(
            "bad_json",
            `answered ${JSON.stringify(body.trim().slice(0, 80))}, expected nothing or one JSON object`,
          );
        return { read: (asked: Parameters<typeof commandAnswer>[0]) => commandAnswer(asked, said(body), limit) };
      };
      const limit = { timeoutMs, maxOutputBytes: maxBodyBytes };
      return askCalls(
        { input, about, signal, names: names.value },
        { root, event: settings.event, permissionMode, put },
      );
    },
  };
}

function said(body: string): ProcessOutcome {
  return { end: { kind: "exited", code: 0 }, stdout: body, stderr: "", durationMs: 0 };
}

/** A variable that the hook does not list, or that is not set, is nothing. */
function headersOf({ headers, allowedEnvVars }: HttpTarget, env: Environment): Readonly<Record<string, string>> {
  const valueOf = (name: string) => (allowedEnvVars.includes(name) ? (env[name] ?? "") : "");
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      value.replaceAll(/\$(?:\{(\w+)\}|(\w+))/g, (_, braced?: string, bare?: string) => valueOf(braced ?? bare ?? "")),
    ]),
  );
}
