import { randomBytes } from "node:crypto";
import { type DisposalStack, ok, type Result, traceIdOf } from "#core/values";
import type { SecretParts, WorkspaceSecrets } from "#governance";
import type { SessionObserver } from "#work";
import type { Environment, WorkspaceParts, WritConfig } from "#workspace";

/** Exports sessions as traces. */
interface Telemetry extends SessionObserver {
  close(): Promise<void>;
}

export interface TelemetryParts {
  readonly telemetry: SessionObserver | undefined;
}

export async function openTelemetry(
  { config, env, secrets, version }: WorkspaceParts & SecretParts,
  stack: DisposalStack,
): Promise<Result<TelemetryParts>> {
  const opened = await openExporter({ config: config.telemetry, env, secrets, version });
  if (!opened.ok) return opened;
  const telemetry = opened.value;
  if (telemetry) stack.defer(() => telemetry.close());
  return ok({ telemetry });
}

/** The exporter, where the workspace or the environment names an endpoint. Its libraries are loaded only then. */
async function openExporter(sources: {
  readonly config: WritConfig["telemetry"];
  readonly env: Environment;
  readonly secrets: Pick<WorkspaceSecrets, "fill">;
  readonly version: string;
}): Promise<Result<Telemetry | undefined>> {
  const { config, env, version } = sources;
  const endpoint = config.endpoint ?? env["OTEL_EXPORTER_OTLP_ENDPOINT"];
  if (endpoint === undefined || endpoint === null || endpoint === "") return { ok: true, value: undefined };
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(config.headers)) {
    const filled = await sources.secrets.fill(value);
    if (!filled.ok) return filled;
    headers[name] = filled.value;
  }
  const [
    { BatchSpanProcessor, NodeTracerProvider },
    { OTLPTraceExporter },
    { resourceFromAttributes },
    { SessionSpans },
  ] = await Promise.all([
    import("@opentelemetry/sdk-trace-node"),
    import("@opentelemetry/exporter-trace-otlp-http"),
    import("@opentelemetry/resources"),
    import("./session-spans.ts"),
  ]);
  let traceId = "";
  const provider = new NodeTracerProvider({
    resource: resourceFromAttributes({ "service.name": config.service_name, "service.version": version }),
    spanProcessors: [
      new BatchSpanProcessor(new OTLPTraceExporter({ url: `${endpoint.replace(/\/$/, "")}/v1/traces`, headers })),
    ],
    // A trace is found from its session and a session from its trace: the id is the one that `session.start` carries.
    idGenerator: { generateTraceId: () => traceId, generateSpanId: () => randomBytes(8).toString("hex") },
  });
  const tracer = provider.getTracer("writ", version);
  return {
    ok: true,
    value: {
      watch() {
        const spans = new SessionSpans(tracer, { withContent: config.content });
        return {
          see(event) {
            if (event.type === "session.start" || event.type === "session.resumed")
              traceId = traceIdOf(event.session_id);
            spans.see(event);
          },
          end: () => spans.end(),
        };
      },
      close: () => provider.shutdown(),
    },
  };
}
