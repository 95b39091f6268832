import {
  type AttentionService,
  checkpointFiles,
  createAttention,
  createMemory,
  memoryStage,
  SqliteLedgerIndex,
  templateLoader,
} from "#attention";
import type { Clock, Files, Result } from "#base";
import type { LogReader } from "#events";
import type { Framework } from "#governance";
import type { SchemaRegistry } from "#schemas";
import type { WritConfig } from "../config/writ-config.ts";

export interface WorkspaceAttention {
  readonly service: AttentionService;
  close(): Promise<void>;
}

/** Attention over a workspace: its files, its registries, its log through the index, and memory. */
export function attentionOfWorkspace(options: {
  readonly root: string;
  readonly shipped: string;
  readonly files: Files;
  /** The same, remembering what it read: for templates, which every flow reads. */
  readonly law: Files;
  readonly log: LogReader;
  readonly schemas: SchemaRegistry;
  readonly clock: Clock;
  readonly key: string;
  readonly config: WritConfig;
  readonly redact: (text: string) => string;
  readonly resolveFramework: (framework_id: string) => Promise<Result<Framework>>;
}): WorkspaceAttention {
  const { root, files, log, schemas, clock, config, redact, resolveFramework } = options;
  const roots = [root, options.shipped];
  const ledgers = new SqliteLedgerIndex({ root, clock });
  const memory = createMemory({
    log,
    schemas,
    key: options.key,
    checkpoints: checkpointFiles(root),
    rule: { every_entries: 1000 },
  });
  return {
    service: createAttention({
      resolveFramework,
      loadTemplates: templateLoader({ roots, files: options.law, schemas }),
      clock,
      redact,
      // For templates without limits: a quarter of what a conversation may hold.
      defaultLimits: { max_tokens: Math.floor(config.limits.context_tokens / 4), max_queries: 64, timeout_ms: 5_000 },
      sources: {
        root,
        registryRoots: roots,
        files,
        log,
        ledgers,
        custom: new Map([["memory", memoryStage(memory)]]),
        contextFiles: config.context_files,
      },
    }),
    close: () => ledgers.close(),
  };
}
