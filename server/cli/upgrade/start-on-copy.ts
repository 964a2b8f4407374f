import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

import { exitCodeOf } from "#server/processes/child-exit.ts";
import { freePort } from "#server/processes/free-port.ts";
import { NODE_FLAGS } from "#server/processes/node-flags.ts";
import { programFile } from "#server/processes/program-file.ts";

const POSTHOUSE = programFile("server/cli/posthouse.ts");
/** A large database is copied, and perhaps moved to another major version of Postgres. */
const TIMEOUT_MS = 6 * 3_600_000;
const PORT = /^(PORT|[A-Z0-9]+_PORT)$/;
const PORTS = [
  ...["PORT", "SMTP_PORT", "SUBMISSION_PORT", "SUBMISSIONS_PORT", "IMAP_PORT", "IMAPS_PORT"],
  ...["POP3_PORT", "POP3S_PORT", "SIEVE_PORT"],
];

/**
 * Starts this version on a copy of the data until it is ready, then stops it. On other ports of this machine only, and without
 * the worker, so that nothing is delivered from the copy.
 *
 * @throws Error with the reason if it doesn't get ready
 */
export async function startOnCopy(dataFolder: string): Promise<string> {
  const child = spawn(process.execPath, [...NODE_FLAGS, POSTHOUSE, "start"], {
    env: await settingsOfCopy(dataFolder),
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = exitCodeOf(child);
  const failures: string[] = [];
  const ready = { at: 0 };
  const read = (line: string) => {
    if (/^(✗|posthouse: )/.test(line)) failures.push(line.replace(/^(✗|posthouse:) /, ""));
    if (!line.startsWith("Posthouse is ready")) return;
    ready.at = performance.now();
    child.kill("SIGTERM");
  };
  for (const stream of [child.stdout, child.stderr])
    createInterface({ input: stream }).on("line", read);
  const impatience = setTimeout(() => {
    failures.push(`not ready after ${TIMEOUT_MS / 1_000} s`);
    child.kill("SIGTERM");
  }, TIMEOUT_MS);
  const code = await ended;
  clearTimeout(impatience);
  if (ready.at === 0) throw new Error(failures[0] ?? `it ended with exit code ${code}`);
  return "web and mail are ready";
}

async function settingsOfCopy(dataFolder: string): Promise<NodeJS.ProcessEnv> {
  const others = Object.entries(process.env).filter(([name]) => !PORT.test(name));
  const env: NodeJS.ProcessEnv = {
    ...Object.fromEntries(others),
    ...{ POSTHOUSE_DATA: dataFolder, DATABASE_URL: "", NODE_ENV: "production", NO_COLOR: "1" },
    ...{ POSTHOUSE_ROLES: "web,mail", POSTHOUSE_BIND: "127.0.0.1", POSTHOUSE_ACME: "off" },
    // Readable by root only, perhaps.
    ...{ POSTHOUSE_TLS_CERT: "", POSTHOUSE_TLS_KEY: "", POSTHOUSE_PROXY_PROTOCOL: "" },
  };
  for (const name of PORTS) env[name] = String(await freePort());
  return env;
}
