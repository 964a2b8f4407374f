import type { Display } from "#server/cli/display.mjs";
import type { Config } from "#server/config.ts";
import {
  ensureSetupToken,
  isSetUp,
  removeSetupToken,
} from "#server/core/operations/companies/set-up.ts";
import type { Sandbox } from "#server/core/operations/sandbox/sandbox.ts";
import type { Db } from "#server/db/client.ts";

/** The text after a start: URLs, how to sign in, and a first request to try. */
export async function readyText(
  db: Db,
  config: Config,
  sandbox: Sandbox | null,
  display: Display,
): Promise<string> {
  const lines = sandbox ? sandboxLines(config, sandbox) : await serverLines(db, config);
  const rows = lines.map(([name, text]) => `  ${display.bold(name.padEnd(9))} ${text}`);
  return ["", ...rows, ...(sandbox ? ["", curlLine(config, sandbox)] : []), ""].join("\n");
}

type Line = [name: string, text: string];

function sandboxLines(config: Config, sandbox: Sandbox): Line[] {
  const { ports, bind } = config;
  const isLocal = bind.startsWith("127.") || ["::1", "0.0.0.0", "::"].includes(bind);
  const host = isLocal ? "localhost" : bind;
  const { address, password } = sandbox.mailbox;
  return [
    ["Console", `${config.baseUrl}/console`],
    ["", `${sandbox.owner.email}, password ${sandbox.owner.password ?? "set by you"}`],
    ["Mailbox", `${address}, password ${password}`],
    ["", `IMAP ${host}:${ports.imaps} (TLS), SMTP ${host}:${ports.submissions} (TLS)`],
    ["", `${config.baseUrl}/account for settings and app passwords`],
    ["API key", sandbox.apiKey],
    ["Data", config.dataFolder],
  ];
}

async function serverLines(db: Db, config: Config): Promise<Line[]> {
  const console: Line = ["Console", `${config.baseUrl}/console`];
  const data: Line = ["Data", config.dataFolder];
  if (await isSetUp(db)) {
    removeSetupToken(config.dataFolder);
    return [console, data];
  }
  const token = ensureSetupToken(config.dataFolder);
  return [["Set up", `${config.baseUrl}/console/set-up#${token}`], console, data];
}

function curlLine({ baseUrl }: Config, { apiKey, domain, mailbox }: Sandbox): string {
  const email = {
    from: `Posthouse <hello@${domain}>`,
    to: mailbox.address,
    subject: "Hello",
    text: "It works.",
  };
  return [
    `  curl ${baseUrl}/emails \\`,
    `    -H 'Authorization: Bearer ${apiKey}' \\`,
    `    -H 'Content-Type: application/json' \\`,
    `    -d '${JSON.stringify(email)}'`,
  ].join("\n");
}
