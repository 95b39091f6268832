// Comments, names, help texts and pages speak of callers, sessions and processes in the field's own words. Other strings are not
// looked at: messages and what is recorded belong to the outside contract.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseSync } from "@swc/core";

const root = fileURLToPath(new URL("../", import.meta.url));
/** Words that hide who does something: a sentence has the caller, the session or the process as its subject. */
const vague = ["whoever", "nobody", "somebody", "anybody", "told", "heard"];
/** Words that the dictionary of the second house replaced in names, and what is said now. */
const replaced = new Map([
  ["turnstile", "semaphore"],
  ["patience", "request signal"],
  ["desk", "service"],
  ["desks", "services"],
  ["crew", "worker pool"],
  ["shelf", "index"],
  ["shelve", "build index"],
  ["wish", "options or input"],
  ["wishes", "options or input"],
  ["recalled", "rebuilt"],
  ["keepable", "storable"],
  ["unkeepable", "unstorable"],
  ["outward", "sanitized"],
  ["unfiled", "pending writes"],
  ["filer", "flusher"],
  ["filing", "flush"],
  ["teller", "event renderer"],
  ["gist", "summary"],
  ["seams", "section boundaries"],
]);
/** Whole names that it replaced: their words mean something else in other names. A file is called like what it holds. */
const replacedNames = new Map(
  Object.entries({
    Pace: "TimeSlice",
    Places: "ConcurrencyLimit",
    NoPlace: "LimitReached",
    inProbeTime: "withProbeTimeout",
    whyRefused: "authorizeRoute",
    shareLook: "coalesce",
    hasItAlready: "matchesEtag",
    nextSubject: "reserveId",
    stayRecognised: "recheckCredentials",
    refuseUnreadable: "rejectBadRequest",
    Foundations: "the parts of a place",
    Instruments: "the parts of a place",
    Hands: "IdleWorker",
    Ride: "BatchedClaim",
    StandingClaims: "PendingClaims",
    ReadyLot: "ReadyBatch",
    untilAnswered: "retryUntil",
    orWhenAborted: "raceAbort",
    placeWork: "insertWork",
    freshWork: "newWork",
    runsInHand: "runCache",
    runMemory: "runCache",
    Piece: "Chunk",
    takeOver: "adoptSession",
    askedIn: "promptOf",
    isDrawn: "looksRandom",
    isTrouble: "isProblem",
    Spent: "Usage",
    whoAsks: "authenticator",
    answerDoubt: "resolveInDoubt",
    whatBecameOf: 'ask("in_doubt")',
    mayCall: 'ask("tool_call")',
    StoredWord: "StoredDecision",
    keptLaw: "ContractStore",
    lawStore: "ContractStore",
    keptTexts: "contractBlobs",
    keepLaw: "keepDefinitions",
    lawChanged: "contractsChanged",
    lawOf: "definitionsOf",
    lawManifest: "contractManifest",
    pinnedLaw: "pinnedContracts",
    WorkspaceAct: "DeclaredAction",
    actsOf: "DeclaredAction",
    loweredGuards: "weakenedSettings",
    loweredGuardsOf: "weakenedSettingsOf",
    giveTrust: "grantTrust",
    hasMovedOn: "wasContinued",
    takeUp: "resumeInterrupted",
    takeUpChild: "resumeChild",
    takeUpInterrupted: "resumeInterrupted",
    RecordedPast: "RecordedHistory",
    parentPast: "parentHistory",
    wayOut: "remedy",
    wayOutOf: "remedyFor",
    tellEvent: "renderEvent",
    steadyMemory: "limitHeapGrowth",
    provenLines: "verifiedLines",
    readingRule: "readPolicy",
    ReadingRule: "ReadPolicy",
  }).flatMap(([name, now]) => [[name, now], ...(kebab(name).includes("-") ? [[kebab(name), kebab(now)]] : [])]),
);
const inComments = new RegExp(`\\b(?:${vague.join("|")})\\b`, "gi");
const inNames = new Set([...vague, ...replaced.keys()]);
/** What is text and no comment, although it may look like one. */
const texts = new Set(["StringLiteral", "TemplateElement", "RegExpLiteral", "JSXText"]);
/** Where strings are help texts, and what the API and the errors say of themselves: those are read like a page. */
const helpTexts = /^src\/(?:core\/)?[^/]+\/(?:cli|http)\/|^src\/main\/tables\/|\/error-meanings\.ts$/;

const isTest = /\.(?:test|case|fixture)\.tsx?$/;

const files = ["src", "studio/src"]
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map(
      (file) => `${folder}/${file.replaceAll("\\", "/")}`,
    ),
  )
  .filter((file) => /\.tsx?$/.test(file) && !file.includes("/generated/"));
/** What people read; decisions are history, and the reference is made of contracts and help texts. */
const pages = ["docs", "changes"]
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map(
      (file) => `${folder}/${file.replaceAll("\\", "/")}`,
    ),
  )
  .filter((file) => file.endsWith(".md") && !/^docs\/(?:decisions|reference)\//.test(file))
  .concat("README.md", "CONTRIBUTING.md", "CHANGELOG.md");
/** Comments of queries and scripts are read by the same people. */
const others = ["src", "scripts", "bin"]
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map(
      (file) => `${folder}/${file.replaceAll("\\", "/")}`,
    ),
  )
  .filter((file) => /\.(?:sql|mjs|js)$/.test(file) && !file.includes("/migrations/"));
const problems = [
  ...others.flatMap((file) => problemsOfComments(file, readFileSync(join(root, file), "utf8"))),
  ...files.flatMap((file) => problemsOf(file, readFileSync(join(root, file), "utf8"))),
  ...pages.flatMap((file) => problemsOfPage(file, readFileSync(join(root, file), "utf8"))),
];
judge();

/** By whole lines: a migration is never edited, and a list of forbidden words is no comment. */
function problemsOfComments(file, text) {
  return text.split("\n").flatMap((line, at) => {
    if (!/^\s*(?:--|\/\/|\/?\*)/.test(line)) return [];
    return [...line.matchAll(inComments)].map(([word]) => ({ text: `${file}:${at + 1}: ${word.toLowerCase()}` }));
  });
}

/** Blocks are left out: they show programs, and what Writ prints. */
function problemsOfPage(file, text) {
  const prose = text.replace(/^```[\s\S]*?^```/gm, (block) => block.replace(/[^\n]/g, " "));
  return [...prose.matchAll(inComments)].map(({ 0: word, index }) => {
    const line = prose.slice(0, index).split("\n").length;
    return { text: `${file}:${line}: ${word.toLowerCase()}` };
  });
}

function problemsOf(file, source) {
  const { bytes, comments, names, strings } = read(file, source);
  const found = [];
  for (const { 0: word, index } of comments.matchAll(inComments)) found.push({ word, index });
  if (helpTexts.test(file) && !isTest.test(file))
    for (const [text, index] of strings) for (const [word] of text.matchAll(inComments)) found.push({ word, index });
  for (const [name, index] of names) {
    const word = name.split(/(?=[A-Z])|[_$\d]/).find((part) => inNames.has(part.toLowerCase()));
    if (word !== undefined) found.push({ word, index });
    else if (replacedNames.has(name)) found.push({ word: name, index });
  }
  for (const part of file.split("/").map((each) => each.replace(/\..*$/, ""))) {
    const word = part.split("-").find((each) => inNames.has(each));
    if (word !== undefined) found.push({ word, index: 0 });
    else if (replacedNames.has(part)) found.push({ word: part, index: 0 });
  }
  return found.map(({ word, index }) => {
    const line = bytes.subarray(0, index).filter((byte) => byte === 10).length + 1;
    return { text: `${file}:${line}: ${replacedNames.has(word) ? word : word.toLowerCase()}${sayInstead(word)}` };
  });
}

/** Comments with all else blanked out, so that a place in them is a place in the file; and where each name first stands. */
function read(file, source) {
  // The parser counts bytes from wherever its last file ended: a statement before the text marks where this one begins.
  const { body } = parseSync(`0;${source}`, { syntax: "typescript", tsx: file.endsWith("x"), target: "es2022" });
  const start = body[0].span.start + 2;
  const bytes = Buffer.from(source);
  const code = Buffer.from(bytes);
  const names = new Map();
  const strings = [];
  const visit = (node) => {
    if (Array.isArray(node)) for (const each of node) visit(each);
    if (node === null || typeof node !== "object" || Array.isArray(node)) return;
    if (texts.has(node.type)) {
      code.fill(" ", node.span.start - start, node.span.end - start);
      if (node.type !== "RegExpLiteral") strings.push([node.cooked ?? node.value, node.span.start - start]);
    }
    if (node.type === "Identifier" || node.type === "PrivateName") {
      const name = node.value ?? node.id?.value ?? "";
      if (!names.has(name)) names.set(name, node.span.start - start);
    }
    for (const each of Object.values(node)) if (each !== null && typeof each === "object") visit(each);
  };
  visit(body.slice(1));
  // One character for each byte, so that places agree.
  const comments = code
    .toString("latin1")
    .replace(/\/\/[^\n]*|\/\*[\s\S]*?\*\/|[^\n]/g, (found) => (found.length > 1 ? found : " "));
  return { bytes, comments, names, strings };
}

function sayInstead(word) {
  const now = replaced.get(word.toLowerCase()) ?? replacedNames.get(word);
  return now === undefined ? "" : ` (say ${now})`;
}

function kebab(name) {
  return name.replace(/[a-z](?=[A-Z])/g, "$&-").toLowerCase();
}

function judge() {
  for (const { text } of problems) console.log(text);
  if (problems.length > 0)
    console.log("a comment, a name or a page says who does what: the caller, the session, the process");
  if (files.length === 0 || pages.length < 4) console.log("no file was looked at: are the folders still called so?");
  process.exit(problems.length > 0 || files.length === 0 || pages.length < 4 ? 1 : 0);
}
