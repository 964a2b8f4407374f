import { relative } from "node:path";

import { BaseSequencer, type TestSpecification } from "vitest/node";

import { ROOT } from "#server/cli/bootstrap/paths.mjs";
import { testsByKind } from "#server/cli/bootstrap/tests-by-kind.mjs";

/** Starts the tests with processes first and the fast ones last, so that no core idles while the last long one runs. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { process, database } = testsByKind();
    const ranks = new Map([
      ...process.map((path) => [path, 0] as const),
      ...database.map((path) => [path, 1] as const),
    ]);
    const rank = ({ moduleId }: TestSpecification) => ranks.get(relative(ROOT, moduleId)) ?? 2;
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}
