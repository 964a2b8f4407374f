import {
  EXPORTED,
  EXPORTED_MESSAGES,
  fileOf,
} from "#server/core/operations/export/exported-tables.ts";

import type { Manifest } from "./export-company.ts";

const MAIL = {
  maildir: `mail/ADDRESS/               a Maildir++ of each mailbox, with flags, keywords (in dovecot-keywords) and arrival times`,
  mbox: `mail/ADDRESS/               an mbox file (mboxrd) of each folder, with flags in Status, X-Status and X-Keywords`,
  none: null,
};

/** Says what each file of an export is. */
export function readmeText(manifest: Manifest): string {
  const { company, snapshot_at: at, posthouse, counts, mail_format: format } = manifest;
  const messages = Object.entries(EXPORTED_MESSAGES)
    .filter(([kind]) => counts[`${kind}/`])
    .map(([kind, { about }]) => line(`${kind}/ID.eml`, about));
  const files = [
    line("manifest.json", "what this export contains, with counts"),
    ...Object.entries(EXPORTED).map(([table, { about }]) => line(`data/${fileOf(table)}`, about)),
    ...messages,
    line("dns/DOMAIN.zone", "the DNS records to publish for each domain, as a zone file"),
    manifest.includes_dkim_private_keys &&
      line("dkim-private-keys/", "SECRET: the private DKIM keys, as PEM. Delete them after use"),
    line("sieve/ADDRESS.sieve", "each mailbox's forwarding, automatic reply and filters, as Sieve"),
    format !== "none" &&
      line("sieve/ADDRESS/", "scripts that mail apps uploaded; only the active one runs"),
    MAIL[format],
    format !== "none" && line("mail/ADDRESS.folders.json", "folders: their names, paths and uses"),
  ].filter(Boolean);
  const leftOut = Object.entries(manifest.left_out).map(([table, why]) => `- ${table}: ${why}`);
  return `The data of ${company.name} in Posthouse ${posthouse}, as of ${at}.

The .ndjson files have one JSON object per line. IDs and addresses connect them: email_id is the id of an email.
Times are in ISO 8601. Mail was copied after the records, so it can be a little newer.

${files.join("\n")}

${
  manifest.includes_dkim_private_keys
    ? "Private DKIM keys are included."
    : "Private DKIM keys aren't included: export again with --include-dkim-keys, or publish new keys."
} Passwords, API keys and signing secrets are never exported.

SECRET: content of emails can contain links that still work, such as those to set a password or accept an invitation, which
Posthouse itself sends and which work for 7 days.

Not exported:
${leftOut.join("\n")}
`;
}

const line = (name: string, about: string): string => `${name.padEnd(27)} ${about}`;
