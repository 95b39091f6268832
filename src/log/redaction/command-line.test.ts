import { expect, test } from "vitest";
import { createRedactor, type Redactor } from "./redactor.ts";

function redactor(): Redactor {
  const made = createRedactor();
  if (!made.ok) throw new Error(made.error.message);
  return made.value;
}

const hidden = "[REDACTED:password]";
const commands = [
  "curl -u ada:@@ https://example.org",
  "curl -sS https://example.org/v1 -X POST --user 'ada:@@' -d a=b",
  'curl -u "ada:@@" https://example.org',
  "mysql -h db -u root -p@@ app",
  "mysqldump -uroot -p'@@' app > app.sql",
  "cd /srv && mariadb -p@@ app",
  "mysql --user=root --password=@@ app",
  "sshpass -p @@ ssh ada@example.org",
  "sshpass -p'@@' scp a ada@example.org:",
  "PGPASSWORD=@@ psql -h db app",
  'export PGPASSWORD="@@"',
  "docker run -e MYSQL_PWD=@@ mysql",
  "SSHPASS=@@ sshpass -e ssh ada@example.org",
  "REDISCLI_AUTH=@@ redis-cli ping",
];

test("a password on a command line is redacted, and the command stays readable", () => {
  const { redactText } = redactor();
  for (const command of commands)
    for (const password of ["hunter2", "s3cr3t!Pa55#", "correct-horse-battery"]) {
      const text = command.replace("@@", password);
      const wanted = command.replace("@@", hidden);
      expect(redactText(text).text).toBe(wanted);
      expect(redactText(`$ ${text}\nand then it was quiet`).text).toBe(`$ ${wanted}\nand then it was quiet`);
      let nested = `# first\n${text}\n# then`;
      for (let depth = 0; depth < 4; depth++) {
        nested = JSON.stringify({ run: nested });
        expect(redactText(nested).text, nested).not.toContain(password);
      }
    }
});

test("a password in quotes may have blanks", () => {
  const { redactText } = redactor();
  for (const command of commands.filter((each) => /["']/.test(each)))
    expect(redactText(command.replace("@@", "my own dog")).text).toBe(command.replace("@@", hidden));
});

test("where a variable and its value are apart", () => {
  const { redactJson } = redactor();
  const env = {
    PGPASSWORD: "hunter2",
    MYSQL_PWD: "hunter3",
    SSHPASS: "hunter4",
    REDISCLI_AUTH: "hunter5",
    PGUSER: "ada",
  };
  expect(redactJson({ env }).value).toEqual({
    env: { PGPASSWORD: hidden, MYSQL_PWD: hidden, SSHPASS: hidden, REDISCLI_AUTH: hidden, PGUSER: "ada" },
  });
});

test("in a stream cut at any place", () => {
  const redact = redactor();
  for (const command of commands)
    for (const password of /["']/.test(command) ? ["hunter2", "my own dog"] : ["hunter2"]) {
      const text = `so I ran ${command.replace("@@", password)}\nand it was quiet`;
      const wanted = `so I ran ${command.replace("@@", hidden)}\nand it was quiet`;
      for (let cut = 1; cut < text.length; cut++) {
        const stream = redact.stream();
        const shown = stream.push(text.slice(0, cut)) + stream.push(text.slice(cut)) + stream.end();
        expect(shown, `${command}, cut at ${cut}`).toBe(wanted);
      }
      const stream = redact.stream();
      expect([...text].map((one) => stream.push(one)).join("") + stream.end()).toBe(wanted);
    }
});

test("other options, variables, and placeholders in documents stay", () => {
  const { redactText, redactJson } = redactor();
  for (const text of [
    "sort -u names.txt:2 | uniq; docker run -u 1000:1000 image; id -u ada:staff",
    "git push -u origin:main; curl https://example.org/a:b",
    "curl -u ada https://example.org; curl -u $USER:$TOKEN https://example.org; curl -u user:password https://example.org",
    "mkdir -p src/events; ssh -p2222 example.org; mysql -p app; mysql -P3306 app; cp -pr mysql backup",
    "docker run -p8080:80 nginx; mysql-client is installed with apt -posix",
    "sshpass -p $SSH_PASSWORD ssh ada@example.org; sshpass -f file ssh ada@example.org",
    "PGPASSWORD=$PGPASSWORD psql; PGPASSWORD=${DB_PASSWORD} psql; PGPASSWORD=<password> psql; PGPASSWORD=*** psql",
    "PGPASSWORD: the password that psql takes; unset PGPASSWORD; MYSQL_PWD is deprecated",
    "tool --password=PASSWORD --password-stdin --password=$(cat file); --password <password>",
  ]) {
    expect(redactText(text)).toEqual({ text, hits: [] });
    expect(redactJson({ text }).value).toEqual({ text });
  }
});
