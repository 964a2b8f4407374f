import { requireInstanceKey } from "#server/core/shared/secrets/require-instance-key.ts";
import { closePool, pool } from "#server/db/pool.ts";
import { createLogger } from "#server/processes/logger.ts";
import { runProcess } from "#server/processes/run-process.ts";

import { importDue } from "./run-import.ts";

// The importer: a process of its own, so that imports take neither memory nor time from deliveries. It ends when there
// is nothing to import; the worker starts it again.
await runProcess("importer", async () => {
  const { db } = pool();
  await requireInstanceKey(db);
  const stopping = new AbortController();
  const running = importDue(db, { log: createLogger("importer"), signal: stopping.signal });
  // An error is thrown by the function below.
  const end = () => process.kill(process.pid, "SIGTERM");
  running.then(end, end);
  return async () => {
    stopping.abort();
    await running;
    await closePool();
  };
});
