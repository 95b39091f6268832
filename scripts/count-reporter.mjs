/** Ends a test run with one plain line that people and programs can read: `N passed, N failed, N skipped`. */
export default class CountReporter {
  onTestRunEnd(modules) {
    const count = { passed: 0, failed: 0, skipped: 0 };
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        count[state === "pending" ? "skipped" : state] += 1;
      }
      // A file that could not be loaded has no tests to count, and is a failure all the same.
      if (module.errors().length > 0) count.failed += 1;
    }
    process.on("exit", () => console.log(`${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped`));
  }
}
