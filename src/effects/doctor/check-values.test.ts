import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { newDatabase } from "#core/database";
import { nodeFiles } from "#core/machine";
import type { DoctorSurroundings } from "#core/shapes";
import { checkValues } from "./check-values.ts";

let root = "";
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "writ-values-"));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const found = () => checkValues.run({ root, env: {}, files: nodeFiles } as unknown as DoctorSurroundings);

async function framework(values: string): Promise<void> {
  await mkdir(join(root, "frameworks/FMWK-MAIL"), { recursive: true });
  await writeFile(
    join(root, "frameworks/FMWK-MAIL/manifest.yaml"),
    `framework_id: FMWK-MAIL\ntools: ["mail.*"]\n${values}`,
  );
  await writeFile(join(root, "writ.yaml"), "version: 1\nstore: sqlite:store.db\n");
}

/** Two approved tools of a server, as the store keeps them. */
function approve(): void {
  const database = newDatabase(join(root, "store.db"), {});
  database.exec(
    "CREATE TABLE tool_pins (tenant_id, server, tool, name, hash, launch, definition, approved_at, approved_by, PRIMARY KEY (tenant_id, server, tool))",
  );
  const properties = { to: { type: "string" }, body: { type: "string" }, urgent: { type: "boolean" } };
  const put = database.prepare("INSERT INTO tool_pins VALUES ('local', ?, ?, ?, 'h', '{}', ?, 't', 'ada')");
  put.run("mail", "send", "mail.send", JSON.stringify({ inputSchema: { type: "object", properties } }));
  put.run("bank", "pay", "bank.pay", JSON.stringify({ inputSchema: { type: "object", properties } }));
  database.close();
}

test("counts the arguments of approved tools that a framework judges by their names alone", async () => {
  await framework("values: { pack: standard, tools: { mail.send: { args: { to: { sink: reach, kind: mail } } } } }\n");
  approve();
  expect(await found()).toMatchObject({
    health: "limited",
    found: "FMWK-MAIL: 2 arguments guessed",
    mend: "writ tool sinks --framework FMWK-MAIL",
  });
});

test("values are judged where a framework says nothing, and where there is none", async () => {
  await framework("");
  approve();
  expect(await found()).toMatchObject({ health: "limited", found: "FMWK-MAIL: 3 arguments guessed" });
  await rm(join(root, "frameworks"), { recursive: true });
  expect(await found()).toMatchObject({
    health: "limited",
    found: "FMWK-005: 6 arguments guessed",
    mend: "writ tool sinks --framework FMWK-005",
  });
});

test("has nothing to say where everything is declared, or no framework judges values", async () => {
  await framework("values: { pack: standard, tools: { mail.send: { args: { '*': { sink: reach } } } } }\n");
  approve();
  expect(await found()).toMatchObject({ health: "works" });
  await framework("values: { pack: off }\n");
  expect(await found()).toMatchObject({ health: "works", found: "no framework of the workspace judges values" });
});
