import { expect, test } from "vitest";
import { SingleLine } from "../postgres/single-line.ts";
import { createRedactor, type Redactor } from "./redactor.ts";

function redactor(): Redactor {
  const made = createRedactor();
  if (!made.ok) throw new Error(made.error.message);
  return made.value;
}

const hidden = "[REDACTED:password]";
const lists: readonly (readonly string[])[] = [
  ["mysql", "-u", "root", "-p@@"],
  ["/usr/bin/mysqldump", "-uroot", "-p@@", "app"],
  ["docker", "exec", "-i", "db", "mariadb", "-h", "db", "-p@@", "app"],
  ["C:\\tools\\mysqladmin.exe", "-p@@", "status"],
  ["--password", "@@"],
  ["-u", "ada", "--db-password", "@@", "--verbose"],
  ["keytool", "-password", "@@"],
  ["gpg", "--batch", "--passphrase", "@@", "-d", "file.gpg"],
  ["curl", "-u", "ada:@@", "https://example.org"],
  ["curl", "-sS", "https://example.org", "--user", "ada:@@"],
  ["/usr/bin/curl", "-uada:@@", "https://example.org"],
  ["curl", "--proxy-user", "ada:@@", "https://example.org"],
  ["sudo", "sshpass", "-p", "@@", "ssh", "ada@example.org"],
  ["sshpass", "-p@@", "ssh", "ada@example.org"],
];
const passwords = ["hunter2", "S3cret", "s3cr3t!Pa55#", "my own dog"];

function isOrdinary({ writeOrdinary }: Redactor, value: unknown): boolean {
  return writeOrdinary(value, new SingleLine());
}

test("a password among the arguments of a program is redacted, and the other arguments stay", () => {
  const made = redactor();
  for (const list of lists)
    for (const password of passwords) {
      const args = list.map((item) => item.replace("@@", password));
      const wanted = list.map((item) => item.replace("@@", hidden));
      expect(made.redactJson({ call: { args } }).value).toEqual({ call: { args: wanted } });
      expect(isOrdinary(made, { call: { args } }), args.join(" ")).toBe(false);
      expect(made.redactJson(wanted).value, "redacting twice is redacting once").toBe(wanted);
    }
});

test("where the program is named beside its arguments", () => {
  const made = redactor();
  for (const key of ["command", "cmd", "program", "executable", "file"]) {
    const spawn = { args: ["-u", "root", "-phunter2"], [key]: "/usr/bin/mysql" };
    const wanted = { args: ["-u", "root", `-p${hidden}`], [key]: "/usr/bin/mysql" };
    expect(made.redactJson({ spawn }).value).toEqual({ spawn: wanted });
    expect(isOrdinary(made, { spawn })).toBe(false);
    expect(made.redactText(JSON.stringify(spawn)).text).toBe(JSON.stringify(wanted));
  }
  const spawn = { command: "curl", args: ["-u", "ada:hunter2"] };
  expect(made.redactText(`it ran ${JSON.stringify(spawn)} then`).text).toBe(
    `it ran {"command":"curl","args":["-u","ada:${hidden}"]} then`,
  );
});

test("in a text that holds such a list, in JSON of any depth, broken into lines, or in the source of a program", () => {
  const { redactText } = redactor();
  for (const list of lists)
    for (const password of passwords) {
      const args = list.map((item) => item.replace("@@", password));
      const wanted = list.map((item) => item.replace("@@", hidden));
      for (const write of [
        (items: readonly string[]) => JSON.stringify({ args: items }),
        (items: readonly string[]) => JSON.stringify(items, null, 2),
        (items: readonly string[]) => `I call ${JSON.stringify(items)} now`,
        (items: readonly string[]) => `run([${items.map((item) => `'${item}'`).join(", ")}])`,
        (items: readonly string[]) => `[${items.map((item) => `"${item}"`).join(", ")}]`,
      ]) {
        expect(redactText(write(args)).text).toBe(write(wanted));
        let nested = write(args);
        let clean = write(wanted);
        for (let depth = 0; depth < 3; depth++) {
          nested = `said ${JSON.stringify({ text: nested })}`;
          clean = `said ${JSON.stringify({ text: clean })}`;
          expect(redactText(nested).text).toBe(clean);
        }
      }
    }
});

test("an argument belongs to the program that is named last before it, in a text as in a list", () => {
  const { redactText, redactJson } = redactor();
  for (const value of [
    ["curl", "-o", "mysql", "-pS3cretZ"],
    { args: ["--with", "mysql", "-pS3cretZ", "x"], command: "curl" },
    { args: ["psql", "--password", "ada", ";", "curl", "-u", "ada:S3cretZ"], command: "mysqldump" },
  ]) {
    const texts = [redactText(JSON.stringify(value)).text, JSON.stringify(redactJson(value).value)];
    expect(texts[0]).toBe(texts[1]);
    expect(texts[0]).toBe(JSON.stringify(value).replace("S3cretZ", "[REDACTED:password]"));
  }
});

test("two passwords in one list are both redacted", () => {
  const { redactJson, redactText } = redactor();
  const args = ["curl", "-u", "ada:hunter2", "--proxy-user", "eve:hunter3", "https://example.org"];
  const wanted = ["curl", "-u", `ada:${hidden}`, "--proxy-user", `eve:${hidden}`, "https://example.org"];
  expect(redactJson(args).value).toEqual(wanted);
  expect(redactText(JSON.stringify(args)).text).toBe(JSON.stringify(wanted));
});

test("in a stream cut at any place", () => {
  const redact = redactor();
  for (const list of lists) {
    const text = `so I ran ${JSON.stringify(list.map((item) => item.replace("@@", "hunter2")))} and it was quiet`;
    for (let cut = 1; cut < text.length; cut++) {
      const stream = redact.stream();
      const shown = stream.push(text.slice(0, cut)) + stream.push(text.slice(cut)) + stream.end();
      expect(shown, `${text}, cut at ${cut}`).toBe(text.replace("hunter2", hidden));
    }
  }
});

test("ordinary lists stay, and are written in one pass", () => {
  const made = redactor();
  for (const args of [
    ["mysql", "-p", "app"],
    ["mysql", "-P3306", "--password", "app"],
    ["psql", "--password", "customers"],
    ["pg_dump", "--no-password", "customers"],
    ["curl", "-u", "ada", "https://example.org:8080/path"],
    ["curl", "-u", "$USER:$TOKEN"],
    ["curl", "-u", "user:password"],
    ["--user", "--password", "--host"],
    ["tool", "--password", "$PASSWORD"],
    ["tool", "--password", "***"],
    ["tool", "--password", "<password>"],
    ["tool", "--password-stdin", "hunter2"],
    ["tool", "--password"],
    ["tool", "--password", 12345],
    ["the password", "is asked for", "by the program"],
    ["-1", "-2.5", "--", "-"],
  ]) {
    expect(made.redactJson(args).value, JSON.stringify(args)).toBe(args);
    expect(isOrdinary(made, args), JSON.stringify(args)).toBe(true);
    const text = JSON.stringify(args);
    expect(made.redactText(text)).toEqual({ text, hits: [] });
  }
});

test("options that belong to another program stay, though they are looked at twice", () => {
  const made = redactor();
  for (const args of [
    ["sort", "-u", "names.txt:200"],
    ["git", "push", "-u", "origin:main"],
    ["cat", "mysql", "|", "grep", "-post"],
    ["mkdir", "-p", "src/events"],
    ["- a list of mysql", "-points in Markdown", "- curl"],
    ["docker", "run", "-u", "1000:1000", "image"],
    ["docker", "run", "-p8080:80", "nginx"],
    ["ssh", "-p2222", "example.org"],
  ]) {
    const value = { args, command: "docker" };
    expect(made.redactJson(value).value).toBe(value);
    const text = JSON.stringify(value);
    expect(made.redactText(text)).toEqual({ text, hits: [] });
  }
});

test("a long list costs no more than its length", () => {
  const { redactJson, redactText } = redactor();
  const args = Array.from({ length: 20_000 }, (_, index) => (index % 2 === 0 ? "-phunter2" : "-u"));
  expect(redactJson(args).value).toBe(args);
  const text = JSON.stringify(Array.from({ length: 20_000 }, () => "mysql"));
  expect(redactText(text).hits).toEqual([]);
  // Each would take minutes if a finder read its surroundings repeatedly.
  for (const unit of ['"curl","-x",', '["a":"mysql"', '["x"],"command":"mysql"', '"--password","'])
    expect(redactText(unit.repeat(Math.ceil(1_000_000 / unit.length))).hits).toEqual([]);
});
