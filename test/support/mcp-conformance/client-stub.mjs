// What the judge starts for each scenario: it hands the scenario to the process that holds Writ's client, and ends as that says.
import { connect } from "node:net";

const [socket, url] = process.argv.slice(2);
const { MCP_CONFORMANCE_SCENARIO: scenario, MCP_CONFORMANCE_CONTEXT: context = "{}" } = process.env;
let answer = "";
connect(socket)
  .on("data", (more) => {
    answer += more;
  })
  .on("end", () => {
    const { error } = JSON.parse(answer);
    if (error) console.error(error);
    process.exit(error ? 1 : 0);
  })
  .end(JSON.stringify({ url, scenario, context: JSON.parse(context) }));
