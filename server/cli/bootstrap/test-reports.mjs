/** @typedef {{ passed: number, failed: number, skipped: number, failures: string[], skips?: string[] }} Counts */

/**
 * Counts the results in vitest's JSON report. A file that couldn't be loaded counts as one failed test.
 *
 * @param {any} report
 * @returns {Counts}
 */
export function countVitest(report) {
  /** @type {{ name: string, status: string, assertionResults: { status: string, fullName: string }[] }[]} */
  const files = report.testResults;
  const tests = files.flatMap(({ name, assertionResults }) =>
    assertionResults.map(({ status, fullName }) => ({ status, title: `${name} › ${fullName}` })),
  );
  const failedTests = tests.filter(({ status }) => status === "failed");
  const broken = files.filter(
    (file) =>
      file.status === "failed" && !file.assertionResults.some(({ status }) => status === "failed"),
  );
  const skips = tests.filter(({ status }) => !["passed", "failed"].includes(status));
  return {
    passed: tests.length - failedTests.length - skips.length,
    failed: failedTests.length + broken.length,
    skipped: skips.length,
    failures: [...failedTests.map(({ title }) => title), ...broken.map(({ name }) => name)],
    skips: skips.map(({ title }) => title),
  };
}

/**
 * Counts the results in Playwright's JSON report. A test that passed on retry counts as passed.
 *
 * @param {any} report
 * @returns {Counts}
 */
export function countPlaywright(report) {
  const { expected, flaky, unexpected, skipped } = report.stats;
  const errors = unexpected === 0 ? report.errors : [];
  return {
    passed: expected + flaky,
    failed: unexpected + errors.length,
    skipped,
    failures: [
      ...report.suites.flatMap((/** @type {Suite} */ suite) => failedSpecs(suite)),
      ...errors.map(
        (/** @type {{ message?: string }} */ { message }) => message ?? "unknown error",
      ),
    ],
  };
}

/** @typedef {{ title: string, file: string, line: number, ok: boolean }} Spec */
/** @typedef {{ title: string, file: string, specs?: Spec[], suites?: Suite[] }} Suite */

/**
 * @param {Suite} suite
 * @param {string[]} [above] titles of the suites around it
 * @returns {string[]}
 */
function failedSpecs(suite, above = []) {
  const titles = suite.title === suite.file ? above : [...above, suite.title];
  const own = (suite.specs ?? [])
    .filter(({ ok }) => !ok)
    .map(({ file, line, title }) => [`e2e/${file}:${line}`, ...titles, title].join(" › "));
  return [...own, ...(suite.suites ?? []).flatMap((inner) => failedSpecs(inner, titles))];
}
