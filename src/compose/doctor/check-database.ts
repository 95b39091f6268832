import { isoTime, ok } from "#base";
import type { PostgresAddress } from "#store";
import { loadConfig } from "../config/load-config.ts";
import { workspaceSecrets } from "../secrets/workspace-secrets.ts";
import { storePlace, withoutSecrets } from "../store/store-place.ts";
import { checkDatabaseFiles } from "./check-database-files.ts";
import type { DoctorCheck, DoctorSurroundings, Finding } from "./check-up.ts";

const stop = "no command that records or shares anything runs in this workspace";

/** The files of one machine, whether they hold together; or the database of many: whether it answers, what it is, how far away, and whether clocks agree. */
export const checkDatabase: DoctorCheck = {
  id: "database",
  title: "Database",
  async run(surroundings) {
    const { root, env, files } = surroundings;
    if (root === undefined) return { health: "works", found: "none asked for here" };
    const config = await loadConfig(root, files, env);
    if (!config.ok) return { health: "limited", found: "not looked for: the configuration cannot be read" };
    const isFile = config.value.store.startsWith("sqlite:");
    const secrets = isFile ? ok(withoutSecrets) : await workspaceSecrets(config.value, { ...surroundings, root });
    if (!secrets.ok) {
      const { message, details } = secrets.error;
      const hint = typeof details["hint"] === "string" ? details["hint"] : "mend `secrets` in writ.yaml";
      return { health: "broken", found: message, why: stop, mend: hint };
    }
    const place = await storePlace(config.value.store, root, secrets.value);
    if (!place.ok)
      return { health: "broken", found: place.error.message, why: stop, mend: "mend `store` in writ.yaml" };
    if (place.value.kind === "sqlite") return checkDatabaseFiles(root, place.value.file);
    return askDatabase(place.value.address, surroundings);
  },
};

async function askDatabase(address: PostgresAddress, { clock }: DoctorSurroundings): Promise<Finding> {
  const { openPostgres } = await import("#store"); // loads the client: here, so that its failure is a finding
  const { systemRandom } = await import("#base");
  const postgres = await openPostgres(address, { clock, random: systemRandom, statementTimeoutMs: 5_000 });
  try {
    const question = {
      name: "doctor/who",
      text: `SELECT current_setting('server_version'), current_setting('fsync'), current_setting('synchronous_commit'),
        pg_is_in_recovery(), has_schema_privilege(current_schema(), 'CREATE'),
        floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint,
        (SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()), current_setting('max_connections')`,
    };
    await postgres.rows(question);
    const asked = clock.monotonic();
    const [row = []] = await postgres.rows(question);
    const tookMs = clock.monotonic() - asked;
    type Answer = readonly [string, string, string, boolean, boolean, number, boolean, string];
    const [version, fsync, commit, replica, mayCreate, now, encrypted, connections] = row as unknown as Answer;
    const found = `${address.shown}: PostgreSQL ${version}, ${tookMs.toFixed(1)} ms away, ${encrypted ? "encrypted" : "not encrypted"}, tenant ${address.tenant}, ${address.poolSize} of ${connections} connections${address.throughPooler ? ", through a pooler" : ""}`;
    const skew = Math.abs(clock.now() - now);
    if (replica)
      return { health: "broken", found: `${found}; it is a replica`, why: stop, mend: "name the primary in `store`" };
    if (fsync === "off" || commit === "off")
      return {
        health: "limited",
        found: `${found}; fsync ${fsync}, synchronous_commit ${commit}`,
        why: "what was acknowledged may be lost in a power cut",
        mend: "set fsync = on and synchronous_commit = on in postgresql.conf",
      };
    if (!mayCreate)
      return {
        health: "limited",
        found: `${found}; this user makes no tables`,
        why: "a newer Writ cannot bring the tables up to date",
        mend: "GRANT CREATE ON SCHEMA public TO that user",
      };
    if (skew > 5_000)
      return {
        health: "limited",
        found: `${found}; its clock says ${isoTime(now)}, ${Math.round(skew / 1000)} s from ours`,
        why: "leases go by its clock and stay right, but times in the records differ",
        mend: "let both machines keep time by NTP",
      };
    return { health: "works", found };
  } catch (thrown) {
    const { postgresFailure } = await import("#store");
    return {
      health: "broken",
      found: `${address.shown} cannot be used: ${postgresFailure(thrown).message}`,
      why: stop,
      mend: "see that the server runs, and that `store` in writ.yaml names it, its user and its password",
    };
  } finally {
    await postgres.close();
  }
}
