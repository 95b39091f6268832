// `npm run docs -- FILE…`: does what a guide says and puts what was printed into it, to be read before it is committed.
import postgres from "../postgres/shared-server.ts";
import { Writ } from "../warm-writ.ts";
import { runGuide } from "./run-guide.ts";
import { stageOf } from "./stages.ts";

const endServer = postgres();
const writ = new Writ();
for (const path of process.argv.slice(2)) {
  const stage = await stageOf(path);
  const problems = await runGuide(path, writ, { stage, write: true });
  console.log(problems.length === 0 ? `${path}: done` : problems.join("\n"));
}
await writ.close();
endServer();
process.exit(0);
