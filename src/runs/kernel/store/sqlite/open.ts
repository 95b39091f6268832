import { migrate, openSqlite, refuseUnstorable, type Sqlite } from "#core/database";
import { type DomainError } from "#core/errors";
import { type Clock, err, type Failpoint, noFailpoints, ok, type Result } from "#core/values";
import { defaultLimits, type KernelLimits } from "../../limits.ts";
import { kernelRules, type Rules } from "../../rules/rules.ts";
import { commitStorable } from "../commit-storable.ts";
import type { KernelStore } from "../port.ts";
import { createArchive } from "./archive.ts";
import { kernelMigrations } from "./migrations.ts";
import { createReader } from "./read.ts";
import type { ClockStep } from "./say-clock-step.ts";
import { isFatal, storeFailure } from "./store-failure.ts";
import { createTransact } from "./transact.ts";

export interface SqliteKernelOptions {
  readonly clock: Clock;
  readonly tenant?: string;
  readonly limits?: KernelLimits;
  readonly rules?: Rules;
  readonly failpoint?: Failpoint;
  readonly busyTimeoutMs?: number;
  readonly onClockStep?: ((step: ClockStep) => void) | undefined;
}

/** The embedded driver: one file, WAL, synchronous FULL. Several processes may share it. */
export function openSqliteKernel(file: string, options: SqliteKernelOptions): Result<KernelStore> {
  const timeout = options.busyTimeoutMs === undefined ? {} : { busyTimeoutMs: options.busyTimeoutMs };
  const writer = openSqlite(file, timeout);
  if (!writer.ok) return writer;
  const migrated = migrate(writer.value, { kernel: kernelMigrations }, options.clock);
  if (!migrated.ok) {
    writer.value.close();
    return migrated;
  }
  const reader = file === ":memory:" ? writer : openSqlite(file, timeout);
  if (!reader.ok) {
    writer.value.close();
    return reader;
  }
  return ok(sqliteKernel(writer.value, reader.value, options));
}

export function sqliteKernel(writer: Sqlite, reader: Sqlite, options: SqliteKernelOptions): KernelStore {
  // 64 MB: with 10 million finished items the 2 MB default made each claim wait for pages it had just dropped.
  writer.pragma("cache_size = -65536");
  const tenant = options.tenant ?? "default";
  const transact = createTransact({
    database: writer,
    tenant,
    clock: options.clock,
    rules: options.rules ?? kernelRules,
    limits: options.limits ?? defaultLimits,
    failpoint: options.failpoint ?? noFailpoints,
    onClockStep: options.onClockStep,
  });
  let broken: DomainError | undefined;
  return {
    read: refuseUnstorable(createReader(reader, tenant)),
    archive: refuseUnstorable(createArchive(writer, tenant, options.clock)),
    commit: commitStorable((commands) => {
      if (broken) return Promise.resolve(err(broken));
      try {
        return Promise.resolve(ok(transact(commands)));
      } catch (thrown) {
        const failure = storeFailure(thrown);
        if (isFatal(thrown)) broken = failure;
        return Promise.resolve(err(failure));
      }
    }),
    close() {
      writer.close();
      if (reader !== writer) reader.close();
      return Promise.resolve();
    },
  };
}
