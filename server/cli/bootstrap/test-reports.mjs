/**
 * `repeated` names the tests that failed first and passed when they were repeated.
 *
 * @typedef {{ passed: number, failed: number, skipped: number, failures: string[], skips?: string[], repeated?: string[] }} Counts
 */

const REASON_LINES = 12;

/**
 * Counts the results in vitest's JSON report. A file that couldn't be loaded counts as one failed test. A failure is named
 * with the beginning of its message.
 *
 * @param {any} report
 * @returns {Counts}
 */
export function countVitest(report) {
  /** @type {{ name: string, status: string, message?: string, assertionResults: { status: string, fullName: string, failureMessages?: string[] }[] }[]} */
  const files = report.testResults;
  const tests = files.flatMap(({ name, assertionResults }) =>
    assertionResults.map(({ status, fullName, failureMessages }) => ({
      status,
      title: `${name} › ${fullName}`,
      reason: beginning(failureMessages?.[0]),
    })),
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
    failures: [
      ...failedTests.map(({ title, reason }) => title + reason),
      ...broken.map(({ name, message }) => name + beginning(message)),
    ],
    skips: skips.map(({ title }) => title),
  };
}

/** @param {string} [message] */
function beginning(message) {
  const lines = message?.split("\n").filter((line) => !line.includes("/node_modules/")) ?? [];
  return lines
    .slice(0, REASON_LINES)
    .map((line) => `\n    ${line}`)
    .join("");
}

/**
 * The files with failures in vitest's JSON report.
 *
 * @param {any} report
 * @returns {string[]}
 */
export function failedFiles({ testResults }) {
  /** @type {{ name: string, status: string }[]} */
  const files = testResults;
  return files.filter(({ status }) => status === "failed").map(({ name }) => name);
}

/**
 * Counts the results of a run whose failed files were repeated: these count as they ended the second time.
 *
 * @param {any} first
 * @param {any} second only of the files with failures
 * @returns {Counts}
 */
export function countRepeated(first, second) {
  const failed = failedFiles(first);
  const kept = first.testResults.filter(
    (/** @type {{ name: string }} */ file) => !failed.includes(file.name),
  );
  const counts = countVitest({ testResults: [...kept, ...second.testResults] });
  const title = (/** @type {string} */ failure) => failure.split("\n", 1)[0];
  const again = new Set(counts.failures.map(title));
  const repeated = countVitest(first).failures.filter((failure) => !again.has(title(failure)));
  return { ...counts, repeated };
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
