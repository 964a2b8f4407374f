import { config } from "#server/config.ts";
import { localUrlHost } from "#server/core/operations/system-checks/local-address.ts";

// For the image's HEALTHCHECK: exits with 1 when a process or Dovecot of this container's roles does not
// respond. Queries the web process, or reads heartbeats from the database where web doesn't run.
const settings = config();
const problem = settings.roles.has("web") ? await askWeb() : await readHeartbeats();
if (problem) console.error(problem);
process.exit(problem ? 1 : 0);

async function askWeb(): Promise<string> {
  const answer = await fetch(`http://${localUrlHost(settings.bind)}:${settings.ports.web}/readyz`);
  return answer.ok ? "" : (await answer.text()).trim();
}

/** Loads the database modules only where they are needed: the check runs every few seconds. */
async function readHeartbeats(): Promise<string> {
  const { findUnresponsiveComponents } =
    await import("#server/core/platform/processes/processes.ts");
  const { connect } = await import("#server/db/client.ts");
  const { findDatabase } = await import("./running-appliance.ts");
  const url = settings.databaseUrl ?? (await findDatabase(settings.dataFolder));
  if (!url) return "Postgres isn't running";
  const connection = connect(url, { max: 1 });
  const silent = await findUnresponsiveComponents(connection.db, settings.roles);
  return silent.map((part) => `${part} does not respond`).join("\n");
}
