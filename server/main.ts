import { config } from "#server/config.ts";
import { closePool } from "#server/db/pool.ts";
import { runProcess } from "#server/processes/run-process.ts";
import { startWeb } from "#server/web/start-web.ts";

// The web process: REST API and console.
await runProcess("web", async () => {
  const web = await startWeb(config());
  return async () => {
    await web.stop();
    await closePool();
  };
});
