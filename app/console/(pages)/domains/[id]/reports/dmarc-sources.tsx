import { Text } from "@mantine/core";

import type { DmarcSource } from "#app/console/(pages)/domains/queries.ts";
import { formatCount } from "#app/console/ui/format.ts";
import { Status } from "#app/console/ui/status.tsx";

import { formatShare } from "./report-figures.tsx";
import classes from "./reports.module.css";
import { sendingService, sourceVerdict } from "./source-verdict.ts";

export function DmarcSources({ sources }: { sources: DmarcSource[] }) {
  return (
    <>
      <Text fw={600} component="h3" mt="xl" id="dmarc-sources">
        Sending sources
      </Text>
      <table role="table" className={classes.sources} aria-labelledby="dmarc-sources">
        <thead role="rowgroup">
          <tr role="row">
            <th role="columnheader">Server</th>
            <th role="columnheader">Assessment</th>
            {NUMBERS.map(({ head }) => (
              <th key={head} role="columnheader" className={classes.number}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {sources.map((source) => (
            <DmarcSourceRow key={source.address} source={source} />
          ))}
        </tbody>
      </table>
    </>
  );
}

const NUMBERS: { head: string; of: (source: DmarcSource) => string }[] = [
  { head: "Messages", of: ({ messages }) => formatCount(messages) },
  { head: "Passed", of: ({ passed, messages }) => formatShare(passed, messages) },
  { head: "DKIM", of: ({ dkimPassed: dkim, messages }) => formatShare(dkim, messages) },
  { head: "SPF", of: ({ spfPassed: spf, messages }) => formatShare(spf, messages) },
  { head: "Blocked", of: blockedCounts },
];

// Explicit roles: on phones, the style sheet turns rows into cards, which drops the implicit ones.
function DmarcSourceRow({ source }: { source: DmarcSource }) {
  const { address, host } = source;
  const { label, tone, explanation } = sourceVerdict(source);
  return (
    <tr role="row">
      <th role="rowheader">
        {sendingService(host) ?? host ?? address}
        <span className={classes.quiet}>{host === null ? "No verified hostname" : address}</span>
      </th>
      <td role="cell" className={classes.verdict}>
        <Status label={label} tone={tone} />
        <span className={classes.quiet}>{explanation}</span>
      </td>
      {NUMBERS.map(({ head, of }) => (
        <td key={head} role="cell" className={classes.number} data-head={head}>
          {of(source)}
        </td>
      ))}
    </tr>
  );
}

function blockedCounts({ quarantined, rejected }: DmarcSource): string {
  const parts = [
    quarantined > 0 && `${formatCount(quarantined)} to spam`,
    rejected > 0 && `${formatCount(rejected)} rejected`,
  ].filter(Boolean);
  return parts.join(", ") || "None";
}
