import type { SchemaRegistry } from "#core/contracts";
import type { Clock, Files, Random, Result } from "#core/values";
import type { Framework } from "#governance";
import { readPolicy } from "#governance";
import type { EventLog, PayloadRedactor } from "#log";
import { markLines } from "#log/redaction";
import type { WritConfig } from "#workspace";
import { checkpointFiles } from "./adapters/checkpoint-files.ts";
import { SqliteLedgerIndex } from "./adapters/ledger-index/sqlite-ledger-index.ts";
import { type AttentionService } from "./attention-service.ts";
import { createAttention } from "./create-attention.ts";
import { createMemory } from "./memory/memory.ts";
import { memoryStage } from "./memory/memory-stage.ts";
import type { AttentionSources } from "./pipeline/stage.ts";
import { type ServedSources, servedStage } from "./stages/served-sources.ts";
import { templateLoader } from "./templates/load-templates.ts";

export interface WorkspaceAttention {
  readonly service: AttentionService;
  /** The same over other contract files: a session that goes on reads those that it began under. */
  under(contractFiles: Files, resolveFramework: (framework_id: string) => Promise<Result<Framework>>): AttentionService;
  /** Takes the texts of MCP servers once those are open; until then a template that reads one is refused. */
  bindServed(sources: ServedSources): void;
  close(): Promise<void>;
}

/** Attention over a workspace: its files, its registries, its log through the index, and memory. */
export function attentionOfWorkspace(options: {
  readonly root: string;
  readonly shipped: string;
  readonly files: Files;
  /** The same, remembering what it read: for templates, which every flow reads. */
  readonly contractFiles: Files;
  readonly log: Pick<EventLog, "read" | "readLedger" | "flush">;
  readonly schemas: SchemaRegistry;
  readonly clock: Clock;
  readonly random: Random;
  readonly key: string;
  readonly config: WritConfig;
  readonly redact: (text: string) => string;
  readonly redactor: PayloadRedactor;
  readonly resolveFramework: (framework_id: string) => Promise<Result<Framework>>;
}): WorkspaceAttention {
  const { root, files, schemas, clock, config, redact, redactor, resolveFramework } = options;
  const log = wholeRecord(options.log);
  let served: ServedSources | undefined;
  const roots = [root, options.shipped];
  const reading = config.attention;
  const ledgers = new SqliteLedgerIndex({ root, clock });
  const memory = createMemory({
    log,
    schemas,
    key: options.key,
    checkpoints: checkpointFiles(root, options.random),
    rule: { every_entries: reading.checkpoint_entries },
  });
  const under: WorkspaceAttention["under"] = (contractFiles, framework) =>
    createAttention({
      resolveFramework: framework,
      loadTemplates: templateLoader({ roots, files: contractFiles, schemas }),
      clock,
      redact,
      defaultLimits: {
        // A quarter of what a conversation may hold, where nothing else is said.
        max_tokens: reading.max_tokens ?? Math.floor(config.limits.context_tokens / 4),
        max_queries: reading.max_queries,
        timeout_ms: reading.timeout_seconds * 1000,
      },
      sources: {
        root,
        registryRoots: roots,
        files,
        whyUnreadable: readPolicy(config, root),
        redactLines: (text) => markLines(text, redactor.secretsIn?.(text) ?? []),
        log,
        ledgers,
        custom: new Map([
          ["memory", memoryStage(memory, reading.memory_notes)],
          ["mcp", servedStage(() => served)],
        ]),
        contextFiles: config.context_files,
        reading: {
          fileBytes: reading.file_bytes,
          registryBytes: reading.registry_bytes,
          seenFiles: reading.seen_files,
          searchedFiles: reading.searched_files,
          ledgerCandidates: reading.ledger_candidates,
        },
      },
    });
  return {
    service: under(options.contractFiles, resolveFramework),
    under,
    bindServed(sources) {
      served = sources;
    },
    close: () => ledgers.close(),
  };
}

/** A session that reads its own record, or that of the one above, reads all of it: what is only staged is made durable before. */
function wholeRecord(log: Pick<EventLog, "read" | "readLedger" | "flush">): AttentionSources["log"] {
  async function* after<T>(read: () => AsyncIterable<Result<T>>): AsyncGenerator<Result<T>> {
    const flushed = await log.flush();
    if (flushed.ok) yield* read();
    else yield flushed;
  }
  return {
    read: (session_id, options) => after(() => log.read(session_id, options)),
    readLedger: (session_id, ledger) => after(() => log.readLedger(session_id, ledger)),
  };
}
