import type { SetUp } from "#app/account/queries.ts";
import { CopyButton } from "#app/console/ui/code.tsx";

import classes from "./settings.module.css";

type Server = SetUp["imap"][number];

const SECURITY = { implicit: "SSL/TLS", starttls: "STARTTLS" } as const;

const KINDS = [
  ["imap", "Reading mail (IMAP)"],
  ["smtp", "Sending mail (SMTP)"],
  ["pop3", "Reading mail (POP3)"],
  ["sieve", "Filters (ManageSieve)"],
] as const;

/** The settings for manual setup. Protocols that the company doesn't allow are left out. */
export function Settings({ setUp }: { setUp: Pick<SetUp, "imap" | "smtp" | "pop3" | "sieve"> }) {
  const rows = KINDS.flatMap(([kind, label]) =>
    setUp[kind].map((server, at) => ({
      server,
      label: at === 0 ? label : `${label}, alternative`,
    })),
  );
  return (
    <table className={classes.table} aria-label="Settings">
      <thead>
        <tr>
          <th>For</th>
          <th>Server</th>
          <th>Port</th>
          <th>Security</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ server, label }) => (
          <ServerSettingsRow key={`${label} ${server.port}`} server={server} label={label} />
        ))}
      </tbody>
    </table>
  );
}

function ServerSettingsRow({ server, label }: { server: Server; label: string }) {
  return (
    <tr>
      <th scope="row">{label}</th>
      <td>
        <code>{server.host}</code>
        <CopyButton value={server.host} label={`server for ${label}`} />
      </td>
      <td>
        <code>{server.port}</code>
      </td>
      <td>{SECURITY[server.tls]}</td>
    </tr>
  );
}
