import { consoleTimestamp } from "#server/http/timestamps.ts";
import {
  type KnownCheck,
  listChecks,
  startChecks,
} from "#server/core/operations/system-checks/run-checks.ts";
import { change, pageEndpoints, read } from "#server/http/endpoint.ts";

function checksObject(checks: KnownCheck[]) {
  return {
    data: checks.map(({ checkedAt, isRunning, ...check }) => ({
      ...check,
      checkedAt: checkedAt && consoleTimestamp(checkedAt),
      isRunning,
    })),
  };
}

/** Older results are refreshed when the page opens. */
const FRESH_SECONDS = 600;

export const checksConsole = pageEndpoints("console", "checks", {
  list: read({
    permission: "operator",
    privilege: null,
    handle: async ({ ctx }) => {
      await startChecks(ctx.db, { olderThanSeconds: FRESH_SECONDS });
      return checksObject(await listChecks(ctx.db));
    },
  }),

  run: change({
    permission: "operator",
    privilege: null,
    handle: async ({ ctx }) => {
      await startChecks(ctx.db);
      return checksObject(await listChecks(ctx.db));
    },
  }),
});
