import { config } from "#server/config.ts";
import { keepProcess } from "./core/platform/processes/keep-process.ts";
import { requireInstanceKey } from "./core/shared/secrets/require-instance-key.ts";
import { closePool, db } from "#server/db/pool.ts";
import { runProcess } from "#server/processes/run-process.ts";
import { startWeb } from "#server/web/start-web.ts";

// The web process: REST API and console.
await runProcess("web", async () => {
  await requireInstanceKey(db());
  const web = await startWeb(config());
  const endProcess = await keepProcess(db(), "web");
  return async () => {
    await web.stop();
    await endProcess();
    await closePool();
  };
});
