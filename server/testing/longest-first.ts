import { relative } from "node:path";

import { BaseSequencer, type TestSpecification } from "vitest/node";

import { ROOT } from "#server/cli/bootstrap/paths.mjs";
import { testsByKind, testsReaching } from "#server/cli/bootstrap/tests-by-kind.mjs";

/** What tests import that start whole appliances. */
const START_APPLIANCE = "server/testing/start-appliance.ts";
/** Starts one too, but runs a program for it. */
const CHAOS = "bench/chaos/chaos.test.ts";

/**
 * Starts the tests with whole appliances first, then those with other processes, and the fast ones last, so that no core
 * idles while the last long one runs.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { process, database } = testsByKind();
    const groups = [[CHAOS, ...testsReaching([START_APPLIANCE])], process, database];
    const inOrder = groups.map((paths) => new Set(paths));
    const rank = ({ moduleId }: TestSpecification) => {
      const at = inOrder.findIndex((paths) => paths.has(relative(ROOT, moduleId)));
      return at < 0 ? inOrder.length : at;
    };
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}
