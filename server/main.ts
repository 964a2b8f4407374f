import { config } from "#server/config.ts";
import { startWatcher } from "./core/operations/alarms/watcher.ts";
import { registerProcess } from "./core/platform/processes/processes.ts";
import { requireInstanceKey } from "./core/shared/secrets/require-instance-key.ts";
import { closePool, db } from "#server/db/pool.ts";
import { runProcess } from "#server/processes/run-process.ts";
import { createLogger } from "#server/processes/logger.ts";
import { startWeb } from "#server/web/start-web.ts";

// The web process: REST API and console.
await runProcess("web", async () => {
  await requireInstanceKey(db());
  let endProcess = async () => {};
  // What a request holds counts only while the process is registered.
  const web = await startWeb(config(), async () => {
    endProcess = await registerProcess(db(), "web");
  }).catch(async (error: unknown) => {
    await endProcess();
    throw error;
  });
  const watcher = startWatcher({ db: db(), config: config(), log: createLogger("watcher") });
  return async () => {
    await web.stop();
    await watcher.stop();
    await endProcess();
    await closePool();
  };
});
