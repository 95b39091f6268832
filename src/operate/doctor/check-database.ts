import type { PostgresAddress } from "#core/database";
import { type DoctorCheck, type DoctorSurroundings, doctorCheck, type Observation } from "#core/shapes";
import { ok } from "#core/values";
import { workspaceSecrets } from "#governance";
import {
  checkDatabaseFiles,
  type DatabaseAnswer,
  judgeDatabase,
  loadConfig,
  stopsAll,
  storePlace,
  withoutSecrets,
} from "#workspace";

/** The files of one machine, whether they hold together; or the database of many: whether it answers, what it is, how far away, and whether clocks agree. */
export const checkDatabase: DoctorCheck = doctorCheck<string | null>({
  id: "database",
  title: "Database",
  async run(surroundings) {
    const { root, env, files } = surroundings;
    if (root === undefined) return { health: "works", found: "none asked for here" };
    const config = await loadConfig(root, files, env);
    if (!config.ok)
      return { health: "limited", found: "not looked for: the configuration cannot be read", why: null, cause: null };
    const isFile = config.value.store.startsWith("sqlite:");
    const secrets = isFile ? ok(withoutSecrets) : await workspaceSecrets(config.value, { ...surroundings, root });
    if (!secrets.ok) {
      const { message, details } = secrets.error;
      const hint = typeof details["hint"] === "string" ? details["hint"] : "mend `secrets` in writ.yaml";
      return { health: "broken", found: message, why: stopsAll, cause: hint };
    }
    const place = await storePlace(config.value.store, root, secrets.value);
    if (!place.ok)
      return { health: "broken", found: place.error.message, why: stopsAll, cause: "mend `store` in writ.yaml" };
    if (place.value.kind === "sqlite") return checkDatabaseFiles(root, place.value.file);
    return askDatabase(place.value.address, surroundings);
  },
  // What is wrong with a database is known where it is judged, and so is the step that mends it.
  remedy: (step) => step,
});

/** Asked only where its table is: older ones have none until the next command brings them up to date. */
const boundTo = {
  name: "doctor/bound-to",
  text: "SELECT tenant_id FROM writ_tenant_role WHERE role_name = current_user",
};

const question = {
  name: "doctor/who",
  text: `SELECT current_setting('server_version') AS version, current_setting('server_version_num')::integer AS "versionNumber",
      current_setting('fsync') AS fsync, current_setting('synchronous_commit') AS "synchronousCommit",
      pg_is_in_recovery() AS "isReplica", current_setting('transaction_read_only') = 'on' AS "isReadOnly",
      current_schema() AS schema, coalesce(has_schema_privilege(current_schema(), 'CREATE'), false) AS "mayCreate",
      to_regclass('writ_migrations') IS NOT NULL AS "hasTables",
      coalesce(has_table_privilege(to_regclass('writ_tenant_role'), 'SELECT'), false) AS "maySeeRoles",
      (SELECT coalesce(bool_and(has_table_privilege(name, privilege)), true)
         FROM (VALUES ('writ_migrations', '{SELECT}'), ('writ_commit', '{SELECT,INSERT,DELETE}'), ('log_event', '{SELECT,INSERT}'),
                 ('work_orders', '{SELECT,INSERT,UPDATE}'), ('run', '{SELECT,INSERT,UPDATE}'), ('work_ready', '{SELECT,INSERT,DELETE}')
              ) AS needed (name, privileges), unnest(privileges::text[]) AS privilege
         WHERE to_regclass(name) IS NOT NULL) AS "mayWrite",
      floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now,
      (SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()) AS "isEncrypted",
      (SELECT min(most) FROM (
         SELECT current_setting('max_connections')::integer
         UNION ALL SELECT rolconnlimit FROM pg_roles WHERE rolname = current_user
         UNION ALL SELECT datconnlimit FROM pg_database WHERE datname = current_database()
       ) AS limits (most) WHERE most >= 0) AS connections`,
};

async function askDatabase(address: PostgresAddress, { clock }: DoctorSurroundings): Promise<Observation<string>> {
  const { openPostgres } = await import("../../core/database/postgres/connection.ts"); // loads the client: here, so that its failure is a finding
  const { systemRandom } = await import("../../core/values/system.ts");
  const postgres = await openPostgres(address, { clock, random: systemRandom, statementTimeoutMs: 5_000 });
  try {
    await postgres.records(question);
    const asked = clock.monotonic();
    const [answer] = await postgres.records(question);
    const tookMs = clock.monotonic() - asked;
    const [bound] = answer?.["maySeeRoles"] === true ? await postgres.rows(boundTo) : [];
    const described = { ...answer, boundTo: bound?.[0] ?? null } as unknown as DatabaseAnswer;
    return judgeDatabase(described, { address, tookMs, now: clock.now() });
  } catch (thrown) {
    const { postgresFailure } = await import("../../core/database/postgres/failure.ts");
    const { message, details } = postgresFailure(thrown);
    const hint = "see that the server runs, and that `store` in writ.yaml names it, its user and its password";
    return {
      health: "broken",
      found: `${address.shown} cannot be used: ${message}`,
      why: stopsAll,
      cause: typeof details["hint"] === "string" ? details["hint"] : hint,
    };
  } finally {
    await postgres.close();
  }
}
