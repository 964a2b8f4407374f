/** @typedef {{ passed: number, failed: number, skipped: number }} Counts */

/**
 * Sums of vitest's JSON report. A file that could not even be loaded has no tests: it counts as one.
 *
 * @param {any} report
 * @returns {Counts}
 */
export function countVitest(report) {
  /** @type {{ status: string, assertionResults: { status: string }[] }[]} */
  const files = report.testResults;
  const tests = files.flatMap((file) => file.assertionResults.map(({ status }) => status));
  const broken = files.filter(
    (file) =>
      file.status === "failed" && !file.assertionResults.some(({ status }) => status === "failed"),
  );
  const passed = tests.filter((status) => status === "passed").length;
  const failed = tests.filter((status) => status === "failed").length;
  return {
    passed,
    failed: failed + broken.length,
    skipped: tests.length - passed - failed,
  };
}

/**
 * Sums of Playwright's JSON report; a test that passed at a second try has passed.
 *
 * @param {any} report
 * @returns {Counts}
 */
export function countPlaywright(report) {
  const { expected, flaky, unexpected, skipped } = report.stats;
  const errors = unexpected === 0 ? report.errors.length : 0;
  return { passed: expected + flaky, failed: unexpected + errors, skipped };
}
